/*
 * fuzz_graph.h - reads arbitrary bytes as a graph of one format; what is accepted must be
 * a valid list of edges, from which a valid graph is built.
 */
#pragma once

#include "io/graphfile/read/graph_read.h"

#include <fcntl.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* A few bytes may declare billions of nodes, which need memory. */
enum { FUZZ_NODES_MAX = 1 << 16 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

/* Errors are always logged: redirect stderr, but only during the call, since the fuzzer
 * writes to it, too. */
static inline status_t fuzz_read(const char *path, const graph_read_options_t *options,
                                 graph_edges_t *out)
{
    static int null = -1, own_stderr = -1;
    status_t st;

    if (null < 0) {
        null = open("/dev/null", O_WRONLY);
        own_stderr = dup(STDERR_FILENO);
    }
    dup2(null, STDERR_FILENO);
    st = graph_read(path, options, out);
    dup2(own_stderr, STDERR_FILENO);
    return st;
}

static inline void fuzz_require(int good)
{
    if (!good)
        abort();
}

/* @param are_keys  else nodes of a tree, which may have equal names or none */
static inline void fuzz_check_names(const graph_edges_t *e, int are_keys)
{
    for (int64_t i = 0; e->name != NULL && i < e->n_declared; i++) {
        fuzz_require(strchr(e->name[i], '\t') == NULL);
        fuzz_require(!are_keys || e->name[i][0] != '\0');
        fuzz_require(!are_keys || i == 0 || strcmp(e->name[i - 1], e->name[i]) < 0);
    }
}

static inline void fuzz_check_edges(const graph_edges_t *e,
                                    const graph_read_options_t *options)
{
    const graph_weights_t weights = options->weights;

    fuzz_require(e->weight == NULL || e->value == NULL);
    fuzz_require(weights != GRAPH_WEIGHTS_UNREAD ||
                 (e->weight == NULL && e->value == NULL));
    fuzz_check_names(e, options->format != GRAPH_FORMAT_NEWICK);
    for (int64_t i = 0; i < e->n; i++) {
        int64_t low = e->source[i] < e->target[i] ? e->source[i] : e->target[i];
        int64_t high = e->source[i] < e->target[i] ? e->target[i] : e->source[i];

        fuzz_require(low >= 0);
        fuzz_require(e->n_declared < 0 ||
                     (low >= e->first_id && high - e->first_id < e->n_declared));
        fuzz_require(e->weight == NULL || e->weight[i] >= 0);
        fuzz_require(e->value == NULL || isfinite(e->value[i]));
        fuzz_require(e->value == NULL || weights != GRAPH_WEIGHTS_LENGTHS ||
                     e->value[i] >= 0);
    }
}

static inline void fuzz_check_graph(const csr_t *g)
{
    fuzz_require(g->is_symmetric && g->first[0] == 0 &&
                 g->first[g->n_nodes] == g->n_arcs);
    for (int64_t u = 0; u < g->n_nodes; u++) {
        fuzz_require(g->first[u] <= g->first[u + 1]);
        fuzz_require(u == 0 || g->id[u] > g->id[u - 1]);
        for (int64_t a = g->first[u]; a < g->first[u + 1]; a++) {
            fuzz_require(g->to[a] >= 0 && g->to[a] < g->n_nodes && g->to[a] != u);
            fuzz_require(a == g->first[u] || g->to[a] > g->to[a - 1]);
        }
    }
}

static inline void fuzz_one(const char *path, const graph_read_options_t *options)
{
    const csr_options_t simple = {.symmetrize = true, .dedupe = true, .drop_loops = true};
    graph_edges_t e;
    csr_t g;

    if (fuzz_read(path, options, &e) != ST_OK)
        return;
    fuzz_check_edges(&e, options);
    if (e.n_declared <= FUZZ_NODES_MAX) {
        fuzz_require(csr_build(&e, &simple, NULL, &g) == ST_OK);
        fuzz_check_graph(&g);
        csr_free(&g);
    }
    graph_edges_free(&e);
}

/* The body of each target. */
static inline int fuzz_graph(const uint8_t *data, size_t len, graph_format_t format)
{
    int fd = memfd_create("fuzz_graph", 0);
    char path[64];

    fuzz_require(fd >= 0 && write(fd, data, len) == (ssize_t)len);
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    for (int weights = 0; weights <= GRAPH_WEIGHTS_UNREAD; weights++)
        fuzz_one(path, &(graph_read_options_t){.format = format,
                                               .weights = (graph_weights_t)weights});
    close(fd);
    return 0;
}
