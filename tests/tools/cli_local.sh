#!/usr/bin/env bash
#
# cli_local.sh - tests `ribogrid align --mode local`: against an alignment in Python, and what
# other commands do with such files.
. "$(dirname "$0")/../support/shell_test.sh"
. "$here/support/hits_test.sh"
need_h5py
mixed=$here/golden/mixed.fa

# align FILE OPTION...: write x.h5, and replace it if it exists.
align()
{
    "$RIBOGRID" align "$1" --mode local -q --force -o x.h5 "${@:2}"
}

view()
{
    "$RIBOGRID" view --no-header "$@"
}

# Parts of one random sequence, changed here and there, in other ones.
make_reads()
{
    python3 - >reads.fa <<'TEXT'
import random
random.seed(4)
base = "".join(random.choices("ACGT", k=90))
for k in range(12):
    begin, end = sorted(random.sample(range(91), 2))
    part = "".join(random.choices(["", x, x + "A", x, random.choice("ACGT")],
                                  [3, 60, 2, 20, 10])[0] for x in base[begin:end])
    around = ["".join(random.choices("ACGT", k=random.randint(0, 40))) for _ in "ab"]
    print(f">s{k}\n{around[0]}{part}{around[1]}A")
TEXT
    printf '>a\nAAAAAA\n>c\nCCCC\n' >>reads.fa
}

# numbers 'MATCH MISMATCH OPEN EXTEND' OPTION...
numbers()
{
    local costs=$1

    shift
    # shellcheck disable=SC2086 # several numbers
    python3 "$here/tools/local_pairs.py" reads.fa $costs >want.tsv
    align reads.fa "$@" && same want.tsv <(view x.h5 | cut -f -6) || return 1
    align reads.fa "$@" --emit cigar --cigar-style eqx || return 1
    view x.h5 >x.tsv
    # shellcheck disable=SC2086 # several numbers
    same want.tsv <(cut -f -6 x.tsv) &&
        python3 "$here/tools/local_pairs.py" --check reads.fa $costs x.tsv
}

test_numbers()
{
    check "linear gaps" numbers "4 -5 7 7"
    check "affine gaps" numbers "2 -4 12 2" --match 2 --mismatch -4 --gap-open 12 \
        --gap-extend 2
    check "many ties" numbers "1 -1 1 1" --match 1 --mismatch -1 --gap -1
    check "the scalar kernel" numbers "5 -4 9 1" --match 5 --mismatch -4 --gap-open 9 \
        --gap-extend 1 --kernel scalar
    check "scores alone" align reads.fa --emit score
    view x.h5 >scores.tsv
    align reads.fa
    check "are the same" same scores.tsv <(view x.h5 | cut -f -3)
    check "info prints the mode as ends" test "$(field ends x.h5)" = local
    check "no definition of identity applies" test -z "$(field identity_definition x.h5)"
}

wrong()
{
    local regex=$1

    shift
    check "refused: $*" refused 2 "align: $regex" "$RIBOGRID" align "$mixed" -o no.h5 \
        --mode local "$@"
}

test_refusals()
{
    wrong '--mode local has no end gaps; leave out --ends' --ends free
    wrong '--mode local has no end gaps; leave out --ends' --end-gap-open 1 \
        --end-gap-extend 1
    wrong '--iddef needs --ends free or count; with --mode local' --iddef 1
    wrong '--mode local needs a --match above 0' --match 0 --mismatch -1
    check "nothing is written" absent no.h5 no.h5.part
}

# A short part has no identity if an overlap is required; its score is kept.
test_overlap()
{
    align reads.fa && view x.h5 >all.tsv
    align reads.fa --min-overlap 0.5 && view x.h5 >half.tsv
    check "scores do not depend on --min-overlap" same <(cut -f -3 all.tsv) \
        <(cut -f -3 half.tsv)
    check "it takes short parts their identity" test \
        "$(grep -c NA half.tsv)" -gt "$(grep -c NA all.tsv)"
    check "a hit needs it" expect_exit 0 align reads.fa --id 0.8 --min-overlap 0.5
    check "and the identity" same <(view x.h5) <(awk '$6 != "NA" && $6 >= 0.8' half.tsv)
    check "without, short parts are hits" expect_exit 0 align reads.fa --id 0.8
    check "of any length" same <(view x.h5) <(awk '$6 != "NA" && $6 >= 0.8' all.tsv)
}

