/*
 * gpu_program_case.h - compares graph programs on a GPU with the interpreter: results,
 * counts, and errors.
 */
#pragma once

#include "graph/program/rg_gpu.h"
#include "tests/graph/program/program_random.h"
#include "tests/graph/program/program_texts.h"
#include "tests/support/made_graph.h"

#include "io/base/logmsg.h"

#include <string.h>
#include <unistd.h>

enum { GPU_ITERATIONS = 20000, GPU_VALUES = 64, GPU_LOG_BYTES = 4096 };

typedef struct {
    device_t gpu;
    int64_t n_nodes;     /* of the largest graphs, about */
    int n_random;        /* random programs */
    int share, n_shares; /* this process's part of the programs */
    int n_programs, n_passed, n_failed;
} gpu_program_case_t;

/* ---- what is logged ---- */

/* Run a program, and take what it logs. */
static inline status_t gpu_program_run(rg_gpu_t *gpu, const rg_program_t *p,
                                       const rg_input_t *input, rg_result_t *out,
                                       char logged[GPU_LOG_BYTES])
{
    FILE *file = tmpfile();
    const int saved = dup(STDERR_FILENO);
    status_t st;
    size_t n;

    if (file == NULL || saved < 0)
        abort();
    fflush(stderr);
    dup2(fileno(file), STDERR_FILENO);
    st = gpu != NULL ? rg_gpu_run(gpu, input, out) : rg_run(p, input, out);
    fflush(stderr);
    dup2(saved, STDERR_FILENO);
    close(saved);
    rewind(file);
    n = fread(logged, 1, GPU_LOG_BYTES - 1, file);
    logged[n] = '\0';
    fclose(file);
    return st;
}

/* ---- one program on one graph ---- */

static inline bool gpu_program_is_same_graph(const csr_t *got, const csr_t *want)
{
    const size_t n = (size_t)want->n_nodes, m = (size_t)want->n_arcs;

    if (got->n_nodes != want->n_nodes || got->n_arcs != want->n_arcs)
        return false;
    return want->first == NULL ||
           (memcmp(got->first, want->first, (n + 1) * sizeof(*want->first)) == 0 &&
            memcmp(got->to, want->to, m * sizeof(*want->to)) == 0 &&
            memcmp(got->id, want->id, n * sizeof(*want->id)) == 0);
}

/* @return NULL, or what differs */
static inline const char *gpu_program_difference(const csr_t *g, const rg_result_t *got,
                                                 const rg_result_t *want)
{
    const int64_t n = want->graph.first != NULL ? want->graph.n_nodes : g->n_nodes;

    if (!gpu_program_is_same_graph(&got->graph, &want->graph))
        return "the graph";
    for (int k = 0; k < want->n_columns; k++)
        if (memcmp(got->column[k].values, want->column[k].values,
                   (size_t)n * rg_value_bytes(want->column[k].symbol->type)) != 0)
            return want->column[k].symbol->name;
    return got->n_iterations != want->n_iterations ? "the number of iterations"
           : got->n_visited != want->n_visited     ? "the number of visited arcs"
                                                   : NULL;
}

/* Node params are the first node. */
static inline rg_input_t gpu_program_input(const rg_program_t *p, const csr_t *g)
{
    static rg_value_t param[GPU_VALUES];
    static bool is_given[GPU_VALUES];

    memset(is_given, 0, sizeof(is_given));
    for (const rg_symbol_t *s = p->symbols; s != NULL; s = s->next)
        if (s->kind == SYMBOL_PARAM && s->type == RG_NODE)
            is_given[s->slot] = g->n_nodes > 0;
    return (rg_input_t){g, param, is_given, GPU_ITERATIONS, INT32_MAX};
}

