"""What the tests share: the program beside the library, and sequences of its simulation."""

import os
import pathlib
import subprocess

import numpy as np
import pytest

import ribogrid as rg


def content(path):
    """Return the datasets and attributes of a file, but for /run: how it was made."""
    h5py = pytest.importorskip("h5py")
    found = {}
    with h5py.File(path) as f:
        f.visititems(lambda name, item: found.update({name: item[()]})
                     if isinstance(item, h5py.Dataset) and not name.startswith("run") else None)
        return found, {name: f.attrs[name] for name in f.attrs}


def assert_equal_content(ours, theirs):
    """Compare two files."""
    got, want = content(ours), content(theirs)
    assert got[1] == want[1] and "format" in want[1]
    assert got[0].keys() == want[0].keys() and len(want[0]) > 4
    for name, values in want[0].items():
        assert np.array_equal(got[0][name], values), name


@pytest.fixture(scope="session")
def program():
    path = os.environ.get("RIBOGRID", "")
    if not os.access(path, os.X_OK):
        pytest.skip("set RIBOGRID to the program")
    return path


@pytest.fixture(scope="session")
def reads(program, tmp_path_factory):
    """Return a FASTA file of 40 sequences of 300 bases, with ambiguity codes."""
    path = tmp_path_factory.mktemp("reads") / "reads.fa"
    subprocess.run([program, "simulate", "40", "--length", "300", "-q", "-o", path], check=True)
    return path


@pytest.fixture(scope="session")
def sequences(reads):
    return rg.read_fasta(reads)


@pytest.fixture
def run(program, tmp_path):
    """Return a function that runs `align` and returns the lines of `view`, as dictionaries."""
    def table(*words):
        out = tmp_path / f"{len(list(pathlib.Path(tmp_path).iterdir()))}.h5"
        subprocess.run([program, "align", *map(str, words), "-q", "-o", out, "--device", "cpu"],
                       check=True)
        text = subprocess.run([program, "view", out, "-q", "--sort", "row"], check=True,
                              capture_output=True, text=True).stdout
        lines = [line.split("\t") for line in text.splitlines()]
        return [dict(zip(lines[0], line)) for line in lines[1:]]
    return table
