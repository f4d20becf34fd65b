/*
 * test_lscan_sweep.cu - the cells and pads of lscan_sweep.cuh, swept on the CPU as a
 * thread of a GPU does it, against the reference.  It needs no GPU.
 */
#include "kernels/align/local/lscan_trace.cuh"

#include <algorithm>

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

constexpr int N_CASES = 1500, LEN_MAX = 90, N_SEQUENCES = 4, SQUARE = 64;
constexpr int PLACE =
    2 * CUDA_SET_ALIGN + (LEN_MAX / CUDA_SET_ALIGN + 1) * CUDA_SET_ALIGN;

/* Two pairs, laid out as in a cuda_set_t, and what a launch points to. */
struct case_t {
    align_spec_t spec;
    uint8_t codes[N_SEQUENCES][LEN_MAX];
    alignas(16) unsigned char letters[N_SEQUENCES * PLACE];
    long long start[N_SEQUENCES];
    int len[N_SEQUENCES], rank[N_SEQUENCES];
    unsigned char has_ambiguity[N_SEQUENCES];
    pair_t pairs[2];
    unsigned order[2];
    lscan_steps_t steps;
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

uint8_t draw_letter(rng_t *rng, alphabet_t alphabet, bool codes)
{
    if (alphabet == ALPHABET_PROTEIN)
        return static_cast<uint8_t>(between(rng, 1, codes ? PROTEIN_SIZE - 1 : 3));
    return static_cast<uint8_t>(codes && below(rng, 4) == 0 ? between(rng, 1, CODE_N)
                                                            : 1 << below(rng, 4));
}

/* @param like  the sequence that it shares a part with; < 0: none */
void draw_sequence(rng_t *rng, case_t *c, int k, int like, bool codes)
{
    const alphabet_t alphabet = c->spec.scoring.alphabet;
    const int len = between(rng, 1, LEN_MAX);
    int from = like < 0 ? 0 : below(rng, c->len[like]);

    for (int i = 0; i < len; i++) {
        if (below(rng, 25) == 0)
            from += between(rng, -4, 4);
        c->codes[k][i] =
            like >= 0 && from >= 0 && from < c->len[like] && below(rng, 8) != 0
                ? c->codes[like][from]
                : draw_letter(rng, alphabet, codes);
        from++;
    }
    c->len[k] = len;
}

void place_sequence(case_t *c, int k)
{
    const align_scoring_t *s = &c->spec.scoring;

    c->start[k] = (k + 1) * PLACE - CUDA_SET_ALIGN - c->len[k];
    c->has_ambiguity[k] = 0;
    memset(c->letters + k * PLACE, 0, PLACE);
    for (int i = 0; i < c->len[k]; i++) {
        const uint8_t byte = s->set_of[c->codes[k][i]];

        c->letters[c->start[k] + i] = byte;
        c->has_ambiguity[k] |= !alphabet_is_base(s->alphabet, byte);
    }
}

/* Rank sequences by which of two are the rows. */
void rank_sequences(case_t *c)
{
    for (int a = 0; a < N_SEQUENCES; a++) {
        c->rank[a] = 0;
        for (int b = 0; b < N_SEQUENCES; b++)
            c->rank[a] += !nw_reference_query_is_rows(c->codes[a], c->len[a], c->codes[b],
                                                      c->len[b]);
    }
}

/* @param plain_rows  whether one sequence of a pair has no ambiguity codes */
void draw_pairs(rng_t *rng, case_t *c, bool plain_rows)
{
    for (int i = 0; i < 2; i++) {
        const int first = below(rng, 2), a = 2 * i + first, b = 2 * i + 1 - first;

        draw_sequence(rng, c, a, -1, !plain_rows && below(rng, 2) == 0);
        draw_sequence(rng, c, b, below(rng, 5) == 0 ? -1 : a, below(rng, 2) == 0);
        place_sequence(c, a);
        place_sequence(c, b);
        c->pairs[i] = pair_t{2 * i, 2 * i + 1};
        c->order[i] = static_cast<unsigned>(i);
    }
    rank_sequences(c);
}

void draw_matrix(rng_t *rng, score_matrix_t *m)
{
    *m = score_matrix_t{};
    m->alphabet = below(rng, 2) == 0 ? ALPHABET_PROTEIN : ALPHABET_DNA;
    for (int a = 1; a < alphabet_size(m->alphabet); a++)
        for (int b = 1; b <= a; b++)
            m->score[a][b] = m->score[b][a] =
                a == b ? between(rng, 1, 11) : between(rng, -8, 3);
}

align_spec_t draw_spec(rng_t *rng, bool dna)
{
    align_spec_t spec = {};
    const int extend = -between(rng, 1, 4), open = extend - below(rng, 4) * below(rng, 6);
    score_matrix_t matrix;

    spec.emit = EMIT_IDENTITY;
    spec.ends = ENDS_LOCAL;
    draw_matrix(rng, &matrix);
    if (below(rng, 3) == 0 && !(dna && matrix.alphabet == ALPHABET_PROTEIN))
        align_scoring_set_matrix(&spec.scoring, &matrix, extend);
    else
        align_scoring_set(&spec.scoring, static_cast<align_ambiguity_t>(below(rng, 5)),
                          between(rng, 0, 5), -between(rng, 0, 12), extend);
    align_scoring_set_gap(&spec.scoring, align_gap_t{open, extend});
    return spec;
}

/* @param len   of the longest sequence that the layout is for
 * @param bits  of a key of TRACED32 */
lscan_launch_t launch_of(case_t *c, int64_t len, int bits)
{
    lscan_launch_t p = {};
    lscan_layout_t layout;

    assert_true(lscan_holds(&c->spec, LEN_MAX, LEN_MAX));
    lscan_layout(&c->spec, len, &layout, &c->steps);
    lscan_layout_traced(&c->spec, len, bits, &layout, &c->steps);
    assert_true(layout.max_score >= LEN_MAX * layout.max_column);
    assert_true(!align_has_identity(&c->spec) || layout.max_len32 >= LEN_MAX);
    lscan_launch_set(&c->spec, layout, &p);
    p.set.letters = c->letters;
    p.set.start = c->start;
    p.set.len = c->len;
    p.set.has_ambiguity = c->has_ambiguity;
    p.pairs = c->pairs;
    p.order = c->order;
    p.scores = c->steps.scores;
    p.keys.steps = c->steps.keys;
    p.keys32.steps = c->steps.keys32;
    p.keys_traced.steps = c->steps.traced;
    p.square = SQUARE;
    p.score = c->score;
    if (align_has_identity(&c->spec)) {
        p.cigars.rank = c->rank;
        p.matches = c->matches;
        p.columns = c->columns;
    }
    return p;
}

void assert_pair(const case_t *c, int i)
{
    static nw_values_t cells[(LEN_MAX + 1) * (LEN_MAX + 1)];
    const align_scoring_t *s = &c->spec.scoring;
    const bool identity = align_has_identity(&c->spec);
    const int q = c->pairs[i].query, t = c->pairs[i].target;
    const int m = c->len[q], n = c->len[t];
    const nw_cell_t want =
        nw_reference_pair(&c->spec, c->codes[q], m, c->codes[t], n, cells);

    if (c->score[i] != want.score ||
        (identity && (c->matches[i] != want.matches || c->columns[i] != want.columns)))
        fail_msg("alphabet %d, %d/%d/%d/%d, %d and %d letters: %d %d %d, not %d %d %d",
                 s->alphabet, s->match, s->mismatch, s->gap_open, s->gap, m, n,
                 c->score[i], c->matches[i], c->columns[i], static_cast<int>(want.score),
                 static_cast<int>(want.matches), static_cast<int>(want.columns));
}

/* Let both pairs have the same query. @param plain  redraw sequences without codes */
void share_query(rng_t *rng, case_t *c, bool plain)
{
    for (int k = 0; plain && k < N_SEQUENCES; k++) {
        draw_sequence(rng, c, k, k == 0 ? -1 : 0, false);
        for (int i = 0; i < c->len[k]; i++)
            if (c->codes[k][i] > 8 || !alphabet_is_base(ALPHABET_DNA, c->codes[k][i]))
                c->codes[k][i] = 1;
        place_sequence(c, k);
    }
    rank_sequences(c);
    c->pairs[1].query = c->pairs[0].query;
}

/* Sizes of a pair with its pads, and entries of lines that are kept for it. */
constexpr int ROWS_MAX = LEN_MAX + 7 * 32, COLUMNS_MAX = LEN_MAX + 31 * LSCAN_QUAD;
template <int KIND, int ROWS>
constexpr long long KEPT_MAX =
    LSCAN_HAS_SQUARES<KIND>
        ? (ROWS_MAX / SQUARE + 2) * lscan_square_len<ROWS>(COLUMNS_MAX, SQUARE)
        : (ROWS_MAX / ROWS + 1) * lscan_kept_len<ROWS>(COLUMNS_MAX);

void assert_cigar(const case_t *c, unsigned at, const uint32_t *runs, int n_runs)
{
    static nw_values_t cells[(LEN_MAX + 1) * (LEN_MAX + 1)];
    uint32_t want[2 * LEN_MAX + 4];
    const int q = c->pairs[at].query, t = c->pairs[at].target;
    const int64_t n_want = nw_reference_cigar(&c->spec, c->codes[q], c->len[q],
                                              c->codes[t], c->len[t], cells, want);

    assert_int_equal(n_runs, n_want);
    for (int k = 0; k < n_runs; k++)
        assert_int_equal(runs[n_runs - 1 - k], want[k]);
}

/* Align the pair of a thread, and trace it. @return false if it is doubtful */
template <int KIND, int ROWS>
bool trace_pair(const case_t *c, const lscan_launch_t &p,
                const lscan_table_t<KIND> &table, const lscan_pairs_t &pairs,
                lscan_thread_t<KIND, ROWS> &s)
{
    using word = lscan_word<KIND>;
    constexpr int TRACE_KIND = LSCAN_IS_RELATIVE<KIND> ? lscan_plan_kind(KIND) : KIND;
    constexpr bool TRACED = LSCAN_IS_TRACED<KIND>;
    static lscan_line_t<word> lines[KEPT_MAX<KIND, ROWS>],
        square[lscan_square_entries<ROWS>(SQUARE)];
    static unsigned back[LSCAN_SEGMENT * ROWS / LSCAN_BACK_ROWS];
    const lscan_kept_t<word, ROWS> kept = {back, LSCAN_HAS_SQUARES<KIND> ? square : lines,
                                           1,    0,
                                           0,    pairs.n_columns,
                                           lines};
    const lscan_pair_t &pair = pairs.pairs[0];
    uint32_t runs[2 * LEN_MAX + 4];
    lscan_path_t path = {};

    lscan_sweep<KIND, ROWS, LSCAN_HAS_SQUARES<KIND> ? LSCAN_SQUARES : LSCAN_STRIPS>(
        p, table, pairs, s, lines, 1);
    if constexpr (!TRACED)
        lscan_store<KIND, ROWS>(p, pairs, s, 1);
    if (TRACED ? s.end.i >= 0 : c->columns[pair.index] > 0)
        path = lscan_trace<TRACE_KIND, ROWS>(
            p, lscan_trace_steps<KIND>(p, table), pairs, s.end,
            TRACED ? 1 : c->columns[pair.index], s.key, kept,
            cuda_path_ops(cuda_cigar_column_ops(&c->spec), false), runs);
    if (TRACED && !lscan_store_traced(p, pair, path, s.key))
        return false;
    if (c->columns[pair.index] > 0)
        assert_cigar(c, pair.index, runs, path.out.n_runs);
    return true;
}

/* Align pairs as a thread does, in a warp whose largest pair may be larger.
 * @tparam TRACES  whether they are traced
 * @param bits     of launch_of
 * @return how many are doubtful */
template <int KIND, int ROWS, bool TRACES> int sweep_case(rng_t *rng, int bits)
{
    static case_t c;
    static lscan_line_t<lscan_word<KIND>> line[4 * LEN_MAX];
    static unsigned profile[PROTEIN_SIZE * ROWS / LSCAN_QUAD * 2];
    alignas(8) static unsigned steps[COMMON_WORDS<ROWS>];
    static lscan_table_t<KIND> table;
    lscan_thread_t<KIND, ROWS> s;
    bool is_known[2] = {true, true};

    c.spec = draw_spec(rng, lscan_plan_kind(KIND) == LSCAN_BASES);
    if (TRACES)
        c.spec.emit = EMIT_CIGAR;
    else if (!LSCAN_IS_KEY<KIND> || (KIND == LSCAN_KEYS && below(rng, 4) == 0))
        c.spec.emit = EMIT_SCORE;
    draw_pairs(rng, &c, KIND == LSCAN_BASES);
    if (KIND == LSCAN_TWIN_PROFILE)
        c.pairs[1].target = c.pairs[0].target;
    else if (lscan_is_common(KIND))
        share_query(rng, &c, KIND == LSCAN_COMMON_BASES);
    const lscan_launch_t p =
        launch_of(&c, lscan_plan_kind(KIND) == LSCAN_KEYS32 ? LSCAN_LEN_MAX : LEN_MAX,
                  bits);

    lscan_fill_table<KIND>(p, &table, 0, 1);
    if constexpr (KIND == LSCAN_PROFILE) {
        s.rows.profile = profile;
        s.rows.stride = 1;
    }
    if constexpr (lscan_is_common(KIND))
        s.rows.steps = steps;
    for (int k = 0; k < 2; k += LSCAN_PAIRS<KIND>) {
        lscan_pairs_t pairs = lscan_take<KIND, ROWS>(p, 0, 2, k);

        pairs.n_rows += below(rng, 6) * ROWS;
        pairs.n_columns += below(rng, 30) * LSCAN_QUAD;
        if constexpr (TRACES) {
            is_known[k] = trace_pair<KIND, ROWS>(&c, p, table, pairs, s);
            continue;
        }
        lscan_sweep<KIND, ROWS, LSCAN_ONE>(p, table, pairs, s, line, 1);
        lscan_store<KIND, ROWS>(p, pairs, s, 2 - k);
    }
    for (int i = 0; i < 2; i++)
        if (is_known[i])
            assert_pair(&c, i);
    return !is_known[0] + !is_known[1];
}

/* @return how many of 4 N_CASES pairs are doubtful */
template <int KIND, bool TRACES = false> int sweep_cases(int bits = 32)
{
    rng_t rng = rng_seed(1 + KIND);
    int n_doubtful = 0;

    for (int i = 0; i < N_CASES; i++) {
        n_doubtful += sweep_case<KIND, 8, TRACES>(&rng, bits);
        n_doubtful += sweep_case<KIND, lscan_tuning_t<KIND>::ROWS, TRACES>(&rng, bits);
    }
    return n_doubtful;
}

void two_pairs_with_plain_rows_have_the_reference_scores(void **)
{
    sweep_cases<LSCAN_BASES>();
}

void two_pairs_of_one_query_have_the_reference_scores(void **)
{
    sweep_cases<LSCAN_COMMON_BASES>();
    sweep_cases<LSCAN_COMMON_PROFILE>();
}

void two_pairs_of_one_target_have_the_reference_scores(void **)
{
    sweep_cases<LSCAN_TWIN_PROFILE>();
}

void two_pairs_of_any_letters_have_the_reference_scores(void **)
{
    sweep_cases<LSCAN_PROFILE>();
}

void keys_have_the_reference_numbers(void **)
{
    sweep_cases<LSCAN_KEYS>();
}

/* The layout is for the longest sequences that it holds, so bases have no room to spare.
 */
void keys_of_32_bits_have_the_reference_numbers(void **)
{
    sweep_cases<LSCAN_KEYS32>();
    sweep_cases<LSCAN_COMMON_KEYS32>();
}

void traced_pairs_have_the_reference_cigars(void **)
{
    sweep_cases<LSCAN_KEYS, true>();
    sweep_cases<LSCAN_KEYS32, true>();
    sweep_cases<LSCAN_COMMON_KEYS32, true>();
}

/* Of keys with few bits for matches and columns many prove nothing. */
void traced_pairs_that_are_proved_have_the_reference_numbers(void **)
{
    assert_int_equal((sweep_cases<LSCAN_TRACED32, true>()), 0);
    assert_int_equal((sweep_cases<LSCAN_COMMON_TRACED32, true>()), 0);
    for (int bits = 18; bits < 24; bits++) {
        const int n = sweep_cases<LSCAN_TRACED32, true>(bits);

        assert_in_range(n, 1, 4 * N_CASES - 1);
    }
}

/* 16 bits hold scores up to 32,767. */
void a_layout_holds_its_highest_score(void **)
{
    align_spec_t spec = {};
    lscan_steps_t steps;
    lscan_layout_t layout;

    spec.ends = ENDS_LOCAL;
    align_scoring_set(&spec.scoring, AMBIGUITY_N_MISMATCH, 5, -4, -1);
    align_scoring_set_gap(&spec.scoring, align_gap_t{-10, -1});
    lscan_layout(&spec, 1000, &layout, &steps);
    assert_int_equal(layout.max_score, 32767);
    align_scoring_set(&spec.scoring, AMBIGUITY_N_MISMATCH, 500, -4, -1);
    lscan_layout(&spec, 1000, &layout, &steps);
    assert_true(layout.max_score < 0);
    assert_true(lscan_holds(&spec, 8192, 8192));
    assert_false(lscan_holds(&spec, 8192, 8193));
}

} // namespace

int main()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_pairs_with_plain_rows_have_the_reference_scores),
        cmocka_unit_test(two_pairs_of_one_query_have_the_reference_scores),
        cmocka_unit_test(two_pairs_of_one_target_have_the_reference_scores),
        cmocka_unit_test(two_pairs_of_any_letters_have_the_reference_scores),
        cmocka_unit_test(keys_have_the_reference_numbers),
        cmocka_unit_test(keys_of_32_bits_have_the_reference_numbers),
        cmocka_unit_test(traced_pairs_have_the_reference_cigars),
        cmocka_unit_test(traced_pairs_that_are_proved_have_the_reference_numbers),
        cmocka_unit_test(a_layout_holds_its_highest_score),
    };

    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
