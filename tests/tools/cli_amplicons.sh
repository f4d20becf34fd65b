#!/usr/bin/env bash
#
# cli_amplicons.sh - `ribogrid align --ends query` from the outside: amplicons cut from genes,
# aligned whole to parts of them.
set -u

# shellcheck source-path=SCRIPTDIR source=../support/shell_test.sh
. "$(dirname "$0")/../support/shell_test.sh"
# shellcheck source-path=SCRIPTDIR source=../support/hits_test.sh
. "$here/support/hits_test.sh"
need_h5py
cd "$tmp" || exit 1
n_genes=9

# cut_gene K FIRST LENGTH: a part of gene K, counted from 1.
cut_gene()
{
    awk -v k="$1" '/^>/ { n++; next } n == k' genes.fa | tr -d '\n' | cut -c "$2-$(($2 + $3 - 1))"
}

# Of gene 1, of 144 letters, a piece as it is, with a letter changed, without one, with
# letters that hang over in front and behind; pieces of others, one of them with codes;
# and, longer than any gene, two genes.
make_reads()
{
    local piece

    "$RIBOGRID" simulate $n_genes --length 150 --ambiguous 0 --seed 3 -o genes.fa
    awk '/^>/ { n++ } n == 1' genes.fa >first.fa
    piece=$(cut_gene 1 46 60)
    {
        printf '>plain\n%s\n' "$piece"
        printf '>changed\n%s\n' "${piece:0:30}$(tr ACGT CGTA <<<"${piece:30:1}")${piece:31}"
        printf '>missing\n%s\n' "${piece:0:30}${piece:31}"
        printf '>before\nNNNNN%s\n' "$(cut_gene 1 1 40)"
        printf '>behind\n%sNNNNN\n' "$(cut_gene 1 105 40)"
        printf '>other\n%s\n' "$(cut_gene 5 20 80)"
        printf '>codes\n%s\n' "$(cut_gene 7 20 60 | sed 's/A/N/3; s/C/S/4')"
        printf '>two\n%s%s\n' "$(cut_gene 1 1 144)" "$(cut_gene 5 1 150)"
        printf '>short\nACG\n'
    } >queries.fa
}

# align OPTION...: into x.h5, whatever is there.
align()
{
    expect_exit 0 "$RIBOGRID" align queries.fa --against genes.fa --ends query -q --force \
        -o x.h5 "$@" && silent "$err"
}

# is_table: x.h5 has all pairs as the other program has them.
is_table()
{
    "$RIBOGRID" view --no-header x.h5 | cut -f 1-6 >got.tsv && same want.tsv got.tsv
}

test_numbers()
{
    local kernel

    # N and S match nothing there
    "$PYTHON" "$here/tools/amplicon_hits.py" queries.fa genes.fa >want.tsv
    for kernel in auto scalar simd; do
        "$RIBOGRID" devices | grep -q "^cpu.* $kernel" || [ $kernel = auto ] || continue
        check "--kernel $kernel" align --kernel $kernel --ambiguity mismatch
        check "--kernel $kernel: as the other program" is_table
    done
    check "--band off" align --band off --ambiguity mismatch
    check "--band off: the same" is_table
    check "CIGARs" align --emit cigar --cigar-style eqx --ambiguity mismatch
    check "CIGARs: the numbers are the same" is_table
    "$RIBOGRID" view --no-header x.h5 >cigars.tsv
    check "CIGARs: they yield them" "$PYTHON" "$here/tools/amplicon_hits.py" --cigars queries.fa \
        genes.fa cigars.tsv
    check "info" test "$(field ends x.h5)" = query
    check "identity in words" test "$(field identity x.h5)" = 'matches / columns'
    check "by no name of another program's" test -z "$(field identity_definition x.h5)"
    check "scipy" scipy_loads x.h5
}

# of QUERY: its hit's score, matches, columns and CIGAR.
of()
{
    "$RIBOGRID" view --no-header best.h5 | awk -F '\t' -v q="$1" \
        '$1 == q { print $3, $4, $5, $7 }'
}

test_by_hand()
{
    check "against gene 1" expect_exit 0 "$RIBOGRID" align queries.fa --against first.fa \
        --ends query --top 1 --emit cigar --cigar-style eqx -o best.h5
    check "the ends are told" grep -q "score, identity and CIGAR, the query's ends counted" \
        "$err"
    check "a piece" test "$(of plain)" = "$((60 * 4)) 60 60 45D60=39D"
    check "a changed letter" test "$(of changed)" = \
        "$((59 * 4 - 5)) 59 60 45D30=1X29=39D"
    check "a missing letter" test "$(of missing)" = \
        "$((59 * 4 - 7)) 59 60 45D30=1D29=39D"
    check "letters in front count" test "$(of before)" = \
        "$((40 * 4 - 5 * 7)) 40 45 5I40=104D"
    check "letters behind count" test "$(of behind)" = \
        "$((40 * 4 - 5 * 7)) 40 45 104D40=5I"
    check "a gene with another behind" test "$(of two | cut -d ' ' -f 1-3)" = \
        "$((144 * 4 - 148 * 7)) 144 292"
}

