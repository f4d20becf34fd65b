"""Compare results of `ribogrid graph` with those of igraph.

usage: graph_igraph.py RIBOGRID DEVICE GRAPH|random:NODES:EDGES:SEED ALGORITHM...

GRAPH is a SNAP edge list (.txt, .txt.gz) or a symmetric Matrix Market file without
values.  It is compared as it is and, if it is directed, made undirected; edges have
distinct weights, so that the spanning forest is unique.  Works in the current directory.
Exits with 1 if a result differs, with 77 without igraph.
"""
import gzip
import random
import subprocess
import sys

import h5py
import numpy as np

try:
    import igraph
except ImportError:
    print("no igraph (Debian: python3-igraph)")
    sys.exit(77)


def read_edges(name):
    """Return the edges as pairs of ids, and whether they are directed."""
    if name.startswith("random:"):
        n, n_edges, seed = map(int, name.split(":")[1:])
        draw = random.Random(seed)
        return [(draw.randrange(n), draw.randrange(n)) for _ in range(n_edges)], True
    with (gzip.open if name.endswith(".gz") else open)(name, "rt") as f:
        lines = [line.split() for line in f if line[0] not in "#%"]
    if ".mtx" in name:
        return [tuple(map(int, line[:2])) for line in lines[1:]], False
    return [tuple(map(int, line[:2])) for line in lines], True


class Case:
    """A simple graph: a file for ribogrid, and the same for igraph."""

    def __init__(self, program, device, edges, directed):
        if not directed:
            edges = [(min(e), max(e)) for e in edges]
        edges = sorted({e for e in edges if e[0] != e[1]})
        self.program, self.device, self.directed = program, device, directed
        self.id = np.unique(np.array(edges))
        self.edges = np.searchsorted(self.id, np.array(edges))
        self.weight = np.array(random.Random(1).sample(range(1, 2 * len(edges) + 1), len(edges)))
        self.graph = igraph.Graph(len(self.id), self.edges.tolist(), directed=directed)
        self.source = int(np.argmax(self.graph.degree(mode="out")))
        with open("graph.txt", "w") as f:
            if not directed:
                f.write("# Undirected graph\n")
            for (a, b), w in zip(self.id[self.edges], self.weight):
                f.write(f"{a} {b} {w}\n")

    def run(self, algorithm, *options):
        """Run a command and return its result file."""
        subprocess.run([self.program, "graph", algorithm, "graph.txt", "-q", "--force", "--device",
                        self.device, *options, "-o", "graph.h5"], check=True)
        result = h5py.File("graph.h5", "r")
        assert (result["nodes/id"][:] == self.id).all(), "nodes"
        return result

    def from_source(self, algorithm):
        return self.run(algorithm, "--source", str(self.id[self.source]))

    def bfs(self):
        with self.from_source("bfs") as r:
            depth = np.ravel(r["nodes/depth"][:]).astype(float)
        depth[depth < 0] = np.inf
        return (depth == self.graph.distances(self.source, mode="out")[0]).all()

    def sssp(self):
        with self.from_source("sssp") as r:
            distance = np.ravel(r["nodes/distance"][:]).astype(float)
        distance[distance < 0] = np.inf
        want = self.graph.distances(self.source, weights=self.weight.tolist(), mode="out")[0]
        return (distance == want).all()

    def pagerank(self):
        with self.run("pagerank", "--tolerance", "1e-13", "--max-iterations", "1000") as r:
            rank = r["nodes/rank"][:]
        return np.allclose(rank, self.graph.pagerank(), rtol=1e-7, atol=0)

    def betweenness(self):
        with self.run("betweenness") as r:
            centrality = r["nodes/centrality"][:]
        return np.allclose(centrality, self.graph.betweenness(), rtol=1e-9, atol=1e-9)

    def components(self):
        with self.run("components") as r:
            component = r["nodes/component"][:]
        member = np.array(self.graph.connected_components(mode="weak").membership)
        smallest = np.full(member.max() + 1, self.id[-1])
        np.minimum.at(smallest, member, self.id)
        return (component == smallest[member]).all()

    def mst(self):
        with self.run("mst") as r:
            got = {(s, t, w) for s, t, w in zip(r["edges/source"][:], r["edges/target"][:],
                                                r["edges/weight"][:])}
        kept = self.graph.spanning_tree(self.weight.tolist(), return_tree=False)
        want = {(*sorted(self.id[self.edges[e]]), self.weight[e]) for e in kept}
        return got == want

    def triangles(self):
        with self.run("triangles") as r:
            count = r["nodes/triangles"][:]
        found = np.array(self.graph.list_triangles(), dtype=np.int64)
        return (count == np.bincount(found.ravel(), minlength=len(self.id))).all()

    def mis(self):
        """The set is independent and maximal."""
        with self.run("mis") as r:
            in_set = r["nodes/in_set"][:].astype(bool)
        a, b = self.edges.T
        covered = in_set.copy()
        covered[a[in_set[b]]] = covered[b[in_set[a]]] = True
        return not (in_set[a] & in_set[b]).any() and covered.all()

    def coloring(self):
        """Neighbors differ; greedy colors are at most a node's degree."""
        with self.run("coloring") as r:
            color = r["nodes/color"][:]
        a, b = self.edges.T
        return (color[a] != color[b]).all() and (color <= self.graph.degree()).all()


UNDIRECTED = {"mst", "triangles", "mis", "coloring"}


def main():
    program, device, name, *algorithms = sys.argv[1:]
    edges, directed = read_edges(name)
    failed = False
    for as_directed in [True, False] if directed else [False]:
        case = Case(program, device, edges, as_directed)
        for algorithm in algorithms:
            if case.directed and algorithm in UNDIRECTED:
                continue
            if not getattr(case, algorithm)():
                print(f"{name}: {algorithm} differs from igraph's,",
                      "directed" if case.directed else "undirected")
                failed = True
    sys.exit(failed)


main()
