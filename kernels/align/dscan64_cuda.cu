/*
 * dscan64_cuda.cu - a warp a pair, anti-diagonal by anti-diagonal: what dscan's words do
 * not hold, and matrices.
 *
 * Lane l of a warp holds ROWS consecutive rows of the pair's matrix in registers and is
 * one column behind lane l-1, from which it gets the cell above its first row.  32 * ROWS
 * rows make a strip; the last row of a strip is kept in memory, a line a warp, for the
 * next. Rows behind the last letter copy the row above, so that the last lane of the last
 * strip ends with the matrix's last row.
 *
 * A cell is a score (int) or a key of nw_key.h (long long).  nw_reference.c is the
 * definition.
 */
#include "kernels/cuda_try.cuh"

extern "C" {
#include "kernels/align/dscan64.h"
#include "kernels/align/nw_key.h"
}

#include <cstdlib>
#include <cstring>

namespace
{

enum { ROWS = 16, WARP = 32, STRIP = ROWS * WARP, BLOCK = 128 };
enum { WARPS_A_BLOCK = BLOCK / WARP, BINS = 256 };

constexpr unsigned ALL = 0xffffffffu;

struct launch_t {
    const unsigned char *letters; /* sets of scoring.set_of, or codes under a matrix */
    const long long *offset;
    const pair_t *pairs;
    const int *order; /* the costliest first */
    int n_pairs;
    int *next;   /* the next entry of order to take */
    void *lines; /* [warps][line_len] a strip's last row */
    long long line_len;
    const long long *table; /* [16][16] steps under a matrix, else NULL */
    long long match, mismatch, gap;
    nw_key_t key;
    bool ends_free;
    int *score, *matches, *columns;
};

template <typename CELL> struct strip_t {
    CELL left[ROWS];         /* this lane's cells of the column before */
    CELL diagonal;           /* the cell above them */
    unsigned long long rows; /* the rows' letters, 4 bits each */
    int n_rows; /* rows that have a letter; fewer than ROWS in the last strip */
};

template <typename CELL> __device__ CELL border(const launch_t &p, long long k)
{
    return p.ends_free ? 0 : static_cast<CELL>(k * p.gap);
}

template <typename CELL, bool TABLE>
__device__ CELL step_of(const launch_t &p, const CELL *table, unsigned long long rows,
                        int r, unsigned letter)
{
    unsigned row = static_cast<unsigned>(rows >> (4 * r));

    if (TABLE)
        return table[(row & 15) * ALPHABET_SIZE + letter];
    return (row & letter) != 0 ? static_cast<CELL>(p.match)
                               : static_cast<CELL>(p.mismatch);
}

/* This lane's cells of one column. @return the last row's */
template <typename CELL, bool TABLE, bool LAST>
__device__ CELL column(const launch_t &p, const CELL *table, strip_t<CELL> &s, CELL up,
                       unsigned letter)
{
    CELL diagonal = s.diagonal;
    const CELL gap = static_cast<CELL>(p.gap);

    s.diagonal = up;
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        CELL cell = diagonal + step_of<CELL, TABLE>(p, table, s.rows, r, letter);

        cell = max(cell, max(up, s.left[r]) + gap);
        if (LAST && r >= s.n_rows)
            cell = up;
        diagonal = s.left[r];
        s.left[r] = cell;
        up = cell;
    }
    return up;
}

/* One strip of a pair. @return the best cell that this lane saw where alignments may end
 */
