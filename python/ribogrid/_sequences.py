"""Sets of sequences."""

import os
from typing import Any, Iterator, List, Mapping, Optional, Sequence, Union, overload

import numpy as np

from ._context import Context, default_context
from ._library import Path, ffi, lib, text

Source = Union["Sequences", Sequence[str], Mapping[str, str]]


class Sequences:
    """Sequences of one alphabet, with names; numbered from 0, and never changed.

    Parameters
    ----------
    letters
        Texts of letters as in FASTA, or a mapping from names to them.
    names
        Their names; default: ``"0"``, ``"1"``, ...
    alphabet
        ``"dna"``, ``"protein"``, or None: guessed from the letters.
    """

    def __init__(self, letters: Source, names: Optional[Sequence[str]] = None,
                 alphabet: Optional[str] = None, *, context: Optional[Context] = None) -> None:
        if isinstance(letters, (str, bytes)):
            raise TypeError("letters are a list of texts, not one text")
        if isinstance(letters, Mapping):
            names = list(letters.keys()) if names is None else names
            letters = list(letters.values())
        parts = [s.encode() for s in letters]
        if names is not None and len(names) != len(parts):
            raise ValueError(f"{len(names)} names for {len(parts)} sequences")
        offsets = np.zeros(len(parts) + 1, np.int64)
        np.cumsum([len(p) for p in parts], out=offsets[1:])
        joined = b"".join(parts)
        texts = ffi.NULL if names is None else _names(names)
        out = ffi.new("rg_set_t **")
        context = context or default_context()
        context._run(lib.rg_set_create, context._handle, _word(alphabet), len(parts),
                     ffi.from_buffer("char[]", joined), ffi.from_buffer("int64_t[]", offsets),
                     texts, out)
        self._own(out[0])

    @classmethod
    def _of(cls, handle: Any) -> "Sequences":
        """Own a set of the library."""
        made = cls.__new__(cls)
        made._own(handle)
        return made

    def _own(self, handle: Any) -> None:
        self._handle = ffi.gc(handle, lib.rg_set_destroy)

    @property
    def alphabet(self) -> str:
        """``"dna"`` or ``"protein"``."""
        return text(lib.rg_set_alphabet(self._handle))

    @property
    def names(self) -> List[str]:
        """All names."""
        return [text(lib.rg_set_name(self._handle, i)) for i in range(len(self))]

    @property
    def lengths(self) -> np.ndarray:
        """int64 [n]: the numbers of letters."""
        return np.fromiter((lib.rg_set_length(self._handle, i) for i in range(len(self))),
                           np.int64, len(self))

    def __len__(self) -> int:
        return int(lib.rg_set_count(self._handle))

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> List[str]: ...

    def __getitem__(self, index: Union[int, slice]) -> Union[str, List[str]]:
        """The letters of a sequence, in upper case."""
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        n = len(self)
        if not -n <= index < n:
            raise IndexError(f"sequence {index} of {n}")
        index %= n
        out = ffi.new("char[]", lib.rg_set_length(self._handle, index))
        if lib.rg_set_letters(self._handle, index, out) != lib.RG_OK:
            raise ValueError("the letters of references are not in a result file; read them "
                             "from FASTA")
        return bytes(ffi.buffer(out)).decode("ascii")

    def __iter__(self) -> Iterator[str]:
        return (self[i] for i in range(len(self)))

    def __repr__(self) -> str:
        return f"<ribogrid.Sequences: {len(self)} of {self.alphabet}>"


def _names(names: Sequence[str]) -> Any:
    if any("\0" in name for name in names):
        raise ValueError("a name has a NUL; remove it")
    return ffi.new("char[]", b"".join(name.encode() + b"\0" for name in names))


def _word(value: Optional[str]) -> Any:
    return ffi.NULL if value is None else ffi.new("char[]", value.encode())


def read_fasta(path: Path, *, alphabet: Optional[str] = None,
               skip_bad: bool = False, degap: bool = False, full_names: bool = False,
               context: Optional[Context] = None) -> Sequences:
    """Read FASTA or FASTQ, plain or compressed.

    Parameters
    ----------
    path
        A file, or ``"-"``: standard input.
    alphabet
        ``"dna"``, ``"protein"``, or None: guessed from the letters.
    skip_bad
        Drop invalid records, with a warning, instead of raising :class:`InputError`.
    degap
        Remove ``.`` and ``-`` from the sequences.
    full_names
        Names are whole headers; otherwise they end at the first blank.
    """
    context = context or default_context()
    word = _word(alphabet)
    options = ffi.new("rg_read_options_t *")
    lib.rg_read_options_init(options, ffi.sizeof("rg_read_options_t"))
    options.alphabet = word
    options.skip_bad, options.degap, options.full_names = skip_bad, degap, full_names
    out = ffi.new("rg_set_t **")
    context._run(lib.rg_set_read, context._handle, os.fsencode(path), options, out)
    return Sequences._of(out[0])


def sequences_of(source: Source, context: Context) -> Sequences:
    """Return sequences as they are, or make them of texts."""
    return source if isinstance(source, Sequences) else Sequences(source, context=context)
