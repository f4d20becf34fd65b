#!/usr/bin/env python3
"""Print the rates of pairs of any two lengths, as Markdown tables.

usage: bench/length_mixes.py RIBOGRID_BENCH [--device cpu] [--ends free] [--lengths 250,1500]

One table per kind of ends and identity: TCUPS (10^12 cells of the full matrices per
second) of identities, with bands, by the kernels that `align` chooses: at the default
scores, or with affine gaps.  Pairs are simulated; the shorter sequence descends from a piece of the longer
one's ancestor.  Under a table stand the rates that are below half of the best one next to
them, in a row or a column.  stderr shows each result, with pairs and seconds of a run.
With a GPU, all tables take about two minutes.
"""
import argparse
import subprocess
import sys
import time

FRACTION = 0.5  # of the best neighbour
AFFINE = "--match 2 --mismatch -4 --gap-open 20 --gap-extend 2".split()
# of --ends: title, options of `ribogrid-bench align`
KINDS = {"free": ("Free ends", ["--ends", "free"]),
         "count": ("Counted ends", ["--ends", "count"]),
         "affine-free": ("Affine gaps, free ends", AFFINE + ["--ends", "free"]),
         "affine-count": ("Affine gaps, counted ends", AFFINE + ["--ends", "count"]),
         "vsearch": ("Affine gaps, end gaps of 2 and 1", ["--preset", "vsearch"])}


def numbers(text):
    return [int(part) for part in text.split(",")]


def read_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", help="ribogrid-bench")
    parser.add_argument("--lengths", type=numbers, default=[250, 1500, 1800, 3500, 20000],
                        help="bases, at most five (250,1500,1800,3500,20000)")
    parser.add_argument("--identities", type=numbers, default=[55, 75, 97],
                        help="percent, of the shared part (55,75,97)")
    parser.add_argument("--ends", choices=KINDS, nargs="+", default=["free", "count"],
                        help="end gaps, and gaps (free count)")
    parser.add_argument("--seconds", default="0.4", help="about those of a run (0.4)")
    parser.add_argument("--device", default="cuda", help="cuda, cuda:I or cpu (cuda)")
    parser.add_argument("--threads", default="1", help="of the CPU's kernels (1)")
    return parser.parse_args()


def measure(args, mixes, identity, ends):
    """Return the TCUPS of each mix, a pair of lengths."""
    batches = "1" if args.device == "cpu" else "2"
    command = [args.program, "align", "--device", args.device,
               "--threads", args.threads, "--band", "auto", "--emit", "identity",
               *KINDS[ends][1], "--length", ",".join(f"{a}x{b}" for a, b in mixes),
               "--identity", str(identity / 100), "--seconds", args.seconds,
               "--batches", batches, "--runs", "1", "--peers", "off",
               "--peer-pairs", "2", "--tsv"]
    rates = {}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        names = process.stdout.readline().rstrip("\n").split("\t")
        for line in process.stdout:
            row = dict(zip(names, line.rstrip("\n").split("\t")))
            pairs, a, b = row["sizes"].split("x")
            rate = rates[int(a), int(b)] = float(row["gcups"]) / 1000
            print(f"{ends} {identity} % {a} x {b}: {rate:.3g} TCUPS, {pairs} pairs,"
                  f" {row['median_s']} s", file=sys.stderr)
    if process.returncode != 0:
        sys.exit(process.returncode)
    return rates


def neighbours(lengths, i, k):
    """Return the cells next to row i, column k, each with the shorter length first."""
    cells = [(i - 1, k), (i + 1, k), (i, k - 1), (i, k + 1)]
    return [tuple(sorted((lengths[r], lengths[c]))) for r, c in cells
            if 0 <= r < len(lengths) and 0 <= c < len(lengths)]


def print_table(lengths, rates):
    print("| bases |" + "".join(f" {n:,} |" for n in lengths))
    print("|---|" + "---:|" * len(lengths))
    for a in lengths:
        cells = [f" {rates[a, b]:.3g} |" if a <= b else " |" for b in lengths]
        print(f"| {a:,} |" + "".join(cells))


def print_slow(lengths, rates):
    """List the rates that are too far below the best one next to them."""
    lines = []
    for i, a in enumerate(lengths):
        for k in range(i, len(lengths)):
            b = lengths[k]
            best = max(neighbours(lengths, i, k), key=rates.get, default=(a, b))
            if rates[a, b] < FRACTION * rates[best]:
                lines.append(f"- {a:,} x {b:,}: {rates[a, b]:.3g} is"
                             f" {rates[a, b] / rates[best]:.2f} of {rates[best]:.3g}"
                             f" ({best[0]:,} x {best[1]:,})")
    if lines:
        print("\nBelow half of the best neighbour:\n")
        print("\n".join(lines))


def main():
    args = read_arguments()
    lengths = sorted(set(args.lengths))
    start = time.monotonic()
    mixes = [(a, b) for i, a in enumerate(lengths) for b in lengths[i:]]
    mixes.sort(key=lambda mix: (mix[0] != mix[1], mix[1]))  # similar rates together

    for ends in args.ends:
        for identity in args.identities:
            try:
                rates = measure(args, mixes, identity, ends)
            except OSError as error:
                sys.exit(f"length_mixes.py: {args.program}: {error.strerror}")
            print(f"{KINDS[ends][0]}, identity {identity} %:\n")
            print_table(lengths, rates)
            print_slow(lengths, rates)
            print(flush=True)
    print(f"{time.monotonic() - start:.0f} s in all", file=sys.stderr)


if __name__ == "__main__":
    main()
