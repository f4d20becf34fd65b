/*
 * align_spec.c - fills in scores, and bounds them.
 */
#include "kernels/align/common/align_spec.h"

#include <string.h>

const char *const align_emit_name[3] = {"score", "identity", "cigar"};
const char *const align_ends_name[ALIGN_N_ENDS] = {"free", "count", "query", "priced",
                                                   "local"};
const char *const align_ambiguity_name[5] = {"n-mismatch", "match", "mismatch", "same",
                                             "neutral"};

static uint8_t set_of(align_ambiguity_t ambiguity, uint8_t code)
{
    if (alphabet_is_base(ALPHABET_DNA, code))
        return code;
    switch (ambiguity) {
    case AMBIGUITY_N_MISMATCH:
        return code != CODE_N ? code : 0;
    case AMBIGUITY_MISMATCH:
        return 0;
    default:
        return code;
    }
}

/* @return the score of a column whose codes match or do not */
static int32_t score_of(align_ambiguity_t ambiguity, int a, int b, int32_t score)
{
    bool is_plain = alphabet_is_base(ALPHABET_DNA, (uint8_t)a) &&
                    alphabet_is_base(ALPHABET_DNA, (uint8_t)b);

    return ambiguity == AMBIGUITY_NEUTRAL && !is_plain ? 0 : score;
}

void align_scoring_set(align_scoring_t *s, align_ambiguity_t ambiguity, int32_t match,
                       int32_t mismatch, int32_t gap)
{
    *s = (align_scoring_t){.gaps = GAPS_LINEAR,
                           .gap = gap,
                           .gap_open = gap,
                           .match = match,
                           .mismatch = mismatch,
                           .two_valued = ambiguity != AMBIGUITY_SAME &&
                                         ambiguity != AMBIGUITY_NEUTRAL,
                           .same_code = ambiguity == AMBIGUITY_SAME,
                           .neutral = ambiguity == AMBIGUITY_NEUTRAL && match >= 0 &&
                                      mismatch <= 0};
    for (int a = 1; a < DNA_SIZE; a++)
        s->set_of[a] = set_of(ambiguity, (uint8_t)a);
    for (int a = 0; a < DNA_SIZE; a++)
        for (int b = 0; b < DNA_SIZE; b++) {
            s->is_match[a][b] =
                s->same_code ? a == b && a > 0 : (s->set_of[a] & s->set_of[b]) != 0;
            s->score[a][b] =
                score_of(ambiguity, a, b, s->is_match[a][b] ? match : mismatch);
        }
}

void align_scoring_set_matrix(align_scoring_t *s, const score_matrix_t *matrix,
                              int32_t gap)
{
    *s = (align_scoring_t){.alphabet = matrix->alphabet,
                           .gaps = GAPS_LINEAR,
                           .gap = gap,
                           .gap_open = gap,
                           .same_code = true};
    memcpy(s->score, matrix->score, sizeof(s->score));
    for (int a = 1; a < alphabet_size(s->alphabet); a++) {
        s->is_match[a][a] = 1;
        s->set_of[a] = (uint8_t)a;
    }
}

void align_scoring_set_gap(align_scoring_t *s, align_gap_t gap)
{
    s->gaps = gap.open == gap.extend ? GAPS_LINEAR : GAPS_AFFINE;
    s->gap = gap.extend;
    s->gap_open = gap.open;
}

align_gap_t align_end_gap(const align_spec_t *spec, bool of_query)
{
    if (align_end_is_counted(spec, of_query))
        return align_scoring_gap(&spec->scoring);
    return spec->ends == ENDS_PRICED ? spec->end_gap : (align_gap_t){0, 0};
}

align_range_t align_scoring_range(const align_scoring_t *s)
{
    align_range_t range = {s->score[1][1], s->score[1][1]};
    int size = alphabet_size(s->alphabet);

    for (int a = 1; a < size; a++)
        for (int b = 1; b < size; b++) {
            range.min = s->score[a][b] < range.min ? s->score[a][b] : range.min;
            range.max = s->score[a][b] > range.max ? s->score[a][b] : range.max;
        }
    return range;
}

align_range_t align_range(const align_spec_t *spec, int64_t m, int64_t n)
{
    const align_scoring_t *s = &spec->scoring;
    int64_t shorter = m < n ? m : n;
    int64_t gap = s->gap, open = s->gap_open;
    align_range_t column = align_scoring_range(s);
    int64_t best = column.max > 0 ? column.max : 0;
    int64_t worst = column.min < open ? column.min : open;

    if (spec->ends == ENDS_PRICED) {
        gap = spec->end_gap.extend < gap ? spec->end_gap.extend : gap;
        open = spec->end_gap.open < open ? spec->end_gap.open : open;
    }
    /* A path of two gaps bounds every cell from below; losing candidates may be a step
     * and a gap's begin worse. */
    return (align_range_t){.min = (m + n) * gap + 2 * (open - gap) + worst + open,
                           .max = (shorter + 1) * best};
}

bool align_scoring_is_plain(const align_scoring_t *s, int32_t *match, int32_t *mismatch)
{
    static const uint8_t bases[] = {1, 2, 4, 8};

    *match = s->score[bases[0]][bases[0]];
    *mismatch = s->score[bases[0]][bases[1]];
    for (size_t a = 0; a < sizeof(bases); a++)
        for (size_t b = 0; b < sizeof(bases); b++)
            if (s->score[bases[a]][bases[b]] != (a == b ? *match : *mismatch) ||
                s->is_match[bases[a]][bases[b]] != (a == b))
                return false;
    return s->alphabet == ALPHABET_DNA;
}

align_spec_t align_spec_vsearch(void)
{
    align_spec_t spec = {.emit = EMIT_CIGAR,
                         .ends = ENDS_PRICED,
                         .end_gap = {-2, -1},
                         .min_overlap = {0, 1}};

    align_scoring_set(&spec.scoring, AMBIGUITY_NEUTRAL, 2, -4, -2);
    align_scoring_set_gap(&spec.scoring, (align_gap_t){-20, -2});
    return spec;
}
