/*
 * cnn_gpu_run.cu - running ranges of steps: alone, or captured as a CUDA graph in which
 * independent steps are side by side.
 *
 * A step depends on an earlier one if one of them writes bytes that the other reads or
 * writes.  That covers tensors, workspaces in the arena and the reuse of its memory
 * alike.
 */
#include "kernels/cnn/cuda/cnn_gpu.cuh"

#include <cstdlib>

namespace
{

constexpr int ALL_LANES = CNN_GPU_MAX_LANES + CNN_GPU_COPY_LANES;

__global__ void set_iteration_kernel(cnn_iteration_t *to, cnn_iteration_t value)
{
    *to = value;
}

/* Steps [first, last) that run as one, and where. */
typedef struct {
    int first, last, lane;
} node_t;

typedef struct {
    const cnn_gpu_t *g;
    node_t *nodes;
    int n_nodes;
    int last_of[ALL_LANES];           /* a lane's last node; -1: none */
    int waited[ALL_LANES][ALL_LANES]; /* [a][b]: lane a waited for lane b's nodes up to
                                       * this one */
} schedule_t;

cnn_room_t room_of(const cnn_gpu_t *g, int tensor)
{
    return {static_cast<char *>(g->at[tensor]),
            cnn_tensor_bytes(cnn_gpu_tensor(g, tensor))};
}

bool overlap(const cnn_room_t &a, const cnn_room_t &b)
{
    return a.at < b.at + b.bytes && b.at < a.at + a.bytes;
}

/* Whether a step uses memory that another one has as its workspace */
bool uses_room(const cnn_gpu_t *g, int step, int other)
{
    const cnn_step_t *s = cnn_gpu_step(g, step);
    const cnn_room_t &room = g->rooms[other];

    if (room.bytes == 0)
        return false;
    for (int i = 0; i < s->n_reads + s->n_writes; i++)
        if (overlap(room, room_of(g, cnn_step_tensor(s, i))))
            return true;
    return overlap(room, g->rooms[step]);
}

bool any_overlap(const cnn_gpu_t *g, const int *a, int n_a, const int *b, int n_b)
{
    for (int i = 0; i < n_a; i++)
        for (int k = 0; k < n_b; k++)
            if (overlap(room_of(g, a[i]), room_of(g, b[k])))
                return true;
    return false;
}

bool steps_depend(const cnn_gpu_t *g, int step, int other)
{
    const cnn_step_t *a = cnn_gpu_step(g, step), *b = cnn_gpu_step(g, other);

    return any_overlap(g, a->reads, a->n_reads, b->writes, b->n_writes) ||
           any_overlap(g, a->writes, a->n_writes, b->writes, b->n_writes) ||
           any_overlap(g, a->writes, a->n_writes, b->reads, b->n_reads) ||
           uses_room(g, step, other) || uses_room(g, other, step);
}

bool nodes_depend(const cnn_gpu_t *g, const node_t *a, const node_t *b)
{
    for (int i = a->first; i < a->last; i++)
        for (int k = b->first; k < b->last; k++)
            if (steps_depend(g, i, k))
                return true;
    return false;
}

status_t launch(cnn_gpu_t *g, int first, int last, const cnn_lane_t *lane)
{
    const cnn_op_t op = cnn_gpu_step(g, first)->op;
    const cnn_gpu_launch_t own = g->kind->launch[op];
    const cnn_lane_t with_room = cnn_gpu_lane_of(g, first, lane);

    return own != nullptr ? own(g, first, last, &with_room)
                          : cnn_gpu_launch[op](g, first, last, &with_room);
}

status_t run_in_order(cnn_gpu_t *g, int first, int last)
{
    status_t st = ST_OK;

    while (first < last && st == ST_OK) {
        const int end = cnn_gpu_group(g, first, last);

        st = launch(g, first, end, &g->lanes[0]);
        first = end;
    }
    return st;
}

/* The lanes' last nodes that a node has to wait for: found[lane], -1 where none. */
void find_needs(const schedule_t *s, int node, int *found)
{
    for (int l = 0; l < ALL_LANES; l++)
        found[l] = -1;
    for (int k = node - 1; k >= 0; k--)
        if (found[s->nodes[k].lane] < 0 &&
            nodes_depend(s->g, &s->nodes[node], &s->nodes[k]))
            found[s->nodes[k].lane] = k;
}

/* Copies have their own lanes.  Steps: after the newest node needed if nothing followed
 * there, else where least was done. */
int choose_lane(const schedule_t *s, int node, const int *found)
{
    const cnn_op_t op = cnn_gpu_step(s->g, s->nodes[node].first)->op;
    int best = -1, oldest = 0;

    if (op == CNN_FETCH || op == CNN_EVICT)
        return CNN_GPU_MAX_LANES + (op == CNN_EVICT);
    for (int l = 0; l < s->g->n_lanes; l++) {
        if (found[l] >= 0 && found[l] == s->last_of[l] &&
            (best < 0 || found[l] > found[best]))
            best = l;
        if (s->last_of[l] < s->last_of[oldest])
            oldest = l;
    }
    return best >= 0 ? best : oldest;
}

status_t run_node(cnn_gpu_t *g, schedule_t *s, int node)
{
    node_t *n = &s->nodes[node];
    int found[ALL_LANES];
    status_t st = ST_OK;

    find_needs(s, node, found);
    n->lane = choose_lane(s, node, found);
    for (int l = 0; l < ALL_LANES && st == ST_OK; l++) {
        if (l == n->lane || found[l] <= s->waited[n->lane][l])
            continue;
        st = CUDA_TRY(cudaStreamWaitEvent(g->lanes[n->lane].stream,
                                          g->done[s->nodes[found[l]].first], 0));
        s->waited[n->lane][l] = found[l];
    }
    s->last_of[n->lane] = node;
    if (st == ST_OK)
        st = launch(g, n->first, n->last, &g->lanes[n->lane]);
    if (st == ST_OK)
        st = CUDA_TRY(cudaEventRecord(g->done[n->first], g->lanes[n->lane].stream));
    return st;
}

/* Only while lane 0 is captured: the others fork from it and join it. */
status_t run_side_by_side(cnn_gpu_t *g, schedule_t *s)
{
    const cudaStream_t first = g->lanes[0].stream;
    status_t st = CUDA_TRY(cudaEventRecord(g->forked, first));

    for (int l = 1; l < ALL_LANES && st == ST_OK; l++)
        if (g->lanes[l].stream != nullptr)
            st = CUDA_TRY(cudaStreamWaitEvent(g->lanes[l].stream, g->forked, 0));
    for (int k = 0; k < s->n_nodes && st == ST_OK; k++)
        st = run_node(g, s, k);
    for (int l = 1; l < ALL_LANES && st == ST_OK; l++) {
        if (g->lanes[l].stream == nullptr)
            continue;
        st = CUDA_TRY(cudaEventRecord(g->forked, g->lanes[l].stream));
        if (st == ST_OK)
            st = CUDA_TRY(cudaStreamWaitEvent(first, g->forked, 0));
    }
    return st;
}

status_t enqueue(cnn_gpu_t *g, int first, int last)
{
    schedule_t s = {};
    status_t st;

    if ((g->n_lanes == 1 && g->swap == nullptr) || g->program->copies_wait)
        return run_in_order(g, first, last);
    s.g = g;
    s.nodes = static_cast<node_t *>(calloc(last - first, sizeof(*s.nodes)));
    if (s.nodes == nullptr)
        return log_nomem("a schedule of steps");
    for (int l = 0; l < ALL_LANES; l++) {
        s.last_of[l] = -1;
        for (int &node : s.waited[l])
            node = -1;
    }
    for (int step = first; step < last; step = s.nodes[s.n_nodes - 1].last) {
        s.nodes[s.n_nodes].first = step;
        s.nodes[s.n_nodes++].last = cnn_gpu_group(g, step, last);
    }
    st = run_side_by_side(g, &s);
    free(s.nodes);
    return st;
}

/* What cannot be captured, say because a library allocates, runs step by step. */
status_t capture(cnn_gpu_t *g, cnn_gpu_graph_t *range)
{
    const cudaStream_t stream = g->lanes[0].stream;
    cudaGraph_t graph = nullptr;
    cudaError_t err = cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
    status_t st;

    if (err != cudaSuccess)
        return CUDA_TRY(err);
    st = enqueue(g, range->first, range->last);
    err = cudaStreamEndCapture(stream, &graph);
    if (st == ST_OK && err == cudaSuccess)
        err = cudaGraphInstantiate(&range->exec, graph, 0);
    if (graph != nullptr)
        cudaGraphDestroy(graph);
    if (st == ST_ELOST || st == ST_ENOMEM)
        return st;
    range->is_plain = st != ST_OK || err != cudaSuccess;
    if (range->is_plain) {
        range->exec = nullptr;
        log_warn("steps %d to %d of a network run without a CUDA graph: %s", range->first,
                 range->last - 1,
                 cudaGetErrorString(err != cudaSuccess ? err : cudaGetLastError()));
        cudaGetLastError();
    }
    return ST_OK;
}

/* @return NULL where there are too many */
cnn_gpu_graph_t *find_range(cnn_gpu_t *g, int first, int last, bool *is_new)
{
    for (int k = 0; k < g->n_graphs; k++)
        if (g->graphs[k].first == first && g->graphs[k].last == last)
            return &g->graphs[k];
    if (g->n_graphs == g->program->n_steps)
        return nullptr;
    *is_new = true;
    g->graphs[g->n_graphs] = cnn_gpu_graph_t{first, last, false, nullptr};
    return &g->graphs[g->n_graphs++];
}

} // namespace

