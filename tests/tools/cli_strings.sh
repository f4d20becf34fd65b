#!/usr/bin/env bash
#
# cli_strings.sh - strings in the files that we write are of fixed length, and files of
# version 1.3, where they are not, are read.
. "$(dirname "$0")/../support/shell_test.sh"
need_h5py

strings()
{
    "$PYTHON" "$here/tools/h5_strings.py" "$@"
}

align()
{
    expect_exit 0 "$RIBOGRID" align reads.fa -q "$@"
}

# same_output NEW OLD ARGS...: a command prints the same for both files.
same_output()
{
    local new=$1 old=$2 word=$3

    shift 3
    expect_exit 0 "$RIBOGRID" "$word" "$new" "$@" && mv "$out" new.txt &&
        expect_exit 0 "$RIBOGRID" "$word" "$old" "$@" && mv "$out" old.txt &&
        sed -i -e 's/ribogrid-pairs 1\.[0-9]*/ribogrid-pairs/' new.txt old.txt &&
        diff new.txt old.txt && [ -s new.txt ]
}

"$RIBOGRID" simulate 40 --length 300 --seed 3 >made.fa 2>/dev/null || exit 1
{
    cat made.fa
    head -n 15 made.fa | sed 's/>/>Jos\xc3\xa9_/'
} >reads.fa
grep '^>' reads.fa | sed 's/^>//; s/ .*//; s/$/\tsoil/' >samples.tsv
check "matrices" align -o dense.h5
check "CIGARs" align -o cigar.h5 --emit cigar
check "hits" align -o hits.h5 --id 0.5
check "hits of references" align -o against.h5 --id 0.5 --against made.fa --emit cigar
check "members and samples" align -o samples.h5 --derep --samples samples.tsv
printf '' >none.fa
check "an empty file" align -o none.h5 --against none.fa
check "groups" expect_exit 0 "$RIBOGRID" cluster hits.h5 -q --id 0.9 --method single -o otus
check "no file has a string of variable length" \
    strings fixed dense.h5 cigar.h5 hits.h5 against.h5 samples.h5 none.h5 \
    otus.groups.h5
check "names are stored as they are" "$PYTHON" -c '
import h5py
with h5py.File("samples.h5") as f:
    names = list(f["members/name"].asstr()[:])
    assert any(name.startswith("Jos\u00e9_") for name in names), names
    assert list(f["samples/names"].asstr()[:]) == ["soil"]'

for name in dense cigar hits against samples; do
    check "$name.h5 becomes a file of version 1.3" strings old $name.h5 old_$name.h5
    check "view reads an old $name.h5" same_output $name.h5 old_$name.h5 view
    check "info reads an old $name.h5" same_output $name.h5 old_$name.h5 info
done
check "cluster reads old names" expect_exit 0 \
    "$RIBOGRID" cluster old_samples.h5 -q --id 0.9 --method single -o old
check "cluster reads new names" expect_exit 0 \
    "$RIBOGRID" cluster samples.h5 -q --id 0.9 --method single -o new
check "the lists are the same" cmp old.list new.list
finish
