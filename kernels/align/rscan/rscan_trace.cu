/*
 * rscan_trace.cu - CIGARs behind the numbers of a batch: the order of its pairs, and
 * memory for directions.
 *
 * Warps have memory for bands of a share of the largest matrix; the pairs that need more
 * are noted and traced by a second launch, of as many warps as have room for it all.
 */
#include "kernels/align/rscan/rscan_trace.cuh"

#include "kernels/align/rscan/rscan_plan.cuh"
#include "kernels/device/cuda_put.cuh"

#include <cstdlib>
#include <cstring>

namespace
{

constexpr int TAG_BITS = 2, KEY_BITS = 62, LINE_SLACK = 8;
/* Of the largest matrix, what a band usually needs no more than. */
constexpr int64_t USUAL_PART = 4;
constexpr size_t ALIGN = 256;

/* Counters of a batch, on the device. */
struct counters_t {
    int next, next_large, n_large;
};

struct slot_t {
    cuda_buffer_t arrays, lines, blocks;
    counters_t *counters;
    cuda_cigar_t cigar;
};

/* Bytes of the list of places whose bands are large; the plan stands behind it. */
size_t list_bytes(int64_t n)
{
    return (static_cast<size_t>(n) * sizeof(int) / ALIGN + 1) * ALIGN;
}

struct ranked_t {
    const uint8_t *letters;
    int64_t len, at;
};

/* By nw_reference_query_is_rows. */
int by_rank(const void *a, const void *b)
{
    const ranked_t *x = static_cast<const ranked_t *>(a);
    const ranked_t *y = static_cast<const ranked_t *>(b);

    if (x->len != y->len)
        return x->len < y->len ? -1 : 1;
    return memcmp(x->letters, y->letters, static_cast<size_t>(x->len));
}

void rank_all(const seqset_t *set, ranked_t *sorted, int *rank)
{
    for (int64_t i = 0; i < set->n; i++)
        sorted[i] = ranked_t{seqset_letters(set, i), seqset_len(set, i), i};
    qsort(sorted, static_cast<size_t>(set->n), sizeof(*sorted), by_rank);
    for (int64_t k = 0, r = 0; k < set->n; k++) {
        if (k > 0 && by_rank(&sorted[k - 1], &sorted[k]) != 0)
            r = k;
        rank[sorted[k].at] = static_cast<int>(r);
    }
}

} // namespace

bool rscan_trace_holds(const align_spec_t *spec, int64_t len)
{
    cell_layout_t layout;

    return rscan_holds(RSCAN_SETS64, spec, len) &&
           rscan_layout(RSCAN_SETS64, spec, static_cast<int>(len), &layout) >= len &&
           rscan_layout_bits(layout, len) + TAG_BITS <= KEY_BITS;
}

struct rscan_trace_t {
    const seqset_t *set;
    const align_spec_t *spec;
    cell_layout_t layout;
    int *rank;                    /* [n] on the device */
    int n_blocks, n_large_blocks; /* of the two launches */
    int64_t usual_len, max_len;   /* words of directions a lane */
    int64_t line_len;
    slot_t slots[CUDA_SLOTS];
};

