"""The package by itself: sequences, errors, threads, and calls that are stopped."""

import signal
import subprocess
import sys
import threading
import time
import types

import numpy as np
import pytest

import ribogrid as rg


def random_sequences(n, length, seed=1):
    rng = np.random.default_rng(seed)
    return rg.Sequences(["".join(rng.choice(list("ACGT"), length)) for _ in range(n)])


def test_sequences_keep_letters_and_names():
    s = rg.Sequences({"one": "acgu", "two": "NNRY"})
    assert (list(s), s.names, s.alphabet) == (["ACGT", "NNRY"], ["one", "two"], "dna")
    assert s[-1] == "NNRY" and s[0:1] == ["ACGT"] and list(s.lengths) == [4, 4]
    assert rg.Sequences(["ACGT"]).names == ["0"]
    assert len(rg.Sequences([])) == 0
    with pytest.raises(IndexError):
        s[2]


def test_fasta_and_fastq_are_read(tmp_path):
    fasta, fastq = tmp_path / "a.fa", tmp_path / "a.fq"
    fasta.write_text(">a x\nAC\nGT\n>b\nGG-G\n")
    fastq.write_text("@q\nACGT\n+\nIIII\n")
    s = rg.read_fasta(fasta, degap=True, full_names=True)
    assert (list(s), s.names) == (["ACGT", "GGG"], ["a x", "b"])
    assert list(rg.read_fasta(fastq)) == ["ACGT"]
    fasta.write_text(">a\nACGT\n>b\nGG!G\n")
    with pytest.warns(rg.RibogridWarning, match="record"):
        assert rg.read_fasta(fasta, skip_bad=True).names == ["a"]


@pytest.mark.parametrize("call, error, text", [
    (lambda: rg.read_fasta("/nonexistent/a.fa"), OSError, "cannot read /nonexistent/a.fa"),
    (lambda: rg.Sequences(["AC!T"]), rg.InputError, "letter 2: '!'"),
    (lambda: rg.Sequences(["ACGT", ""]), ValueError, "sequence 1 has no letters"),
    (lambda: rg.Sequences(["A"], ["a", "b"]), ValueError, "2 names for 1"),
    (lambda: rg.Sequences(["A"], ["a\0b"]), ValueError, "NUL"),
    (lambda: rg.Sequences("ACGT"), TypeError, "a list"),
    (lambda: rg.align(["AC"], emit="x"), ValueError, "give score, identity or cigar"),
    (lambda: rg.align(["AC"], gap_open=3), ValueError, "gap_open and gap_extend go together"),
    (lambda: rg.align(["AC"], match=.3), ValueError, "multiple of 0.5"),
    (lambda: rg.align(["AC"], id=1.5), ValueError, "from 0 to 1"),
    (lambda: rg.align(["AC"], id=-.5), ValueError, "from 0 to 1"),
    (lambda: rg.align(["AC"], top=1), ValueError, "need references"),
    (lambda: rg.align(["AC"], top=-1), ValueError, "0 to 10000"),
    (lambda: rg.align(["AC"], preset="vsearc"), ValueError, "did you mean vsearch"),
    (lambda: rg.align(["AC"], kernel="foo"), ValueError, "no such kernel"),
    (lambda: rg.align(["AC"], matrix="/nonexistent"), OSError, "/nonexistent"),
    (lambda: rg.align(["MKVL"], ["ACGT"]), rg.InputError, "protein"),
    (lambda: rg.align(["AC"], colour=1), TypeError, "colour"),
    (lambda: rg.align_pairs(["AC"], [(0, 1)]), ValueError, r"pair 0 is \(0, 1\)"),
    (lambda: rg.align_pairs(["AC"], [(-1, 0)]), ValueError, r"\(-1, 0\)"),
    (lambda: rg.align_pairs(["AC"], [(0, 2**32)]), ValueError, "32 bits"),
    (lambda: rg.align_pairs(["AC"], [0, 0]), ValueError, "shape"),
    (lambda: rg.align_pairs(["AC"], [(.5, 0)]), ValueError, "integers"),
    (lambda: rg.Context("gpu"), ValueError, "auto, cpu, cuda"),
    (lambda: rg.Context(threads=-1), ValueError, "0 to"),
    (lambda: rg.Context("cuda:99"), (rg.DeviceError, ValueError), "cuda:99"),
    (lambda: rg.align(["AC"], threads=1, context=rg.Context()), ValueError, "leave them out"),
])
def test_errors_have_reasons(call, error, text):
    with pytest.raises(error, match=text):
        call()


def test_few_sequences_have_no_pairs():
    for letters in ([], ["ACGT"]):
        result = rg.align(letters, emit="cigar")
        assert len(result) == 0 and len(result.score) == 0 and result.cigars == []
    assert len(rg.align_pairs(["ACGT"], [])) == 0
    assert len(rg.align(["ACGT"], [])) == 0


def test_results_outlive_what_made_them():
    score = rg.align(random_sequences(4, 30)).score
    assert score.base is not None and not score.flags.writeable
    before = score.copy()
    for _ in range(20):
        rg.align(random_sequences(5, 40, seed=2))
    assert np.array_equal(score, before)


def test_a_pair_may_be_given_in_either_order_and_with_itself():
    result = rg.align_pairs(["ACGTACGT", "ACGACGT"], [(1, 0), (0, 1), (0, 0)], emit="cigar")
    assert result.cigars == ["3M1D4M", "3M1I4M", "8M"]
    assert result.identity.tolist() == [7 / 8, 7 / 8, 1]


