#!/usr/bin/env bash
#
# cli_failed_calls.sh - one call that writes, syncs, renames or closes an output fails: the
# command ends with an error, and a job goes on with --resume; or the result is right.  For
# all jobs and all other commands that write; and stdout on a full disk.
#
#   RIBOGRID_CALLS=all tests/tools/cli_failed_calls.sh    (every call, not one of eight)
#
# FAIL_CALL is the library that makes a call fail (tests/support/fail_call.c).
. "$(dirname "$0")/../support/shell_test.sh"
. "$here/support/log_test.sh"
need_h5py
: "${FAIL_CALL:=$(dirname "$RIBOGRID")/tests/libfail_call.so}"
[ -f "$FAIL_CALL" ] || skip "fail_call is not built"
is_sanitized && skip "the library cannot be loaded before the sanitizer's"

# The output and the words of commands; all outputs are in to/.
more_jobs()
{
    cat <<END
to/against.h5 align reads.fa --against refs.fa --id 0.4 --threads 1
to/samples.h5 align reads.fa --samples samples.tsv --id 0.4 --threads 1
to/files.h5 align --manifest manifest.tsv --derep --threads 1
to/scores.h5 align reads.fa --emit score --threads 1
to/mst.h5 graph mst pairs.h5 --newick to/tree.nwk --threads 1
to/net.h5 cnn train net.ini synthetic:24 --csv to/net.csv --svg to/net.svg --threads 1
to/aligned.h5 classify reads.fa --model aligned.h5 --method align --threads 1
to/names.tsv classify reads.fa --model model.h5 --threads 1
END
}

others()
{
    cat <<END
to/otus cluster pairs.h5 --id 0.5,0.6 --method average --newick to/tree.nwk --threads 1
to/kept cluster pairs.h5 --id 0.5 --previous otus.groups.h5 --changes to/kept.tsv --threads 1
to/closed cluster against.h5 --id 0.5 --method closed
to/pairs.b6 export pairs.h5 --format blast6
to/pairs.fa export pairs.h5 --format fasta --sizeout
to/pairs.npy export pairs.h5 --format npy
to/otus.biom export pairs.h5 --format biom --groups otus.groups.h5
to/otus.json export pairs.h5 --format biom-json --groups otus.groups.h5
to/pairs.html report pairs.h5 --threads 1
to/names.html report names.h5
to/otus.html report otus.groups.h5
to/against.html report against.h5
to/taxa.tsv taxonomy against.h5 --taxonomy reads.tax --allow-missing
to/sim.fa simulate 200
to/grid.h5 graph make grid --rows 30 --columns 40 --threads 1
to/grid.txt graph make grid --rows 30 --columns 40 --threads 1
to/plan.tsv cnn plan lenet --svg to/plan.svg
to/network.html cnn report network.h5 net.ini
END
}

# Commands that print data.
printing()
{
    cat <<END
align reads.fa --plan
cnn plan lenet
cnn report network.h5
devices
export pairs.h5 --format column
export pairs.h5 --format fasta
export pairs.h5 --format biom-json --groups otus.groups.h5
help align
info pairs.h5
info otus.groups.h5
info model.h5
report pairs.h5 --threads 1
simulate 10
taxonomy against.h5 --taxonomy reads.tax --allow-missing
view pairs.h5
view names.tsv
view hits.h5
view names.h5
view otus.groups.h5
view graph.h5
view network.h5
--help
--version
END
}

