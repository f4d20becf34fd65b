"""Clusters: those of the program, by every method."""

import subprocess

import numpy as np
import pytest

import ribogrid as rg
from conftest import content

METHODS = ["opti", "single", "complete", "average", "centroid"]


@pytest.fixture(scope="module")
def every(sequences):
    return rg.align(sequences)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("method", METHODS)
def test_equal_to_the_program(program, reads, sequences, every, method, threads, tmp_path):
    pairs = tmp_path / "pairs.h5"
    subprocess.run([program, "align", reads, "-q", "-o", pairs, "--device", "cpu"], check=True)
    subprocess.run([program, "cluster", pairs, "--id", "0.85", "--method", method, "-q", "-o",
                    tmp_path / "otus"], check=True)
    lines = (tmp_path / "otus.list").read_text().splitlines()
    want = {frozenset(otu.split(",")) for otu in lines[-1].split("\t")[2:]}
    got = rg.cluster(every, 0.85, method, threads=threads)
    names = np.array(sequences.names)
    assert {frozenset(names[got == otu]) for otu in np.unique(got)} == want
    assert 1 < len(want) < len(names)
    assert all(got[label] == label for label in got)
    if threads == 2:
        assert_equal_groups(rg.group(every, 0.85, method), tmp_path)


def assert_equal_groups(groups, folder):
    """Compare with otus.groups.h5, as files and read from it; only the input is another."""
    groups.to_hdf5(folder / "ours.h5")
    got, want = (content(folder / name) for name in ("ours.h5", "otus.groups.h5"))
    assert {**got[1], "input": want[1]["input"]} == want[1] and "mcc" in want[1]
    assert got[0].keys() == want[0].keys() and len(want[0]) > 4
    assert all(np.array_equal(got[0][name], want[0][name]) for name in want[0])
    for path in ("ours.h5", "otus.groups.h5"):
        read = rg.read_groups(folder / path)
        assert (read.names, read.sequences, read.mcc) == (groups.names, groups.sequences,
                                                          groups.mcc)
        for name in ("of", "representatives", "sizes"):
            assert np.array_equal(getattr(read, name), getattr(groups, name))
    with pytest.raises(ValueError, match="copy that file"):
        read.to_hdf5(folder / "again.h5")


@pytest.mark.parametrize("method", sorted(set(METHODS) - {"average"}))
def test_similar_pairs_suffice(sequences, every, method):
    close = rg.align(sequences, id=0.85)
    assert len(close) < len(every)
    assert np.array_equal(rg.cluster(close, 0.85, method), rg.cluster(every, 0.85, method))


def test_centroids_follow_abundances_or_lengths():
    pairs = rg.align(["ACGTACGTACGT", "ACGTACGTACGA", "ACGTACGTACG"])
    assert rg.cluster(pairs, 0.9, "centroid").tolist() == [0, 0, 0]
    assert rg.cluster(pairs, 0.9, "centroid", sizes=[1, 5, 2]).tolist() == [1, 1, 1]
    assert rg.cluster(pairs, 0.9, "centroid", order="length").tolist() == [0, 0, 0]
    assert rg.cluster(pairs, 1, "centroid").tolist() == [0, 1, 0]


def test_few_sequences():
    assert rg.cluster(rg.align([])).tolist() == []
    assert rg.cluster(rg.align(["ACGT"])).tolist() == [0]
    for letters in ([], ["ACGT"]):
        groups = rg.group(rg.align(rg.Sequences(letters, alphabet="dna")))
        assert groups.of.tolist() == [0] * len(letters) and len(groups.names) == len(letters)


@pytest.mark.parametrize("call, reason", [
    (lambda p: rg.cluster(p, 0), "above 0"),
    (lambda p: rg.cluster(p, 1.5), "from 0 to 1"),
    (lambda p: rg.group(p, 1.5), "from 0 to 1"),
    (lambda p: rg.read_groups(__file__), "HDF5"),
    (lambda p: rg.cluster(p, method="optic"), "did you mean opti"),
    (lambda p: rg.cluster(p, order="length"), "requires method centroid"),
    (lambda p: rg.cluster(p, starts=0), "1 to 1000000"),
    (lambda p: rg.cluster(p, sizes=[1]), "sizes"),
    (lambda p: rg.cluster(p, method="centroid", sizes=[0] * len(p.queries)), "at least 1"),
    (lambda p: rg.cluster(rg.align(["AC", "AC"], emit="score")), "need identities"),
    (lambda p: rg.cluster(rg.align(["AC"], ["AC"])), "one set"),
    (lambda p: rg.cluster(rg.align_pairs(["AC", "AC"], [(0, 1)])), "one set"),
    (lambda p: rg.cluster(rg.align(["AC", "AC"], id=0.9), 0.8), "a smaller id"),
    (lambda p: rg.cluster(rg.align(["AC", "AC"], id=0.9), 0.9, "average"), "all pairs"),
])
def test_errors_have_reasons(every, call, reason):
    with pytest.raises(ValueError, match=reason):
        call(every)
