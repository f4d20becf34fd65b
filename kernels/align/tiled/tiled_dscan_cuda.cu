/*
 * tiled_dscan_cuda.cu - the backend tiled-dscan: tiles over the matrix of a pair, for
 * sequences of any length that memory holds.
 *
 * The matrix is cut into strips of rows, and the warps that sweep them follow each other
 * (tiled_sweep.cuh), so that one pair fills the device.  The host plans the strips of a
 * batch (tiled_plan.cu), copies the plan to the device, and launches it piece by piece.
 * Affine gaps, priced ends, ends that count for the query and proteins have a simpler
 * kernel (tiled_affine_batch.cuh).
 */
#include "kernels/align/cuda/cuda_aligner.cuh"
#include "kernels/align/tiled/tiled_affine_batch.cuh"
#include "kernels/align/tiled/tiled_launch.cuh"
#include "kernels/align/tiled/tiled_plan.cuh"
#include "kernels/device/cuda_put.cuh"

extern "C" {
#include "kernels/align/cuda/cuda_aligners.h"
}

#include <cstring>

namespace
{

/* One per slot of batches. */
struct scratch_t {
    cuda_buffer_t plan, work;
    cuda_pinned_t host_plan;
};

struct tiled_t {
    const align_spec_t *spec;
    const seqset_t *set;
    cuda_batch_t *batch;
    tiled_affine_batch_t *affine; /* not NULL: it does all, and what follows is unused */
    tiled_layout_t layout;
    bool traced;                  /* CIGARs are wanted */
    unsigned char *has_ambiguity; /* [n_sequences] */
    int *steps;                   /* layout.steps on the device */
    int n_blocks;                 /* of the sweeping kernel that the device holds */
    scratch_t scratch[CUDA_SLOTS];
};

/* All pairs of a batch share one layout, so it has to hold the longer length twice. */
bool fits(const align_context_t *context, int64_t m, int64_t n)
{
    const align_spec_t *spec = context->spec;
    const int64_t longer = m > n ? m : n, given = context->run.device_bytes;
    const bool traced = spec->emit == EMIT_CIGAR;
    int64_t max_bytes = context->device->memory_bytes / 8;
    tiled_layout_t layout;

    if (given > 0 && given / 4 < max_bytes)
        max_bytes = given / 4;
    if (traced && m + n > CIGAR_RUN_MAX)
        return false;
    if (tiled_affine_applies(spec))
        return tiled_affine_fits(spec, m, n, max_bytes);
    return tiled_layout_choose(spec, longer, longer, &layout) &&
           tiled_plan_pair_bytes(&layout, traced, m, n) <= max_bytes;
}

void destroy(tiled_t *t)
{
    if (t == nullptr)
        return;
    for (scratch_t &s : t->scratch) {
        cuda_buffer_free(&s.plan);
        cuda_buffer_free(&s.work);
        cuda_pinned_free(&s.host_plan);
    }
    cudaFree(t->steps);
    tiled_affine_destroy(t->affine);
    free(t->has_ambiguity);
    free(t);
}

/* Choose the layout for the longest sequence that a layout exists for. */
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
    log_error(
        "--kernel tiled-dscan: the scores are too large for its cells; give smaller "
        "scores or --kernel auto");
    return ST_EUSAGE;
}

/* Create what linear gaps need. */
status_t create_linear(tiled_t *t, const align_context_t *context)
{
    status_t st;

    t->has_ambiguity =
        cuda_set_ambiguity(context->pool, context->set, &context->spec->scoring);
    if (t->has_ambiguity == nullptr)
        return log_nomem("the sequences");
    if ((st = choose_layout(t)) != ST_OK ||
        (st = CUDA_TRY(cudaMalloc(&t->steps, sizeof(t->layout.steps)))) != ST_OK ||
        (st = cuda_put(t->steps, t->layout.steps, sizeof(t->layout.steps))) != ST_OK)
        return st;
    return tiled_kernel_blocks(&t->layout, t->traced, context->device, &t->n_blocks);
}

status_t create(const align_context_t *context, cuda_batch_t *batch, tiled_t **out)
{
    tiled_t *t = static_cast<tiled_t *>(calloc(1, sizeof(*t)));
    status_t st;

    if (t == nullptr)
        return log_nomem("the tiled-dscan kernel");
    t->spec = context->spec;
    t->set = context->set;
    t->batch = batch;
    t->traced = context->spec->emit == EMIT_CIGAR;
    st = tiled_affine_applies(t->spec) ? tiled_affine_create(context, batch, &t->affine)
                                       : create_linear(t, context);
    if (st != ST_OK) {
        destroy(t);
        return st;
    }
    *out = t;
    return ST_OK;
}

/* The arrays of a plan, and what the kernels need beside them. */
struct plan_arrays_t {
    tiled_pair_t *pairs;      /* [n_pairs] */
    tiled_job_t *jobs;        /* [n_jobs] */
    int *level_start;         /* [n_starts] */
    int *next;                /* [n_pieces] zeros */
    unsigned long long *ends; /* [n_pairs] on the device only */
};

