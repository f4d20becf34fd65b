"""Alignments: of all pairs, of queries with references, of listed pairs."""

import functools
import os
from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple, Union

import numpy as np

from ._arrays import array_of
from ._context import Context, context_of
from ._device import common_stream, device_array
from ._library import Path, ffi, lib
from ._plot import bars, histogram, svg
from ._sequences import Sequences, Source, sequences_of

#: Operations of CIGARs by their numbers in runs, as in BAM files.
OPERATIONS = "MID....=X"

_WORDS = ("preset", "emit", "mode", "ends", "strand", "matrix", "ambiguity", "iddef",
          "cigar_style", "kernel", "band")
_NUMBERS = ("match", "mismatch", "gap", "gap_open", "gap_extend", "end_gap_open",
            "end_gap_extend", "id", "min_overlap")


class _Array:
    """An array of a result, one per pair, which is wrapped when it is first used: of a loop over
    single pairs few are."""

    def __init__(self, kind: str, function: Any) -> None:
        self._kind, self._function = kind, function

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, result: Any, owner: Optional[type] = None) -> Any:
        if result is None:
            return self
        array = array_of(result._handle, self._function(result._handle), self._kind,
                         self._length(result))
        result.__dict__[self._name] = array
        return array

    def _length(self, result: Any) -> int:
        return len(result)


class _Starts(_Array):
    def _length(self, result: Any) -> int:
        return len(result) + 1


class Alignments:
    """Alignments of n pairs, as numpy arrays that cannot be written.

    Attributes
    ----------
    query, target
        int32 [n]: indices of sequences, or of references.
    score
        int32 [n], in units of ``score_unit``: 1 or 0.5.
    matches, columns
        int32 [n], by the definition of identity; columns are 0 where a pair has none.  None
        with ``emit="score"``.
    strand
        int8 [n]: 1, or -1 if the reverse complement of the query is aligned.  None unless
        ``strand="both"``.
    cigar_starts, cigar_runs
        int64 [n + 1] and uint32: pair i has the runs ``cigar_starts[i]`` ..
        ``cigar_starts[i + 1] - 1``, each ``length << 4 | operation`` as in BAM files.  None
        unless ``emit="cigar"``.
    queries, targets
        The sequences.

    Like the columns of a data frame, scores and what ``emit`` adds to them are unpacked:
    ``score, identity = ...``, or ``score, cigars = ...``.
    """

    def __init__(self, handle: Any, queries: Sequences, targets: Sequences,
                 is_one_set: bool) -> None:
        self._handle = ffi.gc(handle, lib.rg_result_destroy)
        self.queries, self.targets = queries, targets
        self._is_one_set = is_one_set

    query = _Array("int32_t", lib.rg_result_queries)
    target = _Array("int32_t", lib.rg_result_targets)
    score = _Array("int32_t", lib.rg_result_scores)
    matches = _Array("int32_t", lib.rg_result_matches)
    columns = _Array("int32_t", lib.rg_result_columns)
    strand = _Array("int8_t", lib.rg_result_strands)
    cigar_starts = _Starts("int64_t", lib.rg_result_cigar_starts)

    @functools.cached_property
    def cigar_runs(self) -> Any:
        if self.cigar_starts is None:
            return None
        runs = array_of(self._handle, lib.rg_result_cigar_runs(self._handle), "uint32_t",
                        int(self.cigar_starts[-1]))
        return np.zeros(0, np.uint32) if runs is None else runs

    @property
    def score_unit(self) -> float:
        """What a score of 1 stands for: 1 or 0.5."""
        return float(lib.rg_result_score_unit(self._handle))

    def __len__(self) -> int:
        return int(lib.rg_result_count(self._handle))

    def __iter__(self) -> Iterator[Any]:
        yield self.score
        if self.cigar_starts is not None:
            yield self.cigars
        elif self.matches is not None:
            yield self.identity

    def __repr__(self) -> str:
        has = "scores" if self.matches is None else "identities"
        if self.cigar_starts is not None:
            has += ", CIGARs"
        return f"<ribogrid.Alignments: {len(self)} pairs, {has}>"

    @property
    def identity(self) -> np.ndarray:
        """float64 [n]: matches / columns; NaN where a pair has no identity."""
        if self.matches is None:
            raise ValueError('there are only scores; give emit="identity"')
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(self.columns > 0, self.matches / self.columns, np.nan)

    def cigar(self, index: int) -> str:
        """Return the alignment of a pair as CIGAR text, ``""`` if it has none."""
        if self.cigar_starts is None:
            raise ValueError('there are no CIGARs; give emit="cigar"')
        n = len(self)
        if not -n <= index < n:
            raise IndexError(f"pair {index} of {n}")
        runs = self.cigar_runs[slice(*self.cigar_starts[index % n:index % n + 2])]
        return "".join(f"{run >> 4}{OPERATIONS[run & 15]}" for run in runs.tolist())

    @property
    def cigars(self) -> List[str]:
        """All alignments as CIGAR text."""
        return [self.cigar(i) for i in range(len(self))]

    def to_csr(self) -> Any:
        """Return identities as a scipy.sparse.csr_matrix [queries, targets]; of one set with
        only the pairs query < target.  Pairs without an identity are left out."""
        import scipy.sparse

        has = self.columns > 0 if self.columns is not None else np.zeros(0, bool)
        values = self.identity[has]
        return scipy.sparse.csr_matrix((values, (self.query[has], self.target[has])),
                                       (len(self.queries), len(self.targets)))

    def to_matrix(self) -> np.ndarray:
        """Return identities as float64 [queries, targets]: NaN where there is none; of one
        set symmetric, with 1 on the diagonal."""
        out = np.full((len(self.queries), len(self.targets)), np.nan)
        out[self.query, self.target] = self.identity
        if self._is_one_set:
            out[self.target, self.query] = self.identity
            np.fill_diagonal(out, 1)
        return out

    def to_pandas(self) -> Any:
        """Return a pandas.DataFrame with one row per pair, and the names of sequences."""
        import pandas

        table: Dict[str, Any] = {
            "query": np.array(self.queries.names, object)[self.query],
            "target": np.array(self.targets.names, object)[self.target],
            "score": self.score * self.score_unit,
        }
        if self.matches is not None:
            table.update(matches=self.matches, columns=self.columns, identity=self.identity)
        if self.strand is not None:
            table["strand"] = self.strand
        if self.cigar_starts is not None:
            table["cigar"] = self.cigars
        return pandas.DataFrame(table)


    def _values(self) -> Tuple[np.ndarray, str]:
        """Return what plots show, and what it is."""
        if self.matches is None:
            return self.score * self.score_unit, "score"
        return self.identity, "identity"

    def plot(self, ax: Any = None) -> Any:
        """Draw a histogram of identities, or of scores if there are only these, into axes of
        matplotlib or new ones, which are returned."""
        values, label = self._values()
        return bars(*histogram(values), label, "pairs", ax)

    def _repr_svg_(self) -> str:
        values, label = self._values()
        return svg(*histogram(values), repr(self)[1:-1], label)

    def to_hdf5(self, path: Path, *, context: Optional[Context] = None) -> None:
        """Write a file as ``ribogrid align -o PAIRS.h5`` does; not of listed pairs."""
        context = context_of(context, None, None)
        context._run(lib.rg_result_write, context._handle, self._handle, os.fsencode(path))


