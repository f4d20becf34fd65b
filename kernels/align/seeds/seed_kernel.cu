/*
 * seed_kernel.cu - which targets share seeds with a query (seed_filter.h): a block per
 * query, a warp per target.
 *
 * A block finds the words that hit its query, and keeps their table in shared memory.  A
 * warp looks up 32 words of its target at a time, one per lane.  The hits of these words,
 * few or many per word, are divided evenly among the lanes, in the order of the words.
 * Each warp has a ring of the query's diagonals, which holds the last hit of each.  Hits
 * of one diagonal are taken one after the other; all other ones do not depend on each
 * other.  Few of them are extended, which the whole warp does: half of it to the right,
 * half to the left.
 */
#include "kernels/align/seeds/seed_layout.cuh"

namespace
{

constexpr unsigned ALL = 0xffffffffu;
constexpr int HALF = SEED_WARP / 2;

/* In a ring: the place in the target + this; 0: there was no hit. */
constexpr int RING_BASE = SEED_WINDOW + SEED_WORD;

/* What a block keeps. */
struct block_t {
    const signed char *scores;
    const unsigned char *query; /* [m] classes */
    int m;
    int *ends; /* [words + 2] where the places of the word before end */
    const unsigned short *places;
};

/* A target of a warp. */
struct target_t {
    const unsigned char *letters; /* [n] classes */
    int n;
    unsigned short *ring; /* [mask + 1] */
    int mask;
};

__device__ inline int column(const block_t &b, int i, unsigned letter)
{
    return b.scores[b.query[i] * ALPHABET_SIZE + letter];
}

/* ---- the words that hit a query ---- */

/* Count the words that hit the query, or note their places.  A thread has all words that
 * begin with two classes, so no other one writes to theirs.
 * @param places  NULL: count */
__device__ void find_words(const seed_launch_t &p, const block_t &b,
                           const signed char *best, unsigned short *places)
{
    const int k = p.n_classes;

    for (int pair = threadIdx.x; pair < k * k; pair += blockDim.x) {
        const int x = pair / k, y = pair % k;

        if (x == 0 || y == 0)
            continue;
        for (int i = 0; i + SEED_WORD <= b.m; i++) {
            const int need = SEED_WORD_SCORE - column(b, i, static_cast<unsigned>(x)) -
                             column(b, i + 1, static_cast<unsigned>(y));

            if (best[b.query[i + 2]] < need)
                continue;
            for (int z = 1; z < k; z++) {
                if (column(b, i + 2, static_cast<unsigned>(z)) < need)
                    continue;
                if (places == nullptr)
                    b.ends[pair * k + z + 1]++;
                else
                    places[b.ends[pair * k + z + 1]++] = static_cast<unsigned short>(i);
            }
        }
    }
}

/* Turn counts into the sums of all before them. @return the sum of all */
__device__ int sum_counts(int *counts, int n)
{
    __shared__ int sums[SEED_WARPS_MAX], total;
    const int lane = threadIdx.x % SEED_WARP, warp = threadIdx.x / SEED_WARP;
    const int n_warps = blockDim.x / SEED_WARP;
    int before = 0;

    for (int first = 0; first < n; first += blockDim.x) {
        const int k = first + static_cast<int>(threadIdx.x);
        const int mine = k < n ? counts[k] : 0;
        int sum = mine;

        for (int d = 1; d < SEED_WARP; d *= 2) {
            const int other = __shfl_up_sync(ALL, sum, d);

            sum += lane >= d ? other : 0;
        }
        if (lane == SEED_WARP - 1)
            sums[warp] = sum;
        __syncthreads();
        for (int w = 0; w < warp; w++)
            sum += sums[w];
        if (k < n)
            counts[k] = before + sum - mine;
        if (threadIdx.x == 0) {
            total = 0;
            for (int w = 0; w < n_warps; w++)
                total += sums[w];
        }
        __syncthreads();
        before += total;
    }
    return before;
}

/* ---- extensions ---- */

/* Extend the word at i and j: lanes of the first half look at the columns from it on,
 * those of the second half at those in front of it.
 * @param end  out: behind the last residue of the target that is looked at
 * @return the score */
__device__ int extend(const block_t &b, const target_t &t, int i, int j, int *end)
{
    const int lane = threadIdx.x % SEED_WARP, at = lane % HALF;
    const bool left = lane >= HALF;
    int score = 0, best = left ? 0 : -(1 << 20), top = 0, last = 0;
    bool is_done = false;

    for (int first = 0;; first += HALF) {
        const int pos = first + at;
        const int x = left ? i - 1 - pos : i + pos, y = left ? j - 1 - pos : j + pos;
        const bool exists = x >= 0 && y >= 0 && x < b.m && y < t.n;
        int sum = exists ? column(b, x, t.letters[y]) : 0, most;

        for (int d = 1; d < HALF; d *= 2) {
            const int other = __shfl_up_sync(ALL, sum, d, HALF);

            sum += at >= d ? other : 0;
        }
        sum += score;
        /* of the word itself its end counts */
        most = max(!left && pos < SEED_WORD - 1 ? best : sum, best);
        for (int d = 1; d < HALF; d *= 2) {
            const int other = __shfl_up_sync(ALL, most, d, HALF);

            most = max(most, at >= d ? other : most);
        }
        const bool stops =
            !exists || (most - sum > SEED_DROP && (left || pos >= SEED_WORD));
        const unsigned found = __ballot_sync(ALL, stops) >> (left ? HALF : 0) & 0xffffu;
        const int stop = found != 0 ? __ffs(static_cast<int>(found)) - 1 : HALF - 1;
        const int most_there = __shfl_sync(ALL, most, stop, HALF);
        const int sum_there = __shfl_sync(ALL, sum, stop, HALF);
        const bool exists_there = __shfl_sync(ALL, exists ? 1 : 0, stop, HALF) != 0;

        if (!is_done) {
            top = most_there;
            last = first + stop + (exists_there ? 1 : 0);
        }
        is_done = is_done || found != 0;
        best = most_there;
        score = sum_there;
        if (__all_sync(ALL, is_done))
            break;
    }
    *end = j + __shfl_sync(ALL, last, 0);
    return __shfl_sync(ALL, top, 0) + __shfl_sync(ALL, top, HALF);
}

/* ---- targets ---- */

/* Take the hits of lanes with this rank among those of their diagonals.
 * @param place  in the ring. @return whether one is extended far enough */
__device__ bool take_hits(const block_t &b, const target_t &t, bool is_mine, int i, int j,
                          int place)
{
    const int now = j + RING_BASE;
    const int apart = is_mine ? now - t.ring[place] : 0;

    if (apart > SEED_WINDOW)
        t.ring[place] = static_cast<unsigned short>(now);
    unsigned pending = __ballot_sync(ALL, apart >= SEED_WORD && apart <= SEED_WINDOW);

    for (; pending != 0; pending &= pending - 1) {
        const int lane = __ffs(static_cast<int>(pending)) - 1;
        int end;

        if (extend(b, t, __shfl_sync(ALL, i, lane), __shfl_sync(ALL, j, lane), &end) >=
            SEED_TRIGGER)
            return true;
        if (static_cast<int>(threadIdx.x) % SEED_WARP == lane)
            t.ring[place] = static_cast<unsigned short>(end - SEED_WORD + RING_BASE);
    }
    __syncwarp();
    return false;
}

/* @return the lane whose word has hit number k. @param sum  of the hits up to each lane's
 *         word */
__device__ inline int owner_of(int sum, int k)
{
    int lane = 0;

    for (int step = HALF; step > 0; step /= 2)
        lane += __shfl_sync(ALL, sum, lane + step - 1) <= k ? step : 0;
    return lane;
}

__device__ inline int warp_max(int value)
{
#if __CUDA_ARCH__ >= 800
    return __reduce_max_sync(ALL, value);
#else
    return cuda_warp_max(value);
#endif
}

/* Take the hits of 32 words, the first of which is at `first`. */
__device__ bool words_pass(const seed_launch_t &p, const block_t &b, const target_t &t,
                           int first)
{
    const int lane = threadIdx.x % SEED_WARP, k = p.n_classes;
    int begin = 0, n = 0;

    if (first + lane + SEED_WORD <= t.n) {
        const unsigned char *at = t.letters + first + lane;
        const int word = (at[0] * k + at[1]) * k + at[2];

        begin = b.ends[word];
        n = b.ends[word + 1] - begin;
    }
    int sum = n;

    for (int d = 1; d < SEED_WARP; d *= 2) {
        const int other = __shfl_up_sync(ALL, sum, d);

        sum += lane >= d ? other : 0;
    }
    const int total = __shfl_sync(ALL, sum, SEED_WARP - 1);

    for (int hit = lane; hit - lane < total; hit += SEED_WARP) {
        const bool is_hit = hit < total;
        const int owner = min(owner_of(sum, hit), SEED_WARP - 1);
        const int from = __shfl_sync(ALL, begin - (sum - n), owner);
        const int i = is_hit ? b.places[from + hit] : 0, j = first + owner;
        const int place = (j - i) & t.mask;
        const unsigned same = __match_any_sync(ALL, is_hit ? place : -1 - lane);
        const int rank = __popc(same & ((1u << lane) - 1));
        const int max_rank = warp_max(rank);

        for (int r = 0; r <= max_rank; r++)
            if (take_hits(b, t, is_hit && rank == r, i, j, place))
                return true;
    }
    return false;
}

__device__ bool target_passes(const seed_launch_t &p, const block_t &b, const target_t &t)
{
    for (int k = threadIdx.x % SEED_WARP; k <= t.mask / 2; k += SEED_WARP)
        reinterpret_cast<unsigned *>(t.ring)[k] = 0;
    __syncwarp();
    for (int first = 0; first + SEED_WORD <= t.n; first += SEED_WARP)
        if (words_pass(p, b, t, first))
            return true;
    return false;
}

/* ---- rows ---- */

/* Set up the table of a row's query. @param query  out: [m] in shared memory
 * @return whether there is room for the places of its words */
__device__ bool set_query(const seed_launch_t &p, const seed_row_t &row,
                          const signed char *best, unsigned char *query,
                          unsigned short *near_places, block_t *b)
{
    const int n_words = seed_words(p.n_classes);
    const unsigned char *letters = p.set.letters + p.set.start[row.query];
    unsigned short *places = near_places;

    b->m = p.set.len[row.query];
    for (int i = threadIdx.x; i < b->m; i += blockDim.x)
        query[i] = letters[i];
    for (int w = threadIdx.x; w < n_words + 2; w += blockDim.x)
        b->ends[w] = 0;
    __syncthreads();
    find_words(p, *b, best, nullptr);
    __syncthreads();
    const int n = sum_counts(b->ends + 1, n_words);

    if (n > p.near_places)
        places = p.places + static_cast<long long>(blockIdx.x) * p.max_places;
    b->places = places;
    if (n > max(p.near_places, p.max_places))
        return false;
    find_words(p, *b, best, places);
    __syncthreads();
    return true;
}

__global__ void __launch_bounds__(SEED_WARP *SEED_WARPS_MAX, 1)
    seed_kernel(const __grid_constant__ seed_launch_t p)
{
    extern __shared__ __align__(16) unsigned char shared[];
    __shared__ signed char scores[ALPHABET_SIZE * ALPHABET_SIZE], best[ALPHABET_SIZE];
    __shared__ int row_at, next_target;
    const int lane = threadIdx.x % SEED_WARP, warp = threadIdx.x / SEED_WARP;
    const int n_warps = blockDim.x / SEED_WARP;
    unsigned short *const rings = reinterpret_cast<unsigned short *>(shared);
    unsigned short *const near_places = rings + n_warps * p.ring_size;
    int *const ends = reinterpret_cast<int *>(near_places + p.near_places);
    unsigned char *const query =
        reinterpret_cast<unsigned char *>(ends + seed_words(p.n_classes) + 2);
    block_t b = {scores, query, 0, ends, near_places};

    for (int k = threadIdx.x; k < ALPHABET_SIZE * ALPHABET_SIZE; k += blockDim.x)
        scores[k] = p.scores[k];
    __syncthreads();
    if (threadIdx.x < ALPHABET_SIZE) {
        int most = -128;

        for (int z = 1; z < p.n_classes; z++)
            most = max(most, static_cast<int>(scores[threadIdx.x * ALPHABET_SIZE + z]));
        best[threadIdx.x] = static_cast<signed char>(most);
    }
    for (;;) {
        __syncthreads();
        if (threadIdx.x == 0) {
            row_at = atomicAdd(p.next, 1);
            next_target = 0;
        }
        __syncthreads();
        if (row_at >= p.n_rows)
            return;
        const seed_row_t row = p.rows[row_at];
        const bool has_room = set_query(p, row, best, query, near_places, &b);

        for (;;) {
            int k = lane == 0 ? atomicAdd(&next_target, 1) : 0;

            k = __shfl_sync(ALL, k, 0);
            if (k >= row.n)
                break;
            const target_t t = {p.set.letters + p.set.start[row.target + k],
                                p.set.len[row.target + k], rings + warp * p.ring_size,
                                seed_ring_size(b.m) - 1};
            const int fate = !has_room || t.n > SEED_TARGET_MAX ? SEED_UNKNOWN
                             : target_passes(p, b, t)           ? SEED_PASSES
                                                                : SEED_FAILS;

            __syncwarp();
            if (lane == 0)
                p.out[row.first + k] = static_cast<unsigned char>(fate);
        }
    }
}

} // namespace

status_t seed_kernel_prepare(const device_t *device, int *max_bytes)
{
    cudaFuncAttributes attributes;
    status_t st = CUDA_TRY(
        cudaFuncGetAttributes(&attributes, reinterpret_cast<const void *>(seed_kernel)));

    if (st == ST_OK)
        st = CUDA_TRY(cudaDeviceGetAttribute(max_bytes,
                                             cudaDevAttrMaxSharedMemoryPerBlockOptin,
                                             device->index));
    if (st != ST_OK)
        return st;
    *max_bytes -= static_cast<int>(attributes.sharedSizeBytes);
    return CUDA_TRY(cudaFuncSetAttribute(reinterpret_cast<const void *>(seed_kernel),
                                         cudaFuncAttributeMaxDynamicSharedMemorySize,
                                         *max_bytes));
}

status_t seed_kernel_run(const seed_launch_t &launch, int n_blocks, int n_warps,
                         size_t bytes, cudaStream_t stream)
{
    seed_kernel<<<n_blocks, n_warps * SEED_WARP, bytes, stream>>>(launch);
    return CUDA_TRY(cudaGetLastError());
}
