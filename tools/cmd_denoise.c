/*
 * cmd_denoise.c - `ribogrid denoise`: finds the sequences of amplicons among reads with
 * errors, by their abundances.
 */
#include "tools/options/commands.h"
#include "tools/options/job_run.h"
#include "tools/options/option_tables.h"
#include "worker/denoise/denoise_opts.h"

typedef struct {
    denoise_opts_t job;
    const char *files[SEQ_INPUTS_MAX + 1]; /* up to a NULL */
} args_t;

#define JOB(member) OPTION_AT(args_t, job.member)

static const option_t words[] = {OPTION_READS(args_t, files), {.kind = OPTION_END}};

static const option_t options[] = {
    {.kind = OPTION_GROUP, .name = "Input"},
    {.kind = OPTION_TABLE, JOB(reads), .table = option_amplicons},
    {.kind = OPTION_TABLE, .table = option_input},

    {.kind = OPTION_GROUP, .name = "What is an error"},
    {OPTION_NUMBER, "alpha", 0, JOB(alpha), "X",
     "a sequence absorbs a read with D mismatches if it is at least 2^(X D + 1) times as "
     "abundant ({})",
     0, 1000},
    {.word = WORD_MIN_SIZE, JOB(min_size), .help = ": reads below N are left out ({})"},

    {.kind = OPTION_GROUP, .name = "Output"},
    {.word = WORD_OUTPUT,
     JOB(common.output),
     .value = "ASVS.h5",
     .files = option_job_files,
     .help = ": the result"},
    {OPTION_OUTPUT, "asvs", 0, JOB(asvs), "FILE",
     "also write ASVs as FASTA, with ';size=N'"},

    {.kind = OPTION_TABLE, .table = option_job_tasks},
    {.kind = OPTION_END}};

static void defaults(void *args)
{
    ((args_t *)args)->job = denoise_opts_defaults();
}

static const job_command_t job = {.ops = &job_denoise_ops,
                                  JOB_READS(args_t, files, job.reads.inputs)};

const command_t cmd_denoise = {
    .name = "denoise",
    .summary = "find amplicon sequence variants (ASVs) among reads with errors",
    .words = words,
    .usage = "-o ASVS.h5 [options]",
    .options = options,
    .args_bytes = sizeof(args_t),
    .notes =
        "Abundances are those of ';size=N' in the names, unless a table is given; reads\n"
        "that are not dereplicated need --derep, and so do several files, whose equal "
        "reads\n"
        "it merges. `ribogrid view` prints the ASV of each read, `ribogrid export` the\n"
        "table of ASVs by samples. Chimeras are found afterwards: `ribogrid chimeras\n"
        "--method uchime3`.\n" JOB_NOTES("ASVS.h5.part"),
    .example = "ribogrid denoise a.fastq.gz b.fastq.gz --derep -o asvs.h5 --asvs asvs.fa",
    .defaults = defaults,
    .job = &job,
};
