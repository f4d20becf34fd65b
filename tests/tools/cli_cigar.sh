#!/usr/bin/env bash
#
# cli_cigar.sh - tests `ribogrid align --emit cigar`: the alignments, the file as h5py reads
# it, several ranks, stopping and resuming, refusals.
#
# The tables in golden/ were made by an independent program in another language.
. "$(dirname "$0")/../support/shell_test.sh"
need_h5py
golden=$here/golden
mixed=$golden/mixed.fa

# align INPUT OPTION...: write x.h5, and replace it if it exists.
align()
{
    "$RIBOGRID" align "$@" --emit cigar -q --force -o x.h5
}

# without_cigar: except for the CIGARs, x.h5 is the file of --emit identity.
without_cigar()
{
    "$RIBOGRID" view x.h5 | cut -f 1-6 >x.tsv && "$RIBOGRID" view identity.h5 >i.tsv &&
        same i.tsv x.tsv
}

test_results()
{
    check "M" expect_table mixed_cigar "$mixed"
    check "the file names the style" test "$(field cigar_style x.h5)" = m
    check "the file lists the datasets" test "$(field datasets x.h5)" = \
        'score matches columns cigar'
    cp x.h5 default.h5
    check "--cigar-style m" expect_table mixed_cigar "$mixed" --cigar-style m
    check "--cigar-style m is the default" equal default.h5 x.h5
    check "= and X, counted ends" expect_table mixed_cigar_count "$mixed" --cigar-style \
        eqx \
        --ends count
    check "the file names the other style" test "$(field cigar_style x.h5)" = eqx
    for kernel in scalar simd; do
        "$RIBOGRID" devices | grep -q "^cpu.* $kernel" || continue
        check "--kernel $kernel" expect_table mixed_cigar "$mixed" --kernel $kernel
    done
    check "--kernel bscan has CIGARs made by another kernel" expect_table \
        mixed_cigar_count "$mixed" \
        --kernel bscan --cigar-style eqx --ends count
    check "no sequences" expect_exit 0 align "$golden/none.fa"
    check "view prints only the header" test "$("$RIBOGRID" view x.h5 | wc -l)" -eq 1
    check "view --id selects lines of the table" same \
        <("$RIBOGRID" view default.h5 --id 0.9) \
        <(awk -F '\t' 'NR == 1 || ($6 != "NA" && $6 >= 0.9)' "$golden/mixed_cigar.tsv")
    check "view --region does, too" same \
        <("$RIBOGRID" view --no-header default.h5 --region 2-3,5-8) \
        <(grep -P '^(changed|missing)\t(codes|codes_too|longer|foreign)\t' \
            "$golden/mixed_cigar.tsv")
}

# consistent FILE: h5py reads every CIGAR, and they agree with matches and columns.
consistent()
{
    "$PYTHON" - "$@" <<'END'
import re
import sys

import h5py

f = h5py.File(sys.argv[1], "r")
free = f.attrs["ends"] == b"free"
sequences = [f["sequences/letters"][b:e].tobytes() for b, e in zip(
    f["sequences/offset"][:-1], f["sequences/offset"][1:])]
assert f["cigar"].dtype == "u1" and f["cigar_offset"].dtype == "<i8"
n_read = 0
for i in range(len(sequences)):
    for j in range(len(sequences)):
        o = f["cigar_offset"][i, j]
        text = f["cigar"][o:o + f["cigar_length"][i, j]].tobytes().decode()
        assert (text != "") == (f["columns"][i, j] > 0), (i, j, text)
        if text == "":
            continue
        runs = [(int(n), op) for n, op in re.findall(r"(\d+)([MID=X])", text)]
        assert "".join(f"{n}{op}" for n, op in runs) == text, text
        assert sum(n for n, op in runs if op != "D") == len(sequences[i])
        assert sum(n for n, op in runs if op != "I") == len(sequences[j])
        if free:
            runs = runs[runs[0][1] in "ID":len(runs) - (runs[-1][1] in "ID")]
        assert sum(n for n, _ in runs) == f["columns"][i, j]
        if f.attrs["cigar_style"] == b"eqx":
            assert sum(n for n, op in runs if op == "=") == f["matches"][i, j]
        else:
            assert "=" not in text and "X" not in text
        n_read += 1
assert n_read > 100, n_read
END
}

