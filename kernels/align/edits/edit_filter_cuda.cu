/*
 * edit_filter_cuda.cu - pairs of few edits on a GPU: a thread a pair, a warp a query.
 *
 * Pairs are put into units of up to 32 of one query (cuda_grouping.cuh), classes are how
 * many words hold it, and each has its kernel, whose blocks, a warp each, take units
 * until there are none.  edit_filter_sweep.cuh tells what a warp does.  With counted ends
 * there is one end, and its edits are those of bscan_batch.cuh.
 */
#include "kernels/align/bscan/bscan_batch.cuh"
#include "kernels/align/cuda/cuda_classes.cuh"
#include "kernels/align/edits/edit_filter_sweep.cuh"
#include "kernels/device/cuda_put.cuh"

extern "C" {
#include "kernels/align/edits/edit_filter_backend.h"
}

#include <cstdlib>

namespace
{

enum { PLAN_BLOCK = 256 };

/* Letters of longer queries have no words. */
enum { QUERY_MAX = 2048 };

using all_words_t = cuda_words_t<4, 6, 8, 12, 16, 24, 32, 40, 44, 46, 48, 50, 56, 64>;

enum { CLASSES = all_words_t::COUNT };

struct plan_t {
    cuda_set_t set;
    const pair_t *pairs;
    int n;
    int *keep;
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
    const bool held = m <= QUERY_MAX && n > 0 && m > 0;