template <typename CELL, bool TABLE, bool LAST>
__device__ CELL sweep_strip(const launch_t &p, const CELL *table, const unsigned char *a,
                            int m, const unsigned char *b, int n, int row0, CELL *line,
                            CELL best)
{
    const int lane = threadIdx.x % WARP, first = row0 + lane * ROWS;
    strip_t<CELL> s = {};
    CELL bottom = 0, above = 0;
    unsigned letter = 0, letters = 0;

    s.n_rows = min(max(m - first, 0), static_cast<int>(ROWS));
    for (int r = 0; r < s.n_rows; r++)
        s.rows |= static_cast<unsigned long long>(a[first + r]) << (4 * r);
#pragma unroll
    for (int r = 0; r < ROWS; r++)
        s.left[r] = border<CELL>(p, first + r + 1);
    s.diagonal = border<CELL>(p, first);
    for (int t = 0; t < n + WARP - 1; t++) {
        const int j = t - lane;

        if (t % WARP ==
            0) { /* the next 32 letters and cells above, for lane 0 to pass on */
            const int ahead = t + lane;

            letters = ahead < n ? b[ahead] : 0;
            above = row0 == 0 || ahead >= n ? border<CELL>(p, ahead + 1) : line[ahead];
        }
        CELL up = __shfl_up_sync(ALL, bottom, 1);
        CELL up0 = __shfl_sync(ALL, above, t % WARP);
        unsigned letter_up = __shfl_up_sync(ALL, letter, 1);
        unsigned letter0 = __shfl_sync(ALL, letters, t % WARP);

        letter = lane == 0 ? letter0 : letter_up;
        if (j < 0 || j >= n)
            continue;
        bottom = column<CELL, TABLE, LAST>(p, table, s, lane == 0 ? up0 : up, letter);
        if (lane == WARP - 1) {
            if (!LAST)
                line[j] = bottom;
            else if (p.ends_free || j == n - 1)
                best = p.ends_free ? max(best, bottom) : bottom;
        }
    }
    if (p.ends_free) /* every lane has stopped at the last column */
#pragma unroll
        for (int r = 0; r < ROWS; r++)
            if (r < s.n_rows)
                best = max(best, s.left[r]);
    __syncwarp();
    return best;
}

template <typename CELL, bool TABLE>
__device__ CELL align_pair(const launch_t &p, const CELL *table, pair_t pair, CELL *line)
{
    const unsigned char *a = p.letters + p.offset[pair.query];
    const unsigned char *b = p.letters + p.offset[pair.target];
    const int m = static_cast<int>(p.offset[pair.query + 1] - p.offset[pair.query]);
    const int n = static_cast<int>(p.offset[pair.target + 1] - p.offset[pair.target]);
    CELL best = 0;
    int row0 = 0;

    for (; row0 + STRIP < m; row0 += STRIP)
        best = sweep_strip<CELL, TABLE, false>(p, table, a, m, b, n, row0, line, best);
    best = sweep_strip<CELL, TABLE, true>(p, table, a, m, b, n, row0, line, best);
    if (!p.ends_free)
        return __shfl_sync(ALL, best, WARP - 1);
    for (int distance = WARP / 2; distance > 0; distance /= 2)
        best = max(best, __shfl_xor_sync(ALL, best, distance));
    return best;
}

template <typename CELL, bool TABLE>
__global__ void __launch_bounds__(BLOCK) dscan64_kernel(const launch_t p)
{
    __shared__ CELL table[TABLE ? ALPHABET_SIZE * ALPHABET_SIZE : 1];
    const int lane = threadIdx.x % WARP;
    const long long warp =
        (static_cast<long long>(blockIdx.x) * BLOCK + threadIdx.x) / WARP;
    CELL *line = static_cast<CELL *>(p.lines) + warp * p.line_len;

    if (TABLE)
        for (int i = threadIdx.x; i < ALPHABET_SIZE * ALPHABET_SIZE; i += BLOCK)
            table[i] = static_cast<CELL>(p.table[i]);
    __syncthreads();
    for (;;) {
        int k = lane == 0 ? atomicAdd(p.next, 1) : 0;

        k = __shfl_sync(ALL, k, 0);
        if (k >= p.n_pairs)
            return;
        const int at = p.order[k];
        const long long cell = align_pair<CELL, TABLE>(p, table, p.pairs[at], line);

        if (lane == 0 && p.matches == nullptr)
            p.score[at] = static_cast<int>(cell);
        if (lane == 0 && p.matches != nullptr) {
            int64_t score, matches, columns;

            nw_key_split(p.key, cell, &score, &matches, &columns);
            p.score[at] = static_cast<int>(score);
            p.matches[at] = static_cast<int>(matches);
            p.columns[at] = static_cast<int>(columns);
        }
    }
}

