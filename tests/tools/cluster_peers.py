"""Compare clusterings of `ribogrid cluster` with those of other programs.

usage: cluster_peers.py make PAIRS.h5 N SEED     write distinct identities, from points in a plane
       cluster_peers.py untie PAIRS.h5 OUT.h5    break the ties of a result file
       cluster_peers.py annotate PAIRS.h5        add abundances, records and samples
       cluster_peers.py compare PEERS PAIRS.h5 GROUPS.h5...
       cluster_peers.py biom PREFIX...
       cluster_peers.py list PREFIX

PEERS is a comma-separated list of scipy, mothur and greedy (a plain loop).  Each peer
clusters at the identity of every GROUPS.h5 whose method it has.  Exits with 1 if a
partition differs, with 77 if a peer is missing and nothing differs.
"""
import os
import shutil
import subprocess
import sys
import tempfile
from fractions import Fraction

import h5py
import numpy as np

BASES = 5000
GAP = 3e-7  # two identities differ by more, so that mothur's floats do


def write_pairs(path, matches, columns):
    """Write a dense result file of n sequences with BASES bases or more."""
    n = len(matches)
    lengths = BASES + (np.arange(n, dtype="i4") * 7) % 13
    with h5py.File(path, "w") as f:
        f.attrs["format"] = "ribogrid-pairs"
        f.attrs["format_version"] = 1
        f.attrs["format_version_minor"] = 1
        f.attrs["identity"] = "matches / columns"
        f.attrs["ends"] = "count"
        f.attrs["triangle"] = "row < col"
        f.attrs["tile_side"] = min(4, n)
        f.attrs["job"] = f"sequences={n}\n"
        for name, values, fill in (("score", matches, -2**31), ("matches", matches, 0),
                                   ("columns", columns, 0)):
            side = min(4, n)
            values = np.where(np.triu(np.ones((n, n), bool), 1), values, fill)
            f.create_dataset(name, data=values.astype("i4"), chunks=(side, side))
        f["sequences/names"] = [f"s{i}" for i in range(n)]
        f["sequences/lengths"] = lengths
        f["sequences/offset"] = np.concatenate([[0], np.cumsum(lengths)]).astype("i8")
        f["sequences/letters"] = np.full(lengths.sum(), ord("A"), "u1")


