#!/usr/bin/python3
"""same_results.py - run one set of commands with two builds and compare what they give.

usage: bench/same_results.py OLD_RIBOGRID NEW_RIBOGRID [--work DIR] [--only REGEX]
                             [--may-differ REGEX]

Every command of same_results.txt runs with both programs on small data, each in a folder of its
own: OLD on its own files, NEW on its own, and NEW once more on files of OLD if it reads results.
Equal must be
  - every dataset and attribute outside /run: names, types, shapes, values (not chunks);
  - the job's text, the attribute `job` of the file or of /run;
  - other files, byte by byte; of pages, drawings and JSON without dates and versions;
  - stdout and stderr without times, rates, paths and what `info` prints of /run;
  - the exit code.  Of commands that are refused only this: their messages may change.
Then logs: OLD is killed while it computes; NEW must resume its log and give OLD's whole result.

Prints a line per command, `same NAME` or `DIFFERENT NAME: the first difference`, and the counts.
Exits with 1 if something differs.  --only also runs the commands whose files a chosen one reads.
--may-differ: attributes, and lines of `info` or stderr, that have changed on purpose.
"""
import argparse
import gzip
import itertools
import os
import random
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

import h5py
import numpy

MPIRUN = "mpirun --oversubscribe --bind-to none -n 3 "
TIMEOUT_S = 300

# Jobs of seconds, whose runs are killed when the log has some records; those of gangs, when it
# has some versions, because only a checkpoint that is whole can be resumed.
LOGS = [
    ("align", "align many.fa --threads 1", "h5", 8),
    ("align hits", "align many.fa --threads 1 --id 0.7 --emit cigar", "h5", 4),
    ("align against", "align many.fa --threads 1 --against many.fa --top 3", "h5", 4),
    ("graph", "graph betweenness many.h5 --threads 1 --kernel serial", "h5", 2),
    ("graph bfs", "graph bfs many.h5 --threads 1 --kernel serial --sources 400", "h5", 2),
    ("divided graph", "graph bfs long.h5 --partition on --threads 1", "h5", "2 versions"),
    ("classify train", "classify train refs.fa --taxonomy refs.tax --held-out 99 --align "
     "--resamples 9999 --threads 1", "h5", 3),
    ("classify", "classify crowd.fa --model plain.h5 --resamples 2000 --threads 1", "tsv", 2),
    ("classify, hdf5", "classify crowd.fa --model plain.h5 --resamples 2000 --threads 1", "h5", 2),
    ("cnn train", "cnn train net.ini synthetic:4000 --epochs 600 --threads 1", "h5", "2 versions"),
    ("cnn predict", "cnn predict net.h5 synthetic:4000 --threads 1 --batch 16", "tsv", 2),
]
LOG_INPUTS = ["graph make rmat --scale 12 -q -o many.h5",
              "graph make grid --rows 4 --columns 90000 -q -o long.h5"]

HEAD, RECORD = struct.Struct("=512x8sIIqII"), struct.Struct("=IIqqQII")  # of reslog.c


class Different(Exception):
    """The first difference."""


def require(is_same, *what):
    """Raise unless the values are the same."""
    if not is_same:
        raise Different(" ".join(str(w) for w in what).replace("\n", "|")[:400])


# ---- inputs ----------------------------------------------------------------------------------


def mutated(rng, bases, rate, letters="ACGT"):
    """Return a copy with substitutions at this rate, and insertions and deletions at a tenth."""
    kinds = rng.choices("=xid", (1 - 1.2 * rate, rate, 0.1 * rate, 0.1 * rate), k=len(bases))
    new = rng.choices(letters, k=len(bases))
    return "".join({"=": b, "x": x, "i": b + x, "d": ""}[k] for b, x, k in zip(bases, new, kinds))


def family(length, phyla, genera, members, letters="ACGT"):
    """Return records (name, lineage, sequence) of sequences that become less alike by rank."""
    rng = random.Random(length)
    records = []
    root = "".join(rng.choices(letters, k=length))
    for p in range(phyla):
        phylum = mutated(rng, root, 0.18, letters)
        for g in range(genera):
            genus = mutated(rng, phylum, 0.08, letters)
            records += [(f"s{p}_{g}_{m}", f"Bacteria;Phylum{p};Genus{p}_{g}",
                         mutated(rng, genus, 0.02, letters)) for m in range(members)]
    return records


