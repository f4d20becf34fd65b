#!/usr/bin/env python3
"""presets.py - compares `ribogrid align --preset` with the programs of the presets.

usage:
  bench/presets.py check vsearch|needle|mothur RIBOGRID READS.fa[.gz] [GENES]
      Align all pairs with the program and with its preset.  Scores have to be equal (exit
      code 1 if not; mothur prints none), and identities wherever the alignments are.
      needle never puts gaps of both sequences side by side; scores may be higher then.
  bench/presets.py table RIBOGRID READS.fa[.gz] TAXONOMY.tsv[.gz]
      Identities by the default of `ribogrid align`, by each preset and by each program that
      is installed, for pairs of genes of all ranks, as the tables of docs/identity.md.
  bench/presets.py rate RIBOGRID READS.fa[.gz] [GENES [REPEATS]]
      Seconds for all pairs with 2 threads, of the preset, of the preset with CIGARs and of
      vsearch in turn, and those of processors, which other work on the machine changes less.

Programs are run with their defaults: vsearch --allpairs_global --acceptall, needleall
(with the gap costs that it asks for, 10 and 0.5), mothur's pairwise.seqs, blastn -task
blastn -subject.  GENES records are taken at even distances (default: all).
"""
import gzip
import os
import re
import statistics
import subprocess
import sys
import tempfile

from runs import run, spaced, timed, write_fasta

CLASSES = [(0.97, "97-100 %"), (0.90, "90-97 %"), (0.80, "80-90 %"), (0.70, "70-80 %"),
           (0.0, "< 70 %")]
PRESETS = ["vsearch", "mothur", "needle", "blastn", "unit"]
BLOCKS, PER_BLOCK = 12, 9  # genes of `table`
NEEDLE_EVERY = 4  # of these, queries for needle, which is slow
VSEARCH_FIELDS = "query+target+raw+caln+id0+id1+id2+id3+id4"


def read_fasta(path):
    """All records as [name, sequence], names up to the first blank."""
    records = []
    with (gzip.open if path.endswith(".gz") else open)(path, "rt") as text:
        for line in text:
            if line.startswith(">"):
                records.append([line[1:].split()[0], ""])
            else:
                records[-1][1] += line.strip()
    return records


def has(program):
    return any(os.access(os.path.join(d, program), os.X_OK)
               for d in os.environ["PATH"].split(os.pathsep))


def columns(path):
    with open(path) as lines:
        return [line.rstrip("\n").split("\t") for line in lines]


def by_vsearch(fasta):
    """{pair: [raw, alignment, id0 .. id4]}"""
    run("vsearch", "--allpairs_global", fasta, "--acceptall", "--qmask", "none",
        "--minseqlength", "1", "--userfields", VSEARCH_FIELDS, "--userout", "v.tsv")
    return {(c[0], c[1]): c[2:] for c in columns("v.tsv")}


def by_needle(fasta, every=1):
    """{pair: (score, matches, columns)}; a run per gene, with those behind it"""
    records, found = read_fasta(fasta), {}
    for i in range(0, len(records) - 1, every):
        write_fasta("a.fa", records[i:i + 1])
        write_fasta("b.fa", records[i + 1:])
        run("needleall", "-asequence", "a.fa", "-bsequence", "b.fa", "-gapopen", "10.0",
            "-gapextend", "0.5", "-aformat", "srspair", "-outfile", "n.txt", "-errfile",
            "n.err")
        with open("n.txt") as lines:
            for line in lines:
                word = line.split()
                if line.startswith("# 1:"):
                    query = word[2]
                elif line.startswith("# 2:"):
                    target = word[2]
                elif line.startswith("# Identity:"):
                    matches, n = line.split(":")[1].split("(")[0].split("/")
                elif line.startswith("# Score:"):
                    found[query, target] = (float(word[2]), int(matches), int(n))
    return found


def by_mothur(fasta):
    """{pair: distance as printed}"""
    run("mothur", "-q", f"#set.logfile(name=m.log);pairwise.seqs(fasta={fasta})")
    found = {}
    for line in open(os.path.splitext(fasta)[0] + ".dist"):
        a, b, distance = line.split()
        found[b, a] = distance
    return found


