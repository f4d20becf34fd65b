/*
 * time_list.c - splits and checks lists.
 */
#include "tools/cnn/time_list.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

status_t time_list_words(const command_t *command, const char *option, const char *text,
                         time_list_t *out)
{
    out->n = 0;
    for (const char *at = text; at != NULL;) {
        const size_t len = strcspn(at, ",");

        if (len == 0 || len >= TIME_WORD_BYTES)
            return options_misuse(command,
                                  "--%s %s: give words of 1 to %d characters, "
                                  "separated by commas",
                                  option, text, TIME_WORD_BYTES - 1);
        if (out->n == TIME_LIST_MAX)
            return options_misuse(command, "--%s %s: give at most %d words", option, text,
                                  TIME_LIST_MAX);
        memcpy(out->word[out->n], at, len);
        out->word[out->n++][len] = '\0';
        at = at[len] == ',' ? at + len + 1 : NULL;
    }
    return ST_OK;
}

status_t time_list_numbers(const command_t *command, const char *option, const char *text,
                           int64_t max, time_list_t *out)
{
    status_t st = time_list_words(command, option, text, out);

    for (int i = 0; st == ST_OK && i < out->n; i++) {
        char *end;

        out->value[i] = strtoll(out->word[i], &end, 10);
        if (*end != '\0' || out->value[i] < 1 || out->value[i] > max)
            st = options_misuse(command, "--%s %s: give numbers from 1 to %" PRId64,
                                option, out->word[i], max);
    }
    return st;
}

/* @return the place of a word among choices, or -1 */
static int64_t place_of(const char *word, const char *choices)
{
    const size_t len = strlen(word);
    int64_t place = 0;

    for (const char *at = choices;; at++, place++) {
        const size_t n = strcspn(at, "|");

        if (n == len && memcmp(at, word, len) == 0)
            return place;
        at += n;
        if (*at == '\0')
            return -1;
    }
}

status_t time_list_choices(const command_t *command, const char *option, const char *text,
                           const char *choices, time_list_t *out)
{
    status_t st = time_list_words(command, option, text, out);

    for (int i = 0; st == ST_OK && i < out->n; i++)
        if ((out->value[i] = place_of(out->word[i], choices)) < 0)
            st = options_misuse(command, "--%s %s: choose from %s", option, out->word[i],
                                choices);
    return st;
}
