/*
 * sync_sw.cu - Smith-Waterman of one pair with linear gaps, its whole matrix in global
 * memory, and the path followed back.
 *
 * A round is an antidiagonal: of cells, by a thread each, or of tiles, by a warp each.
 * Cells are stored by rows, or by antidiagonals, which makes the accesses of a warp
 * consecutive, or by antidiagonals that begin on lines of 128 bytes.
 */
#include "bench/sync/programs/sync_program.cuh"
#include "kernels/device/cuda_put.cuh"

extern "C" {
#include "io/base/clock.h"
}

#include <vector>

namespace
{

enum { MATCH = 5, MISMATCH = -4, GAP = -7 };
enum { SIDE = 32 /* of a tile */, LINE = 32 /* cells of 128 bytes */ };
constexpr char DIAGONAL = 'M', UP = 'D', LEFT = 'I';

__host__ __device__ inline int step_of(uint8_t a, uint8_t b)
{
    return a == b ? MATCH : MISMATCH;
}

__host__ __device__ inline int best_of(int diagonal, int up, int left)
{
    const int a = diagonal > up ? diagonal : up, b = a > left ? a : left;

    return b > 0 ? b : 0;
}

/* The matrix, of n rows and columns.  Cell (i, j) is at base[i + j] + i * step. */
struct matrix_t {
    const uint8_t *a, *b;
    int n, step;
    const int64_t *base; /* [2 n - 1] */
    int *h;

    __host__ __device__ int64_t at(int i, int j) const
    {
        return base[i + j] + int64_t{i} * step;
    }

    /* @return H of a cell; 0 beside the matrix */
    __device__ int cell(int i, int j) const
    {
        return i >= 0 && j >= 0 ? __ldcg(&h[at(i, j)]) : 0;
    }
};

struct sw_t {
    enum { THREADS = 256, BLOCKS_PER_CORE = 1, SHARED_BYTES = 0 };
    matrix_t m;
    int n_rounds, n_blocks;

    __device__ void round(int k) const
    {
        const int last = min(k, m.n - 1);

        for (int i = max(0, k - m.n + 1) +
                     static_cast<int>(blockIdx.x * THREADS + threadIdx.x);
             i <= last; i += static_cast<int>(gridDim.x) * THREADS) {
            const int j = k - i;

            __stcg(&m.h[m.at(i, j)],
                   best_of(m.cell(i - 1, j - 1) + step_of(m.a[i], m.b[j]),
                           m.cell(i - 1, j) + GAP, m.cell(i, j - 1) + GAP));
        }
    }
};

/* The same by tiles: lane l has row l, and is one column behind the lane above. */
struct sw_tiled_t {
    enum { THREADS = 128, BLOCKS_PER_CORE = 1, SHARED_BYTES = 0, WARPS = THREADS / 32 };
    matrix_t m;
    int n_rounds, n_blocks;

    __device__ void tile(int row, int column) const
    {
        const int lane = static_cast<int>(threadIdx.x) % 32, i = row + lane;
        const uint8_t a = m.a[i];
        int left = m.cell(i, column - 1);
        int diagonal = m.cell(i - 1, column - 1);

        for (int step = 0; step < 2 * SIDE - 1; step++) {
            const int j = column + step - lane;
            const bool has = step >= lane && step < lane + SIDE;
            int up = __shfl_up_sync(~0u, left, 1);

            if (lane == 0 && has)
                up = m.cell(i - 1, j);
            if (has) {
                left = best_of(diagonal + step_of(a, m.b[j]), up + GAP, left + GAP);
                diagonal = up;
                __stcg(&m.h[m.at(i, j)], left);
            }
        }
    }

