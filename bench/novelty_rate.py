#!/usr/bin/env python3
"""How many reads of genera that a model lacks get a genus, against --novelty-rate.

usage: bench/novelty_rate.py RIBOGRID GENES.fa[.gz] TAXONOMY.tsv[.gz] [option...]

    --seeds N       splits, 1 .. N (5)
    --first N       the first of them (1)
    --absent N      genera that the references lack (300)
    --held-out N    of classify train (1000)
    --rate R        --novelty-rate (0.25)
    --method M      of classify (joint)
    --train REGION  cut the references to it; one name of the table below, or whole
    --regions LIST  of the reads, separated by commas (V1-V3,V3-V4,V4,whole)
    --threads N     of ribogrid (all)
    --models DIR    where models are kept, and used again (none)
    --jobs N        splits at a time (1)

A genus is the lowest taxon of a lineage; genes whose lineage ends above others are not judged.
Each seed leaves out all genes of N genera, and one gene of each other genus that has three
or more.  A model of the rest classifies the genes that were left out, cut to each region.
Prints for each seed and region, and for their means with 95 % intervals: reads of absent
genera; how many of them get a genus, in percent of the reads and as mean over the genera;
reads of known genera; the percentages of them with a right and a wrong genus; seconds.
"""
import argparse
import math
import os
import random
import statistics
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

from amplicons import open_text, pattern, records
from runs import run, write_fasta

REGIONS = {
    "V1-V3": "AGAGTTTGATYMTGGCTCAG/ATTACCGCGGCTGCTGG",
    "start-V3": None,  # of genes that begin behind the primer of V1
    "V3-V4": "341F/785R",
    "V4": "515F/806R",
    "V4-V5": "515F/926R",
    "whole": None,
}
BEHIND_V3 = pattern("CCAGCAGCCGCGGTAAT")
STUDENT = {2: 12.71, 3: 4.30, 4: 3.18, 5: 2.78, 6: 2.57, 7: 2.45, 8: 2.36, 9: 2.31, 10: 2.26}


def read_lineages(path):
    with open_text(path) as file:
        return dict(line.rstrip("\n").split("\t")[:2] for line in file)


def taxa_above(lineages):
    """All taxa that have others below: a read that is named as far has no genus."""
    return {lineage[:k] for lineage in set(lineages)
            for k, letter in enumerate(lineage) if letter == ";"}


def split(genes, lineage_of, n_absent, seed):
    """(references, reads, their absent genera)"""
    members = {}
    for name, _ in genes:
        members.setdefault(lineage_of[name], []).append(name)
    rng = random.Random(seed)
    genera = sorted(members)
    rng.shuffle(genera)
    absent = set(genera[:n_absent])
    held = {rng.choice(members[g]) for g in genera[n_absent:] if len(members[g]) >= 3}
    held.update(name for genus in absent for name in members[genus])
    return ([g for g in genes if g[0] not in held], [g for g in genes if g[0] in held],
            absent)


def cut_start(reads):
    """From the first base to the primer behind V3, of reads that have it."""
    ends = ((name, s, BEHIND_V3.search(s)) for name, s in reads)
    return [(name, s[:end.start()]) for name, s, end in ends if end]


def judge(table, lineage_of, above, absent, known):
    """The numbers of a table of names."""
    named, n_right, n_wrong, n_known = {}, 0, 0, 0
    with open(table) as file:
        next(file)
        for line in file:
            name, _, lineage = line.split("\t")[:3]
            own, has_genus = lineage_of[name], lineage in known
            if own in above:
                continue
            if own in absent:
                named.setdefault(own, []).append(has_genus)
                continue
            n_known += 1
            n_right += has_genus and lineage == own
            n_wrong += has_genus and lineage != own
    reads = [x for genus in named.values() for x in genus]
    return (len(reads), 100 * statistics.mean(reads),
            100 * statistics.mean(statistics.mean(g) for g in named.values()), n_known,
            100 * n_right / n_known, 100 * n_wrong / n_known)


