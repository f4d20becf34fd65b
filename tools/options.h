/*
 * options.h - a command's options as one table, from which it is parsed and --help
 * written.
 */
#ifndef RIBOGRID_TOOLS_OPTIONS_H
#define RIBOGRID_TOOLS_OPTIONS_H

#include "io/base/fraction.h"
#include "io/base/status.h"

#include <stddef.h>
#include <stdint.h>

typedef enum {
    OPTION_FLAG,     /* bool: true where given */
    OPTION_TEXT,     /* const char * */
    OPTION_INT,      /* int64_t within least..most */
    OPTION_SIZE,     /* int64_t bytes; K M G T (powers of 1024) may follow */
    OPTION_FRACTION, /* fraction_t, a decimal from 0 to 1 */
    OPTION_CHOICE,   /* int: the index of the word */
    OPTION_END
} option_kind_t;

typedef struct {
    option_kind_t kind;
    const char *name;  /* without its dashes */
    char letter;       /* short form, or 0 */
    size_t at;         /* offset of its place among the command's arguments */
    const char *value; /* what --help calls the value; words of a choice: "free|count" */
    const char *help;
    int64_t least, most; /* OPTION_INT */
} option_t;

typedef struct {
    const char *name;    /* "align" */
    const char *summary; /* one line */
    const char *usage;   /* what follows the name: "READS.fa -o PAIRS.h5 [options]" */
    const option_t *options;
    const char *notes;   /* after the options; may be NULL */
    const char *example; /* last */
    int n_words_min, n_words_max;
    int (*run)(int argc, char **argv); /* @return the exit code */
} command_t;

enum { OPTIONS_WORDS_MAX = 4 };

/*
 * Parse a command's arguments (after its name).
 *
 * @param args   the command's structure, holding the defaults
 * @param words  [OPTIONS_WORDS_MAX] what is no option, in order
 * @return ST_OK, ST_EUSAGE (logged), or ST_EDONE after --help
 */
status_t options_parse(const command_t *command, int argc, char **argv, void *args,
                       const char **words) MUST_CHECK;

/* Print a command's help. */
void options_help(const command_t *command);

/* Log how a command was misused. @return ST_EUSAGE */
status_t options_misuse(const command_t *command, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

#endif
