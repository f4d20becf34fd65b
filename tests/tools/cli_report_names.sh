#!/usr/bin/env bash
#
# cli_report_names.sh - `ribogrid report` of names of reads: the composition of samples.
. "$(dirname "$0")/../support/shell_test.sh"

# parts PAGE: the reads of the parts of all bars, sample by sample.
parts()
{
    grep -o 'data-reads="[0-9]*"' "$1" | tr -dc '0-9\n' | tr '\n' ' '
}

# pointed PAGE: what is shown at the parts.
pointed()
{
    grep 'data-reads=' "$1" | sed 's/.*<title>//; s/<.*//'
}

{
    printf 'name\tstrand\tlineage\tsupport\tmethod\n'
    printf 'r1;size=4\t+\tBacteria;Firmicutes;Bacilli\t1.0000;0.9900;0.9000\tnbc\n'
    printf 'r2;size=2\t-\tBacteria;Proteobacteria<b>\t1.0000;0.9900\tnbc\n'
    printf 'r3\t+\tunclassified\tNA\tnbc\n'
    printf 'r4\t+\tArchaea\t0.8000\tnbc\n'
} >names.tsv
printf '# reads\nr1;size=4\tgut\t3\nr1;size=4\tsoil\nr2;size=2\tsoil\nr3\tgut\nr4\tsoil\t5\n' >samples.txt

check "a page is drawn" expect_exit 0 "$RIBOGRID" report names.tsv --rank phylum -o page.html
check "it prints no message" test ! -s "$err"
check "reads are counted by phylum" test "$(parts page.html)" = "1 1 2 "
check "all are one sample" grep -q '^all: Bacteria;Firmicutes, 1 read (25.0 %)$' <(pointed page.html)
check "a name makes no element" grep -q 'Proteobacteria&lt;b&gt;, 1 read' page.html
check "the page is whole" grep -q '</html>' page.html
check "--sizein counts sizes" "$RIBOGRID" report names.tsv --rank 2 --sizein -o sizes.html
check "of all reads" test "$(parts sizes.html)" = "4 2 2 "
check "samples are read" "$RIBOGRID" report names.tsv --rank phylum --samples samples.txt \
    --title '</title>Samples' -o samples.html
check "there is a bar for each" test "$(pointed samples.html | cut -d , -f 1,2)" = \
    "gut: Bacteria;Firmicutes, 3 reads (75.0 %)
gut: unclassified, 1 read (25.0 %)
soil: Bacteria;Firmicutes, 1 read (14.3 %)
soil: Bacteria;Proteobacteria&lt;b&gt;, 1 read (14.3 %)
soil: unclassified, 5 reads (71.4 %)"
check "the title is escaped" grep -q '<h1>&lt;/title&gt;Samples</h1>' samples.html
check "genera are the default" "$RIBOGRID" report names.tsv -o genus.html
check "without them all is unclassified" test "$(parts genus.html)" = "4 "
gzip -k names.tsv
check "gzip is read" expect_exit 0 "$RIBOGRID" report names.tsv.gz --rank 1 -o gz.html
check "domains are counted" test "$(parts gz.html)" = "2 1 1 "
{
    head -1 names.tsv
    for k in $(seq 12); do
        yes "r$(printf '\t')+$(printf '\t')Bacteria;T$k$(printf '\t')1;1$(printf '\t')nbc" | head -"$k"
    done
} >many.tsv
check "many taxa are drawn" "$RIBOGRID" report many.tsv --rank 2 -o many.html
check "ten of them apart" test "$(parts many.html)" = "12 11 10 9 8 7 6 5 4 3 3 "
check "the others together" grep -q 'all: other taxa, 3 reads' <(pointed many.html)

check "an unknown rank is refused" refused 2 '--rank tribe: no such rank; give domain' \
    "$RIBOGRID" report names.tsv --rank tribe -o x.html
check "... a misspelt one is guessed" refused 2 'did you mean genus[?]' "$RIBOGRID" report names.tsv \
    --rank genis -o x.html
check "options of pairs are refused" refused 2 'names.tsv has names of reads; leave out' \
    "$RIBOGRID" report names.tsv --id 0.9 -o x.html
