/*
 * align_spec.c - fills in scores, and bounds them.
 */
#include "kernels/align/common/align_spec.h"

#include <string.h>

const char *const align_emit_name[3] = {"score", "identity", "cigar"};
const char *const align_ends_name[3] = {"free", "count", "query"};

void align_scoring_set(align_scoring_t *s, align_ambiguity_t ambiguity, int32_t match,
                       int32_t mismatch, int32_t gap)
{
    *s = (align_scoring_t){.gaps = GAPS_LINEAR,
                           .gap = gap,
                           .match = match,
                           .mismatch = mismatch,
                           .two_valued = true};
    for (int a = 1; a < ALPHABET_SIZE; a++) {
        bool keeps = ambiguity == AMBIGUITY_MATCH || alphabet_is_base((uint8_t)a) ||
                     (ambiguity == AMBIGUITY_N_MISMATCH && a != CODE_N);

        s->set_of[a] = keeps ? (uint8_t)a : 0;
    }
    for (int a = 0; a < ALPHABET_SIZE; a++)
        for (int b = 0; b < ALPHABET_SIZE; b++) {
            s->is_match[a][b] = (s->set_of[a] & s->set_of[b]) != 0;
            s->score[a][b] = s->is_match[a][b] ? match : mismatch;
        }
}

void align_scoring_set_matrix(align_scoring_t *s, const score_matrix_t *matrix,
                              int32_t gap)
{
    *s = (align_scoring_t){.gaps = GAPS_LINEAR, .gap = gap};
    memcpy(s->score, matrix->score, sizeof(s->score));
    for (int a = 1; a < ALPHABET_SIZE; a++)
        s->is_match[a][a] = 1;
}

align_range_t align_range(const align_spec_t *spec, int64_t m, int64_t n)
{
    const align_scoring_t *s = &spec->scoring;
    int64_t shorter = m < n ? m : n;
    int64_t best = 0, worst = s->gap;

    for (int a = 1; a < ALPHABET_SIZE; a++)
        for (int b = 1; b < ALPHABET_SIZE; b++) {
            best = s->score[a][b] > best ? s->score[a][b] : best;
            worst = s->score[a][b] < worst ? s->score[a][b] : worst;
        }
    /* A path of gaps alone bounds every cell from below; losing candidates may be one
     * step worse. */
    return (align_range_t){.min = (m + n) * s->gap + worst + s->gap,
                           .max = (shorter + 1) * best};
}
