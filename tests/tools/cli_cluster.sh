#!/usr/bin/env bash
#
# cli_cluster.sh - `ribogrid cluster` from the outside: partitions beside scipy's, mothur's
# and a plain loop's, files as others read them, and what is refused.
set -u

# shellcheck source-path=SCRIPTDIR source=../support/shell_test.sh
. "$(dirname "$0")/../support/shell_test.sh"
need_h5py
data=${RIBOGRID_DATA:-}/16s/rdp_testDMtrain.fasta.gz
n_absent=0
cd "$tmp" || exit 1

peers()
{
    "$PYTHON" "$here/tools/cluster_peers.py" "$@"
}

# agrees PEER FILE...: the peer finds the same; one that is not there is counted.
agrees()
{
    local status

    peers "$@"
    status=$?
    [ "$status" -eq 77 ] && n_absent=$((n_absent + 1)) && return 0
    return "$status"
}

# Without a trial of kernels, which takes longer than the pairs.
align()
{
    "$RIBOGRID" align "$@" -q --device cpu --kernel simd
}

# cluster PAIRS METHOD ID [OPTION]...: into g.*
cluster()
{
    local pairs=$1 method=$2 id=$3

    shift 3
    "$RIBOGRID" cluster "$pairs" --method "$method" --id "$id" -o g --force -q "$@"
}

# clusters PREFIX PAIRS ID METHOD...: PREFIX.METHOD.ID.groups.h5 and its like for each
clusters()
{
    local prefix=$1 pairs=$2 id=$3 method

    shift 3
    for method in "$@"; do
        "$RIBOGRID" cluster "$pairs" --method "$method" --id "$id" -q --force \
            -o "$prefix.$method.$id" || return 1
    done
}

test_made()
{
    local id

    check "200 points in a plane" peers make made.h5 200 1
    check "and others" peers make other.h5 200 2
    for id in 0.97 0.9; do
        check "clusters at $id" clusters made made.h5 $id single complete average opti
        for order in size length; do
            check "centroids by $order at $id" "$RIBOGRID" cluster made.h5 --id $id -q \
                --method centroid --order $order -o made.$order.$id
        done
    done
    check "other clusters" clusters other other.h5 0.95 single complete average opti
    check "single, complete and average are scipy's, centroid is a plain loop's" \
        agrees beside scipy,greedy made.h5 made.*.groups.h5
    check "single and complete are mothur's, opti is no worse" \
        agrees beside mothur made.h5 made.*.groups.h5
    check "likewise other points" agrees beside scipy,mothur other.h5 other.*.groups.h5
}

# 120 real sequences; with ties, which other programs decide in other ways, and without.
test_real()
{
    [ -r "$data" ] || return
    gzip -dc "$data" | awk '/^>/ && ++n > 120 { exit } { print }' >real.fa
    align real.fa -o real.h5
    check "ties can be broken" peers untie real.h5 untied.h5
    for id in 0.97 0.9; do
        check "real clusters at $id" clusters real real.h5 $id single centroid
        check "untied clusters at $id" clusters untied untied.h5 $id single complete \
            average opti
    done
    check "real: single is scipy's, centroid is a plain loop's" \
        agrees beside scipy,greedy real.h5 real.*.groups.h5
    check "untied: all are scipy's and mothur's" \
        agrees beside scipy,mothur untied.h5 untied.*.groups.h5
}

# keeps NAME: the last files under another name.
keeps()
{
    local file

    for file in g.*; do
        mv "$file" "$1.${file#g.}"
    done
}

# alike A B: equal text files, equal groups; BIOM tells the time.
alike()
{
    local file

    for file in otus.tsv reps.fasta list; do
        same "$1.$file" "$2.$file" || return 1
    done
    equal "$1.groups.h5" "$2.groups.h5"
}

