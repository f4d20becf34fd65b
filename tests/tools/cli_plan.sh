#!/usr/bin/env bash
#
# cli_plan.sh - `--plan` of every job computes a sample at most, keeps nothing and prints a time;
# the numbers of `align --plan` are those of the run, and it refuses what does not fit.
. "$(dirname "$0")/../support/shell_test.sh"
. "$here/support/log_test.sh"

# has NAME VALUE: the plan has this line.
has()
{
    [ "$(awk -F '\t' -v name="$1" '$1 == name { print $2; exit }' "$out")" = "$2" ]
}

# plan_of JOB: the plan of a row of log_test.sh, without -o and with.
plan_of()
{
    local job=$1

    set_command "$job"
    check "$job: a plan" expect_exit 0 "${command[@]}" --plan -q
    check "$job: has what is counted, where, and a time" test "$(grep -cE \
        '^((pairs|arcs|reads|samples|images|bytes|patterns|values|points)	[1-9]|rank 0	.*, kernel [a-z]|time	)' "$out")" = 3
    check "$job: also of an output" expect_exit 0 "${command[@]}" --plan -q -o "$file"
    check "$job: nothing is written" absent "$file" "$file.part"
    : >"$file"
    check "$job: an existing output is refused" refused 1 "$file exists" "${command[@]}" --plan \
        -q -o "$file"
    check "$job: a run needs an output" refused 2 'no output file; give -o' "${command[@]}"
}

mkdir jobs && cd jobs || exit 1
check "every job has a row" every_job_has_a_row
make_job_inputs
for job in $jobs; do
    plan_of "$job"
done
set_command predict
check "the images of a plan" expect_exit 0 "${command[@]}" --plan -q
check "... are those of the run" has images 20
check "... and so are the batches" has batches 3
set_command cnn
check "steps of training" expect_exit 0 "${command[@]}" --plan -q
check "... are known" grep -qE '^time	about [0-9.e+-]+ s$' "$out"
set_command gang
check "steps of a divided graph" expect_exit 0 "${command[@]}" --plan -q
check "... are not" grep -q '^time	not known: it depends on the number of steps$' "$out"
cd "$tmp" || exit 1

# 40 sequences of 100 bases: 780 pairs, 9600 bytes of scores and identities.
"$RIBOGRID" simulate 40 --length 100 --ambiguous 0 --seed 2 -o reads.fa
check "a plan" expect_exit 0 "$RIBOGRID" align reads.fa -o p.h5 --plan --threads 1
cp "$out" plan.tsv
check "pairs: 40 x 39 / 2" has pairs 780
check "there is a time" grep -Eq '^time	[0-9.e+-]+ s$' plan.tsv
check "a file: 40 x 40 / 2 x 12 bytes" has file '9.4 KiB before compression'
check "nothing is written" absent p.h5 p.h5.part
"$RIBOGRID" align reads.fa -q -o p.h5
cells=$(awk -F '\t' '$1 == "cells" { print $2 }' plan.tsv)
check "the cells are those of the run" awk -v a="$cells" -v b="$(field cells_computed p.h5)" \
    'BEGIN { exit !(a / b > 0.999 && a / b < 1.001) }'
check "an existing result is refused, as in a run" refused 1 'p.h5 exists' "$RIBOGRID" align \
    reads.fa -o p.h5 --plan
check "hits: the file depends on them" expect_exit 0 "$RIBOGRID" align reads.fa --id 0.9 \
    -o hits.h5 --plan
check "... says so" has file 'depends on the number of hits'
check "... and the time is measured all the same" grep -Eq '^time	[0-9.e+-]+ s$' "$out"
printf '>a\nACGT\n' >one.fa
check "one sequence takes no time" expect_exit 0 "$RIBOGRID" align one.fa --plan
check "... and there is one" grep -Eq '^time	[0-9.e+-]+ s$' "$out"
if command -v mpirun >/dev/null && ! is_sanitized; then # Open MPI itself leaks
    check "CIGARs against references on two ranks" expect_exit 0 mpirun --oversubscribe -n 2 \
        "$RIBOGRID" align reads.fa --against reads.fa --emit cigar --plan
    check "... which are both measured" test "$(grep -c '^rank [01]	.* cells/s$' "$out")" = 2
fi

check "no output is needed" expect_exit 0 "$RIBOGRID" align reads.fa --plan --threads 1
check "... for the same sizes" same <(head -n 5 plan.tsv) <(head -n 5 "$out")
check "nothing is written" test -z "$(find . -name '.part' -o -name '*.h5.part')"
check "a run needs an output" refused 2 'no output file; give -o PAIRS.h5' "$RIBOGRID" align \
    reads.fa
check "so does --resume" refused 2 'no output file; give -o PAIRS.h5' "$RIBOGRID" align \
    reads.fa --plan --resume
check "too much memory is refused" expect_exit 1 "$RIBOGRID" align reads.fa -o m.h5 --plan \
    --memory 1000T
check "... with the option" expect_line 'this rank on .* has .*; give a smaller --memory' "$err"
check "... after the numbers" has pairs 780
check "as in a run" refused 1 'this rank on .* has .*; give a smaller --memory' "$RIBOGRID" \
    align reads.fa -o m.h5 --memory 1000T
check "--max-output is refused, as in a run" refused 1 'max-output' "$RIBOGRID" align \
    reads.fa -o m.h5 --plan --max-output 1K

# enough sequences of 4 bases that all scores need more than the memory behind /dev/shm
free=$(df --output=avail -B1 /dev/shm 2>/dev/null | tail -n 1)
if [ -w /dev/shm ] && [ "${free:-0}" -gt 0 ] && [ "$free" -lt 200000000000 ]; then
    disk=$(mktemp -d /dev/shm/ribogrid.XXXXXX) || exit 1
    trap 'rm -rf "$disk"; clean_up' EXIT
    awk -v free="$free" 'BEGIN { n = int(sqrt(free / 2) * 1.01) + 2
                                 while (n-- > 0) print ">" n "\nACGT" }' >many.fa
    full='results take about .* before compression, and the disk has .*; give --id, -o on a larger'
    check "too small a disk is refused" refused 1 "$full" "$RIBOGRID" align many.fa -o \
        "$disk/p.h5" --emit score
    check "... as in a plan" expect_exit 1 "$RIBOGRID" align many.fa -o "$disk/p.h5" --emit \
        score --plan
    check "... after the numbers" grep -q '^file	' "$out"
    check "... with the option" expect_line "$full" "$err"
    check "--emit score makes less" expect_exit 1 "$RIBOGRID" align many.fa -o "$disk/p.h5" \
        --plan
    check "... so it is an option" grep -q 'give --emit score or --id' "$err"
    check "nothing is left" test -z "$(ls "$disk")"
else
    echo "/dev/shm is missing or too large: a full disk is not tested"
fi
finish
