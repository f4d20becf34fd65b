/*
 * test_tiled_affine.cu - the lanes of tiled_affine_lane.cuh, one after the other on the
 * CPU, against the reference.  It needs no GPU.
 */
#include "kernels/align/tiled/tiled_affine_lane.cuh"
#include "tests/kernels/align/affine/affine_case.cuh"

namespace
{

constexpr int N_CASES = 1500, LANES = 32, STRIPS_MAX = 3;

/* A launch of one pair, and what it points to. */
struct case_t {
    words_t words;
    long long table[AFFINE_TABLE];
    tiled_affine_end_t ends[STRIPS_MAX];
    tiled_affine_pair_t pair;
    tiled_affine_launch_t p;
};

/* Replace the codes of bases by those of residues. */
void make_proteins(words_t *w)
{
    for (int k = 0; k < N_SEQUENCES; k++)
        for (int i = 0; i < w->len[k]; i++) {
            const int code = w->codes[k][i] * 5 % (PROTEIN_SIZE - 1) + 1;

            w->codes[k][i] = static_cast<uint8_t>(code);
            w->letters[w->start[k] + i] = w->codes[k][i];
        }
}

template <int KIND> void draw_case(rng_t *rng, align_spec_t *spec, case_t *c, bool traced)
{
    static unsigned directions[STRIPS_MAX * LANES * (WORDS_MAX + LANES)];
    static long long trace_start, n_runs;
    static uint32_t runs[2 * WORDS_MAX];
    words_t *w = &c->words;
    int64_t table[AFFINE_TABLE];
    affine_layout_t layout;

    *spec = draw_spec(rng, 5);
    spec->emit = traced                   ? EMIT_CIGAR
                 : KIND == AFFINE_TABLE64 ? EMIT_IDENTITY
                                          : EMIT_SCORE;
    const bool proteins = below(rng, 4) == 0;

    if (proteins || below(rng, 3) == 0)
        draw_matrix(rng, proteins ? ALPHABET_PROTEIN : ALPHABET_DNA, &spec->scoring);
    draw_words(rng, w, &spec->scoring, true, below(rng, 40) == 0 ? WORDS_MAX : SHORT_MAX);
    if (proteins)
        make_proteins(w);
    assert_true(affine_layout(KIND, spec, WORDS_MAX, &layout));
    affine_launch_set(KIND, layout, &c->p.sweep);
    affine_table(spec, layout, table);
    for (int i = 0; i < AFFINE_TABLE; i++)
        c->table[i] = table[i];
    c->p.sweep.rounds.set = cuda_set_t{w->letters, w->start, w->len, w->has_ambiguity};
    c->p.sweep.rounds.variant.identity = KIND == AFFINE_TABLE64;
    c->p.sweep.rounds.min_overlap = spec->min_overlap;
    c->p.sweep.rounds.score = w->score;
    c->p.sweep.rounds.matches = w->matches;
    c->p.sweep.rounds.columns = w->columns;
    c->p.table = c->table;
    c->p.ends = c->ends;
    c->p.directions = traced ? directions : nullptr;
    c->p.column_ops = cuda_cigar_column_ops(spec);
    trace_start = n_runs = 0;
    c->p.trace_start = &trace_start;
    c->p.n_runs = &n_runs;
    c->p.runs = runs;
}

/* Sweep a strip, lane by lane. @param line  of the strip above; out: of this one */
template <int KIND, typename TRACE>
void sweep_strip(const case_t *c, const affine_pairs_t &pairs, int strip,
                 affine_line_t<tiled_word_t<KIND>> *line, tiled_affine_end_t *end)
{
    tiled_word_t<KIND> table[AFFINE_TABLE];
    const padded_pair_t &pair = pairs.packed.pairs[0];

    for (int i = 0; i < AFFINE_TABLE; i++)
        table[i] = static_cast<tiled_word_t<KIND>>(c->table[i]);
    *end = tiled_affine_end_t{0, -1};
    for (int lane = 0; lane < LANES; lane++) {
        affine_lane_t<KIND> s;
        TRACE trace = {};

        affine_lane_start<KIND>(c->p.sweep, pairs, table, strip, lane, &s);
        for (int j = 0; j < pair.n; j++) {
            affine_lane_column<KIND>(c->p.sweep, pairs, s, j, pair.column_end[j - pair.n],
                                     line[j], trace);
            if constexpr (TRACE::ON)
                c->p.directions[tiled_affine_at(pair.n, strip, lane, j)] =
                    trace.back.at[0];
        }
        *end = tiled_affine_better(tiled_affine_finish<KIND>(c->p.sweep, pairs, s, trace),
                                   *end);
    }
}

template <int KIND, typename TRACE> void sweep_case(rng_t *rng)
{
    static case_t c;
    affine_line_t<tiled_word_t<KIND>> line[WORDS_MAX];
    align_spec_t spec;

    draw_case<KIND>(rng, &spec, &c, TRACE::ON);
    const words_t *w = &c.words;
    const int q = w->pairs[0].query, t = w->pairs[0].target;
    const bool mirrored = TRACE::ON ? !nw_reference_query_is_rows(w->codes[q], w->len[q],
                                                                  w->codes[t], w->len[t])
                                    : w->len[q] < w->len[t];

    c.pair = tiled_affine_pair_t{
        mirrored ? t : q, mirrored ? q : t, 0, 0, 0, mirrored, 0, 0, 0};
    c.pair.m = w->len[c.pair.row_sequence];
    c.pair.n = w->len[c.pair.column_sequence];
    const affine_pairs_t pairs = tiled_affine_pairs(c.p, c.pair);

    for (int j = 0; j < c.pair.n; j++)
        line[j] = {affine_border<KIND, AFFINE_COLUMNS>(c.p.sweep, pairs, j + 1), 0};
    for (int k = 0; k < tiled_affine_strips(c.pair.m); k++)
        sweep_strip<KIND, TRACE>(&c, pairs, k, line, &c.ends[k]);
    tiled_affine_store<KIND>(c.p, c.pair);
    assert_pair(&spec, w, 0, KIND == AFFINE_TABLE64);
    if (TRACE::ON && w->columns[0] > 0)
        assert_runs(&spec, w, c.p.runs, static_cast<int>(*c.p.n_runs));
}

template <int KIND, typename TRACE> void sweep_cases()
{
    rng_t rng = rng_seed(3);

    for (int i = 0; i < N_CASES; i++)
        sweep_case<KIND, TRACE>(&rng);
}

void scores_equal_the_reference(void **)
{
    sweep_cases<AFFINE_TABLE32, affine_untraced_t<>>();
}

void keys_have_the_reference_matches_and_columns(void **)
{
    sweep_cases<AFFINE_TABLE64, affine_untraced_t<>>();
}

void traced_pairs_have_the_reference_cigars(void **)
{
    sweep_cases<AFFINE_TABLE64, tiled_traced_t>();
}

} // namespace

int main()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scores_equal_the_reference),
        cmocka_unit_test(keys_have_the_reference_matches_and_columns),
        cmocka_unit_test(traced_pairs_have_the_reference_cigars),
    };

    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
