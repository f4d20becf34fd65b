#!/usr/bin/env python3
"""Make reads of a mock community with chimeras that are known.

usage: bench/chimera_mock.py GENES.fa[.gz] STRAINS READS SEED OUT [GAPS]

The V4 regions (between 515F and 806R) of STRAINS genes are the community, with abundances
that fall from 1 to 1/1000.  Of READS reads a fifth come from chimeras: PCR joins two (one of
eight times three) strains, drawn by abundance, at a random base; each chimera is amplified,
so that it is read several times.  Every base of a read is substituted with a probability of
1/500; with GAPS, 0.0001 say, it is also left out or doubled with that probability.  Writes the dereplicated reads OUT.fa (";size=N"), the community OUT.ref.fa, and
OUT.truth.tsv: name of a dereplicated read TAB what it is, `strain`, `chimera` or `error`
(of any kind).
"""
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
    if gaps > 0 and rng.random() > (1 - gaps) ** len(sequence):
        sequence = "".join(add_gaps(sequence, 1 / len(sequence), rng))
    if rng.random() < (1 - 1 / 500) ** len(sequence):
        return sequence
    bases = list(sequence)
    bases[rng.randrange(len(bases))] = rng.choice("ACGT")
    for i, base in enumerate(bases):
        if rng.random() < 1 / 500:
            bases[i] = rng.choice("ACGT".replace(base, ""))
    return "".join(bases)


def main():
    if len(sys.argv) not in (6, 7):
        sys.exit(__doc__)
    genes, n, n_reads, seed, out = sys.argv[1:6]
    gaps = float(sys.argv[6]) if len(sys.argv) == 7 else 0
    n, n_reads, rng = int(n), int(n_reads), random.Random(int(seed))
    strains, name_of = community(genes, n, rng)
    weights = [1000 ** (-i / max(1, n - 1)) for i in range(n)]
    reads, origin = Counter(), {}
    for strain in rng.choices(strains, weights, k=n_reads - n_reads // 5):
        reads[read(strain, rng, gaps)] += 1
    left = n_reads // 5
    while left > 0:
        whole = chimera(strains, weights, rng)
        times = min(left, 1 + int(rng.paretovariate(0.8)))
        left -= times
        if whole not in strains:
            origin[whole] = "chimera"
        for _ in range(times):
            reads[read(whole, rng, gaps)] += 1
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
