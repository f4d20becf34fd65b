/*
 * job_graph_part.c - decides whether a graph is divided among the ranks, and gives each
 * rank its rows.
 */
#include "worker/graph/job_graph_state.h"

#include "io/base/clock.h"
#include "io/base/logmsg.h"
#include "io/store/reslog_head.h"
#include "kernels/registry/backends.h"
#include "worker/graph/graph_choices.h"
#include "worker/graph/graph_digest.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int64_t job_graph_part_bytes(const graph_info_t *info, int64_t n_nodes, int64_t n_arcs,
                             bool is_symmetric)
{
    bool has_both = !is_symmetric && info->divided.reads_arcs_in;
    int64_t rows = n_nodes * (int64_t)sizeof(int64_t) + n_arcs * (int64_t)sizeof(int32_t);

    return rows * (1 + has_both) + n_nodes * info->divided.node_bytes;
}

/* @return whether the algorithm, the options and the ranks allow it */
static bool is_possible(const graph_opts_t *o, const exchange_t *x)
{
    const graph_info_t *info = graph_info(o->algorithm);

    return !x->has_no_gangs && o->partition != GRAPH_PARTITION_OFF &&
           graph_is_divisible(info) && o->from == NULL &&
           (!info->has_sources || o->sources.n == 1) && !graph_choices_are_given(o) &&
           backend_kinds(&part_table, o->common.kernel) != 0;
}

/* @return whether the unfinished run that is resumed has divided the graph */
static bool is_resumed(const job_graph_t *j)
{
    char *text = j->opts->common.resume ? reslog_head_text(j->base.part_path) : NULL;
    const bool is_divided =
        text != NULL && strstr(text, "\n" JOB_GRAPH_PARTITION_LINE) != NULL;

    free(text);
    return is_divided;
}

typedef struct {
    int64_t n_nodes, n_arcs;
    bool is_symmetric; /* false: not known, or not */
} graph_size_t;

/* @param memory  the smallest of the ranks' devices */
static bool is_needed(const job_graph_t *j, const graph_size_t *g, int n_ranks,
                      int64_t memory)
{
    int64_t bytes = job_graph_part_bytes(j->info, g->n_nodes, g->n_arcs, g->is_symmetric);

    if (g->n_nodes == 0)
        return false;
    if (j->opts->partition == GRAPH_PARTITION_ON || is_resumed(j))
        return true;
    log_verbose("%s takes about %.3g GB for this graph, and a rank has %.3g GB: it "
                "is %s",
                j->info->name, (double)bytes / 1e9, (double)memory / 1e9,
                bytes <= memory ? "not divided"
                : n_ranks > 1   ? "divided among the ranks"
                                : "not divided, because there is one rank");
    return bytes > memory && n_ranks > 1;
}

/* Rank 0: decide.
 * @return ST_OK or ST_EUSAGE (logged): --task-timeout would have no effect */
static status_t decide(const job_graph_t *j, const graph_size_t *g, int n_ranks,
                       int64_t memory, bool *out)
{
    *out = is_needed(j, g, n_ranks, memory);
    if (!*out || j->opts->common.task_timeout_s == 0)
        return ST_OK;
    log_error("%s is divided among the ranks, and then has no tasks that another rank "
              "could compute; leave out --task-timeout, or give --partition off",
              j->opts->input);
    return ST_EUSAGE;
}

/* @return likewise on all ranks the smallest memory of their devices */
static status_t smallest_memory(const job_graph_t *j, exchange_t *x, int64_t *out)
{
    int64_t *all = malloc((size_t)x->n_ranks * sizeof(*all));
    status_t st = exchange_agree(x, all != NULL ? ST_OK : log_nomem("the ranks"));

    if (st == ST_OK)
        st = x->allgather(x, &j->opts->device_bytes, sizeof(*all), all);
    for (int r = 0; st == ST_OK && r < x->n_ranks; r++)
        *out = r == 0 || all[r] < *out ? all[r] : *out;
    free(all);
    return st;
}

/* Rows that a rank cuts from a stream of all arcs. */
typedef struct {
    job_graph_t *j;
    exchange_t *x;
    csr_arcs_t *arcs;
    bool knows_symmetry; /* j->graph.is_symmetric is set */
    int64_t *in_first;   /* [n_nodes + 1] or NULL */
} dividing_t;

/* Count the arcs into each node, if they matter. */
static status_t count_in(dividing_t *d)
{
    const csr_t *g = &d->j->graph;
    size_t bytes = (size_t)(g->n_nodes + 1) * sizeof(*d->in_first);
    status_t st = ST_OK;

    if (d->knows_symmetry && (g->is_symmetric || !d->j->info->divided.reads_arcs_in))
        return ST_OK;
    if ((d->in_first = malloc(bytes)) == NULL)
        st = log_nomem("a graph");
    if ((st = exchange_agree(d->x, st)) == ST_OK)
        st = exchange_agree(d->x, csr_rows_count_in(d->arcs, d->in_first));
    if (st == ST_OK && !d->knows_symmetry &&
        memcmp(d->in_first, d->arcs->first, bytes) != 0) {
        d->j->graph.is_symmetric = false;
        d->knows_symmetry = true;
    }
    return st;
}

