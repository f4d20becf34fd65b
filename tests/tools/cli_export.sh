#!/usr/bin/env bash
#
# cli_export.sh - `ribogrid export` from the outside: each format read back by a program
# that reads it.
set -u

# shellcheck source-path=SCRIPTDIR source=../support/shell_test.sh
. "$(dirname "$0")/../support/shell_test.sh"
need_h5py
golden=$here/golden
data=${RIBOGRID_DATA:-/nowhere}/16s
all_fields=query+target+id+id0+id1+id2+id3+id4+alnlen+mism+opens+gaps+ids+exts+pairs+pv+\
pctgaps+pctpv+ql+tl+qlo+qhi+tlo+thi+qilo+qihi+tilo+tihi+qs+ts+qcov+tcov+qstrand+tstrand+\
raw+bits+evalue+qframe+tframe+caln+aln+qrow+trow
# What numbers alone tell, with free ends and with counted ones.
free_fields=query+target+id+id0+id1+id2+id4+alnlen+mism+gaps+ids+pairs+pv+pctgaps+pctpv+\
ql+tl+qlo+qhi+tlo+thi+qs+ts+qcov+tcov+qstrand+tstrand+raw+bits+evalue
count_fields=query+target+id+id0+id1+id4+mism+ids+pairs+pv+ql+tl+qcov+tcov+raw
cd "$tmp" || exit 1

# reads CHECK FILE...: by another program, or strictly.
reads()
{
    "$PYTHON" "$here/tools/export_readers.py" "$@"
}

# writes FILE PAIRS OPTION...: nothing but the file.
writes()
{
    local file=$1

    shift
    expect_exit 0 "$RIBOGRID" export "$@" && silent "$err" && cp "$out" "$file"
}

have()
{
    command -v "$1" >/dev/null && return
    echo "no $1: what it reads is not tested"
    return 1
}

have_modules()
{
    "$PYTHON" -c "import $1" 2>/dev/null && return
    echo "no Python with $1: what it reads is not tested"
    return 1
}

# mothur COMMAND: its own messages go to said.
mothur_does()
{
    mothur "#set.logfile(name=mothur.log);$1" >mothur.said 2>&1 && return
    tail -5 mothur.said
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

# Pairs without an identity are in mixed.fa.
test_matrices()
{
    for pairs in sim mixed; do
        check "$pairs: npy" writes $pairs.npy $pairs.h5 --format npy
        check "$pairs: phylip" writes $pairs.phy $pairs.h5 --format phylip
        check "$pairs: phylip, lower" writes $pairs.low $pairs.h5 --format phylip \
            --triangle lower
        have_modules numpy || continue
        check "$pairs: numpy loads it" reads npy $pairs.h5 $pairs.npy
        check "$pairs: phylip is the file's" reads phylip $pairs.h5 $pairs.phy
        check "$pairs: phylip, lower, too" reads phylip $pairs.h5 $pairs.low
    done
    check "mixed.fa has a pair without an identity" grep -q -- '-1' mixed.phy
    have mothur && have_modules scipy || return
    for file in phy low; do
        check "mothur clusters sim.$file" mothur_does \
            "cluster(phylip=sim.$file,method=nearest,cutoff=0.08001)"
        check "as scipy does" reads mothur_list sim.nn.list sim.phy 0.08 single
        check "mothur reads mixed.$file" mothur_does \
            "cluster(phylip=mixed.$file,method=furthest,cutoff=2)"
        check "and what is missing is far" test \
            "$(tail -1 mixed.fn.list | awk -F '\t' '{ print $2, $NF }')" = '2 foreign'
    done
}

# Identities of exactly 99, 98, 97, 95, 93, 90, 85 and 80 in 100 with the first.
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
    check "column" writes sim.dist sim.h5 --format column --id 0.92
    check "has the pairs at or above" reads column sim.h5 sim.dist 92/100
    check "column, all" writes all.dist sim.h5 --format column
    check "has all pairs" test "$(wc -l <all.dist)" -eq 780
    boundary >bound.fa
    "$RIBOGRID" align bound.fa -q --ends count --gap -30 -o bound.h5
    check "equality is kept" writes bound.dist bound.h5 --format column --id 0.95
    check "so k10 and k15 are near" grep -qP '^k10\tk15\t0.05000000$' bound.dist
    have mothur && have_modules scipy || return
    count_table sim.fa >sim.count
    check "mothur clusters the column file" mothur_does \
        "cluster(column=sim.dist,count=sim.count,method=nearest,cutoff=0.5)"
    check "by the file's own cutoff" reads mothur_list sim.nn.list sim.phy 0.08 single
    count_table bound.fa >bound.count
    check "mothur clusters at 0.05 and a little" mothur_does \
        "cluster(column=bound.dist,count=bound.count,method=nearest,cutoff=0.05001)"
    check "all that are 0.05 apart" test "$(tail -1 bound.nn.list | cut -f 1,2)" = \
        $'0.05\t1'
    check "mothur's 0.05 alone is less than its float of 0.05" mothur_does \
        "cluster(column=bound.dist,count=bound.count,method=nearest,cutoff=0.05)"
    check "and leaves k15 and k20 alone" test "$(tail -1 bound.nn.list | cut -f 1,2)" = \
        $'0.03\t3'
}