def by_blastn(fasta):
    """{pair: matches / columns of its best HSP on the same strand}"""
    run("blastn", "-task", "blastn", "-query", fasta, "-subject", fasta, "-strand", "plus",
        "-outfmt", "6 qseqid sseqid nident length score", "-max_target_seqs", "5000",
        "-out", "b.tsv")
    found = {}
    for query, target, matches, n, score in columns("b.tsv"):
        if (query, target) not in found or int(score) > found[query, target][0]:
            found[query, target] = (int(score), int(matches) / int(n))
    return {pair: value[1] for pair, value in found.items()}


def align(ribogrid, fasta, *options):
    run(ribogrid, "align", fasta, "-o", "x.h5", "--force", *options)


def view(ribogrid):
    """{pair: (score, matches, columns)}, and the CIGAR if there is one"""
    text = subprocess.run([ribogrid, "view", "--no-header", "x.h5"], check=True,
                          capture_output=True, text=True).stdout
    return {(c[0], c[1]): (float(c[2]), int(c[3]), int(c[4]), *c[6:])
            for c in (line.split("\t") for line in text.splitlines())}


def share(part, whole):
    return f"{part} of {whole} ({100 * part / max(whole, 1):.1f} %)"


def check_vsearch(ribogrid, fasta):
    align(ribogrid, fasta, "--preset", "vsearch", "--emit", "cigar")
    run(ribogrid, "export", "x.h5", "--format", "userout", "--userfields", VSEARCH_FIELDS,
        "-o", "o.tsv", "--force")
    ours = {(c[0], c[1]): c[2:] for c in columns("o.tsv")}
    theirs = by_vsearch(fasta)
    pairs = [p for p in theirs if p in ours]
    scores = sum(ours[p][0] == theirs[p][0] for p in pairs)
    same = [p for p in pairs if ours[p][1] == theirs[p][1]]
    wrong = sum(ours[p] != theirs[p] for p in same)
    print(f"pairs of vsearch that are in the file: {share(len(pairs), len(theirs))}")
    print(f"equal scores: {share(scores, len(pairs))}")
    print(f"equal alignments: {share(len(same), len(pairs))}; other identities: {wrong}")
    for k in range(5):
        equal = sum(ours[p][2 + k] == theirs[p][2 + k] for p in pairs)
        print(f"id{k} equal: {share(equal, len(pairs))}")
    return len(pairs) == len(theirs) == scores and wrong == 0


def check_needle(ribogrid, fasta):
    align(ribogrid, fasta, "--preset", "needle", "--emit", "cigar")
    ours, theirs = view(ribogrid), by_needle(fasta)
    scores = sum(ours[p][0] == theirs[p][0] for p in theirs)
    better = [p for p in theirs if ours[p][0] > theirs[p][0]]
    meet = [p for p in better if re.search(r"I\d+D|D\d+I", ours[p][3])]
    same = sum(ours[p][1:3] == theirs[p][1:3] for p in theirs)
    more = sum(ours[p][1] >= theirs[p][1] for p in theirs if ours[p][0] == theirs[p][0])
    print(f"equal scores: {share(scores, len(theirs))}")
    print(f"higher than needle's, with a gap of one sequence next to one of the other, "
          f"which needle does not try: {share(len(meet), len(theirs))}")
    print(f"equal matches and columns: {share(same, len(theirs))}")
    print(f"at equal scores at least as many matches: {share(more, scores)}")
    return scores == more and scores + len(meet) == len(theirs) == len(ours)


def check_mothur(ribogrid, fasta):
    align(ribogrid, fasta, "--preset", "mothur")
    ours, theirs = view(ribogrid), by_mothur(fasta)
    gaps = [abs(1 - ours[p][1] / ours[p][2] - float(theirs[p])) for p in theirs]
    same = sum(gap < 2e-6 for gap in gaps)
    print(f"equal distances: {share(same, len(theirs))}; mean difference of all "
          f"{100 * statistics.mean(gaps):.3f}, maximum {100 * max(gaps):.3f} points")
    return len(theirs) == len(ours)


