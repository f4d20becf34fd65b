/*
 * test_wavefront_cell.cu - the cells of wavefront_cell.cuh and wavefront_packed.cuh, one
 * lane after the other on the CPU, against the reference; and the jobs that a batch is
 * divided into.  It needs no GPU.
 */
#include "kernels/align/wavefront/wavefront_cell.cuh"
#include "kernels/align/wavefront/wavefront_packed.cuh"
#include "kernels/align/wavefront/wavefront_plan.cuh"

#include <algorithm>
#include <vector>

extern "C" {
#include "io/base/rng.h"
#include "kernels/align/common/nw_reference.h"
#include "tests/support/random_set.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
}

namespace
{

constexpr int N_CASES = 300, M_MAX = WAVEFRONT_STRIP, N_MAX = 300;
constexpr int PACKED_CASES = 100, PACKED_MAX = 3 * WAVEFRONT_STRIP;

struct case_t {
    align_spec_t spec;
    uint8_t a[PACKED_MAX], b[PACKED_MAX];
    int m, n;
};

int below(rng_t *rng, int n)
{
    return static_cast<int>(rng_below(rng, static_cast<uint64_t>(n)));
}

/* Two sequences of which the second has a piece of the first. */
void draw(rng_t *rng, bool has_codes, int m_max, int n_max, case_t *c)
{
    const auto letter = [&] {
        return static_cast<uint8_t>(has_codes && below(rng, 9) == 0
                                        ? 1 + below(rng, CODE_N)
                                        : 1 << below(rng, 4));
    };

    c->spec = align_spec_t{};
    c->spec.ends = ENDS_LOCAL;
    align_scoring_set(&c->spec.scoring, AMBIGUITY_N_MISMATCH, 1 + below(rng, 5),
                      -below(rng, 6), -1 - below(rng, 3));
    if (below(rng, 3) > 0)
        align_scoring_set_gap(&c->spec.scoring,
                              {c->spec.scoring.gap - below(rng, 9), c->spec.scoring.gap});
    c->m = 1 + below(rng, m_max);
    c->n = 1 + below(rng, n_max);
    for (int i = 0; i < c->m; i++)
        c->a[i] = letter();
    for (int j = 0; j < c->n; j++)
        c->b[j] = below(rng, 8) == 0 ? letter() : c->a[(j + j / 40) % c->m];
}

int64_t score_of(const align_scoring_t *s, unsigned a, unsigned b)
{
    return (a & b) != 0 ? s->match : s->mismatch;
}

/* Sweep a strip as a warp does. @return the greatest H */
template <int SCORED, typename V> V sweep(const case_t &c, nw_key_t key)
{
    static V table[WAVEFRONT_TABLE];
    const align_scoring_t *s = &c.spec.scoring;
    const auto step = [&](int64_t score, bool matches) {
        return static_cast<V>(nw_key_step(key, score, matches));
    };
    const wavefront_steps_t<V> steps = {step(s->match, true), step(s->mismatch, false),
                                        step(s->gap_open, false), step(s->gap, false),
                                        table};
    wavefront_lane_t<V> lanes[WAVEFRONT_LANES] = {};
    V best = 0;

    for (unsigned x = 0; x < DNA_SIZE; x++)
        for (unsigned y = 0; y < DNA_SIZE; y++)
            table[y * ALPHABET_SIZE + x] = step(score_of(s, x, y), (x & y) != 0);
    for (int l = 0; l < WAVEFRONT_LANES; l++)
        for (int r = 0; r < WAVEFRONT_ROWS; r++) {
            const int row = l * WAVEFRONT_ROWS + r;

            lanes[l].rows[r] =
                wavefront_row<SCORED>(row < c.m ? s->set_of[c.a[row]] : 0u);
        }
    for (int t = 0; t < c.n + WAVEFRONT_LANES; t++)
        for (int l = WAVEFRONT_LANES - 1; l >= 0; l--) {
            const int j = t - l;
            const unsigned letter = j >= 0 && j < c.n ? s->set_of[c.b[j]] : 0u;
            V greatest;

            wavefront_column<SCORED, false>(steps, letter,
                                            l > 0 ? lanes[l - 1].h[WAVEFRONT_ROWS - 1]
                                                  : V{0},
                                            l > 0 ? lanes[l - 1].f : V{0}, &lanes[l],
                                            &greatest);
            best = wavefront_max<V>(best, greatest);
        }
    return best;
}

nw_cell_t reference(const case_t &c)
{
    static nw_values_t row[PACKED_MAX + 1];

    return nw_reference_pair(&c.spec, c.a, c.m, c.b, c.n, row);
}

template <int SCORED> void check_scores(bool has_codes)
{
    rng_t rng = rng_seed(SCORED + 1);

    for (int k = 0; k < N_CASES; k++) {
        case_t c;

        draw(&rng, has_codes, M_MAX, N_MAX, &c);
        assert_int_equal((sweep<SCORED, int>(c, {0, 0})), reference(c).score);
    }
}

void scores_by_sets_are_the_references(void **)
{
    check_scores<WAVEFRONT_SETS>(true);
}

/* H and f of the line below a strip, packed, and their base, by columns. */
struct packed_line_t {
    std::vector<unsigned> pairs;
    std::vector<int> bases;
};

/* @return the scores of the four bases with a letter */
unsigned word_of(const align_scoring_t *s, unsigned letter)
{
    unsigned word = 0;

    for (unsigned base = 0; base < 4; base++)
        word |= (static_cast<unsigned>(score_of(s, letter, 1u << base)) & 0xff)
                << 8 * base;
    return word;
}

void start_lanes(const case_t &c, int strip, wavefront_packed_t *lanes)
{
    constexpr int ROWS = WAVEFRONT_PACKED_ROWS;

    for (int l = 0; l < WAVEFRONT_LANES; l++) {
        lanes[l] = {};
        for (int r = 0; r < ROWS; r++) {
            const int row = strip * WAVEFRONT_STRIP + 2 * l * ROWS + r;
            const auto letter = [&](int at) {
                return at < c.m ? c.spec.scoring.set_of[c.a[at]] : 0u;
            };

            lanes[l].rows[r] = wavefront_packed_rows(letter(row), letter(row + ROWS));
        }
    }
}

/* Sweep a strip, packed. @param line  above it; out: below it. @return the greatest H */
int sweep_packed(const case_t &c, int strip, packed_line_t *line)
{
    constexpr int LANES = WAVEFRONT_LANES;
    const align_scoring_t *s = &c.spec.scoring;
    const wavefront_packed_steps_t steps = wavefront_packed_steps(s->gap_open, s->gap);
    const packed_line_t above = *line;
    wavefront_packed_t lanes[LANES];
    int best = 0;

    start_lanes(c, strip, lanes);
    for (int t = 0; t < c.n + WAVEFRONT_PACKED_LAG; t++) {
        if (t % WAVEFRONT_CHUNK == 0)
            for (int l = 0; l < LANES; l++) {
                best = std::max(best, wavefront_packed_best(lanes[l]));
                wavefront_packed_rebase(steps, &lanes[l]);
                wavefront_packed_meet(lanes[l > 0 ? l - 1 : 0].base[l > 0], &lanes[l]);
            }
        const size_t below = static_cast<size_t>(t - WAVEFRONT_PACKED_LAG);

        if (t >= WAVEFRONT_PACKED_LAG) {
            line->pairs[below] = lanes[LANES - 1].below;
            line->bases[below] = lanes[LANES - 1].base[1];
            assert_int_equal(line->pairs[below] & 0x80008000u, 0); /* tags */
        }
        for (int l = LANES - 1; l >= 0; l--) {
            const auto word = [&](int j) {
                return word_of(s, j >= 0 && j < c.n ? s->set_of[c.b[j]] : 0u);
            };
            const size_t at = static_cast<size_t>(t);
            const unsigned pair = l > 0     ? lanes[l - 1].below
                                  : t < c.n ? above.pairs[at]
                                            : 0;
            const int from = t < c.n ? above.bases[at] : 0;

            wavefront_packed_step(steps, word(t - WAVEFRONT_PACKED_SKEW * l),
                                  word(t - WAVEFRONT_PACKED_SKEW * l - 1),
                                  l > 0 ? pair
                                        : wavefront_packed_move(pair, from,
                                                                lanes[0].base[0]),
                                  &lanes[l]);
        }
    }
    for (const wavefront_packed_t &lane : lanes)
        best = std::max(best, wavefront_packed_best(lane));
    return best;
}

/* Three strips, long enough for bases above 0. */
void packed_scores_are_the_references(void **)
{
    rng_t rng = rng_seed(2);
    int max_base = 0;

    for (int k = 0; k < PACKED_CASES; k++) {
        case_t c;
        packed_line_t line;
        int best = 0;

        draw(&rng, false, PACKED_MAX, PACKED_MAX, &c);
        line.pairs.resize(static_cast<size_t>(c.n));
        line.bases.resize(static_cast<size_t>(c.n));
        for (int strip = 0; strip * WAVEFRONT_STRIP < c.m; strip++) {
            best = std::max(best, sweep_packed(c, strip, &line));
            max_base = std::max(max_base,
                                *std::max_element(line.bases.begin(), line.bases.end()));
        }
        assert_int_equal(best, reference(c).score);
    }
    assert_true(max_base > 1000);
}

template <typename V> void check_keys(uint64_t seed)
{
    rng_t rng = rng_seed(seed);

    for (int k = 0; k < N_CASES; k++) {
        int64_t score = 0, matches = 0, columns = 0;
        case_t c;

        draw(&rng, true, M_MAX, N_MAX, &c);
        c.spec.emit = EMIT_IDENTITY;
        const nw_key_t key = nw_key_layout(&c.spec, c.m, c.n);
        const nw_cell_t want = reference(c);

        nw_key_split(key, static_cast<int64_t>(sweep<WAVEFRONT_TABLE_STEPS, V>(c, key)),
                     &score, &matches, &columns);
        if (want.score > 0) {
            assert_int_equal(score, want.score);
            assert_int_equal(matches, want.matches);
            assert_int_equal(columns, want.columns);
        } else {
            assert_true(score <= 0);
        }
    }
}

void keys_have_the_references_numbers(void **)
{
    check_keys<long long>(5);
    check_keys<double>(6);
}

/* A gene of 300 bases in 100,000, with 5/-4 and gaps of 10 and 1. */
void jobs_count_each_column_once_and_begin_a_span_before(void **)
{
    const pair_t pair = {0, 1};
    const pair_batch_t batch = {&pair, 1};
    align_spec_t spec = {};
    seqset_t *set = nullptr;
    wavefront_plan_t plan;

    spec.ends = ENDS_LOCAL;
    align_scoring_set(&spec.scoring, AMBIGUITY_N_MISMATCH, 5, -4, -1);
    align_scoring_set_gap(&spec.scoring, {-10, -1});
    assert_int_equal(random_set_spell("A300 C100000", &set), ST_OK);
    wavefront_plan({&spec, set, 1000, 1 << 30, true}, &batch, &plan);
    const int span = 300 + (5 * 300 - 1) / 1;
    int next = 0;

    assert_int_equal(plan.jobs.size(), 100000 / (3 * span));
    assert_int_equal(plan.tasks.size(), 2 * plan.jobs.size());
    for (const wavefront_job_t &job : plan.jobs) {
        assert_int_equal(job.first, next);
        assert_int_equal(job.begin, next == 0 ? 0 : next - span);
        next = job.end;
    }
    assert_int_equal(next, 100000);
    seqset_destroy(set);
}

/* @return the group of a batch of `text`'s two sequences */
wavefront_group_t group_of(const char *text, align_emit_t emit, bool packs,
                           long long bytes)
{
    const pair_t pair = {0, 1};
    const pair_batch_t batch = {&pair, 1};
    align_spec_t spec = {};
    seqset_t *set = nullptr;
    wavefront_plan_t plan;

    spec.ends = ENDS_LOCAL;
    spec.emit = emit;
    align_scoring_set(&spec.scoring, AMBIGUITY_N_MISMATCH, 5, -4, -1);
    assert_int_equal(random_set_spell(text, &set), ST_OK);
    wavefront_plan({&spec, set, 1000, bytes, packs}, &batch, &plan);
    seqset_destroy(set);
    assert_int_equal(plan.groups.size(), 1);
    return plan.groups[0];
}

bool has_sections(const char *text, align_emit_t emit, bool packs, long long bytes)
{
    return group_of(text, emit, packs, bytes).has_sections;
}

void long_pairs_have_sections_where_there_is_memory(void **)
{
    constexpr long long MUCH = 1LL << 36;

    assert_true(has_sections("A4096 C5000", EMIT_IDENTITY, true, MUCH));
    assert_true(has_sections("A4096 C5000", EMIT_CIGAR, true, MUCH));
    assert_false(has_sections("A3840 C5000", EMIT_CIGAR, true, MUCH)); /* 15 strips */
    assert_false(has_sections("A4096 C5000", EMIT_SCORE, true, MUCH));
    assert_false(has_sections("A4096 C5000", EMIT_CIGAR, false, MUCH));
    assert_false(has_sections("A4096 C5000", EMIT_IDENTITY, true, 1 << 20));
}

void scores_of_long_pairs_are_swept_from_both_ends(void **)
{
    constexpr long long MUCH = 1LL << 36;

    assert_true(group_of("A4096 C5000", EMIT_SCORE, true, MUCH).meets);
    assert_false(group_of("A3840 C5000", EMIT_SCORE, true, MUCH).meets);
    assert_false(group_of("A4096 C5000", EMIT_CIGAR, true, MUCH).meets);
    assert_false(group_of("A4096 C5000", EMIT_SCORE, false, MUCH).meets);
    assert_false(group_of("A4095R C5000", EMIT_SCORE, true, MUCH).meets);
}

} // namespace

int main()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scores_by_sets_are_the_references),
        cmocka_unit_test(packed_scores_are_the_references),
        cmocka_unit_test(keys_have_the_references_numbers),
        cmocka_unit_test(jobs_count_each_column_once_and_begin_a_span_before),
        cmocka_unit_test(long_pairs_have_sections_where_there_is_memory),
        cmocka_unit_test(scores_of_long_pairs_are_swept_from_both_ends),
    };

    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
