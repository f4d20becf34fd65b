/*
 * named_graph.c - graphs for tests of graph kernels.
 */
#include "tests/support/named_graph.h"

#include "io/base/logmsg.h"
#include "io/base/rng.h"
#include "io/graphfile/csr_build.h"
#include "io/graphfile/read/graph_formats.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static status_t make_rmat(rng_t *rng, int scale, int64_t factor, graph_edges_t *out)
{
    int64_t n = INT64_C(1) << scale;
    status_t st = ST_OK;

    out->n_declared = n;
    for (int64_t e = 0; st == ST_OK && e < n * factor; e++) {
        int64_t u = 0, v = 0;

        for (int k = 0; k < scale; k++) { /* .57, .19, .19, .05 */
            uint64_t r = rng_below(rng, 100);

            u = 2 * u + (r >= 76);
            v = 2 * v + ((r >= 57 && r < 76) || r >= 95);
        }
        st = graph_edges_add(out, u, v);
    }
    return st;
}

static status_t make_grid(int64_t side, graph_edges_t *out)
{
    status_t st = ST_OK;

    out->n_declared = side * side;
    for (int64_t u = 0; st == ST_OK && u < side * side; u++) {
        if (u % side + 1 < side)
            st = graph_edges_add(out, u, u + 1);
        if (st == ST_OK && u + side < side * side)
            st = graph_edges_add(out, u, u + side);
    }
    return st;
}

/* @return a standard normal number (Box and Muller 1958) */
static double normal(rng_t *rng)
{
    double a = (double)((rng_next(rng) >> 11) + 1) / 9007199254740992.0;
    double b = (double)(rng_next(rng) >> 11) / 9007199254740992.0;

    return sqrt(-2 * log(a)) * cos(6.283185307179586 * b);
}

static status_t make_citeseer(rng_t *rng, int64_t n, graph_edges_t *out)
{
    int64_t *stub = malloc((size_t)n * 1188 * sizeof(*stub) + 1), n_stubs = 0;
    status_t st = stub == NULL ? log_nomem("a graph") : ST_OK;

    out->n_declared = n;
    for (int64_t u = 0; st == ST_OK && u < n; u++) {
        int64_t degree = llround(exp(3.85 + 0.95 * normal(rng)));

        degree = degree < 1 ? 1 : degree > 1188 ? 1188 : degree;
        while (degree-- > 0)
            stub[n_stubs++] = u;
    }
    for (int64_t k = n_stubs - 1; st == ST_OK && k > 0; k--) {
        int64_t other = (int64_t)rng_below(rng, (uint64_t)k + 1), kept = stub[k];

        stub[k] = stub[other];
        stub[other] = kept;
    }
    for (int64_t k = 0; st == ST_OK && k + 1 < n_stubs; k += 2)
        st = graph_edges_add(out, stub[k], stub[k + 1]);
    free(stub);
    return st;
}

/* The first level has few of all arcs, and is pushed; the wide ones are pulled, and the
 * narrow ones pushed again. */
static status_t make_funnel(int64_t wide, graph_edges_t *out)
{
    const int64_t narrow = wide / 50, n = 1 + 2 * wide + 2 * narrow, hub = n / 4;
    const int64_t first[] = {hub + 1, hub + 1 + wide, hub + 1 + 2 * wide};
    status_t st = ST_OK;

    out->n_declared = n;
    for (int64_t k = 0; st == ST_OK && k < wide; k++) {
        const int64_t a = (first[0] + k) % n, b = (first[1] + k) % n;

        if ((st = graph_edges_add(out, hub, a)) == ST_OK)
            st = graph_edges_add(out, b, (first[2] + k % narrow) % n);
        for (int64_t i = 0; st == ST_OK && i < 8; i++)
            st = graph_edges_add(out, a, (first[1] + (k + i * i) % wide) % n);
    }
    for (int64_t k = 0; st == ST_OK && k < narrow; k++)
        st = graph_edges_add(out, (first[2] + k) % n, (first[2] + narrow + k) % n);
    return st;
}

static status_t make_star(int64_t leaves, graph_edges_t *out)
{
    int64_t n = 2 * leaves + 1;
    status_t st = ST_OK;

    out->n_declared = n;
    for (int64_t u = 0; st == ST_OK && u < leaves; u++)
        st = graph_edges_add(out, leaves, u);
    for (int64_t u = leaves; st == ST_OK && u + 1 < n && u < leaves + 50; u++)
        st = graph_edges_add(out, u, u + 1);
    return st;
}

static status_t make_path(int64_t n, graph_edges_t *out)
{
    status_t st = ST_OK;

    out->n_declared = n;
    for (int64_t u = 0; st == ST_OK && u + 1 < n; u++)
        st = graph_edges_add(out, u, u + 1);
    return st;
}

/* Arcs from parents to children; a parent is one of the `reach` nodes before its
 * child.  Where there is a choice, some nodes are roots. */
