/*
 * rg_aligner.c - aligners: from options and sets to the specification of a search.
 */
#include "library/rg_aligner.h"

#include "library/rg_align_options.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Sets of both alphabets are not aligned with each other. */
static status_t take_sets(rg_aligner_t *a, const rg_set_t *queries,
                          const rg_set_t *references)
{
    const bool both = a->origin->opts.strand == STRAND_BOTH;
    status_t st;

    a->n_queries = queries->sequences->n;
    a->set = queries->sequences;
    if (references == NULL)
        return ST_OK;
    if ((st = seqset_join(queries->sequences, both, references->sequences, &a->joined)) !=
        ST_OK)
        return st;
    a->set = a->joined;
    a->first_target = a->n_queries * (both ? 2 : 1);
    return ST_OK;
}

/* What a matrix does not score, and numbers that results cannot hold, are refused here.
 */
static status_t check_set(const rg_aligner_t *a)
{
    uint8_t code;
    int64_t i;

    if (!job_align_spec_lacks(&a->origin->spec, &a->origin->opts, a->set, &i, &code))
        return job_align_spec_check(&a->origin->spec, &a->origin->opts, a->set,
                                    "the set");
    log_error("%s %" PRId64 " has the letter %c, which %s does not score; add it to the "
              "matrix",
              i < a->n_queries       ? "sequence"
              : i >= a->first_target ? "reference"
                                     : "the reverse complement of sequence",
              i < a->n_queries       ? i
              : i >= a->first_target ? i - a->first_target
                                     : i - a->n_queries,
              alphabet_letter(a->set->alphabet, code), a->origin->opts.matrix);
    return ST_EINPUT;
}

static status_t settle(rg_aligner_t *a, const rg_set_t *queries,
                       const rg_set_t *references, const rg_align_options_t *given)
{
    const alphabet_t alphabet = queries->sequences->alphabet;
    rg_align_options_t o;
    status_t st;

    rg_align_options_init(&o, sizeof(o));
    if ((st = rg_options_take(given, &o, sizeof(o))) != ST_OK)
        return st;
    if (references != NULL && references->sequences->alphabet != alphabet) {
        log_error("queries are %s and references %s sequences; give alphabet when they "
                  "are read",
                  alphabet_sequences[alphabet],
                  alphabet_sequences[references->sequences->alphabet]);
        return ST_EINPUT;
    }
    if ((st = rg_set_check_letters(queries)) != ST_OK ||
        (references != NULL && (st = rg_set_check_letters(references)) != ST_OK))
        return st;
    if ((a->origin = rg_origin_create(queries, references)) == NULL)
        return ST_ENOMEM;
    if ((o.kernel != NULL && (a->origin->kernel = strdup(o.kernel)) == NULL) ||
        (o.matrix != NULL && (a->origin->matrix = strdup(o.matrix)) == NULL))
        return log_nomem("an aligner");
    o.kernel = a->origin->kernel;
    o.matrix = a->origin->matrix;
    if ((st = rg_align_options_settle(&o, references != NULL, alphabet,
                                      &a->origin->opts)) != ST_OK ||
        (st = job_align_spec_settle(&a->origin->opts, alphabet, NULL,
                                    &a->origin->spec)) != ST_OK ||
        (st = take_sets(a, queries, references)) != ST_OK)
        return st;
    return check_set(a);
}

/* The search of listed pairs shows whether there is such a kernel. */
static status_t create(rg_context_t *context, const rg_set_t *queries,
                       const rg_set_t *references, const rg_align_options_t *options,
                       rg_aligner_t **out)
{
    rg_aligner_t *a = calloc(1, sizeof(*a));
    search_context_t search;
    status_t st;

    if (a == NULL)
        return log_nomem("an aligner");
    a->context = rg_context_share(context);
    if ((st = settle(a, queries, references, options)) != ST_OK)
        goto fail;
    a->run = (align_run_t){.band = a->origin->opts.band == BAND_AUTO,
                           .cancel = &context->cancel};
    search = rg_aligner_search(a, true);
    if ((st = search_create(&search, &a->listed)) != ST_OK)
        goto fail;
    *out = a;
    return ST_OK;
fail:
    rg_aligner_destroy(a);
    return st;
}

rg_status_t rg_aligner_create(rg_context_t *context, const rg_set_t *queries,
                              const rg_set_t *references,
                              const rg_align_options_t *options, rg_aligner_t **out)
{
    log_sink_t *before;
    rg_status_t status = rg_context_enter(context, &before);
    status_t st = ST_EUSAGE;

    if (status != RG_OK)
        return status;
    if (queries != NULL && out != NULL)
        st = create(context, queries, references, options, out);
    return rg_context_leave(context, before, st);
}

void rg_aligner_destroy(rg_aligner_t *a)
{
    int gpu = -1;

    if (a == NULL)
        return;
    if (device_is_gpu(&a->context->binding.device))
        gpu = device_in_use();
    search_destroy(a->listed);
    device_use_again(gpu);
    for (int k = 0; k < ALIGNER_DEPTH; k++)
        buf_free(&a->pairs[k]);
    seqset_destroy(a->joined);
    rg_origin_destroy(a->origin);
    rg_context_destroy(a->context);
    free(a);
}

double rg_aligner_score_unit(const rg_aligner_t *a)
{
    return a != NULL && a->origin->opts.score_unit == SCORE_UNIT_HALF ? 0.5 : 1;
}

search_context_t rg_aligner_search(const rg_aligner_t *a, bool is_listed)
{
    search_context_t c = job_align_spec_search(&a->origin->spec, &a->origin->opts);

    c.device = &a->context->binding.device;
    c.pool = a->context->pool;
    c.run = a->run;
    c.set = a->set;
    c.n_queries = a->n_queries;
    c.first_target = a->first_target;
    if (is_listed) { /* nothing is ruled out, and how many there are is not known */
        c.filter = NULL;
        c.min_identity = (fraction_t){0};
        c.n_best = 0;
        c.aligner.trial = false;
    }
    return c;
}

align_memory_t rg_aligner_memory(const rg_aligner_t *a, const search_t *search,
                                 int64_t tile_values)
{
    const align_opts_t *o = &a->origin->opts;

    return (align_memory_t){.search = search,
                            .set = a->set,
                            .spec = &a->origin->spec,
                            .tile_values = tile_values,
                            .host_bytes = a->context->memory_bytes,
                            .device_bytes =
                                align_memory_of_device(&a->context->binding.device, 0),
                            .n_strands = o->strand == STRAND_BOTH ? 2 : 1,
                            .is_sparse = job_align_is_sparse(o)};
}

double rg_aligner_piece_s(const search_t *search)
{
    return search_depth(search) > 1 ? 0.6 : 0.15;
}
