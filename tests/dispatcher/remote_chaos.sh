#!/usr/bin/env bash
#
# remote_chaos.sh - a stream to a remote device is cut or stalls at any byte, a bit of it is
# inverted, the server is killed there, or the client's disk is full: the run makes the file that
# a local run makes, or ends with a line and makes it by --resume; it never hangs.
#
#   RIBOGRID_PLANS=500 RIBOGRID_SEED=7 RIBOGRID_JOBS=4 tests/dispatcher/remote_chaos.sh
#
# By default 24 plans of seed 1, two at a time.  Inverted bits, which may make a wrong result that
# is possible, are found by --redundancy.
. "$(dirname "$0")/../support/shell_test.sh"
command -v python3 >/dev/null || skip "no python3"
n_plans=${RIBOGRID_PLANS:-24}
n_jobs=${RIBOGRID_JOBS:-2}
RANDOM=${RIBOGRID_SEED:-1}
limit_s=60
"$RIBOGRID" simulate 60 --length 250 -o reads.fa -q
"$RIBOGRID" align reads.fa -q -o one.h5
"$RIBOGRID" serve-device --socket b --device cpu 2>b.err &
until_true 100 test -S b

# align_by DEVICES [OPTION...]
align_by()
{
    local devices=$1

    shift
    timeout $limit_s "$RIBOGRID" align "$tmp/reads.fa" -q -o x.h5 --device "$devices" "$@" 2>log
}

# outcome CODE: what the run of a plan may end with; prints how it ended.
outcome()
{
    if [ "$1" -eq 0 ]; then
        equal "$tmp/one.h5" x.h5 && echo equal
        return
    fi
    cat log
    if [ "$1" -ne 1 ] || ! grep -q '^ribogrid' log || grep -Eq 'Sanitizer|Assertion' log; then
        echo "exit $1"
        return 1
    fi
    align_by "unix:$tmp/b/0" --resume || { cat log && return 1; }
    equal "$tmp/one.h5" x.h5 && echo "equal, resumed"
}

# plan NUMBER HOW WAY BYTE: in a folder of its own; the file `end` says how it ended.
plan()
{
    local devices=unix:p/0,unix:a/0,unix:$tmp/b/0 options=() server proxy

    mkdir "$1" && cd "$1" || return
    exec >end 2>&1
    "$RIBOGRID" serve-device --socket a --device cpu &
    server=$!
    until_true 100 test -S a
    [ "$2" != flip ] || options=(--redundancy 3)
    python3 "$here/dispatcher/remote_proxy.py" p a "${@:2}" &
    proxy=$!
    until_true 100 test -S p
    (
        [ "$2" != full ] || ulimit -f $(($4 / 1000 + 1))
        align_by $devices "${options[@]}"
    )
    outcome $? && touch ok
    kill $proxy $server
    wait
}

for ((i = 0; i < n_plans; i++)); do
    ways=(up down)
    hows=(cut cut cut kill kill flip flip flip flip flip full stall)
    plans[i]="${hows[i % 12]} ${ways[RANDOM % 2]} $(((RANDOM * 32768 + RANDOM) % 24000))"
    while [ "$(jobs -rp | wc -l)" -gt "$n_jobs" ]; do # and b
        wait -n
    done
    # shellcheck disable=SC2086
    (trap - EXIT && plan $i ${plans[i]}) &
done
while [ "$(jobs -rp | wc -l)" -gt 1 ]; do
    wait -n
done
for ((i = 0; i < n_plans; i++)); do
    check "plan $i: ${plans[i]}: $(tail -n 3 $i/end)" test -e $i/ok
done
echo "$(grep -lx equal -- */end | wc -l) of $n_plans runs made the file," \
    "$(grep -lx 'equal, resumed' -- */end | wc -l) with --resume"
check "some runs made the file" grep -qx equal -- */end
check "the other server is there" expect_exit 0 align_by unix:b/0
check "and makes the file" equal one.h5 x.h5
finish