def read_alignments(path: Path, *, context: Optional[Context] = None) -> Alignments:
    """Read a file of ``ribogrid align`` or :meth:`Alignments.to_hdf5`.  Of references it has
    only names and lengths, no letters."""
    context = context_of(context, None, None)
    sets = ffi.new("rg_set_t *[2]")
    out = ffi.new("rg_result_t **")
    context._run_apart(lib.rg_result_read, context._handle, os.fsencode(path), sets, sets + 1,
                       out)
    queries = targets = Sequences._of(sets[0])
    if sets[1] != ffi.NULL:
        targets = Sequences._of(sets[1])
    return Alignments(out[0], queries, targets, sets[1] == ffi.NULL)


class Aligner:
    """Aligns pairs of one set, or of queries and references, again and again.

    Parameters are those of :func:`align`.  Of a loop over single pairs this is the fast way.
    """

    def __init__(self, queries: Source, references: Optional[Source] = None, *,
                 device: Optional[str] = None, threads: Optional[int] = None,
                 context: Optional[Context] = None, **options: Any) -> None:
        self.context = context_of(context, device, threads)
        self.queries = sequences_of(queries, self.context)
        self.references = None
        if references is not None:
            self.references = sequences_of(references, self.context)
        settings, texts = _options(options)
        out = ffi.new("rg_aligner_t **")
        self.context._run(lib.rg_aligner_create, self.context._handle, self.queries._handle,
                          self.references._handle if self.references is not None else ffi.NULL,
                          settings, out)
        del texts  # which the settings lead to
        self._handle = ffi.gc(out[0], lib.rg_aligner_destroy)
        self._out = ffi.new("rg_result_t **")

    def _result(self) -> Alignments:
        targets = self.references if self.references is not None else self.queries
        return Alignments(self._out[0], self.queries, targets, self.references is None)

    def all(self) -> Alignments:
        """Align all pairs query < target, or all queries with all references."""
        self.context._run(lib.rg_aligner_all, self._handle, self._out)
        return self._result()

    def pairs(self, pairs: Union[np.ndarray, Sequence[Tuple[int, int]]]) -> Alignments:
        """Align listed pairs.

        Parameters
        ----------
        pairs
            int32 [n, 2], or anything that becomes such an array: query and target.
        """
        array = np.asarray(pairs)
        if array.size == 0:
            array = np.zeros((0, 2), np.int32)
        if array.ndim != 2 or array.shape[1] != 2 or array.dtype.kind not in "iu":
            raise ValueError("pairs are integers of the shape [n, 2]")
        narrow = np.ascontiguousarray(array, np.int32)
        if narrow.dtype != array.dtype and not np.array_equal(narrow, array):
            raise ValueError("pairs are indices of sequences, which fit 32 bits")
        self.context._run(lib.rg_aligner_pairs, self._handle,
                          ffi.from_buffer("int32_t[]", narrow), len(narrow), self._out)
        return self._result()

    def pairs_on_device(self, pairs: Any, scores: Any = None, matches: Any = None,
                        columns: Any = None, strands: Any = None) -> None:
        """Align listed pairs that are on the GPU of the context, and store the results there.

        Arrays are those of torch, CuPy, JAX, Numba and others that have
        ``__cuda_array_interface__`` or DLPack; they are copied by way of the host.

        Parameters
        ----------
        pairs
            int32 [n, 2]: query and target.
        scores, matches, columns, strands
            int32 [n] and int8 [n] (strands): they are overwritten with what
            :class:`Alignments` has by these names; None: not wanted.
        """
        listed = device_array(pairs, "pairs")
        addresses = [listed.expect("pairs", np.int32, None, 2)]
        arrays = [listed]
        for name, given in (("scores", scores), ("matches", matches), ("columns", columns),
                            ("strands", strands)):
            addresses.append(0)
            if given is not None:
                arrays.append(device_array(given, name))
                kind = np.int8 if name == "strands" else np.int32
                addresses[-1] = arrays[-1].expect_output(name, kind, listed.shape[0])
        kinds = ("int32_t *",) * 4 + ("int8_t *",)
        at = [ffi.cast(kind, address) for kind, address in zip(kinds, addresses)]
        self.context._run(lib.rg_aligner_pairs_on_device, self._handle, at[0], listed.shape[0],
                          ffi.cast("void *", common_stream(*arrays)), *at[1:])

    def __repr__(self) -> str:
        targets = "" if self.references is None else f" with {len(self.references)}"
        return f"<ribogrid.Aligner of {len(self.queries)}{targets} sequences>"


