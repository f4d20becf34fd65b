#!/usr/bin/env bash
#
# cli_closed.sh - `ribogrid cluster --method closed`: queries mapped to references; their
# table, map and leftovers, compared with what is due by hand and with vsearch.
. "$(dirname "$0")/../support/shell_test.sh"
need_h5py

align()
{
    "$RIBOGRID" align "$@" -q --force
}

cluster()
{
    "$RIBOGRID" cluster "$@" --method closed --force
}

# prints FILE LINE...: the file has exactly these lines.
prints()
{
    local file=$1

    shift
    printf '%s\n' "$@" | sed 's: :\t:g; s:_ID: ID:; s:@: :g' | diff - "$file"
}

# Three references of 100 bases; queries of the first two, with 0, 2 and 4 mismatches, one
# on the other strand, and one of its own.
"$PYTHON" - <<'END'
import random

random.seed(1)
genes = ["".join(random.choice("ACGT") for _ in range(100)) for _ in range(4)]

def changed(gene, n):
    letters = list(gene)
    for k in range(n):
        at = 20 + 15 * k
        letters[at] = "ACGT"["CGTA".index(letters[at])]
    return "".join(letters)

turned = genes[1].translate(str.maketrans("ACGT", "TGCA"))[::-1]
with open("refs.fa", "w") as refs:
    for name, gene in zip(("first", "second", "third"), genes):
        refs.write(f">{name}\n{gene}\n")
    refs.write(f">first_again\n{genes[0]}\n")
with open("reads.fa", "w") as reads:
    for name, read in (("a;size=5", genes[0]), ("b;size=2", changed(genes[0], 2)),
                       ("c;size=1", changed(genes[1], 4)), ("d;size=9", turned),
                       ("e;size=3", genes[3]), ("f;size=4", genes[0])):
        reads.write(f">{name}\n{read}\n")
END
printf 'a\tsoil\t5\nb\tsea\t2\nc\tsea\nd\tsoil\t9\ne\tsea\t3\nf\tsea\t4\n' >samples
sed 's/;size=.*//' reads.fa >plain.fa

check "queries are mapped" eval 'align reads.fa --against refs.fa --sizein --derep \
    --strand both --id 0.95 -o hits.h5 && expect_exit 0 cluster hits.h5 --id 0.97 --sizeout -o c'
check "a line counts them" grep -q "3 of 5 queries (abundance 20 of 24) have a reference at 0.97; \
2 references, largest 11; left out 0 references" "$err"
check "the table has the names of references" prints c.otus.tsv \
    '#OTU_ID all' 'first 11' 'second 9'
check "the map has every record, and the first of equal references" prints c.map.tsv \
    'record reference matches columns identity strand' \
    'a first 100 100 1.000000 +' 'b first 98 100 0.980000 +' \
    'd second 100 100 1.000000 -' 'f first 100 100 1.000000 +'
check "the others are in a file of their own" diff <(grep '>' c.unmatched.fasta) \
    <(printf '>c;size=1\n>e;size=3\n')
check "without --sizeout by their names alone" eval 'cluster hits.h5 --id 0.97 -q -o p &&
    diff <(grep ">" p.unmatched.fasta) <(printf ">c\n>e\n")'
check "no other file is written" test "$(echo c.*)" \
    = 'c.biom c.map.tsv c.otus.tsv c.unmatched.fasta'
check "BIOM has the same" "$PYTHON" -c "
import h5py
with h5py.File('c.biom') as f:
    assert list(f['observation/ids'].asstr()[:]) == ['first', 'second']
    assert list(f['observation/matrix/data'][:]) == [11, 9]"

check "samples are columns" eval 'align plain.fa --against refs.fa --samples samples \
    --strand both --id 0.95 -o s.h5 && expect_exit 0 cluster s.h5 --id 0.95 --min-size 2 -o s'
check "their counts" prints s.otus.tsv '#OTU_ID soil sea' 'first 5 6' 'second 9 1'
check "several identities" expect_exit 0 cluster s.h5 --id 0.95,0.99 -o m -q
check "each has its files" prints m.0.99.otus.tsv '#OTU_ID soil sea' 'first 5 4' 'second 9 0'
check "OTUs below --min-size are left out" expect_exit 0 cluster s.h5 --id 0.99 --min-size 10 \
    -o few
check "that is said" grep -q '0 references, largest 0; left out 2 references' "$err"
check "but not of the map" test "$(wc -l <few.map.tsv)" -eq 4

printf 'first\tA;B\nsecond\tA;C;D\n' >lineages
check "--taxonomy is that of the references" eval 'expect_exit 0 cluster hits.h5 --id 0.97 \
    --taxonomy lineages -o t && prints t.otus.tsv "#OTU_ID all taxonomy" "first 11 A;@B" \
    "second 9 A;@C;@D"'
check "a reference without a lineage is refused" refused 1 \
    "no lineage for 1 references that are OTUs, the first is second" \
    cluster hits.h5 --id 0.97 --taxonomy <(head -1 lineages) -o z
align plain.fa -o all.h5
check "pairs of one set are refused" refused 1 "needs queries against references" \
    cluster all.h5 --id 0.97 -o z
check "other methods refuse queries against references" \
    refused 1 "give --method closed to map them" "$RIBOGRID" cluster hits.h5 --id 0.97 -o z
check "an identity below that of the hits is refused" refused 1 "hits.h5" \
    cluster hits.h5 --id 0.9 -o z
check "options of other methods are refused" refused 2 "--method opti" \
    cluster hits.h5 --id 0.97 --seed 2 -o z
check "so are threads" refused 2 "uses one thread" cluster hits.h5 --id 0.97 --threads 2 -o z
check "no file is left" absent z.otus.tsv z.map.tsv

# vsearch compares all references with --maxaccepts 0 --maxrejects 0.
same_as_vsearch()
{
    "$RIBOGRID" simulate 300 --length 250 --seed 4 --ambiguous 0 -o v.fa || return 1
    awk '/^>/ { keep = ++n % 3 == 0 } keep { print $1 }' v.fa >vrefs.fa
    awk '/^>/ { keep = ++n % 3 != 0 } keep { print $1 }' v.fa >vreads.fa
    align vreads.fa --against vrefs.fa --preset vsearch --id 0.9 --top 1 -o v.h5 \
        && cluster v.h5 --id 0.9 -o v -q || return 1
    vsearch --usearch_global vreads.fa --db vrefs.fa --id 0.9 --maxaccepts 0 --maxrejects 0 \
        --wordlength 3 --minwordmatches 0 --qmask none --dbmask none --strand plus \
        --threads 1 --otutabout theirs.tsv --quiet || return 1
    [ "$(wc -l <theirs.tsv)" -gt 20 ] || return 1
    # one column each: vsearch's samples are the names of reads
    awk -F '\t' '!/^#/ { n = 0; for (i = 2; i <= NF; i++) n += $i; print $1 "\t" n }' \
        theirs.tsv | sort >theirs
    sed 1d v.otus.tsv | sort | diff - theirs
}
if command -v vsearch >/dev/null; then
    check "vsearch finds the same" same_as_vsearch
else
    echo "vsearch is missing: nothing is compared with it"
fi
finish
