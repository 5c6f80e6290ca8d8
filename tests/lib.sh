# lib.sh: what the suites' run programs share. Sourced from the repository's root.

# build PRESET TARGET...: with warnings as errors, and quiet unless it breaks.
build() {
    local preset=$1 dir
    shift
    dir=build/$preset
    [ "$preset" = release ] && dir=build
    mkdir -p build/logs
    grep -qs BERTH_WERROR:BOOL=ON "$dir/CMakeCache.txt" || cmake --preset "$preset" -DBERTH_WERROR=ON >"build/logs/configure-$preset.log" 2>&1 || {
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
# first try said stays in the log behind bars, and does not count. tests/run reports it at its end.
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

# run_program PROGRAM [ARGUMENT...]: it prints its own "N passed, N failed"; one that dies without a word counts as a failure.
run_program() {
    local out status=0
    out=$(mktemp)
    echo "== $(basename "$1")"
    if ! timeout --kill-after=60 "${RUN_PROGRAM_SECONDS:-1800}" "$@" >"$out" 2>&1; then
        status=1
        grep -qE '^[0-9]+ passed, [1-9][0-9]* failed' "$out" || echo "0 passed, 1 failed" >>"$out"
    fi
    tail -n 200 "$out"
    rm -f "$out"
    return $status
}

# beside COMMAND [ARGUMENT...] reads lines, and runs the command with each line as its last argument: BESIDE at a time, usually as many as there are
# processors. What they print comes in the order of the lines.
beside() {
    local folder line count=0 status=0
    folder=$(mktemp -d)
    while read -r line; do
        while [ "$(jobs -rp | wc -l)" -ge "${BESIDE:-$(nproc)}" ]; do wait -n || true; done
        count=$((count + 1))
        { "$@" "$line" >"$folder/$count" 2>&1 </dev/null || touch "$folder/failed"; } &
    done
    wait
    for ((line = 1; line <= count; line++)); do cat "$folder/$line"; done
    [ ! -e "$folder/failed" ] || status=1
    rm -rf "$folder"
    return $status
}

# run_programs PROGRAM...
run_programs() { printf '%s\n' "$@" | beside run_program; }

# store_fault: the library by which tests let a server's disk and clock fail.
store_fault() { mkdir -p build/tests && cc -shared -fPIC -O2 -Wall -Wextra tests/lib/store_fault.c -o build/tests/store_fault.so -ldl; }

# node_packages: installs the packages of tests/package-lock.json, unchanged, once.
node_packages() {
    [ tests/node_modules/.package-lock.json -nt tests/package-lock.json ] && return 0
    (cd tests && npm ci --no-audit --no-fund) >build/logs/npm.log 2>&1 || {
        cat build/logs/npm.log
        return 1
    }
    touch tests/node_modules/.package-lock.json
}

# what_hangs GROUP: what the threads of Berth's processes of this process group do, those that do the same together. Only a debugger tells;
# without one, which processes they are.
what_hangs() {
    local pid
    ps -o pid=,etime=,args= -g "$1" | cut -c1-200
    for pid in $(pgrep -g "$1" berth); do
        echo "  $pid $(tr '\0' ' ' <"/proc/$pid/cmdline")"
        command -v gdb >/dev/null || continue
        gdb -batch -p "$pid" -ex 'thread apply all -q backtrace 9' 2>/dev/null | awk '
            /^#0/ { if (stack != "") print stack; stack = "" }
            /^#/ { sub(/^#[0-9]+ +(0x[0-9a-f]+ in )?/, ""); sub(/ .*/, ""); stack = stack " " $0 }
            END { print stack }' | sort | uniq -c | sort -rn
    done
}

# watched SECONDS REPORT COMMAND...: in its own process group. When it is not done by then, what it does is written to the file REPORT
# and the group is ended: 124.
watched() {
    local until=$((SECONDS + $1)) report=$2 group status
    shift 2
    setsid "$@" &
    group=$!
    trap 'kill -TERM -- "-$group"; exit 130' INT TERM
    while kill -0 "$group" 2>/dev/null && [ $SECONDS -lt $until ]; do sleep 0.1; done
    if kill -0 "$group" 2>/dev/null; then
        what_hangs "$group" >"$report"
        kill -KILL -- "-$group"
        wait "$group" 2>/dev/null
        status=124
    else
        wait "$group"
        status=$?
    fi
    trap - INT TERM
    return $status
}

# run_node FILE...: node's own test runner, file by file, its counts in our words. A file that hangs, or ends badly without naming a test, counts
# as one that failed.
run_node() {
    local limit=${RUN_NODE_SECONDS:-900} file out hangs ended status=0
    out=$(mktemp)
    hangs=$(mktemp)
    for file in "$@"; do
        : >"$hangs"
        watched "$limit" "$hangs" node --test --test-reporter=spec "$file" >"$out" 2>&1
        ended=$?
        [ $ended -eq 0 ] || status=1
        cat "$out"
        if [ -s "$hangs" ]; then
            printf '✖ failing tests:\n\n✖ %s was not done after %d s, and was ended. What ran:\n' "$file" "$limit"
            cat "$hangs"
        fi
        awk -v ended=$ended '/^ℹ pass / { p = $3 } /^ℹ fail / { f = $3 } /^ℹ cancelled / { f += $3 }
            END { printf "%d passed, %d failed\n", p, ended && !f ? 1 : f }' "$out"
    done
    rm -f "$out" "$hangs"
    return $status
}
