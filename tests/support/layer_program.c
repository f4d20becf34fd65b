/*
 * layer_program.c - the tensors and steps of a layer.
 */
#include "kernels/cnn/common/cnn_shape.h"
#include "tests/support/layer_case.h"

/* A program in the making. */
typedef struct {
    const layer_case_t *c;
    layer_program_t *p;
    cnn_type_t type; /* of x, y, weights */
    cnn_type_t wide; /* of all else */
    int x, dx;       /* dx: the gradient of x, which may be dy */
} maker_t;

static int tensor(maker_t *m, const char *name, cnn_role_t role, cnn_type_t type,
                  const int64_t size[4])
{
    return one_step_tensor(&m->p->one, name, role, type, size);
}

/* A vector of n values. */
static int vector(maker_t *m, const char *name, cnn_role_t role, int64_t n)
{
    return tensor(m, name, role, m->wide, (int64_t[4]){1, n, 1, 1});
}

static void step(maker_t *m, cnn_op_t op, const int *reads, const int *writes)
{
    one_step_add(&m->p->one, op, &m->c->params, reads, writes);
}

static void note_gradient(maker_t *m, int of, int gradient)
{
    layer_program_t *p = m->p;

    p->gradients[p->n_gradients].of = of;
    p->gradients[p->n_gradients++].tensor = gradient;
}

/* Add x, y, dy and dx. */
static void add_ends(maker_t *m, const int64_t *y_size)
{
    layer_program_t *p = m->p;

    m->x = tensor(m, "x", m->c->in_place ? CNN_OUTPUT : CNN_INPUT, m->type, m->c->x);
    p->y = m->c->in_place ? m->x : tensor(m, "y", CNN_OUTPUT, m->type, y_size);
    p->dy = tensor(m, "dy", m->c->in_place ? CNN_OUTPUT : CNN_INPUT, m->type, y_size);
    m->dx = m->c->in_place ? p->dy : tensor(m, "dx", CNN_OUTPUT, m->type, m->c->x);
    note_gradient(m, m->x, m->dx);
}

/* A convolution or a fully connected layer. @param forward  its first operation; those of
 * the gradients follow in cnn_op_t */
static void add_weighted(maker_t *m, cnn_op_t forward, const int64_t *y_size,
                         const int64_t *w_size)
{
    layer_program_t *p = m->p;
    int w, dw, b = -1, db = -1;

    add_ends(m, y_size);
    w = tensor(m, "w", CNN_PARAMETER, m->type, w_size);
    dw = tensor(m, "dw", CNN_OUTPUT, m->wide, w_size);
    note_gradient(m, w, dw);
    if (m->c->has_bias) {
        b = vector(m, "b", CNN_PARAMETER, w_size[0]);
        db = vector(m, "db", CNN_OUTPUT, w_size[0]);
        note_gradient(m, b, db);
    }
    step(m, forward, (int[]){m->x, w, b, -1}, (int[]){p->y, -1});
    step(m, (cnn_op_t)(forward + 1), (int[]){p->dy, w, -1}, (int[]){m->dx, -1});
    step(m, (cnn_op_t)(forward + 2), (int[]){m->x, p->dy, -1}, (int[]){dw, db, -1});
}

static void add_convolution(maker_t *m)
{
    const cnn_convolution_t *p = &m->c->params.convolution;
    const int64_t *x = m->c->x;
    int64_t y[4] = {x[0], m->c->n_out, cnn_shape_convolution(p, 0, x[2]),
                    cnn_shape_convolution(p, 1, x[3])};
    int64_t w[4] = {m->c->n_out, x[1] / p->groups, p->kernel[0], p->kernel[1]};

    add_weighted(m, CNN_CONVOLUTION, y, w);
}

static void add_linear(maker_t *m)
{
    const int64_t *x = m->c->x;

    add_weighted(m, CNN_LINEAR, (int64_t[4]){x[0], m->c->n_out, 1, 1},
                 (int64_t[4]){m->c->n_out, x[1] * x[2] * x[3], 1, 1});
}

