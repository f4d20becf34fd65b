/*
 * band_bound_cuda.cu - bounds of what leaving a band can score: a thread a pair, a warp a
 * query.
 *
 * A batch's pairs are put into units of up to 32 of one query (cuda_grouping.cuh).  A
 * unit's class is how many words hold its query; each class has its kernel, whose blocks,
 * a warp each, take units until there are none.  Classes run side by side in streams, so
 * that one's end is filled by the others.  band_bound_sweep.cuh tells what a warp does.
 */
#include "kernels/align/bscan/band_bound_sweep.cuh"
#include "kernels/align/cuda/cuda_classes.cuh"

#include <cstdlib>

namespace
{

enum { PLAN_BLOCK = 256 };

/* Longer sequences are not bounded: samples have 16 bits, and too few would gain. */
enum { QUERY_MAX = 2048, TARGET_MAX = 8192, COST_MAX = 4096 };

using all_words_t = cuda_words_t<16, 24, 32, 40, 44, 46, 48, 50, 56, 64>;

enum { CLASSES = all_words_t::COUNT };

struct plan_t {
    cuda_set_t set;
    const pair_t *pairs;
    int n, w;
    int *guarded;
    unsigned long long *keys;
    int *indices;
};

/* A thread a pair: its key. */
__global__ void __launch_bounds__(PLAN_BLOCK) plan_pairs(const plan_t p)
{
    const int at = blockIdx.x * PLAN_BLOCK + threadIdx.x;

    if (at >= p.n)
        return;
    const pair_t pair = p.pairs[at];
    const int m = p.set.len[pair.query], n = p.set.len[pair.target];
    const bool banded = min(m, n) >= 3 * p.w, held = m <= QUERY_MAX && n <= TARGET_MAX;

    p.keys[at] = banded && held ? cuda_grouping_key(pair.query,
                                                    cuda_words_class(all_words_t{}, m), n)
                                : CUDA_GROUPING_NO_KEY;
    p.indices[at] = at;
    if (banded && !held)
        p.guarded[at] = INT_MAX;
}

template <int W>
__global__ void __launch_bounds__(WARP, BSCAN_WARPS<W>)
    bound_kernel(const band_bound_launch_t p, int group_class)
{
    __shared__ unsigned masks[W * LETTERS];
    cuda_pair_group_t group;

    while (cuda_grouping_take(p.queue, group_class, &group))
        bound_group<W>(p, group, masks);
}

using kernel_t = void (*)(band_bound_launch_t, int);

template <int... W> kernel_t kernel_among(cuda_words_t<W...>, int group_class)
{
    const kernel_t all[] = {bound_kernel<W>...};

    return all[group_class];
}

kernel_t kernel_of(int group_class)
{
    return kernel_among(all_words_t{}, group_class);
}

/* What a batch needs, one a slot. */
struct scratch_t {
    cuda_grouping_t grouping;
    cuda_buffer_t samples;
    cuda_side_streams_t side_streams;
};

/* What an edit costs and a letter that is skipped at an end: B and K. */
struct costs_t {
    int64_t edit, skip;
};

costs_t costs_of(const align_spec_t *spec)
{
    const int64_t gap = -static_cast<int64_t>(spec->scoring.gap);
    const int64_t edit = spec->scoring.mismatch + 2 * gap;

    return costs_t{edit, edit - gap};
}

void free_scratch(scratch_t *s)
{
    cuda_side_streams_destroy(&s->side_streams);
    cuda_grouping_free(&s->grouping);
    cuda_buffer_free(&s->samples);
}

} // namespace

struct band_bound_t {
    const seqset_t *set;
    band_bound_launch_t launch; /* but for the batch's own */
    int64_t scratch_bytes;
    int n_blocks[CLASSES]; /* that the device holds at once; 0: a class of no query */
    scratch_t scratch[CUDA_SLOTS];
};

