#!/usr/bin/env bash
#
# cli_extend.sh - `align NEW --extend OLD.h5` makes the file that one run over all files makes,
# aligns only new pairs, and takes the options of OLD.h5.
. "$(dirname "$0")/../support/shell_test.sh"
need_h5py

# make NAME FIRST LAST: these records of all.fa as NAME.fa.
make()
{
    awk -v first="$2" -v last="$3" '/^>/ { n++ } n >= first && n <= last' all.fa >"$1.fa"
}

# extended OLD NEW [OPTION...]: equal to one run over the files OLD and NEW (lists), with the
# options that OLD.h5 was made with; ${more[@]} are given to all runs.
more=()
extended()
{
    local -a old new

    read -ra old <<<"$1"
    read -ra new <<<"$2"
    shift 2
    "$RIBOGRID" align "${old[@]}" "${more[@]}" "$@" -q --force -o old.h5 &&
        "$RIBOGRID" align "${old[@]}" "${new[@]}" "${more[@]}" "$@" -q --force -o fresh.h5 &&
        sha256sum old.h5 >before &&
        expect_exit 0 "$RIBOGRID" align "${new[@]}" "${more[@]}" --extend old.h5 --force \
            -o all.h5 && equal fresh.h5 all.h5 && sha256sum --quiet -c before
}

make_reads()
{
    "$RIBOGRID" simulate 150 --length 60 --seed 3 -q --force -o all.fa
    make old 1 120
    make new 121 150
}

test_options()
{
    local options

    for options in "" "--emit score" "--emit cigar" "--emit cigar --cigar-style eqx" \
        "--id 0.5" "--id 0.6 --emit cigar" "--ends count --iddef 3" "--mode local" \
        "--preset mothur" "--preset vsearch --id 0.6" "--match 2.5 --mismatch -3 --gap -4" \
        "--end-gap-open 2 --end-gap-extend 1 --gap-open 9 --gap-extend 2" \
        "--min-overlap 0.9" "--ambiguity match" "--max-ambig 0" "--full-names" \
        "--min-length 58 --max-length 62" "--orient"; do
        # shellcheck disable=SC2086 # several options
        check "${options:-defaults}" extended old.fa new.fa $options
    done
    check "the files of both runs are samples" test \
        "$("$RIBOGRID" info all.h5 | grep -c $'^job\tsamples\t2$')" -eq 1
    "$RIBOGRID" align old.fa -q --force -o old.h5
    check "options that agree may be given" expect_exit 0 "$RIBOGRID" align new.fa --extend \
        old.h5 --match 4 --min-overlap 0.5 --alphabet dna --force -o all.h5
    more=(--matrix BLASTN.2.3)
    check "a matrix is given again" extended old.fa new.fa
    more=()
    printf '>a\nMKVLAAGHWYFC\n>b\nMKVLAGHWYYFC\n>c\nMKLLAAGHWYFD\n' >old_aa.fa
    printf '>d\nMKVIAAGHWYFC\n>e\nACGT\n' >new_aa.fa
    check "proteins" extended old_aa.fa new_aa.fa --alphabet protein
}

# Tiles grow with the number of sequences.
test_sides()
{
    local n options

    "$RIBOGRID" simulate 240 --length 40 --seed 4 -q --force -o all.fa
    for n in 0 1 3 85 130 239 240; do
        make first 1 $n
        make rest $((n + 1)) 240
        check "$n sequences, and $((240 - n))" extended first.fa rest.fa
    done
    make first 1 85
    make rest 86 240
    for options in "--emit cigar" "--id 0.3 --emit cigar"; do
        # shellcheck disable=SC2086 # several options
        check "other tiles, $options" extended first.fa rest.fa $options
    done
}

# Only tiles with new sequences are computed, and counted.
test_work()
{
    make_reads
    check "an extension" extended old.fa new.fa
    check "is one of a few pairs" test "$(field pairs_computed all.h5)" -lt 4500
    check "at least the new ones" test "$(field pairs_computed all.h5)" -ge 4035
    check "in no more tiles than it takes" grep -q \
        'old.h5: 120 sequences; 465 of 741 tiles are taken from it$' "$err"
    check "which is no resumption" test "$(grep -c resuming "$err")" -eq 0
    check "the plan" expect_exit 0 "$RIBOGRID" align new.fa --extend old.h5 --plan
    check "has the new pairs" grep -qx "pairs$(printf '\t')$(field pairs_computed all.h5)" \
        "$out"
    check "and their tiles" grep -qx "tiles$(printf '\t')276" "$out"
    check "hits" extended old.fa new.fa --id 0.4
    check "which counts what was taken" test "$(field pairs_taken all.h5)" -eq 7140
    : >none.fa
    check "no new sequence" extended old.fa none.fa
    check "computes nothing" test "$(field pairs_computed all.h5)" -eq 0
    check "new ones from stdin" expect_exit 0 "$RIBOGRID" align - --extend old.h5 --force \
        -o all.h5 <new.fa
    check "have that sample" grep -q 'stdin: 30 records of 1 sample: stdin' "$err"
}

