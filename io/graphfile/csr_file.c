/*
 * csr_file.c - the arrays of a graph as datasets.
 */
#include "io/graphfile/csr_file.h"

#include "io/hdf5/h5data.h"
#include "io/hdf5/h5util.h"
#include "io/result/result_table.h"

#include <float.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { NODES = 1, ARCS, LOST, GAINED };

/* Positions in the table. */
enum { WEIGHT = 3, VALUE, N_FIELDS };

static const result_dim_t dims[RESULT_DIMS_MAX] = {
    [NODES] = {"n", "a node", "nodes", INT32_MAX},
    [ARCS] = {"m", "an arc", "arcs", 0},
    [LOST] = {"k", "a row that lost arcs", "rows that lost arcs", INT32_MAX},
    [GAINED] = {"l", "a row that gained arcs", "rows that gained arcs", INT32_MAX},
};

#define AT(member) offsetof(csr_t, member)

static const result_field_t fields[N_FIELDS + 1] = {
    {.name = "/id",
     .arrays = &csr_arrays,
     .at = AT(id),
     .shape = {NODES},
     .check = {RESULT_ASCENDS, 0, 0, 0},
     .meaning = "original ids; nodes are numbered in their order"},
    {.name = "/first",
     .arrays = &csr_arrays,
     .at = AT(first),
     .shape = {NODES},
     .plus = 1,
     .check = {RESULT_DIVIDES, 0, 0, ARCS},
     .meaning = "node u has the arcs `first[u]` to `first[u + 1] - 1`"},
    {.name = "/to",
     .arrays = &csr_arrays,
     .at = AT(to),
     .shape = {ARCS},
     .check = {RESULT_INDEX, 0, 0, NODES},
     .meaning = "the node that an arc leads to; ascending within a node"},
    [WEIGHT] = {.name = "/weight",
                .arrays = &csr_arrays,
                .at = AT(weight),
                .shape = {ARCS},
                .is_optional = true,
                .check = {RESULT_WITHIN, 0, INT32_MAX, 0},
                .meaning = "integer weights"},
    [VALUE] = {.name = "/value",
               .arrays = &csr_arrays,
               .at = AT(value),
               .shape = {ARCS},
               .is_optional = true,
               .meaning = "real weights; not both"},
    [N_FIELDS] = {.name = NULL},
};

#undef AT
#define AT(member) offsetof(csr_changes_t, member)

/* How the file was made, like the rest of /run: graphs are the same without it. */
static const result_field_t change_fields[] = {
    {.name = "/run@updated_from",
     .type = RESULT_TEXT,
     .at = AT(from),
     .is_optional = true,
     .meaning =
         "only of `graph update`: the digest of the earlier graph, without weights"},
    {.name = "/run/lost",
     .type = RESULT_INT32,
     .at = AT(lost),
     .shape = {LOST},
     .is_optional = true,
     .check = {RESULT_WITHIN, 0, INT32_MAX, 0},
     .meaning = "likewise: nodes from which arcs were removed, ascending"},
    {.name = "/run/gained",
     .type = RESULT_INT32,
     .at = AT(gained),
     .shape = {GAINED},
     .is_optional = true,
     .check = {RESULT_WITHIN, 0, INT32_MAX, 0},
     .meaning = "likewise: nodes from which arcs were added, ascending"},
    {.name = NULL},
};

const result_kind_t csr_file_kind = {
    .title = "Graphs",
    .maker = "ribogrid graph make",
    .format = "ribogrid-graph",
    .major = 1,
    .minor = 1,
    .what = "a graph",
    .dims = dims,
    .tables = {fields, change_fields},
    .more =
        "An undirected edge is two arcs, one in each direction, of the same weight; a "
        "loop is one arc.",
};

static bool write_changes(hid_t file, const csr_changes_t *changes, pool_t *pool)
{
    int64_t n[RESULT_DIMS_MAX] = {0};

    if (changes == NULL)
        return true;
    n[LOST] = changes->n_lost;
    n[GAINED] = changes->n_gained;
    return result_write(file, change_fields, changes, n, pool);
}

status_t csr_file_write(const char *path, bool force, const csr_t *g,
                        const csr_changes_t *changes, const run_info_t *run, pool_t *pool)
{
    h5whole_t to;
    status_t st = h5whole_open(path, force, &to);

    if (st != ST_OK)
        return st;
    st = h5whole_check(&to, result_write_format(to.file, &csr_file_kind) &&
                                result_write(to.file, fields, g, NULL, pool) &&
                                (run == NULL || run_info_write(to.file, run)) &&
                                write_changes(to.file, changes, pool));
    return h5whole_close(&to, st);
}

