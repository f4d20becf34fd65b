#!/usr/bin/env bash
#
# cli_samples.sh - one file of reads per sample becomes one table of counts: by the names of
# files, by a manifest, by labels in the names; messages name the file.
. "$(dirname "$0")/../support/shell_test.sh"
need_h5py
data=${RIBOGRID_DATA:-/nowhere}/16s
tab=$'\t'

align()
{
    expect_exit 0 "$RIBOGRID" align "$@" --force
}

# table PREFIX PAIRS: write the table of OTUs at 97 %, as PREFIX.otus.tsv.
table()
{
    "$RIBOGRID" cluster "$2" -q --id 0.97 --method single -o "$1" --force
}

# Twenty samples of 1 to 20 reads in FASTQ, every fourth one packed, and all reads in one file
# with a table of their samples.
make_reads()
{
    "$RIBOGRID" simulate 30 --length 120 --divergence 10 --seed 6 -q -o genes.fa
    mkdir reads
    "$PYTHON" - <<'TEXT'
import gzip
with open("genes.fa") as f:
    genes = [r.split("\n", 1)[1].replace("\n", "") for r in f.read().split(">")[1:]]
with open("all.fa", "w") as whole, open("samples.tsv", "w") as table, \
        open("manifest.tsv", "w") as manifest, open("labels.fa", "w") as labels:
    manifest.write("sample-id\tabsolute-filepath\n")
    for s in range(20):
        path = f"reads/s{s:02}.fastq" + (".gz" if s % 4 == 0 else "")
        manifest.write(f"site {s}\t{path}\n")
        with (gzip.open if s % 4 == 0 else open)(path, "wt") as f:
            for k in range(s + 1):
                name, letters = f"s{s:02}_{k}", genes[7 * s * k % 30]
                f.write(f"@{name} 1:N:0\n{letters}\n+\n{'I' * len(letters)}\n")
                whole.write(f">{name}\n{letters}\n")
                table.write(f"{name}\ts{s:02}\n")
                labels.write(f">{name};sample=s{s:02};\n{letters}\n")
TEXT
}

# Whichever way samples are named, the file is the same, and so is the table.
test_ways()
{
    make_reads
    check "twenty files" align reads/*.fastq* --derep -o files.h5
    check "one line lists the samples" grep -q \
        'reads/s00.fastq.gz and 19 other files: 210 records of 20 samples: s00, s01, s02 and 17 more$' "$err"
    check "become one table" table files files.h5
    check "with a column for each file" test "$(head -1 files.otus.tsv)" = \
        "#OTU ID$(printf "${tab}s%02d" {0..19})"
    # shellcheck disable=SC2016  # the dollar is awk's
    check "and its reads" test "$(awk -F '\t' 'NR > 1 { for (j = 2; j <= NF; j++) n[j] += $j }
        END { for (j = 2; j <= NF; j++) printf "%d ", n[j] }' files.otus.tsv)" = \
        "$(echo {1..20}) "
    check "the same reads in one file, and a table of samples" \
        align all.fa --derep --samples samples.tsv -o table.h5
    check "make the same file" equal files.h5 table.h5
    check "labels in the names" align labels.fa --derep --samplein -o labels.h5
    check "do, too" equal files.h5 labels.h5
    check "a manifest" align --manifest manifest.tsv --derep -o manifest.h5
    check "makes the same table" table manifest manifest.h5
    check "but for the names of samples" same <(sed 's/site [0-9]*/s/g' manifest.otus.tsv) \
        <(sed '1s/\ts[0-9]*/\ts/g' files.otus.tsv)
    check "the last one" grep -q "site 19$" manifest.otus.tsv
}

