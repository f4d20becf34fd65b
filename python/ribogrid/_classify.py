"""Names of sequences: which taxa they belong to."""

import os
from typing import Any, List, Optional, Union

import numpy as np

from ._arrays import array_of
from ._context import Context, context_of
from ._library import Path, ffi, lib, text
from ._sequences import Sequences, Source, sequences_of

#: What a support of 1 is in :attr:`Names.supports`.
SUPPORT_ONE = 10000


class Model:
    """A model of ``ribogrid classify train``, or a network of ``ribogrid cnn train`` for
    sequences.

    Parameters
    ----------
    path
        Its HDF5 file.
    """

    def __init__(self, path: Path, *, context: Optional[Context] = None) -> None:
        self.path = os.fspath(path)
        out = ffi.new("rg_model_t **")
        context = context_of(context, None, None)
        context._run(lib.rg_model_read, context._handle, os.fsencode(self.path), out)
        self._handle = ffi.gc(out[0], lib.rg_model_destroy)

    def __repr__(self) -> str:
        return f"<ribogrid.Model of {self.path!r}>"


class Names:
    """Names of n sequences, as numpy arrays that cannot be written.

    Attributes
    ----------
    taxa
        int32 [n, ranks]: numbers of the taxa of the most likely lineage, from the highest
        rank on; -1 below it.
    supports
        uint16 [n, ranks]: the support of each of them, in units of 1/10000.
    named
        uint8 [n]: how many of its taxa each sequence is named by.
    strand
        int8 [n]: 1, or -1 if it was classified as the reverse complement.
    taxon_names
        The name of each taxon; that of taxon 0, the root, is empty.
    """

    def __init__(self, handle: Any) -> None:
        self._handle = ffi.gc(handle, lib.rg_names_destroy)
        n, ranks = len(self), int(lib.rg_names_ranks(self._handle))
        self.taxa = self._array(lib.rg_names_taxa, "int32_t", n * ranks).reshape(n, ranks)
        self.supports = self._array(lib.rg_names_supports, "uint16_t",
                                    n * ranks).reshape(n, ranks)
        self.named = self._array(lib.rg_names_named, "uint8_t", n)
        self.strand = self._array(lib.rg_names_strands, "int8_t", n)
        self.taxon_names = [text(lib.rg_names_taxon(self._handle, k))
                            for k in range(lib.rg_names_taxon_count(self._handle))]

    def _array(self, function: Any, kind: str, n: int) -> np.ndarray:
        array: np.ndarray = array_of(self._handle, function(self._handle), kind, n)
        return array

    def __len__(self) -> int:
        return int(lib.rg_names_count(self._handle))

    def __repr__(self) -> str:
        return f"<ribogrid.Names of {len(self)} sequences, {(self.named > 0).sum()} classified>"

    @property
    def sequences(self) -> List[str]:
        """The names that the sequences have themselves."""
        return [text(lib.rg_names_sequence(self._handle, i)) for i in range(len(self))]

    @property
    def lineages(self) -> List[str]:
        """The taxa that each sequence is named by, as ``"Bacteria;Bacilli"``; ``""``: none."""
        return [";".join(self.taxon_names[taxon] for taxon in taxa[:named])
                for taxa, named in zip(self.taxa.tolist(), self.named.tolist())]

    @property
    def support(self) -> np.ndarray:
        """float64 [n]: the support of the lowest taxon of each name; NaN: it has none."""
        at = np.maximum(self.named.astype(int), 1) - 1
        lowest = self.supports[np.arange(len(self)), at] / SUPPORT_ONE if len(self) else at
        return np.where(self.named > 0, lowest, np.nan)

    def to_pandas(self) -> Any:
        """Return a pandas.DataFrame with one row per sequence."""
        import pandas

        return pandas.DataFrame({"name": self.sequences, "strand": self.strand,
                                 "lineage": self.lineages, "support": self.support})

    def to_hdf5(self, path: Path, *, context: Optional[Context] = None) -> None:
        """Write a file as ``ribogrid classify -o NAMES.h5`` does."""
        context = context_of(context, None, None)
        context._run(lib.rg_names_write, context._handle, self._handle, os.fsencode(path))


def classify(sequences: Source, model: Union[Model, Path], *,
             method: Optional[str] = None, prior: Optional[str] = None,
             strand: Optional[str] = None, resamples: int = 100, seed: int = 1,
             novelty_rate: Optional[float] = None, min_support: Optional[float] = None,
             kernel: Optional[str] = None, device: Optional[str] = None,
             threads: Optional[int] = None, context: Optional[Context] = None) -> Names:
    """Name sequences by a model, as ``ribogrid classify`` does.

    Parameters
    ----------
    sequences
        :class:`Sequences` of DNA, or texts of letters that become such.  Thresholds may be
        learned for all of them together.
    model
        A :class:`Model`, which is kept for the next call, or a file.
    method
        ``"auto"`` (default), ``"nbc"``, ``"align"``, ``"joint"`` or ``"cnn"``.
    prior
        joint: ``"equal"`` (default) or ``"references"``.
    strand
        ``"plus"`` or ``"both"`` (default).
    resamples, seed
        Random samples of the words of a sequence, which support is counted in.
    novelty_rate, min_support
        Of 0 .. 1: sequences of absent taxa that may get a name; or the minimum support of
        names, instead.
    kernel, device, threads, context
        As of :func:`align`.

    Raises
    ------
    ValueError, InputError, OSError, DeviceError, MemoryError, Cancelled
    """
    context = context_of(context, device, threads)
    letters: Sequences = sequences_of(sequences, context)
    if not isinstance(model, Model):
        model = Model(model, context=context)
    options = ffi.new("rg_classify_options_t *")
    lib.rg_classify_options_init(options, ffi.sizeof("rg_classify_options_t"))
    texts = []
    for name, word in (("method", method), ("prior", prior), ("strand", strand),
                       ("kernel", kernel)):
        if word is not None:
            texts.append(ffi.new("char[]", word.encode()))
            setattr(options, name, texts[-1])
    options.resamples, options.seed = resamples, seed
    if novelty_rate is not None:
        options.novelty_rate = novelty_rate
    if min_support is not None:
        options.min_support = min_support
    out = ffi.new("rg_names_t **")
    context._run(lib.rg_classify, context._handle, model._handle, letters._handle, options, out)
    return Names(out[0])


def read_names(path: Path, *, context: Optional[Context] = None) -> Names:
    """Read names from a file of ``ribogrid classify -o NAMES.h5`` or :meth:`Names.to_hdf5`."""
    out = ffi.new("rg_names_t **")
    context = context_of(context, None, None)
    context._run(lib.rg_names_read, context._handle, os.fsencode(path), out)
    return Names(out[0])
