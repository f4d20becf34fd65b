/*
 * rg_names.c - names of sequences, as callers read them; their files.
 */
#include "library/rg_names.h"

#include "io/base/logmsg.h"
#include "library/rg_context.h"
#include "library/rg_file.h"

#include <stdlib.h>

rg_names_t *rg_names_new(const rg_allocator_t *memory)
{
    rg_names_t *n = calloc(1, sizeof(*n));

    if (n == NULL)
        log_nomem("names");
    else
        n->memory = *memory;
    return n;
}

static status_t make_arrays(rg_names_t *names)
{
    const class_calls_t *c = &names->result.calls;
    const rg_allocator_t *m = &names->memory;
    const size_t n = (size_t)c->n, n_taxa = n * (size_t)c->n_ranks;
    void *taxa, *strands;
    status_t st;

    if ((st = rg_allocator_take(m, n_taxa * sizeof(*names->taxa), "names", &taxa)) !=
        ST_OK)
        return st;
    names->taxa = taxa;
    if ((st = rg_allocator_take(m, n, "names", &strands)) != ST_OK)
        return st;
    names->strands = strands;
    if ((st = rg_allocator_view(m, c->support, n_taxa * sizeof(*c->support), "names",
                                &names->supports)) != ST_OK)
        return st;
    return rg_allocator_view(m, c->named, n, "names", &names->named);
}

status_t rg_names_fill(rg_names_t *names)
{
    const class_calls_t *c = &names->result.calls;
    const class_taxa_t *taxa = &names->result.taxa;
    const status_t st = make_arrays(names);

    if (st != ST_OK)
        return st;
    for (int64_t i = 0; i < c->n; i++) {
        const int len = c->taxon[i] < 0 ? 0 : class_taxa_rank(taxa, c->taxon[i]);
        int32_t *to = names->taxa + i * c->n_ranks, taxon = c->taxon[i];

        for (int r = c->n_ranks; r > len; r--)
            to[r - 1] = -1;
        for (int r = len; r > 0; r--, taxon = taxa->parent[taxon])
            to[r - 1] = taxon;
        names->strands[i] = c->reversed[i] ? -1 : 1;
    }
    return ST_OK;
}

void rg_names_destroy(rg_names_t *n)
{
    if (n == NULL)
        return;
    rg_allocator_end_view(&n->memory, n->supports);
    rg_allocator_end_view(&n->memory, n->named);
    if (n->set != NULL) { /* and the model's */
        class_calls_free(&n->result.calls);
        free((char *)(uintptr_t)n->result.run.job);
    } else {
        class_result_free(&n->result);
    }
    rg_set_destroy(n->set);
    rg_model_destroy(n->model);
    rg_allocator_free(&n->memory, n->taxa);
    rg_allocator_free(&n->memory, n->strands);
    free(n);
}

int64_t rg_names_count(const rg_names_t *n)
{
    return n != NULL ? n->result.calls.n : 0;
}

int32_t rg_names_ranks(const rg_names_t *n)
{
    return n != NULL ? n->result.calls.n_ranks : 0;
}

const int32_t *rg_names_taxa(const rg_names_t *n)
{
    return n != NULL ? n->taxa : NULL;
}

const uint16_t *rg_names_supports(const rg_names_t *n)
{
    return n != NULL ? n->supports : NULL;
}

const uint8_t *rg_names_named(const rg_names_t *n)
{
    return n != NULL ? n->named : NULL;
}

const int8_t *rg_names_strands(const rg_names_t *n)
{
    return n != NULL ? n->strands : NULL;
}

const char *rg_names_sequence(const rg_names_t *n, int64_t index)
{
    return index >= 0 && index < rg_names_count(n) ? class_result_name(&n->result, index)
                                                   : NULL;
}

int32_t rg_names_taxon_count(const rg_names_t *n)
{
    return n != NULL ? n->result.taxa.n : 0;
}

const char *rg_names_taxon(const rg_names_t *n, int32_t taxon)
{
    return taxon >= 0 && taxon < rg_names_taxon_count(n)
               ? class_taxa_name(&n->result.taxa, taxon)
               : NULL;
}

/* ---- files ---- */

static status_t read_names(rg_context_t *context, const char *path, void *what)
{
    rg_names_t *n = rg_names_new(&context->memory), **out = what;
    status_t st;

    if (n == NULL)
        return ST_ENOMEM;
    if ((st = class_result_read(path, &n->result)) == ST_OK &&
        (st = rg_names_fill(n)) == ST_OK)
        *out = n;
    else
        rg_names_destroy(n);
    return st;
}

rg_status_t rg_names_read(rg_context_t *context, const char *path, rg_names_t **out)
{
    return rg_file_read(context, path, read_names, out);
}

static status_t write_names(rg_context_t *context, const void *what, const char *path)
{
    const rg_names_t *n = what;
    class_result_t result = n->result;
    rg_file_run_t run;

    if (n->set == NULL)
        return rg_file_refuse_copy();
    rg_file_run(context, &run);
    result.run.info = run.info;
    return class_result_write(path, true, &result, context->pool);
}

rg_status_t rg_names_write(rg_context_t *context, const rg_names_t *names,
                           const char *path)
{
    return rg_file_write(context, names, write_names, path);
}
