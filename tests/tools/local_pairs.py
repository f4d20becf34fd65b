#!/usr/bin/env python3
"""Align the best parts of sequences, cell by cell, as `align --mode local` does.

Prints the table of `view --no-header` for all pairs, and checks the alignments of another.
Sequences hold only A, C, G and T.

usage: local_pairs.py READS.fa MATCH MISMATCH OPEN EXTEND
           print query, target, score, matches, columns and identity of each pair
       local_pairs.py --check READS.fa MATCH MISMATCH OPEN EXTEND TABLE.tsv
           TABLE.tsv has positions and CIGARs (= and X): each adds up to its numbers
"""
import re
import sys

NO_PATH = (-(10**9), 0, 0)


def read(path):
    """Return names and sequences."""
    with open(path, encoding="utf-8") as f:
        records = [r.split("\n", 1) for r in f.read().split(">")[1:]]
    return {name: text.replace("\n", "") for name, text in records}


def add(cell, score, matches=0):
    """Return the cell after one more column; columns are negative, so that max works."""
    return (cell[0] + score, cell[1] + matches, cell[2] - 1)


def best_of(a, b, match, mismatch, first, more):
    """Return score, matches and columns of the best local alignment."""
    best = (0, 0, 0)
    h, f = [best] * (len(b) + 1), [NO_PATH] * (len(b) + 1)
    for x in a:
        diagonal, left, e = h[0], h[0], NO_PATH
        for j, y in enumerate(b, 1):
            e = max(add(left, -first), add(e, -more))
            f[j] = max(add(h[j], -first), add(f[j], -more))
            step = add(diagonal, match, 1) if x == y else add(diagonal, mismatch)
            diagonal, h[j] = h[j], max(step, e, f[j], (0, 0, 0))
            left = h[j]
            best = max(best, left)
    return (best[0], best[1], -best[2]) if best[0] > 0 else (0, 0, 0)


def sums(row, reads, match, mismatch, first, more):
    """Return score, matches, columns and positions of a row's CIGAR."""
    a, b = reads[row[0]], reads[row[1]]
    runs = [(int(n), op) for n, op in re.findall(r"(\d+)([ID=X])", row[-1])]
    inner = [k for k, run in enumerate(runs) if run[1] in "=X"]
    score = matches = columns = i = j = 0
    for k, (n, op) in enumerate(runs):
        if inner[0] <= k <= inner[-1]:
            if k == inner[0]:
                begin = i + 1, j + 1
            same = sum(x == y for x, y in zip(a[i:i + n], b[j:j + n]))
            assert op in "ID" or same == (n if op == "=" else 0), row
            score += {"=": n * match, "X": n * mismatch}.get(op, -first - (n - 1) * more)
            matches += n if op == "=" else 0
            columns += n
        i += n if op != "D" else 0
        j += n if op != "I" else 0
        if k == inner[-1]:
            end = i, j
    assert (i, j) == (len(a), len(b)), row
    return [score, matches, columns, begin[0], end[0], begin[1], end[1]]


def main():
    """Run as a program."""
    check = sys.argv[1] == "--check"
    path, *costs = sys.argv[1 + check:6 + check]
    costs = [int(cost) for cost in costs]
    reads = read(path)
    if check:
        with open(sys.argv[7], encoding="utf-8") as f:
            for row in (line.rstrip("\n").split("\t") for line in f):
                if row[-1] != "*":
                    got = [int(x) for x in row[2:5] + row[6:10]]
                    assert got == sums(row, reads, *costs), (row, sums(row, reads, *costs))
        return
    names = list(reads)
    for i, a in enumerate(names):
        for b in names[i + 1:]:
            score, matches, columns = best_of(reads[a], reads[b], *costs)
            identity = f"{matches / columns:.6f}" if columns else "NA"
            print(a, b, score, matches, columns, identity, sep="\t")


main()
