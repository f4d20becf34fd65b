"""Algorithms on graphs in compressed sparse rows."""

from typing import Any, Dict, Optional, Sequence, Union

import numpy as np

from ._context import Context, default_context
from ._library import ffi, lib, text

Nodes = Union[int, Sequence[int], np.ndarray]


class Graph:
    """A graph of n nodes, which are numbered from 0; never changed.

    Parameters
    ----------
    indptr, indices
        int64 [n + 1] and int32 [arcs], as of a scipy.sparse.csr_matrix: node u has the arcs
        ``indptr[u]`` .. ``indptr[u + 1] - 1``, to strictly ascending nodes.  An undirected
        edge is two arcs, one in each direction.
    weights
        [arcs] integers of at least 0, or real numbers; None: each arc counts 1.

    Results are arrays [n] with one value per node, the same bytes on every device and with
    any number of threads; docs/graph.md defines them.
    """

    def __init__(self, indptr: Any, indices: Any, weights: Any = None, *,
                 context: Optional[Context] = None) -> None:
        starts = np.ascontiguousarray(indptr, np.int64)
        targets = np.asarray(indices)
        if starts.ndim != 1 or len(starts) == 0 or targets.ndim != 1:
            raise ValueError("indptr [n + 1] and indices [arcs] have one dimension")
        narrow = np.ascontiguousarray(targets, np.int32)
        if starts[-1] != len(narrow) or not np.array_equal(narrow, targets):
            raise ValueError("indptr ends with the number of indices, which fit 32 bits")
        whole, real = _weights(weights, len(narrow))
        self._context = context or default_context()
        out = ffi.new("rg_graph_t **")
        self._context._run(lib.rg_graph_create, self._context._handle, len(starts) - 1,
                           ffi.from_buffer("int64_t[]", starts),
                           ffi.from_buffer("int32_t[]", narrow),
                           ffi.NULL if whole is None else ffi.from_buffer("int32_t[]", whole),
                           ffi.NULL if real is None else ffi.from_buffer("double[]", real), out)
        self._handle = ffi.gc(out[0], lib.rg_graph_destroy)

    @classmethod
    def from_scipy(cls, matrix: Any, *, weighted: bool = True,
                   context: Optional[Context] = None) -> "Graph":
        """Make a graph of a sparse matrix [n, n]: arcs are its entries, also zeros that are
        stored; weights are their values.

        Parameters
        ----------
        weighted
            False: each arc counts 1.
        """
        csr = matrix.tocsr(copy=True)
        if csr.shape[0] != csr.shape[1]:
            raise ValueError(f"a graph is a square matrix, not {csr.shape}")
        csr.sum_duplicates()
        return cls(csr.indptr, csr.indices, csr.data if weighted else None, context=context)

    @property
    def is_symmetric(self) -> bool:
        """Whether every arc has its reverse, of the same weight."""
        return bool(lib.rg_graph_is_symmetric(self._handle))

    @property
    def n_arcs(self) -> int:
        """The number of arcs."""
        return int(lib.rg_graph_arcs(self._handle))

    def __len__(self) -> int:
        return int(lib.rg_graph_nodes(self._handle))

    def __repr__(self) -> str:
        kind = "symmetric" if self.is_symmetric else "directed"
        return f"<ribogrid.Graph: {len(self)} nodes, {self.n_arcs} arcs, {kind}>"

    def run(self, algorithm: str, *, context: Optional[Context] = None,
            **options: Any) -> Dict[str, np.ndarray]:
        """Compute an algorithm by its name, as of ``ribogrid graph``.

        Options are ``sources``, ``damping``, ``tolerance``, ``max_iterations``,
        ``dangling``, ``order``, ``priority``, ``seed``, ``x`` and ``kernel``.

        Returns
        -------
        The columns of the result by name.
        """
        context = context or self._context
        settings, owned = self._options(options)
        name = ffi.new("char[]", algorithm.encode())
        out = ffi.new("rg_columns_t **")
        context._run_apart(lib.rg_graph_run, context._handle, self._handle, name, settings, out)
        del owned  # what the settings lead to
        columns = ffi.gc(out[0], lib.rg_columns_destroy)
        return {text(lib.rg_columns_name(columns, i)): _column(columns, i)
                for i in range(lib.rg_columns_count(columns))}

    def _options(self, options: Dict[str, Any]) -> Any:
        out = ffi.new("rg_graph_options_t *")
        lib.rg_graph_options_init(out, ffi.sizeof("rg_graph_options_t"))
        owned = []
        for name, value in options.items():
            if value is None:
                continue
            if name == "sources":
                array = np.unique(np.atleast_1d(np.asarray(value, np.int32)))
                owned += [array, ffi.from_buffer("int32_t[]", array)]
                out.sources, out.n_sources = owned[-1], len(array)
            elif name in ("priority", "x"):
                kind = np.int64 if name == "priority" else np.float64
                array = np.ascontiguousarray(value, kind)
                if array.shape != (len(self),):
                    raise ValueError(f"{name} has one value per node")
                word = "int64_t[]" if name == "priority" else "double[]"
                owned += [array, ffi.from_buffer(word, array)]
                setattr(out, name, owned[-1])
            elif name in ("dangling", "order", "kernel"):
                owned.append(ffi.new("char[]", value.encode()))
                setattr(out, name, owned[-1])
            elif name in ("damping", "tolerance", "max_iterations", "seed"):
                setattr(out, name, value)
            else:
                raise TypeError(f"there is no option {name!r}")
        return out, owned

    def bfs(self, source: int) -> np.ndarray:
        """Depths by breadth-first search, -1 where no path leads; ``run("bfs")`` also has
        ``parent``."""
        return self.run("bfs", sources=source)["depth"]

    def sssp(self, source: int) -> np.ndarray:
        """Lengths of the shortest paths, -1 where no path leads."""
        return self.run("sssp", sources=source)["distance"]

    def pagerank(self, damping: float = 0.85, tolerance: float = 1e-6,
                 max_iterations: int = 100, dangling: str = "spread") -> np.ndarray:
        """PageRank, which adds up to 1."""
        return self.run("pagerank", damping=damping, tolerance=tolerance,
                        max_iterations=max_iterations, dangling=dangling)["rank"]

    def betweenness(self, sources: Optional[Nodes] = None) -> np.ndarray:
        """Betweenness, exact or from some sources; of a symmetric graph each pair of nodes
        counts once."""
        return self.run("betweenness", sources=sources)["centrality"]

    def components(self) -> np.ndarray:
        """Weakly connected components, each named by its smallest node."""
        return self.run("components")["component"]

    def spanning_forest(self) -> np.ndarray:
        """The indices of the arcs u -> v, u < v, of a minimum spanning forest."""
        return self.run("mst")["arc"]

    def independent_set(self, order: str = "id", priority: Any = None,
                        seed: int = 1) -> np.ndarray:
        """Whether nodes are in the maximal independent set that is greedy by the order."""
        return self.run("mis", order=order, priority=priority, seed=seed)["in_set"]

    def coloring(self) -> np.ndarray:
        """Colors from 0, greedy by descending degree."""
        return self.run("coloring")["color"]

    def triangles(self) -> np.ndarray:
        """The number of triangles that contain a node."""
        return self.run("triangles")["triangles"]

    def multiply(self, x: Any) -> np.ndarray:
        """The product of the matrix and a vector."""
        return self.run("spmv", x=x)["y"]


def _weights(weights: Any, n: int) -> Any:
    """Return whole weights and None, or None and real ones."""
    if weights is None:
        return None, None
    array = np.asarray(weights)
    if array.shape != (n,):
        raise ValueError(f"weights of the shape {array.shape} for {n} arcs")
    if array.dtype.kind in "iub":
        whole = np.ascontiguousarray(array, np.int32)
        if not np.array_equal(whole, array):
            raise ValueError("whole weights fit 32 bits; give real ones")
        return whole, None
    return None, np.ascontiguousarray(array, np.float64)


def _column(columns: Any, index: int) -> np.ndarray:
    """Wrap a column, which lives as long as the array does."""
    kind = text(lib.rg_columns_type(columns, index))
    n = int(lib.rg_columns_length(columns))
    if n == 0:
        return np.zeros(0, kind)
    pointer = lib.rg_columns_values(columns, index)
    owner = ffi.gc(ffi.cast(f"char[{n * np.dtype(kind).itemsize}]", pointer),
                   lambda _array, _columns=columns: None)
    array = np.frombuffer(ffi.buffer(owner), kind)
    array.flags.writeable = False
    return array
