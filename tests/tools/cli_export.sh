#!/usr/bin/env bash
#
# cli_export.sh - `ribogrid export`: each format is read back by a program that supports it.
. "$(dirname "$0")/../support/shell_test.sh"
need_h5py
golden=$here/golden
data=${RIBOGRID_DATA:-/nowhere}/16s
all_fields=query+target+id+id0+id1+id2+id3+id4+alnlen+mism+opens+gaps+ids+exts+pairs+pv+\
pctgaps+pctpv+ql+tl+qlo+qhi+tlo+thi+qilo+qihi+tilo+tihi+qs+ts+qcov+tcov+qstrand+tstrand+\
raw+bits+evalue+qframe+tframe+caln+aln+qrow+trow
# Fields that need no CIGARs, with free ends and with counted ends.
free_fields=query+target+id+id0+id1+id2+id4+alnlen+mism+gaps+ids+pairs+pv+pctgaps+pctpv+\
ql+tl+qlo+qhi+tlo+thi+qs+ts+qcov+tcov+qstrand+tstrand+raw+bits+evalue
count_fields=query+target+id+id0+id1+id4+mism+ids+pairs+pv+ql+tl+qcov+tcov+raw

# reads CHECK FILE...: export_readers.py accepts the files.
reads()
{
    "$PYTHON" "$here/tools/export_readers.py" "$@"
}

# writes FILE PAIRS OPTION...: export writes FILE and prints no message.
writes()
{
    local file=$1

    shift
    expect_exit 0 "$RIBOGRID" export "$@" && silent "$err" && cp "$out" "$file"
}

# writes_phylip FILE PAIRS OPTION...: likewise; mixed.h5 has pairs without an identity, which
# one line counts.
writes_phylip()
{
    local file=$1 pairs=$2

    shift
    if [ "$pairs" != mixed.h5 ]; then
        writes "$file" "$@" --format phylip
        return
    fi
    expect_exit 0 "$RIBOGRID" export "$@" --format phylip && cp "$out" "$file" && expect_line \
        'mixed.h5: 6 pairs have no identity; their distance is written as -1' "$err"
}

# have PROGRAM: the program is installed.
have()
{
    command -v "$1" >/dev/null && return
    echo "without $1: its formats are not tested"
    return 1
}

# have_modules NAME: the Python module is installed.
have_modules()
{
    "$PYTHON" -c "import $1" 2>/dev/null && return
    echo "without Python module $1: its formats are not tested"
    return 1
}

# mothur_runs COMMAND: mothur succeeds; its messages go to mothur.out.
mothur_runs()
{
    mothur "#set.logfile(name=mothur.log);$1" >mothur.out 2>&1 && return
    tail -5 mothur.out
    return 1
}

make_files()
{
    "$RIBOGRID" simulate 40 --length 300 --ambiguous 0 --divergence 15 -o sim.fa
    "$RIBOGRID" align sim.fa -q -o sim.h5
    "$RIBOGRID" align sim.fa -q --gap -11 --emit cigar -o cigar.h5
    "$RIBOGRID" align sim.fa -q --gap -11 --emit cigar --cigar-style eqx -o eqx.h5
    "$RIBOGRID" align "$golden/mixed.fa" -q -o mixed.h5
}

# mixed.fa has pairs without an identity.
test_matrices()
{
    for pairs in sim mixed; do
        check "$pairs: npy is written" writes $pairs.npy $pairs.h5 --format npy
        check "$pairs: phylip is written" writes_phylip $pairs.phy $pairs.h5
        check "$pairs: lower phylip is written" \
            writes_phylip $pairs.low $pairs.h5 --triangle lower
        have_modules numpy || continue
        check "$pairs: numpy loads it" reads npy $pairs.h5 $pairs.npy
        check "$pairs: phylip has the file's distances" reads phylip $pairs.h5 $pairs.phy
        check "$pairs: lower phylip has the file's distances" \
            reads phylip $pairs.h5 $pairs.low
    done
    check "mixed.fa has a pair without an identity" grep -q -- '-1' mixed.phy
    have mothur && have_modules scipy || return
    for file in phy low; do
        check "mothur clusters sim.$file" mothur_runs \
            "cluster(phylip=sim.$file,method=nearest,cutoff=0.08001)"
        check "mothur finds scipy's clusters" \
            reads mothur_list sim.nn.list sim.phy 0.08 single
        check "mothur reads mixed.$file" mothur_runs \
            "cluster(phylip=mixed.$file,method=furthest,cutoff=2)"
        check "a missing distance counts as far" test \
            "$(tail -1 mixed.fn.list | awk -F '\t' '{ print $2, $NF }')" = '2 foreign'
    done
}

