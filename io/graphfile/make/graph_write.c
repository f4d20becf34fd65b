/*
 * graph_write.c - formats of graphs as text.
 */
#include "io/graphfile/make/graph_make.h"

#include "io/base/logmsg.h"
#include "io/file/whole_file.h"
#include "io/graphfile/csr_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { NUMBER_BYTES = 32 };

static void put_int(FILE *t, int64_t n)
{
    char digits[NUMBER_BYTES];
    int len = 0;

    do {
        digits[len++] = (char)('0' + n % 10);
        n /= 10;
    } while (n > 0);
    while (len > 0)
        putc_unlocked(digits[--len], t);
}

/* Put the weight of arc a, after a blank, or nothing. */
static void put_weight(FILE *t, const csr_t *g, int64_t a)
{
    if (g->weight != NULL) {
        putc_unlocked(' ', t);
        put_int(t, g->weight[a]);
    } else if (g->value != NULL) {
        fprintf(t, " %.17g", g->value[a]);
    }
}

/* @return the number of arcs, of a symmetric graph that of edges */
static int64_t count_edges(const csr_t *g)
{
    int64_t n = 0;

    if (!g->is_symmetric)
        return g->n_arcs;
    for (int64_t u = 0; u < g->n_nodes; u++)
        for (int64_t a = g->first[u]; a < g->first[u + 1]; a++)
            n += g->to[a] <= u;
    return n;
}

static void write_matrix_market(const csr_t *g, FILE *t)
{
    const char *field = g->value != NULL ? "real" : "integer";

    fprintf(t, "%%%%MatrixMarket matrix coordinate %s %s\n",
            g->value == NULL && g->weight == NULL ? "pattern" : field,
            g->is_symmetric ? "symmetric" : "general");
    fprintf(t, "%" PRId64 " %" PRId64 " %" PRId64 "\n", g->n_nodes, g->n_nodes,
            count_edges(g));
    for (int64_t u = 0; u < g->n_nodes; u++) {
        for (int64_t a = g->first[u]; a < g->first[u + 1]; a++) {
            if (g->is_symmetric && g->to[a] > u)
                break;
            put_int(t, u + 1);
            putc_unlocked(' ', t);
            put_int(t, g->to[a] + INT64_C(1));
            put_weight(t, g, a);
            putc_unlocked('\n', t);
        }
    }
}

static void write_edge_list(const csr_t *g, FILE *t)
{
    fprintf(t, "# %s graph\n# Nodes: %" PRId64 " Edges: %" PRId64 "\n",
            g->is_symmetric ? "Undirected" : "Directed", g->n_nodes, count_edges(g));
    for (int64_t u = 0; u < g->n_nodes; u++) {
        for (int64_t a = g->first[u]; a < g->first[u + 1]; a++) {
            if (g->is_symmetric && g->to[a] < u)
                continue;
            put_int(t, g->id[u]);
            putc_unlocked('\t', t);
            put_int(t, g->id[g->to[a]]);
            put_weight(t, g, a);
            putc_unlocked('\n', t);
        }
    }
}

static void write_dimacs(const csr_t *g, FILE *t)
{
    fprintf(t, "p sp %" PRId64 " %" PRId64 "\n", g->n_nodes, g->n_arcs);
    for (int64_t u = 0; u < g->n_nodes; u++) {
        for (int64_t a = g->first[u]; a < g->first[u + 1]; a++) {
            putc_unlocked('a', t);
            putc_unlocked(' ', t);
            put_int(t, u + 1);
            putc_unlocked(' ', t);
            put_int(t, g->to[a] + INT64_C(1));
            putc_unlocked(' ', t);
            put_int(t, csr_weight(g, a));
            putc_unlocked('\n', t);
        }
    }
}