def sequence_files():
    """Return texts by file name: FASTA, and the tables that belong to it."""
    def fasta(records):
        return "".join(f">{name}\n{bases}\n" for name, _, bases in records)

    def lines(records, pattern):
        return "".join(pattern.format(name, lineage, i, i % 3) for i, (name, lineage, _) in
                       enumerate(records))

    refs = family(320, 4, 5, 6)
    reads = [(n, t, s[:50] + "NRYN" + s[54:] if i % 9 == 3 else s)
             for i, (n, t, s) in enumerate(refs[::3])]
    turn = str.maketrans("ACGT", "TGCA")
    named = reads + [(n + "_again", t, s) for n, t, s in reads[::2]]
    rng = random.Random(2)
    queries = [("q" + n, t, mutated(rng, s[20:290], 0.03)) for n, t, s in refs[1::4]]
    amplicons = [(n, t, s[:20] + "CCTACGGG" + s[20:200] + "TATCTAAT" + s[200:]) for n, t, s in refs]
    return {
        "refs.fa": fasta(refs), "refs.tax": lines(refs, "{0}\t{1}\n"),
        "reads.fa": fasta(reads), "reads.tax": lines(reads, "{0}\t{1}\n"),
        "counts.tsv": "Representative_Sequence\ttotal\tA\tB\n" + "".join(
            f"{n}\t{i + 3}\t{i}\t3\n" for i, (n, _, _) in enumerate(reads)),
        "few.fa": fasta(refs[::13]), "many.fa": fasta(family(1100, 6, 6, 6)),
        "crowd.fa": fasta((f"{n}_{i}", t, s) for i in range(90) for n, t, s in queries),
        "queries.fa": fasta(queries), "queries.tsv": lines(queries, "{0}\tsample{3}\n"),
        "named.fa": fasta(named), "named.tax": lines(named, "{0}\t{1}\n"),
        "samples.tsv": lines(named, "{0}\tsample{3}\t{2}1\n{0}\tsample9\n"),
        "sized.fa": fasta((f"{n};size={i % 4 + 1}", t, s) for i, (n, t, s) in enumerate(named)),
        "turned.fa": fasta((n, t, s[::-1].translate(turn) if i % 2 else s)
                           for i, (n, t, s) in enumerate(reads)),
        "amplicons.fa": fasta(amplicons), "amplicons.tax": lines(amplicons, "{0}\t{1}\n"),
        "bad.fa": ">gapped x\n--AC..GTACGTTGCA--ACGT\n>bad\nACG!T\n>good y\nACGTACGTTT\n",
        "protein.fa": fasta(family(120, 2, 3, 3, "ACDEFGHIKLMNPQRSTVWY")),
    }


def other_files():
    """Return texts or bytes by file name: matrix, graphs, networks, images."""
    rng = random.Random(3)
    net = ("[net]\ninput = 1x28x28\nclasses = 10\n[layers]\npool = max 7\nhidden = linear 12 relu\n"
           "drop = dropout 0.3\nout = linear classes\nloss = softmax\n"
           "[solver]\nrate = 0.05\nbatch = 8\nepochs = 2\n")
    pixels = bytes(rng.choices(range(256), k=30 * 28 * 28))
    return {
        "hand.matrix": "  A C G T N\nA 6 -7 -3 -7 -2\nC -7 6 -7 -3 -2\nG -3 -7 6 -7 -2\n"
                       "T -7 -3 -7 5 -2\nN -2 -2 -2 -2 -1\n",
        "degrees.txt": "2 50\n3 40\n5 20\n10 5\n",
        "edges.txt": "# Directed graph\n" + "".join(
            f"{rng.randrange(40)}\t{rng.randrange(40)}\n" for _ in range(120)),
        "net.ini": net, "broken.ini": net.replace("linear 12", "linear x"),
        "images-idx3-ubyte.gz": gzip.compress(struct.pack(">4i", 0x803, 30, 28, 28) + pixels),
        "labels-idx1-ubyte.gz": gzip.compress(
            struct.pack(">2i", 0x801, 30) + bytes(i % 10 for i in range(30))),
    }


