# lib.sh: what the suites' run programs share. Sourced from the repository's root.

# build PRESET TARGET...: quiet unless it breaks.
build() {
    local preset=$1 dir
    shift
    dir=build/$preset
    [ "$preset" = release ] && dir=build
    mkdir -p build/logs
    [ -f "$dir/CMakeCache.txt" ] || cmake --preset "$preset" >"build/logs/configure-$preset.log" 2>&1 || {
        cat "build/logs/configure-$preset.log"
        return 1
    }
    cmake --build "$dir" -j "$(nproc)" --target "$@" >"build/logs/build-$preset.log" 2>&1 || {
        grep -E "error|warning|undefined" "build/logs/build-$preset.log" | head -n 40
        tail -n 20 "build/logs/build-$preset.log"
        return 1
    }
}

# run_programs PROGRAM...: each prints its own "N passed, N failed"; one that dies without a word counts as a failure.
run_programs() {
    local status=0 program out
    for program in "$@"; do
        out=$(mktemp)
        echo "== $(basename "$program")"
        if ! timeout 300 "$program" >"$out" 2>&1; then
            status=1
            grep -qE '^[0-9]+ passed, [1-9][0-9]* failed' "$out" || echo "0 passed, 1 failed" >>"$out"
        fi
        tail -n 200 "$out"
        rm -f "$out"
    done
    return $status
}

# node_packages: installs tests/package-lock.json as it stands, once.
node_packages() {
    [ tests/node_modules/.package-lock.json -nt tests/package-lock.json ] && return 0
    (cd tests && npm ci --no-audit --no-fund) >build/logs/npm.log 2>&1 || {
        cat build/logs/npm.log
        return 1
    }
    touch tests/node_modules/.package-lock.json
}

# run_node FILE...: node's own test runner, its count in our words.
run_node() {
    local out status
    out=$(mktemp)
    node --test --test-reporter=spec "$@" >"$out" 2>&1
    status=$?
    cat "$out"
    awk '/^ℹ pass / { p = $3 } /^ℹ fail / { f = $3 } /^ℹ cancelled / { c = $3 } END { printf "%d passed, %d failed\n", p, f + c }' "$out"
    rm -f "$out"
    return $status
}
