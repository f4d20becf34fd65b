#!/usr/bin/env bash
#
# cli_kinds.sh - `info`, `view` and `report` on every kind of file, of this version and of
# the one before all files had the same /run.
. "$(dirname "$0")/../support/shell_test.sh"
need_h5py
golden=$here/golden

# make_files: one file of each kind.
make_files()
{
    local to=(-q --threads 1)

    "$RIBOGRID" simulate 12 --length 60 --divergence 4 | sed 's/^>[^0-9]*/>g/' >genes.fa &&
        awk '/^>/ { printf "%s\tBacteria;Phylum%d\n", substr($1, 2), n++ % 3 }' genes.fa >genes.tax &&
        "$RIBOGRID" align genes.fa "${to[@]}" -o pairs.h5 &&
        "$RIBOGRID" align genes.fa "${to[@]}" --id 0.9 -o hits.h5 &&
        "$RIBOGRID" cluster pairs.h5 --id 0.97 -q -o otus && mv otus.groups.h5 groups.h5 &&
        "$RIBOGRID" graph make grid --rows 3 --columns 4 --weights uniform:1-9 "${to[@]}" \
            -o graph.h5 &&
        "$RIBOGRID" graph bfs hits.h5 --id 0.9 --sources 2 "${to[@]}" -o bfs.h5 &&
        "$RIBOGRID" graph mst graph.h5 "${to[@]}" -o mst.h5 &&
        "$RIBOGRID" classify train genes.fa --taxonomy genes.tax "${to[@]}" -o model.h5 &&
        "$RIBOGRID" classify genes.fa --model model.h5 --min-support 0 "${to[@]}" -o names.h5 &&
        printf '[net]\ninput = 1x4x4\nclasses = 3\n[layers]\na = linear classes\nb = softmax\n' \
            >small.ini &&
        "$RIBOGRID" cnn train small.ini synthetic:12 --test synthetic:4 --batch 4 --epochs 2 \
            "${to[@]}" -o network.h5 &&
        printf 'AC+G\n^>\n' >patterns.txt &&
        "$RIBOGRID" automata build patterns.txt "${to[@]}" -o automata.h5 &&
        "$RIBOGRID" automata match automata.h5 genes.fa --lines "${to[@]}" -o matches.h5 &&
        "$RIBOGRID" clades pairs.h5 --taxonomy genes.tax --cuts 2 "${to[@]}" -o taxa.h5 &&
        printf 'P5 2 2 255\nabcz' >gray.pgm && "$RIBOGRID" ihist gray.pgm --bins 8 "${to[@]}" -o ihist.h5 &&
        "$RIBOGRID" mesh make grid --points 9 -q -o grid && "$RIBOGRID" mesh refine grid.poly "${to[@]}" -o mesh.h5 &&
        printf '>p\nMKVWALTNRDWWYHC\n>q\nMKVW\n' >db.faa && "$RIBOGRID" search build db.faa "${to[@]}" -o db.h5
}

# shows FILE COMMAND HEADER SVGS: info names the command that made the file, view prints this
# line of column names, and the page has these pictures.
shows()
{
    expect_exit 0 "$RIBOGRID" info "$1" && silent "$err" &&
        grep -q $'^run\tprogram\tribogrid ' "$out" && grep -q $'^run\tseconds\t[0-9]' "$out" &&
        grep -q "^run	command	ribogrid $2 " "$out" || return 1
    expect_exit 0 "$RIBOGRID" view "$1" && silent "$err" && [ "$(head -1 "$out")" = "$3" ] &&
        [ "$(wc -l <"$out")" -gt 1 ] || return 1
    expect_exit 0 "$RIBOGRID" report "$1" -q -o page.html --force && silent "$err" &&
        [ "$(grep -c '<svg id' page.html)" -eq "$4" ] && grep -q '</html>' page.html
}

# ours FILE: /run has what every kind has.
ours()
{
    "$PYTHON" - "$1" <<'END'
import sys
import h5py
with h5py.File(sys.argv[1]) as f:
    run = f["run"]
    wanted = ["program", "command", "started", "finished", "seconds", "ranks"]
    missing = [name for name in wanted if name not in run.attrs]
    known = "devices" in run or sys.argv[1] in ("groups.h5", "graph.h5", "db.h5")
sys.exit(f"{missing} {known}" if missing or not known else 0)
END
}