def show(label, numbers, seconds):
    print("{:22s} {:6.0f} {:6.1f} {:6.1f}   {:6.0f} {:6.1f} {:6.1f}".format(label, *numbers) +
          seconds, flush=True)


def show_mean(label, rows):
    means = [statistics.mean(column) for column in zip(*rows)]
    spread = ""
    if len(rows) in STUDENT:
        factor = STUDENT[len(rows)] / math.sqrt(len(rows))
        widths = [factor * statistics.stdev(column) for column in zip(*rows)]
        spread = "   +- " + " ".join(f"{widths[k]:.1f}" for k in (1, 2, 4, 5))
    show(label, means, spread)


def trial(o, genes, lineage_of, above, seed, folder):
    """The rows of a split by region, and their seconds."""
    refs, reads, absent = split(genes, lineage_of, o.absent, seed)
    known = {lineage_of[name] for name, _ in refs} - above
    options = ["--threads", str(o.threads)] if o.threads else []
    primers = ["--primers", REGIONS[o.train]] if REGIONS[o.train] else []
    model = os.path.join(o.models or folder, f"{o.train}.{o.absent}.{o.held_out}.{seed}.h5")
    write_fasta(os.path.join(folder, "refs.fa"), refs)
    if not os.path.exists(model):
        run(o.ribogrid, "classify", "train", os.path.join(folder, "refs.fa"), "--taxonomy",
            o.taxonomy, "--held-out", o.held_out, *primers, *options, "-q", "-o", model)
    rows = {}
    for region in o.regions.split(","):
        primers = ["--primers", REGIONS[region]] if REGIONS[region] else []
        table = os.path.join(folder, "names.tsv")
        write_fasta(os.path.join(folder, "reads.fa"),
                    cut_start(reads) if region == "start-V3" else reads)
        start = time.monotonic()
        run(o.ribogrid, "classify", os.path.join(folder, "reads.fa"), "--model", model,
            "--method", o.method, "--novelty-rate", o.rate, *primers, *options, "--force",
            "-q", "-o", table)
        seconds = time.monotonic() - start
        rows[region] = judge(table, lineage_of, above, absent, known), seconds
    return rows


def main():
    p = argparse.ArgumentParser(usage=__doc__.replace("%", "%%"), add_help=False)
    p.add_argument("ribogrid")
    p.add_argument("genes")
    p.add_argument("taxonomy")
    p.add_argument("--seeds", type=int, default=5)
    p.add_argument("--first", type=int, default=1)
    p.add_argument("--absent", type=int, default=300)
    p.add_argument("--held-out", default="1000")
    p.add_argument("--rate", default="0.25")
    p.add_argument("--method", default="joint")
    p.add_argument("--train", default="whole")
    p.add_argument("--regions", default="V1-V3,V3-V4,V4,whole")
    p.add_argument("--threads", type=int, default=0)
    p.add_argument("--models")
    p.add_argument("--jobs", type=int, default=1)
    o = p.parse_args()
    lineage_of = read_lineages(o.taxonomy)
    genes = [(name, s) for name, s in records(o.genes)
             if name in lineage_of and not set(s) - set("ACGTUNRYSWKMBDHV")]
    above = taxa_above(lineage_of.values())
    rows = {}
    print(f"# --train {o.train} --method {o.method} --novelty-rate {o.rate}, "
          f"{o.absent} genera absent, --held-out {o.held_out}")
    print("                        absent  reads  genera    known  right  wrong")

    def run_seed(seed):
        with tempfile.TemporaryDirectory() as folder:
            return seed, trial(o, genes, lineage_of, above, seed, folder)

    with ThreadPoolExecutor(o.jobs) as pool:
        for seed, trial_rows in pool.map(run_seed, range(o.first, o.first + o.seeds)):
            for region, (row, seconds) in trial_rows.items():
                rows.setdefault(region, []).append(row)
                show(f"seed {seed} {region}", row, f" {seconds:6.1f} s")
    for region, of_region in rows.items():
        show_mean(f"mean  {region}", of_region)


main()
