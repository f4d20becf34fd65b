#!/usr/bin/env python3
"""Compare `ribogrid chimeras` with vsearch on the same reads, call by call.

usage: bench/chimera_peers.py RIBOGRID READS.fa [--against REF.fa] [--truth TRUTH.tsv]
                              [--threads N]

READS have ";size=N" in their names, unless there are references.  Prints processor and
wall seconds of both programs, how often they call a read alike, the kinds of reads that
they call differently, and with TRUTH (bench/chimera_mock.py) what each of them calls the
strains and the chimeras.  A read that is called differently is of the first kind that
applies:

  follows           a parent of one program is a chimera to the other
  closer parents    one program found parents whose model is closer to the read
  other parents     parents differ, the models are equally close
  other alignment   the same parents, aligned differently
"""
import argparse
import os
import sys
import tempfile
from collections import Counter

from runs import timed

SCORE, NAME, A, B, MODEL, CALL = 0, 1, 2, 3, 5, 17


def lines(path):
    with open(path) as file:
        rows = (line.rstrip("\n").split("\t") for line in file)
        return {row[NAME]: row for row in rows}


def parents(row):
    return {row[A], row[B]} - {"*"}


def kind(ours, theirs, our_calls, their_calls):
    if any(their_calls.get(p, ["N"])[-1] == "Y" for p in parents(ours)) or any(
        our_calls.get(p, ["N"])[-1] == "Y" for p in parents(theirs)
    ):
        return "follows"
    if parents(ours) == parents(theirs):
        return "other alignment"
    models = [float(r[MODEL]) if r[MODEL] != "*" else 0 for r in (ours, theirs)]
    if models[0] == models[1]:
        return "other parents"
    return f"closer parents: {'ribogrid' if models[0] > models[1] else 'vsearch'}"


def print_truth(path, calls, program):
    with open(path) as file:
        kinds = dict(line.split() for line in file)
    count = Counter((kinds[n.partition(";")[0]], row[CALL]) for n, row in calls.items())
    for what in ("chimera", "strain"):
        got = {c: count[what, c] for c in "Y?N"}
        print(f"{program}\t{what}\t" + "\t".join(f"{c} {n}" for c, n in got.items()))


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("ribogrid")
    parser.add_argument("reads")
    parser.add_argument("--against")
    parser.add_argument("--truth")
    parser.add_argument("--threads", default=str(os.cpu_count()))
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        ours, theirs = f"{folder}/ours.tsv", f"{folder}/theirs.tsv"
        mine = [args.ribogrid, "chimeras", args.reads, "-o", f"{folder}/out.h5"]
        mine += ["--uchimeout", ours, "--threads", args.threads]
        if args.against:
            mine += ["--against", args.against]
            peer = ["vsearch", "--uchime_ref", args.reads, "--db", args.against]
            peer += ["--threads", args.threads]
        else: # sequential, on one thread
            peer = ["vsearch", "--uchime_denovo", args.reads]
        print("program\tprocessor_s\twall_s")
        print("ribogrid\t%.1f\t%.1f" % timed(mine)[::-1])
        print("vsearch\t%.1f\t%.1f" % timed([*peer, "--uchimeout", theirs])[::-1])
        ours, theirs = lines(ours), lines(theirs)
    if ours.keys() != theirs.keys():
        sys.exit("the programs have different reads")
    alike = sum(ours[n][CALL] == theirs[n][CALL] for n in ours)
    same = sum(ours[n] == theirs[n] for n in ours)
    print(f"called alike\t{alike} of {len(ours)}\nequal lines\t{same} of {len(ours)}")
    kinds = Counter(
        kind(ours[n], theirs[n], ours, theirs)
        for n in ours
        if ours[n][CALL] != theirs[n][CALL]
    )
    for what, n in sorted(kinds.items()):
        print(f"different\t{what}\t{n}")
    if args.truth:
        print_truth(args.truth, ours, "ribogrid")
        print_truth(args.truth, theirs, "vsearch")


main()