check "two sources of abundances are refused" refused 2 '--sizein, --count-table and --samples exclude' \
    "$RIBOGRID" report names.tsv --sizein --samples samples.txt -o x.html
check "reads without a sample are refused" refused 1 "3 of 4 records of names.tsv" \
    "$RIBOGRID" report names.tsv --samples <(printf 'r3\tx\n') -o x.html
printf 'name\tstrand\tlineage\tsupport\tmethod\nr1\t+\tBacteria;;x\t1\tnbc\n' >bad.tsv
check "a rank without a name is refused" refused 1 'bad.tsv:2: expected name, strand, lineage' \
    "$RIBOGRID" report bad.tsv -o x.html
printf 'Feature ID\tTaxon\tConfidence\nr1\tBacteria; ; x\t1\n' >blank.tsv
check "so is one of blanks" refused 1 'blank.tsv:2: expected Feature ID, Taxon, Confidence, sep' \
    "$RIBOGRID" report blank.tsv -o x.html
head -1 names.tsv >none.tsv
check "a file without reads is refused" refused 1 'none.tsv: the file has no reads' \
    "$RIBOGRID" report none.tsv -o x.html
check "another table is refused" refused 1 'samples.txt' "$RIBOGRID" report samples.txt -o x.html

for k in 1 2; do
    "$RIBOGRID" simulate 4 --length 400 --seed $k --divergence 2 | sed "s/^>[^ ]*/>g$k/" |
        awk '/^>/ { $0 = $0 "_" ++n } 1'
done >genes.fa
sed -n 's/^>\(g.\)\(.*\)/\1\2\tBacteria;Phylum \1/p' genes.fa >genes.tax
check "a model is made" "$RIBOGRID" classify train genes.fa --taxonomy genes.tax -q -o model.h5
for f in genes.h5 genes.tsv; do
    check "reads are named: $f" "$RIBOGRID" classify genes.fa --model model.h5 \
        --min-support 0.5 -q -o $f
    check "a page of $f is drawn" expect_exit 0 "$RIBOGRID" report $f --rank 2 -o $f.html
done
check "both phyla are in the page of HDF5" test "$(parts genes.h5.html)" = "4 4 "
check "the page says what the file is" grep -q 'ribogrid-classification' genes.h5.html
check "it is that of the text" test "$(pointed genes.h5.html)" = "$(pointed genes.tsv.html)"
check "for QIIME 2" "$RIBOGRID" classify genes.fa --model model.h5 --min-support 0.5 -q \
    --format qiime2 -o genes.q2.tsv
check "a page is drawn" expect_exit 0 "$RIBOGRID" report genes.q2.tsv --rank 2 -o q2.html
check "the same" test "$(pointed q2.html)" = "$(pointed genes.tsv.html)"
for f in genes.tsv genes.q2.tsv; do
    check "$f is viewed" expect_exit 0 "$RIBOGRID" view $f
    check "as it is" same $f "$out"
done

# What \`taxonomy\` writes of the same genes.
"$RIBOGRID" align genes.fa --against genes.fa --top 1 --id 0.9 -q -o best.h5
for form in tsv qiime2; do
    check "names by best hits: $form" "$RIBOGRID" taxonomy best.h5 --taxonomy genes.tax \
        --format $form -o best.$form
    check "a page is drawn" expect_exit 0 "$RIBOGRID" report best.$form --rank 2 -o best.html --force
    check "the same" test "$(pointed best.html | head -2)" = "$(pointed genes.tsv.html | head -2)"
    check "they are viewed, packed" eval "gzip -kf best.$form &&
        expect_exit 0 '$RIBOGRID' view best.$form.gz --no-header"
    check "as they are" same <(sed 1d best.$form) "$out"
done
check "a damaged table is not viewed" refused 1 'bad.tsv:2: expected name, strand, lineage' \
    eval '"$RIBOGRID" view bad.tsv --no-header'
"$RIBOGRID" align genes.fa -q -o pairs.h5
check "options of names need names" refused 2 'need the names of reads' \
    "$RIBOGRID" report pairs.h5 --rank genus -o x.html
check "nothing was written" test ! -e x.html
finish