test_paf()
{
    check "paf" writes m.paf cigar.h5 --format paf
    check "is consistent" reads paf m.paf sim.fa 780
    check "paf, = and X" writes eqx.paf eqx.h5 --format paf
    check "is consistent too" reads paf eqx.paf sim.fa 780
    check "paf above an identity" writes some.paf eqx.h5 --format paf --id 0.95
    check "is a part of it" test "$(comm -13 <(sort eqx.paf) <(sort some.paf) | wc -l)" \
        -eq 0 -a "$(wc -l <some.paf)" -gt 0 -a "$(wc -l <some.paf)" -lt 780
    "$RIBOGRID" align sim.fa -q --ends count --emit cigar -o count.h5
    check "paf, counted ends" writes count.paf count.h5 --format paf
    check "is consistent as well" reads paf count.paf sim.fa 780
}

# run_vsearch READS GAP: the same scores.
run_vsearch()
{
    vsearch --allpairs_global "$1" --acceptall --match 4 --mismatch -5 \
        --gapopen "$2"I/0E --gapext "$2"I/0E --qmask none --minseqlength 1 --threads 1 \
        --userfields $all_fields --userout v.user --blast6out v.b6 --uc v.uc
}

# With gaps of 11 the best alignment is nearly always the only one.
test_vsearch()
{
    have vsearch || return
    check "vsearch" run_vsearch sim.fa 11
    for pairs in cigar eqx; do
        check "$pairs: userout" writes o.user $pairs.h5 --format userout \
            --userfields $all_fields
        check "$pairs: as vsearch's, all alignments" reads userout o.user v.user \
            $all_fields 100
        check "$pairs: blast6" writes o.b6 $pairs.h5 --format blast6
        check "$pairs: as vsearch's" reads same_lines o.b6 v.b6
        check "$pairs: uc" writes o.uc $pairs.h5 --format uc
        check "$pairs: as vsearch's" reads same_lines o.uc v.uc
    done
    check "userout's default" writes o.user cigar.h5 --format userout
    check "is blast6" same o.b6 o.user
    [ -e "$data/rdp_trainset18.fasta.gz" ] || return
    zcat "$data/rdp_trainset18.fasta.gz" | awk '
        /^>/ { if (s != "" && s !~ /[^ACGTacgt]/ && n++ % 16 == 0 && n < 400)
                   print h "\n" s
               split($1, part, "|"); h = part[1]; s = ""; next }
        { s = s $0 }' >plain.fa
    check "vsearch, real records" run_vsearch plain.fa 11
    "$RIBOGRID" align plain.fa -q --gap -11 --emit cigar -o plain.h5
    check "real records" writes o.user plain.h5 --format userout --userfields $all_fields
    check "as vsearch's where the alignment is" reads userout o.user v.user \
        $all_fields 75
}

# turned EVERY FILE: every so many-th record as its reverse complement.
turned()
{
    awk -v every="$1" '
        function give() {
            if (s == "") return
            if (++n % every == 0) {
                t = ""
                for (i = length(s); i > 0; i--)
                    t = t substr("TGCA", index("ACGT", substr(s, i, 1)), 1)
                s = t
            }
            print h "\n" s
        }
        /^>/ { give(); h = $0; s = ""; next }
        { s = s $0 }
        END { give() }' "$2"
}

