"""Cluster the pairs of `ribogrid align` into OTUs."""

from snakemake.shell import shell

suffix = ".otus.tsv"
table = str(snakemake.output.table)
if not table.endswith(suffix):
    raise ValueError(f"the output `table` must end in {suffix}, not {table}")
prefix = table[: -len(suffix)]
identity = snakemake.params.get("id", "0.97")
extra = snakemake.params.get("extra", "")
log = snakemake.log_fmt_shell(stdout=True, stderr=True)

shell(
    "ribogrid cluster {snakemake.input.pairs} --id {identity} {extra}"
    " --threads {snakemake.threads} --force -o {prefix} {log}"
)
