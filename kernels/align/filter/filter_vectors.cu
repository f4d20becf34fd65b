/*
 * filter_vectors.cu - a thread block makes the vectors of one sequence in shared memory.
 *
 * A warp adds 32 windows at a time, one per lane. Windows of one k-mer may be added in
 * any order, because of those that have a bit in common all but one are excess. If there
 * are windows of several k-mers, one warp alone adds all windows, in the order of
 * filter_kmers.c: each window of several k-mers by itself, and all windows between two of
 * them at once.
 */
#include "kernels/align/filter/filter_vectors.cuh"

#include "kernels/align/cuda/cuda_word.cuh"
#include "kernels/device/cuda_put.cuh"

namespace
{

enum {
    WARP = 32,
    WARPS = 4,
    BLOCK = WARP * WARPS,
    WORDS_MAX = (1 << FILTER_LOG_MAX) / 32
};
constexpr unsigned ALL_LANES = 0xffffffffu;

struct shared_t {
    unsigned vector[WORDS_MAX];
    int dropped, excess; /* so far */
};

/* Successive windows of a sequence, or every one before the other. */
struct windows_t {
    const unsigned char *letters; /* sets of bases: cuda_set_t */
    int first, step, n;           /* number of the first one, 1 or -1, and how many */
    bool is_mixed;                /* some may stand for several k-mers */
};

/* @return how many k-mers a window can stand for: 0 if it matches nothing,
 *         FILTER_WINDOW_KMERS_MAX + 1 if there are more than FILTER_WINDOW_KMERS_MAX */
__device__ int n_kmers_of(const unsigned char *letters, int k)
{
    int n = 1;

    for (int i = 0; i < k; i++)
        n = min(n * __popc(letters[i]),
                letters[i] == 0 ? 0 : FILTER_WINDOW_KMERS_MAX + 1);
    return n;
}

/* @return number `which` of the k-mers that a window can stand for */
__device__ unsigned kmer_of(const unsigned char *letters, int k, int which)
{
    unsigned kmer = 0;

    for (int i = 0; i < k; i++) {
        unsigned set = letters[i];
        const int n = __popc(set);

        for (int skip = which % n; skip > 0; skip--)
            set &= set - 1;
        which /= n;
        kmer = kmer << 2 | static_cast<unsigned>(__ffs(static_cast<int>(set)) - 1);
    }
    return kmer;
}

/* Set a bit. @return whether it was set before */
__device__ bool set_bit(unsigned *vector, unsigned bit)
{
    return atomicOr(&vector[bit / 32], 1u << bit % 32) >> bit % 32 & 1;
}

/* Add a window of several k-mers, one k-mer per lane. @return whether it is excess */
__device__ bool add_many(const filter_vectors_launch_t &p, const unsigned char *letters,
                         int n, int log_bits, unsigned *vector)
{
    const int lane = threadIdx.x % WARP;
    unsigned bit = 0;
    bool met = false;

    static_assert(FILTER_WINDOW_KMERS_MAX <= WARP, "a lane takes at most one k-mer");
    if (lane < n) {
        bit = filter_kmer_bit(kmer_of(letters, p.k, lane), p.k, log_bits);
        met = vector[bit / 32] >> bit % 32 & 1;
    }
    met = __any_sync(ALL_LANES, met); /* before any bit is set */
    if (lane < n)
        set_bit(vector, bit);
    __syncwarp();
    return met;
}

/* Add WARP windows from number `at` on, one per lane. @return this lane's excess */
__device__ int add_some(const filter_vectors_launch_t &p, const windows_t &w, int at,
                        int log_bits, shared_t &s, int *dropped)
{
    const int lane = threadIdx.x % WARP;
    const unsigned char *letters = w.letters + w.first + (at + lane) * w.step;
    const int n = at + lane < w.n ? n_kmers_of(letters, p.k) : 0;
    unsigned several = __ballot_sync(ALL_LANES, n > 1 && n <= FILTER_WINDOW_KMERS_MAX);
    int excess = 0, begin = 0;

    *dropped += n > FILTER_WINDOW_KMERS_MAX;
    do { /* the windows before the next one of several k-mers, then that one */
        const int end = several != 0 ? __ffs(static_cast<int>(several)) - 1 : WARP;

        if (n == 1 && lane >= begin && lane < end)
            excess += set_bit(s.vector,
                              filter_kmer_bit(kmer_of(letters, p.k, 0), p.k, log_bits));
        __syncwarp();
        if (end < WARP) {
            const bool met = add_many(p, w.letters + w.first + (at + end) * w.step,
                                      __shfl_sync(ALL_LANES, n, end), log_bits, s.vector);

            excess += met && lane == 0;
        }
        begin = end + 1;
        several &= several - 1;
    } while (begin < WARP);
    return excess;
}

/* Add windows to the vector, and count excess and dropped ones. */
__device__ void add_windows(const filter_vectors_launch_t &p, const windows_t &w,
                            int log_bits, shared_t &s)
{
    const int warp = threadIdx.x / WARP, n_warps = w.is_mixed ? 1 : WARPS;
    int excess = 0, dropped = 0;

    for (int at = warp * WARP; warp < n_warps && at < w.n; at += n_warps * WARP)
        excess += add_some(p, w, at, log_bits, s, &dropped);
    excess = cuda_warp_sum(excess);
    dropped = cuda_warp_sum(dropped);
    if (threadIdx.x % WARP == 0) {
        atomicAdd(&s.excess, excess);
        atomicAdd(&s.dropped, dropped);
    }
    __syncthreads();
}

/* Start with an empty vector. */
__device__ void clear(shared_t &s, int words)
{
    __syncthreads();
    for (int w = threadIdx.x; w < words; w += BLOCK)
        s.vector[w] = 0;
    if (threadIdx.x == 0)
        s.excess = s.dropped = 0;
    __syncthreads();
}

__device__ void store(const shared_t &s, int words, unsigned *out)
{
    for (int w = threadIdx.x; w < words; w += BLOCK)
        out[w] = s.vector[w];
}

/* Make the vectors of all bins' starts (end = 0) or ends (1). Each contains the one
 * before. */
__device__ void make_ends(const filter_vectors_launch_t &p, windows_t w, int end,
                          filter_seq_t &seq, unsigned *out, shared_t &s)
{
    const int n_windows = w.n;
    int n = 0;

    clear(s, p.end_words);
    for (int bin = 0; bin < FILTER_BINS; bin++) {
        w.first = end == 0 ? n : n_windows - 1 - n;
        w.step = end == 0 ? 1 : -1;
        w.n = seq.n_end_windows[bin] - n;
        add_windows(p, w, p.log_bits - 1, s);
        store(s, p.end_words, out + bin * p.end_words);
        if (threadIdx.x == 0)
            seq.end_excess[end][bin] = s.excess;
        __syncthreads(); /* before the next bin's windows are added */
        n = seq.n_end_windows[bin];
    }
}

__global__ void __launch_bounds__(BLOCK) make_vectors(const filter_vectors_launch_t p)
{
    __shared__ shared_t s;
    const long long i = blockIdx.x;
    filter_seq_t &seq = p.seqs[i];
    const windows_t w = {p.set.letters + p.set.start[i], 0, 1, max(seq.len - p.k + 1, 0),
                         p.set.has_ambiguity[i] != 0};

    clear(s, p.words);
    add_windows(p, w, p.log_bits, s);
    store(s, p.words, p.whole + i * p.words);
    if (threadIdx.x == 0) {
        seq.excess = s.excess;
        seq.dropped = s.dropped;
    }
    for (int end = 0; end < 2 && p.end_words > 0; end++)
        make_ends(p, w, end, seq, p.ends + (i * 2 + end) * FILTER_BINS * p.end_words, s);
}

} // namespace

status_t filter_vectors_make(const filter_vectors_launch_t &launch, int64_t n)
{
    if (n == 0 || launch.words == 0)
        return ST_OK;
    make_vectors<<<static_cast<unsigned>(n), BLOCK>>>(launch);
    return cuda_put_done(CUDA_TRY(cudaGetLastError()));
}
