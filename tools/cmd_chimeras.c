/*
 * cmd_chimeras.c - `ribogrid chimeras`: finds reads that are made of two others, by their
 * abundances or among references.
 */
#include "tools/options/commands.h"
#include "tools/options/job_run.h"
#include "tools/options/option_tables.h"
#include "worker/chimera/chimera_opts.h"

typedef struct {
    chimera_opts_t job;
    const char *files[SEQ_INPUTS_MAX + 1]; /* up to a NULL */
} args_t;

#define JOB(member) OPTION_AT(args_t, job.member)

static const option_t words[] = {OPTION_READS(args_t, files), {.kind = OPTION_END}};

static const option_t options[] = {
    {.kind = OPTION_GROUP, .name = "Input"},
    {.word = WORD_AGAINST,
     JOB(against),
     .help = ", as parents, instead of more abundant reads"},
    {.kind = OPTION_TABLE, JOB(reads), .table = option_amplicons},
    {.kind = OPTION_TABLE, JOB(references), .table = option_references},
    {.kind = OPTION_TABLE, .table = option_input},

    {.kind = OPTION_GROUP, .name = "What is a chimera"},
    {.word = WORD_METHOD,
     JOB(rule.method),
     .value = "uchime|uchime2|uchime3",
     .help =
         ": what reaches --minh, --mindiv and --mindiffs ({}, the default); de novo also "
         "what equals two parts of its parents exactly (uchime2, uchime3)"},
    {OPTION_NUMBER, "abskew", 0, JOB(min_skew), "X",
     "de novo: a parent is at least X times as abundant (2; uchime3: 16)", 1, 1000000},
    {OPTION_NUMBER, "dn", 0, JOB(rule.dn), "X", "pseudo-count of no votes ({})", 0,
     1000000},
    {OPTION_NUMBER, "xn", 0, JOB(rule.xn), "X", "weight of a no vote ({})", 0, 1000000},
    {OPTION_NUMBER, "minh", 0, JOB(rule.min_h), "X", "minimum score ({})", 0, 1000000},
    {OPTION_NUMBER, "mindiv", 0, JOB(rule.min_div), "PERCENT",
     "minimum difference between the identities of a read with the model and with the "
     "closer parent ({})",
     0, 100},
    {OPTION_INT, "mindiffs", 0, JOB(rule.min_diffs), "N",
     "minimum number of votes on either side ({})", 0, INT32_MAX},

    {.kind = OPTION_GROUP, .name = "Output"},
    {.word = WORD_OUTPUT,
     JOB(common.output),
     .value = "CHIMERAS.h5",
     .files = option_job_files,
     .help = ": the result"},
    {OPTION_OUTPUT, "chimeras", 0, JOB(chimeras), "FILE", "also write chimeras as FASTA"},
    {OPTION_OUTPUT, "nonchimeras", 0, JOB(nonchimeras), "FILE",
     "also write all others as FASTA, but for borderline reads"},
    {OPTION_OUTPUT, "borderline", 0, JOB(borderline), "FILE",
     "also write reads as FASTA that have the score, but neither the votes nor the "
     "divergence"},
    {OPTION_OUTPUT, "uchimeout", 0, JOB(lines), "FILE",
     "also write a line per read, as vsearch --uchimeout"},

    {.kind = OPTION_TABLE, .table = option_job_tasks},
    {.kind = OPTION_END}};

static void defaults(void *args)
{
    ((args_t *)args)->job = chimera_opts_defaults();
}

static const job_command_t job = {.ops = &job_chimeras_ops,
                                  JOB_READS(args_t, files, job.reads.inputs)};

const command_t cmd_chimeras = {
    .name = "chimeras",
    .summary = "find reads that PCR has made of two others",
    .words = words,
    .usage = "-o CHIMERAS.h5 [options]",
    .options = options,
    .args_bytes = sizeof(args_t),
    .notes =
        "De novo, abundances are those of ';size=N' in the names, unless a table is "
        "given;\n"
        "reads that are not dereplicated need --derep, and so do several files, whose "
        "equal\n"
        "reads it merges. `ribogrid view` prints the result with a header.\n" JOB_NOTES(
            "CHIMERAS.h5.part"),
    .example = "ribogrid chimeras derep.fa -o chimeras.h5 --nonchimeras clean.fa",
    .defaults = defaults,
    .job = &job,
};