    __device__ void round(int k) const
    {
        const int n = m.n / SIDE, last = min(k, n - 1);

        for (int i = max(0, k - n + 1) +
                     static_cast<int>(blockIdx.x * WARPS + threadIdx.x / 32);
             i <= last; i += static_cast<int>(gridDim.x) * WARPS)
            tile(i * SIDE, (k - i) * SIDE);
    }
};

/* The best cell, the first of equal ones by rows: its score, and 2^32 - 1 minus its place
 * in the lower half. */
typedef unsigned long long best_t;

__host__ __device__ inline best_t best_cell(int score, int64_t place)
{
    return static_cast<best_t>(score) << 32 | (UINT32_MAX - static_cast<uint32_t>(place));
}

__global__ void best_kernel(matrix_t m, best_t *best)
{
    const int64_t n = int64_t{m.n} * m.n;
    best_t x = 0;

    for (int64_t k = int64_t{blockIdx.x} * blockDim.x + threadIdx.x; k < n;
         k += int64_t{gridDim.x} * blockDim.x)
        x = max(x, best_cell(m.cell(static_cast<int>(k / m.n), static_cast<int>(k % m.n)),
                             k));
    for (int d = 16; d > 0; d /= 2)
        x = max(x, __shfl_xor_sync(~0u, x, d));
    if (threadIdx.x % 32 == 0)
        atomicMax(best, x);
}

/* Follow the path back by one thread. @param ops  [2 n] from its end; @param n_ops  out
 */
__global__ void trace_kernel(matrix_t m, const best_t *best, char *ops, int *n_ops)
{
    const int64_t place = UINT32_MAX - static_cast<uint32_t>(*best);
    int i = static_cast<int>(place / m.n), j = static_cast<int>(place % m.n), n = 0;

    for (int h = m.cell(i, j); h > 0; h = m.cell(i, j)) {
        const bool is_diagonal = h == m.cell(i - 1, j - 1) + step_of(m.a[i], m.b[j]);
        const bool is_up = !is_diagonal && h == m.cell(i - 1, j) + GAP;

        ops[n++] = is_diagonal ? DIAGONAL : is_up ? UP : LEFT;
        i -= is_diagonal || is_up;
        j -= !is_up;
    }
    *n_ops = n;
}

struct pair_t {
    std::vector<uint8_t> a, b;
    std::vector<int> expected; /* by rows */
    std::vector<char> path;    /* from its end */
    std::vector<int64_t> base;
    int64_t n_cells; /* of the layout */
    int n, step;
};

/* Lay out the cells. */
void lay_out(pair_t *p, int variant)
{
    const bool by_rows = variant == SYNC_SW_NAIVE || variant == SYNC_SW_TILED;
    int64_t next = 0;

    p->step = by_rows ? p->n - 1 : 1;
    for (int d = 0; d < 2 * p->n - 1; d++) {
        const int first = std::max(0, d - p->n + 1), last = std::min(d, p->n - 1);

        p->base.push_back(by_rows ? d : next - first);
        next += last - first + 1;
        if (variant == SYNC_SW_COALESCED)
            next = (next + LINE - 1) / LINE * LINE;
    }
    p->n_cells = by_rows ? int64_t{p->n} * p->n : next;
}

/* Fill the matrix on the CPU, and follow the path. */
void sw_serial(pair_t *p)
{
    const int n = p->n;
    best_t best = 0;
    const auto cell = [&](int i, int j) {
        return i >= 0 && j >= 0 ? p->expected[static_cast<size_t>(i) * n + j] : 0;
    };

    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            const int h = best_of(cell(i - 1, j - 1) + step_of(p->a[i], p->b[j]),
                                  cell(i - 1, j) + GAP, cell(i, j - 1) + GAP);

            p->expected[static_cast<size_t>(i) * n + j] = h;
            best = std::max(best, best_cell(h, int64_t{i} * n + j));
        }
    const int64_t place = UINT32_MAX - static_cast<uint32_t>(best);
    int i = static_cast<int>(place / n), j = static_cast<int>(place % n);

    for (int h = cell(i, j); h > 0; h = cell(i, j)) {
        const bool is_diagonal = h == cell(i - 1, j - 1) + step_of(p->a[i], p->b[j]);
        const bool is_up = !is_diagonal && h == cell(i - 1, j) + GAP;

        p->path.push_back(is_diagonal ? DIAGONAL : is_up ? UP : LEFT);
        i -= is_diagonal || is_up;
        j -= !is_up;
    }
}

/* A random sequence, and one that differs in a tenth of its letters. */
void create_pair(int n, int variant, pair_t *p, double *serial_s)
{
    uint64_t random = 1;

    p->n = n;
    while (p->b.size() < static_cast<size_t>(n)) {
        const uint32_t x = program_random(&random);
        const uint8_t letter = x & 3, other = x >> 2 & 3;

        if (p->a.size() < static_cast<size_t>(n))
            p->a.push_back(letter);
        if ((x >> 4) % 30 != 0)
            p->b.push_back((x >> 12) % 12 == 0 ? other : letter);
    }
    p->expected.resize(static_cast<size_t>(n) * n);
    lay_out(p, variant);
    const double begin = clock_now_s();

    sw_serial(p);
    *serial_s = clock_now_s() - begin;
}

struct gpu_t {
    matrix_t m;
    uint8_t *a, *b;
    int64_t *base;
    best_t *best;
    char *ops;
    int *n_ops;
};

void destroy(gpu_t *g)
{
    cudaFree(g->a);
    cudaFree(g->b);
    cudaFree(g->base);
    cudaFree(g->m.h);
    cudaFree(g->best);
    cudaFree(g->ops);
    cudaFree(g->n_ops);
}

