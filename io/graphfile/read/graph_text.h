/*
 * graph_text.h - the lines of a graph's text file as fields: integers and real numbers
 * separated by blanks or tabs.
 *
 * What is wrong is logged as "PATH:LINE: ...".
 */
#pragma once

#include "io/file/lines.h"
#include "io/graphfile/graph_edges.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    lines_t *lines;
    char *line;      /* NULL at the end of the file */
    char *at;        /* the next field, or blanks before it */
    bool is_pending; /* the line was read ahead: graph_text_next returns it again */
    graph_weights_t weights;
} graph_text_t;

/* Go to the next line. @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT */
status_t graph_text_next(graph_text_t *t) MUST_CHECK;

/* Go to the next line that is neither empty nor starts with one of some characters.
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT */
status_t graph_text_next_data(graph_text_t *t, const char *comments) MUST_CHECK;

/* @return whether the line has no more fields */
static inline bool graph_text_at_end(graph_text_t *t)
{
    while (*t->at == ' ' || *t->at == '\t')
        t->at++;
    return *t->at == '\0';
}

/* Read a field as an integer of at least 0.
 * @return whether it is one that fits; if not, the field is still the next one */
static inline bool graph_text_scan(graph_text_t *t, int64_t *value)
{
    uint64_t n = 0;
    char *at, *digits;

    if (graph_text_at_end(t))
        return false;
    at = digits = t->at;
    while (*at >= '0' && *at <= '9' && at - digits < 19)
        n = 10 * n + (uint64_t)(*at++ - '0');
    if (at == digits || (*at != ' ' && *at != '\t' && *at != '\0') || n > INT64_MAX)
        return false;
    t->at = at;
    *value = (int64_t)n;
    return true;
}

/* Log why the next field is no integer of low .. high. */
void graph_text_refuse_int(graph_text_t *t, const char *what, int64_t low, int64_t high,
                           const char *remedy);

/*
 * Read a field as an integer of low .. high.
 *
 * @param what    for the message: "target"
 * @param remedy  for the message: what to do about it
 * @return ST_OK or ST_EINPUT (logged)
 */
static inline status_t graph_text_int(graph_text_t *t, const char *what, int64_t low,
                                      int64_t high, const char *remedy, int64_t *out)
{
    char *begin = t->at;
    int64_t value;

    if (graph_text_scan(t, &value) && value >= low && value <= high) {
        *out = value;
        return ST_OK;
    }
    t->at = begin;
    graph_text_refuse_int(t, what, low, high, remedy);
    return ST_EINPUT; /* here, for the compiler to see it */
}

/* Go behind the next field. */
void graph_text_skip(graph_text_t *t);

/* Read a field as a finite number, which is decimal.
 * @return ST_OK or ST_EINPUT (logged) */
status_t graph_text_real(graph_text_t *t, const char *what, double *out) MUST_CHECK;

/* Read a field as a weight, which t->weights allows; -0 becomes 0.  Weights that are not
 * read are skipped, may be absent, and leave *out.
 * @return ST_OK or ST_EINPUT (logged) */
status_t graph_text_weight(graph_text_t *t, const char *what,
                           graph_number_t *out) MUST_CHECK;

/* Refuse a line that has another field. @return ST_OK or ST_EINPUT (logged) */
status_t graph_text_end(graph_text_t *t) MUST_CHECK;

/* @return the next field's length */
size_t graph_text_field(const graph_text_t *t);
