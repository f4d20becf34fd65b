#!/usr/bin/env bash
#
# cli_cluster.sh - `ribogrid cluster`: partitions compared with scipy, mothur and a plain loop,
# output files read by other programs, and refused input.
. "$(dirname "$0")/../support/shell_test.sh"
need_h5py
data=${RIBOGRID_DATA:-}/16s/rdp_testDMtrain.fasta.gz
n_missing=0

peers()
{
    "$PYTHON" "$here/tools/cluster_peers.py" "$@"
}

# agrees ARGUMENT...: cluster_peers.py finds no difference; missing peers are counted.
agrees()
{
    local status

    peers "$@"
    status=$?
    [ "$status" -eq 77 ] && n_missing=$((n_missing + 1)) && return 0
    return "$status"
}

# align ARGUMENT...: with a fixed kernel, because a trial would take longer than the pairs.
align()
{
    "$RIBOGRID" align "$@" -q --device cpu --kernel simd
}

# cluster PAIRS METHOD ID [OPTION]...: write g.*
cluster()
{
    local pairs=$1 method=$2 id=$3

    shift 3
    "$RIBOGRID" cluster "$pairs" --method "$method" --id "$id" -o g --force -q "$@"
}

# cluster_by PREFIX PAIRS ID METHOD...: write PREFIX.METHOD.ID.* for each method
cluster_by()
{
    local prefix=$1 pairs=$2 id=$3 method

    shift 3
    for method in "$@"; do
        "$RIBOGRID" cluster "$pairs" --method "$method" --id "$id" -q --force \
            -o "$prefix.$method.$id" || return 1
    done
}

test_points()
{
    local id

    check "200 points in a plane are made" peers make points.h5 200 1
    check "other points are made" peers make other.h5 200 2
    for id in 0.97 0.9; do
        check "clustering at $id succeeds" \
            cluster_by points points.h5 $id single complete average opti
        for order in size length; do
            check "centroid clustering by $order at $id succeeds" \
                "$RIBOGRID" cluster points.h5 --id $id -q \
                --method centroid --order $order -o points.$order.$id
        done
    done
    check "clustering of the other points succeeds" \
        cluster_by other other.h5 0.95 single complete average opti
    check "scipy and a plain loop find the same clusters" \
        agrees compare scipy,greedy points.h5 points.*.groups.h5
    check "mothur finds the same clusters, and opti is at least as good" \
        agrees compare mothur points.h5 points.*.groups.h5
    check "scipy and mothur agree on the other points" \
        agrees compare scipy,mothur other.h5 other.*.groups.h5
}

# trees METHOD...: --newick writes the trees that scipy finds, whole and cut.
trees()
{
    local id method

    for method in "$@"; do
        for id in 0.9 0.01; do
            cluster points.h5 "$method" "$id" --newick g.nwk &&
                "$PYTHON" "$here/tools/graph_newick.py" points.h5 g.nwk "$method" "$id" ||
                return 1
        done
    done
}

test_trees()
{
    if has_modules scipy; then
        check "trees of clusters are those of scipy" trees single average complete
    else
        n_missing=$((n_missing + 1))
    fi
    cluster points.h5 average 0.9 --newick one.nwk
    check "of several identities the tree has the lowest" eval 'cluster points.h5 average \
        0.97,0.9 --newick two.nwk && same one.nwk two.nwk'
    rm -f g.* one.nwk two.nwk
    check "--newick needs a method that makes a tree" refused 2 "--newick requires --method" \
        "$RIBOGRID" cluster points.h5 --id 0.9 --newick z.nwk -o z
    touch z.nwk
    check "an existing tree is kept" refused 1 "z.nwk.*--force" "$RIBOGRID" cluster points.h5 \
        --id 0.9 --method single --newick z.nwk -o z
    check "and no OTUs are written" absent z.otus.tsv z.groups.h5
}

# 120 real sequences, with ties, which other programs break differently, and without ties.
test_real()
{
    [ -r "$data" ] || return
    gzip -dc "$data" | awk '/^>/ && ++n > 120 { exit } { print }' >real.fa
    align real.fa -o real.h5
    check "ties are broken" peers untie real.h5 untied.h5
    for id in 0.97 0.9; do
        check "clustering real sequences at $id succeeds" \
            cluster_by real real.h5 $id single centroid
        check "clustering without ties at $id succeeds" \
            cluster_by untied untied.h5 $id single complete \
            average opti
    done
    check "scipy and a plain loop agree on real sequences" \
        agrees compare scipy,greedy real.h5 real.*.groups.h5
    check "scipy and mothur agree without ties" \
        agrees compare scipy,mothur untied.h5 untied.*.groups.h5
}