/* Pooling and LRN, whose gradients read x, y and dy. */
static void add_windowed(maker_t *m, const int64_t *y_size)
{
    layer_program_t *p = m->p;

    add_ends(m, y_size);
    step(m, m->c->op, (int[]){m->x, -1}, (int[]){p->y, -1});
    step(m, (cnn_op_t)(m->c->op + 1), (int[]){m->x, p->y, p->dy, -1}, (int[]){m->dx, -1});
}

static void add_pool(maker_t *m)
{
    const cnn_pool_t *p = &m->c->params.pool;
    const int64_t *x = m->c->x;

    add_windowed(m, (int64_t[4]){x[0], x[1], cnn_shape_pool(p, 0, x[2]),
                                 cnn_shape_pool(p, 1, x[3])});
}

static void add_relu(maker_t *m)
{
    layer_program_t *p = m->p;

    add_ends(m, m->c->x);
    step(m, CNN_RELU, (int[]){m->x, -1}, (int[]){p->y, -1});
    step(m, CNN_RELU_BACKWARD, (int[]){p->y, p->dy, -1}, (int[]){m->dx, -1});
}

static void add_dropout(maker_t *m)
{
    layer_program_t *p = m->p;

    add_ends(m, m->c->x);
    step(m, CNN_DROPOUT, (int[]){m->x, -1}, (int[]){p->y, -1});
    step(m, CNN_DROPOUT_BACKWARD, (int[]){p->dy, -1}, (int[]){m->dx, -1});
}

static void add_batch_norm(maker_t *m)
{
    layer_program_t *p = m->p;
    int64_t n = m->c->x[1];
    int scale, shift, dscale, dshift, saved, inverse, mean, variance, z;

    add_ends(m, m->c->x);
    scale = vector(m, "scale", CNN_PARAMETER, n);
    shift = vector(m, "shift", CNN_PARAMETER, n);
    dscale = vector(m, "dscale", CNN_OUTPUT, n);
    dshift = vector(m, "dshift", CNN_OUTPUT, n);
    saved = vector(m, "saved mean", CNN_OUTPUT, n);
    inverse = vector(m, "saved inverse deviation", CNN_OUTPUT, n);
    mean = vector(m, "running mean", CNN_STATE, n);
    variance = vector(m, "running variance", CNN_STATE, n);
    z = tensor(m, "y of inference", CNN_OUTPUT, m->type, m->c->x);
    step(m, CNN_BATCH_NORM, (int[]){m->x, scale, shift, -1},
         (int[]){p->y, saved, inverse, mean, variance, -1});
    step(m, CNN_BATCH_NORM_BACKWARD, (int[]){m->x, p->dy, scale, saved, inverse, -1},
         (int[]){m->dx, dscale, dshift, -1});
    step(m, CNN_BATCH_NORM_INFERENCE, (int[]){m->x, scale, shift, mean, variance, -1},
         (int[]){z, -1});
    note_gradient(m, scale, dscale);
    note_gradient(m, shift, dshift);
}

