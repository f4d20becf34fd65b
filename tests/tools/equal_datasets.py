#!/usr/bin/env python3
"""Compare two result files, except for /run and dates.

Compares names, types, shapes, chunks, fill values, values and attributes of all datasets and
groups.  Prints the first difference and exits with 1.

usage: equal_datasets.py A.h5 B.h5
"""
import sys

import h5py
import numpy

ROWS = 1024  # compared at a time
VALUES = 1 << 20  # compared at a time in one-dimensional datasets


class Different(Exception):
    """A description of the first difference."""


def same(what, a, b):
    """Raise unless two values are equal."""
    if a != b:
        raise Different(f"{what}: {a!r} and {b!r}")


def objects(file):
    """Return the names and kinds of all objects outside /run."""
    found = {}

    def visit(name, thing):
        if name.split("/")[0] != "run":
            found[name] = "dataset" if isinstance(thing, h5py.Dataset) else "group"

    file.visititems(visit)
    return found


def compare_attributes(name, a, b):
    """Compare names, types and values of attributes."""
    same(f"/{name}: attributes", sorted(a.attrs), sorted(b.attrs))
    for key in set(a.attrs) - {"creation-date"}:  # of a BIOM table
        types = [x.attrs.get_id(key).get_type() for x in (a, b)]
        if not types[0].equal(types[1]):
            raise Different(f"/{name}: attribute {key}: types")
        if not numpy.array_equal(a.attrs[key], b.attrs[key]):
            raise Different(f"/{name}: attribute {key}: {a.attrs[key]!r} and "
                            f"{b.attrs[key]!r}")


def compare_dataset(name, a, b):
    """Compare type, shape, chunks, fill value and values."""
    if not a.id.get_type().equal(b.id.get_type()):
        raise Different(f"/{name}: types {a.dtype} and {b.dtype}")
    same(f"/{name}: shape", a.shape, b.shape)
    same(f"/{name}: chunks", a.chunks, b.chunks)
    if a.dtype.kind != "O":
        same(f"/{name}: fill value", a.fillvalue, b.fillvalue)
    if a.shape == ():
        same(f"/{name}: value", a[()], b[()])
        return
    step = VALUES if len(a.shape) == 1 else ROWS
    for row in range(0, a.shape[0], step):
        x, y = a[row:row + step], b[row:row + step]
        if not numpy.array_equal(x, y):
            at = tuple(int(i) for i in numpy.argwhere(x != y)[0])
            raise Different(f"/{name}: at {(at[0] + row, *at[1:])}: {x[at]} and {y[at]}")


def compare(path_a, path_b):
    """Raise unless the files are equal."""
    with h5py.File(path_a, "r") as a, h5py.File(path_b, "r") as b:
        compare_attributes("", a, b)
        names = objects(a)
        same("objects of the files", names, objects(b))
        for name, kind in sorted(names.items()):
            compare_attributes(name, a[name], b[name])
            if kind == "dataset":
                compare_dataset(name, a[name], b[name])


def main():
    """Run as a program."""
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    try:
        compare(sys.argv[1], sys.argv[2])
    except (Different, OSError) as difference:
        print(difference)
        sys.exit(1)


if __name__ == "__main__":
    main()
