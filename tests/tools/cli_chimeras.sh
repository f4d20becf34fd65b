#!/usr/bin/env bash
#
# cli_chimeras.sh - `ribogrid chimeras`: a small community with known chimeras, de novo and
# against references, its files, odd input, and vsearch on the same reads.
. "$(dirname "$0")/../support/shell_test.sh"
need_h5py

# 12 strains of falling abundance; c1 to c20 are made of two of them, e1 to e40 have an error.
make_input()
{
    "$RIBOGRID" simulate 12 --length 250 --divergence 30 --ambiguous 0 --seed 5 -o refs.fa
    "$PYTHON" - <<'END2'
import random
rng = random.Random(1)
strains, name = {}, None
for line in open("refs.fa"):
    if line[0] == ">":
        name = line[1:].split()[0]
        strains[name] = ""
    else:
        strains[name] += line.strip()
all_of = list(strains.values())
reads = [(f"{n};size={1000 - 70 * i}", s) for i, (n, s) in enumerate(strains.items())]
made = []
for i in range(1, 21):
    a, b = rng.sample(all_of, 2)
    cut = rng.randrange(60, 180)
    made.append(a[:cut] + b[cut:])
    reads.append((f"c{i};size={40 - i}", made[-1]))
for i in range(1, 41):
    s = list(rng.choice(all_of + made))
    at = rng.randrange(len(s))
    s[at] = rng.choice("ACGT".replace(s[at], ""))
    reads.append((f"e{i};size=1", "".join(s)))
rng.shuffle(reads)
with open("reads.fa", "w") as out:
    for n, s in reads:
        out.write(f">{n}\n{s}\n")
END2
}

test_de_novo()
{
    check "de novo" expect_exit 0 "$RIBOGRID" chimeras reads.fa -o out.h5 --chimeras yes.fa \
        --nonchimeras no.fa --borderline maybe.fa --uchimeout out.tsv
    check "a line counts" grep -Eq '[0-9]+ chimeras, [0-9]+ borderline, [0-9]+ others' "$err"
    check "no strain is a chimera" test "$(grep -c '^>sim' no.fa)" = 12
    check "chimeras are found" test "$(grep -c '^>c' yes.fa)" -ge 18
    check "each read is in one file" diff <(cat yes.fa no.fa maybe.fa | grep '>' | sort) \
        <(grep '>' reads.fa | sort)
    check "in the order of the input" diff <(cut -f 2 out.tsv) <(sed -n 's/^>//p' reads.fa)
    check "calls and files agree" diff <(awk -F '\t' '$18 == "Y" { print ">" $2 }' out.tsv) \
        <(grep '>' yes.fa)
    "$RIBOGRID" view out.h5 >view.tsv
    check "view prints the same with a header" diff <(tail -n +2 view.tsv) out.tsv
    check "18 columns" test "$(awk -F '\t' '{ print NF }' view.tsv | sort -u)" = 18
    check "info counts" test "$(field chimeras out.h5)" = "$(grep -c '>' yes.fa)"
    check "a page" expect_exit 0 "$RIBOGRID" report out.h5 -o page.html
    check "exact models" expect_exit 0 "$RIBOGRID" chimeras reads.fa --method uchime2 -q \
        -o exact.h5 --uchimeout exact.tsv
    check "their models equal the reads" awk -F '\t' '$18 == "Y" { n++; good += $6 == "100.0" }
        END { exit !(n >= 15 && good == n) }' exact.tsv
    check "the reserve of abundance" expect_exit 0 "$RIBOGRID" chimeras reads.fa --abskew \
        1000000 -q -o none.h5
    check "nothing is more abundant by so much" test "$(field chimeras none.h5)" = 0
}

test_references()
{
    check "against references" expect_exit 0 "$RIBOGRID" chimeras reads.fa --against refs.fa \
        -o ref.h5 --uchimeout ref.tsv
    check "no strain" awk -F '\t' '$2 ~ /^sim/ && $18 != "N" { exit 1 }' ref.tsv
    check "chimeras are found" test "$(grep -c '	c.*	Y$' ref.tsv)" -ge 18
    check "parents are references" awk -F '\t' '$3 != "*" && $3 !~ /^sim[0-9]*$/ { exit 1 }' ref.tsv
    head -2 refs.fa >one.fa
    check "one reference" expect_exit 0 "$RIBOGRID" chimeras reads.fa --against one.fa -o one.h5
    check "a warning" grep -q 'one.fa holds one sequence: no read can have two parents' "$err"
    check "no chimera" test "$(field chimeras one.h5)" = 0
}

