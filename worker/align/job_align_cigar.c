/*
 * job_align_cigar.c - the job "align" writes the CIGARs of collected batches as text.
 */
#include "worker/align/job_align_results.h"

bool job_align_cigar_is_stored(const job_align_t *j)
{
    return j->opts->emit == EMIT_CIGAR;
}

static int64_t mean_len(const job_align_t *j)
{
    int64_t n = j->set->n;

    return j->spec.align.emit == EMIT_CIGAR && n > 0 ? j->set->offset[n] / n : 0;
}

/* Runs are 4 bytes every other base, or every fourth where columns are joined, held by
 * the kernel and on their way; text is a quarter of that, in every place. */
int64_t job_align_cigar_bytes(const job_align_t *j)
{
    return (4 + JOB_PLACES) * mean_len(j) / (j->spec.align.join_columns ? 2 : 1);
}

/* A GPU has room for the maximum number of runs, one per base of either sequence, twice:
 * as they are traced, and packed. */
int64_t job_align_cigar_device_bytes(const job_align_t *j)
{
    return 2 * 2 * (int64_t)sizeof(uint32_t) * mean_len(j);
}

status_t job_align_cigar_append(const job_align_t *j, const pair_results_t *results,
                                int64_t pair, buf_t *text)
{
    int64_t first = results->cigar_start[pair], end = results->cigar_start[pair + 1];

    return end > first ? cigar_append_text(results->cigar + first, end - first,
                                           j->opts->cigar_style, text)
                       : ST_OK;
}
