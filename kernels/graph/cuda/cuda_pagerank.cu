/*
 * cuda_pagerank.cu - PageRank by passes over all nodes, maybe after those over working
 * sets.
 */
#include "kernels/graph/cuda/cuda_pagerank.cuh"

namespace
{

GRID_KERNEL pagerank_kernel(cuda_graph_t in, cuda_loop_t loop, cuda_plan_t plan,
                            pagerank_t s)
{
    __shared__ loop_shared_t shared;
    const int n = in.n_nodes;
    const auto dangling_of = [&](uint32_t u) { return grid_read(&s.dangling[u]); };
    const auto change_of = [&](uint32_t u) { return grid_read(&s.change[u]); };
    rank_op_t op = {in, s, s.share[1], s.share[0], 0};
    int turn = static_cast<int>(s.progress->n_passes), n_loops = 0;

    if (s.progress->is_over != 0)
        turn = s.max_iterations;
    if (turn < s.max_iterations)
        op.divide_all();
    if (grid_is_first())
        for (int k = 0; k < 3; k++)
            loop.tail[k] = 0;
    grid_sync();
    pagerank_add_tiles(dangling_of, n, s.tile_dangling, shared.sums);
    grid_sync();
    while (turn < s.max_iterations) {
        op.base = pagerank_base(s, pagerank_total(s.tile_dangling, n, shared.sums), n);
        op.share = s.share[n_loops % 2];
        op.next_share = s.share[(n_loops + 1) % 2];
        loop_run(op, {nullptr, nullptr, n}, loop, &plan, n_loops, &shared);
        n_loops++;
        turn++;
        grid_sync();
        pagerank_add_tiles(dangling_of, n, s.tile_dangling, shared.sums);
        pagerank_add_tiles(change_of, n, s.tile_change, shared.sums);
        grid_sync();
        if (!(pagerank_total(s.tile_change, n, shared.sums) >= s.tolerance))
            break;
    }
    if (grid_is_first())
        *s.n_iterations = static_cast<int>(s.progress->n_passes) + n_loops;
}

/* Divide the rows of the arcs into nodes. */
status_t create_plan(pagerank_state_t *s, const csr_t *rows)
{
    status_t st = cuda_scratch_create(s, s->g.n_nodes);

    return st == ST_OK ? cuda_graph_plan(&s->memory, rows,
                                         s->loop.form == GRAPH_MERGE_PATH, &s->plan)
                       : st;
}

status_t launch(cuda_state_t *state, const graph_task_t *)
{
    pagerank_state_t *s = static_cast<pagerank_state_t *>(state);
    status_t st = pagerank_begin(s);

    return st == ST_OK ? grid_launch(pagerank_kernel, cuda_cores(s), s->in, s->loop,
                                     s->plan, s->task)
                       : st;
}

} // namespace

status_t pagerank_create(cuda_state_t *state)
{
    pagerank_state_t *s = static_cast<pagerank_state_t *>(state);
    const csr_t *g = s->context.graph;
    const graph_spec_t *spec = s->context.spec;
    const int64_t max = spec->max_iterations;
    status_t st = create_plan(s, g->is_symmetric ? g : &s->reversed);

    for (int k = 0; st == ST_OK && k < (pagerank_has_sets(spec) ? 8 : 7); k++)
        st = cuda_memory_new(&s->memory, g->n_nodes, &s->reals[k]);
    s->task = {s->g.first,
               s->reals[0],
               s->reals[1],
               s->reals[2],
               {s->reals[3], s->reals[4]},
               s->reals[5],
               s->reals[6],
               spec->damping,
               (1 - spec->damping) / static_cast<double>(g->n_nodes),
               spec->tolerance,
               spec->dangling == GRAPH_DANGLING_SPREAD,
               pagerank_first_rank(spec) != nullptr,
               static_cast<int>(max < INT32_MAX ? max : INT32_MAX),
               s->frontier.n_iterations,
               reinterpret_cast<pagerank_progress_t *>(s->frontier.n)};
    s->sets = {s->reals[7],
               s->frontier.bits[0],
               s->frontier.n_both,
               s->frontier.n_both + 2,
               s->frontier.visited,
               pagerank_limits(spec, g),
               spec->restart == GRAPH_RESTART_AUTO};
    return st == ST_OK && s->task.has_ranks
               ? cuda_memory_put(&s->memory, spec->rank, g->n_nodes, &s->first_rank)
               : st;
}

status_t pagerank_begin(pagerank_state_t *s)
{
    status_t st = ST_OK;

    if (s->task.has_ranks)
        st = CUDA_TRY(cudaMemcpyAsync(s->task.rank, s->first_rank,
                                      static_cast<size_t>(s->g.n_nodes) * sizeof(double),
                                      cudaMemcpyDeviceToDevice));
    return st == ST_OK && pagerank_has_sets(s->context.spec)
               ? pagerank_sets_launch(s, s->plan, s->task, s->sets)
               : st;
}

status_t pagerank_fetch(cuda_state_t *state, const graph_task_t *, graph_result_t *out)
{
    const pagerank_state_t *s = static_cast<const pagerank_state_t *>(state);
    pagerank_progress_t progress = {};
    status_t st = cuda_counters_get(s, out);

    if (st != ST_OK || (st = cuda_get(&progress, s->task.progress, 1)) != ST_OK)
        return st;
    out->n_visited += (out->n_iterations - progress.n_passes) * s->context.graph->n_arcs;
    st = pagerank_note(s->context.spec, progress.n_set_passes, out->n_iterations,
                       &out->decisions);
    return st == ST_OK ? cuda_get(static_cast<double *>(out->column[0]), s->reals[0],
                                  s->g.n_nodes)
                       : st;
}

const cuda_algorithm_t cuda_pagerank = {
    sizeof(pagerank_state_t), true,   GRAPH_CHOICE_TEMPLATE, pagerank_create, launch,
    pagerank_fetch,           nullptr};
