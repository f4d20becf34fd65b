"""Arrays on a GPU, by ``__cuda_array_interface__`` and DLPack: on a GPU if there is one, and
refused without one."""

import ctypes

import numpy as np
import pytest

import ribogrid as rg

LETTERS, OFFSETS = b"ACGTACGTACACGTACGAACACGTCGTAC", [0, 10, 20, 29]
PAIRS = [(0, 1), (2, 0), (1, 1)]


class Memory:
    """An array in memory that CUDA has allocated, or only says so."""

    def __init__(self, array, runtime=None, **changes):
        self.array = np.ascontiguousarray(array)
        self.runtime = runtime
        self.address = ctypes.c_void_p(self.array.ctypes.data)
        self.changes = changes
        if runtime is not None:
            assert runtime.cudaMalloc(ctypes.byref(self.address), self.array.nbytes) == 0
            self._copy(self.address, self.array.ctypes.data, 1)

    def _copy(self, to, from_, kind):
        assert self.runtime.cudaMemcpy(ctypes.c_void_p(getattr(to, "value", to)),
                                       ctypes.c_void_p(getattr(from_, "value", from_)),
                                       ctypes.c_size_t(self.array.nbytes), kind) == 0

    def host(self):
        out = np.empty_like(self.array)
        self._copy(out.ctypes.data, self.address, 2)
        return out


class ByInterface(Memory):
    @property
    def __cuda_array_interface__(self):
        return {"shape": self.array.shape, "typestr": self.array.dtype.str, "version": 3,
                "data": (self.address.value, False), "strides": None, "stream": None,
                **self.changes}


class ByDlpack(Memory):
    """Its capsule is numpy's, with another device and address."""

    def __dlpack_device__(self):
        return (2, 0)

    def __dlpack__(self, stream=None):
        assert stream == 1
        capsule = self.array.__dlpack__()
        pointer = ctypes.pythonapi.PyCapsule_GetPointer(capsule, b"dltensor")
        ctypes.c_void_p.from_address(pointer).value = self.address.value
        ctypes.c_uint64.from_address(pointer + 40).value = 0
        return capsule


KINDS = [ByInterface, ByDlpack]


@pytest.fixture(scope="module")
def gpu():
    """Return a context of a GPU, and CUDA's runtime."""
    try:
        return rg.Context("cuda"), ctypes.CDLL("libcudart.so")
    except (rg.DeviceError, ValueError, OSError) as error:
        pytest.skip(str(error))


def test_sequences_of_arrays_of_the_host():
    codes = np.frombuffer(LETTERS, np.uint8)
    for letters in (LETTERS, codes, codes.view("S1")):
        s = rg.Sequences.from_arrays(letters, OFFSETS, ["a", "b", "c"])
        assert (list(s), s.names) == (["ACGTACGTAC", "ACGTACGAAC", "ACGTCGTAC"], ["a", "b", "c"])
    assert len(rg.Sequences.from_arrays(b"", [0])) == 0
    for letters, offsets, text in ((LETTERS, [], "offsets"), (LETTERS, [0, 30], "29 letters"),
                                   (LETTERS, [0, 5, 5], "ascend"), (LETTERS, [-1, 5], "begin"),
                                   (codes.astype(int), OFFSETS, "bytes"),
                                   (b"A!", [0, 2], "letter 1")):
        with pytest.raises(ValueError, match=text):
            rg.Sequences.from_arrays(letters, np.array(offsets, np.int64))
    with pytest.raises(ValueError, match="2 names for 3"):
        rg.Sequences.from_arrays(LETTERS, OFFSETS, ["a", "b"])


@pytest.mark.parametrize("kind", KINDS)
def test_without_a_gpu_they_are_refused(kind):
    context = rg.Context("cpu")
    letters = kind(np.frombuffer(LETTERS, np.uint8).copy())
    with pytest.raises(ValueError, match="computes on the CPU"):
        rg.Sequences.from_arrays(letters, kind(np.array(OFFSETS)), context=context)
    aligner = rg.Aligner(["ACGT", "ACGA"], context=context)
    with pytest.raises(ValueError, match="computes on the CPU"):
        aligner.pairs_on_device(kind(np.array(PAIRS, np.int32)), kind(np.zeros(3, np.int32)))


def test_what_arrays_have_to_be():
    aligner = rg.Aligner(["ACGT", "ACGA"], device="cpu")
    pairs = ByInterface(np.array(PAIRS, np.int32))
    for given, text in ((ByInterface(np.array(PAIRS)), "int64 .3, 2.; give int32 .n, 2."),
                        (ByDlpack(np.array(PAIRS)), "int64 .3, 2.; give int32 .n, 2."),
                        (ByInterface(np.zeros(3, np.int32)), "give int32 .n, 2."),
                        (ByInterface(np.array(PAIRS, np.int32), strides=(4, 12)), "contiguous"),
                        (ByInterface(np.array(PAIRS, np.int32), mask=pairs), "mask")):
        with pytest.raises(ValueError, match=text):
            aligner.pairs_on_device(given)
    for given, text in ((ByInterface(np.zeros(2, np.int32)), "give int32 .3."),
                        (ByInterface(np.zeros(3, np.int32), data=(0, True)), "written"),
                        (ByInterface(np.zeros(3, np.int32), stream=77), "computes on the CPU")):
        with pytest.raises(ValueError, match=text):
            aligner.pairs_on_device(pairs, scores=given)
    with pytest.raises(ValueError, match="different streams"):
        aligner.pairs_on_device(ByInterface(np.array(PAIRS, np.int32), stream=7),
                                ByInterface(np.zeros(3, np.int32), stream=8))
    with pytest.raises(TypeError, match="scores is no array on a GPU"):
        aligner.pairs_on_device(pairs, np.zeros(3, np.int32))
    with pytest.raises(TypeError, match="offsets is no array on a GPU"):
        rg.Sequences.from_arrays(ByInterface(np.zeros(3, np.uint8)), OFFSETS)


@pytest.mark.parametrize("kind", KINDS)
def test_arrays_on_a_gpu(gpu, kind):
    context, runtime = gpu
    want = rg.align_pairs(rg.Sequences.from_arrays(LETTERS, OFFSETS), PAIRS, device="cpu")
    letters = kind(np.frombuffer(LETTERS, np.uint8).copy(), runtime)
    s = rg.Sequences.from_arrays(letters, kind(np.array(OFFSETS), runtime), context=context)
    assert list(s) == ["ACGTACGTAC", "ACGTACGAAC", "ACGTCGTAC"]
    out = [kind(np.full(3, -9, np.int32), runtime) for _ in range(3)]
    rg.Aligner(s, context=context).pairs_on_device(kind(np.array(PAIRS, np.int32), runtime), *out)
    assert np.array_equal(out[0].host(), want.score)
    assert np.array_equal(out[1].host(), want.matches)
    assert np.array_equal(out[2].host(), want.columns)
    with pytest.raises(ValueError, match="pairs"):  # of the host
        rg.Aligner(s, context=context).pairs_on_device(kind(np.array(PAIRS, np.int32)), out[0])
