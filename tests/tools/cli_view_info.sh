#!/usr/bin/env bash
#
# cli_view_info.sh - `ribogrid view` and `ribogrid info`: selected pairs, described files, and
# refused files.
set -u

# shellcheck source-path=SCRIPTDIR source=../support/shell_test.sh
. "$(dirname "$0")/../support/shell_test.sh"
need_h5py
golden=$here/golden
cd "$tmp" || exit 1

# repeat N LETTER: print a letter N times.
repeat()
{
    printf "%$1s" '' | tr ' ' "$2"
}

# shows PAIRS ARGUMENT...: view prints these pairs, each as "query target,".
shows()
{
    local want=$1

    shift
    expect_exit 0 "$RIBOGRID" view --no-header "$@" && silent "$err" || return 1
    [ "$(cut -f 1,2 "$out" | tr '\t\n' ' ,')" = "$want" ] && return
    echo "not $want:"
    cat "$out"
    return 1
}

# Identities of 7, 10 and 97 in 100 columns: mismatches are cheaper than gaps.
test_id()
{
    {
        printf '>base\n%s%s\n' "$(repeat 7 A)" "$(repeat 93 C)"
        printf '>far\n%s%s\n' "$(repeat 7 A)" "$(repeat 93 G)"
        printf '>near\n%s%s%s\n' "$(repeat 7 A)" "$(repeat 90 C)" "$(repeat 3 G)"
    } >exact.fa
    "$RIBOGRID" align exact.fa -q --ends count -o exact.h5
    check "view prints all pairs" shows 'base far,base near,far near,' exact.h5
    check "identities of 7, 97 and 10 in 100" \
        test "$(cut -f 4- "$out" | tr '\t\n' ' ,')" = \
        '7 100 0.070000,97 100 0.970000,10 100 0.100000,'
    check "0.97 keeps 97/100" shows 'base near,' exact.h5 --id 0.97
    check "0.9700 is 0.97" shows 'base near,' exact.h5 --id=0.9700
    check "0.970001 drops 97/100" shows '' exact.h5 --id 0.970001
    check "0.07 keeps 7/100 (7.000000000000001 as floats have it)" \
        shows 'base far,base near,far near,' exact.h5 --id 0.07
    check "0.0700001 drops 7/100" shows 'base near,far near,' exact.h5 --id 0.0700001
    check "0.1 keeps 10/100" shows 'base near,far near,' exact.h5 --id .1
    check "1 drops all pairs" shows '' exact.h5 --id 1
    "$RIBOGRID" align "$golden/mixed.fa" -q -o mixed.h5
    check "1 keeps identical pairs" shows \
        'plain inside,plain longer,changed inside,missing inside,missing codes,inside codes,inside codes_too,inside longer,' \
        mixed.h5 --id 1
    check "0 drops pairs without an identity" \
        test "$("$RIBOGRID" view mixed.h5 --id 0 | grep -c NA)" -eq 0
    check "0 keeps all other pairs" \
        test "$("$RIBOGRID" view mixed.h5 --id 0 | wc -l)" -eq 23
    for id in 1.01 -1 97 97% x '' 0.97000000000; do
        check "--id '$id' is refused" refused 2 \
            '--id .*: give (a decimal|at most nine digits)' \
            "$RIBOGRID" view exact.h5 --id "$id"
    done
    "$RIBOGRID" align exact.fa -q --emit score -o score.h5
    check "--id needs identities" refused 2 '--id: score.h5 holds only scores' \
        "$RIBOGRID" view score.h5 --id 0.97
}

# region TEXT ROW0 ROW1 COL0 COL1: view prints the pairs that awk selects from the whole table.
region()
{
    awk -F '\t' -v a="$2" -v b="$3" -v c="$4" -v d="$5" '
        { i = substr($1, 4) + 0; k = substr($2, 4) + 0 }
        i >= a && i <= b && k >= c && k <= d' all.tsv >part.tsv
    expect_exit 0 "$RIBOGRID" view --no-header sim.h5 --region "$1" && same part.tsv \
        "$out"
}