static status_t make_tree(rng_t *rng, int64_t n, int64_t reach, graph_edges_t *out)
{
    status_t st = ST_OK;

    out->n_declared = n;
    for (int64_t u = 1; st == ST_OK && u < n; u++)
        if (rng_below(rng, 1000) > 0 || reach == 1)
            st = graph_edges_add(
                out, u - 1 - (int64_t)rng_below(rng, (uint64_t)(u < reach ? u : reach)),
                u);
    return st;
}

static status_t make_clique(int64_t n, graph_edges_t *out)
{
    status_t st = ST_OK;

    out->n_declared = n;
    for (int64_t u = 0; st == ST_OK && u < n; u++)
        for (int64_t v = 0; st == ST_OK && v < u; v++)
            st = graph_edges_add(out, u, v);
    return st;
}

/* Two paths through each diamond, and so 2^n through n of them. */
static status_t make_diamonds(int64_t n, graph_edges_t *out)
{
    status_t st = ST_OK;

    out->n_declared = 3 * n + 1;
    for (int64_t u = 0; st == ST_OK && u < 3 * n; u += 3)
        for (int64_t v = u + 1; st == ST_OK && v <= u + 2; v++)
            if ((st = graph_edges_add(out, u, v)) == ST_OK)
                st = graph_edges_add(out, v, u + 3);
    return st;
}

/* Two binary trees, the leaves of which are joined. */
static status_t make_lens(int64_t wide, graph_edges_t *out)
{
    const int64_t n = 2 * wide - 1; /* of a tree: node k is a child of (k - 1) / 2 */
    status_t st = ST_OK;

    out->n_declared = 2 * n;
    for (int64_t k = 1; st == ST_OK && k < n; k++) {
        if ((st = graph_edges_add(out, k, (k - 1) / 2)) == ST_OK)
            st = graph_edges_add(out, n + k, n + (k - 1) / 2);
        if (st == ST_OK && k >= wide - 1)
            st = graph_edges_add(out, k, n + k);
    }
    return st;
}

static status_t read_edges(const char *path, graph_edges_t *out)
{
    graph_text_t t = {0};
    graph_edges_t edges = {0};
    status_t st = lines_open(path, &t.lines);

    if (st != ST_OK)
        return st;
    st = edge_list_read(&t, &(graph_read_options_t){.is_directed = true}, &edges);
    lines_close(t.lines);
    if (st == ST_OK) {
        graph_edges_free(out);
        *out = edges;
    } else {
        graph_edges_free(&edges);
    }
    return st;
}

status_t named_graph(const char *name, pool_t *pool, csr_t *out)
{
    csr_options_t options = {.dedupe = true,
                             .drop_loops = true,
                             .weights = CSR_WEIGHTS_UNIFORM,
                             .low = 1,
                             .high = 255,
                             .seed = 1};
    rng_t rng = rng_seed(1);
    graph_edges_t edges;
    int64_t size = strchr(name, ':') != NULL ? atoll(strchr(name, ':') + 1) : 0;
    int64_t factor =
        strchr(name, ':') != strrchr(name, ':') ? atoll(strrchr(name, ':') + 1) : 16;
    status_t st = graph_edges_create(1024, false, false, &edges);

    if (st != ST_OK)
        return st;
    if (strncmp(name, "rmat:", 5) == 0 || strncmp(name, "web:", 4) == 0)
        st = make_rmat(&rng, (int)size, factor, &edges);
    else if (strncmp(name, "grid:", 5) == 0)
        st = make_grid(size, &edges);
    else if (strncmp(name, "citeseer:", 9) == 0)
        st = make_citeseer(&rng, size, &edges);
    else if (strncmp(name, "funnel:", 7) == 0)
        st = make_funnel(size, &edges);
    else if (strncmp(name, "star:", 5) == 0)
        st = make_star(size, &edges);
    else if (strncmp(name, "path:", 5) == 0)
        st = make_path(size, &edges);
    else if (strncmp(name, "snap:", 5) == 0)
        st = read_edges(name + 5, &edges);
    else if (strncmp(name, "diamonds:", 9) == 0)
        st = make_diamonds(size, &edges);
    else if (strncmp(name, "lens:", 5) == 0)
        st = make_lens(size, &edges);
    else if (strncmp(name, "clique:", 7) == 0)
        st = make_clique(size, &edges);
    else if (strncmp(name, "tree:", 5) == 0)
        st = make_tree(&rng, size, factor, &edges);
    else if (strncmp(name, "empty:", 6) == 0)
        edges.n_declared = size;
    else {
        log_error("there is no graph '%s'", name);
        st = ST_EUSAGE;
    }
    edges.is_directed = strncmp(name, "web:", 4) == 0 || strncmp(name, "snap:", 5) == 0 ||
                        strncmp(name, "tree:", 5) == 0;
    if (st == ST_OK)
        st = csr_build(&edges, &options, pool, out);
    graph_edges_free(&edges);
    return st;
}
