/*
 * cmd_simulate.c - `ribogrid simulate`: writes simulated 16S-like sequences.
 */
#include "io/file/whole_file.h"
#include "io/seq/fasta.h"
#include "io/seq/simulate.h"
#include "tools/options/commands.h"
#include "tools/options/option_tables.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

typedef struct {
    job_opts_t common;
    int64_t length, divergence, ambiguous, trim, seed;
} args_t;

#define AT(member) OPTION_AT(args_t, member)

static const option_t options[] = {
    {.kind = OPTION_GROUP, .name = "Output"},
    {OPTION_OUTPUT, "output", 'o', AT(common.output), "READS.fa", "output file (stdout)"},
    {.kind = OPTION_TABLE, .table = option_force},
    {.kind = OPTION_GROUP, .name = "Sequences"},
    {OPTION_INT, "length", 0, AT(length), "N", "length of the ancestor in bases (1500)",
     1, 10000000},
    {OPTION_INT, "divergence", 0, AT(divergence), "PERCENT",
     "columns that differ between the two sides of the root (25)", 0, 60},
    {OPTION_INT, "ambiguous", 0, AT(ambiguous), "PERCENT",
     "sequences with ambiguity codes (20)", 0, 100},
    {OPTION_INT, "trim", 0, AT(trim), "PERCENT",
     "maximum part of the length that is missing at either end (4)", 0, 45},
    {.kind = OPTION_TABLE, AT(seed), .table = option_seed},
    {.kind = OPTION_END}};

static status_t make(const args_t *a, const char *count)
{
    simulate_opts_t o = simulate_defaults();
    seqset_t *set = NULL;
    whole_file_t *to;
    char *end;
    status_t st;

    errno = 0;
    o.n = strtoll(count, &end, 10);
    if (errno != 0 || end == count || *end != '\0' || o.n < 0 || o.n > INT32_MAX)
        return options_misuse(&cmd_simulate,
                              "'%s' is not a number of sequences from 0 to %d", count,
                              INT32_MAX);
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

static int run(int argc, char **argv)
{
    simulate_opts_t o = simulate_defaults();
    args_t a = {.common = job_opts_defaults(),
                .length = o.length,
                .divergence = o.divergence_percent,
                .ambiguous = o.ambiguous_percent,
                .trim = o.trim_percent,
                .seed = (int64_t)o.seed};
    const char *words[OPTIONS_WORDS_MAX] = {NULL};
    status_t st = options_parse(&cmd_simulate, argc, argv, &a, words);

    return status_exit_code(st != ST_OK ? st : make(&a, words[0]));
}

const command_t cmd_simulate = {
    .name = "simulate",
    .summary = "simulate 16S-like sequences: families on a random tree, as FASTA",
    .usage = "COUNT [-o READS.fa] [options]",
    .options = options,
    .args_bytes = sizeof(args_t),
    .notes = "The same options produce the same bytes on every machine.\n",
    .example = "ribogrid simulate 1000 --seed 7 -o reads.fa",
    .n_words_min = 1,
    .n_words_max = 1,
    .run = run,
};
