/*
 * fuzz_rg_program.c - libFuzzer target: arbitrary bytes as a graph program; what is
 * accepted is written as C and CUDA C++, and runs on a small graph, with few iterations.
 */
#include "graph/program/rg_emit.h"
#include "graph/program/rg_run.h"
#include "tests/support/fuzz_file.h"

/* Nested loops over all nodes take long: some 2^20 iterations in LEN_MAX bytes. */
enum { N_NODES = 2, N_ARCS = 3, ITERATIONS = 2, ITEMS = 40, LEN_MAX = 320 };

/* Arcs 0 -> 0, 0 -> 1, 1 -> 1. */
static int64_t first[N_NODES + 1] = {0, 2, 3}, id[N_NODES] = {5, 7};
static int32_t to[N_ARCS] = {0, 1, 1};

static void run(const rg_program_t *p)
{
    const csr_t g = {
        .n_nodes = N_NODES, .n_arcs = N_ARCS, .first = first, .to = to, .id = id};
    rg_value_t *param = calloc((size_t)p->n_values + 1, sizeof(*param));
    bool *is_given = calloc((size_t)p->n_values + 1, sizeof(*is_given));
    const rg_input_t input = {&g, param, is_given, ITERATIONS, ITEMS};
    rg_result_t r = {0};
    status_t st;

    if (param == NULL || is_given == NULL)
        abort();
    st = rg_run(p, &input, &r);
    if ((st != ST_OK && st != ST_EINPUT) || (st == ST_OK) != (r.n_columns > 0))
        abort();
    rg_result_free(&r);
    free(param);
    free(is_given);
}

static void emit(const rg_program_t *p)
{
    buf_t text = {0};

    if (rg_emit_c(p, &text) != ST_OK || rg_emit_cuda(p, &text) != ST_OK)
        abort();
    buf_free(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    rg_program_t program = {0};
    status_t st;

    fuzz_quiet();
    st = rg_parse("fuzz", (const char *)data, len, &program);
    if (st != ST_OK && (st != ST_EINPUT || program.blocks != NULL))
        abort();
    if (st == ST_OK && len <= LEN_MAX) {
        emit(&program);
        run(&program);
    }
    fuzz_loud();
    rg_free(&program);
    return 0;
}
