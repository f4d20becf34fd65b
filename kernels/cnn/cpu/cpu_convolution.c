/*
 * cpu_convolution.c - convolution and its gradients as products of matrices.
 *
 * With the windows of a group as the columns of a matrix C: y = w C, the gradient of C is
 * w^T dy, and dw is the sum over images of dy C^T.  C is made for a piece at a time: some
 * rows of an image, so that it stays in the cache, or several small images, because
 * OpenBLAS is slow with few columns.  The images of a piece are side by side in C; their
 * parts of y, which are not, are copied.
 */
#include "kernels/cnn/common/cnn_shape.h"
#include "kernels/cnn/cpu/cpu_step.h"

#include <string.h>

/* ---- the windows of an image as columns (Chellapilla, Puri and Simard 2006) ---- */

/* One group of a convolution of one image. */
typedef struct {
    const cnn_convolution_t *p;
    int64_t n_channels; /* per group */
    int64_t in[2];      /* height and width of x */
    int64_t out[2];     /* of y */
} windows_t;

/* The outputs of a row or column that read inside the input at one place of the window.
 */
typedef struct {
    int64_t first, end;
    int64_t shift; /* output i reads input i * stride + shift */
} span_t;

/* @param end  of the outputs that matter; they begin with `first` */
static span_t span_of(const windows_t *w, int axis, int64_t place, int64_t first,
                      int64_t end)
{
    int64_t stride = w->p->stride[axis], shift = place - w->p->pad[axis];
    int64_t inside = shift < 0 ? (-shift + stride - 1) / stride : 0;
    int64_t outside = shift < w->in[axis] ? (w->in[axis] - 1 - shift) / stride + 1 : 0;
    span_t s = {inside > first ? inside : first, outside < end ? outside : end, shift};

    if (s.first > end)
        s.first = end;
    if (s.end < s.first)
        s.end = s.first;
    return s;
}

static void clear(float *to, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        to[i] = 0;
}

/* Most rows are too short for a call of memcpy. */
static inline void copy(const float *from, int64_t n, float *to)
{
    enum { AT_ONCE = 8 };

    for (; n >= AT_ONCE; n -= AT_ONCE, from += AT_ONCE, to += AT_ONCE)
        memcpy(to, from, AT_ONCE * sizeof(*to));
    for (int64_t i = 0; i < n; i++)
        to[i] = from[i];
}

static inline void copy_row(const span_t *s, int64_t n, int64_t stride, const float *x,
                            float *to)
{
    clear(to, s->first);
    if (stride == 1)
        copy(x + s->first + s->shift, s->end - s->first, to + s->first);
    else
        for (int64_t j = s->first; j < s->end; j++)
            to[j] = x[j * stride + s->shift];
    clear(to + s->end, n - s->end);
}

static inline void add_row(const span_t *s, int64_t stride, const float *from, float *x)
{
    if (stride == 1)
        for (int64_t j = s->first; j < s->end; j++)
            x[j + s->shift] += from[j];
    else
        for (int64_t j = s->first; j < s->end; j++)
            x[j * stride + s->shift] += from[j];
}

/*
 * Copy the windows of some rows of the output.
 *
 * @param x       [n_channels][in[0]][in[1]]
 * @param stride  from one row of col to the next, at least n_rows * out[1]
 * @param col     [n_channels * kernel[0] * kernel[1]] rows
 */
static void im2col(const windows_t *w, const float *x, int64_t first_row, int64_t n_rows,
                   float *col, int64_t stride)
{
    const int *kernel = w->p->kernel;
    int64_t n = w->out[1], end = first_row + n_rows;

    for (int64_t c = 0; c < w->n_channels; c++, x += w->in[0] * w->in[1])
        for (int64_t k = 0; k < (int64_t)kernel[0] * kernel[1]; k++, col += stride) {
            span_t rows = span_of(w, 0, k / kernel[1], first_row, end);
            span_t columns = span_of(w, 1, k % kernel[1], 0, n);

            clear(col, (rows.first - first_row) * n);
            for (int64_t i = rows.first; i < rows.end; i++)
                copy_row(&columns, n, w->p->stride[1],
                         x + (i * w->p->stride[0] + rows.shift) * w->in[1],
                         col + (i - first_row) * n);
            clear(col + (rows.end - first_row) * n, (end - rows.end) * n);
        }
}

