#!/usr/bin/env bash
#
# chaos.sh - random plans of faults on 1, 2 and 5 ranks: every run ends, and gives the result
# of the unbroken run, if need be with --resume.
#
#   RIBOGRID_PLANS=500 RIBOGRID_SEED=7 tests/dispatcher/chaos.sh          (10 plans, seed 1)
#
# Needs a build with RIBOGRID_FAULTS.  Plan k of a seed is always the same.
. "$(dirname "$0")/../support/shell_test.sh"
grep -q RIBOGRID_FAULTS_PLAN "$RIBOGRID" || skip "built without RIBOGRID_FAULTS"
n_plans=${RIBOGRID_PLANS:-10}
seed=${RIBOGRID_SEED:-1}
limit_s=60 # of a run, before it counts as hung
n_fatal=0
options=()

# A fault that a run survives. At most one per rank, as the rank does less after it; of one
# rank alone, `stall` and `device` would leave nothing.
add_mild() # RANK
{
    local kinds=(device memory stall wrong short malloc) kind n=$((RANDOM % 3))

    kind=${kinds[RANDOM % 6]}
    case $kind in
    wrong)
        [ "$has_wrong" -eq 1 ] && return # two equal wrong results are a majority
        has_wrong=1
        if [ "$ranks" -eq 5 ] && [ $((RANDOM % 2)) -eq 0 ]; then
            options+=(--redundancy 3)
        else
            options+=(--recompute 100)
        fi
        ;;
    short)
        plan+=,0:$((RANDOM % 50)):short # the log has 120 records
        return
        ;;
    malloc)
        [ "$has_malloc" -eq 1 ] && return # the last rank may not give up
        has_malloc=1
        [ "$ranks" -eq 1 ] && is_fatal=1
        ;;
    stall) options+=(--task-timeout 1) ;;
    esac
    plan+=,$1:$n:$kind
}

# A fault that ends the run, on a rank that has no other.
add_fatal() # RANK
{
    local kinds=(kill enospc eio) kind

    is_fatal=1
    kind=${kinds[RANDOM % 3]}
    if [ "$kind" = kill ]; then
        plan+=,$1:$((RANDOM % 3)):kill
    else
        plan+=,0:$((RANDOM % 50)):$kind
    fi
}

# make_plan K: set ranks, plan, options and is_fatal.
make_plan()
{
    local choices=(1 2 5) first

    RANDOM=$((seed * 1000 + $1))
    ranks=${choices[$1 % n_choices]}
    plan=
    options=()
    is_fatal=0
    has_wrong=0
    has_malloc=0
    first=$((RANDOM % ranks))
    add_mild $first
    [ "$ranks" -eq 1 ] || [ $((RANDOM % 2)) -eq 0 ] || add_mild $(((first + 1) % ranks))
    [ $((RANDOM % 3)) -gt 0 ] || { [ "$ranks" -eq 2 ] && [ -n "$plan" ]; } ||
        add_fatal $(((first + 2) % ranks))
    [ -n "$plan" ] || add_fatal $first
    plan=${plan#,}
}

# ours: our ranks that still exist.
ours()
{
    local file

    grep -lz "^x.h5$" /proc/[0-9]*/cmdline 2>/dev/null | while read -r file; do
        [ "$(readlink "${file%cmdline}cwd")" = "$tmp" ] &&
            grep -q ribogrid "${file%cmdline}comm" && echo "$file"
    done
}

nobody_is_left()
{
    [ -z "$(ours)" ]
}

# run_plan: run it, with the launcher if there are several ranks. @return its exit code;
# Open MPI's mpirun may hang by itself after a rank was killed, which is no fault of ours.
run_plan()
{
    local launch=() code=0

    [ "$ranks" -eq 1 ] || launch=(mpirun --oversubscribe --bind-to none -n "$ranks")
    timeout -s KILL $limit_s "${launch[@]}" env RIBOGRID_FAULTS_PLAN="$plan" "$RIBOGRID" \
        align reads.fa -q --force --threads 1 "${options[@]}" -o x.h5 >"$out" 2>"$err" ||
        code=$?
    if [ $code -eq 137 ] && [ "$ranks" -gt 1 ] && [[ $plan != *kill* ]]; then
        code=124
    fi
    return $code
}

describe()
{
    echo "$ranks ranks, plan $plan ${options[*]}: exit $1"
    cat "$err"
}

ends_well()
{
    local code=0

    run_plan || code=$?
    [ $code -eq 0 ] && return
    describe $code
    return 1
}

ends_in_order()
{
    local code=0

    run_plan || code=$?
    until_true 50 nobody_is_left || code=124
    [ $code -ne 0 ] && [ $code -ne 2 ] && [ $code -ne 124 ] && return
    describe $code
    return 1
}

resumes()
{
    rm -f again.txt
    timeout -s KILL $limit_s "$RIBOGRID" align reads.fa -q --resume -o x.h5 2>again.txt &&
        return
    cat again.txt
    return 1
}

try_plan() # K
{
    local name

    make_plan "$1"
    name="plan $1 ($ranks ranks, $plan ${options[*]})"
    rm -f x.h5 x.h5.part
    if [ $is_fatal -eq 0 ]; then
        check "$name: the run ends well" ends_well || return
        [ $has_wrong -eq 0 ] || check "$name: the wrong device is named" grep -q \
            'computed task [0-9]* wrongly' "$err"
    else
        n_fatal=$((n_fatal + 1))
        check "$name: the run ends" ends_in_order || return
        check "$name: --resume" resumes || return
    fi
    check "$name: equal to the unbroken run" equal whole.h5 x.h5
}

n_choices=3
command -v mpirun >/dev/null && ! is_sanitized || n_choices=1 # Open MPI itself leaks
"$RIBOGRID" simulate 60 --length 100 --seed 3 -o reads.fa
"$RIBOGRID" align reads.fa -q -o whole.h5
for ((k = 0; k < n_plans; k++)); do
    try_plan $k
done
echo "$n_plans plans of seed $seed, $n_fatal of them fatal"
finish
