/*
 * native_cnn.cu - the table of the backend "native", and its convolutions and fully
 * connected layers as products of matrices.
 */
#include "kernels/cnn/cuda/cnn_layers.cuh"
#include "kernels/cnn/native/native_winograd.cuh"

extern "C" {
#include "kernels/cnn/common/cnn_backend.h"
}

namespace
{

/* Unless a limit is given.  Free memory would be none: sums depend on it. */
constexpr size_t MAX_WORKSPACE = size_t(1) << 30;

/* Numbers of a step's x, w and y tensors, whatever of these it writes */
typedef struct {
    native_op_t op;
    int x, w, y;
} roles_t;

roles_t roles_of(const cnn_step_t *s)
{
    switch (s->op) {
    case CNN_CONVOLUTION_BACKWARD_DATA:
    case CNN_LINEAR_BACKWARD_DATA:
        return {NATIVE_DATA, s->writes[0], s->reads[1], s->reads[0]};
    case CNN_CONVOLUTION_BACKWARD_FILTER:
    case CNN_LINEAR_BACKWARD_WEIGHTS:
        return {NATIVE_FILTER, s->reads[0], s->writes[0], s->reads[1]};
    default:
        return {NATIVE_FORWARD, s->reads[0], s->reads[1], s->writes[0]};
    }
}

bool is_linear(const cnn_step_t *s)
{
    return cnn_op_kind(s->op) == CNN_KIND_LINEAR;
}

/* Sizes of x and y; an image of a fully connected layer is one pixel. */
void set_sizes(const cnn_gpu_t *g, const cnn_step_t *s, const roles_t &r,
               native_problem_t *p)
{
    const int64_t *x = cnn_gpu_tensor(g, r.x)->size, *y = cnn_gpu_tensor(g, r.y)->size;
    const cnn_convolution_t *c = &s->params.convolution;

    if (is_linear(s)) {
        p->h = p->w = p->out_h = p->out_w = p->tap_h = p->tap_w = 1;
        p->stride_h = p->stride_w = p->n_groups = 1;
        p->c_all = int(x[1] * x[2] * x[3]);
        p->k_all = int(y[1] * y[2] * y[3]);
        p->k = int(cnn_gpu_tensor(g, r.w)->size[0]); /* some outputs, perhaps */
    } else {
        p->h = int(x[2]);
        p->w = int(x[3]);
        p->out_h = int(y[2]);
        p->out_w = int(y[3]);
        p->tap_h = c->kernel[0];
        p->tap_w = c->kernel[1];
        p->stride_h = c->stride[0];
        p->stride_w = c->stride[1];
        p->pad_h = c->pad[0];
        p->pad_w = c->pad[1];
        p->n_groups = c->groups;
        p->c_all = int(x[1]);
        p->k_all = int(y[1]);
    }
    p->c = p->c_all / p->n_groups;
    p->k = is_linear(s) ? p->k : p->k_all / p->n_groups;
}

void set_operands(const cnn_gpu_t *g, const cnn_step_t *s, const roles_t &r,
                  native_problem_t *p)
{
    const size_t first = s->op == CNN_LINEAR_BACKWARD_WEIGHTS
                             ? size_t(s->params.linear.first) *
                                   cnn_type_bytes(cnn_gpu_tensor(g, r.y)->type)
                             : 0;
    const void *x = g->at[r.x], *w = g->at[r.w];
    const void *y = static_cast<const char *>(g->at[r.y]) + first;

    p->a = r.op == NATIVE_FORWARD ? x : y;
    p->b = r.op == NATIVE_FILTER ? x : w;
    p->d = r.op == NATIVE_FORWARD ? g->at[r.y]
           : r.op == NATIVE_DATA  ? g->at[r.x]
                                  : g->at[r.w];
}

/* How a step is computed */
typedef struct {
    native_plan_t direct; /* with the operands */
    bool is_winograd;
    native_winograd_t winograd;
} plan_t;

plan_t plan_of(const cnn_gpu_t *g, const cnn_step_t *s)
{
    const roles_t r = roles_of(s);
    const int n = int(cnn_gpu_tensor(g, r.x)->size[0]);
    const int n_cores = g->context.device->n_cores;
    const native_math_t math = cnn_gpu_tensor(g, r.x)->type == CNN_BF16 ? NATIVE_BF16
                               : g->program->math == CNN_TF32           ? NATIVE_TF32
                                                                        : NATIVE_STRICT;
    const cnn_context_t *c = &g->context;
    const size_t limit = c->workspace_bytes != 0 ? c->workspace_bytes
                         : c->memory_bytes != 0
                             ? cnn_scratch_workspace(g->program->math, c->memory_bytes)
                             : MAX_WORKSPACE;
    native_problem_t p = {};
    plan_t plan = {};

    set_sizes(g, s, r, &p);
    set_operands(g, s, r, &p);
    p.d_is_float = cnn_gpu_tensor(g, s->writes[0])->type == CNN_F32;
    if (r.op == NATIVE_FORWARD && s->n_reads == 3)
        p.bias = static_cast<const float *>(g->at[s->reads[2]]);
    plan.direct = native_plan(r.op, math, &p, n, n_cores);
    plan.is_winograd = math == NATIVE_STRICT &&
                       native_winograd_plan(r.op, &p, n, n_cores, limit, &plan.winograd);
    return plan;
}

/* Forward: steps [first, last) with a ReLU in place.  Filter: with the bias' gradient */
status_t native_product(cnn_gpu_t *g, int first, int last, const cnn_lane_t *lane)
{
    const cnn_step_t *s = cnn_gpu_step(g, first);
    plan_t plan = plan_of(g, s);
    native_problem_t *p = &plan.direct.p;
    status_t st;

    p->sums = static_cast<float *>(lane->workspace);
    p->relu = last - first == 2;
    st = plan.is_winograd
             ? native_winograd_run(&plan.winograd, p, lane->workspace, lane->stream)
             : native_plan_run(&plan.direct, lane->stream);
    if (st == ST_OK && plan.direct.op == NATIVE_FILTER && s->n_writes == 2)
        st = cnn_sums(g, s->reads[1], static_cast<float *>(g->at[s->writes[1]]), lane);
    return st;
}

bool channels_last(const cnn_program_t *program)
{
    (void)program;
    return true;
}

bool joins(const cnn_gpu_t *g, int first, int next)
{
    const cnn_step_t *s = cnn_gpu_step(g, first), *relu = cnn_gpu_step(g, next);

    return next == first + 1 && (s->op == CNN_CONVOLUTION || s->op == CNN_LINEAR) &&
           relu->op == CNN_RELU && relu->reads[0] == s->writes[0] &&
           relu->writes[0] == s->writes[0];
}

status_t open_lane(cnn_gpu_t *, cnn_lane_t *)
{
    return ST_OK;
}

void close_lane(cnn_lane_t *)
{
}

status_t prepare(cnn_gpu_t *g)
{
    for (int k = 0; k < g->program->n_steps; k++) {
        const cnn_step_t *s = cnn_gpu_step(g, k);
        const cnn_kind_t kind = cnn_op_kind(s->op);

        if (cnn_gpu_runs(g, k) &&
            (kind == CNN_KIND_CONVOLUTION || kind == CNN_KIND_LINEAR)) {
            const plan_t plan = plan_of(g, s);

            cnn_gpu_needs_at(g, k,
                             plan.is_winograd ? native_winograd_bytes(&plan.winograd)
                                              : native_plan_bytes(&plan.direct));
        }
    }
    return ST_OK;
}

status_t choices(const cnn_gpu_t *, buf_t *)
{
    return ST_OK;
}

void close_state(cnn_gpu_t *)
{
}

status_t create(const cnn_context_t *context, void **state)
{
    static const cnn_gpu_kind_t kind = {
        channels_last,
        joins,
        {
            /* CNN_CONVOLUTION */ native_product,
            /* CNN_CONVOLUTION_BACKWARD_DATA */ native_product,
            /* CNN_CONVOLUTION_BACKWARD_FILTER */ native_product,
            /* CNN_POOL */ nullptr,
            /* CNN_POOL_BACKWARD */ nullptr,
            /* CNN_LRN */ nullptr,
            /* CNN_LRN_BACKWARD */ nullptr,
            /* CNN_LINEAR */ native_product,
            /* CNN_LINEAR_BACKWARD_DATA */ native_product,
            /* CNN_LINEAR_BACKWARD_WEIGHTS */ native_product,
        },
        open_lane,
        close_lane,
        prepare,
        choices,
        close_state,
    };

    return cnn_gpu_create(&kind, context, state);
}

} // namespace

extern "C" const cnn_backend_t native_cnn_backend = {
    /* .base = */ {/* .name = */ "native", /* .kind = */ DEVICE_CUDA, /* .rate = */ 1e13},
    /* .takes = */ cnn_gpu_takes,
    /* .scratch = */ cnn_gpu_scratch,
    /* .create = */ create,
    /* .write = */ cnn_gpu_write,
    /* .read = */ cnn_gpu_read,
    /* .run = */ cnn_gpu_run,
    /* .wait = */ cnn_gpu_wait,
    /* .choices = */ cnn_gpu_choices,
    /* .destroy = */ cnn_gpu_destroy,
    /* .group = */ cnn_gpu_group,
    /* .side = */ &cnn_gpu_side,
    /* .load = */ nullptr,
};
