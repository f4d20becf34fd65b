/*
 * mutant.c - objects, integers and texts for the mutations.
 */
#include "tests/mutate/mutant.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATHS_MAX = 512, LONG_TEXT = 10 << 20 };

void mutant_note(mutant_t *m, const char *format, ...)
{
    size_t len = strlen(m->note);
    va_list args;

    va_start(args, format);
    vsnprintf(m->note + len, sizeof(m->note) - len, format, args);
    va_end(args);
}

uint64_t mutant_below(mutant_t *m, uint64_t n)
{
    return n > 0 ? rng_below(&m->rng, n) : 0;
}

bool mutant_chance(mutant_t *m, int percent)
{
    return rng_chance(&m->rng, (uint64_t)percent, 100);
}

int64_t mutant_integer(mutant_t *m, int64_t n)
{
    const int64_t one = 1;
    const int64_t integers[] = {
        0,
        1,
        -1,
        2,
        -2,
        n,
        n + 1,
        n - 1,
        -n,
        2 * n,
        127,
        128,
        255,
        256,
        -128,
        SHRT_MAX,
        USHRT_MAX,
        INT_MAX,
        INT_MIN,
        INT_MAX - 1,
        one << 31,
        one << 32,
        one << 40,
        one << 62,
        -(one << 62),
        INT64_MAX,
        INT64_MIN,
        INT64_MAX - 1,
        one << 20,
        1000000000,
        UINT_MAX,
        -INT_MAX,
        INT64_MAX / 2,
        1000000,
        (one << 52) + 1,
    };

    return integers[mutant_below(m, sizeof(integers) / sizeof(integers[0]))];
}

static const char *long_text(mutant_t *m, size_t *len)
{
    static char *text;

    if (text == NULL && (text = malloc(LONG_TEXT + 1)) == NULL)
        abort();
    *len = mutant_chance(m, 20) ? LONG_TEXT : 4096 + mutant_below(m, 70000);
    memset(text, 'a', *len);
    text[*len] = '\0';
    return text;
}

const char *mutant_text(mutant_t *m, size_t *len)
{
    static const char *const texts[] = {"", " ", "=", "M", "60", "1", "0M", "-5M60M",
                                        "99999999999999M",
                                        /* not for a terminal */
                                        "two\nlines", "a\ttab", "return\r",
                                        "\x1b[31mred\x1b[0m\x07", "\x7f", "\xc2\x85 C1",
                                        /* not UTF-8 */
                                        "\xff\xfe", "half \xc3", "\xed\xa0\x80 surrogate",
                                        "\xc0\xaf overlong", "\xf4\x90\x80\x80",
                                        /* not as they stand in HTML, formats and paths */
                                        "%s%n%d", "<script>alert(1)</script>",
                                        "\"quoted\" & 'more'", "../../../etc/passwd",
                                        /* valid elsewhere in a file */
                                        "hits", "dense", "free", "query", "count", "eqx",
                                        "nogaps", "3", "ribogrid-pairs",
                                        "ribogrid-groups", "sequences=-1\nn=\n=\n",
                                        /* numbers */
                                        "0/1", "1/0", "-1/2", "3/2",
                                        "9223372036854775807/9223372036854775807",
                                        "99999999999999999999/100", "nan", "1e999", "-0"};
    const char *text = texts[mutant_below(m, sizeof(texts) / sizeof(texts[0]))];

    if (mutant_chance(m, 5))
        return long_text(m, len);
    *len = strlen(text);
    return text;
}

/* The paths of a file's objects. */
typedef struct {
    unsigned kinds;
    int n;
    char path[PATHS_MAX][MUTANT_NAME_BYTES];
} paths_t;

static bool is_wanted(hid_t at, const char *name, const H5L_info_t *link, unsigned kinds)
{
    H5O_info_t object;

    if (link->type != H5L_TYPE_HARD)
        return kinds & MUTANT_LINK;
    if (H5Oget_info_by_name(at, name, &object, H5P_DEFAULT) < 0)
        return false;
    return object.type == H5O_TYPE_DATASET ? kinds & MUTANT_DATASET
                                           : kinds & MUTANT_GROUP;
}

static herr_t add_path(hid_t at, const char *name, const H5L_info_t *link, void *to)
{
    paths_t *paths = to;

    if (paths->n < PATHS_MAX && strlen(name) < MUTANT_NAME_BYTES &&
        is_wanted(at, name, link, paths->kinds))
        strcpy(paths->path[paths->n++], name);
    return 0;
}

bool mutant_pick(mutant_t *m, unsigned kinds, char *path)
{
    static paths_t paths;

    paths.kinds = kinds;
    paths.n = 0;
    H5Lvisit(m->file, H5_INDEX_NAME, H5_ITER_INC, add_path, &paths);
    if (paths.n == 0)
        return false;
    strcpy(path, paths.path[mutant_below(m, (uint64_t)paths.n)]);
    return true;
}

hid_t mutant_open(mutant_t *m, const char *path)
{
    return H5Lexists(m->file, path, H5P_DEFAULT) > 0
               ? H5Dopen2(m->file, path, H5P_DEFAULT)
               : H5I_INVALID_HID;
}

void mutant_fill(mutant_t *m, void *bytes, size_t n)
{
    static const char *const alphabets[] = {
        "ACGT",       "0123456789MID=X",      "0123456789",     "M",
        "\n\t\r\x1b", "\xff\xc3\x80\xed\xa0", "=X;:/\\<>&'\"%", "abc ",
    };
    const char *letters =
        alphabets[mutant_below(m, sizeof(alphabets) / sizeof(alphabets[0]))];
    size_t n_letters = strlen(letters);

    for (size_t i = 0; i < n; i++)
        ((char *)bytes)[i] = letters[mutant_below(m, n_letters)];
}
