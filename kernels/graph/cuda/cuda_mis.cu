/*
 * cuda_mis.cu - the greedy independent set of an order (after Burtscher et al. 2018).
 *
 * Each node has one word: its place in the order, from 1, until it is decided; then IN or
 * OUT.  A node is in when no neighbor's word is smaller, and out when a neighbor's is IN.
 * Words change once, to what the order says, so that they may be read and written without
 * any order among threads: who reads an old word decides later, but not otherwise.  The
 * first undecided node never waits.
 */
#include "kernels/graph/cuda/cuda_order.cuh"

namespace
{

constexpr uint32_t IN = 0, OUT = UINT32_MAX;

enum { OWN_ARCS = 16 }; /* that a lane looks at alone */

/* An undecided node, and its first arc that may lead to a smaller word. */
struct waiting_t {
    int node; /* or -1 */
    uint32_t arc;
};

/* Passed to kernels by value. */
struct words_t {
    const int *place;
    uint32_t *word;  /* [n_nodes] */
    unsigned *mark;  /* [n_nodes] of rounds */
    waiting_t *list; /* [n_nodes rounded up to 32] */
    uint8_t *in_set; /* [n_nodes] */
};

struct mis_t : cuda_state_t {
    cuda_order_t order;
    words_t words;
};

__device__ void start(const cuda_graph_t &g, const words_t &s)
{
    for (int64_t u = grid_thread(); u < g.n_nodes; u += grid_n_threads()) {
        s.word[u] =
            g.first[u] == g.first[u + 1] ? IN : static_cast<uint32_t>(s.place[u]) + 1;
        s.mark[u] = 0;
    }
    grid_sync();
}

/* ---- without barriers ---- */

__device__ void rule_out(const cuda_graph_t &g, const words_t &s, uint32_t first,
                         uint32_t end, uint32_t step)
{
    for (uint32_t a = first; a < end; a += step)
        grid_write(&s.word[g.to[a]], OUT);
}

/* Go on with the rows that lanes have not finished, all lanes together.
 * @return whether the lane's row has ended: its node is in */
__device__ bool search_together(const cuda_graph_t &g, const words_t &s, bool goes_on,
                                uint32_t word, uint32_t end, waiting_t *x,
                                unsigned long long *seen)
{
    bool joins = false;

    for (unsigned todo = __ballot_sync(ALL_LANES, goes_on); todo != 0; todo &= todo - 1) {
        const int owner = __ffs(static_cast<int>(todo)) - 1;
        const uint32_t last = __shfl_sync(ALL_LANES, end, owner);
        const uint32_t limit = __shfl_sync(ALL_LANES, word, owner);
        uint32_t base = __shfl_sync(ALL_LANES, x->arc, owner), found;
        unsigned smaller = 0;

        for (;; base += 32) {
            const uint32_t a = base + static_cast<uint32_t>(grid_lane());

            found = a < last ? grid_read(&s.word[g.to[a]]) : OUT;
            *seen += a < last;
            smaller = __ballot_sync(ALL_LANES, found < limit);
            if (smaller != 0 || base + 32 >= last)
                break;
        }
        found = __ballot_sync(ALL_LANES, found == IN);
        if (grid_lane() == owner) {
            joins = smaller == 0;
            if (found != 0)
                grid_write(&s.word[x->node], OUT);
            else if (smaller != 0)
                x->arc =
                    base + static_cast<uint32_t>(__ffs(static_cast<int>(smaller))) - 1;
        }
    }
    return joins;
}

/* @return whether the node is still undecided */
__device__ bool poll_node(const cuda_graph_t &g, const words_t &s, waiting_t *x,
                          unsigned long long *seen)
{
    const uint32_t word = x->node >= 0 ? grid_read(&s.word[x->node]) : OUT;
    const bool is_open = word != IN && word != OUT;
    const uint32_t first = is_open ? g.first[x->node] : 0;
    const uint32_t end = is_open ? g.first[x->node + 1] : 0;
    const uint32_t own_end = min(end, x->arc + OWN_ARCS);
    uint32_t found = OUT;
    bool joins;

    if (is_open) {
        for (; x->arc < own_end; x->arc++, (*seen)++)
            if ((found = grid_read(&s.word[g.to[x->arc]])) < word)
                break;
        if (found == IN)
            grid_write(&s.word[x->node], OUT);
    }
    joins = is_open && found > word && x->arc == end;
    joins |= search_together(g, s, is_open && found > word && x->arc < end, word, end, x,
                             seen);
    if (joins) {
        grid_write(&s.word[x->node], IN);
        if (end - first <= OWN_ARCS)
            rule_out(g, s, first, end, 1);
    }
    for (unsigned todo = __ballot_sync(ALL_LANES, joins && end - first > OWN_ARCS);
         todo != 0; todo &= todo - 1) {
        const int owner = __ffs(static_cast<int>(todo)) - 1;

        rule_out(g, s,
                 __shfl_sync(ALL_LANES, first, owner) +
                     static_cast<uint32_t>(grid_lane()),
                 __shfl_sync(ALL_LANES, end, owner), 32);
    }
    return is_open && !joins && found != IN;
}

GRID_KERNEL mis_kernel(cuda_graph_t g, words_t s, unsigned long long *visited,
                       int *n_iterations)
{
    unsigned long long n_visited = 0;
    int turn;

    start(g, s);
    turn = poll_all(
        g.n_nodes, s.list,
        [&](int64_t i) {
            return waiting_t{static_cast<int>(i), i >= 0 ? g.first[i] : 0};
        },
        [&](waiting_t *x) { return poll_node(g, s, x, &n_visited); });
    for (int64_t u = grid_thread(); u < g.n_nodes; u += grid_n_threads())
        s.in_set[u] = grid_read(&s.word[u]) == IN;
    warp_add_to(visited, n_visited);
    if (grid_lane() == 0)
        atomicMax(n_iterations, turn);
}

/* ---- in rounds ---- */

enum { BLOCKED = 1, RULED_OUT = 2 }; /* marks */

struct mis_op_t {
    typedef uint32_t value_t; /* the node's word */
    static constexpr bool is_sum = false;
    cuda_graph_t g;
    words_t s;
    unsigned long long n_visited;

