"""Result files: the same datasets as the program's, and read again."""

import subprocess
import sys

import numpy as np
import pytest

import ribogrid as rg
from conftest import assert_equal_content

ARRAYS = ("query", "target", "score", "matches", "columns", "strand", "cigar_starts",
          "cigar_runs")


def words_of(options):
    return [word for key, value in options.items()
            for word in (f"--{key.replace('_', '-')}", str(value))]


def assert_same(read, made):
    for name in ARRAYS:
        want = getattr(made, name)
        assert (want is None) == (getattr(read, name) is None)
        assert want is None or np.array_equal(getattr(read, name), want), name
    assert read.score_unit == made.score_unit
    assert read.queries.names == made.queries.names and list(read.queries) == list(made.queries)
    assert read.targets.names == made.targets.names
    assert list(read.targets.lengths) == list(made.targets.lengths)


@pytest.mark.parametrize("options", [
    {"emit": "score"}, {"preset": "needle", "emit": "cigar"}, {"preset": "mothur"},
    {"min_overlap": 0.95, "iddef": "nogaps"}, {"id": 0.8, "preset": "vsearch"},
    {"id": 0.6, "mode": "local", "emit": "cigar", "cigar_style": "eqx"},
    {"matrix": "NUC.4.4", "gap": -8, "emit": "cigar"}])
def test_files_of_one_set(program, reads, sequences, tmp_path, options):
    theirs, ours = tmp_path / "theirs.h5", tmp_path / "ours.h5"
    align = [program, "align", reads, *words_of(options), "--device", "cpu", "-o"]
    subprocess.run([*align, theirs, "-q"], check=True)
    pairs = rg.align(sequences, threads=2, **options)
    for threads in (1, 2):
        pairs.to_hdf5(ours, context=rg.Context("cpu", threads))
        assert_equal_content(ours, theirs)
    assert [path.name for path in tmp_path.iterdir()] == ["theirs.h5", "ours.h5"]
    done = subprocess.run([*align, ours, "--resume"], capture_output=True, text=True)
    assert done.returncode == 0 and "already finished" in done.stderr
    for path in (theirs, ours):
        read = rg.read_alignments(path)
        assert_same(read, pairs)
    if pairs.matches is not None and "mode" not in options:
        assert np.array_equal(rg.cluster(read, 0.9), rg.cluster(pairs, 0.9))


@pytest.mark.parametrize("options", [
    {"top": 2}, {"strand": "both", "emit": "cigar", "min_overlap": 0},
    {"strand": "both", "id": 0.7, "top": 1}])
def test_files_of_references(program, reads, sequences, tmp_path, options):
    queries = tmp_path / "queries.fa"
    queries.write_text("".join(f">q{i}\n{sequences[i]}\n" for i in range(7)))
    theirs, ours = tmp_path / "theirs.h5", tmp_path / "ours.h5"
    subprocess.run([program, "align", queries, "--against", reads, *words_of(options), "-q",
                    "--device", "cpu", "-o", theirs], check=True)
    hits = rg.align(rg.read_fasta(queries), sequences, **options)
    hits.to_hdf5(ours)
    assert_equal_content(ours, theirs)
    read = rg.read_alignments(theirs)
    assert_same(read, hits)
    with pytest.raises(ValueError, match="not in a result file"):
        read.targets[0]
    with pytest.raises(ValueError, match="not in a result file"):
        rg.align(read.targets)
    with pytest.raises(ValueError, match="one set"):
        rg.cluster(read)


def test_small_files(tmp_path):
    path = tmp_path / "none.h5"
    for letters in ([], ["ACGT"]):
        for options in ({}, {"id": 0.9, "emit": "cigar"}):
            made = rg.align(rg.Sequences(letters, alphabet="dna"), **options)
            made.to_hdf5(path)
            assert_same(rg.read_alignments(path), made)
    proteins = rg.align(["MKVLAAGIVG", "MKVLSAGIVG", "GGWHEALKV"], emit="cigar")
    proteins.to_hdf5(path)
    assert_same(rg.read_alignments(path), proteins)


@pytest.mark.parametrize("call, error, reason", [
    (lambda p: rg.align(["AC", "AC"]).to_hdf5(p / "no" / "x.h5"), OSError,
     "No such file or directory; give another file"),
    (lambda p: rg.align(["AC", "AC"]).to_hdf5(p), ValueError, "is a directory"),
    (lambda p: rg.align_pairs(["AC", "AC"], [(0, 1)]).to_hdf5(p / "x.h5"), ValueError,
     "rg_aligner_all"),
    (lambda p: rg.read_alignments(p / "none.h5"), rg.InputError, "none.h5"),
    (lambda p: rg.read_alignments(__file__), rg.InputError, "HDF5"),
])
def test_errors_have_reasons(tmp_path, call, error, reason):
    with pytest.raises(error, match=reason):
        call(tmp_path)
    assert list(tmp_path.iterdir()) == []
    rg.align(["AC", "AC"]).to_hdf5(tmp_path / "a.h5")
    with pytest.raises(ValueError, match="copy that file"):
        rg.read_alignments(tmp_path / "a.h5").to_hdf5(tmp_path / "b.h5")


FULL = """
import resource, signal, sys, ribogrid as rg
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
pairs = rg.align([("ACGT" * 50)[i % 4:] for i in range(300)])
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
for result in (pairs, rg.group(pairs)):
    try:
        result.to_hdf5(sys.argv[1])
    except OSError as error:
        print(error)
"""


def test_a_full_disk_leaves_nothing(tmp_path):
    path = tmp_path / "x.h5"
    done = subprocess.run([sys.executable, "-c", FULL, path], capture_output=True, text=True)
    lines = done.stdout.splitlines()
    assert len(lines) == 2 and done.stderr == "" and done.returncode == 0
    assert all("File too large; give another file" in line for line in lines)
    assert list(tmp_path.iterdir()) == []


def test_a_guarded_context_reads_files(sequences, tmp_path):
    context = rg.Context("cpu", guarded=True)
    made = rg.align(sequences, context=context)
    made.to_hdf5(tmp_path / "pairs.h5")
    read = rg.read_alignments(tmp_path / "pairs.h5", context=context)
    assert np.array_equal(read.score, made.score)
    (tmp_path / "bad.h5").write_bytes((tmp_path / "pairs.h5").read_bytes()[:2000])
    with pytest.raises(rg.InputError, match="bad.h5"):
        rg.read_alignments(tmp_path / "bad.h5", context=context)
