/*
 * bscan_batch.cu - edit distances of a batch, bit-parallel: one pair per thread, one
 * query per warp; and the backend bscan, the scores that follow from them.
 *
 * plan_pairs guesses the band of each pair from shared k-mers and writes its key; the
 * pairs are then grouped (cuda_grouping.cuh).  A class is the words that a thread holds,
 * in a band or of the whole matrix, and has a kernel of its own (cuda_classes.cuh), which
 * aligns a group per warp: in a band as described in bscan_band.cuh, or the whole matrix
 * as in bscan_sweep.cuh.  Pairs whose band does not prove its result get a new key and go
 * through grouping and kernels a second time.
 */
#include "kernels/align/bscan/bscan_batch.cuh"

#include "kernels/align/bscan/bscan_band.cuh"
#include "kernels/align/cuda/cuda_aligner.cuh"
#include "kernels/align/cuda/cuda_classes.cuh"
#include "kernels/align/cuda/cuda_sketch.cuh"
#include "kernels/device/cuda_put.cuh"

extern "C" {
#include "kernels/align/common/cell_layout.h"
#include "kernels/align/cuda/cuda_aligners.h"
}

#include <climits>

namespace
{

static_assert(KMER_SKETCH_WORDS * sizeof(uint64_t) == WARP * sizeof(uint4),
              "a warp reads a sketch at once");

/* The number of edits is guessed from the fraction of the shorter sequence's bases that
 * differ according to shared k-mers: EDITS_PER_CHANGE for each differing base, and
 * EDITS_PER_BASE for every base.  With these, a few percent of the pairs of real 16S
 * genes have to be aligned again; lower values cost more retries than they save. */
constexpr float EDITS_PER_CHANGE = 1.2f, EDITS_PER_BASE = 0.06f;

struct plan_t {
    cuda_set_t set;
    const pair_t *pairs;
    int n;
    cuda_sketch_t sketch; /* its words NULL: no bands */
    unsigned long long *keys;
    int *indices;
};

/* @return the k-mers that the pair of this lane shares; the warp counts one pair after
 * the other */
__device__ int shared_kmers(const cuda_sketch_t &sketch, pair_t pair)
{
    const uint4 *sketches = reinterpret_cast<const uint4 *>(sketch.words);
    const int lane = threadIdx.x % WARP;
    int mine = 0;

#pragma unroll 8
    for (int k = 0; k < WARP; k++) {
        const long long query = __shfl_sync(ALL, pair.query, k);
        const long long target = __shfl_sync(ALL, pair.target, k);
        const uint4 a = sketches[query * WARP + lane], b = sketches[target * WARP + lane];
        const int sum = cuda_warp_sum(__popc(a.x & b.x) + __popc(a.y & b.y) +
                                      __popc(a.z & b.z) + __popc(a.w & b.w));

        mine = lane == k ? sum : mine;
    }
    return mine;
}

/* @return the rows per column that this pair's band should have; INT_MAX: all rows */
__device__ int guess_band_rows(const cuda_sketch_t &sketch, pair_t pair, int m, int n)
{
    const float shared = static_cast<float>(shared_kmers(sketch, pair));
    const int query_kmers = sketch.n_kmers[pair.query];
    const int target_kmers = sketch.n_kmers[pair.target];
    const float fewer = static_cast<float>(min(query_kmers, target_kmers));
    const float more = static_cast<float>(max(query_kmers, target_kmers));
    const float chance = more / (64.0f * KMER_SKETCH_WORDS);
    const float kept = (shared / fewer - chance) / (1 - chance);
    const float changed = 1 - powf(kept, 1.0f / KMER_SKETCH_K);
    const float edits =
        static_cast<float>(min(m, n)) * (EDITS_PER_CHANGE * changed + EDITS_PER_BASE);

    return fewer == 0 || !(kept > 0) ? INT_MAX : abs(m - n) + static_cast<int>(edits) + 1;
}

/* One thread per pair: write its key. */
__global__ void __launch_bounds__(CUDA_KEYS_BLOCK) plan_pairs(const plan_t p)
{
    const int at = blockIdx.x * CUDA_KEYS_BLOCK + threadIdx.x;
    const pair_t pair = p.pairs[min(at, p.n - 1)];
    const int m = p.set.len[pair.query], n = p.set.len[pair.target];
    int band_rows = INT_MAX;

    if (p.sketch.words != nullptr)
        band_rows = guess_band_rows(p.sketch, pair, m, n);
    if (at >= p.n)
        return;
    p.keys[at] = cuda_grouping_key(pair.query, bscan_class(m, band_rows), n);
    p.indices[at] = at;
}

template <int W>
__global__ void __launch_bounds__(WARP) band_kernel(const bscan_launch_t p, int k)
{
    __shared__ uint2 masks[W * BAND_LETTERS];
    cuda_pair_group_t group;

    while (cuda_grouping_take(p.queue, k, &group))
        align_in_band<W>(p, group, masks);
}

template <int W, bool STRIP>
__global__ void __launch_bounds__(WARP, BSCAN_WARPS<W>)
    whole_kernel(const bscan_launch_t p, int k)
{
    __shared__ unsigned masks[W * LETTERS];
    cuda_pair_group_t group;

    while (cuda_grouping_take(p.queue, k, &group))
        align_whole<W, STRIP>(p, group, masks);
}

using kernel_t = void (*)(bscan_launch_t, int);

/* @return [CLASSES] one kernel per class */
template <int... B, int... F>
const kernel_t *kernels_of(cuda_words_t<B...>, cuda_words_t<F...>)
{
    static const kernel_t kernels[] = {band_kernel<B>..., whole_kernel<F, false>...,
                                       whole_kernel<STRIP_WORDS, true>};

    static_assert(sizeof(kernels) / sizeof(kernels[0]) == CLASSES,
                  "one kernel per class");
    static_assert(int(CLASSES) <= int(CUDA_GROUPING_CLASSES), "a key holds each class");
    return kernels;
}

} // namespace

