/*
 * wavefront_kernel.cu - the kernels of local alignments of long pairs: strips of a
 * matrix, one warp each (wavefront_layout.cuh).
 *
 * In step t of a strip lane l is in column t - l.  Its H and f of the column, and those
 * of the line above in front of lane 0, go to the lane behind.  Columns that do not exist
 * have the letter 0, whose cells are less than others: they need no care.
 */
#include "kernels/align/cuda/cuda_occupancy.cuh"
#include "kernels/align/wavefront/wavefront_cell.cuh"
#include "kernels/sync/sync_flag.cuh"

namespace
{

constexpr int WARP = WAVEFRONT_LANES, BLOCK = 128, CHUNK = WAVEFRONT_CHUNK;
constexpr unsigned ALL = 0xffffffffu;

/* H, and f of the row behind. */
template <typename V> struct alignas(2 * sizeof(V)) entry_t {
    V h, f;
};

/* Of a warp, in shared memory: the line above, and that of the last row; letters. */
template <typename V> struct ring_t {
    entry_t<V> in[CHUNK], out[2 * CHUNK];
    unsigned char letters[2 * CHUNK];
};

/* A strip. */
template <typename V> struct strip_t {
    const unsigned char *rows, *columns; /* their letters */
    int m, n;                            /* letters of the rows from here on; columns */
    int first;                           /* column that counts */
    int row;                             /* first one */
    const entry_t<V> *above;             /* NULL: zeros */
    const int *above_flag;               /* NULL: all of it is there */
    entry_t<V> *below, *kept;            /* where the last row goes; kept: or NULL */
    int *flag;
    uint32_t *back; /* NULL: none */
};

template <typename V> struct best_t {
    V value; /* the least that counts, if there is none yet */
    int row, first, last;
};

/* @return the columns of a job that are swept: in the third pass those in front of the
 *         way back */
__device__ inline int end_of(const wavefront_launch_t &p, const wavefront_job_t &job,
                             const wavefront_pair_t &pair)
{
    return p.is_third ? pair.j : job.end;
}

/* Describe a task. @return whether there is anything to sweep */
template <typename V>
__device__ bool take(const wavefront_launch_t &p, int at, bool stores, strip_t<V> *out)
{
    const wavefront_task_t task = p.tasks[at];
    const wavefront_pair_t &pair = p.pairs[task.pair];
    const int number = p.is_third ? pair.job : task.job;
    entry_t<V> *const lines = static_cast<entry_t<V> *>(p.lines);
    entry_t<V> *const kept = static_cast<entry_t<V> *>(p.kept);

    if (number < 0)
        return false;
    const wavefront_job_t &job = p.jobs[number];
    const int band = task.strip / p.band, in_band = task.strip % p.band;

    out->row = task.strip * WAVEFRONT_STRIP;
    out->n = end_of(p, job, pair) - job.begin;
    if (out->n <= 0 || out->row >= (p.is_third ? pair.i : pair.m))
        return false;
    out->rows = p.set.letters + p.set.start[pair.rows] + out->row;
    out->columns = p.set.letters + p.set.start[pair.columns] + job.begin;
    out->m = pair.m - out->row;
    out->first = job.first - job.begin;
    out->below = lines + job.line;
    out->flag = &p.progress[at];
    out->above = task.strip > 0 ? out->below : nullptr;
    out->above_flag = task.strip > 0 ? &p.progress[at - 1] : nullptr;
    if (p.is_third && in_band == 0 && band > 0) {
        out->above = kept + (band - 1) * p.kept_pitch + job.line;
        out->above_flag = nullptr;
    }
    out->kept = !p.is_third && kept != nullptr && in_band == p.band - 1
                    ? kept + band * p.kept_pitch + job.line
                    : nullptr;
    if (out->kept != nullptr &&
        (task.strip + 1) * WAVEFRONT_STRIP >= pair.m) /* the last one */
        out->kept = nullptr;
    out->back = stores ? p.back + pair.back + in_band * pair.back_pitch * WARP : nullptr;
    return true;
}

template <typename V>
__device__ inline void start_lane(const strip_t<V> &s, bool by_table, int lane,
                                  wavefront_lane_t<V> *out)
{
    out->above = out->f = 0;
    CUDA_UNROLL
    for (int r = 0; r < WAVEFRONT_ROWS; r++) {
        const int row = lane * WAVEFRONT_ROWS + r;
        const unsigned letter = row < s.m ? s.rows[row] : 0u;

        out->h[r] = out->e[r] = 0;
        out->rows[r] = by_table ? letter * ALPHABET_SIZE : letter;
    }
}

/* Load a chunk of columns and of the line above; all lanes take part. */
template <typename V>
__device__ inline void load_chunk(const strip_t<V> &s, int chunk, int lane, ring_t<V> *r)
{
    const int column = chunk * CHUNK + lane;
    entry_t<V> entry = {0, 0};

    r->letters[column % (2 * CHUNK)] = column < s.n ? s.columns[column] : 0;
    if (s.above != nullptr) {
        if (s.above_flag != nullptr) {
            if (lane == 0)
                sync_flag_wait(s.above_flag, min(s.n, (chunk + 1) * CHUNK));
            __syncwarp();
        }
        if (column < s.n) {
            entry.h = __ldcg(&s.above[column].h);
            entry.f = __ldcg(&s.above[column].f);
        }
    }
    r->in[lane] = entry;
    __syncwarp();
}

/* Store the last row's part of the chunk before; all lanes take part. */
template <typename V>
__device__ inline void store_chunk(const strip_t<V> &s, int chunk, int lane,
                                   const ring_t<V> &r)
{
    const int column = (chunk - 1) * CHUNK + lane;

    __syncwarp();
    if (chunk == 0)
        return;
    if (column < s.n) {
        const entry_t<V> entry = r.out[column % (2 * CHUNK)];

        __stcg(&s.below[column].h, entry.h);
        __stcg(&s.below[column].f, entry.f);
        if (s.kept != nullptr)
            s.kept[column] = entry;
    }
    __syncwarp();
    if (lane == 0)
        sync_flag_raise(s.flag, min(s.n, chunk * CHUNK));
}

/* Note the cells of a lane's column that are better than all before.
 * @param greatest  of them, which is at least best->value */
template <bool OF_SCORES, typename V>
__device__ inline void note(const wavefront_lane_t<V> &s, V greatest, int row, int column,
                            best_t<V> *best)
{
    const bool is_better = best->last < 0 || greatest > best->value;

    if (OF_SCORES) {
        if (is_better)
            best->first = column;
        best->last = column;
    } else {
        int last = 0;

        CUDA_UNROLL
        for (int r = 0; r < WAVEFRONT_ROWS; r++)
            last = s.h[r] == greatest ? r : last;
        if (is_better || row + last >= best->row) {
            best->row = row + last;
            best->last = column;
        }
    }
    best->value = greatest;
}

/* @return whether b comes behind a, where both are as good, or is better */
template <bool OF_SCORES, typename V>
__device__ inline void join(const best_t<V> &b, best_t<V> *a)
{
    if (b.last < 0)
        return;
    if (a->last < 0 || b.value > a->value) {
        *a = b;
    } else if (b.value == a->value) {
        if (OF_SCORES) {
            a->first = min(a->first, b.first);
            a->last = max(a->last, b.last);
        } else if (b.row > a->row || (b.row == a->row && b.last > a->last)) {
            *a = b;
        }
    }
}

/* Store the best cell of a strip; all lanes take part. */
template <bool OF_SCORES, typename V>
__device__ void store_best(best_t<V> best, int lane, wavefront_result_t *out)
{
    for (int k = 1; k < WARP; k *= 2) {
        const best_t<V> other = {__shfl_xor_sync(ALL, best.value, k),
                                 __shfl_xor_sync(ALL, best.row, k),
                                 __shfl_xor_sync(ALL, best.first, k),
                                 __shfl_xor_sync(ALL, best.last, k)};

        join<OF_SCORES>(other, &best);
    }
    if (lane == 0 && best.last >= 0)
        *out = {static_cast<long long>(best.value), best.row, best.first, best.last};
}

template <int KIND, bool BY_TABLE, bool STORES>
__device__ void sweep(const strip_t<wavefront_value<KIND>> &s,
                      const wavefront_steps_t<wavefront_value<KIND>> &steps, int lane,
                      ring_t<wavefront_value<KIND>> *ring, wavefront_result_t *out)
{
    using V = wavefront_value<KIND>;
    constexpr bool OF_SCORES = KIND == WAVEFRONT_SCORES;
    const int n_chunks = (s.n + CHUNK - 1) / CHUNK + 1;
    const int row = s.row + lane * WAVEFRONT_ROWS;
    wavefront_lane_t<V> cells;
    best_t<V> best = {1, -1, -1, -1};

    start_lane(s, BY_TABLE, lane, &cells);
    for (int chunk = 0; chunk < n_chunks; chunk++) {
        load_chunk(s, chunk, lane, ring);
#pragma unroll 1
        for (int k = 0; k < CHUNK; k++) {
            const int step = chunk * CHUNK + k, column = step - lane;
            const unsigned letter =
                column >= 0 ? ring->letters[column % (2 * CHUNK)] : 0u;
            V h = __shfl_up_sync(ALL, cells.h[WAVEFRONT_ROWS - 1], 1);
            V f = __shfl_up_sync(ALL, cells.f, 1);
            V greatest;

            if (lane == 0) {
                h = ring->in[k].h;
                f = ring->in[k].f;
            }
            const unsigned back = wavefront_column<BY_TABLE, STORES>(steps, letter, h, f,
                                                                     &cells, &greatest);

            if (STORES)
                s.back[static_cast<long long>(step) * WARP + lane] = back;
            if (lane == WARP - 1 && column >= 0)
                ring->out[column % (2 * CHUNK)] = {cells.h[WAVEFRONT_ROWS - 1], cells.f};
            if (greatest >= best.value && column >= s.first && column < s.n)
                note<OF_SCORES>(cells, greatest, row, column, &best);
        }
        store_chunk(s, chunk, lane, *ring);
    }
    store_best<OF_SCORES>(best, lane, out);
}

template <int KIND, bool BY_TABLE, bool STORES>
__global__ void __launch_bounds__(BLOCK)
    wavefront_kernel(const __grid_constant__ wavefront_launch_t p)
{
    using V = wavefront_value<KIND>;
    __shared__ ring_t<V> rings[BLOCK / WARP];
    __shared__ V table[BY_TABLE ? WAVEFRONT_TABLE : 1];
    const nw_key_t key = KIND == WAVEFRONT_SCORES ? nw_key_t{0, 0} : p.key;
    const wavefront_steps_t<V> steps = {
        static_cast<V>(nw_key_step(key, p.costs.match, 1)),
        static_cast<V>(nw_key_step(key, p.costs.mismatch, 0)),
        static_cast<V>(nw_key_step(key, p.costs.open, 0)),
        static_cast<V>(nw_key_step(key, p.costs.extend, 0)), table};
    const int lane = threadIdx.x % WARP;

    if (BY_TABLE)
        for (int k = threadIdx.x; k < WAVEFRONT_TABLE; k += BLOCK)
            table[k] = static_cast<V>(
                nw_key_step(key, p.costs.table->scores[k], p.costs.table->is_match[k]));
    __syncthreads();
    for (;;) {
        strip_t<V> strip;
        int task = lane == 0 ? atomicAdd(p.next, 1) : 0;

        task = __shfl_sync(ALL, task, 0);
        if (task >= p.n_tasks)
            return;
        if (take(p, task, STORES, &strip))
            sweep<KIND, BY_TABLE, STORES>(strip, steps, lane, &rings[threadIdx.x / WARP],
                                          &p.results[task]);
        __syncwarp();
    }
}

using kernel_t = void (*)(const wavefront_launch_t);

template <int KIND, bool BY_TABLE> kernel_t kernel_of(bool stores)
{
    if constexpr (KIND == WAVEFRONT_SCORES)
        return wavefront_kernel<KIND, BY_TABLE, false>;
    else
        return stores ? wavefront_kernel<KIND, BY_TABLE, true>
                      : wavefront_kernel<KIND, BY_TABLE, false>;
}

template <bool BY_TABLE> kernel_t kernel_of(int kind, bool stores)
{
    switch (kind) {
    case WAVEFRONT_SCORES:
        return kernel_of<WAVEFRONT_SCORES, BY_TABLE>(false);
    case WAVEFRONT_KEYS:
        return kernel_of<WAVEFRONT_KEYS, BY_TABLE>(stores);
    default:
        return kernel_of<WAVEFRONT_LONG_KEYS, BY_TABLE>(stores);
    }
}

kernel_t kernel_of(int kind, bool by_table, bool stores)
{
    return by_table ? kernel_of<true>(kind, stores) : kernel_of<false>(kind, stores);
}

} // namespace

status_t wavefront_blocks(int kind, bool by_table, bool stores, const device_t *device,
                          int *out)
{
    return cuda_occupancy_blocks(kernel_of(kind, by_table, stores), BLOCK, device, out);
}

status_t wavefront_run(int kind, bool by_table, bool stores, int n_blocks,
                       const wavefront_launch_t &launch, cudaStream_t stream)
{
    const int needed = (launch.n_tasks + BLOCK / WARP - 1) / (BLOCK / WARP);

    kernel_of(kind, by_table,
              stores)<<<min(needed, n_blocks), BLOCK, 0, stream>>>(launch);
    return CUDA_TRY(cudaGetLastError());
}
