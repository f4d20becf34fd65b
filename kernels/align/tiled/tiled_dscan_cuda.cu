/*
 * tiled_dscan_cuda.cu - the row tiled-dscan: tiles over the matrix, for pairs of any
 * length that memory holds.
 *
 * Strips of rows are swept by warps that follow each other (tiled_sweep.cuh), so that one
 * pair fills the device; the host plans which (tiled_plan.cu).  nw_reference.c is the
 * definition.
 */
#include "kernels/align/cuda/cuda_cigar.cuh"
#include "kernels/align/tiled/tiled_kernel.cuh"
#include "kernels/align/tiled/tiled_plan.cuh"
#include "kernels/device/cuda_put.cuh"

extern "C" {
#include "kernels/align/tiled/tiled_dscan_cuda.h"
}

#include <cstdlib>
#include <cstring>

namespace
{

constexpr size_t ALIGNED = 256;

struct scratch_t {
    cuda_buffer_t plan, work;
    char *host_plan; /* pinned */
    size_t host_bytes;
    cuda_cigar_t cigar;
};

struct tiled_t {
    const align_spec_t *spec;
    const seqset_t *set;
    const pair_batch_t *submitted;
    cuda_batch_t *batch;
    tiled_layout_t layout;
    bool traced;
    unsigned char *has_ambiguity; /* [n] */
    int *steps;
    int n_blocks;
    scratch_t scratch[CUDA_SLOTS];
};

/* All pairs share one layout, so the longer letter count stands for both. */
bool tiled_fits(const align_context_t *context, int64_t m, int64_t n)
{
    const align_spec_t *spec = context->spec;
    const int64_t longer = m > n ? m : n, given = context->run.device_bytes;
    const bool traced = spec->emit == EMIT_CIGAR;
    int64_t most = context->device->memory_bytes / 8;
    tiled_layout_t layout;

    if (given > 0 && given / 4 < most)
        most = given / 4;
    return (!traced || m + n <= CIGAR_RUN_MAX) &&
           tiled_layout_choose(spec, longer, longer, &layout) &&
           tiled_plan_pair_bytes(&layout, traced, m, n) <= most;
}

void tiled_destroy(void *state)
{
    tiled_t *t = static_cast<tiled_t *>(state);

    if (t == nullptr)
        return;
    cuda_batch_destroy(t->batch); /* waits for what is under way */
    for (int k = 0; k < CUDA_SLOTS; k++) {
        cuda_buffer_free(&t->scratch[k].plan);
        cuda_buffer_free(&t->scratch[k].work);
        cudaFreeHost(t->scratch[k].host_plan);
        cuda_cigar_free(&t->scratch[k].cigar);
    }
    cudaFree(t->steps);
    free(t->has_ambiguity);
    free(t);
}

/* The form for the longest sequence that may be in a pair that is taken. */
status_t choose_layout(tiled_t *t)
{
    int64_t longest = 1;
    tiled_layout_t layout;

    for (int64_t i = 0; i < t->set->n; i++) {
        const int64_t len = seqset_len(t->set, i);

        if (len > longest && tiled_layout_choose(t->spec, len, len, &layout))
            longest = len;
    }
    if (tiled_layout_choose(t->spec, longest, longest, &t->layout))
        return ST_OK;
    log_error("--kernel tiled-dscan: scores are too large for it");
    return ST_EUSAGE;
}

status_t tiled_create(const align_context_t *context, void **state)
{
    tiled_t *t = static_cast<tiled_t *>(calloc(1, sizeof(*t)));
    status_t st;

    if (t == nullptr)
        return log_nomem("the tiled-dscan kernel");
    t->spec = context->spec;
    t->set = context->set;
    t->traced = context->spec->emit == EMIT_CIGAR;
    t->has_ambiguity =
        cuda_set_ambiguity(context->pool, context->set, &context->spec->scoring);
    if ((st = t->has_ambiguity != nullptr ? ST_OK : log_nomem("the sequences")) !=
            ST_OK ||
        (st = choose_layout(t)) != ST_OK ||
        (st = cuda_batch_create(context, &t->batch)) != ST_OK ||
        (st = CUDA_TRY(cudaMalloc(&t->steps, sizeof(t->layout.steps)))) != ST_OK ||
        (st = cuda_put(t->steps, t->layout.steps, sizeof(t->layout.steps))) != ST_OK ||
        (st = tiled_kernel_blocks(&t->layout, t->traced, context->device,
                                  &t->n_blocks)) != ST_OK) {
        tiled_destroy(t);
        return st;
    }
    *state = t;
    return ST_OK;
}

/* The arrays of a plan, one behind the other. */
struct layout_t {
    size_t pairs, jobs, levels, next, ends, n_copied, n_bytes;
};

layout_t lay_out(const tiled_plan_t *plan)
{
    const size_t sizes[] = {static_cast<size_t>(plan->n_pairs) * sizeof(tiled_pair_t),
                            static_cast<size_t>(plan->n_jobs) * sizeof(tiled_job_t),
                            static_cast<size_t>(plan->n_starts) * sizeof(int),
                            static_cast<size_t>(plan->n_pieces) * sizeof(int),
                            static_cast<size_t>(plan->n_pairs) *
                                sizeof(unsigned long long)};
    size_t place[6] = {};

    for (int k = 0; k < 5; k++)
        place[k + 1] = place[k] + (sizes[k] / ALIGNED + 1) * ALIGNED;
    return {place[0], place[1], place[2], place[3], place[4], place[4], place[5]};
}

/* Take a plan to the device, with a zero a group to count its items. */
status_t put_plan(scratch_t *s, const tiled_plan_t *plan, const layout_t *at,
                  cudaStream_t stream)
{
    status_t st;

    if (at->n_copied > s->host_bytes) {
        s->host_bytes = 0;
        cudaFreeHost(s->host_plan);
        s->host_plan = nullptr;
        if ((st = CUDA_TRY(cudaMallocHost(&s->host_plan, at->n_copied))) != ST_OK)
            return st;
        s->host_bytes = at->n_copied;
    }
    memcpy(s->host_plan + at->pairs, plan->pairs,
           static_cast<size_t>(plan->n_pairs) * sizeof(tiled_pair_t));
    memcpy(s->host_plan + at->jobs, plan->jobs,
           static_cast<size_t>(plan->n_jobs) * sizeof(tiled_job_t));
    memcpy(s->host_plan + at->levels, plan->level_start,
           static_cast<size_t>(plan->n_starts) * sizeof(int));
    memset(s->host_plan + at->next, 0, at->n_copied - at->next);
    if ((st = cuda_buffer_reserve(&s->plan, at->n_bytes)) != ST_OK)
        return st;
    return CUDA_TRY(cudaMemcpyAsync(s->plan.at, s->host_plan, at->n_copied,
                                    cudaMemcpyHostToDevice, stream));
}

status_t run_piece(const tiled_t *t, const tiled_plan_t *plan, int64_t k,
                   const layout_t *at, scratch_t *s, tiled_launch_t launch,
                   cudaStream_t stream)
{
    const tiled_piece_t *g = &plan->pieces[k];
    const int64_t n_blocks = (g->n_strips + TILED_WARPS - 1) / TILED_WARPS;
    const size_t word_bytes =
        static_cast<size_t>(plan->max_words) * sizeof(unsigned long long);
    char *base = static_cast<char *>(s->plan.at);

    launch.pairs = reinterpret_cast<tiled_pair_t *>(base + at->pairs) + g->first_pair;
    launch.jobs = reinterpret_cast<tiled_job_t *>(base + at->jobs) + g->first_job;
    launch.level_start = reinterpret_cast<int *>(base + at->levels) + g->first_level;
    launch.next = reinterpret_cast<int *>(base + at->next) + k;
    if (t->traced)
        launch.ends =
            reinterpret_cast<unsigned long long *>(base + at->ends) + g->first_pair;
    launch.n_levels = static_cast<int>(g->n_levels);
    launch.n_pairs = static_cast<int>(g->n_pairs);
    launch.words = static_cast<unsigned long long *>(s->work.at);
    launch.directions =
        reinterpret_cast<unsigned *>(static_cast<char *>(s->work.at) + word_bytes);
    return tiled_kernel_run(launch,
                            n_blocks < t->n_blocks ? static_cast<int>(n_blocks)
                                                   : t->n_blocks,
                            stream);
}

status_t launch_plan(tiled_t *t, const tiled_plan_t *plan, const cuda_work_t *work)
{
    const size_t work_bytes =
        static_cast<size_t>(plan->max_words) * sizeof(unsigned long long) +
        static_cast<size_t>(plan->max_direction_words) * sizeof(unsigned);
    const layout_t at = lay_out(plan);
    scratch_t *s = &t->scratch[work->slot];
    tiled_launch_t launch = {};
    status_t st;

    launch.layout = t->layout;
    launch.set = *cuda_batch_set(t->batch);
    launch.steps = t->steps;
    launch.score = work->score;
    launch.matches = work->matches;
    launch.columns = work->columns;
    launch.min_overlap = t->spec->min_overlap;
    launch.mad_one = 1;
    if ((st = put_plan(s, plan, &at, work->stream)) != ST_OK ||
        (st = cuda_buffer_reserve(&s->work, work_bytes)) != ST_OK ||
        (t->traced &&
         (st = cuda_cigar_reserve(&s->cigar, &launch.set, work->pairs, work->n,
                                  plan->n_letters, work->stream)) != ST_OK))
        return st;
    launch.trace_start = s->cigar.trace_start;
    launch.n_runs = s->cigar.n_runs;
    launch.runs = s->cigar.runs;
    for (int64_t k = 0; k < plan->n_pieces; k++)
        if ((st = run_piece(t, plan, k, &at, s, launch, work->stream)) != ST_OK)
            return st;
    return t->traced ? cuda_cigar_pack(&s->cigar) : ST_OK;
}

status_t launch_batch(void *row, const cuda_work_t *work)
{
    tiled_t *t = static_cast<tiled_t *>(row);
    const int64_t bytes = cuda_batch_scratch_bytes(t->batch);
    const tiled_plan_args_t args = {t->set, t->has_ambiguity, &t->layout, t->traced,
                                    bytes / 2};
    tiled_plan_t plan = {};
    status_t st = tiled_plan_create(&args, t->submitted, &plan);

    if (st == ST_OK)
        st = launch_plan(t, &plan, work);
    tiled_plan_free(&plan);
    return st;
}

status_t tiled_submit(void *state, const pair_batch_t *batch)
{
    tiled_t *t = static_cast<tiled_t *>(state);

    t->submitted = batch;
    return cuda_batch_submit(t->batch, batch, launch_batch, t);
}

status_t tiled_wait(void *state, pair_results_t *out)
{
    tiled_t *t = static_cast<tiled_t *>(state);
    scratch_t *s = &t->scratch[cuda_batch_slot(t->batch)]; /* the oldest's, for now */
    pair_results_t results;
    status_t st = cuda_batch_wait(t->batch, &results);

    if (st == ST_OK && t->traced)
        st = cuda_cigar_fetch(&s->cigar, &results);
    if (st == ST_OK)
        *out = results;
    return st;
}

} // namespace

extern "C" const aligner_backend_t tiled_dscan_backend = {
    /* .name = */ "tiled-dscan",
    /* .kind = */ DEVICE_CUDA,
    /* .cells_per_s = */ 3e12,
    /* .depth = */ ALIGNER_DEPTH,
    /* .supports = */
    {/* .gaps = */ ALIGN_BIT(GAPS_LINEAR),
     /* .ends = */ ALIGN_BIT(ENDS_FREE) | ALIGN_BIT(ENDS_COUNT),
     /* .scorings = */ ALIGN_BIT(SCORING_TWO_VALUED) | ALIGN_BIT(SCORING_MATRIX),
     /* .emits = */ ALIGN_BIT(EMIT_SCORE) | ALIGN_BIT(EMIT_IDENTITY) |
         ALIGN_BIT(EMIT_CIGAR)},
    /* .fits = */ tiled_fits,
    /* .create = */ tiled_create,
    /* .submit = */ tiled_submit,
    /* .wait = */ tiled_wait,
    /* .destroy = */ tiled_destroy,
};
