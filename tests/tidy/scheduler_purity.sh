#!/bin/sh
# The scheduler decides and does nothing else: same world in, same plan out. So its object files may need only bytes
# in memory and a few words of base/. Takes the path of libberth_scheduler.a (built without sanitizers and coverage); fails
# and lists all else that it needs.
set -eu
archive=${1:?usage: scheduler_purity.sh PATH/libberth_scheduler.a}

names=$(mktemp)
trap 'rm -f "$names"' EXIT

nm "$archive" >"$names"
# Needed somewhere in the archive, defined nowhere in it.
needed=$(awk '$1 == "U" { needed[$2] } $2 ~ /^[TDBRVWtdbr]$/ { defined[$3] }
              END { for (name in needed) if (!(name in defined)) print name }' "$names" | sort)
[ -n "$needed" ] || { echo "$archive needs nothing at all: is it the right file?" >&2; exit 1; }

# qsort (its comparisons have no ties), mem* and their checked forms (_FORTIFY_SOURCE), the stack protector, and base/'s arena, buf, str, rng, id, hash
# table, err_set, assert.
allowed='^(qsort|mem(cmp|cpy|set|move)|__mem(cpy|set|move)_chk|__stack_chk_fail|_GLOBAL_OFFSET_TABLE_'
allowed="$allowed"'|arena_(alloc|at_end|copy|finish|grow|init|reset|str|cstr|printf)|buf_(grow|put|put_char|put_i64|printf)'
allowed="$allowed"'|str_[a-z0-9_]+|(wide_)?table_(finish|reserve|add|remove|gather|settle)|hash_bytes|rng_(seed|next|below)|id_(hex|parse|is_zero)|err_set|assert_failed)$'

alien=$(printf '%s\n' "$needed" | grep -Ev "$allowed" || true)
if [ -n "$alien" ]; then
    echo "the scheduler needs what it must not know:" >&2
    printf '  %s\n' $alien >&2
    exit 1
fi
printf '%s names needed, all allowed\n' "$(printf '%s\n' "$needed" | wc -l | tr -d ' ')"
