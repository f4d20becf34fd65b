#!/usr/bin/env bash
#
# cli_bench_classify.sh - `ribogrid-bench classify`: tables, TSV and curves of small runs, and
# what is refused.
. "$(dirname "$0")/../support/shell_test.sh"

# Twelve genera of three families with four genes each, and one gene without lineage.
make_input()
{
    local genus

    for genus in 1 2 3 4 5 6 7 8 9 10 11 12; do
        "$RIBOGRID" simulate 4 --length 400 --seed "$genus" --divergence 4 --ambiguous 0 |
            awk -v g="$genus" '/^>/ { $0 = ">g" g "_" ++n } 1'
    done >genes.fa
    printf '>lost\nACGTACGTACGTTTGACCA\n' >>genes.fa
    grep '^>g' genes.fa | sed 's/^>//' |
        awk -F '[g_]' '{ print $0 "\tBacteria;Family " $2 % 3 ";Genus " $2 }' >genes.tax
}

bench()
{
    "$RIBOGRID-bench" classify genes.fa --taxonomy genes.tax --held-out 40 --queries 10 \
        --threads 2 "$@"
}

has()
{
    [ "$(grep -Ec -- "$2" "$3")" -eq "$1" ] && return
    echo "not $1 lines as /$2/:"
    cat "$3"
    return 1
}

test_table()
{
    check "a table" expect_exit 0 bench --peers off
    check "the genes are counted" grep -q '48 genes of 12 classes; 1 have no lineage' "$err"
    check "a row for each method and threshold, of both protocols and three ranks" \
        has 24 '^(nbc|joint), --' "$out"
    check "names of the ranks above" has 4 '^(phylum|domain) +(100 %|right) ' "$out"
    check "genera that differ are told apart" \
        has 1 '^nbc, --min-support 0.5 +100.0( +[0-9.]+){8}$' "$out"
    check "all are of one domain" has 1 '^nbc, --min-support 0.5( +100.0){7} +0.0$' "$out"
    check "two seeds" expect_exit 0 bench --peers off --seeds 2 --protocol split
    check "have intervals" has 12 '^(nbc|joint), --.* [0-9.]+ \+- *[0-9.]+' "$out"
    check "one protocol" has 0 '^Accuracy' "$out"
    check "a seed" expect_exit 0 bench --peers off --protocol identity --seed 7
    cp "$out" first
    check "gives the same table again" expect_exit 0 bench --peers off --protocol identity --seed 7
    check "with another number of threads" cmp -s first "$out"
}

test_tsv()
{
    check "TSV" expect_exit 0 bench --peers off --tsv --svg curves.svg
    check "every line has six columns" awk -F '\t' 'NF != 6 { exit 1 }' "$out"
    check "the rows" has 65 '^(identity|split)	[^	]*	(1?[0-9]+ %|[a-z ]+)	' "$out"
    check "ranks above" has 104 '^(identity|split), (phylum|domain)	[^	]*	[0-9a-z %,]+	' "$out"
    check "the curves" has 84 '	curve, [0-9]+ % of absent named	' "$out"
    check "the chart" has 4 'class="series"' curves.svg
    check "it is not replaced" expect_exit 1 bench --peers off --svg curves.svg
}

# Identities from a file are those that are computed otherwise.
test_pairs()
{
    local by=(bench --peers off --protocol identity --seed 7)

    check "align" expect_exit 0 "$RIBOGRID" align genes.fa --alphabet dna --id 0.9 -q -o hits.h5
    check "all pairs" expect_exit 0 "$RIBOGRID" align genes.fa --alphabet dna -q -o dense.h5
    check "without a file" expect_exit 0 "${by[@]}"
    cp "$out" first
    for file in hits.h5 dense.h5; do
        check "--identities $file" expect_exit 0 "${by[@]}" --identities $file
        check "--identities $file: the same table" cmp -s first "$out"
    done
    sed 's/^>g1_1$/>other/' genes.fa >renamed.fa
    "$RIBOGRID" align renamed.fa --alphabet dna --id 0.9 -q -o renamed.h5
    check "other sequences" refused_after 'renamed.h5 has pairs of other sequences than the 49 genes;' \
        bench --identities renamed.h5
    "$RIBOGRID" align genes.fa --alphabet dna --id 0.95 -q -o few.h5
    check "only some of the pairs" refused_after 'few.h5 lacks .* 19/20' bench --identities few.h5
    "$RIBOGRID" align genes.fa --against genes.fa --alphabet dna --id 0.9 -q -o against.h5
    check "queries against references" refused_after 'against.h5: .*give a file of one set' \
        bench --identities against.h5
    check "no result" refused_after 'genes.tax' bench --identities genes.tax
    check "a split needs none" refused 2 'needs no identities' bench --protocol split \
        --identities hits.h5
}

# Genera that are similar, as alignments need them: each is a mutant of the same gene.
make_like()
{
    awk 'function mutant(gene, part,    i, s) {
             for (i = 1; i <= length(gene); i++)
                 s = s (rand() < part ? substr("ACGT", 1 + int(4 * rand()), 1) : substr(gene, i, 1))
             return s
         }
         BEGIN {
             srand(1)
             for (i = 0; i < 300; i++)
                 base = base substr("ACGT", 1 + int(4 * rand()), 1)
             for (genus = 0; genus < 8; genus++) {
                 founder = mutant(base, 0.12)
                 for (k = 0; k < 4; k++) {
                     printf ">g%d_%d\n%s\n", genus, k, mutant(founder, 0.02) >"like.fa"
                     printf "g%d_%d\tBacteria;Genus %d\n", genus, k, genus >"like.tax"
                 }
             }
         }'
}