test_sameness()
{
    "$RIBOGRID" simulate 300 --length 200 -o sim.fa
    align sim.fa -o dense.h5
    align sim.fa --id 0.9 -o sparse.h5
    for method in single average opti; do
        cluster dense.h5 $method 0.95 --threads 1 && keeps one
        cluster dense.h5 $method 0.95 --threads 4 && keeps four
        check "$method: threads do not matter" alike one four
    done
    for method in single complete centroid opti; do
        cluster dense.h5 $method 0.95 && keeps dense
        cluster sparse.h5 $method 0.95 && keeps sparse
        for file in otus.tsv reps.fasta list; do
            check "$method: hits alone do as well ($file)" same dense.$file sparse.$file
        done
        check "$method: nothing but five files" test "$(echo sparse.*)" = \
            "sparse.biom sparse.groups.h5 sparse.h5 sparse.list sparse.otus.tsv sparse.reps.fasta"
    done
    cluster dense.h5 opti 0.9 --seed 1 --starts 1 && keeps one
    cluster dense.h5 opti 0.9 --seed 1 --starts 1 && keeps two
    check "the same seed, the same OTUs" alike one two
}

# Sum of a table's column, from 1.
column()
{
    awk -F '\t' -v c="$2" 'NR > 1 { sum += $c } END { print sum + 0 }' "$1"
}

# n_records: how many names the .list holds.
n_records()
{
    # shellcheck disable=SC2020  # characters are meant
    tail -n 1 g.list | cut -f 3- | tr '\t,' '\n\n' | wc -l
}

# keep_table NAME: the last table, as kept.NAME.*
keep_table()
{
    mv g.biom "kept.$1.biom" && cp g.otus.tsv "kept.$1.otus.tsv"
}

test_files()
{
    cp made.h5 full.h5
    check "abundances, records and samples can be put in" peers annotate full.h5
    check "a table of samples" cluster full.h5 opti 0.95
    keep_table samples
    check "mothur reads the list" agrees list g
    check "samples are the columns" test "$(head -n 1 g.otus.tsv)" = \
        "$(printf '#OTU ID\tsoil\tdeep sea')"
    # sizes 1 + (5 i mod 7): 200 of them, 28 times the sum 28 and 1 + 6 + 4 + 2
    check "all reads are in the table" test \
        $(($(column g.otus.tsv 2) + $(column g.otus.tsv 3))) -eq 797
    check "and in the representatives" test \
        "$(sed -n 's/^>.*;size=\([0-9]*\) .*/\1/p' g.reps.fasta |
            awk '{ sum += $1 } END { print sum }')" -eq 797
    check "each record is in the list" test "$(n_records)" -eq 267
    check "a comma is escaped" grep -Eq '[[:space:],]s0_b,' g.list
    check "and that is said once" test "$("$RIBOGRID" cluster full.h5 --id 0.95 -o g \
        --force 2>&1 >/dev/null | grep -c "contain a comma or a blank")" -eq 1
    check "rare OTUs can be left out" cluster full.h5 opti 0.95 --min-size 20
    # shellcheck disable=SC2016  # the dollar is awk's
    check "none is rare then" awk -F '\t' 'NR > 1 && $2 + $3 < 20 { exit 1 }' g.otus.tsv
    keep_table rare
    for order in size length; do
        check "centroids by $order" "$RIBOGRID" cluster full.h5 --id 0.95 -q \
            --method centroid --order $order -o full.$order
    done
    check "abundances count for a plain loop as well" agrees beside greedy full.h5 \
        full.*.groups.h5
    check "without samples" cluster made.h5 opti 0.95
    check "one column" test "$(head -n 1 g.otus.tsv)" = "$(printf '#OTU ID\tall')"
    keep_table all
    check "BIOM is the table each time" agrees biom kept.samples kept.rare kept.all
}

test_summary()
{
    check "a summary" expect_exit 0 "$RIBOGRID" cluster made.h5 --id 0.97 \
        --method complete -o g --force
    check "on stderr, in one line" expect_line \
        '^ribogrid: 200 sequences: 82 OTUs by complete at 0.97, .* MCC 0\.[0-9]{4} \(tp ' \
        "$err"
    check "nothing on stdout" silent "$out"
}

