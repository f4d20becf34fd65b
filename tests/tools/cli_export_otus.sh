#!/usr/bin/env bash
#
# cli_export_otus.sh - `ribogrid export --groups`: OTUs in each format are those of `cluster`,
# and read by mothur, vsearch's users and biom-format.
. "$(dirname "$0")/../support/shell_test.sh"
need_h5py

# export_otus FORMAT FILE [OPTION]...: write the OTUs of c.groups.h5 without a message.
export_otus()
{
    expect_exit 0 "$RIBOGRID" export p.h5 --groups c.groups.h5 --format "$1" -o "$2" \
        "${@:3}" && silent "$err"
}

# Genes in two samples, 1 to 4 times in each; sized.fa has the sums.  Names are in the order
# of the input, by which vsearch breaks ties.
make_files()
{
    "$RIBOGRID" simulate 30 --length 300 --ambiguous 0 --divergence 15 --seed 5 | awk '
        /^>/ { printf ">gene%02d\n", ++n; next } { print }' >genes.fa
    awk '/^>/ { n++; print $0 ";size=" n % 4 + n % 3 + 2; next } { print }' genes.fa >sized.fa
    awk '/^>/ { n++; name = substr($1, 2); print name "\tsoil\t" n % 4 + 1
        print name "\tsea\t" n % 3 + 1 }' genes.fa >samples.tsv
    "$RIBOGRID" align genes.fa -q --samples samples.tsv --gap -11 --emit cigar -o p.h5 &&
        "$RIBOGRID" cluster p.h5 -q --id 0.9 --method centroid -o c --sizeout
}

# mapped: the map has the members of the list.
mapped()
{
    export_otus otumap map.tsv || return 1
    awk -F '\t' 'NR == 1 { for (k = 3; k <= NF; k++) otu[k] = $k; next }
        { for (k = 3; k <= NF; k++) { n = split($k, names, ",")
              for (i = 1; i <= n; i++) print names[i] "\t" otu[k] } }' c.list |
        sort >want.tsv
    same want.tsv <(sort map.tsv)
}

# shared: mothur reads as many OTUs and reads of each sample as the table has.
shared()
{
    mothur "#set.logfile(name=m.log);summary.single(shared=t.shared, calc=sobs-nseqs)" \
        >mothur.out 2>&1
    awk -F '\t' 'NR > 1 { for (j = 2; j <= 3; j++) { sobs[j] += $j > 0; reads[j] += $j } }
        END { printf "soil %d %d\nsea %d %d\n", sobs[2], reads[2], sobs[3], reads[3] }' \
        c.otus.tsv | sort >want.txt
    same want.txt <(awk 'NR > 1 { printf "%s %d %d\n", $2, $3, $4 }' t.groups.summary | sort)
}

# records FILE: records of a uc file without the numbers of clusters, sorted.
records()
{
    sed 's/;size=[0-9]*//g' "$1" | cut -f 1,3- | sort
}

# Records S, H and C, beside those of vsearch.
test_uc()
{
    check "uc is written" export_otus uc o.uc
    check "30 genes are centroids or members" test "$(grep -c '^[SH]' o.uc)" -eq 30
    check "S and C records are those of the representatives" test \
        "$(grep '^C' o.uc | cut -f 3,9 | tr '\t' ' ')" = \
        "$(sed -n 's/^>.*;size=\([0-9]*\) \(.*\)/\1 \2/p' c.reps.fasta)"
    command -v vsearch >/dev/null || return
    check "vsearch runs" vsearch --cluster_size sized.fa --sizein --id 0.9 --maxaccepts 0 \
        --maxrejects 0 --qmask none --match 4 --mismatch -5 --gapopen 11I/0E \
        --gapext 11I/0E --uc v.uc
    check "its records are the same" same <(records o.uc) <(records v.uc)
}

# The counts are those of the table for mothur; labels and the order of samples are not.
mothur_reads_json()
{
    mothur "#set.logfile(name=m.log);make.shared(biom=json.biom)" >mothur.out 2>&1
    same <(cut -f 2- t.shared | sort) <(cut -f 2- json.shared | sort)
}

test_tables()
{
    check "the table is that of cluster" export_otus otutab t.otus.tsv
    check "in every byte" same c.otus.tsv t.otus.tsv
    check "the map has the members of the list" mapped
    check "mothur's table is written" export_otus shared t.shared
    ! command -v mothur >/dev/null || check "mothur reads it" shared
    check "BIOM 2.1 is written" export_otus biom t.biom
    check "BIOM 1.0 is written" export_otus biom-json json.biom
    check "as JSON" "$PYTHON" -m json.tool json.biom json.txt
    ! command -v mothur >/dev/null || check "which mothur reads" mothur_reads_json
    cp t.otus.tsv json.otus.tsv
    has_modules biom || return
    check "biom-format reads both" "$PYTHON" "$here/tools/cluster_peers.py" biom t json
}

# --min-size leaves 5 of 30 genes in OTUs below it: the tables are those of cluster.
test_min_size()
{
    "$RIBOGRID" cluster p.h5 -q --id 0.9 --method centroid --min-size 12 --force -o c
    check "rare OTUs stay out" export_otus otutab t.otus.tsv --force
    check "as in the table of cluster" same c.otus.tsv t.otus.tsv
    check "there are some" test "$(grep -c Otu c.otus.tsv)" -lt 15
    check "and their records" mapped_again
}

mapped_again()
{
    rm -f map.tsv && mapped && [ "$(wc -l <map.tsv)" -lt 30 ]
}