# Abundances of a table, and of reads that are merged.
test_abundances()
{
    sed 's/;size=[0-9]*//' reads.fa >bare.fa
    sed -n 's/^>\(.*\);size=\(.*\)/\1\tsample\t\2/p' reads.fa >samples.tsv
    check "a table" expect_exit 0 "$RIBOGRID" chimeras bare.fa --samples samples.tsv -q \
        -o table.h5 --uchimeout table.tsv
    check "the same calls" same out.tsv table.tsv
    awk '/^>/ { split($0, a, /;size=/); next }
        { for (i = 0; i < a[2] / 10; i++) print a[1] "_" i "\n" $0 }' reads.fa >many.fa
    check "records that are merged" expect_exit 0 "$RIBOGRID" chimeras many.fa --derep -q \
        -o many.h5
    check "nearly the same" test "$(field chimeras many.h5)" -ge 15
    check "without --derep" expect_exit 0 "$RIBOGRID" chimeras many.fa -o flat.h5
    check "a warning" grep -q 'no read is more abundant than another.*--derep' "$err"
}

test_refused()
{
    : >empty.fa
    printf '>p\nMKVLAAGIVGLLLAQPSFEEIIL\n' >protein.fa
    check "no reads" expect_exit 0 "$RIBOGRID" chimeras empty.fa -o empty.h5 --chimeras none.fa
    check "a warning" grep -q 'empty.fa holds no sequence: there is nothing to search' "$err"
    check "an empty file" test ! -s none.fa
    check "proteins" refused 1 'looks like protein' "$RIBOGRID" chimeras protein.fa -o y.h5
    check "no number" refused 2 '--minh x: give a number from 0 to 1000000' "$RIBOGRID" \
        chimeras reads.fa --minh x -o y.h5
    check "not a number" refused 2 '--minh nan: give a number' "$RIBOGRID" chimeras reads.fa \
        --minh nan -o y.h5
    check "too small" refused 2 '--abskew 0.5: give a number from 1' "$RIBOGRID" chimeras \
        reads.fa --abskew 0.5 -o y.h5
    check "no divisor" refused 2 '--xn and --dn are divisors' "$RIBOGRID" chimeras reads.fa \
        --dn 0 -o y.h5
    check "references have no abundances" refused 2 '--abskew compares abundances' \
        "$RIBOGRID" chimeras reads.fa --against refs.fa --abskew 3 -o y.h5
    check "an output twice" refused 2 'yy.fa' "$RIBOGRID" chimeras reads.fa --chimeras yy.fa \
        --nonchimeras yy.fa -o y.h5
    check "a finished run is known" expect_exit 0 "$RIBOGRID" chimeras reads.fa --resume \
        -o out.h5
    check "nothing to do" grep -q 'out.h5 is already finished: nothing to do' "$err"
    check "another rule" refused 1 "out.h5 is of another job: there 'xn=8', now 'xn=7'" \
        "$RIBOGRID" chimeras reads.fa --xn 7 --resume -o out.h5
    check "nothing is left" absent y.h5 y.h5.part yy.fa
}

# The alignments of few and different strains are the same.
test_vsearch()
{
    command -v vsearch >/dev/null || return 0
    vsearch --uchime_denovo reads.fa --uchimeout v.tsv --quiet
    check "vsearch: the same calls" diff <(cut -f 2,18 v.tsv | sort) <(cut -f 2,18 out.tsv | sort)
    check "vsearch: the same parents" diff <(cut -f 2-4 v.tsv | grep '^[ce]' | sort) \
        <(cut -f 2-4 out.tsv | grep '^[ce]' | sort)
    check "vsearch: most lines are the same" test \
        "$(sort v.tsv out.tsv | uniq -d | wc -l)" -ge 50
    vsearch --uchime_ref reads.fa --db refs.fa --uchimeout vr.tsv --quiet
    check "vsearch: against references" diff <(cut -f 2,18 vr.tsv | sort) \
        <(cut -f 2,18 ref.tsv | sort)
    vsearch --uchime2_denovo reads.fa --uchimeout v2.tsv --quiet
    check "vsearch: uchime2" diff <(cut -f 2,18 v2.tsv | sort) <(cut -f 2,18 exact.tsv | sort)
}

make_input
test_de_novo
test_references
test_abundances
test_refused
test_vsearch
finish
