/*
 * affine_case.cuh - random pairs and specs for tests that run the GPU's cells with affine
 * gaps on the CPU, and comparisons with the reference.
 */
#pragma once

#include "kernels/align/affine/affine_layout.cuh"

extern "C" {
#include "io/base/rng.h"
#include "kernels/align/common/nw_reference.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>
}

namespace
{

constexpr int WORDS_MAX = 600, SHORT_MAX = 90, N_SEQUENCES = 4;
constexpr int PLACE =
    2 * CUDA_SET_ALIGN + (WORDS_MAX / CUDA_SET_ALIGN + 1) * CUDA_SET_ALIGN;

/* Two pairs, laid out as in a cuda_set_t, and what a launch points to. */
struct words_t {
    uint8_t codes[N_SEQUENCES][WORDS_MAX];
    alignas(16) unsigned char letters[N_SEQUENCES * PLACE];
    long long start[N_SEQUENCES];
    int len[N_SEQUENCES];
    unsigned char has_ambiguity[N_SEQUENCES];
    pair_t pairs[2];
    unsigned order[2];
    int score[2], matches[2], columns[2];
};

inline int below(rng_t *rng, int n)
{
    return static_cast<int>(rng_below(rng, static_cast<uint64_t>(n)));
}

inline int between(rng_t *rng, int low, int high)
{
    return low + below(rng, high - low + 1);
}

/* @param like  the sequence that it descends from; < 0: none */
inline void draw_sequence(rng_t *rng, words_t *w, int k, int like, int n_codes,
                          int longest)
{
    static const uint8_t codes[] = {1, 2, 4, 8, CODE_N, 5};
    const int max_len = between(rng, 1, longest);
    int len = 0;

    for (int i = below(rng, 8); len < max_len && (like < 0 || i < w->len[like]); i++) {
        if (below(rng, 20) == 0)
            i += below(rng, 9);
        for (int more = below(rng, 20) == 0 ? below(rng, 6) : 0; more > 0; more--)
            if (len < max_len - 1)
                w->codes[k][len++] = codes[below(rng, n_codes)];
        w->codes[k][len++] = like >= 0 && i < w->len[like] && below(rng, 8) != 0
                                 ? w->codes[like][i]
                                 : codes[below(rng, n_codes)];
    }
    if (len == 0)
        w->codes[k][len++] = 1;
    w->len[k] = len;
}

/* Lay out a sequence as in a cuda_set_t. */
inline void place_sequence(words_t *w, const align_scoring_t *s, int k)
{
    w->start[k] = (k + 1) * PLACE - CUDA_SET_ALIGN - w->len[k];
    w->has_ambiguity[k] = 0;
    memset(w->letters + k * PLACE, 0, PLACE);
    for (int i = 0; i < w->len[k]; i++) {
        const uint8_t set = s->set_of[w->codes[k][i]];

        w->letters[w->start[k] + i] = set;
        w->has_ambiguity[k] |= set != 1 && set != 2 && set != 4 && set != 8;
    }
}

/* @param longest  bases of a sequence, at most WORDS_MAX */
inline void draw_words(rng_t *rng, words_t *w, const align_scoring_t *s, bool row_codes,
                       int longest)
{
    for (int k = 0; k < N_SEQUENCES; k++) {
        const bool codes = row_codes || k % 2 == 1;

        draw_sequence(rng, w, k, k % 2 == 1 && row_codes ? k - 1 : -1, codes ? 6 : 4,
                      longest);
        if (k % 2 == 1 && !row_codes) /* related to the sequence without codes */
            draw_sequence(rng, w, k, k - 1, 4 + 2 * below(rng, 2), longest);
        place_sequence(w, s, k);
    }
    for (int i = 0; i < 2; i++) {
        const int flip = row_codes ? below(rng, 2) : 0;

        w->pairs[i] = pair_t{2 * i + flip, 2 * i + 1 - flip};
        w->order[i] = static_cast<unsigned>(i);
    }
}

/* Draw a symmetric matrix in which codes match best with themselves. */
inline void draw_matrix(rng_t *rng, alphabet_t alphabet, align_scoring_t *s)
{
    const align_gap_t gap = align_scoring_gap(s);
    score_matrix_t matrix = {};

    matrix.alphabet = alphabet;
    for (int a = 1; a < alphabet_size(alphabet); a++)
        for (int b = 1; b <= a; b++)
            matrix.score[a][b] = matrix.score[b][a] =
                a == b ? between(rng, 4, 9) : between(rng, -9, 3);
    align_scoring_set_matrix(s, &matrix, gap.extend);
    align_scoring_set_gap(s, gap);
}

/* @param n_ambiguities  rules for ambiguity codes to draw from, the first ones */
inline align_spec_t draw_spec(rng_t *rng, int n_ambiguities)
{
    align_spec_t spec = {};
    const int extend = -between(rng, 1, 4), open = extend - below(rng, 4) * below(rng, 6);

    spec.emit = EMIT_IDENTITY;
    spec.ends = static_cast<align_ends_t>(below(rng, 4));
    spec.min_overlap = fraction_t{1, 4};
    if (spec.ends == ENDS_PRICED) {
        spec.end_gap.extend = -below(rng, 6) - 6 * below(rng, 2);
        spec.end_gap.open = spec.end_gap.extend - below(rng, 10);
    }
    align_scoring_set(&spec.scoring,
                      static_cast<align_ambiguity_t>(below(rng, n_ambiguities)),
                      between(rng, 0, 5), -between(rng, 0, 12), extend);
    align_scoring_set_gap(&spec.scoring, align_gap_t{open, extend});
    return spec;
}

/* @param identity  whether the kind's pairs have results, not scores alone */
inline affine_launch_t case_launch(int kind, const affine_layout_t &layout,
                                   const align_spec_t *spec, words_t *w, bool identity)
{
    affine_launch_t p = {};

    affine_launch_set(kind, layout, &p);
    p.rounds.set.letters = w->letters;
    p.rounds.set.start = w->start;
    p.rounds.set.len = w->len;
    p.rounds.set.has_ambiguity = w->has_ambiguity;
    p.rounds.pairs = w->pairs;
    p.rounds.order = w->order;
    p.rounds.variant.identity = identity;
    p.rounds.min_overlap = spec->min_overlap;
    p.rounds.score = w->score;
    p.rounds.matches = w->matches;
    p.rounds.columns = w->columns;
    return p;
}

/* What a launch points to in rounds with bands. */
struct bands_t {
    short w[2];
    unsigned retry[2], doubtful[2];
    int n_retry, n_doubtful;
};

inline void set_bands(affine_launch_t *p, bands_t *bands)
{
    p->rounds.variant.bands = RSCAN_BANDS_KNOWN;
    p->rounds.band_w = bands->w;
    p->rounds.retry = {bands->retry, &bands->n_retry};
    p->rounds.doubtful = {bands->doubtful, &bands->n_doubtful};
}

/* @return whether pair i is listed for the next round */
inline bool is_listed(const bands_t &bands, int i)
{
    const unsigned index = static_cast<unsigned>(i);

    return (bands.n_retry > 0 && bands.retry[0] == index) ||
           (bands.n_retry > 1 && bands.retry[1] == index);
}

inline int score_of(const align_spec_t *spec, const words_t &w, int i)
{
    nw_values_t row[WORDS_MAX + 1];
    const int q = w.pairs[i].query, t = w.pairs[i].target;

    return static_cast<int>(
        nw_reference_pair(spec, w.codes[q], w.len[q], w.codes[t], w.len[t], row).score);
}

inline void assert_pair(const align_spec_t *spec, const words_t *w, int i, bool identity)
{
    nw_values_t row[WORDS_MAX + 1];
    const int q = w->pairs[i].query, t = w->pairs[i].target;
    nw_cell_t want =
        nw_reference_pair(spec, w->codes[q], w->len[q], w->codes[t], w->len[t], row);

    if (!align_overlap_suffices(spec, w->len[q], w->len[t],
                                static_cast<int32_t>(want.columns)))
        want.matches = want.columns = 0;
    if (w->score[i] != want.score ||
        (identity && (w->matches[i] != want.matches || w->columns[i] != want.columns)))
        fail_msg("%d/%d/%d/%d ends %s %d/%d, %d and %d bases: %d %d %d, not %d %d %d",
                 spec->scoring.match, spec->scoring.mismatch, spec->scoring.gap_open,
                 spec->scoring.gap, align_ends_name[spec->ends], spec->end_gap.open,
                 spec->end_gap.extend, w->len[q], w->len[t], w->score[i], w->matches[i],
                 w->columns[i], static_cast<int>(want.score),
                 static_cast<int>(want.matches), static_cast<int>(want.columns));
}

inline void assert_runs(const align_spec_t *spec, const words_t *w, const uint32_t *runs,
                        int n_runs)
{
    static nw_values_t cells[(WORDS_MAX + 1) * (WORDS_MAX + 1)];
    const int q = w->pairs[0].query, t = w->pairs[0].target;
    uint32_t want[2 * WORDS_MAX];

    const int64_t n_want = nw_reference_cigar(spec, w->codes[q], w->len[q], w->codes[t],
                                              w->len[t], cells, want);

    for (int k = 0; k < n_runs || k < n_want; k++)
        if (n_runs != n_want || runs[n_runs - 1 - k] != want[k])
            fail_msg("%d/%d/%d/%d ends %s %d/%d, %d and %d bases: run %d of %d and %d",
                     spec->scoring.match, spec->scoring.mismatch, spec->scoring.gap_open,
                     spec->scoring.gap, align_ends_name[spec->ends], spec->end_gap.open,
                     spec->end_gap.extend, w->len[q], w->len[t], k, n_runs,
                     static_cast<int>(n_want));
}

} // namespace
