"""Group similar sequences: single linkage of the pairs of at least 97 % identity.

usage: otus.py READS.fa [IDENTITY]
"""

import sys

import scipy.sparse.csgraph

import ribogrid as rg

reads = rg.read_fasta(sys.argv[1])
identity = float(sys.argv[2]) if len(sys.argv) > 2 else 0.97

# %% Only similar pairs are aligned: filters rule the others out, and miss none.
pairs = rg.align(reads, preset="vsearch", id=identity)
print(f"{len(pairs)} pairs of {len(reads)} sequences reach {identity:g}")

# %% Each connected component is a group.
n, group = scipy.sparse.csgraph.connected_components(pairs.to_csr(), directed=False)
for name, number in zip(reads.names, group):
    print(f"{name}\t{number + 1}")

# %% One alignment, as text.
if len(pairs) > 0:
    best = pairs.identity.argmax()
    one = rg.align_pairs(reads, [(pairs.query[best], pairs.target[best])], preset="vsearch",
                         emit="cigar")
    print(f"best: {one.identity[0]:.4f} {one.cigar(0)}")
