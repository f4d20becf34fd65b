#!/usr/bin/env bash
#
# cli_bench_align.sh - `ribogrid-bench align`: its results, output formats, charts, and
# refused options.
. "$(dirname "$0")/../support/shell_test.sh"

# bench ARGUMENT...: run a tiny benchmark.
bench()
{
    "$RIBOGRID-bench" align --device cpu --length 60 --pairs 20 --runs 2 "$@"
}

# column NAME [FILE]: print a column of a TSV.
column()
{
    awk -F '\t' -v name="$1" '
        NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i; next }
        { print $at }' "${2:-rows.tsv}"
}

# within MIN MAX: every line of stdin is a number from MIN to MAX.
within()
{
    awk -v min="$1" -v max="$2" '
        !($1 >= min && $1 <= max) { print; wrong = 1 } END { exit wrong || NR == 0 }'
}

test_rows()
{
    check "all kernels run" expect_exit 0 bench --kernel all --peers off --gap -7,-8 --tsv
    cp "$out" rows.tsv
    check "it prints no message" silent "$err"
    check "every line has as many columns as the header" \
        test "$(awk -F '\t' '{ print NF }' rows.tsv | sort -u | wc -l)" -eq 1
    check "both scorings are measured" \
        test "$(column scores | sort -u | tr '\n' ' ')" = '4/-5/-7 4/-5/-8 '
    check "scalar computes every output with both kinds of ends for each scoring" \
        test "$(column what | grep -c '^scalar/')" -eq 8
    # shellcheck disable=SC2016
    check "minimum, median and maximum are in order" \
        awk -F '\t' 'NR > 1 && !($4 <= $5 && $5 <= $6) { wrong = 1 } END { exit wrong }' rows.tsv
    bench --length 900 --identity 0.7,0.8,0.97 --pairs 45 --emit score --ends count \
        --peers off --tsv >rows.tsv
    check "the measured identity is near the given one" \
        within -0.02 0.02 < <(paste <(column identity) <(column identity_wanted) |
            awk '{ print $1 - $2 }')
    check "results are right with ambiguity codes" \
        expect_exit 0 bench --ambiguous 100 --threads 2 --kernel all
    check "one base suffices" expect_exit 0 bench --length 1,2,3 --identity 0.6,1
    check "--band auto runs" expect_exit 0 bench --band auto
    check "CIGARs fit their pairs" expect_exit 0 bench --kernel all --emit cigar --ambiguous 50
    check "CIGARs of local alignments fit their pairs" expect_exit 0 bench --kernel all \
        --mode local --emit cigar --length 200x300
    check "scores in halves run" expect_exit 0 bench --kernel scalar --preset needle --tsv
    check "and are printed in the user's units" \
        test "$(column scores "$out" | sort -u)" = 'matrix/-10/-0.5'
    printf '  A C G T\nA 5 -4 -4 -4\nC -4 5 -4 -4\nG -4 -4 5 -4\nT -4 -4 -4 5\n' >"$tmp/m"
    check "a matrix may come from a pipe, for several gaps" expect_exit 0 bench \
        --kernel scalar --pairs 6 --gap -6,-7 --peers off --matrix <(cat "$tmp/m")
    check "proteins give parasail's scores" expect_exit 0 bench --alphabet protein \
        --kernel all --ambiguous 50
    check "with gaps of 11 and 1" grep -q '^matrix/-11/-1' "$out"
    check "--match is for DNA" refused 2 '^ribogrid-bench: align: --match is for DNA alone' \
        bench --alphabet protein --match 3
}

# Pairs of two lengths.
test_lengths()
{
    check "all kernels align queries and targets of different lengths" \
        expect_exit 0 bench --length 50x300,300x50 --kernel all --peers off --ambiguous 50 --tsv
    check "the sizes of a result are pairs, bases of the queries, and of the targets" test \
        "$(column sizes "$out" | grep -v '^0x' | LC_ALL=C sort -u | tr '\n' ' ')" = '20x300x50 20x50x300 '
    bench --length 200x1500,900x800 --identity 0.75,0.97 --pairs 36 --emit identity \
        --peers off --tsv >rows.tsv
    check "the shorter sequence is like a piece of the longer one" \
        within -0.03 0.03 < <(paste <(column identity) <(column identity_wanted) |
            awk '{ print $1 - $2 }')
    check "the peers take them" expect_exit 0 bench --length 50x300
    check "the table has both lengths" grep -q ', 50 x 300 bases' "$out"
}

