/*
 * cnn_check.c - the rules of a step, one function per group of operations, those of
 * memory, and that every step reads values that are there.
 */
#include "kernels/cnn/common/cnn_backend.h"

#include "kernels/cnn/common/cnn_shape.h"

#include <stdlib.h>

static const struct {
    int min_reads, max_reads, min_writes, max_writes;
} counts[CNN_N_OPS] = {
    [CNN_CONVOLUTION] = {2, 3, 1, 1},
    [CNN_CONVOLUTION_BACKWARD_DATA] = {2, 2, 1, 1},
    [CNN_CONVOLUTION_BACKWARD_FILTER] = {2, 2, 1, 2},
    [CNN_POOL] = {1, 1, 1, 1},
    [CNN_POOL_BACKWARD] = {3, 3, 1, 1},
    [CNN_LRN] = {1, 1, 1, 1},
    [CNN_LRN_BACKWARD] = {3, 3, 1, 1},
    [CNN_LINEAR] = {2, 3, 1, 1},
    [CNN_LINEAR_BACKWARD_DATA] = {2, 2, 1, 1},
    [CNN_LINEAR_BACKWARD_WEIGHTS] = {2, 2, 1, 2},
    [CNN_RELU] = {1, 1, 1, 1},
    [CNN_RELU_BACKWARD] = {2, 2, 1, 1},
    [CNN_DROPOUT] = {1, 1, 1, 1},
    [CNN_DROPOUT_BACKWARD] = {1, 1, 1, 1},
    [CNN_BATCH_NORM] = {3, 3, 5, 5},
    [CNN_BATCH_NORM_INFERENCE] = {5, 5, 1, 1},
    [CNN_BATCH_NORM_BACKWARD] = {5, 5, 3, 3},
    [CNN_BATCH_NORM_PART] = {1, 1, 1, 1},
    [CNN_BATCH_NORM_WHOLE] = {4, 4, 5, 5},
    [CNN_BATCH_NORM_BACKWARD_PART] = {4, 4, 3, 3},
    [CNN_BATCH_NORM_BACKWARD_WHOLE] = {6, 6, 1, 1},
    [CNN_GATHER] = {1, 1, 1, 1},
    [CNN_SUM] = {1, 1, 1, 1},
    [CNN_CONCAT] = {1, CNN_MAX_READS, 1, 1},
    [CNN_CONCAT_BACKWARD] = {1, 1, 1, 1},
    [CNN_ADD] = {2, 2, 1, 1},
    [CNN_SOFTMAX_LOSS] = {2, 2, 3, 3},
    [CNN_SOFTMAX_LOSS_BACKWARD] = {2, 2, 1, 1},
    [CNN_SOFTMAX] = {1, 1, 1, 1},
    [CNN_CAST] = {1, 1, 1, 1},
    [CNN_SGD] = {1, 1, 2, 2},
    [CNN_ADAM] = {1, 1, 3, 3},
    [CNN_FETCH] = {1, 1, 1, 1},
    [CNN_EVICT] = {1, 1, 1, 1},
};

/* A step's tensors, NULL where there is none. */
typedef struct {
    const cnn_step_t *step;
    const cnn_tensor_t *read[CNN_MAX_READS], *write[CNN_MAX_WRITES];
} tensors_t;

static bool has_size(const cnn_tensor_t *t, int64_t n, int64_t c, int64_t h, int64_t w)
{
    return t->size[0] == n && t->size[1] == c && t->size[2] == h && t->size[3] == w;
}

static bool same_size(const cnn_tensor_t *a, const cnn_tensor_t *b)
{
    return has_size(a, b->size[0], b->size[1], b->size[2], b->size[3]);
}

static bool alike(const cnn_tensor_t *a, const cnn_tensor_t *b)
{
    return a->type == b->type && same_size(a, b);
}

/* One value per channel of x, or no tensor at all. */
static bool per_channel(const cnn_tensor_t *t, int64_t n_channels)
{
    return t == NULL || has_size(t, 1, n_channels, 1, 1);
}

static bool window_fits(const int *kernel, const int *stride, const int *pad)
{
    for (int axis = 0; axis < 2; axis++)
        if (kernel[axis] < 1 || stride[axis] < 1 || pad[axis] < 0)
            return false;
    return true;
}