/* Batch norm of a part: first of the only one, then with made values of two others. */
static void add_batch_norm_part(maker_t *m)
{
    layer_program_t *p = m->p;
    const int64_t n = m->c->x[1], own[4] = {2, n, 1, 1}, all[4] = {4, n, 1, 1};
    int scale, shift, dscale, dshift, saved, inverse, mean, variance, part, dpart;
    int y2, dx2, saved2, inverse2, parts, dparts;

    add_ends(m, m->c->x);
    scale = vector(m, "scale", CNN_PARAMETER, n);
    shift = vector(m, "shift", CNN_PARAMETER, n);
    dscale = vector(m, "dscale", CNN_OUTPUT, n);
    dshift = vector(m, "dshift", CNN_OUTPUT, n);
    saved = vector(m, "saved mean", CNN_OUTPUT, n);
    inverse = vector(m, "saved inverse deviation", CNN_OUTPUT, n);
    mean = vector(m, "running mean", CNN_STATE, n);
    variance = vector(m, "running variance", CNN_STATE, n);
    part = tensor(m, "own moments", CNN_OUTPUT, m->wide, own);
    dpart = tensor(m, "own sums", CNN_OUTPUT, m->wide, own);
    parts = tensor(m, "moments", CNN_INPUT, m->wide, all);
    dparts = tensor(m, "sums", CNN_INPUT, m->wide, all);
    y2 = tensor(m, "y of two", CNN_OUTPUT, m->type, m->c->x);
    dx2 = tensor(m, "dx of two", CNN_OUTPUT, m->type, m->c->x);
    saved2 = vector(m, "mean of two", CNN_OUTPUT, n);
    inverse2 = vector(m, "inverse deviation of two", CNN_OUTPUT, n);
    step(m, CNN_BATCH_NORM_PART, (int[]){m->x, -1}, (int[]){part, -1});
    step(m, CNN_BATCH_NORM_WHOLE, (int[]){m->x, scale, shift, part, -1},
         (int[]){p->y, saved, inverse, mean, variance, -1});
    step(m, CNN_BATCH_NORM_BACKWARD_PART, (int[]){m->x, p->dy, saved, inverse, -1},
         (int[]){dpart, dscale, dshift, -1});
    step(m, CNN_BATCH_NORM_BACKWARD_WHOLE,
         (int[]){m->x, p->dy, scale, saved, inverse, dpart, -1}, (int[]){m->dx, -1});
    step(m, CNN_BATCH_NORM_WHOLE, (int[]){m->x, scale, shift, parts, -1},
         (int[]){y2, saved2, inverse2, mean, variance, -1});
    step(m, CNN_BATCH_NORM_BACKWARD_WHOLE,
         (int[]){m->x, p->dy, scale, saved2, inverse2, dparts, -1}, (int[]){dx2, -1});
    note_gradient(m, scale, dscale);
    note_gradient(m, shift, dshift);
    p->n_forward = 2;
}

/* Three tensors of c, c + 1 and c + 2 channels. */
static void add_concat(maker_t *m)
{
    layer_program_t *p = m->p;
    int64_t size[4] = {m->c->x[0], 3 * m->c->x[1] + 3, m->c->x[2], m->c->x[3]};
    cnn_params_t params = {.concat = {0}};
    int parts[3];

    p->y = tensor(m, "y", CNN_OUTPUT, m->type, size);
    p->dy = tensor(m, "dy", CNN_INPUT, m->type, size);
    for (int i = 0; i < 3; i++) {
        size[1] = m->c->x[1] + i;
        parts[i] = tensor(m, "x", CNN_INPUT, m->type, size);
        note_gradient(m, parts[i], tensor(m, "dx", CNN_OUTPUT, m->type, size));
    }
    step(m, CNN_CONCAT, (int[]){parts[0], parts[1], parts[2], -1}, (int[]){p->y, -1});
    for (int i = 0; i < 3; i++) {
        one_step_add(&p->one, CNN_CONCAT_BACKWARD, &params, (int[]){p->dy, -1},
                     (int[]){p->gradients[i].tensor, -1});
        params.concat.from_channel += m->c->x[1] + i;
    }
}

static void add_sum(maker_t *m)
{
    cnn_role_t role = m->c->in_place ? CNN_OUTPUT : CNN_INPUT;
    int x = tensor(m, "x", role, m->type, m->c->x);
    int other = tensor(m, "other x", CNN_INPUT, m->type, m->c->x);

    m->p->y = m->c->in_place ? x : tensor(m, "y", CNN_OUTPUT, m->type, m->c->x);
    step(m, CNN_ADD, (int[]){x, other, -1}, (int[]){m->p->y, -1});
}

