/*
 * program_case.h - graph programs of a few lines, for tests; errors are looked for in the
 * log.
 */
#pragma once

#include "graph/program/rg_run.h"
#include "tests/support/captured_log.h"

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
    const rg_input_t input = {g, param, is_given, 1000};
    status_t st;

    assert_true(param != NULL && is_given != NULL);
    st = rg_run(program, &input, out);
    free(param);
    free(is_given);
    return st;
}