static bool convolution_fits(const cnn_convolution_t *p, const cnn_tensor_t *x,
                             const cnn_tensor_t *w, const cnn_tensor_t *b,
                             const cnn_tensor_t *y)
{
    int64_t n_out = w->size[0];

    return window_fits(p->kernel, p->stride, p->pad) && p->groups >= 1 &&
           n_out % p->groups == 0 && x->type == y->type &&
           x->size[1] == w->size[1] * p->groups &&
           has_size(w, n_out, w->size[1], p->kernel[0], p->kernel[1]) &&
           per_channel(b, n_out) && y->size[2] > 0 && y->size[3] > 0 &&
           has_size(y, x->size[0], n_out, cnn_shape_convolution(p, 0, x->size[2]),
                    cnn_shape_convolution(p, 1, x->size[3]));
}

static bool linear_fits(const cnn_tensor_t *x, const cnn_tensor_t *w,
                        const cnn_tensor_t *b, const cnn_tensor_t *y)
{
    int64_t n_out = w->size[0];

    return x->type == y->type &&
           has_size(w, n_out, x->size[1] * x->size[2] * x->size[3], 1, 1) &&
           per_channel(b, n_out) && has_size(y, x->size[0], n_out, 1, 1);
}

/* Rows of w from one on; b is for all of y. */
static bool linear_rows_fit(const cnn_linear_t *p, const cnn_tensor_t *x,
                            const cnn_tensor_t *w, const cnn_tensor_t *b,
                            const cnn_tensor_t *y)
{
    return x->type == y->type && p->first >= 0 && p->first + w->size[0] <= y->size[1] &&
           has_size(w, w->size[0], x->size[1] * x->size[2] * x->size[3], 1, 1) &&
           per_channel(b, y->size[1]) && has_size(y, x->size[0], y->size[1], 1, 1);
}

static bool pool_fits(const cnn_pool_t *p, const cnn_tensor_t *x, const cnn_tensor_t *y)
{
    return window_fits(p->kernel, p->stride, p->pad) && p->pad[0] < p->kernel[0] &&
           p->pad[1] < p->kernel[1] && x->type == y->type && y->size[2] > 0 &&
           y->size[3] > 0 &&
           has_size(y, x->size[0], x->size[1], cnn_shape_pool(p, 0, x->size[2]),
                    cnn_shape_pool(p, 1, x->size[3]));
}

/* Two values per channel of x for each of some parts. */
static bool per_part(const cnn_tensor_t *t, int64_t n_channels)
{
    return t->size[0] % 2 == 0 && has_size(t, t->size[0], n_channels, 1, 1);
}

/* x, y and their gradients alike; all other tensors have one value per channel, but for
 * those of parts. */
static bool batch_norm_fits(const tensors_t *t)
{
    const cnn_op_t op = t->step->op;
    const cnn_tensor_t *x = t->read[0];
    const int64_t c = x->size[1];
    const bool reads_dy = op == CNN_BATCH_NORM_BACKWARD ||
                          op == CNN_BATCH_NORM_BACKWARD_PART ||
                          op == CNN_BATCH_NORM_BACKWARD_WHOLE;
    int n_reads = t->step->n_reads;

    if (op == CNN_BATCH_NORM_WHOLE || op == CNN_BATCH_NORM_BACKWARD_WHOLE)
        if (!per_part(t->read[--n_reads], c))
            return false;
    for (int i = 1; i < n_reads; i++)
        if (i == 1 && reads_dy ? !alike(t->read[i], x) : !per_channel(t->read[i], c))
            return false;
    for (int i = 1; i < t->step->n_writes; i++)
        if (!per_channel(t->write[i], c))
            return false;
    if (op == CNN_BATCH_NORM_PART || op == CNN_BATCH_NORM_BACKWARD_PART)
        return has_size(t->write[0], 2, c, 1, 1);
    return alike(t->write[0], x);
}

/* As many as there are ranks. */
static bool gather_fits(const cnn_tensor_t *one, const cnn_tensor_t *all)
{
    return one->type == all->type && all->size[0] % one->size[0] == 0 &&
           has_size(all, all->size[0], one->size[1], one->size[2], one->size[3]);
}

