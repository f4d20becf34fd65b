/*
 * sync_bitonic.cu - bitonic sort of 32-bit keys.
 *
 * Pairs of keys at a stride are exchanged.  Strides below the size of a tile, of one
 * stage or of the first stages, are one round in shared memory; above it, a thread does
 * up to three strides of 8 keys in registers.  With a round per stride instead, it is how
 * barriers were evaluated when they were new.
 */
#include "bench/sync/programs/sync_program.cuh"
#include "kernels/device/cuda_put.cuh"

extern "C" {
#include "io/base/clock.h"
}

#include <cub/device/device_radix_sort.cuh>
#include <vector>

namespace
{

enum { LOG2_TILE = 12, TILE = 1 << LOG2_TILE, MAX_ROUNDS = 300 };

__device__ inline void exchange(uint32_t *a, uint32_t *b, bool ascends)
{
    const uint32_t low = min(*a, *b), high = max(*a, *b);

    *a = ascends ? low : high;
    *b = ascends ? high : low;
}

struct bitonic_t {
    enum { THREADS = 512, BLOCKS_PER_CORE = 2, SHARED_BYTES = 0 };
    uint32_t *keys;
    int log2_n, n_rounds, n_blocks;
    struct {
        signed char stage; /* keys ascend or descend in runs of 2^stage behind it */
        signed char log2_stride, n_strides; /* 0: a tile, from the first stage on, or
                                             * with the strides that are left */
    } rounds[MAX_ROUNDS];

    /* Exchange at S strides, from 2^log2_stride down, in registers. */
    template <int S> __device__ void strides(int stage, int log2_stride) const
    {
        const int log2_low = log2_stride - S + 1;
        uint32_t x[1 << S];

        for (int64_t t = static_cast<int64_t>(blockIdx.x) * THREADS + threadIdx.x;
             t < int64_t{1} << (log2_n - S); t += int64_t{gridDim.x} * THREADS) {
            const int64_t low = t & ((int64_t{1} << log2_low) - 1);
            const int64_t first = ((t >> log2_low) << (log2_stride + 1)) + low;
            const bool ascends = (first >> stage & 1) == 0;

#pragma unroll
            for (int q = 0; q < 1 << S; q++)
                x[q] = __ldcg(&keys[first + (int64_t{q} << log2_low)]);
#pragma unroll
            for (int s = S - 1; s >= 0; s--)
#pragma unroll
                for (int q = 0; q < 1 << S; q++)
                    if ((q >> s & 1) == 0)
                        exchange(&x[q], &x[q + (1 << s)], ascends);
#pragma unroll
            for (int q = 0; q < 1 << S; q++)
                __stcg(&keys[first + (int64_t{q} << log2_low)], x[q]);
        }
    }

    /* Do stages of a tile. */
    __device__ void tile(int tile, int first_stage, int last_stage,
                         uint32_t *shared) const
    {
        const int64_t base = static_cast<int64_t>(tile) << LOG2_TILE;

        for (int i = static_cast<int>(threadIdx.x); i < TILE; i += THREADS)
            shared[i] = __ldcg(&keys[base + i]);
        for (int stage = first_stage; stage <= last_stage; stage++)
            for (int log2_stride = min(stage, int{LOG2_TILE}) - 1; log2_stride >= 0;
                 log2_stride--) {
                __syncthreads();
                for (int t = static_cast<int>(threadIdx.x); t < TILE / 2; t += THREADS) {
                    const int low = t & ((1 << log2_stride) - 1);
                    const int i = ((t - low) << 1) + low;

                    exchange(&shared[i], &shared[i + (1 << log2_stride)],
                             ((base + i) >> stage & 1) == 0);
                }
            }
        __syncthreads();
        for (int i = static_cast<int>(threadIdx.x); i < TILE; i += THREADS)
            __stcg(&keys[base + i], shared[i]);
        __syncthreads();
    }

