/*
 * csr_file.c - the arrays of a graph as datasets; what is read is checked as a whole.
 */
#include "io/graphfile/csr_file.h"

#include "io/base/logmsg.h"
#include "io/hdf5/h5check.h"
#include "io/hdf5/h5data.h"
#include "io/hdf5/h5stream.h"
#include "io/hdf5/h5text.h"
#include "io/hdf5/h5util.h"
#include "io/hdf5/h5whole.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { CHUNK = 1 << 16 };

static const char remedy[] = "give a graph that `ribogrid graph make` wrote";

static bool put_arrays(hid_t file, const csr_t *g, pool_t *pool)
{
    int64_t n = g->n_nodes, m = g->n_arcs;
    const deflate_kind_t kind = DEFLATE_NUMBERS;

    return h5stream_put(file, "first", H5T_STD_I64LE, CHUNK, g->first, n + 1, kind,
                        pool) &&
           h5stream_put(file, "to", H5T_STD_I32LE, CHUNK, g->to, m, kind, pool) &&
           h5stream_put(file, "id", H5T_STD_I64LE, CHUNK, g->id, n, kind, pool) &&
           (g->weight == NULL || h5stream_put(file, "weight", H5T_STD_I32LE, CHUNK,
                                              g->weight, m, kind, pool)) &&
           (g->value == NULL ||
            h5stream_put(file, "value", H5T_IEEE_F64LE, CHUNK, g->value, m, kind, pool));
}

status_t csr_file_write(const char *path, bool force, const csr_t *g, pool_t *pool)
{
    h5whole_t to;
    status_t st = h5whole_open(path, force, &to);

    if (st != ST_OK)
        return st;
    st = h5whole_check(&to,
                       h5text_put_format(to.file, CSR_FILE_FORMAT, CSR_FILE_VERSION_MAJOR,
                                         CSR_FILE_VERSION_MINOR) &&
                           put_arrays(to.file, g, pool));
    return h5whole_close(&to, st);
}

typedef struct {
    const char *path;
    hid_t file;
    csr_t *graph;
} reader_t;

static status_t check_format(const reader_t *r)
{
    int64_t version;

    if (!h5text_get_format(r->file, CSR_FILE_FORMAT, &version))
        return log_refusal(r->path, remedy, "an HDF5 file, but not a graph");
    return h5text_check_version(r->path, version, CSR_FILE_VERSION_MAJOR);
}

static status_t read_nodes(const reader_t *r)
{
    csr_t *g = r->graph;

    if ((g->id = h5data_get(r->file, "/id", H5T_NATIVE_INT64, -1, &g->n_nodes)) == NULL ||
        (g->first = h5data_get(r->file, "/first", H5T_NATIVE_INT64, g->n_nodes + 1,
                               NULL)) == NULL)
        return ST_EINPUT;
    return ST_OK;
}

static status_t read_arrays(const reader_t *r)
{
    csr_t *g = r->graph;

    if (read_nodes(r) != ST_OK ||
        (g->to = h5data_get(r->file, "/to", H5T_NATIVE_INT32, -1, &g->n_arcs)) == NULL)
        return ST_EINPUT;
    if (h5check_exists(r->file, "/weight") &&
        (g->weight = h5data_get(r->file, "/weight", H5T_NATIVE_INT32, g->n_arcs, NULL)) ==
            NULL)
        return ST_EINPUT;
    if (h5check_exists(r->file, "/value") &&
        (g->value = h5data_get(r->file, "/value", H5T_NATIVE_DOUBLE, g->n_arcs, NULL)) ==
            NULL)
        return ST_EINPUT;
    return g->weight != NULL && g->value != NULL
               ? log_refusal(r->path, remedy, "it has both weights and values")
               : ST_OK;
}

static status_t check_nodes(const reader_t *r)
{
    const csr_t *g = r->graph;

    if (g->n_nodes > INT32_MAX)
        return log_refusal(r->path, remedy, "it has more than %" PRId32 " nodes",
                           INT32_MAX);
    if (g->first[0] != 0 || g->first[g->n_nodes] != g->n_arcs)
        return log_refusal(r->path, remedy,
                           "/first does not go from 0 to the number of arcs");
    for (int64_t u = 0; u < g->n_nodes; u++) {
        if (g->first[u + 1] < g->first[u])
            return log_refusal(r->path, remedy, "/first descends at value %" PRId64,
                               u + 2);
        if (g->id[u] < 0 || (u > 0 && g->id[u] <= g->id[u - 1]))
            return log_refusal(r->path, remedy, "/id does not ascend at value %" PRId64,
                               u + 1);
    }
    return ST_OK;
}

