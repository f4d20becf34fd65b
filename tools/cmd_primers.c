/*
 * cmd_primers.c - `ribogrid primers`: in-silico PCR: finds primers in reads or genes, and
 * writes what lies between them.
 */
#include "kernels/primers/primer_backend.h"
#include "tools/options/commands.h"
#include "tools/options/job_run.h"
#include "tools/options/option_tables.h"
#include "worker/primers/primers_opts.h"

#define JOB(member) OPTION_AT(primers_opts_t, member)

static const option_t words[] = {{OPTION_INPUT, "READS.fa[.gz]|-", 0, JOB(reads[0])},
                                 {OPTION_INPUT, "[READS2.fa[.gz]]", 0, JOB(reads[1]),
                                  .is_optional = true},
                                 {.kind = OPTION_END}};

static const option_t options[] = {
    {.kind = OPTION_GROUP, .name = "Input"},
    {.kind = OPTION_TABLE, JOB(primers), .table = option_primers},
    {OPTION_INPUT, "panel", 0, JOB(panel), "FILE",
     "instead of --primers: a table of pairs: name TAB forward TAB reverse"},
    {.word = WORD_SKIP_BAD, JOB(skip_bad)},
    {.kind = OPTION_TABLE, .table = option_input},

    {.kind = OPTION_GROUP, .name = "What is found"},
    {OPTION_INT, "gaps", 0, JOB(gaps), "N",
     "bases that a read may have more, or lack, within each primer ({})", 0,
     PRIMER_GAPS_MAX},
    {OPTION_INT, "three-prime", 0, JOB(three_prime), "N",
     "the last N bases of a primer, at its 3' end, have to match ({})", 0,
     PRIMER_LEN_MAX},
    {.word = WORD_MIN_LENGTH,
     JOB(filter.min_length),
     .help = ", as they are written ({})"},
    {.word = WORD_MAX_LENGTH,
     JOB(filter.max_length),
     .help = ", as they are written (no limit)"},

    {.kind = OPTION_GROUP, .name = "Output"},
    {.word = WORD_OUTPUT,
     JOB(common.output),
     .files = option_job_files,
     .help = ": what lies between the primers; -: stdout"},
    {OPTION_OUTPUT, "output2", 0, JOB(output2), "FILE",
     "of pairs of reads: the mates, which have the reverse primer"},
    {OPTION_FLAG, "keep-primers", 0, JOB(keep_primers), NULL,
     "write the primers, too, as the reads have them"},
    {OPTION_OUTPUT, "untrimmed", 0, JOB(untrimmed), "FILE",
     "also write the reads that lack a primer, as they are"},
    {OPTION_OUTPUT, "untrimmed2", 0, JOB(untrimmed2), "FILE",
     "of pairs of reads: the mates of these"},
    {OPTION_OUTPUT, "hits", 0, JOB(hits), "FILE",
     "also write a table of where each primer is, and its mismatches"},
    {OPTION_OUTPUT, "counts", 0, JOB(counts), "FILE",
     "also write a table of how many reads have each pair of primers, and are cut by it"},

    {.kind = OPTION_GROUP, .name = "Coverage of taxa"},
    {OPTION_INPUT, "coverage", 0, JOB(taxonomy), "FILE",
     "lineages of the genes in READS: count of each taxon which share the primers "
     "amplify"},
    {OPTION_OUTPUT, "coverage-table", 0, JOB(table), "FILE",
     "with --coverage: a table of pairs and taxa: the share of genes at 0, 1, 2 ... "
     "mismatches"},
    {.word = WORD_SVG, JOB(svg), .help = " the coverage, with --coverage"},

    {.kind = OPTION_GROUP, .name = "Device"},
    {.word = WORD_DEVICE,
     JOB(common.device),
     .help = "; reading takes longer than the search, so a GPU seldom pays ({})"},
    {.word = WORD_KERNEL, JOB(common.kernel)},
    {.kind = OPTION_TABLE, .table = option_threads},

    {.kind = OPTION_TABLE, .table = option_run_tasks},
    {.kind = OPTION_END}};

static void defaults(void *args)
{
    *(primers_opts_t *)args = primers_opts_defaults();
}

static const job_command_t job = {.ops = &job_primers_ops};

const command_t cmd_primers = {
    .name = "primers",
    .summary = "cut amplicons out of reads or genes (in-silico PCR)",
    .words = words,
    .usage = "--primers FORWARD/REVERSE|--panel FILE -o FILE [options]",
    .options = options,
    .args_bytes = sizeof(primers_opts_t),
    .notes =
        "Reads are FASTA or FASTQ, plain or compressed, and keep headers, case and\n"
        "qualities. Outputs are in the format of the reads, FASTA if their name ends\n"
        "with .fa, .fasta or .fna, and gzip if it ends with .gz. Of several pairs of\n"
        "primers in a read, the one with the fewest mismatches cuts it, then the first.\n"
        "Primers and their places: docs/primers.md.\n" JOB_NOTES("FILE.part"),
    .example = "ribogrid primers reads.fq.gz --primers 515F/806R -o v4.fq.gz --hits "
               "hits.tsv",
    .defaults = defaults,
    .job = &job,
};
