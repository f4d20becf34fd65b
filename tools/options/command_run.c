/*
 * command_run.c - how a command was run, for the files that it writes.
 */
#include "tools/options/command_run.h"

#include "io/base/buf.h"
#include "io/base/clock.h"
#include "version.h"

#include <stdlib.h>

char *command_run_line(const command_t *command, int argc, char **argv)
{
    buf_t text = {0};
    status_t st = buf_printf(&text, "ribogrid %s", command->name);

    for (int i = 0; st == ST_OK && i < argc; i++)
        st = buf_printf(&text, " %s", argv[i]);
    if (st == ST_OK)
        st = buf_append(&text, "", 1);
    if (st != ST_OK)
        buf_free(&text);
    return (char *)text.data;
}

void command_run_begin(const command_t *command, int argc, char **argv, const char *input,
                       command_run_t *out)
{
    *out = (command_run_t){.command = command_run_line(command, argc, argv),
                           .begin_s = clock_now_s()};
    out->info = (run_info_t){.program = "ribogrid " VERSION_LONG,
                             .command = out->command != NULL ? out->command : "",
                             .input = input,
                             .started = run_info_time(time(NULL), out->started),
                             .ranks = 1};
}

const run_info_t *command_run_end(command_run_t *run)
{
    run->info.seconds = clock_now_s() - run->begin_s;
    run->info.finished = run_info_time(time(NULL), run->finished);
    return &run->info;
}

void command_run_free(command_run_t *run)
{
    free(run->command);
    run->command = NULL;
}
