/*
 * native_cnn.cu - the table of the backend "native", and its convolutions and fully
 * connected layers as products of matrices.
 */
#include "kernels/cnn/cuda/cnn_layers.cuh"
#include "kernels/cnn/cuda/cnn_vector.cuh"
#include "kernels/cnn/native/native_problem.cuh"

extern "C" {
#include "kernels/cnn/native/native_cnn.h"
}

namespace
{

constexpr size_t MAX_SUMS_BYTES = size_t(256) << 20;

/* d = sum of the parts, in their order */
template <typename T> __global__ void add_parts_kernel(const native_problem_t p)
{
    const int64_t size = int64_t(p.rows) * p.columns, n = size * p.n_groups;
    const int64_t stride = int64_t(gridDim.x) * blockDim.x;

    for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += stride) {
        const int64_t group = i / size, row = i % size / p.columns;
        const int column = int(i % p.columns);
        float sum = 0;

        for (int part = 0; part < p.n_parts; part++)
            sum += p.sums[part * n + i];
        if (p.bias != nullptr)
            sum += p.bias[group * p.columns + column];
        if (p.relu && !(sum > 0))
            sum = 0;
        cnn_store(&static_cast<T *>(p.d)[row * p.d_row + group * p.d_group + column],
                  sum);
    }
}

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
    p->k = p->k_all / p->n_groups;
}

void set_product(const cnn_gpu_t *g, const roles_t &r, native_problem_t *p)
{
    const int n = int(cnn_gpu_tensor(g, r.x)->size[0]), n_taps = p->tap_h * p->tap_w;

    switch (r.op) {
    case NATIVE_FORWARD:
        p->rows = n * p->out_h * p->out_w;
        p->columns = p->d_group = p->k;
        p->depth = n_taps * p->c;
        p->d_row = p->k_all;
        p->a = g->at[r.x];
        p->b = g->at[r.w];
        p->d = g->at[r.y];
        break;
    case NATIVE_DATA:
        p->rows = n * p->h * p->w;
        p->columns = p->d_group = p->c;
        p->depth = n_taps * p->k;
        p->d_row = p->c_all;
        p->a = g->at[r.y];
        p->b = g->at[r.w];
        p->d = g->at[r.x];
        break;
    case NATIVE_FILTER:
        p->rows = p->k;
        p->columns = p->d_row = n_taps * p->c;
        p->d_group = p->rows * p->columns;
        p->depth = n * p->out_h * p->out_w;
        p->a = g->at[r.y];
        p->b = g->at[r.x];
        p->d = g->at[r.w];
        break;
    }
}

typedef struct {
    native_problem_t p;
    native_op_t op;
    native_math_t math;
    int columns; /* of a tile */
    bool aligned;
} plan_t;

int tiles(int n, int size)
{
    return (n + size - 1) / size;
}

/* Split the depth until the blocks fill the device twice. */
void split(const cnn_gpu_t *g, plan_t *plan)
{
    native_problem_t *p = &plan->p;
    const int depth = plan->math == NATIVE_BF16 ? 64 : 32; /* of a tile */
    const int64_t n_tiles = int64_t(tiles(p->rows, NATIVE_ROWS)) *
                            tiles(p->columns, plan->columns) * p->n_groups;
    const int64_t wanted = (2 * g->context.device->n_cores + n_tiles - 1) / n_tiles;
    const int64_t deepest = tiles(p->depth, 4 * depth);
    const int64_t bytes = int64_t(p->rows) * p->columns * p->n_groups * 4;
    const int64_t most = int64_t(MAX_SUMS_BYTES) / bytes;
    int64_t parts = wanted < deepest ? wanted : deepest;

    parts = parts < most ? parts : most;
    p->part_depth = parts > 1 ? tiles(tiles(p->depth, depth), int(parts)) * depth
                              : tiles(p->depth, depth) * depth;
    p->n_parts = tiles(p->depth, p->part_depth);
}