/* Take the arcs into this rank's nodes, which also show whether the graph is symmetric:
 * then they are those out of them. */
static status_t take_in(dividing_t *d)
{
    part_graph_t *p = &d->j->part;
    bool reads_in = d->j->info->divided.reads_arcs_in;
    status_t st;

    if (d->in_first == NULL || (d->knows_symmetry && !reads_in))
        return ST_OK;
    st = exchange_agree(d->x, csr_rows_take_in(d->arcs, d->in_first, p->cut[p->rank],
                                               p->cut[p->rank + 1], &p->in));
    if (st == ST_OK && !d->knows_symmetry) {
        /* ST_EDONE: an arc of this rank has no reverse */
        st = exchange_agree(d->x, csr_rows_equal(&p->in, &p->out) ? ST_OK : ST_EDONE);
        d->j->graph.is_symmetric = st == ST_OK;
        st = st == ST_EDONE ? ST_OK : st;
    }
    if (d->j->graph.is_symmetric || !reads_in)
        csr_rows_free(&p->in);
    return st;
}

static void drop_unused(job_graph_t *j)
{
    if (!j->info->divided.counts_arcs_out || j->graph.is_symmetric)
        return;
    free(j->part.out.to);
    j->part.out.to = NULL;
}

/* Give this rank its rows. */
static status_t divide(dividing_t *d)
{
    job_graph_t *j = d->j;
    part_graph_t *p = &j->part;
    const csr_t *g = &j->graph;
    status_t st;

    *p = (part_graph_t){.rank = d->x->rank,
                        .n_ranks = d->x->n_ranks,
                        .n_nodes = g->n_nodes,
                        .n_arcs = g->n_arcs,
                        .block = part_graph_block(g->n_nodes)};
    p->cut = malloc((size_t)(p->n_ranks + 1) * sizeof(*p->cut));
    st = exchange_agree(d->x, p->cut != NULL ? ST_OK : log_nomem("a graph"));
    if (st != ST_OK || (st = count_in(d)) != ST_OK)
        return st;
    part_graph_cut(d->in_first != NULL && j->info->divided.reads_arcs_in ? d->in_first
                                                                         : d->arcs->first,
                   g->n_nodes, p->n_ranks, p->cut);
    st = exchange_agree(d->x, csr_rows_take_out(d->arcs, p->cut[p->rank],
                                                p->cut[p->rank + 1], &p->out));
    if (st == ST_OK)
        st = take_in(d);
    p->is_symmetric = g->is_symmetric;
    return st;
}

ARRAY_COUNT(n_sources, job_graph_t, o->n_sources)

static const array_t source_rows[] = {ARRAY_VALUE(job_graph_t, n_sources, ARRAY_INT64),
                                      ARRAY_OF(job_graph_t, sources, ARRAY_INT32,
                                               n_sources),
                                      ARRAYS_END};

static const arrays_t source = {"a source", sizeof(job_graph_t), source_rows, NULL};

/* Rank 0 chooses the source, for all. */
static status_t share_source(job_graph_t *j, exchange_t *x)
{
    status_t st = ST_OK;

    if (!j->info->has_sources)
        return ST_OK;
    if (x->rank == 0 && j->sources == NULL)
        st = graph_sources_choose(&j->opts->sources, &j->graph, NULL, j->opts->input,
                                  &j->sources, &j->n_sources);
    st = exchange_agree(x, st);
    return st == ST_OK ? exchange_object(x, &source, j) : st;
}

/* Bring the digests of all blocks to rank 0. */
static status_t gather_digests(job_graph_t *j, exchange_t *x)
{
    size_t n = (size_t)part_graph_n_blocks(j->graph.n_nodes);
    uint64_t *all = malloc(n * (size_t)x->n_ranks * sizeof(*all));
    status_t st;

    j->digest = calloc(n, sizeof(*j->digest));
    st = all != NULL && j->digest != NULL ? ST_OK : log_nomem("a graph");
    if ((st = exchange_agree(x, st)) != ST_OK)
        goto done;
    graph_digest_rows(j->graph.id, j->graph.n_nodes, &j->part.out, j->digest);
    if ((st = x->allgather(x, j->digest, n * sizeof(*all), all)) != ST_OK)
        goto done;
    for (size_t b = 0; b < n; b++)
        j->digest[b] =
            all[n * (size_t)part_graph_holder(&j->part, (int64_t)b * j->part.block) + b];
done:
    free(all);
    return st;
}

