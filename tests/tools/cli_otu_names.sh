#!/usr/bin/env bash
#
# cli_otu_names.sh - OTUs have the same names in the table, among the representatives and in
# every table of lineages made of them; `report` takes these lineages.
. "$(dirname "$0")/../support/shell_test.sh"
need_h5py
data=${RIBOGRID_DATA:-/nowhere}/16s

# follow_rules: QIIME 2's importer takes the table, the lineages and the representatives.
follow_rules()
{
    "$PYTHON" "$here/tools/qiime2_rules.py" otus.biom "$1" "${2:-otus.reps.fasta}"
}

# Twenty genes of two families in a hundred reads; a model and references of the genes.
make_otus()
{
    for k in 1 2; do
        "$RIBOGRID" simulate 10 --length 400 --divergence 6 --seed $k -q |
            sed "s/^>[^ ]*/>g$k/" | awk '/^>/ { $0 = $0 "_" ++n } 1'
    done >genes.fa
    sed -n 's/^>\(g\(.\).*\)/\1\tBacteria;Phylum \2;Class \2/p' genes.fa >genes.tax
    "$PYTHON" - <<'TEXT'
with open("genes.fa") as f:
    genes = [r.split("\n", 1)[1] for r in f.read().split(">")[1:]]
for sample in range(3):
    with open(f"s{sample}.fa", "w") as f:
        for k in range(30 + sample):
            f.write(f">r{sample}_{k}\n{genes[k * (sample + 2) % 20]}")
TEXT
    "$RIBOGRID" align s0.fa s1.fa s2.fa --derep -q -o pairs.h5 &&
        "$RIBOGRID" cluster pairs.h5 --id 0.97 --method average -q -o otus &&
        "$RIBOGRID" classify train genes.fa --taxonomy genes.tax -q -o model.h5
}

# lineages FILE [OPTION]...: names of the representatives, by a model.
lineages()
{
    expect_exit 0 "$RIBOGRID" classify otus.reps.fasta --model model.h5 --min-support 0.1 -q \
        --force -o "$@"
}

test_names()
{
    check "OTUs of three samples" make_otus
    check "there are some" test "$(grep -c '^Otu' otus.otus.tsv)" -gt 4
    check "names by a model, for QIIME 2" lineages classified.q2 --format qiime2
    check "the three files have the same features" follow_rules classified.q2
    check "names by best hits" eval '"$RIBOGRID" align otus.reps.fasta --against genes.fa \
        --top 1 --id 0.9 -q -o best.h5 &&
        "$RIBOGRID" taxonomy best.h5 --taxonomy genes.tax --format qiime2 -o best.q2'
    check "the same features" follow_rules best.q2
    check "representatives with sizes are for vsearch" eval \
        '"$RIBOGRID" export pairs.h5 --groups otus.groups.h5 --format fasta --sizeout -o sized.fa'
    check "and not for QIIME 2" eval '! follow_rules best.q2 sized.fa'
    check "classify takes the sizes away" eval '"$RIBOGRID" classify sized.fa --sizein \
        --model model.h5 --min-support 0.1 -q --format qiime2 -o unsized.q2'
    check "and names the same" same classified.q2 unsized.q2
    check "so does align" eval '"$RIBOGRID" align sized.fa --sizein --against genes.fa --top 1 \
        --id 0.9 -q -o sized.h5 &&
        "$RIBOGRID" taxonomy sized.h5 --taxonomy genes.tax --format qiime2 -o sized.q2'
    check "and taxonomy" same best.q2 sized.q2
    check "a table with names that have sizes is read as well" eval \
        '"$RIBOGRID" classify sized.fa --model model.h5 --min-support 0.1 -q -o sized.tsv &&
        expect_exit 0 "$RIBOGRID" export pairs.h5 --groups otus.groups.h5 --format otutab \
            --taxonomy sized.tsv -o a.tsv && lineages plain.tsv &&
        expect_exit 0 "$RIBOGRID" export pairs.h5 --groups otus.groups.h5 --format otutab \
            --taxonomy plain.tsv -o b.tsv'
    check "with the same result" same a.tsv b.tsv
}

# Names of OTUs are numbers: those of another clustering are not taken for these.
test_other_clustering()
{
    check "lineages of representatives, for the same clustering" expect_exit 0 "$RIBOGRID" \
        cluster pairs.h5 --id 0.97 --method average --taxonomy best.q2 -q -o same
    check "are in its table" grep -q '; Phylum 2; ' same.otus.tsv
    check "of another clustering they are refused" refused 1 \
        "best.q2 has lineages of $(grep -c '^Otu' best.q2) OTUs, but there are 13 here" \
        "$RIBOGRID" cluster pairs.h5 --id 0.955 --method average --taxonomy best.q2 -q -o other
    check "no file is left" absent other.otus.tsv
}

# Lineages of representatives are those of their OTUs' sequences on a page, too.
test_report()
{
    local n

    n=$("$RIBOGRID" info pairs.h5 | awk -F '\t' '$2 == "sequences" { print $3; exit }')
    for table in classified.q2 best.q2 sized.tsv; do
        check "a page with the lineages of $table" expect_exit 0 "$RIBOGRID" report pairs.h5 \
            --groups otus.groups.h5 --taxonomy $table --force -o page.html
        check "every sequence has one" silent "$err"
        check "all sequences are of two phyla" test "$(grep -o 'Phylum [12]: [0-9]* sequences' \
            page.html | sort -u | awk '{ n += $3 } END { print n }')" = "$n"
        check "the largest OTUs have theirs" grep -Eq \
            '>Bacteria;<wbr>Phylum [12];<wbr>Class [12]<' page.html
    done
    check "without --groups nobody knows which OTUs these are" refused 1 \
        "best.q2 has no lineage for any of the .* or --groups and those of the representatives" \
        "$RIBOGRID" report pairs.h5 --taxonomy best.q2 -o x.html
    head -2 best.q2 >one.q2
    check "of one OTU alone" expect_exit 0 "$RIBOGRID" report pairs.h5 --groups otus.groups.h5 \
        --taxonomy one.q2 -o one.html
    check "the others are counted" grep -q "one.q2: .* of $n sequences have no lineage" "$err"
}

# Real genes: representatives of RDP's, named by RDP.
test_real()
{
    local genes=$data/rdp_testDMtrain.fasta.gz

    [ -r "$genes" ] || { echo "without data: no real representatives"; return; }
    gzip -dc "$genes" | awk '/^>/ { n++ } n <= 60' >rdp.fa
    rm -f otus.*
    check "OTUs of 60 genes" eval '"$RIBOGRID" align rdp.fa --derep --id 0.9 -q -o rdp.h5 &&
        "$RIBOGRID" cluster rdp.h5 --id 0.97 -q -o otus'
    check "their lineages" eval '"$RIBOGRID" align otus.reps.fasta --against rdp.fa --top 1 \
        --id 0.97 -q -o rdp_best.h5 && "$RIBOGRID" taxonomy rdp_best.h5 --taxonomy rdp.fa \
        --format qiime2 -o rdp.q2'
    check "the same features" follow_rules rdp.q2
}

test_names
test_other_clustering
test_report
test_real
finish
