#!/usr/bin/env python3
"""Align whole queries to parts of targets, cell by cell, as `align --ends query` does.

Prints the table of `view --no-header`.  Gaps at the ends of the target are free and are not
columns; the best score (4/-5/-7) wins, then the most matches, then the fewest columns.  With
--cigars, checks the CIGARs in the last column of a table instead.

usage: amplicon_hits.py QUERIES.fa TARGETS.fa          (print the table)
       amplicon_hits.py --cigars QUERIES.fa TARGETS.fa TABLE.tsv
"""
import re
import sys

MATCH, MISMATCH, GAP = 4, -5, -7


def read(path):
    """Return the names and sequences of a FASTA file."""
    with open(path, encoding="utf-8") as f:
        records = [record.split("\n") for record in f.read().split(">")[1:]]
    return {lines[0].split()[0]: "".join(lines[1:]) for lines in records}


def step(cell, score, matches):
    """Add a column to a cell (score, matches, -columns)."""
    return cell[0] + score, cell[1] + matches, cell[2] - 1


def align(query, target):
    """Return score, matches and columns."""
    row = [(0, 0, 0)] * (len(target) + 1)
    for a in query:
        above, row = row, [step(row[0], GAP, 0)]
        for j, b in enumerate(target):
            diagonal = step(above[j], MATCH if a == b else MISMATCH, a == b)
            row.append(max(diagonal, step(above[j + 1], GAP, 0), step(row[j], GAP, 0)))
    score, matches, columns = max(row)
    return score, matches, -columns


def numbers_of(query, target, text):
    """Return score, matches and columns of a CIGAR with = and X."""
    runs = [(int(n), op) for n, op in re.findall(r"(\d+)([ID=X])", text)]
    i = j = score = matches = columns = 0
    for k, (n, op) in enumerate(runs):
        is_end = op == "D" and k in (0, len(runs) - 1)
        pairs = list(zip(query[i:i + n], target[j:j + n])) if op in "=X" else []
        assert all((a == b) == (op == "=") for a, b in pairs), text
        score += 0 if is_end else n * {"=": MATCH, "X": MISMATCH}.get(op, GAP)
        matches += n * (op == "=")
        columns += n * (not is_end)
        i += n * (op != "D")
        j += n * (op != "I")
    assert "".join(f"{n}{op}" for n, op in runs) == text, text
    assert (i, j) == (len(query), len(target)), text
    return score, matches, columns


def main():
    """Run as a program."""
    queries, targets = read(sys.argv[-3 if len(sys.argv) > 3 else -2]), read(
        sys.argv[-2 if len(sys.argv) > 3 else -1])
    if len(sys.argv) > 3:
        with open(sys.argv[-1], encoding="utf-8") as f:
            for line in f:
                q, t, score, matches, columns, _, text = line.rstrip("\n").split("\t")
                got = numbers_of(queries[q], targets[t], text)
                assert got == (int(score), int(matches), int(columns)), line
        return
    for q, a in queries.items():
        for t, b in targets.items():
            score, matches, columns = align(a, b)
            print(q, t, score, matches, columns, f"{matches / columns:.6f}", sep="\t")


if __name__ == "__main__":
    main()
