/*
 * nested_spmv.cu - sparse matrix times vector, with templates that launch kernels.
 */
#include "kernels/graph/cuda/cuda_spmv.cuh"
#include "kernels/graph/nested/nested_items.cuh"

namespace
{

typedef nested_op_t<spmv_op_t> product_op_t;

struct state_t : cuda_state_t {
    nested_items_t items;
    double *x, *y; /* [n_nodes] */
};

__global__ void __launch_bounds__(GRID_THREADS)
    product_kernel(product_op_t op, nested_items_t items)
{
    __shared__ nested_items_shared_t shared;

    nested_run(op, items, {nullptr, nullptr, op.g.n_nodes}, 0, &shared);
}

status_t create(cuda_state_t *state)
{
    state_t *s = static_cast<state_t *>(state);
    const int64_t n = s->g.n_nodes;
    status_t st;

    if ((st = cuda_scratch_create(s, s->g.n_nodes)) != ST_OK ||
        (st = cuda_memory_new(&s->memory, n, &s->x)) != ST_OK ||
        (st = cuda_memory_new(&s->memory, n, &s->y)) != ST_OK ||
        (st = CUDA_TRY(cudaMemcpy(s->x, s->context.spec->x,
                                  static_cast<size_t>(n) * sizeof(double),
                                  cudaMemcpyHostToDevice))) != ST_OK)
        return st;
    return nested_items_create<product_op_t>(s, &s->items);
}

status_t launch(cuda_state_t *state, const graph_task_t *)
{
    state_t *s = static_cast<state_t *>(state);
    const product_op_t op = {{s->g, s->x, s->y}};
    status_t st = nested_items_begin(s->items);

    return st == ST_OK ? nested_launch_grid(s, product_kernel, op, s->items) : st;
}

status_t fetch(cuda_state_t *state, const graph_task_t *, graph_result_t *out)
{
    const state_t *s = static_cast<const state_t *>(state);

    out->n_iterations = 1;
    out->n_visited = s->context.graph->n_arcs;
    return cuda_get(static_cast<double *>(out->column[0]), s->y, s->g.n_nodes);
}

} // namespace

const cuda_algorithm_t nested_spmv = {
    sizeof(state_t), false,  GRAPH_CHOICE_LAUNCHES | GRAPH_CHOICE_CONSOLIDATE,
    create,          launch, nested_fetch<state_t, fetch>,
    nullptr};