/* What grows with a batch, on the device and pinned on the host. */
struct room_t {
    int64_t capacity;
    pair_t *pairs, *host_pairs;
    int *order, *host_order;
    int *results, *host_results; /* [3 or 1][capacity] */
};

struct dscan64_t {
    int device;
    const seqset_t *set;
    bool identity;
    launch_t launch; /* but for the batch's own */
    unsigned char *letters;
    long long *offset, *table;
    int *next;
    void *lines;
    int n_blocks;
    cudaStream_t stream;
    room_t room;
    int64_t n; /* pairs of the batch under way */
};

using kernel_t = void (*)(launch_t);

kernel_t kernel_of(const dscan64_t *d)
{
    if (d->identity)
        return d->table != nullptr ? dscan64_kernel<long long, true>
                                   : dscan64_kernel<long long, false>;
    return d->table != nullptr ? dscan64_kernel<int, true> : dscan64_kernel<int, false>;
}

/* All pairs share one layout of keys, so the longer letter count stands for both. */
bool dscan64_takes(const device_t *device, const align_spec_t *spec, int64_t m, int64_t n)
{
    const int64_t longer = m > n ? m : n;

    return device->kind == DEVICE_CUDA && spec->emit != EMIT_CIGAR &&
           nw_key_fits(spec, longer, longer);
}

/* @return the length of the longest sequence that may be in a pair that is taken */
int64_t longest_taken(const seqset_t *set, const align_spec_t *spec)
{
    int64_t longest = 0;

    for (int64_t i = 0; i < set->n; i++) {
        const int64_t len = seqset_len(set, i);

        if (len > longest && nw_key_fits(spec, len, len))
            longest = len;
    }
    return longest;
}

void free_room(room_t *room)
{
    cudaFree(room->pairs);
    cudaFree(room->order);
    cudaFree(room->results);
    cudaFreeHost(room->host_pairs);
    cudaFreeHost(room->host_order);
    cudaFreeHost(room->host_results);
    *room = room_t{};
}

void dscan64_destroy(void *state)
{
    dscan64_t *d = static_cast<dscan64_t *>(state);

    if (d == nullptr)
        return;
    cudaSetDevice(d->device);
    if (d->stream != nullptr) {
        cudaStreamSynchronize(d->stream);
        cudaStreamDestroy(d->stream);
    }
    free_room(&d->room);
    cudaFree(d->letters);
    cudaFree(d->offset);
    cudaFree(d->table);
    cudaFree(d->next);
    cudaFree(d->lines);
    free(d);
}

/* The sequences go to the device once, as the kernel reads them. */
status_t put_sequences(dscan64_t *d, const align_scoring_t *scoring)
{
    const int64_t n_letters = d->set->offset[d->set->n];
    const size_t offset_bytes = static_cast<size_t>(d->set->n + 1) * sizeof(long long);
    unsigned char *sets =
        static_cast<unsigned char *>(malloc(static_cast<size_t>(n_letters) + 1));
    status_t st;

    if (sets == nullptr)
        return log_nomem("the sequences");
    for (int64_t i = 0; i < n_letters; i++)
        sets[i] = scoring->two_valued ? scoring->set_of[d->set->letters[i]]
                                      : d->set->letters[i];
    if ((st = CUDA_TRY(cudaMalloc(&d->letters, static_cast<size_t>(n_letters) + 1))) ==
        ST_OK)
        st = CUDA_TRY(cudaMemcpy(d->letters, sets, static_cast<size_t>(n_letters),
                                 cudaMemcpyHostToDevice));
    free(sets);
    if (st != ST_OK || (st = CUDA_TRY(cudaMalloc(&d->offset, offset_bytes))) != ST_OK)
        return st;
    return CUDA_TRY(
        cudaMemcpy(d->offset, d->set->offset, offset_bytes, cudaMemcpyHostToDevice));
}

