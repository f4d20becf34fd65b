/*
 * cuda_brandes.cu - Brandes' algorithm (2001), many sources at once.
 *
 * A team of blocks has one source.  Levels are computed one after the other: the search
 * from a level marks the next one, while the level itself counts its paths; then
 * dependencies are computed from the deepest level up.  Paths and dependencies are pulled
 * over rows, so that sums have their shape (graph_step.h), and no addition is atomic.
 *
 * In small graphs a team is one block, which keeps its search in shared memory: 14 bytes
 * per node.  In others searches are in device memory; if there are fewer sources than
 * blocks, teams are larger, and have barriers of their own.
 *
 * The dependencies of each source are written to a row of a matrix, whose rows are added
 * in the order of the sources.
 */
#include "kernels/graph/cuda/cuda_brandes.cuh"

#include <climits>

namespace
{

enum { THREADS = 1024, WARPS = THREADS / 32, MAX_LARGE = 256, ADDED_AT_ONCE = 8 };

/* What a block has in shared memory beside its search. */
struct team_shared_t {
    double sums[2 * WARPS];
    int large[MAX_LARGE];
    int n_large;
};

/* The blocks of a source. */
struct team_t {
    unsigned block, n_blocks; /* this one's number in the team */
    unsigned *arrived;        /* blocks at the barrier, since the kernel began */
    sync_round_t round;
    team_shared_t *shared;

    __device__ unsigned thread() const
    {
        return block * THREADS + threadIdx.x;
    }

    __device__ unsigned n_threads() const
    {
        return n_blocks * THREADS;
    }

