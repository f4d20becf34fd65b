#!/usr/bin/env python3
"""Print simulated genes of two families, as FASTA: a set like mixed 16S and 18S genes.

usage: bench/mixed_genes.py N_SHORT N_LONG [--seed SEED] > mixed.fa

The families descend from genes of 1,450 and 1,800 bases.  Both contain the same twelve
conserved stretches of 40 bases in the same order, a third of the shorter gene, and are
unrelated between them.  A family has 40 clades.  Pairs of one family can be aligned in
bands; pairs of different families overhang each other and need whole matrices.
"""
import argparse
import random

LENGTHS = {"s": 1450, "e": 1800}  # bases of the first gene of a family, by its name
STRETCHES, STRETCH = 12, 40
CLADES = 40
CLADE_CHANGES = (0.2, 0.03)  # fractions of bases substituted, and inserted or deleted
GENE_CHANGES = (0.08, 0.01)
CONSERVED = 0.12  # factor of both in conserved stretches


def bases(rng, n):
    return [(rng.choice("ACGT"), False) for _ in range(n)]


def ancestors(rng):
    """Return the first gene of each family, a list of (base, conserved)."""
    gaps = {f: (n - STRETCHES * STRETCH) // (STRETCHES + 1) for f, n in LENGTHS.items()}
    genes = {family: [] for family in LENGTHS}
    for i in range(STRETCHES + 1):
        for family, gene in genes.items():
            gene += bases(rng, gaps[family])
        if i < STRETCHES:
            stretch = [(base, True) for base, _ in bases(rng, STRETCH)]
            for gene in genes.values():
                gene += stretch
    return genes


def mutate(rng, gene, changes):
    substituted, indels = changes
    out = []
    for base, conserved in gene:
        factor = CONSERVED if conserved else 1
        x = rng.random()
        if x < substituted * factor:
            out.append((rng.choice("ACGT"), conserved))
        elif x < (substituted + indels / 2) * factor:
            continue
        elif x < (substituted + indels) * factor:
            out += [(base, conserved), (rng.choice("ACGT"), conserved)]
        else:
            out.append((base, conserved))
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("n_short", type=int, help="genes of about 1,450 bases")
    parser.add_argument("n_long", type=int, help="genes of about 1,800 bases")
    parser.add_argument("--seed", type=int, default=1, help="of the random numbers (1)")
    args = parser.parse_args()
    rng = random.Random(args.seed)
    numbers = {"s": args.n_short, "e": args.n_long}

    for family, ancestor in ancestors(rng).items():
        clades = [mutate(rng, ancestor, CLADE_CHANGES) for _ in range(CLADES)]
        for i in range(numbers[family]):
            gene = mutate(rng, clades[i % CLADES], GENE_CHANGES)
            print(f">{family}{i}")
            print("".join(base for base, _ in gene))


if __name__ == "__main__":
    main()
