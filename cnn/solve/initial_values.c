/*
 * initial_values.c - draws by Philox.
 */
#include "cnn/solve/initial_values.h"

#include "kernels/cnn/common/cnn_draw.h"

#include <math.h>

static const double two_pi = 6.283185307179586;

/* @return a random number in (0, 1) */
static double uniform(uint64_t seed, uint32_t stream, uint64_t element)
{
    return ((double)cnn_draw(seed, stream, 0, element) + 0.5) * 0x1p-32;
}

/* @return one of the standard normal distribution (Box and Muller 1958) */
static double normal(uint64_t seed, uint32_t stream, uint64_t element)
{
    return sqrt(-2 * log(uniform(seed, stream, 2 * element))) *
           cos(two_pi * uniform(seed, stream, 2 * element + 1));
}

static uint32_t stream_of(const cnn_program_t *p, int tensor)
{
    uint32_t number = 0;

    for (int i = 0; i < tensor; i++)
        number += p->tensors[i].role == CNN_PARAMETER;
    return CNN_INITIAL + number;
}

void initial_values_draw(const cnn_net_t *net, const cnn_program_t *program, int tensor,
                         uint64_t seed, float *out)
{
    const cnn_plan_start_t start = cnn_plan_start(net, program, tensor);
    const uint32_t stream = stream_of(program, tensor);
    const int64_t n = cnn_tensor_n(&program->tensors[tensor]);

    for (int64_t i = 0; i < n; i++) {
        double x = start.value;

        if (start.kind == CNN_START_UNIFORM)
            x *= 2 * uniform(seed, stream, (uint64_t)i) - 1;
        if (start.kind == CNN_START_NORMAL)
            x *= normal(seed, stream, (uint64_t)i);
        out[i] = (float)x;
    }
}