static status_t check_arcs(const reader_t *r)
{
    const csr_t *g = r->graph;

    for (int64_t u = 0; u < g->n_nodes; u++) {
        for (int64_t a = g->first[u]; a < g->first[u + 1]; a++) {
            if (g->to[a] < 0 || g->to[a] >= g->n_nodes)
                return log_refusal(
                    r->path, remedy,
                    "/to leads to a node that does not exist at value %" PRId64, a + 1);
            if (a > g->first[u] && g->to[a] < g->to[a - 1])
                return log_refusal(r->path, remedy,
                                   "/to descends within a node at value %" PRId64, a + 1);
            if (g->weight != NULL && g->weight[a] < 0)
                return log_refusal(r->path, remedy,
                                   "/weight is negative at value %" PRId64, a + 1);
            if (g->value != NULL && !isfinite(g->value[a]))
                return log_refusal(r->path, remedy,
                                   "/value is not finite at value %" PRId64, a + 1);
        }
    }
    return ST_OK;
}

status_t csr_file_read(const char *path, csr_t *out)
{
    csr_t g = {0};
    reader_t r = {.path = path, .graph = &g};
    status_t st;

    h5util_init();
    if ((r.file = h5check_open_file(path)) < 0)
        return ST_EINPUT;
    if ((st = check_format(&r)) == ST_OK && (st = read_arrays(&r)) == ST_OK &&
        (st = check_nodes(&r)) == ST_OK && (st = check_arcs(&r)) == ST_OK)
        st = csr_check_symmetric(&g);
    H5Fclose(r.file);
    if (st == ST_OK)
        *out = g;
    else
        csr_free(&g);
    return st;
}

struct csr_file {
    csr_arcs_t arcs; /* first: calls come with it */
    hid_t file;
    h5data_t *to;
};

static status_t read_targets(csr_arcs_t *arcs, int64_t begin, int64_t end, int32_t *to)
{
    return h5data_read(((csr_file_t *)arcs)->to, 0, 1, begin, end, to);
}

/* Open the file and its arcs, and read its nodes. */
static status_t open_parts(reader_t *r, csr_file_t *f)
{
    const h5data_want_t want = {.rank = 1, .memory_type = H5T_NATIVE_INT32};
    status_t st;

    if ((f->file = r->file = h5check_open_file(r->path)) < 0)
        return ST_EINPUT;
    if ((st = check_format(r)) != ST_OK || (st = read_nodes(r)) != ST_OK)
        return st;
    if ((f->to = h5data_open(f->file, "/to", &want)) == NULL)
        return ST_EINPUT;
    if ((f->arcs.piece = malloc(CSR_ARCS_PIECE * sizeof(*f->arcs.piece))) == NULL)
        return log_nomem("arcs of a graph");
    r->graph->n_arcs = h5data_columns(f->to);
    return check_nodes(r);
}

status_t csr_file_open(const char *path, csr_t *nodes, csr_file_t **out)
{
    csr_file_t *f = calloc(1, sizeof(*f));
    csr_t g = {0};
    reader_t r = {.path = path, .graph = &g};
    status_t st;

    if (f == NULL)
        return log_nomem("a graph");
    h5util_init();
    if ((st = open_parts(&r, f)) != ST_OK) {
        csr_file_close(f);
        csr_free(&g);
        return st;
    }
    f->arcs.path = path;
    f->arcs.n_nodes = g.n_nodes;
    f->arcs.n_arcs = g.n_arcs;
    f->arcs.first = g.first;
    f->arcs.read = read_targets;
    *nodes = g;
    *out = f;
    return ST_OK;
}

csr_arcs_t *csr_file_arcs(csr_file_t *file)
{
    return &file->arcs;
}

void csr_file_close(csr_file_t *file)
{
    if (file == NULL)
        return;
    h5data_close(file->to);
    free(file->arcs.piece);
    if (file->file > 0)
        H5Fclose(file->file);
    free(file);
}
