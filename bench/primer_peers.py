#!/usr/bin/env python3
"""Compare `ribogrid primers` with cutadapt: processor seconds of one thread, and the amplicons.

usage: bench/primer_peers.py RIBOGRID [--reads N] [--panel PAIRS.tsv]

Makes N (1,000,000) reads of 292 bases: 515F, 253 random bases, and 806R, with 1 % substituted
bases, every second one as its reverse complement.  Both programs allow 2 mismatches in each
primer, without gaps, and write FASTA; cutadapt is given an overlap of whole primers, so that
it takes no partial ones.  Prints a line per run: program, processor seconds, wall seconds,
amplicons; and how many amplicons of the two are equal.  With --panel, also a run with all pairs
of that file.  Without cutadapt, its lines are left out, which a line says.
"""
import argparse
import os
import random
import shutil
import tempfile

from amplicons import records
from runs import timed

FORWARD, REVERSE = "GTGYCAGCMGCCGCGGTAA", "GGACTACNVGGGTWTCTAAT"
BASES = {"A": "A", "C": "C", "G": "G", "T": "T", "Y": "CT", "M": "AC", "N": "ACGT", "V": "ACG",
         "W": "AT"}
COMPLEMENT = str.maketrans("ACGTYMNVW", "TGCARKNBW")


def reverse_complement(sequence):
    return sequence.translate(COMPLEMENT)[::-1]


def write_reads(path, n):
    rng = random.Random(1)
    pool = "".join(rng.choices("ACGT", k=1 << 20))
    with open(path, "w") as out:
        for i in range(n):
            at = rng.randrange(len(pool) - 300)
            ends = ["".join(rng.choice(BASES[c]) for c in p) for p in (FORWARD, REVERSE)]
            read = list(ends[0] + pool[at:at + 253] + reverse_complement(ends[1]))
            for k in range(len(read)):
                if rng.random() < 0.01:
                    read[k] = rng.choice("ACGT".replace(read[k], ""))
            read = "".join(read)
            out.write(f">r{i}\n{reverse_complement(read) if i % 2 else read}\n")


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1])
    parser.add_argument("ribogrid")
    parser.add_argument("--reads", type=int, default=1000000)
    parser.add_argument("--panel")
    args = parser.parse_args()
    cutadapt = shutil.which("cutadapt")
    with tempfile.TemporaryDirectory() as folder:
        reads, ours, theirs = (os.path.join(folder, name)
                               for name in ("reads.fa", "ours.fa", "theirs.fa"))
        write_reads(reads, args.reads)
        ribogrid = [args.ribogrid, "primers", reads, "-q", "--threads", "1", "--force",
                    "-o", ours]
        runs = {}
        if args.panel:
            runs["ribogrid, panel"] = ribogrid + ["--panel", args.panel]
        runs["ribogrid"] = ribogrid + ["--primers", f"{FORWARD}/{REVERSE}"]
        if cutadapt:
            runs["cutadapt"] = [cutadapt, "-j", "1", "--quiet", "--revcomp", "--no-indels", "-e",
                                "2", "-O", "19", "--discard-untrimmed", "-g",
                                f"{FORWARD}...{reverse_complement(REVERSE)}", "-o", theirs, reads]
        else:
            print("# cutadapt is not installed: left out")
        print("program\tprocessor seconds\tseconds\tamplicons")
        for name, words in runs.items():
            seconds, used = timed(words)
            found = theirs if name == "cutadapt" else ours
            n = sum(1 for _ in records(found))
            print(f"{name}\t{used:.2f}\t{seconds:.2f}\t{n}", flush=True)
        if cutadapt:
            mine = {name.split()[0]: s for name, s in records(ours)}
            other = {name.split()[0]: s for name, s in records(theirs)}
            equal = sum(1 for name, s in mine.items() if other.get(name) == s)
            print(f"# {equal} amplicons are equal; {len(mine.keys() - other.keys())} only of "
                  f"ribogrid, {len(other.keys() - mine.keys())} only of cutadapt, "
                  f"{len(mine.keys() & other.keys()) - equal} of both with other ends")


if __name__ == "__main__":
    main()
