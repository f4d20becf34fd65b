"""The same integers as the program, on every preset, with one and two threads."""

import numpy as np
import pytest

import ribogrid as rg

PRESETS = ["vsearch", "mothur", "needle", "blastn", "unit", None]


def rows_of(result):
    """Return results as `ribogrid view` prints them."""
    names, targets = result.queries.names, result.targets.names
    out = []
    for i in range(len(result)):
        row = {"query": names[result.query[i]], "target": targets[result.target[i]],
               "score": f"{result.score[i] * result.score_unit:g}"}
        if result.matches is not None:
            row["matches"], row["columns"] = str(result.matches[i]), str(result.columns[i])
        if result.strand is not None:
            row["strand"] = "+" if result.strand[i] > 0 else "-"
        if result.cigar_starts is not None:
            row["cigar"] = result.cigar(i) or "*"
        out.append(row)
    return out


def assert_equal(result, table):
    got = rows_of(result)
    assert len(got) == len(table) > 0
    for mine, theirs in zip(got, table):
        assert mine == {key: theirs[key] for key in mine}


def words_of(options):
    return [word for key, value in options.items() if value is not None
            for word in (f"--{key.replace('_', '-')}", str(value))]


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("preset", PRESETS)
def test_all_pairs(run, reads, sequences, preset, threads):
    options = {"preset": preset, "emit": "cigar"}
    result = rg.align(sequences, threads=threads, **options)
    assert len(result) == 40 * 39 // 2
    assert_equal(result, run(reads, *words_of(options)))


@pytest.mark.parametrize("preset", PRESETS)
def test_scores_alone(run, reads, sequences, preset):
    options = {"preset": preset, "emit": "score"}
    result = rg.align(sequences, **options)
    assert result.matches is None and result.cigar_starts is None
    assert_equal(result, run(reads, *words_of(options)))


@pytest.mark.parametrize("options", [
    {"id": 0.8}, {"id": 0.8, "emit": "cigar", "cigar_style": "eqx"},
    {"id": 0.9, "iddef": "3"}, {"id": 0.5, "mode": "local", "emit": "cigar"},
    {"ends": "count", "match": 5, "mismatch": -4, "gap": -2.5},
    {"matrix": "NUC.4.4", "gap_open": 10, "gap_extend": 0.5, "min_overlap": 0.9},
])
def test_options(run, reads, sequences, options):
    assert_equal(rg.align(sequences, **options), run(reads, *words_of(options)))


@pytest.mark.parametrize("options", [
    {}, {"top": 3}, {"strand": "both", "emit": "cigar"}, {"id": 0.7, "top": 1},
    {"ends": "query"}, {"mode": "local", "top": 2, "strand": "both"},
    {"preset": "vsearch", "id": 0.6, "strand": "both"},
])
def test_references(run, reads, sequences, tmp_path, options):
    letters = sequences[:8]
    letters[2] = letters[2][::-1].translate(str.maketrans("ACGT", "TGCA"))
    names = [f"q{i}" for i in range(8)]
    queries = tmp_path / "queries.fa"
    queries.write_text("".join(f">{n}\n{s}\n" for n, s in zip(names, letters)))
    result = rg.align(rg.Sequences(letters, names), sequences, **options)
    assert_equal(result, run(queries, "--against", reads, *words_of(options)))


@pytest.mark.parametrize("preset", PRESETS)
def test_listed_pairs_equal_all_pairs(sequences, preset):
    every = rg.align(sequences, preset=preset, emit="cigar")
    order = np.random.default_rng(1).permutation(len(every))
    listed = rg.align_pairs(sequences, np.stack([every.query, every.target], 1)[order],
                            preset=preset, emit="cigar", threads=1)
    for name in ("query", "target", "score", "matches", "columns"):
        assert np.array_equal(getattr(listed, name), getattr(every, name)[order])
    assert listed.cigars == [every.cigar(i) for i in order]


def test_listed_pairs_of_both_strands(sequences):
    options = {"strand": "both", "emit": "cigar", "min_overlap": 0}
    queries = rg.Sequences(sequences[:5])
    every = rg.align(queries, sequences, **options)
    listed = rg.align_pairs(queries, np.stack([every.query, every.target], 1), sequences,
                            **options)
    for name in ("score", "matches", "columns", "strand"):
        assert np.array_equal(getattr(listed, name), getattr(every, name))
    assert listed.cigars == every.cigars


def test_proteins(run, tmp_path):
    letters = {"a": "MKVLAAGIVGLCAKAYW", "b": "MKVLSAGIVGACAKAYWE", "c": "GGWHEALKV"}
    path = tmp_path / "proteins.fa"
    path.write_text("".join(f">{n}\n{s}\n" for n, s in letters.items()))
    sequences = rg.Sequences(letters)
    assert sequences.alphabet == "protein"
    for options in ({"emit": "cigar"}, {"mode": "local", "emit": "cigar"}):
        assert_equal(rg.align(sequences, **options), run(path, *words_of(options)))
