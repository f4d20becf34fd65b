#!/usr/bin/env python3
"""Search proteins with ribogrid, blastp, DIAMOND and MMseqs2.

usage: bench/search_proteins.py [--table OUT.tsv | --calibrate OUT.tsv] RIBOGRID QUERIES.faa
                               DB.faa [QUERIES [TARGETS [THREADS]]]

QUERIES of the first file (100) and TARGETS of the second (all), at even distances, with
THREADS threads (2).  Prints for each program seconds and processor seconds, with those of
making a database, which the first line of a program includes; the pairs of a query and a
target with an E-value of at most 0.001; how many percent of those of blastp are among them;
and how many targets of the reversed database each query finds, to which nothing is related,
at E-values of at most 0.01 and 1: these are to be 0.01 and 1 at most.  Programs that are not
installed are left out.  --table also writes the table to OUT.tsv, which

  docs/performance.py searches OUT.tsv OUT.svg

draws.

--calibrate searches with all masks and ways to score for the composition of proteins
instead, beside blastp, and writes OUT.tsv, which

  docs/performance.py calibration OUT.tsv OUT.svg

draws.  The default of `ribogrid search` is the combination with the most pairs of blastp's
among those whose E-values hold: at most 0.05 false hits up to 0.01, and 0.5 to 2 up to 1.
"""
import os
import shutil
import sys
import tempfile

from runs import run, spaced, timed, write_fasta

MAX_HITS, FIELDS = "1000", "qseqid sseqid evalue"
MASKS = ("none", "db", "seg", "tantan")
COMPOSITIONS = ("off", "scale", "adjust")


def records(path):
    name, parts = None, []
    with open(path) as file:
        for line in file:
            if line.startswith(">"):
                if name is not None:
                    yield name, "".join(parts)
                # MMseqs2 prints a part of names with bars
                name, parts = line[1:].split()[0].replace("|", "_"), []
            else:
                parts.append(line.strip())
    yield name, "".join(parts)


def ribogrid(program, threads, *more):
    def search(db, evalue, out):
        return [[program, "search", "q.faa", f"{db}.faa", "--evalue", evalue, "--max-hits",
                 MAX_HITS, "-t", threads, "-q", "--force", "-o", "hits.h5",
                 *more],
                [program, "export", "hits.h5", "--format", "userout", "--userfields",
                 "query+target+evalue", "-q", "--force", "-o", out]]
    return search


def blastp(threads):
    def search(db, evalue, out):
        return [["makeblastdb", "-in", f"{db}.faa", "-dbtype", "prot", "-out", f"{db}.blast"],
                ["blastp", "-query", "q.faa", "-db", f"{db}.blast", "-evalue", evalue,
                 "-max_target_seqs", MAX_HITS, "-max_hsps", "1", "-outfmt", f"6 {FIELDS}",
                 "-num_threads", threads, "-out", out]]
    return search


def diamond(threads, *more):
    def search(db, evalue, out):
        return [["diamond", "makedb", "--in", f"{db}.faa", "-d", db, "--quiet"],
                ["diamond", "blastp", "-q", "q.faa", "-d", db, "-e", evalue, "-k", MAX_HITS,
                 "-f", "6", *FIELDS.split(), "-p", threads, "--quiet", "-o", out, *more]]
    return search


def mmseqs(threads, sensitivity):
    def search(db, evalue, out):
        return [["mmseqs", "easy-search", "q.faa", f"{db}.faa", out, f"tmp{sensitivity}", "-e",
                 evalue, "--max-seqs", MAX_HITS, "-s", sensitivity, "--format-output",
                 "query,target,evalue", "--threads", threads, "-v", "1"]]
    return search


def found(path, evalue):
    """{(query, target)} up to an E-value"""
    with open(path) as lines:
        fields = (line.rstrip("\n").split("\t") for line in lines)
        return {(query, target) for query, target, e in fields if float(e) <= evalue}


def all_programs(program, threads):
    return {"blastp": blastp(threads), "ribogrid search": ribogrid(program, threads),
            "ribogrid search staged": ribogrid(program, threads, "--method", "staged"),
            "diamond": diamond(threads),
            "diamond --ultra-sensitive": diamond(threads, "--ultra-sensitive"),
            "mmseqs": mmseqs(threads, "5.7"), "mmseqs -s 7.5": mmseqs(threads, "7.5")}


def all_settings(program, threads):
    return {"blastp": blastp(threads)} | {
        f"{mask} {composition}": ribogrid(program, threads, "--mask", mask, "--composition",
                                          composition)
        for mask in MASKS for composition in COMPOSITIONS}


def compare(searches, n):
    """Print a line for each search, and yield its name and what it has found."""
    of_blastp = None
    print(f"{'':28s} {'seconds':>8s} {'processor':>10s} {'pairs':>7s} {'% blastp':>8s} "
          f"{'false .01':>9s} {'false 1':>8s}")
    for name, search in searches.items():
        if not shutil.which(search("db", "1", "x")[0][0]):
            continue
        wall, used = timed(*search("db", "0.001", "found.tsv"))
        pairs = found("found.tsv", 0.001)
        of_blastp = pairs if name == "blastp" else of_blastp
        for words in search("reversed", "1", "false.tsv"):
            run(*words)
        shared = f"{100 * len(pairs & of_blastp) / len(of_blastp):.1f}" if of_blastp else "-"
        false = [len(found("false.tsv", evalue)) / n for evalue in (0.01, 1)]
        print(f"{name:28s} {wall:8.1f} {used:10.1f} {len(pairs):7d} {shared:>8s} "
              f"{false[0]:9.3f} {false[1]:8.2f}", flush=True)
        yield name, wall, used, len(pairs), shared, *false


def write_table(path, note, rows, calibrates):
    head = "mask\tcomposition" if calibrates else "program\tseconds\tprocessor"
    with open(path, "w") as out:
        out.write(f"# {note}\n{head}\tpairs\tshared\tfalse_01\tfalse_1\n")
        for name, wall, used, *values in rows:
            mask, _, composition = name.partition(" ")
            first = ([mask, composition or "-"] if calibrates
                     else [name, f"{wall:.2f}", f"{used:.2f}"])
            out.write("\t".join([*first, *map(str, values)]) + "\n")


def main():
    words, table = sys.argv[1:], None
    calibrates = words[:1] == ["--calibrate"]
    if (calibrates or words[:1] == ["--table"]) and len(words) > 1:
        table, words = os.path.abspath(words[1]), words[2:]
    if len(words) < 3 or words[0].startswith("-"):
        sys.exit(__doc__)
    program, queries, targets = (os.path.abspath(path) for path in words[:3])
    queries, targets = list(records(queries)), list(records(targets))
    numbers = words[3:] + ["100", str(len(targets)), "2"][len(words) - 3:]
    n, n_targets, threads = int(numbers[0]), int(numbers[1]), numbers[2]
    searches = (all_settings if calibrates else all_programs)(program, threads)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        queries, targets = spaced(queries, n), spaced(targets, n_targets)
        write_fasta("q.faa", queries)
        write_fasta("db.faa", targets)
        write_fasta("reversed.faa", ((name, s[::-1]) for name, s in targets))
        note = f"{n} queries, {n_targets} targets"
        print(f"{note}, {threads} threads, load {os.getloadavg()[0]:.1f}")
        rows = list(compare(searches, n))
        os.chdir("/")
    if table:
        write_table(table, f"{note}, {threads} threads", rows, calibrates)


if __name__ == "__main__":
    main()
