/*
 * program.h - what a program of several commands is, and how its main runs.
 */
#pragma once

#include "tools/options/options.h"

typedef struct {
    const char *name;                 /* "ribogrid" */
    const char *summary;              /* one line */
    const char *example;              /* what --help ends with */
    const command_t *const *commands; /* NULL at the end; those of two words, as "cnn
                                       * train", belong to the one of their first word */
    const char *moved; /* a command of an earlier version that is now the program
                        * NAME-moved; or NULL */
    bool on_all_ranks; /* of a launcher every rank runs every command, on its machine */
} program_t;

/* @param parent  NULL: the program
 * @return the word that names a command below its parent, as "train" of "cnn train" below
 *         "cnn"; NULL: it is not one of the parent's */
const char *program_word(const command_t *command, const command_t *parent);

/* @return the program's command of this whole name, or NULL; while it runs */
const command_t *program_command(const char *name);

/* Run the command that the command line names. @return the exit code */
int program_run(const program_t *program, int argc, char **argv);

/* Run what reads result files in a process of its own (io/base/child.h), with the limits
 * of the files that the words name; if it crashes, its temporary files are removed.
 * @param fn  returns program_end of its exit code @return the exit code */
int program_run_in_child(int (*fn)(int, char **), int argc, char **argv);

/* Write what is left for stdout. @return the exit code, or EXIT_FAILED (logged) */
int program_end(int code);