# rename_files NAME: rename the last files g.* to NAME.*
rename_files()
{
    local file

    for file in g.*; do
        mv "$file" "$1.${file#g.}"
    done
}

# same_files A B: text files and groups are equal; BIOM files contain the time.
same_files()
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
        cluster dense.h5 $method 0.95 --threads 1 && rename_files one
        cluster dense.h5 $method 0.95 --threads 4 && rename_files four
        check "$method: the number of threads does not matter" same_files one four
    done
    for method in single complete centroid opti; do
        cluster dense.h5 $method 0.95 && rename_files dense
        cluster sparse.h5 $method 0.95 && rename_files sparse
        for file in otus.tsv reps.fasta list; do
            check "$method: hits give the same $file as all pairs" \
                same dense.$file sparse.$file
        done
        check "$method: it writes five files" test "$(echo sparse.*)" = \
            "sparse.biom sparse.groups.h5 sparse.h5 sparse.list sparse.otus.tsv sparse.reps.fasta"
    done
    cluster dense.h5 opti 0.9 --seed 1 --starts 1 && rename_files one
    cluster dense.h5 opti 0.9 --seed 1 --starts 1 && rename_files two
    check "the same seed gives the same OTUs" same_files one two
}

# same_many ID: the files of many.* at an identity are those of a clustering of its own.
same_many()
{
    local file

    cluster points.h5 opti "$1" || return 1
    for file in otus.tsv reps.fasta; do
        same "many.$1.$file" "g.$file" || return 1
    done
    equal "many.$1.groups.h5" g.groups.h5 && [ -s "many.$1.biom" ] &&
        grep -qxF "$(tail -n 1 g.list)" many.list
}

# mothur finds as many OTUs at each label of a list.
mothur_finds()
{
    mothur "#set.logfile(name=m.log);get.otulist(list=many.list)" >mothur.out 2>&1
    for label in 0.03 0.10; do
        [ "$(grep -c '^Otu' many.$label.otu)" -eq "$(awk -v label=$label \
            '$1 == label { print $2 }' many.list)" ] || return 1
    done
}

test_several()
{
    check "two identities are clustered in one call" expect_exit 0 "$RIBOGRID" cluster \
        points.h5 --id 0.9,0.97 -o many
    check "one line each summarises them" test "$(grep -c ' OTUs by opti at 0.9' "$err")" -eq 2
    check "there are four files each and one list" test "$(echo many.*)" = "many.0.9.biom \
many.0.9.groups.h5 many.0.9.otus.tsv many.0.9.reps.fasta many.0.97.biom many.0.97.groups.h5 \
many.0.97.otus.tsv many.0.97.reps.fasta many.list"
    check "the list has a line for each, the highest identity first" test \
        "$(cut -f 1 many.list | tr '\n' ' ')" = 'label 0.03 0.10 '
    for id in 0.9 0.97; do
        check "files at $id are those of a clustering of their own" same_many $id
    done
    ! command -v mothur >/dev/null || check "mothur reads both lines" mothur_finds
    check "an identity twice" refused 2 'names an identity twice' "$RIBOGRID" cluster \
        points.h5 --id 0.97,0.9,0.970 -o x
}

# sum_column FILE K: print the sum of column K, counted from 1.
sum_column()
{
    awk -F '\t' -v c="$2" 'NR > 1 { sum += $c } END { print sum + 0 }' "$1"
}

# n_records: print the number of names in g.list.
n_records()
{
    # shellcheck disable=SC2020  # characters are meant
    tail -n 1 g.list | cut -f 3- | tr '\t,' '\n\n' | wc -l
}

# keep_table NAME: keep the last table as kept.NAME.*
keep_table()
{
    mv g.biom "kept.$1.biom" && cp g.otus.tsv "kept.$1.otus.tsv"
}

