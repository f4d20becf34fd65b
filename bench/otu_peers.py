#!/usr/bin/env python3
"""Cluster the reads of an amplicon run around centroids, with ribogrid and with vsearch.

usage: bench/otu_peers.py RIBOGRID READS.fa [IDENTITY [REPEATS [exhaustive]]]

READS have ";size=N" in their names (bench/chimera_mock.py).  ribogrid: `align --derep
--sizein --preset vsearch --id IDENTITY --centroids abundance` (0.97), and `cluster --method
centroid`; beside --cluster_size, as it is, and on request exhaustive (--maxaccepts 0 --maxrejects 0), which
takes hours for a whole run.  Reads are renamed, since vsearch takes reads of equal abundance in
the order of their names, ribogrid in that of the file.  Programs take turns, REPEATS times (5; the exhaustive one once),
with 2 threads.  Prints for
each the medians of seconds and of processor seconds, and its OTUs; then how many centroids
each run of vsearch shares with ribogrid, and the kinds of reads that it puts elsewhere.  A
read is of the first kind that applies:

  a centroid in ribogrid alone  it has a hit with a centroid that ribogrid does not have
  a centroid in vsearch alone   its nearest centroid was not among those compared, or is none
  nearer in ribogrid            another centroid, whose identity is higher
  nearer in vsearch             likewise; it is a centroid of vsearch alone, or the best
                                alignment that vsearch takes has another identity
  equally near                  another centroid of the same identity, to 0.1 %
"""
import os
import subprocess
import sys
import tempfile
from collections import Counter

from search_peers import THREADS, compare, lines


def plain(name):
    return name.partition(";")[0]


def write_renamed(path):
    """Write the reads, whose names ascend, as reads.fa."""
    with open(path) as reads, open("reads.fa", "w") as out:
        n = 0
        for line in reads:
            if line[0] == ">":
                size = line.partition(";size=")[2].strip().strip(";") or 1
                line = f">r{n:07d};size={size}\n"
                n += 1
            out.write(line)


def by_vsearch(path):
    """{read: (centroid, identity in percent)}"""
    found = {}
    for line in lines(path):
        kind, _, _, identity, *_, query, target = line.split("\t")
        if kind in "SH":
            found[plain(query)] = ((plain(target), float(identity)) if kind == "H"
                                   else (plain(query), 100))
    return found


def view(*words):
    text = subprocess.run(words, check=True, capture_output=True, text=True).stdout
    return [line.split("\t") for line in text.splitlines()]


def by_ribogrid(ribogrid):
    """The same; the representative of an OTU is its centroid."""
    rows = view(ribogrid, "view", "--no-header", "otu.groups.h5")
    centroid = {otu: read for read, otu, *is_one in rows if is_one[0] in ("1", "yes")}
    identity = {}
    for a, b, _, matches, columns, *_ in view(ribogrid, "view", "--no-header", "p.h5"):
        identity[a, b] = identity[b, a] = round(100 * int(matches) / int(columns), 1)
    return {read: (centroid[otu], identity.get((read, centroid[otu]), 100))
            for read, otu, *_ in rows}


def kind(read, ours, theirs):
    (a, x), (b, y) = ours[read], theirs[read]
    if a == read:
        return "a centroid in ribogrid alone"
    if b == read:
        return "a centroid in vsearch alone"
    return ("nearer in ribogrid" if x > y else "nearer in vsearch" if x < y
            else "equally near")


def print_differences(name, ours, theirs):
    centroids = [{c for c, _ in found.values()} for found in (ours, theirs)]
    print(f"\n{name}: {len(centroids[0] & centroids[1])} centroids are those of ribogrid's "
          f"{len(centroids[0])}; {sum(ours[r][0] == theirs[r][0] for r in ours)} of "
          f"{len(ours)} reads have the same one")
    count = Counter(kind(r, ours, theirs) for r in ours if ours[r][0] != theirs[r][0])
    for what, n in sorted(count.items()):
        print(f"{n:8d}  {what}")


def main():
    if not 3 <= len(sys.argv) <= 6 or sys.argv[5:] not in ([], ["exhaustive"]):
        sys.exit(__doc__)
    ribogrid, reads = (os.path.abspath(path) for path in sys.argv[1:3])
    identity, repeats = (sys.argv[3:5] + ["0.97", "5"][len(sys.argv[3:5]):])
    peers = {"default": [], "exhaustive": ["--maxaccepts", "0", "--maxrejects", "0"]}
    if not sys.argv[5:]:
        del peers["exhaustive"]

    def vsearch(name):
        return ([["vsearch", "--cluster_size", "reads.fa", "--id", identity, "--sizein", "--threads",
                  THREADS, "--qmask", "none", "--quiet", "--uc", f"{name}.uc", *peers[name]]],
                lambda: f"{len({c for c, _ in by_vsearch(f'{name}.uc').values()})} OTUs")

    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        write_renamed(reads)
        compare({
            "ribogrid align --centroids, cluster": (
                [[ribogrid, "align", "reads.fa", "--derep", "--sizein", "--preset", "vsearch", "--id",
                  identity, "--centroids", "abundance", "-t", THREADS, "-q", "--force", "-o",
                  "p.h5"],
                 [ribogrid, "cluster", "p.h5", "--id", identity, "--method", "centroid", "-q",
                  "--force", "-o", "otu"]],
                lambda: f"{len(lines('otu.otus.tsv')) - 1} OTUs"),
            **{f"vsearch --cluster_size, {name}": vsearch(name) for name in peers}},
                int(repeats))
        ours = by_ribogrid(ribogrid)
        for name in peers:
            print_differences(f"vsearch, {name}", ours, by_vsearch(f"{name}.uc"))
        os.chdir("/")


main()
