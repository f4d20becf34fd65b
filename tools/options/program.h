/*
 * program.h - what a program of several commands is, and how its main runs.
 */
#ifndef RIBOGRID_TOOLS_OPTIONS_PROGRAM_H
#define RIBOGRID_TOOLS_OPTIONS_PROGRAM_H

#include "tools/options/options.h"

typedef struct {
    const char *name;                    /* "ribogrid" */
    const char *summary;                 /* one line */
    const char *example;                 /* what --help ends with */
    const command_t *const *commands;    /* in --help's order; NULL at the end */
    const command_t *const *subcommands; /* of two words, as "cnn train", the first one of
                                          * which is a command; NULL at the end, or if
                                          * none */
    bool on_all_ranks; /* of a launcher every rank runs every command, on its machine */
} program_t;

/* Run the command that the command line names. @return the exit code */
int program_run(const program_t *program, int argc, char **argv);

#endif
