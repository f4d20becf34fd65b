/*
 * wavefront_plan.cu - the jobs, strips and groups of a batch.
 */
#include "kernels/align/wavefront/wavefront_plan.cuh"

#include <algorithm>

extern "C" {
#include "kernels/align/common/nw_reference.h"
}

namespace
{

/* Minimum length of a job, in lengths of the columns in front of it that its first
 * cells need. */
constexpr long long MIN_PIECE = 3;

constexpr long long ENTRY_BYTES = 16; /* of a line, in keys */

/* Strips of a pair that is looked for sections at least, and those of which two passes
 * over scores fill the device. */
constexpr int MIN_SECTION_STRIPS = 16, MANY_STRIPS = 256;

int strips_of(int m)
{
    return (m + WAVEFRONT_STRIP - 1) / WAVEFRONT_STRIP;
}

wavefront_pair_t pair_of(const wavefront_limits_t &limits, pair_t p, int index)
{
    const seqset_t *set = limits.set;
    const int64_t m = seqset_len(set, p.query), n = seqset_len(set, p.target);
    const bool mirrored = !nw_reference_query_is_rows(seqset_letters(set, p.query), m,
                                                      seqset_letters(set, p.target), n);
    wavefront_pair_t out = {};

    out.index = index;
    out.mirrored = mirrored;
    out.rows = mirrored ? p.target : p.query;
    out.columns = mirrored ? p.query : p.target;
    out.m = static_cast<int>(mirrored ? n : m);
    out.n = static_cast<int>(mirrored ? m : n);
    out.job = -1;
    return out;
}

/* @return into how many jobs a pair is cut. @param n_warps  for it */
int count_jobs(const wavefront_pair_t &pair, long long span, int n_warps)
{
    const long long by_warps = n_warps / strips_of(pair.m);
    const long long by_length = pair.n / (MIN_PIECE * span);

    return static_cast<int>(std::max(1LL, std::min(by_warps, by_length)));
}

/* Add the jobs of a pair, and their strips. @return entries of their lines */
long long add_jobs(const wavefront_group_t &group, wavefront_plan_t *plan,
                   wavefront_pair_t *pair, long long span, int n_jobs)
{
    const int number = static_cast<int>(plan->pairs.size());
    const int strips = strips_of(pair->m);
    long long line = group.lines;

    pair->first_job = static_cast<int>(plan->jobs.size());
    pair->n_jobs = n_jobs;
    pair->first_task = static_cast<int>(plan->tasks.size()) - group.first_task;
    pair->n_tasks = n_jobs * strips;
    for (int k = 0; k < n_jobs; k++) {
        wavefront_job_t job = {};
        const long long first = static_cast<long long>(pair->n) * k / n_jobs;

        job.pair = number;
        job.first = static_cast<int>(first);
        job.end = static_cast<int>(static_cast<long long>(pair->n) * (k + 1) / n_jobs);
        job.begin = static_cast<int>(k == 0 ? 0 : std::max(0LL, first - span));
        job.line = line;
        line += job.end - job.begin;
        pair->back_pitch =
            std::max(pair->back_pitch, wavefront_back_pitch(job.end - job.begin));
        for (int strip = 0; strip < strips; strip++)
            plan->tasks.push_back({static_cast<int>(plan->jobs.size()), number, strip});
        plan->jobs.push_back(job);
    }
    return line - group.lines;
}

/* Lay out the way back of a group for a band. */
void lay_out_back(wavefront_plan_t *plan, wavefront_group_t *g, int band)
{
    g->band = band;
    g->n_bands = 1;
    g->back = 0;
    for (int k = g->first_pair; k < g->first_pair + g->n_pairs; k++) {
        wavefront_pair_t &pair = plan->pairs[static_cast<size_t>(k)];
        const int strips = strips_of(pair.m);

        pair.back = g->back;
        g->back += std::min(strips, band) * pair.back_pitch * WAVEFRONT_LANES;
        g->n_bands = std::max(g->n_bands, (strips + band - 1) / band);
    }
}

/* Choose the bands of a group: one if there is memory, else those that need least of what
 * there is none of. */
void choose_bands(const wavefront_limits_t &limits, wavefront_plan_t *plan,
                  wavefront_group_t *g)
{
    int strips = 1, best = 1;
    long long best_bytes = -1;

    for (int k = g->first_pair; k < g->first_pair + g->n_pairs; k++)
        strips = std::max(strips, strips_of(plan->pairs[static_cast<size_t>(k)].m));
    for (int band = strips;; band = (band + 1) / 2) {
        lay_out_back(plan, g, band);
        const long long bytes = wavefront_group_bytes(*g);

        if (bytes <= limits.bytes)
            return;
        if (best_bytes < 0 || bytes < best_bytes) {
            best_bytes = bytes;
            best = band;
        }
        if (band == 1)
            break;
    }
    lay_out_back(plan, g, best);
}

/* @return memory of a group's sections, in bytes */
long long section_bytes(const wavefront_limits_t &limits, const wavefront_plan_t &plan,
                        const wavefront_group_t &g)
{
    const wavefront_pair_t &pair = plan.pairs[static_cast<size_t>(g.first_pair)];
    const long long line = 2 * pair.n * static_cast<long long>(sizeof(int2));
    const long long back = limits.spec->emit == EMIT_CIGAR
                               ? WAVEFRONT_SECTION_PITCH * WAVEFRONT_LANES *
                                     static_cast<long long>(sizeof(uint32_t))
                               : 0;

    return g.n_tasks * (line + back) +
           (pair.m + pair.n) * static_cast<long long>(sizeof(uint32_t));
}

/* @return whether a pair is looked for sections */
bool may_have_sections(const wavefront_limits_t &limits, const wavefront_pair_t &pair,
                       int n_warps)
{
    const int n = strips_of(pair.m);

    return limits.packs && align_has_identity(limits.spec) && n >= MIN_SECTION_STRIPS &&
           n <= UINT16_MAX && (n <= 2 * n_warps || n >= MANY_STRIPS);
}

/* @return whether the scores of a pair are swept from both ends: its rows are packed */
bool may_meet(const wavefront_limits_t &limits, const wavefront_pair_t &pair, int n_warps)
{
    const int n = strips_of(pair.m);
    const uint8_t *rows = seqset_letters(limits.set, pair.rows);

    return limits.packs && !align_has_identity(limits.spec) && n >= MIN_SECTION_STRIPS &&
           n <= 2 * n_warps && std::all_of(rows, rows + pair.m, [](uint8_t letter) {
               return alphabet_is_base(ALPHABET_DNA, letter);
           });
}

/* End a group: choose its bands. */
void end_group(const wavefront_limits_t &limits, wavefront_plan_t *plan,
               wavefront_group_t g)
{
    g.n_pairs = static_cast<int>(plan->pairs.size()) - g.first_pair;
    g.n_tasks = static_cast<int>(plan->tasks.size()) - g.first_task;
    if (g.n_pairs == 0)
        return;
    g.has_scores = g.has_scores || !align_has_identity(limits.spec);
    g.kind = wavefront_key_bits_sum(g.bits) <= WAVEFRONT_KEY_BITS ? WAVEFRONT_KEYS
                                                                  : WAVEFRONT_LONG_KEYS;
    g.band = INT32_MAX / WAVEFRONT_STRIP;
    g.n_bands = 1;
    if (limits.spec->emit == EMIT_CIGAR) {
        choose_bands(limits, plan, &g);
        g.is_direct = g.n_bands == 1 && !g.has_scores;
    }
    if (g.has_sections &&
        wavefront_group_bytes(g) + section_bytes(limits, *plan, g) > limits.bytes)
        g.has_sections = false;
    plan->groups.push_back(g);
}

/* Add the tasks of a group's third pass, band by band. */
void add_bands(wavefront_plan_t *plan, wavefront_group_t *g)
{
    for (int band = 0; band < g->n_bands; band++) {
        g->band_task.push_back(static_cast<int>(plan->tasks.size()));
        for (int k = g->first_pair; k < g->first_pair + g->n_pairs; k++) {
            const int strips = strips_of(plan->pairs[static_cast<size_t>(k)].m);

            for (int strip = band * g->band;
                 strip < std::min(strips, (band + 1) * g->band); strip++)
                plan->tasks.push_back({-1, k, strip});
        }
    }
    g->band_task.push_back(static_cast<int>(plan->tasks.size()));
}

wavefront_group_t new_group(const wavefront_plan_t &plan)
{
    wavefront_group_t g = {};

    g.first_pair = static_cast<int>(plan.pairs.size());
    g.first_task = static_cast<int>(plan.tasks.size());
    g.n_bands = 1;
    return g;
}

/* What a pair adds to a group. */
struct addition_t {
    int n_jobs;
    bool meets, is_alone; /* in its group */
    long long span, lines, back;
    wavefront_key_bits_t bits;
};

/* @return whether a group has room for a pair */
bool has_room(const wavefront_limits_t &limits, wavefront_group_t g, const addition_t &a)
{
    g.lines += a.lines;
    g.back += a.back;
    return !a.is_alone && wavefront_group_bytes(g) <= limits.bytes &&
           wavefront_key_bits_sum(wavefront_key_bits_max(g.bits, a.bits)) <=
               WAVEFRONT_LONG_KEY_BITS;
}

addition_t addition_of(const wavefront_limits_t &limits, const wavefront_pair_t &pair,
                       int n_warps)
{
    const align_scoring_t *s = &limits.spec->scoring;
    addition_t a = {};

    a.span = wavefront_span(pair.m, wavefront_max_column(s), wavefront_min_gap(s), 1);
    a.n_jobs = count_jobs(pair, a.span, n_warps);
    a.meets = a.n_jobs == 1 && may_meet(limits, pair, n_warps);
    a.is_alone = a.n_jobs > 1 || a.meets || may_have_sections(limits, pair, n_warps);
    a.lines = pair.n + a.span * (a.n_jobs - 1);
    if (limits.spec->emit == EMIT_CIGAR)
        a.back = strips_of(pair.m) * wavefront_back_pitch(pair.n) * WAVEFRONT_LANES;
    a.bits = wavefront_key_bits(limits.spec, pair.m, pair.n);
    return a;
}

/* Add a pair to a group, or end that and begin another. */
void add_pair(const wavefront_limits_t &limits, wavefront_plan_t *plan,
              wavefront_pair_t pair, int n_warps, wavefront_group_t *g)
{
    const addition_t a = addition_of(limits, pair, n_warps);

    if (!has_room(limits, *g, a)) {
        end_group(limits, plan, *g);
        *g = new_group(*plan);
    }
    g->has_scores = a.n_jobs > 1;
    g->meets = a.meets;
    g->has_sections = a.is_alone && a.n_jobs == 1 && !a.meets;
    g->lines += add_jobs(*g, plan, &pair, a.span, a.n_jobs);
    g->back += a.back;
    g->bits = wavefront_key_bits_max(g->bits, a.bits);
    plan->pairs.push_back(pair);
    if (a.is_alone) {
        end_group(limits, plan, *g);
        *g = new_group(*plan);
    }
}

} // namespace

