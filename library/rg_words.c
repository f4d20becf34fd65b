/*
 * rg_words.c - words and fractions among options.
 */
#include "library/rg_words.h"

#include "io/base/logmsg.h"
#include "io/base/near_word.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LIST_BYTES = 256 };

#define FRACTION_DENOMINATOR INT64_C(1000000000)

status_t rg_word_find(const char *name, const char *word, const char *const *words, int n,
                      int *out)
{
    near_word_t near = near_word_begin(word, strlen(word));
    char list[LIST_BYTES] = "", guess[NEAR_WORD_BYTES];
    size_t len = 0;

    for (int i = 0; i < n; i++) {
        if (strcmp(word, words[i]) == 0) {
            *out = i;
            return ST_OK;
        }
        near_word_try(&near, words[i]);
        len += (size_t)snprintf(list + len, sizeof(list) - len, "%s%s",
                                i == 0      ? ""
                                : i < n - 1 ? ", "
                                            : " or ",
                                words[i]);
    }
    log_error("%s '%.80s': give %s%s", name, word, list,
              near_word_text(&near, "", guess));
    return ST_EUSAGE;
}

status_t rg_fraction_take(const char *name, double value, fraction_t *out)
{
    if (!(value >= 0 && value <= 1)) {
        log_error("%s of %g: give a number from 0 to 1", name, value);
        return ST_EUSAGE;
    }
    *out =
        (fraction_t){llround(value * (double)FRACTION_DENOMINATOR), FRACTION_DENOMINATOR};
    fraction_reduce(out);
    return ST_OK;
}
