/*
 * filter_cuda.cu - the filter on a GPU: batches of rectangles in, lists of pairs out.
 *
 * A kernel (filter_mma.cu or filter_words.cu) takes one tile of pairs per thread block
 * and writes one bit per pair; filter_compact.cuh turns the bits into a list.
 *
 * Two batches may be in flight, each with two streams and memory of its own, which grows
 * on demand. Only the rectangles are copied to the device, and only the list is copied
 * back. A batch takes one bit of device memory per pair, 16 bytes per row of a rectangle,
 * and 8 bytes per pair that passes.
 */
#include "kernels/align/cuda/cuda_batch.cuh"
#include "kernels/align/filter/filter_compact.cuh"
#include "kernels/align/filter/filter_vectors.cuh"
#include "kernels/device/cuda_put.cuh"

#include <climits>
#include <cstddef>
#include <cstdlib>
#include <cub/device/device_scan.cuh>

namespace
{

/* Sequences that a thread describes at a time. */
constexpr int64_t SEQUENCES_PER_TASK = 1024;

enum { N_VERDICTS = FILTER_PASSED + 1 };

/* A batch in flight. */
struct batch_t {
    cudaStream_t stream, list_stream; /* for tiles; for the list of what passes */
    cudaEvent_t decided, listed;
    int64_t n_rects, n_tiles, n_words;
    compact_launch_t rows;
    cuda_buffer_t rects, bits, n_of_row, row_start, rect_start, n_by_verdict, scan, pairs;
    cuda_pinned_t host_rects, host_start, host_verdicts, host_pairs;
};

struct filter_cuda_t {
    const filter_plan_t *plan;
    const filter_kernel_t *kernel;
    filter_tile_launch_t launch; /* without what belongs to a batch */
    filter_seq_t *seqs;
    unsigned *whole, *ends;
    batch_t batches[PAIR_FILTER_DEPTH];
    int64_t n_submitted, n_waited;
};

void free_batch(batch_t *b)
{
    cuda_buffer_t *buffers[] = {&b->rects,     &b->bits,       &b->n_of_row,
                                &b->row_start, &b->rect_start, &b->n_by_verdict,
                                &b->scan,      &b->pairs};
    cuda_pinned_t *pinned[] = {&b->host_rects, &b->host_start, &b->host_verdicts,
                               &b->host_pairs};

    cudaStream_t streams[] = {b->stream, b->list_stream};
    cudaEvent_t events[] = {b->decided, b->listed};

    for (cudaStream_t stream : streams)
        if (stream != nullptr) {
            cudaStreamSynchronize(stream);
            cudaStreamDestroy(stream);
        }
    for (cudaEvent_t event : events)
        if (event != nullptr)
            cudaEventDestroy(event);
    for (cuda_buffer_t *buffer : buffers)
        cuda_buffer_free(buffer);
    for (cuda_pinned_t *p : pinned)
        cuda_pinned_free(p);
}

void filter_cuda_destroy(void *state)
{
    filter_cuda_t *f = static_cast<filter_cuda_t *>(state);

    if (f == nullptr)
        return;
    cudaSetDevice(f->plan->device->index);
    for (int k = 0; k < PAIR_FILTER_DEPTH; k++)
        free_batch(&f->batches[k]);
    cudaFree(f->seqs);
    cudaFree(f->whole);
    cudaFree(f->ends);
    free(f);
}

/* Allocate n vectors, and `behind` vectors of zeros behind them. */
status_t new_vectors(unsigned **out, int64_t n, size_t words, size_t behind)
{
    const size_t at = static_cast<size_t>(n) * words, zeros = behind * words;
    const status_t st = CUDA_TRY(cudaMalloc(out, (at + zeros + 1) * sizeof(unsigned)));

    return st == ST_OK ? cuda_put_done(
                             CUDA_TRY(cudaMemset(*out + at, 0, zeros * sizeof(unsigned))))
                       : st;
}

struct describing_t {
    const filter_plan_t *plan;
    filter_seq_t *seqs;
};

void describe_some(void *ctx, int64_t task, int)
{
    const describing_t *d = static_cast<const describing_t *>(ctx);
    const seqset_t *set = d->plan->set;
    const int64_t first = task * SEQUENCES_PER_TASK;

    for (int64_t i = first; i < set->n && i < first + SEQUENCES_PER_TASK; i++)
        d->seqs[i] = filter_kmers_describe(&d->plan->params, seqset_len(set, i));
}

/* Upload what is known of the sequences without their k-mers. */
status_t upload_seqs(filter_cuda_t *f)
{
    const int64_t n = f->plan->set->n;
    const size_t count = static_cast<size_t>(n) + 1;
    filter_seq_t *seqs = static_cast<filter_seq_t *>(calloc(count, sizeof(*seqs)));
    describing_t d = {f->plan, seqs};
    status_t st;

    if (seqs == nullptr)
        return log_nomem("the k-mers of sequences");
    pool_run(f->plan->pool, (n + SEQUENCES_PER_TASK - 1) / SEQUENCES_PER_TASK,
             describe_some, &d);
    st = cuda_put_new(&f->seqs, seqs, count);
    free(seqs);
    return st;
}

/* Make the vectors of all sequences. */
status_t make_vectors(filter_cuda_t *f)
{
    const filter_plan_t *plan = f->plan;
    const int64_t n = plan->set->n;
    const int words = f->launch.words, end_words = f->launch.end_words;
    /* zeros, which a tile at the border reads */
    const size_t behind = static_cast<size_t>(f->kernel->cols);
    cuda_set_t set = {};
    status_t st;

    if ((st = new_vectors(&f->whole, n, static_cast<size_t>(words), behind)) != ST_OK ||
        (st = new_vectors(&f->ends, n, static_cast<size_t>(end_words) * 2 * FILTER_BINS,
                          behind)) != ST_OK)
        return st;
    if (words > 0 &&
        (st = cuda_set_create(plan->pool, plan->set, plan->scoring, &set)) == ST_OK) {
        st = filter_vectors_make({set, f->seqs, f->whole, f->ends, plan->params.bound.k,
                                  plan->params.log_bits, words, end_words},
                                 n);
        cuda_set_free(&set);
    }
    f->launch.seqs = f->seqs;
    f->launch.whole = f->whole;
    f->launch.ends = f->ends;
    return st;
}

/* Choose the kernel. Products of bits need code for FILTER_MMA_CAPABILITY, and vectors of
 * whole steps: those of the shortest sequences' ends have less than one. Everything else
 * is left to filter_words; docs/decisions/filter-on-turing.md says why it is kept. */
status_t choose_kernel(filter_cuda_t *f)
{
    const filter_params_t *params = &f->plan->params;
    filter_tile_launch_t *p = &f->launch;
    bool has_mma = false;
    const status_t st = filter_mma_prepare(&has_mma);

    p->words = params->bound.k > 0 ? (1 << params->log_bits) / 32 : 0;
    p->free_ends = params->goal.ends == ENDS_FREE;
    p->end_words = p->free_ends ? p->words / 2 : 0;
    p->triangle = f->plan->shape.triangle;
    f->kernel = has_mma && p->words % filter_mma_kernel.step == 0 &&
                        p->end_words % filter_mma_kernel.step == 0
                    ? &filter_mma_kernel
                    : &filter_words_kernel;
    return st;
}

/* Listing what passes takes little time, and the host goes on after it. So that it does
 * not wait for the tiles of the next batch, it runs in a stream of higher priority. */
status_t create_streams(batch_t *b)
{
    int lowest, highest; /* priorities: the highest one has the lowest number */
    status_t st;

    if ((st = CUDA_TRY(cudaDeviceGetStreamPriorityRange(&lowest, &highest))) != ST_OK ||
        (st = CUDA_TRY(cudaStreamCreateWithFlags(&b->stream, cudaStreamNonBlocking))) !=
            ST_OK ||
        (st = CUDA_TRY(cudaStreamCreateWithPriority(&b->list_stream,
                                                    cudaStreamNonBlocking, highest))) !=
            ST_OK ||
        (st = CUDA_TRY(cudaEventCreateWithFlags(&b->decided, cudaEventDisableTiming))) !=
            ST_OK)
        return st;
    return CUDA_TRY(cudaEventCreateWithFlags(&b->listed, cudaEventDisableTiming));
}

status_t filter_cuda_create(const filter_plan_t *plan, void **state)
{
    filter_cuda_t *f = static_cast<filter_cuda_t *>(calloc(1, sizeof(*f)));
    status_t st;

    if (f == nullptr)
        return log_nomem("the filter");
    f->plan = plan;
    if ((st = CUDA_TRY(cudaSetDevice(plan->device->index))) == ST_OK &&
        (st = choose_kernel(f)) == ST_OK && (st = upload_seqs(f)) == ST_OK)
        st = make_vectors(f);
    for (int k = 0; st == ST_OK && k < PAIR_FILTER_DEPTH; k++)
        st = create_streams(&f->batches[k]);
    if (st != ST_OK) {
        filter_cuda_destroy(f);
        return st;
    }
    *state = f;
    return ST_OK;
}

/* Divide a batch's rectangles into tiles, rows and words, numbered through the batch. */
status_t lay_out(const filter_kernel_t *kernel, batch_t *b, const filter_rect_t *rects,
                 int64_t n)
{
    status_t st = cuda_pinned_reserve(&b->host_rects, (static_cast<size_t>(n) + 1) *
                                                          sizeof(filter_tile_rect_t));
    filter_tile_rect_t *out = static_cast<filter_tile_rect_t *>(b->host_rects.at);

    if (st != ST_OK)
        return st;
    b->n_rects = n;
    b->n_tiles = b->n_words = b->rows.n_rows = 0;
    for (int64_t k = 0; k < n; k++) {
        const int64_t rows = rects[k].row1 - rects[k].row0;
        const int64_t cols = rects[k].col1 - rects[k].col0;
        const bool empty = rows <= 0 || cols <= 0;
        const int64_t across = empty ? 0 : (cols + kernel->cols - 1) / kernel->cols;
        const int64_t words = empty ? 0 : (cols + 31) / 32;

        out[k].at = rects[k];
        out[k].tile_start = b->n_tiles;
        out[k].row_start = b->rows.n_rows;
        out[k].word_start = b->n_words;
        out[k].words = static_cast<int>(words);
        out[k].tiles_across = static_cast<int>(across);
        b->n_tiles += across * ((rows + kernel->rows - 1) / kernel->rows);
        b->n_words += words * rows;
        b->rows.n_rows += empty ? 0 : rows;
    }
    if (n < INT_MAX / 2 && b->n_tiles <= INT_MAX &&
        b->rows.n_rows / (ROW_BLOCK / WARP) < INT_MAX && b->rows.n_rows < INT_MAX)
        return ST_OK;
    log_error("filter: a batch of %lld tiles is too large for a GPU; submit fewer pairs "
              "at a time",
              static_cast<long long>(b->n_tiles));
    return ST_EDEVICE;
}

status_t reserve(batch_t *b)
{
    const size_t rects = static_cast<size_t>(b->n_rects) + 1;
    const size_t rows = static_cast<size_t>(b->rows.n_rows) + 1;
    size_t scan_bytes = 0;
    status_t st;

    if ((st = cuda_buffer_reserve(&b->rects, rects * sizeof(filter_tile_rect_t))) !=
            ST_OK ||
        (st = cuda_buffer_reserve(&b->bits, (static_cast<size_t>(b->n_words) + 1) *
                                                sizeof(unsigned))) != ST_OK ||
        (st = cuda_buffer_reserve(&b->n_of_row, rows * sizeof(long long))) != ST_OK ||
        (st = cuda_buffer_reserve(&b->row_start, rows * sizeof(long long))) != ST_OK ||
        (st = cuda_buffer_reserve(&b->rect_start, rects * sizeof(long long))) != ST_OK ||
        (st = cuda_buffer_reserve(&b->n_by_verdict,
                                  N_VERDICTS * sizeof(unsigned long long))) != ST_OK ||
        (st = cuda_pinned_reserve(&b->host_start, rects * sizeof(int64_t))) != ST_OK ||
        (st = cuda_pinned_reserve(&b->host_verdicts,
                                  N_VERDICTS * sizeof(unsigned long long))) != ST_OK)
        return st;
    b->rows.rects = static_cast<const filter_tile_rect_t *>(b->rects.at);
    b->rows.n_rects = static_cast<int>(b->n_rects);
    b->rows.bits = static_cast<const unsigned *>(b->bits.at);
    b->rows.n_of_row = static_cast<long long *>(b->n_of_row.at);
    b->rows.row_start = static_cast<const long long *>(b->row_start.at);
    b->rows.rect_start = static_cast<long long *>(b->rect_start.at);
    st = CUDA_TRY(cub::DeviceScan::ExclusiveSum(nullptr, scan_bytes, b->rows.n_of_row,
                                                static_cast<long long *>(b->row_start.at),
                                                static_cast<int>(rows), b->stream));
    return st != ST_OK ? st : cuda_buffer_reserve(&b->scan, scan_bytes);
}

unsigned blocks_of(int64_t n, int64_t each)
{
    return static_cast<unsigned>((n + each - 1) / each);
}

/* Decide a batch's tiles, if it has any, and let the list wait for them. */
status_t decide_tiles(const filter_cuda_t *f, batch_t *b)
{
    filter_tile_launch_t p = f->launch;
    status_t st = ST_OK;

    p.rects = b->rows.rects;
    p.n_rects = b->rows.n_rects;
    p.bits = static_cast<unsigned *>(b->bits.at);
    p.n_by_verdict = static_cast<unsigned long long *>(b->n_by_verdict.at);
    if (b->n_tiles > 0)
        st = f->kernel->launch(p, blocks_of(b->n_tiles, 1), b->stream);
    if (st != ST_OK || (st = CUDA_TRY(cudaEventRecord(b->decided, b->stream))) != ST_OK)
        return st;
    return CUDA_TRY(cudaStreamWaitEvent(b->list_stream, b->decided));
}

/* Find where the pairs of each row and each rectangle begin in the list. */
status_t count_passed(batch_t *b)
{
    size_t scan_bytes = b->scan.bytes;
    status_t st;

    count_rows<<<blocks_of(b->rows.n_rows, ROW_BLOCK / WARP), ROW_BLOCK, 0,
                 b->list_stream>>>(b->rows);
    if ((st = CUDA_TRY(cudaGetLastError())) != ST_OK ||
        (st = CUDA_TRY(
             cub::DeviceScan::ExclusiveSum(b->scan.at, scan_bytes, b->rows.n_of_row,
                                           static_cast<long long *>(b->row_start.at),
                                           static_cast<int>(b->rows.n_rows + 1),
                                           b->list_stream))) != ST_OK)
        return st;
    find_starts<<<blocks_of(b->n_rects + 1, ROW_BLOCK), ROW_BLOCK, 0, b->list_stream>>>(
        b->rows);
    if ((st = CUDA_TRY(cudaGetLastError())) != ST_OK)
        return st;
    return CUDA_TRY(cudaMemcpyAsync(b->host_start.at, b->rect_start.at,
                                    static_cast<size_t>(b->n_rects + 1) * sizeof(int64_t),
                                    cudaMemcpyDeviceToHost, b->list_stream));
}

status_t filter_cuda_submit(void *state, const filter_rect_t *rects, int64_t n_rects)
{
    filter_cuda_t *f = static_cast<filter_cuda_t *>(state);
    batch_t *b = &f->batches[f->n_submitted % PAIR_FILTER_DEPTH];
    status_t st;

    if ((st = CUDA_TRY(cudaSetDevice(f->plan->device->index))) != ST_OK ||
        (st = lay_out(f->kernel, b, rects, n_rects)) != ST_OK ||
        (st = reserve(b)) != ST_OK)
        return st;
    f->n_submitted++;
    memset(b->host_start.at, 0, static_cast<size_t>(n_rects + 1) * sizeof(int64_t));
    if ((st = CUDA_TRY(
             cudaMemcpyAsync(b->rects.at, b->host_rects.at,
                             static_cast<size_t>(n_rects) * sizeof(filter_tile_rect_t),
                             cudaMemcpyHostToDevice, b->stream))) != ST_OK ||
        (st = CUDA_TRY(cudaMemsetAsync(b->n_by_verdict.at, 0,
                                       N_VERDICTS * sizeof(unsigned long long),
                                       b->stream))) != ST_OK ||
        (st = CUDA_TRY(
             cudaMemsetAsync(b->n_of_row.at, 0, b->n_of_row.bytes, b->stream))) != ST_OK)
        return st;
    if ((st = decide_tiles(f, b)) != ST_OK ||
        (b->n_tiles > 0 && (st = count_passed(b)) != ST_OK))
        return st;
    if ((st = CUDA_TRY(cudaMemcpyAsync(b->host_verdicts.at, b->n_by_verdict.at,
                                       N_VERDICTS * sizeof(unsigned long long),
                                       cudaMemcpyDeviceToHost, b->list_stream))) != ST_OK)
        return st;
    return CUDA_TRY(cudaEventRecord(b->listed, b->list_stream));
}

/* Write the list and copy it to the host, now that its length is known. */
status_t fetch_pairs(batch_t *b, int64_t n)
{
    const size_t bytes = static_cast<size_t>(n) * sizeof(pair_t);
    status_t st;

    if (n == 0)
        return ST_OK;
    if ((st = cuda_buffer_reserve(&b->pairs, bytes)) != ST_OK ||
        (st = cuda_pinned_reserve(&b->host_pairs, bytes)) != ST_OK)
        return st;
    b->rows.pairs = static_cast<pair_t *>(b->pairs.at);
    write_rows<<<blocks_of(b->rows.n_rows, ROW_BLOCK / WARP), ROW_BLOCK, 0,
                 b->list_stream>>>(b->rows);
    if ((st = CUDA_TRY(cudaGetLastError())) != ST_OK ||
        (st = CUDA_TRY(cudaMemcpyAsync(b->host_pairs.at, b->pairs.at, bytes,
                                       cudaMemcpyDeviceToHost, b->list_stream))) != ST_OK)
        return st;
    return CUDA_TRY(cudaStreamSynchronize(b->list_stream));
}

status_t filter_cuda_wait(void *state, filter_result_t *out)
{
    filter_cuda_t *f = static_cast<filter_cuda_t *>(state);
    batch_t *b = &f->batches[f->n_waited % PAIR_FILTER_DEPTH];
    const int64_t *start = static_cast<const int64_t *>(b->host_start.at);
    const unsigned long long *n_by_verdict =
        static_cast<const unsigned long long *>(b->host_verdicts.at);
    filter_counts_t *c = &out->counts;
    status_t st;

    f->n_waited++;
    if (f->plan->cancel != nullptr && *f->plan->cancel != 0)
        return ST_ESTOPPED;
    if ((st = CUDA_TRY(cudaSetDevice(f->plan->device->index))) != ST_OK ||
        (st = CUDA_TRY(cudaEventSynchronize(b->listed))) != ST_OK ||
        (st = fetch_pairs(b, start[b->n_rects])) != ST_OK)
        return st;
    out->pairs = static_cast<const pair_t *>(b->host_pairs.at);
    out->rect_start = start;
    c->n_by_length = static_cast<int64_t>(n_by_verdict[FILTER_BY_LENGTH]);
    c->n_by_kmers = static_cast<int64_t>(n_by_verdict[FILTER_BY_KMERS]);
    c->n_by_overlap = static_cast<int64_t>(n_by_verdict[FILTER_BY_OVERLAP]);
    c->n_passed = static_cast<int64_t>(n_by_verdict[FILTER_PASSED]);
    c->n_pairs = c->n_by_length + c->n_by_kmers + c->n_by_overlap + c->n_passed;
    return ST_OK;
}

/* Upload each row's demand into its place in the array of structures. No kernel that
 * reads them is in flight. */
status_t filter_cuda_set_demands(void *state, const filter_demand_t *demands)
{
    filter_cuda_t *f = static_cast<filter_cuda_t *>(state);
    const size_t n = static_cast<size_t>(f->plan->shape.n_rows);
    char *to = reinterpret_cast<char *>(f->seqs) + offsetof(filter_seq_t, row);
    status_t st = CUDA_TRY(cudaSetDevice(f->plan->device->index));

    if (st == ST_OK)
        st = cuda_put_done(
            CUDA_TRY(cudaMemcpy2D(to, sizeof(filter_seq_t), demands, sizeof(*demands),
                                  sizeof(*demands), n, cudaMemcpyHostToDevice)));
    return st;
}

} // namespace

extern "C" const filter_backend_t filter_cuda_backend = {
    /* .base = */ {/* .name = */ "cuda", /* .kind = */ DEVICE_CUDA, /* .rate = */ 0},
    /* .create = */ filter_cuda_create,
    /* .submit = */ filter_cuda_submit,
    /* .wait = */ filter_cuda_wait,
    /* .set_demands = */ filter_cuda_set_demands,
    /* .destroy = */ filter_cuda_destroy,
};
