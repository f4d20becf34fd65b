#!/usr/bin/env bash
#
# cli_view_refused.sh - files and command lines that `ribogrid view` and `ribogrid info` refuse.
. "$(dirname "$0")/../support/shell_test.sh"
need_h5py
golden=$here/golden

# both_refuse REGEX FILE: view and info refuse the file.
both_refuse()
{
    refused 1 "$1" "$RIBOGRID" view "$2" && refused 1 "$1" "$RIBOGRID" info "$2"
}

damage()
{
    "$PYTHON" - <<'END'
import shutil
import h5py

with h5py.File("foreign.h5", "w") as f:
    f["score"] = [[1, 2], [3, 4]]

def change(name, what):
    shutil.copy("mixed.h5", name)
    with h5py.File(name, "r+") as f:
        what(f)

def lose_columns(f):
    del f["columns"]

def lose_names(f):
    del f["sequences/names"]

def grow_side(f):
    f.attrs["tile_side"] = 1000

def zero_side(f):
    f.attrs["tile_side"] = 0

def newer(f):
    f.attrs["format_version"] = 2

def rename(f):
    f.attrs["format"] = "other"

def lose_job(f):
    del f.attrs["job"]

def number_as_job(f):
    f.attrs["job"] = 7

for make in (lose_columns, lose_names, grow_side, zero_side, newer, rename, lose_job,
             number_as_job):
    change(make.__name__ + ".h5", make)
with h5py.File("sim.h5", "r") as f:
    chunk = f["matches"].id.get_chunk_info(5)
data = bytearray(open("sim.h5", "rb").read())
data[chunk.byte_offset:chunk.byte_offset + chunk.size] = bytes(chunk.size)
open("chunk.h5", "wb").write(data)
END
}

test_foreign()
{
    local size

    check "a missing file is refused" \
        both_refuse 'missing.h5: cannot open it: No such file' missing.h5
    check "a name with a line feed leaves the message one line" \
        both_refuse 'two[?]lines: cannot open it: No such file' "$(printf 'two\nlines')"
    check "a directory is refused" \
        both_refuse '^ribogrid: .: cannot open it: Is a directory' .
    check "FASTA is refused" both_refuse 'exact.fa: not an HDF5 file' exact.fa
    : >empty.h5
    check "an empty file is refused" both_refuse 'empty.h5: not an HDF5 file' empty.h5
    size=$(stat -c %s sim.h5)
    for part in 8 100 $((size / 2)) $((size - 1)); do
        head -c "$part" sim.h5 >cut.h5
        check "a file cut after $part of $size bytes is refused" both_refuse \
            'cut.h5: not an HDF5 file, or a truncated one' cut.h5
    done
    check "damaged files are made" damage
    check "other HDF5 is refused" both_refuse 'not a ribogrid result' foreign.h5
    check "another format is refused" both_refuse 'not a ribogrid result' rename.h5
    check "a newer format is refused" both_refuse 'format version 2 is newer' newer.h5
    check "a missing dataset is refused" both_refuse 'a dataset is missing' lose_columns.h5
    check "missing names are refused" \
        both_refuse 'lose_names.h5: /sequences/names is missing' lose_names.h5
    check "a tile_side beyond the matrix is refused" \
        both_refuse 'tile_side is out of range' grow_side.h5
    check "a tile_side of 0 is refused" both_refuse 'tile_side is out of range' zero_side.h5
    check "a missing job is refused" both_refuse 'an attribute is missing' lose_job.h5
    check "a job that is not text is refused" \
        both_refuse 'an attribute is missing' number_as_job.h5
    check "a damaged chunk ends view with 1" expect_exit 1 "$RIBOGRID" view chunk.h5
    check "a damaged chunk is reported in one line" \
        expect_line 'chunk.h5: /matches is damaged at row 1, column 21' "$err"
}

