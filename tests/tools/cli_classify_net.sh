#!/usr/bin/env bash
#
# cli_classify_net.sh - `classify` by a network of sequences: supports that are sums of the
# probabilities of `cnn predict`, both strands, any number of ranks, and models of another kind.
. "$(dirname "$0")/../support/shell_test.sh"
need_h5py

# network SIZE: print a network of one layer.
network()
{
    printf '[net]\ninput = %s\nclasses = 4\n[layers]\nout = linear classes\nloss = softmax\n' "$1"
    printf '[solver]\nrate = 0.00005\nbatch = 8\nepochs = 10\n'
}

# refs.fa: eight genes of each of four genera; reads.fa: others of them, some
# reverse-complemented, and two reads without 6-mers
make_input()
{
    network 1x64x64 >kmer.ini
    network 1x28x28 >digits.ini
    "$PYTHON" - <<'END'
import random

random.seed(1)
turn = str.maketrans("ACGT", "TGCA")
# relative frequencies of A, C, G and T
genera = {"poor1": (6, 1, 2, 1), "poor2": (4, 4, 1, 1), "rich1": (1, 6, 1, 2), "rich2": (1, 4, 1, 4)}
lineages = {"poor1": "B;poor;poor1", "poor2": "B;poor;poor2", "rich1": "B;rich1", "rich2": "A;rich2"}
with open("refs.fa", "w") as refs, open("refs.tax", "w") as tax, open("reads.fa", "w") as reads:
    for genus, bases in genera.items():
        for i in range(12):
            gene = "".join(random.choices("ACGT", bases, k=300))
            if i < 8:
                refs.write(f">{genus}_{i}\n{gene}\n")
                tax.write(f"{genus}_{i}\t{lineages[genus]}\n")
                continue
            reads.write(f">{genus}_{i}\n{gene[:200]}\n")
            reads.write(f">{genus}_{i}_turned\n{gene[:200].translate(turn)[::-1]}\n")
    reads.write(">short\nACGTA\n>codes\n" + "N" * 60 + "\n")
END
    check "train" expect_exit 0 "$RIBOGRID" cnn train kmer.ini refs.fa --taxonomy refs.tax -q \
        --threads 1 -o net.h5
}

# sums_up TABLE TSV: supports are sums of the probabilities of `cnn predict`; of each read and
# its reverse complement the one whose lineage has more support on average was taken.
sums_up()
{
    "$PYTHON" - "$1" "$2" <<'END'
import sys

p = {}
for line in open(sys.argv[1]).read().splitlines()[1:]:
    name, lineage, value = line.split("\t")
    p.setdefault(name, {})[lineage] = float(value)

def below(classes, taxon):
    return sum(v for c, v in classes.items() if c == taxon or c.startswith(taxon + ";"))

def mean(name):
    taxa = max(p[name], key=p[name].get).split(";")
    return sum(below(p[name], ";".join(taxa[:k + 1])) for k in range(len(taxa))) / len(taxa)

lines = [line.split("\t") for line in open(sys.argv[2]).read().splitlines()[1:]]
assert len(lines) == 34, len(lines)
for name, strand, lineage, support, method in lines:
    assert method == "cnn", method
    if name in ("short", "codes"):
        assert (lineage, support) == ("unclassified", "NA"), (name, lineage)
        continue
    other = name[:-7] if name.endswith("_turned") else name + "_turned"
    best, worse = (name, other) if strand == "+" else (other, name)
    assert mean(best) >= mean(worse) - 2e-4, (name, strand)
    taxa = lineage.split(";")
    assert max(p[best], key=p[best].get) == lineage, (name, lineage)
    for rank, given in enumerate(support.split(";")):
        above = ";".join(taxa[:rank + 1])
        total = below(p[best], above)
        assert abs(total - float(given)) < 1e-4, (name, above, total, given)
END
}

