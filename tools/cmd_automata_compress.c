/*
 * cmd_automata_compress.c - `ribogrid automata compress`: automata with default
 * transitions.
 */
#include "io/automata/automata_file.h"
#include "io/base/logmsg.h"
#include "io/base/plural.h"
#include "kernels/automata/dfa_compress.h"
#include "tools/options/commands.h"
#include "tools/options/job_run.h"
#include "tools/options/option_tables.h"

#include <inttypes.h>
#include <stdlib.h>

typedef struct {
    job_opts_t common;
    const char *input;
    dfa_compress_t how;
} args_t;

#define AT(member) OPTION_AT(args_t, member)

static const option_t words[] = {{OPTION_INPUT, "AUTOMATA.h5", 0, AT(input)},
                                 {.kind = OPTION_END}};

static const option_t options[] = {
    {.kind = OPTION_GROUP, .name = "Defaults"},
    {OPTION_CHOICE, "rule", 0, AT(how.rule), "skip|within",
     "levels between a state and its default: at least --d (skip), or at most (within) "
     "({})"},
    {OPTION_INT, "d", 0, AT(how.d), "N", "that number of levels ({})", 1, INT32_MAX},

    {.kind = OPTION_GROUP, .name = "Output"},
    {.word = WORD_OUTPUT, AT(common.output), .value = "COMPRESSED.h5"},
    {.kind = OPTION_TABLE, .table = option_force},

    {.kind = OPTION_GROUP, .name = "Run"},
    {.kind = OPTION_TABLE, .table = option_threads},
    {.kind = OPTION_END}};

static void defaults(void *args)
{
    ((args_t *)args)->how = (dfa_compress_t){.rule = DFA_RULE_SKIP, .d = 1};
}

/* Read automata that are not compressed yet. */
static status_t read_whole(const char *path, automata_t *out)
{
    status_t st = automata_file_read(path, out);

    if (st != ST_OK || !dfa_set_is_compressed(&out->dfas))
        return st;
    log_error("%s: its automata are compressed; give what `automata build` has written",
              path);
    automata_free(out);
    return ST_EINPUT;
}

/* Add what was done to the text of the job. */
static status_t describe(const args_t *a, automata_t *automata)
{
    buf_t text = {0};
    status_t st = buf_printf(&text, "%srule=%s\nd=%" PRId64 "\n", automata->job,
                             dfa_rule_name[a->how.rule], a->how.d);

    if (st != ST_OK || (st = buf_append(&text, "", 1)) != ST_OK) {
        buf_free(&text);
        return st;
    }
    free(automata->job);
    automata->job = (char *)text.data;
    return ST_OK;
}

static status_t compress(void *args, command_run_t *run)
{
    const args_t *a = args;
    automata_t automata;
    int64_t n_cells, n_bytes;
    status_t st = read_whole(a->input, &automata);

    if (st != ST_OK)
        return st;
    n_cells = automata.dfas.n_cells;
    n_bytes = dfa_set_bytes(&automata.dfas);
    if ((st = describe(a, &automata)) == ST_OK)
        st = dfa_compress(&automata.dfas, &a->how, run->pool);
    if (st == ST_OK)
        st = automata_file_write(a->common.output, a->common.force, &automata,
                                 command_run_end(run), run->pool);
    if (st == ST_OK)
        log_info("%" PRId64 " group%s with %" PRId64 " state%s: %" PRId64 " of %" PRId64
                 " transitions, %" PRId64 " of %" PRId64 " bytes",
                 automata.dfas.n_groups, plural(automata.dfas.n_groups),
                 automata.dfas.n_states, plural(automata.dfas.n_states),
                 automata.dfas.n_cells, n_cells, dfa_set_bytes(&automata.dfas), n_bytes);
    automata_free(&automata);
    return st;
}

static status_t run(void *args)
{
    args_t *a = args;

    if (a->common.output == NULL)
        return options_misuse(&cmd_automata_compress, "give -o COMPRESSED.h5");
    return command_run_with_pool(&a->common, a->input, compress, a);
}

const command_t cmd_automata_compress = {
    .name = "automata compress",
    .summary = "automata with default transitions (A-DFA)",
    .words = words,
    .usage = "-o COMPRESSED.h5 [options]",
    .options = options,
    .args_bytes = sizeof(args_t),
    .notes = "The default of a state is the one, of those fewer bytes from the begin "
             "that the\n"
             "rule allows, whose transitions equal most of its own; only the others are "
             "kept.\n"
             "`automata match --kernel adfa` runs them: docs/automata.md.\n",
    .example = "ribogrid automata compress automata.h5 -o compressed.h5 && "
               "ribogrid automata match compressed.h5 input.bin --kernel adfa -o "
               "matches.h5",
    .reads_results = true,
    .defaults = defaults,
    .run = run,
};
