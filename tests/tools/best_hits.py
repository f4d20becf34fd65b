#!/usr/bin/env python3
"""What align --against has to find, from two tables of all pairs.

Reads tables of `view --no-header`, of the queries and of their reverse complements with
the references, pair by pair alike; prints the better of each two, of these each query's
best N by identity and matches with all ties (0: all), at or above an identity.

usage: best_hits.py PLUS.tsv MINUS.tsv N ID    (MINUS.tsv "-": one strand)
       best_hits.py --turn READS.fa            (print the reverse complements)
"""
import sys
from fractions import Fraction

TURN = str.maketrans("ACGTURYSWKMBDHVN", "TGCAAYRSWMKVHDBN")


def turn(path):
    """Print the reverse complements of a FASTA file."""
    with open(path, encoding="utf-8") as f:
        for record in f.read().split(">")[1:]:
            name, *lines = record.splitlines()
            print(f">{name}\n{''.join(lines).upper().translate(TURN)[::-1]}")


def rows_of(path):
    """The fields of each line, numbers as such."""
    with open(path, encoding="utf-8") as f:
        for line in f:
            name, target, *numbers = line.rstrip("\n").split("\t")
            yield [name, target, *map(int, numbers[:3])]


def better(plus, minus):
    """The strand that counts, and its numbers: score, then matches, then plus."""
    if minus is None or (plus[2], plus[3]) >= (minus[2], minus[3]):
        return [*plus, "+"]
    return [*minus, "-"]


def main():
    """Run as a program."""
    if sys.argv[1] == "--turn":
        turn(sys.argv[2])
        return
    plus, minus, top, least = sys.argv[1:]
    both = minus != "-"
    hits = {}
    for a, b in zip(rows_of(plus), rows_of(minus) if both else rows_of(plus)):
        hit = better(a, b if both else None)
        if hit[4] > 0 and Fraction(hit[3], hit[4]) >= Fraction(least):
            hits.setdefault(hit[0], []).append(hit)
    for found in hits.values():
        keys = sorted(((Fraction(h[3], h[4]), h[3]) for h in found), reverse=True)
        last = keys[min(int(top) or len(keys), len(keys)) - 1]
        for h in found:
            if (Fraction(h[3], h[4]), h[3]) >= last:
                print(*h[:5], f"{h[3] / h[4]:.6f}", *h[5 if both else 6:], sep="\t")


if __name__ == "__main__":
    main()
