"""Graphs: beside scipy and the program."""

import subprocess

import numpy as np
import pytest

import ribogrid as rg

sparse = pytest.importorskip("scipy.sparse")
csgraph = pytest.importorskip("scipy.sparse.csgraph")


@pytest.fixture(scope="module")
def matrix():
    """Return a symmetric matrix of 200 nodes in several components, with whole weights."""
    m = sparse.random(200, 200, 0.012, "csr", random_state=1)
    m.data = np.ceil(9 * m.data)
    m = sparse.triu(m, 1)
    return (m + m.T).tocsr().astype(np.int32)


@pytest.fixture(scope="module")
def graph(matrix):
    return rg.Graph.from_scipy(matrix)


def test_components(matrix, graph):
    n, label = csgraph.connected_components(matrix)
    got = graph.components()
    assert len(np.unique(got)) == n > 1
    assert all(got[u] == np.flatnonzero(label == label[u])[0] for u in range(len(graph)))


@pytest.mark.parametrize("weights", [np.int32, np.float64])
def test_shortest_paths(matrix, weights):
    graph = rg.Graph.from_scipy(matrix.astype(weights))
    want = csgraph.dijkstra(matrix, indices=3)
    got = graph.sssp(3)
    assert np.array_equal(got, np.where(np.isinf(want), -1, want))
    depth = csgraph.dijkstra(matrix, indices=3, unweighted=True)
    assert np.array_equal(graph.bfs(3), np.where(np.isinf(depth), -1, depth))


def test_spanning_forest(matrix, graph):
    arcs = graph.spanning_forest()
    assert len(arcs) == len(graph) - len(np.unique(graph.components()))
    assert matrix.data[arcs].sum() == csgraph.minimum_spanning_tree(matrix).sum()


def test_products_and_triangles(matrix, graph):
    x = np.random.default_rng(1).random(200)
    assert np.allclose(graph.multiply(x), matrix @ x)
    ones = (matrix > 0).astype(np.int64)
    assert np.array_equal(graph.triangles(), (ones @ ones @ ones).diagonal() // 2)


def test_colors_and_independent_sets(matrix, graph):
    rows, cols = matrix.nonzero()
    color, in_set = graph.coloring(), graph.independent_set(order="degree")
    assert (color[rows] != color[cols]).all()
    assert not (in_set[rows] & in_set[cols]).any() and in_set.dtype == np.uint8
    assert graph.independent_set("abundance", np.arange(200))[199] == 1


def test_equal_to_the_program(program, matrix, graph, tmp_path):
    """Of real numbers, all digits; with one and two threads."""
    rows, cols = sparse.triu(matrix).nonzero()
    edges = tmp_path / "edges.tsv"
    edges.write_text("".join(f"{u}\t{v}\n" for u, v in zip(rows, cols)))
    # nodes without edges are not in the file
    there = np.unique(np.concatenate([rows, cols]))
    small = rg.Graph.from_scipy(matrix[there][:, there], weighted=False)
    for algorithm in ("pagerank", "betweenness"):
        out = tmp_path / f"{algorithm}.h5"
        subprocess.run([program, "graph", algorithm, edges, "--symmetrize", "-q", "-o", out,
                        "--device", "cpu"],
                       check=True)
        h5py = pytest.importorskip("h5py")
        with h5py.File(out) as f:
            name = {"pagerank": "rank", "betweenness": "centrality"}[algorithm]
            want = next(d[...] for d in _datasets(f) if d.name.endswith("/" + name))
        for threads in (1, 2):
            context = rg.Context("cpu", threads)
            got = small.run(algorithm, context=context)[name]
            assert got.tobytes() == np.ravel(want).tobytes()


def _datasets(group):
    for item in group.values():
        if hasattr(item, "shape"):
            yield item
        else:
            yield from _datasets(item)


def test_results_outlive_the_graph(matrix):
    got = rg.Graph.from_scipy(matrix).components()
    assert not got.flags.writeable and got.sum() >= 0
    empty = rg.Graph([0], [])
    assert len(empty) == 0 and len(empty.components()) == 0
    assert rg.Graph([0, 0], []).pagerank().tolist() == [1]


@pytest.mark.parametrize("call, error, reason", [
    (lambda g: rg.Graph([0, 1], [1]), rg.InputError, "leads to no node"),
    (lambda g: rg.Graph([0, 2], [0]), ValueError, "ends with"),
    (lambda g: rg.Graph([0, 1], [0], [-1]), rg.InputError, "negative"),
    (lambda g: rg.Graph([0, 1], [0], [1, 2]), ValueError, "shape"),
    (lambda g: rg.Graph([0, 1], [0]).coloring(), rg.InputError, "loops"),
    (lambda g: rg.Graph([0, 1, 1], [1]).coloring(), rg.InputError, "directed"),
    (lambda g: rg.Graph.from_scipy(sparse.csr_matrix((2, 3))), ValueError, "square"),
    (lambda g: g.bfs(200), ValueError, "nodes 0 to 199"),
    (lambda g: g.run("dfs"), ValueError, "algorithm 'dfs'"),
    (lambda g: g.run("bfs"), ValueError, "one source"),
    (lambda g: g.pagerank(damping=2), ValueError, "from 0 to 1"),
    (lambda g: g.multiply([1, 2]), ValueError, "one value per node"),
    (lambda g: g.run("bfs", colour=1), TypeError, "colour"),
])
def test_errors_have_reasons(graph, call, error, reason):
    with pytest.raises(error, match=reason):
        call(graph)