/* Add them back: the transpose of im2col. */
static void col2im(const windows_t *w, const float *col, int64_t stride,
                   int64_t first_row, int64_t n_rows, float *x)
{
    const int *kernel = w->p->kernel;
    int64_t n = w->out[1];

    for (int64_t c = 0; c < w->n_channels; c++, x += w->in[0] * w->in[1])
        for (int64_t k = 0; k < (int64_t)kernel[0] * kernel[1]; k++, col += stride) {
            span_t rows = span_of(w, 0, k / kernel[1], first_row, first_row + n_rows);
            span_t columns = span_of(w, 1, k % kernel[1], 0, n);

            for (int64_t i = rows.first; i < rows.end; i++)
                add_row(&columns, w->p->stride[1], col + (i - first_row) * n,
                        x + (i * w->p->stride[0] + rows.shift) * w->in[1]);
        }
}

/* ---- products ---- */

enum {
    CACHED_FLOATS = 65536, /* of C if it has more columns than that */
    IMAGE_BLOCKS = 16      /* that dw is summed over */
};

typedef struct {
    windows_t windows;
    const cpu_tensor_t *x, *w, *y;
    int64_t n_out;       /* channels of y per group */
    int64_t k;           /* rows of C */
    int64_t in_n, out_n; /* elements of a group of an image of x and y */
    int64_t plane;       /* elements of a channel of y */
    int64_t n_images;    /* of a piece; if above 1, it has all their rows */
    int64_t n_rows;      /* of a piece */
    bool is_pointwise;   /* C is x itself */
    int64_t n_image_blocks;
} convolution_t;

/* Some rows of an image, or all of several ones, of one group. */
typedef struct {
    int64_t image, n_images, row, n_rows;
    int64_t columns; /* of C */
    float *c;        /* [k][columns]: this thread's memory, or x */
    cpu_matrix_t y;  /* [n_out][columns]: this thread's memory, or y */
} piece_t;

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static bool is_pointwise(const cnn_convolution_t *p)
{
    return p->kernel[0] == 1 && p->kernel[1] == 1 && p->stride[0] == 1 &&
           p->stride[1] == 1 && p->pad[0] == 0 && p->pad[1] == 0;
}

/* Choose the size of pieces. */
static void cut(convolution_t *c)
{
    int64_t columns = CACHED_FLOATS / c->k, width = c->windows.out[1];

    if (columns < CNN_MIN_COLUMNS)
        columns = CNN_MIN_COLUMNS;
    c->n_images = least(cnn_shape_images(c->plane), c->x->size[0]);
    c->is_pointwise = c->n_images == 1 && is_pointwise(c->windows.p);
    c->n_rows = least((columns + width - 1) / width, c->windows.out[0]);
    if (c->n_images > 1 || c->is_pointwise)
        c->n_rows = c->windows.out[0];
    c->n_image_blocks = least(c->x->size[0], IMAGE_BLOCKS);
}

/* The tensors x, w and y of a step or their gradients. */
static convolution_t convolution_of(const cpu_step_t *s)
{
    const cnn_convolution_t *p = &s->params->convolution;
    convolution_t c = {.x = &s->in[0], .w = &s->in[1], .y = &s->out[0]};

    if (s->op == CNN_CONVOLUTION_BACKWARD_DATA) {
        c.x = &s->out[0];
        c.y = &s->in[0];
    } else if (s->op == CNN_CONVOLUTION_BACKWARD_FILTER) {
        c.w = &s->out[0];
        c.y = &s->in[1];
    }
    c.windows = (windows_t){p,
                            c.w->size[1],
                            {c.x->size[2], c.x->size[3]},
                            {c.y->size[2], c.y->size[3]}};
    c.plane = c.y->size[2] * c.y->size[3];
    c.n_out = c.y->size[1] / p->groups;
    c.k = c.w->size[1] * p->kernel[0] * p->kernel[1];
    c.in_n = c.w->size[1] * c.x->size[2] * c.x->size[3];
    c.out_n = c.n_out * c.plane;
    cut(&c);
    return c;
}

