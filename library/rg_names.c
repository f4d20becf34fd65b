/*
 * rg_names.c - names of sequences, as callers read them; their files.
 */
#include "library/rg_names.h"

#include "io/base/logmsg.h"
#include "io/hdf5/h5guest.h"
#include "library/rg_context.h"
#include "library/rg_file.h"

#include <stdlib.h>

status_t rg_names_fill(rg_names_t *names)
{
    const class_calls_t *c = &names->result.calls;
    const class_taxa_t *taxa = &names->result.taxa;

    names->taxa = malloc((size_t)(c->n * c->n_ranks) * sizeof(*names->taxa) + 1);
    names->strands = malloc((size_t)c->n + 1);
    if (names->taxa == NULL || names->strands == NULL)
        return log_nomem("names");
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
    if (n->set != NULL) { /* and the model's */
        class_calls_free(&n->result.calls);
        free((char *)(uintptr_t)n->result.run.job);
    } else {
        class_result_free(&n->result);
    }
    rg_set_destroy(n->set);
    rg_model_destroy(n->model);
    free(n->taxa);
    free(n->strands);
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
    return n != NULL ? n->result.calls.support : NULL;
}

const uint8_t *rg_names_named(const rg_names_t *n)
{
    return n != NULL ? n->result.calls.named : NULL;
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

static status_t read_names(const char *path, rg_names_t **out)
{
    rg_names_t *n = calloc(1, sizeof(*n));
    status_t st;

    if (n == NULL)
        return log_nomem("names");
    h5guest_begin();
    st = class_result_read(path, &n->result);
    h5guest_end();
    if (st == ST_OK && (st = rg_names_fill(n)) == ST_OK)
        *out = n;
    else
        rg_names_destroy(n);
    return st;
}

rg_status_t rg_names_read(rg_context_t *context, const char *path, rg_names_t **out)
{
    log_sink_t *before;
    rg_status_t status = rg_context_enter(context, &before);
    status_t st = ST_EUSAGE;

    if (status != RG_OK)
        return status;
    if (path != NULL && out != NULL)
        st = read_names(path, out);
    return rg_context_leave(context, before, st);
}

static status_t write_names(rg_context_t *context, const rg_names_t *n, const char *path)
{
    class_result_t result = n->result;
    rg_file_run_t run;
    status_t st;

    if (n->set == NULL)
        return rg_file_refuse_copy();
    rg_file_run(context, &run);
    result.run.info = run.info;
    h5guest_begin();
    st = class_result_write(path, true, &result, context->pool);
    h5guest_end();
    return rg_file_end(context, st);
}

rg_status_t rg_names_write(rg_context_t *context, const rg_names_t *names,
                           const char *path)
{
    log_sink_t *before;
    rg_status_t status = rg_context_enter(context, &before);
    status_t st = ST_EUSAGE;

    if (status != RG_OK)
        return status;
    if (names != NULL && path != NULL)
        st = write_names(context, names, path);
    return rg_context_leave(context, before, st);
}
