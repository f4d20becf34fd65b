/*
 * program.h - what a program of several commands is, and how its main runs.
 */
#ifndef RIBOGRID_TOOLS_OPTIONS_PROGRAM_H
#define RIBOGRID_TOOLS_OPTIONS_PROGRAM_H

#include "tools/options/near_word.h"
#include "tools/options/options.h"

typedef struct {
    const char *name;                    /* "ribogrid" */
    const char *summary;                 /* one line */
    const char *example;                 /* what --help ends with */
    const command_t *const *commands;    /* in --help's order; NULL at the end */
    const command_t *const *subcommands; /* of two words, whose settings are their own, as
                                          * "cnn train"; NULL at the end, or if none */
    bool on_all_ranks; /* of a launcher every rank runs every command, on its machine */
} program_t;

/* @param list  NULL at its end
 * @return the command whose name is the word, or ends with it as "cnn train", or NULL */
const command_t *program_find(const command_t *const *list, const char *word);

/* @return `out`: "; did you mean align?", or "" if no command of the list is near */
const char *program_guess(const command_t *const *list, const char *word,
                          char out[NEAR_WORD_BYTES]);

/* Run the command that the command line names. @return the exit code */
int program_run(const program_t *program, int argc, char **argv);

#endif
