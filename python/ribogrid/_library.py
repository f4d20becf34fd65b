"""Loads libribogrid.so, and turns its status codes into exceptions."""

import os
import pathlib
import warnings
from typing import Any, Iterator, Union

import cffi

from . import _header

#: The name of a file.
Path = Union[str, "os.PathLike[str]"]

ffi = cffi.FFI()
ffi.cdef(_header.declarations())

_NAME = "libribogrid.so." + _header.INTERFACE


class RibogridError(Exception):
    """A call of the library failed; the text has the reason and a remedy."""


class InputError(RibogridError, ValueError):
    """Invalid sequences, or an invalid file."""


class DeviceError(RibogridError, RuntimeError):
    """The device failed, or is not there."""


class Cancelled(RibogridError):
    """The call was cancelled by ``Context.cancel`` or a progress function."""


class RibogridWarning(UserWarning):
    """What a user may not expect, such as records that were dropped."""


def _candidates() -> Iterator[str]:
    """List where the library may be: named by RIBOGRID_LIBRARY, installed with this package
    (below the same prefix), or where the loader looks."""
    named = os.environ.get("RIBOGRID_LIBRARY")
    if named:
        yield named
        return
    for folder in pathlib.Path(__file__).resolve().parents[:5]:
        for path in sorted(folder.glob(_NAME)) + sorted(folder.glob("lib*/" + _NAME)):
            yield str(path)
        yield from map(str, sorted(folder.glob("lib/*-linux-gnu/" + _NAME)))
    yield _NAME


def _load() -> Any:
    reason = ""
    for name in _candidates():
        try:
            return ffi.dlopen(name)
        except OSError as error:
            reason = str(error)
    raise ImportError(f"{reason}; install ribogrid, or set RIBOGRID_LIBRARY to {_NAME}")


lib = _load()

_EXCEPTIONS = {
    lib.RG_ENOMEM: MemoryError,
    lib.RG_EINVAL: ValueError,
    lib.RG_EINPUT: InputError,
    lib.RG_EIO: OSError,
    lib.RG_EDEVICE: DeviceError,
    lib.RG_EBUSY: RuntimeError,
    lib.RG_ECANCELLED: Cancelled,
}


def text(pointer: Any) -> str:
    """Return a C string."""
    return ffi.string(pointer).decode("utf-8", "replace")


def check(status: int, context: Any) -> None:
    """Raise the exception of a status, or issue the warnings of a call that succeeded."""
    if status != lib.RG_OK:
        reason = "" if status == lib.RG_EBUSY else text(lib.rg_context_error(context))
        raise _EXCEPTIONS[status](reason or text(lib.rg_status_text(status)))
    if context != ffi.NULL:
        for line in text(lib.rg_context_warnings(context)).splitlines():
            warnings.warn(line, RibogridWarning, stacklevel=4)
