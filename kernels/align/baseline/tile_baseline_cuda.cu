/*
 * tile_baseline_cuda.cu - one pair at a time, its matrix in global memory, tile by tile.
 *
 * A warp computes a tile of 32 x 32 cells in shared memory; lane l holds the tile's
 * column l and is one row behind lane l-1.  The tiles of an antidiagonal do not depend on
 * each other and are one launch; the next launch waits for them.  The matrix has (m+1) x
 * (n+1) ints, in rows; bases are codes.
 *
 * It is slow on purpose: it shows what the other backends save in memory, copies and
 * launches.  nw_reference.c is the definition.
 */
#include "kernels/device/cuda_host.cuh"

extern "C" {
#include "kernels/align/baseline/tile_baseline.h"
}

#include <cstdlib>
#include <cstring>

namespace
{

enum { TILE = 32, BLOCK = 256 };

constexpr unsigned ALL = 0xffffffffu;
constexpr int64_t MATRIX_BYTES_MAX = INT64_C(1) << 32; /* on the host too */

struct problem_t {
    int *cells; /* [m+1][n+1] */
    const unsigned char *a, *b;
    const int *table; /* [DNA_SIZE][DNA_SIZE] scores */
    int m, n, gap;
    bool ends_free;
};

__device__ long long at(const problem_t &p, int i, int j)
{
    return static_cast<long long>(i) * (p.n + 1) + j;
}

__global__ void init_kernel(const problem_t p)
{
    const int k = blockIdx.x * BLOCK + threadIdx.x;
    const int cell = p.ends_free ? 0 : k * p.gap;

    if (k <= p.n)
        p.cells[at(p, 0, k)] = cell;
    if (k <= p.m)
        p.cells[at(p, k, 0)] = cell;
}

/* Tiles of one anti-diagonal: block x has tile row first_row + x. */
__global__ void __launch_bounds__(TILE)
    tile_kernel(const problem_t p, int diagonal, int first_row)
{
    __shared__ int tile[TILE + 1][TILE + 2]; /* a diagonal touches every bank once */
    __shared__ int table[DNA_SIZE * DNA_SIZE];
    __shared__ unsigned char rows[TILE];
    const int lane = threadIdx.x;
    const int i0 = (first_row + blockIdx.x) * TILE;
    const int j0 = (diagonal - first_row - blockIdx.x) * TILE;
    const int n_rows = min(static_cast<int>(TILE), p.m - i0);
    const int n_columns = min(static_cast<int>(TILE), p.n - j0);
    const unsigned char column = lane < n_columns ? p.b[j0 + lane] : 0;

    for (int k = lane; k < DNA_SIZE * DNA_SIZE; k += TILE)
        table[k] = p.table[k];
    if (lane < n_rows) {
        rows[lane] = p.a[i0 + lane];
        tile[lane + 1][0] = p.cells[at(p, i0 + lane + 1, j0)];
    }
    if (lane < n_columns)
        tile[0][lane + 1] = p.cells[at(p, i0, j0 + lane + 1)];
    if (lane == 0)
        tile[0][0] = p.cells[at(p, i0, j0)];
    __syncwarp();
    for (int t = 0; t < n_rows + n_columns - 1; t++) {
        const int i = t - lane;

        if (i >= 0 && i < n_rows && lane < n_columns) {
            const int step = table[rows[i] * DNA_SIZE + column];
            const int beside = max(tile[i][lane + 1], tile[i + 1][lane]) + p.gap;

            tile[i + 1][lane + 1] = max(tile[i][lane] + step, beside);
        }
        __syncwarp();
    }
    for (int i = 0; lane < n_columns && i < n_rows; i++)
        p.cells[at(p, i0 + i + 1, j0 + lane + 1)] = tile[i + 1][lane + 1];
}

/* The best cell where alignments with free ends may end; one block. */
__global__ void __launch_bounds__(BLOCK) best_kernel(const problem_t p, int *out)
{
    __shared__ int best_of_warp[BLOCK / TILE];
    int best = p.cells[at(p, p.m, p.n)];

    for (int j = threadIdx.x; j <= p.n; j += BLOCK)
        best = max(best, p.cells[at(p, p.m, j)]);
    for (int i = threadIdx.x; i <= p.m; i += BLOCK)
        best = max(best, p.cells[at(p, i, p.n)]);
    for (int distance = TILE / 2; distance > 0; distance /= 2)
        best = max(best, __shfl_xor_sync(ALL, best, distance));
    if (threadIdx.x % TILE == 0)
        best_of_warp[threadIdx.x / TILE] = best;
    __syncthreads();
    for (int k = 0; threadIdx.x == 0 && k < BLOCK / TILE; k++)
        best = max(best, best_of_warp[k]);
    if (threadIdx.x == 0)
        *out = best;
}

struct baseline_t {
    int device;
    const seqset_t *set;
    bool init_on_host;
    problem_t problem; /* without the members of a pair */
    unsigned char *letters;
    int *cells, *table, *best;
    int *host_cells; /* the matrix, or only the score */
    const pair_batch_t *batch;
    align_run_t run;
    int32_t *score;
    int64_t capacity;
};

int64_t matrix_bytes(int64_t m, int64_t n)
{
    return (m + 1) * (n + 1) * static_cast<int64_t>(sizeof(int));
}

bool baseline_fits(const align_context_t *context, int64_t m, int64_t n)
{
    const align_range_t range = align_range(context->spec, m, n);
    const int64_t device_bytes = context->device->memory_bytes / 4;

    return range.min >= INT32_MIN / 2 && range.max <= INT32_MAX / 2 &&
           matrix_bytes(m, n) <=
               (device_bytes < MATRIX_BYTES_MAX ? device_bytes : MATRIX_BYTES_MAX);
}

void baseline_destroy(void *state)
{
    baseline_t *b = static_cast<baseline_t *>(state);

    if (b == nullptr)
        return;
    cudaSetDevice(b->device);
    cudaFree(b->letters);
    cudaFree(b->cells);
    cudaFree(b->table);
    cudaFree(b->best);
    if (b->run.pageable)
        free(b->host_cells);
    else
        cuda_host_free(b->host_cells);
    free(b->score);
    free(b);
}

/* Allocate memory for the longest pair, on the device and on the host. */
status_t allocate(baseline_t *b)
{
    const int64_t longest = seqset_max_len(b->set);
    const size_t whole = static_cast<size_t>(matrix_bytes(longest, longest));
    const size_t host = b->init_on_host ? whole : sizeof(int);
    status_t st;

    if ((st = CUDA_TRY(cudaMalloc(&b->cells, whole))) != ST_OK ||
        (st = CUDA_TRY(cudaMalloc(&b->best, sizeof(int)))) != ST_OK)
        return st;
    if (!b->run.pageable)
        return cuda_host_alloc(nullptr, &b->host_cells, host);
    b->host_cells = static_cast<int *>(malloc(host));
    return b->host_cells != nullptr ? ST_OK : log_nomem("a matrix");
}

status_t put_set(baseline_t *b, const align_scoring_t *scoring)
{
    const size_t n_letters = static_cast<size_t>(b->set->offset[b->set->n]);
    int table[DNA_SIZE * DNA_SIZE];
    status_t st;

    for (int k = 0; k < DNA_SIZE * DNA_SIZE; k++)
        table[k] = scoring->score[k / DNA_SIZE][k % DNA_SIZE];
    if ((st = CUDA_TRY(cudaMalloc(&b->letters, n_letters + 1))) != ST_OK ||
        (st = CUDA_TRY(cudaMemcpy(b->letters, b->set->letters, n_letters,
                                  cudaMemcpyHostToDevice))) != ST_OK ||
        (st = CUDA_TRY(cudaMalloc(&b->table, sizeof(table)))) != ST_OK)
        return st;
    return CUDA_TRY(cudaMemcpy(b->table, table, sizeof(table), cudaMemcpyHostToDevice));
}

status_t baseline_create(const align_context_t *context, bool init_on_host, void **state)
{
    const align_spec_t *spec = context->spec;
    baseline_t *b = static_cast<baseline_t *>(calloc(1, sizeof(*b)));
    status_t st;

    if (b == nullptr)
        return log_nomem("the baseline");
    b->device = context->device->index;
    b->set = context->set;
    b->init_on_host = init_on_host;
    b->run = context->run;
    b->problem.gap = spec->scoring.gap;
    b->problem.ends_free = spec->ends == ENDS_FREE;
    if ((st = CUDA_TRY(cudaSetDevice(b->device))) != ST_OK ||
        (st = put_set(b, &spec->scoring)) != ST_OK || (st = allocate(b)) != ST_OK) {
        baseline_destroy(b);
        return st;
    }
    b->problem.cells = b->cells;
    b->problem.table = b->table;
    *state = b;
    return ST_OK;
}

status_t create_host(const align_context_t *context, void **state)
{
    return baseline_create(context, true, state);
}

status_t create_device(const align_context_t *context, void **state)
{
    return baseline_create(context, false, state);
}

status_t baseline_submit(void *state, const pair_batch_t *batch)
{
    baseline_t *b = static_cast<baseline_t *>(state);

    b->batch = batch;
    if (batch->n <= b->capacity)
        return ST_OK;
    free(b->score);
    b->capacity = 0;
    b->score =
        static_cast<int32_t *>(malloc(static_cast<size_t>(batch->n) * sizeof(int32_t)));
    if (b->score == nullptr)
        return log_nomem("scores");
    b->capacity = batch->n;
    return ST_OK;
}

/* Write the borders on the host, then copy the whole matrix, as Rodinia does. */
status_t init_on_host(baseline_t *b, const problem_t &p)
{
    const int step = p.ends_free ? 0 : p.gap;
    const int64_t width = static_cast<int64_t>(p.n) + 1;

    for (int j = 0; j <= p.n; j++)
        b->host_cells[j] = j * step;
    for (int i = 1; i <= p.m; i++)
        b->host_cells[i * width] = i * step;
    return CUDA_TRY(cudaMemcpy(p.cells, b->host_cells,
                               static_cast<size_t>(matrix_bytes(p.m, p.n)),
                               cudaMemcpyHostToDevice));
}

status_t fill(const problem_t &p)
{
    const int tile_rows = (p.m + TILE - 1) / TILE, tile_columns = (p.n + TILE - 1) / TILE;

    for (int d = 0; d < tile_rows + tile_columns - 1; d++) {
        const int first = d < tile_columns ? 0 : d - tile_columns + 1;
        const int last = d < tile_rows ? d : tile_rows - 1;

        tile_kernel<<<last - first + 1, TILE>>>(p, d, first);
    }
    return CUDA_TRY(cudaGetLastError());
}

/* Copy the whole matrix back, and find the score on the host. */
status_t score_on_host(baseline_t *b, const problem_t &p, int32_t *out)
{
    const int64_t width = static_cast<int64_t>(p.n) + 1;
    const int *last_row = b->host_cells + p.m * width;
    int best = 0;
    status_t st = CUDA_TRY(cudaMemcpy(b->host_cells, p.cells,
                                      static_cast<size_t>(matrix_bytes(p.m, p.n)),
                                      cudaMemcpyDeviceToHost));

    if (st != ST_OK)
        return st;
    for (int j = 0; j <= p.n; j++)
        best = last_row[j] > best ? last_row[j] : best;
    for (int i = 0; i <= p.m; i++)
        best =
            b->host_cells[i * width + p.n] > best ? b->host_cells[i * width + p.n] : best;
    *out = p.ends_free ? best : last_row[p.n];
    return ST_OK;
}

status_t score_on_device(baseline_t *b, const problem_t &p, int32_t *out)
{
    const int *from = p.cells + matrix_bytes(p.m, p.n) / sizeof(int) - 1;
    status_t st;

    if (p.ends_free) {
        best_kernel<<<1, BLOCK>>>(p, b->best);
        if ((st = CUDA_TRY(cudaGetLastError())) != ST_OK)
            return st;
        from = b->best;
    }
    st = CUDA_TRY(cudaMemcpy(b->host_cells, from, sizeof(int), cudaMemcpyDeviceToHost));
    *out = b->host_cells[0];
    return st;
}

status_t align_one(baseline_t *b, pair_t pair, int32_t *out)
{
    const int64_t *offset = b->set->offset;
    problem_t p = b->problem;
    status_t st;

    p.a = b->letters + offset[pair.query];
    p.b = b->letters + offset[pair.target];
    p.m = static_cast<int>(seqset_len(b->set, pair.query));
    p.n = static_cast<int>(seqset_len(b->set, pair.target));
    if (b->init_on_host) {
        st = init_on_host(b, p);
    } else {
        init_kernel<<<(p.m > p.n ? p.m : p.n) / BLOCK + 1, BLOCK>>>(p);
        st = CUDA_TRY(cudaGetLastError());
    }
    if (st != ST_OK || (st = fill(p)) != ST_OK)
        return st;
    return b->init_on_host ? score_on_host(b, p, out) : score_on_device(b, p, out);
}

status_t baseline_wait(void *state, pair_results_t *out)
{
    baseline_t *b = static_cast<baseline_t *>(state);
    status_t st = CUDA_TRY(cudaSetDevice(b->device));

    for (int64_t i = 0; st == ST_OK && i < b->batch->n && !align_cancelled(b->run.cancel);
         i++)
        st = align_one(b, b->batch->pairs[i], &b->score[i]);
    if (st != ST_OK)
        return st;
    *out = pair_results_t{};
    out->score = b->score;
    return ST_OK;
}

} // namespace

