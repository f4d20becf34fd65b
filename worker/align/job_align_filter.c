/*
 * job_align_filter.c - prepares the filters of the job "align": by k-mers, and by edits.
 */
#include "worker/align/job_align_filter.h"

#include "io/base/logmsg.h"
#include "worker/align/job_align_bounds.h"
#include "worker/align/job_align_edits.h"
#include "worker/align/job_align_spec.h"

#include <stdlib.h>

const char *const job_align_stages[JOB_ALIGN_STAGES] = {"length", "grams", "overlap",
                                                        "edits"};

/* Whether the options leave anything to rule out. */
static bool is_useful(const job_align_t *j)
{
    return j->opts->min_identity.numerator > 0 || job_align_bounds_are_useful(j);
}

bool job_align_may_filter(const job_align_t *j)
{
    return j->is_sparse && j->spec.filter_is_lossless && is_useful(j);
}

/* Tell the user why a slow run has no filter. */
static void log_no_filter(const job_align_t *j)
{
    if (!j->is_sparse || j->spec.filter_is_lossless ||
        (j->opts->min_identity.numerator == 0 && j->opts->top == 0))
        return;
    if (j->set->alphabet == ALPHABET_PROTEIN)
        log_verbose("the filters are for DNA: every pair is aligned");
    else if (j->opts->ends == ENDS_LOCAL)
        log_verbose("no filter is proved for local alignments: every pair is aligned");
    else
        log_verbose("no filter is proved for --iddef %s with %s: every pair is aligned",
                    identity_def_name[j->spec.identity],
                    job_align_ends_words[j->opts->ends]);
}

status_t job_align_filter_prepare(job_align_t *j, const device_t *device)
{
    const fraction_t *id = &j->opts->min_identity;
    fraction_t identity = {id->numerator, id->denominator > 0 ? id->denominator : 1};
    filter_shape_t shape = {.triangle = j->opts->against == NULL, .n_rows = j->col_first};
    align_context_t context = {device, j->base.pool, j->set, &j->spec.filter, j->run};
    status_t st;

    if (!job_align_may_filter(j)) {
        log_no_filter(j);
        return ST_OK;
    }
    shape.per_row_identity = job_align_bounds_are_useful(j);
    if (shape.per_row_identity &&
        (st = job_align_bounds_prepare(j, device, shape, &identity)) != ST_OK)
        return st;
    shape.per_row_identity = j->n_bound_levels > 0;
    if (identity.numerator == 0) /* no --id, and no bounds would be found */
        return ST_OK;
    st = pair_filter_create(&context, identity, shape, &j->filter);
    if (st == ST_OK && id->numerator > 0) /* no row's identity is lower */
        st = job_align_edits_prepare(j, device);
    return st;
}

void job_align_filter_free(job_align_t *j)
{
    job_align_edits_free(j);
    pair_filter_destroy(j->filter);
    j->filter = NULL;
    free(j->rects);
    j->rects = NULL;
    j->rects_capacity = 0;
    j->piece_tiles = j->n_bound_levels = 0;
}
