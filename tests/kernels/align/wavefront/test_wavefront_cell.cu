/*
 * test_wavefront_cell.cu - the cells of wavefront_cell.cuh, one lane after the other on
 * the CPU, against the reference; and the jobs that a batch is divided into.  It needs no
 * GPU.
 */
#include "kernels/align/wavefront/wavefront_cell.cuh"
#include "kernels/align/wavefront/wavefront_plan.cuh"

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

struct case_t {
    align_spec_t spec;
    uint8_t a[M_MAX], b[N_MAX];
    int m, n;
};

int below(rng_t *rng, int n)
{
    return static_cast<int>(rng_below(rng, static_cast<uint64_t>(n)));
}

/* Two sequences of which the second has a piece of the first. */
void draw(rng_t *rng, bool has_codes, case_t *c)
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
    c->m = 1 + below(rng, M_MAX);
    c->n = 1 + below(rng, N_MAX);
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
    unsigned words[DNA_SIZE] = {};
    wavefront_lane_t<V> lanes[WAVEFRONT_LANES] = {};
    V best = 0;

    for (unsigned x = 0; x < DNA_SIZE; x++)
        for (unsigned y = 0; y < DNA_SIZE; y++) {
            table[y * ALPHABET_SIZE + x] = step(score_of(s, x, y), (x & y) != 0);
            if (y == 1 || y == 2 || y == 4 || y == 8)
                words[x] |= (static_cast<unsigned>(score_of(s, x, y)) & 0xff)
                            << 8 * ((y >> 1) - (y >> 3));
        }
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

            wavefront_column<SCORED, false>(
                steps, SCORED == WAVEFRONT_BASES ? words[letter] : letter,
                l > 0 ? lanes[l - 1].h[WAVEFRONT_ROWS - 1] : V{0},
                l > 0 ? lanes[l - 1].f : V{0}, &lanes[l], &greatest);
            best = wavefront_max<V>(best, greatest);
        }
    return best;
}

nw_cell_t reference(const case_t &c)
{
    static nw_values_t row[N_MAX + 1];

    return nw_reference_pair(&c.spec, c.a, c.m, c.b, c.n, row);
}

template <int SCORED> void check_scores(bool has_codes)
{
    rng_t rng = rng_seed(SCORED + 1);

    for (int k = 0; k < N_CASES; k++) {
        case_t c;

        draw(&rng, has_codes, &c);
        assert_int_equal((sweep<SCORED, int>(c, {0, 0})), reference(c).score);
    }
}

void scores_by_sets_are_the_references(void **)
{
    check_scores<WAVEFRONT_SETS>(true);
}

void scores_by_words_of_bases_are_the_references(void **)
{
    check_scores<WAVEFRONT_BASES>(false);
}

template <typename V> void check_keys(uint64_t seed)
{
    rng_t rng = rng_seed(seed);

    for (int k = 0; k < N_CASES; k++) {
        int64_t score = 0, matches = 0, columns = 0;
        case_t c;

        draw(&rng, true, &c);
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
    wavefront_plan({&spec, set, 1000, 1 << 30}, &batch, &plan);
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

} // namespace

int main()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scores_by_sets_are_the_references),
        cmocka_unit_test(scores_by_words_of_bases_are_the_references),
        cmocka_unit_test(keys_have_the_references_numbers),
        cmocka_unit_test(jobs_count_each_column_once_and_begin_a_span_before),
    };

    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