# boundary: print sequences whose identities with the first are exactly 99, 98, 97, 95, 93, 90,
# 85 and 80 %.
boundary()
{
    awk 'BEGIN {
        split("0 1 2 3 5 7 10 15 20", k, " ")
        for (r = 1; r <= 9; r++) {
            printf ">k%d\n", k[r]
            for (i = 0; i < 100; i++) {
                c = (i * 7 + int(i / 3)) % 4
                if (i >= 3 && (i - 3) % 3 == 0 && (i - 3) / 3 < k[r]) c = (c + 1) % 4
                printf "%s", substr("ACGT", c + 1, 1)
            }
            print ""
        }
    }'
}

count_table()
{
    printf 'Representative_Sequence\ttotal\n'
    awk '/^>/ { print substr($1, 2) "\t1" }' "$1"
}

test_column()
{
    check "column is written" writes sim.dist sim.h5 --format column --id 0.92
    check "column has the pairs at or above the identity" \
        reads column sim.h5 sim.dist 92/100
    check "column of all pairs is written" writes all.dist sim.h5 --format column
    check "column has all pairs" test "$(wc -l <all.dist)" -eq 780
    boundary >bound.fa
    "$RIBOGRID" align bound.fa -q --ends count --gap -30 -o bound.h5
    check "column at exactly 0.95 is written" \
        writes bound.dist bound.h5 --format column --id 0.95
    check "pairs at exactly the identity are kept" \
        grep -qP '^k10\tk15\t0.05000000$' bound.dist
    have mothur && have_modules scipy || return
    count_table sim.fa >sim.count
    check "mothur clusters the column file" mothur_runs \
        "cluster(column=sim.dist,count=sim.count,method=nearest,cutoff=0.5)"
    check "mothur finds scipy's clusters in the column file" \
        reads mothur_list sim.nn.list sim.phy 0.08 single
    count_table bound.fa >bound.count
    check "mothur clusters slightly above 0.05" mothur_runs \
        "cluster(column=bound.dist,count=bound.count,method=nearest,cutoff=0.05001)"
    check "mothur then joins pairs at 0.05" test "$(tail -1 bound.nn.list | cut -f 1,2)" = \
        $'0.05\t1'
    check "mothur clusters at 0.05" mothur_runs \
        "cluster(column=bound.dist,count=bound.count,method=nearest,cutoff=0.05)"
    check "mothur's 0.05 excludes pairs at 0.05, because of its floats" \
        test "$(tail -1 bound.nn.list | cut -f 1,2)" = \
        $'0.03\t3'
}

test_paf()
{
    check "paf is written" writes m.paf cigar.h5 --format paf
    check "paf is consistent" reads paf m.paf sim.fa 780
    check "paf with = and X is written" writes eqx.paf eqx.h5 --format paf
    check "paf with = and X is consistent" reads paf eqx.paf sim.fa 780
    check "paf above an identity is written" writes some.paf eqx.h5 --format paf --id 0.95
    check "it is a subset of the whole paf" \
        test "$(comm -13 <(sort eqx.paf) <(sort some.paf) | wc -l)" \
        -eq 0 -a "$(wc -l <some.paf)" -gt 0 -a "$(wc -l <some.paf)" -lt 780
    "$RIBOGRID" align sim.fa -q --ends count --emit cigar -o count.h5
    check "paf with counted ends is written" writes count.paf count.h5 --format paf
    check "paf with counted ends is consistent" reads paf count.paf sim.fa 780
}

# run_vsearch READS GAP: with the same scores as ribogrid.
run_vsearch()
{
    vsearch --allpairs_global "$1" --acceptall --match 4 --mismatch -5 \
        --gapopen "$2"I/0E --gapext "$2"I/0E --qmask none --minseqlength 1 --threads 1 \
        --userfields $all_fields --userout v.user --blast6out v.b6 --uc v.uc
}

