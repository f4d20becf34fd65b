/*
 * graph_from.c - what a result on an earlier graph (--from) gives to begin with: ranks,
 * or components and the rows that may join them.
 *
 * The graph is the one of that result, or `graph update` has made it of that one.
 */
#include "io/base/logmsg.h"
#include "io/graphfile/csr_file.h"
#include "io/graphfile/graph_result_format.h"
#include "worker/graph/graph_digest.h"
#include "worker/graph/job_graph_state.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const graph_opts_t *o;
    const csr_t *g;
    graph_result_file_t *file;
    const graph_result_info_t *old;
    csr_changes_t changes; /* since then */
    int32_t *now;          /* [old->n_nodes] numbers of its nodes in g, ascending */
} from_t;

static status_t refuse(const from_t *f, const char *reason)
{
    return log_refusal(f->o->from,
                       "give a result on this graph or on the one before `graph update`, "
                       "or leave out --from",
                       "%s", reason);
}

/* ---- whether the result is one to begin with ---- */

/* @return whether the text of a job has such a digest */
static bool has_digest(const char *job, const char *digest)
{
    static const char name[] = "\ngraph_digest=";
    const char *at = strstr(job, name);

    return at != NULL && strncmp(at + strlen(name), digest, GRAPH_DIGEST_BYTES - 1) == 0;
}

/* @param out  whether the graph is that of the result */
static status_t is_unchanged(const from_t *f, const graph_nodes_t *nodes, bool *out)
{
    char digest[GRAPH_DIGEST_BYTES];
    uint64_t *of_block;
    status_t st = graph_digest_blocks(f->g, &of_block);

    if (st != ST_OK)
        return st;
    graph_digest_text(graph_digest_of(of_block, f->g->n_nodes, nodes->name, NULL),
                      digest);
    *out = has_digest(f->old->job, digest);
    free(of_block);
    return ST_OK;
}

/* Number the nodes of the earlier graph. */
static status_t number_nodes(from_t *f)
{
    const graph_result_info_t *old = f->old;

    if ((f->now = malloc((size_t)old->n_nodes * sizeof(*f->now) + 1)) == NULL)
        return log_nomem("nodes of an earlier graph");
    for (int64_t k = 0; k < old->n_nodes; k++)
        if ((f->now[k] = csr_find(f->g, old->id[k])) < 0)
            return refuse(f, "it has nodes that the graph lacks");
    return ST_OK;
}

static status_t open_result(from_t *f, const graph_nodes_t *nodes)
{
    const graph_info_t *info = graph_info(f->o->algorithm);
    bool is_same, is_csr;
    graph_format_t format;
    status_t st;

    if ((st = graph_result_read_open(f->o->from, &f->file)) != ST_OK)
        return st;
    f->old = graph_result_read_info(f->file);
    if (strcmp(f->old->algorithm, info->name) != 0 || f->old->n_rows != 1 ||
        f->old->n_columns != 1 || f->old->column[0].type != info->columns[0].type)
        return refuse(f, "it is a result of another algorithm");
    if ((st = is_unchanged(f, nodes, &is_same)) != ST_OK ||
        (st = graph_read_format(f->o->input, &f->o->read, &format)) != ST_OK)
        return st;
    is_csr = format == GRAPH_FORMAT_CSR;
    if (!is_same && is_csr &&
        (st = csr_file_read_changes(f->o->input, f->g->n_nodes, &f->changes)) != ST_OK)
        return st;
    if (!is_same &&
        (f->changes.from == NULL || !has_digest(f->old->job, f->changes.from)))
        return refuse(f, "it is a result on another graph");
    return number_nodes(f);
}

/* ---- ranks ---- */

/* @return the smallest rank, which nodes have without arcs to them */
static double min_rank(const double *rank, int64_t n)
{
    double min = n > 0 ? rank[0] : 0;

    for (int64_t k = 1; k < n; k++)
        min = rank[k] < min ? rank[k] : min;
    return min;
}

/* Give nodes without a rank, and those whose first arcs are new, the mean of the others:
 * then parts of the graph that no arc joins have about the ranks that their sizes give,
 * which iterations change slowly.  All ranks have the same sum as before.
 *
 * @param rank  [n] -1: none */
static void rank_others(const from_t *f, const double *old, double *rank)
{
    const csr_t *g = f->g;
    const double min = min_rank(old, f->old->n_nodes);
    double before = 0, above = 0, after = 0;
    int64_t n_above = 0;

    for (int64_t k = 0; k < f->old->n_nodes; k++) {
        before += old[k];
        above += old[k] > min ? old[k] : 0;
        n_above += old[k] > min;
    }
    for (int64_t i = 0; i < f->changes.n_gained; i++)
        if (rank[f->changes.gained[i]] <= min)
            rank[f->changes.gained[i]] = n_above > 0 ? above / (double)n_above : min;
    for (int64_t u = 0; u < g->n_nodes; u++) {
        rank[u] = rank[u] < 0 ? min : rank[u];
        after += rank[u];
    }
    for (int64_t u = 0; after > 0 && u < g->n_nodes; u++)
        rank[u] *= before / after;
}

