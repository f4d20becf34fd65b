#!/usr/bin/env python3
"""clades_loop.py RIBOGRID PAIRS.h5 LINEAGES C.h5 N_BINS: every number that `clades` prints of
all taxa, and of pairs of taxa, is that of a loop over the pairs that `view` prints."""
import itertools
import random
import subprocess
import sys
from collections import defaultdict
from fractions import Fraction

ribogrid, pairs_path, lineages_path, clades_path = sys.argv[1:5]
n_bins = int(sys.argv[5])


def lines_of(*words):
    return subprocess.run([ribogrid, *words], check=True, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True).stdout.splitlines()


lineage = dict(line.rstrip("\n").split("\t") for line in open(lineages_path))
names = set()
pairs = []
for line in lines_of("view", pairs_path)[1:]:
    a, b, _, matches, columns = line.split("\t")[:5]
    names |= {a, b}
    if int(columns):
        pairs.append((a, b, Fraction(int(matches), int(columns))))
members = defaultdict(set)  # of a lineage
for name in names:
    ranks = lineage[name].split(";")
    for r in range(len(ranks)):
        members[";".join(ranks[:r + 1])].add(name)


def text_of(k):
    return "-" if k is None else f"{k / n_bins:.6g}"


def kth(bins, k):
    """Return the bin of the k-th lowest identity, from 1."""
    return sorted(bins)[k - 1] if 0 < k <= len(bins) else None


def sets_of(a, b):
    """Return the bins of pairs within a, within b, and between."""
    out = ([], [], [])
    for x, y, identity in pairs:
        in_a, in_b = (x in a) + (y in a), (x in b) + (y in b)
        if in_a + in_b == 2:
            out[0 if in_a == 2 else 1 if in_b == 2 else 2].append(
                identity.numerator * n_bins // identity.denominator)
    return out


def answer(a, b):
    n_a, n_b = len(a), len(b)
    sets = sets_of(a, b)
    yield "set\tpairs\twithout_identity\tminimum\tq05\tq25\tmedian\tq75\tq95\tmaximum"
    for what, bins, n_all in zip(("within_a", "within_b", "between"), sets,
                                 (n_a * (n_a - 1) // 2, n_b * (n_b - 1) // 2, n_a * n_b)):
        n = len(bins)
        places = [1] + [(n * q + 99) // 100 for q in (5, 25, 50, 75, 95)] + [n]
        yield "\t".join([what, str(n_all), str(n_all - n)] +
                        [text_of(kth(bins, k)) for k in places])
    yield ""
    yield "identity\twithin_a\twithin_b\tbetween"
    for k in range(n_bins + 1):
        counts = [bins.count(k) for bins in sets]
        if any(counts):
            yield "\t".join([f"{k / n_bins:.6g}"] + [str(n) for n in counts])


def is_elsewhere(a, b):
    """Return whether lineages differ before one of them ends."""
    return any(x != y for x, y in zip(a.split(";"), b.split(";")))


def misfits(taxon):
    """Count members that are more similar to one of another taxon."""
    n = 0
    for name in members[taxon]:
        inside, outside = [], []
        for x, y, identity in by_name[name]:
            other = y if x == name else x
            if other in members[taxon]:
                inside.append(identity)
            elif is_elsewhere(lineage[name], lineage[other]):
                outside.append(identity)
        n += bool(inside and outside and max(outside) > max(inside))
    return n


by_name = defaultdict(list)
for pair in pairs:
    by_name[pair[0]].append(pair)
    by_name[pair[1]].append(pair)

table = [line.split("\t") for line in lines_of("clades", clades_path)][1:]
listed = {row[1] for row in table}
for row in table:
    taxon = row[1]
    within = sets_of(members[taxon], set())[0]
    parent = taxon.rpartition(";")[0]
    near = [max(bins) for other in listed - {taxon}
            if other.rpartition(";")[0] == parent
            for bins in [sets_of(members[taxon], members[other])[2]] if bins]
    low, most = kth(within, 1), max(near, default=None)
    gap = "-" if None in (low, most) else text_of(low - most)
    want = [str(taxon.count(";") + 1), taxon, str(len(members[taxon])), str(len(within)),
            text_of(low), text_of(kth(within, (len(within) + 1) // 2)), row[6],
            text_of(most), gap, str(misfits(taxon))]
    assert row == want, f"{row} is not {want}"
    if row[6] != "-":
        other = members[parent + ";" * bool(parent) + row[6]]
        assert most in sets_of(members[taxon], other)[2], f"{row[6]} is not the nearest"

asked = [(a, b) for a, b in itertools.permutations(sorted(members), 2)
         if not members[a] & members[b]]
random.seed(1)
for a, b in random.sample(asked, min(len(asked), 40)):
    more = [] if {a, b} <= listed else ["--pairs-file", pairs_path]
    got, want = lines_of("clades", clades_path, a, b, *more), list(answer(members[a], members[b]))
    assert got == want, f"{a} and {b}:\n" + "\n".join(got) + "\nis not\n" + "\n".join(want)
print(f"{len(table)} taxa and {min(len(asked), 40)} questions: equal")
