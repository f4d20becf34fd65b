#!/usr/bin/env python3
"""library_rate.py - a million pairs given from Python, beside the rate of their kernel.

    PYTHONPATH=python RIBOGRID_LIBRARY=build/release/libribogrid.so.0 \\
        bench/library/library_rate.py build/release [--length 1500] [--device cpu] [--threads 1]

The pairs are those that `ribogrid-bench align --input` takes of simulated sequences; it measures
the kernel alone.  Prints a line for each: what, device, threads, pairs x length, minimum, median and
maximum seconds of the runs, and pairs per second; then the part of the kernel's rate that Python
has, and microseconds of a call for one pair of 8 bases, where a kernel takes none.
"""

import argparse
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

import ribogrid as rg


def parse():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("build", type=pathlib.Path, help="has ribogrid and ribogrid-bench")
    parser.add_argument("--pairs", type=int, default=1000000)
    parser.add_argument("--length", type=int, default=150)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--band", default="off", choices=["off", "auto"])
    parser.add_argument("--preset", default=None)
    return parser.parse_args()


def line(what, o, seconds):
    low, middle, high = min(seconds), statistics.median(seconds), max(seconds)
    print(f"{what}\t{o.device}\t{o.threads}\t{o.pairs}x{o.length}\t{low:.3e}\t{middle:.3e}\t"
          f"{high:.3e}\t{o.pairs / middle:.0f}", flush=True)
    return middle


def program(o, reads):
    """Measure the kernel."""
    binary = next(p for p in (o.build / "ribogrid-bench", o.build / "bench/ribogrid-bench")
                  if p.exists())
    words = [binary, "align", "--input", reads, "--pairs", o.pairs, "--emit", "score", "--peers", "off", "--tsv", "--runs", o.runs, "--device", o.device,
             "--threads", o.threads, "--band", o.band]
    words += ["--preset", o.preset] if o.preset else ["--ends", "free"]
    text = subprocess.run(list(map(str, words)), check=True, capture_output=True, text=True).stdout
    head, row = (text_line.split("\t") for text_line in text.splitlines()[-2:])
    values = dict(zip(head, row))
    if int(values["sizes"].split("x")[0]) != o.pairs:
        sys.exit(f"library_rate.py: the program took other pairs: {values['sizes']}")
    return line(values["what"], o, [float(values[k]) for k in ("min_s", "median_s", "max_s")])


def from_python(o, sequences, pairs):
    aligner = rg.Aligner(sequences, emit="score", band=o.band, preset=o.preset, device=o.device,
                         threads=o.threads)
    seconds = []
    for _ in range(o.runs + 1):
        begun = time.perf_counter()
        result = aligner.pairs(pairs)
        seconds.append(time.perf_counter() - begun)
        del result
    return line("from Python", o, seconds[1:])


def loop(o):
    """Measure calls of one pair."""
    aligner = rg.Aligner(["ACGTACGT", "ACGAACGT"], emit="score", device=o.device, threads=1)
    pair, n = np.array([[0, 1]], np.int32), 2000
    begun = time.perf_counter()
    for _ in range(n):
        aligner.pairs(pair)
    return 1e6 * (time.perf_counter() - begun) / n


def main():
    o = parse()
    n = int((1 + (1 + 8 * o.pairs) ** 0.5) / 2)
    n += n * (n - 1) // 2 < o.pairs
    with tempfile.TemporaryDirectory() as folder:
        reads = pathlib.Path(folder) / "reads.fa"
        subprocess.run([o.build / "ribogrid", "simulate", str(n), "--length", str(o.length), "-q",
                        "-o", reads], check=True)
        sequences = rg.read_fasta(reads)
        pairs = np.stack(np.triu_indices(n, 1), 1).astype(np.int32)[:o.pairs]
        kernel = program(o, reads)
        whole = from_python(o, sequences, pairs)
    print(f"of the kernel's rate\t{100 * kernel / whole:.1f} %")
    print(f"a call of one pair from Python\t{loop(o):.1f} us")


if __name__ == "__main__":
    main()
