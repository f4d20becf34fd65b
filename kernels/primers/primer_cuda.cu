/*
 * primer_cuda.cu - the backend of GPUs: the sweep of primer_sweep.h, 32 places per
 * thread.
 *
 * A thread owns half a word of places, and keeps the bits of the four planes from there
 * on in registers.  Of a pattern's base, its mismatches with these places are the planes
 * of the bases that its code lacks, shifted by the base's place in the pattern.  All
 * threads of a warp compare the same base; they leave a pattern when none of their 1024
 * places is left.  Planes stay on the device; scans return one bit per pattern and place.
 */
#include "kernels/align/cuda/cuda_buffer.cuh"
#include "kernels/device/cuda_put.cuh"

extern "C" {
#include "kernels/primers/primer_backend.h"
}

#include <cstdlib>

namespace
{

constexpr int THREADS = 256, HALF = 32;
constexpr unsigned ALL_LANES = 0xffffffff;

/* Halves of words that a thread reads: its own, and those that the last base of a pattern
 * reaches into. */
constexpr int HALVES = 3;

/* Memory that the planes leave free for the bits of scans. */
constexpr size_t FREE_BYTES = 1ull << 30;

/* A base of a pattern: a mask of all bits for each base that its code lacks. */
struct step_t {
    uint32_t lacks[BASE_PLANES];
};

struct pattern_t {
    int n, n_exact;
    uint8_t shift[PRIMER_LEN_MAX];
    step_t steps[PRIMER_LEN_MAX];
};

struct scan_t {
    const uint32_t *planes; /* [BASE_PLANES][stride] halves of words */
    int64_t stride;
    const pattern_t *patterns; /* [n_patterns] */
    int n_patterns, max_mismatches;
    int64_t first, n; /* halves of words */
    uint32_t *out;    /* [n_patterns][out_stride] */
    int64_t out_stride;
};

struct state_t {
    primer_context_t context;
    uint32_t *planes;
    pattern_t *patterns;
    cuda_buffer_t out;
    cudaEvent_t begun, ended; /* of the kernel */
};

/* @return where a base mismatches, for the 32 places that begin with the first half */
__device__ uint32_t mismatches_of(const uint32_t (&text)[BASE_PLANES][HALVES],
                                  const step_t &step, int shift)
{
    uint32_t low = 0, high = 0;

    if (shift < HALF) {
#pragma unroll
        for (int b = 0; b < BASE_PLANES; b++) {
            low |= text[b][0] & step.lacks[b];
            high |= text[b][1] & step.lacks[b];
        }
    } else {
#pragma unroll
        for (int b = 0; b < BASE_PLANES; b++) {
            low |= text[b][1] & step.lacks[b];
            high |= text[b][2] & step.lacks[b];
        }
    }
    return __funnelshift_r(low, high, shift); /* by shift modulo 32 */
}

/* Find the places of a pattern. @tparam N_BITS  of the counters */
template <int N_BITS>
__device__ uint32_t compare(const uint32_t (&text)[BASE_PLANES][HALVES],
                            const pattern_t &p, int max_mismatches)
{
    const int first_count = (1 << N_BITS) - 1 - max_mismatches;
    uint32_t count[N_BITS + 1], over = 0;

#pragma unroll
    for (int b = 0; b < N_BITS; b++)
        count[b] = first_count >> b & 1 ? ~0u : 0u;
    for (int k = 0; k < p.n && __any_sync(ALL_LANES, over != ~0u); k++) {
        uint32_t carry = mismatches_of(text, p.steps[k], p.shift[k]);

        if (k >= p.n_exact) {
#pragma unroll
            for (int b = 0; b < N_BITS; b++) {
                const uint32_t both = count[b] & carry;

                count[b] ^= carry;
                carry = both;
            }
        }
        over |= carry;
    }
    return ~over;
}

template <int N_BITS>
__global__ void __launch_bounds__(THREADS) scan_kernel(const scan_t s)
{
    const int64_t at = static_cast<int64_t>(blockIdx.x) * THREADS + threadIdx.x;
    uint32_t text[BASE_PLANES][HALVES];

    /* behind the range are other words, or those that pad the text */
#pragma unroll
    for (int b = 0; b < BASE_PLANES; b++)
#pragma unroll
        for (int h = 0; h < HALVES; h++) {
            const int64_t half = s.first + at + h;

            text[b][h] = half < s.stride ? s.planes[b * s.stride + half] : ~0u;
        }
    for (int k = 0; k < s.n_patterns; k++) {
        const uint32_t places = compare<N_BITS>(text, s.patterns[k], s.max_mismatches);

        if (at < s.n)
            s.out[k * s.out_stride + at] = places;
    }
}

/* ---- the host ---- */

pattern_t make_pattern(const primer_pattern_t *p)
{
    pattern_t out = {};

    out.n = p->n_order;
    out.n_exact = p->n_exact;
    for (int k = 0; k < p->n_order; k++) {
        const unsigned code = p->codes[p->order[k]];

        out.shift[k] = p->order[k];
        for (int b = 0; b < BASE_PLANES; b++)
            out.steps[k].lacks[b] = (code >> b & 1) != 0 ? 0u : ~0u;
    }
    return out;
}

void destroy(void *state)
{
    state_t *s = static_cast<state_t *>(state);

    if (s == nullptr)
        return;
    cudaSetDevice(s->context.device->index);
    if (s->begun != nullptr)
        cudaEventDestroy(s->begun);
    if (s->ended != nullptr)
        cudaEventDestroy(s->ended);
    cudaFree(s->planes);
    cudaFree(s->patterns);
    cuda_buffer_free(&s->out);
    free(s);
}

status_t put_patterns(state_t *s)
{
    const size_t n = static_cast<size_t>(s->context.n_patterns);
    pattern_t *patterns = static_cast<pattern_t *>(malloc(n * sizeof(*patterns)));
    status_t st = patterns != nullptr ? ST_OK : log_nomem("primers");

    for (size_t k = 0; st == ST_OK && k < n; k++)
        patterns[k] = make_pattern(&s->context.patterns[k]);
    if (st == ST_OK)
        st = cuda_put_new(&s->patterns, patterns, n);
    free(patterns);
    return st;
}

status_t create(const primer_context_t *context, void **state)
{
    const base_planes_t *text = context->text;
    const size_t n = static_cast<size_t>(text->n_words) * BASE_PLANES * 2;
    state_t *s = static_cast<state_t *>(calloc(1, sizeof(*s)));
    size_t n_free = 0, n_all;
    status_t st;

    if (s == nullptr)
        return log_nomem("primers");
    s->context = *context;
    st = CUDA_TRY(cudaSetDevice(context->device->index));
    if (st == ST_OK)
        st = CUDA_TRY(cudaMemGetInfo(&n_free, &n_all));
    if (st == ST_OK && n * sizeof(uint32_t) + FREE_BYTES > n_free)
        st = ST_EDEVICE;
    if (st == ST_OK)
        st = cuda_put_new(&s->planes, reinterpret_cast<const uint32_t *>(text->words), n);
    if (st == ST_OK)
        st = put_patterns(s);
    if (st == ST_OK)
        st = CUDA_TRY(cudaEventCreate(&s->begun));
    if (st == ST_OK)
        st = CUDA_TRY(cudaEventCreate(&s->ended));
    if (st != ST_OK) {
        destroy(s);
        return st;
    }
    *state = s;
    return ST_OK;
}

status_t launch(const scan_t *scan)
{
    const unsigned blocks = static_cast<unsigned>((scan->n + THREADS - 1) / THREADS);

    if (scan->max_mismatches == 0)
        scan_kernel<0><<<blocks, THREADS>>>(*scan);
    else if (scan->max_mismatches == 1)
        scan_kernel<1><<<blocks, THREADS>>>(*scan);
    else if (scan->max_mismatches <= 3)
        scan_kernel<2><<<blocks, THREADS>>>(*scan);
    else if (scan->max_mismatches <= 7)
        scan_kernel<3><<<blocks, THREADS>>>(*scan);
    else
        scan_kernel<4><<<blocks, THREADS>>>(*scan);
    return CUDA_TRY(cudaGetLastError());
}

status_t scan(void *state, int64_t first, int64_t n, uint64_t *out)
{
    state_t *s = static_cast<state_t *>(state);
    const int64_t row = primer_row_words(n);
    const size_t bytes = static_cast<size_t>(row) *
                         static_cast<size_t>(s->context.n_patterns) * sizeof(*out);
    status_t st = CUDA_TRY(cudaSetDevice(s->context.device->index));

    if (st == ST_OK)
        st = cuda_buffer_reserve(&s->out, bytes);
    if (st != ST_OK)
        return st;
    const scan_t what = {s->planes,
                         s->context.text->n_words * 2,
                         s->patterns,
                         s->context.n_patterns,
                         s->context.max_mismatches,
                         first * 2,
                         n * 2,
                         static_cast<uint32_t *>(s->out.at),
                         row * 2};
    if ((st = CUDA_TRY(cudaEventRecord(s->begun))) != ST_OK ||
        (st = launch(&what)) != ST_OK ||
        (st = CUDA_TRY(cudaEventRecord(s->ended))) != ST_OK)
        return st;
    return CUDA_TRY(cudaMemcpy(out, s->out.at, bytes, cudaMemcpyDeviceToHost));
}

double kernel_s(const void *state)
{
    const state_t *s = static_cast<const state_t *>(state);
    float milliseconds = 0;

    return CUDA_TRY(cudaEventElapsedTime(&milliseconds, s->begun, s->ended)) == ST_OK
               ? static_cast<double>(milliseconds) / 1000
               : 0;
}

} // namespace

/* The rate is in comparisons of a base of a pattern with a place. */
extern "C" const primer_backend_t primer_cuda_backend = {
    /* .base = */ {"sliced", DEVICE_CUDA, 5e12},
    /* .is_parallel = */ false,
    /* .create = */ create,
    /* .scan = */ scan,
    /* .kernel_s = */ kernel_s,
    /* .destroy = */ destroy,
};