# Affine gaps and costs of end gaps; the peers' scores are compared with the program's.
test_costs()
{
    local affine="--match 2 --mismatch -4 --gap-open 20 --gap-extend 2"

    # shellcheck disable=SC2086 # several options
    check "the peers take affine gaps" expect_exit 0 bench $affine --length 300 \
        --identity 0.7,0.9 --tsv
    check "both scores of gaps are printed" test "$(column scores "$out" | sort -u)" = \
        2/-4/-20/-2
    # shellcheck disable=SC2086 # several options
    check "end gaps have costs" expect_exit 0 bench $affine --end-gap-open 2 \
        --end-gap-extend 1 --tsv
    check "which is a kind of ends" test "$(column what "$out" | cut -d / -f 3 |
        sort -u)" = priced
    check "they are printed" test "$(column scores "$out" | sort -u)" = \
        "2/-4/-20/-2 ends -2/-1"
    check "equal costs are linear gaps" expect_exit 0 bench --gap-open 7 --gap-extend 7 \
        --peers off --tsv
    check "as by default" test "$(column scores "$out" | sort -u)" = 4/-5/-7
    check "--gap is refused beside them" refused 2 'replace --gap' bench --gap -7 \
        --gap-open 7 --gap-extend 7
    check "--ends is refused beside costs of end gaps" refused 2 'replace --ends' bench \
        --ends free --end-gap-open 2 --end-gap-extend 1
}

# The number of pairs follows from --seconds.
test_seconds()
{
    "$RIBOGRID-bench" align --device cpu --length 60 --emit score --ends count --runs 1 \
        --peers off --tsv --seconds 0.001,0.2 >rows.tsv
    column sizes | cut -d x -f 1 >pairs
    check "more seconds are more pairs" test "$(sed -n 2p pairs)" -gt "$(sed -n 1p pairs)"
    "$RIBOGRID" simulate 12 --length 80 -o twelve.fa
    check "a file with fewer pairs is aligned" expect_exit 0 \
        "$RIBOGRID-bench" align --device cpu --input twelve.fa --emit score --ends count \
        --runs 1 --peers off --tsv --seconds 1
    check "all of its pairs are" test "$(column sizes "$out" | cut -d x -f 1)" = 66
}

# bench/length_mixes.py prints tables, and which of their rates are low.
test_length_mixes()
{
    local script=$here/../bench/length_mixes.py

    command -v python3 >/dev/null || return
    check "length_mixes.py runs" expect_exit 0 python3 "$script" "$RIBOGRID-bench" --device cpu \
        --lengths 40,20 --identities 75,97 --seconds 0.001
    check "it prints a table per kind of ends and identity" \
        test "$(grep -c '^| bases | 20 | 40 |$' "$out")" -eq 4
    check "a table has the rates of each two lengths" \
        test "$(grep -cE '^\| (20 \| [0-9.e-]+ |40 \| )\| [0-9.e-]+ \|$' "$out")" -eq 8
    check "low rates are listed with their best neighbour" \
        python3 - "$(dirname "$script")" <<'END'
import contextlib
import io
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
import length_mixes

text = io.StringIO()
rates = {(10, 10): 6, (10, 20): 3, (10, 2000): 1.4, (20, 20): 5, (20, 2000): 2.9,
         (2000, 2000): 2}
with contextlib.redirect_stdout(text):
    length_mixes.print_slow([10, 20, 2000], rates)
lines = text.getvalue().splitlines()
assert lines[3:] == ["- 10 x 2,000: 1.4 is 0.47 of 3 (10 x 20)"], lines
END
    check "a missing program is reported" refused 1 './none: No such file' \
        python3 "$script" ./none
}

# Results are the same for any number of batches.
test_batches()
{
    bench --kernel all --peers off --pairs 21,50 --batches 1,7,100 --tsv >rows.tsv
    check "there are as many batches as given, at most one per pair" test \
        "$(column batches | sort -u | tr '\n' ' ')" = '1 21 50 7 NA '
    check "a CPU has one batch in flight" \
        test "$(column buffers | sort -u | tr '\n' ' ')" = '1 NA '
    check "--pinned does not apply to a CPU" test "$(column pinned | sort -u)" = NA
    check "a table with batches is printed" expect_exit 0 bench --peers off --batches 3
    check "its header has the number of batches" grep -q '; 3 batches$' "$out"
    check "--threads 8 runs" expect_exit 0 \
        bench --kernel all --threads 8 --peers off --tsv
    check "every line has the number of threads" \
        test "$(column threads "$out" | sort -u)" = 8
}