    __device__ bool begin(int u, cuda_row_t<uint32_t> *row) const
    {
        row->value = grid_read(&s.word[u]);
        return row_begin(g, u, row);
    }

    __device__ void arc(const cuda_row_t<uint32_t> &row, uint32_t a)
    {
        const uint32_t word = grid_read(&s.word[g.to[a]]);
        const unsigned mark = word == IN ? RULED_OUT : word < row.value ? BLOCKED : 0;

        n_visited++;
        if (mark > grid_read(&s.mark[row.node]))
            atomicMax(&s.mark[row.node], mark);
    }

    /* @return whether the node is still undecided */
    __device__ bool settle(int u) const
    {
        const unsigned mark = grid_read(&s.mark[u]);

        if (mark == RULED_OUT)
            s.word[u] = OUT;
        else if (mark == 0)
            s.word[u] = IN;
        else
            s.mark[u] = 0;
        return mark == BLOCKED;
    }
};

GRID_KERNEL rounds_kernel(cuda_graph_t g, cuda_loop_t loop, frontier_t f, words_t s)
{
    __shared__ loop_shared_t shared;
    mis_op_t op = {g, s, 0};
    int turn;

    start(g, s);
    turn = rounds_run(
        op, loop, f, [&](int u) { return op.settle(u); }, &shared);
    for (int64_t u = grid_thread(); u < g.n_nodes; u += grid_n_threads())
        s.in_set[u] = grid_read(&s.word[u]) == IN;
    warp_add_to(f.visited, op.n_visited);
    if (grid_is_first())
        *f.n_iterations = turn;
}

/* ---- the algorithm ---- */

status_t create(cuda_state_t *state)
{
    mis_t *s = static_cast<mis_t *>(state);
    const int64_t n = s->g.n_nodes;
    status_t st;

    if ((st = cuda_scratch_create(s, s->g.n_nodes)) != ST_OK ||
        (st = cuda_order_create(s, &s->order)) != ST_OK ||
        (st = cuda_memory_new(&s->memory, n, &s->words.word)) != ST_OK ||
        (st = cuda_memory_new(&s->memory, n, &s->words.mark)) != ST_OK ||
        (st = cuda_memory_new(&s->memory, n + 32, &s->words.list)) != ST_OK)
        return st;
    s->words.place = s->order.place;
    return cuda_memory_new(&s->memory, n, &s->words.in_set);
}

status_t launch(cuda_state_t *state, const graph_task_t *)
{
    mis_t *s = static_cast<mis_t *>(state);

    if (s->context.run->loop_template == GRAPH_TEMPLATE_AUTO)
        return grid_launch(mis_kernel, cuda_cores(s), s->g, s->words, s->frontier.visited,
                           s->frontier.n_iterations);
    return grid_launch(rounds_kernel, cuda_cores(s), s->g, s->loop, s->frontier,
                       s->words);
}

status_t fetch(cuda_state_t *state, const graph_task_t *, graph_result_t *out)
{
    const mis_t *s = static_cast<const mis_t *>(state);
    status_t st = cuda_counters_get(s, out);

    return st == ST_OK ? cuda_get(static_cast<uint8_t *>(out->column[0]), s->words.in_set,
                                  s->g.n_nodes)
                       : st;
}

} // namespace

const cuda_algorithm_t cuda_mis = {sizeof(mis_t), false,  GRAPH_CHOICE_TEMPLATE,
                                   create,        launch, fetch,
                                   nullptr};