struct bscan_t {
    cuda_sketch_t sketch; /* its words NULL: no bands */
    int64_t scratch_bytes;
    bscan_launch_t launch; /* without what belongs to a batch */
    cuda_classes_t<bscan_launch_t> classes;
    cuda_buffer_t borders[CUDA_SLOTS];
    cuda_band_stats_t *stats;
};

namespace
{

/* Prepare the classes that pairs of this set can have. */
status_t create_classes(bscan_t *b, const device_t *device, const seqset_t *set,
                        int64_t longest, bool banded)
{
    cuda_classes_t<bscan_launch_t> *c = &b->classes;
    const int max_class = bscan_class(static_cast<int>(longest), INT_MAX);
    const int64_t strip_bytes = (longest / WARP + 1) * WARP * sizeof(border_t);
    const int64_t strips = b->scratch_bytes / strip_bytes;
    bool used[CLASSES];
    status_t st;

    c->kernels = kernels_of(band_words_t{}, whole_words_t{});
    c->n = CLASSES;
    c->n_sequences = static_cast<int>(set->n);
    c->grouping_bytes = b->scratch_bytes;
    for (int k = 0; k < CLASSES; k++)
        used[k] = k <= max_class &&
                  (k >= BAND_CLASSES ||
                   (banded && bscan_words(k) + BAND_EXTRA < bscan_words(max_class)));
    if ((st = cuda_classes_create(c, device, used)) != ST_OK)
        return st;
    b->launch.border_len = longest / WARP + 1;
    if (c->n_blocks[STRIP_CLASS] > strips)
        c->n_blocks[STRIP_CLASS] = strips > 1 ? static_cast<int>(strips) : 1;
    return ST_OK;
}

/* Enqueue: align n pairs, and those whose band did not suffice a second time. */
status_t align_pairs(bscan_t *b, int slot, const pair_t *pairs, int *score, int64_t n,
                     cudaStream_t stream)
{
    const bool banded = b->sketch.words != nullptr;
    cuda_grouping_t *g = &b->classes.groupings[slot];
    const plan_t plan = {b->launch.set, pairs,   static_cast<int>(n),
                         b->sketch,     g->keys, g->indices};
    bscan_launch_t launch = b->launch;
    status_t st;

    launch.pairs = pairs;
    launch.score = score;
    launch.borders = static_cast<border_t *>(b->borders[slot].at);
    plan_pairs<<<cuda_keys_blocks(n), CUDA_KEYS_BLOCK, 0, stream>>>(plan);
    st = CUDA_TRY(cudaGetLastError());
    for (int round = 0; round < (banded ? 2 : 1) && st == ST_OK; round++) {
        if ((st = cuda_grouping_build(g, n, stream)) != ST_OK)
            return st;
        launch.retry_keys = banded && round == 0 ? g->keys : nullptr;
        launch.retry_indices = g->indices;
        st = cuda_classes_run(&b->classes, slot, launch, n, stream);
    }
    return st;
}

} // namespace

