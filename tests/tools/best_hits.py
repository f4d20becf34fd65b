#!/usr/bin/env python3
"""Select the hits that `align --against` should find from tables of all pairs.

Reads two tables of `view --no-header`: queries against references, and reverse-complemented
queries against references, in the same order.  Takes the better strand of each pair, keeps
pairs with at least identity ID, and writes each query's best N by identity and matches,
with all ties, the best first (N = 0: all, in the order of the references), to OUT.N.ID.tsv.

usage: best_hits.py PLUS.tsv MINUS.tsv OUT N,... ID,...    (MINUS.tsv "-": one strand)
       best_hits.py --reverse READS.fa         (print the reverse complements)
"""
import itertools
import sys
from fractions import Fraction

COMPLEMENT = str.maketrans("ACGTURYSWKMBDHVN", "TGCAAYRSWMKVHDBN")


def reverse(path):
    """Print the reverse complements of a FASTA file."""
    with open(path, encoding="utf-8") as f:
        for record in f.read().split(">")[1:]:
            name, *lines = record.splitlines()
            print(f">{name}\n{''.join(lines).upper().translate(COMPLEMENT)[::-1]}")


def rows_of(path):
    """Yield the fields of each line, with numbers as int."""
    with open(path, encoding="utf-8") as f:
        for line in f:
            name, target, *numbers = line.rstrip("\n").split("\t")
            yield [name, target, *map(int, numbers[:3])]


def better(plus, minus):
    """Return the better strand: higher score, then more matches, then plus."""
    if minus is None or (plus[2], plus[3]) >= (minus[2], minus[3]):
        return [*plus, "+"]
    return [*minus, "-"]


def best(found, top):
    """Yield the best hits of a query, with ties."""
    keys = sorted(((Fraction(h[3], h[4]), h[3]) for h in found), reverse=True)
    last = keys[min(top or len(keys), len(keys)) - 1]
    if top > 0:
        found = sorted(found, key=lambda h: (Fraction(h[3], h[4]), h[3]), reverse=True)
    yield from (h for h in found if (Fraction(h[3], h[4]), h[3]) >= last)


def main():
    """Run as a program."""
    if sys.argv[1] == "--reverse":
        reverse(sys.argv[2])
        return
    plus, minus, out, tops, ids = sys.argv[1:]
    both = minus != "-"
    pairs = [better(a, b if both else None)
             for a, b in zip(rows_of(plus), rows_of(minus) if both else rows_of(plus))]
    for top, min_identity in itertools.product(tops.split(","), ids.split(",")):
        hits = {}
        for hit in pairs:
            if hit[4] > 0 and Fraction(hit[3], hit[4]) >= Fraction(min_identity):
                hits.setdefault(hit[0], []).append(hit)
        with open(f"{out}.{top}.{min_identity}.tsv", "w", encoding="utf-8") as f:
            for found in hits.values():
                for h in best(found, int(top)):
                    print(*h[:5], f"{h[3] / h[4]:.6f}", *h[5 if both else 6:], sep="\t",
                          file=f)


if __name__ == "__main__":
    main()