/* Enqueue: copy a plan to the device. @param out  its arrays there */
status_t put_plan(scratch_t *s, const tiled_plan_t *plan, cudaStream_t stream,
                  plan_arrays_t *out)
{
    cuda_scratch_t list = {};
    plan_arrays_t host;
    status_t st;

    cuda_scratch_add(&list, &host.pairs, plan->n_pairs);
    cuda_scratch_add(&list, &host.jobs, plan->n_jobs);
    cuda_scratch_add(&list, &host.level_start, plan->n_starts);
    cuda_scratch_add(&list, &host.next, plan->n_pieces);
    const size_t copied_bytes = list.bytes;

    cuda_scratch_add(&list, &host.ends, plan->n_pairs);
    if ((st = cuda_scratch_reserve(&list, &s->plan)) != ST_OK ||
        (st = cuda_pinned_reserve(&s->host_plan, copied_bytes)) != ST_OK)
        return st;
    *out = host;
    cuda_scratch_place(&list, s->host_plan.at);
    memcpy(host.pairs, plan->pairs,
           static_cast<size_t>(plan->n_pairs) * sizeof(tiled_pair_t));
    memcpy(host.jobs, plan->jobs,
           static_cast<size_t>(plan->n_jobs) * sizeof(tiled_job_t));
    memcpy(host.level_start, plan->level_start,
           static_cast<size_t>(plan->n_starts) * sizeof(int));
    memset(host.next, 0, static_cast<size_t>(plan->n_pieces) * sizeof(int));
    return CUDA_TRY(cudaMemcpyAsync(s->plan.at, s->host_plan.at, copied_bytes,
                                    cudaMemcpyHostToDevice, stream));
}

/* Enqueue piece k of a plan. */
status_t run_piece(const tiled_t *t, const tiled_plan_t *plan, int64_t k,
                   const plan_arrays_t &arrays, tiled_launch_t launch,
                   cudaStream_t stream)
{
    const tiled_piece_t *piece = &plan->pieces[k];
    const int64_t n_blocks = (piece->n_strips + TILED_WARPS - 1) / TILED_WARPS;

    launch.pairs = arrays.pairs + piece->first_pair;
    launch.jobs = arrays.jobs + piece->first_job;
    launch.level_start = arrays.level_start + piece->first_level;
    launch.next = arrays.next + k;
    if (t->traced)
        launch.ends = arrays.ends + piece->first_pair;
    launch.n_levels = static_cast<int>(piece->n_levels);
    launch.n_pairs = static_cast<int>(piece->n_pairs);
    return tiled_kernel_run(launch,
                            n_blocks < t->n_blocks ? static_cast<int>(n_blocks)
                                                   : t->n_blocks,
                            stream);
}

status_t run_plan(tiled_t *t, const tiled_plan_t *plan, const cuda_work_t *work)
{
    const size_t word_bytes =
        static_cast<size_t>(plan->max_words) * sizeof(unsigned long long);
    const size_t direction_bytes =
        static_cast<size_t>(plan->max_direction_words) * sizeof(unsigned);
    scratch_t *s = &t->scratch[work->slot];
    tiled_launch_t launch = {};
    plan_arrays_t arrays;
    status_t st;

    if ((st = put_plan(s, plan, work->stream, &arrays)) != ST_OK ||
        (st = cuda_buffer_reserve(&s->work, word_bytes + direction_bytes)) != ST_OK)
        return st;
    launch.layout = t->layout;
    launch.set = *cuda_batch_set(t->batch);
    launch.steps = t->steps;
    launch.words = static_cast<unsigned long long *>(s->work.at);
    launch.directions =
        reinterpret_cast<unsigned *>(static_cast<char *>(s->work.at) + word_bytes);
    launch.score = work->score;
    launch.matches = work->matches;
    launch.columns = work->columns;
    launch.min_overlap = t->spec->min_overlap;
    launch.column_ops = cuda_cigar_column_ops(t->spec);
    launch.mad_one = 1;
    if (t->traced) {
        launch.trace_start = work->cigar->trace_start;
        launch.n_runs = work->cigar->n_runs;
        launch.runs = work->cigar->runs;
    }
    for (int64_t k = 0; k < plan->n_pieces; k++)
        if ((st = run_piece(t, plan, k, arrays, launch, work->stream)) != ST_OK)
            return st;
    return ST_OK;
}

status_t run(tiled_t *t, const cuda_work_t *work)
{
    if (t->affine != nullptr)
        return tiled_affine_submit(t->affine, work);
    const tiled_plan_args_t args = {t->set, t->has_ambiguity, &t->layout, t->traced,
                                    cuda_batch_scratch_bytes(t->batch) / 2};
    tiled_plan_t plan = {};
    status_t st = tiled_plan_create(&args, work->batch, &plan);

    if (st == ST_OK)
        st = run_plan(t, &plan, work);
    tiled_plan_free(&plan);
    return st;
}

using functions_t = cuda_aligner_t<tiled_t, create, run, destroy>;

} // namespace

extern "C" const aligner_backend_t tiled_dscan_backend = {
    /* .base = */ {/* .name = */ "tiled-dscan", /* .kind = */ DEVICE_CUDA,
                   /* .rate = */ 3e12},
    /* .depth = */ ALIGNER_DEPTH,
    /* .supports = */
    {/* .alphabets = */ ALIGN_BIT(ALPHABET_DNA) | ALIGN_BIT(ALPHABET_PROTEIN),
     /* .gaps = */ ALIGN_BIT(GAPS_LINEAR) | ALIGN_BIT(GAPS_AFFINE),
     /* .ends = */ ALIGN_BIT(ENDS_FREE) | ALIGN_BIT(ENDS_COUNT) | ALIGN_BIT(ENDS_QUERY) |
         ALIGN_BIT(ENDS_PRICED),
     /* .scorings = */ ALIGN_BIT(SCORING_TWO_VALUED) | ALIGN_BIT(SCORING_MATRIX),
     /* .emits = */ ALIGN_BIT(EMIT_SCORE) | ALIGN_BIT(EMIT_IDENTITY) |
         ALIGN_BIT(EMIT_CIGAR)},
    /* .fits = */ fits,
    /* .create = */ functions_t::create,
    /* .submit = */ functions_t::submit,
    /* .wait = */ functions_t::wait,
    /* .destroy = */ functions_t::destroy,
    /* .family = */ nullptr,
};
