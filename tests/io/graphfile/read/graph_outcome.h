/*
 * graph_outcome.h - reads a text as a graph, and what becomes of it.
 *
 * dir_make and dir_remove are a group's setup and teardown.
 */
#pragma once

#include "io/graphfile/read/graph_read.h"
#include "tests/support/captured_log.h"
#include "tests/support/unit_test.h"

/* Write a text to a file and read it with options; the log is in `logged`. */
static inline status_t read_graph_with(const char *name, const char *text,
                                       const graph_read_options_t *options,
                                       graph_edges_t *out)
{
    char path[PATH_BYTES];
    status_t st;

    dir_file(name, path);
    dir_put(path, text, strlen(text));
    capture_start();
    st = graph_read(path, options, out);
    capture_stop();
    unlink(path);
    return st;
}

/* Likewise as any format. */
static inline status_t read_graph_text(const char *name, const char *text,
                                       graph_edges_t *out)
{
    return read_graph_with(name, text, &(graph_read_options_t){0}, out);
}

/* @return the list of a text that is read without a message */
static inline graph_edges_t edges_of(const char *name, const char *text)
{
    graph_edges_t e;

    assert_int_equal(read_graph_text(name, text, &e), ST_OK);
    assert_logged_nothing();
    return e;
}

/* Assert that edges are source, target, weight; source, target, weight; ... */
static inline void assert_edges(graph_edges_t *e, int64_t n, const int64_t *due)
{
    assert_int_equal(e->n, n);
    for (int64_t i = 0; i < n; i++) {
        assert_int_equal(e->source[i], due[3 * i]);
        assert_int_equal(e->target[i], due[3 * i + 1]);
        if (e->weight != NULL)
            assert_int_equal(e->weight[i], due[3 * i + 2]);
        else if (e->value != NULL)
            assert_true(e->value[i] == (double)due[3 * i + 2]);
        else
            assert_int_equal(due[3 * i + 2], 1);
    }
    graph_edges_free(e);
}

/* Assert that a text is refused in one line, "...NAME:LINE: ...REASON..." */
static inline void assert_refused_with(const char *name, const char *text,
                                       const graph_read_options_t *options, int line,
                                       const char *reason)
{
    graph_edges_t e;
    char place[PATH_BYTES];

    assert_int_equal(read_graph_with(name, text, options, &e), ST_EINPUT);
    assert_logged_one_line();
    assert_logged(reason);
    snprintf(place, sizeof(place), "/%s:%d: ", name, line);
    assert_logged(place);
}

static inline void assert_text_refused(const char *name, const char *text, int line,
                                       const char *reason)
{
    assert_refused_with(name, text, &(graph_read_options_t){0}, line, reason);
}