status_t create(const pair_t &p, gpu_t *g)
{
    const size_t n = static_cast<size_t>(p.n);
    status_t st;

    if ((st = cuda_put_new(&g->a, p.a.data(), n)) != ST_OK ||
        (st = cuda_put_new(&g->b, p.b.data(), n)) != ST_OK ||
        (st = cuda_put_new(&g->base, p.base.data(), p.base.size())) != ST_OK ||
        (st = cuda_put_zeros(&g->m.h, static_cast<size_t>(p.n_cells))) != ST_OK ||
        (st = cuda_put_zeros(&g->best, 1)) != ST_OK ||
        (st = cuda_put_zeros(&g->ops, 2 * n)) != ST_OK ||
        (st = cuda_put_zeros(&g->n_ops, 1)) != ST_OK)
        return st;
    g->m = {g->a, g->b, p.n, p.step, g->base, g->m.h};
    return ST_OK;
}

/* Compare all cells. */
status_t check(const pair_t &p, const gpu_t &g, std::vector<int> *h)
{
    const status_t st = CUDA_TRY(
        cudaMemcpy(h->data(), g.m.h, h->size() * sizeof(int), cudaMemcpyDeviceToHost));

    for (int i = 0; st == ST_OK && i < p.n; i++)
        for (int j = 0; j < p.n; j++)
            if ((*h)[static_cast<size_t>(p.base[i + j] + int64_t{i} * p.step)] !=
                p.expected[static_cast<size_t>(i) * p.n + j])
                return ST_EINPUT;
    return st;
}

/* Follow the path on the GPU, and time that, and a copy of the matrix to the host. */
status_t time_path(const program_run_t &r, const pair_t &p, const gpu_t &g,
                   std::vector<int> *h, sync_program_times_t *out)
{
    const auto nothing = [] { return ST_OK; };
    std::vector<char> path(p.path.size());
    int n = 0;
    status_t st = program_time(
        r, nothing,
        [&] {
            best_kernel<<<r.gpu->n_cores * 4, 256, 0, r.stream>>>(g.m, g.best);
            trace_kernel<<<1, 1, 0, r.stream>>>(g.m, g.best, g.ops, g.n_ops);
            return CUDA_TRY(cudaGetLastError());
        },
        &out->trace_s);

    if (st != ST_OK ||
        (st = program_time(
             r, nothing,
             [&] {
                 return CUDA_TRY(cudaMemcpyAsync(h->data(), g.m.h,
                                                 h->size() * sizeof(int),
                                                 cudaMemcpyDeviceToHost, r.stream));
             },
             &out->copy_s)) != ST_OK ||
        (st = CUDA_TRY(cudaMemcpy(&n, g.n_ops, sizeof(n), cudaMemcpyDeviceToHost))) !=
            ST_OK ||
        (st = CUDA_TRY(cudaMemcpy(path.data(), g.ops, path.size(),
                                  cudaMemcpyDeviceToHost))) != ST_OK)
        return st;
    if (static_cast<size_t>(n) == p.path.size() && path == p.path)
        return ST_OK;
    log_error("the path followed back on the GPU is not the CPU's");
    return ST_EINPUT;
}

} // namespace

extern "C" status_t sync_sw_run(const device_t *gpu, const sync_program_setup_t *setup,
                                sync_program_times_t *out)
{
    program_run_t r = {};
    pair_t p = {};
    gpu_t g = {};
    std::vector<int> h;
    status_t st;

    *out = {};
    create_pair(1 << setup->log2_size, setup->variant, &p, &out->serial_s);
    h.resize(static_cast<size_t>(p.n_cells));
    if ((st = program_begin(gpu, setup, &r)) == ST_OK && (st = create(p, &g)) == ST_OK) {
        const auto prepare = [&] {
            return CUDA_TRY(
                cudaMemsetAsync(g.m.h, 255, h.size() * sizeof(int), r.stream));
        };
        const auto compare = [&] { return check(p, g, &h); };

        if (setup->variant == SYNC_SW_TILED)
            st = program_time_all(&r, setup->name,
                                  sw_tiled_t{g.m, 2 * (p.n / SIDE) - 1,
                                             p.n / SIDE / sw_tiled_t::WARPS},
                                  setup->only, prepare, compare, out);
        else
            st = program_time_all(&r, setup->name,
                                  sw_t{g.m, 2 * p.n - 1, p.n / sw_t::THREADS},
                                  setup->only, prepare, compare, out);
    }
    if (st == ST_OK &&
        std::any_of(out->s, out->s + SYNC_PROGRAM_KINDS, [](double s) { return s > 0; }))
        st = time_path(r, p, g, &h, out);
    destroy(&g);
    program_end(&r);
    return st;
}