    p.keys[at] =
        held ? cuda_grouping_key(pair.query, cuda_words_class(all_words_t{}, m), n)
             : CUDA_GROUPING_NO_KEY;
    p.indices[at] = at;
    p.keep[at] = m > QUERY_MAX;
}

/* Counted ends: from edits to whether they are few. */
__global__ void __launch_bounds__(PLAN_BLOCK)
    decide_by_edits(const cuda_set_t set, const pair_t *pairs, int n, const int *most,
                    int *keep)
{
    const int at = blockIdx.x * PLAN_BLOCK + threadIdx.x;

    if (at < n)
        keep[at] =
            keep[at] <= most[min(set.len[pairs[at].query], set.len[pairs[at].target])];
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

using kernel_t = void (*)(edit_filter_launch_t, int);

template <int... W> kernel_t kernel_among(cuda_words_t<W...>, int group_class)
{
    const kernel_t all[] = {decide_kernel<W>...};

    return all[group_class];
}

kernel_t kernel_of(int group_class)
{
    return kernel_among(all_words_t{}, group_class);
}

/* What a batch needs, one a slot. */
struct scratch_t {
    cuda_grouping_t grouping;
    cuda_side_streams_t side_streams;
};

struct edit_filter_cuda_t {
    const edit_filter_plan_t *plan;
    align_spec_t spec; /* of the batches: a number a pair */
    cuda_batch_t *batch;
    bscan_t *counted; /* NULL: other ends */
    edit_filter_launch_t launch;
    int *most, *least;     /* on the device */
    int n_blocks[CLASSES]; /* that the device holds at once; 0: a class of no query */
    scratch_t scratch[CUDA_SLOTS];
};

void edit_filter_cuda_destroy(void *state)
{
    edit_filter_cuda_t *e = static_cast<edit_filter_cuda_t *>(state);

    if (e == nullptr)
        return;
    cuda_batch_destroy(e->batch); /* waits */
    bscan_destroy(e->counted);
    for (scratch_t &s : e->scratch) {
        cuda_side_streams_destroy(&s.side_streams);
        cuda_grouping_free(&s.grouping);
    }
    cudaFree(e->most);
    cudaFree(e->least);
    free(e);
}

status_t put_bound(edit_filter_cuda_t *e)
{
    const edit_filter_bound_t *bound = &e->plan->bound;
    const size_t n = static_cast<size_t>(bound->n);
    int *least =
        static_cast<int *>(calloc(static_cast<size_t>(bound->n), sizeof(*least)));
    status_t st;

    if (least == nullptr)
        return log_nomem("a filter's bounds");
    for (int64_t k = 0; k < bound->n; k++)
        least[k] = edit_filter_bound_min_end(bound, k);
    if ((st = cuda_put_new(&e->most, bound->max_edits, n)) == ST_OK)
        st = cuda_put_new(&e->least, least, n);
    free(least);
    return st;
}

/* Count the blocks of the classes that queries of this set can be of. */
status_t size_grids(edit_filter_cuda_t *e, const seqset_t *set)
{
    bool any[CLASSES] = {};
    status_t st = ST_OK;

    cuda_words_find(all_words_t{}, set, QUERY_MAX, any);
    for (int k = 0; k < CLASSES && st == ST_OK; k++)
        if (any[k])
            st = cuda_classes_blocks(kernel_of(k), e->plan->device, &e->n_blocks[k]);
    return st;
}

status_t edit_filter_cuda_create(const edit_filter_plan_t *plan, void **state)
{
    edit_filter_cuda_t *e = static_cast<edit_filter_cuda_t *>(calloc(1, sizeof(*e)));
    status_t st;

    if (e == nullptr)
        return log_nomem("a filter");
    e->plan = plan;
    e->spec = *plan->spec;
    e->spec.emit = EMIT_SCORE;
    const align_context_t context = {plan->device, plan->pool, plan->set, &e->spec,
                                     plan->run};
    if ((st = cuda_batch_create(&context, &e->batch)) == ST_OK &&
        (st = put_bound(e)) == ST_OK && (st = size_grids(e, plan->set)) == ST_OK &&
        plan->spec->ends == ENDS_COUNT)
        st = bscan_create(plan->device, plan->pool, plan->set, bscan_longest(plan->set),
                          true, BSCAN_EDITS, e->batch, &e->counted);
    for (int k = 0; k < CUDA_SLOTS && st == ST_OK; k++)
        st = cuda_side_streams_create(&e->scratch[k].side_streams);
    if (st != ST_OK) {
        edit_filter_cuda_destroy(e);
        return st;
    }
    e->launch.set = *cuda_batch_set(e->batch);
    e->launch.most = e->most;
    e->launch.least = e->least;
    e->launch.free_ends = plan->spec->ends == ENDS_FREE;
    *state = e;
    return ST_OK;
}

unsigned plan_blocks(int64_t n)
{
    return static_cast<unsigned>((n + PLAN_BLOCK - 1) / PLAN_BLOCK);
}

status_t decide_piece(const edit_filter_cuda_t *e, scratch_t *s, const pair_t *pairs,
                      int *keep, int64_t n, cudaStream_t stream)
{
    cuda_grouping_t *g = &s->grouping;
    const plan_t plan = {e->launch.set, pairs,   static_cast<int>(n),
                         keep,          g->keys, g->indices};
    edit_filter_launch_t launch = e->launch;
    status_t st;

    plan_pairs<<<plan_blocks(n), PLAN_BLOCK, 0, stream>>>(plan);
    if ((st = CUDA_TRY(cudaGetLastError())) != ST_OK ||
        (st = cuda_grouping_build(g, n, stream)) != ST_OK)
        return st;
    launch.pairs = pairs;
    launch.keep = keep;
    launch.queue = g->queue;
    return cuda_classes_run(&s->side_streams, e->n_blocks, CLASSES, n, stream,
                            [&](int k, unsigned blocks, cudaStream_t here) {
                                kernel_of(k)<<<blocks, WARP, 0, here>>>(launch, k);
                            });
}

status_t launch_batch(void *row, const cuda_work_t *work)
{
    edit_filter_cuda_t *e = static_cast<edit_filter_cuda_t *>(row);
    scratch_t *s = &e->scratch[work->slot];
    const int64_t part =
        cuda_grouping_piece(work->n, cuda_batch_scratch_bytes(e->batch) / 2);
    status_t st;

    if (e->counted != nullptr) {
        if ((st = bscan_run(e->counted, work, work->score)) != ST_OK)
            return st;
        decide_by_edits<<<plan_blocks(work->n), PLAN_BLOCK, 0, work->stream>>>(
            e->launch.set, work->pairs, static_cast<int>(work->n), e->most, work->score);
        return CUDA_TRY(cudaGetLastError());
    }
    st = cuda_grouping_reserve(&s->grouping, part, static_cast<int>(e->plan->set->n));
    for (int64_t first = 0; first < work->n && st == ST_OK; first += part)
        st = decide_piece(e, s, work->pairs + first, work->score + first,
                          work->n - first < part ? work->n - first : part, work->stream);
    return st;
}

status_t edit_filter_cuda_run(void *state, const pair_batch_t *batch, uint8_t *keep)
{
    edit_filter_cuda_t *e = static_cast<edit_filter_cuda_t *>(state);
    pair_results_t results;
    status_t st;

    if (align_cancelled(e->plan->run.cancel))
        return ST_ESTOPPED;
    if (!e->plan->spec->scoring.two_valued) { /* letters there are no sets */
        memset(keep, 1, static_cast<size_t>(batch->n));
        return ST_OK;
    }
    if ((st = cuda_batch_submit(e->batch, batch, launch_batch, e)) != ST_OK ||
        (st = cuda_batch_wait(e->batch, &results)) != ST_OK)
        return st;
    for (int64_t i = 0; i < batch->n; i++)
        keep[i] = results.score[i] != 0;
    return ST_OK;
}

} // namespace

extern "C" const edit_filter_backend_t edit_filter_cuda_backend = {
    /* .kind = */ DEVICE_CUDA,
    /* .create = */ edit_filter_cuda_create,
    /* .run = */ edit_filter_cuda_run,
    /* .destroy = */ edit_filter_cuda_destroy,
};
