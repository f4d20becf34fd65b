/*
 * job_align_cigar.c - the job "align" writes the CIGARs of collected batches as text.
 */
#include "worker/align/job_align_results.h"

bool job_align_cigar_is_stored(const job_align_t *j)
{
    return j->opts->emit == EMIT_CIGAR;
}

/* Runs are 4 bytes every other base, held by the kernel and on their way; text is a
 * quarter of that, in every place. */
int64_t job_align_cigar_bytes(const job_align_t *j)
{
    int64_t n = j->set->n;

    return j->spec.align.emit == EMIT_CIGAR && n > 0
               ? (4 + JOB_PLACES) * (j->set->offset[n] / n)
               : 0;
}

status_t job_align_cigar_append(const job_align_t *j, const pair_results_t *results,
                                int64_t pair, buf_t *text)
{
    int64_t first = results->cigar_start[pair], end = results->cigar_start[pair + 1];

    return end > first ? cigar_append_text(results->cigar + first, end - first,
                                           j->opts->cigar_style, text)
                       : ST_OK;
}
