#!/usr/bin/env python3
"""Compare output files of commands with those of runs without failures.

The files of GOT/NAME/RUN must have the names and the content of those of WHOLE/NAME, except
for /run of HDF5 files and times.  Prints one line per folder that differs, and exits with 1 if
there is one.

usage: equal_outputs.py WHOLE GOT
"""
import os
import re
import subprocess
import sys

HDF5 = b"\x89HDF\r\n\x1a\n"  # the first bytes of such a file

# "2026-01-31T23:59:59Z" and seconds of BIOM tables, pages and curves
TIMES = re.compile(rb"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?Z?")


class Different(Exception):
    """A description of the first difference."""


def compare_files(path_a, path_b):
    """Raise unless two files are equal."""
    with open(path_a, "rb") as a, open(path_b, "rb") as b:
        x, y = a.read(), b.read()
    if x.startswith(HDF5):
        program = subprocess.run([os.environ["EQUAL_DATASETS"], path_a, path_b],
                                 stdout=subprocess.PIPE, text=True)
        if program.returncode != 0:
            raise Different(program.stdout.strip())
    elif TIMES.sub(b"", x) != TIMES.sub(b"", y):
        raise Different("texts")


def compare_folders(whole, folder):
    """Raise unless two folders are equal."""
    names = [sorted(os.listdir(x)) for x in (whole, folder)]
    if names[0] != names[1]:
        raise Different(f"files: {' '.join(names[0])} and {' '.join(names[1])}")
    for name in names[0]:
        try:
            compare_files(os.path.join(whole, name), os.path.join(folder, name))
        except (Different, OSError) as difference:
            raise Different(f"{name}: {difference}") from None


def main():
    """Run as a program."""
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    whole, got = sys.argv[1:]
    n_folders = n_wrong = 0
    for name in sorted(os.listdir(got)):
        for run in sorted(os.listdir(os.path.join(got, name))):
            n_folders += 1
            try:
                compare_folders(os.path.join(whole, name), os.path.join(got, name, run))
            except Different as difference:
                print(f"{name}, {run}: {difference}")
                n_wrong += 1
    sys.exit(n_wrong > 0 or n_folders == 0)


if __name__ == "__main__":
    main()
