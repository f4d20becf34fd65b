#!/usr/bin/env bash
#
# cli_classify_region.sh - `ribogrid classify` of reads that are parts of the references, or
# more than them: what to refuse is learned again, or a warning says what is amiss.
. "$(dirname "$0")/../support/shell_test.sh"
need_h5py

# Genes of 30 genera in ten families, four of each; those of the genera 0 to 19 are references.
# parts.fa: bases 201 to 350 of all genes; turned.fa: their reverse complements.
make_input()
{
    "$PYTHON" - <<'END'
import random
random.seed(1)
turn = str.maketrans("ACGT", "TGCA")

def mutant(gene, part):
    return "".join(random.choice("ACGT") if random.random() < part else c for c in gene)

def random_gene(n):
    return "".join(random.choice("ACGT") for _ in range(n))

forward, reverse = "GTGCCAGCAGCCGCGGTAA", "ATTAGAAACCCTGGTAGTCC"
base = random_gene(800)
names = ("refs.fa", "refs.tax", "genes.fa", "parts.fa", "turned.fa", "other.fa", "primed.fa",
         "near.fa")
out = {name: open(name, "w") for name in names}
for genus in range(30):
    if genus % 3 == 0:
        family = mutant(base, 0.2)
    founder = mutant(family, 0.06)
    for k in range(4):
        name, gene = f"g{genus}_{k}", mutant(founder, 0.02)
        part = gene[200:350]
        if genus < 20:
            out["refs.fa"].write(f">{name}\n{gene}\n")
            out["refs.tax"].write(f"{name}\tBacteria;Family {genus // 3};Genus {genus}\n")
            out["primed.fa"].write(
                f">{name}\n{gene[:200]}{forward}{part}{reverse}{gene[350:]}\n")
        out["genes.fa"].write(f">{name}\n{gene}\n")
        out["parts.fa"].write(f">{name}\n{part}\n")
        out["turned.fa"].write(f">{name}\n{part.translate(turn)[::-1]}\n")
        out["other.fa"].write(f">{name}\n{random_gene(200)}\n")
        out["near.fa"].write(f">{name}\n{gene[400:550]}\n")
END
    check "train on whole genes" expect_exit 0 "$RIBOGRID" classify train refs.fa \
        --taxonomy refs.tax --held-out 60 -q -o whole.h5
    check "train on a region" expect_exit 0 "$RIBOGRID" classify train primed.fa \
        --taxonomy refs.tax --primers 515F/806R --held-out 60 -q -o region.h5
}

# names READS MODEL OUT [option...]
names()
{
    local reads=$1 model=$2 to=$3

    shift 3
    expect_exit 0 "$RIBOGRID" classify "$reads" --model "$model" --force -o "$to" "$@"
}

# absent_named FILE: how many reads of genera that the model lacks get a genus.
absent_named()
{
    awk -F '\t' 'NR > 1 && substr($1, 2) + 0 >= 20 && $3 ~ /Genus/ { n++ }
        END { print n + 0 }' "$1"
}