test_methods()
{
    local like=("$RIBOGRID-bench" classify like.fa --taxonomy like.tax --held-out 12 --queries 4
        --threads 2 --peers off) method

    make_like
    check "all methods" expect_exit 0 "${like[@]}" --method all
    check "alignments and the others, two ranks" has 8 '^(align|joint), --novelty-rate 0.25 .*' "$out"
    check "differences" has 4 '^  (align|joint) minus nbc ' "$out"
    cp "$out" all
    for method in nbc align joint; do
        check "$method" expect_exit 0 "${like[@]}" --method $method
        check "$method: nothing else" has 0 "^[a-z]+, --" <(grep -v "^$method, --" "$out")
        check "$method: as among others" same <(grep "^$method, --" all) \
            <(grep "^$method, --" "$out")
    done
}

test_prior()
{
    local by=(bench --peers off --protocol identity --seed 7)

    check "by the number of references, too" expect_exit 0 "${by[@]}" --prior both
    check "as without it" same first <(grep -v -e '--prior' "$out")
    check "it has a row for each of three ranks" has 3 \
        '^joint, --prior references, --novelty-rate 0.25 ' "$out"
    check "and differences" has 2 '^  joint, --prior references minus (nbc|joint) ' "$out"
    check "alone, at another rate" expect_exit 0 "${by[@]}" --prior references --method joint \
        --novelty-rate 1
    check "it has no other" has 3 '^[a-z]+, --' "$out"
    check "at a rate of 1 all absent classes get a name" has 1 \
        '^joint, --prior references, --novelty-rate 1 .* 0.0 +100.0$' "$out"
    check "nbc has none" refused 2 '--prior is for --method joint' bench --method nbc \
        --prior both
}

# refused_after REGEX COMMAND...: exit 1 with one matching line, after the counts of genes.
refused_after()
{
    local regex=$1

    shift
    expect_exit 1 "$@" && test "$(wc -l <"$err")" -eq 2 && grep -q "$regex" "$err" &&
        return
    cat "$err"
    return 1
}

test_peers()
{
    if command -v mothur >/dev/null; then
        check "mothur, three seeds" expect_exit 0 bench --protocol split --seeds 3
        check "none of them knows the references of another" has 2 \
            '^mothur classify.seqs, cutoff 0.[58] +100.0 \+- 0.0( +0.0 \+- 0.0){3}$' "$out"
    fi
    command -v vsearch >/dev/null || return
    check "vsearch" expect_exit 0 bench --protocol split
    check "has its rows" has 6 '^vsearch --sintax, cutoff 0\.[58] ' "$out"
}

# A network of one layer.
test_net()
{
    printf '[net]\ninput = 1x64x64\n[layers]\nout = linear classes\nloss = softmax\n' >net.ini
    printf '[solver]\nrate = 0.0001\nbatch = 8\nepochs = 1\n' >>net.ini
    check "a network" expect_exit 0 bench --peers off --protocol split --method nbc \
        --net net.ini --epochs 30
    check "has its rows, of three ranks" has 6 '^cnn, cutoff 0\.[58] ' "$out"
    check "genera that differ are told apart" \
        has 1 '^cnn, cutoff 0.5 +100.0 +0.0 +0.0 +[0-9.]+$' "$out"
    check "naive Bayes beside it" has 2 '^  nbc instead, minus cnn 0.[58] ' "$out"
    check "no network of sequences" expect_exit 1 env TMPDIR="$tmp" "$RIBOGRID-bench" classify \
        genes.fa --taxonomy genes.tax --peers off --protocol split --net lenet
    check "names the log" grep -q 'ribogrid failed; its messages are in .*/log$' "$err"
    check "no split" refused 2 '--net is trained in a split only' bench --protocol identity \
        --net net.ini
    check "--epochs alone" refused 2 '--epochs needs --net' bench --epochs 3
}

test_refusals()
{
    check "a taxonomy is required" expect_exit 2 "$RIBOGRID-bench" classify genes.fa
    check "a primer alone" refused 2 '--primers: give two primers as FORWARD/REVERSE' bench --primers 515F
    check "primers that no gene has" refused 1 'no record has both primers of --primers 515F/806R' \
        bench --primers 515F/806R
    check "no genes" expect_exit 1 "$RIBOGRID-bench" classify none.fa --taxonomy genes.tax
    awk '/^>/ { keep = /^>g1_[12]$|^>g[0-9]+_1$/ } keep' genes.fa >single.fa
    check "queries that leave no genus with two genes" refused_after \
        'single.fa: cannot learn which names to refuse: .*; give more genes' \
        "$RIBOGRID-bench" classify single.fa --taxonomy genes.tax
    check "no folder for temporary files" env TMPDIR="$tmp/none" "$BASH" -c '! "$0" classify \
        genes.fa --taxonomy genes.tax 2>err && grep -q "cannot create the folder" err' \
        "$RIBOGRID-bench"
}

make_input
test_table
test_tsv
test_pairs
test_prior
test_methods
test_peers
test_net
test_refusals
finish
