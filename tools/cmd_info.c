/*
 * cmd_info.c - `ribogrid info`: prints what a result file holds and how it was made.
 */
#include "io/pairs/pairs_describe.h"
#include "io/pairs/pairs_open.h"
#include "tools/commands.h"

static const option_t options[] = {{OPTION_END, NULL, 0, 0, NULL, NULL, 0, 0}};

static int run(int argc, char **argv)
{
    const char *words[OPTIONS_WORDS_MAX] = {NULL};
    pairs_file_t *file;
    status_t st = options_parse(&cmd_info, argc, argv, NULL, words);

    if (st != ST_OK || (st = pairs_open(words[0], &file)) != ST_OK)
        return status_exit_code(st);
    st = pairs_describe(file, stdout);
    if (ferror(stdout))
        st = ST_OK; /* main reports it */
    pairs_close(file);
    return status_exit_code(st);
}

const command_t cmd_info = {
    .name = "info",
    .summary = "print what a result file holds and how it was made",
    .usage = "PAIRS.h5",
    .options = options,
    .notes = "Prints lines of three columns: kind (file, job, run), name, value.\n",
    .example = "ribogrid info pairs.h5 | grep ^job",
    .n_words_min = 1,
    .n_words_max = 1,
    .words_are_inputs = true,
    .reads_results = true,
    .run = run,
};
