"""ribogrid: exact alignment of sequences, all against all.

    import ribogrid as rg
    sequences = rg.read_fasta("reads.fa.gz")
    pairs = rg.align(sequences, preset="vsearch", id=0.97)
    print(pairs.query, pairs.target, pairs.identity)

Results are the same integers as those of the program ``ribogrid``.  docs/python.md has
examples.
"""

from ._align import OPERATIONS, Aligner, Alignments, align, align_pairs, read_alignments
from ._classify import Model, Names, classify, read_names
from ._cluster import Groups, cluster, group, read_groups
from ._context import Context, default_context
from ._graph import Graph
from ._library import (Cancelled, DeviceError, InputError, RibogridError, RibogridWarning, lib,
                       text as _text)
from ._sequences import Sequences, read_fasta

#: The version of the library.
__version__ = _text(lib.rg_version())

__all__ = ["Aligner", "Alignments", "Cancelled", "Context", "DeviceError", "Graph", "Groups",
           "InputError", "Model", "Names", "OPERATIONS", "RibogridError", "RibogridWarning",
           "Sequences", "align", "align_pairs", "classify", "cluster", "default_context",
           "group", "read_alignments", "read_fasta", "read_groups", "read_names"]
