/*
 * pattern_file.c - lines of patterns, and what is wrong with them.
 */
#include "io/automata/pattern_file.h"

#include "io/automata/nfa_text.h"
#include "io/automata/pattern_nfa.h"
#include "io/base/logmsg.h"
#include "io/file/lines.h"

#include <inttypes.h>
#include <string.h>

/* A line: /pattern/flags, or all of it is the pattern. */
typedef struct {
    const char *text;
    size_t len;
    const char *flags; /* NUL-terminated */
} split_t;

static split_t split_line(const char *line)
{
    const char *last = strrchr(line, '/');

    if (line[0] != '/' || last == line ||
        last[1 + strspn(last + 1, "abcdefghijklmnopqrstuvwxyz"
                                  "ABCDEFGHIJKLMNOPQRSTUVWXYZ")] != '\0')
        return (split_t){line, strlen(line), ""};
    return (split_t){line + 1, (size_t)(last - line) - 1, last + 1};
}

/* @return ST_OK, or ST_EINPUT: a flag is not known */
static status_t parse_flags(const char *line, const char *flags, unsigned *out,
                            pattern_error_t *why)
{
    *out = 0;
    for (const char *f = flags; *f != '\0'; f++) {
        if (*f != 'i' && *f != 's') {
            *why = (pattern_error_t){f - line + 1, "this flag is not supported"};
            return ST_EINPUT;
        }
        *out |= *f == 'i' ? PATTERN_CASELESS : PATTERN_DOT_ALL;
    }
    return ST_OK;
}

/* @return ST_OK, ST_ENOMEM (logged) or ST_EINPUT (not logged) */
static status_t add_line(const char *line, nfa_builder_t *to, pattern_error_t *why)
{
    const split_t s = split_line(line);
    pattern_tree_t tree = {.root = 0};
    unsigned flags;
    status_t st = parse_flags(line, s.flags, &flags, why);

    if (st != ST_OK)
        return st;
    if (s.len > PATTERN_MAX_BYTES) {
        *why = (pattern_error_t){1, "the pattern has more than 1 MiB"};
        return ST_EINPUT;
    }
    if ((st = pattern_tree_parse(s.text, s.len, flags, &tree, why)) == ST_EINPUT)
        why->column += s.text - line;
    if (st == ST_OK) {
        why->column = s.text - line + 1;
        st = pattern_nfa_add(&tree, line, to, &why->what);
    }
    buf_free(&tree.nodes);
    return st;
}

static status_t refuse(const lines_t *from, const pattern_error_t *why, bool skip)
{
    if (!skip)
        return lines_refuse(from,
                            "column %" PRId64
                            ": %s; correct it, or give --skip-unsupported",
                            why->column, why->what);
    log_warn("%s:%" PRId64 ": column %" PRId64 ": %s; left out", lines_name(from),
             lines_number(from), why->column, why->what);
    return ST_OK;
}

static status_t add_lines(lines_t *from, char *line, bool skip, nfa_builder_t *to,
                          int64_t *n_skipped)
{
    status_t st = ST_OK;

    while (st == ST_OK && line != NULL) {
        pattern_error_t why = {1, ""};

        if (line[0] != '\0' && (st = add_line(line, to, &why)) == ST_EINPUT) {
            st = refuse(from, &why, skip);
            ++*n_skipped;
        }
        if (st == ST_OK)
            st = lines_next(from, &line);
    }
    return st;
}

status_t pattern_file_read(const char *path, bool skip_unsupported, nfa_t *out,
                           int64_t *n_skipped)
{
    nfa_builder_t builder = {.n_patterns = 0};
    lines_t *from = NULL;
    char *line = NULL;
    status_t st = lines_open(path, &from);

    *n_skipped = 0;
    if (st == ST_OK)
        st = lines_next(from, &line);
    if (st == ST_OK && line != NULL && nfa_text_is_head(line))
        st = nfa_text_read(from, &builder);
    else if (st == ST_OK)
        st = add_lines(from, line, skip_unsupported, &builder, n_skipped);
    if (st == ST_OK && builder.n_patterns == 0)
        st = log_refusal(path, "give a file with a pattern on each line",
                         "it has no patterns that can be used");
    lines_close(from);
    if (st == ST_OK)
        return nfa_builder_finish(&builder, out);
    nfa_builder_free(&builder);
    return st;
}
