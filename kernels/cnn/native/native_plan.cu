/*
 * native_plan.cu - sizes of tiles, parts of the depth, and the sum of the parts.
 */
#include "kernels/cnn/native/native_plan.cuh"

#include "kernels/cnn/cuda/cnn_vector.cuh"

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

void set_product(native_op_t op, int n, native_problem_t *p)
{
    const int n_taps = p->tap_h * p->tap_w;

    switch (op) {
    case NATIVE_FORWARD:
        p->rows = n * p->out_h * p->out_w;
        p->columns = p->d_group = p->k;
        p->depth = n_taps * p->c;
        p->d_row = p->k_all;
        break;
    case NATIVE_DATA:
        p->rows = n * p->h * p->w;
        p->columns = p->d_group = p->c;
        p->depth = n_taps * p->k;
        p->d_row = p->c_all;
        break;
    case NATIVE_FILTER:
        p->rows = p->k;
        p->columns = p->d_row = n_taps * p->c;
        p->d_group = p->rows * p->columns;
        p->depth = n * p->out_h * p->out_w;
        break;
    }
}

int tiles(int n, int size)
{
    return (n + size - 1) / size;
}

/* Split the depth until the blocks fill the device twice: those of all outputs, of which
 * a product may have some, so that its sums are the same. */
void split(int n_cores, native_plan_t *plan)
{
    native_problem_t *p = &plan->p;
    const int depth = plan->math == NATIVE_BF16 ? 64 : 32; /* of a tile */
    const bool is_filter = plan->op == NATIVE_FILTER;
    const int64_t n_outputs = is_filter ? p->k_all / p->n_groups : p->rows;
    const int64_t n_tiles = int64_t(tiles(int(n_outputs), NATIVE_ROWS)) *
                            tiles(p->columns, plan->columns) * p->n_groups;
    const int64_t wanted = (2 * n_cores + n_tiles - 1) / n_tiles;
    const int64_t deepest = tiles(p->depth, 4 * depth);
    const int64_t bytes = n_outputs * p->columns * p->n_groups * 4;
    const int64_t most = int64_t(MAX_SUMS_BYTES) / bytes;
    int64_t parts = wanted < deepest ? wanted : deepest;

    parts = parts < most ? parts : most;
    p->part_depth = parts > 1 ? tiles(tiles(p->depth, depth), int(parts)) * depth
                              : tiles(p->depth, depth) * depth;
    p->n_parts = tiles(p->depth, p->part_depth);
}

} // namespace

native_plan_t native_plan(native_op_t op, native_math_t math, const native_problem_t *p,
                          int n, int n_cores)
{
    const int width = math == NATIVE_BF16 ? 8 : 4;
    native_plan_t plan = {};
    native_problem_t *q = &plan.p;

    plan.p = *p;
    plan.op = op;
    plan.math = math;
    set_product(op, n, q);
    q->by_c = cnn_divisor(unsigned(q->c));
    q->by_k = cnn_divisor(unsigned(q->k));
    q->by_tap_w = cnn_divisor(unsigned(q->tap_w));
    q->by_w = cnn_divisor(unsigned(q->w));
    q->by_hw = cnn_divisor(unsigned(q->h * q->w));
    q->by_out_w = cnn_divisor(unsigned(q->out_w));
    q->by_out_hw = cnn_divisor(unsigned(q->out_h * q->out_w));
    plan.aligned = q->c % width == 0 &&
                   ((q->k % width == 0 && q->k_all % width == 0) || op == NATIVE_FORWARD);
    /* tiles of 128 columns unless a fifth of them were empty */
    plan.columns =
        plan.aligned && tiles(q->columns, 128) * 128 * 5 <= q->columns * 6 ? 128 : 64;
    split(n_cores, &plan);
    return plan;
}

size_t native_plan_bytes(const native_plan_t *plan)
{
    const native_problem_t *p = &plan->p;

    return p->n_parts > 1
               ? size_t(p->n_parts) * p->n_groups * p->rows * p->columns * sizeof(float)
               : 0;
}

status_t native_plan_multiply(const native_plan_t *plan, cudaStream_t stream)
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

status_t native_plan_run(const native_plan_t *plan, cudaStream_t stream)
{
    const native_problem_t *p = &plan->p;
    const unsigned blocks = cnn_blocks(int64_t(p->rows) * p->columns * p->n_groups);
    const status_t st = native_plan_multiply(plan, stream);

    if (st != ST_OK || p->n_parts == 1)
        return st;
    if (p->d_is_float)
        add_parts_kernel<float><<<blocks, CNN_BLOCK, 0, stream>>>(*p);
    else
        add_parts_kernel<bf16_t><<<blocks, CNN_BLOCK, 0, stream>>>(*p);
    return CUDA_TRY(cudaGetLastError());
}
