/*
 * cpu_convolution.c - convolution and its gradients as products of matrices.
 *
 * With the windows of a group as the columns of a matrix C: y = w C, the gradient of C is
 * w^T dy, and dw is the sum over images of dy C^T.  C is made for some rows of the output
 * at a time, so that it stays in the cache.
 */
#include "kernels/cnn/cpu/cpu_blas.h"
#include "kernels/cnn/cpu/cpu_im2col.h"
#include "kernels/cnn/cpu/cpu_step.h"
#include "kernels/cnn/cpu/cpu_sum.h"

#include <string.h>

enum {
    MIN_COLUMNS = 256,     /* of C at least, because OpenBLAS packs w for each product */
    CACHED_FLOATS = 65536, /* of C if it has more columns than that */
    IMAGE_BLOCKS = 16      /* that dw is summed over */
};

typedef struct {
    cpu_windows_t windows;
    const cpu_tensor_t *x, *w, *y;
    int64_t n_out;       /* channels of y per group */
    int64_t k;           /* rows of C */
    int64_t in_n, out_n; /* elements of a group of an image of x and y */
    int64_t n_rows;      /* of y, of which C is made at a time */
    bool is_pointwise;   /* C is x itself */
    int64_t n_image_blocks;
} convolution_t;

/* The tensors x, w and y of a step or their gradients. */
static convolution_t convolution_of(const cpu_step_t *s)
{
    const cnn_convolution_t *p = &s->params->convolution;
    convolution_t c = {.x = &s->in[0], .w = &s->in[1], .y = &s->out[0]};
    int64_t columns, plane;

    if (s->op == CNN_CONVOLUTION_BACKWARD_DATA) {
        c.x = &s->out[0];
        c.y = &s->in[0];
    } else if (s->op == CNN_CONVOLUTION_BACKWARD_FILTER) {
        c.w = &s->out[0];
        c.y = &s->in[1];
    }
    c.windows = (cpu_windows_t){p,
                                c.w->size[1],
                                {c.x->size[2], c.x->size[3]},
                                {c.y->size[2], c.y->size[3]}};
    plane = c.y->size[2] * c.y->size[3];
    c.n_out = c.y->size[1] / p->groups;
    c.k = c.w->size[1] * p->kernel[0] * p->kernel[1];
    c.in_n = c.w->size[1] * c.x->size[2] * c.x->size[3];
    c.out_n = c.n_out * plane;
    c.is_pointwise = p->kernel[0] == 1 && p->kernel[1] == 1 && p->stride[0] == 1 &&
                     p->stride[1] == 1 && p->pad[0] == 0 && p->pad[1] == 0;
    columns = CACHED_FLOATS / c.k > MIN_COLUMNS ? CACHED_FLOATS / c.k : MIN_COLUMNS;
    c.n_rows = (columns + c.y->size[3] - 1) / c.y->size[3];
    if (c.n_rows > c.y->size[2] || c.is_pointwise)
        c.n_rows = c.y->size[2];
    c.n_image_blocks = c.x->size[0] < IMAGE_BLOCKS ? c.x->size[0] : IMAGE_BLOCKS;
    return c;
}

cpu_scratch_t cpu_convolution_scratch(const cpu_step_t *s)
{
    convolution_t c = convolution_of(s);
    cpu_scratch_t scratch = {c.is_pointwise ? 0 : c.k * c.n_rows * c.y->size[3], 0};

    if (s->op == CNN_CONVOLUTION_BACKWARD_FILTER)
        scratch.shared = c.n_image_blocks * c.w->n;
    return scratch;
}

/* Rows of y and the matrices that go with them. */
typedef struct {
    int64_t first, n; /* rows */
    int64_t columns;  /* of C */
    cpu_matrix_t c;   /* value: made here, or in x */
    cpu_matrix_t y;   /* [n_out][columns] */
} rows_t;

/* Find the rows that begin with `first`. @param col  this thread's memory for C */
static rows_t rows_of(const convolution_t *c, int64_t first, const float *x,
                      const float *y, const float *col)
{
    int64_t width = c->windows.out[1], plane = c->windows.out[0] * width;
    int64_t left = c->windows.out[0] - first;
    rows_t r = {.first = first, .n = left < c->n_rows ? left : c->n_rows};

    r.columns = r.n * width;
    r.c = (cpu_matrix_t){c->is_pointwise ? x : col, r.columns, false};
    r.y = (cpu_matrix_t){y + first * width, plane, false};
    return r;
}

/* @return w of a group, [n_out][k] */
static cpu_matrix_t weights_of(const convolution_t *c, int64_t group)
{
    return (cpu_matrix_t){c->w->value + group * c->n_out * c->k, c->k, false};
}