cpu_scratch_t cpu_convolution_scratch(const cpu_step_t *s)
{
    convolution_t c = convolution_of(s);
    cpu_scratch_t scratch = {0, 0};

    if (!c.is_pointwise)
        scratch.own = c.k * c.n_images * c.n_rows * c.windows.out[1];
    if (c.n_images > 1)
        scratch.own += c.n_out * c.n_images * c.plane;
    if (s->op == CNN_CONVOLUTION_BACKWARD_FILTER)
        scratch.shared = c.n_image_blocks * c.w->n;
    return scratch;
}

/* @return a group of an image of x or of y */
static float *x_at(const convolution_t *c, int64_t image, int64_t group)
{
    return c->x->value + (image * c->windows.p->groups + group) * c->in_n;
}

static float *y_at(const convolution_t *c, int64_t image, int64_t group)
{
    return c->y->value + (image * c->windows.p->groups + group) * c->out_n;
}

/* @return w of a group, [n_out][k] */
static cpu_matrix_t weights_of(const convolution_t *c, int64_t group)
{
    return (cpu_matrix_t){c->w->value + group * c->n_out * c->k, c->k, false};
}

/* @param end  of the images that the piece may have */
static piece_t piece_at(const convolution_t *c, int64_t group, int64_t image, int64_t end,
                        int64_t row, float *own)
{
    piece_t p = {.image = image,
                 .n_images = least(c->n_images, end - image),
                 .row = row,
                 .n_rows = least(c->n_rows, c->windows.out[0] - row)};

    p.columns = p.n_images * p.n_rows * c->windows.out[1];
    p.c = c->is_pointwise ? x_at(c, image, group) : own;
    if (c->n_images > 1)
        p.y = (cpu_matrix_t){own + c->k * p.columns, p.columns, false};
    else
        p.y = (cpu_matrix_t){y_at(c, image, group) + row * c->windows.out[1], c->plane,
                             false};
    return p;
}

static void make_columns(const convolution_t *c, const piece_t *p, int64_t group)
{
    for (int64_t i = 0; !c->is_pointwise && i < p->n_images; i++)
        im2col(&c->windows, x_at(c, p->image + i, group), p->row, p->n_rows,
               p->c + i * c->plane, p->columns);
}

/* Copy a group's part of y of the images of a piece to this thread's memory. */
static void gather(const convolution_t *c, const piece_t *p, int64_t group)
{
    float *to = (float *)p->y.value;

    for (int64_t o = 0; c->n_images > 1 && o < c->n_out; o++)
        for (int64_t i = 0; i < p->n_images; i++, to += c->plane)
            memcpy(to, y_at(c, p->image + i, group) + o * c->plane,
                   (size_t)c->plane * sizeof(*to));
}

/* Copy it back, and add the bias, which may be NULL. */
static void scatter(const convolution_t *c, const piece_t *p, int64_t group,
                    const float *bias)
{
    const float *from = p->y.value;
    int64_t plane = c->plane;

    for (int64_t o = 0; o < c->n_out; o++)
        for (int64_t i = 0; i < p->n_images; i++, from += plane) {
            float *y = y_at(c, p->image + i, group) + o * plane;
            float b = bias == NULL ? 0 : bias[group * c->n_out + o];

            for (int64_t k = 0; k < plane; k++)
                y[k] = from[k] + b;
        }
}

static void fill(float *y, int64_t stride, int64_t n_rows, int64_t n, const float *bias)
{
    for (int64_t o = 0; o < n_rows; o++) {
        float b = bias[o];

        for (int64_t i = 0; i < n; i++)
            y[o * stride + i] = b;
    }
}

/* The number of calls for all groups and images, and which these are. */
static int64_t n_tasks(const convolution_t *c)
{
    return (c->x->size[0] + c->n_images - 1) / c->n_images * c->windows.p->groups;
}

