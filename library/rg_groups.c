/*
 * rg_groups.c - clusters as groups with names, which files hold.
 */
#include "io/base/logmsg.h"
#include "io/file/whole_file.h"
#include "io/otu/otu_groups.h"
#include "library/rg_cluster.h"
#include "library/rg_file.h"

#include <stdlib.h>

struct rg_groups {
    rg_allocator_t memory;
    otu_groups_t groups;          /* of a file it owns all; else the table alone */
    rg_set_t *set;                /* kept; NULL: read from a file */
    char (*text)[OTU_NAME_BYTES]; /* [groups]; NULL: read from a file */
    const void *of;               /* int32_t [sequences] view of the table's */
    const void *representatives;  /* int32_t [groups] likewise */
    const void *sizes;            /* int64_t [groups] likewise */
};

static rg_groups_t *new_groups(const rg_context_t *context)
{
    rg_groups_t *g = calloc(1, sizeof(*g));

    if (g == NULL)
        log_nomem("groups");
    else
        g->memory = context->memory;
    return g;
}

static status_t make_arrays(rg_groups_t *g)
{
    const otu_table_t *t = g->groups.table;
    const size_t n = (size_t)t->n, n_groups = (size_t)t->n_otus;
    status_t st =
        rg_allocator_view(&g->memory, t->otu, n * sizeof(*t->otu), "groups", &g->of);

    if (st == ST_OK)
        st = rg_allocator_view(&g->memory, t->representative,
                               n_groups * sizeof(*t->representative), "groups",
                               &g->representatives);
    return st == ST_OK
               ? rg_allocator_view(&g->memory, t->size, n_groups * sizeof(*t->size),
                                   "groups", &g->sizes)
               : st;
}

/* ---- of clusters ---- */

static status_t name_groups(rg_groups_t *g)
{
    const otu_table_t *t = g->groups.table;

    if ((g->text = malloc((size_t)t->n_otus * sizeof(*g->text) + 1)) == NULL)
        return log_nomem("groups");
    for (int64_t k = 0; k < t->n_otus; k++)
        otu_table_name(t, k, g->text[k]);
    return ST_OK;
}

static status_t make(rg_context_t *context, const rg_result_t *pairs,
                     const rg_cluster_options_t *given, rg_groups_t *g)
{
    const pairs_samples_t none = {.n = 0};
    rg_clusters_t c = {.label = NULL};
    status_t st = rg_cluster_make(context, pairs, given, &c);

    if (st != ST_OK)
        return st;
    g->set = rg_set_share(pairs->origin->queries);
    g->groups.head = cluster_head(&c.opts, &c.mcc);
    st = otu_table_create(g->set->sequences->n, c.label, c.sizes, &none, 1,
                          &g->groups.table);
    free(c.label);
    if (st == ST_OK && (st = name_groups(g)) == ST_OK)
        st = make_arrays(g);
    return st;
}

rg_status_t rg_groups_create(rg_context_t *context, const rg_result_t *pairs,
                             const rg_cluster_options_t *options, rg_groups_t **out)
{
    log_sink_t *before;
    rg_status_t status = rg_context_enter(context, &before);
    rg_groups_t *g = NULL;
    status_t st = ST_EUSAGE;

    if (status != RG_OK)
        return status;
    if (pairs != NULL && out != NULL)
        st = (g = new_groups(context)) != NULL ? make(context, pairs, options, g)
                                               : ST_ENOMEM;
    if (st == ST_OK)
        *out = g;
    else
        rg_groups_destroy(g);
    return rg_context_leave(context, before, st);
}

void rg_groups_destroy(rg_groups_t *g)
{
    if (g == NULL)
        return;
    rg_allocator_end_view(&g->memory, g->of);
    rg_allocator_end_view(&g->memory, g->representatives);
    rg_allocator_end_view(&g->memory, g->sizes);
    if (g->set != NULL)
        otu_table_destroy(g->groups.table);
    else
        otu_groups_free(&g->groups);
    rg_set_destroy(g->set);
    free(g->text);
    free(g);
}

/* ---- files ---- */

static status_t read_groups(rg_context_t *context, const char *path, void *what)
{
    rg_groups_t *g = new_groups(context), **out = what;
    status_t st;

    if (g == NULL)
        return ST_ENOMEM;
    if ((st = otu_groups_read(path, &g->groups)) == ST_OK &&
        (st = make_arrays(g)) == ST_OK)
        *out = g;
    else
        rg_groups_destroy(g);
    return st;
}

rg_status_t rg_groups_read(rg_context_t *context, const char *path, rg_groups_t **out)
{
    return rg_file_read(context, path, read_groups, out);
}

static status_t write_groups(rg_context_t *context, const void *what, const char *path)
{
    const rg_groups_t *g = what;
    otu_groups_head_t head = g->groups.head;
    whole_file_t *to;
    rg_file_run_t run;
    status_t st;

    if (g->set == NULL)
        return rg_file_refuse_copy();
    rg_file_run(context, &run);
    head.program = run.info.program;
    head.input = "";
    head.run = &run.info;
    if ((st = whole_file_open(path, WHOLE_FILE_HDF5, true, &to)) != ST_OK)
        return st;
    st = otu_groups_write(to, &head, g->groups.table, g->set->sequences);
    return whole_file_close(to, st);
}

rg_status_t rg_groups_write(rg_context_t *context, const rg_groups_t *groups,
                            const char *path)
{
    return rg_file_write(context, groups, write_groups, path);
}

/* ---- reading groups ---- */

int64_t rg_groups_count(const rg_groups_t *g)
{
    return g != NULL ? g->groups.table->n_otus : 0;
}

int64_t rg_groups_sequences(const rg_groups_t *g)
{
    return g != NULL ? g->groups.table->n : 0;
}

const int32_t *rg_groups_of(const rg_groups_t *g)
{
    return g != NULL ? g->of : NULL;
}

const int32_t *rg_groups_representatives(const rg_groups_t *g)
{
    return g != NULL ? g->representatives : NULL;
}

const int64_t *rg_groups_sizes(const rg_groups_t *g)
{
    return g != NULL ? g->sizes : NULL;
}

double rg_groups_mcc(const rg_groups_t *g)
{
    return g != NULL ? g->groups.head.mcc : 0;
}

const char *rg_groups_name(const rg_groups_t *g, int64_t group)
{
    if (group < 0 || group >= rg_groups_count(g))
        return NULL;
    return g->text != NULL ? g->text[group] : g->groups.otu_names[group];
}

const char *rg_groups_sequence(const rg_groups_t *g, int64_t index)
{
    if (index < 0 || index >= rg_groups_sequences(g))
        return NULL;
    return g->set != NULL ? seqset_name(g->set->sequences, index)
                          : g->groups.names[index];
}
