/*
 * cuda_coloring.cu - greedy coloring by descending degree, with the shortcuts of
 * Alabandi, Powers and Burtscher (2020).
 *
 * Nodes are numbered by their places in the order, and a row has the neighbors that come
 * before a node; k of them leave it the colors 0 to k.  Of these each colored neighbor
 * takes one away for good, so that the colors a node may still get are a set that shrinks
 * to the one it does get, and an old copy of the set contains the newer ones.  Let c be
 * the smallest color that no colored neighbor before the node has.  The greedy color is
 * c if no uncolored one may get c: the smaller colors stay taken, and c stays free.  So a
 * node need not wait for all neighbors before it; sets, colors and bounds may be read and
 * written without any order among threads.  The first uncolored node never waits.
 */
#include "kernels/graph/cuda/cuda_coloring.cuh"

namespace
{

enum { WINDOW = 32 * 32 };

struct coloring_shared_t {
    uint32_t taken[GRID_WARPS][32];
};

/* @return word w of the set of the colors 0 to k */
__device__ uint32_t colors_to(uint32_t k, uint32_t w)
{
    if (w * 32 > k)
        return 0;
    return k - w * 32 >= 31 ? ~0u : (2u << (k - w * 32)) - 1;
}

/* ---- nodes of large degrees: a warp each, in their order ---- */

/* @return whether an uncolored node of a large degree may get a color */
__device__ bool may_get(const colors_t &s, int p, uint32_t status, uint32_t color)
{
    const uint32_t low = status & ~COLOR_OPEN;

    if (low >= color)
        return low == color;
    if (color > s.earlier.first[p + 1] - s.earlier.first[p])
        return false;
    return (grid_read(&s.bits[coloring_words(s, p) + color / 32]) >> (color % 32) & 1) !=
           0;
}

/* What a warp knows about the node it colors; each lane has every 32nd neighbor. */
struct search_t {
    uint32_t at, end;         /* the lane's neighbors before are colored, and taken */
    uint32_t base;            /* the first of WINDOW colors */
    uint32_t free, published; /* the lane's 32 of them */
    uint32_t *taken;          /* [32] of the warp, in shared memory */
};

__device__ void take(const search_t &x, uint32_t color)
{
    if (color - x.base < WINDOW)
        atomicOr(&x.taken[(color - x.base) / 32], 1u << (color % 32));
}

__device__ void open_window(const colors_t &s, int p, uint32_t base, search_t *x)
{
    const uint32_t first = s.earlier.first[p];

    x->end = s.earlier.first[p + 1];
    x->at = first + static_cast<uint32_t>(grid_lane());
    x->base = base;
    x->published =
        colors_to(x->end - first, base / 32 + static_cast<uint32_t>(grid_lane()));
    __syncwarp();
    x->taken[grid_lane()] = 0;
    __syncwarp();
}

/* Let others see the set as it is now. */
__device__ void publish(const colors_t &s, int p, uint32_t color, uint32_t *low,
                        search_t *x)
{
    const uint32_t w = x->base / 32 + static_cast<uint32_t>(grid_lane());

    if (x->free != x->published)
        grid_write(&s.bits[coloring_words(s, p) + w], x->free);
    x->published = x->free;
    if (color != *low && grid_lane() == 0)
        grid_write(&s.status[p], COLOR_OPEN | color);
    *low = color;
}

/* Look at the lane's neighbors up to the first uncolored one. @return whether that one
 * may get the smallest free color, *color, of which there is one in the window */
__device__ bool look_ahead(const colors_t &s, uint32_t full, search_t *x, uint32_t *color,
                           unsigned long long *seen)
{
    uint32_t status = 0;
    unsigned has_free;
    int word;

    for (; x->at < x->end; x->at += 32, ++*seen) {
        status = grid_read(&s.status[s.earlier.to[x->at]]);
        if ((status & COLOR_OPEN) != 0)
            break;
        take(*x, status);
    }
    __syncwarp();
    x->free = full & ~x->taken[grid_lane()];
    __syncwarp();
    has_free = __ballot_sync(ALL_LANES, x->free != 0);
    word = has_free != 0 ? __ffs(static_cast<int>(has_free)) - 1 : 0;
    *color = x->base + static_cast<uint32_t>(word) * 32 +
             static_cast<uint32_t>(
                 __ffs(static_cast<int>(__shfl_sync(ALL_LANES, x->free, word))) - 1);
    if (has_free == 0)
        *color = UINT32_MAX;
    return has_free != 0 && x->at < x->end &&
           may_get(s, s.earlier.to[x->at], status, *color);
}

/* @return whether a later neighbor of the lane may get a color, or has it */
__device__ bool look_at_rest(const colors_t &s, const search_t &x, uint32_t color,
                             unsigned long long *seen)
{
    bool conflicts = false;

    for (uint32_t a = x.at + 32; a < x.end && !conflicts; a += 32, ++*seen) {
        const int q = s.earlier.to[a];
        const uint32_t status = grid_read(&s.status[q]);

        if ((status & COLOR_OPEN) != 0) {
            conflicts = may_get(s, q, status, color);
        } else {
            take(x, status);
            conflicts = status == color;
        }
    }
    return conflicts;
}

__device__ void color_by_warp(const colors_t &s, int p, uint32_t *taken,
                              unsigned long long *seen)
{
    search_t x = {0, 0, 0, 0, 0, taken};
    uint32_t low = 0, color, full;

    open_window(s, p, 0, &x);
    full = x.published;
    for (;;) {
        if (__any_sync(ALL_LANES, look_ahead(s, full, &x, &color, seen))) {
            publish(s, p, color, &low, &x);
            continue;
        }
        if (color == UINT32_MAX) { /* all colors of the window are taken */
            publish(s, p, x.base + WINDOW, &low, &x);
            open_window(s, p, x.base + WINDOW, &x);
            full = x.published;
            continue;
        }
        if (!__any_sync(ALL_LANES, look_at_rest(s, x, color, seen)))
            break;
        publish(s, p, color, &low, &x);
    }
    if (grid_lane() == 0)
        grid_write(&s.status[p], color);
    __syncwarp();
}

/* ---- nodes of small degrees: a thread each, all at once ---- */

/* @return whether the node is still uncolored */
__device__ bool poll_small(const colors_t &s, int p, unsigned long long *seen)
{
    uint32_t status, set, others = 0, color;

    if (p < 0)
        return false;
    status = grid_read(&s.status[p]);
    set = status & ~COLOR_OPEN;
    for (uint32_t a = s.earlier.first[p]; a < s.earlier.first[p + 1]; a++, ++*seen) {
        const uint32_t other = grid_read(&s.status[s.earlier.to[a]]);

        if ((other & COLOR_OPEN) != 0)
            others |= other;
        else if (other <= COLORING_SMALL_DEGREE)
            set &= ~(1u << other);
    }
    color = static_cast<uint32_t>(__ffs(static_cast<int>(set))) - 1;
    if ((others >> color & 1) == 0)
        grid_write(&s.status[p], color);
    else if ((COLOR_OPEN | set) != status)
        grid_write(&s.status[p], COLOR_OPEN | set);
    return (others >> color & 1) != 0;
}

GRID_KERNEL coloring_kernel(colors_t s, unsigned long long *visited, int *n_iterations)
{
    __shared__ coloring_shared_t shared;
    unsigned long long n_visited = 0;
    int turn;

    for (int64_t i = grid_thread(); i < s.earlier.n_nodes; i += grid_n_threads()) {
        const int p = static_cast<int>(i);
        const uint32_t k = s.earlier.first[p + 1] - s.earlier.first[p];

        s.status[p] = COLOR_OPEN | (p < s.n_large ? 0 : colors_to(k, 0));
        for (uint32_t w = 0; p < s.n_large && w <= k / 32; w++)
            s.bits[coloring_words(s, p) + w] = colors_to(k, w);
    }
    grid_sync();
    for (int64_t p = grid_warp(); p < s.n_large; p += grid_n_warps())
        color_by_warp(s, static_cast<int>(p), shared.taken[threadIdx.x / 32], &n_visited);
    grid_sync();
    turn = poll_all(
        s.earlier.n_nodes - s.n_large, s.list,
        [&](int64_t i) { return i < 0 ? -1 : s.n_large + static_cast<int>(i); },
        [&](int *p) { return poll_small(s, *p, &n_visited); });
    grid_sync();
    coloring_write(s);
    warp_add_to(visited, n_visited);
    if (grid_lane() == 0)
        atomicMax(n_iterations, turn);
}

/* ---- in rounds: a node takes its color when all neighbors before it have theirs ---- */

GRID_KERNEL rounds_kernel(cuda_loop_t loop, frontier_t f, colors_t s)
{
    __shared__ loop_shared_t shared;
    coloring_op_t op = {s.earlier, s, 0};
    int turn;

    coloring_start(s);
    grid_sync();
    turn = rounds_run(
        op, loop, f, [&](int p) { return op.settle(p); }, &shared);
    coloring_write(s);
    warp_add_to(f.visited, op.n_visited);
    if (grid_is_first())
        *f.n_iterations = turn;
}

/* ---- the algorithm ---- */

status_t launch(cuda_state_t *state, const graph_task_t *)
{
    coloring_t *s = static_cast<coloring_t *>(state);

    if (s->context.run->loop_template == GRAPH_TEMPLATE_AUTO)
        return grid_launch(coloring_kernel, cuda_cores(s), s->colors, s->frontier.visited,
                           s->frontier.n_iterations);
    return grid_launch(rounds_kernel, cuda_cores(s), s->loop, s->frontier, s->colors);
}

} // namespace

