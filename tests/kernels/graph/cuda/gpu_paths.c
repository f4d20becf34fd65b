/*
 * gpu_paths.c - real weights on a GPU: distances and spanning forests of the backend
 * `cuda` are the bytes of `serial`, with every setting.
 *
 * A plain program, without cmocka, which GPU machines may lack.  It prints one line per
 * graph, kind of weights and algorithm, and exits with 1 if any value differs, 77 without
 * a GPU.
 *
 * usage: gpu_paths [GRAPH ...]  (named_graph.h)
 */
#include "tests/support/gpu_case.h"
#include "tests/support/gpu_graph_case.h"
#include "tests/support/named_graph.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const graphs[] = {"rmat:10:16", "rmat:14:16", "web:11:12",
                                     "grid:37",    "grid:200",   "citeseer:700",
                                     "star:5000",  "path:1",     "path:33",
                                     "path:1500",  "empty:70",   "diamonds:900"};

/* Kinds of weights. */
typedef enum {
    HALVES,   /* 0, 0.5, 1: many ties, and arcs that add nothing */
    TENTHS,   /* sums depend on their order */
    WIDE,     /* 2^-1074 .. 2^900, so that most are lost in a sum */
    TINY,     /* multiples of the smallest number: no bucket has a width */
    ZEROS,    /* all paths have the length 0 */
    INVERSES, /* 1 / 2 .. 1 / 256 */
    N_KINDS
} kind_t;

static const char *const kind_name[N_KINDS] = {"halves", "tenths", "wide",
                                               "tiny",   "zeros",  "inverses"};

static double value_of(kind_t kind, int32_t weight)
{
    static const int exponents[] = {-1074, -1000, -53, 0, 1, 52, 53, 900};

    switch (kind) {
    case HALVES:
        return weight % 3 / 2.0;
    case TENTHS:
        return weight / 10.0;
    case WIDE:
        return ldexp(weight % 13 / 8.0, exponents[weight % 8]);
    case TINY:
        return weight * 0x1p-1074;
    case ZEROS:
        return 0;
    default:
        return 1 / (1.0 + weight);
    }
}

static void compare(gpu_graph_case_t *s, const char *name, const csr_t *g, kind_t kind,
                    double *value)
{
    const graph_algorithm_t algorithms[] = {GRAPH_SSSP, GRAPH_MST};
    csr_t real = *g;
    char text[64];

    for (int64_t a = 0; a < g->n_arcs; a++)
        value[a] = value_of(kind, g->weight[a]);
    real.weight = NULL;
    real.value = value;
    snprintf(text, sizeof(text), "%s %s", name, kind_name[kind]);
    for (int k = 0; k < 2; k++) {
        const graph_spec_t spec = {.algorithm = algorithms[k]};

        gpu_graph_compare(s, text, &real, &spec, 1, 0, true);
    }
}

static void compare_graph(gpu_graph_case_t *s, const char *name)
{
    csr_t g = {0};
    double *value = NULL;

    if (named_graph(name, s->pool, &g) != ST_OK ||
        (value = malloc((size_t)(g.n_arcs + 1) * sizeof(*value))) == NULL)
        s->n_failed++;
    for (int kind = 0; value != NULL && kind < N_KINDS; kind++)
        compare(s, name, &g, (kind_t)kind, value);
    free(value);
    csr_free(&g);
}

int main(int argc, char **argv)
{
    gpu_graph_case_t s = {0};
    int code = gpu_case_begin(0, &s.cpu, &s.gpu, &s.pool);

    if (code != EXIT_SUCCESS)
        return code;
    for (int i = 1; i < argc; i++)
        compare_graph(&s, argv[i]);
    for (size_t i = 0; argc == 1 && i < sizeof(graphs) / sizeof(graphs[0]); i++)
        compare_graph(&s, graphs[i]);
    printf("%d settings passed, %d failed\n", s.n_passed, s.n_failed);
    pool_destroy(s.pool);
    return s.n_failed == 0 && s.n_passed > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