int cnn_gpu_group(void *state, int first, int last)
{
    const cnn_gpu_t *g = static_cast<const cnn_gpu_t *>(state);
    int next = first + 1;

    if (!cnn_gpu_runs(g, first))
        return next;
    while (next < last && cnn_gpu_runs(g, next) &&
           (cnn_gpu_joins(g, first, next) ||
            (g->kind->joins != nullptr && g->kind->joins(g, first, next))))
        next++;
    return next;
}

status_t cnn_gpu_load(cnn_gpu_t *g)
{
    cnn_iteration_t now = {};
    int first = 0;
    status_t st;

    now.n_images = 1;
    set_iteration_kernel<<<1, 1, 0, g->lanes[0].stream>>>(g->iteration, now);
    st = CUDA_TRY(cudaGetLastError());
    for (int s = 0; st == ST_OK && s < g->program->n_steps; s++)
        if (cnn_op_exchanges(cnn_gpu_step(g, s)->op) || !cnn_gpu_runs(g, s)) {
            /* the ranks', or the CPU's */
            st = run_in_order(g, first, s);
            first = s + 1;
        }
    return st == ST_OK ? run_in_order(g, first, g->program->n_steps) : st;
}

/* Run steps of the device. */
static status_t run_range(cnn_gpu_t *g, int first, int last, const cnn_iteration_t *i)
{
    const cudaStream_t stream = g->lanes[0].stream;
    cnn_gpu_graph_t *range = nullptr;
    bool is_new = false;
    status_t st;

    set_iteration_kernel<<<1, 1, 0, stream>>>(g->iteration, *i);
    if ((st = CUDA_TRY(cudaGetLastError())) != ST_OK)
        return st;
    if (cnn_gpu_group(g, first, last) < last)
        range = find_range(g, first, last, &is_new);
    /* the first run loads kernels, which a capture must not do */
    if (range == nullptr || is_new || range->is_plain)
        return run_in_order(g, first, last);
    if (range->exec == nullptr && (st = capture(g, range)) != ST_OK)
        return st;
    if (range->is_plain)
        return run_in_order(g, first, last);
    return CUDA_TRY(cudaGraphLaunch(range->exec, stream));
}

status_t cnn_gpu_run(void *state, int first, int last, const cnn_iteration_t *i)
{
    cnn_gpu_t *g = static_cast<cnn_gpu_t *>(state);
    status_t st = CUDA_TRY(cudaSetDevice(g->context.device->index));

    while (st == ST_OK && first < last) {
        const bool is_here = cnn_gpu_runs(g, first);
        int end = first + 1;

        while (end < last && cnn_gpu_runs(g, end) == is_here)
            end++;
        st = is_here ? run_range(g, first, end, i) : cnn_gpu_run_beside(g, first, end, i);
        first = end;
    }
    return st;
}