make_inputs()
{
    make_jobs
    "$RIBOGRID" simulate 4 --length 30 --seed 3 -o refs.fa &&
        awk '/^>/ { print substr($1, 2) "\ts" ++n % 3 "\t" n }' reads.fa >samples.tsv &&
        "$RIBOGRID" align reads.fa --emit cigar -q -o pairs.h5 &&
        "$RIBOGRID" align reads.fa --id 0.4 -q -o hits.h5 &&
        "$RIBOGRID" align reads.fa --against refs.fa --id 0.4 --emit cigar -q -o against.h5 &&
        "$RIBOGRID" cluster pairs.h5 --id 0.5 -q -o otus &&
        "$RIBOGRID" graph make grid --rows 3 --columns 4 -q -o graph.h5 &&
        "$RIBOGRID" classify train reads.fa --taxonomy reads.tax --held-out 6 --align -q \
            -o aligned.h5 &&
        "$RIBOGRID" classify reads.fa --model model.h5 -q -o names.h5 &&
        "$RIBOGRID" view names.h5 >names.tsv &&
        printf 'x\treads.fa\ny\tmore.fa\n' >manifest.tsv
}

# failing N COMMAND...: run it with its call N failing (0: none), by turns without space and
# by the disk; calls.txt lists its calls.
failing()
{
    local at=$1

    shift
    rm -f calls.txt
    FAIL_CALL_FOLDER=$tmp/to FAIL_CALL_AT=$at FAIL_CALL_ERRNO=$((n_runs % 2 ? 5 : 28)) \
        FAIL_CALL_LIST=$tmp/calls.txt LD_PRELOAD=$FAIL_CALL "$@" >"$out" 2>"$err"
}

# is_error KIND: the failure was reported, and a job's log is there once it has a record.
is_error()
{
    if ! grep -Eq '^ribogrid: .*(Input/output error|No space left on device|may be full)' "$err"; then
        cat "$err"
        return 1
    fi
    [ "$1" != job ] || [ -e "$file.part" ] || [ "$n" -le "${n_first:-0}" ]
}

# again KIND: after a failure, a job goes on, another command starts anew.
again()
{
    expect_exit 0 "${command[@]}" "$([ "$1" = job ] && echo --resume || echo --force)" -q
}

# every_call KIND FILE WORDS...: fail calls of a command, one in each run; the outputs are
# got/NAME/CALL then.
every_call()
{
    local kind=$1 file=$2 name=${2#to/} n numbers n_first n_errors=0 n_runs=0
    local command=("$RIBOGRID" "${@:3}" -o "$file")

    mkdir -p to "got/$name"
    check "$name: a run without failures" failing 0 "${command[@]}" -q
    mv to "whole/$name"
    n_cases=$((n_cases + 1))
    numbers=$(seq $((n_cases % step + 1)) $step "$(wc -l <calls.txt)")
    n_first=$(grep -n '^pwritev.*part$' calls.txt | head -1 | cut -d: -f1)
    for n in $numbers; do
        mkdir to
        if ! failing "$n" "${command[@]}" -q; then
            n_errors=$((n_errors + 1))
            check "$name, call $n, $(tail -1 calls.txt): an error" is_error "$kind"
            check "$name, call $n: once more" again "$kind"
        fi
        n_runs=$((n_runs + 1))
        mv to "got/$name/$n"
    done
    echo "$name: $n_runs calls, $n_errors errors"
}

full_stdout()
{
    local words

    [ -c /dev/full ] || return
    while read -ra words; do
        check "${words[*]}: a full disk ends it with 1" expect_exit 1 \
            bash -c 'exec "$@" >/dev/full' - "$RIBOGRID" "${words[@]}"
        check "${words[*]}: a full disk is reported" \
            grep -Eq '^ribogrid: .*(No space left on device|cannot write to stdout)' "$err"
    done < <(printing)
}

make_inputs || exit 1
mkdir whole got
n_cases=0
step=8
[ "${RIBOGRID_CALLS:-}" != all ] || step=1
for job in $jobs; do
    set_command "$job"
    every_call job "to/$file" "${command[@]:1}"
done
while read -ra words; do
    every_call job "${words[@]}"
done < <(more_jobs)
while read -ra words; do
    every_call other "${words[@]}"
done < <(others)
check "all results are right" "$PYTHON" "$here/tools/equal_outputs.py" whole got
cat "$tmp/output"
full_stdout
finish
