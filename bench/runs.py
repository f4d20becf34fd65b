"""What scripts that run other programs share: runs, their times, and samples of records."""
import resource
import subprocess
import sys
import time


def run(*words):
    done = subprocess.run(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    if done.returncode != 0:
        sys.exit(f"{' '.join(words)}: exit {done.returncode}\n{done.stderr.decode()}")


def timed(*commands):
    """(seconds, processor seconds) of several commands, one after the other"""
    def used():
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime

    start, before = time.monotonic(), used()
    for words in commands:
        run(*words)
    return time.monotonic() - start, used() - before


def write_fasta(path, records):
    with open(path, "w") as out:
        for name, sequence in records:
            out.write(f">{name}\n{sequence}\n")


def spaced(records, n):
    """n of a list, at even distances"""
    return [records[i * len(records) // n] for i in range(n)]