# c.reps.fasta is classified by the genes: each representative is found among them.
make_taxa()
{
    awk '/^>/ { n++; printf "%s Bacteria;Phylum %d%s\n", $1, n % 3,
        n % 4 ? ";Genus" n : ""; next } { print }' genes.fa >refs.fa
    "$RIBOGRID" align c.reps.fasta --against refs.fa --top 1 -q -o best.h5 &&
        "$RIBOGRID" taxonomy best.h5 --taxonomy refs.fa -o taxa.tsv
}

# lineages: print the name and the lineage of each OTU, by the headers of the genes.
lineages()
{
    sed -n 's/^>\([^;]*\);size=[0-9]* /\1 /p' c.reps.fasta | while read -r otu name; do
        printf '%s\t%s\n' "$otu" "$(sed -n "s/^>$name //p" refs.fa)"
    done
}

# joined: all forms have the lineages of the representatives.
joined()
{
    lineages >want.tsv
    for format in biom biom-json constaxonomy; do
        export_otus $format "taxa.$format" --taxonomy taxa.tsv --force || return 1
    done
    export_otus otutab taxa.otus.tsv --taxonomy taxa.tsv --force || return 1
    "$RIBOGRID" cluster p.h5 -q --id 0.9 --method centroid --force --taxonomy taxa.tsv \
        --sizeout -o c || return 1
    same c.otus.tsv taxa.otus.tsv && same want.tsv \
        <(sed 1d taxa.otus.tsv | cut -f 1,4 | sed 's/; /;/g') &&
        same <(tr ' ' _ <want.tsv | sed 's/$/;/') <(sed 1d taxa.constaxonomy | cut -f 1,3)
}

# Lineages as biom-format reads them from both of its formats.
biom_reads()
{
    "$PYTHON" - want.tsv taxa.biom taxa.biom-json c.biom <<'TEXT'
import sys
from biom import load_table
with open(sys.argv[1]) as f:
    want = {otu: lineage.split(";") for otu, lineage in
            (line.rstrip("\n").split("\t") for line in f)}
for path in sys.argv[2:]:
    table = load_table(path)
    names = table.ids("observation")
    got = {name: table.metadata(name, "observation")["taxonomy"] for name in names}
    assert got == want, f"{path}: {got}"
TEXT
}

mothur_joins()
{
    mothur "#set.logfile(name=m.log);make.biom(shared=t.shared, \
constaxonomy=taxa.constaxonomy)" >mothur.out 2>&1
    [ "$(grep -c '"Bacteria", "Phylum_' t.0.10.biom)" -eq "$(wc -l <want.tsv)" ]
}

test_taxonomy()
{
    check "representatives are classified" make_taxa
    check "their lineages are joined to the tables" joined
    ! has_modules biom || check "biom-format reads them" biom_reads
    ! command -v mothur >/dev/null || check "mothur reads them" mothur_joins
    sed '$d' taxa.tsv >few.tsv
    check "an OTU without a lineage" refused 1 'few.tsv has no lineage for 1 OTUs, the first' \
        "$RIBOGRID" export p.h5 --groups c.groups.h5 --format otutab --taxonomy few.tsv
    check "... may be left so" expect_exit 0 "$RIBOGRID" export p.h5 --groups c.groups.h5 --format \
        otutab --taxonomy few.tsv --allow-missing
    check "... and is Unassigned" test "$(grep -c '	Unassigned$' "$out")" = 1
    check "--allow-missing alone" refused 2 '--allow-missing needs --taxonomy' "$RIBOGRID" export \
        p.h5 --groups c.groups.h5 --format otutab --allow-missing
    check "cluster, too" refused 1 'few.tsv has no lineage for 1 OTUs' "$RIBOGRID" cluster p.h5 \
        --id 0.9 --method centroid --taxonomy few.tsv -o few
    check "... accepts it" expect_exit 0 "$RIBOGRID" cluster p.h5 --id 0.9 --method centroid \
        --taxonomy few.tsv --allow-missing -o few
    check "but not those of other OTUs" refused 1 'few.tsv has lineages of [0-9]+ OTUs, but there' \
        "$RIBOGRID" cluster p.h5 --id 0.97 --taxonomy few.tsv --allow-missing -o other
    check "--taxonomy for a map" refused 2 '--taxonomy requires --format otutab' \
        "$RIBOGRID" export p.h5 --groups c.groups.h5 --format otumap --taxonomy taxa.tsv
    check "constaxonomy without it" refused 2 'constaxonomy needs --taxonomy' \
        "$RIBOGRID" export p.h5 --groups c.groups.h5 --format constaxonomy
}

test_refused()
{
    local ours=("$RIBOGRID" export p.h5)

    check "OTUs without --groups" refused 2 'give --groups' "${ours[@]}" --format otumap
    check "--groups for pairs" refused 2 '--groups and --taxonomy do not apply to --format blast6' \
        "${ours[@]}" --format blast6 --groups c.groups.h5
    check "--id for OTUs" refused 2 'are for pairs, not for OTUs' "${ours[@]}" \
        --format uc --groups c.groups.h5 --id 0.97
    check "BIOM 2.1 to stdout" refused 2 'biom is HDF5: give -o' "${ours[@]}" \
        --format biom --groups c.groups.h5
    "$RIBOGRID" simulate 30 --length 300 --seed 6 -o other.fa
    "$RIBOGRID" align other.fa -q --id 0.9 -o other.h5
    check "groups of other sequences" refused 1 "sequence 1 is 'gene01', but in" \
        "$RIBOGRID" export other.h5 --format otumap --groups c.groups.h5
    check "a file of pairs is no groups file" refused 1 'not the groups of a clustering' \
        "${ours[@]}" --format otumap --groups p.h5
}

check "files are made" make_files
test_uc
test_tables
test_taxonomy
test_min_size
test_refused
finish