# With a gap cost of 11 the best alignment is nearly always unique.
test_vsearch()
{
    have vsearch || return
    check "vsearch runs" run_vsearch sim.fa 11
    for pairs in cigar eqx; do
        check "$pairs: userout is written" writes o.user $pairs.h5 --format userout \
            --userfields $all_fields
        check "$pairs: userout equals vsearch's" reads userout o.user v.user \
            $all_fields 100
        check "$pairs: blast6 is written" writes o.b6 $pairs.h5 --format blast6
        check "$pairs: blast6 equals vsearch's" reads same_lines o.b6 v.b6
        check "$pairs: uc is written" writes o.uc $pairs.h5 --format uc
        check "$pairs: uc equals vsearch's" reads same_lines o.uc v.uc
    done
    check "userout without fields is written" writes o.user cigar.h5 --format userout
    check "userout without fields is blast6" same o.b6 o.user
    [ -e "$data/rdp_trainset18.fasta.gz" ] || return
    zcat "$data/rdp_trainset18.fasta.gz" | awk '
        /^>/ { if (s != "" && s !~ /[^ACGTacgt]/ && n++ % 16 == 0 && n < 400)
                   print h "\n" s
               split($1, part, "|"); h = part[1]; s = ""; next }
        { s = s $0 }' >plain.fa
    check "vsearch runs on real records" run_vsearch plain.fa 11
    "$RIBOGRID" align plain.fa -q --gap -11 --emit cigar -o plain.h5
    check "userout of real records is written" \
        writes o.user plain.h5 --format userout --userfields $all_fields
    check "userout equals vsearch's where the alignments are equal" \
        reads userout o.user v.user \
        $all_fields 75
}

# reverse_some N FILE: print the records, every N-th one reverse-complemented.
reverse_some()
{
    awk -v step="$1" '
        function print_record() {
            if (s == "") return
            if (++n % step == 0) {
                t = ""
                for (i = length(s); i > 0; i--)
                    t = t substr("TGCA", index("ACGT", substr(s, i, 1)), 1)
                s = t
            }
            print h "\n" s
        }
        /^>/ { print_record(); h = $0; s = ""; next }
        { s = s $0 }
        END { print_record() }' "$2"
}

test_hits()
{
    check "align writes hits" expect_exit 0 "$RIBOGRID" align sim.fa -q --id 0.92 -o hits.h5
    check "column of hits is written" writes hits.dist hits.h5 --format column
    check "it equals column of all pairs above the identity" same sim.dist hits.dist
    check "an identity below that of the hits is refused" refused 1 \
        'hits.h5: the file holds only pairs with an identity of at least 23/25; raise --id' \
        "$RIBOGRID" export hits.h5 --format column --id 0.9
    check "column above a higher identity is written" \
        writes some.dist hits.h5 --format column --id 0.95
    check "it has fewer pairs" test "$(wc -l <some.dist)" -lt "$(wc -l <hits.dist)"
    check "npy of hits is refused" refused 1 'npy needs every pair of one set' \
        "$RIBOGRID" export hits.h5 --format npy
    awk '/^>/ { n++ } n <= 10' sim.fa >first.fa
    reverse_some 2 first.fa >queries.fa
    awk '/^>/ { n++; sub(/^>/, ">ref_") } n > 10' sim.fa >ref.fa
    check "align runs against references" \
        expect_exit 0 "$RIBOGRID" align queries.fa -q --against \
        ref.fa --strand both --gap -11 --emit cigar --cigar-style eqx -o against.h5
    check "paf is written" writes against.paf against.h5 --format paf
    check "paf is consistent on both strands" reads paf against.paf \
        <(cat queries.fa ref.fa) 300
    check "paf has both strands" test "$(cut -f 5 against.paf | sort -u | tr -d '\n')" = +-
    check "column of queries against references is refused" \
        refused 1 'column needs pairs of one set' \
        "$RIBOGRID" export against.h5 --format column
    check "the field trow without references' bases is refused" \
        refused 1 'needs the references themselves' \
        "$RIBOGRID" export against.h5 --format userout --userfields trow
    have vsearch || return
    check "vsearch runs on both strands" vsearch --usearch_global queries.fa --db \
        ref.fa --strand both --id 0 --maxaccepts 0 --maxrejects 0 --minwordmatches 0 \
        --match 4 --mismatch -5 --gapopen 11I/0E --gapext 11I/0E --qmask none \
        --dbmask none --minseqlength 1 --threads 1 --userout v.user \
        --userfields "${all_fields%+trow}"
    check "userout is written" writes o.user against.h5 --format userout --userfields \
        "${all_fields%+trow}"
    check "vsearch prints every line too" test "$(comm -12 <(sort o.user) <(sort v.user) |
        wc -l)" -eq 300
}

