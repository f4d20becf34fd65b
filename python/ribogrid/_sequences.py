"""Sets of sequences."""

import os
from typing import Any, Iterator, List, Mapping, Optional, Sequence, Union, overload

import numpy as np

from ._context import Context, default_context
from ._device import common_stream, device_array, is_on_gpu
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
        offsets = np.zeros(len(parts) + 1, np.int64)
        np.cumsum([len(p) for p in parts], out=offsets[1:])
        joined = b"".join(parts)
        texts = _names_of(names, len(parts))
        out = ffi.new("rg_set_t **")
        context = context or default_context()
        context._run(lib.rg_set_create, context._handle, _word(alphabet), len(parts),
                     ffi.from_buffer("char[]", joined), ffi.from_buffer("int64_t[]", offsets),
                     texts, out)
        self._own(out[0])

    @classmethod
    def from_arrays(cls, letters: Any, offsets: Any, names: Optional[Sequence[str]] = None,
                    alphabet: Optional[str] = None, *,
                    context: Optional[Context] = None) -> "Sequences":
        """Make sequences of the letters of all of them.

        Parameters
        ----------
        letters
            uint8 [offsets[n]]: codes of ASCII, of numpy or bytes; or an array on the GPU of
            the context, by ``__cuda_array_interface__`` or DLPack (torch, CuPy, JAX, Numba).
        offsets
            int64 [n + 1]: sequence i is ``letters[offsets[i]:offsets[i + 1]]``; likewise.
        names, alphabet
            As of the class.
        """
        context = context or default_context()
        if is_on_gpu(letters) or is_on_gpu(offsets):
            return cls._from_device(letters, offsets, names, alphabet, context)
        if isinstance(letters, (bytes, bytearray, memoryview)):
            letters = np.frombuffer(letters, np.uint8)
        codes, starts = np.ascontiguousarray(letters), np.ascontiguousarray(offsets)
        if codes.dtype.itemsize != 1 or codes.ndim != 1 or starts.ndim != 1 or len(starts) == 0:
            raise ValueError("letters are bytes [offsets[n]], and offsets int64 [n + 1]")
        starts = starts.astype(np.int64, casting="safe", copy=False)
        if starts[-1] > len(codes):
            raise ValueError(f"offsets end with {starts[-1]}, and there are {len(codes)} letters")
        out = ffi.new("rg_set_t **")
        texts = _names_of(names, len(starts) - 1)
        context._run(lib.rg_set_create, context._handle, _word(alphabet), len(starts) - 1,
                     ffi.from_buffer("char[]", codes), ffi.from_buffer("int64_t[]", starts),
                     texts, out)
        return cls._of(out[0])

    @classmethod
    def _from_device(cls, letters: Any, offsets: Any, names: Optional[Sequence[str]],
                     alphabet: Optional[str], context: Context) -> "Sequences":
        codes, starts = device_array(letters, "letters"), device_array(offsets, "offsets")
        at = codes.expect("letters", np.uint8, None), starts.expect("offsets", np.int64, None)
        n = starts.shape[0] - 1
        if n < 0:
            raise ValueError("offsets are int64 [n + 1]")
        out = ffi.new("rg_set_t **")
        context._run(lib.rg_set_create_on_device, context._handle, _word(alphabet), n,
                     ffi.cast("char *", at[0]), ffi.cast("int64_t *", at[1]),
                     _names_of(names, n), ffi.cast("void *", common_stream(codes, starts)), out)
        return cls._of(out[0])

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


def _names_of(names: Optional[Sequence[str]], n: int) -> Any:
    if names is None:
        return ffi.NULL
    if len(names) != n:
        raise ValueError(f"{len(names)} names for {n} sequences")
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