status_t put_steps(dscan64_t *d, const align_spec_t *spec)
{
    const align_scoring_t *s = &spec->scoring;
    const int64_t longest = longest_taken(d->set, spec);
    const nw_key_t key = nw_key_layout(spec, longest, longest);
    long long steps[ALPHABET_SIZE * ALPHABET_SIZE];
    status_t st;

    d->launch.key = key;
    d->launch.gap = nw_key_step(key, s->gap, 0);
    d->launch.match = nw_key_step(key, s->match, 1);
    d->launch.mismatch = nw_key_step(key, s->mismatch, 0);
    d->launch.ends_free = spec->ends == ENDS_FREE;
    if (s->two_valued)
        return ST_OK;
    for (int i = 0; i < ALPHABET_SIZE * ALPHABET_SIZE; i++)
        steps[i] = nw_key_step(key, s->score[i / ALPHABET_SIZE][i % ALPHABET_SIZE],
                               s->is_match[i / ALPHABET_SIZE][i % ALPHABET_SIZE]);
    if ((st = CUDA_TRY(cudaMalloc(&d->table, sizeof(steps)))) != ST_OK)
        return st;
    return CUDA_TRY(cudaMemcpy(d->table, steps, sizeof(steps), cudaMemcpyHostToDevice));
}

/* As many blocks as the device holds at once, fewer where their lines would fill it. */
status_t size_grid(dscan64_t *d, const device_t *device)
{
    const size_t cell = d->identity ? sizeof(long long) : sizeof(int);
    const int64_t line_len = seqset_max_len(d->set) + 1;
    const int64_t line_bytes = line_len * static_cast<int64_t>(cell);
    int64_t most = device->memory_bytes / 8 / (line_bytes * WARPS_A_BLOCK);
    int blocks_a_core = 0;
    status_t st;

    st = CUDA_TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
        &blocks_a_core, reinterpret_cast<const void *>(kernel_of(d)), BLOCK, 0));
    if (st != ST_OK)
        return st;
    d->n_blocks = blocks_a_core * device->n_cores;
    if (d->n_blocks > most)
        d->n_blocks = most > 1 ? static_cast<int>(most) : 1;
    d->launch.line_len = line_len;
    return CUDA_TRY(
        cudaMalloc(&d->lines, static_cast<size_t>(d->n_blocks) * WARPS_A_BLOCK *
                                  static_cast<size_t>(line_bytes)));
}

status_t dscan64_create(const device_t *device, pool_t *pool, const seqset_t *set,
                        const align_spec_t *spec, void **state)
{
    dscan64_t *d = static_cast<dscan64_t *>(calloc(1, sizeof(*d)));
    status_t st;

    (void)pool;
    if (d == nullptr)
        return log_nomem("the dscan64 kernel");
    d->device = device->index;
    d->set = set;
    d->identity = spec->emit == EMIT_IDENTITY;
    if ((st = CUDA_TRY(cudaSetDevice(device->index))) != ST_OK ||
        (st = CUDA_TRY(cudaStreamCreate(&d->stream))) != ST_OK ||
        (st = CUDA_TRY(cudaMalloc(&d->next, sizeof(int)))) != ST_OK ||
        (st = put_sequences(d, &spec->scoring)) != ST_OK ||
        (st = put_steps(d, spec)) != ST_OK || (st = size_grid(d, device)) != ST_OK) {
        dscan64_destroy(d);
        return st;
    }
    *state = d;
    return ST_OK;
}

status_t make_room(dscan64_t *d, int64_t n)
{
    room_t *r = &d->room;
    const size_t count = static_cast<size_t>(n);
    const size_t results = count * sizeof(int) * (d->identity ? 3 : 1);
    status_t st;

    if (n <= r->capacity)
        return ST_OK;
    free_room(r);
    if ((st = CUDA_TRY(cudaMalloc(&r->pairs, count * sizeof(pair_t)))) != ST_OK ||
        (st = CUDA_TRY(cudaMalloc(&r->order, count * sizeof(int)))) != ST_OK ||
        (st = CUDA_TRY(cudaMalloc(&r->results, results))) != ST_OK ||
        (st = CUDA_TRY(cudaMallocHost(&r->host_pairs, count * sizeof(pair_t)))) !=
            ST_OK ||
        (st = CUDA_TRY(cudaMallocHost(&r->host_order, count * sizeof(int)))) != ST_OK ||
        (st = CUDA_TRY(cudaMallocHost(&r->host_results, results))) != ST_OK)
        return st;
    r->capacity = n;
    return ST_OK;
}