# Records that are equal to older ones add to their abundances.
test_abundances()
{
    local options

    awk '/^>/ { print $0 ";size=" n++ % 7 + 1; next } 1' old.fa >sized.fa
    awk '/^>/ { n++ } n <= 40' old.fa | awk '/^>/ { print $0 "b;size=" n++ % 5 + 2; next } 1' |
        cat - new.fa new.fa >again.fa
    for options in "--derep" "--derep --sizein" "--sizein" "--derep --emit cigar --id 0.4" \
        "--derep --sizein --min-length 59"; do
        # shellcheck disable=SC2086 # several options
        check "abundances, $options" extended sized.fa again.fa $options
    done
    check "names that occur twice are counted" grep -q \
        'again.fa: 30 records have a name that occurred before' "$err"
    awk '/^>/ { print $0 ";sample=S" n++ % 3; next } 1' sized.fa >of_s.fa
    awk '/^>/ { print $0 ";sample=S" n++ % 5; next } 1' again.fa >more_of_s.fa
    check "samples in names" extended of_s.fa more_of_s.fa --derep --sizein --samplein
    check "samples of files" extended "sized.fa new.fa" again.fa --derep --sizein
    check "several new files" extended sized.fa "again.fa new.fa" --derep
    awk '/^>/ { print substr($1, 2) "\tsite 1\t3" }' old.fa >old.tsv
    awk '/^>/ { print substr($1, 2) "\tsite 2\t2" }' new.fa >new.tsv
    cat old.tsv new.tsv >both.tsv
    "$RIBOGRID" align old.fa --samples old.tsv --derep -q --force -o old.h5
    "$RIBOGRID" align old.fa new.fa --samples both.tsv --derep -q --force -o fresh.h5
    "$RIBOGRID" align new.fa --samples new.tsv --extend old.h5 -q --force -o all.h5
    check "tables of samples" equal fresh.h5 all.h5
    awk '/^>/ { print substr($1, 2) "\t1" }' old.fa | sed '1iRepresentative_Sequence\ttotal' >old.counts
    "$RIBOGRID" align old.fa --count-table old.counts -q --force -o old.h5
    check "samples that only new records have" refused 1 \
        'old.h5 has no samples, and .* has some; ' "$RIBOGRID" align new.fa --samples \
        new.tsv --extend old.h5 -q -o no.h5
    printf 'old\told.fa\n' >old.manifest
    printf 'old\tnew.fa\nnew\tagain.fa\n' >new.manifest
    cat old.manifest new.manifest >both.manifest
    "$RIBOGRID" align --manifest old.manifest -q --force -o old.h5
    "$RIBOGRID" align --manifest both.manifest -q --force -o fresh.h5
    "$RIBOGRID" align --manifest new.manifest --extend old.h5 -q --force -o all.h5
    check "a sample that goes on in a manifest" equal fresh.h5 all.h5
}

# An extension can be extended, whatever the names of files.
test_days()
{
    local day

    mkdir -p "two words"
    for day in 1 2 3 4; do
        make "two words/day $day" $((60 * day - 59)) $((60 * day))
    done
    cd "two words" || return
    "$RIBOGRID" align "day 1.fa" --derep -q -o "to 1.h5"
    for day in 2 3 4; do
        check "day $day" expect_exit 0 "$RIBOGRID" align "day $day.fa" --extend \
            "to $((day - 1)).h5" -o "to $day.h5"
    done
    "$RIBOGRID" align day*.fa --derep -q -o all.h5
    check "four days one by one" equal all.h5 "to 4.h5"
    cd ..
}

test_references()
{
    make_reads
    make ref 50 90
    more=(--against ref.fa)
    check "hits among references" extended old.fa new.fa --id 0.4
    check "the best ones, of both strands" extended old.fa new.fa --top 3 --strand both \
        --emit cigar
    check "other references" refused 1 "old.h5 was aligned with 'references=41', " \
        "$RIBOGRID" align new.fa --extend old.h5 --against old.fa -q --force -o all.h5
    check "no references" refused 1 'give --against the same references$' "$RIBOGRID" \
        align new.fa --extend old.h5 -q --force -o all.h5
    more=()
}

# conflict REGEX OPTION...: refused before anything is computed.
conflict()
{
    local regex=$1

    shift
    refused 1 "$regex" "$RIBOGRID" align new.fa --extend old.h5 -q -o no.h5 "$@" &&
        absent no.h5 no.h5.part
}

