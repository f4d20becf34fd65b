#!/usr/bin/env python3
"""Cluster genes, and find the best hits of amplicons, with ribogrid and with vsearch.

usage: bench/search_peers.py cluster RIBOGRID GENES.fa[.gz] [RECORDS [IDENTITY [REPEATS]]]
       bench/search_peers.py hits RIBOGRID GENES.fa[.gz] [READS [IDENTITY [REPEATS]]]

cluster: RECORDS of GENES (default 1233), taken at even distances, in clusters at IDENTITY
(0.97): `align --preset vsearch --id` and `cluster --method centroid --order length`; beside
--cluster_fast, which compares a gene with at most 32 centroids that it does not join.

hits: the V4 regions of READS of GENES (100), at even distances, against the other genes, the
best hits of at least IDENTITY: `align --against --preset vsearch --top 1 --id`; beside
--usearch_global, as it is, and exhaustive (--maxaccepts 0 --maxrejects 0 --top_hits_only).

Programs take turns, REPEATS times (3; the exhaustive one once), with 2 threads.  Prints for
each the medians of seconds and of processor seconds, which other work on the machine changes
less, and what it found; and the load before and after.
"""
import os
import statistics
import sys
import tempfile

from amplicons import records, region
from runs import spaced, timed, write_fasta

THREADS = "2"
LETTERS = set("ACGTUMRWSYKVHDBN")


def good(genes):
    """Records of nucleotides alone: in some, words have been left behind."""
    return [(name, s) for name, s in records(genes) if set(s) <= LETTERS]


def compare(methods, repeats):
    """methods: {name: (commands, function that says what was found)}"""
    times = {name: [] for name in methods}
    print(f"load {os.getloadavg()[0]:.1f}, {THREADS} threads, medians of {repeats}")
    print(f"{'':44s} {'seconds':>8s} {'of processors':>14s}  found")
    for k in range(repeats):
        for name, (commands, _) in methods.items():
            if k == 0 or "exhaustive" not in name:
                times[name].append(timed(*commands))
    for name, (_, found) in methods.items():
        wall, used = (statistics.median(t[k] for t in times[name]) for k in range(2))
        print(f"{name:44s} {wall:8.2f} {used:14.2f}  {found()}")
    print(f"load {os.getloadavg()[0]:.1f}")


def lines(path):
    with open(path) as text:
        return text.read().splitlines()


def cluster(ribogrid, genes, n, identity, repeats):
    write_fasta("g.fa", spaced(good(genes), n))

    compare({
        "ribogrid align --id, cluster": (
            [[ribogrid, "align", "g.fa", "--preset", "vsearch", "--id", identity, "-t", THREADS,
              "-q", "--force", "-o", "p.h5"],
             [ribogrid, "cluster", "p.h5", "--id", identity, "--method", "centroid", "--order",
              "length", "-q", "--force", "-o", "otu"]],
            lambda: f"{len(lines('otu.otus.tsv')) - 1} clusters"),
        "vsearch --cluster_fast": (
            [["vsearch", "--cluster_fast", "g.fa", "--id", identity, "--threads", THREADS,
              "--qmask", "none", "--quiet", "--centroids", "c.fa"]],
            lambda: f"{sum(line[0] == '>' for line in lines('c.fa'))} clusters")}, repeats)


def best(path):
    """{query: identity of its best hit}"""
    found = {}
    for line in lines(path):
        query, _, identity = line.split("\t")
        found[query] = max(found.get(query, 0), round(float(identity), 1))
    return found


def hits(ribogrid, genes, n, identity, repeats):
    named = good(genes)
    queries = dict(spaced([(name, region(sequence)) for name, sequence in named
                           if region(sequence)], n))
    write_fasta("q.fa", queries.items())
    write_fasta("r.fa", [(name, s) for name, s in named if name not in queries])
    fields = ["--userfields", "query+target+id", "--threads", THREADS, "--qmask", "none",
              "--dbmask", "none", "--quiet", "--id", identity]

    def vsearch(path, *more):
        return ["vsearch", "--usearch_global", "q.fa", "--db", "r.fa", *fields, "--userout",
                path, *more]

    def says(path):
        def count():
            found, all_best = best(path), best("exhaustive.tsv")
            right = sum(found.get(q) == i for q, i in all_best.items())
            return (f"{len(found)} of {n} reads, {right} with the best identity of the "
                    f"exhaustive {len(all_best)}")
        return count

    compare({
        "ribogrid align --against --top 1 --id": (
            [[ribogrid, "align", "q.fa", "--against", "r.fa", "--preset", "vsearch", "--top",
              "1", "--id", identity, "-t", THREADS, "-q", "--force", "-o", "h.h5"],
             [ribogrid, "export", "h.h5", "--format", "userout", "--userfields", "query+target+id",
              "-q", "--force", "-o", "h.tsv"]],
            says("h.tsv")),
        "vsearch --usearch_global": ([vsearch("default.tsv")], says("default.tsv")),
        "vsearch --usearch_global, exhaustive": (
            [vsearch("exhaustive.tsv", "--maxaccepts", "0", "--maxrejects", "0",
                     "--top_hits_only")], says("exhaustive.tsv"))}, repeats)


def main():
    jobs = {"cluster": (cluster, "1233"), "hits": (hits, "100")}
    if len(sys.argv) < 4 or sys.argv[1] not in jobs:
        sys.exit(__doc__)
    job, n = jobs[sys.argv[1]]
    more = sys.argv[4:] + [n, "0.97", "3"][len(sys.argv) - 4:]
    ribogrid, genes = (os.path.abspath(path) for path in sys.argv[2:4])
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        job(ribogrid, genes, int(more[0]), more[1], int(more[2]))
        os.chdir("/")


if __name__ == "__main__":
    main()
