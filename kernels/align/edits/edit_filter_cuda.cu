/*
 * edit_filter_cuda.cu - the edit filter on a GPU: one pair per thread; the pairs of a
 * warp have the same query.
 *
 * A pair's class is the number of words that hold the rows of its band, or those of its
 * query; each class has a kernel (cuda_classes.cuh).  edit_filter_band.cuh and
 * edit_filter_sweep.cuh say what a warp does.  With free ends, shared k-mers rule out
 * pairs and give the others bands (kmer_band_choose.cuh).  With counted ends a pair has a
 * single end, (m, n), and its edit distance is computed by bscan_batch.cuh.
 */
#include "kernels/align/bscan/bscan_batch.cuh"
#include "kernels/align/edits/edit_filter_band.cuh"
#include "kernels/align/edits/kmer_band_cuda.cuh"
#include "kernels/device/cuda_put.cuh"

extern "C" {
#include "kernels/align/edits/edit_filter_backend.h"
}

#include <algorithm>
#include <climits>
#include <cstdlib>

namespace
{

/* Pairs filtered per batch; the next batch is submitted before the last has ended. */
constexpr int64_t PAIRS_PER_BATCH = 1 << 21;

/* Longer queries have no class: their pairs pass. */
enum { QUERY_MAX = ROWS_MAX };

/* Larger than any band. */
enum { WHOLE_MATRIX = INT_MAX };

struct plan_t {
    cuda_set_t set;
    const pair_t *pairs;
    int n;
    bool bands; /* the bands' classes are chosen later */
    int *keep;
    unsigned long long *keys;
    int *indices;
};

/* One thread per pair: write its key. */
__global__ void __launch_bounds__(CUDA_KEYS_BLOCK) plan_pairs(const plan_t p)
{
    const int at = blockIdx.x * CUDA_KEYS_BLOCK + threadIdx.x;

    if (at >= p.n)
        return;
    const pair_t pair = p.pairs[at];
    const int m = p.set.len[pair.query], n = p.set.len[pair.target];
    const bool held = m <= QUERY_MAX && n > 0 && m > 0;

    p.keys[at] = held ? cuda_grouping_key(pair.query,
                                          p.bands ? 0 : bscan_class(m, WHOLE_MATRIX), n)
                      : CUDA_GROUPING_NO_KEY;
    p.indices[at] = at;
    p.keep[at] = m > QUERY_MAX;
}

/* Counted ends: compare edit distances with the bound. */
__global__ void __launch_bounds__(CUDA_KEYS_BLOCK)
    decide_by_edits(const cuda_set_t set, const pair_t *pairs, int n,
                    const int *max_edits, int *keep)
{
    const int at = blockIdx.x * CUDA_KEYS_BLOCK + threadIdx.x;

    if (at < n)
        keep[at] = keep[at] <=
                   max_edits[min(set.len[pairs[at].query], set.len[pairs[at].target])];
}

template <int W>
__global__ void __launch_bounds__(WARP, BSCAN_WARPS<W>)
    decide_kernel(const edit_filter_launch_t p, int group_class)
{
    __shared__ unsigned masks[W * LETTERS];
    cuda_pair_group_t group;

    while (cuda_grouping_take(p.queue, group_class, &group))
        decide_group<W>(p, group, masks);
}

template <int W>
__global__ void __launch_bounds__(WARP, BSCAN_WARPS<W>)
    decide_in_band_kernel(const edit_filter_launch_t p, int group_class)
{
    __shared__ uint2 masks[W * BAND_LETTERS];
    cuda_pair_group_t group;

    while (cuda_grouping_take(p.queue, group_class, &group))
        decide_in_band<W>(p, group, masks);
}

using kernel_t = void (*)(edit_filter_launch_t, int);

/* @return one kernel per class */
template <int... B, int... F>
const kernel_t *kernels_of(cuda_words_t<B...>, cuda_words_t<F...>)
{
    static const kernel_t kernels[] = {decide_in_band_kernel<B>..., decide_kernel<F>...};

    return kernels;
}

struct edit_filter_cuda_t {
    const edit_filter_plan_t *plan;
    align_spec_t spec; /* of the batches: one number per pair */
    cuda_batch_t *batch;
    bscan_t *counted; /* counted ends; otherwise NULL, and the rest is used */
    edit_filter_launch_t launch;
    cuda_classes_t<edit_filter_launch_t> classes;
    kmer_band_cuda_t bands;
    int *max_edits, *min_end; /* on the device */
};

void edit_filter_cuda_destroy(void *state)
{
    edit_filter_cuda_t *e = static_cast<edit_filter_cuda_t *>(state);

    if (e == nullptr)
        return;
    cuda_batch_destroy(e->batch); /* waits */
    bscan_destroy(e->counted);
    cuda_classes_destroy(&e->classes);
    kmer_band_cuda_destroy(&e->bands);
    cudaFree(e->max_edits);
    cudaFree(e->min_end);
    free(e);
}

status_t upload_bound(edit_filter_cuda_t *e)
{
    const edit_filter_bound_t *bound = &e->plan->bound;
    const size_t n = static_cast<size_t>(bound->n);
    int *min_end = static_cast<int *>(calloc(n, sizeof(*min_end)));
    status_t st;

    if (min_end == nullptr)
        return log_nomem("the bounds of the edit filter");
    for (int64_t k = 0; k < bound->n; k++)
        min_end[k] = edit_filter_bound_min_end(bound, k);
    if ((st = cuda_put_new(&e->max_edits, bound->max_edits, n)) == ST_OK)
        st = cuda_put_new(&e->min_end, min_end, n);
    free(min_end);
    return st;
}

/* Prepare the bands, and the classes that pairs of this set can have. */
status_t create_classes(edit_filter_cuda_t *e)
{
    const seqset_t *set = e->plan->context.set;
    const int64_t bytes = cuda_batch_scratch_bytes(e->batch) / 2;
    kmer_band_launch_t bands = {};
    bool used[STRIP_CLASS] = {};
    status_t st;

    e->launch.set = *cuda_batch_set(e->batch);
    e->launch.max_edits = e->max_edits;
    e->launch.min_end = e->min_end;
    e->launch.free_ends = e->plan->bound.goal.ends == ENDS_FREE;
    e->classes.kernels = kernels_of(band_words_t{}, whole_words_t{});
    e->classes.n = STRIP_CLASS;
    e->classes.n_sequences = static_cast<int>(set->n);
    e->classes.grouping_bytes = bytes;
    bands.set = e->launch.set;
    bands.max_edits = e->max_edits;
    bands.min_end = e->min_end;
    if ((st = kmer_band_cuda_create(e->plan, &bands, bytes, &e->bands)) != ST_OK)
        return st;
    for (int k = 0; k < BAND_CLASSES; k++)
        used[k] = e->bands.n_blocks > 0;
    cuda_words_find(whole_words_t{}, set, QUERY_MAX, used + BAND_CLASSES);
    return cuda_classes_create(&e->classes, e->plan->context.device, used);
}

status_t edit_filter_cuda_create(const edit_filter_plan_t *plan, void **state)
{
    edit_filter_cuda_t *e = static_cast<edit_filter_cuda_t *>(calloc(1, sizeof(*e)));
    status_t st;

    if (e == nullptr)
        return log_nomem("the edit filter");
    e->plan = plan;
    e->spec = *plan->context.spec;
    e->spec.emit = EMIT_SCORE;
    align_context_t context = plan->context;

    context.spec = &e->spec;
    if ((st = cuda_batch_create(&context, &e->batch)) == ST_OK &&
        (st = upload_bound(e)) == ST_OK && (st = create_classes(e)) == ST_OK &&
        plan->bound.goal.ends == ENDS_COUNT)
        st = bscan_create(plan->context.device, plan->context.pool, plan->context.set,
                          bscan_longest(plan->context.set), true, BSCAN_EDITS, e->batch,
                          &e->counted);
    if (st != ST_OK) {
        edit_filter_cuda_destroy(e);
        return st;
    }
    *state = e;
    return ST_OK;
}

status_t decide_piece(edit_filter_cuda_t *e, const cuda_work_t *work, int64_t first,
                      int64_t n)
{
    cuda_grouping_t *g = &e->classes.groupings[work->slot];
    edit_filter_launch_t launch = e->launch;
    status_t st;

    launch.pairs = work->pairs + first;
    launch.keep = work->score + first;
    plan_pairs<<<cuda_keys_blocks(n), CUDA_KEYS_BLOCK, 0, work->stream>>>(
        plan_t{launch.set, launch.pairs, static_cast<int>(n), e->bands.n_blocks > 0,
               launch.keep, g->keys, g->indices});
    if ((st = CUDA_TRY(cudaGetLastError())) != ST_OK ||
        (st = cuda_grouping_build(g, n, work->stream)) != ST_OK)
        return st;
    if (e->bands.n_blocks > 0 &&
        ((st = kmer_band_cuda_run(&e->bands, work, launch.pairs, n, launch.keep, g,
                                  &launch.edits_left)) != ST_OK ||
         (st = cuda_grouping_build(g, n, work->stream)) != ST_OK))
        return st;
    return cuda_classes_run(&e->classes, work->slot, launch, n, work->stream);
}

status_t decide_counted(edit_filter_cuda_t *e, const cuda_work_t *work)
{
    const status_t st = bscan_run(e->counted, work, work->score);

    if (st != ST_OK)
        return st;
    decide_by_edits<<<cuda_keys_blocks(work->n), CUDA_KEYS_BLOCK, 0, work->stream>>>(
        e->launch.set, work->pairs, static_cast<int>(work->n), e->max_edits, work->score);
    return CUDA_TRY(cudaGetLastError());
}

status_t launch_batch(void *state, const cuda_work_t *work)
{
    edit_filter_cuda_t *e = static_cast<edit_filter_cuda_t *>(state);

    if (e->counted != nullptr)
        return decide_counted(e, work);
    return cuda_classes_pieces(&e->classes, work, [&](int64_t first, int64_t n) {
        return decide_piece(e, work, first, n);
    });
}

/* Wait for the oldest batch, of n pairs. */
status_t fetch(edit_filter_cuda_t *e, int64_t n, uint8_t *keep)
{
    pair_results_t results;
    const status_t st = cuda_batch_wait(e->batch, &results);

    for (int64_t i = 0; i < n && st == ST_OK; i++)
        keep[i] = results.score[i] != 0;
    return st;
}

status_t edit_filter_cuda_run(void *state, const pair_batch_t *batch, uint8_t *keep)
{
    edit_filter_cuda_t *e = static_cast<edit_filter_cuda_t *>(state);
    int64_t begun = 0, ended = 0;
    status_t st = ST_OK;

    /* What has been submitted is waited for even after an error. */
    while (ended < begun || (begun < batch->n && st == ST_OK)) {
        if (begun < batch->n && st == ST_OK &&
            begun - ended < CUDA_SLOTS * PAIRS_PER_BATCH) {
            const int64_t n = std::min(batch->n - begun, PAIRS_PER_BATCH);
            const pair_batch_t piece = {batch->pairs + begun, n};

            st = align_cancelled(e->plan->context.run.cancel)
                     ? ST_ESTOPPED
                     : cuda_batch_submit(e->batch, &piece, launch_batch, e);
            begun += st == ST_OK ? n : 0;
        } else {
            const int64_t n = std::min(begun - ended, PAIRS_PER_BATCH);
            const status_t fetched = fetch(e, n, keep + ended);

            st = st == ST_OK ? fetched : st;
            ended += n;
        }
    }
    return st;
}

} // namespace

extern "C" const edit_filter_backend_t edit_filter_cuda_backend = {
    /* .base = */ {/* .name = */ "cuda", /* .kind = */ DEVICE_CUDA, /* .rate = */ 0},
    /* .supports = */
    {/* .alphabets = */ ALIGN_BIT(ALPHABET_DNA),
     /* .gaps = */ ALIGN_BIT(GAPS_LINEAR) | ALIGN_BIT(GAPS_AFFINE),
     /* .ends = */ ALIGN_BIT(ENDS_FREE) | ALIGN_BIT(ENDS_COUNT) | ALIGN_BIT(ENDS_QUERY) |
         ALIGN_BIT(ENDS_PRICED),
     /* .scorings = */ ALIGN_BIT(SCORING_TWO_VALUED) | ALIGN_BIT(SCORING_MATRIX),
     /* .emits = */ ALIGN_BIT(EMIT_SCORE) | ALIGN_BIT(EMIT_IDENTITY) |
         ALIGN_BIT(EMIT_CIGAR)},
    /* .create = */ edit_filter_cuda_create,
    /* .run = */ edit_filter_cuda_run,
    /* .destroy = */ edit_filter_cuda_destroy,
};
