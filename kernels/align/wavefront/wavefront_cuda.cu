/*
 * wavefront_cuda.cu - the backend wavefront: plans a batch, and runs its passes.
 */
#include "kernels/align/cuda/cuda_aligner.cuh"
#include "kernels/align/wavefront/wavefront_plan.cuh"
#include "kernels/device/cuda_put.cuh"

extern "C" {
#include "kernels/align/cuda/cuda_aligners.h"
}

#include <algorithm>
#include <cstring>
#include <new>

namespace
{

constexpr align_support_t SUPPORTS = {
    /* .alphabets = */ ALIGN_BIT(ALPHABET_DNA) | ALIGN_BIT(ALPHABET_PROTEIN),
    /* .gaps = */ ALIGN_BIT(GAPS_LINEAR) | ALIGN_BIT(GAPS_AFFINE),
    /* .ends = */ ALIGN_BIT(ENDS_LOCAL),
    /* .scorings = */ ALIGN_BIT(SCORING_TWO_VALUED) | ALIGN_BIT(SCORING_MATRIX),
    /* .emits = */ ALIGN_BIT(EMIT_SCORE) | ALIGN_BIT(EMIT_IDENTITY) |
        ALIGN_BIT(EMIT_CIGAR)};

/* Warps of a core that keep it busy. */
constexpr int WARPS_PER_CORE = 8;

/* One per slot of batches. */
struct scratch_t {
    cuda_buffer_t plan, work; /* what is uploaded; what a group needs */
    cuda_pinned_t host;
};

struct wavefront_t {
    const align_spec_t *spec;
    const seqset_t *set;
    cuda_batch_t *batch;
    wavefront_table_t *table;                 /* on the device */
    int n_warps;                              /* that fill the device */
    int n_blocks[WAVEFRONT_LONG_KEYS + 1][2]; /* by kind; [1]: bits are stored */
    scratch_t scratch[CUDA_SLOTS];
};

/* Where the parts of an uploaded plan are. */
struct uploaded_t {
    wavefront_pair_t *pairs;
    wavefront_job_t *jobs;
    wavefront_task_t *tasks;
};

bool fits(const align_context_t *context, int64_t m, int64_t n)
{
    const align_scoring_t *s = &context->spec->scoring;
    const int64_t score = wavefront_max_column(s) * std::min(m, n);
    const int64_t least = -std::min(align_scoring_range(s).min, INT64_C(0)) -
                          static_cast<int64_t>(s->gap_open) - s->gap;

    return !(s->two_valued && s->mismatch > 0) && /* of columns that do not exist, too */
           nw_key_bits(score) < WAVEFRONT_SCORE_BITS &&
           nw_key_bits(least) < WAVEFRONT_SCORE_BITS - 1 &&
           wavefront_key_bits_sum(wavefront_key_bits(context->spec, m, n)) <=
               WAVEFRONT_LONG_KEY_BITS &&
           wavefront_span(std::min(m, n), wavefront_max_column(s), wavefront_min_gap(s),
                          1) < INT32_MAX;
}

/* Copy the scores of columns to the device. */
status_t create_table(wavefront_t *w)
{
    const align_scoring_t *s = &w->spec->scoring;
    const int size = alphabet_size(s->alphabet);
    wavefront_table_t table = {};

    for (int a = 0; a < size; a++)
        for (int b = 0; b < size; b++) {
            const int at = a * ALPHABET_SIZE + b;
            const bool meet = (a & b) != 0, none = a == 0 || b == 0;

            table.scores[at] = s->two_valued ? (meet ? s->match : s->mismatch)
                                             : (none ? 0 : s->score[a][b]);
            table.is_match[at] = s->two_valued ? meet : !none && s->is_match[a][b] != 0;
        }
    return cuda_put_new(&w->table, &table, 1);
}

/* @return whether columns are scored by the table of steps */
bool by_table(const wavefront_t *w)
{
    return !w->spec->scoring.two_valued;
}

/* @return whether scores with single bases are swept in halves of 16 bits */
bool packs(const align_scoring_t *s)
{
    const align_range_t range = align_scoring_range(s);

    return s->alphabet == ALPHABET_DNA && range.min >= INT8_MIN &&
           range.max <= INT8_MAX &&
           wavefront_max_column(s) - s->gap_open <= WAVEFRONT_PACKED_LIMIT;
}

status_t size_grids(wavefront_t *w, const device_t *device)
{
    status_t st = ST_OK;

    for (int kind = WAVEFRONT_SCORES; kind <= WAVEFRONT_LONG_KEYS; kind++)
        for (int stores = 0; st == ST_OK && stores < 2; stores++)
            st = wavefront_blocks(kind, by_table(w), stores != 0, device,
                                  &w->n_blocks[kind][stores]);
    return st;
}

void destroy(wavefront_t *w)
{
    if (w == nullptr)
        return;
    for (scratch_t &s : w->scratch) {
        cuda_buffer_free(&s.plan);
        cuda_buffer_free(&s.work);
        cuda_pinned_free(&s.host);
    }
    cudaFree(w->table);
    free(w);
}

status_t create(const align_context_t *context, cuda_batch_t *batch, wavefront_t **out)
{
    wavefront_t *w = static_cast<wavefront_t *>(calloc(1, sizeof(*w)));
    status_t st;

    if (w == nullptr)
        return log_nomem("the wavefront kernel");
    w->spec = context->spec;
    w->set = context->set;
    w->batch = batch;
    w->n_warps = context->device->n_cores * WARPS_PER_CORE;
    for (scratch_t &s : w->scratch)
        s.host.pool = context->pool;
    if ((st = create_table(w)) == ST_OK)
        st = size_grids(w, context->device);
    if (st != ST_OK) {
        destroy(w);
        return st;
    }
    *out = w;
    return ST_OK;
}

template <typename T> size_t bytes_of(const std::vector<T> &v)
{
    return v.size() * sizeof(T);
}

/* Enqueue: copy a plan to the device. */
status_t upload(const wavefront_plan_t &plan, scratch_t *s, cudaStream_t stream,
                uploaded_t *out)
{
    cuda_scratch_t arrays = {};
    uploaded_t host = {};
    status_t st;

    cuda_scratch_add(&arrays, &host.pairs, static_cast<int64_t>(plan.pairs.size()));
    cuda_scratch_add(&arrays, &host.jobs, static_cast<int64_t>(plan.jobs.size()));
    cuda_scratch_add(&arrays, &host.tasks, static_cast<int64_t>(plan.tasks.size()));
    if ((st = cuda_pinned_reserve(&s->host, arrays.bytes)) != ST_OK ||
        (st = cuda_buffer_reserve(&s->plan, arrays.bytes)) != ST_OK)
        return st;
    cuda_scratch_place(&arrays, s->host.at);
    memcpy(host.pairs, plan.pairs.data(), bytes_of(plan.pairs));
    memcpy(host.jobs, plan.jobs.data(), bytes_of(plan.jobs));
    memcpy(host.tasks, plan.tasks.data(), bytes_of(plan.tasks));
    st = CUDA_TRY(cudaMemcpyAsync(s->plan.at, s->host.at, arrays.bytes,
                                  cudaMemcpyHostToDevice, stream));
    cuda_scratch_place(&arrays, s->plan.at);
    *out = host;
    return st;
}

/* Add the arrays of a group's sections. */
void add_sections(const wavefront_t *w, const wavefront_group_t &g,
                  const wavefront_plan_t &plan, wavefront_sections_t *s,
                  cuda_scratch_t *arrays, int2 *lines[2])
{
    const wavefront_pair_t &pair = plan.pairs[static_cast<size_t>(g.first_pair)];
    const bool traces = w->spec->emit == EMIT_CIGAR;
    const long long n = g.n_tasks;

    cuda_scratch_add(arrays, &s->head, 1);
    cuda_scratch_add(arrays, &s->crossings, n);
    cuda_scratch_add(arrays, &s->of_strip, n);
    for (int pass = 0; pass < 2; pass++) {
        cuda_scratch_add(arrays, &lines[pass], n * pair.n);
        cuda_scratch_add(arrays, &s->results[pass], n);
    }
    cuda_scratch_add(arrays, &s->back,
                     traces ? n * WAVEFRONT_SECTION_PITCH * WAVEFRONT_LANES : 0);
    cuda_scratch_add(arrays, &s->runs, traces ? pair.m + pair.n : 0);
    cuda_scratch_add(arrays, &s->paths, n);
}

/* Reserve what a group needs. */
status_t reserve(const wavefront_t *w, const wavefront_group_t &g,
                 const wavefront_plan_t &plan, scratch_t *s, wavefront_launch_t *launch)
{
    cuda_scratch_t arrays = {};
    int2 *all_lines[2] = {};
    double2 *lines = nullptr, *kept = nullptr; /* of two values of the longest kind */
    int max_tasks = g.n_tasks;
    status_t st;

    for (size_t k = 1; k < g.band_task.size(); k++)
        max_tasks = std::max(max_tasks, g.band_task[k] - g.band_task[k - 1]);
    cuda_scratch_add(&arrays, &launch->next, 1);
    cuda_scratch_add(&arrays, &launch->begun, max_tasks);
    cuda_scratch_add(&arrays, &launch->results, max_tasks);
    cuda_scratch_add(&arrays, &lines, g.lines);
    cuda_scratch_add(&arrays, &kept, g.lines * (g.n_bands - 1));
    cuda_scratch_add(&arrays, &launch->back, g.back);
    if (g.has_sections)
        add_sections(w, g, plan, &launch->sections, &arrays, all_lines);
    if ((st = cuda_scratch_reserve(&arrays, &s->work)) != ST_OK)
        return st;
    launch->lines = lines;
    launch->sections.lines[0] = all_lines[0];
    launch->sections.lines[1] = all_lines[1];
    launch->kept = g.n_bands > 1 ? kept : nullptr;
    launch->kept_pitch = g.lines;
    launch->band = g.band;
    return ST_OK;
}

/* Enqueue a pass. @param first, n  its tasks */
status_t run_pass(const wavefront_t *w, int kind, bool stores, wavefront_launch_t launch,
                  const wavefront_task_t *tasks, int first, int n, cudaStream_t stream)
{
    status_t st;

    const bool is_int = kind == WAVEFRONT_SCORES;
    const bool meets = launch.pass == WAVEFRONT_MEETING; /* two lines */

    launch.tasks = tasks + first;
    launch.n_tasks = n;
    const long long entries =
        launch.line_pitch != 0 ? launch.line_pitch * n : launch.kept_pitch;

    if ((st = CUDA_TRY(cudaMemsetAsync(launch.next, 0, sizeof(int), stream))) != ST_OK ||
        (st = CUDA_TRY(cudaMemsetAsync(launch.begun, 0,
                                       static_cast<size_t>(n) * sizeof(int), stream))) !=
            ST_OK ||
        (st = CUDA_TRY(cudaMemsetAsync(
             launch.lines, 0, static_cast<size_t>(entries) * (is_int && !meets ? 8 : 16),
             stream))) != ST_OK ||
        (st = CUDA_TRY(cudaMemsetAsync(launch.results, 0,
                                       static_cast<size_t>(n) * sizeof(*launch.results),
                                       stream))) != ST_OK)
        return st;
    return wavefront_run(kind, by_table(w), stores, w->n_blocks[kind][stores], launch,
                         stream);
}

/* Enqueue the third pass of a group, and the way back. */
status_t run_bands(const wavefront_t *w, const wavefront_group_t &g,
                   wavefront_launch_t launch, const wavefront_out_t &out,
                   const wavefront_task_t *tasks, cudaStream_t stream)
{
    status_t st = ST_OK;

    launch.pass = WAVEFRONT_THIRD;
    for (int band = g.n_bands - 1; st == ST_OK && band >= 0; band--) {
        const int first = g.band_task[static_cast<size_t>(band)];
        const int end = g.band_task[static_cast<size_t>(band) + 1];

        st = run_pass(w, g.kind, true, launch, tasks, first, end - first, stream);
        if (st == ST_OK)
            st = wavefront_follow(launch, out, band, g.first_pair, g.n_pairs, stream);
    }
    return st;
}

/* Enqueue: find the sections of a group's pair, and what they yield. */
status_t run_sections(const wavefront_t *w, const wavefront_group_t &g, int n,
                      wavefront_launch_t launch, const wavefront_out_t &out,
                      const wavefront_task_t *tasks, cudaStream_t stream)
{
    const wavefront_sections_t &s = launch.sections;
    status_t st = CUDA_TRY(cudaMemsetAsync(s.head, 0, sizeof(*s.head), stream));

    if (st == ST_OK)
        st = CUDA_TRY(
            cudaMemsetAsync(s.crossings, 0,
                            static_cast<size_t>(g.n_tasks) * sizeof(*s.crossings),
                            stream));
    for (int pass = 0; st == ST_OK && pass < 2; pass++) {
        wavefront_launch_t scores = launch;

        scores.pass = pass == 0 ? WAVEFRONT_FORWARD : WAVEFRONT_BACKWARD;
        scores.lines = s.lines[pass];
        scores.results = s.results[pass];
        scores.line_pitch = n;
        st = run_pass(w, WAVEFRONT_SCORES, false, scores, tasks, g.first_task, g.n_tasks,
                      stream);
    }
    launch.pass = WAVEFRONT_SECTIONS;
    launch.tasks = tasks + g.first_task;
    launch.n_tasks = g.n_tasks;
    if (st != ST_OK || (st = wavefront_divide(launch, out, n, stream)) != ST_OK ||
        (st = run_pass(w, g.kind, w->spec->emit == EMIT_CIGAR, launch, tasks,
                       g.first_task, g.n_tasks, stream)) != ST_OK ||
        (st = wavefront_sum(g.kind, launch, out, stream)) != ST_OK ||
        w->spec->emit != EMIT_CIGAR)
        return st;
    return wavefront_follow_sections(launch, out, stream);
}

/* Enqueue: find the scores of a group; if it meets, of its pair of n columns. */
status_t run_scores(const wavefront_t *w, const wavefront_group_t &g, int n,
                    wavefront_launch_t launch, const wavefront_out_t &out,
                    const wavefront_task_t *tasks, cudaStream_t stream)
{
    status_t st;

    if (g.meets) {
        launch.pass = WAVEFRONT_MEETING;
        launch.sections.lines[0] = launch.lines;
        launch.sections.lines[1] = static_cast<int2 *>(launch.lines) + n;
    }
    st = run_pass(w, WAVEFRONT_SCORES, false, launch, tasks, g.first_task, g.n_tasks,
                  stream);
    if (st == ST_OK && g.meets)
        st = wavefront_meet(launch, n, stream);
    return st == ST_OK
               ? wavefront_settle_scores(launch, out, g.first_pair, g.n_pairs, stream)
               : st;
}

/* Enqueue everything of a group. */
status_t run_group(const wavefront_t *w, const wavefront_plan_t &host,
                   const wavefront_group_t &g, scratch_t *s, const uploaded_t &plan,
                   wavefront_launch_t launch, const wavefront_out_t &out,
                   cudaStream_t stream)
{
    const int n = host.pairs[static_cast<size_t>(g.first_pair)].n;
    status_t st = reserve(w, g, host, s, &launch);

    launch.pairs = plan.pairs;
    launch.jobs = plan.jobs;
    launch.tasks = plan.tasks + g.first_task;
    launch.key = {g.bits.columns + g.bits.matches, g.bits.columns};
    if (st == ST_OK && g.has_sections)
        st = run_sections(w, g, n, launch, out, plan.tasks, stream);
    if (st == ST_OK && g.has_scores)
        st = run_scores(w, g, n, launch, out, plan.tasks, stream);
    if (st != ST_OK || !align_has_identity(w->spec))
        return st;
    if ((st = run_pass(w, g.kind, g.is_direct, launch, plan.tasks, g.first_task,
                       g.n_tasks, stream)) != ST_OK ||
        (st = wavefront_settle_keys(launch, out, g.first_pair, g.n_pairs, stream)) !=
            ST_OK ||
        w->spec->emit != EMIT_CIGAR)
        return st;
    return g.is_direct ? wavefront_follow(launch, out, 0, g.first_pair, g.n_pairs, stream)
                       : run_bands(w, g, launch, out, plan.tasks, stream);
}

wavefront_out_t out_of(const wavefront_t *w, const cuda_work_t *work)
{
    wavefront_out_t out = {};

    out.score = work->score;
    out.matches = work->matches;
    out.columns = work->columns;
    out.max_column = wavefront_max_column(&w->spec->scoring);
    out.gap = wavefront_min_gap(&w->spec->scoring);
    if (work->cigar == nullptr)
        return out;
    out.min_overlap = w->spec->min_overlap;
    out.column_ops = cuda_cigar_column_ops(w->spec);
    out.trace_start = work->cigar->trace_start;
    out.n_runs = work->cigar->n_runs;
    out.runs = work->cigar->runs;
    return out;
}

status_t run(wavefront_t *w, const cuda_work_t *work)
{
    scratch_t *s = &w->scratch[work->slot];
    const wavefront_limits_t limits = {w->spec, w->set, w->n_warps,
                                       cuda_batch_scratch_bytes(w->batch),
                                       packs(&w->spec->scoring)};
    const align_scoring_t *scoring = &w->spec->scoring;
    wavefront_launch_t launch = {};
    wavefront_plan_t plan;
    uploaded_t uploaded;
    status_t st;

    try {
        wavefront_plan(limits, work->batch, &plan);
    } catch (const std::bad_alloc &) {
        return log_nomem("a batch");
    }
    launch.set = *cuda_batch_set(w->batch);
    launch.costs = {scoring->match, scoring->mismatch, scoring->gap_open,
                    scoring->gap,   w->table,          packs(scoring)};
    st = upload(plan, s, work->stream, &uploaded);
    for (size_t k = 0; st == ST_OK && k < plan.groups.size(); k++)
        st = run_group(w, plan, plan.groups[k], s, uploaded, launch, out_of(w, work),
                       work->stream);
    return st;
}

using functions_t = cuda_aligner_t<wavefront_t, create, run, destroy>;

} // namespace

extern "C" const aligner_backend_t wavefront_backend = {
    /* .base = */ {/* .name = */ "wavefront", /* .kind = */ DEVICE_CUDA,
                   /* .rate = */ 5e11},
    /* .depth = */ ALIGNER_DEPTH,
    /* .supports = */ SUPPORTS,
    /* .fits = */ fits,
    /* .create = */ functions_t::create,
    /* .submit = */ functions_t::submit,
    /* .wait = */ functions_t::wait,
    /* .destroy = */ functions_t::destroy,
    /* .family = */ nullptr,
};
