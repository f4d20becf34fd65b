"""Clusters of sequences."""

from typing import Any, Optional

import numpy as np

from ._align import Alignments
from ._context import Context, context_of
from ._library import ffi, lib


def cluster(pairs: Alignments, id: float = 0.97, method: str = "opti", *,
            order: Optional[str] = None, sizes: Any = None, seed: int = 1, starts: int = 10,
            threads: Optional[int] = None, context: Optional[Context] = None) -> np.ndarray:
    """Cluster the sequences of a set into OTUs, as ``ribogrid cluster`` does.

    Parameters
    ----------
    pairs
        Of :func:`align` without references, with identities; aligned with an ``id`` of at
        most that of the clusters, for ``"average"`` without one.
    id
        Minimum identity of close sequences, above 0 and at most 1.
    method
        ``"opti"``, ``"single"``, ``"complete"``, ``"average"`` or ``"centroid"``;
        docs/clusters.md defines them.
    order, sizes
        centroid: ``"abundance"`` (default) or ``"length"`` first; [n] abundances.
    seed, starts
        opti: of the random orders, and how many are tried.

    Returns
    -------
    int32 [n]: the cluster of each sequence, named by one of its members: the centroid, else
    the first.
    """
    n = len(pairs.queries)
    out = np.zeros(n, np.int32)
    options = ffi.new("rg_cluster_options_t *")
    lib.rg_cluster_options_init(options, ffi.sizeof("rg_cluster_options_t"))
    method_text = ffi.new("char[]", method.encode())
    order_text = ffi.NULL if order is None else ffi.new("char[]", order.encode())
    options.method, options.order = method_text, order_text
    options.id, options.seed, options.starts = id, seed, starts
    if sizes is not None:
        abundances = np.ascontiguousarray(sizes, np.int64)
        if abundances.shape != (n,):
            raise ValueError(f"{n} sequences have {n} sizes")
        view = ffi.from_buffer("int64_t[]", abundances)
        options.sizes = view
    context = context_of(context, None, threads)
    context._run(lib.rg_cluster, context._handle, pairs._handle, options,
                 ffi.from_buffer("int32_t[]", out, require_writable=True), ffi.NULL)
    return out
