/*
 * cmd_simulate.c - `ribogrid simulate`: writes simulated 16S-like sequences.
 */
#include "io/file/whole_file.h"
#include "io/seq/fasta_write.h"
#include "io/seq/simulate.h"
#include "tools/options/commands.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

typedef struct {
    const char *output;
    int64_t length, divergence, ambiguous, trim, seed;
    bool force;
} args_t;

#define AT(member) offsetof(args_t, member)

static const option_t options[] = {
    {OPTION_GROUP, "output", 0, 0, NULL, NULL, 0, 0},
    {OPTION_OUTPUT, "output", 'o', AT(output), "READS.fa", "output file (stdout)", 0, 0},
    {OPTION_FLAG, "force", 0, AT(force), NULL, "overwrite READS.fa", 0, 0},
    {OPTION_GROUP, "sequences", 0, 0, NULL, NULL, 0, 0},
    {OPTION_INT, "length", 0, AT(length), "N", "length of the ancestor in bases (1500)",
     1, 10000000},
    {OPTION_INT, "divergence", 0, AT(divergence), "PERCENT",
     "columns that differ between the two sides of the root (25)", 0, 60},
    {OPTION_INT, "ambiguous", 0, AT(ambiguous), "PERCENT",
     "sequences with ambiguity codes (20)", 0, 100},
    {OPTION_INT, "trim", 0, AT(trim), "PERCENT",
     "maximum part of the length that is missing at either end (4)", 0, 45},
    {OPTION_INT, "seed", 0, AT(seed), "N", "seed of all random numbers (1)", 0,
     INT64_MAX},
    {OPTION_END, NULL, 0, 0, NULL, NULL, 0, 0}};

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
    if ((st = whole_file_open(a->output, WHOLE_FILE_TEXT, a->force, &to)) != ST_OK)
        return st;
    if ((st = simulate_make(&o, &set)) == ST_OK)
        st = fasta_write_set(whole_file_stream(to), set);
    seqset_destroy(set);
    return whole_file_close(to, st);
}

static int run(int argc, char **argv)
{
    simulate_opts_t o = simulate_defaults();
    args_t a = {.length = o.length,
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
    .notes = "The same options produce the same bytes on every machine.\n",
    .example = "ribogrid simulate 1000 --seed 7 -o reads.fa",
    .n_words_min = 1,
    .n_words_max = 1,
    .run = run,
};
