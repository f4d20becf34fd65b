/*
 * cmd_automata_build.c - `ribogrid automata build`: patterns into automata.
 */
#include "io/automata/automata_file.h"
#include "io/automata/dfa_dot.h"
#include "io/automata/pattern_file.h"
#include "io/base/logmsg.h"
#include "io/base/memory_limit.h"
#include "io/file/whole_file.h"
#include "kernels/automata/dfa_group.h"
#include "kernels/registry/backends.h"
#include "tools/options/commands.h"
#include "tools/options/job_run.h"
#include "tools/options/option_tables.h"

#include <inttypes.h>

typedef struct {
    job_opts_t common;
    const char *input, *dot;
    bool skip_unsupported;
    dfa_limits_t limits;
} args_t;

#define AT(member) OPTION_AT(args_t, member)

static const option_t words[] = {{OPTION_INPUT, "PATTERNS", 0, AT(input)},
                                 {.kind = OPTION_END}};

static const option_t options[] = {
    {.kind = OPTION_GROUP, .name = "Input"},
    {OPTION_FLAG, "skip-unsupported", 0, AT(skip_unsupported), NULL,
     "leave out patterns that automata cannot find, or that are damaged, and list them"},
    {.kind = OPTION_TABLE, .table = option_input},

    {.kind = OPTION_GROUP, .name = "Automata"},
    {OPTION_INT, "budget", 0, AT(limits.max_states), "N",
     "states of a group of patterns, at most ({}); patterns beyond it alone are run as "
     "bits",
     1, 1 << 30},
    {.word = WORD_MEMORY,
     AT(limits.max_bytes),
     .help = " of a thread for the states of a group while it is built, at most (1G)"},

    {.kind = OPTION_GROUP, .name = "Output"},
    {.word = WORD_OUTPUT, AT(common.output), .value = "AUTOMATA.h5"},
    {OPTION_OUTPUT, "dot", 0, AT(dot), "FILE",
     "also write the automata of all groups for Graphviz"},
    {.kind = OPTION_TABLE, .table = option_force},

    {.kind = OPTION_GROUP, .name = "Device"},
    {.word = WORD_DEVICE, AT(common.device), .help = ": of the subset construction ({})"},
    {.word = WORD_KERNEL,
     AT(common.kernel),
     .help = "; all build the same automata ({})"},
    {.kind = OPTION_TABLE, .table = option_threads},
    {.kind = OPTION_END}};

static void defaults(void *args)
{
    ((args_t *)args)->common.device = "cpu";
    ((args_t *)args)->limits =
        (dfa_limits_t){.max_states = 2000, .max_bytes = (int64_t)1 << 30};
}

static status_t write_dot(const args_t *a, const automata_t *automata)
{
    whole_file_t *to;
    status_t st;

    if (a->dot == NULL)
        return ST_OK;
    if ((st = whole_file_open(a->dot, WHOLE_FILE_TEXT, a->common.force, &to)) != ST_OK)
        return st;
    dfa_dot_print(&automata->dfas, &automata->nfa, whole_file_stream(to));
    return whole_file_close(to, ST_OK);
}

static void log_counts(const automata_t *a, int64_t n_skipped)
{
    int64_t n_alone = 0;

    for (int64_t k = 0; k < a->nfa.n_patterns; k++)
        n_alone += a->dfas.group[k] < 0;
    log_info("%" PRId64 " patterns with %" PRId64 " positions; %" PRId64
             " groups with %" PRId64 " states; %" PRId64
             " patterns are run as bits, %" PRId64 " were left out",
             a->nfa.n_patterns, a->nfa.n_positions, a->dfas.n_groups, a->dfas.n_states,
             n_alone, n_skipped);
}

/* Group the patterns, with what --device and --kernel name. */
static status_t make_groups(const args_t *a, pool_t *pool, automata_t *automata)
{
    device_t device;
    const subset_context_t context = {&device, pool};
    const backend_request_t request = {.name = a->common.kernel,
                                       .device = &device,
                                       .what = "automata"};
    dfa_builder_t builder = {.pool = pool};
    const backend_t *row;
    status_t st = one_device_find(&cmd_automata_build, a->common.device, &device);

    if (st != ST_OK || (st = backend_open(&subset_table, &request, &context, &row,
                                          &builder.state)) != ST_OK)
        return st;
    builder.backend = (const subset_backend_t *)row;
    st = dfa_group_all(&automata->nfa, &a->limits, &builder, &automata->dfas);
    builder.backend->destroy(builder.state);
    return st;
}

static status_t build(const args_t *a, pool_t *pool, command_run_t *run)
{
    automata_t automata = {.nfa = {.n_patterns = 0}};
    int64_t n_skipped;
    status_t st =
        pattern_file_read(a->input, a->skip_unsupported, &automata.nfa, &n_skipped);

    if (st == ST_OK)
        st = make_groups(a, pool, &automata);
    if (st == ST_OK)
        st = write_dot(a, &automata);
    if (st == ST_OK)
        st = automata_file_write(a->common.output, a->common.force, &automata,
                                 command_run_end(run), pool);
    if (st == ST_OK)
        log_counts(&automata, n_skipped);
    automata_free(&automata);
    return st;
}

static status_t run(void *args)
{
    args_t *a = args;
    command_run_t run;
    pool_t *pool;
    status_t st;

    if (a->common.output == NULL)
        return options_misuse(&cmd_automata_build, "give -o AUTOMATA.h5");
    command_run_begin(&a->common, a->input, &run);
    if ((st = job_opts_pool(&a->common, &pool)) != ST_OK)
        return st;
    st = memory_limit_check(dfa_limits_bytes(&a->limits) * pool_n_threads(pool),
                            "give a lower --budget or --memory, or fewer --threads",
                            "the automata of %d threads", pool_n_threads(pool));
    if (st == ST_OK)
        st = build(a, pool, &run);
    pool_destroy(pool);
    return st;
}

const command_t cmd_automata_build = {
    .name = "automata build",
    .summary = "patterns into automata, in groups with a budget of states",
    .words = words,
    .usage = "-o AUTOMATA.h5 [options]",
    .options = options,
    .args_bytes = sizeof(args_t),
    .notes =
        "A pattern per line: PATTERN, or /PATTERN/FLAGS with the flags i and s. "
        "Patterns\n"
        "are regular expressions over bytes in the syntax of PCRE; back-references,\n"
        "look-around and possessive repeats are refused. A file that begins with '# "
        "NFA'\n"
        "or '# DFA' is an automaton in the text format of Becchi's tools.\n"
        "Syntax, groups and engines: docs/automata.md.\n",
    .example = "ribogrid automata build patterns.txt -o automata.h5 && "
               "ribogrid automata match automata.h5 input.bin -o matches.h5",
    .defaults = defaults,
    .run = run,
};
