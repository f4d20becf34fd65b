/*
 * band_bound_cuda.cu - bounds the scores of paths that leave a band: one pair per thread;
 * the pairs of a warp have the same query.
 *
 * A pair's class is the number of words that hold its query's rows; each class has a
 * kernel (cuda_classes.cuh). band_bound_sweep.cuh says what a warp does.
 */
#include "kernels/align/bscan/band_bound_sweep.cuh"
#include "kernels/align/cuda/cuda_classes.cuh"

#include <cstdlib>

namespace
{

/* Longer sequences have no bound: samples have 16 bits, and few pairs would gain. */
enum { QUERY_MAX = 2048, TARGET_MAX = 8192, COST_MAX = 4096 };

using all_words_t = cuda_words_t<16, 24, 32, 40, 44, 46, 48, 50, 56, 64>;

enum { CLASSES = all_words_t::COUNT };

struct plan_t {
    cuda_set_t set;
    const pair_t *pairs;
    int n;
    unsigned char *banded;
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

    if (m > QUERY_MAX || n > TARGET_MAX)
        p.banded[at] = 0;
    p.keys[at] =
        p.banded[at] != 0
            ? cuda_grouping_key(pair.query, cuda_words_class(all_words_t{}, m), n)
            : CUDA_GROUPING_NO_KEY;
    p.indices[at] = at;
}

template <int W>
__global__ void __launch_bounds__(WARP, BSCAN_WARPS<W>)
    bound_kernel(const band_bound_launch_t p, int group_class)
{
    __shared__ unsigned masks[(W + WINDOW_SLACK) * LETTERS];
    cuda_pair_group_t group;

    while (cuda_grouping_take(p.queue, group_class, &group))
        bound_group<W>(p, group, masks);
}

using kernel_t = void (*)(band_bound_launch_t, int);

/* @return one kernel per class */
template <int... W> const kernel_t *kernels_of(cuda_words_t<W...>)
{
    static const kernel_t kernels[] = {bound_kernel<W>...};

    return kernels;
}

/* B and K of band_bound_sweep.cuh: the costs of an edit, and of a base skipped at an end.
 */
struct costs_t {
    int64_t edit, skip;
};

costs_t costs_of(const align_spec_t *spec)
{
    const int64_t gap = -static_cast<int64_t>(spec->scoring.gap);
    const int64_t edit = spec->scoring.mismatch + 2 * gap;

    return costs_t{edit, edit - gap};
}

} // namespace

struct band_bound_t {
    band_bound_launch_t launch; /* without what belongs to a batch */
    cuda_classes_t<band_bound_launch_t> classes;
    cuda_buffer_t samples[CUDA_SLOTS];
};

namespace
{

size_t samples_of_block(const band_bound_t *b)
{
    return static_cast<size_t>(b->launch.n_samples) * WARP;
}

status_t bound_pairs(band_bound_t *b, int slot, const pair_t *pairs, int64_t n, int w,
                     unsigned char *banded, int *guarded, cudaStream_t stream)
{
    cuda_grouping_t *g = &b->classes.groupings[slot];
    const plan_t plan = {b->launch.set, pairs,   static_cast<int>(n),
                         banded,        g->keys, g->indices};
    band_bound_launch_t launch = b->launch;
    status_t st;

    plan_pairs<<<cuda_keys_blocks(n), CUDA_KEYS_BLOCK, 0, stream>>>(plan);
    if ((st = CUDA_TRY(cudaGetLastError())) != ST_OK ||
        (st = cuda_grouping_build(g, n, stream)) != ST_OK)
        return st;
    launch.pairs = pairs;
    launch.guarded = guarded;
    launch.samples = static_cast<unsigned *>(b->samples[slot].at);
    launch.w = w;
    return cuda_classes_run(&b->classes, slot, launch, n, stream,
                            [&](band_bound_launch_t *l, int k) {
                                l->samples += samples_of_block(b) *
                                              static_cast<size_t>(b->classes.n_blocks[k]);
                            });
}

} // namespace

bool band_bound_applies(const align_spec_t *spec)
{
    const costs_t c = costs_of(spec);

    return spec->ends == ENDS_FREE && spec->scoring.two_valued && c.skip >= 0 &&
           c.edit > c.skip && c.edit <= COST_MAX &&
           spec->scoring.match + 2 * (c.edit - c.skip) == 2 * c.edit;
}

status_t band_bound_create(const device_t *device, const seqset_t *set,
                           const align_spec_t *spec, const cuda_batch_t *batch,
                           band_bound_t **out)
{
    const costs_t costs = costs_of(spec);
    int64_t longest = seqset_max_len(set);
    band_bound_t *b = static_cast<band_bound_t *>(calloc(1, sizeof(*b)));
    bool used[CLASSES] = {};
    status_t st;

    if (b == nullptr)
        return log_nomem("the bounds of bands");
    if (longest > TARGET_MAX)
        longest = TARGET_MAX;
    b->launch.set = *cuda_batch_set(batch);
    b->launch.n_samples = static_cast<int>((longest + SPAN - 1) / SPAN) + 1;
    b->launch.edit_cost = static_cast<unsigned>(costs.edit);
    b->launch.skip_cost = static_cast<unsigned>(costs.skip);
    for (int k = 0; k < WORDS_MAX; k += STRIDE)
        b->launch.stride_skips[k / STRIDE] =
            static_cast<int>(k * costs.skip / costs.edit);
    b->classes.kernels = kernels_of(all_words_t{});
    b->classes.n = CLASSES;
    b->classes.n_sequences = static_cast<int>(set->n);
    b->classes.grouping_bytes = cuda_batch_scratch_bytes(batch) / 4;
    cuda_words_find(all_words_t{}, set, QUERY_MAX, used);
    if ((st = cuda_classes_create(&b->classes, device, used)) != ST_OK) {
        band_bound_destroy(b);
        return st;
    }
    *out = b;
    return ST_OK;
}

status_t band_bound_run(band_bound_t *b, const cuda_work_t *work, int w,
                        unsigned char *banded, int *guarded)
{
    size_t n_blocks = 0;
    status_t st;

    for (int k = 0; k < CLASSES; k++)
        n_blocks += static_cast<size_t>(b->classes.n_blocks[k]);
    if ((st = cuda_buffer_reserve(&b->samples[work->slot],
                                  sizeof(unsigned) * n_blocks * samples_of_block(b))) !=
        ST_OK)
        return st;
    return cuda_classes_pieces(&b->classes, work, [&](int64_t first, int64_t n) {
        return bound_pairs(b, work->slot, work->pairs + first, n, w, banded + first,
                           guarded + first, work->stream);
    });
}

void band_bound_destroy(band_bound_t *b)
{
    if (b == nullptr)
        return;
    cuda_classes_destroy(&b->classes);
    for (int k = 0; k < CUDA_SLOTS; k++)
        cuda_buffer_free(&b->samples[k]);
    free(b);
}
