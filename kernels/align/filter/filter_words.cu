/*
 * filter_words.cu - a thread block decides a tile of TILE x TILE pairs, word by word,
 * without tensor cores.
 *
 * The vectors of rows and columns pass through shared memory STEP words at a time. A
 * thread counts the common bits of EACH x EACH pairs; its rows are SIDE apart, and so are
 * its columns. A carry-save adder reduces two words of a pair to one, because GPUs count
 * bits at a quarter of the rate of logic. Pairs that whole sequences leave open are
 * listed as candidates; then a warp tests the ends of one candidate at a time.
 */
#include "kernels/align/filter/filter_ends.cuh"

namespace
{

enum {
    TILE = 64,
    SIDE = 16, /* threads along one side of a tile */
    EACH = TILE / SIDE,
    BLOCK = SIDE * SIDE,
    BLOCKS = 3, /* per multiprocessor */
    STEP = 32,  /* words per slice of a vector */
    QUAD = 4,   /* words copied at once */
    WARP = 32,
    PITCH = STEP + 4, /* so that the quads of eight rows cover all banks */
    TILE_WORDS = TILE / 32
};

struct slices_t {
    unsigned rows[TILE][PITCH], cols[TILE][PITCH];
};

/* Pairs that lengths and whole sequences leave open. */
struct candidates_t {
    int good[TILE * TILE];
    unsigned short at[TILE * TILE]; /* row * TILE + column */
};

union tile_memory_t {
    slices_t slices;
    candidates_t candidates;
};

/* The shared memory of a block. */
struct tile_shared_t {
    tile_memory_t memory;
    unsigned passed[TILE][TILE_WORDS];
    int n_candidates;
    int n_by_verdict[FILTER_PASSED + 1];
};

/* Load a slice of n vectors; zeros beside them. */
__device__ void load_slice(unsigned (*to)[PITCH], const unsigned *from, int stride, int n,
                           int word)
{
    for (int k = threadIdx.x; k < TILE * STEP / QUAD; k += BLOCK) {
        const int i = k / (STEP / QUAD), w = k % (STEP / QUAD) * QUAD;
        const bool inside = i < n && word + w < stride;
        const uint4 quad = inside
                               ? *reinterpret_cast<const uint4 *>(
                                     from + static_cast<long long>(i) * stride + word + w)
                               : uint4{0, 0, 0, 0};

        *reinterpret_cast<uint4 *>(&to[i][w]) = quad;
    }
}

/* Add two words of a pair: the bitwise sum stays in `ones`, the carries are counted. */
__device__ void add_pair(unsigned a0, unsigned b0, unsigned a1, unsigned b1,
                         unsigned &ones, int &twos)
{
    const unsigned x = a0 & b0, y = a1 & b1;

    twos += __popc((ones & x) | (ones & y) | (x & y));
    ones ^= x ^ y;
}

/* Count the common bits of this thread's pairs in a slice. */
__device__ void add_slice(const slices_t &s, unsigned (*ones)[EACH], int (*twos)[EACH])
{
    const int tx = threadIdx.x % SIDE, ty = threadIdx.x / SIDE;

#pragma unroll 1
    for (int w = 0; w < STEP; w += QUAD) {
        uint4 a[EACH];

#pragma unroll
        for (int i = 0; i < EACH; i++)
            a[i] = *reinterpret_cast<const uint4 *>(&s.rows[ty + i * SIDE][w]);
#pragma unroll
        for (int j = 0; j < EACH; j++) {
            const uint4 b = *reinterpret_cast<const uint4 *>(&s.cols[tx + j * SIDE][w]);

#pragma unroll
            for (int i = 0; i < EACH; i++) {
                add_pair(a[i].x, b.x, a[i].y, b.y, ones[i][j], twos[i][j]);
                add_pair(a[i].z, b.z, a[i].w, b.w, ones[i][j], twos[i][j]);
            }
        }
    }
}

/* @return whether the lengths of any of this thread's pairs fit */
__device__ bool some_fit(const filter_tile_launch_t &p, const filter_tile_place_t &t)
{
    const int tx = threadIdx.x % SIDE, ty = threadIdx.x / SIDE;
    bool fits = false;

    for (int i = 0; i < EACH; i++)
        for (int j = 0; j < EACH; j++)
            if (filter_tile_holds(p, t, ty + i * SIDE, tx + j * SIDE))
                fits = fits || filter_lengths_fit(&p.seqs[t.row0 + ty + i * SIDE],
                                                  &p.seqs[t.col0 + tx + j * SIDE]);
    return fits;
}

/* Decide a pair by lengths and whole sequences, and list it if it is left open. */
__device__ filter_verdict_t decide_whole(const filter_tile_launch_t &p,
                                         const filter_tile_place_t &t, int row, int col,
                                         int n_bits, tile_shared_t &s)
{
    const filter_seq_t *a = &p.seqs[t.row0 + row], *b = &p.seqs[t.col0 + col];
    const int good = filter_max_good(a, b, n_bits);

    if (!filter_lengths_fit(a, b))
        return FILTER_BY_LENGTH;
    if (good < filter_min_good(p.free_ends, a, b))
        return FILTER_BY_KMERS;
    const int k = atomicAdd(&s.n_candidates, 1);

    s.memory.candidates.good[k] = good;
    s.memory.candidates.at[k] = static_cast<unsigned short>(row * TILE + col);
    return FILTER_PASSED;
}

/* filter_cpu_ends by a warp. @return whether the pair passes */
__device__ bool warp_passes(const filter_tile_launch_t &p, long long a, long long b,
                            int good)
{
    const filter_seq_t *x = &p.seqs[a], *y = &p.seqs[b];
    unsigned bins = 0;

    if (p.end_words == 0 || good >= filter_min_good_of_bin(x, y, FILTER_BINS))
        return true;
    for (int k = 0; k < FILTER_BINS; k++)
        bins |= good >= filter_min_good_of_bin(x, y, k) ? 1u << k : 0;
    return ends_pass<WARP>(p, a, b, bins);
}

/* Test the ends of the candidates, one per warp. */
__device__ void decide_ends(const filter_tile_launch_t &p, const filter_tile_place_t &t,
                            tile_shared_t &s)
{
    const bool is_first = threadIdx.x % WARP == 0;
    int n_passed = 0, n_out = 0;

    for (int k = threadIdx.x / WARP; k < s.n_candidates; k += BLOCK / WARP) {
        const int at = s.memory.candidates.at[k], row = at / TILE, col = at % TILE;
        const bool passes =
            warp_passes(p, t.row0 + row, t.col0 + col, s.memory.candidates.good[k]);

        if (passes && is_first)
            atomicOr(&s.passed[row][col / 32], 1u << col % 32);
        n_passed += passes;
        n_out += !passes;
    }
    if (is_first) {
        atomicAdd(&s.n_by_verdict[FILTER_PASSED], n_passed);
        atomicAdd(&s.n_by_verdict[FILTER_BY_OVERLAP], n_out);
    }
}

/* List the candidates of a tile. */
__device__ void decide_tile(const filter_tile_launch_t &p, const filter_tile_place_t &t,
                            tile_shared_t &s)
{
    const int tx = threadIdx.x % SIDE, ty = threadIdx.x / SIDE;
    unsigned ones[EACH][EACH] = {};
    int twos[EACH][EACH] = {}, n_by_length = 0, n_by_kmers = 0;

    if (__syncthreads_or(some_fit(p, t)))
        for (int word = 0; word < p.words; word += STEP) {
            __syncthreads();
            load_slice(s.memory.slices.rows, p.whole + t.row0 * p.words, p.words,
                       t.n_rows, word);
            load_slice(s.memory.slices.cols, p.whole + t.col0 * p.words, p.words,
                       t.n_cols, word);
            __syncthreads();
            add_slice(s.memory.slices, ones, twos);
        }
    __syncthreads(); /* the candidates replace the slices */
#pragma unroll
    for (int i = 0; i < EACH; i++)
#pragma unroll
        for (int j = 0; j < EACH; j++) {
            const int row = ty + i * SIDE, col = tx + j * SIDE;

            if (!filter_tile_holds(p, t, row, col))
                continue;
            const filter_verdict_t verdict =
                decide_whole(p, t, row, col, 2 * twos[i][j] + __popc(ones[i][j]), s);

            n_by_length += verdict == FILTER_BY_LENGTH;
            n_by_kmers += verdict == FILTER_BY_KMERS;
        }
    n_by_length = cuda_warp_sum(n_by_length);
    n_by_kmers = cuda_warp_sum(n_by_kmers);
    if (threadIdx.x % WARP == 0) {
        atomicAdd(&s.n_by_verdict[FILTER_BY_LENGTH], n_by_length);
        atomicAdd(&s.n_by_verdict[FILTER_BY_KMERS], n_by_kmers);
    }
    __syncthreads();
}

__global__ void __launch_bounds__(BLOCK, BLOCKS)
    decide_by_words(const filter_tile_launch_t p)
{
    __shared__ tile_shared_t s;
    const long long tile = blockIdx.x;
    const filter_tile_rect_t &r =
        p.rects[filter_tile_rect_of<&filter_tile_rect_t::tile_start>(p.rects, p.n_rects,
                                                                     tile)];
    const filter_tile_place_t t = filter_tile_place<TILE, TILE>(r, tile - r.tile_start);
    const int row = threadIdx.x / TILE_WORDS, word = threadIdx.x % TILE_WORDS;

    if (threadIdx.x < TILE * TILE_WORDS)
        s.passed[row][word] = 0;
    if (threadIdx.x <= FILTER_PASSED)
        s.n_by_verdict[threadIdx.x] = 0;
    if (threadIdx.x == 0)
        s.n_candidates = 0;
    __syncthreads();
    if (filter_tile_some(p, t)) {
        decide_tile(p, t, s);
        decide_ends(p, t, s);
        __syncthreads();
        filter_tile_count(p, s.n_by_verdict);
    }
    const long long at = (t.col0 - r.at.col0) / 32 + word;

    if (threadIdx.x < TILE * TILE_WORDS && row < t.n_rows && at < r.words)
        p.bits[r.word_start + (t.row0 - r.at.row0 + row) * r.words + at] =
            s.passed[row][word];
}

status_t launch_words(const filter_tile_launch_t &launch, unsigned n_tiles,
                      cudaStream_t stream)
{
    decide_by_words<<<n_tiles, BLOCK, 0, stream>>>(launch);
    return CUDA_TRY(cudaGetLastError());
}

} // namespace

const filter_kernel_t filter_words_kernel = {TILE, TILE, QUAD, launch_words};
