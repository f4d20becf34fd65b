#!/usr/bin/env python3
"""Compare `ribogrid primers` with cutadapt and EMBOSS primersearch, on one thread each.

usage: bench/primer_peers.py RIBOGRID [--reads N] [--panel PAIRS.tsv]

Makes N (1,000,000) reads of 292 bases: 515F, 253 random bases, and 806R, with 1 % substituted
bases, every second one as its reverse complement.  All programs allow 2 mismatches in each
primer, without gaps.  ribogrid and cutadapt write FASTA; cutadapt is given an overlap of whole
primers, so that it takes no partial ones; primersearch writes only where they are.  Prints a
line per run: program, processor seconds, wall seconds, reads with both primers; and how many
amplicons or reads of a program are those of ribogrid.  With --panel, also a run with all pairs
of that file.  Programs that are not installed are left out, which a line says.
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


def hits_of(path):
    """The names of reads that primersearch lists."""
    with open(path) as lines:
        return {line.split()[1] for line in lines if line.startswith("\tSequence:")}


def sequences_of(path):
    return {name.split()[0]: sequence for name, sequence in records(path)}


def runs_of(args, reads, out):
    """Of each program that is installed, how it is run, and its output."""
    ribogrid = [args.ribogrid, "primers", reads, "-q", "--threads", "1", "-o"]
    pair = os.path.join(os.path.dirname(reads), "pair.txt")
    with open(pair, "w") as to:
        to.write(f"pair\t{FORWARD}\t{REVERSE}\n")
    if args.panel:
        yield "ribogrid, panel", ribogrid + [out + ".panel", "--panel", args.panel], out + ".panel"
    yield "ribogrid", ribogrid + [out, "--primers", f"{FORWARD}/{REVERSE}"], out
    yield "cutadapt", ["cutadapt", "-j", "1", "--quiet", "--revcomp", "--no-indels", "-e", "2",
                       "-O", "19", "--discard-untrimmed", "-g",
                       f"{FORWARD}...{reverse_complement(REVERSE)}", "-o", out + ".cutadapt",
                       reads], out + ".cutadapt"
    yield "primersearch", ["primersearch", "-auto", "-seqall", reads, "-infile", pair,
                           "-mismatchpercent", "11", "-outfile", out + ".primersearch"
                           ], out + ".primersearch"


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1])
    parser.add_argument("ribogrid")
    parser.add_argument("--reads", type=int, default=1000000)
    parser.add_argument("--panel")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        reads, ours = (os.path.join(folder, name) for name in ("reads.fa", "ours.fa"))
        write_reads(reads, args.reads)
        print("program\tprocessor seconds\tseconds\treads")
        for name, words, output in runs_of(args, reads, ours):
            if not shutil.which(words[0]):
                print(f"# {name} is not installed: left out")
                continue
            seconds, used = timed(words)
            found = (dict.fromkeys(hits_of(output)) if name == "primersearch"
                     else sequences_of(output))
            print(f"{name}\t{used:.2f}\t{seconds:.2f}\t{len(found)}", flush=True)
            if name == "ribogrid":
                mine = found
            elif not name.startswith("ribogrid"):
                both = mine.keys() & found.keys()
                equal = sum(found[read] in (None, mine[read]) for read in both)
                print(f"# {equal} as of ribogrid; {len(mine.keys() - both)} only of ribogrid, "
                      f"{len(found.keys() - both)} only of {name}, {len(both) - equal} of both "
                      "with other ends", flush=True)


if __name__ == "__main__":
    main()
