/*
 * cmd_automata_match.c - `ribogrid automata match`: finds all ends of patterns in a file.
 */
#include "tools/options/commands.h"
#include "tools/options/job_run.h"
#include "tools/options/option_tables.h"
#include "worker/automata/match_opts.h"

#define JOB(member) OPTION_AT(match_opts_t, member)

static const option_t words[] = {{OPTION_INPUT, "AUTOMATA.h5", 0, JOB(automata)},
                                 {OPTION_INPUT, "INPUT[.gz]|-", 0, JOB(input)},
                                 {.kind = OPTION_END}};

static const option_t options[] = {
    {.kind = OPTION_GROUP, .name = "Input"},
    {OPTION_FLAG, "lines", 0, JOB(lines), NULL,
     "each line is a record of its own; else the whole input is one"},
    {.kind = OPTION_TABLE, .table = option_input},

    {.kind = OPTION_GROUP, .name = "Output"},
    {.word = WORD_OUTPUT,
     JOB(common.output),
     .value = "MATCHES.h5",
     .files = option_job_files,
     .help = ": the result"},

    {.kind = OPTION_TABLE, .table = option_job_tasks},
    {.kind = OPTION_END}};

static void defaults(void *args)
{
    *(match_opts_t *)args = match_opts_defaults();
}

static const job_command_t job = {.ops = &job_match_ops};

const command_t cmd_automata_match = {
    .name = "automata match",
    .summary = "find where patterns end in a file",
    .words = words,
    .usage = "-o MATCHES.h5 [options]",
    .options = options,
    .args_bytes = sizeof(match_opts_t),
    .notes =
        "A match is a pattern and the end of a text that it describes; each is reported\n"
        "once, wherever it begins. `ribogrid view` prints them. Kernels find the same\n"
        "matches, with automata of `automata build`: nfa (patterns as bits, behind a\n"
        "filter; on processors and GPUs), dfa (look-up tables), adfa (those of "
        "`automata\n"
        "compress`), lazy (tables that grow while they are used) and "
        "scalar.\n" JOB_NOTES("MATCHES.h5.part"),
    .example = "ribogrid automata match automata.h5 input.bin -o matches.h5 && "
               "ribogrid view matches.h5",
    .defaults = defaults,
    .job = &job,
};
