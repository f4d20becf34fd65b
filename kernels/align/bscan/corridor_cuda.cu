/*
 * corridor_cuda.cu - finds corridors: one pair per thread; the pairs of a warp have the
 * same query.
 *
 * A pair's class is the number of words that hold its query's rows; each class has a
 * kernel (cuda_classes.cuh). corridor_sweep.cuh says what a warp does.
 */
#include "kernels/align/bscan/corridor_sweep.cuh"
#include "kernels/align/cuda/cuda_classes.cuh"

#include <algorithm>
#include <cstdlib>

namespace
{

constexpr int64_t COST_MAX = 4096;

using all_words_t = cuda_words_t<16, 24, 32, 40, 44, 46, 48, 50, 56, 64>;

enum { CLASSES = all_words_t::COUNT };

struct plan_t {
    cuda_set_t set;
    const pair_t *pairs;
    int first, n; /* of the batch */
    corridor_out_t out;
    unsigned long long *keys;
    int *indices;
};

/* One thread per pair: write its key. */
__global__ void __launch_bounds__(CUDA_KEYS_BLOCK) plan_pairs(const plan_t p)
{
    const int k =
        static_cast<int>(blockIdx.x) * CUDA_KEYS_BLOCK + static_cast<int>(threadIdx.x);

    if (k >= p.n)
        return;
    const int at = p.first + k;
    const pair_t pair = p.pairs[at];
    const int m = p.set.len[pair.query], n = p.set.len[pair.target];

    p.indices[k] = at;
    if (min(m, n) >= CORRIDOR_MIN && max(m, n) <= CORRIDOR_MAX) {
        p.keys[k] = cuda_grouping_key(pair.query, cuda_words_class(all_words_t{}, m), n);
        return;
    }
    p.keys[k] = CUDA_GROUPING_NO_KEY;
    p.out.w[at] = -1;
    p.out.without[atomicAdd(p.out.n_without, 1)] = static_cast<unsigned>(at);
}

template <int W>
__global__ void __launch_bounds__(WARP, BSCAN_WARPS<W>)
    corridor_kernel(const corridor_launch_t p, int group_class)
{
    __shared__ unsigned masks[MASK_STRIDE<W> * LETTERS];
    cuda_pair_group_t group;

    while (cuda_grouping_take(p.queue, group_class, &group))
        follow_group<W>(p, group, masks);
}

using kernel_t = void (*)(corridor_launch_t, int);

/* @return one kernel per class */
template <int... W> const kernel_t *kernels_of(cuda_words_t<W...>)
{
    static const kernel_t kernels[] = {corridor_kernel<W>...};

    return kernels;
}

/* @return bytes of the samples of a warp of a class */
template <int... W> size_t sample_bytes(cuda_words_t<W...>, int n_samples, int k)
{
    static const int kept[] = {KEPT<W>...};

    return sizeof(unsigned) * WARP * static_cast<size_t>(n_samples) *
           static_cast<size_t>(kept[k]);
}

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

struct corridor_t {
    corridor_launch_t launch; /* without what belongs to a batch */
    cuda_classes_t<corridor_launch_t> classes;
    cuda_buffer_t samples[CUDA_SLOTS];
};

namespace
{

size_t class_bytes(const corridor_t *c, int k)
{
    return sample_bytes(all_words_t{}, c->launch.n_samples, k) *
           static_cast<size_t>(c->classes.n_blocks[k]);
}

status_t follow_pairs(corridor_t *c, const cuda_work_t *work, int64_t first, int64_t n,
                      const corridor_out_t &out)
{
    cuda_grouping_t *g = &c->classes.groupings[work->slot];
    const plan_t plan = {c->launch.set,       work->pairs, static_cast<int>(first),
                         static_cast<int>(n), out,         g->keys,
                         g->indices};
    corridor_launch_t launch = c->launch;
    status_t st;

    plan_pairs<<<cuda_keys_blocks(n), CUDA_KEYS_BLOCK, 0, work->stream>>>(plan);
    if ((st = CUDA_TRY(cudaGetLastError())) != ST_OK ||
        (st = cuda_grouping_build(g, n, work->stream)) != ST_OK)
        return st;
    launch.pairs = work->pairs;
    launch.out = out;
    launch.samples = static_cast<unsigned *>(c->samples[work->slot].at);
    return cuda_classes_run(&c->classes, work->slot, launch, n, work->stream,
                            [&](corridor_launch_t *l, int k) {
                                l->samples += class_bytes(c, k) / sizeof(unsigned);
                            });
}

} // namespace

bool corridor_applies(const align_spec_t *spec)
{
    const costs_t c = costs_of(spec);

    return spec->ends == ENDS_FREE && spec->scoring.two_valued && c.skip >= 0 &&
           c.edit > c.skip && c.edit <= COST_MAX &&
           spec->scoring.match + 2 * (c.edit - c.skip) == 2 * c.edit;
}

status_t corridor_create(const device_t *device, const seqset_t *set,
                         const align_spec_t *spec, const cuda_batch_t *batch,
                         corridor_t **out)
{
    const costs_t costs = costs_of(spec);
    const int64_t longest = std::min<int64_t>(seqset_max_len(set), CORRIDOR_MAX);
    corridor_t *c = static_cast<corridor_t *>(calloc(1, sizeof(*c)));
    bool used[CLASSES] = {};
    int n_used = 0;
    status_t st;

    if (c == nullptr)
        return log_nomem("corridors");
    c->launch.set = *cuda_batch_set(batch);
    c->launch.n_samples = static_cast<int>((longest + SPAN - 1) / SPAN) + 2;
    c->launch.costs = {static_cast<unsigned>(costs.edit),
                       static_cast<unsigned>(costs.skip)};
    c->classes.kernels = kernels_of(all_words_t{});
    c->classes.n = CLASSES;
    c->classes.n_sequences = static_cast<int>(set->n);
    c->classes.grouping_bytes = cuda_batch_scratch_bytes(batch) / 4;
    cuda_words_find(all_words_t{}, set, CORRIDOR_MAX, used);
    if ((st = cuda_classes_create(&c->classes, device, used)) != ST_OK) {
        corridor_destroy(c);
        return st;
    }
    for (const bool is_used : used)
        n_used += is_used;
    for (int k = 0; k < CLASSES; k++)
        if (used[k])
            c->classes.n_blocks[k] = cuda_batch_limit_blocks(
                batch, c->classes.n_blocks[k],
                static_cast<int64_t>(sample_bytes(all_words_t{}, c->launch.n_samples, k)),
                2 * n_used);
    *out = c;
    return ST_OK;
}

int corridor_blocks(const corridor_t *c)
{
    return c->launch.n_samples - 2;
}

status_t corridor_run(corridor_t *c, const cuda_work_t *work, const corridor_out_t &out)
{
    size_t bytes = 0;
    status_t st;

    for (int k = 0; k < CLASSES; k++)
        bytes += class_bytes(c, k);
    if ((st = cuda_buffer_reserve(&c->samples[work->slot], bytes)) != ST_OK)
        return st;
    return cuda_classes_pieces(&c->classes, work, [&](int64_t first, int64_t n) {
        return follow_pairs(c, work, first, n, out);
    });
}

void corridor_destroy(corridor_t *c)
{
    if (c == nullptr)
        return;
    cuda_classes_destroy(&c->classes);
    for (int k = 0; k < CUDA_SLOTS; k++)
        cuda_buffer_free(&c->samples[k]);
    free(c);
}
