/*
 * options.h - the options of a command as one table: the command line is parsed by it and
 * `--help` is printed from it.
 */
#pragma once

#include "io/base/fraction.h"
#include "io/base/status.h"
#include "tools/options/option_words.h"
#include "worker/job_opts.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef enum {
    OPTION_WORD,     /* the kind of `word` */
    OPTION_GROUP,    /* no option: `name` is the heading of those that follow in --help */
    OPTION_TABLE,    /* the rows of `table`, under the heading `name` if it has one; `at`
                      * is the offset of their structure */
    OPTION_FLAG,     /* bool, set to true */
    OPTION_TEXT,     /* const char *, borrowed from argv */
    OPTION_TEXTS,    /* option_texts_t: it may be repeated, and the value may follow the
                      * letter at once (-IDIR) */
    OPTION_INPUT,    /* the same: a file that the command reads */
    OPTION_OUTPUT,   /* the same: a file that it writes */
    OPTION_INT,      /* int64_t from min to max */
    OPTION_HALVES,   /* int64_t in halves, from min to max: "0.5" is 1 */
    OPTION_NUMBER,   /* double from min to max: "1.4" */
    OPTION_POSITIVE, /* double above 0, up to max */
    OPTION_SIZE,     /* int64_t, bytes; may end in K, M, G or T (powers of 1024) */
    OPTION_SIZES,    /* option_sizes_t, such sizes separated by commas */
    OPTION_FRACTION, /* fraction_t, a decimal from 0 to 1 */
    OPTION_FRACTIONS, /* fraction_list_t, decimals from 0 to 1 separated by commas */
    OPTION_CHOICE,    /* int or an enum: the index of the word among those of `value` */
    OPTION_MAX_INPUT, /* a size, set for the whole process (io/file/packed_input.h) */
    OPTION_END
} option_kind_t;

/* The values of an option that may be repeated. */
enum { OPTION_TEXTS_MAX = 64 };
typedef struct {
    const char *at[OPTION_TEXTS_MAX]; /* borrowed from argv */
    int n;
} option_texts_t;

enum { OPTION_SIZES_MAX = 32 };
typedef struct {
    int64_t at[OPTION_SIZES_MAX];
    int n;
} option_sizes_t;

/* The files that a command line names (option_files.h). */
typedef struct option_files option_files_t;

typedef struct option {
    option_kind_t kind;
    const char *name;  /* without the dashes */
    char letter;       /* the short form, or 0 */
    size_t at;         /* offset of the member of the table's structure to write */
    const char *value; /* placeholder in --help; OPTION_CHOICE: its words, "free|count" */
    const char *help;  /* {} stands for the default */
    int64_t min,
        max; /* of OPTION_INT, OPTION_HALVES, OPTION_NUMBER, and max of OPTION_POSITIVE */
    const struct option *table;
    bool is_optional; /* a word that may be left out */

    /* Of OPTION_INPUT and OPTION_OUTPUT: add the files that a value stands for, by
     * option_files_add; NULL: the value is the file.
     * @param args  the command's structure, parsed */
    status_t (*files)(const void *args, const char *value, option_files_t *to);

    /* What several commands have is one word, with one meaning (option_words.h): its row
     * gives name, letter and all that a command's row leaves out; `help` of the latter
     * follows that of the word. */
    option_word_t word; /* WORD_NONE: the row is complete */
    const char *note;   /* of a listed row (options_list): that help of the command */
} option_t;

/* By word; rows of no command, whose `at` is not used. */
extern const option_t option_words[OPTION_N_WORDS];

/* A word of the version before, which works with a warning. */
typedef struct {
    const char *option; /* the old name; of a value: the option */
    const char *value;  /* the old value; NULL: the option has a new name */
    const char *is_now; /* the new name, or the new value */
} option_rename_t;

/* @return how many values a row has at most: a word may be given several times, into an
 * array */
static inline int64_t option_n_values(const option_t *o)
{
    return o->kind == OPTION_INPUT && o->max > 1 ? o->max : 1;
}

/* The offset of a row: of a member of a table's structure. */
#define OPTION_AT(type, member) .at = offsetof(type, member)

/* A command that runs a job (job_run.h). */
typedef struct job_command job_command_t;

typedef struct {
    const char *name;    /* "align", "cnn train" */
    const char *summary; /* one line */

    /* The arguments that are not options, in order; `name` is a placeholder: "READS.fa".
     * All are needed but those that are optional; the last one may be repeated where its
     * `max` is more than 1, and its member is an array then.  NULL: none. */
    const option_t *words;
    const char *usage;              /* what follows them: "-o PAIRS.h5 [options]" */
    const option_t *options;        /* NULL: it needs a second word (program.h) */
    const option_rename_t *renamed; /* an option of NULL at the end; or NULL */
    size_t args_bytes; /* of the structure that both are about, which begins with a
                        * job_opts_t */
    void (*defaults)(void *args); /* sets members that are not 0, besides those of
                                   * job_opts_defaults; may be NULL */
    void (*print_more)(FILE *);   /* prints more after the options; may be NULL */
    const char *notes;            /* printed then; may be NULL */
    const char *example;          /* printed last */
    bool on_all_ranks;  /* runs on every rank of a launcher, others on rank 0 alone */
    bool reads_results; /* runs in a process of its own (io/base/child.h) */

    const job_command_t *job;    /* what it runs, on all ranks; its outputs are checked by
                                  * rank 0, later; NULL: `run` */
    status_t (*run)(void *args); /* with the parsed options; of a job that may be left
                                  * out; NULL: job_run, or no options */
} command_t;

enum { OPTIONS_WORDS_MAX = 16, OPTIONS_MAX = 128, OPTIONS_RENAMES_MAX = 8 };

/*
 * List the rows of a command: those of tables in their place, those of words complete,
 * with offsets from the beginning of the command's structure, and at the end what every
 * command has (-q, -v).
 */
void options_list(const command_t *command, option_t out[OPTIONS_MAX]);

/* @return a command's structure with its defaults, the caller's (free); NULL: there is no
 *         memory (logged) */
void *options_defaults(const command_t *command);

/* @return the help of a listed row, `out`, with its default, which is one of a command's
 */
enum { OPTION_HELP_BYTES = 512 };
const char *option_help(const option_t *o, const void *defaults,
                        char out[OPTION_HELP_BYTES]);

/* @return what follows a command's name, `out`: its words and its usage */
enum { OPTIONS_USAGE_BYTES = 128 };
const char *options_usage(const command_t *command, char out[OPTIONS_USAGE_BYTES]);

/* Print a command's help. @return ST_EDONE, or ST_ENOMEM */
status_t options_print_help(const command_t *command, FILE *to) MUST_CHECK;

/*
 * Parse the arguments that follow a command's name.
 *
 * The members that are given are noted (worker/job_opts.h), and the level of messages is
 * set.  The files that the command line names are checked (option_files.h).
 *
 * @param args  of options_defaults
 * @return ST_OK, ST_EUSAGE (logged), ST_EINPUT or ST_EIO (an output), ST_ENOMEM, or
 *         ST_EDONE after --help
 */
status_t options_parse(const command_t *command, int argc, char **argv,
                       void *args) MUST_CHECK;

/* The same for a command line of another machine: no file is looked at. */
status_t options_parse_only(const command_t *command, int argc, char **argv,
                            void *args) MUST_CHECK;

/* Log what is wrong with a command line. @return ST_EUSAGE */
status_t options_misuse(const command_t *command, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
