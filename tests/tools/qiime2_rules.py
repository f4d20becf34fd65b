#!/usr/bin/env python3
"""Check a table, lineages and sequences by the rules of QIIME 2's importer, without it.

usage: qiime2_rules.py TABLE.biom TAXONOMY.tsv SEQUENCES.fasta

BIOMV210Format: BIOM 2.1 in HDF5, ids without repetition.  TSVTaxonomyFormat: the columns
"Feature ID" and "Taxon" first, as many columns in each line, names once, no blanks around
taxa.  DNAFASTAFormat: records of a name and upper-case letters of DNA, names once; a name
ends at the first blank.  `taxa barplot` needs a lineage of every feature of the table, and
other steps the sequence of each: all three have the same features.
"""
import re
import sys

import h5py


def unique(names, what):
    """Return a list of names as a set; repeated ones are an error."""
    if len(set(names)) < len(names):
        sys.exit(f"{what}: a feature comes twice")
    if any(not name or name != name.strip() for name in names):
        sys.exit(f"{what}: a name is empty or has blanks around it")
    return set(names)


def table(path):
    """Return the features of a table; its samples need unique names, too."""
    with h5py.File(path) as f:
        if list(f.attrs["format-version"]) != [2, 1] or not f.attrs["type"]:
            sys.exit(f"{path}: not BIOM 2.1")
        for part in ("matrix/data", "matrix/indices", "matrix/indptr", "metadata",
                     "group-metadata"):
            if f"observation/{part}" not in f or f"sample/{part}" not in f:
                sys.exit(f"{path}: no {part}")
        unique(list(f["sample/ids"].asstr()[:]), path)
        return unique(list(f["observation/ids"].asstr()[:]), path)


def taxonomy(path):
    """Return the features of a table of lineages."""
    with open(path, encoding="utf-8") as f:
        lines = [line.rstrip("\n").split("\t") for line in f
                 if line.strip(" ") != "\n" and not line.startswith("#")]
    if lines[0][:2] != ["Feature ID", "Taxon"] or len(lines) < 2:
        sys.exit(f"{path}: no header or no lines")
    for line in lines:
        if len(line) != len(lines[0]) or line[1] != line[1].strip():
            sys.exit(f"{path}: {line}")
    return unique([line[0] for line in lines[1:]], path)


def sequences(path):
    """Return the features of a FASTA file."""
    names = []
    with open(path, encoding="utf-8") as f:
        text = f.read()
    if not text.startswith(">"):
        sys.exit(f"{path}: the first line is no header")
    for record in text[1:].split("\n>"):
        header, _, letters = record.partition("\n")
        names.append(header.split(" ")[0])
        if not re.fullmatch(r"[ACGTRYKMSWBDHVN]+", letters.replace("\n", "")):
            sys.exit(f"{path}: {header}: not DNA")
    return unique(names, path)


def main():
    """Compare the features of the three files."""
    features = [read(path) for read, path in zip((table, taxonomy, sequences), sys.argv[1:])]
    if not features[0] or features[0] != features[1] or features[0] != features[2]:
        sys.exit(f"features differ: {[sorted(f)[:3] for f in features]}")
    print(f"{len(features[0])} features")


main()
