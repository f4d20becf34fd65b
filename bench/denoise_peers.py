#!/usr/bin/env python3
"""Compare `ribogrid denoise` and `chimeras` with vsearch and DADA2, from reads to sequence
variants.

usage: bench/denoise_peers.py RIBOGRID READS.fa COMMUNITY.fa [--truth TRUTH.tsv]
                              [--fastq READS.fastq] [--threads N]

READS have ";size=N" in their names; COMMUNITY is what is to be found; READS.fastq are all
reads with qualities (bench/chimera_mock.py writes all of them, and TRUTH).  Runs `ribogrid
denoise` and `chimeras --method uchime3`, vsearch --cluster_unoise with --maxaccepts 0
--maxrejects 0 and with its defaults, and --uchime3_denovo, each on N threads (uchime3_denovo
has one); with READS.fastq also DADA2 (dada2.R).  Prints processor and wall seconds; whether
the ASVs are the same; the reads that are in other ASVs, by kind; and of the ASVs that are no
chimeras how many are in COMMUNITY, how many sequences of it are missed, and how many ASVs are
not in it (with TRUTH: chimeras, and reads with errors).  Kinds:

  ASV of one         the read is an ASV to one program alone
  equally close      the centroids of both have the same identity with it
  other alignment    they have not: the programs align the read differently
"""
import argparse
import os
import subprocess
import tempfile
from collections import Counter

from amplicons import records
from runs import timed

UNOISE = ["--minsize", "8", "--unoise_alpha", "2", "--sizein", "--sizeout", "--quiet"]


def sequences(path):
    """name without labels -> sequence; vsearch masks in lower case"""
    return {name.split(";")[0]: s.upper() for name, s in records(path)}


def our_members(view, names):
    """read -> the read that is its ASV"""
    with open(view) as file:
        rows = [line.rstrip("\n").split("\t") for line in file][1:]
    return {r[0]: names[r[2]] for r in rows if r[2] != "NA"}


def centroid_names(path):
    """ASV -> the read that it is"""
    with open(path) as file:
        heads = (line[1:].split() for line in file if line[0] == ">")
        return {asv.split(";")[0]: read for asv, read in heads}


def their_members(uc):
    members = {}
    with open(uc) as file:
        for line in file:
            row = line.rstrip("\n").split("\t")
            if row[0] in "SH":
                read = row[8].split(";")[0]
                members[read] = read if row[0] == "S" else row[9].split(";")[0]
    return members


def identities(ribogrid, pairs, reads, folder):
    """(read, centroid) -> matches / columns, as vsearch aligns"""
    wanted = sorted({n for pair in pairs for n in pair})
    with open(f"{folder}/pairs.fa", "w") as out:
        for name in wanted:
            out.write(f">{name}\n{reads[name]}\n")
    table = f"{folder}/pairs.tsv"
    timed(
        [ribogrid, "align", f"{folder}/pairs.fa", "--preset", "vsearch", "--emit", "cigar"]
        + ["-o", f"{folder}/pairs.h5"],
        [ribogrid, "export", f"{folder}/pairs.h5", "--format", "userout", "--userfields"]
        + ["query+target+id", "-o", table],
    )
    with open(table) as file:
        rows = (line.split() for line in file)
        return {frozenset(r[:2]): float(r[2]) for r in rows}


def print_members(args, ours, theirs, folder):
    both = [r for r in ours if ours[r] != theirs.get(r)]
    reads = sequences(args.reads)
    close = {}
    if both:
        pairs = [(r, m[r]) for r in both for m in (ours, theirs)]
        close = identities(args.ribogrid, pairs, reads, folder)
    kinds = Counter()
    for r in both:
        pair = [frozenset((r, m[r])) for m in (ours, theirs)]
        if r in (ours[r], theirs[r]):
            kinds["ASV of one"] += 1
        elif close[pair[0]] == close[pair[1]]:
            kinds["equally close"] += 1
        else:
            kinds["other alignment"] += 1
    print(f"reads in the same ASV\t{len(ours) - len(both)} of {len(ours)}")
    for kind, n in sorted(kinds.items()):
        print(f"reads in another\t{kind}\t{n}")


def print_found(program, clean, args, reads):
    community = set(sequences(args.community).values())
    truth = {}
    if args.truth:
        with open(args.truth) as file:
            truth = dict(line.split() for line in file)
    name_of = {s: n for n, s in reads.items()}
    asvs = {s.upper() for _, s in records(clean)}
    false = Counter(truth.get(name_of[s], "?") for s in asvs - community)
    print(
        f"{program}\tfound {len(asvs & community)}\tmissed {len(community - asvs)}\t"
        f"false {sum(false.values())}"
        + "".join(f"\t{kind} {n}" for kind, n in sorted(false.items()))
    )


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("ribogrid")
    parser.add_argument("reads")
    parser.add_argument("community")
    parser.add_argument("--truth")
    parser.add_argument("--fastq")
    parser.add_argument("--threads", default=str(os.cpu_count()))
    args = parser.parse_args()
    threads = ["--threads", args.threads]
    with tempfile.TemporaryDirectory() as folder:
        at = folder + "/"
        unoise = ["vsearch", "--cluster_unoise", args.reads, *UNOISE, *threads]
        uchime = ["vsearch", "--sizein", "--quiet", "--uchime3_denovo"]
        commands = {
            "ribogrid denoise": [args.ribogrid, "denoise", args.reads, "-o", at + "o.h5"]
            + ["--asvs", at + "o.fa", *threads],
            "ribogrid chimeras": [args.ribogrid, "chimeras", at + "o.fa", "--method"]
            + ["uchime3", "-o", at + "c.h5", "--nonchimeras", at + "oc.fa", *threads],
            "vsearch unoise, all": [*unoise, "--maxaccepts", "0", "--maxrejects", "0"]
            + ["--centroids", at + "v.fa", "--uc", at + "v.uc"],
            "vsearch uchime3": [*uchime, at + "v.fa", "--nonchimeras", at + "vc.fa"],
            "vsearch unoise": [*unoise, "--centroids", at + "d.fa"],
        }
        if args.fastq:
            script = os.path.join(os.path.dirname(__file__), "dada2.R")
            commands["DADA2"] = ["Rscript", script, args.fastq, at + "r.fa", at + "rc.fa"]
            commands["DADA2"].append(args.threads)
        print("program\tprocessor_s\twall_s")
        for name, words in commands.items():
            print(f"{name}\t%.2f\t%.2f" % timed(words)[::-1], flush=True)
        with open(at + "o.tsv", "w") as out:
            subprocess.run([args.ribogrid, "view", at + "o.h5"], stdout=out, check=True)
        asvs = {p: set(sequences(at + p + ".fa").values()) for p in "ovd"}
        for peer, name in (("v", "all"), ("d", "defaults")):
            print(
                f"ASVs\tribogrid {len(asvs['o'])}\tvsearch, {name} {len(asvs[peer])}\t"
                f"both {len(asvs['o'] & asvs[peer])}"
            )
        names = centroid_names(at + "o.fa")
        print_members(
            args, our_members(at + "o.tsv", names), their_members(at + "v.uc"), folder
        )
        reads = sequences(args.reads)
        print_found("ribogrid", at + "oc.fa", args, reads)
        print_found("vsearch", at + "vc.fa", args, reads)
        if args.fastq:
            print_found("DADA2", at + "rc.fa", args, reads)


main()
