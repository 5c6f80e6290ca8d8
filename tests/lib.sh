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

# twice NAME COMMAND...: for what drives programs of others, whose hiccups are not ours. When it fails it is run once more; what the
# first try said stays in the log behind bars, and does not count. tests/run tells of it at its end.
twice() {
    local name=$1 first status=0
    shift
    first=$(mktemp)
    if "$@" >"$first" 2>&1; then
        cat "$first"
    else
        sed 's/^/| /' "$first"
        echo "$name failed, and is run once more"
        if "$@"; then
            echo "!! $name passed only at the second try. At the first:"
            awk -f tests/failures.awk "$first" | head -n 40 | sed 's/^/    /'
        else
            status=1
        fi
    fi
    rm -f "$first"
    return $status
}

# run_programs PROGRAM...: each prints its own "N passed, N failed"; one that dies without a word counts as a failure.
run_programs() {
    local status=0 program out
    for program in "$@"; do
        out=$(mktemp)
        echo "== $(basename "$program")"
        if ! timeout --kill-after=60 1800 "$program" >"$out" 2>&1; then
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

# run_node FILE...: node's own test runner, its count in our words. What hangs is ended.
run_node() {
    local out status
    out=$(mktemp)
    timeout --kill-after=60 "${RUN_NODE_SECONDS:-3600}" node --test --test-reporter=spec "$@" >"$out" 2>&1
    status=$?
    cat "$out"
    awk '/^ℹ pass / { p = $3 } /^ℹ fail / { f = $3 } /^ℹ cancelled / { c = $3 } END { printf "%d passed, %d failed\n", p, f + c }' "$out"
    rm -f "$out"
    return $status
}
