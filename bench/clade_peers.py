#!/usr/bin/env python3
"""clade_peers.py - sums of leaf weights in every clade, beside scikit-bio and ape.

usage: bench/clade_peers.py RIBOGRID [N_LEAVES [N_SAMPLES [SEED]]]       (20000 leaves, 8, 1)

Makes a random tree, whose clades have names and two to nine children, and random counts of
its leaves; adds them up in every clade with `graph tree-descendants --leaf-weights`, with
scikit-bio (the counts by node of its phylogenetic diversities) and with R's ape (edges in
postorder), whichever are there.  One line per program: name, seconds of the whole program,
clades, and how many of them have other sums than ours.  The exit code is 1 if any has.
"""

import os
import random
import subprocess
import sys
import tempfile
import time

SKBIO = """
import sys
import numpy
import skbio
from skbio.diversity._util import _vectorize_counts_and_tree
with open(sys.argv[2]) as lines:
    rows = [line.rstrip("\\n").split("\\t") for line in lines][1:]
tree = skbio.TreeNode.read(sys.argv[1], convert_underscores=False)
counts = numpy.array([row[1:] for row in rows], dtype=numpy.int64).T
sums, index, _ = _vectorize_counts_and_tree(counts, numpy.array([row[0] for row in rows]), tree)
for name, row in zip(index["name"], sums.T):
    print(name, *(int(x) for x in row), sep="\\t")
"""

APE = """
words <- commandArgs(trailingOnly = TRUE)
tree <- ape::reorder.phylo(ape::read.tree(words[1]), "postorder")
counts <- as.matrix(read.table(words[2], header = TRUE, row.names = 1))
n_leaves <- length(tree$tip.label)
sums <- rbind(counts[tree$tip.label, , drop = FALSE],
              matrix(0, tree$Nnode, ncol(counts)))
for (i in seq_len(nrow(tree$edge)))
    sums[tree$edge[i, 1], ] <- sums[tree$edge[i, 1], ] + sums[tree$edge[i, 2], ]
write.table(format(sums, scientific = FALSE, trim = TRUE), quote = FALSE, sep = "\\t",
            col.names = FALSE, row.names = c(tree$tip.label, tree$node.label))
"""


def random_tree(n_leaves, draw):
    """Newick text of a tree; every clade is named, and has a length, which scikit-bio needs."""
    nodes = [f"leaf{k}:1" for k in range(n_leaves)]
    n_clades = 0
    while len(nodes) > 1:
        draw.shuffle(nodes)
        parents = []
        while len(nodes) > 1:
            n = min(len(nodes), draw.randint(2, 9))
            parents.append(f"({','.join(nodes[-n:])})clade{n_clades}:1")
            n_clades += 1
            del nodes[-n:]
        nodes += parents
    return nodes[0][:-2] + ";"


def timed(command):
    begin = time.perf_counter()
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True)
    return time.perf_counter() - begin, done.stdout


def sums_by_name(text):
    rows = (line.split("\t") for line in text.splitlines())
    return {row[0]: [int(x) for x in row[1:]] for row in rows}


def of_ribogrid(program, tree, table, work):
    """Seconds of the job alone, and sums by name."""
    out = os.path.join(work, "o.h5")
    seconds, _ = timed([program, "graph", "tree-descendants", tree, "--leaf-weights", table,
                        "--force", "-q", "-o", out])
    view = subprocess.run([program, "view", "--no-header", out], stdout=subprocess.PIPE,
                          check=True, text=True).stdout
    rows = (line.split("\t") for line in view.splitlines())
    return seconds, {row[1]: [int(x) for x in row[4:]] for row in rows}


def peers(tree, table):
    for name, run, text, probe in (
            ("scikit-bio", ["/usr/bin/python3", "-c"], SKBIO, "import skbio"),
            ("ape", ["Rscript", "-e"], APE, "library(ape)")):
        try:
            subprocess.run([*run, probe], stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL, check=True)
        except (OSError, subprocess.CalledProcessError):
            print(f"{name}\tnot found")
            continue
        yield name, timed([*run, text, tree, table])


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__.split("\n\n")[1])
    program = sys.argv[1]
    given = [int(x) for x in sys.argv[2:5]]
    n_leaves, n_samples, seed = given + [20000, 8, 1][len(given):]
    draw = random.Random(seed)
    n_wrong = 0
    with tempfile.TemporaryDirectory() as work:
        tree, table = os.path.join(work, "t.nwk"), os.path.join(work, "w.tsv")
        with open(tree, "w") as file:
            file.write(random_tree(n_leaves, draw) + "\n")
        with open(table, "w") as file:
            print("leaf", *(f"s{k}" for k in range(n_samples)), sep="\t", file=file)
            for k in range(n_leaves):
                print(f"leaf{k}", *(draw.randint(0, 10**6) for _ in range(n_samples)), sep="\t",
                      file=file)
        print("program", "seconds", "nodes", "other sums", sep="\t")
        seconds, ours = of_ribogrid(program, tree, table, work)
        print("ribogrid", f"{seconds:.3f}", len(ours), 0, sep="\t")
        for name, (seconds, text) in peers(tree, table):
            theirs = sums_by_name(text)
            n_other = sum(theirs.get(node) != sums for node, sums in ours.items())
            n_wrong += n_other
            print(name, f"{seconds:.3f}", len(theirs), n_other, sep="\t")
    return n_wrong > 0


if __name__ == "__main__":
    sys.exit(main())