static void write_metis(const csr_t *g, FILE *t)
{
    fprintf(t, "%" PRId64 " %" PRId64 "%s\n", g->n_nodes, g->n_arcs / 2,
            g->weight != NULL ? " 1" : "");
    for (int64_t u = 0; u < g->n_nodes; u++) {
        for (int64_t a = g->first[u]; a < g->first[u + 1]; a++) {
            if (a > g->first[u])
                putc_unlocked(' ', t);
            put_int(t, g->to[a] + INT64_C(1));
            put_weight(t, g, a);
        }
        putc_unlocked('\n', t);
    }
}

typedef struct {
    const char *suffix;
    graph_output_t format;
    void (*write)(const csr_t *g, FILE *t); /* NULL: HDF5 */
} writer_t;

static const writer_t writers[] = {
    {".h5", GRAPH_OUTPUT_HDF5, NULL},
    {".hdf5", GRAPH_OUTPUT_HDF5, NULL},
    {".mtx", GRAPH_OUTPUT_MTX, write_matrix_market},
    {".txt", GRAPH_OUTPUT_EDGES, write_edge_list},
    {".el", GRAPH_OUTPUT_EDGES, write_edge_list},
    {".edges", GRAPH_OUTPUT_EDGES, write_edge_list},
    {".edgelist", GRAPH_OUTPUT_EDGES, write_edge_list},
    {".gr", GRAPH_OUTPUT_GR, write_dimacs},
    {".graph", GRAPH_OUTPUT_METIS, write_metis},
    {".metis", GRAPH_OUTPUT_METIS, write_metis},
};

/* @return NULL if the format is that of the name, which has none of the ends */
static const writer_t *find_writer(const char *path, graph_output_t format)
{
    const size_t len = strlen(path);

    for (size_t i = 0; i < sizeof(writers) / sizeof(writers[0]); i++) {
        const writer_t *w = &writers[i];
        const size_t n = strlen(w->suffix);

        if (format != GRAPH_OUTPUT_AUTO
                ? w->format == format
                : len >= n && strcasecmp(path + len - n, w->suffix) == 0)
            return w;
    }
    return NULL;
}

status_t graph_write_check(const char *path, graph_output_t format)
{
    const writer_t *w = find_writer(path, format);

    if (w != NULL && (w->write != NULL || strcmp(path, "-") != 0))
        return ST_OK;
    if (w != NULL)
        log_error(
            "HDF5 cannot be written to stdout; give another --format, or -o a file");
    else
        log_error("%s: the end of the name says no format; give --format, or one of .h5, "
                  ".mtx, .txt, .el, .gr, .graph",
                  path);
    return ST_EUSAGE;
}

static status_t refuse(const char *path, const char *what)
{
    log_error("%s: %s; write it as .h5", path, what);
    return ST_EINPUT;
}

static bool has_loops(const csr_t *g)
{
    for (int64_t u = 0; u < g->n_nodes; u++)
        for (int64_t a = g->first[u]; a < g->first[u + 1]; a++)
            if (g->to[a] == u)
                return true;
    return false;
}

/* Check that a format can hold a graph. */
static status_t check_graph(const char *path, const writer_t *w, const csr_t *g)
{
    bool has_integers = w->write == write_dimacs || w->write == write_metis;

    if (has_integers && g->value != NULL)
        return refuse(path, "this format has no real weights");
    if (w->write == write_metis && !g->is_symmetric)
        return refuse(path, "this format has no directed edges");
    if (w->write == write_metis && has_loops(g))
        return refuse(path, "this format has no loops");
    return ST_OK;
}

status_t graph_write(const char *path, graph_output_t format, bool force, const csr_t *g,
                     const csr_changes_t *changes, const run_info_t *run, pool_t *pool)
{
    const writer_t *w = find_writer(path, format);
    whole_file_t *whole;
    status_t st = graph_write_check(path, format);

    if (st != ST_OK || (st = check_graph(path, w, g)) != ST_OK)
        return st;
    if (w->write == NULL)
        return csr_file_write(path, force, g, changes, run, pool);
    if ((st = whole_file_open(path, WHOLE_FILE_TEXT, force, &whole)) != ST_OK)
        return st;
    w->write(g, whole_file_stream(whole));
    return whole_file_close(whole, ST_OK);
}
