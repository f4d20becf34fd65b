"""Check the output of `ribogrid export`, with other programs' readers where there are any.

usage: export_readers.py CHECK FILE...      (prints what is wrong and exits with 1)
"""
import re
import sys


def lines_of(path):
    with open(path) as f:
        text = f.read()
    assert text == "" or text.endswith("\n"), f"{path} does not end with a newline"
    return text.split("\n")[:-1]


def identities(path):
    """Return the identity of every pair, read with h5py; NaN if it has none."""
    import h5py
    import numpy as np

    with h5py.File(path) as f:
        matches, columns = f["matches"][:].astype(float), f["columns"][:]
        names = list(f["sequences/names"].asstr()[:])
    with np.errstate(invalid="ignore"):
        upper = np.triu(np.where(columns > 0, matches / np.maximum(columns, 1), np.nan), 1)
    whole = upper + upper.T
    np.fill_diagonal(whole, 1)
    return names, whole


def read_phylip(path):
    import numpy as np

    first, *rest = lines_of(path)
    n = int(first)
    assert len(rest) == n, f"{len(rest)} rows, not {n}"
    rows = [line.split() for line in rest]
    lower = n > 1 and len(rows[0]) == 1
    matrix = np.zeros((n, n))
    for i, row in enumerate(rows):
        assert len(row) == 1 + (i if lower else n), f"row {i} has {len(row)} words"
        matrix[i, :len(row) - 1] = [float(word) for word in row[1:]]
    return [row[0] for row in rows], matrix + matrix.T if lower else matrix


def phylip(pairs, path):
    """Check distances; -1 means that there is no identity."""
    import numpy as np

    names, want = identities(pairs)
    got_names, got = read_phylip(path)
    missing = np.isnan(want)
    assert got_names == names
    assert np.array_equal(got, got.T), "not symmetric"
    assert (got[missing] == -1).all() and (got[~missing] >= 0).all()
    assert (abs(got[~missing] - (1 - want[~missing])) < 5.1e-9).all()


def npy(pairs, path):
    """Check that numpy loads the float32 identities of the file."""
    import numpy as np

    _, want = identities(pairs)
    got = np.load(path, allow_pickle=False)
    assert got.dtype == np.float32 and got.shape == want.shape, (got.dtype, got.shape)
    assert np.array_equal(got, want.astype(np.float32), equal_nan=True)
    assert (np.diag(got) == 1).all()


def components(path, n_names, cutoff=None, method="single"):
    """Return scipy's clusters of a phylip matrix, as a set of sets of names."""
    from scipy.cluster.hierarchy import fcluster, linkage
    from scipy.spatial.distance import squareform

    names, matrix = read_phylip(path)
    assert len(names) == n_names
    matrix[matrix == -1] = 2
    labels = fcluster(linkage(squareform(matrix), method), cutoff, "distance")
    return {frozenset(n for n, k in zip(names, labels) if k == label)
            for label in set(labels)}


def mothur_list(path, phylip_path, cutoff, method):
    """Check that the last line of mothur's list has scipy's clusters at the cutoff."""
    words = lines_of(path)[-1].split("\t")
    got = {frozenset(word.split(",")) for word in words[2:] if word != ""}
    n_names = sum(len(cluster) for cluster in got)
    want = components(phylip_path, n_names, float(cutoff) + 1e-8, method)
    assert got == want, f"mothur has {len(got)} clusters, scipy {len(want)}"
    assert 1 < len(got) < n_names, f"{len(got)} clusters: the test is trivial"


def column(pairs, path, cutoff):
    """Check the pairs at or above an identity, in integer arithmetic."""
    import h5py

    numerator, denominator = (int(word) for word in cutoff.split("/"))
    want = {}
    with h5py.File(pairs) as f:
        names = f["sequences/names"].asstr()[:]
        matches, columns = f["matches"][:], f["columns"][:]
        for i in range(len(names)):
            for j in range(i + 1, len(names)):
                m, c = int(matches[i, j]), int(columns[i, j])
                if c > 0 and m * denominator >= c * numerator:
                    want[names[i], names[j]] = (c - m) / c
    got = {}
    for line in lines_of(path):
        a, b, distance = line.split("\t")
        assert re.fullmatch(r"[01]\.\d{8}", distance), distance
        assert (a, b) not in got
        got[a, b] = float(distance)
    assert list(got) == list(want), f"{len(got)} pairs, not {len(want)}"
    assert all(abs(got[k] - want[k]) < 5.1e-9 for k in want)
    assert len(got) > 0