test_region()
{
    "$RIBOGRID" simulate 50 --length 60 -o sim.fa
    "$RIBOGRID" align sim.fa -q -o sim.h5
    "$RIBOGRID" view --no-header sim.h5 >all.tsv
    check "50 sequences make 1225 pairs" test "$(wc -l <all.tsv)" -eq 1225
    check "tiles of 4, so that regions cross them" test "$(field tile sim.h5)" = '4 x 4'
    check "one row is selected" region 7 7 7 1 50
    check "the first row is selected" region 1-1 1 1 1 50
    check "the last row has no pair" region 50 50 50 1 50
    check "several rows are selected" region 3-18 3 18 1 50
    check "all rows are selected" region 1-50 1 50 1 50
    check "rows and columns are selected" region 3-18,10-31 3 18 10 31
    check "one pair is selected" region 3,30 3 3 30 30
    check "one column is selected" region 1-50,30 1 50 30 30
    check "a square on the diagonal is selected" region 9-13,9-13 9 13 9 13
    check "below the diagonal there is no pair" region 30-40,1-20 30 40 1 20
    check "--region and --id are combined" test \
        "$("$RIBOGRID" view --no-header sim.h5 --id 0.9 --region 3-18)" \
        = "$("$RIBOGRID" view --no-header sim.h5 --id 0.9 | awk -F '\t' '
            { i = substr($1, 4) + 0 } i >= 3 && i <= 18')"
    for text in 0 0-3 51 1-51 5-3 3- -3 '3-5,' 3-5,0 3-5,51 3-5,9-8 3-5,6,7 x 3x 3-5x \
        '' ',' \
        1--1 99999999999999999999 -9223372036854775808 1-99999999999999999999; do
        check "--region '$text' is refused" refused 2 '--region .*within 1-50; see' \
            "$RIBOGRID" view sim.h5 --region "$text"
    done
}

test_header()
{
    check "the header has six columns" \
        test "$("$RIBOGRID" view exact.h5 | head -n 1 | tr '\t' ' ')" = \
        'query target score matches columns identity'
    check "the header of scores has three columns" \
        test "$("$RIBOGRID" view score.h5 | head -n 1 | tr '\t' ' ')" = \
        'query target score'
    check "--no-header omits the header" \
        test "$("$RIBOGRID" view --no-header exact.h5 | wc -l)" -eq 3
    "$RIBOGRID" view sim.h5 2>pipe.txt | head -n 1 >/dev/null
    check "a closed pipe prints no message" silent pipe.txt
}

# info_is FILE NAME VALUE: info prints this value.
info_is()
{
    [ "$(field "$2" "$1")" = "$3" ] && return
    echo "$2 is '$(field "$2" "$1")', not '$3'"
    return 1
}

test_info()
{
    check "info succeeds" expect_exit 0 "$RIBOGRID" info mixed.h5
    # shellcheck disable=SC2016  # the dollar is awk's
    check "info prints lines of three columns" awk -F '\t' \
        'NF != 3 || $1 !~ /^(file|job|run)$/ { exit 1 }' "$out"
    check "info prints no message" silent "$err"
    check "format" info_is mixed.h5 format 'ribogrid-pairs 1.6'
    check "sequences" info_is mixed.h5 sequences 8
    check "pairs" info_is mixed.h5 pairs 28
    check "datasets" info_is mixed.h5 datasets 'score matches columns'
    check "datasets of --emit score" info_is score.h5 datasets score
    check "ends" info_is mixed.h5 ends free
    check "ends, counted" info_is exact.h5 ends count
    check "min_overlap" info_is mixed.h5 min_overlap 1/2
    check "no min_overlap where ends count" info_is exact.h5 min_overlap ''
    check "scores" test \
        "$(field match mixed.h5) $(field mismatch mixed.h5) $(field gap mixed.h5)" = \
        '4 -5 -7'
    check "ambiguity" info_is mixed.h5 ambiguity n-mismatch
    check "pairs_computed" info_is mixed.h5 pairs_computed 28
    check "command" \
        info_is mixed.h5 command "ribogrid align $golden/mixed.fa -q -o mixed.h5"
    check "info prints a line about the device" grep -Eq \
        '^run.device.rank=0 host=.* kernel=.* threads=[0-9]+ tiles=3 ' "$out"
    "$RIBOGRID" align "$golden/mixed.fa" -q --matrix "$golden/hand.matrix" -o matrix.h5
    check "a matrix has a digest" test "$(field matrix_digest matrix.h5 | wc -c)" -eq 17
    check "a matrix has no match score" info_is matrix.h5 match ''
}