    __device__ void sync()
    {
        __syncthreads();
        if (n_blocks == 1)
            return;
        if (threadIdx.x == 0)
            sync_count(arrived, n_blocks, &round);
        __syncthreads();
    }
};

/* Rows that were put off, by the whole block. */
template <class OP> __device__ void team_large_rows(OP &op, team_shared_t *shared)
{
    int n;

    __syncthreads();
    n = min(shared->n_large, static_cast<int>(MAX_LARGE));
    for (int k = 0; k < n; k++) {
        const int u = shared->large[k];

        row_by_block<THREADS>(op, {u, op.g.first[u], op.g.first[u + 1], {}},
                              shared->sums);
    }
    __syncthreads();
    if (threadIdx.x == 0)
        shared->n_large = 0;
    __syncthreads();
}

/* Run an operation on the rows of a level: by groups of lanes, a warp or a block. */
template <bool IS_SMALL, class OP>
__device__ void team_rows(OP &op, const brandes_t &b, const team_t &team,
                          const typename search_t<IS_SMALL>::number_t *nodes, unsigned n)
{
    const unsigned lanes = static_cast<unsigned>(b.lanes), per_warp = 32 / lanes;
    const unsigned lane = static_cast<unsigned>(grid_lane()) % lanes;

    for (unsigned i = team.thread() / 32 * per_warp; i < n;
         i += team.n_threads() / 32 * per_warp) {
        const unsigned k = i + static_cast<unsigned>(grid_lane()) / lanes;
        cuda_row_t<no_value_t> row = {-1, 0, 0, {}};
        bool is_long;

        if (k < n) {
            row.node = static_cast<int>(search_t<IS_SMALL>::read(&nodes[k]));
            row.first = op.g.first[row.node];
            row.end = op.g.first[row.node + 1];
        }
        is_long = row.end - row.first > b.warp_from;
        if (k < n && !is_long)
            row_by_lanes(op, row, b.lanes, static_cast<int>(lane));
        is_long = is_long && lane == 0;
        if (is_long && row.end - row.first > b.block_from) {
            const int place = atomicAdd(&team.shared->n_large, 1);

            if (place < MAX_LARGE) {
                team.shared->large[place] = row.node;
                is_long = false;
            }
        }
        for (unsigned todo = __ballot_sync(ALL_LANES, is_long); todo != 0;
             todo &= todo - 1)
            row_by_warp(op, row_of_lane(row, __ffs(static_cast<int>(todo)) - 1));
    }
    if (op.g.max_degree > b.block_from)
        team_large_rows(op, team.shared);
}

/* Reach nodes and count their paths, level by level. @return the number of levels */
template <bool IS_SMALL>
__device__ unsigned count_paths(const brandes_t &b, const search_t<IS_SMALL> &s,
                                team_t &team, int place)
{
    typedef typename search_t<IS_SMALL>::number_t number_t;
    unsigned begin = 0, end = 1, d = 0;

    while (begin < end) { /* level d is order[begin .. end-1] */
        unsigned *n_next = &s.n_next[(d + 1) % 3];
        find_op_t<IS_SMALL> find = {b.g, s, s.order + end, n_next,
                                    static_cast<number_t>(d + 1)};

        if (team.thread() == 0) {
            s.n_next[(d + 2) % 3] = 0;
            s.level[d + 1] = static_cast<number_t>(end);
        }
        team_rows<IS_SMALL>(find, b, team, s.order + begin, end - begin);
        if (d > 0) {
            paths_op_t<IS_SMALL> paths = {b.in, s, d - 1, b.refused, place};

            team_rows<IS_SMALL>(paths, b, team, s.order + begin, end - begin);
        }
        team.sync();
        begin = end;
        end += s.read(n_next);
        d++;
    }
    return d;
}

template <bool IS_SMALL>
__device__ void run_source(const brandes_t &b, const search_t<IS_SMALL> &s, team_t &team,
                           int source, int place, double *dependency)
{
    typedef typename search_t<IS_SMALL>::number_t number_t;
    const unsigned n = static_cast<unsigned>(b.g.n_nodes);
    unsigned d;

    for (unsigned u = team.thread(); u < n; u += team.n_threads()) {
        s.depth[u] = static_cast<int>(u) == source ? 0 : search_t<IS_SMALL>::NONE;
        dependency[u] = 0;
    }
    if (team.thread() == 0) {
        s.given[source] = 1;
        s.order[0] = static_cast<number_t>(source);
        s.n_next[1] = 0;
    }
    team.sync();
    d = count_paths(b, s, team, place);
    while (--d > 0) {
        const unsigned begin = s.read(&s.level[d]), end = s.read(&s.level[d + 1]);
        dependencies_op_t<IS_SMALL> op = {b.g, s, d + 1, dependency};

        team_rows<IS_SMALL>(op, b, team, s.order + begin, end - begin);
        team.sync();
    }
}

/* @param first  the place of sources[0] in the task */
template <bool IS_SMALL>
__global__ void __launch_bounds__(THREADS, 1)
    brandes_kernel(brandes_t b, int n_sources, int n_teams, int64_t first)
{
    extern __shared__ double memory[];
    __shared__ team_shared_t shared;
    const int team_blocks = static_cast<int>(gridDim.x) / n_teams;
    const int index = static_cast<int>(blockIdx.x) / team_blocks;
    team_t team = {blockIdx.x % static_cast<unsigned>(team_blocks),
                   static_cast<unsigned>(team_blocks),
                   &b.arrived[index],
                   {},
                   &shared};
    const search_t<IS_SMALL> s(IS_SMALL ? reinterpret_cast<char *>(memory)
                                        : b.searches +
                                              static_cast<size_t>(index) * b.search_bytes,
                               b.g.n_nodes);

    if (threadIdx.x == 0)
        shared.n_large = 0;
    for (int i = index; i < n_sources; i += n_teams)
        run_source(b, s, team, b.sources[i], static_cast<int>(first) + i,
                   b.dependency + static_cast<int64_t>(i) * b.g.n_nodes);
}

/* Add the dependencies of all sources, in their order. */
__global__ void __launch_bounds__(GRID_THREADS)
    add_sources_kernel(const double *dependency, int n_nodes, int n_sources,
                       double *centrality)
{
    for (int64_t u = grid_thread(); u < n_nodes; u += grid_n_threads()) {
        double sum = centrality[u];

#pragma unroll ADDED_AT_ONCE
        for (int i = 0; i < n_sources; i++)
            sum = __dadd_rn(sum, dependency[static_cast<int64_t>(i) * n_nodes + u]);
        centrality[u] = sum;
    }
}

template <bool IS_SMALL>
status_t launch_sources(const brandes_t &b, int n_sources, int64_t first)
{
    const auto kernel = brandes_kernel<IS_SMALL>;
    const int n_teams = n_sources < b.n_teams ? n_sources : b.n_teams;
    cudaLaunchAttribute attribute = {};
    cudaLaunchConfig_t config = {};
    status_t st =
        CUDA_TRY(cudaMemsetAsync(b.arrived, 0,
                                 static_cast<size_t>(b.n_teams) * sizeof(*b.arrived)));

    if (st != ST_OK)
        return st;
    attribute.id = cudaLaunchAttributeCooperative;
    attribute.val.cooperative = 1;
    config.gridDim =
        dim3(static_cast<unsigned>(IS_SMALL ? n_teams : b.n_blocks / n_teams * n_teams));
    config.blockDim = dim3(THREADS);
    config.attrs = &attribute;
    config.numAttrs = 1;
    if (IS_SMALL) {
        config.dynamicSmemBytes = b.search_bytes;
        if ((st = CUDA_TRY(
                 cudaFuncSetAttribute(reinterpret_cast<const void *>(kernel),
                                      cudaFuncAttributeMaxDynamicSharedMemorySize,
                                      static_cast<int>(b.search_bytes)))) != ST_OK)
            return st;
    }
    return CUDA_TRY(cudaLaunchKernelEx(&config, kernel, b, n_sources, n_teams, first));
}

} // namespace

size_t brandes_bytes(bool is_small, int n_nodes)
{
    return is_small ? search_t<true>::bytes(n_nodes) : search_t<false>::bytes(n_nodes);
}

size_t brandes_shared_bytes()
{
    return sizeof(team_shared_t);
}

status_t brandes_run(const brandes_t &b, int n_sources, int64_t first)
{
    status_t st = b.is_small ? launch_sources<true>(b, n_sources, first)
                             : launch_sources<false>(b, n_sources, first);

    return st == ST_OK ? grid_launch_each(add_sources_kernel,
                                          (b.g.n_nodes + GRID_THREADS - 1) / GRID_THREADS,
                                          static_cast<const double *>(b.dependency),
                                          b.g.n_nodes, n_sources, b.centrality)
                       : st;
}
