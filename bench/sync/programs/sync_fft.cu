/*
 * sync_fft.cu - FFT of complex numbers, by Stockham's algorithm.
 *
 * A round is one factor of the size, at most 2^11.  A tile is all elements that some
 * neighboring transforms of that length need; a block has a tile at a time, and does the
 * transforms in stages of radix 8, 4 or 2, between which the tile is in shared memory.
 * With few rounds this is how an FFT is written today, for 2^20 to 2^22 points in
 * sync_fft.cuh; with a round per factor of 2, how barriers were evaluated when they were
 * new.
 */
#include "bench/sync/programs/sync_fft.cuh"
#include "kernels/device/cuda_put.cuh"

extern "C" {
#include "io/base/clock.h"
}

#include <cmath>
#include <complex>
#include <vector>

#if __has_include(<cufft.h>)
#include <cufft.h>
#include <dlfcn.h>
#endif

namespace
{

enum { LOG2_TILE = 12, MAX_ROUNDS = 32 };
enum { POINTS = 8 /* of a thread */ };
constexpr double MAX_ERROR = 1e-6;

/* @return where a point of a tile is in shared memory: columns fall on other banks */
__device__ inline int padded(int i)
{
    return i + (i >> 5) * 4;
}

struct fft_t {
    enum {
        TILE = 1 << LOG2_TILE,
        THREADS = TILE / POINTS,
        BLOCKS_PER_CORE = 2,
        SHARED_BYTES = 0
    };
    float2 *data[2];     /* round k reads data[k % 2] */
    const float2 *roots; /* [2^MAX_FACTOR] exp(-2 pi i k / 2^MAX_FACTOR) */
    int log2_n, n_rounds, n_blocks;
    signed char log2_factor[MAX_ROUNDS];

    /* What a stage of a round is. */
    struct stage_t {
        const float2 *from;
        float2 *to;
        const float2 *roots;
        int log2_n, log2_f; /* all points; the round's factor */
        int log2_before;    /* the factors of rounds before */
        int log2_done;      /* of the stages before */
        int tile;
    };

    /* Do one stage of a tile in registers. @param LOG2_R  its radix */
    template <int LOG2_R> __device__ static void stage(const stage_t &s, float2 *shared)
    {
        enum { R = 1 << LOG2_R, N = POINTS / R };
        const int log2_columns = LOG2_TILE - s.log2_f;
        const bool is_first = s.log2_done == 0,
                   is_last = s.log2_done + LOG2_R == s.log2_f;
        float2 v[N][R];

#pragma unroll
        for (int i = 0; i < N; i++) {
            const int b = static_cast<int>(threadIdx.x) + i * THREADS;
            const int column = b & ((1 << log2_columns) - 1), j = b >> log2_columns;
            const int global = (s.tile << log2_columns) + column;

            if (is_first) {
#pragma unroll
                for (int q = 0; q < R; q++)
                    v[i][q] = __ldcg(&s.from[global + ((j + (q << (s.log2_f - LOG2_R)))
                                                       << (s.log2_n - s.log2_f))]);
                if (s.log2_before > 0) {
                    const int k = global & ((1 << s.log2_before) - 1);

                    const float2 w =
                        root(static_cast<float>(k * j) /
                             static_cast<float>(1 << (s.log2_before + s.log2_f)));

                    twist<R>(v[i],
                             root(static_cast<float>(k) /
                                  static_cast<float>(1 << (s.log2_before + LOG2_R))));
#pragma unroll
                    for (int q = 0; q < R; q++)
                        v[i][q] = times(v[i][q], w);
                }
            } else {
                const int k = j & ((1 << s.log2_done) - 1);

#pragma unroll
                for (int q = 0; q < R; q++)
                    v[i][q] = shared[padded(
                        ((j + (q << (s.log2_f - LOG2_R))) << log2_columns) + column)];
                twist<R>(v[i], __ldg(&s.roots[k << (MAX_FACTOR - s.log2_done - LOG2_R)]));
            }
            transform<R>(v[i]);
        }
        if (!is_last)
            __syncthreads(); /* all have read, of the tile before as well */
#pragma unroll
        for (int i = 0; i < N; i++) {
            const int b = static_cast<int>(threadIdx.x) + i * THREADS;
            const int column = b & ((1 << log2_columns) - 1), j = b >> log2_columns;
            const int global = (s.tile << log2_columns) + column;
            const int k = j & ((1 << s.log2_done) - 1);
            const int point = ((j >> s.log2_done) << (s.log2_done + LOG2_R)) + k;
            const int low = global & ((1 << s.log2_before) - 1);
            float2 *to = s.to + ((global - low) << s.log2_f) + low;

#pragma unroll
            for (int q = 0; q < R; q++) {
                const int at = point + (q << s.log2_done);

                if (is_last)
                    __stcg(&to[at << s.log2_before], v[i][q]);
                else
                    shared[padded((at << log2_columns) + column)] = v[i][q];
            }
        }
        if (!is_last)
            __syncthreads();
    }

