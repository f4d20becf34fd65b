/*
 * search_align.c - pairs on their way through the aligner.
 */
#include "kernels/align/search/search_state.h"

align_context_t search_align_context(const search_t *s, const align_spec_t *spec)
{
    const search_context_t *c = &s->context;

    return (align_context_t){c->device, c->pool, c->set, spec, c->run};
}

bool search_has_row_identities(const search_context_t *c)
{
    return c->first_target > 0 && !align_ends_limit_overlap(c->filter->ends);
}

static status_t wait_and_take(search_t *s, const pair_batch_t *batch, search_take_t take,
                              void *ctx)
{
    search_values_t values;
    pair_results_t results;
    status_t st = aligner_wait(s->aligner, &results);

    if (st != ST_OK)
        return st;
    if (align_cancelled(s->context.run.cancel))
        return ST_ESTOPPED;
    if ((st = search_values(s, batch, &results, &values)) != ST_OK)
        return st;
    return take(ctx, batch, &results, &values);
}

status_t search_align(search_t *s, const pair_t *pairs, int64_t n, int64_t max_pairs,
                      search_take_t take, void *ctx)
{
    const int depth = aligner_depth(s->aligner), strands = s->context.n_strands;
    const int64_t some = max_pairs / depth / strands * strands;
    const int64_t step = some > strands ? some : strands;
    pair_batch_t flights[ALIGNER_DEPTH];
    int64_t submitted = 0, n_begun = 0, n_done = 0;
    status_t st = ST_OK;

    while (st == ST_OK && (submitted < n || n_done < n_begun)) {
        if (submitted < n && n_begun - n_done < depth) {
            pair_batch_t *f = &flights[n_begun % ALIGNER_DEPTH];

            *f = (pair_batch_t){pairs + submitted,
                                n - submitted < step ? n - submitted : step};
            if ((st = aligner_submit(s->aligner, f)) != ST_OK)
                break;
            submitted += f->n;
            n_begun++;
        } else {
            st = wait_and_take(s, &flights[n_done++ % ALIGNER_DEPTH], take, ctx);
        }
    }
    for (pair_results_t ignored; n_done < n_begun; n_done++)
        if (aligner_wait(s->aligner, &ignored) != ST_OK)
            break;
    return st;
}
