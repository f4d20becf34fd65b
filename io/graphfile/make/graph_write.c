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

enum { BUFFER_BYTES = 1 << 16, NUMBER_BYTES = 32 };

/* Text on its way to a file; errors show when the file is closed. */
typedef struct {
    FILE *file;
    size_t len;
    char text[BUFFER_BYTES];
} text_t;

static void flush(text_t *t)
{
    fwrite(t->text, 1, t->len, t->file);
    t->len = 0;
}

static void put_char(text_t *t, char c)
{
    if (t->len == BUFFER_BYTES)
        flush(t);
    t->text[t->len++] = c;
}

static void put_int(text_t *t, int64_t n)
{
    char digits[NUMBER_BYTES];
    int len = 0;

    do {
        digits[len++] = (char)('0' + n % 10);
        n /= 10;
    } while (n > 0);
    while (len > 0)
        put_char(t, digits[--len]);
}

/* Put the weight of arc a, after a blank, or nothing. */
static void put_weight(text_t *t, const csr_t *g, int64_t a)
{
    char number[NUMBER_BYTES];

    if (g->weight != NULL) {
        put_char(t, ' ');
        put_int(t, g->weight[a]);
    } else if (g->value != NULL) {
        snprintf(number, sizeof(number), " %.17g", g->value[a]);
        for (const char *c = number; *c != '\0'; c++)
            put_char(t, *c);
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

static void write_matrix_market(const csr_t *g, text_t *t)
{
    const char *field = g->value != NULL ? "real" : "integer";

    fprintf(t->file, "%%%%MatrixMarket matrix coordinate %s %s\n",
            g->value == NULL && g->weight == NULL ? "pattern" : field,
            g->is_symmetric ? "symmetric" : "general");
    fprintf(t->file, "%" PRId64 " %" PRId64 " %" PRId64 "\n", g->n_nodes, g->n_nodes,
            count_edges(g));
    for (int64_t u = 0; u < g->n_nodes; u++) {
        for (int64_t a = g->first[u]; a < g->first[u + 1]; a++) {
            if (g->is_symmetric && g->to[a] > u)
                break;
            put_int(t, u + 1);
            put_char(t, ' ');
            put_int(t, g->to[a] + INT64_C(1));
            put_weight(t, g, a);
            put_char(t, '\n');
        }
    }
}

static void write_edge_list(const csr_t *g, text_t *t)
{
    fprintf(t->file, "# %s graph\n# Nodes: %" PRId64 " Edges: %" PRId64 "\n",
            g->is_symmetric ? "Undirected" : "Directed", g->n_nodes, count_edges(g));
    for (int64_t u = 0; u < g->n_nodes; u++) {
        for (int64_t a = g->first[u]; a < g->first[u + 1]; a++) {
            if (g->is_symmetric && g->to[a] < u)
                continue;
            put_int(t, g->id[u]);
            put_char(t, '\t');
            put_int(t, g->id[g->to[a]]);
            put_weight(t, g, a);
            put_char(t, '\n');
        }
    }
}

static void write_dimacs(const csr_t *g, text_t *t)
{
    fprintf(t->file, "p sp %" PRId64 " %" PRId64 "\n", g->n_nodes, g->n_arcs);
    for (int64_t u = 0; u < g->n_nodes; u++) {
        for (int64_t a = g->first[u]; a < g->first[u + 1]; a++) {
            put_char(t, 'a');
            put_char(t, ' ');
            put_int(t, u + 1);
            put_char(t, ' ');
            put_int(t, g->to[a] + INT64_C(1));
            put_char(t, ' ');
            put_int(t, csr_weight(g, a));
            put_char(t, '\n');
        }
    }
}

static void write_metis(const csr_t *g, text_t *t)
{
    fprintf(t->file, "%" PRId64 " %" PRId64 "%s\n", g->n_nodes, g->n_arcs / 2,
            g->weight != NULL ? " 1" : "");
    for (int64_t u = 0; u < g->n_nodes; u++) {
        for (int64_t a = g->first[u]; a < g->first[u + 1]; a++) {
            if (a > g->first[u])
                put_char(t, ' ');
            put_int(t, g->to[a] + INT64_C(1));
            put_weight(t, g, a);
        }
        put_char(t, '\n');
    }
}

typedef struct {
    const char *suffix;
    void (*write)(const csr_t *g, text_t *t); /* NULL: HDF5 */
} writer_t;

static const writer_t writers[] = {
    {".h5", NULL},
    {".hdf5", NULL},
    {".mtx", write_matrix_market},
    {".txt", write_edge_list},
    {".el", write_edge_list},
    {".edges", write_edge_list},
    {".edgelist", write_edge_list},
    {".gr", write_dimacs},
    {".graph", write_metis},
    {".metis", write_metis},
};

/* @return NULL if the name has none of the ends */
static const writer_t *find_writer(const char *path)
{
    size_t len = strlen(path);

    for (size_t i = 0; i < sizeof(writers) / sizeof(writers[0]); i++) {
        size_t n = strlen(writers[i].suffix);

        if (len >= n && strcasecmp(path + len - n, writers[i].suffix) == 0)
            return &writers[i];
    }
    return NULL;
}

status_t graph_write_check(const char *path)
{
    if (find_writer(path) != NULL)
        return ST_OK;
    log_error("%s: the end of the name says no format; give one of .h5, .mtx, .txt, .el, "
              ".gr, .graph",
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

status_t graph_write(const char *path, bool force, const csr_t *g, const run_info_t *run,
                     pool_t *pool)
{
    const writer_t *w = find_writer(path);
    whole_file_t *whole;
    text_t text = {.len = 0};
    status_t st;

    if (w == NULL)
        return graph_write_check(path);
    if ((st = check_graph(path, w, g)) != ST_OK)
        return st;
    if (w->write == NULL)
        return csr_file_write(path, force, g, run, pool);
    if ((st = whole_file_open(path, WHOLE_FILE_TEXT, force, &whole)) != ST_OK)
        return st;
    text.file = whole_file_stream(whole);
    w->write(g, &text);
    flush(&text);
    return whole_file_close(whole, ST_OK);
}