test_parts()
{
    local rate learned="parts.fa: reads are bases 201 to 350 of the references (medians; \
150 of 800 bases); what to refuse is learned again for them, from "

    check "parts" names parts.fa whole.h5 parts.h5
    check "a line says what they are, and what follows" grep -qF "$learned" "$err"
    check "the job has them" test "$(field parts parts.h5)" -gt 20
    check "reverse complements" names turned.fa whole.h5 turned.tsv
    check "the same line" grep -qF "${learned#parts.fa: }" "$err"
    check "parts as tsv" names parts.fa whole.h5 parts.tsv
    check "have the same names" diff <(cut -f 1,3 parts.tsv) <(cut -f 1,3 turned.tsv)
    check "one strand: they are unlike" names turned.fa whole.h5 plus.tsv --strand plus
    check "a warning" grep -q "turned.fa: reads do not lie in the references of whole.h5, so \
that --novelty-rate may not hold" "$err"
    for rate in 0 0.25 1; do
        check "--novelty-rate $rate" names parts.fa whole.h5 rate$rate.tsv \
            --novelty-rate $rate -q
    done
    check "0.25 is the default" same rate0.25.tsv parts.tsv
    check "of 40 reads of absent genera a quarter is named, and what chance adds" \
        test "$(absent_named rate0.25.tsv)" -le 20
    check "at a rate of 0 not more" test "$(absent_named rate0.tsv)" -le \
        "$(absent_named rate0.25.tsv)"
    check "at a rate of 1 all" test "$(absent_named rate1.tsv)" = 40
    check "nbc" names parts.fa whole.h5 nbc.tsv --method nbc --novelty-rate 0.25
    check "has thresholds of its own for them" grep -qF "$learned" "$err"
    check "-q is quiet" names parts.fa whole.h5 quiet.tsv -q
    check "no line" test ! -s "$err"
    check "--min-support needs no rate" names parts.fa whole.h5 support.h5 --min-support 0.8
    check "nothing is learned" expect_exit 1 grep -q 'learned again' "$err"
    check "there are no parts" test -z "$(field parts support.h5)"
    check "whole genes" names genes.fa whole.h5 genes.h5
    check "are what was trained for" expect_exit 1 grep -q 'learned again\|warning' "$err"
    check "no parts" test -z "$(field parts genes.h5)"
}

test_align()
{
    check "train with alignments" expect_exit 0 "$RIBOGRID" classify train refs.fa \
        --taxonomy refs.tax --held-out 30 --align -q -o align.h5
    check "parts by alignment" names parts.fa align.h5 align.tsv --method align
    check "learned again" grep -q 'learned again for them' "$err"
    check "at a rate of 1" names parts.fa align.h5 align.tsv --method align --novelty-rate 1
    check "all are named" test "$(absent_named align.tsv)" = 40
}

test_warnings()
{
    check "info: the primers of a model" test "$(field primers region.h5)" = 515F/806R
    check "none of whole genes" test -z "$(field primers whole.h5)"
    check "reads of the model's region" names parts.fa region.h5 own.tsv
    check "need no line" expect_exit 1 grep -q 'learned again\|warning' "$err"
    check "whole genes by a model of a region" names genes.fa region.h5 longer.tsv
    check "a warning says how to cut them" grep -q "genes.fa: reads are longer than the \
references of region.h5 (medians: 800 and 150 bases), so that few of them get a name; give \
--primers 515F/806R, or train" "$err"
    check "also with --min-support" names genes.fa region.h5 longer.tsv --min-support 0.8
    check "the same warning" grep -q 'reads are longer than the references' "$err"
    check "another region" names near.fa region.h5 near.tsv
    check "a warning names that of the model" grep -q \
        'near.fa: reads do not lie in the references of region.h5 (515F/806R), so that' "$err"
    check "other sequences" names other.fa whole.h5 other.tsv
    check "the same warning" grep -q 'other.fa: reads do not lie in the references' "$err"
    head -26 refs.fa >few.fa
    check "few references" expect_exit 0 "$RIBOGRID" classify train few.fa \
        --taxonomy refs.tax --held-out 13 -q -o few.h5
    check "reads of them" names parts.fa few.h5 few.tsv
    check "too few" grep -q 'of the reads were found in only 13 references of few.h5' "$err"
}

# A model of references that were cut elsewhere does not know their primers.
test_unknown_primers()
{
    "$PYTHON" -c 'import h5py, shutil
shutil.copy("region.h5", "cut.h5")
with h5py.File("cut.h5", "r+") as f:
    del f["references"].attrs["primers"]'
    check "whole genes by such a model" names genes.fa cut.h5 cut.tsv
    check "the warning has no primers" grep -q \
        'few of them get a name; cut them to its region, or' "$err"
}

make_input
test_parts
test_align
test_warnings
test_unknown_primers
finish