# Sizes in the names of dereplicated samples, as vsearch writes them.
test_sizes()
{
    if command -v vsearch >/dev/null; then
        for s in 17 18 19; do
            vsearch --fastx_uniques reads/s$s.fastq --sizeout --fastaout u$s.fa --quiet
        done
    else
        echo "without vsearch: sizes are those of all reads"
        for s in 17 18 19; do
            awk 'NR % 4 == 1 { print ">" substr($1, 2) ";size=1" } NR % 4 == 2' \
                reads/s$s.fastq >u$s.fa
        done
    fi
    check "dereplicated samples" align u17.fa u18.fa u19.fa --sizein --derep -o u.h5
    check "their tables" table u u.h5
    check "whole samples" align reads/s17.fastq reads/s18.fastq reads/s19.fastq --derep -o v.h5
    check "likewise" table v v.h5
    # vsearch sorts, so OTUs of equal abundance may have other names
    check "the counts are the same" same <(sed 1d u.otus.tsv | cut -f 2- | sort) \
        <(sed 1d v.otus.tsv | cut -f 2- | sort)
    check "vsearch's labels and sizes in one file" eval 'for s in 17 18 19; do
        sed "s/^>\(.*\);size/>\1;sample=u$s;size/" u$s.fa; done >one.fa
        align one.fa --sizein --samplein --derep -o w.h5 && equal u.h5 w.h5'
}

# --resume takes other files of other samples for another job.
test_resume()
{
    mkdir other && cp reads/s18.fastq other/x.fastq
    check "two samples" align reads/s18.fastq reads/s19.fastq --derep -o r.h5
    resume() { "$RIBOGRID" align "$@" --derep --resume -o r.h5; }
    check "the same again" expect_exit 0 resume reads/s18.fastq reads/s19.fastq
    check "another name of a sample" refused 1 "r.h5 is of another job: there 'sizes_digest" \
        eval 'resume other/x.fastq reads/s19.fastq -q'
    check "another order" refused 1 "r.h5 is of another job" \
        eval 'resume reads/s19.fastq reads/s18.fastq -q'
    check "more samples" refused 1 "r.h5 is of another job" \
        eval 'resume reads/s18.fastq reads/s19.fastq reads/s01.fastq -q'
    check "one of them" refused 1 "r.h5 is of another job" \
        eval 'resume reads/s18.fastq -q'
    check "a finished file has the number of samples" test "$(field samples r.h5)" -eq 2
}

