"""Arrays of the library, as numpy arrays that keep their owner."""

from typing import Any

import numpy as np

from ._library import ffi


def array_of(handle: Any, pointer: Any, kind: str, n: int) -> Any:
    """Wrap an array of a handle, which lives as long as the array does; None for NULL.

    kind is a type of C such as ``"int32_t"``, n the number of values.
    """
    if pointer == ffi.NULL:
        return None
    if n == 0:
        return np.zeros(0, kind[:-2])
    owner = ffi.gc(ffi.cast(f"{kind}[{n}]", pointer), _keep(handle))
    array = np.frombuffer(ffi.buffer(owner), kind[:-2])
    array.flags.writeable = False
    return array


def _keep(handle: Any) -> Any:
    """Return a destructor that does nothing but keep a handle until then."""
    def keep(_array: Any, _handle: Any = handle) -> None:
        return None
    return keep