@pytest.mark.parametrize("emit, attribute", [("score", None), ("identity", "identity"),
                                             ("cigar", "cigars")])
def test_scores_and_what_else_is_emitted_are_unpacked(emit, attribute):
    result = rg.align_pairs(["ACGTACGT", "ACGACGT"], [(1, 0), (0, 1)], emit=emit)
    score, *more = result
    assert np.array_equal(score, result.score)
    assert [list(values) for values in more] == (
        [list(getattr(result, attribute))] if attribute else [])


def test_matrices():
    pytest.importorskip("scipy")
    result = rg.align(["ACGTACGT", "ACGACGT", "ACGTACGA"])
    matrix = result.to_matrix()
    assert np.array_equal(matrix, matrix.T) and matrix[0, 2] == result.identity[1]
    assert result.to_csr().nnz == 3


def test_contexts_of_threads_work_side_by_side():
    sequences = random_sequences(24, 200)
    want = rg.align(sequences, threads=1).score
    got = [None] * 4

    def run(k):
        got[k] = rg.align(sequences, threads=1 + k % 2).score

    threads = [threading.Thread(target=run, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(np.array_equal(want, scores) for scores in got)


def test_progress_is_reported_and_may_end_a_call():
    done = []
    context = rg.Context(threads=1, progress=done.append)
    rg.align(random_sequences(30, 200), context=context)
    assert done[0] == 0 and done[-1] == 1 and done == sorted(done)

    def fail(_done):
        raise KeyError("mine")

    context.progress = fail
    with pytest.raises(KeyError, match="mine"):
        rg.align(random_sequences(30, 200), context=context)
    context.progress = None
    assert len(rg.align(["ACGT", "ACGA"], context=context)) == 1


def test_progress_may_be_a_bar(monkeypatch):
    class Bar:
        made = []

        def __init__(self, total, **_words):
            self.total, self.n, self.closed = total, 0, False
            Bar.made.append(self)

        def update(self, more):
            assert more >= 0 and not self.closed
            self.n += more

        def close(self):
            self.closed = True

    module = types.ModuleType("tqdm.auto")
    module.tqdm = Bar
    monkeypatch.setitem(sys.modules, "tqdm", types.ModuleType("tqdm"))
    monkeypatch.setitem(sys.modules, "tqdm.auto", module)
    context = rg.Context("cpu", progress=True)
    for _ in range(2):
        rg.align(random_sequences(30, 200), context=context)
    assert [(bar.total, round(bar.n), bar.closed) for bar in Bar.made] == [(100, 100, True)] * 2


def test_another_thread_cancels_a_call():
    context = rg.Context(threads=1)
    sequences = random_sequences(2, 20000)
    aligner = rg.Aligner(sequences, context=context, emit="cigar")
    is_over = threading.Event()

    def cancel():
        while not is_over.wait(0.05):
            context.cancel()

    thread = threading.Thread(target=cancel)
    thread.start()
    with pytest.raises(rg.Cancelled):
        while True:
            aligner.pairs([(0, 1)] * 4)
    is_over.set()
    thread.join()
    assert len(rg.align(["ACGT", "ACGA"], context=context)) == 1


def test_a_context_that_is_busy_says_so():
    context = rg.Context(threads=1)
    texts = []

    def again(_done):
        try:
            rg.align(["AC", "AC"], context=context)
        except RuntimeError as error:
            texts.append(str(error))

    other = rg.Context(threads=1)
    context.progress = again
    rg.align(["ACGT", "ACGA"], context=context)
    assert texts and "another thread" in texts[0]
    assert len(rg.align(["ACGT", "ACGA"], context=other)) == 1


LONG = """
import os, sys, numpy as np, ribogrid as rg
letters = "".join(np.random.default_rng(1).choice(list("ACGT"), 3000))
sequences = rg.Sequences([letters[i:] + letters[:i] for i in range(1500)])
print("ready", flush=True)
try:
    rg.align(sequences, emit="cigar")
    print("finished")
except KeyboardInterrupt:
    print("interrupted", len(rg.align(["ACGT", "ACGA"])))
"""


def test_an_interrupt_stops_a_call():
    process = subprocess.Popen([sys.executable, "-c", LONG], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n"
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=120)
    assert (out, err, process.returncode) == ("interrupted 1\n", "", 0)


QUIET = """
import ribogrid as rg
for call in (lambda: rg.read_fasta("/nonexistent"), lambda: rg.Sequences(["!"]),
             lambda: rg.Context("cuda:99"), lambda: rg.align(["A"], emit="x")):
    try:
        call()
    except Exception:
        pass
rg.align(["ACGTACGT", "ACGACGT"], id=0.5, emit="cigar")
"""


def test_the_library_prints_nothing():
    done = subprocess.run([sys.executable, "-c", QUIET], capture_output=True, text=True)
    assert (done.stdout, done.stderr, done.returncode) == ("", "", 0)


def test_signals_stay_as_they_are():
    before = [signal.getsignal(n) for n in signal.valid_signals()]
    rg.align(["ACGTACGT", "ACGACGT"], id=0.5, device="auto", threads=2)
    assert before == [signal.getsignal(n) for n in signal.valid_signals()]