# Options of GPUs, if there is one.
test_gpu()
{
    local options

    "$RIBOGRID" devices | grep -q '^cuda:[0-9]' || return
    for options in "--pinned off" "--buffers 1 --batches 5" "--buffers 2 --batches 5" \
        "--kernel baseline --emit score --init host" \
        "--kernel baseline --emit score --init device --pinned off"; do
        # shellcheck disable=SC2086
        check "results are right with [$options]" \
            expect_exit 0 bench --device cuda --ambiguous 30 \
            --gap -7,-8 --length 1,31,32,33,64,65,150 --peers off $options
    done
}

test_formats()
{
    check "the default output is a table" expect_exit 0 bench
    check "the table has a header" \
        grep -q '^ends  *output  *what  *on  *thr  *pairs  *min s' "$out"
}

test_peers()
{
    bench --ambiguous 20 --tsv >rows.tsv
    check "every build prints a line for each of six peers" \
        test "$(column what | grep -cE '^(parasail|edlib|WFA2)')" -eq 6
    if grep -q 'not in this build' rows.tsv; then
        return
    fi
    check "ratios to a peer are printed" within 0 1e9 < <(column to_parasail | grep -v NA)
    check "edlib requires equal costs" \
        grep -q 'supports only equal costs of mismatches and gaps' <(bench --gap -8)
    check "scores that exceed parasail's 16 bits are reported" \
        grep -q 'scores exceed its bits' <(bench --length 5000 --pairs 1 --runs 1 --ends count)
}

test_input()
{
    "$RIBOGRID" simulate 12 --length 80 -o reads.fa
    bench --input reads.fa --pairs 1000 --tsv --peers off >rows.tsv
    check "all pairs of a file are aligned" \
        test "$(column sizes | cut -d x -f 1 | sort -u)" = 66
    printf '>a\nACGT\n' >one.fa
    check "one sequence is refused" \
        refused 1 'one.fa: fewer than two sequences' bench --input one.fa
    check "a missing file is refused" refused 1 'nowhere.fa' bench --input nowhere.fa
}

# row WHAT DEVICE PAIRS LENGTH GCUPS THREADS BATCHES BUFFERS PINNED INIT
row()
{
    printf '%s/score/count\t%s\t%sx%sx%s\t1\t1\t1\t%s\tfull\t%s\t5\t1\t4/-5/-7\t' \
        "$1" "$2" "$3" "$4" "$4" "$5" "$6"
    printf 'simulated\t%s\t0.8\t0.8\t%s\t%s\t%s\t%s\tNA\tNA\tNA\n' "$4" "${@:7}"
}

synthetic_rows()
{
    local n

    echo '# a synthetic device; bench/charts.sh'
    echo '# ribogrid-bench align --kernel "<&>"'
    bench --peers off --emit score --ends count --tsv | head -n 1
    for n in 100 1000 8000; do
        row dscan cuda:0 64 $n $((n * 4)) 0 $n 1 on NA
        row dscan cuda:0 64 $n $((n * 5)) 0 $n 2 off NA
        row 'auto: rscan' cuda:0 64 $n 5000.5 0 $n 2 on NA
        row simd cpu 64 $n 200 8 1 1 NA NA
        row simd cpu 64 $n 100 4 1 1 NA NA
        row baseline cuda:0 64 $n 1.5 0 1 1 on host
        row baseline cuda:0 64 $n 2.5 0 1 1 off device
    done
}

# is_drawn CHART N: the chart is an SVG with N lines whose texts do not overlap.
is_drawn()
{
    drawn_from synthetic.tsv "$@"
}

