/*
 * test_affine_sweep.cu - the cells, borders, pads and ends of affine_sweep.cuh and
 * affine_trace.cuh, swept on the CPU as a thread of a GPU does it, against the reference.
 * It needs no GPU.
 */
#include "kernels/align/rscan/affine_trace.cuh"

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

constexpr int LEN_MAX = 90, N_SEQUENCES = 4, N_CASES = 3000;
constexpr int PLACE =
    2 * CUDA_SET_ALIGN + (LEN_MAX / CUDA_SET_ALIGN + 1) * CUDA_SET_ALIGN;

/* Two pairs, laid out as in a cuda_set_t, and what a launch points to. */
struct words_t {
    uint8_t codes[N_SEQUENCES][LEN_MAX];
    alignas(16) unsigned char letters[N_SEQUENCES * PLACE];
    long long start[N_SEQUENCES];
    int len[N_SEQUENCES];
    unsigned char has_ambiguity[N_SEQUENCES];
    pair_t pairs[2];
    unsigned order[2];
    int score[2], matches[2], columns[2];
};

int below(rng_t *rng, int n)
{
    return static_cast<int>(rng_below(rng, static_cast<uint64_t>(n)));
}

int between(rng_t *rng, int low, int high)
{
    return low + below(rng, high - low + 1);
}