test_names()
{
    check "all ranks are named" expect_exit 0 "$RIBOGRID" classify reads.fa --model net.h5 \
        --min-support 0 --threads 1 -o names.tsv
    check "two reads have no 6-mer" grep -q '32 of 34 reads are classified' "$err"
    check "the probabilities" expect_exit 0 "$RIBOGRID" cnn predict net.h5 reads.fa --top 4 -q \
        -o p.tsv
    check "supports are their sums" sums_up p.tsv names.tsv
    check "some are below 1" grep -q '0\.[0-9]*	cnn$' names.tsv
    check "one strand" expect_exit 0 "$RIBOGRID" classify reads.fa --model net.h5 --method cnn \
        --strand plus --kernel cpu -q -o forward.tsv
    check "all are forward" test "$(grep -c '	+	' forward.tsv)" = 34
    check "most genes get their genus" awk -F '\t' '/^[pr].*_[0-9]+\t/ {
        n++; split($1, a, "_"); good += $3 ~ "(^|;)" a[1] "$" }
        END { print good " of " n; exit !(n == 16 && good >= 13) }' forward.tsv
    check "the default threshold" expect_exit 0 "$RIBOGRID" classify reads.fa --model net.h5 -q \
        -o default.tsv
    check "is 0.8" expect_exit 0 "$RIBOGRID" classify reads.fa --model net.h5 \
        --min-support 0.8 --resume -o default.tsv
    check "every named rank reaches it" awk -F '\t' 'NR > 1 && $4 != "NA" {
        n = split($4, s, ";"); if (s[n] < 0.8) bad++; named++ } END { exit bad || !named }' \
        default.tsv
}

test_runs()
{
    check "hdf5" expect_exit 0 "$RIBOGRID" classify reads.fa --model net.h5 --min-support 0 -q \
        -o names.h5
    "$RIBOGRID" view names.h5 >view.tsv
    check "hdf5: the same names" same names.tsv view.tsv
    check "a finished file is recognised" expect_exit 0 "$RIBOGRID" classify reads.fa \
        --model net.h5 --min-support 0 -q --resume -o names.h5
    sed 's/rich1$/other1/' refs.tax >renamed.tax
    "$RIBOGRID" cnn train kmer.ini refs.fa --taxonomy renamed.tax -q -o renamed.h5
    check "another taxonomy is another job" refused 1 'taxa_digest' "$RIBOGRID" classify \
        reads.fa --model renamed.h5 --min-support 0 --resume -o names.h5
    mpi 1 true >/dev/null 2>&1 || return
    awk '/^>/ { $0 = ">r" ++n } { print }' >many.fa < <(for _ in $(seq 60); do cat reads.fa; done)
    check "2040 reads" expect_exit 0 "$RIBOGRID" classify many.fa --model net.h5 -q -o one.h5
    check "three ranks" expect_exit 0 mpi 3 "$RIBOGRID" classify many.fa --model net.h5 \
        --threads 1 -q -o three.h5
    check "the same result" equal one.h5 three.h5
}

test_refusals()
{
    local by=("$RIBOGRID" classify reads.fa -o x.tsv --model)

    "$RIBOGRID" classify train refs.fa --taxonomy refs.tax --held-out 0 -q -o words.h5
    "$RIBOGRID" cnn train digits.ini synthetic:20 -q -o digits.h5
    "$RIBOGRID" cnn train kmer.ini synthetic:20 -q -o unnamed.h5
    cp net.h5 nan.h5
    "$PYTHON" -c 'import h5py; h5py.File("nan.h5", "r+")["parameters/out.bias"][:] = float("nan")'
    head -c 3000 net.h5 >cut.h5
    check "a model of words" refused 1 'words.h5 is no network; make one .* `ribogrid cnn train`' \
        "${by[@]}" words.h5 --method cnn
    check "words by a network" refused 1 'net.h5 is a network; give --method cnn' "${by[@]}" \
        net.h5 --method joint
    check "a rate" refused 1 'net.h5 is a network, which has not learned what to refuse; give --min' \
        "${by[@]}" net.h5 --novelty-rate 0.1
    check "resamples" refused 1 'leave out --resamples, --seed and --prior' "${by[@]}" \
        net.h5 --resamples 9
    check "a prior" refused 1 'leave out --resamples, --seed and --prior' "${by[@]}" net.h5 \
        --prior equal
    check "a kernel of naive Bayes" refused 1 'give --kernel only with --method cnn' "${by[@]}" \
        net.h5 --kernel reference
    check "a kernel of no method" refused 2 'no such kernel' "${by[@]}" net.h5 --method cnn \
        --kernel none
    check "images of another size" refused 1 'digits.h5 .* images of 1 x 28 x 28' "${by[@]}" \
        digits.h5
    check "classes without names" refused 1 'unnamed.h5: its classes have no lineages' "${by[@]}" \
        unnamed.h5
    check "parameters that are no numbers" refused 1 'nan.h5: /parameters/out.bias is not finite' \
        "${by[@]}" nan.h5
    check "a cut model" refused 1 'cut.h5' "${by[@]}" cut.h5
    check "nothing is left" absent x.tsv x.tsv.part
}

make_input
test_names
test_runs
test_refusals
finish