# drawn_from RESULTS CHART N
drawn_from()
{
    python3 "$here/../docs/performance.py" "$2" "$1" "$2.svg" || return 1
    set -- "$2" "$3"
    ! command -v xmllint >/dev/null || xmllint --noout "$1.svg" || return 1
    python3 - "$1.svg" "$2" <<'END'
import sys
import xml.etree.ElementTree as ET

root = ET.parse(sys.argv[1]).getroot()
width, height = (float(n) for n in root.get("viewBox").split()[2:])
lines = [e for e in root.iter() if (e.get("class") or "").startswith("series")]
boxes = []
for e in root.iter("{http://www.w3.org/2000/svg}text"):
    size = float(e.get("font-size", 13))
    wide = 0.6 * size * len(e.text)
    left = float(e.get("x")) - {"end": 1, "middle": 0.5}.get(e.get("text-anchor"), 0) * wide
    boxes.append((left, float(e.get("y")) - 0.8 * size, left + wide, float(e.get("y")), e.text))
for i, a in enumerate(boxes):
    assert a[0] >= 0 and a[2] <= width and a[3] <= height, f"outside: {a[4]}"
    for b in boxes[:i]:
        apart = a[0] >= b[2] or b[0] >= a[2] or a[1] >= b[3] or b[1] >= a[3]
        assert apart, f"{a[4]} overlaps {b[4]}"
assert len(lines) == int(sys.argv[2]), f"{len(lines)} lines"
END
}

test_drawing()
{
    command -v python3 >/dev/null || return
    synthetic_rows >synthetic.tsv
    check "the chart of memory has lines for host and device" is_drawn memory 2
    check "the chart of lengths has lines for both kernels and the baseline" \
        is_drawn length 3
    check "the chart of buffers has lines for one and two batches in flight" \
        is_drawn buffers 3
    printf '%s\t%s\t9\t%s\t0\t%s\n' mask composition shared false_1 blastp - 100.0 0.75 \
        none off 99.6 25 seg off 96.6 2.54 none adjust 98.6 1.97 seg adjust 95.8 0.36 \
        db adjust 98.5 0 >calibration.tsv
    check "the chart of searches has lines for blastp, off and adjust" drawn_from \
        calibration.tsv calibration 3
    check "the caption is escaped" grep -q '&lt;&amp;&gt;' length.svg
    sed -n 1,4p synthetic.tsv >few.tsv
    check "a chart without a reference is refused" \
        refused 1 "no rows for the chart 'pairs'" \
        python3 "$here/../docs/performance.py" pairs few.tsv no.svg
    check "a file that is not TSV is refused" refused 1 'not the output of ribogrid-bench --tsv' \
        python3 "$here/../docs/performance.py" pairs "$here/docs.sh" no.svg
    check "nothing is drawn then" absent no.svg
}

test_refusals()
{
    check "--pinned without a GPU is refused" refused 2 '--pinned applies to GPUs' \
        bench --pinned off
    check "--buffers without a GPU is refused" \
        refused 2 '--buffers applies to GPUs' bench --buffers 2
    check "a third buffer is refused" refused 2 '--buffers' bench --buffers 3
    check "--init without the baseline is refused" \
        refused 2 '--init goes with --kernel baseline' \
        bench --init host
    check "the baseline without a GPU is refused" \
        refused 2 '--kernel baseline' bench --kernel baseline
    check "--batches 0 is refused" refused 2 '--batches 0: give' bench --batches 0
    check "--gap 0 is refused" refused 2 '--gap 0: give' bench --gap 0
    check "a list with letters is refused" refused 2 '--gap -7,x: give' bench --gap -7,x
    check "half a pair of lengths is refused" \
        refused 2 '--length 250x: give' bench --length 250x
    check "three lengths are refused" \
        refused 2 '--length 1x2x3: give' bench --length 1x2x3
    check "two gaps are refused" refused 2 '--gap -7x-8: give' bench --gap -7x-8
    check "--seconds 0 is refused" refused 2 '--seconds 0: give' \
        "$RIBOGRID-bench" align --seconds 0
    check "--pairs and --seconds are refused" refused 2 '--pairs or --seconds, not both' \
        bench --seconds 1
    check "a fractional length is refused" refused 2 '--length 7.5: give' bench --length 7.5
    check "an identity below 0.55 is refused" \
        refused 2 '--identity .5: give' bench --identity .5
    check "an unknown kernel is refused" refused 2 'no such kernel' bench --kernel nope
    check "a GPU kernel on a CPU is refused" refused 2 '--kernel dscan' \
        bench --kernel dscan
    check "an unknown device is refused" refused 2 '--device gpu: give' bench --device gpu
    check "a match that is no better than a mismatch is refused" \
        refused 2 '--match must be more' \
        bench --match 0 --mismatch 0
    check "an argument is refused" refused 2 'unexpected argument' bench reads.fa
}

test_rows
test_lengths
test_costs
test_seconds
test_length_mixes
test_batches
test_gpu
test_formats
test_peers
test_input
test_drawing
test_refusals
finish
