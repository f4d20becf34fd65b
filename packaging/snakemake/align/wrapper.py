"""Align all pairs of a FASTA file, or queries against references."""

from pathlib import Path
from shlex import quote

from snakemake.shell import shell

output = snakemake.output[0]
references = snakemake.input.get("references", "")
against = f"--against {quote(str(references))}" if references else ""
# What an attempt that was stopped or killed has finished
resume = "--resume" if Path(output + ".part").exists() else ""
extra = snakemake.params.get("extra", "")
log = snakemake.log_fmt_shell(stdout=True, stderr=True)

shell(
    "ribogrid align {snakemake.input.reads:q} {against} {extra} {resume}"
    " --threads {snakemake.threads} -o {output:q} {log}"
)
