/*
 * test_affine_sweep.cu - the cells, borders, pads and ends of affine_sweep.cuh and
 * affine_trace.cuh, swept on the CPU as a thread of a GPU does it, against the reference.
 * It needs no GPU.
 */
#include "kernels/align/affine/affine_lane.cuh"
#include "kernels/align/affine/affine_result.cuh"
#include "kernels/align/affine/affine_trace.cuh"
#include "tests/kernels/align/affine/affine_case.cuh"

namespace
{

constexpr int N_CASES = 3000, N_ENDS = ENDS_PRICED + 1;

/* Kinds of pairs with results, not scores alone. */
template <int KIND>
constexpr bool HAS_IDENTITY =
    AFFINE_HAS_TIES<KIND> || KIND == RSCAN_SETS64 || KIND == AFFINE_TABLE_KEY;

/* Bases of the longest sequences.  KEY_TIES has no layout for short ones, as a thread's
 * rows may match in all of their bases; half of 250 has 7 bits, which the matches of
 * similar sequences exceed. */
template <int KIND> constexpr int LONGEST = KIND == RSCAN_KEY_TIES ? 250 : SHORT_MAX;

/* @return whether a kind has a layout.  KEY_TIES has none where gaps add a lot. */
template <int KIND> bool has_layout(const align_spec_t *spec)
{
    affine_layout_t layout;

    return KIND != RSCAN_KEY_TIES || affine_layout(KIND, spec, LONGEST<KIND>, &layout);
}

/* @return a random spec that a kind takes */
template <int KIND> align_spec_t spec_for(rng_t *rng)
{
    constexpr bool SETS = KIND == RSCAN_SETS || KIND == RSCAN_SETS64;
    align_spec_t spec;

    do {
        spec = draw_spec(rng, SETS ? 3 : 5);
        if (!SETS && below(rng, 3) == 0)
            draw_matrix(rng, ALPHABET_DNA, &spec.scoring);
    } while (!has_layout<KIND>(&spec));
    return spec;
}

template <int KIND> affine_launch_t launch_of(const align_spec_t *spec, words_t *w)
{
    affine_layout_t layout;

    assert_true(affine_layout(KIND, spec,
                              KIND == AFFINE_TABLE_KEY ? WORDS_MAX : LONGEST<KIND>,
                              &layout));
    return case_launch(KIND, layout, spec, w, HAS_IDENTITY<KIND>);
}

/* Align pairs as a thread does, in a warp whose largest pair may be larger, and whose
 * band wider. */
template <int KIND, int ROWS> void align(rng_t *rng, const affine_launch_t &p)
{
    constexpr int PAIRS = kind_t<KIND>::PAIRS;
    constexpr int TABLE = KIND == AFFINE_COMMON2 ? static_cast<int>(RSCAN_SCORE2) : KIND;
    static affine_line_t<typename affine_kind_t<KIND>::word> line[4 * SHORT_MAX];
    affine_table_t<TABLE> table = {};
    alignas(8) static unsigned steps[COMMON_WORDS<ROWS>];
    affine_thread_t<KIND, ROWS> s;
    affine_pairs_t pairs = {pack_pairs<KIND, false>(p.rounds, 0, PAIRS, 0, ROWS,
                                                    rows_choice(p.rounds)),
                            0, 0};

    if constexpr (KIND == AFFINE_COMMON2)
        s.rows.steps = steps;
    affine_fill_table<TABLE>(p, table.at, 0, 1);
    affine_pad<PAIRS>(&pairs, pairs.packed.n_rows + below(rng, 2) * ROWS,
                      pairs.packed.n_columns + below(rng, 3) * QUAD);
    affine_set_band<PAIRS, ROWS>(p.rounds, &pairs.packed);
    pairs.packed.low += below(rng, 2) * below(rng, 9);
    pairs.packed.high += below(rng, 2) * below(rng, 9);
    const bool narrows = affine_narrows(p), free = affine_extends_free(p.layout);

    if (narrows && free)
        affine_sweep<KIND, ROWS, true, true>(p, table.at, pairs, s, line, 1);
    else if (narrows)
        affine_sweep<KIND, ROWS, true>(p, table.at, pairs, s, line, 1);
    else if (free)
        affine_sweep<KIND, ROWS, false, true>(p, table.at, pairs, s, line, 1);
    else
        affine_sweep<KIND, ROWS, false>(p, table.at, pairs, s, line, 1);
    affine_store<KIND, ROWS>(p, pairs.packed, s, PAIRS);
}

template <int KIND, int ROWS> void sweep_case(rng_t *rng)
{
    static words_t w;
    const align_spec_t spec = spec_for<KIND>(rng);

    draw_words(rng, &w, &spec.scoring, KIND != RSCAN_SCORE2, SHORT_MAX);
    align<KIND, ROWS>(rng, launch_of<KIND>(&spec, &w));
    for (int i = 0; i < kind_t<KIND>::PAIRS; i++)
        assert_pair(&spec, &w, i, HAS_IDENTITY<KIND>);
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

/* Two pairs of one query, whose sequences have no codes. */
template <int ROWS> void common_case(rng_t *rng)
{
    static words_t w;
    const align_spec_t spec = spec_for<RSCAN_SCORE2>(rng);

    do
        draw_words(rng, &w, &spec.scoring, false, SHORT_MAX);
    while (w.has_ambiguity[0] || w.has_ambiguity[1] || w.has_ambiguity[3]);
    w.pairs[1].query = w.pairs[0].query;
    affine_launch_t p = launch_of<RSCAN_SCORE2>(&spec, &w);

    p.rounds.variant.by_rows = true;
    align<AFFINE_COMMON2, ROWS>(rng, p);
    for (int i = 0; i < 2; i++)
        assert_pair(&spec, &w, i, false);
}

void two_pairs_of_one_query_have_the_reference_scores(void **)
{
    rng_t rng = rng_seed(11);

    for (int i = 0; i < N_CASES; i++) {
        common_case<8>(&rng);
        common_case<affine_tuning_t<RSCAN_SCORE2>::ROWS>(&rng);
    }
}

void pairs_of_sets_have_the_reference_scores(void **)
{
    sweep_cases<RSCAN_SETS>();
}

void pairs_in_a_table_have_the_reference_scores(void **)
{
    sweep_cases<AFFINE_TABLE32>();
}

/* Keys of 32 bits: their tie break has room for few bases against gaps, so that some
 * pairs are doubtful. */
template <int KIND, int ROWS> void key_case(rng_t *rng, int n_sure[], int n_doubtful[])
{
    static words_t w;
    const align_spec_t spec = spec_for<KIND>(rng);
    affine_layout_t layout;
    unsigned doubtful[1];
    int n = 0;

    draw_words(rng, &w, &spec.scoring, below(rng, 2) == 0, LONGEST<KIND>);
    affine_launch_t p = launch_of<KIND>(&spec, &w);

    layout = p.layout;
    layout.tie_first = between(rng, 1, layout.tie_first);
    if (below(rng, 2) == 0)
        layout.tie_first = between(rng, 1, 6);
    affine_launch_set(KIND, layout, &p);
    p.rounds.doubtful = {doubtful, &n};
    align<KIND, ROWS>(rng, p);
    n_sure[spec.ends] += n == 0;
    n_doubtful[spec.ends] += n;
    if (n == 0)
        assert_pair(&spec, &w, 0, true);
}

template <int KIND> void key_cases()
{
    int n_sure[N_ENDS] = {}, n_doubtful[N_ENDS] = {};
    rng_t rng = rng_seed(5);

    for (int i = 0; i < N_CASES; i++) {
        key_case<KIND, 8>(&rng, n_sure, n_doubtful);
        key_case<KIND, affine_tuning_t<KIND>::ROWS>(&rng, n_sure, n_doubtful);
    }
    for (int ends = 0; ends < N_ENDS; ends++) {
        assert_true(n_sure[ends] > N_CASES / N_ENDS / 2);
        assert_true(n_doubtful[ends] > N_CASES / N_ENDS / 20);
    }
}

void keys_of_32_bits_are_right_or_doubtful(void **)
{
    key_cases<RSCAN_KEY>();
}

void keys_with_more_bits_for_ties_are_right_or_doubtful(void **)
{
    int n_sure[N_ENDS] = {}, n_doubtful[N_ENDS] = {}, sure = 0, doubtful = 0;
    rng_t rng = rng_seed(6);

    for (int i = 0; i < N_CASES / 4; i++) {
        key_case<RSCAN_KEY_TIES, 8>(&rng, n_sure, n_doubtful);
        key_case<RSCAN_KEY_TIES, affine_tuning_t<RSCAN_KEY_TIES>::ROWS>(&rng, n_sure,
                                                                        n_doubtful);
    }
    for (int ends = 0; ends < N_ENDS; ends++) {
        sure += n_sure[ends];
        doubtful += n_doubtful[ends];
    }
    assert_true(sure > N_CASES / 8);
    assert_true(doubtful > N_CASES / 8);
}

void keys_have_the_reference_matches_and_columns(void **)
{
    sweep_cases<RSCAN_SETS64>();
}

void keys_in_a_table_have_the_reference_matches_and_columns(void **)
{
    sweep_cases<AFFINE_TABLE_KEY>();
}

/* Align a pair as the lanes of a warp do, one lane after the other. */
void align_by_lanes(const affine_launch_t &p)
{
    constexpr int KIND = AFFINE_TABLE_KEY;
    static affine_line_t<affine_key_t> line[WORDS_MAX];
    const affine_pairs_t pairs =
        affine_lane_pair(padded_pair_of(p.rounds, 0, swaps(p.rounds, 0)), false);
    const padded_pair_t &pair = pairs.packed.pairs[0];
    affine_key_t best = affine_two_gaps<KIND>(p, pair);
    affine_table_t<KIND> table;
    affine_untraced_t<> trace;

    affine_fill_table<KIND>(p, table.at, 0, 1);
    for (int j = 0; j < pair.n; j++)
        line[j] = {affine_border<KIND, AFFINE_COLUMNS>(p, pairs, j + 1), 0};
    for (int lane = 0; lane * AFFINE_LANE_ROWS < pairs.packed.n_rows; lane++) {
        affine_lane_t<KIND> s;

        affine_lane_start<KIND>(p, pairs, table.at, lane / WARP, lane % WARP, &s);
        for (int j = 0; j < pair.n; j++)
            affine_lane_column<KIND>(p, pairs, s, j, pair.column_end[j - pair.n], line[j],
                                     trace);
        affine_lane_finish<KIND>(p, pairs, s, trace);
        best = affine_max<KIND>(best, s.best);
    }
    affine_store_pair(p, pair, static_cast<long long>(best));
}

void lanes_of_a_warp_have_the_reference_matches_and_columns(void **)
{
    static words_t w;
    rng_t rng = rng_seed(11);

    for (int i = 0; i < N_CASES; i++) {
        const align_spec_t spec = spec_for<AFFINE_TABLE_KEY>(&rng);

        draw_words(&rng, &w, &spec.scoring, true,
                   below(&rng, 20) == 0 ? WORDS_MAX : SHORT_MAX);
        align_by_lanes(launch_of<AFFINE_TABLE_KEY>(&spec, &w));
        assert_pair(&spec, &w, 0, true);
    }
}

/* Any band finds scores that are not too good, and knows whether they may be better
 * outside; they are right in the bands that these scores prove. */
template <int KIND, int ROWS> void first_band_case(rng_t *rng, int *n_proved, int *n_next)
{
    constexpr int PAIRS = kind_t<KIND>::PAIRS;
    static words_t w;
    const align_spec_t spec = spec_for<KIND>(rng);
    bands_t bands = {};

    draw_words(rng, &w, &spec.scoring, KIND != RSCAN_SCORE2, SHORT_MAX);
    affine_launch_t p = launch_of<KIND>(&spec, &w);

    if (!score_band_applies(&spec, &p.score_band))
        return;
    set_bands(&p, &bands);
    p.rounds.variant.bands = RSCAN_BANDS_FIRST;
    for (int i = 0; i < PAIRS; i++)
        bands.w[i] = static_cast<short>(below(rng, 8) * below(rng, 8));
    align<KIND, ROWS>(rng, p);
    for (int i = 0; i < PAIRS; i++) {
        const bool again = is_listed(bands, i);

        if (!again)
            assert_pair(&spec, &w, i, false);
        assert_true(w.score[i] <= score_of(&spec, w, i));
        *n_proved += !again;
        *n_next += again && bands.w[i] >= 0;
    }
    p.rounds.variant.bands = RSCAN_BANDS_KNOWN;
    align<KIND, ROWS>(rng, p);
    for (int i = 0; i < PAIRS; i++)
        assert_pair(&spec, &w, i, false);
}

template <int KIND> void first_band_cases()
{
    int n_proved = 0, n_next = 0;
    rng_t rng = rng_seed(20 + KIND);

    for (int i = 0; i < N_CASES; i++) {
        first_band_case<KIND, 8>(&rng, &n_proved, &n_next);
        first_band_case<KIND, affine_tuning_t<KIND>::ROWS>(&rng, &n_proved, &n_next);
    }
    assert_true(n_proved > N_CASES / 8);
    assert_true(n_next > N_CASES / 8);
}

void scores_of_two_packed_pairs_prove_bands(void **)
{
    first_band_cases<RSCAN_SCORE2>();
}

void scores_of_sets_prove_bands(void **)
{
    first_band_cases<RSCAN_SETS>();
}

void scores_in_a_table_prove_bands(void **)
{
    first_band_cases<AFFINE_TABLE32>();
}

/* The band that a lower bound of the score proves has the canonical alignment. */
template <int KIND, int ROWS> void proved_band_case(rng_t *rng, int *n_banded)
{
    static words_t w;
    const align_spec_t spec = spec_for<KIND>(rng);
    bands_t bands = {};

    draw_words(rng, &w, &spec.scoring, !AFFINE_HAS_TIES<KIND> || below(rng, 2) == 0,
               LONGEST<KIND>);
    affine_launch_t p = launch_of<KIND>(&spec, &w);

    if (!score_band_applies(&spec, &p.score_band))
        return;
    set_bands(&p, &bands);
    w.score[0] = score_of(&spec, w, 0) - below(rng, 2) * below(rng, 30);
    bands.w[0] =
        static_cast<short>(score_band_proved(&p.score_band, w.len[w.pairs[0].query],
                                             w.len[w.pairs[0].target], w.score[0]));
    align<KIND, ROWS>(rng, p);
    if (bands.n_doubtful == 0)
        assert_pair(&spec, &w, 0, true);
    *n_banded += bands.n_doubtful == 0 && bands.w[0] >= 0;
}

template <int KIND> void proved_band_cases()
{
    int n_banded = 0;
    rng_t rng = rng_seed(30 + KIND);

    for (int i = 0; i < N_CASES; i++) {
        proved_band_case<KIND, 8>(&rng, &n_banded);
        proved_band_case<KIND, affine_tuning_t<KIND>::ROWS>(&rng, &n_banded);
    }
    assert_true(n_banded > N_CASES / 4);
}

void keys_are_right_in_proved_bands(void **)
{
    proved_band_cases<RSCAN_SETS64>();
    proved_band_cases<AFFINE_TABLE_KEY>();
    proved_band_cases<RSCAN_KEY>();
    proved_band_cases<RSCAN_KEY_TIES>();
}

/* @return a launch that traces; with ties it may have room for a few bases against gaps
 */
template <int KIND>
affine_launch_t trace_launch(rng_t *rng, const align_spec_t *spec, words_t *w)
{
    affine_layout_t layout;

    if (!AFFINE_HAS_TIES<KIND>)
        return launch_of<KIND>(spec, w);
    assert_true(affine_layout(KIND, spec, WORDS_MAX, &layout));
    layout.tie_first = between(rng, 1, below(rng, 2) == 0 ? 6 : layout.tie_first);
    return case_launch(KIND, layout, spec, w, true);
}

/* @return w of the band that the score of the first pair proves; all of it if none */
int proved_width(const align_spec_t *spec, const words_t &w, int64_t score)
{
    const int m = w.len[w.pairs[0].query], n = w.len[w.pairs[0].target];
    score_band_t score_band;
    const int proved = score_band_applies(spec, &score_band)
                           ? score_band_proved(&score_band, m, n, score)
                           : BAND_WIDTH_NONE;

    return proved < 0 ? m + n : proved;
}

/* @return the band of all paths with a pair's numbers (rscan_trace_launch.cuh), in the
 *         padded matrix, or a wider one, as the lanes of a warp have it together; less
 *         what the score proves to be needless */
template <int KIND>
affine_trace_warp_t<KIND> draw_band(rng_t *rng, const align_spec_t *spec,
                                    const words_t &words, const padded_pair_t &pair,
                                    const nw_cell_t &numbers)
{
    const int d = static_cast<int>(
        spec->ends == ENDS_COUNT ? pair.m + pair.n - numbers.columns : numbers.matches);
    const int shift = pair.row_pads - pair.column_pads;
    const int wider = below(rng, 2) * below(rng, 20);
    const int w = proved_width(spec, words, numbers.score);
    affine_trace_warp_t<KIND> band = {};

    band.low = min(pair.m - d, w + max(pair.m - pair.n, 0)) + shift + wider;
    band.high = min(pair.n - d, w + max(pair.n - pair.m, 0)) - shift + wider;
    return band;
}

/* @param n_sure  of all kinds of ends those that are traced for certain are counted */
template <int KIND> void trace_case(rng_t *rng, int n_sure[], int n_doubtful[])
{
    constexpr int ROWS = AFFINE_TRACE_ROWS;
    static words_t w;
    static affine_trace_line_t<KIND> line[2 * WORDS_MAX];
    static affine_trace_back_t blocks[(WORDS_MAX / ROWS + 2) * 2 * WORDS_MAX];
    nw_values_t row[WORDS_MAX + 1];
    uint32_t runs[2 * WORDS_MAX];
    const align_spec_t spec = spec_for<KIND>(rng);

    draw_words(rng, &w, &spec.scoring, true, below(rng, 20) == 0 ? WORDS_MAX : SHORT_MAX);
    const int q = w.pairs[0].query, t = w.pairs[0].target;
    const affine_launch_t p = trace_launch<KIND>(rng, &spec, &w);
    const bool mirrored =
        !nw_reference_query_is_rows(w.codes[q], w.len[q], w.codes[t], w.len[t]);
    const nw_cell_t numbers =
        nw_reference_pair(&spec, w.codes[q], w.len[q], w.codes[t], w.len[t], row);
    affine_pairs_t pairs = {{}, 0, mirrored};
    const padded_pair_t &pair = pairs.packed.pairs[0];

    if (numbers.columns == 0)
        return;
    pairs.packed.pairs[0] = padded_pair_of(p.rounds, 0, mirrored);
    affine_pad<1>(&pairs, (pair.m / ROWS + 1 + below(rng, 2)) * ROWS,
                  (pair.n / QUAD + 1 + below(rng, 3)) * QUAD);
    affine_trace_warp_t<KIND> band = draw_band<KIND>(rng, &spec, w, pair, numbers);
    affine_table_t<KIND> table;
    affine_trace_end_t end;

    affine_fill_table<KIND>(p, table.at, 0, 1);
    pairs.packed.low = band.low;
    pairs.packed.high = band.high;
    band.width = min(ROWS + band.low + band.high + 2 * QUAD, pairs.packed.n_columns);
    band.line = line;
    band.blocks = blocks;
    if (!affine_trace_sweep<KIND>(p, table.at, pairs, band, 1, &end)) {
        n_doubtful[spec.ends]++;
        return;
    }
    n_sure[spec.ends]++;
    const affine_back_bits_t<KIND> bits = {&pair, &band, 1};

    assert_runs(&spec, &w, runs,
                affine_follow(pair, bits, affine_match_t{&p.layout.columns}, end,
                              cuda_path_ops(cuda_cigar_column_ops(&spec), mirrored),
                              runs));
}

void traced_pairs_have_the_reference_cigars(void **)
{
    int n_sure[N_ENDS] = {}, n_doubtful[N_ENDS] = {};
    rng_t rng = rng_seed(9);

    for (int i = 0; i < 2 * N_CASES; i++)
        trace_case<AFFINE_TABLE_KEY>(&rng, n_sure, n_doubtful);
    for (const int n : n_doubtful)
        assert_int_equal(n, 0);
}

void pairs_traced_in_32_bits_have_the_reference_cigars_or_are_doubtful(void **)
{
    int n_sure[N_ENDS] = {}, n_doubtful[N_ENDS] = {};
    rng_t rng = rng_seed(10);

    for (int i = 0; i < 2 * N_CASES; i++)
        trace_case<RSCAN_KEY>(&rng, n_sure, n_doubtful);
    for (int ends = 0; ends < N_ENDS; ends++) {
        assert_true(n_sure[ends] > 2 * N_CASES / N_ENDS / 2);
        assert_true(n_doubtful[ends] > 2 * N_CASES / N_ENDS / 20);
    }
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
    /* h has 14 bits, 2,047 matches have 11, and 7 are left for the tie break */
    spec.emit = EMIT_IDENTITY;
    affine_layout_t layout;
    assert_true(affine_layout(RSCAN_KEY, &spec, 2047, &layout));
    assert_int_equal(layout.tie_first, 127 - affine_tuning_t<RSCAN_KEY>::ROWS);
    spec.ends = ENDS_FREE;
    assert_true(affine_layout(RSCAN_KEY, &spec, 2047, &layout));
    assert_int_equal(layout.tie_first, 127 - affine_tuning_t<RSCAN_KEY>::ROWS);
}

} // namespace

int main()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_packed_pairs_have_the_reference_scores),
        cmocka_unit_test(two_pairs_of_one_query_have_the_reference_scores),
        cmocka_unit_test(pairs_of_sets_have_the_reference_scores),
        cmocka_unit_test(pairs_in_a_table_have_the_reference_scores),
        cmocka_unit_test(keys_of_32_bits_are_right_or_doubtful),
        cmocka_unit_test(keys_with_more_bits_for_ties_are_right_or_doubtful),
        cmocka_unit_test(keys_have_the_reference_matches_and_columns),
        cmocka_unit_test(keys_in_a_table_have_the_reference_matches_and_columns),
        cmocka_unit_test(lanes_of_a_warp_have_the_reference_matches_and_columns),
        cmocka_unit_test(scores_of_two_packed_pairs_prove_bands),
        cmocka_unit_test(scores_of_sets_prove_bands),
        cmocka_unit_test(scores_in_a_table_prove_bands),
        cmocka_unit_test(keys_are_right_in_proved_bands),
        cmocka_unit_test(traced_pairs_have_the_reference_cigars),
        cmocka_unit_test(
            pairs_traced_in_32_bits_have_the_reference_cigars_or_are_doubtful),
        cmocka_unit_test(a_layout_holds_its_longest_pairs),
    };

    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