test_ranks()
{
    command -v mpirun >/dev/null && mpi 1 true >/dev/null 2>&1 ||
        { echo "without mpirun: one rank"; return; }
    check "three ranks" mpi 3 "$RIBOGRID" align reads/*.fastq* --derep -q -o ranks.h5
    check "make the same file" equal files.h5 ranks.h5
    printf 'gut\tnowhere.fq\ngut\n' >bad.tsv
    mpi 3 "$RIBOGRID" align --manifest bad.tsv -q -o z.h5 2>bad.txt
    check "a bad manifest is reported by one rank" test \
        "$(grep -c 'bad.tsv:2: expected a sample and a file' bad.txt)" -eq 1
}

test_refused()
{
    local ours=("$RIBOGRID" align -o z.h5 -q)

    mkdir again && cp reads/s19.fastq again/
    head -2 genes.fa >both.fa
    printf '>a\nACGT\n>b\nA!GT\n' >bad.fa
    check "two files of one name" refused 1 \
        "reads/s19.fastq and again/s19.fastq would both be the sample 's19'; .*--manifest" \
        "${ours[@]}" reads/s19.fastq again/s19.fastq
    check "a bad record in the second file" refused 1 "bad.fa:4: record 2 'b': '!' is not" \
        "${ours[@]}" reads/s19.fastq bad.fa
    check "a missing file" refused 1 "nowhere.fq" "${ours[@]}" reads/s19.fastq nowhere.fq
    check "damaged FASTQ in the second file" refused 1 "cut.fastq" eval \
        'head -c 150 reads/s19.fastq >cut.fastq; "${ours[@]}" reads/s18.fastq cut.fastq'
    check "a size of the second file" refused 1 "sized.fa: record 2 'b;size=0': the size" eval \
        'printf ">a\nACGT\n>b;size=0\nACGT\n" >sized.fa; "${ours[@]}" all.fa sized.fa --sizein'
    check "a record without a label" refused 1 "all.fa: record 1 's00_0' has no ';sample=NAME'" \
        "${ours[@]}" labels.fa all.fa --samplein
    check "a record without primers" refused 1 "the first is 's18_1' of reads/s18.fastq" \
        "${ours[@]}" both.fa reads/s18.fastq --primers "$(sed -n 2p both.fa | head -c 20)/$(
            sed -n 2p both.fa | tail -c 21 | rev | tr ACGT TGCA)" --missing-primers stop
    check "equal names, and a table of samples" refused 1 \
        "reads/s19.fastq: record 1, and again.fq: record 1 are both named 's19_0', but" eval \
        'cp reads/s19.fastq again.fq; "${ours[@]}" reads/s19.fastq again.fq --samples samples.tsv'
    check "nucleotides and proteins" refused 1 "p.fa holds protein sequences, but labels.fa" eval \
        'printf ">p\nMKVLATTWWQ\n" >p.fa; "${ours[@]}" labels.fa p.fa'
    check "labels and a table" refused 2 "--samplein reads samples from the names" \
        "${ours[@]}" labels.fa --samplein --samples samples.tsv
    check "files and a manifest" refused 2 "give it or files, not both" \
        "${ours[@]}" labels.fa --manifest manifest.tsv
    # shellcheck disable=SC2046 # a list of files
    check "too many files" refused 2 "unexpected argument 'f4097': give at most 4096 files" \
        "${ours[@]}" $(printf 'f%d ' {1..4097})
    check "neither" refused 2 "give files, or --manifest" "${ours[@]}"
    check "a manifest of pairs" refused 1 "pairs.tsv:1: the files are pairs of reads" eval \
        'printf "sample-id\tforward-absolute-filepath\n" >pairs.tsv
        "${ours[@]}" --manifest pairs.tsv'
    check "an output that a manifest lists" refused 2 "is an input of this command" \
        "$RIBOGRID" align --manifest manifest.tsv -q --force -o reads/s01.fastq
    check "it is left" test -s reads/s01.fastq
    check "no file is left" absent z.h5 z.h5.part
}

# A file without reads is a sample without counts, also against references.
test_empty()
{
    : >none.fa
    awk '/^>/ { if (++n > 3) exit; print ">r" n; next } 1' genes.fa >few.fa
    check "an empty file among others" align few.fa none.fa reads/s01.fastq --derep -o e.h5
    check "its table" table e e.h5
    check "has its column" test "$(head -1 e.otus.tsv)" = "#OTU ID${tab}few${tab}none${tab}s01"
    # shellcheck disable=SC2016  # the dollar is awk's
    check "without counts" test "$(awk -F '\t' 'NR > 1 { n += $3 } END { print n }' \
        e.otus.tsv)" -eq 0
    check "a page shows the samples" expect_exit 0 "$RIBOGRID" report e.h5 -o e.html
    check "a manifest from stdin, against references" eval \
        'printf "x\tfew.fa\ny\treads/s01.fastq\n" |
        align --manifest - --against genes.fa --id 0.97 --top 1 -q -o a.h5'
    check "OTUs by reference" "$RIBOGRID" cluster a.h5 --method closed --id 0.97 -q -o a
    check "have both samples" test "$(head -1 a.otus.tsv)" = "#OTU ID${tab}x${tab}y"
    check "its samples" test "$(field samples a.h5)" -eq 2
}

# Real genes of three mock communities, as one table.
test_real()
{
    local mocks=("$data"/mock-*.fa*)

    [ -r "${mocks[0]}" ] || { echo "without data: no mock communities"; return; }
    check "mock communities" align "${mocks[@]}" --derep --skip-bad --id 0.97 -o mocks.h5
    check "their table" table mocks mocks.h5
    check "has a column for each" test "$(head -1 mocks.otus.tsv | tr '\t' '\n' | wc -l)" \
        -eq $((${#mocks[@]} + 1))
    # shellcheck disable=SC2016  # the dollar is awk's
    check "and all records" test "$(awk -F '\t' 'NR > 1 { for (j = 2; j <= NF; j++) n += $j }
        END { print n }' mocks.otus.tsv)" -eq "$(field records mocks.h5)"
}

test_ways
test_sizes
test_resume
test_ranks
test_refused
test_empty
test_real
finish