/* @param like  the sequence that it descends from; < 0: none */
void draw_sequence(rng_t *rng, words_t *w, int k, int like, int n_codes)
{
    static const uint8_t codes[] = {1, 2, 4, 8, CODE_N, 5};
    const int max_len = between(rng, 1, LEN_MAX);
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

void draw_words(rng_t *rng, words_t *w, const align_scoring_t *s, bool row_codes)
{
    for (int k = 0; k < N_SEQUENCES; k++) {
        const bool codes = row_codes || k % 2 == 1;

        w->has_ambiguity[k] = 0;
        draw_sequence(rng, w, k, k % 2 == 1 && row_codes ? k - 1 : -1, codes ? 6 : 4);
        if (k % 2 == 1 && !row_codes) /* related to the sequence without codes */
            draw_sequence(rng, w, k, k - 1, 4 + 2 * below(rng, 2));
        w->start[k] = (k + 1) * PLACE - CUDA_SET_ALIGN - w->len[k];
        memset(w->letters + k * PLACE, 0, PLACE);
        for (int i = 0; i < w->len[k]; i++) {
            const uint8_t set = s->set_of[w->codes[k][i]];

            w->letters[w->start[k] + i] = set;
            w->has_ambiguity[k] |= set != 1 && set != 2 && set != 4 && set != 8;
        }
    }
    for (int i = 0; i < 2; i++) {
        const int flip = row_codes ? below(rng, 2) : 0;

        w->pairs[i] = pair_t{2 * i + flip, 2 * i + 1 - flip};
        w->order[i] = static_cast<unsigned>(i);
    }
}

align_spec_t draw_spec(rng_t *rng)
{
    align_spec_t spec = {};
    const int extend = -between(rng, 1, 4), open = extend - below(rng, 4) * below(rng, 6);

    spec.emit = EMIT_IDENTITY;
    spec.ends = static_cast<align_ends_t>(below(rng, 4));
    spec.min_overlap = fraction_t{1, 4};
    if (spec.ends == ENDS_PRICED) {
        spec.end_gap.extend = -below(rng, 6);
        spec.end_gap.open = spec.end_gap.extend - below(rng, 10);
    }
    align_scoring_set(&spec.scoring, static_cast<align_ambiguity_t>(below(rng, 3)),
                      between(rng, 0, 5), -between(rng, 0, 12), extend);
    align_scoring_set_gap(&spec.scoring, align_gap_t{open, extend});
    return spec;
}

template <int KIND> affine_launch_t launch_of(const align_spec_t *spec, words_t *w)
{
    affine_launch_t p = {};
    affine_layout_t layout;

    assert_true(affine_layout(KIND, spec, LEN_MAX, &layout));
    affine_launch_set(KIND, layout, &p);
    p.rounds.set.letters = w->letters;
    p.rounds.set.start = w->start;
    p.rounds.set.len = w->len;
    p.rounds.has_ambiguity = w->has_ambiguity;
    p.rounds.pairs = w->pairs;
    p.rounds.order = w->order;
    p.rounds.identity = KIND == RSCAN_SETS64;
    p.rounds.min_overlap = spec->min_overlap;
    p.rounds.score = w->score;
    p.rounds.matches = w->matches;
    p.rounds.columns = w->columns;
    return p;
}

void assert_pair(const align_spec_t *spec, const words_t *w, int i, bool identity)
{
    nw_values_t row[LEN_MAX + 1];
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

/* Align pairs as a thread does, in a warp whose largest pair may be larger. */
template <int KIND, int ROWS> void sweep_case(rng_t *rng)
{
    constexpr int PAIRS = kind_t<KIND>::PAIRS;
    static words_t w;
    static affine_line_t<typename affine_kind_t<KIND>::word> line[4 * LEN_MAX];
    const align_spec_t spec = draw_spec(rng);
    table_t<KIND> table = {};
    affine_thread_t<KIND, ROWS> s;

    draw_words(rng, &w, &spec.scoring, KIND != RSCAN_SCORE2);
    const affine_launch_t p = launch_of<KIND>(&spec, &w);
    affine_pairs_t pairs = {pack_pairs<KIND, false>(p.rounds, 0, 2, 0, ROWS), 0, 0};

    if (!kind_t<KIND>::SETS)
        fill_table<KIND>(p.rounds, table.at, 0, 1);
    affine_pad<PAIRS>(&pairs, pairs.packed.n_rows + below(rng, 2) * ROWS,
                      pairs.packed.n_columns + below(rng, 3) * QUAD);
    affine_sweep<KIND, ROWS>(p, table.at, pairs, s, line, 1);
    affine_store<KIND, ROWS>(p, pairs.packed, s, PAIRS);
    for (int i = 0; i < PAIRS; i++)
        assert_pair(&spec, &w, i, KIND == RSCAN_SETS64);
}

template <int KIND> void sweep_cases()
{
    rng_t rng = rng_seed(1 + KIND);

    for (int i = 0; i < N_CASES; i++) {
        sweep_case<KIND, 8>(&rng);
        sweep_case<KIND, affine_tuning_t<KIND>::ROWS>(&rng);
    }
}

void two_packed_pairs_have_the_reference_scores(void **)
{
    sweep_cases<RSCAN_SCORE2>();
}

void pairs_of_sets_have_the_reference_scores(void **)
{
    sweep_cases<RSCAN_SETS>();
}

void keys_have_the_reference_matches_and_columns(void **)
{
    sweep_cases<RSCAN_SETS64>();
}

/* @return the band that rscan_trace_pair.cuh chooses, in the padded matrix, or a wider
 *         one, as the lanes of a warp have it together */
affine_trace_warp_t draw_band(rng_t *rng, const align_spec_t *spec,
                              const padded_pair_t &pair, const nw_cell_t &numbers)
{
    const int d = static_cast<int>(
        spec->ends == ENDS_COUNT ? pair.m + pair.n - numbers.columns : numbers.matches);
    const int shift = pair.row_pads - pair.column_pads;
    const int wider = below(rng, 2) * below(rng, 20);
    affine_trace_warp_t w = {};

    w.low = pair.m - d + shift + wider;
    w.high = pair.n - d - shift + wider;
    return w;
}

void assert_runs(const align_spec_t *spec, const words_t *w, const uint32_t *runs,
                 int n_runs)
{
    static nw_values_t cells[(LEN_MAX + 1) * (LEN_MAX + 1)];
    const int q = w->pairs[0].query, t = w->pairs[0].target;
    uint32_t want[2 * LEN_MAX];

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

void trace_case(rng_t *rng)
{
    static words_t w;
    static affine_line_t<affine_key_t> line[4 * LEN_MAX];
    static uint2 blocks[4 * LEN_MAX * LEN_MAX];
    nw_values_t row[LEN_MAX + 1];
    uint32_t runs[2 * LEN_MAX];
    const align_spec_t spec = draw_spec(rng);

    draw_words(rng, &w, &spec.scoring, true);
    const int q = w.pairs[0].query, t = w.pairs[0].target;
    const affine_launch_t p = launch_of<RSCAN_SETS64>(&spec, &w);
    const bool mirrored =
        !nw_reference_query_is_rows(w.codes[q], w.len[q], w.codes[t], w.len[t]);
    const nw_cell_t numbers =
        nw_reference_pair(&spec, w.codes[q], w.len[q], w.codes[t], w.len[t], row);
    affine_pairs_t pairs = {{}, 0, mirrored};
    const padded_pair_t &pair = pairs.packed.pairs[0];

    if (numbers.columns == 0)
        return;
    pairs.packed.pairs[0] = padded_pair_of(p.rounds, 0, mirrored);
    affine_pad<1>(&pairs,
                  (pair.m / AFFINE_TRACE_ROWS + 1 + below(rng, 2)) * AFFINE_TRACE_ROWS,
                  (pair.n / QUAD + 1 + below(rng, 3)) * QUAD);
    affine_trace_warp_t band = draw_band(rng, &spec, pair, numbers);

    band.width =
        min(AFFINE_TRACE_ROWS + band.low + band.high + 2 * QUAD, pairs.packed.n_columns);
    band.line = line;
    band.blocks = blocks;
    const affine_trace_end_t end = affine_trace_sweep(p, pairs, band, 1);

    assert_runs(&spec, &w, runs,
                affine_follow(pair, band, 1, end,
                              cuda_path_ops(cuda_cigar_column_ops(&spec), mirrored),
                              runs));
}

void traced_pairs_have_the_reference_cigars(void **)
{
    rng_t rng = rng_seed(9);

    for (int i = 0; i < 2 * N_CASES; i++)
        trace_case(&rng);
}

/* The largest values of the longest pair that a layout takes do not overflow. */
void a_layout_holds_its_longest_pairs(void **)
{
    align_spec_t spec = {};

    align_scoring_set(&spec.scoring, AMBIGUITY_N_MISMATCH, 2, -4, -2);
    align_scoring_set_gap(&spec.scoring, align_gap_t{-20, -2});
    spec.ends = ENDS_COUNT;
    /* h is at most bias + 6 per match, where bias = 1 + 18 + 2 * 18 = 55; beside these a
     * step, and 32 of a terminal gap, which are 0 here */
    assert_int_equal(affine_limit(RSCAN_SCORE2, &spec, 1 << 20), (65535 - 55 - 6) / 6);
    assert_true(affine_limit(RSCAN_SETS64, &spec, 4096) == 4096);
}

} // namespace

int main()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_packed_pairs_have_the_reference_scores),
        cmocka_unit_test(pairs_of_sets_have_the_reference_scores),
        cmocka_unit_test(keys_have_the_reference_matches_and_columns),
        cmocka_unit_test(traced_pairs_have_the_reference_cigars),
        cmocka_unit_test(a_layout_holds_its_longest_pairs),
    };

    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