test_hits()
{
    check "hits" expect_exit 0 "$RIBOGRID" align sim.fa -q --id 0.92 -o hits.h5
    check "column of hits" writes hits.dist hits.h5 --format column
    check "is that of all pairs" same sim.dist hits.dist
    check "a lower identity is not there" refused 1 \
        'hits.h5: the file holds only pairs with an identity of at least 23/25; raise --id' \
        "$RIBOGRID" export hits.h5 --format column --id 0.9
    check "a higher one is" writes some.dist hits.h5 --format column --id 0.95
    check "and fewer pairs" test "$(wc -l <some.dist)" -lt "$(wc -l <hits.dist)"
    check "no matrix of hits" refused 1 'npy needs every pair of one set' \
        "$RIBOGRID" export hits.h5 --format npy
    awk '/^>/ { n++ } n <= 10' sim.fa >first.fa
    turned 2 first.fa >queries.fa
    awk '/^>/ { n++; sub(/^>/, ">ref_") } n > 10' sim.fa >ref.fa
    check "against references" expect_exit 0 "$RIBOGRID" align queries.fa -q --against \
        ref.fa --strand both --gap -11 --emit cigar --cigar-style eqx -o against.h5
    check "paf" writes against.paf against.h5 --format paf
    check "is consistent on both strands" reads paf against.paf \
        <(cat queries.fa ref.fa) 300
    check "which it has" test "$(cut -f 5 against.paf | sort -u | tr -d '\n')" = +-
    check "no distance matrix" refused 1 'column needs pairs of one set' \
        "$RIBOGRID" export against.h5 --format column
    check "nor letters of references" refused 1 'needs the references themselves' \
        "$RIBOGRID" export against.h5 --format userout --userfields trow
    have vsearch || return
    check "vsearch, better strands and worse" vsearch --usearch_global queries.fa --db \
        ref.fa --strand both --id 0 --maxaccepts 0 --maxrejects 0 --minwordmatches 0 \
        --match 4 --mismatch -5 --gapopen 11I/0E --gapext 11I/0E --qmask none \
        --dbmask none --minseqlength 1 --threads 1 --userout v.user \
        --userfields "${all_fields%+trow}"
    check "userout" writes o.user against.h5 --format userout --userfields \
        "${all_fields%+trow}"
    check "each line is vsearch's" test "$(comm -12 <(sort o.user) <(sort v.user) |
        wc -l)" -eq 300
}

# Without CIGARs the scores tell the mismatches, and with them gaps and coverages.
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
            check "$ends $gap: fields by numbers" writes n.user n.h5 --format userout \
                --userfields $fields
            check "$ends $gap: by alignments" writes c.user c.h5 --format userout \
                --userfields $fields
            check "$ends $gap: are the same" same n.user c.user
        done
    done
    check "opens are not known" refused 1 \
        "n.h5: userout's field opens needs alignments, .*; align with --emit cigar" \
        "$RIBOGRID" export n.h5 --format userout --userfields query+opens
    check "nor, where ends count, which columns are inner" refused 1 \
        "n.h5: userout's field alnlen needs alignments, .*; align with --emit cigar" \
        "$RIBOGRID" export n.h5 --format userout --userfields query+alnlen
    for format in blast6 uc paf; do
        check "$format needs alignments" refused 1 "n.h5: $format needs alignments, .*" \
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

# Sixteen times the pairs: only names and strips of rows grow.
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
    check "pairs without an identity" expect_exit 0 "$RIBOGRID" export mixed.h5 \
        --format column
    check "are counted once" expect_line \
        'mixed.h5: left out 6 pairs that overlap too little to have an identity' "$err"
    check "-o" expect_exit 0 "$RIBOGRID" export sim.h5 --format column -o o.dist
    check "prints nothing" silent "$out"
    check "and is stdout's" same all.dist o.dist
    check "an existing file is kept" refused 1 'o.dist exists; give --force' \
        "$RIBOGRID" export sim.h5 --format column --id 1 -o o.dist
    check "whole" same all.dist o.dist
    check "--force" expect_exit 0 "$RIBOGRID" export sim.h5 --format npy -o o.dist --force
    check "replaces it" same sim.npy o.dist
    check "no such folder" refused 1 'no/x.tmp: cannot open: ' \
        "$RIBOGRID" export sim.h5 --format npy -o no/x
    (ulimit -f 8 && refused 1 'cannot write the export: ' "$RIBOGRID" export sim.h5 \
        --format column -o small.dist) >said 2>&1
    check "a disk that fills up" test $? -eq 0
    check "leaves nothing" absent small.dist small.dist.tmp
}

test_usage()
{
    check "no format" refused 2 'give --format' "$RIBOGRID" export sim.h5
    check "no such format" refused 2 'give one of blast6' "$RIBOGRID" export sim.h5 \
        --format sam
    check "no such field" refused 2 "--userfields: 'ids5' is unknown" \
        "$RIBOGRID" export sim.h5 --format userout --userfields query+ids5+id
    check "--userfields elsewhere" refused 2 '--userfields requires --format userout' \
        "$RIBOGRID" export sim.h5 --format blast6 --userfields id
    check "--triangle elsewhere" refused 2 '--triangle requires --format phylip' \
        "$RIBOGRID" export sim.h5 --format npy --triangle lower
    for format in phylip npy; do
        check "--id with $format" refused 2 "--id does not apply to --format $format" \
            "$RIBOGRID" export sim.h5 --format $format --id 0.9
    done
    check "no file" refused 1 'nowhere.h5: cannot open it: No such file' \
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