test_files()
{
    cp points.h5 full.h5
    check "abundances, records and samples are added" peers annotate full.h5
    check "clustering with samples succeeds" cluster full.h5 opti 0.95 --sizeout
    keep_table samples
    check "mothur reads the list" agrees list g
    check "samples are the columns of the table" test "$(head -n 1 g.otus.tsv)" = \
        "$(printf '#OTU ID\tsoil\tdeep sea')"
    # sizes are 1 + (5 i mod 7); the sum over 200 of them is 28 * 28 + 1 + 6 + 4 + 2
    check "the table contains all reads" test \
        $(($(sum_column g.otus.tsv 2) + $(sum_column g.otus.tsv 3))) -eq 797
    check "the representatives have all reads" test \
        "$(sed -n 's/^>.*;size=\([0-9]*\) .*/\1/p' g.reps.fasta |
            awk '{ sum += $1 } END { print sum }')" -eq 797
    check "the list contains every record" test "$(n_records)" -eq 267
    check "a comma in a name is escaped" grep -Eq '[[:space:],]s0_b,' g.list
    check "one message reports it" test "$("$RIBOGRID" cluster full.h5 --id 0.95 -o g \
        --force 2>&1 >/dev/null | grep -c "contain a comma or a blank")" -eq 1
    check "--min-size succeeds" cluster full.h5 opti 0.95 --min-size 20
    # shellcheck disable=SC2016  # the dollar is awk's
    check "--min-size leaves out rare OTUs" \
        awk -F '\t' 'NR > 1 && $2 + $3 < 20 { exit 1 }' g.otus.tsv
    keep_table rare
    for order in size length; do
        check "centroid clustering by $order succeeds" \
            "$RIBOGRID" cluster full.h5 --id 0.95 -q \
            --method centroid --order $order -o full.$order
    done
    check "a plain loop agrees with abundances" agrees compare greedy full.h5 \
        full.*.groups.h5
    check "clustering without samples succeeds" cluster points.h5 opti 0.95
    check "there is one column without samples" \
        test "$(head -n 1 g.otus.tsv)" = "$(printf '#OTU ID\tall')"
    keep_table all
    check "BIOM files equal the tables" agrees biom kept.samples kept.rare kept.all
}

test_summary()
{
    check "clustering with messages succeeds" \
        expect_exit 0 "$RIBOGRID" cluster points.h5 --id 0.97 \
        --method complete -o g --force
    check "one line on stderr summarises it" expect_line \
        '^ribogrid: 200 sequences: 82 OTUs by complete at 0.97, .* MCC 0\.[0-9]{4} \(tp ' \
        "$err"
    check "nothing is printed to stdout" silent "$out"
}

# Ten genes of 1000 bases and a fragment of 73 bases of the first one.
test_fragments()
{
    local warning='^ribogrid: warning: fragments.h5: 1 of 11 sequences are shorter than half of the median length of 973 bases .the shortest has 73.;.* --min-length 487, or '

    "$RIBOGRID" simulate 10 --length 1000 -o genes.fa
    { cat genes.fa && printf '>piece\n' &&
        awk 'NR > 1 && /^>/ { exit } !/^>/ { s = s $0 } END { print substr(s, 400, 73) }' genes.fa; } >fragments.fa
    align genes.fa --id 0.97 -o genes.h5
    align fragments.fa --id 0.97 -o fragments.h5
    align fragments.fa --id 0.97 --iddef 1 -o overhang.h5
    align fragments.fa --id 0.97 --ends count -o ends.h5
    "$RIBOGRID" cluster fragments.h5 --id 0.97 --method single -o g --force 2>&1 >"$out" |
        head -n 1 >"$err"
    check "single linkage of fragments is warned about" expect_line "$warning" "$err"
    check "--quiet omits the warning" expect_exit 0 "$RIBOGRID" cluster fragments.h5 \
        --id 0.97 --method single -o g --force -q
    check "and prints nothing" silent "$err"
    for file in genes overhang ends; do
        check "$file.h5: single linkage prints only its summary" not_warned $file.h5 single
    done
    check "OptiClust of fragments prints only its summary" not_warned fragments.h5 opti
}

# not_warned PAIRS METHOD: clustering prints one line, the summary.
not_warned()
{
    "$RIBOGRID" cluster "$1" --id 0.97 --method "$2" -o g --force 2>"$err" &&
        expect_line "OTUs by $2 at 0.97" "$err"
}