status_t coloring_create(cuda_state_t *state)
{
    coloring_t *s = static_cast<coloring_t *>(state);
    colors_t *c = &s->colors;
    const int64_t n = s->g.n_nodes;
    status_t st;

    if ((st = cuda_scratch_create(s, s->g.n_nodes)) != ST_OK ||
        (st = cuda_order_create(s, &s->order)) != ST_OK ||
        (st = cuda_order_rows(s, s->order, &c->earlier)) != ST_OK ||
        (st = cuda_memory_new(&s->memory, n, &c->status)) != ST_OK ||
        (st = cuda_memory_new(&s->memory, c->earlier.n_arcs / 32 + n + 1, &c->bits)) !=
            ST_OK ||
        (st = cuda_memory_new(&s->memory, n, &c->mark)) != ST_OK ||
        (st = cuda_memory_new(&s->memory, n + 32, &c->list)) != ST_OK)
        return st;
    c->node = s->order.node;
    c->n_large = cuda_order_above(s->context.graph, COLORING_SMALL_DEGREE);
    return cuda_memory_new(&s->memory, n, &c->color);
}

status_t coloring_fetch(cuda_state_t *state, const graph_task_t *, graph_result_t *out)
{
    const coloring_t *s = static_cast<const coloring_t *>(state);
    status_t st = cuda_counters_get(s, out);

    return st == ST_OK ? cuda_get(static_cast<int *>(out->column[0]), s->colors.color,
                                  s->g.n_nodes)
                       : st;
}

const cuda_algorithm_t cuda_coloring = {
    sizeof(coloring_t), false,  GRAPH_CHOICE_TEMPLATE, coloring_create, launch,
    coloring_fetch,     nullptr};
