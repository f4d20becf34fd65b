/*
 * command_run.h - how a command was run, for the files that it writes.
 */
#ifndef RIBOGRID_TOOLS_OPTIONS_COMMAND_RUN_H
#define RIBOGRID_TOOLS_OPTIONS_COMMAND_RUN_H

#include "io/result/run_info.h"
#include "tools/options/commands.h"

/* @return the command line, or NULL without memory; the caller frees it */
char *command_run_line(const command_t *command, int argc, char **argv);

/* Points into itself: not to be copied. */
typedef struct {
    run_info_t info;
    char started[RUN_TIME_BYTES], finished[RUN_TIME_BYTES];
    char *command;
    double begin_s;
} command_run_t;

/* Note that a command begins, without a job.
 * @param input  borrowed; NULL: none @param out  freed by command_run_free */
void command_run_begin(const command_t *command, int argc, char **argv, const char *input,
                       command_run_t *out);

/* Note that the command is about to write its file. @return how it was run, the run's */
const run_info_t *command_run_end(command_run_t *run);

void command_run_free(command_run_t *run);

#endif