static status_t read_ranks(const from_t *f, graph_start_t *out)
{
    const int64_t n_old = f->old->n_nodes;
    double *old = malloc((size_t)n_old * sizeof(*old) + 1);
    double *rank = malloc((size_t)f->g->n_nodes * sizeof(*rank) + 1);
    status_t st = ST_OK;

    if (old == NULL || rank == NULL)
        st = log_nomem("ranks of an earlier graph");
    if (st == ST_OK &&
        (st = graph_result_read_values(f->file, 0, 0, 0, n_old, old)) == ST_OK) {
        for (int64_t u = 0; u < f->g->n_nodes; u++)
            rank[u] = -1;
        for (int64_t k = 0; st == ST_OK && k < n_old; k++) {
            rank[f->now[k]] = old[k];
            if (!graph_values_have(GRAPH_VALUES_PART_OF_1, n_old, old[k]))
                st = refuse(f, "its ranks are none");
        }
        rank_others(f, old, rank);
        out->rank = rank; /* the caller's, also on errors */
        out->n_known = n_old;
        rank = NULL;
    }
    free(old);
    free(rank);
    return st;
}

/* ---- components ---- */

/* @param joined  [n] out: the smallest node of each node's component; new ones are alone
 */
static status_t read_joined(const from_t *f, int32_t *joined)
{
    const int64_t n_old = f->old->n_nodes;
    int64_t *label = malloc((size_t)n_old * sizeof(*label) + 1);
    status_t st = label != NULL ? ST_OK : log_nomem("components of an earlier graph");

    if (st == ST_OK)
        st = graph_result_read_values(f->file, 0, 0, 0, n_old, label);
    for (int32_t u = 0; u < f->g->n_nodes; u++)
        joined[u] = u;
    for (int64_t k = 0; st == ST_OK && k < n_old; k++) {
        const int32_t root = csr_find(f->g, label[k]);

        if (root < 0 || root > f->now[k] || joined[root] != root)
            st = refuse(f, "its components are none");
        else
            joined[f->now[k]] = root;
    }
    free(label);
    return st;
}

/* Separate all nodes of components that have lost arcs.
 * @param is_row  out: these nodes, and those that have got arcs */
static void separate(const from_t *f, int32_t *joined, bool *has_lost, bool *is_row)
{
    const csr_changes_t *c = &f->changes;

    for (int64_t i = 0; i < c->n_lost; i++)
        has_lost[joined[c->lost[i]]] = true;
    for (int32_t u = 0; u < f->g->n_nodes; u++)
        if (has_lost[joined[u]]) {
            joined[u] = u;
            is_row[u] = true;
        }
    for (int64_t i = 0; i < c->n_gained; i++)
        is_row[c->gained[i]] = true;
}

static status_t read_components(const from_t *f, graph_start_t *out)
{
    const size_t n = (size_t)f->g->n_nodes;
    bool *has_lost = calloc(n + 1, sizeof(*has_lost));
    bool *is_row = calloc(n + 1, sizeof(*is_row));
    status_t st = ST_OK;

    out->joined = malloc(n * sizeof(*out->joined) + 1);
    out->rows = malloc(n * sizeof(*out->rows) + 1);
    if (has_lost == NULL || is_row == NULL || out->joined == NULL || out->rows == NULL)
        st = log_nomem("components of an earlier graph");
    if (st == ST_OK && (st = read_joined(f, out->joined)) == ST_OK) {
        separate(f, out->joined, has_lost, is_row);
        for (int32_t u = 0; u < f->g->n_nodes; u++)
            if (is_row[u])
                out->rows[out->n_rows++] = u;
    }
    free(has_lost);
    free(is_row);
    return st;
}

void graph_start_free(graph_start_t *s)
{
    free(s->rank);
    free(s->joined);
    free(s->rows);
    *s = (graph_start_t){0};
}

/* Forget components if a fresh run looks at no more arcs: it begins with two of each
 * node.
 */
static void drop_if_many(const csr_t *g, graph_start_t *s)
{
    int64_t n_arcs = 0;

    for (int64_t i = 0; i < s->n_rows; i++)
        n_arcs += csr_degree(g, s->rows[i]);
    if (n_arcs > 2 * g->n_nodes)
        graph_start_free(s);
}

status_t graph_from_read(const graph_opts_t *o, const csr_t *g,
                         const graph_nodes_t *nodes, graph_start_t *out)
{
    from_t f = {.o = o, .g = g};
    status_t st = open_result(&f, nodes);

    if (st == ST_OK && o->algorithm == GRAPH_PAGERANK)
        st = read_ranks(&f, out);
    else if (st == ST_OK)
        st = read_components(&f, out);
    if (st == ST_OK)
        drop_if_many(g, out);
    graph_result_read_close(f.file);
    csr_changes_free(&f.changes);
    free(f.now);
    return st;
}
