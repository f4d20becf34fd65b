/*
 * scan_run_kernel.cu - steps patterns from where they start or leave a loop: a thread
 * each, until no position is live.
 */
#include "kernels/automata/cuda/scan_cuda.cuh"

namespace
{

constexpr int THREADS = 128, BLOCKS = 132 * 16;

/* ---- runs ---- */

struct run_t {
    const nfa_bits_pattern_t *pattern;
    int32_t number; /* of the pattern */
    int64_t first;  /* its first position */
    scan_span_t span;
    uint32_t span_number;
};

__device__ const uint64_t *mask_of(const scan_batch_t &b, const run_t &r,
                                   nfa_bits_mask_t mask)
{
    return b.tables.words + r.pattern->masks +
           static_cast<int64_t>(mask) * r.pattern->n_words;
}

/* @return whether a match that ends here is at the end of its record */
__device__ bool is_end(const scan_batch_t &b, const run_t &r, uint32_t end)
{
    if (b.has_lines)
        return end == r.span.end || b.bytes[end] == '\n';
    return end == r.span.record_end ||
           (end + 1 == r.span.record_end && b.bytes[end] == '\n');
}

/* List the loops that a run has entered. @param bits  of word w */
__device__ void push_entries(const scan_batch_t &b, const run_t &r, int w, uint64_t bits,
                             uint32_t at)
{
    for (; bits != 0; bits &= bits - 1)
        scan_push(b, SCAN_ENTRIES,
                  static_cast<uint32_t>(r.first) + w * 64 +
                      __ffsll(static_cast<long long>(bits)) - 1,
                  at);
}

/* Set what may follow a state. @tparam WORDS  at least those of the pattern */
template <int WORDS>
__device__ void follow(const scan_batch_t &b, const run_t &r,
                       const uint64_t (&state)[WORDS], uint64_t (&out)[WORDS])
{
    const int n = WORDS == 1 ? 1 : r.pattern->n_words;
    const uint64_t *stay = mask_of(b, r, NFA_BITS_STAY);
    const uint64_t *shift = mask_of(b, r, NFA_BITS_SHIFT);
    const uint64_t *jump = b.tables.words + r.pattern->jumps;
    uint64_t carry = 0;

    for (int w = 0; w < n; w++) {
        const uint64_t moved = state[w] & shift[w];

        out[w] = (state[w] & stay[w]) | moved << 1 | carry;
        carry = moved >> 63;
    }
    for (int32_t j = 0; j < r.pattern->n_jumps; j++, jump += 2 * n) {
        uint64_t any = 0;

        for (int w = 0; w < n; w++)
            any |= state[w] & jump[w];
        for (int w = 0; any != 0 && w < n; w++)
            out[w] |= jump[n + w];
    }
}

template <int WORDS> struct state_t {
    uint64_t live[WORDS];    /* positions but for those of loops */
    uint64_t waiting[WORDS]; /* loops that this run has entered and not left */
};

/* Consume a byte. @param next  what may consume it @return whether any position is live,
 * loops aside */
template <int WORDS>
__device__ bool step(const scan_batch_t &b, const run_t &r, uint32_t at,
                     const uint64_t (&next)[WORDS], state_t<WORDS> &s)
{
    const int n = WORDS == 1 ? 1 : r.pattern->n_words;
    const uint8_t c = b.tables.class_of[r.pattern->class_of + b.bytes[at]];
    const uint64_t *consume =
        b.tables.words + r.pattern->by_class + static_cast<int64_t>(c) * n;
    const uint64_t *loops = b.tables.loops + r.pattern->state;
    const uint64_t *accepts =
        mask_of(b, r, is_end(b, r, at + 1) ? NFA_BITS_ENDS : NFA_BITS_ACCEPTS);
    uint64_t any = 0, hit = 0;

    for (int w = 0; w < n; w++) {
        const uint64_t live = next[w] & consume[w], entered = live & loops[w];
        const uint64_t waiting = s.waiting[w] & consume[w];

        push_entries(b, r, w, entered & ~waiting, at);
        s.waiting[w] = waiting | entered;
        s.live[w] = live & ~entered;
        any |= s.live[w];
        hit |= s.live[w] & accepts[w];
    }
    if (hit != 0)
        scan_push(b, SCAN_HITS, at + 1, static_cast<uint32_t>(r.number));
    return any != 0;
}

template <int WORDS>
__device__ void push_live(const scan_batch_t &b, const run_t &r, const state_t<WORDS> &s)
{
    for (int w = 0; w < (WORDS == 1 ? 1 : r.pattern->n_words); w++)
        for (uint64_t bits = s.live[w]; bits != 0; bits &= bits - 1)
            scan_push(b, SCAN_LIVE, r.span_number,
                      static_cast<uint32_t>(r.first) + w * 64 +
                          __ffsll(static_cast<long long>(bits)) - 1);
}

/* @return whether the long runs of all threads have become too many */
__device__ bool is_too_long(const scan_batch_t &b, uint32_t n_steps)
{
    return n_steps % SCAN_LONG_RUN == SCAN_LONG_RUN - 1 &&
           atomicAdd(&b.counts[SCAN_LONG_RUNS], 1ull) > b.max_long_runs;
}

template <int WORDS>
__device__ void run_from(const scan_batch_t &b, const run_t &r, uint32_t begin,
                         const uint64_t *exits)
{
    state_t<WORDS> s = {};
    uint64_t next[WORDS];

    for (int w = 0; w < (WORDS == 1 ? 1 : r.pattern->n_words); w++)
        next[w] = exits[w];
    for (uint32_t at = begin; at < r.span.end; at++) {
        if ((b.has_lines && b.bytes[at] == '\n') || !step(b, r, at, next, s) ||
            is_too_long(b, at - begin))
            return;
        follow(b, r, s.live, next);
    }
    if (!b.has_lines && r.span.end < r.span.record_end)
        push_live(b, r, s);
}

/* Step the pattern of a point from a place on. */
__device__ void run_point(const scan_batch_t &b, uint32_t at, uint32_t number)
{
    const start_point_t &point = b.tables.points[number];
    const uint64_t *exits = b.tables.exits + b.tables.exit[number];
    run_t r;

    r.number = point.pattern;
    r.pattern = &b.tables.patterns[r.number];
    r.first = b.tables.first[r.number];
    r.span_number = b.span_of[at / SCAN_CHUNK];
    r.span = b.spans[r.span_number];
    if (r.pattern->n_words == 1)
        run_from<1>(b, r, at, exits);
    else if (r.pattern->n_words <= SCAN_MAX_WORDS)
        run_from<SCAN_MAX_WORDS>(b, r, at, exits);
}

__device__ uint64_t length_of(const scan_batch_t &b, scan_list_t list)
{
    return b.counts[list] < b.capacity ? b.counts[list] : b.capacity;
}

__global__ void __launch_bounds__(THREADS) run_starts_kernel(const scan_batch_t b)
{
    const uint64_t n = length_of(b, SCAN_STARTS);

    for (uint64_t k = blockIdx.x * THREADS + threadIdx.x; k < n;
         k += gridDim.x * THREADS) {
        const uint64_t item = b.lists[SCAN_STARTS][k];

        run_point(b, static_cast<uint32_t>(item >> 32), static_cast<uint32_t>(item));
    }
}

/* ---- loops ---- */

/* @return whether a loop consumes the bytes begin .. end - 1 of a span */
__device__ bool loop_lasts(const scan_batch_t &b, const byte_set_t &set, uint32_t begin,
                           uint32_t end)
{
    while (end > begin) {
        const uint32_t chunk = (end - 1) / SCAN_CHUNK;
        const uint32_t from = max(begin, chunk * SCAN_CHUNK);
        const uint32_t *present = b.present + chunk * (256 / 32);
        uint32_t breaks = 0;

        for (int k = 0; k < 256 / 32; k++)
            breaks |= present[k] & ~(set.bits[4 * k] | set.bits[4 * k + 1] << 8 |
                                     set.bits[4 * k + 2] << 16 |
                                     static_cast<uint32_t>(set.bits[4 * k + 3]) << 24);
        if (b.has_lines)
            breaks |= present['\n' / 32] & 1u << '\n' % 32;
        for (uint32_t at = end; breaks != 0 && at > from; at--)
            if (!scan_set_has(set, b.bytes[at - 1]) ||
                (b.has_lines && b.bytes[at - 1] == '\n'))
                return false;
        end = from;
    }
    return true;
}

/* @return the number of sorted entries that are at most a key */
__device__ uint64_t count_to(const uint64_t *sorted, uint64_t n, uint64_t key)
{
    uint64_t low = 0;

    while (low < n) {
        const uint64_t middle = (low + n) / 2;

        if (sorted[middle] <= key)
            low = middle + 1;
        else
            n = middle;
    }
    return low;
}

/* @return whether the pattern waits in a loop before the byte at a place */
__device__ bool is_waiting(const scan_batch_t &b, uint64_t n, uint32_t loop, uint32_t at)
{
    const uint64_t key = static_cast<uint64_t>(loop) << 32 | at;
    const uint64_t k = key == 0 ? 0 : count_to(b.sorted, n, key - 1);
    const uint64_t last = k == 0 ? 0 : b.sorted[k - 1];

    return k > 0 && last >> 32 == loop &&
           static_cast<uint32_t>(last) >= b.spans[b.span_of[at / SCAN_CHUNK]].begin &&
           loop_lasts(b, b.tables.sets[loop], static_cast<uint32_t>(last) + 1, at);
}

__global__ void __launch_bounds__(THREADS)
    run_exits_kernel(const scan_batch_t b, uint64_t n_entries)
{
    const uint64_t n = length_of(b, SCAN_EXITS);

    for (uint64_t k = blockIdx.x * THREADS + threadIdx.x; k < n;
         k += gridDim.x * THREADS) {
        const uint64_t item = b.lists[SCAN_EXITS][k];
        const uint32_t at = static_cast<uint32_t>(item >> 32);
        const uint32_t point = static_cast<uint32_t>(item);

        if (b.has_left[k] != 0 ||
            !is_waiting(b, n_entries, static_cast<uint32_t>(b.tables.points[point].loop),
                        at))
            continue;
        b.has_left[k] = 1;
        run_point(b, at, point);
    }
}

__global__ void __launch_bounds__(THREADS)
    list_loops_kernel(const scan_batch_t b, uint64_t n)
{
    for (uint64_t k = blockIdx.x * THREADS + threadIdx.x; k < n;
         k += gridDim.x * THREADS) {
        const uint32_t loop = static_cast<uint32_t>(b.sorted[k] >> 32);
        const uint32_t at = static_cast<uint32_t>(b.sorted[k]);
        const uint32_t number = b.span_of[at / SCAN_CHUNK];
        const scan_span_t span = b.spans[number];
        const uint64_t last = static_cast<uint64_t>(loop) << 32 | (span.end - 1);

        if (k + 1 < n && b.sorted[k + 1] <= last)
            continue;
        if (span.end < span.record_end &&
            loop_lasts(b, b.tables.sets[loop], at + 1, span.end))
            scan_push(b, SCAN_LIVE, number, loop);
    }
}

} // namespace

status_t scan_run_starts(const scan_batch_t &b, cudaStream_t stream)
{
    run_starts_kernel<<<BLOCKS, THREADS, 0, stream>>>(b);
    return CUDA_TRY(cudaGetLastError());
}

status_t scan_run_exits(const scan_batch_t &b, uint64_t n, cudaStream_t stream)
{
    run_exits_kernel<<<BLOCKS, THREADS, 0, stream>>>(b, n);
    return CUDA_TRY(cudaGetLastError());
}

status_t scan_list_loops(const scan_batch_t &b, uint64_t n, cudaStream_t stream)
{
    list_loops_kernel<<<BLOCKS, THREADS, 0, stream>>>(b, n);
    return CUDA_TRY(cudaGetLastError());
}