static bool concat_fits(const tensors_t *t)
{
    const cnn_tensor_t *y = t->write[0];
    int64_t n_channels = 0;

    for (int i = 0; i < t->step->n_reads; i++) {
        const cnn_tensor_t *x = t->read[i];

        if (x->type != y->type ||
            !has_size(x, y->size[0], x->size[1], y->size[2], y->size[3]))
            return false;
        n_channels += x->size[1];
    }
    return n_channels == y->size[1];
}

static bool concat_part_fits(const cnn_concat_t *p, const cnn_tensor_t *dy,
                             const cnn_tensor_t *dx)
{
    return dx->type == dy->type && p->from_channel >= 0 &&
           p->from_channel + dx->size[1] <= dy->size[1] &&
           has_size(dx, dy->size[0], dx->size[1], dy->size[2], dy->size[3]);
}

static bool softmax_fits(const cnn_tensor_t *x, const cnn_tensor_t *probabilities,
                         const cnn_tensor_t *labels)
{
    return same_size(x, probabilities) && x->size[2] == 1 && x->size[3] == 1 &&
           (labels == NULL ||
            (labels->type == CNN_I32 && has_size(labels, x->size[0], 1, 1, 1)));
}

/* All tensors of one size and, if so desired, of one type. */
static bool all_fit(const tensors_t *t, bool types_too)
{
    const cnn_tensor_t *first = t->read[0];

    for (int i = 1; i < t->step->n_reads; i++)
        if (!same_size(t->read[i], first) ||
            (types_too && t->read[i]->type != first->type))
            return false;
    for (int i = 0; i < t->step->n_writes; i++)
        if (!same_size(t->write[i], first) ||
            (types_too && t->write[i]->type != first->type))
            return false;
    return true;
}

static bool sizes_fit(const tensors_t *t)
{
    const cnn_params_t *p = &t->step->params;
    const cnn_tensor_t *const *r = t->read, *const *w = t->write;

    switch (t->step->op) {
    case CNN_CONVOLUTION:
        return convolution_fits(&p->convolution, r[0], r[1], r[2], w[0]);
    case CNN_CONVOLUTION_BACKWARD_DATA:
        return convolution_fits(&p->convolution, w[0], r[1], NULL, r[0]);
    case CNN_CONVOLUTION_BACKWARD_FILTER:
        return convolution_fits(&p->convolution, r[0], w[0], w[1], r[1]);
    case CNN_POOL:
        return pool_fits(&p->pool, r[0], w[0]);
    case CNN_POOL_BACKWARD:
        return pool_fits(&p->pool, r[0], r[1]) && alike(r[1], r[2]) && alike(r[0], w[0]);
    case CNN_LRN:
    case CNN_LRN_BACKWARD:
        return p->lrn.size >= 1 && all_fit(t, true);
    case CNN_LINEAR:
        return linear_fits(r[0], r[1], r[2], w[0]);
    case CNN_LINEAR_BACKWARD_DATA:
        return linear_fits(w[0], r[1], NULL, r[0]);
    case CNN_LINEAR_BACKWARD_WEIGHTS:
        return linear_rows_fit(&p->linear, r[0], w[0], w[1], r[1]);
    case CNN_DROPOUT:
    case CNN_DROPOUT_BACKWARD:
        return p->dropout.p >= 0 && p->dropout.p < 1 && all_fit(t, true);
    case CNN_RELU:
    case CNN_RELU_BACKWARD:
    case CNN_ADD:
        return all_fit(t, true);
    case CNN_BATCH_NORM:
    case CNN_BATCH_NORM_INFERENCE:
    case CNN_BATCH_NORM_BACKWARD:
    case CNN_BATCH_NORM_PART:
    case CNN_BATCH_NORM_WHOLE:
    case CNN_BATCH_NORM_BACKWARD_PART:
    case CNN_BATCH_NORM_BACKWARD_WHOLE:
        return batch_norm_fits(t);
    case CNN_GATHER:
        return gather_fits(r[0], w[0]);
    case CNN_CONCAT:
        return concat_fits(t);
    case CNN_CONCAT_BACKWARD:
        return concat_part_fits(&p->concat, r[0], w[0]);
    case CNN_SOFTMAX_LOSS:
        return softmax_fits(r[0], w[0], r[1]) && has_size(w[1], 1, 1, 1, 1) &&
               has_size(w[2], 1, 1, 1, 1);
    case CNN_SOFTMAX_LOSS_BACKWARD:
        return softmax_fits(w[0], r[0], r[1]);
    case CNN_SOFTMAX:
        return softmax_fits(r[0], w[0], NULL);
    case CNN_CAST:
    case CNN_SGD:
    case CNN_ADAM:
        return all_fit(t, false);
    case CNN_SUM:
        return t->step->reads[0] == t->step->writes[0];
    case CNN_FETCH:
    case CNN_EVICT:
        return alike(r[0], w[0]);
    case CNN_N_OPS:
        break;
    }
    return false;
}

