/*
 * time_list.h - lists on the command line of `ribogrid cnn time`.
 */
#ifndef RIBOGRID_TOOLS_CNN_TIME_LIST_H
#define RIBOGRID_TOOLS_CNN_TIME_LIST_H

#include "tools/options/options.h"

enum { TIME_LIST_MAX = 64, TIME_WORD_BYTES = 32 };

typedef struct {
    int n;
    char word[TIME_LIST_MAX][TIME_WORD_BYTES];
    int64_t value[TIME_LIST_MAX]; /* of words that stand for numbers */
} time_list_t;

/* Split a list at its commas.
 * @param option  its name, for messages @param text  NULL: an empty list
 * @return ST_OK or ST_EUSAGE (logged) */
status_t time_list_words(const command_t *command, const char *option, const char *text,
                         time_list_t *out) MUST_CHECK;

/* The same for whole numbers from 1 to max. */
status_t time_list_numbers(const command_t *command, const char *option, const char *text,
                           int64_t max, time_list_t *out) MUST_CHECK;

/* The same for words out of some: a value is the word's place there.
 * @param choices  as in help, "fp32|tf32" */
status_t time_list_choices(const command_t *command, const char *option, const char *text,
                           const char *choices, time_list_t *out) MUST_CHECK;

#endif
