/*
 * initial_values.c - draws by Philox.
 */
#include "cnn/solve/initial_values.h"

#include "kernels/cnn/common/cnn_draw.h"

#include <math.h>

static const double two_pi = 6.283185307179586;

/* Values that a thread draws at a time. */
enum { PIECE = 1 << 14 };

typedef struct {
    cnn_plan_start_t start;
    uint64_t seed;
    uint32_t stream;
    int64_t n;
    float *out;
} draw_t;

/* @return a random number in (0, 1) */
static double uniform(uint32_t bits)
{
    return ((double)bits + 0.5) * 0x1p-32;
}

/* @return one of the standard normal distribution (Box and Muller 1958), from numbers
 * 2 element and 2 element + 1 of the stream */
static double normal(const draw_t *d, uint64_t element)
{
    const philox_t block = cnn_draw_block(d->seed, d->stream, 0, element / 2);
    const uint32_t *word = block.word + 2 * (element % 2);

    return sqrt(-2 * log(uniform(word[0]))) * cos(two_pi * uniform(word[1]));
}

static uint32_t stream_of(const cnn_program_t *p, int tensor)
{
    uint32_t number = 0;

    for (int i = 0; i < tensor; i++)
        number += p->tensors[i].role == CNN_PARAMETER;
    return CNN_INITIAL + number;
}

static void draw_piece(void *ctx, int64_t piece, int thread)
{
    const draw_t *d = ctx;
    const int64_t first = piece * PIECE;
    const int64_t end = d->n - first < PIECE ? d->n : first + PIECE;

    (void)thread;
    for (int64_t i = first; i < end; i++) {
        double x = d->start.value;

        if (d->start.kind == CNN_START_UNIFORM)
            x *= 2 * uniform(cnn_draw(d->seed, d->stream, 0, (uint64_t)i)) - 1;
        if (d->start.kind == CNN_START_NORMAL)
            x *= normal(d, (uint64_t)i);
        d->out[i] = (float)x;
    }
}

void initial_values_draw(const cnn_net_t *net, const cnn_program_t *program, int tensor,
                         uint64_t seed, pool_t *pool, float *out)
{
    draw_t d = {.start = cnn_plan_start(net, program, tensor),
                .seed = seed,
                .stream = stream_of(program, tensor),
                .n = cnn_tensor_n(&program->tensors[tensor]),
                .out = out};

    pool_run(pool, (d.n + PIECE - 1) / PIECE, draw_piece, &d);
}