def distinct(identity, rng):
    """Return fractions close to identities, no two of them within GAP of each other."""
    columns = rng.integers(BASES // 2, BASES, len(identity))
    while True:
        matches = np.rint(identity * columns).astype(int)
        order = np.argsort(matches / columns)
        close = order[1:][np.diff((matches / columns)[order]) <= GAP]
        if len(close) == 0:
            return matches, columns
        # an identity of 1 exactly can be had only once
        identity[close] = np.clip(identity[close] - rng.random(len(close)) / BASES, 0, 1)
        columns[close] = rng.integers(BASES // 2, BASES, len(close))


def make(path, n, seed):
    n = int(n)
    rng = np.random.default_rng(int(seed))
    centers = rng.random((n // 8 + 1, 2))
    points = centers[rng.integers(len(centers), size=n)] + rng.normal(0, 0.02, (n, 2))
    i, j = np.triu_indices(n, 1)
    identity = 1 - np.minimum(np.hypot(*(points[i] - points[j]).T), 0.9)
    matches, columns = np.zeros((2, n, n), int)
    matches[i, j], columns[i, j] = distinct(identity, rng)
    write_pairs(path, matches, columns)


def read(path):
    with h5py.File(path) as f:
        return (f["matches"][:].astype("i8"), f["columns"][:].astype("i8"),
                f["sequences/lengths"][:],
                f["sequences/size"][:] if "sequences/size" in f else None)


def untie(path, out):
    """Replace identities by others that are close to them, and all different."""
    matches, columns, _, _ = read(path)
    i, j = np.nonzero(columns)
    matches[i, j], columns[i, j] = distinct(matches[i, j] / columns[i, j],
                                            np.random.default_rng(1))
    write_pairs(out, matches, columns)


def annotate(path):
    """Let every third sequence represent two records; add two samples, one with a blank."""
    with h5py.File(path, "r+") as f:
        n = len(f["sequences/lengths"])
        size = np.array([1 + (i * 5) % 7 for i in range(n)], "i8")
        members = [(f"s{i}" + x, i) for i in range(n)
                   for x in (["", ",b"] if i % 3 == 0 else [""])]
        f["sequences/size"] = size
        f["members/name"] = [name for name, _ in members]
        f["members/sequence"] = np.array([i for _, i in members], "i4")
        counts = [(i, j, c) for i in range(n)
                  for j, c in ((0, size[i] // 2), (1, size[i] - size[i] // 2)) if c]
        f["samples/names"] = ["soil", "deep sea"]
        f["samples/row_start"] = np.searchsorted([i for i, _, _ in counts],
                                                 np.arange(n + 1)).astype("i8")
        f["samples/sample"] = np.array([j for _, j, _ in counts], "i4")
        f["samples/count"] = np.array([c for _, _, c in counts], "i8")


def groups(path):
    with h5py.File(path) as f:
        otu = f["sequences/otu"][:]
        attrs = {name: value.decode() if isinstance(value, bytes) else value
                 for name, value in f.attrs.items()}
    return otu, attrs, Fraction(attrs["id"])


def partition(labels):
    out = {}
    for i, label in enumerate(labels):
        out.setdefault(label, []).append(i)
    return sorted(out.values())


def same(got, want, what):
    got, want = partition(got), partition(want)
    if got == want:
        print(f"{what}: {len(got)} clusters of {sum(map(len, got))}, equal")
        return 0
    print(f"{what}: {len(got)} clusters, not {len(want)}; "
          f"{[g for g in got if g not in want][:3]}")
    return 1


def by_scipy(pairs, groups_path):
    try:
        from scipy.cluster.hierarchy import fcluster, linkage
        from scipy.spatial.distance import squareform
    except ImportError:
        return 77
    matches, columns, _, _ = pairs
    otu, attrs, cutoff = groups(groups_path)
    identity = np.where(columns > 0, matches / np.maximum(columns, 1), 0)
    distance = np.triu(1 - identity, 1)
    tree = linkage(squareform(distance + distance.T), attrs["method"])
    want = fcluster(tree, float(1 - cutoff) + 1e-12, "distance")
    return same(otu, want, f"scipy {attrs['method']} {cutoff}")


def by_greedy(pairs, groups_path):
    matches, columns, lengths, size = pairs
    otu, attrs, cutoff = groups(groups_path)
    n = len(otu)
    size = np.ones(n, int) if size is None else size
    key = {"abundance": lambda i: (-size[i], i),
           "length": lambda i: (-lengths[i], -size[i], i)}[attrs["order"]]
    centroids, label = [], {}
    for i in sorted(range(n), key=key):
        best, joined = None, i
        for c in centroids:
            m, k = (int(x[min(i, c), max(i, c)]) for x in (matches, columns))
            if k and m * cutoff.denominator >= k * cutoff.numerator and (
                    best is None or m * best[1] > best[0] * k):
                best, joined = (m, k), c
        if joined == i:
            centroids.append(i)
        label[i] = joined
    return same(otu, [label[i] for i in range(n)], f"greedy by {attrs['order']} {cutoff}")


def run_mothur(matches, columns, cutoff, method):
    """Return each sequence's cluster in the last line of mothur's list."""
    n = len(matches)
    max_distance = float(1 - cutoff)
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/x.dist", "w") as f:
            for i, j in zip(*np.nonzero(columns)):
                if matches[i, j] * cutoff.denominator >= columns[i, j] * cutoff.numerator:
                    f.write(f"s{i} s{j} {1 - matches[i, j] / columns[i, j]:.9f}\n")
        with open(f"{folder}/x.count_table", "w") as f:
            f.write("Representative_Sequence\ttotal\n")
            f.writelines(f"s{i}\t1\n" for i in range(n))
        done = subprocess.run(
            ["mothur", f"#set.seed(seed=1); cluster(column=x.dist, count=x.count_table, "
                       f"method={method}, cutoff={max_distance:.9f}, precision=1000000000)"],
            cwd=folder, capture_output=True, text=True)
        lists = [x for x in os.listdir(folder) if x.endswith(".list")]
        if not lists:
            print(done.stdout[-2000:])
            sys.exit(1)
        with open(f"{folder}/{lists[0]}") as f:
            fields = f.readlines()[-1].split()
    label = {}
    for k, members in enumerate(fields[2:]):
        for name in members.split(","):
            label[int(name[1:])] = k
    return [label[i] for i in range(n)]


def coefficient(label, close):
    """Return Matthews' correlation coefficient of labels and an n x n table of close pairs."""
    label = np.asarray(label)
    i, j = np.triu_indices(len(label), 1)
    together, near = label[i] == label[j], close[i, j]
    tp, tn = int((together & near).sum()), int((~together & ~near).sum())
    fp, fn = int((together & ~near).sum()), int((~together & near).sum())
    return (tp * tn - fp * fn) / ((tp + fp) * (tn + fn) * (tp + fn) * (tn + fp)) ** 0.5


def by_mothur(pairs, groups_path):
    if shutil.which("mothur") is None:
        return 77
    matches, columns, _, _ = pairs
    otu, attrs, cutoff = groups(groups_path)
    method = {"single": "nearest", "complete": "furthest", "opti": "opti"}[
        attrs["method"]]
    theirs = run_mothur(matches, columns, cutoff, method)
    if method != "opti":
        return same(otu, theirs, f"mothur {method} {cutoff}")
    close = (columns > 0) & (matches * cutoff.denominator >= columns * cutoff.numerator)
    ours, stored = coefficient(otu, close), attrs["mcc"]
    print(f"MCC {ours:.6f} (stored {stored:.6f}), mothur's {coefficient(theirs, close):.6f}")
    return int(abs(ours - stored) > 1e-9 or ours < coefficient(theirs, close) - 1e-9)


METHODS = {"scipy": ("single", "complete", "average"), "greedy": ("centroid",),
           "mothur": ("single", "complete", "opti")}


def compare(peers, path, *groups_paths):
    pairs = read(path)
    run = {"scipy": by_scipy, "mothur": by_mothur, "greedy": by_greedy}
    found = [run[peer](pairs, x) for peer in peers.split(",") for x in groups_paths
             if groups(x)[1]["method"] in METHODS[peer]]
    return 1 if 1 in found or not found else max(found)


def biom(*prefixes):
    try:
        from biom import load_table
    except ImportError:
        return 77
    n_wrong = 0
    for prefix in prefixes:
        table = load_table(prefix + ".biom")
        with open(prefix + ".otus.tsv") as f:
            head, *rows = [line.rstrip("\n").split("\t") for line in f]
        want = np.array([[int(x) for x in row[1:]] for row in rows])
        n_wrong += not (list(table.ids("observation")) == [row[0] for row in rows] and
                        list(table.ids("sample")) == head[1:] and
                        table.type == "OTU table" and
                        (table.matrix_data.toarray() == want).all())
        print(f"{prefix}: {table.shape[0]} OTUs, {table.shape[1]} samples, "
              f"{table.sum():.0f} reads")
    return int(n_wrong > 0)


def by_list(prefix):
    """Check that mothur reads the list and finds the same OTUs."""
    if shutil.which("mothur") is None:
        return 77
    with open(prefix + ".list") as f:
        names, row = [line.rstrip("\n").split("\t") for line in f]
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(prefix + ".list", f"{folder}/x.list")
        subprocess.run(["mothur", "#get.otulist(list=x.list)"], cwd=folder,
                       capture_output=True)
        files = [x for x in os.listdir(folder) if x.endswith(".otu")]
        if not files:
            print("mothur cannot read the list")
            return 1
        with open(f"{folder}/{files[0]}") as f:
            theirs = [line.rstrip("\n").split("\t") for line in f]
    theirs = [row for row in theirs if row[0] != "OTULabel"]
    print(f"mothur reads {len(theirs)} OTUs at {row[0]}")
    return int(sorted(theirs) != sorted(map(list, zip(names[2:], row[2:]))))


if __name__ == "__main__":
    commands = {"make": make, "untie": untie, "annotate": annotate, "compare": compare,
                "biom": biom, "list": by_list}
    sys.exit(commands[sys.argv[1]](*sys.argv[2:]))