/* Find a step's tensors. @return whether it has as many as its operation takes */
static bool find_tensors(const cnn_program_t *p, const cnn_step_t *step, tensors_t *out)
{
    *out = (tensors_t){.step = step};
    if ((unsigned)step->op >= CNN_N_OPS || step->n_reads < counts[step->op].min_reads ||
        step->n_reads > counts[step->op].max_reads ||
        step->n_writes < counts[step->op].min_writes ||
        step->n_writes > counts[step->op].max_writes)
        return false;
    for (int i = 0; i < step->n_reads; i++) {
        if (step->reads[i] < 0 || step->reads[i] >= p->n_tensors)
            return false;
        out->read[i] = &p->tensors[step->reads[i]];
    }
    for (int i = 0; i < step->n_writes; i++) {
        if (step->writes[i] < 0 || step->writes[i] >= p->n_tensors)
            return false;
        out->write[i] = &p->tensors[step->writes[i]];
    }
    return true;
}

/* @return whether a step has tensors of the swap area where it takes them: a copy on one
 * side, a step on the host on both, a step on the device on none; and whether it
 * writes no images or labels, which may only come back; one that repeats another writes
 * nothing that lasts, such as running averages, which would then change twice */
static bool places_fit(const cnn_program_t *p, int step, const tensors_t *t)
{
    const cnn_op_t op = t->step->op;
    const bool repeats = cnn_program_repeats(p, step), on_host = t->step->on_host;

    if (on_host && cnn_op_kind(op) == CNN_KIND_COPY)
        return false;
    for (int i = 0; i < t->step->n_reads; i++)
        if (t->read[i]->on_host != (on_host || op == CNN_FETCH))
            return false;
    for (int i = 0; i < t->step->n_writes; i++) {
        const cnn_role_t role = t->write[i]->role;

        if (t->write[i]->on_host != (on_host || op == CNN_EVICT) ||
            (op != CNN_FETCH && (role == CNN_INPUT || role == CNN_LABELS)) ||
            (repeats && cnn_tensor_lasts(t->write[i])))
            return false;
    }
    return true;
}

/* @return whether a tensor is used while it is in memory alone, and inside that */
static bool lifetime_fits(const cnn_program_t *p, int tensor)
{
    const cnn_tensor_t *t = &p->tensors[tensor];

    for (int s = 0; s < p->n_steps; s++)
        if (!cnn_tensor_lives(t, s) && cnn_step_uses(&p->steps[s], tensor))
            return false;
    return (t->offset % 256 == 0 || (t->on_host && t->part_of > 0)) &&
           t->offset + cnn_tensor_bytes(t) <=
               (t->on_host ? p->swap_bytes : p->arena_bytes);
}

/* @return whether a part lies where it has to, and is used while the whole tensor is in
 * memory alone */
static bool part_fits(const cnn_program_t *p, int tensor)
{
    const cnn_tensor_t *t = &p->tensors[tensor],
                       *all = &p->tensors[cnn_program_whole(p, tensor)];

    if (t->part_of == 0)
        return true;
    for (int s = 0; s < p->n_steps; s++)
        if (cnn_step_uses(&p->steps[s], tensor) && !cnn_tensor_lives(all, s))
            return false;
    return t->type == all->type && t->on_host == all->on_host && all->part_of == 0 &&
           t->part_first >= 0 && t->part_first + cnn_tensor_n(t) <= cnn_tensor_n(all) &&
           t->offset == all->offset + (size_t)t->part_first * cnn_type_bytes(t->type);
}