# Without CIGARs, mismatches, gaps and coverages follow from the score.
test_without_cigars()
{
    local ends gap fields format

    for ends in free count; do
        for gap in -11 -7; do
            "$RIBOGRID" align sim.fa -q --force --gap $gap --ends $ends -o n.h5
            "$RIBOGRID" align sim.fa -q --force --gap $gap --ends $ends --emit cigar \
                -o c.h5
            fields=$free_fields
            [ $ends = count ] && fields=$count_fields
            check "$ends $gap: fields without CIGARs are written" \
                writes n.user n.h5 --format userout \
                --userfields $fields
            check "$ends $gap: fields with CIGARs are written" \
                writes c.user c.h5 --format userout \
                --userfields $fields
            check "$ends $gap: both are equal" same n.user c.user
        done
    done
    check "opens without CIGARs is refused" refused 1 \
        "n.h5: userout's field opens needs alignments, .*; align with --emit cigar" \
        "$RIBOGRID" export n.h5 --format userout --userfields query+opens
    check "alnlen with counted ends and without CIGARs is refused" refused 1 \
        "n.h5: userout's field alnlen needs alignments, .*; align with --emit cigar" \
        "$RIBOGRID" export n.h5 --format userout --userfields query+alnlen
    for format in blast6 uc paf; do
        check "$format without CIGARs is refused" \
            refused 1 "n.h5: $format needs alignments, .*" \
            "$RIBOGRID" export n.h5 --format $format
    done
}

peak_kb()
{
    "$PYTHON" -c 'import resource, subprocess, sys
status = subprocess.call(sys.argv[1:], stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
sys.exit(status)' "$@"
}

# Sixteen times as many pairs: only names and blocks of rows grow.
test_memory()
{
    local n format few many

    is_sanitized && return
    for n in 300 1200; do
        "$RIBOGRID" simulate $n --length 12 -o reads_$n.fa
        "$RIBOGRID" align reads_$n.fa -q --ends count -o pairs_$n.h5
    done
    for format in column phylip npy; do
        few=$(peak_kb "$RIBOGRID" export pairs_300.h5 --format $format)
        many=$(peak_kb "$RIBOGRID" export pairs_1200.h5 --format $format)
        echo "$format: $few KiB for 300 sequences, $many KiB for 1200"
        check "$format: memory does not grow with pairs" test "$many" -lt \
            $((few + 6 * 1024))
    done
}

test_output()
{
    check "column with missing identities is written" \
        expect_exit 0 "$RIBOGRID" export mixed.h5 \
        --format column
    check "one message counts the missing identities" expect_line \
        'mixed.h5: left out 6 pairs, which have no identity' "$err"
    check "-o writes a file" \
        expect_exit 0 "$RIBOGRID" export sim.h5 --format column -o o.dist
    check "-o prints nothing" silent "$out"
    check "-o writes what stdout gets" same all.dist o.dist
    check "an existing file is refused" refused 1 'o.dist exists; give --force' \
        "$RIBOGRID" export sim.h5 --format column --id 1 -o o.dist
    check "the existing file is unchanged" same all.dist o.dist
    check "--force succeeds" \
        expect_exit 0 "$RIBOGRID" export sim.h5 --format npy -o o.dist --force
    check "--force overwrites the file" same sim.npy o.dist
    check "a missing folder is refused" refused 1 'no/x: cannot create: No such' \
        "$RIBOGRID" export sim.h5 --format npy -o no/x
    (ulimit -f 8 && refused 1 'cannot write the export: ' "$RIBOGRID" export sim.h5 \
        --format column -o small.dist) >small.out 2>&1
    check "a full disk is reported" test $? -eq 0
    check "a full disk leaves no file" absent small.dist small.dist.tmp-*
}

test_usage()
{
    check "a missing --format is refused" \
        refused 2 'give --format' "$RIBOGRID" export sim.h5
    check "an unknown format is refused" \
        refused 2 'give one of blast6' "$RIBOGRID" export sim.h5 \
        --format sam
    check "an unknown field is refused" refused 2 "--userfields: 'ids5' is unknown" \
        "$RIBOGRID" export sim.h5 --format userout --userfields query+ids5+id
    check "--userfields of another format is refused" \
        refused 2 '--userfields requires --format userout' \
        "$RIBOGRID" export sim.h5 --format blast6 --userfields id
    check "--triangle of another format is refused" \
        refused 2 '--triangle requires --format phylip' \
        "$RIBOGRID" export sim.h5 --format npy --triangle lower
    for format in phylip npy; do
        check "--id with $format is refused" \
            refused 2 "--id does not apply to --format $format" \
            "$RIBOGRID" export sim.h5 --format $format --id 0.9
    done
    check "a missing file is refused" refused 1 'nowhere.h5: cannot open it: No such file' \
        "$RIBOGRID" export nowhere.h5 --format npy
}

make_files
test_matrices
test_column
test_paf
test_vsearch
test_hits
test_without_cigars
test_memory
test_output
test_usage
finish