static inline void gpu_program_compare(gpu_program_case_t *c, const char *name,
                                       const rg_program_t *p, rg_gpu_t *gpu,
                                       const csr_t *g)
{
    const rg_input_t input = gpu_program_input(p, g);
    char want_log[GPU_LOG_BYTES], got_log[GPU_LOG_BYTES];
    rg_result_t want, got;
    const status_t st_want = gpu_program_run(NULL, p, &input, &want, want_log);
    const status_t st_got = gpu_program_run(gpu, p, &input, &got, got_log);
    const char *what =
        st_got != st_want || strcmp(got_log, want_log) != 0 ? "the end" : NULL;

    if (what == NULL && st_want == ST_OK)
        what = gpu_program_difference(g, &got, &want);
    if (what != NULL)
        printf("FAILED: %s on %d nodes, %d arcs: %s differs\n  %s  %s", name,
               (int)g->n_nodes, (int)g->n_arcs, what, want_log, got_log);
    c->n_passed += what == NULL;
    c->n_failed += what != NULL;
    rg_result_free(&want);
    rg_result_free(&got);
}

static inline void gpu_program_compare_on(gpu_program_case_t *c, const char *name,
                                          const char *text, const made_graph_t *graphs,
                                          int n)
{
    rg_program_t p;
    rg_gpu_t *gpu = NULL;
    csr_t g;

    if (c->n_programs++ % c->n_shares != c->share - 1)
        return;
    if (rg_parse(name, text, strlen(text), &p) != ST_OK) {
        printf("FAILED: %s is no program: %s\n", name, text);
        c->n_failed++;
        return;
    }
    g = made_graph(&(made_graph_t){.shape = MADE_EMPTY});
    if (p.n_kernels > 0 && rg_gpu_create(&p, &g, &c->gpu, false, &gpu) != ST_OK) {
        printf("FAILED: %s is not compiled\n", name);
        c->n_failed++;
    }
    for (int i = 0; i < n && gpu != NULL; i++) {
        csr_t made = made_graph(&graphs[i]);

        gpu_program_compare(c, name, &p, gpu, &made);
        csr_free(&made);
    }
    csr_free(&g);
    rg_gpu_destroy(gpu);
    rg_free(&p);
}

/* ---- programs ---- */

static inline void gpu_program_on_graphs(gpu_program_case_t *c, const char *name,
                                         const char *text)
{
    const made_graph_t graphs[] = {
        {.shape = MADE_RMAT, .weights = MADE_VALUES, .n = c->n_nodes, .seed = 1},
        {.shape = MADE_SPARSE, .n = c->n_nodes, .is_directed = true, .seed = 2},
        {.shape = MADE_GRID, .weights = MADE_SMALL_WEIGHTS, .n = 400, .seed = 3},
        {.shape = MADE_STAR, .weights = MADE_WEIGHTS, .n = 700, .seed = 5},
        {.shape = MADE_ISOLATED, .n = 70, .seed = 4},
        {.shape = MADE_EMPTY}};

    gpu_program_compare_on(c, name, text, graphs, sizeof(graphs) / sizeof(graphs[0]));
}

/* Symbols 0 to 2. */
static inline void gpu_program_on_automata(gpu_program_case_t *c, const char *name,
                                           const char *text)
{
    static const made_graph_t graphs[] = {
        {.shape = MADE_CYCLE, .weights = MADE_SMALL_WEIGHTS, .n = 40, .seed = 1},
        {.shape = MADE_GRID, .weights = MADE_SMALL_WEIGHTS, .n = 30, .seed = 2},
        {.shape = MADE_SPARSE,
         .weights = MADE_SMALL_WEIGHTS,
         .n = 60,
         .is_directed = true,
         .seed = 3}};

    gpu_program_compare_on(c, name, text, graphs, sizeof(graphs) / sizeof(graphs[0]));
}

static inline void gpu_program_shipped(gpu_program_case_t *c)
{
    for (int i = 0; rg_shipped[i].name != NULL; i++)
        (strstr(rg_shipped[i].text, "edge attribute") != NULL
             ? gpu_program_on_automata
             : gpu_program_on_graphs)(c, rg_shipped[i].name, rg_shipped[i].text);
}

