/*
 * seq_filter.c - counts ambiguity codes and compares lengths.
 */
#include "io/prepare/seq_filter.h"

#include "io/seq/alphabet.h"

static int64_t count_ambiguous(const seqset_t *set, int64_t i)
{
    const uint8_t *letters = seqset_letters(set, i);
    int64_t len = seqset_len(set, i), n = 0;

    for (int64_t k = 0; k < len; k++)
        n += !alphabet_is_base(set->alphabet, letters[k]);
    return n;
}

int64_t seq_filter_find(const seq_filter_t *filter, const seqset_t *set, int32_t *kept,
                        seq_filter_report_t *report)
{
    int64_t n_kept = 0;

    *report = (seq_filter_report_t){0};
    for (int64_t i = 0; i < set->n; i++) {
        int64_t len = seqset_len(set, i);

        if (len < filter->min_length)
            report->n_short++;
        else if (filter->max_length > 0 && len > filter->max_length)
            report->n_long++;
        else if (filter->max_ambig >= 0 && count_ambiguous(set, i) > filter->max_ambig)
            report->n_ambig++;
        else
            kept[n_kept++] = (int32_t)i;
    }
    return n_kept;
}