plan_t plan_of(const cnn_gpu_t *g, const cnn_step_t *s)
{
    const roles_t r = roles_of(s);
    const bool is_bf16 = cnn_gpu_tensor(g, r.x)->type == CNN_BF16;
    const int width = is_bf16 ? 8 : 4;
    plan_t plan = {};
    native_problem_t *p = &plan.p;

    set_sizes(g, s, r, p);
    set_product(g, r, p);
    p->by_c = cnn_divisor(unsigned(p->c));
    p->by_k = cnn_divisor(unsigned(p->k));
    p->by_tap_w = cnn_divisor(unsigned(p->tap_w));
    p->by_w = cnn_divisor(unsigned(p->w));
    p->by_hw = cnn_divisor(unsigned(p->h * p->w));
    p->by_out_w = cnn_divisor(unsigned(p->out_w));
    p->by_out_hw = cnn_divisor(unsigned(p->out_h * p->out_w));
    p->d_is_float = cnn_gpu_tensor(g, s->writes[0])->type == CNN_F32;
    if (r.op == NATIVE_FORWARD && s->n_reads == 3)
        p->bias = static_cast<const float *>(g->at[s->reads[2]]);
    plan.op = r.op;
    plan.math = is_bf16                        ? NATIVE_BF16
                : g->program->math == CNN_TF32 ? NATIVE_TF32
                                               : NATIVE_STRICT;
    plan.aligned = p->c % width == 0 && (p->k % width == 0 || r.op == NATIVE_FORWARD);
    /* tiles of 128 columns unless a fifth of them were empty */
    plan.columns =
        plan.aligned && tiles(p->columns, 128) * 128 * 5 <= p->columns * 6 ? 128 : 64;
    split(g, &plan);
    return plan;
}

size_t sums_bytes(const native_problem_t *p)
{
    return p->n_parts > 1
               ? size_t(p->n_parts) * p->n_groups * p->rows * p->columns * sizeof(float)
               : 0;
}

status_t multiply(const plan_t *plan, cudaStream_t stream)
{
    switch (plan->math) {
    case NATIVE_BF16:
        return native_multiply_bf16(plan->op, plan->columns, plan->aligned, &plan->p,
                                    stream);
    case NATIVE_TF32:
        return native_multiply_tf32(plan->op, plan->columns, plan->aligned, &plan->p,
                                    stream);
    default:
        return native_multiply_strict(plan->op, plan->columns, plan->aligned, &plan->p,
                                      stream);
    }
}

/* Forward: steps [first, last) with a ReLU in place.  Filter: with the bias' gradient */
status_t native_product(cnn_gpu_t *g, int first, int last, const cnn_lane_t *lane)
{
    const cnn_step_t *s = cnn_gpu_step(g, first);
    plan_t plan = plan_of(g, s);
    native_problem_t *p = &plan.p;
    status_t st;

    p->sums = static_cast<float *>(lane->workspace);
    p->relu = last - first == 2;
    if ((st = multiply(&plan, lane->stream)) != ST_OK)
        return st;
    if (p->n_parts > 1) {
        const unsigned blocks = cnn_blocks(int64_t(p->rows) * p->columns * p->n_groups);

        if (p->d_is_float)
            add_parts_kernel<float><<<blocks, CNN_BLOCK, 0, lane->stream>>>(*p);
        else
            add_parts_kernel<bf16_t><<<blocks, CNN_BLOCK, 0, lane->stream>>>(*p);
        if ((st = CUDA_TRY(cudaGetLastError())) != ST_OK)
            return st;
    }
    if (plan.op == NATIVE_FILTER && s->n_writes == 2)
        return cnn_sums(g, s->reads[1], static_cast<float *>(g->at[s->writes[1]]), lane);
    return ST_OK;
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

        if (kind == CNN_KIND_CONVOLUTION || kind == CNN_KIND_LINEAR) {
            const plan_t plan = plan_of(g, s);

            cnn_gpu_needs(g, sums_bytes(&plan.p));
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
    /* .name = */ "native",
    /* .kind = */ DEVICE_CUDA,
    /* .takes = */ cnn_gpu_takes,
    /* .create = */ create,
    /* .write = */ cnn_gpu_write,
    /* .read = */ cnn_gpu_read,
    /* .run = */ cnn_gpu_run,
    /* .wait = */ cnn_gpu_wait,
    /* .choices = */ cnn_gpu_choices,
    /* .destroy = */ cnn_gpu_destroy,
    /* .group = */ cnn_gpu_group,
    /* .side = */ &cnn_gpu_side,
};
