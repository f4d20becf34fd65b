#!/usr/bin/env python3
"""Check that the hits of result files are scipy CSR matrices with the values of `view`.

usage: hits_csr.py NAME.h5...    (NAME.tsv: of `ribogrid view --no-header --sort row NAME.h5`)
"""
import sys

import h5py
import numpy
import scipy.sparse


def compare(path):
    """Compare one file with its table."""
    with h5py.File(path, "r") as f:
        rows = f["sequences/names"].asstr()[:]
        columns = f["references/names"].asstr()[:] if "references" in f else rows
        hits = {name: f["hits"][name][:] for name in f["hits"]}
        text = f["cigar"][:].tobytes().decode() if "cigar" in f else ""
    shape = len(rows), len(columns)
    matrix = scipy.sparse.csr_matrix(
        (hits["score"], hits["col"], hits["row_start"]), shape=shape)
    assert matrix.has_canonical_format and matrix.nnz == len(hits["row"])
    assert numpy.array_equal(matrix.tocoo().row, hits["row"])
    for kind, names in ("i4", ("row", "col", "score", "matches", "columns")), \
            ("i8", ("row_start",)):
        assert all(hits[name].dtype == kind for name in names)
    with open(path.removesuffix("h5") + "tsv", encoding="utf-8") as f:
        lines = f.read().splitlines()
    assert len(lines) == matrix.nnz
    for n, line in enumerate(lines):
        fields = line.split("\t")
        assert rows[hits["row"][n]] == fields[0] and columns[hits["col"][n]] == fields[1]
        assert [hits[name][n] for name in ("score", "matches", "columns")] == \
            [int(field) for field in fields[2:5]]
        if "strand" in hits:
            assert hits["strand"][n] == (1 if fields[6] == "+" else -1)
        if "cigar_offset" in hits:
            begin, end = hits["cigar_offset"][n:n + 2]
            assert text[begin:end] == fields[-1]
    print(len(lines), "hits")


def main():
    """Run as a program."""
    for path in sys.argv[1:]:
        print(path, end=": ", flush=True)
        compare(path)


if __name__ == "__main__":
    main()
