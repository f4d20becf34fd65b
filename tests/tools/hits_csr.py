#!/usr/bin/env python3
"""Check that the hits of a result file are a scipy CSR matrix with the values of `view`.

usage: ribogrid view --no-header --sort row HITS.h5 | hits_csr.py HITS.h5
"""
import sys

import h5py
import numpy
import scipy.sparse


def main():
    """Run as a program."""
    with h5py.File(sys.argv[1], "r") as f:
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
    n = 0
    for line in sys.stdin:
        fields = line.rstrip("\n").split("\t")
        assert rows[hits["row"][n]] == fields[0] and columns[hits["col"][n]] == fields[1]
        assert [hits[name][n] for name in ("score", "matches", "columns")] == \
            [int(field) for field in fields[2:5]]
        if "strand" in hits:
            assert hits["strand"][n] == (1 if fields[6] == "+" else -1)
        if "cigar_offset" in hits:
            begin, end = hits["cigar_offset"][n:n + 2]
            assert text[begin:end] == fields[-1]
        n += 1
    assert n == matrix.nnz
    print(n, "hits")


if __name__ == "__main__":
    main()