# Files that name others, or claim more than they hold; before, view printed the lines of
# another file as CIGARs, and a file of 36 KB took 10 GB.
make_hostile()
{
    "$PYTHON" - "$golden/old_hits.h5" mixed.h5 <<'END'
import shutil
import sys
import h5py

for name in "outside", "linked", "huge":
    shutil.copy(sys.argv[1 + (name == "huge")], name + ".h5")
with h5py.File("outside.h5", "r+") as f:
    n = len(f["cigar"])
    del f["cigar"]
    f.create_dataset("cigar", (n,), "u1", external=[("/etc/passwd", 0, n)])
with h5py.File("linked.h5", "r+") as f:
    del f["hits/score"]
    f["hits/score"] = h5py.ExternalLink(sys.argv[1], "/hits/score")
with h5py.File("huge.h5", "r+") as f:
    del f["sequences/letters"]
    f.create_dataset("sequences/letters", (10**10,), "u1", chunks=True, compression=1)
END
}

test_hostile()
{
    check "hostile files are made" make_hostile
    check "storage in another file is refused" both_refuse \
        'outside.h5: /cigar stores its values in other files' outside.h5
    check "an external link is refused" both_refuse \
        'linked.h5: /hits/score is a link to another place' linked.h5
    check "bases that the file cannot hold are refused" refused 1 \
        'huge.h5: /sequences/letters has more values than its file can hold' \
        "$RIBOGRID" cluster huge.h5 --id 0.97 -o huge
    mkfifo fifo.h5
    check "a FIFO is refused" both_refuse 'fifo.h5: not a regular file' fifo.h5
    check "HDF5's environment has no effect" env HDF5_PLUGIN_PATH="$tmp" \
        HDF5_DRIVER=core HDF5_VOL_CONNECTOR=none "$RIBOGRID" info mixed.h5
}

test_usage()
{
    for id in 1.01 -1 97 97% x '' 0.97000000000; do
        check "--id '$id' is refused" refused 2 \
            '--id .*: give (a decimal|at most nine digits)' \
            "$RIBOGRID" view exact.h5 --id "$id"
    done
    for text in 0 0-3 51 1-51 5-3 3- -3 '3-5,' 3-5,0 3-5,51 3-5,9-8 3-5,6,7 x 3x 3-5x \
        '' ',' \
        1--1 99999999999999999999 -9223372036854775808 1-99999999999999999999; do
        check "--region '$text' is refused" refused 2 '--region .*within 1-50; see' \
            "$RIBOGRID" view sim.h5 --region "$text"
    done
    check "view without a file is refused" refused 2 'give FILE.h5' "$RIBOGRID" view
    check "info without a file is refused" refused 2 'give FILE.h5' "$RIBOGRID" info
    check "view of two files is refused" \
        refused 2 'unexpected argument' "$RIBOGRID" view mixed.h5 exact.h5
    check "info of two files is refused" \
        refused 2 'unexpected argument' "$RIBOGRID" info mixed.h5 exact.h5
    check "an unknown option of view is refused" \
        refused 2 'unknown option --if' "$RIBOGRID" view mixed.h5 \
        --if 0.9
    check "an unknown option of info is refused" \
        refused 2 'unknown option -x' "$RIBOGRID" info mixed.h5 -x
    check "an argument of devices is refused" \
        refused 2 'unexpected argument' "$RIBOGRID" devices gpu
    if [ -c /dev/full ]; then
        for command in "view sim.h5" "view exact.h5" "info exact.h5" devices --help; do
            check "$command: a full disk ends it with 1" expect_exit 1 \
                bash -c "exec '$RIBOGRID' $command >/dev/full"
            check "$command: a full disk is reported once" expect_line \
                'cannot write to stdout' "$err"
        done
    fi
}

printf '>base\nAAAAAAACCC\n>near\nAAAAAAACCG\n' >exact.fa
"$RIBOGRID" align exact.fa -q -o exact.h5
"$RIBOGRID" align "$golden/mixed.fa" -q -o mixed.h5
"$RIBOGRID" simulate 50 --length 60 -o sim.fa
"$RIBOGRID" align sim.fa -q -o sim.h5
test_foreign
test_hostile
test_usage
finish