static void forward(void *ctx, int64_t index, int thread)
{
    const cpu_step_t *s = ctx;
    convolution_t c = convolution_of(s);
    int64_t group = index % c.windows.p->groups;
    int64_t image = index / c.windows.p->groups * c.n_images;
    const float *bias = s->n_in > 2 ? s->in[2].value : NULL;
    bool in_place = c.n_images == 1 && bias != NULL;

    for (int64_t row = 0; row < c.windows.out[0]; row += c.n_rows) {
        piece_t p =
            piece_at(&c, group, image, c.x->size[0], row, s->own + thread * s->own_n);
        float *y = (float *)p.y.value;

        make_columns(&c, &p, group);
        if (in_place)
            fill(y, p.y.stride, c.n_out, p.columns, bias + group * c.n_out);
        cpu_blas_multiply(c.n_out, p.columns, c.k, weights_of(&c, group),
                          (cpu_matrix_t){p.c, p.columns, false}, in_place ? 1 : 0, y,
                          p.y.stride);
        if (c.n_images > 1)
            scatter(&c, &p, group, bias);
    }
}

void cpu_convolution(const cpu_step_t *s)
{
    convolution_t c = convolution_of(s);

    cpu_step_run(s, n_tasks(&c), forward);
}

static void backward_data(void *ctx, int64_t index, int thread)
{
    const cpu_step_t *s = ctx;
    convolution_t c = convolution_of(s);
    int64_t group = index % c.windows.p->groups;
    int64_t image = index / c.windows.p->groups * c.n_images;
    cpu_matrix_t w = weights_of(&c, group);

    w.is_transposed = true;
    for (int64_t row = 0; row < c.windows.out[0]; row += c.n_rows) {
        piece_t p =
            piece_at(&c, group, image, c.x->size[0], row, s->own + thread * s->own_n);

        gather(&c, &p, group);
        cpu_blas_multiply(c.k, p.columns, c.n_out, w, p.y, 0, p.c, p.columns);
        for (int64_t i = 0; !c.is_pointwise && i < p.n_images; i++) {
            float *dx = x_at(&c, image + i, group);

            if (row == 0)
                memset(dx, 0, (size_t)c.in_n * sizeof(*dx));
            col2im(&c.windows, p.c + i * c.plane, p.columns, p.row, p.n_rows, dx);
        }
    }
}

void cpu_convolution_backward_data(const cpu_step_t *s)
{
    convolution_t c = convolution_of(s);

    cpu_step_run(s, n_tasks(&c), backward_data);
}

/* The part of dw of one group that comes from one block of images. */
static void backward_filter(void *ctx, int64_t index, int thread)
{
    const cpu_step_t *s = ctx;
    convolution_t c = convolution_of(s);
    int64_t group = index % c.windows.p->groups, block = index / c.windows.p->groups;
    int64_t end = (block + 1) * c.x->size[0] / c.n_image_blocks;
    float *dw = s->shared + block * c.w->n + group * c.n_out * c.k;
    float beta = 0;

    for (int64_t image = block * c.x->size[0] / c.n_image_blocks; image < end;
         image += c.n_images)
        for (int64_t row = 0; row < c.windows.out[0]; row += c.n_rows) {
            piece_t p = piece_at(&c, group, image, end, row, s->own + thread * s->own_n);

            make_columns(&c, &p, group);
            gather(&c, &p, group);
            cpu_blas_multiply(c.n_out, c.k, p.columns, p.y,
                              (cpu_matrix_t){p.c, p.columns, true}, beta, dw, c.k);
            beta = 1;
        }
}

/* Add the parts of dw. */
static void add_parts(void *ctx, int64_t index, int thread)
{
    const cpu_step_t *s = ctx;
    const cpu_tensor_t *dw = &s->out[0];
    int64_t n_parts = convolution_of(s).n_image_blocks;
    float *to = dw->value;
    int64_t first = index * CPU_BLOCK, end = cpu_block_end(index, dw->n);

    (void)thread;
    memcpy(to + first, s->shared + first, (size_t)(end - first) * sizeof(float));
    for (int64_t part = 1; part < n_parts; part++) {
        const float *from = s->shared + part * dw->n;

        for (int64_t i = first; i < end; i++)
            to[i] += from[i];
    }
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
