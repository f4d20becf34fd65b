#!/usr/bin/env bash
#
# cli_classify_samples.sh - `ribogrid classify` of several files, and of names with sizes and
# samples: names stay, results in HDF5 keep abundances and samples, and `report` draws them.
. "$(dirname "$0")/../support/shell_test.sh"
need_h5py

# Genes of two phyla; reads are genes: those of phylum 1 were seen three times each.
for k in 1 2; do
    "$RIBOGRID" simulate 6 --length 400 --seed $k --divergence 2 -q | sed "s/^>[^ ]*/>g$k/" |
        awk '/^>/ { $0 = $0 "_" ++n } 1'
done >genes.fa
sed -n 's/^>\(g.\)\(.*\)/\1\2\tBacteria;Phylum \1/p' genes.fa >genes.tax
sed 's/^>\(g1.*\)/>\1;size=3/' genes.fa >sized.fa
mkdir reads
awk '/^>/ { n++ } n <= 4' sized.fa >reads/gut.fa
awk '/^>/ { n++ } n > 4' sized.fa | gzip >reads/soil.fa.gz
awk '/^>/ { n++; $0 = $0 ";sample=" (n <= 4 ? "gut" : "soil") } 1' sized.fa >labels.fa

classify()
{
    expect_exit 0 "$RIBOGRID" classify "$@" --model model.h5 --min-support 0.5 --force
}

# pointed PAGE: what is shown at the parts of the bars.
pointed()
{
    grep 'data-reads=' "$1" | sed 's/.*<title>//; s/<.*//'
}

# draws PAGE FILE [OPTION]...: report draws the phyla of a file.
draws()
{
    expect_exit 0 "$RIBOGRID" report "$2" --rank 2 -o "$1" --force "${@:3}"
}

check "a model is made" "$RIBOGRID" classify train genes.fa --taxonomy genes.tax -q -o model.h5

test_sizes()
{
    check "sizes in the names" classify sized.fa --sizein -o sized.h5
    check "reads are counted as often as they were seen" grep -q \
        '^ribogrid: 24 of 24 reads are classified' "$err"
    classify genes.fa -q -o plain.h5
    check "names are those without sizes" same <("$RIBOGRID" view plain.h5) \
        <("$RIBOGRID" view sized.h5)
    check "a table has them, too" eval 'classify sized.fa --sizein -q -o sized.tsv &&
        same <("$RIBOGRID" view plain.h5) sized.tsv'
    check "sizes are in the file" "$PYTHON" -c '
import h5py
with h5py.File("sized.h5") as f:
    assert list(f["reads/size"][:]) == [3] * 6 + [1] * 6
    assert "samples" not in f
with h5py.File("plain.h5") as f:
    assert "size" not in f["reads"]'
    check "a page is drawn" draws sized.html sized.h5
    check "by abundance" test "$(pointed sized.html)" = \
        "all: Bacteria;Phylum g1, 18 reads (75.0 %)
all: Bacteria;Phylum g2, 6 reads (25.0 %)"
    check "sizes of the names instead" eval 'classify sized.fa -q -o named.tsv &&
        draws named.html named.tsv --sizein'
    check "draw the same" same <(pointed sized.html) <(pointed named.html)
    check "other sizes are another job" refused 1 "is of another job: there 'sizes_digest" eval \
        'sed s/size=3/size=4/ sized.fa >other.fa; "$RIBOGRID" classify other.fa --sizein \
        --model model.h5 --min-support 0.5 -q --resume -o sized.h5'
}

test_samples()
{
    check "two files" classify reads/gut.fa reads/soil.fa.gz --sizein -o files.h5
    check "are samples" grep -q 'and 1 other file: 12 records of 2 samples: gut, soil$' "$err"
    check "labels in the names" classify labels.fa --sizein --samplein -q -o labels.h5
    check "name the same" equal files.h5 labels.h5
    check "info counts them" test "$(field samples files.h5) $(field abundance files.h5)" = "2 24"
    check "a page is drawn" draws files.html files.h5
    check "of both samples" test "$(pointed files.html)" = \
        "gut: Bacteria;Phylum g1, 12 reads (100.0 %)
soil: Bacteria;Phylum g1, 6 reads (50.0 %)
soil: Bacteria;Phylum g2, 6 reads (50.0 %)"
    check "labels of a table" eval 'classify labels.fa -q -o labels.tsv &&
        draws labels.html labels.tsv --sizein --samplein'
    check "draw the same" same <(pointed files.html) <(pointed labels.html)
    printf 'deep sea\treads/soil.fa.gz\n' >manifest
    check "a manifest" classify --manifest manifest -q -o manifest.h5
    check "names the sample" eval 'draws manifest.html manifest.h5 &&
        pointed manifest.html | grep -q "^deep sea: .* g2, 6 reads"'
    check "options come before the file" eval \
        'draws other.html files.h5 --samples <(sed "s/.*>//" genes.tax | cut -f 1 |
            sed "s/$/\tall of it/") && pointed other.html | grep -q "^all of it: .*, 6 reads"'
    check "other samples are another job" refused 1 "is of another job" \
        "$RIBOGRID" classify reads/gut.fa reads/soil.fa.gz --model model.h5 --min-support 0.5 \
        -q --resume -o files.h5
}

# What lies between primers, of the reads that have them: their sizes and samples stay theirs.
test_primers()
{
    local forward reverse

    forward=$(sed -n 2p genes.fa | cut -c 11-28)
    reverse=$(sed '1,2d; /^>/q' genes.fa | grep -v '>' | tr -d '\n' | tail -c 30 | head -c 18 |
        rev | tr ACGT TGCA)
    check "reads with primers" classify labels.fa --sizein --samplein \
        --primers "$forward/$reverse" --primer-mismatches 5 -o cut.h5
    check "some are dropped" grep -Eq ' [1-9][0-9]* were dropped' "$err"
    check "the others have their sizes and samples" "$PYTHON" -c '
import h5py
with h5py.File("labels.h5") as f, h5py.File("cut.h5") as g:
    of = {}
    for file, names in ((f, of), (g, {})):
        s = file["samples/name"].asstr()[:]
        for name, size, sample in zip(file["reads/name"].asstr()[:], file["reads/size"][:],
                                      file["reads/sample"][:]):
            names[name] = (size, s[sample])
    assert 0 < len(names) < len(of), (len(names), len(of))
    assert all(of[name] == value for name, value in names.items()), names'
}

test_ranks()
{
    command -v mpirun >/dev/null && mpi 1 true >/dev/null 2>&1 ||
        { echo "without mpirun: one rank"; return; }
    check "three ranks" mpi 3 "$RIBOGRID" classify reads/gut.fa reads/soil.fa.gz --sizein \
        --model model.h5 --min-support 0.5 -q -o ranks.h5
    check "make the same file" equal files.h5 ranks.h5
}

# Files that no job makes.
test_damaged()
{
    cp files.h5 twice.h5
    "$PYTHON" -c '
import h5py
with h5py.File("twice.h5", "r+") as f:
    f["samples/name"][1] = "gut"'
    check "a sample twice" refused 1 "twice.h5: damaged: sample 'gut' is listed twice" \
        "$RIBOGRID" report twice.h5 -o x.html
    cp files.h5 few.h5
    "$PYTHON" -c '
import h5py
with h5py.File("few.h5", "r+") as f:
    del f["samples"]'
    check "no samples" refused 1 "few.h5: .*sample" "$RIBOGRID" report few.h5 -o x.html
    check "no page is left" absent x.html
}

test_sizes
test_samples
test_primers
test_ranks
test_damaged
finish
