/*
 * primer_cpu.c - the backend of CPUs: block by block, by the widest sweep of the CPU.
 */
#include "io/base/logmsg.h"
#include "kernels/primers/primer_gaps.h"
#include "kernels/primers/primer_sweep.h"

#include <stdlib.h>

typedef struct {
    primer_context_t context;
    primer_sweep_t sweep;
} state_t;

static primer_sweep_t sweep_of(simd_level_t level)
{
#if defined(__x86_64__)
    if (level >= SIMD_AVX512)
        return primer_sweep_avx512;
    if (level >= SIMD_AVX2)
        return primer_sweep_avx2;
#else
    (void)level;
#endif
    return primer_sweep_128;
}

static status_t create(const primer_context_t *context, void **state)
{
    state_t *s = malloc(sizeof(*s));

    if (s == NULL)
        return log_nomem("primers");
    *s = (state_t){*context, sweep_of(context->device->simd)};
    *state = s;
    return ST_OK;
}

static status_t scan(void *state, int64_t first, int64_t n, uint64_t *out)
{
    const state_t *s = state;

    if (s->context.max_gaps > 0) {
        primer_gaps_scan(&s->context, first, n, out);
        return ST_OK;
    }
    for (int64_t w = 0; w < n; w += PRIMER_SWEEP_WORDS) {
        const int64_t left = n - w;

        s->sweep(&s->context, first + w,
                 (int)(left < PRIMER_SWEEP_WORDS ? left : PRIMER_SWEEP_WORDS), out + w,
                 primer_row_words(n));
    }
    return ST_OK;
}

/* The rate is in comparisons of a base of a pattern with a place. */
const primer_backend_t primer_cpu_backend = {
    .base = {.name = "sliced", .kind = DEVICE_CPU, .rate = 2e11},
    .is_parallel = true,
    .create = create,
    .scan = scan,
    .destroy = free,
};