/* Rank 0: read the nodes if the graph of a file is to be divided. */
static status_t read_nodes(job_graph_t *j, int n_ranks, int64_t memory)
{
    const graph_opts_t *o = j->opts;
    graph_shape_t shape;
    bool is_divided;
    status_t st;

    if ((o->partition == GRAPH_PARTITION_AUTO && n_ranks == 1 && !is_resumed(j)) ||
        o->build.symmetrize || o->build.dedupe || o->build.drop_loops)
        return ST_OK;
    if ((st = graph_child_read_shape(o, &shape)) != ST_OK || !shape.is_csr ||
        (st = decide(j, &(graph_size_t){shape.n_nodes, shape.n_arcs, false}, n_ranks,
                     memory, &is_divided)) != ST_OK ||
        !is_divided)
        return st;
    j->is_divided = true;
    return graph_child_read_nodes(o, &j->graph);
}

/* The arcs that rank 0 has, or reads, as a stream that it sends. */
typedef struct {
    csr_arcs_t arcs; /* first: calls come with it */
    const job_graph_t *j;
    exchange_t *x;
} sent_arcs_t;

static status_t send_targets(csr_arcs_t *arcs, int64_t begin, int64_t end, int32_t *to)
{
    const sent_arcs_t *s = (const sent_arcs_t *)arcs;
    const int32_t *whole = s->j->graph.to;
    const size_t bytes = (size_t)(end - begin) * sizeof(*to);
    status_t st = ST_OK;

    if (whole != NULL)
        memcpy(to, whole + begin, bytes);
    else if (s->x->rank == 0)
        st = graph_child_read_targets(s->j->opts, begin, end, to);
    st = exchange_agree(s->x, st);
    return st == ST_OK ? s->x->broadcast(s->x, to, bytes) : st;
}

/* Give each rank its rows, and those that start there a source; rank 0 has the nodes. */
static status_t divide_sent(job_graph_t *j, exchange_t *x, bool knows_symmetry)
{
    sent_arcs_t sent = {.j = j, .x = x};
    dividing_t d = {.j = j, .x = x, .arcs = &sent.arcs, .knows_symmetry = knows_symmetry};
    status_t st = exchange_object(x, &csr_nodes_arrays, &j->graph);

    if (st != ST_OK)
        return st;
    sent.arcs = (csr_arcs_t){.path = j->opts->input,
                             .n_nodes = j->graph.n_nodes,
                             .n_arcs = j->graph.n_arcs,
                             .first = j->graph.first,
                             .piece = malloc(CSR_ARCS_PIECE * sizeof(int32_t)),
                             .read = send_targets};
    st = exchange_agree(x, sent.arcs.piece != NULL ? ST_OK : log_nomem("a graph"));
    if (st == ST_OK && (st = divide(&d)) == ST_OK)
        st = share_source(j, x);
    free(sent.arcs.piece);
    free(d.in_first);
    return st;
}

/* With the rows of its part, a rank needs no more than rank 0 its ids; with --verify,
 * rank 0 needs all that it has. */
static void drop_whole(job_graph_t *j, int rank)
{
    csr_t *g = &j->graph;

    drop_unused(j);
    if (rank != 0) {
        free(g->id);
        g->id = NULL;
    }
    if (rank == 0 && j->opts->verify && g->to != NULL)
        return;
    free(g->to);
    free(g->first);
    g->to = NULL;
    g->first = NULL;
}

status_t job_graph_part_read(job_graph_t *j, exchange_t *x)
{
    double start = clock_now_s();
    int64_t memory = 0;
    status_t st;

    if (!is_possible(j->opts, x))
        return ST_OK;
    if ((st = smallest_memory(j, x, &memory)) != ST_OK)
        return st;
    st = exchange_agree(x, x->rank == 0 ? read_nodes(j, x->n_ranks, memory) : ST_OK);
    if (st != ST_OK ||
        (st = x->broadcast(x, &j->is_divided, sizeof(j->is_divided))) != ST_OK ||
        !j->is_divided)
        return st;
    if ((st = divide_sent(j, x, false)) == ST_OK)
        st = gather_digests(j, x);
    ((graph_opts_t *)j->base.opts)->common.reads_again = j->opts->verify;
    if (x->rank == 0 && !j->opts->verify && !j->opts->common.resume)
        child_reader_stop(j->opts->common.reader); /* nothing else will be asked */
    drop_whole(j, x->rank);
    j->read_s = clock_now_s() - start;
    return st;
}

status_t job_graph_part_divide(job_graph_t *j, exchange_t *x)
{
    graph_size_t size = {j->graph.n_nodes, j->graph.n_arcs, j->graph.is_symmetric};
    int64_t memory = 0;
    status_t st;

    if (!is_possible(j->opts, x))
        return ST_OK;
    if ((st = smallest_memory(j, x, &memory)) != ST_OK)
        return st;
    if (x->rank == 0)
        st = decide(j, &size, x->n_ranks, memory, &j->is_divided);
    if ((st = exchange_agree(x, st)) != ST_OK ||
        (st = x->broadcast(x, &j->is_divided, sizeof(j->is_divided))) != ST_OK ||
        !j->is_divided)
        return st;
    st = divide_sent(j, x, true);
    if (st == ST_OK && x->rank == 0)
        st = graph_digest_blocks(&j->graph, &j->digest);
    st = exchange_agree(x, st);
    drop_whole(j, x->rank);
    return st;
}
