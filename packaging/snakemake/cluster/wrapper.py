"""Cluster the pairs of `ribogrid align` into OTUs."""

from snakemake.shell import shell

# What `ribogrid cluster -o PREFIX` writes, named or not, such as multiext("PREFIX", ...)
suffixes = (".otus.tsv", ".biom", ".groups.h5", ".list", ".reps.fasta")
outputs = [str(path) for path in snakemake.output]
prefixes = set()
for path in outputs:
    suffix = next((s for s in suffixes if path.endswith(s)), None)
    if suffix is None:
        raise ValueError(f"the output {path} ends in none of {', '.join(suffixes)}")
    prefixes.add(path[: -len(suffix)])
if len(prefixes) != 1:
    raise ValueError(f"the outputs have several prefixes: {', '.join(sorted(prefixes))}")
prefix = prefixes.pop()
identity = snakemake.params.get("id", "0.97")
extra = snakemake.params.get("extra", "")
log = snakemake.log_fmt_shell(stdout=True, stderr=True)

shell(
    "ribogrid cluster {snakemake.input.pairs:q} --id {identity} {extra}"
    " --threads {snakemake.threads} --force -o {prefix:q} {log}"
)
