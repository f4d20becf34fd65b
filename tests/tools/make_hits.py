"""Write a sparse result file with the given hits.

usage: make_hits.py OUT.h5 NAME,NAME,... REFERENCE,...|- ROW,COL,MATCHES,COLUMNS ...

"-" instead of references makes an all-against-all file.  NAME:SIZE gives abundances.
"""
import sys

import h5py
import numpy as np


BASES = 100  # of each sequence


def put_names(group, names):
    group.create_dataset("names", data=names, dtype=h5py.string_dtype())
    group["lengths"] = np.full(len(names), BASES, np.int32)


def main(path, names, references, *hits):
    sizes = [name.partition(":")[2] for name in names.split(",")]
    names = [name.partition(":")[0] for name in names.split(",")]
    hits = np.array([hit.split(",") for hit in hits], np.int32).reshape(-1, 4)
    hits = hits[np.lexsort((hits[:, 1], hits[:, 0]))]
    with h5py.File(path, "w") as f:
        f.attrs.update(format="ribogrid-pairs", format_version=np.int64(1),
                       format_version_minor=np.int64(2), identity="matches / columns",
                       ends="free", triangle="row < col", layout="hits",
                       min_identity="2/5", job="job=align\nends=free\n")
        sequences = f.create_group("sequences")
        put_names(sequences, names)
        sequences["offset"] = BASES * np.arange(len(names) + 1, dtype=np.int64)
        sequences["letters"] = np.frombuffer(b"ACGT" * (BASES // 4 * len(names)), np.uint8)
        if sizes[0]:
            sequences["size"] = np.array(sizes, np.int64)
        if references != "-":
            put_names(f.create_group("references"), references.split(","))
        group = f.create_group("hits")
        columns = ("row", "col", "matches", "columns")
        for k, name in enumerate(columns):
            group[name] = hits[:, k]
        group["score"] = 4 * hits[:, 2] - 5 * (hits[:, 3] - hits[:, 2])
        group["row_start"] = np.searchsorted(
            hits[:, 0], np.arange(len(names) + 1)).astype(np.int64)
        f.create_group("run").attrs["version"] = "none"


main(*sys.argv[1:])
