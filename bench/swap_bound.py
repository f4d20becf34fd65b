#!/usr/bin/env python3
"""swap_bound.py - how far plans of swapping are from the least that can be moved.

usage: swap_bound.py RIBOGRID NET BATCH LIMIT...     (LIMIT: bytes, or 512M, 1G)

For each limit of a GPU's memory: MiB that a batch of training moves in and out, by the
plan, by the plan without rematerialization and on demand as `ribogrid cnn plan
--device-memory` counts them, and bounds of the first two.  These are linear relaxations,
by HiGHS (scipy; Debian: python3-scipy): between two uses any part of a tensor may be out,
which costs a copy in, and one out if it was written since the last; no more bytes are in
the arena at any step than fit; updates follow their gradients, and take no memory for
what may pass in slices.  No plan of the same steps can move less; one that applies
gradients of weights tile by tile, or computes convolutions again, has other steps.  With
rematerialization, what cheap steps have written may be out at no cost until the backward
pass, whether what they read is there or not: no plan of these steps can move less, and
most have to move more.  The steps are read from `cnn plan --tsv`, nothing is taken from
the planner but the size of its arena.
"""
import subprocess
import sys

import numpy
from scipy.optimize import linprog
from scipy.sparse import lil_matrix

MIB = 1048576
KEPT = {"labels", "output"}
RETURNS = {"parameter", "state"}
DIVIDED = 64 * MIB  # larger parameters and states of an update may pass in slices
CHEAP = {"pool", "lrn", "relu", "dropout", "batch-norm", "batch-norm-whole", "concat"}


def plan(ribogrid, *args):
    text = subprocess.run([ribogrid, "cnn", "plan", *args, "--tsv"], check=True,
                          capture_output=True, text=True).stdout
    rows = [line.split("\t") for line in text.splitlines()]
    return [dict(zip(rows[0], row)) for row in rows[1:]]


def tensors(text):
    for item in text.split(","):
        name, role, size = item.rsplit(":", 2)
        yield name, role, -(-int(size) // 256) * 256


def ordered(steps):
    """The steps, each update behind the last one before it that uses its tensors."""
    uses = [{name for name, _, _ in tensors(s["reads"] + "," + s["writes"])}
            for s in steps]
    first = next((i for i, s in enumerate(steps) if s["part"] == "update"), len(steps))
    behind = [max(k for k in range(first) if uses[k] & uses[i])
              for i in range(first, len(steps))]
    order = []
    for i in range(first):
        order.append(i)
        order += [u for u in range(first, len(steps)) if behind[u - first] == i]
    return [steps[i] for i in order]


def is_free(steps, name, start, to):
    """Whether a tensor that is out between two uses can be computed again."""
    if steps[to]["part"] == "forward":
        return False
    writers = [s for s in steps[:start + 1] if name in {t[0] for t in tensors(s["writes"])}]
    if len(writers) > 1 and writers[-1]["reads"] == writers[-1]["writes"]:
        return all(s["operation"] in CHEAP for s in writers[-2:])
    return len(writers) > 0 and writers[-1]["operation"] in CHEAP


def gaps_of(steps):
    """Bytes in memory at each step; (from, to, bytes, version, is_free) of each gap."""
    n = len(steps)
    live = numpy.zeros(n)
    uses = {}
    for at, step in enumerate(steps):
        for column in ("reads", "writes"):
            for name, role, size in tensors(step[column]):
                places = uses.setdefault((name, role, size), {})
                places[at] = places.get(at, False) or column == "writes"
    gaps, version = [], 0
    for (name, role, size), places in uses.items():
        at = sorted(places)
        lasts = role in KEPT | RETURNS | {"input"}
        live[(0 if lasts else at[0]):(n if lasts else at[-1] + 1)] += size
        n_writes = sum(places.values())
        if role in KEPT:
            continue
        written = 0
        first_gap = len(gaps)
        for i, place in enumerate(at):
            written += places[place]
            if i + 1 < len(at):
                to = at[i + 1]
            elif role in RETURNS:
                to = at[0]
            else:
                break
            if n_writes == 0 and role in RETURNS:
                gaps.append((place, to, size, -1))
            else:
                gaps.append((place, to, size,
                             version + (written % n_writes if role in RETURNS
                                        else written)))
        gaps[first_gap:] = [(*g, role == "activation" and is_free(steps, name, *g[:2]))
                            for g in gaps[first_gap:]]
        version += n_writes + 1
    return live, gaps


def bound(steps, live, gaps, room, repeats):
    n, m = len(live), len(gaps)
    copies = {v: m + i for i, v in enumerate(sorted({g[3] for g in gaps if g[3] >= 0}))}
    cost = numpy.zeros(m + len(copies))
    matrix = lil_matrix((n + m, len(cost)))
    for i, (start, to, size, version, free) in enumerate(gaps):
        free = free and repeats
        cost[i] = 0 if free else size
        if steps[start]["part"] == "update" and size > DIVIDED:
            matrix[start, i] = -size
        place = (start + 1) % n
        while place != to:
            matrix[place, i] = -size
            place = (place + 1) % n
        if version >= 0 and not free:
            cost[copies[version]] = size
            matrix[n + i, i] = 1
            matrix[n + i, copies[version]] = -1
    limits = numpy.concatenate([room - live, numpy.zeros(m)])
    solved = linprog(cost, A_ub=matrix.tocsr(), b_ub=limits, bounds=(0, 1),
                     method="highs")
    return solved.fun if solved.success else float("nan")


def moved(row):
    return float(row["in_mib"]) + float(row["out_mib"])


def main():
    if len(sys.argv) < 5:
        sys.exit(__doc__)
    ribogrid, net, batch, *limits = sys.argv[1:]
    steps = ordered(plan(ribogrid, net, "--batch", batch))
    live, gaps = gaps_of(steps)
    print("net\tbatch\tlimit\tplan_mib\tbound_mib\tplan/bound\tcopies_mib\tbound_mib\t"
          "copies/bound\tdemand_mib")
    for limit in limits:
        args = [ribogrid, net, "--batch", batch, "--device-memory", limit]
        row = plan(*args)[0]
        try:
            demand = moved(plan(*args, "--swap", "demand")[0])
        except subprocess.CalledProcessError:
            demand = float("nan")  # on demand more is needed at least
        print(net, batch, limit, sep="\t", end="")
        unit = {"K": 1024, "M": MIB, "G": 1024 * MIB}.get(limit[-1])
        size = int(limit[:-1]) * unit if unit else int(limit)
        for repeats in (True, False):
            least = bound(steps, live, gaps, size - float(row["scratch_mib"]) * MIB,
                          repeats) / MIB
            mib = moved(row if repeats else plan(*args, "--rematerialize", "off")[0])
            print(f"\t{mib:.1f}\t{least:.1f}\t{mib / least if least > 0 else 1:.2f}", end="")
        print(f"\t{demand:.1f}")


if __name__ == "__main__":
    main()