def make_inputs(old, folder):
    """Write all inputs into a folder."""
    files = sequence_files() | other_files()
    files["reads.fa.gz"] = gzip.compress(files["reads.fa"].encode())
    for name, data in files.items():
        with open(f"{folder}/{name}", "wb") as f:
            f.write(data.encode() if isinstance(data, str) else data)
    with open(f"{folder}/times.tsv", "w", encoding="ascii") as f:  # the times of one run
        subprocess.run([old, *"cnn time net.ini --runs 1 --seconds 0.5 --batch 4,8".split()],
                       cwd=folder, stdout=f, check=True)


# ---- comparing files -------------------------------------------------------------------------


def values(thing):
    """Return type, shape and bytes of a dataset's or an attribute's value."""
    array = numpy.asarray(thing)
    data = array.tolist() if array.dtype.kind == "O" else array.tobytes()
    return array.dtype.str, array.shape, data


def objects(file):
    """Return all objects outside /run by name; the file itself is ''."""
    found = {"": file}
    file.visititems(lambda name, thing: found.update({name: thing})
                    if name.split("/")[0] != "run" else None)
    return found


def job_text(file):
    """Return the job's text, which is an attribute of the file or of /run; '' without one."""
    holders = [file, file["run"]] if "run" in file else [file]
    return next((h.attrs["job"].decode() for h in holders if "job" in h.attrs), "")


# Attributes outside /run that tell how a file came to be; the job's text is compared by itself.
OF_RUN = ("job", "program", "creation-date")


def compare_h5(old, new, may_differ):
    """Compare two HDF5 files outside /run."""
    with h5py.File(old, "r") as a, h5py.File(new, "r") as b:
        compare_lines("job", job_text(a).split("\n"), job_text(b).split("\n"))
        of_a, of_b = objects(a), objects(b)
        require(of_a.keys() == of_b.keys(), "objects:", sorted(of_a.keys() ^ of_b.keys()))
        for name, x in of_a.items():
            y = of_b[name]
            keys = [sorted(k for k in z.attrs if k not in OF_RUN and
                           not re.fullmatch(may_differ, k)) for z in (x, y)]
            require(keys[0] == keys[1], f"/{name}: attributes", *keys)
            for key in keys[0]:
                u, v = values(x.attrs[key]), values(y.attrs[key])
                require(u == v, f"/{name}: attribute {key}: {u} and {v}")
            if isinstance(x, h5py.Dataset):
                require(x.id.get_type().equal(y.id.get_type()), f"/{name}: type")
                require(x.shape == y.shape, f"/{name}: shape {x.shape} and {y.shape}")
                require(values(x[()]) == values(y[()]), f"/{name}: values")