namespace
{

status_t put_ranks(rscan_trace_t *t)
{
    const size_t n = static_cast<size_t>(t->set->n) + 1;
    ranked_t *sorted = static_cast<ranked_t *>(malloc(n * sizeof(*sorted)));
    int *rank = static_cast<int *>(malloc(n * sizeof(*rank)));
    status_t st;

    if (sorted == nullptr || rank == nullptr) {
        st = log_nomem("the order of the sequences");
    } else {
        rank_all(t->set, sorted, rank);
        rank[n - 1] = 0;
        st = cuda_put_new(&t->rank, rank, n);
    }
    free(sorted);
    free(rank);
    return st;
}

/* @return the most letters that can be traced, `most` at most */
int find_max(const align_spec_t *spec, int most)
{
    int least = 1;

    if (rscan_trace_holds(spec, most))
        return most;
    while (most - least > 1) {
        const int len = least + (most - least) / 2;

        if (rscan_trace_holds(spec, len))
            least = len;
        else
            most = len;
    }
    return least;
}

int64_t block_bytes(int64_t len)
{
    return len * RSCAN_TRACE_BLOCK * static_cast<int64_t>(sizeof(unsigned));
}

/* As many blocks as the device holds, fewer where their directions would fill it. */
status_t size_grids(rscan_trace_t *t, const device_t *device, const cuda_batch_t *batch,
                    int64_t most)
{
    const int64_t room = cuda_batch_scratch_bytes(batch) / 2;
    const int64_t rows = most / RSCAN_TRACE_ROWS + 1;
    int max_blocks = 0;
    const status_t st = rscan_trace_blocks(device, &max_blocks);

    t->line_len = most + LINE_SLACK;
    t->max_len = rows * (most + LINE_SLACK);
    t->usual_len = t->max_len / USUAL_PART;
    const int64_t usual = room / block_bytes(t->usual_len);
    const int64_t large = room / block_bytes(t->max_len);

    t->n_blocks = static_cast<int>(usual < 1            ? 1
                                   : usual < max_blocks ? usual
                                                        : max_blocks);
    t->n_large_blocks = static_cast<int>(large < 1            ? 1
                                         : large < max_blocks ? large
                                                              : max_blocks);
    return st;
}

/* The letters of all pairs. */
int64_t count_letters(const seqset_t *set, const pair_batch_t *batch)
{
    int64_t n = 0;

    for (int64_t k = 0; k < batch->n; k++)
        n += seqset_len(set, batch->pairs[k].query) +
             seqset_len(set, batch->pairs[k].target);
    return n;
}

status_t reserve(const rscan_trace_t *t, slot_t *s, size_t array_bytes)
{
    const int64_t blocks =
        t->n_blocks > t->n_large_blocks ? t->n_blocks : t->n_large_blocks;
    const int64_t usual = block_bytes(t->usual_len) * t->n_blocks;
    const int64_t large = block_bytes(t->max_len) * t->n_large_blocks;
    const int64_t lines = blocks * t->line_len * RSCAN_TRACE_BLOCK *
                          static_cast<int64_t>(sizeof(unsigned long long));
    status_t st;

    if ((st = cuda_buffer_reserve(&s->arrays, array_bytes)) != ST_OK ||
        (st = cuda_buffer_reserve(&s->lines, static_cast<size_t>(lines))) != ST_OK)
        return st;
    return cuda_buffer_reserve(&s->blocks,
                               static_cast<size_t>(usual > large ? usual : large));
}

/* Order the pairs, and trace them. */
status_t launch_all(const rscan_trace_t *t, slot_t *s, rscan_trace_launch_t launch,
                    cudaStream_t stream)
{
    int *large = static_cast<int *>(s->arrays.at);
    const rscan_plan_t plan =
        rscan_plan_at(static_cast<char *>(s->arrays.at) + list_bytes(launch.n), launch.n);
    status_t st;

    if ((st = rscan_trace_keys(launch, plan.keys[0], plan.values[0], stream)) != ST_OK ||
        (st = rscan_plan_sort(plan, launch.n, stream, &launch.order)) != ST_OK)
        return st;
    launch.next = &s->counters->next;
    launch.large = large;
    launch.n_large = &s->counters->n_large;
    launch.blocks_len = t->usual_len;
    if ((st = rscan_trace_kernel_run(launch, t->n_blocks, stream)) != ST_OK)
        return st;
    launch.next = &s->counters->next_large;
    launch.list = large;
    launch.n_list = &s->counters->n_large;
    launch.large = launch.n_large = nullptr;
    launch.blocks_len = t->max_len;
    return rscan_trace_kernel_run(launch, t->n_large_blocks, stream);
}

} // namespace

status_t rscan_trace_create(const device_t *device, const seqset_t *set,
                            const align_spec_t *spec, const cuda_batch_t *batch, int most,
                            rscan_trace_t **out)
{
    rscan_trace_t *t = static_cast<rscan_trace_t *>(calloc(1, sizeof(*t)));
    status_t st;

    if (t == nullptr)
        return log_nomem("CIGARs");
    t->set = set;
    t->spec = spec;
    most = find_max(spec, most);
    rscan_layout(RSCAN_SETS64, spec, most, &t->layout);
    if ((st = put_ranks(t)) == ST_OK)
        st = size_grids(t, device, batch, most);
    for (int k = 0; st == ST_OK && k < CUDA_SLOTS; k++)
        st = CUDA_TRY(cudaMalloc(&t->slots[k].counters, sizeof(counters_t)));
    if (st != ST_OK) {
        rscan_trace_destroy(t);
        return st;
    }
    *out = t;
    return ST_OK;
}

status_t rscan_trace_run(rscan_trace_t *t, const pair_batch_t *batch,
                         const cuda_work_t *work, const rscan_launch_t &scan)
{
    slot_t *s = &t->slots[work->slot];
    const size_t bytes = list_bytes(work->n) + rscan_plan_bytes(work->n);
    rscan_trace_launch_t launch = {};
    status_t st;

    if ((st = reserve(t, s, bytes)) != ST_OK ||
        (st = cuda_cigar_reserve(&s->cigar, &scan.set, work->pairs, work->n,
                                 count_letters(t->set, batch), work->stream)) != ST_OK ||
        (st = CUDA_TRY(cudaMemsetAsync(s->counters, 0, sizeof(*s->counters),
                                       work->stream))) != ST_OK)
        return st;
    launch.scan = scan;
    launch.scan.layout = t->layout;
    launch.scan.identity = true;
    launch.scan.per_quantum = rscan_per_quantum(t->layout);
    launch.scan.lines = s->lines.at;
    launch.scan.line_len = t->line_len;
    launch.rank = t->rank;
    launch.n = static_cast<int>(work->n);
    launch.blocks = static_cast<unsigned *>(s->blocks.at);
    launch.min_overlap = t->spec->min_overlap;
    launch.trace_start = s->cigar.trace_start;
    launch.n_runs = s->cigar.n_runs;
    launch.runs = s->cigar.runs;
    st = launch_all(t, s, launch, work->stream);
    return st == ST_OK ? cuda_cigar_pack(&s->cigar) : st;
}

status_t rscan_trace_fetch(rscan_trace_t *t, int slot, pair_results_t *out)
{
    return cuda_cigar_fetch(&t->slots[slot].cigar, out);
}

void rscan_trace_destroy(rscan_trace_t *t)
{
    if (t == nullptr)
        return;
    for (slot_t &s : t->slots) {
        cuda_buffer_free(&s.arrays);
        cuda_buffer_free(&s.lines);
        cuda_buffer_free(&s.blocks);
        cudaFree(s.counters);
        cuda_cigar_free(&s.cigar);
    }
    cudaFree(t->rank);
    free(t);
}