wavefront_key_bits_t wavefront_key_bits(const align_spec_t *spec, int64_t m, int64_t n)
{
    const nw_key_t key = nw_key_layout(spec, m, n);
    const int64_t max = wavefront_max_column(&spec->scoring) * std::min(m, n);

    return {key.match_shift, key.score_shift - key.match_shift, nw_key_bits(max) + 2};
}

wavefront_key_bits_t wavefront_key_bits_max(wavefront_key_bits_t a,
                                            wavefront_key_bits_t b)
{
    return {std::max(a.columns, b.columns), std::max(a.matches, b.matches),
            std::max(a.score, b.score)};
}

long long wavefront_group_bytes(const wavefront_group_t &g)
{
    return g.lines * ENTRY_BYTES * g.n_bands +
           g.back * static_cast<long long>(sizeof(uint32_t));
}

int wavefront_max_column(const align_scoring_t *s)
{
    return static_cast<int>(std::max(align_scoring_range(s).max, INT64_C(1)));
}

int wavefront_min_gap(const align_scoring_t *s)
{
    return -s->gap; /* gap_open <= gap < 0 */
}

void wavefront_plan(const wavefront_limits_t &limits, const pair_batch_t *batch,
                    wavefront_plan_t *plan)
{
    const int n_warps = static_cast<int>(std::max(INT64_C(1), limits.n_warps / batch->n));
    wavefront_group_t g = new_group(*plan);

    for (int64_t k = 0; k < batch->n; k++)
        add_pair(limits, plan, pair_of(limits, batch->pairs[k], static_cast<int>(k)),
                 n_warps, &g);
    end_group(limits, plan, g);
    for (wavefront_group_t &group : plan->groups)
        if (limits.spec->emit == EMIT_CIGAR && !group.is_direct)
            add_bands(plan, &group);
}