test_edges()
{
    printf '>a\nACGT\n' >one.fa
    : >none.fa
    align one.fa -o one.h5
    for method in single complete centroid average opti; do
        check "$method: one sequence is clustered" cluster one.h5 $method 0.97
        check "$method: it makes one OTU" \
            same <(printf '#OTU ID\tall\nOtu1\t1\n') g.otus.tsv
    done
    printf '>a\nACGTACGT\n>b\nACGTACGT\n>c\nACGTACGT\n' >equal.fa
    align equal.fa -o equal.h5
    for method in single complete centroid average opti; do
        check "$method: equal sequences are clustered" cluster equal.h5 $method 1
        check "$method: they make one OTU" same \
            <(printf 'label\tnumOtus\tOtu1\n0.00\t1\ta,b,c\n') g.list
    done
}

test_refused()
{
    align sim.fa --emit score -o score.h5
    align sim.fa --id 0.97 --against sim.fa -o against.h5
    check "a file of scores is refused" refused 1 'score.h5: the file holds only scores' \
        "$RIBOGRID" cluster score.h5 --id 0.97 -o x
    check "an identity below that of the hits is refused" \
        refused 1 'with an identity of at least 9/10; raise --id' \
        "$RIBOGRID" cluster sparse.h5 --id 0.899 -o x
    check "average of hits is refused" refused 1 'average linkage needs all' \
        "$RIBOGRID" cluster sparse.h5 --id 0.95 --method average -o x
    check "queries against references are refused" refused 1 'queries against references' \
        "$RIBOGRID" cluster against.h5 --id 0.97 -o x
    "$PYTHON" -c '
import h5py
with h5py.File("sparse.h5", "r+") as f:
    column, start = f["hits/col"], f["hits/row_start"][:]
    k = next(start[i] for i in range(len(start) - 1) if start[i + 1] - start[i] > 1)
    column[k + 1] = column[k]
'
    check "a duplicate pair is refused" refused 1 'does not come after the one before it' \
        "$RIBOGRID" cluster sparse.h5 --id 0.9 --method complete -o x
    check "a missing -o is refused" \
        refused 2 'give -o' "$RIBOGRID" cluster points.h5 --id 0.97
    check "a missing --id is refused" \
        refused 2 'give --id' "$RIBOGRID" cluster points.h5 -o x
    check "--id 0 is refused" \
        refused 2 'give --id' "$RIBOGRID" cluster points.h5 --id 0 -o x
    check "--order without centroid is refused" \
        refused 2 '--order requires --method centroid' \
        "$RIBOGRID" cluster points.h5 --id 0.97 -o x --order abundance
    check "an old value works with a warning" expect_exit 0 "$RIBOGRID" cluster points.h5 --id 0.97 \
        --method centroid --order size -o old_order
    check "... that names the new one" grep -q -- '--order size is now --order abundance' "$err"
    check "several files to stdout" refused 2 'several output files' "$RIBOGRID" cluster points.h5 \
        --id 0.97 -o -
    check "--seed without opti is refused" refused 2 'require --method opti' \
        "$RIBOGRID" cluster points.h5 --id 0.97 -o x --method single --seed 1
    check "--threads for a method with one thread is refused" \
        refused 2 'complete uses one thread' \
        "$RIBOGRID" cluster points.h5 --id 0.97 -o x --method complete --threads 2
    check "an unknown method is refused" refused 2 'give one of single' \
        "$RIBOGRID" cluster points.h5 --id 0.97 -o x --method ward
    check "a missing folder is refused" refused 1 'nowhere/x.otus.tsv: cannot create: No such' \
        "$RIBOGRID" cluster points.h5 --id 0.97 -o nowhere/x
    check "refused runs write nothing" absent x.*
    : >x.list
    check "an existing file is refused" refused 1 'x.list exists; give --force' \
        "$RIBOGRID" cluster points.h5 --id 0.97 -o x
    check "the existing file is unchanged" test ! -s x.list
    check "no other file is written" test "$(echo x.*)" = x.list
    (
        ulimit -f 1
        exec "$RIBOGRID" cluster points.h5 --id 0.97 -o big -q
    ) 2>"$err"
    check "a full disk is reported in one line" expect_line 'big\..*cannot' "$err"
    check "a full disk leaves no file" absent big.*
}

test_points
test_trees
test_sameness
test_files
test_several
test_summary
test_fragments
test_edges
test_refused
test_real
[ "$n_missing" -eq 0 ] || echo "$n_missing checks were skipped without their peer (scipy, mothur, biom-format)"
finish
