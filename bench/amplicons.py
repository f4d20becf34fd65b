#!/usr/bin/env python3
"""Classify amplicons of held-out genes with ribogrid and with vsearch --sintax.

usage: bench/amplicons.py RIBOGRID GENES.fa[.gz] TAXONOMY.tsv[.gz] [EVERY]
       bench/amplicons.py cut GENES.fa[.gz] N

Every 20th gene (EVERY) is held out: its V4 region, cut between the primers 515F and 806R,
is a query; the other, whole genes are the references.  Prints one line per method: the
percentages of queries with a right and a wrong genus, among those whose genus has
references, and the number of queries that got a genus although theirs has no references.
`cut` prints the V4 regions of the first N genes that have both primers.
"""
import gzip
import os
import re
import subprocess
import sys
import tempfile
import time

SETS = {"Y": "CT", "M": "AC", "W": "AT", "B": "CGT", "D": "AGT"}
FIRST, LAST = "GTGYCAGCMGCCGCGGTAA", "ATTAGAWACCCBDGTAGTCC"


def pattern(primer):
    return re.compile("".join(f"[{SETS.get(c, c)}]" for c in primer))


def open_text(path):
    return gzip.open(path, "rt") if path.endswith(".gz") else open(path)


def records(path):
    name, parts = None, []
    with open_text(path) as file:
        for line in file:
            if line.startswith(">"):
                if name is not None:
                    yield name, "".join(parts)
                name, parts = line[1:].split()[0], []
            else:
                parts.append(line.strip().upper().replace("U", "T"))
    if name is not None:
        yield name, "".join(parts)


def region(sequence, first=pattern(FIRST), last=pattern(LAST)):
    """Return the bases between the primers, or None."""
    begin = first.search(sequence)
    end = begin and last.search(sequence, begin.end())
    return sequence[begin.end() : end.start()] if end else None


def clean(name):
    return re.sub(r"[^A-Za-z0-9.-]", "_", name)


def split(genes, lineages, every, folder):
    """Write queries, references, and the references in the format of sintax."""
    held = {}
    with open(f"{folder}/held.fa", "w") as queries, open(
        f"{folder}/ref.fa", "w"
    ) as references, open(f"{folder}/db.fa", "w") as database:
        for i, (name, sequence) in enumerate(genes):
            if name not in lineages:
                continue
            if i % every == 0:
                cut = region(sequence)
                if cut:
                    queries.write(f">{name}\n{cut}\n")
                    held[name] = clean(lineages[name][-1])
                continue
            ranks = ",".join(f"{r}:{clean(t)}" for r, t in zip("dpcofg", lineages[name]))
            references.write(f">{name}\n{sequence}\n")
            database.write(f">{name};tax={ranks};\n{sequence}\n")
    return held


def timed(*command):
    begin = time.monotonic()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.monotonic() - begin


def sintax(folder, threads):
    """Return the time, and the genus and its support per query."""
    out = f"{folder}/sintax.tsv"
    seconds = timed("vsearch", "--sintax", f"{folder}/held.fa", "--db", f"{folder}/db.fa",
                    "--tabbedout", out, "--threads", threads, "--randseed", "1", "--quiet")
    found = {}
    for line in open(out):
        fields = line.rstrip("\n").split("\t")
        genus = re.search(r"g:([^(]*)\(([0-9.]+)\)", fields[1] if len(fields) > 1 else "")
        if genus:
            found[fields[0]] = genus.group(1), float(genus.group(2))
    return seconds, found


def classify(program, folder, taxonomy, options):
    hits, out = f"{folder}/hits.h5", f"{folder}/names.tsv"
    seconds = timed(program, "align", f"{folder}/held.fa", "--against", f"{folder}/ref.fa",
                    "--ends", "query", "--top", "1", "-o", hits, "--force", "-q", *options)
    seconds += timed(program, "taxonomy", hits, "--taxonomy", taxonomy, "-o", out, "--force")
    found = {}
    for line in open(out):
        fields = line.rstrip("\n").split("\t")
        lineage = fields[1].rstrip(";").split(";")
        if fields[0] != "query" and len(lineage) >= 6:
            found[fields[0]] = clean(lineage[5])
    return seconds, found


def show(what, seconds, found, held, known):
    right = sum(found.get(q) == g for q, g in held.items() if g in known)
    wrong = sum(q in found and found[q] != g for q, g in held.items() if g in known)
    false_names = sum(q in found for q, g in held.items() if g not in known)
    n = sum(g in known for g in held.values())
    print(f"{what:44s} {100 * right / n:5.1f} % {100 * wrong / n:5.1f} % "
          f"{false_names:5d} of {len(held) - n}  {seconds:7.2f} s")


def main(arguments):
    if len(arguments) == 3 and arguments[0] == "cut":
        cuts = ((name, region(s)) for name, s in records(arguments[1]))
        whole = ((name, cut) for name, cut in cuts if cut)
        for (name, cut), _ in zip(whole, range(int(arguments[2]))):
            print(f">{name}\n{cut}")
        return
    if len(arguments) not in (3, 4):
        sys.exit(__doc__)
    program, genes, taxonomy = arguments[:3]
    every, threads = int((arguments + ["20"])[3]), str(len(os.sched_getaffinity(0)))
    with open_text(taxonomy) as file:
        rows = (line.rstrip("\n").split("\t") for line in file)
        lineages = {row[0]: row[1].rstrip(";").split(";") for row in rows}
    with tempfile.TemporaryDirectory() as folder:
        held = split(records(genes), lineages, every, folder)
        known = {clean(lineages[name][-1]) for name, _ in records(f"{folder}/ref.fa")}
        print(f"{len(held)} queries, {threads} threads\n{'':44s} right   wrong   "
              f"absent genus, named  total time")
        seconds, found = sintax(folder, threads)
        for min_support in (0, 0.5, 0.8):
            some = {q: g for q, (g, support) in found.items() if support >= min_support}
            show(f"vsearch --sintax, support {min_support}", seconds, some, held, known)
        for options in ([], ["--id", "0.95"], ["--id", "0.97"]):
            show("ribogrid align --top 1 " + " ".join(options),
                 *classify(program, folder, taxonomy, options), held, known)


if __name__ == "__main__":
    main(sys.argv[1:])
