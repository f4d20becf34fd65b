"""What the tests share: the program beside the library, and sequences of its simulation."""

import os
import pathlib
import subprocess

import pytest

import ribogrid as rg


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