test_conflicts()
{
    "$RIBOGRID" align old.fa -q --id 0.5 --force -o old.h5
    check "--id" conflict 'old.h5 was aligned with min_identity=1/2, .* leave them out' \
        --id 0.6
    check "--match" conflict 'was aligned with match=4, ' --match 5
    check "--emit" conflict 'was aligned with emit=identity, ' --emit cigar
    check "--ends" conflict 'was aligned with ends=free, ' --ends count
    check "--mode" conflict 'was aligned with ends=free, ' --mode local
    check "--iddef" conflict "'min_overlap=1/2'|iddef=2, " --iddef 3
    check "--gap-open" conflict 'the options of old.h5 and those given: .* replace --gap' \
        --gap-open 9 --gap-extend 2
    check "--matrix" conflict 'those given: --matrix replaces --match' --matrix BLASTN.2.3
    check "--preset" conflict 'was aligned with' --preset mothur
    check "--derep" conflict "was aligned without 'derep'; " --derep
    check "--min-length" conflict "was aligned without 'min_length'; " --min-length 10
    check "--primers" conflict "was aligned without 'primers'; " --primers 515F/806R
    check "--samplein" conflict "was aligned without 'samplein'; " --samplein
    check "--centroids" conflict "was aligned without 'centroids'; " --centroids length
    check "--against" conflict 'is of all pairs of one set; leave out --against' \
        --against old.fa
    check "--alphabet" conflict 'old.h5 holds nucleotide sequences; leave out --alphabet protein' \
        --alphabet protein
    check "--blast6out" refused 2 'give .ribogrid export' "$RIBOGRID" align new.fa \
        --extend old.h5 -o no.h5 --blast6out no.tsv
    check "the output is the old file" refused 2 'is an input of this command' "$RIBOGRID" \
        align new.fa --extend old.h5 --force -o ./old.h5
    cp old.fa "two words/old.fa"
    check "a file of the same name" refused 1 \
        "would both have the sample 'old'; .*--manifest" "$RIBOGRID" align \
        "two words/old.fa" --extend old.h5 -q -o no.h5
}

# spoil DATASET ROW COLUMN VALUE
spoil()
{
    cp whole.h5 old.h5
    "$PYTHON" -c 'import h5py, sys
with h5py.File("old.h5", "r+") as f:
    f[sys.argv[1]][int(sys.argv[2]), int(sys.argv[3])] = int(sys.argv[4])' "$@"
}

# damaged REGEX: a damaged tile ends the run; once the file is made again, --resume
# continues.
damaged()
{
    refused 1 "$1" "$RIBOGRID" align new.fa --extend old.h5 -q -o no.h5 && absent no.h5 ||
        return
    cp whole.h5 old.h5
    "$RIBOGRID" align new.fa --extend old.h5 -q --resume -o no.h5 &&
        equal fresh.h5 no.h5 && rm no.h5
}

test_files()
{
    "$RIBOGRID" align old.fa -q --emit cigar --force -o whole.h5
    "$RIBOGRID" align old.fa new.fa -q --emit cigar --force -o fresh.h5
    spoil matches 3 5 2000
    check "more matches than columns" damaged \
        'old.h5: its pairs are not those of its sequences; make it again'
    spoil score 61 60 1
    check "a pair that is none" damaged 'its pairs are not those of its sequences'
    spoil cigar_offset 3 5 -1
    check "a CIGAR that is elsewhere" damaged 'old.h5: '
    head -c 3000 whole.h5 >old.h5
    check "half a file" conflict 'old.h5: not an HDF5 file, or a truncated one'
    rm old.h5
    check "no file" conflict 'old.h5: cannot open it: No such file'
    cp new.fa old.h5
    check "no result" conflict 'old.h5: not an HDF5 file'
    "$RIBOGRID" align old.fa -q --id 0.5 --centroids length --force -o old.h5
    check "hits with centroids" conflict 'which depend on all sequences; align all files'
    "$RIBOGRID" cluster whole.h5 -q --id 0.9 -o otus
    cp otus.groups.h5 old.h5
    check "OTUs" conflict 'OTUs that .ribogrid cluster. wrote, not pairs'
    cp whole.h5 old.h5
    "$PYTHON" -c 'import h5py; del h5py.File("old.h5", "r+")["run"]'
    check "how it was made is missing" conflict 'old.h5: /run is missing; give a file as ribogrid wrote it'
    "$PYTHON" - <<'TEXT'
import h5py
with h5py.File("whole.h5") as old, h5py.File("old.h5", "w") as new:
    for name, value in old.attrs.items():
        new.attrs[name] = value
    for name in old:
        if name in ("score", "matches"):
            new.create_dataset(name, data=old[name][:], chunks=(17, 40))
        else:
            old.copy(name, new)
TEXT
    "$RIBOGRID" align old.fa new.fa -q --emit cigar --force -o fresh.h5
    check "other chunks" expect_exit 0 "$RIBOGRID" align new.fa --extend old.h5 --force \
        -o all.h5
    check "hold the same pairs" equal fresh.h5 all.h5
}

make_reads
test_options
test_sides
test_work
test_abundances
test_days
test_references
test_conflicts
test_files
finish