namespace
{

/* Count the blocks of the classes that queries of this set can be of. */
status_t size_grids(band_bound_t *b, const device_t *device)
{
    int64_t longest = seqset_max_len(b->set);
    bool any[CLASSES] = {};
    status_t st = ST_OK;

    if (longest > TARGET_MAX)
        longest = TARGET_MAX;
    b->launch.n_samples = static_cast<int>((longest + SPAN - 1) / SPAN) + 1;
    cuda_words_find(all_words_t{}, b->set, QUERY_MAX, any);
    for (int k = 0; k < CLASSES && st == ST_OK; k++) {
        if (any[k])
            st = cuda_classes_blocks(kernel_of(k), device, &b->n_blocks[k]);
    }
    return st;
}

size_t samples_of_block(const band_bound_t *b)
{
    return static_cast<size_t>(b->launch.n_samples) * WARP;
}

/* Enqueue every class's kernel; each has samples of its own. */
status_t run_classes(const band_bound_t *b, scratch_t *s, band_bound_launch_t launch,
                     int64_t n, cudaStream_t stream)
{
    launch.samples = static_cast<unsigned *>(s->samples.at);
    return cuda_classes_run(&s->side_streams, b->n_blocks, CLASSES, n, stream,
                            [&](int k, unsigned blocks, cudaStream_t here) {
                                kernel_of(k)<<<blocks, WARP, 0, here>>>(launch, k);
                                launch.samples += samples_of_block(b) *
                                                  static_cast<size_t>(b->n_blocks[k]);
                            });
}

status_t bound_pairs(const band_bound_t *b, scratch_t *s, const pair_t *pairs, int64_t n,
                     int w, int *guarded, cudaStream_t stream)
{
    cuda_grouping_t *g = &s->grouping;
    const plan_t plan = {b->launch.set, pairs,   static_cast<int>(n), w,
                         guarded,       g->keys, g->indices};
    band_bound_launch_t launch = b->launch;
    status_t st;

    plan_pairs<<<static_cast<unsigned>((n + PLAN_BLOCK - 1) / PLAN_BLOCK), PLAN_BLOCK, 0,
                 stream>>>(plan);
    if ((st = CUDA_TRY(cudaGetLastError())) != ST_OK ||
        (st = cuda_grouping_build(g, n, stream)) != ST_OK)
        return st;
    launch.pairs = pairs;
    launch.guarded = guarded;
    launch.queue = g->queue;
    launch.w = w;
    return run_classes(b, s, launch, n, stream);
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
    band_bound_t *b = static_cast<band_bound_t *>(calloc(1, sizeof(*b)));
    const costs_t costs = costs_of(spec);
    status_t st;

    if (b == nullptr)
        return log_nomem("bounds");
    b->set = set;
    b->launch.set = *cuda_batch_set(batch);
    b->launch.edit_cost = static_cast<unsigned>(costs.edit);
    b->launch.skip_cost = static_cast<unsigned>(costs.skip);
    for (int k = 0; k < SPAN; k += STRIDE)
        b->launch.stride_skips[k / STRIDE] =
            static_cast<int>(k * costs.skip / costs.edit);
    b->scratch_bytes = cuda_batch_scratch_bytes(batch) / 4;
    st = size_grids(b, device);
    for (int k = 0; k < CUDA_SLOTS && st == ST_OK; k++)
        st = cuda_side_streams_create(&b->scratch[k].side_streams);
    if (st != ST_OK) {
        band_bound_destroy(b);
        return st;
    }
    *out = b;
    return ST_OK;
}

status_t band_bound_run(band_bound_t *b, const cuda_work_t *work, int w, int *guarded)
{
    scratch_t *s = &b->scratch[work->slot];
    const int64_t part = cuda_grouping_piece(work->n, b->scratch_bytes);
    size_t n_blocks = 0;
    status_t st;

    for (int k = 0; k < CLASSES; k++)
        n_blocks += static_cast<size_t>(b->n_blocks[k]);
    if ((st = cuda_grouping_reserve(&s->grouping, part, static_cast<int>(b->set->n))) !=
            ST_OK ||
        (st = cuda_buffer_reserve(&s->samples, sizeof(unsigned) * n_blocks *
                                                   samples_of_block(b))) != ST_OK)
        return st;
    for (int64_t first = 0; first < work->n && st == ST_OK; first += part)
        st = bound_pairs(b, s, work->pairs + first,
                         work->n - first < part ? work->n - first : part, w,
                         guarded + first, work->stream);
    return st;
}

void band_bound_destroy(band_bound_t *b)
{
    if (b == nullptr)
        return;
    for (int k = 0; k < CUDA_SLOTS; k++)
        free_scratch(&b->scratch[k]);
    free(b);
}
