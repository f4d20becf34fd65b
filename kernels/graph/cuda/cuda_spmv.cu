/*
 * cuda_spmv.cu - sparse matrix times vector, in the shape of tree_sum.h.
 */
#include "kernels/graph/cuda/cuda_backend.cuh"

namespace
{

struct spmv_t : cuda_state_t {
    cuda_plan_t plan;
    double *x, *y; /* [n_nodes] */
};

struct spmv_op_t {
    typedef no_value_t value_t;
    static constexpr bool is_sum = true;
    cuda_graph_t g;
    const double *x;
    double *y;

    __device__ bool begin(int u, cuda_row_t<no_value_t> *row) const
    {
        row->node = u;
        row->first = g.first[u];
        row->end = g.first[u + 1];
        return true;
    }

    __device__ double term(uint32_t a) const
    {
        const double x_to = __ldg(&x[g.to[a]]);

        if (g.value != nullptr)
            return __dmul_rn(g.value[a], x_to);
        return g.weight != nullptr ? __dmul_rn(static_cast<double>(g.weight[a]), x_to)
                                   : x_to;
    }

    __device__ void finish(int u, double sum) const
    {
        y[u] = sum;
    }
};

GRID_KERNEL spmv_kernel(cuda_graph_t g, cuda_loop_t loop, cuda_plan_t plan,
                        const double *x, double *y)
{
    __shared__ loop_shared_t shared;
    spmv_op_t op = {g, x, y};

    loop_run(op, {nullptr, nullptr, g.n_nodes}, loop, &plan, 0, &shared);
}

status_t create(cuda_state_t *state)
{
    spmv_t *s = static_cast<spmv_t *>(state);
    const int64_t n = s->g.n_nodes;
    status_t st;

    if ((st = cuda_scratch_create(s, s->g.n_nodes)) != ST_OK ||
        (st = cuda_graph_plan(&s->memory, s->context.graph,
                              s->loop.form == GRAPH_MERGE_PATH, &s->plan)) != ST_OK ||
        (st = cuda_memory_new(&s->memory, n, &s->x)) != ST_OK ||
        (st = cuda_memory_new(&s->memory, n, &s->y)) != ST_OK)
        return st;
    return CUDA_TRY(cudaMemcpy(s->x, s->context.spec->x,
                               static_cast<size_t>(n) * sizeof(double),
                               cudaMemcpyHostToDevice));
}

status_t launch(cuda_state_t *state, const graph_task_t *)
{
    spmv_t *s = static_cast<spmv_t *>(state);

    return grid_launch(spmv_kernel, cuda_cores(s), s->g, s->loop, s->plan, s->x, s->y);
}

status_t fetch(cuda_state_t *state, const graph_task_t *, graph_result_t *out)
{
    const spmv_t *s = static_cast<const spmv_t *>(state);

    out->n_iterations = 1;
    out->n_visited = s->context.graph->n_arcs;
    return cuda_get(static_cast<double *>(out->column[0]), s->y, s->g.n_nodes);
}

} // namespace

const cuda_algorithm_t cuda_spmv = {sizeof(spmv_t), false,  GRAPH_CHOICE_TEMPLATE,
                                    create,         launch, fetch,
                                    nullptr};