/* Targets ascend within a node. */
static status_t check_rows(const result_reader_t *r, const csr_t *g)
{
    if (g->weight != NULL && g->value != NULL)
        return result_refuse(r, "it has both weights and values");
    for (int64_t u = 0; u < g->n_nodes; u++)
        for (int64_t a = g->first[u] + 1; a < g->first[u + 1]; a++)
            if (g->to[a] < g->to[a - 1])
                return result_refuse(r, "/to descends within a node at value %" PRId64,
                                     a + 1);
    return ST_OK;
}

status_t csr_file_read(const char *path, graph_weights_t weights, csr_t *out)
{
    result_field_t wanted[N_FIELDS + 1];
    result_reader_t r;
    status_t st = result_read_open(path, &csr_file_kind, &r);

    *out = (csr_t){0};
    if (st != ST_OK)
        return st;
    memcpy(wanted, fields, sizeof(wanted));
    if (weights == GRAPH_WEIGHTS_UNREAD)
        wanted[WEIGHT].name = NULL;
    if (weights == GRAPH_WEIGHTS_LENGTHS)
        wanted[VALUE].check = (result_check_t){RESULT_WITHIN, 0, DBL_MAX, 0};
    if ((st = result_read(&r, wanted, out)) == ST_OK) {
        out->n_nodes = r.n[NODES];
        out->n_arcs = r.n[ARCS];
        if ((st = check_rows(&r, out)) == ST_OK)
            st = csr_check_symmetric(out);
    }
    result_read_close(&r);
    if (st != ST_OK)
        csr_free(out);
    return st;
}

/* Open a file and its arcs. */
static status_t open_targets(const char *path, result_reader_t *r, h5data_t **to)
{
    const h5data_want_t want = {.rank = 1, .memory_type = H5T_NATIVE_INT32};
    status_t st = result_read_open(path, &csr_file_kind, r);

    if (st != ST_OK || (*to = h5data_open(r->file, "/to", &want)) != NULL)
        return st;
    result_read_close(r);
    return ST_EINPUT;
}

status_t csr_file_read_nodes(const char *path, csr_t *nodes)
{
    const result_field_t two[] = {fields[0], fields[1], {.name = NULL}};
    csr_t g = {0};
    h5data_t *to;
    result_reader_t r;
    status_t st = open_targets(path, &r, &to);

    if (st != ST_OK)
        return st;
    r.n[ARCS] = g.n_arcs = to->columns;
    st = result_read(&r, two, &g);
    g.n_nodes = r.n[NODES];
    h5data_close(to);
    result_read_close(&r);
    if (st == ST_OK)
        *nodes = g;
    else
        csr_free(&g);
    return st;
}

status_t csr_file_read_targets(const char *path, int64_t begin, int64_t end, int32_t *to)
{
    h5data_t *data;
    result_reader_t r;
    status_t st = open_targets(path, &r, &data);

    if (st != ST_OK)
        return st;
    st = h5data_read(data, 0, 1, begin, end, to);
    h5data_close(data);
    result_read_close(&r);
    return st;
}

/* @return whether n numbers ascend and are below the number of nodes */
static bool are_nodes(const int32_t *node, int64_t n, int64_t n_nodes)
{
    for (int64_t i = 0; i < n; i++)
        if (node[i] >= n_nodes || (i > 0 && node[i] <= node[i - 1]))
            return false;
    return true;
}

status_t csr_file_read_changes(const char *path, int64_t n_nodes, csr_changes_t *out)
{
    result_reader_t r;
    status_t st = result_read_open(path, &csr_file_kind, &r);

    *out = (csr_changes_t){0};
    if (st != ST_OK)
        return st;
    if ((st = result_read(&r, change_fields, out)) == ST_OK && out->from != NULL) {
        out->n_lost = r.n[LOST];
        out->n_gained = r.n[GAINED];
        if (out->lost == NULL || out->gained == NULL ||
            !are_nodes(out->lost, out->n_lost, n_nodes) ||
            !are_nodes(out->gained, out->n_gained, n_nodes))
            st = result_refuse(&r, "/run/lost or /run/gained are no nodes");
    }
    result_read_close(&r);
    return st;
}
