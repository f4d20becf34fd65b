#!/usr/bin/env bash
#
# cli_plan.sh - `align --plan`: its numbers are those of the run, it computes nothing, and it
# refuses what does not fit.
set -u

# shellcheck source-path=SCRIPTDIR source=../support/shell_test.sh
. "$(dirname "$0")/../support/shell_test.sh"
cd "$tmp" || exit 1

# has NAME VALUE: the plan has this line.
has()
{
    [ "$(awk -F '\t' -v name="$1" '$1 == name { print $2; exit }' "$out")" = "$2" ]
}

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
check "too much memory is refused" expect_exit 1 "$RIBOGRID" align reads.fa -o m.h5 --plan \
    --memory 1000T
check "... with the option" grep -q 'give a smaller --memory' "$err"
check "--max-output is refused, as in a run" refused 1 'max-output' "$RIBOGRID" align \
    reads.fa -o m.h5 --plan --max-output 1K
finish
