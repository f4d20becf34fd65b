/*
 * cmd_automata_build.c - `ribogrid automata build`: patterns into automata.
 */
#include "tools/options/commands.h"
#include "tools/options/job_run.h"
#include "tools/options/option_tables.h"
#include "worker/automata/build_opts.h"

#define JOB(member) OPTION_AT(build_opts_t, member)

static const option_t words[] = {{OPTION_INPUT, "PATTERNS", 0, JOB(input)},
                                 {.kind = OPTION_END}};

static const option_t options[] = {
    {.kind = OPTION_GROUP, .name = "Input"},
    {OPTION_FLAG, "skip-unsupported", 0, JOB(skip_unsupported), NULL,
     "leave out patterns that automata cannot find, or that are damaged, and list them"},
    {.kind = OPTION_TABLE, .table = option_input},

    {.kind = OPTION_GROUP, .name = "Automata"},
    {OPTION_INT, "budget", 0, JOB(limits.max_states), "N",
     "states of a group of patterns, at most ({}); patterns beyond it alone are run as "
     "bits",
     1, 1 << 30},
    {.word = WORD_MEMORY,
     JOB(limits.max_bytes),
     .help = " of a thread for the states of a group while it is built, at most (1G)"},

    {.kind = OPTION_GROUP, .name = "Output"},
    {.word = WORD_OUTPUT,
     JOB(common.output),
     .value = "AUTOMATA.h5",
     .files = option_job_files,
     .help = ": the result"},
    {OPTION_OUTPUT, "dot", 0, JOB(dot), "FILE",
     "also write the automata of all groups for Graphviz"},

    {.kind = OPTION_GROUP, .name = "Device"},
    {.word = WORD_DEVICE,
     JOB(common.device),
     .help = "; a GPU pays from 100,000 states of a group on ({})"},
    {.word = WORD_KERNEL,
     JOB(common.kernel),
     .help = "; all build the same automata ({})"},
    {.word = WORD_ALLOCATOR,
     JOB(allocator),
     .value = "arena|blocks|malloc",
     .help = " states while they are built: in an array, in memory of each thread block, "
             "or by malloc on the device ({})"},
    {.kind = OPTION_TABLE, .table = option_threads},

    {.kind = OPTION_TABLE, .table = option_run_tasks},
    {.kind = OPTION_END}};

static void defaults(void *args)
{
    *(build_opts_t *)args = build_opts_defaults();
}

static const job_command_t job = {.ops = &job_build_ops};

const command_t cmd_automata_build = {
    .name = "automata build",
    .summary = "patterns into automata, in groups with a budget of states",
    .words = words,
    .usage = "-o AUTOMATA.h5 [options]",
    .options = options,
    .args_bytes = sizeof(build_opts_t),
    .notes =
        "A pattern per line: PATTERN, or /PATTERN/FLAGS with the flags i and s. "
        "Patterns\n"
        "are regular expressions over bytes in the syntax of PCRE; back-references,\n"
        "look-around and possessive repeats are refused. A file that begins with '# "
        "NFA'\n"
        "or '# DFA' is an automaton in the text format of Becchi's tools.\n"
        "Syntax, groups and engines: docs/automata.md.\n" JOB_NOTES("AUTOMATA.h5.part"),
    .example = "ribogrid automata build patterns.txt -o automata.h5 && "
               "ribogrid automata match automata.h5 input.bin -o matches.h5",
    .defaults = defaults,
    .job = &job,
};