test_edges()
{
    printf '>a\nACGT\n' >one.fa
    : >none.fa
    align one.fa -o one.h5
    for method in single complete centroid average opti; do
        check "$method: one sequence" cluster one.h5 $method 0.97
        check "$method: one OTU" same <(printf '#OTU ID\tall\nOtu1\t1\n') g.otus.tsv
    done
    printf '>a\nACGTACGT\n>b\nACGTACGT\n>c\nACGTACGT\n' >equal.fa
    align equal.fa -o equal.h5
    for method in single complete centroid average opti; do
        check "$method: equal sequences" cluster equal.h5 $method 1
        check "$method: are one OTU" same \
            <(printf 'label\tnumOtus\tOtu1\n0.00\t1\ta,b,c\n') g.list
    done
}

test_refused()
{
    align sim.fa --emit score -o score.h5
    align sim.fa --id 0.97 --against sim.fa -o against.h5
    check "scores alone" refused 1 'score.h5: the file holds only scores' \
        "$RIBOGRID" cluster score.h5 --id 0.97 -o x
    check "hits above --id" refused 1 'with an identity of at least 9/10; raise --id' \
        "$RIBOGRID" cluster sparse.h5 --id 0.899 -o x
    check "average of hits" refused 1 'average linkage needs all' \
        "$RIBOGRID" cluster sparse.h5 --id 0.95 --method average -o x
    check "references" refused 1 'queries against references' \
        "$RIBOGRID" cluster against.h5 --id 0.97 -o x
    "$PYTHON" -c '
import h5py
with h5py.File("sparse.h5", "r+") as f:
    column, start = f["hits/col"], f["hits/row_start"][:]
    k = next(start[i] for i in range(len(start) - 1) if start[i + 1] - start[i] > 1)
    column[k + 1] = column[k]
'
    check "a pair that comes twice" refused 1 'sparse.h5: its pairs are not in order' \
        "$RIBOGRID" cluster sparse.h5 --id 0.9 --method complete -o x
    check "no -o" refused 2 'give -o' "$RIBOGRID" cluster made.h5 --id 0.97
    check "no --id" refused 2 'give --id' "$RIBOGRID" cluster made.h5 -o x
    check "--id 0" refused 2 'give --id' "$RIBOGRID" cluster made.h5 --id 0 -o x
    check "--order without centroid" refused 2 '--order requires --method centroid' \
        "$RIBOGRID" cluster made.h5 --id 0.97 -o x --order size
    check "--seed without opti" refused 2 'require --method opti' \
        "$RIBOGRID" cluster made.h5 --id 0.97 -o x --method single --seed 1
    check "--threads where one is taken" refused 2 'complete uses one thread' \
        "$RIBOGRID" cluster made.h5 --id 0.97 -o x --method complete --threads 2
    check "a method that there is not" refused 2 'give one of single' \
        "$RIBOGRID" cluster made.h5 --id 0.97 -o x --method ward
    check "a folder that there is not" refused 1 'cannot write to this directory' \
        "$RIBOGRID" cluster made.h5 --id 0.97 -o nowhere/x
    check "and nothing was written" absent x.*
    : >x.list
    check "what is there is kept" refused 1 'x.list exists; give --force' \
        "$RIBOGRID" cluster made.h5 --id 0.97 -o x
    check "as it was" test ! -s x.list
    check "and stands alone" test "$(echo x.*)" = x.list
    (
        ulimit -f 1
        exec "$RIBOGRID" cluster made.h5 --id 0.97 -o big -q
    ) 2>"$err"
    check "a full disk is said in one line" expect_line 'big\..*cannot' "$err"
    check "and leaves no file" absent big.*
}

test_made
test_sameness
test_files
test_summary
test_edges
test_refused
test_real
[ "$n_absent" -eq 0 ] || echo "$n_absent checks lacked their peer (scipy, mothur, biom-format)"
finish
