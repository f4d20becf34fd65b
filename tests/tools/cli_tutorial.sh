#!/usr/bin/env bash
#
# cli_tutorial.sh - runs the blocks of docs/tutorial.md on a small made set of reads; those
# of programs that are not installed are left out.
. "$(dirname "$0")/../support/shell_test.sh"
need_h5py
tutorial=$here/../docs/tutorial.md
PATH=$(dirname "$RIBOGRID"):$PATH

# Reads are the genes in FASTQ: all of them in one sample, those of odd numbers in the other.
"$RIBOGRID" simulate 12 --length 300 --divergence 2 --seed 4 -o genes.fasta
awk '/^>/ { if (n++) print ""; print "@r" n; next } { printf "%s", $0 } END { print "" }' \
    genes.fasta | awk '{ print } NR % 2 == 0 { print "+"; gsub(/./, "I"); print }' >gut.fastq
awk 'NR % 8 >= 1 && NR % 8 <= 4' gut.fastq | sed 's/^@r/@c/' >soil.fastq
sed -n 's/^>\([^ ]*\).*/\1\tBacteria;Firmicutes;Bacilli/p' genes.fasta >genes.tax

# Blocks become files 1.sh, 2.sh and so on.
awk '/^```sh$/ { n++; on = 1; next } /^```$/ { on = 0 } on { print > n ".sh" }' "$tutorial"
check "the tutorial has its blocks" test "$(ls ./*.sh | wc -l)" -eq 10
for k in 1 2 3 4 5 6 7 8 9 10; do
    program=$(sed 's/ .*//; q' $k.sh)
    if ! command -v "$program" >found; then
        echo "without $program: block $k is left out"
    elif [ "$program" = Rscript ] && ! Rscript -e 'library(phyloseq)' >r.log 2>&1; then
        echo "without phyloseq: block $k is left out"
    else
        check "block $k runs: $program" expect_exit 0 bash -e $k.sh
        case $program in
            vsearch) check "vsearch writes OTUs" grep -q '^>' abundant.fasta ;;
            mothur) check "mothur counts the reads of gut" grep -q '12\.0*' \
                "$(ls ./*.summary 2>found | head -1)" ;;
            Rscript) check "R counts the reads of gut and soil" grep -Eq '^ *12 +6 *$' "$out" ;;
            biom) check "biom counts all reads" grep -q '^Total count: 18' summary.txt
                check "lineages are in the table" grep -q 'Bacteria; Firmicutes; Bacilli' \
                    table.tsv ;;
        esac
    fi
done
check "reads are counted" test "$(awk -F '\t' 'NR > 1 { n += $2 + $3 } END { print n }' otus.otus.tsv)" -eq 18
check "the root of the guide tree has all reads" test \
    "$(tail -n 1 clades.tsv | awk -F '\t' '{ print $(NF - 1) + $NF }')" -eq 18
check "OTUs have lineages" grep -q '"Firmicutes", *"Bacilli"' named.json
check "the page shows the OTUs" grep -q 'id="largest"' report.html
check "and the other one their lineages" grep -q 'Firmicutes: 12 sequences' named.html
check "QIIME 2's rules hold: the three files have the same features" \
    "$PYTHON" "$here/tools/qiime2_rules.py" otus.biom otus.taxonomy.tsv otus.reps.fasta
check "also of the table with lineages" \
    "$PYTHON" "$here/tools/qiime2_rules.py" named.biom otus.taxonomy.tsv otus.reps.fasta
finish