def _options(options: Dict[str, Any]) -> Tuple[Any, List[Any]]:
    """Make a struct of options. @return it, and what it leads to"""
    out = ffi.new("rg_align_options_t *")
    texts = []
    lib.rg_align_options_init(out, ffi.sizeof("rg_align_options_t"))
    for name, value in options.items():
        if value is None:
            continue
        if name in _WORDS:
            word = os.fspath(value) if name == "matrix" else str(value)
            texts.append(ffi.new("char[]", os.fsencode(word)))
            setattr(out, name, texts[-1])
        elif name in _NUMBERS:
            setattr(out, name, float(value))
        elif name == "top":
            out.top = value
        else:
            raise TypeError(f"there is no option {name!r}; options are "
                            f"{', '.join(_WORDS + _NUMBERS + ('top',))}")
    return out, texts


def align(queries: Source, references: Optional[Source] = None, *,
          device: Optional[str] = None, threads: Optional[int] = None,
          context: Optional[Context] = None, **options: Any) -> Alignments:
    """Align all pairs of sequences, or all queries with all references, exactly.

    Without references and ``id`` all n (n - 1) / 2 pairs are returned; otherwise those that
    have an identity, of ``id`` or more, and with ``top`` the best of each query.  Pairs are
    sorted by query, then by target.

    Parameters
    ----------
    queries, references
        :class:`Sequences`, or texts of letters that become such.
    device, threads
        ``"auto"``, ``"cpu"``, ``"cuda"`` or ``"cuda:I"``; 0: all processors.  Instead of a
        context.
    preset
        ``"vsearch"``, ``"mothur"``, ``"needle"``, ``"blastn"`` or ``"unit"``.
    emit
        ``"score"``, ``"identity"`` (default) or ``"cigar"``.
    mode, ends, strand
        ``"global"`` or ``"local"``; ``"free"``, ``"count"`` or ``"query"``; ``"plus"`` or
        ``"both"``.
    match, mismatch, gap, gap_open, gap_extend, end_gap_open, end_gap_extend
        Scores and costs, multiples of 0.5.
    matrix, ambiguity
        A matrix of scores, by name or file; when ambiguity codes match.
    id, min_overlap, top
        Minimum identity and overlap of 0 .. 1; best hits of each query.
    iddef, cigar_style, kernel, band
        As of the program's command line (docs/commands.md).

    Raises
    ------
    ValueError, InputError, OSError, DeviceError, MemoryError, Cancelled
    """
    aligner = Aligner(queries, references, device=device, threads=threads, context=context,
                      **options)
    return aligner.all()


def align_pairs(sequences: Source, pairs: Union[np.ndarray, Sequence[Tuple[int, int]]],
                references: Optional[Source] = None, *, device: Optional[str] = None,
                threads: Optional[int] = None, context: Optional[Context] = None,
                **options: Any) -> Alignments:
    """Align listed pairs, which are returned in the order of the list.

    Parameters
    ----------
    sequences, references
        :class:`Sequences`, or texts of letters that become such.
    pairs
        int32 [n, 2]: indices of two sequences, or of a sequence and a reference.
    options
        Those of :func:`align`; ``id`` and ``top`` do not apply.
    """
    aligner = Aligner(sequences, references, device=device, threads=threads, context=context,
                      **options)
    return aligner.pairs(pairs)