/* @return whether two tensors share memory at some step; parts do with the whole */
static bool overlap(const cnn_program_t *p, int i, int k)
{
    const cnn_tensor_t *a = &p->tensors[i], *b = &p->tensors[k];

    return cnn_program_whole(p, i) != cnn_program_whole(p, k) && cnn_tensors_meet(a, b) &&
           a->offset < b->offset + cnn_tensor_bytes(b) &&
           b->offset < a->offset + cnn_tensor_bytes(a);
}

/* Append to `why`, which may be NULL. @return false, for the caller to return */
static bool violation(buf_t *why, const char *text, const char *name, const char *other)
{
    if (why != NULL && buf_printf(why, "%s: %s%s", name, text, other) != ST_OK)
        return false; /* without its text */
    return false;
}

static bool arena_fits(const cnn_program_t *p, buf_t *why)
{
    for (int i = 0; i < p->n_tensors; i++) {
        const cnn_tensor_t *t = &p->tensors[i];

        if (t->first_step < 0)
            continue;
        if (!lifetime_fits(p, i) || !part_fits(p, i))
            return violation(why, "used before or after its time, or outside the arena",
                             t->name, "");
        for (int k = 0; k < i; k++)
            if (p->tensors[k].first_step >= 0 && overlap(p, i, k))
                return violation(why, "shares memory with ", t->name, p->tensors[k].name);
    }
    return true;
}

/* ---- values: no step reads what is not there, or an old copy ---- */

/* Copies of a tensor are those that FETCH and EVICT connect.  A part has the value of the
 * whole tensor until it is written by itself. */
typedef struct {
    int copy_of;     /* the first of these tensors */
    int64_t version; /* of its value; 0: none */
    int64_t newest;  /* of copy_of: of all copies */
    int n_written;   /* of a part: how often since the whole was written */
} value_t;

static void connect(const cnn_program_t *p, value_t *v)
{
    for (int i = 0; i < p->n_tensors; i++)
        v[i] = (value_t){.copy_of = i};
    for (int s = 0; s < p->n_steps; s++) {
        const cnn_step_t *step = &p->steps[s];

        if (step->op == CNN_FETCH || step->op == CNN_EVICT) {
            const int a = v[step->reads[0]].copy_of, b = v[step->writes[0]].copy_of;

            for (int i = 0; i < p->n_tensors; i++)
                if (v[i].copy_of == (a < b ? b : a))
                    v[i].copy_of = a < b ? a : b;
        }
    }
}

static bool has_newest(const value_t *v, int tensor)
{
    return v[tensor].version > 0 && v[tensor].version == v[v[tensor].copy_of].newest;
}

/* @return how many elements of a tensor were written part by part, if equally often; -1:
 * some more often than others */
static int64_t n_written(const cnn_program_t *p, const value_t *v, int tensor)
{
    int64_t n = 0;
    int times = 0;

    for (int i = 0; i < p->n_tensors; i++) {
        if (p->tensors[i].part_of != tensor + 1 || v[i].n_written == 0)
            continue;
        if (times > 0 && v[i].n_written != times)
            return -1;
        times = v[i].n_written;
        n += cnn_tensor_n(&p->tensors[i]);
    }
    return n;
}

/* @return whether a step may read a tensor; a part begins as its whole one is then */
static bool is_newest(const cnn_program_t *p, value_t *v, int tensor)
{
    const int whole = cnn_program_whole(p, tensor);

    if (whole == tensor)
        return has_newest(v, tensor) && n_written(p, v, tensor) == 0;
    if (v[tensor].version == 0 && has_newest(v, whole))
        v[tensor].version = ++v[v[tensor].copy_of].newest;
    return has_newest(v, tensor);
}

/* The parts of a tensor are what it is as a whole. */
static void join_parts(const cnn_program_t *p, value_t *v, int tensor)
{
    for (int i = 0; i < p->n_tensors; i++)
        if (p->tensors[i].part_of == tensor + 1)
            v[i].version = v[i].n_written = 0;
}

