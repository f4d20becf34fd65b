/*
 * program_case.h - graph programs of a few lines, for tests; errors are looked for in the
 * log.
 */
#pragma once

#include "graph/program/rg_run.h"
#include "tests/support/captured_log.h"
#include "tests/support/made_graph.h"

/* Of programs in tests, at most. */
enum { PROGRAM_CASE_VALUES = 64 };

static inline void assert_rg_refused(const char *text, const char *message)
{
    rg_program_t program;

    capture_start();
    assert_int_equal(rg_parse("p.rg", text, strlen(text), &program), ST_EINPUT);
    capture_stop();
    assert_logged_one_line();
    assert_logged(message);
}

static inline rg_program_t rg_parsed(const char *text)
{
    rg_program_t program;

    assert_int_equal(rg_parse("p.rg", text, strlen(text), &program), ST_OK);
    return program;
}

/* Run a program without params. */
static inline status_t rg_try(const rg_program_t *program, const csr_t *g,
                              rg_result_t *out)
{
    rg_value_t *param = calloc((size_t)program->n_values + 1, sizeof(*param));
    bool *is_given = calloc((size_t)program->n_values + 1, sizeof(*is_given));
    const rg_input_t input = {g, param, is_given, 1000, 1000};
    status_t st;

    assert_true(param != NULL && is_given != NULL);
    st = rg_run(program, &input, out);
    free(param);
    free(is_given);
    return st;
}

/* A graph: arcs 1 -> 2 (weight 5), 1 -> 3 (2), 2 -> 3 (1), 3 -> 3 (7); node 4 has arcs to
 * it only. */
static inline csr_t program_case_graph(void)
{
    return made_graph_of("1-2:5 1-3:2 2-3:1 3-3:7 2-4:9", true);
}

/* Run a program on that graph and compare its first column. */
static inline void assert_rg_ints(const char *text, int64_t one, int64_t two,
                                  int64_t three, int64_t four)
{
    csr_t g = program_case_graph();
    const int64_t want[] = {one, two, three, four};
    rg_program_t p = rg_parsed(text);
    rg_result_t r;

    assert_int_equal(rg_try(&p, &g, &r), ST_OK);
    for (int u = 0; u < 4; u++)
        if (((int64_t *)r.column[0].values)[u] != want[u])
            fail_msg("%s: node %d has %lld, not %lld", text, u + 1,
                     (long long)((int64_t *)r.column[0].values)[u], (long long)want[u]);
    rg_result_free(&r);
    rg_free(&p);
    csr_free(&g);
}

/* Assert that it ends with an error there. */
static inline void assert_rg_fails(const char *text, const char *message)
{
    csr_t g = program_case_graph();
    rg_program_t p = rg_parsed(text);
    rg_result_t r;

    capture_start();
    assert_int_equal(rg_try(&p, &g, &r), ST_EINPUT);
    capture_stop();
    assert_logged_one_line();
    assert_logged(message);
    rg_free(&p);
    csr_free(&g);
}
