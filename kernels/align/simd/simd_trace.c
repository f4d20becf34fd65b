/*
 * simd_trace.c - the memory for the flags of a group's cells, and paths that follow them
 * back.
 */
#include "kernels/align/simd/simd_group.h"

/* Paths are mostly diagonal: flags are fetched this number of steps ahead. */
enum { PREFETCH_ROWS = 24 };

static size_t flags_bytes(const simd_group_t *g)
{
    const int64_t banded = (int64_t)g->low + g->high + SIMD_BLOCK_ROWS;
    const int64_t columns = banded < g->n_max ? banded : g->n_max; /* of a row, or more */

    return (size_t)g->m_max * (size_t)columns * (size_t)g->trace->cell_bytes;
}

void simd_trace_choose(simd_group_t *g, const simd_sweep_t *sweep, simd_trace_t *trace)
{
    *trace = (simd_trace_t){.flag_bytes = sweep->lanes > 8 ? 2 : 1};
    trace->cell_bytes =
        trace->flag_bytes * (g->layout->affine ? SIMD_FLAGS_AFFINE : SIMD_FLAGS);
    g->trace = trace;
    if (!cell_layout_is_traceable(g->layout) || flags_bytes(g) > ALIGNER_STEPS_BYTES)
        g->trace = NULL;
}

size_t simd_trace_lay_out(const simd_group_t *g, uint8_t *memory)
{
    const size_t rows = (size_t)g->m_max * sizeof(simd_trace_row_t);
    const size_t runs = (size_t)(g->m_max + g->n_max + 4) * sizeof(uint32_t);

    if (g->trace == NULL)
        return 0;
    if (memory != NULL) {
        g->trace->rows = (simd_trace_row_t *)(void *)memory;
        g->trace->runs = (uint32_t *)(void *)(memory + simd_scratch_round_up(rows));
        g->trace->flags = g->trace->next =
            memory + simd_scratch_round_up(rows) + simd_scratch_round_up(runs);
    }
    return simd_scratch_round_up(rows) + simd_scratch_round_up(runs) + flags_bytes(g);
}

/* @return the flags of cell (i, j), both from 1 */
static inline const uint8_t *flags_of(const simd_trace_t *t, int64_t i, int64_t j)
{
    const simd_trace_row_t *row = &t->rows[i - 1];

    return t->flags + (row->cell + (j - row->first) * row->step) * t->cell_bytes;
}

/* @return a flag of cell (i, j) of a lane */
static inline bool flag_at(const simd_trace_t *t, int lane, int64_t i, int64_t j,
                           int flag)
{
    return flags_of(t, i, j)[flag * t->flag_bytes + lane / 8] >> lane % 8 & 1;
}

/* @return the direction of the cell that a path has reached */
static inline int direction_of(const simd_group_t *g, int lane, const trace_path_t *p)
{
    const simd_trace_t *t = g->trace;
    const bool affine = g->layout->affine;
    int step = TRACE_DIAGONAL;

    if (p->inside == TRACE_DIAGONAL && flag_at(t, lane, p->i, p->j, SIMD_FLAG_DIAGONAL))
        return TRACE_DIAGONAL;
    if (p->inside == TRACE_DIAGONAL)
        step = flag_at(t, lane, p->i, p->j, SIMD_FLAG_UP) ? TRACE_UP : TRACE_LEFT;
    if (!affine)
        return step;
    if (trace_path_next(p, step) == TRACE_UP)
        return p->i == 1 || flag_at(t, lane, p->i - 1, p->j, SIMD_FLAG_DOWN_BEGINS)
                   ? step
                   : step | TRACE_UP_GOES_ON;
    return p->j == 1 || flag_at(t, lane, p->i, p->j - 1, SIMD_FLAG_RIGHT_BEGINS)
               ? step
               : step | TRACE_LEFT_GOES_ON;
}

void simd_trace_follow(const simd_group_t *g, int lane, const cell_end_t *end,
                       trace_path_t *path)
{
    path->i = end->i;
    path->j = end->j;
    path->inside = TRACE_DIAGONAL;
    path->runs = g->trace->runs;
    path->n_runs = 0;
    trace_path_put_terminal(path, g->m[lane] - path->i, g->n[lane] - path->j);
    while (path->i > 0 && path->j > 0) {
        if (path->i > PREFETCH_ROWS && path->j > PREFETCH_ROWS)
            __builtin_prefetch(
                flags_of(g->trace, path->i - PREFETCH_ROWS, path->j - PREFETCH_ROWS));
        trace_path_step(path, direction_of(g, lane, path));
    }
    trace_path_put_terminal(path, path->i, path->j);
}