static void forward(void *ctx, int64_t index, int thread)
{
    const cpu_step_t *s = ctx;
    convolution_t c = convolution_of(s);
    int64_t group = index % c.windows.p->groups;
    const float *x = c.x->value + index * c.in_n;
    float *y = c.y->value + index * c.out_n, *col = s->own + thread * s->own_n;
    int64_t plane = c.out_n / c.n_out;
    bool has_bias = s->n_in > 2;

    for (int64_t o = 0; has_bias && o < c.n_out; o++)
        for (int64_t i = 0; i < plane; i++)
            y[o * plane + i] = s->in[2].value[group * c.n_out + o];
    for (int64_t first = 0; first < c.windows.out[0]; first += c.n_rows) {
        rows_t r = rows_of(&c, first, x, y, col);

        if (!c.is_pointwise)
            cpu_im2col(&c.windows, x, r.first, r.n, col);
        cpu_blas_multiply(c.n_out, r.columns, c.k, weights_of(&c, group), r.c,
                          has_bias ? 1 : 0, y + first * c.windows.out[1], plane);
    }
}

void cpu_convolution(const cpu_step_t *s)
{
    cpu_step_run(s, s->in[0].size[0] * s->params->convolution.groups, forward);
}

static void backward_data(void *ctx, int64_t index, int thread)
{
    const cpu_step_t *s = ctx;
    convolution_t c = convolution_of(s);
    cpu_matrix_t w = weights_of(&c, index % c.windows.p->groups);
    float *dx = c.x->value + index * c.in_n, *col = s->own + thread * s->own_n;
    const float *dy = c.y->value + index * c.out_n;

    w.is_transposed = true;
    if (!c.is_pointwise)
        memset(dx, 0, (size_t)c.in_n * sizeof(*dx));
    for (int64_t first = 0; first < c.windows.out[0]; first += c.n_rows) {
        rows_t r = rows_of(&c, first, dx, dy, col);

        cpu_blas_multiply(c.k, r.columns, c.n_out, w, r.y, 0, c.is_pointwise ? dx : col,
                          r.columns);
        if (!c.is_pointwise)
            cpu_col2im(&c.windows, col, r.first, r.n, dx);
    }
}

void cpu_convolution_backward_data(const cpu_step_t *s)
{
    cpu_step_run(s, s->in[0].size[0] * s->params->convolution.groups, backward_data);
}

/* The part of dw of one group that comes from one block of images. */
static void backward_filter(void *ctx, int64_t index, int thread)
{
    const cpu_step_t *s = ctx;
    convolution_t c = convolution_of(s);
    int64_t n_groups = c.windows.p->groups, n_images = c.x->size[0];
    int64_t group = index % n_groups, block = index / n_groups;
    float *dw = s->shared + block * c.w->n + group * c.n_out * c.k;
    float *col = s->own + thread * s->own_n;
    float beta = 0;

    for (int64_t image = block * n_images / c.n_image_blocks;
         image < (block + 1) * n_images / c.n_image_blocks; image++) {
        const float *x = c.x->value + (image * n_groups + group) * c.in_n;
        const float *dy = c.y->value + (image * n_groups + group) * c.out_n;

        for (int64_t first = 0; first < c.windows.out[0]; first += c.n_rows) {
            rows_t r = rows_of(&c, first, x, dy, col);

            if (!c.is_pointwise)
                cpu_im2col(&c.windows, x, r.first, r.n, col);
            r.c.is_transposed = true;
            cpu_blas_multiply(c.n_out, c.k, r.columns, r.y, r.c, beta, dw, c.k);
            beta = 1;
        }
    }
}

/* Add the parts of dw. */
static void add_parts(void *ctx, int64_t index, int thread)
{
    const cpu_step_t *s = ctx;
    const cpu_tensor_t *dw = &s->out[0];
    int64_t n_parts = convolution_of(s).n_image_blocks;
    int64_t first = index * CPU_BLOCK, end = cpu_block_end(index, dw->n);

    (void)thread;
    memcpy(dw->value + first, s->shared + first, (size_t)(end - first) * sizeof(float));
    for (int64_t part = 1; part < n_parts; part++)
        for (int64_t i = first; i < end; i++)
            dw->value[i] += s->shared[part * dw->n + i];
}

static void bias_gradient(void *ctx, int64_t index, int thread)
{
    const cpu_step_t *s = ctx;
    const cpu_tensor_t *dy = &s->in[1];
    int64_t plane = dy->size[2] * dy->size[3];
    double sum = 0;

    (void)thread;
    for (int64_t n = 0; n < dy->size[0]; n++)
        sum += cpu_sum(dy->value + (n * dy->size[1] + index) * plane, plane);
    s->out[1].value[index] = (float)sum;
}

void cpu_convolution_backward_filter(const cpu_step_t *s)
{
    convolution_t c = convolution_of(s);

    cpu_step_run(s, c.n_image_blocks * c.windows.p->groups, backward_filter);
    cpu_step_run(s, cpu_n_blocks(c.w->n), add_parts);
    if (s->n_out > 1)
        cpu_step_run(s, c.y->size[1], bias_gradient);
}