COMPLEMENT = str.maketrans("ACGT", "TGCA")


def fasta(path):
    records = {}
    for line in lines_of(path):
        if line.startswith(">"):
            name = line[1:].split()[0]
            records[name] = ""
        else:
            records[name] += line.strip().upper().replace("U", "T")
    return records


def paf(path, reads, min_lines):
    """Check that each line's cg tag agrees with its columns and with the sequences."""
    records = fasta(reads)
    n = 0
    for line in lines_of(path):
        words = line.split("\t")
        q, ql, qs, qe, strand, t, tl, ts, te, matches, block, mapq = words[:12]
        ql, qs, qe, tl, ts, te, matches, block = (
            int(word) for word in (ql, qs, qe, tl, ts, te, matches, block))
        tags = dict((tag[:5], tag[5:]) for tag in words[12:])
        assert set(tags) == {"NM:i:", "AS:i:", "cg:Z:"} and mapq == "255"
        assert 0 <= qs < qe <= ql == len(records[q]) and strand in "+-"
        assert 0 <= ts < te <= tl == len(records[t])
        query = records[q][qs:qe]
        if strand == "-":
            query = query[::-1].translate(COMPLEMENT)
        target = records[t][ts:te]
        runs = [(int(k), op) for k, op in re.findall(r"(\d+)([MID=X])", tags["cg:Z:"])]
        assert "".join(f"{k}{op}" for k, op in runs) == tags["cg:Z:"]
        assert runs[0][1] in "M=X" and runs[-1][1] in "M=X", tags["cg:Z:"]
        i = j = same = 0
        for k, op in runs:
            if op in "M=X":
                equal = [a == b and a != "N"
                         for a, b in zip(query[i:i + k], target[j:j + k])]
                assert len(equal) == k and (op != "=" or all(equal))
                assert op != "X" or not any(equal)
                same += sum(equal)
            i += k if op != "D" else 0
            j += k if op != "I" else 0
        assert (i, j) == (qe - qs, te - ts), f"{line}: cg consumes {i}, {j}"
        assert sum(k for k, _ in runs) == block and same == matches
        assert int(tags["NM:i:"]) == block - matches
        n += 1
    assert n >= int(min_lines), f"{n} lines"


def same_lines(ours, theirs):
    """Check that two files have the same lines, in any order."""
    a, b = sorted(lines_of(ours)), sorted(lines_of(theirs))
    assert len(a) > 10
    wrong = [pair for pair in zip(a, b) if pair[0] != pair[1]]
    assert len(a) == len(b), f"{len(a)} lines, not {len(b)}"
    assert not wrong, f"{len(wrong)} lines differ, first {wrong[0]}"


def userout(ours, theirs, fields, min_percent):
    """Check that scores are equal, and all other fields wherever the alignment is the same."""
    names = fields.split("+")

    def read(path):
        rows = [dict(zip(names, line.split("\t"))) for line in lines_of(path)]
        return {(row["query"], row["target"]): row for row in rows}

    a, b = read(ours), read(theirs)
    assert set(a) == set(b) and len(a) > 10, f"{len(a)} pairs, not {len(b)}"
    n_same = 0
    for pair, row in a.items():
        assert row["raw"] == b[pair]["raw"], (pair, row["raw"], b[pair]["raw"])
        if row["caln"] != b[pair]["caln"]:
            continue
        n_same += 1
        for name in names:
            other = b[pair][name]
            other = other.upper() if name in ("qrow", "trow") else other
            assert row[name] == other, f"{pair}: {name} {row[name]}, vsearch {other}"
    print(f"{n_same} of {len(a)} alignments are the same")
    assert n_same >= int(min_percent) * len(a) / 100


try:
    globals()[sys.argv[1]](*sys.argv[2:])
except AssertionError as e:
    sys.exit(f"{sys.argv[1]}: {e!r}")