    __device__ void round(int k) const
    {
        __shared__ float2 shared[TILE + TILE / 8];
        stage_t s = {
            data[k % 2], data[(k + 1) % 2], roots, log2_n, log2_factor[k], 0, 0, 0};

        for (int i = 0; i < k; i++)
            s.log2_before += log2_factor[i];
        for (s.tile = static_cast<int>(blockIdx.x); s.tile < 1 << (log2_n - LOG2_TILE);
             s.tile += static_cast<int>(gridDim.x))
            for (s.log2_done = 0; s.log2_done < s.log2_f;) {
                const int left = s.log2_f - s.log2_done;

                if (left >= 3)
                    stage<3>(s, shared);
                else if (left == 2)
                    stage<2>(s, shared);
                else
                    stage<1>(s, shared);
                s.log2_done += min(left, 3);
            }
    }
};

typedef std::complex<double> complex_t;

/* Transform on the CPU: radix 2, with roots from a table. */
void fft_serial(std::vector<complex_t> *data)
{
    const size_t n = data->size();
    std::vector<complex_t> other(n), roots(n / 2);
    complex_t *from = data->data(), *to = other.data();

    for (size_t k = 0; k < n / 2; k++)
        roots[k] =
            std::polar(1.0, -2 * M_PI * static_cast<double>(k) / static_cast<double>(n));
    for (size_t done = 1; done < n; done *= 2) {
        for (size_t high = 0; high < n / 2; high += done)
            for (size_t low = 0; low < done; low++) {
                const complex_t a = from[high + low];
                const complex_t b =
                    from[high + low + n / 2] * roots[low * (n / 2 / done)];

                to[2 * high + low] = a + b;
                to[2 * high + low + done] = a - b;
            }
        std::swap(from, to);
    }
    if (from != data->data())
        data->swap(other);
}

struct fft_host_t {
    std::vector<float2> input, output;
    std::vector<complex_t> expected;
    float2 *input_gpu, *data[2], *roots;
    size_t bytes;
};

/* @return the relative error, by the sums of squares */
double error_of(const fft_host_t &h)
{
    double off = 0, sum = 0;

    for (size_t k = 0; k < h.expected.size(); k++) {
        const complex_t got(static_cast<double>(h.output[k].x),
                            static_cast<double>(h.output[k].y));

        off += std::norm(got - h.expected[k]);
        sum += std::norm(h.expected[k]);
    }
    return std::sqrt(off / sum);
}

status_t check(fft_host_t *h, const float2 *result, double *error)
{
    const status_t st =
        CUDA_TRY(cudaMemcpy(h->output.data(), result, h->bytes, cudaMemcpyDeviceToHost));
    const double now = st == ST_OK ? error_of(*h) : 0;

    *error = std::max(*error, now);
    return st != ST_OK ? st : now <= MAX_ERROR ? ST_OK : ST_EINPUT;
}

/* Time cuFFT, if it can be loaded, and check that it computes the same. */
status_t time_cufft(const program_run_t &r, fft_host_t *h,
                    const std::function<status_t()> &prepare, double *out_s)
{
    status_t st = ST_OK;

#if __has_include(<cufft.h>)
#define SPELL(x)  #x
#define SONAME(x) "libcufft.so." SPELL(x)
    void *library = dlopen(SONAME(CUFFT_VER_MAJOR), RTLD_NOW | RTLD_LOCAL);
    const int n = static_cast<int>(h->input.size());
    double error = 0;
    cufftHandle plan;

    if (library == nullptr)
        return ST_OK;
    const auto make =
        reinterpret_cast<decltype(&cufftPlan1d)>(dlsym(library, "cufftPlan1d"));
    const auto set =
        reinterpret_cast<decltype(&cufftSetStream)>(dlsym(library, "cufftSetStream"));
    const auto exec =
        reinterpret_cast<decltype(&cufftExecC2C)>(dlsym(library, "cufftExecC2C"));
    const auto destroy =
        reinterpret_cast<decltype(&cufftDestroy)>(dlsym(library, "cufftDestroy"));

    if (make == nullptr || set == nullptr || exec == nullptr || destroy == nullptr ||
        make(&plan, n, CUFFT_C2C, 1) != CUFFT_SUCCESS)
        return ST_OK;
    if (set(plan, r.stream) != CUFFT_SUCCESS)
        st = ST_EDEVICE;
    else
        st = program_time(
            r, prepare,
            [&] {
                return exec(plan, reinterpret_cast<cufftComplex *>(h->data[0]),
                            reinterpret_cast<cufftComplex *>(h->data[1]),
                            CUFFT_FORWARD) == CUFFT_SUCCESS
                           ? ST_OK
                           : ST_EDEVICE;
            },
            out_s);
    destroy(plan);
    if (st == ST_OK && (st = check(h, h->data[1], &error)) == ST_EINPUT)
        log_error("cuFFT differs by %.1e", error);
#else
    (void)r, (void)h, (void)prepare, (void)out_s;
#endif
    return st;
}

template <class FFT> FFT plan_of(const fft_host_t &h, int log2_n, int variant)
{
    FFT p = {{h.data[0], h.data[1]}, h.roots, log2_n, 0, (1 << log2_n) / FFT::TILE, {}};
    const int n_rounds = variant != SYNC_FFT_FEW ? (log2_n + variant - 1) / variant
                                                 : (log2_n + MAX_FACTOR - 1) / MAX_FACTOR;

    for (int left = log2_n; left > 0; p.n_rounds++) {
        const int f = (left + n_rounds - p.n_rounds - 1) / (n_rounds - p.n_rounds);

        p.log2_factor[p.n_rounds] =
            static_cast<std::decay_t<decltype(p.log2_factor[0])>>(f);
        left -= f;
    }
    return p;
}

status_t create(int log2_n, fft_host_t *h, double *serial_s)
{
    const size_t n = size_t{1} << log2_n;
    std::vector<float2> roots(size_t{1} << MAX_FACTOR);
    uint64_t random = 1;
    status_t st;

    h->bytes = n * sizeof(float2);
    h->input.resize(n);
    h->output.resize(n);
    h->expected.resize(n);
    for (size_t k = 0; k < n; k++) {
        const auto uniform = [&] {
            return static_cast<float>(program_random(&random) >> 8) / (1 << 23) - 1;
        };

        h->input[k].x = uniform();
        h->input[k].y = uniform();
        h->expected[k] = {static_cast<double>(h->input[k].x),
                          static_cast<double>(h->input[k].y)};
    }
    const double begin = clock_now_s();

    fft_serial(&h->expected);
    *serial_s = clock_now_s() - begin;
    for (size_t k = 0; k < roots.size(); k++) {
        const double turn = static_cast<double>(k) / static_cast<double>(roots.size());

        roots[k].x = static_cast<float>(std::cos(-2 * M_PI * turn));
        roots[k].y = static_cast<float>(std::sin(-2 * M_PI * turn));
    }
    if ((st = cuda_put_new(&h->input_gpu, h->input.data(), n)) != ST_OK ||
        (st = cuda_put_new(&h->roots, roots.data(), roots.size())) != ST_OK ||
        (st = CUDA_TRY(cudaMalloc(&h->data[0], h->bytes))) != ST_OK)
        return st;
    return CUDA_TRY(cudaMalloc(&h->data[1], h->bytes));
}

template <class FFT>
status_t time_all(program_run_t *r, fft_host_t *h, const sync_program_setup_t *setup,
                  const std::function<status_t()> &prepare, sync_program_times_t *out)
{
    const FFT p = plan_of<FFT>(*h, setup->log2_size, setup->variant);

    return program_time_all(
        r, setup->name, p, setup->only, prepare,
        [&] { return check(h, h->data[p.n_rounds % 2], &out->error); }, out);
}

} // namespace

extern "C" status_t sync_fft_run(const device_t *gpu, const sync_program_setup_t *setup,
                                 sync_program_times_t *out)
{
    program_run_t r = {};
    fft_host_t h = {};
    status_t st;
    const auto prepare = [&] {
        return CUDA_TRY(cudaMemcpyAsync(h.data[0], h.input_gpu, h.bytes,
                                        cudaMemcpyDeviceToDevice, r.stream));
    };
    const bool is_wide = setup->variant == SYNC_FFT_FEW && setup->log2_size >= 20 &&
                         setup->log2_size <= 2 * MAX_FACTOR && gpu->capability >= 80;

    *out = {};
    if ((st = program_begin(gpu, setup, &r)) == ST_OK &&
        (st = create(setup->log2_size, &h, &out->serial_s)) == ST_OK &&
        (st = time_cufft(r, &h, prepare, &out->peer_s)) == ST_OK)
        st = is_wide ? time_all<fft_wide_t>(&r, &h, setup, prepare, out)
                     : time_all<fft_t>(&r, &h, setup, prepare, out);
    cudaFree(h.input_gpu);
    cudaFree(h.roots);
    cudaFree(h.data[0]);
    cudaFree(h.data[1]);
    program_end(&r);
    return st;
}
