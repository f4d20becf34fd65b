/*
 * class_hits_create.c - what hits are looked for in: references by class, scores, ends.
 */
#include "io/base/logmsg.h"
#include "worker/classify/class_hits_state.h"

#include <assert.h>
#include <stdlib.h>

/* The scores of `align`. */
enum { MATCH = 4, MISMATCH = -5, GAP = -7 };

static int by_length(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

/* @return the median length of sequences first .. end-1, spaced evenly if they are many
 */
static int64_t median_length(const seqset_t *set, int64_t first, int64_t end)
{
    enum { SAMPLE = 1024 };
    int64_t lengths[SAMPLE];
    const int64_t n = end - first < SAMPLE ? end - first : SAMPLE;

    for (int64_t i = 0; i < n; i++)
        lengths[i] = seqset_len(set, first + i * (end - first) / n);
    qsort(lengths, (size_t)n, sizeof(*lengths), by_length);
    return n > 0 ? lengths[n / 2] : 0;
}

align_ends_t class_hits_ends(const seqset_t *set, int64_t first_ref)
{
    const int64_t read = median_length(set, 0, first_ref);
    const int64_t reference = median_length(set, first_ref, set->n);

    return 5 * read < 4 * reference ? ENDS_QUERY : ENDS_FREE;
}

static void sort_references(class_hits_t *h)
{
    const class_hits_context_t *c = &h->context;
    const int64_t n_refs = c->set->n - c->first_ref;
    int64_t *first = h->class_first;

    for (int64_t i = 0; i < n_refs; i++)
        if (c->class_of[i] >= 0)
            first[c->class_of[i] + 1]++;
    for (int32_t k = 0; k < c->n_classes; k++)
        first[k + 1] += first[k];
    for (int64_t i = 0; i < n_refs; i++)
        if (c->class_of[i] >= 0)
            h->members[first[c->class_of[i]]++] = (int32_t)i;
    for (int32_t k = c->n_classes; k > 0; k--)
        first[k] = first[k - 1];
    first[0] = 0;
}

status_t class_hits_create(const class_hits_context_t *context, class_hits_t **out)
{
    const int64_t n_refs = context->set->n - context->first_ref;
    const aligner_options_t options = {.kernel = "auto"};
    class_hits_t *h = calloc(1, sizeof(*h));
    align_context_t aligner;
    status_t st;

    assert(context->ends == ENDS_QUERY || context->ends == ENDS_FREE);
    if (h == NULL)
        return log_nomem("the hits of reads");
    h->context = *context;
    h->class_first = calloc((size_t)context->n_classes + 1, sizeof(*h->class_first));
    h->members = malloc(((size_t)n_refs + 1) * sizeof(*h->members));
    h->spec = (align_spec_t){.emit = EMIT_IDENTITY,
                             .ends = context->ends,
                             .min_overlap = {1, 2}};
    align_scoring_set(&h->spec.scoring, AMBIGUITY_N_MISMATCH, MATCH, MISMATCH, GAP);
    aligner = class_hits_align_context(h);
    if (h->class_first == NULL || h->members == NULL)
        st = log_nomem("the hits of reads");
    else
        st = aligner_create(&aligner, &options, &h->aligner);
    if (st != ST_OK) {
        class_hits_destroy(h);
        return st;
    }
    sort_references(h);
    *out = h;
    return ST_OK;
}

void class_hits_destroy(class_hits_t *h)
{
    if (h == NULL)
        return;
    aligner_destroy(h->aligner);
    class_hits_search_free(&h->search);
    free(h->class_first);
    free(h->members);
    buf_free(&h->wanted);
    for (int k = 0; k < ALIGNER_DEPTH; k++)
        buf_free(&h->pairs[k]);
    buf_free(&h->found);
    buf_free(&h->first);
    buf_free(&h->hits);
    free(h);
}
