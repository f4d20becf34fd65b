#!/usr/bin/env bash
#
# cli_export_fasta.sh - `ribogrid export --format fasta`: the sequences that were aligned, and
# the representatives of OTUs, with and without sizes.
. "$(dirname "$0")/../support/shell_test.sh"
need_h5py
data=${RIBOGRID_DATA:-/nowhere}/16s/rdp_Armatimonadetes.fasta.gz

align()
{
    "$RIBOGRID" align "$@" -q --force
}

# exports FILE PAIRS [OPTION]...: write FASTA without a message.
exports()
{
    expect_exit 0 "$RIBOGRID" export "$2" --format fasta -o "$1" "${@:3}" --force &&
        silent "$err"
}

# Every third record is reverse-complemented, all have a size, and every fifth comes again.
make_reads()
{
    gzip -dc "$data" | "$PYTHON" -c '
import sys
complement = str.maketrans("acgtrykmbvdhACGTRYKMBVDH", "tgcayrmkvbhdTGCAYRMKVBHD")
for k, record in enumerate(sys.stdin.read().split(">")[1:41]):
    name, _, letters = record.partition("\n")
    letters = letters.replace("\n", "")
    if k % 3 == 1:
        letters = letters.translate(complement)[::-1]
    print(f">{name.split()[0]};size={k % 4 + 1}\n{letters}")
    if k % 5 == 0:
        print(f">again_{k}\n{letters}")' >reads.fa
}

sum_sizes()
{
    awk -F ';size=' '/^>/ { n += $2 } END { print n }' "$1"
}

# What was written is what was compared: aligned as it is, it makes the same file.
test_prepared()
{
    local prepared=(--sizein --derep --orient --min-length 1000 --max-ambig 20)

    if [ ! -r "$data" ]; then
        echo "without data: prepared genes are not written"
        return
    fi
    make_reads
    check "reads are prepared and aligned" align reads.fa "${prepared[@]}" --emit score -o p.h5
    check "they are written with sizes" exports p.fa p.h5 --sizeout
    check "and again, with no step left to do" align p.fa --sizein --emit score -o again.h5
    check "sequences, sizes and scores are the same" "$PYTHON" -c '
import h5py
import numpy
with h5py.File("p.h5") as p, h5py.File("again.h5") as again:
    for name in ("names", "size", "offset", "letters"):
        assert numpy.array_equal(p["sequences"][name][:], again["sequences"][name][:]), name
    assert numpy.array_equal(p["score"][:], again["score"][:])
    assert len(p["members/name"]) > len(p["sequences/names"]) > 20'
    check "without --sizeout names stand alone" exports names.fa p.h5
    check "the letters are the same" same names.fa <(sed 's/;size=[0-9]*$//' p.fa)
    command -v vsearch >/dev/null || return
    check "vsearch reads the sizes" vsearch --fastx_uniques p.fa --sizein --sizeout \
        --fastaout v.fa --quiet
    check "all of them" test "$(sum_sizes v.fa)" -eq "$(sum_sizes p.fa)"
}

test_names()
{
    printf '>a b;size=4\nACGTACGTAC\n>c\nACGTACGTAG\n' >two.fa
    check "whole headers" align two.fa --full-names --sizein -o full.h5
    check "are written" exports full.fa full.h5 --sizeout
    check "with sizes in their first words" same full.fa \
        <(printf '>a;size=4 b\nACGTACGTAC\n>c;size=1\nACGTACGTAG\n')
    check "no sizes are known" align two.fa -o plain.h5
    check "--sizeout writes 1, as vsearch does" exports one.fa plain.h5 --sizeout
    check "for each" test "$(grep -c '^>.*;size=1$' one.fa)" -eq 2
    check "to stdout" expect_exit 0 "$RIBOGRID" export plain.h5 --format fasta
    check "the same without sizes" same "$out" <(printf '>a\nACGTACGTAC\n>c\nACGTACGTAG\n')
    check "of queries and references" align two.fa --against two.fa --id 0.5 --strand both \
        -o against.h5
    check "the queries" exports queries.fa against.h5
    check "are written once, forward" same queries.fa <(printf '>a\nACGTACGTAC\n>c\nACGTACGTAG\n')
    printf '>p\nMKVLATT\n>q\nMKVLAWW\n' >protein.fa
    check "proteins" align protein.fa --alphabet protein -o protein.h5
    check "are written" exports p.out protein.h5
    check "with their letters" same protein.fa p.out
}

test_representatives()
{
    "$RIBOGRID" simulate 40 --length 200 --divergence 8 --seed 2 |
        awk '/^>/ { print $1 ";size=" ++n % 5 + 1; next } { print }' >sim.fa
    align sim.fa --sizein -o sim.h5
    "$RIBOGRID" cluster sim.h5 -q --id 0.97 -o o && "$RIBOGRID" cluster sim.h5 -q --id 0.97 \
        --sizeout -o s
    check "representatives" exports reps.fa sim.h5 --groups o.groups.h5
    check "are those of cluster" same o.reps.fasta reps.fa
    check "with sizes" exports sized.fa sim.h5 --groups o.groups.h5 --sizeout
    check "as cluster --sizeout writes them" same s.reps.fasta sized.fa
    check "their names are those of the table" same <(sed -n 's/^>\([^ ]*\).*/\1/p' reps.fa) \
        <(sed 1d o.otus.tsv | cut -f 1)
}

test_refused()
{
    check "--sizeout for pairs" refused 2 '--sizeout requires --format fasta' \
        "$RIBOGRID" export plain.h5 --format column --sizeout
    check "--id for sequences" refused 2 'are for pairs, not for sequences' \
        "$RIBOGRID" export plain.h5 --format fasta --id 0.9
    check "--taxonomy for sequences" refused 2 'give --groups' \
        "$RIBOGRID" export plain.h5 --format fasta --taxonomy two.fa
    check "a full disk" expect_exit 1 eval '"$RIBOGRID" export plain.h5 --format fasta >/dev/full'
    check "no output is replaced without --force" refused 1 'full.fa' \
        "$RIBOGRID" export full.h5 --format fasta -o full.fa
}

test_prepared
test_names
test_representatives
test_refused
finish