test_exports()
{
    check "blast6" expect_exit 0 "$RIBOGRID" export best.h5 --format blast6
    check "blast6: a piece" grep -qP '^plain\t.*\t100.0\t60\t0\t0\t1\t60\t1\t144\t' "$out"
    check "blast6: what hangs over is a gap" grep -qP \
        '^before\t.*\t88.9\t45\t0\t1\t1\t45\t1\t144\t' "$out"
    check "paf" expect_exit 0 "$RIBOGRID" export best.h5 --format paf
    check "paf: a piece" grep -qP \
        '^plain\t60\t0\t60\t\+\t.*\t144\t45\t105\t60\t60\t255\t.*cg:Z:60=$' "$out"
    check "paf: what hangs over is aligned" grep -qP \
        '^before\t45\t0\t45\t\+\t.*\t144\t0\t40\t40\t45\t255\tNM:i:5\t.*cg:Z:5I40=$' "$out"
    check "userout" expect_exit 0 "$RIBOGRID" export best.h5 --format userout --userfields \
        query+id+id2+alnlen+gaps+opens+qilo+qihi+tilo+tihi+qcov
    check "userout: a piece" grep -q \
        '^plain	100.0	100.0	60	0	0	1	60	46	105	100.0$' "$out"
    check "userout: behind" grep -q \
        '^behind	88.9	88.9	45	5	1	1	45	105	144	88.9$' "$out"
    "$RIBOGRID" export best.h5 --format userout --userfields \
        query+target+id+alnlen+mism+gaps+pairs >cigars.tsv
    "$RIBOGRID" align queries.fa --against first.fa --ends query --top 1 -q -o numbers.h5
    "$RIBOGRID" export numbers.h5 --format userout --userfields \
        query+target+id+alnlen+mism+gaps+pairs >numbers.tsv
    check "numbers tell what CIGARs do" same cigars.tsv numbers.tsv
}

test_hits()
{
    "$PYTHON" "$here/tools/best_hits.py" --turn queries.fa >turned.fa
    "$RIBOGRID" align queries.fa --against genes.fa --ends query -q -o all.h5
    "$RIBOGRID" align turned.fa --against genes.fa --ends query -q -o turned.h5
    "$RIBOGRID" view --no-header all.h5 >plus.tsv
    "$RIBOGRID" view --no-header turned.h5 >minus.tsv
    for id in 0.6 0.9 1; do
        check "--id $id" align --id $id
        check "--id $id: all that reach it" same_as_filtered all.h5 $id x.h5
    done
    "$PYTHON" "$here/tools/best_hits.py" plus.tsv minus.tsv 2 0.7 >want.tsv
    check "both strands, the best two" align --strand both --top 2 --id 0.7
    "$RIBOGRID" view --no-header x.h5 >got.tsv
    check "are those of the tables" same want.tsv got.tsv
    awk '/^>/ { print substr($1, 2) "\tBacteria;Genus" ++k }' genes.fa >lineages
    check "taxonomy" expect_exit 0 "$RIBOGRID" taxonomy best.h5 --taxonomy lineages
    check "names the piece" grep -q '^plain	Bacteria;Genus1	' "$out"
}

test_usage()
{
    local ours=("$RIBOGRID" align queries.fa -o n.h5 --ends query)

    check "all against all" refused 2 '--ends query needs --against' "${ours[@]}"
    check "scores alone" refused 2 '--against needs identities' "${ours[@]}" --emit score \
        --against genes.fa
    check "--iddef" refused 2 '--iddef needs --ends free or count' "${ours[@]}" \
        --against genes.fa --iddef 2
    check "--min-overlap" refused 2 '--min-overlap applies only to identities with free ends' \
        "${ours[@]}" --against genes.fa --min-overlap 0.5
    check "another job" refused 1 "of another job: there 'ends=query', now 'ends=free'" \
        "$RIBOGRID" align queries.fa --against first.fa --top 1 -o best.h5 --resume \
        --emit cigar --cigar-style eqx
    check "nothing is left" absent n.h5 n.h5.part n.h5.tmp
}

make_reads
test_numbers
test_by_hand
test_exports
test_hits
test_usage
finish