# What `cluster` and an unfinished `align` leave is described as well; `view` names it.
test_other_files()
{
    "$RIBOGRID" cluster mixed.h5 --id 0.9 --min-size 2 -q -o otus
    check "info describes OTUs" expect_exit 0 "$RIBOGRID" info otus.groups.h5
    # shellcheck disable=SC2016  # the dollar is awk's
    check "OTUs: lines of three columns" awk -F '\t' \
        'NF != 3 || $1 !~ /^(file|otus|run)$/ { exit 1 }' "$out"
    check "OTUs: the format" grep -q '^file.format.ribogrid-groups 1' "$out"
    check "OTUs: how they were found" grep -Pq '^otus\tmethod\topti$' "$out"
    check "OTUs: the identity" info_is otus.groups.h5 id 9/10
    check "OTUs: their number" info_is otus.groups.h5 otus \
        "$(grep -c '^Otu' otus.otus.tsv)"
    check "OTUs: sequences" info_is otus.groups.h5 sequences 8
    check "OTUs: sequences left out" info_is otus.groups.h5 sequences_left_out \
        $((8 - $(awk -F '\t' 'NR > 1 { n += $2 } END { print n }' otus.otus.tsv)))
    check "OTUs: the MCC and its counts" test \
        $(($(field tp otus.groups.h5) + $(field tn otus.groups.h5) + $(field fp \
            otus.groups.h5) + $(field fn otus.groups.h5))) -eq 28
    check "OTUs: their input" info_is otus.groups.h5 input mixed.h5
    check "OTUs are no pairs" refused 1 'OTUs that .ribogrid cluster. wrote, not pairs' \
        "$RIBOGRID" export otus.groups.h5 --format paf
    check "their sequences are viewed" expect_exit 0 "$RIBOGRID" view otus.groups.h5 --no-header
    check "each has a line" test "$(wc -l <"$out")" -eq "$(field sequences otus.groups.h5)"
    check "a BIOM table is no result" refused 1 'not a ribogrid result' "$RIBOGRID" info \
        otus.biom
    (
        ulimit -f 4
        "$RIBOGRID" align sim.fa -q -o part.h5 2>/dev/null
    )
    cp part.h5.part before
    check "info describes the log of an unfinished run" expect_exit 0 "$RIBOGRID" info \
        part.h5.part
    check "the log: how to continue" grep -Pq '^file\tstate\tan unfinished run: .*--resume' \
        "$out"
    check "the log: finished tasks" test "$(field finished part.h5.part) $(field tasks \
        part.h5.part)" = "$(log_state part.h5.part | cut -d ' ' -f 1) 91"
    check "the log: its job" grep -Pq '^job\tsequences\t50$' "$out"
    check "the log is left as it was" same before part.h5.part
    check "the log is no result" refused 1 \
        'the log of an unfinished run, which --resume continues' "$RIBOGRID" view \
        part.h5.part
}

# repacked PAIRS OPTION...: h5repack changes the storage of a file, but not what view prints.
repacked()
{
    "$RIBOGRID" view "$1" >want.tsv || return 1
    h5repack "${@:2}" "$1" repacked.h5 || return 1
    "$RIBOGRID" view repacked.h5 >got.tsv && same want.tsv got.tsv
}

test_repacked()
{
    local file option

    command -v h5repack >/dev/null || return 0
    for file in mixed.h5 "$golden/old_dense.h5" "$golden/old_hits.h5"; do
        for option in -L '-l CONTI' '-f NONE' '-f GZIP=9' '-f SHUF -f GZIP=1'; do
            # shellcheck disable=SC2086 # two words
            check "$file is read after h5repack $option" repacked "$file" $option
        done
    done
}

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

test_id
test_region
test_header
test_info
test_other_files
test_repacked
test_foreign
test_hostile
test_usage
finish