extern "C" const aligner_backend_t tile_baseline_host_backend = {
    /* .base = */ {/* .name = */ "baseline", /* .kind = */ DEVICE_CUDA,
                   /* .rate = */ 1e9},
    /* .depth = */ 1,
    /* .supports = */
    {/* .alphabets = */ ALIGN_BIT(ALPHABET_DNA),
     /* .gaps = */ ALIGN_BIT(GAPS_LINEAR),
     /* .ends = */ ALIGN_BIT(ENDS_FREE) | ALIGN_BIT(ENDS_COUNT),
     /* .scorings = */ ALIGN_BIT(SCORING_TWO_VALUED) | ALIGN_BIT(SCORING_MATRIX),
     /* .emits = */ ALIGN_BIT(EMIT_SCORE)},
    /* .fits = */ baseline_fits,
    /* .create = */ create_host,
    /* .submit = */ baseline_submit,
    /* .wait = */ baseline_wait,
    /* .destroy = */ baseline_destroy,
    /* .family = */ nullptr,
};

extern "C" const aligner_backend_t tile_baseline_device_backend = {
    /* .base = */ {/* .name = */ "baseline", /* .kind = */ DEVICE_CUDA,
                   /* .rate = */ 2e9},
    /* .depth = */ 1,
    /* .supports = */
    {/* .alphabets = */ ALIGN_BIT(ALPHABET_DNA),
     /* .gaps = */ ALIGN_BIT(GAPS_LINEAR),
     /* .ends = */ ALIGN_BIT(ENDS_FREE) | ALIGN_BIT(ENDS_COUNT),
     /* .scorings = */ ALIGN_BIT(SCORING_TWO_VALUED) | ALIGN_BIT(SCORING_MATRIX),
     /* .emits = */ ALIGN_BIT(EMIT_SCORE)},
    /* .fits = */ baseline_fits,
    /* .create = */ create_device,
    /* .submit = */ baseline_submit,
    /* .wait = */ baseline_wait,
    /* .destroy = */ baseline_destroy,
    /* .family = */ nullptr,
};
