"""Clusters of sequences."""

import os
from typing import Any, List, Optional, Tuple

import numpy as np

from ._align import Alignments
from ._arrays import array_of
from ._context import Context, context_of
from ._library import Path, ffi, lib, text
from ._plot import bars, svg

#: Groups in the picture that notebooks show.
_GROUPS_SHOWN = 80


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
    out = np.zeros(len(pairs.queries), np.int32)
    options, owned = _options(pairs, id, method, order, sizes, seed, starts)
    context = context_of(context, None, threads)
    context._run(lib.rg_cluster, context._handle, pairs._handle, options,
                 ffi.from_buffer("int32_t[]", out, require_writable=True), ffi.NULL)
    del owned
    return out


class Groups:
    """Clusters with names, the most abundant first, as numpy arrays that cannot be written.

    Attributes
    ----------
    of
        int32 [sequences]: the group of each sequence; -1: in none, as it was too small.
    representatives
        int32 [groups]: the most abundant member of each group.
    sizes
        int64 [groups]: abundances, which are numbers of members unless sizes were given.
    names
        Of the groups: ``"Otu1"``, ...
    mcc
        Matthews' correlation coefficient of groups and pairs; NaN: not known.
    """

    def __init__(self, handle: Any) -> None:
        self._handle = ffi.gc(handle, lib.rg_groups_destroy)
        n = len(self)
        self.of = self._array(lib.rg_groups_of, "int32_t",
                              lib.rg_groups_sequences(self._handle))
        self.representatives = self._array(lib.rg_groups_representatives, "int32_t", n)
        self.sizes = self._array(lib.rg_groups_sizes, "int64_t", n)
        self.names = [text(lib.rg_groups_name(self._handle, k)) for k in range(n)]
        self.mcc = float(lib.rg_groups_mcc(self._handle))

    def _array(self, function: Any, kind: str, n: int) -> np.ndarray:
        array: np.ndarray = array_of(self._handle, function(self._handle), kind, n)
        return array

    def __len__(self) -> int:
        return int(lib.rg_groups_count(self._handle))

    def __repr__(self) -> str:
        return f"<ribogrid.Groups: {len(self)} of {len(self.of)} sequences>"

    @property
    def sequences(self) -> List[str]:
        """The names of the sequences."""
        return [text(lib.rg_groups_sequence(self._handle, i)) for i in range(len(self.of))]

    def to_pandas(self) -> Any:
        """Return a pandas.DataFrame with one row per group."""
        import pandas

        sequences = np.array(self.sequences, object)
        return pandas.DataFrame({"group": self.names, "size": self.sizes,
                                 "representative": sequences[self.representatives]})

    def plot(self, ax: Any = None) -> Any:
        """Draw the sizes of the groups, the largest first, into axes of matplotlib or new
        ones, which are returned."""
        return bars(self.sizes, np.arange(len(self) + 1), "group", "size", ax)

    def _repr_svg_(self) -> str:
        largest = self.sizes[:_GROUPS_SHOWN]
        if len(largest) == 0:
            largest = np.zeros(1, np.int64)
        return svg(largest, np.arange(1, len(largest) + 2), repr(self)[1:-1], "size by rank")

    def to_hdf5(self, path: Path, *, context: Optional[Context] = None) -> None:
        """Write a file as ``ribogrid cluster`` writes PREFIX.groups.h5."""
        context = context_of(context, None, None)
        context._run(lib.rg_groups_write, context._handle, self._handle, os.fsencode(path))


def group(pairs: Alignments, id: float = 0.97, method: str = "opti", *,
          order: Optional[str] = None, sizes: Any = None, seed: int = 1, starts: int = 10,
          threads: Optional[int] = None, context: Optional[Context] = None) -> Groups:
    """Cluster the sequences of a set into groups with names.

    Parameters are those of :func:`cluster`.
    """
    out = ffi.new("rg_groups_t **")
    options, owned = _options(pairs, id, method, order, sizes, seed, starts)
    context = context_of(context, None, threads)
    context._run(lib.rg_groups_create, context._handle, pairs._handle, options, out)
    del owned
    return Groups(out[0])


def read_groups(path: Path, *, context: Optional[Context] = None) -> Groups:
    """Read PREFIX.groups.h5 of ``ribogrid cluster``, or a file of :meth:`Groups.to_hdf5`."""
    out = ffi.new("rg_groups_t **")
    context = context_of(context, None, None)
    context._run(lib.rg_groups_read, context._handle, os.fsencode(path), out)
    return Groups(out[0])


def _options(pairs: Alignments, id: float, method: str, order: Optional[str], sizes: Any,
             seed: int, starts: int) -> Tuple[Any, List[Any]]:
    """Make a struct of options. @return it, and what it leads to"""
    n = len(pairs.queries)
    options = ffi.new("rg_cluster_options_t *")
    lib.rg_cluster_options_init(options, ffi.sizeof("rg_cluster_options_t"))
    owned = [ffi.new("char[]", method.encode())]
    options.method = owned[0]
    if order is not None:
        owned.append(ffi.new("char[]", order.encode()))
        options.order = owned[-1]
    options.id, options.seed, options.starts = id, seed, starts
    if sizes is not None:
        abundances = np.ascontiguousarray(sizes, np.int64)
        if abundances.shape != (n,):
            raise ValueError(f"{n} sequences have {n} sizes")
        owned += [abundances, ffi.from_buffer("int64_t[]", abundances)]
        options.sizes = owned[-1]
    return options, owned
