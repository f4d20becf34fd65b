/*
 * initial_values.c - draws by Philox.
 */
#include "cnn/solve/initial_values.h"

#include "kernels/cnn/common/cnn_draw.h"

#include "io/base/buf.h"
#include "io/base/logmsg.h"

#include <math.h>
#include <stdlib.h>

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

/* Draw elements 4 k .. 4 k + 3 from -1 to 1: each has a number of the stream. */
static void draw_uniform(const draw_t *d, uint64_t k, double x[4])
{
    const philox_t block = cnn_draw_block(d->seed, d->stream, 0, k);

    for (int i = 0; i < 4; i++)
        x[i] = 2 * uniform(block.word[i]) - 1;
}

/* The same of the standard normal distribution (Box and Muller 1958): an element has two
 * numbers of the stream. */
static void draw_normal(const draw_t *d, uint64_t k, double x[4])
{
    for (uint64_t half = 0; half < 2; half++) {
        const philox_t block = cnn_draw_block(d->seed, d->stream, 0, 2 * k + half);

        for (int i = 0; i < 2; i++)
            x[2 * half + (uint64_t)i] = sqrt(-2 * log(uniform(block.word[2 * i]))) *
                                        cos(two_pi * uniform(block.word[2 * i + 1]));
    }
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
    for (int64_t i = first; i < end; i += 4) {
        double x[4] = {1, 1, 1, 1};

        if (d->start.kind == CNN_START_UNIFORM)
            draw_uniform(d, (uint64_t)i / 4, x);
        if (d->start.kind == CNN_START_NORMAL)
            draw_normal(d, (uint64_t)i / 4, x);
        for (int64_t k = 0; k < 4 && i + k < end; k++)
            d->out[i + k] = (float)(d->start.value * x[k]);
    }
}

static draw_t describe(const cnn_net_t *net, const cnn_program_t *program, int tensor,
                       uint64_t seed)
{
    return (draw_t){.start = cnn_plan_start(net, program, tensor),
                    .seed = seed,
                    .stream = stream_of(program, tensor),
                    .n = cnn_tensor_n(&program->tensors[tensor])};
}

static int64_t count_pieces(const draw_t *d)
{
    return (d->n + PIECE - 1) / PIECE;
}

void initial_values_draw(const cnn_net_t *net, const cnn_program_t *program, int tensor,
                         uint64_t seed, pool_t *pool, float *out)
{
    draw_t d = describe(net, program, tensor, seed);

    d.out = out;
    pool_run(pool, count_pieces(&d), draw_piece, &d);
}

/* ---- several tensors, in the background ---- */

struct initial_values {
    pool_t *pool;
    draw_t *draws; /* [n] without `out`: the values are 0 */
    int n;
    float *values; /* of all of them */
};

static bool is_zero(const draw_t *d)
{
    return d->start.kind == CNN_START_CONSTANT && d->start.value == 0;
}

static void draw_any(void *ctx, int64_t piece, int thread)
{
    const initial_values_t *v = ctx;
    int k = 0;

    for (; v->draws[k].out == NULL || piece >= count_pieces(&v->draws[k]); k++)
        piece -= v->draws[k].out != NULL ? count_pieces(&v->draws[k]) : 0;
    draw_piece(&v->draws[k], piece, thread);
}

static status_t allocate(initial_values_t *v, const cnn_net_t *net,
                         const cnn_program_t *program, const int *tensors, uint64_t seed)
{
    int64_t n = 0;
    float *at;

    if ((v->draws = calloc((size_t)v->n + 1, sizeof(*v->draws))) == NULL)
        return log_nomem("initial values");
    for (int k = 0; k < v->n; k++) {
        v->draws[k] = describe(net, program, tensors[k], seed);
        n += is_zero(&v->draws[k]) ? 0 : v->draws[k].n;
    }
    if ((at = v->values = buf_alloc_pages((size_t)n * sizeof(*at))) == NULL)
        return log_nomem("initial values");
    for (int k = 0; k < v->n; k++)
        if (!is_zero(&v->draws[k])) {
            v->draws[k].out = at;
            at += v->draws[k].n;
        }
    return ST_OK;
}

status_t initial_values_begin(const cnn_net_t *net, const cnn_program_t *program,
                              const int *tensors, int n, uint64_t seed, pool_t *pool,
                              initial_values_t **out)
{
    initial_values_t *v = calloc(1, sizeof(*v));
    int64_t n_pieces = 0;
    status_t st;

    if (v == NULL)
        return log_nomem("initial values");
    v->n = n;
    if ((st = allocate(v, net, program, tensors, seed)) != ST_OK) {
        initial_values_destroy(v);
        return st;
    }
    for (int k = 0; k < n; k++)
        n_pieces += v->draws[k].out != NULL ? count_pieces(&v->draws[k]) : 0;
    v->pool = pool;
    pool_begin(pool, n_pieces, draw_any, v);
    *out = v;
    return ST_OK;
}

const float *initial_values_of(initial_values_t *v, int k)
{
    pool_finish(v->pool);
    return v->draws[k].out;
}

void initial_values_destroy(initial_values_t *v)
{
    if (v == NULL)
        return;
    pool_finish(v->pool);
    free(v->draws);
    free(v->values);
    free(v);
}
