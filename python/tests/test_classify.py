"""Classification: names beside those of the program, in memory and as files."""

import subprocess

import numpy as np
import pytest

import ribogrid as rg
from conftest import assert_equal_content


@pytest.fixture(scope="session")
def genes(tmp_path_factory):
    """Return a folder with references of four genera, their lineages, and reads: whole genes,
    parts of either strand, and one without words."""
    folder = tmp_path_factory.mktemp("genes")
    rng = np.random.default_rng(1)
    letters = np.array(list("ACGT"))

    def descend(gene, rate):
        changed = rng.random(len(gene)) < rate
        return np.where(changed, rng.choice(letters, len(gene)), gene)

    root = rng.choice(letters, 600)
    refs, lineages, reads = [], [], []
    for genus in range(4):
        family = "Bacteria;Bacillota" if genus < 2 else "Archaea"
        ancestor = descend(root, 0.12)
        for k in range(14):
            gene = "".join(descend(ancestor, 0.02))
            if k < 12:
                refs.append(f">g{genus}_{k}\n{gene}\n")
                lineages.append(f"g{genus}_{k}\t{family};Genus {genus}\n")
            else:
                turned = gene[::-1].translate(str.maketrans("ACGT", "TGCA"))
                reads += [gene, gene[200:450], turned[100:400]]
    (folder / "refs.fa").write_text("".join(refs))
    (folder / "refs.tax").write_text("".join(lineages))
    reads.append("ACGTAC")
    (folder / "reads.fa").write_text("".join(f">r{i}\n{s}\n" for i, s in enumerate(reads)))
    return folder


@pytest.fixture(scope="session")
def models(program, genes):
    """Return models without rules, and with those of all methods."""
    made = {"plain": ["--held-out", "0"], "ruled": ["--held-out", "12", "--align"]}
    for name, words in made.items():
        subprocess.run([program, "classify", "train", genes / "refs.fa", "--taxonomy",
                        genes / "refs.tax", *words, "-q", "-o", genes / f"{name}.h5"],
                       check=True)
    return {name: rg.Model(genes / f"{name}.h5") for name in made}


@pytest.mark.parametrize("model, options", [
    ("plain", {}), ("plain", {"min_support": 0.5, "strand": "plus", "resamples": 50}),
    ("ruled", {}), ("ruled", {"method": "nbc", "seed": 7}),
    ("ruled", {"method": "align", "novelty_rate": 0.5}), ("ruled", {"prior": "references"})])
def test_names_equal_those_of_the_program(program, genes, models, tmp_path, model, options):
    words = [w for name, value in options.items()
             for w in ("--" + name.replace("_", "-"), str(value))]
    path, ours = tmp_path / "program.h5", tmp_path / "ours.h5"
    classify = [program, "classify", genes / "reads.fa", "--model", genes / f"{model}.h5",
                *words, "--device", "cpu", "-o"]
    subprocess.run([*classify, path, "-q"], check=True)
    reads = rg.read_fasta(genes / "reads.fa")
    for threads in (1, 2):
        context = rg.Context("cpu", threads)
        names = rg.classify(reads, models[model], context=context, **options)
        names.to_hdf5(ours, context=context)
        assert_equal_content(ours, path)
    done = subprocess.run([*classify, ours, "--resume"], capture_output=True, text=True)
    assert done.returncode == 0 and "already finished" in done.stderr
    again = rg.read_names(path)
    assert again.lineages == names.lineages and again.sequences == reads.names
    assert np.array_equal(again.taxa, names.taxa)
    assert np.array_equal(again.supports, names.supports)


def test_networks(program, genes, tmp_path):
    model, path, ours = (tmp_path / name for name in ("net.h5", "program.h5", "ours.h5"))
    if subprocess.run([program, "cnn", "train", "kmer-lenet", genes / "refs.fa", "--taxonomy",
                       genes / "refs.tax", "--epochs", "1", "--batch", "8", "--device", "cpu",
                       "-q", "-o", model], capture_output=True).returncode != 0:
        pytest.skip("networks on CPUs need OpenBLAS")
    subprocess.run([program, "classify", genes / "reads.fa", "--model", model, "-q",
                    "--device", "cpu", "-o", path], check=True)
    reads = rg.read_fasta(genes / "reads.fa")
    rg.classify(reads, model, device="cpu", min_support=0.8).to_hdf5(ours)
    assert_equal_content(ours, path)
    with pytest.raises(rg.InputError, match="leave out resamples, seed"):
        rg.classify(reads, model, seed=3)


def test_names_are_of_the_genera(models, genes):
    names = rg.classify(rg.read_fasta(genes / "reads.fa"), models["plain"])
    assert all(f"Genus {i // 6}" in lineage for i, lineage in enumerate(names.lineages[:24]))
    assert names.strand[:6].tolist() == [1, 1, -1] * 2
    assert names.lineages[24] == "" and np.isnan(names.support[24])
    assert (names.taxa[24] == -1).all() and (names.supports[24] == 0).all()
    assert not names.taxa.flags.writeable and "25 sequences" in repr(names)


def test_there_may_be_no_sequence(models):
    names = rg.classify([], models["ruled"])
    assert len(names) == 0 and names.lineages == [] and len(names.support) == 0


@pytest.mark.parametrize("call, error, text", [
    (lambda m, d: rg.Model("/nonexistent.h5"), rg.InputError, "/nonexistent.h5"),
    (lambda m, d: rg.Model(d / "refs.fa"), rg.InputError, "HDF5"),
    (lambda m, d: rg.classify(["ACGT"], m["plain"], method="joint"), rg.InputError, "learned"),
    (lambda m, d: rg.classify(["ACGT"], m["plain"], method="x"), ValueError, "give auto"),
    (lambda m, d: rg.classify(["ACGT"], m["plain"], min_support=2), ValueError, "from 0 to 1"),
    (lambda m, d: rg.classify(["ACGT"], m["plain"], min_support=.5, novelty_rate=.5),
     ValueError, "not both"),
    (lambda m, d: rg.classify(["ACGT"], m["plain"], resamples=0), ValueError, "1 to 10000"),
    (lambda m, d: rg.classify(["MKVL"], m["plain"]), rg.InputError, "proteins"),
    (lambda m, d: rg.classify(["ACGT"], m["plain"], kernel="x"), ValueError, "kernel"),
    (lambda m, d: rg.read_names(d / "plain.h5"), rg.InputError, "result"),
    (lambda m, d: rg.classify(["ACGTACGTACGT"], m["plain"]).to_hdf5("/nonexistent/x.h5"),
     (OSError, ValueError), "nonexistent"),
])
def test_errors_have_reasons(models, genes, call, error, text):
    with pytest.raises(error, match=text):
        call(models, genes)
