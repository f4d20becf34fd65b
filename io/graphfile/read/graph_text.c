/*
 * graph_text.c - fields of a line, and what is wrong with them.
 */
#include "io/graphfile/read/graph_text.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A field is shown up to this length. */
enum { SHOWN = 40 };

/* An integer of up to 15 digits is exact in a double, as are powers of 10 up to 10^22, so
 * that one division of them is rounded correctly. */
enum { EXACT_DIGITS = 15 };

status_t graph_text_next(graph_text_t *t)
{
    status_t st = ST_OK;

    if (!t->is_pending)
        st = lines_next(t->lines, &t->line);
    t->is_pending = false;
    t->at = t->line;
    return st;
}

status_t graph_text_next_data(graph_text_t *t, const char *comments)
{
    status_t st;

    do {
        st = graph_text_next(t);
    } while (st == ST_OK && t->line != NULL &&
             (graph_text_at_end(t) || strchr(comments, *t->at) != NULL));
    return st;
}

size_t graph_text_field(const graph_text_t *t)
{
    return strcspn(t->at, " \t");
}

static int shown(const graph_text_t *t)
{
    size_t len = graph_text_field(t);

    return len < SHOWN ? (int)len : SHOWN;
}

void graph_text_refuse_int(graph_text_t *t, const char *what, int64_t low, int64_t high,
                           const char *remedy)
{
    if (graph_text_at_end(t))
        lines_refuse(t->lines, "the %s is missing; %s", what, remedy);
    else
        lines_refuse(t->lines,
                     "the %s '%.*s' is not an integer of %" PRId64 " .. %" PRId64 "; %s",
                     what, shown(t), t->at, low, high, remedy);
}

/* Read digits with at most one point among them, such as most real numbers are.
 * @return whether it is such a number, and short enough to be exact */
static bool scan_decimal(const char *field, size_t len, double *out)
{
    static const double power[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                   1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    size_t i = field[0] == '-', n_digits = 0, n_after = 0;
    bool has_point = false;
    int64_t n = 0;

    for (; i < len; i++) {
        if (field[i] == '.' && !has_point) {
            has_point = true;
            continue;
        }
        if (field[i] < '0' || field[i] > '9' || ++n_digits > EXACT_DIGITS)
            return false;
        n = 10 * n + (field[i] - '0');
        n_after += has_point;
    }
    *out = (double)(field[0] == '-' ? -n : n) / power[n_after];
    return n_digits > 0;
}

/* @return whether a field is a finite decimal number; hexadecimal ones, "inf" and "nan"
 * have other characters */
static bool scan_real(char *field, size_t len, double *out)
{
    char *end;

    if (scan_decimal(field, len, out))
        return true;
    if (strspn(field, "0123456789+-.eE") < len)
        return false;
    errno = 0;
    *out = strtod(field, &end) + 0.0;
    return end == field + len && isfinite(*out);
}

status_t graph_text_real(graph_text_t *t, const char *what, double *out)
{
    size_t len;

    if (graph_text_at_end(t))
        return lines_refuse(t->lines, "the %s is missing; add it", what);
    len = graph_text_field(t);
    if (!scan_real(t->at, len, out))
        return lines_refuse(t->lines,
                            "the %s '%.*s' is not a finite number; correct or remove "
                            "the line",
                            what, shown(t), t->at);
    t->at += len;
    return ST_OK;
}

void graph_text_skip(graph_text_t *t)
{
    if (!graph_text_at_end(t))
        t->at += graph_text_field(t);
}

static status_t check_length(const graph_text_t *t, const char *what, double value)
{
    if (t->weights != GRAPH_WEIGHTS_LENGTHS || value >= 0)
        return ST_OK;
    return lines_refuse(t->lines,
                        "the %s %.17g is negative, and lengths of paths need at least 0; "
                        "correct it, or give --weights unit",
                        what, value);
}

status_t graph_text_weight(graph_text_t *t, const char *what, graph_number_t *out)
{
    char *begin;
    int64_t value;
    status_t st;

    if (t->weights == GRAPH_WEIGHTS_UNREAD) {
        graph_text_skip(t);
        return ST_OK;
    }
    if (!graph_text_at_end(t)) {
        begin = t->at;
        out->is_weight = graph_text_scan(t, &value) && value <= INT32_MAX;
        if (out->is_weight) {
            out->value = (double)value;
            return ST_OK;
        }
        t->at = begin;
    }
    if ((st = graph_text_real(t, what, &out->value)) != ST_OK)
        return st;
    return check_length(t, what, out->value);
}

status_t graph_text_end(graph_text_t *t)
{
    if (graph_text_at_end(t))
        return ST_OK;
    return lines_refuse(t->lines, "unexpected '%.*s' at the end of the line; remove it",
                        shown(t), t->at);
}