/* A part makes other copies of the whole tensor old.  One without a value has none before
 * all of it is written. */
static void write_part(const cnn_program_t *p, value_t *v, int tensor)
{
    const int whole = cnn_program_whole(p, tensor);
    bool is_all;

    v[tensor].n_written++;
    is_all = n_written(p, v, whole) == cnn_tensor_n(&p->tensors[whole]);
    if (is_all)
        join_parts(p, v, whole);
    v[v[whole].copy_of].newest++;
    if (is_all || v[whole].version > 0)
        v[whole].version = v[v[whole].copy_of].newest;
}

/* A tensor gets a value: the newest of its copies, or a new one. */
static void write_value(const cnn_program_t *p, value_t *v, int tensor, bool is_copy)
{
    if (!is_copy)
        v[v[tensor].copy_of].newest++;
    v[tensor].version = v[v[tensor].copy_of].newest;
    if (cnn_program_whole(p, tensor) != tensor)
        write_part(p, v, tensor);
    else
        join_parts(p, v, tensor);
}

/* @return the tensor that a step may not use, or -1.  Steps that write parameters and
 * states change them, and so read them. */
static int run_values(const cnn_program_t *p, const cnn_step_t *step, value_t *v)
{
    const bool is_copy = step->op == CNN_FETCH || step->op == CNN_EVICT;
    const bool is_update = cnn_op_kind(step->op) == CNN_KIND_UPDATE;

    for (int i = 0; i < step->n_reads; i++)
        if (!is_newest(p, v, step->reads[i]))
            return step->reads[i];
    for (int i = 0; i < step->n_writes; i++) {
        const cnn_role_t role = p->tensors[v[step->writes[i]].copy_of].role;

        if (!is_copy && (is_update || role == CNN_PARAMETER || role == CNN_STATE) &&
            !is_newest(p, v, step->writes[i]))
            return step->writes[i];
        write_value(p, v, step->writes[i], is_copy);
    }
    return -1;
}

/* Tensors that last have a value before the first step, and must have it after the last
 * one, where the next run begins. */
static bool values_fit(const cnn_program_t *p, buf_t *why)
{
    value_t *v = malloc((size_t)(p->n_tensors + 1) * sizeof(*v));
    int wrong = -1;

    if (v == NULL)
        return violation(why, "not enough memory to check it", "the program", "");
    connect(p, v);
    for (int i = 0; i < p->n_tensors; i++)
        if (cnn_tensor_lasts(&p->tensors[i]))
            v[i].version = v[v[i].copy_of].newest = 1;
    for (int s = 0; wrong < 0 && s < p->n_steps; s++) {
        wrong = run_values(p, &p->steps[s], v);
        for (int i = 0; i < p->n_tensors; i++)
            if (p->tensors[i].last_step == s && s + 1 < p->n_steps &&
                p->tensors[i].part_of == 0)
                v[i].version = 0; /* gone */
    }
    for (int i = 0; wrong < 0 && i < p->n_tensors; i++)
        if (cnn_tensor_lasts(&p->tensors[i]) && !is_newest(p, v, i))
            wrong = i;
    free(v);
    return wrong < 0 || violation(why,
                                  "read, or needed by the next run, when it is not "
                                  "there or another copy is newer",
                                  p->tensors[wrong].name, "");
}

bool cnn_program_check(const cnn_program_t *p, buf_t *why)
{
    for (int s = 0; s < p->n_steps; s++) {
        const cnn_step_t *step = &p->steps[s];
        tensors_t t;

        if (step->layer < 0 || step->layer >= p->n_layers)
            return violation(why, "no such layer", cnn_op_name(step->op), "");
        if (!find_tensors(p, step, &t) || !places_fit(p, s, &t))
            return violation(why, "not the tensors of ", p->layers[step->layer],
                             cnn_op_name(step->op));
        if (!sizes_fit(&t))
            return violation(why, "sizes, types or parameters do not fit: ",
                             p->layers[step->layer], cnn_op_name(step->op));
    }
    return arena_fits(p, why) && values_fit(p, why);
}
