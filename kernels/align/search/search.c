/*
 * search.c - what a search consists of.
 */
#include "kernels/align/search/search.h"

#include "io/base/logmsg.h"
#include "kernels/align/search/search_state.h"

#include <stdlib.h>

/* Behind a filter a search is faster than its aligner, by at most this factor. */
static const double MAX_GAIN = 64;

const char *const search_stages[SEARCH_STAGES] = {"length", "kmers", "overlap", "edits"};

const char *const search_centroid_stages[] = {"centroids"};
const char *const search_score_stages[] = {"score", "seeds"};

const char *const search_method_name[] = {"exact", "staged"};

/* The best N by score are found by scores only if every pair with a score is a hit. */
bool search_scores_first(const search_context_t *c)
{
    const bool is_ranked = c->n_best > 0 && c->order == PAIRS_BY_SCORE &&
                           c->min_identity.numerator == 0 &&
                           c->spec->min_overlap.numerator == 0;

    return c->spec->ends == ENDS_LOCAL && align_has_identity(c->spec) &&
           c->group_of == NULL && c->centroid_order == NULL && c->first_target > 0 &&
           (c->law != NULL || is_ranked);
}

bool search_may_filter(const search_context_t *c)
{
    return c->centroid_order != NULL || search_scores_first(c) ||
           (c->filter != NULL && (c->min_identity.numerator > 0 || c->group_of != NULL ||
                                  search_bounds_are_useful(c)));
}

static status_t create_filter(search_t *s, fraction_t identity, filter_shape_t shape)
{
    const align_context_t context = search_align_context(s, s->context.filter);

    return pair_filter_create(&context, identity, shape, &s->filter);
}

/* For tiles. */
static status_t create_filters(search_t *s)
{
    const search_context_t *c = &s->context;
    fraction_t identity = s->min_identity;
    filter_shape_t shape = {.triangle = c->first_target == 0,
                            .n_rows = c->first_target,
                            .per_row_identity = search_bounds_are_useful(c)};
    status_t st;

    if (shape.per_row_identity &&
        (st = search_bounds_prepare(s, shape, &identity)) != ST_OK)
        return st;
    shape.per_row_identity = s->n_bound_levels > 0;
    if (identity.numerator == 0) /* no minimum, and no bounds would be found */
        return ST_OK;
    st = create_filter(s, identity, shape);
    if (st == ST_OK && s->min_identity.numerator > 0) /* no row requires less */
        st = search_edits_prepare(s);
    return st;
}

/* For queries: k-mers that suit this identity suit those around it well enough. */
static status_t create_finder(search_t *s)
{
    static const fraction_t typical = {9, 10};
    const bool by_row = search_has_row_identities(&s->context);
    const filter_shape_t shape = {.n_rows = s->context.first_target,
                                  .per_row_identity = by_row};
    status_t st = create_filter(s, by_row ? typical : s->min_identity, shape);

    return st == ST_OK ? search_finder_prepare(s) : st;
}

static status_t create_aligner(search_t *s)
{
    const align_context_t context = search_align_context(s, s->context.spec);
    aligner_options_t options = s->context.aligner;

    options.cache = s->trials;
    options.fraction = s->passed;
    options.trial = options.trial && s->scores.aligner == NULL; /* few are left */
    return aligner_create(&context, &options, &s->aligner);
}

static status_t create_parts(search_t *s)
{
    const search_context_t *c = &s->context;
    status_t st = ST_OK;

    if (c->version != NULL)
        st = trial_cache_create(c->version, &s->trials);
    if (st == ST_OK && c->n_best > 0 && c->group_of == NULL)
        st = search_best_create(c->order, c->n_queries, c->n_best, false, &s->best);
    if (st == ST_OK && c->filter != NULL && search_may_filter(c))
        st = c->group_of != NULL         ? create_finder(s)
             : c->centroid_order != NULL ? search_edits_prepare(s)
                                         : create_filters(s);
    if (st == ST_OK && search_scores_first(c))
        st = search_scores_prepare(s);
    if (st != ST_OK)
        return st;
    return c->composition != COMP_OFF
               ? search_rescore_create(&s->context, &s->rescore)
               : create_aligner(s); /* it uses what memory is left */
}

status_t search_create(const search_context_t *context, search_t **out)
{
    search_t *s = calloc(1, sizeof(*s));
    status_t st;

    if (s == NULL)
        return log_nomem("a search");
    s->context = *context;
    if (!search_scores_first(context)) /* without queries no pair is scored */
        s->context.composition = COMP_OFF;
    else if (context->composition == COMP_OFF) /* two aligners */
        s->context.run.device_bytes /= 2;
    s->min_identity =
        context->min_identity.denominator > 0 ? context->min_identity : pair_filter_none;
    if ((st = create_parts(s)) != ST_OK) {
        search_destroy(s);
        return st;
    }
    *out = s;
    return ST_OK;
}

void search_destroy(search_t *s)
{
    if (s == NULL)
        return;
    aligner_destroy(s->aligner);
    search_rescore_destroy(s->rescore);
    trial_cache_destroy(s->trials);
    pair_filter_destroy(s->filter);
    for (int k = 0; k < SEARCH_LEVELS_MAX; k++)
        edit_filter_destroy(s->edits.filters[k]);
    free(s->edits.pairs);
    free(s->edits.keep);
    free(s->edits.start);
    search_best_destroy(s->best);
    free(s->required);
    free(s->rects);
    free(s->numerator);
    free(s->denominator);
    search_finder_free(&s->find);
    search_centroids_free(&s->centroids);
    search_scores_free(&s->scores);
    free(s);
}

const char *search_kernel(const search_t *s)
{
    return aligner_name(s->aligner != NULL ? s->aligner : s->scores.aligner);
}

/* With a rate that is far too low a run begins with many small batches. */
double search_guess(const search_t *s)
{
    const double gain = s->passed > 1 / MAX_GAIN ? 1 / s->passed : MAX_GAIN;

    if (s->scores.aligner != NULL)
        return aligner_guess(s->scores.aligner);
    return aligner_guess(s->aligner) * (s->passed > 0 ? gain : 1);
}

bool search_has_filter(const search_t *s)
{
    return s->filter != NULL || s->context.centroid_order != NULL ||
           s->scores.aligner != NULL;
}

/* With a filter there is one batch at a time.  Side by side, its kernels and those of the
 * aligner, whose blocks stay until all is done, would take a multiprocessor's registers
 * from each other, and both would be slower than one after the other.  Little work is
 * left for the host then. */
int search_depth(const search_t *s)
{
    return search_has_filter(s) ? 1 : aligner_depth(s->aligner);
}

int64_t search_pair_bytes(const search_t *s)
{
    const bool has_values = s->context.identity.source != SEARCH_FROM_CANONICAL;

    return (s->edits.n_levels > 0 ? (int64_t)sizeof(pair_t) + 1 : 0) +
           (has_values ? 2 * (int64_t)sizeof(int32_t) : 0);
}

bool search_rescores(const search_t *s)
{
    return s->rescore != NULL;
}

/* Pairs that are scored once more were aligned when they were listed. */
status_t search_submit(search_t *s, const search_batch_t *batch)
{
    return s->rescore == NULL ? aligner_submit(s->aligner, &batch->batch) : ST_OK;
}

status_t search_wait(search_t *s, pair_results_t *out)
{
    return s->rescore == NULL ? aligner_wait(s->aligner, out)
                              : search_rescore_results(s->rescore, out);
}
