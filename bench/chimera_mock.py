#!/usr/bin/env python3
"""Make reads of a mock community with chimeras that are known.

usage: bench/chimera_mock.py GENES.fa[.gz] STRAINS READS SEED OUT [GAPS] [--fastq]

The V4 regions (between 515F and 806R) of STRAINS genes are the community, with abundances
that fall from 1 to 1/1000.  Of READS reads a fifth come from chimeras: PCR joins two (one of
eight times three) strains, drawn by abundance, at a random base; each chimera is amplified,
so that it is read several times.  Every base of a read is substituted with a probability of
1/500; with GAPS, 0.0001 say, it is also left out or doubled with that probability.

Writes the dereplicated reads OUT.fa (";size=N"), the community OUT.ref.fa, and OUT.truth.tsv:
name of a dereplicated read TAB what it is, `strain`, `chimera` or `error` (of any kind).
With --fastq also all reads with qualities, OUT.fastq: Q is one of 10 to 38, high ones more
often, and a base of quality Q is wrong with a probability of 10^(-Q/10), whose mean is 1/500;
which Q a base has depends on nothing else.
"""
import itertools
import random
import sys
from collections import Counter

from amplicons import records, region


def community(genes, n, rng):
    cut = {}
    for name, sequence in records(genes):
        amplicon = region(sequence)
        if amplicon and set(amplicon) <= set("ACGT") and 240 <= len(amplicon) <= 260:
            cut.setdefault(amplicon, name)
    return rng.sample(sorted(cut), n), cut


def chimera(strains, weights, rng):
    parts = rng.choices(strains, weights, k=3 if rng.random() < 1 / 8 else 2)
    cuts = sorted(rng.uniform(0.1, 0.9) for _ in parts[1:])
    begins, ends = [0, *cuts], [*cuts, 1]
    return "".join(
        p[round(b * len(p)) : round(e * len(p))] for p, b, e in zip(parts, begins, ends)
    )


def add_gaps(bases, gaps, rng):
    return [b for base in bases for b in base * rng.choices((1, 0, 2), (1 - gaps, gaps / 2, gaps / 2))[0]]


def read(sequence, rng, gaps):
    """(read, the same without wrong bases)"""
    if gaps > 0 and rng.random() > (1 - gaps) ** len(sequence):
        sequence = "".join(add_gaps(sequence, 1 / len(sequence), rng))
    if rng.random() < (1 - 1 / 500) ** len(sequence):
        return sequence, sequence
    bases = list(sequence)
    bases[rng.randrange(len(bases))] = rng.choice("ACGT")
    for i, base in enumerate(bases):
        if rng.random() < 1 / 500:
            bases[i] = rng.choice("ACGT".replace(base, ""))
    return "".join(bases), sequence


class Fastq:
    """Reads with qualities that are drawn after the errors, by Bayes' rule."""

    QUALITIES = range(10, 39)
    WRONG = [10 ** (-q / 10) for q in QUALITIES]
    OFTEN = [0.847 ** (38 - q) for q in QUALITIES]  # so that the mean of WRONG is 1/500
    IF_RIGHT = list(itertools.accumulate(n * (1 - p) for n, p in zip(OFTEN, WRONG)))
    IF_WRONG = list(itertools.accumulate(n * p for n, p in zip(OFTEN, WRONG)))
    LETTERS = "".join(chr(33 + q) for q in QUALITIES)

    def __init__(self, path, seed):
        self.file, self.rng, self.n = open(path, "w"), random.Random(seed), 0

    def write(self, bases, true):
        letters = self.rng.choices(self.LETTERS, cum_weights=self.IF_RIGHT, k=len(bases))
        for i, (base, other) in enumerate(zip(bases, true)):
            if base != other:
                letters[i] = self.rng.choices(self.LETTERS, cum_weights=self.IF_WRONG)[0]
        self.file.write(f"@{self.n}\n{bases}\n+\n{''.join(letters)}\n")
        self.n += 1


def main():
    words = [word for word in sys.argv[1:] if word != "--fastq"]
    if len(words) not in (5, 6):
        sys.exit(__doc__)
    genes, n, n_reads, seed, out = words[:5]
    gaps = float(words[5]) if len(words) == 6 else 0
    fastq = Fastq(f"{out}.fastq", seed) if "--fastq" in sys.argv else None
    n, n_reads, rng = int(n), int(n_reads), random.Random(int(seed))
    strains, name_of = community(genes, n, rng)
    weights = [1000 ** (-i / max(1, n - 1)) for i in range(n)]
    reads, origin = Counter(), {}

    def add(sequence):
        bases, true = read(sequence, rng, gaps)
        reads[bases] += 1
        if fastq:
            fastq.write(bases, true)

    for strain in rng.choices(strains, weights, k=n_reads - n_reads // 5):
        add(strain)
    left = n_reads // 5
    while left > 0:
        whole = chimera(strains, weights, rng)
        times = min(left, 1 + int(rng.paretovariate(0.8)))
        left -= times
        if whole not in strains:
            origin[whole] = "chimera"
        for _ in range(times):
            add(whole)
    origin.update((strain, "strain") for strain in strains)
    with open(f"{out}.ref.fa", "w") as to:
        for strain in strains:
            to.write(f">{name_of[strain]}\n{strain}\n")
    with open(f"{out}.fa", "w") as to, open(f"{out}.truth.tsv", "w") as truth:
        for k, (sequence, size) in enumerate(sorted(reads.items(), key=lambda r: (-r[1], r[0]))):
            kind = origin.get(sequence, "error")
            to.write(f">r{k};size={size}\n{sequence}\n")
            truth.write(f"r{k}\t{kind}\n")


main()