PLAIN = [(re.compile(regex), text) for regex, text in [
    (r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?Z?", "DATE"),
    (r"\b[0-9]+\.[0-9]+\.[0-9]+ \([0-9a-f]{12}[^)]*\)", "VERSION"),
    (r"(?<![\w.])[0-9.]+(e[+-]?[0-9]+)? ?([kMGT] )?(s|ms|us|min|h|GCUPS|GFLOPS|[\w ]+/s)\b",
     "TIME"),
    (r'(?s)<table id="run">.*?</table>', "RUN"),
    (r"(?<=<td>fp32</td>)<td>[^<]*</td>", "SECONDS"),  # of training, in `cnn report`
    (r"(?m)^file\tstored_bytes\t.*", "STORED")]]


def plain(text):
    """Return the lines of a text without times, rates, dates, versions and progress."""
    for regex, word in PLAIN:
        text = regex.sub(word, text)
    return [line for line in text.splitlines() if ", ETA " not in line]


def compare_lines(what, a, b):
    """Compare two lists of lines."""
    for i, (x, y) in enumerate(itertools.zip_longest(a, b)):
        require(x == y, f"{what}, line {i + 1}: {x!r} and {y!r}")


def compare_files(old, new, may_differ):
    """Compare two files that a command has written."""
    with open(old, "rb") as f, open(new, "rb") as g:
        a, b = f.read(), g.read()
    if a.startswith(b"\x89HDF") and b.startswith(b"\x89HDF"):
        compare_h5(old, new, may_differ)
    elif re.search(r"\.(html|svg|json)$", old):
        compare_lines(os.path.basename(old), plain(a.decode()), plain(b.decode()))
    else:
        at = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
        require(a == b, f"{os.path.basename(old)}: at byte {at}:", a[at:at + 40], "and", b[at:at + 40])


# ---- commands --------------------------------------------------------------------------------


class Run:
    """What a command gave: exit code, messages, files."""

    def __init__(self, program, command, folder):
        launch, words = (MPIRUN, command[2:]) if command.startswith("3 ") else ("", command)
        before = self.listing(folder)
        end = subprocess.run(f"{launch}{program} {words}", shell=True, cwd=folder, timeout=TIMEOUT_S,
                             capture_output=True, check=False)
        self.folder, self.code = folder, end.returncode
        out, err = (text.decode().replace(program, "ribogrid") for text in (end.stdout, end.stderr))
        self.out = [line for line in plain(out) if not line.startswith("run\t")]
        self.err = plain(err)
        if words.startswith("cnn time"):
            self.out = [re.sub(r"[0-9]+(\.[0-9]+)?(e[+-]?[0-9]+)?", "0", line) for line in self.out]
        self.files = sorted(name for name, state in self.listing(folder).items()
                            if before.get(name) != state)

    @staticmethod
    def listing(folder):
        """Return names and states of all files."""
        return {e.name: (e.stat().st_mtime_ns, e.stat().st_ino) for e in os.scandir(folder)}


def compare_runs(a, b, is_refused, may_differ):
    """Compare what a command gave twice."""
    require(a.code == b.code, f"exit {a.code} and {b.code}:", a.err[-1:], b.err[-1:])
    require(is_refused == (a.code != 0), f"exit {a.code}:", a.err[-1:])
    require(a.files == b.files, "files:", a.files, "and", b.files)
    for name in a.files:
        compare_files(f"{a.folder}/{name}", f"{b.folder}/{name}", may_differ)
    if not is_refused:
        for what in ("out", "err"):
            u, v = ([line for line in getattr(x, what) if not re.fullmatch(may_differ, line)]
                    for x in (a, b))
            compare_lines(f"std{what}", u, v)


class Comparison:
    """Runs commands with both programs and counts."""

    def __init__(self, options, work):
        self.options, self.n_same, self.n_different = options, 0, 0
        self.folders = [f"{work}/{name}" for name in ("old", "new", "mixed")]
        os.makedirs(self.folders[0])
        make_inputs(options.old, self.folders[0])
        for folder in self.folders[1:]:
            shutil.copytree(self.folders[0], folder)

    def note(self, name, compare, *args):
        """Print whether a comparison raises, and count it."""
        try:
            compare(*args)
            self.n_same += 1
            print(f"same  {name}", flush=True)
        except (Different, OSError, subprocess.SubprocessError) as difference:
            self.n_different += 1
            print(f"DIFFERENT  {name}: {difference}", flush=True)

    def command(self, name, command):
        """Run a command with OLD, with NEW, and with NEW on OLD's files, if it reads results."""
        may_differ, is_refused = self.options.may_differ, name.startswith("refused")
        old_folder, new_folder, mixed = self.folders
        reads = re.search(r"(?<!-o )\b\w+(\.groups)?\.h5", command) and not is_refused
        old = Run(self.options.old, command, old_folder)
        self.note(name, lambda: compare_runs(old, Run(self.options.new, command, new_folder),
                                             is_refused, may_differ))
        if reads and "--resume" not in command:
            self.note(name + ", on files of OLD",
                      lambda: compare_runs(old, Run(self.options.new, command, mixed),
                                           is_refused, may_differ))
        for file in old.files:
            shutil.copy2(f"{old_folder}/{file}", f"{mixed}/{file}")

    def killed_log(self, words, log, wanted):
        """Run OLD until the log has what is wanted, and kill it. @return whether it was killed"""
        run = subprocess.Popen([self.options.old, *words, "-q"], cwd=self.folders[0],
                               start_new_session=True)
        records = log_records(log)
        seen, versions = 0, set()
        while run.poll() is None and (
                len(versions) < int(wanted[0]) if isinstance(wanted, str) else seen < wanted):
            version = next(records)
            if version is None:
                time.sleep(0.002)
            else:
                seen += 1
                versions.add(version)
        if run.poll() is None:
            os.killpg(run.pid, signal.SIGKILL)
        return run.wait() == -signal.SIGKILL

    def resumed(self, command, ending, wanted):
        """Kill OLD, compare what `info` prints of its log, resume with NEW, compare the result."""
        old_folder, new_folder, _ = self.folders
        file = "log." + ending
        for folder in (old_folder, new_folder):
            for name in (file, file + ".part"):
                if os.path.exists(f"{folder}/{name}"):
                    os.unlink(f"{folder}/{name}")
        words = f"{command} -o {file}".split()
        require(self.killed_log(words, f"{old_folder}/{file}.part", wanted),
                "OLD ended before it was killed: the job is too small")
        shutil.copy2(f"{old_folder}/{file}.part", new_folder)
        whole = Run(self.options.old, f"{command} --force -o {file}", old_folder)
        require(whole.code == 0, "OLD failed:", whole.err)
        infos = [Run(program, f"info {file}.part", new_folder)
                 for program in (self.options.old, self.options.new)]
        compare_runs(*infos, infos[0].code != 0, self.options.may_differ)
        new = Run(self.options.new, f"{command} --resume -o {file}", new_folder)
        require(new.code == 0, "NEW failed:", new.err)
        require(any("resuming" in line for line in new.err), "NEW has not resumed:", new.err)
        require(not os.path.exists(f"{new_folder}/{file}.part"), "NEW left the log")
        compare_files(f"{old_folder}/{file}", f"{new_folder}/{file}", self.options.may_differ)


def log_records(path):
    """Yield the versions of the records of OLD's log as they come, None while there is no next."""
    at = None
    while True:
        try:
            with open(path, "rb") as f:
                at = at or HEAD.size + HEAD.unpack(f.read(HEAD.size))[2]
                f.seek(at)
                _, _, _, version, length, _, _ = RECORD.unpack(f.read(RECORD.size))
                if at + RECORD.size + length > os.fstat(f.fileno()).st_size:
                    raise EOFError
            at += RECORD.size + length
            yield version
        except (OSError, struct.error, EOFError):
            yield None


def chosen(regex):
    """Return the commands that match, and those whose files they read, in order; and the logs."""
    with open(os.path.splitext(__file__)[0] + ".txt", encoding="ascii") as table:
        rows = [line.strip().split(": ", 1) for line in table if not line.startswith("#")]
    logs = [log for log in LOGS if re.search(regex, "log of " + log[0])]
    text = " ".join(log[1] for log in logs)
    commands = []
    for name, command in reversed(rows):
        files = re.findall(r"(?:-o|--newick|--csv|--svg|--blast6out) (\S+)", command)
        if re.search(regex, name) or any(
                re.search(rf"(?<!-o )\b{re.escape(f)}(\s|$|\.groups)", text) for f in files):
            commands.insert(0, (name, command))
            text += " " + command
    return commands, logs


def main():
    """Run as a program."""
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("old", type=os.path.abspath)
    parser.add_argument("new", type=os.path.abspath)
    parser.add_argument("--work")
    parser.add_argument("--only", default="")
    parser.add_argument("--may-differ", default="(?!)")
    options = parser.parse_args()
    os.environ |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                   "OMPI_MCA_btl_vader_single_copy_mechanism": "none"}
    work = tempfile.mkdtemp(prefix="same_results.", dir=options.work)
    os.environ["RIBOGRID_CACHE"] = work + "/cache"
    commands, logs = chosen(options.only)
    comparison = Comparison(options, work)
    for name, command in commands:
        comparison.command(name, command)
    if logs:
        for command in LOG_INPUTS:
            for folder in comparison.folders[:2]:
                Run(options.old, command, folder)
    for name, command, ending, wanted in logs:
        comparison.note("log of " + name, comparison.resumed, command, ending, wanted)
    print(f"{comparison.n_same} same, {comparison.n_different} different")
    if comparison.n_different == 0:
        shutil.rmtree(work)
    else:
        print(f"files: {work}")
    sys.exit(comparison.n_different > 0)


if __name__ == "__main__":
    main()