static void add_cast(maker_t *m)
{
    cnn_type_t narrow = m->wide == CNN_F64 ? CNN_F32 : CNN_BF16;
    int x = tensor(m, "x", CNN_INPUT, m->wide, m->c->x);
    int back = tensor(m, "cast back", CNN_OUTPUT, m->wide, m->c->x);

    m->p->y = tensor(m, "y", CNN_OUTPUT, narrow, m->c->x);
    step(m, CNN_CAST, (int[]){x, -1}, (int[]){m->p->y, -1});
    step(m, CNN_CAST, (int[]){m->p->y, -1}, (int[]){back, -1});
}

static void add_loss(maker_t *m)
{
    layer_program_t *p = m->p;
    int probabilities, labels, n_right, answer;

    m->x = tensor(m, "x", CNN_INPUT, m->type, m->c->x);
    labels = tensor(m, "labels", CNN_LABELS, CNN_I32, (int64_t[4]){m->c->x[0], 1, 1, 1});
    probabilities = tensor(m, "probabilities", CNN_OUTPUT, m->wide, m->c->x);
    p->y = vector(m, "loss", CNN_OUTPUT, 1);
    n_right = vector(m, "right answers", CNN_OUTPUT, 1);
    m->dx = tensor(m, "dx", CNN_OUTPUT, m->type, m->c->x);
    answer = tensor(m, "softmax", CNN_OUTPUT, m->wide, m->c->x);
    step(m, CNN_SOFTMAX_LOSS, (int[]){m->x, labels, -1},
         (int[]){probabilities, p->y, n_right, -1});
    step(m, CNN_SOFTMAX_LOSS_BACKWARD, (int[]){probabilities, labels, -1},
         (int[]){m->dx, -1});
    step(m, CNN_SOFTMAX, (int[]){m->x, -1}, (int[]){answer, -1});
    note_gradient(m, m->x, m->dx);
}

static void add_update(maker_t *m)
{
    int g = tensor(m, "g", CNN_INPUT, m->wide, m->c->x);
    int w = tensor(m, "w", CNN_PARAMETER, m->wide, m->c->x);
    int first = tensor(m, "momentum", CNN_STATE, m->wide, m->c->x);
    int second = -1;

    if (m->c->op == CNN_ADAM)
        second = tensor(m, "running squares", CNN_STATE, m->wide, m->c->x);
    m->p->y = w;
    step(m, m->c->op, (int[]){g, -1}, (int[]){w, first, second, -1});
}

void layer_case_program(const layer_case_t *c, cnn_type_t type, cnn_math_t math,
                        layer_program_t *out)
{
    maker_t m = {.c = c,
                 .p = out,
                 .type = type,
                 .wide = type == CNN_BF16 ? CNN_F32 : type};

    *out = (layer_program_t){.dy = -1, .n_forward = 1};
    one_step_begin(&out->one, c->name, math);
    switch (c->op) {
    case CNN_CONVOLUTION:
        add_convolution(&m);
        break;
    case CNN_LINEAR:
        add_linear(&m);
        break;
    case CNN_POOL:
        add_pool(&m);
        break;
    case CNN_LRN:
        add_windowed(&m, c->x);
        break;
    case CNN_RELU:
        add_relu(&m);
        break;
    case CNN_DROPOUT:
        add_dropout(&m);
        break;
    case CNN_BATCH_NORM:
        add_batch_norm(&m);
        break;
    case CNN_BATCH_NORM_PART:
        add_batch_norm_part(&m);
        break;
    case CNN_CONCAT:
        add_concat(&m);
        break;
    case CNN_ADD:
        add_sum(&m);
        break;
    case CNN_CAST:
        add_cast(&m);
        break;
    case CNN_SOFTMAX_LOSS:
        add_loss(&m);
        break;
    default:
        add_update(&m);
        break;
    }
}
