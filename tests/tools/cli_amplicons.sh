#!/usr/bin/env bash
#
# cli_amplicons.sh - `ribogrid align --ends query`: amplicons cut from genes are aligned whole
# to parts of genes.
. "$(dirname "$0")/../support/shell_test.sh"
. "$here/support/hits_test.sh"
need_h5py
n_genes=9

# cut_gene K FIRST LENGTH: print a part of gene K; both are counted from 1.
cut_gene()
{
    awk -v k="$1" '/^>/ { n++; next } n == k' genes.fa | tr -d '\n' | cut -c "$2-$(($2 + $3 - 1))"
}

# Queries: a piece of gene 1 (144 bases) unchanged, with one base changed, with one base
# missing, with an overhang in front and behind; pieces of other genes, one with ambiguity
# codes; two joined genes, which are longer than any gene; and a very short query.
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

# align OPTION...: write x.h5, overwriting it.
align()
{
    expect_exit 0 "$RIBOGRID" align queries.fa --against genes.fa --ends query -q --force \
        -o x.h5 "$@" && silent "$err"
}

# same_as_peer: x.h5 has the pairs and numbers of amplicon_hits.py.
same_as_peer()
{
    "$RIBOGRID" view --no-header x.h5 | cut -f 1-6 >got.tsv && same want.tsv got.tsv
}

test_numbers()
{
    local kernel

    # amplicon_hits.py lets ambiguity codes match nothing
    "$PYTHON" "$here/tools/amplicon_hits.py" queries.fa genes.fa >want.tsv
    for kernel in auto scalar simd; do
        "$RIBOGRID" devices | grep -q "^cpu.* $kernel" || [ $kernel = auto ] || continue
        check "--kernel $kernel runs" align --kernel $kernel --ambiguity mismatch
        check "--kernel $kernel gives the numbers of the peer" same_as_peer
    done
    check "--band off runs" align --band off --ambiguity mismatch
    check "--band off gives the same numbers" same_as_peer
    check "--emit cigar runs" align --emit cigar --cigar-style eqx --ambiguity mismatch
    check "--emit cigar gives the same numbers" same_as_peer
    "$RIBOGRID" view --no-header x.h5 >cigars.tsv
    check "CIGARs have the numbers of their pairs" \
        "$PYTHON" "$here/tools/amplicon_hits.py" --cigars queries.fa \
        genes.fa cigars.tsv
    check "info prints the ends" test "$(field ends x.h5)" = query
    check "info describes the identity" test "$(field identity x.h5)" = 'matches / columns'
    check "the identity has no name of another program" \
        test -z "$(field identity_definition x.h5)"
    check "the hits are kept" keep_for_scipy x.h5
}

# hit_of QUERY: print the score, matches, columns and CIGAR of its hit.
hit_of()
{
    "$RIBOGRID" view --no-header best.h5 | awk -F '\t' -v q="$1" \
        '$1 == q { print $3, $4, $5, $7 }'
}

test_by_hand()
{
    check "align runs against gene 1" \
        expect_exit 0 "$RIBOGRID" align queries.fa --against first.fa \
        --ends query --top 1 --emit cigar --cigar-style eqx -o best.h5
    check "a message describes the ends" \
        grep -q "score, identity and CIGAR, the query's ends counted" \
        "$err"
    check "a piece of the gene matches completely" \
        test "$(hit_of plain)" = "$((60 * 4)) 60 60 45D60=39D"
    check "a changed base is a mismatch" test "$(hit_of changed)" = \
        "$((59 * 4 - 5)) 59 60 45D30=1X29=39D"
    check "a missing base is a deletion" test "$(hit_of missing)" = \
        "$((59 * 4 - 7)) 59 60 45D30=1D29=39D"
    check "an overhang in front is penalised" test "$(hit_of before)" = \
        "$((40 * 4 - 5 * 7)) 40 45 5I40=104D"
    check "an overhang behind is penalised" test "$(hit_of behind)" = \
        "$((40 * 4 - 5 * 7)) 40 45 104D40=5I"
    check "two joined genes align to the first one" \
        test "$(hit_of two | cut -d ' ' -f 1-3)" = \
        "$((144 * 4 - 148 * 7)) 144 292"
}