pairs=$'query\ttarget\tscore\tmatches\tcolumns\tidentity'
nodes=$'source\tsource_name\tid\tname\tdepth\tparent\tparent_name'
names=$'name\tstrand\tlineage\tsupport\tmethod'
taxa=$'name\tlineage\tbest_at_0\tbest_ends_0\tbest_at_1\tbest_ends_1\tbest_at_2\tbest_ends_2'
curve=$'iteration\tloss\taccuracy\trate\ttest_loss\ttest_accuracy'

# check_kinds PREFIX: info, view and report on the files PREFIXbfs.h5 and so on.
check_kinds()
{
    check "$1 graph" shows "$1bfs.h5" 'graph bfs' "$nodes" 2
    check "$1 edges" shows "$1mst.h5" 'graph mst' $'source\ttarget\tweight' 1
    check "$1 names" shows "$1names.h5" classify "$names" 3
    check "$1 network" shows "$1network.h5" 'cnn train' "$curve" 3
}

check "one file of each kind" make_files
check_kinds ''
check "a model" shows model.h5 'classify train' $'name\tbases\tlineage' 2
check "pairs" shows pairs.h5 align "$pairs" 4
check "groups" shows groups.h5 cluster $'sequence\totu\trepresentative' 2
check "a graph" shows graph.h5 'graph make' $'source\ttarget\tweight' 1
check "automata" shows automata.h5 'automata build' $'number\tpositions\tgroup\tpattern' 1
check "matches" shows matches.h5 'automata match' $'line\tend\tnumber\tpattern' 1
check "taxa" shows taxa.h5 clades "$taxa" 2
check "a mesh" shows mesh.h5 'mesh refine' $'triangle\ta\tb\tc\tax\tay\tbx\tby\tcx\tcy\tsmallest_angle' 1
check "histograms" shows ihist.h5 ihist $'frame\tfrom\tto\tpixels' 1
check "a database" shows db.h5 'search build' $'name\tresidues' 1
for file in pairs hits groups graph bfs mst names model network automata matches taxa ihist mesh db; do
    check "/run of $file.h5" ours $file.h5
done
for file in "$golden"/old_*.h5.gz; do
    gunzip -c "$file" >"$(basename "$file" .gz)"
done
check_kinds old_
check "a model whose thresholds are of another rate" refused 1 \
    'of version 4, and not 5; make it again' "$RIBOGRID" view old_model.h5
cp "$golden/old_hits.h5" "$golden/old_dense.groups.h5" .
for file in old_hits.h5 old_dense.groups.h5 old_graph.h5; do
    check "info: $file" expect_exit 0 "$RIBOGRID" info $file
    check "view: $file" expect_exit 0 "$RIBOGRID" view $file
done
check "report: OTUs of the version before" expect_exit 0 "$RIBOGRID" report old_dense.groups.h5 \
    -o old.html
check "the program is known" grep -q 'program' old.html

check "seconds of the stages" grep -q $'^run\tseconds_kernels\t' <("$RIBOGRID" info bfs.h5)
check "they are named as before" grep -q $'^run\tseconds_kernels\t' <("$RIBOGRID" info old_bfs.h5)
check "old names are translated" expect_exit 1 grep -qE 'seconds_total|command_line' \
    <("$RIBOGRID" info old_bfs.h5 && "$RIBOGRID" info old_network.h5)
check "options of pairs need pairs: view" refused 2 'groups.h5 holds results of .ribogrid cluster' \
    "$RIBOGRID" view groups.h5 --id 0.9
check "options of pairs need pairs: report" refused 2 'bfs.h5 holds results of .ribogrid graph' \
    "$RIBOGRID" report bfs.h5 --id 0.9 -o x.html
check "a title" "$RIBOGRID" report bfs.h5 --title 'A <b>' -o titled.html
check "it is escaped" grep -q '<h1>A &lt;b&gt;</h1>' titled.html
check "a page is not overwritten" refused 1 'titled.html' "$RIBOGRID" report bfs.h5 -o titled.html
check "a depth is counted once per node and source" test "$(sed -n '/id="depth"/,/<\/svg>/p' \
    titled.html | grep -o 'data-count="[0-9]*"' | tr -dc '0-9\n' |
    awk '{ n += $1 } END { print n }')" -eq \
    "$("$RIBOGRID" view bfs.h5 --no-header | awk '$4 >= 0' | wc -l)"
finish
