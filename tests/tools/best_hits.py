#!/usr/bin/env python3
"""Select the hits that `align --against` should find from tables of all pairs.

Reads two tables of `view --no-header`: queries against references, and reverse-complemented
queries against references, in the same order.  Takes the better strand of each pair, keeps
pairs with at least identity ID, and prints each query's best N by identity and matches,
with all ties, the best first (N = 0: all, in the order of the references).

usage: best_hits.py PLUS.tsv MINUS.tsv N ID    (MINUS.tsv "-": one strand)
       best_hits.py --reverse READS.fa         (print the reverse complements)
"""
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


def main():
    """Run as a program."""
    if sys.argv[1] == "--reverse":
        reverse(sys.argv[2])
        return
    plus, minus, top, min_identity = sys.argv[1:]
    both = minus != "-"
    hits = {}
    for a, b in zip(rows_of(plus), rows_of(minus) if both else rows_of(plus)):
        hit = better(a, b if both else None)
        if hit[4] > 0 and Fraction(hit[3], hit[4]) >= Fraction(min_identity):
            hits.setdefault(hit[0], []).append(hit)
    for found in hits.values():
        keys = sorted(((Fraction(h[3], h[4]), h[3]) for h in found), reverse=True)
        last = keys[min(int(top) or len(keys), len(keys)) - 1]
        if int(top) > 0:
            found.sort(key=lambda h: (Fraction(h[3], h[4]), h[3]), reverse=True)
        for h in found:
            if (Fraction(h[3], h[4]), h[3]) >= last:
                print(*h[:5], f"{h[3] / h[4]:.6f}", *h[5 if both else 6:], sep="\t")


if __name__ == "__main__":
    main()
