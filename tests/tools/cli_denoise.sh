#!/usr/bin/env bash
#
# cli_denoise.sh - `ribogrid denoise`: a small community with errors, its files and tables,
# samples, odd input, and vsearch on the same reads.
. "$(dirname "$0")/../support/shell_test.sh"
need_h5py

# 8 strains of falling abundance, one of which (near) differs by 2 bases from the first;
# e1 to e60 have 1 to 3 errors, among them gaps; o has one error, but is too abundant for it.
make_input()
{
    "$RIBOGRID" simulate 7 --length 250 --divergence 20 --ambiguous 0 --seed 5 -o refs.fa
    "$PYTHON" - <<'END2'
import random
rng = random.Random(2)
strains, name = {}, None
for line in open("refs.fa"):
    if line[0] == ">":
        name = line[1:].split()[0]
        strains[name] = ""
    else:
        strains[name] += line.strip()
def substitute(s, n):
    s = list(s)
    for at in rng.sample(range(len(s)), n):
        s[at] = rng.choice("ACGT".replace(s[at], ""))
    return "".join(s)
first = next(iter(strains))
strains["near"] = substitute(strains[first], 2)
reads = [(n, 4000 - 100 * i, s) for i, (n, s) in enumerate(strains.items())]
reads.append(("o", 600, substitute(strains[first], 1)))
for i in range(1, 61):
    s = substitute(rng.choice(list(strains.values())), rng.choice([1, 1, 2, 3]))
    if i % 10 == 0:
        at = rng.randrange(100, 150)
        s = s[:at] + s[at + 1:]
    reads.append((f"e{i}", rng.randrange(1, 16), s))
rng.shuffle(reads)
with open("reads.fa", "w") as out:
    for n, size, s in reads:
        out.write(f">{n};size={size}\n{s}\n")
for sample, odd in (("left", 0), ("right", 1)):
    with open(f"{sample}.fa", "w") as out:
        for n, size, s in reads:
            for k in range(size // 2 + (size % 2 if odd else 0)):
                out.write(f">{n}_{sample}_{k}\n{s}\n")
END2
}

test_result()
{
    check "denoise" expect_exit 0 "$RIBOGRID" denoise reads.fa -o out.h5 --asvs asvs.fa
    check "a line counts" grep -Eq '9 ASVs of [0-9]+ reads with an abundance of [0-9]+; left out' \
        "$err"
    check "strains, and o" diff <(awk '/^>/ { print $2 }' asvs.fa | sort) \
        <({ grep '>' refs.fa | tr -d '>' | awk '{ print $1 }' && echo near && echo o; } | sort)
    check "names have sizes" test "$(grep -c '^>Asv[1-9];size=[0-9]* ' asvs.fa)" = 9
    "$RIBOGRID" view out.h5 >view.tsv
    check "a line per read" test "$(tail -n +2 view.tsv | wc -l)" = "$(grep -c '>' reads.fa)"
    check "few reads are left out" awk -F '\t' 'NR > 1 && ($2 < 8) != ($3 == "NA") { exit 1 }' \
        view.tsv
    check "sizes are sums" diff \
        <(awk -F '\t' 'NR > 1 && $3 != "NA" { n[$3] += $2 } END { for (a in n) print a ";size=" n[a] }' \
            view.tsv | sort) <(sed -n 's/^>\([^ ]*\) .*/\1/p' asvs.fa | sort)
    check "info" test "$(field asvs out.h5)" = 9
    check "a page" expect_exit 0 "$RIBOGRID" report out.h5 -o page.html
    check "any abundance" expect_exit 0 "$RIBOGRID" denoise reads.fa --min-size 1 -q -o all.h5
    check "none is left out" test "$(field reads_left_out all.h5)" = 0
    check "another alpha" expect_exit 0 "$RIBOGRID" denoise reads.fa --alpha 0.5 -q -o low.h5
    check "fewer ASVs" test "$(field asvs low.h5)" -lt 9
    check "a plan" expect_exit 0 "$RIBOGRID" denoise reads.fa --plan
}

test_samples()
{
    check "two samples" expect_exit 0 "$RIBOGRID" denoise left.fa right.fa --derep -q \
        -o samples.h5 --asvs samples.fa
    check "the same ASVs" diff <(grep -v '>' asvs.fa | sort) <(grep -v '>' samples.fa | sort)
    check "a table" expect_exit 0 "$RIBOGRID" export samples.h5 --format otutab -o table.tsv
    check "its columns" test "$(head -1 table.tsv)" = $'#OTU ID\tleft\tright'
    check "its sums" diff <(awk 'NR > 1 { print $1 ";size=" $2 + $3 }' table.tsv) \
        <(sed -n 's/^>\([^ ]*\) .*/\1/p' samples.fa)
    printf 'left\tleft.fa\nright\tright.fa\n' >manifest.tsv
    check "a manifest" expect_exit 0 "$RIBOGRID" denoise --manifest manifest.tsv --derep -q \
        -o manifest.h5
    check "the same table" diff table.tsv \
        <("$RIBOGRID" export manifest.h5 --format otutab)
    sed 's/^\(>.*_\)\(left\|right\)\(_.*\)/\1\2\3;sample=\2/' left.fa right.fa >labels.fa
    check "labels" expect_exit 0 "$RIBOGRID" denoise labels.fa --samplein --derep -q -o labels.h5
    check "the same again" diff table.tsv <("$RIBOGRID" export labels.h5 --format otutab)
    check "chimeras of samples" expect_exit 0 "$RIBOGRID" chimeras left.fa right.fa --derep \
        -q -o chimeras.h5
    cat left.fa right.fa >both.fa
    check "chimeras of one file" expect_exit 0 "$RIBOGRID" chimeras both.fa --derep -q \
        -o chimeras1.h5
    check "the same chimeras" diff <("$RIBOGRID" view chimeras.h5) \
        <("$RIBOGRID" view chimeras1.h5)
}

test_export()
{
    awk '/^>/ { sub(/;.*/, ""); print substr($0, 2) "\tBacteria;Genus " ++n }' samples.fa >asvs.tax
    check "fasta" expect_exit 0 "$RIBOGRID" export samples.h5 --format fasta --sizeout -o x.fa
    check "as --asvs" same samples.fa x.fa
    check "shared" expect_exit 0 "$RIBOGRID" export samples.h5 --format shared -o x.shared
    check "a line per sample" test "$(wc -l <x.shared)" = 3
    check "biom" expect_exit 0 "$RIBOGRID" export samples.h5 --format biom --taxonomy asvs.tax \
        -o x.biom
    check "biom-json" expect_exit 0 "$RIBOGRID" export samples.h5 --format biom-json -o x.json
    check "ids" grep -q '"Asv1"' x.json
    check "constaxonomy" expect_exit 0 "$RIBOGRID" export samples.h5 --format constaxonomy \
        --taxonomy asvs.tax -o x.taxonomy
    check "its names" grep -q $'^Asv2\t.*Genus_2' x.taxonomy
    awk '/^>Asv[24];/ { p = 0 } /^>Asv[13];/ { p = 1 } p' samples.fa >some.fa
    check "only some" expect_exit 0 "$RIBOGRID" export samples.h5 --format otutab \
        --only some.fa --taxonomy asvs.tax -o some.tsv
    check "how many" grep -q 'some.fa: 2 of [0-9]* are kept' "$err"
    "$RIBOGRID" export samples.h5 --format otutab --taxonomy asvs.tax -q -o all.tsv
    check "with their names and counts" diff <(grep -E '^(OTU|#|Asv[13]\b)' all.tsv) some.tsv
    check "of no ASV" refused 1 "refs.fa: record 1 .* is none of the OTUs or ASVs" \
        "$RIBOGRID" export samples.h5 --format otutab --only refs.fa -o y
    check "not FASTA" refused 2 '--only is for otutab' "$RIBOGRID" export samples.h5 \
        --format fasta --only some.fa -o y
    check "no pairs" refused 2 'otumap is not of ASVs' "$RIBOGRID" export samples.h5 \
        --format otumap -o y
    check "nor blast6" refused 2 'blast6 is not of ASVs' "$RIBOGRID" export samples.h5 \
        --format blast6 -o y
    check "no groups" refused 2 'leave it out' "$RIBOGRID" export samples.h5 --format otutab \
        --groups out.h5 -o y
}

test_refused()
{
    : >empty.fa
    check "no reads" expect_exit 0 "$RIBOGRID" denoise empty.fa -o empty.h5 --asvs none.fa
    check "a warning" grep -q 'empty.fa holds no sequence: there are no ASVs' "$err"
    check "an empty file" test ! -s none.fa
    check "view of nothing" expect_exit 0 "$RIBOGRID" view empty.h5
    check "rare reads" expect_exit 0 "$RIBOGRID" denoise refs.fa -o rare.h5
    check "a warning" grep -q 'no read has an abundance of 8.*--derep' "$err"
    check "rare equal reads" expect_exit 0 "$RIBOGRID" denoise refs.fa --derep -o rare.h5 --force
    check "what is left to do" grep -q 'no ASVs; give a lower --min-size' "$err"
    check "equal reads are counted without sizes" \
        test "$(grep -c 'every record counts' "$err")" = 0
    check "no number" refused 2 '--alpha x: give a number from 0 to 1000' "$RIBOGRID" denoise \
        reads.fa --alpha x -o y.h5
    check "no abundance" refused 2 '--min-size 0' "$RIBOGRID" denoise reads.fa --min-size 0 \
        -o y.h5
    check "stdout" refused 2 'HDF5 cannot be written to stdout' "$RIBOGRID" denoise reads.fa -o -
    check "a finished run is known" expect_exit 0 "$RIBOGRID" denoise reads.fa --resume \
        -o out.h5 --asvs asvs.fa
    check "nothing to do" grep -q 'out.h5 is already finished: nothing to do' "$err"
    check "another rule" refused 1 "out.h5 is of another job: there 'alpha=2', now 'alpha=3'" \
        "$RIBOGRID" denoise reads.fa --alpha 3 --resume -o out.h5
    check "nothing is left" absent y.h5 y.h5.part
}

test_vsearch()
{
    command -v vsearch >/dev/null || return 0
    vsearch --cluster_unoise reads.fa --minsize 8 --unoise_alpha 2 --maxaccepts 0 --maxrejects 0 \
        --qmask none --sizein --sizeout --centroids v.fa --uc v.uc --quiet
    check "vsearch: the same ASVs, with their abundances" diff \
        <(sed -n 's/^>Asv[0-9]*;size=\([0-9]*\) \(.*\)/\2;size=\1/p' asvs.fa | sort) \
        <(sed -n 's/^>//p' v.fa | sort)
    check "vsearch: the same reads in each" diff \
        <(awk -F '\t' 'NR == FNR { if (/^>/) { split(substr($0, 2), f, /[; ]/); of[f[1]] = f[3] }; next }
            FNR > 1 && $3 != "NA" && of[$3] != $1 { print $1, of[$3] }' asvs.fa view.tsv | sort) \
        <(awk -F '\t' '$1 == "H" { split($9, a, ";"); split($10, b, ";"); print a[1], b[1] }' v.uc |
            sort)
}

make_input
test_result
test_samples
test_export
test_refused
test_vsearch
finish