/* Four bins an octave of cells, the largest first: enough for the last warps to end
 * together, and linear. */
int bin_of(const seqset_t *set, pair_t pair)
{
    const uint64_t cells = static_cast<uint64_t>(seqset_len(set, pair.query)) *
                           static_cast<uint64_t>(seqset_len(set, pair.target));
    const int high = 63 - __builtin_clzll(cells | 4);

    return BINS - 1 - (high * 4 + static_cast<int>((cells | 4) >> (high - 2) & 3));
}

void sort_pairs(dscan64_t *d, const pair_batch_t *batch)
{
    int64_t start[BINS + 1] = {};

    for (int64_t i = 0; i < batch->n; i++)
        start[bin_of(d->set, batch->pairs[i]) + 1]++;
    for (int bin = 0; bin < BINS; bin++)
        start[bin + 1] += start[bin];
    for (int64_t i = 0; i < batch->n; i++)
        d->room.host_order[start[bin_of(d->set, batch->pairs[i])]++] =
            static_cast<int>(i);
}

status_t dscan64_submit(void *state, const pair_batch_t *batch)
{
    dscan64_t *d = static_cast<dscan64_t *>(state);
    const size_t n = static_cast<size_t>(batch->n);
    launch_t launch = d->launch;
    room_t *r = &d->room;
    status_t st;

    if ((st = CUDA_TRY(cudaSetDevice(d->device))) != ST_OK ||
        (st = make_room(d, batch->n)) != ST_OK)
        return st;
    d->n = batch->n;
    if (n == 0)
        return ST_OK;
    memcpy(r->host_pairs, batch->pairs, n * sizeof(pair_t));
    sort_pairs(d, batch);
    launch.letters = d->letters;
    launch.offset = d->offset;
    launch.table = d->table;
    launch.lines = d->lines;
    launch.next = d->next;
    launch.pairs = r->pairs;
    launch.order = r->order;
    launch.n_pairs = static_cast<int>(n);
    launch.score = r->results;
    launch.matches = d->identity ? r->results + n : nullptr;
    launch.columns = d->identity ? r->results + 2 * n : nullptr;
    if ((st = CUDA_TRY(cudaMemcpyAsync(r->pairs, r->host_pairs, n * sizeof(pair_t),
                                       cudaMemcpyHostToDevice, d->stream))) != ST_OK ||
        (st = CUDA_TRY(cudaMemcpyAsync(r->order, r->host_order, n * sizeof(int),
                                       cudaMemcpyHostToDevice, d->stream))) != ST_OK ||
        (st = CUDA_TRY(cudaMemsetAsync(d->next, 0, sizeof(int), d->stream))) != ST_OK)
        return st;
    kernel_of(d)<<<d->n_blocks, BLOCK, 0, d->stream>>>(launch);
    if ((st = CUDA_TRY(cudaGetLastError())) != ST_OK)
        return st;
    return CUDA_TRY(cudaMemcpyAsync(r->host_results, r->results,
                                    n * sizeof(int) * (d->identity ? 3 : 1),
                                    cudaMemcpyDeviceToHost, d->stream));
}

status_t dscan64_wait(void *state, pair_results_t *out)
{
    dscan64_t *d = static_cast<dscan64_t *>(state);
    int *results = d->room.host_results;
    status_t st = CUDA_TRY(cudaStreamSynchronize(d->stream));

    if (st != ST_OK)
        return st;
    out->score = results;
    out->matches = d->identity ? results + d->n : nullptr;
    out->columns = d->identity ? results + 2 * d->n : nullptr;
    return ST_OK;
}

} // namespace

extern "C" const aligner_backend_t dscan64_backend = {
    /* .name = */ "dscan64",
    /* .kind = */ DEVICE_CUDA,
    /* .cells_per_s = */ 5e11,
    /* .depth = */ 1,
    /* .takes = */ dscan64_takes,
    /* .create = */ dscan64_create,
    /* .submit = */ dscan64_submit,
    /* .wait = */ dscan64_wait,
    /* .destroy = */ dscan64_destroy,
};