status_t bscan_create(const device_t *device, pool_t *pool, const seqset_t *set,
                      int64_t longest, bool banded, bscan_score_t score,
                      const cuda_batch_t *batch, bscan_t **out)
{
    bscan_t *b = static_cast<bscan_t *>(calloc(1, sizeof(*b)));
    status_t st;

    if (b == nullptr)
        return log_nomem("the bscan kernel");
    b->scratch_bytes = cuda_batch_scratch_bytes(batch) / 4;
    b->launch.unit_score = score.unit_score;
    b->launch.gap_cost = score.gap_cost;
    b->launch.set = *cuda_batch_set(batch);
    if ((st = cuda_put_zeros(&b->stats, 1)) == ST_OK && banded)
        st = cuda_sketch_create(pool, set, &b->sketch);
    b->launch.n_banded = &b->stats->n_banded;
    b->launch.n_retried = &b->stats->n_retried;
    if (st == ST_OK)
        st = create_classes(b, device, set, longest, banded);
    if (st != ST_OK) {
        bscan_destroy(b);
        return st;
    }
    *out = b;
    return ST_OK;
}

status_t bscan_run(bscan_t *b, const cuda_work_t *work, int *out)
{
    const size_t border_bytes = sizeof(border_t) *
                                static_cast<size_t>(b->classes.n_blocks[STRIP_CLASS]) *
                                static_cast<size_t>(b->launch.border_len) * WARP;
    const status_t st = cuda_buffer_reserve(&b->borders[work->slot], border_bytes);

    if (st != ST_OK)
        return st;
    return cuda_classes_pieces(&b->classes, work, [&](int64_t first, int64_t n) {
        return align_pairs(b, work->slot, work->pairs + first, out + first, n,
                           work->stream);
    });
}

void bscan_destroy(bscan_t *b)
{
    if (b == nullptr)
        return;
    cuda_band_stats_report("bscan", b->stats);
    cuda_classes_destroy(&b->classes);
    for (int k = 0; k < CUDA_SLOTS; k++)
        cuda_buffer_free(&b->borders[k]);
    cuda_sketch_free(&b->sketch);
    cudaFree(b->stats);
    free(b);
}

namespace
{

bool fits(const align_context_t *context, int64_t m, int64_t n)
{
    cell_layout_t layout;

    return m <= BSCAN_MAX && n <= BSCAN_MAX &&
           cell_layout_choose_bits(context->spec, &layout);
}

status_t create(const align_context_t *context, cuda_batch_t *batch, bscan_t **out)
{
    cell_layout_t layout = {};

    cell_layout_choose_bits(context->spec, &layout);
    return bscan_create(context->device, context->pool, context->set,
                        bscan_longest(context->set), context->run.band,
                        bscan_score_t{layout.unit * layout.mismatch, layout.gap_cost},
                        batch, out);
}

status_t run(bscan_t *b, const cuda_work_t *work)
{
    return bscan_run(b, work, work->score);
}

using functions_t = cuda_aligner_t<bscan_t, create, run, bscan_destroy>;

} // namespace

extern "C" const aligner_backend_t bscan_cuda_backend = {
    /* .base = */ {/* .name = */ "bscan", /* .kind = */ DEVICE_CUDA, /* .rate = */ 6e13},
    /* .depth = */ ALIGNER_DEPTH,
    /* .supports = */
    {/* .alphabets = */ ALIGN_BIT(ALPHABET_DNA),
     /* .gaps = */ ALIGN_BIT(GAPS_LINEAR),
     /* .ends = */ ALIGN_BIT(ENDS_COUNT),
     /* .scorings = */ ALIGN_BIT(SCORING_TWO_VALUED),
     /* .emits = */ ALIGN_BIT(EMIT_SCORE)},
    /* .fits = */ fits,
    /* .create = */ functions_t::create,
    /* .submit = */ functions_t::submit,
    /* .wait = */ functions_t::wait,
    /* .destroy = */ functions_t::destroy,
    /* .family = */ nullptr,
};
