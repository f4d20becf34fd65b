"""Arrays in the memory of a GPU, which other packages own: by ``__cuda_array_interface__`` or
DLPack."""

import ctypes
from typing import Any, Optional, Tuple

import numpy as np

_CUDA, _CUDA_MANAGED = 2, 13  # kinds of devices of DLPack
_LEGACY_STREAM = 1
_KINDS = {0: "i", 1: "u", 2: "f", 6: "b"}  # codes of types of DLPack


class _Tensor(ctypes.Structure):
    """DLTensor, which a DLManagedTensor begins with."""
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32),
                ("device_id", ctypes.c_int32), ("ndim", ctypes.c_int32),
                ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64)]


_pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
_pointer_of.restype, _pointer_of.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]


class DeviceArray:
    """An address on a GPU with the shape and type of what is there.

    Attributes
    ----------
    address, shape, dtype
        Where it is and what it holds, in C order.
    stream
        An address of CUDA's: work of this stream fills the array; 0: the default one.
    """

    def __init__(self, owner: Any, address: int, shape: Tuple[int, ...], dtype: np.dtype,
                 strides: Optional[Tuple[int, ...]], stream: int, writable: bool) -> None:
        self.owner, self.address, self.shape, self.dtype = owner, address, shape, dtype
        self.stream, self.writable = stream, writable
        if strides is not None and not _is_contiguous(shape, strides, dtype.itemsize):
            raise ValueError("an array on a GPU has gaps; make it contiguous, in C order")

    def expect(self, name: str, dtype: Any, *shape: Optional[int]) -> int:
        """Check type and shape, in which None is any number. @return the address"""
        same = len(shape) == len(self.shape) and all(
            want is None or want == got for want, got in zip(shape, self.shape))
        if self.dtype != np.dtype(dtype) or not same:
            wanted = ", ".join("n" if want is None else str(want) for want in shape)
            raise ValueError(f"{name} is {self.dtype} {list(self.shape)}; give {np.dtype(dtype)} "
                             f"[{wanted}]")
        return self.address

    def expect_output(self, name: str, dtype: Any, n: int) -> int:
        """Likewise of an array that is written."""
        if not self.writable:
            raise ValueError(f"{name} cannot be written")
        return self.expect(name, dtype, n)


def _is_contiguous(shape: Tuple[int, ...], strides: Tuple[int, ...], step: int) -> bool:
    for size, stride in zip(reversed(shape), reversed(strides)):
        if size > 1 and stride != step:
            return False
        step *= size
    return True


def _by_interface(owner: Any) -> DeviceArray:
    given = owner.__cuda_array_interface__
    if given.get("mask") is not None:
        raise ValueError("an array on a GPU has a mask; fill what it hides")
    address, read_only = given["data"]
    return DeviceArray(owner, address or 0, tuple(given["shape"]), np.dtype(given["typestr"]),
                       given.get("strides"), given.get("stream") or 0, not read_only)


def _by_dlpack(owner: Any) -> DeviceArray:
    """The capsule stays as it is, so that it frees the tensor when it is dropped itself."""
    capsule = owner.__dlpack__(stream=_LEGACY_STREAM)
    tensor = _Tensor.from_address(_pointer_of(capsule, b"dltensor"))
    if tensor.code not in _KINDS or tensor.bits % 8 != 0 or tensor.lanes != 1:
        raise ValueError("an array on a GPU has no type of numpy's")
    dtype = np.dtype(f"{_KINDS[tensor.code]}{tensor.bits // 8}")
    shape = tuple(tensor.shape[:tensor.ndim])
    strides = None
    if tensor.strides:
        strides = tuple(s * dtype.itemsize for s in tensor.strides[:tensor.ndim])
    return DeviceArray((owner, capsule), (tensor.data or 0) + tensor.byte_offset, shape, dtype,
                       strides, _LEGACY_STREAM, True)


def is_on_gpu(array: Any) -> bool:
    """Return whether another package says that an array is in the memory of a GPU."""
    if hasattr(array, "__cuda_array_interface__"):
        return True
    return (hasattr(array, "__dlpack_device__")
            and array.__dlpack_device__()[0] in (_CUDA, _CUDA_MANAGED))


def device_array(array: Any, name: str) -> DeviceArray:
    """Return where an array on a GPU is."""
    if not is_on_gpu(array):
        raise TypeError(f"{name} is no array on a GPU: it has neither __cuda_array_interface__ "
                        "nor DLPack with such a device")
    if hasattr(array, "__cuda_array_interface__"):
        return _by_interface(array)
    return _by_dlpack(array)


def common_stream(*arrays: DeviceArray) -> int:
    """Return the stream that has filled all arrays."""
    streams = {array.stream for array in arrays}
    streams -= {0} if len(streams) > 1 else set()
    streams -= {_LEGACY_STREAM} if len(streams) > 1 else set()
    if len(streams) > 1:
        raise ValueError("the arrays are filled by different streams; wait for these, and make "
                         "the arrays with one")
    return streams.pop()