def genes_of_all_ranks(reads, taxonomy):
    """Blocks of neighbours in the order of lineages: pairs of all distances."""
    with (gzip.open if taxonomy.endswith(".gz") else open)(taxonomy, "rt") as text:
        lineage = dict(line.rstrip("\n").split("\t")[:2] for line in text)
    records = sorted(read_fasta(reads), key=lambda r: (lineage[r[0]], r[0]))
    first = [i * len(records) // BLOCKS for i in range(BLOCKS)]
    return [records[f + k] for f in first for k in range(PER_BLOCK)]


def class_of(identity):
    return next(name for least, name in CLASSES if identity >= least)


def print_table(default, others):
    """Mean difference in points, and the mean of absolute ones; `default` makes classes."""
    print("| identity by default | pairs | " + " | ".join(others) + " |")
    print("|---|---|" + "---|" * len(others))
    for _, name in CLASSES:
        pairs = [p for p in default if class_of(default[p]) == name]
        cells = []
        for identity in others.values():
            gaps = [100 * (identity[p] - default[p]) for p in pairs if p in identity]
            cells.append(f"{statistics.mean(gaps):+.1f} ({statistics.mean(map(abs, gaps)):.1f})"
                         if gaps else "-")
        print(f"| {name} | {len(pairs):,} | " + " | ".join(cells) + " |")


def identities(rows):
    return {p: row[1] / row[2] for p, row in rows.items() if row[2] > 0}


def table(ribogrid, reads, taxonomy):
    write_fasta("g.fa", genes_of_all_ranks(reads, taxonomy))
    align(ribogrid, "g.fa")
    default = identities(view(ribogrid))
    by_preset, by_program, by_columns = {}, {}, {}
    for preset in PRESETS:
        align(ribogrid, "g.fa", "--preset", preset)
        by_preset[preset] = identities(view(ribogrid))
    for preset in ["vsearch", "mothur", "needle"]:
        align(ribogrid, "g.fa", "--preset", preset, "--iddef", "2")
        by_columns[preset] = identities(view(ribogrid))
    align(ribogrid, "g.fa", "--ambiguity", "match")
    by_columns["default, codes match"] = identities(view(ribogrid))
    print("presets, each with its definition of identity\n")
    print_table(default, by_preset)
    print("\npresets, all with --iddef 2\n")
    print_table(default, by_columns)
    sys.stdout.flush()
    if has("vsearch"):
        by_program["vsearch"] = {p: float(c[4]) / 100 for p, c in by_vsearch("g.fa").items()}
    if has("mothur"):
        by_program["mothur"] = {p: 1 - float(d) for p, d in by_mothur("g.fa").items()}
    if has("blastn"):
        by_program["blastn"] = by_blastn("g.fa")
    if has("needleall"):
        by_program["needle"] = identities(by_needle("g.fa", NEEDLE_EVERY))
    print("\nprograms\n")
    print_table(default, by_program)
    return True


def print_rate(what, seconds):
    """seconds: (wall, processors) of identities, of CIGARs, and of vsearch"""
    words = [f"{wall:.1f} s ({used:.1f})" for wall, used in seconds]
    times = [seconds[2][1] / used for _, used in seconds[:2]]
    print(f"{what}: ribogrid {words[0]}, with CIGARs {words[1]}, vsearch {words[2]}: "
          f"{times[0]:.2f} and {times[1]:.2f} times", flush=True)


def rate(ribogrid, reads, genes="1000", repeats="3"):
    write_fasta("g.fa", spaced(read_fasta(reads), int(genes)))
    ours = [ribogrid, "align", "g.fa", "-o", "x.h5", "--force", "--preset", "vsearch",
            "--threads", "2"]
    programs = [ours, ours + ["--emit", "cigar"],
                ["vsearch", "--allpairs_global", "g.fa", "--acceptall", "--threads", "2",
                 "--blast6out", "v.tsv"]]
    runs = []
    print(f"seconds (of processors), load {os.getloadavg()[0]:.1f}")
    for _ in range(int(repeats)):
        runs.append([timed(words) for words in programs])
        print_rate("run", runs[-1])
    print_rate("medians", [[statistics.median(run[p][k] for run in runs) for k in range(2)]
                           for p in range(len(programs))])
    return True


def check(program, ribogrid, reads, genes=None):
    records = read_fasta(reads)
    write_fasta("g.fa", spaced(records, int(genes)) if genes else records)
    return {"vsearch": check_vsearch, "needle": check_needle,
            "mothur": check_mothur}[program](ribogrid, "g.fa")


def main():
    jobs = {"check": check, "table": table, "rate": rate}
    if len(sys.argv) < 4 or sys.argv[1] not in jobs:
        sys.exit(__doc__)
    words = [os.path.abspath(w) if os.path.exists(w) else w for w in sys.argv[2:]]
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        good = jobs[sys.argv[1]](*words)
        os.chdir("/")
    sys.exit(0 if good else 1)


main()
