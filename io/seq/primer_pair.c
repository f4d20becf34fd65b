/*
 * primer_pair.c - primers by name or bases, and lines of pairs.
 */
#include "io/seq/primer_pair.h"

#include "io/base/buf.h"
#include "io/base/logmsg.h"
#include "io/base/name_table.h"
#include "io/base/near_word.h"
#include "io/base/texts.h"
#include "io/file/lines.h"
#include "io/seq/alphabet.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name, *bases;
} known[] = {{"27F", "AGAGTTTGATYMTGGCTCAG"},    {"341F", "CCTACGGGNGGCWGCAG"},
             {"515F", "GTGYCAGCMGCCGCGGTAA"},    {"785R", "GACTACHVGGGTATCTAATCC"},
             {"806R", "GGACTACNVGGGTWTCTAAT"},   {"907R", "CCGTCAATTCMTTTRAGTTT"},
             {"926R", "CCGYCAATTYMTTTRAGTTT"},   {"1391R", "GACGGGCGGTGWGTRCA"},
             {"1492R", "TACGGYTACCTTGTTACGACTT"}};

enum { N_KNOWN = sizeof(known) / sizeof(known[0]), WRONG_BYTES = 224, NAMES_BYTES = 64 };

/* @return whether the text is a primer */
static bool parse_primer(const char *text, size_t len, primer_t *out)
{
    for (int i = 0; i < N_KNOWN; i++)
        if (strlen(known[i].name) == len && strncmp(known[i].name, text, len) == 0)
            return parse_primer(known[i].bases, strlen(known[i].bases), out);
    if (len == 0 || len > PRIMER_LEN_MAX)
        return false;
    *out = (primer_t){.len = (int)len};
    for (size_t i = 0; i < len; i++) {
        out->codes[i] = alphabet_code(ALPHABET_DNA, (unsigned char)text[i]);
        if (out->codes[i] == CODE_NONE)
            return false;
    }
    return true;
}

/* Describe what is wrong with a text that is no primer. @return out */
static const char *describe(const char *text, size_t len, char out[WRONG_BYTES])
{
    near_word_t near = near_word_begin(text, len);
    char names[NAMES_BYTES] = "", did_you_mean[NEAR_WORD_BYTES];

    for (int i = 0; i < N_KNOWN; i++) {
        const size_t at = strlen(names);

        near_word_try(&near, known[i].name);
        snprintf(names + at, sizeof(names) - at, "%s%s", i > 0 ? " " : "", known[i].name);
    }
    if (len > PRIMER_LEN_MAX)
        snprintf(out, WRONG_BYTES, "a primer of %zu bases; at most %d are possible", len,
                 PRIMER_LEN_MAX);
    else
        snprintf(out, WRONG_BYTES,
                 "'%.*s' is neither a primer's name (%s) nor bases, 5' to 3'%s", (int)len,
                 text, names, near_word_text(&near, "", did_you_mean));
    return out;
}

const char *primer_pair_misuse(const char *text)
{
    static _Thread_local char out[WRONG_BYTES];
    const char *slash = strchr(text, '/');
    primer_t primer;

    if (slash == NULL || slash == text || slash[1] == '\0')
        return "give two primers as FORWARD/REVERSE, each 5' to 3' or by name, such as "
               "515F/806R";
    if (!parse_primer(text, (size_t)(slash - text), &primer))
        return describe(text, (size_t)(slash - text), out);
    return parse_primer(slash + 1, strlen(slash + 1), &primer)
               ? NULL
               : describe(slash + 1, strlen(slash + 1), out);
}

primer_t primer_reverse_complement(const primer_t *primer)
{
    primer_t out = {.len = primer->len};

    for (int i = 0; i < primer->len; i++)
        out.codes[i] = alphabet_complement(primer->codes[primer->len - 1 - i]);
    return out;
}

bool primer_pair_parse(const char *text, primer_pair_t *out)
{
    const char *slash = strchr(text, '/');

    return slash != NULL && parse_primer(text, (size_t)(slash - text), &out->forward) &&
           parse_primer(slash + 1, strlen(slash + 1), &out->reverse);
}

/* ---- several pairs ---- */

/* A panel while it grows. */
typedef struct {
    int64_t n;
    buf_t pairs, names;
    name_table_t seen;
} list_t;

static status_t add(list_t *l, const char *name, const primer_pair_t *pair)
{
    status_t st = buf_append(&l->pairs, pair, sizeof(*pair));

    l->n += st == ST_OK;
    return st == ST_OK ? buf_append(&l->names, name, strlen(name) + 1) : st;
}

/* @param l  empty afterwards */
static status_t finish(list_t *l, status_t st, primer_panel_t *out)
{
    char **names = NULL;

    if (st == ST_OK) {
        st = texts_take((char *)l->names.data, l->n, &names);
        l->names = (buf_t){0};
    }
    if (st == ST_OK) {
        *out = (primer_panel_t){l->n, (primer_pair_t *)(void *)l->pairs.data, names};
        l->pairs = (buf_t){0};
    }
    buf_free(&l->pairs);
    buf_free(&l->names);
    name_table_free(&l->seen);
    return st;
}

status_t primer_panel_of_pair(const char *text, primer_panel_t *out)
{
    primer_pair_t pair;
    list_t l = {.n = 0};

    return finish(&l, primer_pair_parse(text, &pair) ? add(&l, text, &pair) : ST_EINPUT,
                  out);
}

static status_t refuse_primer(const lines_t *in, const char *text)
{
    char wrong[WRONG_BYTES];

    return lines_refuse(in, "%s", describe(text, strlen(text), wrong));
}

static status_t read_line(lines_t *in, char *line, list_t *l)
{
    char *at = line, *name = strsep(&at, "\t"), *forward = strsep(&at, "\t"),
         *reverse = strsep(&at, "\t");
    primer_pair_t pair;
    int64_t number;
    bool is_new;
    status_t st;

    if (reverse == NULL || at != NULL || *name == '\0')
        return lines_refuse(in, "expected a name, the forward and the reverse primer, "
                                "separated by tabs ('#' starts a comment)");
    if (!parse_primer(forward, strlen(forward), &pair.forward))
        return refuse_primer(in, forward);
    if (!parse_primer(reverse, strlen(reverse), &pair.reverse))
        return refuse_primer(in, reverse);
    if (l->n == PRIMER_PANEL_MAX)
        return lines_refuse(in, "more than %d pairs; divide them among several files",
                            PRIMER_PANEL_MAX);
    if ((st = name_table_add(&l->seen, name, strlen(name), &number, &is_new)) != ST_OK)
        return st;
    if (!is_new)
        return lines_refuse(in, "'%.80s' is the name of another pair, too; rename one",
                            name);
    return add(l, name, &pair);
}

status_t primer_panel_read(const char *path, primer_panel_t *out)
{
    list_t l = {.n = 0};
    lines_t *in;
    char *line;
    status_t st = lines_open(path, &in);

    if (st != ST_OK)
        return st;
    while ((st = lines_next_entry(in, &line)) == ST_OK && line != NULL)
        if ((st = read_line(in, line, &l)) != ST_OK)
            break;
    if (st == ST_OK && l.n == 0) {
        log_error("%s: no pair of primers; give lines of name TAB forward TAB reverse",
                  lines_name(in));
        st = ST_EINPUT;
    }
    lines_close(in);
    return finish(&l, st, out);
}

void primer_panel_free(primer_panel_t *panel)
{
    free(panel->pairs);
    texts_free(panel->names);
    *panel = (primer_panel_t){.n = 0};
}