    __device__ void round(int k) const
    {
        __shared__ uint32_t shared[TILE];
        const int stage = rounds[k].stage, log2_stride = rounds[k].log2_stride;

        if (rounds[k].n_strides == 3)
            strides<3>(stage, log2_stride);
        else if (rounds[k].n_strides == 2)
            strides<2>(stage, log2_stride);
        else if (rounds[k].n_strides == 1)
            strides<1>(stage, log2_stride);
        else
            for (int t = static_cast<int>(blockIdx.x); t < 1 << (log2_n - LOG2_TILE);
                 t += static_cast<int>(gridDim.x))
                tile(t, k == 0 ? 1 : stage, stage, shared);
    }
};

/* A round per stride. */
bitonic_t plan_of_strides(uint32_t *keys, int log2_n)
{
    bitonic_t p = {keys, log2_n, 0, (1 << log2_n) / 2 / bitonic_t::THREADS, {}};

    for (int stage = 1; stage <= log2_n; stage++)
        for (int stride = stage - 1; stride >= 0; stride--)
            p.rounds[p.n_rounds++] = {static_cast<signed char>(stage),
                                      static_cast<signed char>(stride), 1};
    return p;
}

bitonic_t plan_of(uint32_t *keys, int log2_n)
{
    bitonic_t p = {keys, log2_n, 0, 1 << (log2_n - LOG2_TILE), {}};

    p.rounds[p.n_rounds++] = {LOG2_TILE, 0, 0};
    for (int stage = LOG2_TILE + 1; stage <= log2_n; stage++) {
        for (int stride = stage - 1; stride >= LOG2_TILE;) {
            const int n = std::min(3, stride - LOG2_TILE + 1);

            p.rounds[p.n_rounds++] = {static_cast<signed char>(stage),
                                      static_cast<signed char>(stride),
                                      static_cast<signed char>(n)};
            stride -= n;
        }
        p.rounds[p.n_rounds++] = {static_cast<signed char>(stage), 0, 0};
    }
    return p;
}

struct keys_t {
    std::vector<uint32_t> input, expected, output;
    uint32_t *input_gpu, *keys, *sorted; /* sorted: CUB's */
    void *scratch;                       /* CUB's */
    size_t bytes, scratch_bytes;
};

status_t create(int log2_n, keys_t *s, double *serial_s)
{
    const size_t n = size_t{1} << log2_n;
    uint64_t random = 1;
    status_t st;

    s->input.resize(n);
    for (uint32_t &key : s->input)
        key = program_random(&random);
    s->expected = s->output = s->input;
    s->bytes = n * sizeof(uint32_t);
    const double begin = clock_now_s();

    std::sort(s->expected.begin(), s->expected.end());
    *serial_s = clock_now_s() - begin;
    if ((st = cuda_put_new(&s->input_gpu, s->input.data(), n)) != ST_OK ||
        (st = CUDA_TRY(cudaMalloc(&s->keys, s->bytes))) != ST_OK ||
        (st = CUDA_TRY(cudaMalloc(&s->sorted, s->bytes))) != ST_OK ||
        (st = CUDA_TRY(cub::DeviceRadixSort::SortKeys(nullptr, s->scratch_bytes, s->keys,
                                                      s->sorted, static_cast<int>(n)))) !=
            ST_OK)
        return st;
    return CUDA_TRY(cudaMalloc(&s->scratch, s->scratch_bytes));
}

status_t check(keys_t *s, const uint32_t *sorted)
{
    const status_t st =
        CUDA_TRY(cudaMemcpy(s->output.data(), sorted, s->bytes, cudaMemcpyDeviceToHost));

    return st != ST_OK ? st : s->output == s->expected ? ST_OK : ST_EINPUT;
}

} // namespace

extern "C" status_t sync_bitonic_run(const device_t *gpu,
                                     const sync_program_setup_t *setup,
                                     sync_program_times_t *out)
{
    program_run_t r = {};
    keys_t s = {};
    status_t st;
    const auto prepare = [&] {
        return CUDA_TRY(cudaMemcpyAsync(s.keys, s.input_gpu, s.bytes,
                                        cudaMemcpyDeviceToDevice, r.stream));
    };

    *out = {};
    if ((st = program_begin(gpu, setup, &r)) == ST_OK &&
        (st = create(setup->log2_size, &s, &out->serial_s)) == ST_OK &&
        (st = program_time(
             r, prepare,
             [&] {
                 return CUDA_TRY(
                     cub::DeviceRadixSort::SortKeys(s.scratch, s.scratch_bytes, s.keys,
                                                    s.sorted, 1 << setup->log2_size, 0,
                                                    32, r.stream));
             },
             &out->peer_s)) == ST_OK)
        st = program_time_all(
            &r, setup->name,
            setup->variant == SYNC_BITONIC_TILES
                ? plan_of(s.keys, setup->log2_size)
                : plan_of_strides(s.keys, setup->log2_size),
            setup->only, prepare, [&] { return check(&s, s.keys); }, out);
    cudaFree(s.input_gpu);
    cudaFree(s.keys);
    cudaFree(s.sorted);
    cudaFree(s.scratch);
    program_end(&r);
    return st;
}