test_exports()
{
    check "export writes blast6" expect_exit 0 "$RIBOGRID" export best.h5 --format blast6
    check "blast6 has the piece" \
        grep -qP '^plain\t.*\t100.0\t60\t0\t0\t1\t60\t1\t144\t' "$out"
    check "blast6 counts an overhang as a gap" grep -qP \
        '^before\t.*\t88.9\t45\t0\t1\t1\t45\t1\t144\t' "$out"
    check "export writes paf" expect_exit 0 "$RIBOGRID" export best.h5 --format paf
    check "paf has the piece" grep -qP \
        '^plain\t60\t0\t60\t\+\t.*\t144\t45\t105\t60\t60\t255\t.*cg:Z:60=$' "$out"
    check "paf includes an overhang" grep -qP \
        '^before\t45\t0\t45\t\+\t.*\t144\t0\t40\t40\t45\t255\tNM:i:5\t.*cg:Z:5I40=$' "$out"
    check "export writes userout" \
        expect_exit 0 "$RIBOGRID" export best.h5 --format userout --userfields \
        query+id+id2+alnlen+gaps+opens+qilo+qihi+tilo+tihi+qcov
    check "userout has the piece" grep -q \
        '^plain	100.0	100.0	60	0	0	1	60	46	105	100.0$' "$out"
    check "userout counts an overhang behind as a gap" grep -q \
        '^behind	88.9	88.9	45	5	1	1	45	105	144	88.9$' "$out"
    "$RIBOGRID" export best.h5 --format userout --userfields \
        query+target+id+alnlen+mism+gaps+pairs >cigars.tsv
    "$RIBOGRID" align queries.fa --against first.fa --ends query --top 1 -q -o numbers.h5
    "$RIBOGRID" export numbers.h5 --format userout --userfields \
        query+target+id+alnlen+mism+gaps+pairs >numbers.tsv
    check "fields are the same with and without CIGARs" same cigars.tsv numbers.tsv
}

test_hits()
{
    "$PYTHON" "$here/tools/best_hits.py" --reverse queries.fa >reversed.fa
    "$RIBOGRID" align queries.fa --against genes.fa --ends query -q -o all.h5
    "$RIBOGRID" align reversed.fa --against genes.fa --ends query -q -o reversed.h5
    "$RIBOGRID" view --no-header all.h5 >plus.tsv
    "$RIBOGRID" view --no-header reversed.h5 >minus.tsv
    for id in 0.6 0.9 1; do
        check "--id $id" align --id $id
        check "--id $id keeps all pairs that reach it" same_as_filtered all.h5 $id x.h5
    done
    "$PYTHON" "$here/tools/best_hits.py" plus.tsv minus.tsv want 2 0.7
    check "--strand both --top 2 runs" align --strand both --top 2 --id 0.7
    "$RIBOGRID" view --no-header x.h5 >got.tsv
    check "it keeps the best hits of both tables" same want.2.0.7.tsv got.tsv
    awk '/^>/ { print substr($1, 2) "\tBacteria;Genus" ++k }' genes.fa >lineages
    check "taxonomy reads the hits" \
        expect_exit 0 "$RIBOGRID" taxonomy best.h5 --taxonomy lineages
    check "taxonomy classifies the piece" grep -q '^plain	Bacteria;Genus1	' "$out"
}

test_usage()
{
    local ours=("$RIBOGRID" align queries.fa -o n.h5 --ends query)

    check "--ends query needs --against" \
        refused 2 '--ends query needs --against' "${ours[@]}"
    check "--emit score is refused" \
        refused 2 '--against needs identities' "${ours[@]}" --emit score \
        --against genes.fa
    check "--iddef is refused" refused 2 '--iddef needs --ends free or count' "${ours[@]}" \
        --against genes.fa --iddef 2
    check "--min-overlap is refused" \
        refused 2 '--min-overlap applies only to identities with --ends free' \
        "${ours[@]}" --against genes.fa --min-overlap 0.5
    check "--resume of another job is refused" \
        refused 1 "of another job: there 'ends=query', now 'ends=free'" \
        "$RIBOGRID" align queries.fa --against first.fa --top 1 -o best.h5 --resume \
        --emit cigar --cigar-style eqx
    check "refused runs leave no file" absent n.h5 n.h5.part n.h5.tmp-*
}

make_reads
test_numbers
test_by_hand
test_exports
test_hits
test_usage
check "scipy loads the files that were kept" scipy_loads_kept
finish