# joined EQX.h5: the CIGARs of x.h5 are those of EQX.h5 with runs of = and X joined to M.
joined()
{
    same <("$RIBOGRID" view x.h5) <("$RIBOGRID" view "$1" | "$PYTHON" -c '
import re
import sys

for line in sys.stdin:
    print(re.sub(r"(\d+[=X])+", lambda runs: "%dM" % sum(
        int(n) for n in re.findall(r"\d+", runs[0])), line), end="")')
}

test_file()
{
    local ends kernel

    "$RIBOGRID" simulate 40 --length 300 -o reads.fa
    for ends in free count; do
        "$RIBOGRID" align reads.fa -q --force --ends $ends -o identity.h5
        check "--ends $ends" expect_exit 0 align reads.fa --ends $ends
        check "--ends $ends, M, read by h5py" consistent x.h5
        check "--ends $ends: the rest is as with --emit identity" without_cigar
        check "--ends $ends, = and X" expect_exit 0 align reads.fa --ends $ends \
            --cigar-style eqx
        check "--ends $ends, = and X, read by h5py" consistent x.h5
        check "--ends $ends, = and X: the rest is as with --emit identity" without_cigar
        cp x.h5 eqx.h5
        for kernel in scalar auto; do
            check "--ends $ends, --kernel $kernel, M" expect_exit 0 align reads.fa \
                --ends $ends --kernel $kernel
            check "M is = and X joined" joined eqx.h5
        done
    done
    "$RIBOGRID" simulate 400 --length 12 -o many.fa
    check "400 sequences" expect_exit 0 align many.fa
    check "make many tiles" test "$(field tile x.h5)" = '16 x 16'
    check "view prints each pair" test \
        "$("$RIBOGRID" view --no-header x.h5 --region 1-17 | wc -l)" -eq \
        $((17 * 399 - 16 * 17 / 2))
    check "and its CIGAR" test "$("$RIBOGRID" view --no-header x.h5 --region 10-20 |
        awk -F '\t' '($6 == "NA") != ($7 == "*")' | wc -l)" -eq 0
}

test_ranks()
{
    local n

    command -v mpirun >/dev/null && ! is_sanitized || return # Open MPI itself leaks
    mpi 1 true >/dev/null 2>&1 || return
    "$RIBOGRID" align reads.fa -q --emit cigar -o one.h5
    for n in 2 3; do
        check "$n ranks" expect_exit 0 mpi $n "$RIBOGRID" align reads.fa -q --emit cigar \
            --force -o ranks.h5
        check "$n ranks: equal to one process" equal one.h5 ranks.h5
    done
}

# stop SIGNAL CODE: start a run that writes s.h5, stop it halfway, and expect the exit code.
stop()
{
    local pid status

    "$RIBOGRID" align long.fa --emit cigar --kernel scalar --threads 1 -o s.h5 2>"$err" &
    pid=$!
    until_true 300 larger_than 60000 s.h5.part || return 1
    kill -s "$1" $pid
    wait $pid
    status=$?
    cat "$err"
    echo "exit $status"
    [ $status -eq "$2" ]
}

test_resume()
{
    "$RIBOGRID" simulate 200 --length 150 --seed 2 -o long.fa
    "$RIBOGRID" align long.fa -q --emit cigar -o whole.h5
    check "stopped" stop TERM 75
    check "another style is another job" refused 1 \
        "of another job: there 'cigar_style=m', now 'cigar_style=eqx'" \
        "$RIBOGRID" align long.fa -o s.h5 --resume --emit cigar --cigar-style eqx
    check "another output is another job, too" refused 1 \
        "of another job: there 'emit=cigar', now 'emit=identity'" \
        "$RIBOGRID" align long.fa -o s.h5 --resume
    check "--resume" expect_exit 0 "$RIBOGRID" align long.fa -o s.h5 --resume --emit cigar
    check "it continues" grep -q 'resuming: ' "$err"
    check "equal to an uninterrupted run" equal whole.h5 s.h5
    rm s.h5
    check "killed" stop KILL 137
    check "--resume" expect_exit 0 "$RIBOGRID" align long.fa -o s.h5 --resume --emit cigar
    check "it continues" grep -q 'resuming: ' "$err"
    check "equal to an uninterrupted run" equal whole.h5 s.h5
}

test_usage()
{
    check "--cigar-style without CIGARs" refused 2 '--cigar-style needs --emit cigar' \
        "$RIBOGRID" align "$mixed" -o n.h5 --cigar-style m
    check "--cigar-style x" refused 2 '--cigar-style x: give one of m|eqx' \
        "$RIBOGRID" align "$mixed" -o n.h5 --emit cigar --cigar-style x
    check "a result larger than --max-output" refused 1 \
        'sequences make [0-9.]* [KM]iB of .*more than --max-output, 600 bytes; raise it, or give --emit identity' \
        "$RIBOGRID" align "$mixed" -o n.h5 --emit cigar --max-output 600
    check "no file is left" absent n.h5 n.h5.part n.h5.tmp-*
}

test_results
test_file
test_ranks
test_resume
test_usage
finish