# Queries on both strands, and the reads of which they are parts.
test_against()
{
    python3 "$here/tools/best_hits.py" --reverse reads.fa >reversed.fa
    align reversed.fa --against reads.fa --strand both --emit cigar --cigar-style eqx
    view x.h5 >both.tsv
    align reads.fa --against reads.fa --emit cigar --cigar-style eqx
    check "reversed queries have the same best strand's numbers" test -z "$(
        join -t $'\t' <(awk -F '\t' '$7 == "-" { print $1 "," $2 "\t" $3 "\t" $4 "\t" $5 }' \
            both.tsv | sort) <(view x.h5 | awk -F '\t' \
            '{ print $1 "," $2 "\t" $3 "\t" $4 "\t" $5 }' | sort) |
            awk -F '\t' '$2 != $5 || $3 != $6 || $4 != $7')"
    check "most are reversed" test "$(grep -c -P '\t-\t' both.tsv)" -gt 50
    "$RIBOGRID" export x.h5 --format blast6 -o plus.b6 2>/dev/null
    align reversed.fa --against reads.fa --strand both --emit cigar --cigar-style eqx
    "$RIBOGRID" export x.h5 --format blast6 -o minus.b6 2>/dev/null
    check "blast6 counts on the query as it is in its file" test "$(awk '
        NR == FNR { first[$1, $2] = $7; last[$1, $2] = $8; next }
        $7 > $8 { n++; n_right += $7 + first[$1, $2] == $8 + last[$1, $2] }
        END { print (n > 50 && n_right == n) }' plus.b6 minus.b6)" = 1
    align reads.fa --against reads.fa
    view x.h5 >all.tsv
    check "-v reports that there is no filter" expect_exit 0 "$RIBOGRID" align reads.fa \
        --against reads.fa --mode local -v --force -o x.h5 --id 0.5
    check "because none is proved" grep -q 'no filter is proved for local alignments' "$err"
    align reads.fa --against reads.fa --top 2
    check "but with --top scores rule pairs out" test "$("$RIBOGRID" info x.h5 |
        awk -F '\t' '$2 == "pairs_filtered_score" { print ($3 > 0) }')" = 1
    check "--top keeps the best scores" test -z "$(awk -F '\t' '
        NR == FNR { if (!($1 in min) || $3 < min[$1]) min[$1] = $3; kept[$1, $2] = 1; next }
        !(($1, $2) in kept) && $3 > min[$1]' <(view x.h5) all.tsv)"
    check "of each query" test "$(view x.h5 | wc -l)" -ge 26
    align reads.fa --against reads.fa --top 1
    check "--top 1 finds every read itself" test "$(view x.h5 |
        awk '$1 == $2' | wc -l)" -eq 14
}

test_exports()
{
    align reads.fa --emit cigar --cigar-style eqx
    view x.h5 | awk -F '\t' '$6 != "NA"' >x.tsv
    "$RIBOGRID" export x.h5 --format paf -o x.paf 2>/dev/null
    check "paf has positions from 0, end excluded" same \
        <(cut -f 1,3,4,6,8,9,10,11 x.paf) \
        <(awk -F '\t' -v OFS='\t' '{ print $1, $7 - 1, $8, $2, $9 - 1, $10, $4, $5 }' x.tsv)
    check "and the columns alone" test -z "$(grep -P 'cg:Z:\d+[ID]|[ID]$' x.paf)"
    "$RIBOGRID" export x.h5 --format blast6 -o x.b6 2>/dev/null
    check "blast6 has positions from 1" same <(cut -f 1,2,4,7-10 x.b6) \
        <(cut -f 1,2,5,7-10 x.tsv)
    "$RIBOGRID" export x.h5 --format userout -o x.user 2>/dev/null \
        --userfields query+target+qlo+qhi+tlo+thi+qilo+qihi+tilo+tihi
    check "so has userout" same x.user <(cut -f 1,2,7-10 x.tsv | awk -v OFS='\t' \
        '{ print $0, $3, $4, $5, $6 }')
    align reads.fa
    check "positions need CIGARs" refused 1 'qlo needs alignments' "$RIBOGRID" export x.h5 \
        --format userout --userfields query+qlo
}

test_readers()
{
    align "$mixed" --emit cigar
    check "cluster" expect_exit 0 "$RIBOGRID" cluster x.h5 --id 0.9 --force -o otus
    check "cluster warns of short parts" grep -q 'local alignments, however short' "$err"
    check "report" expect_exit 0 "$RIBOGRID" report x.h5 --force -o r.html
    align "$mixed" --min-overlap 0.5
    check "cluster with a minimum overlap" expect_exit 0 "$RIBOGRID" cluster x.h5 --id 0.9 \
        --force -o otus
    check "does not warn" test -z "$(grep 'local alignments' "$err")"
    check "info" expect_exit 0 "$RIBOGRID" info x.h5
}

# What a job was begun with is what it is continued with.
test_resume()
{
    align "$mixed"
    check "the same again" expect_exit 0 "$RIBOGRID" align "$mixed" -o x.h5 --resume --mode local
    check "is finished" grep -q 'already finished' "$err"
    check "global alignments" refused 1 "there 'ends=local', now 'ends=free'" "$RIBOGRID" \
        align "$mixed" -q -o x.h5 --resume
}

make_reads
test_numbers
test_refusals
test_overlap
test_against
test_exports
test_readers
test_resume
finish
