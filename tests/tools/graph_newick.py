#!/usr/bin/env python3
"""Check a dendrogram of `graph mst --newick` or of `cluster --newick`.

Its leaves are as far apart as linkage of scipy joins them (METHOD, single), or 1 apart
where that is below an identity (ID, 0); every leaf is at the same depth.  Cut at an
identity, a tree of single linkage gives its clusters.

usage: graph_newick.py PAIRS.h5 TREE.nwk [METHOD ID]
"""
import sys

import h5py
import numpy
from scipy.cluster import hierarchy
from scipy.sparse import csgraph
from scipy.spatial import distance


def parse(text):
    """Return nested tuples (children or name, length) of a Newick tree, without recursion."""
    stack, at = [[]], 0
    while text[at] != ";":
        if text[at] == "(":
            stack.append([])
        elif text[at] == ")":
            stack[-2].append([stack.pop(), 0.0])
        elif text[at] == ":":
            end = at + 1
            while text[end] not in ",);":
                end += 1
            stack[-1][-1][1] = float(text[at + 1:end])
            at = end - 1
        elif text[at] == "'":
            name, end = "", at + 1
            while text[end] != "'" or text[end + 1] == "'":
                name += text[end]
                end += 1 + (text[end] == "'")
            stack[-1].append([name, 0.0])
            at = end
        elif text[at] != ",":
            end = at
            while text[end] not in ",):;":
                end += 1
            stack[-1].append([text[at:end], 0.0])
            at = end - 1
        at += 1
    assert len(stack) == 1 and len(stack[0]) == 1
    return stack[0][0]


def leaves(node, depth, names, paths):
    """List (leaf, depth) below a node, and set the paths between leaves of its children."""
    what, length = node
    if isinstance(what, str):
        return [(names.index(what), depth + length)]
    assert len(what) == 2, "a binary tree"
    left, right = (leaves(child, depth + length, names, paths) for child in what)
    for a, deep_a in left:
        for b, deep_b in right:
            paths[a, b] = paths[b, a] = deep_a + deep_b - 2 * (depth + length)
    return left + right


def main():
    """Run as a program."""
    with h5py.File(sys.argv[1]) as f:
        matches, columns = f["matches"][:], f["columns"][:]
        names = list(f["sequences/names"].asstr()[:])
    sys.setrecursionlimit(10000)
    identity = numpy.where(columns > 0, matches / numpy.maximum(columns, 1), 0)
    identity = numpy.maximum(identity, identity.T)
    far = 1 - identity
    numpy.fill_diagonal(far, 0)
    paths = numpy.zeros_like(far)
    with open(sys.argv[2], encoding="utf-8") as f:
        text = f.read()
    assert text.endswith(";\n") and text.count("\n") == 1
    found = leaves(parse(text.strip()), 0.0, names, paths)
    assert sorted(leaf for leaf, _ in found) == list(range(len(names)))
    depths = [depth for _, depth in found]
    assert max(depths) - min(depths) < 1e-9, "ultrametric"
    method, cutoff = sys.argv[3:] or ("single", 0)
    joins = hierarchy.linkage(distance.squareform(far, checks=False), method)
    want = distance.squareform(hierarchy.cophenet(joins))
    want = numpy.where(want <= 1 - float(cutoff) + 1e-9, want, 1)
    numpy.fill_diagonal(want, 0)
    assert numpy.allclose(paths, want, atol=1e-9), numpy.abs(paths - want).max()
    for cutoff in (0.99, 0.97, 0.95, 0.9, 0.85, 0.8) if sys.argv[3:] == [] else ():
        n, labels = csgraph.connected_components(identity >= cutoff)
        joined = paths <= 1 - cutoff + 1e-9
        assert (joined == (labels[:, None] == labels[None, :])).all(), cutoff
        print(cutoff, n)


if __name__ == "__main__":
    main()
