#!/usr/bin/env bash
#
# remote_chaos.sh - a stream to a remote device is cut or stalls at any byte, or a bit of it is
# inverted: the run makes the file that a local run makes, or ends with a line; it never hangs.
#
#   RIBOGRID_PLANS=500 RIBOGRID_SEED=7 tests/dispatcher/remote_chaos.sh
#
# By default 24 plans of seed 1.  Inverted bits, which may make a wrong result that is possible,
# are found by --redundancy; a result that goes under another task's number leaves its own
# unanswered, which --task-timeout finds.
. "$(dirname "$0")/../support/shell_test.sh"
command -v python3 >/dev/null || skip "no python3"
n_plans=${RIBOGRID_PLANS:-24}
RANDOM=${RIBOGRID_SEED:-1}
limit_s=60
n_equal=0
"$RIBOGRID" simulate 60 --length 250 -o reads.fa -q
"$RIBOGRID" align reads.fa -q -o one.h5
for name in a b; do
    "$RIBOGRID" serve-device --socket $name --device cpu 2>$name.err &
    until_true 100 test -S $name
done

# outcome CODE: what the run of a plan may end with
outcome()
{
    if [ "$1" -eq 0 ]; then
        n_equal=$((n_equal + 1))
        equal one.h5 x.h5
        return
    fi
    cat log
    [ "$1" -eq 1 ] && grep -q '^ribogrid' log && ! grep -Eq 'Sanitizer|Assertion' log
}

# plan HOW WAY BYTE
plan()
{
    local devices=unix:p/0,unix:a/0,unix:b/0 options=()

    [ "$1" != flip ] || options=(--redundancy 3 --task-timeout 5)
    python3 "$here/dispatcher/remote_proxy.py" p a "$@" &
    until_true 100 test -S p
    timeout $limit_s "$RIBOGRID" align reads.fa -q --force -o x.h5 --device $devices \
        "${options[@]}" 2>log
    check "$1 at byte $3 $2" outcome $?
    kill $! 2>/dev/null
    rm -f p x.h5.part
}

for ((i = 0; i < n_plans; i++)); do
    ways=(up down)
    hows=(cut cut cut cut cut flip flip flip flip flip flip stall)
    plan ${hows[i % 12]} ${ways[RANDOM % 2]} $(((RANDOM * 32768 + RANDOM) % 24000))
done
echo "$n_equal of $n_plans runs made the file"
check "some runs made the file" test $n_equal -gt 0
check "the servers are there" expect_exit 0 timeout 60 "$RIBOGRID" align reads.fa -q --force \
    -o x.h5 --device unix:a/0,unix:b/0
check "and make the file" equal one.h5 x.h5
finish