static inline void gpu_program_of_texts(gpu_program_case_t *c)
{
    char name[16];

    for (int i = 0; i < PROGRAM_TEXTS; i++) {
        snprintf(name, sizeof(name), "text %d", i);
        gpu_program_on_graphs(c, name, program_texts[i]);
    }
}

/* Errors in kernels: the first one in the order of the interpreter. */
static inline void gpu_program_failures(gpu_program_case_t *c)
{
#define X "output attribute int x;\n"
    static const char *const more[] = {
        X "bool b = any(v in nodes: 1 / (v.id - 20023) == 5);",
        X "bool b = all(v in nodes: 1 / (v.id - 20023) < 5);",
        X "bool b = any(v in nodes: v.id == 20016 || 1 / (v.id - 20023) == 5);",
        X "bool b = any(v in nodes: any(u in v.out: 1 / (u.id - 20023) == 5));",
        X "foreach (v in nodes where 7 % (v.id - 20023) < 9) { v.x = 1; }",
        X "foreach (v in nodes) {\nv.x = sum(u in v.out: 3 / (u.id - 10009));\n"
          "v.x += sum(u in v.in: 3 / (u.id - 10002)); }",
        X "foreach (v in nodes) {\nforeach (u in v.out) { u.x += v.id / (u.id - 24); } }",
        X "foreach (v in nodes) { if (any(u in v.out: u.id == 24 || 1 / (u.id - 31) == "
          "2)) { v.x = 1; } }",
        X
        "foreach (v in nodes) { v.x = 1; }\nforeach (v in nodes) { v.x = 5 / (v.x - 1); "
        "}\nint i = 1 / 0;",
        X "multiset m; foreach (v in nodes) { m.add(v); m.add(v); }\n"
          "foreach (v in m) { node n; if (v.id > 30000) { n = v; } if (n == none) { n.x "
          "+= 1; } }",
        X "int i; foreach (v in nodes) { i += v.id; }\n"
          "while (i > 0) { i = i / 2; foreach (v in nodes) { v.x = i; }  }\n"
          "foreach (v in nodes) { v.x = v.id / i; }",
    };
    /* a place behind what 12 bits can hold */
    static char wide[6000];
    char name[16];

    for (int i = 0; i < PROGRAM_FAILURES; i++) {
        snprintf(name, sizeof(name), "failure %d", i);
        gpu_program_on_graphs(c, name, program_failures[i]);
    }
    for (size_t i = 0; i < sizeof(more) / sizeof(more[0]); i++) {
        snprintf(name, sizeof(name), "error %d", (int)i);
        gpu_program_on_graphs(c, name, more[i]);
    }
    memset(wide, ' ', sizeof(wide) - 1);
    memcpy(wide, X "foreach (v in nodes) {", strlen(X "foreach (v in nodes) {"));
    strcpy(wide + 5500, "v.x = 1 / (v.id - 17); }");
    gpu_program_on_graphs(c, "wide", wide);
    memset(wide, '\n', 5400);
    memcpy(wide, X "foreach (v in nodes) {", strlen(X "foreach (v in nodes) {"));
    gpu_program_on_graphs(c, "long", wide);
#undef X
}

static inline void gpu_program_of_random(gpu_program_case_t *c)
{
    char name[16];

    for (uint64_t seed = 1; seed <= (uint64_t)c->n_random; seed++) {
        snprintf(name, sizeof(name), "random %d", (int)seed);
        gpu_program_on_graphs(c, name, program_random(seed));
    }
}

/* Compare all of them. @return whether nothing differs */
static inline bool gpu_program_compare_all(gpu_program_case_t *c)
{
    gpu_program_shipped(c);
    gpu_program_of_texts(c);
    gpu_program_failures(c);
    gpu_program_of_random(c);
    printf("%d passed, %d failed\n", c->n_passed, c->n_failed);
    return c->n_failed == 0;
}
