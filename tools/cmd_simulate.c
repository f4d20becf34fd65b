/*
 * cmd_simulate.c - `ribogrid simulate`: writes simulated 16S-like sequences.
 */
#include "io/file/whole_file.h"
#include "io/seq/fasta.h"
#include "io/seq/simulate.h"
#include "tools/options/commands.h"
#include "tools/options/option_tables.h"

#include <stdbool.h>

typedef struct {
    job_opts_t common;
    int64_t count, length, divergence, ambiguous, trim, seed;
} args_t;

#define AT(member) OPTION_AT(args_t, member)

static const option_t words[] = {{OPTION_INT, "COUNT", 0, AT(count), .min = 0,
                                  .max = INT32_MAX},
                                 {.kind = OPTION_END}};

static const option_t options[] = {
    {.kind = OPTION_GROUP, .name = "Output"},
    {.word = WORD_OUTPUT, AT(common.output), .value = "READS.fa", .help = " (stdout)"},
    {.kind = OPTION_TABLE, .table = option_force},
    {.kind = OPTION_GROUP, .name = "Sequences"},
    {.word = WORD_LENGTH, AT(length), .help = " of the ancestor ({})"},
    {OPTION_INT, "divergence", 0, AT(divergence), "PERCENT",
     "columns that differ between the two sides of the root ({})", 0, 60},
    {.word = WORD_AMBIGUOUS, AT(ambiguous), .help = " ({})"},
    {OPTION_INT, "trim", 0, AT(trim), "PERCENT",
     "maximum part of the length that is missing at either end ({})", 0, 45},
    {.kind = OPTION_TABLE, AT(seed), .table = option_seed},
    {.kind = OPTION_END}};

static status_t run(void *args)
{
    const args_t *a = args;
    simulate_opts_t o = simulate_defaults();
    seqset_t *set = NULL;
    whole_file_t *to;
    status_t st;

    o.n = a->count;
    o.length = a->length;
    o.divergence_percent = (int)a->divergence;
    o.ambiguous_percent = (int)a->ambiguous;
    o.trim_percent = (int)a->trim;
    o.seed = (uint64_t)a->seed;
    if ((st = whole_file_open(a->common.output, WHOLE_FILE_TEXT, a->common.force, &to)) !=
        ST_OK)
        return st;
    if ((st = simulate_make(&o, &set)) == ST_OK)
        st = fasta_write_set(whole_file_stream(to), set);
    seqset_destroy(set);
    return whole_file_close(to, st);
}

static void defaults(void *args)
{
    const simulate_opts_t o = simulate_defaults();
    args_t *a = args;

    a->length = o.length;
    a->divergence = o.divergence_percent;
    a->ambiguous = o.ambiguous_percent;
    a->trim = o.trim_percent;
    a->seed = (int64_t)o.seed;
}

const command_t cmd_simulate = {
    .name = "simulate",
    .summary = "simulate 16S-like sequences: families on a random tree, as FASTA",
    .words = words,
    .usage = "[-o READS.fa] [options]",
    .options = options,
    .args_bytes = sizeof(args_t),
    .notes = "The same options produce the same bytes on every machine.\n",
    .example = "ribogrid simulate 1000 --seed 7 -o reads.fa",
    .defaults = defaults,
    .run = run,
};
