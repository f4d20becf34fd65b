#!/usr/bin/env python3
"""Check stored identities against the alignments, for several definitions.

usage: identity_values.py CIGARS.h5 DEFINITION=FILE.h5 ...

CIGARS.h5 holds the alignments of all pairs with = and X; FILE.h5 holds the identities of the
same pairs by a definition.  This program expands each CIGAR and counts columns one by one.
"""
import re
import sys

import h5py
import numpy


def columns_of(text):
    """Expand a CIGAR to one letter per column."""
    return "".join(op * int(n) for n, op in re.findall(r"(\d+)([ID=X])", text))


def gaps_of(columns):
    """Return the number of gaps in expanded columns."""
    return len(re.findall("I+|D+", columns))


def value(definition, columns, ends_count):
    """Return numerator and denominator of the identity."""
    m, n = (len(columns) - columns.count(op) for op in "DI")
    matches = columns.count("=")
    letters = re.sub("[ID]", "", columns)
    between = columns.strip("ID")
    inner = re.sub("(^I+|^D+)", "", columns)
    inner = re.sub("(I+$|D+$)", "", inner)
    counted = columns if ends_count else between
    if definition == "3":
        wrong = columns.count("X") + gaps_of(columns)
        return max(max(m, n) - wrong, 0), max(m, n)
    denominator = {
        "0": min(m, n), "1": len(columns), "2": len(inner), "4": len(columns),
        "onegap": len(letters) + gaps_of(counted), "nogaps": len(letters),
        "eachgap": len(counted)}[definition]
    return matches if denominator else 0, denominator


def main():
    """Run as a program."""
    with h5py.File(sys.argv[1], "r") as f:
        ends_count = f.attrs["ends"] == b"count"
        assert f.attrs["cigar_style"] == b"eqx"
        score, offset, length = (f[name][:] for name in ("score", "cigar_offset",
                                                         "cigar_length"))
        cigar = f["cigar"][:].tobytes().decode()
    n = len(score)
    columns = {(i, j): columns_of(cigar[offset[i, j]:offset[i, j] + length[i, j]])
               for i in range(n) for j in range(i + 1, n)}
    n_present = sum(1 for text in columns.values() if text)
    assert n_present > 0
    for definition, path in (word.split("=", 1) for word in sys.argv[2:]):
        with h5py.File(path, "r") as f:
            assert f.attrs["identity_definition"].decode() == definition
            assert "cigar" not in f and numpy.array_equal(f["score"], score)
            matches, of = f["matches"][:], f["columns"][:]
        for (i, j), text in columns.items():
            want = value(definition, text, ends_count) if text else (0, 0)
            got = matches[i, j], of[i, j]
            assert got == want, (path, definition, i, j, text, got, want)
    print(n_present, "of", len(columns), "pairs have an identity")


if __name__ == "__main__":
    main()
