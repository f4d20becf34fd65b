/*
 * simd_group.c - the shapes, memory and interleaved bases of a group of pairs.
 */
#include "kernels/align/simd/simd_group.h"

#include <stdlib.h>
#include <string.h>

/* @return the byte of a code for neutral codes.  In 8-bit lanes steps are looked up by
 * the intersection of two bytes: that of a base with itself has three bits, of different
 * bases two, and that with an ambiguity code none.  In others a bit marks ambiguity
 * codes. */
static uint8_t neutral_byte(const cell_layout_t *f, bool of_row, uint8_t code)
{
    bool is_base = alphabet_is_base(ALPHABET_DNA, code);

    if (f->sweep == SWEEP_8)
        return is_base ? code ^ (DNA_SIZE - 1) : 0;
    return is_base ? code : code | (of_row ? SIMD_ROW_CODE : SIMD_COLUMN_CODE);
}

/* Interleave the rows' or the columns' bases: as sets, or for a matrix as codes. */
static void spread(const cpu_batch_t *cpu, const simd_sweep_t *sweep,
                   const simd_pair_t *pairs, const simd_group_t *g, bool rows,
                   int64_t n_positions, uint8_t *out)
{
    const align_scoring_t *scoring = &g->spec->scoring;
    const seqset_t *set = cpu->context.set;
    simd_spread_lane_t in[SIMD_LANES_MAX];
    uint8_t table[DNA_SIZE] = {0}, pad = g->layout->sweep == SWEEP_8 ? SIMD_PAD : 0;
    bool is_neutral = !scoring->two_valued && (g->layout->sweep == SWEEP_8 ||
                                               g->layout->sweep == SWEEP_32_NEUTRAL);

    for (uint8_t code = 1; code < DNA_SIZE; code++)
        table[code] = (scoring->two_valued ? scoring->set_of[code]
                                           : neutral_byte(g->layout, rows, code)) |
                      (rows ? 0 : pad);
    for (int lane = 0; lane < g->n_lanes; lane++) {
        pair_t p = cpu->batch->pairs[pairs[lane].index];
        int32_t sequence = rows == pairs[lane].swapped ? p.target : p.query;

        in[lane] = (simd_spread_lane_t){seqset_letters(set, sequence),
                                        seqset_len(set, sequence)};
    }
    simd_spread(in, g->n_lanes, sweep->lanes,
                scoring->two_valued || is_neutral ? table : NULL, pad, n_positions, out);
}

void simd_group_share_rows(const cpu_batch_t *cpu, simd_pair_t *pairs, int64_t n)
{
    const pair_t *batch = cpu->batch->pairs;

    for (int64_t first = 0, end; first < n; first = end) {
        int32_t query = batch[first].query;
        int64_t n_any = 0;

        for (end = first; end < n && batch[end].query == query; end++)
            n_any += !pairs[end].plain;
        for (int64_t i = first; n_any >= SIMD_SHARING_MIN && i < end; i++) {
            if (pairs[i].plain)
                continue;
            pairs[i].shared = query + 1;
            pairs[i].swapped = false;
            pairs[i].m = (int32_t)seqset_len(cpu->context.set, query);
            pairs[i].n = (int32_t)seqset_len(cpu->context.set, batch[i].target);
        }
    }
}

/* Insert a value into an ascending list without duplicates. @return its new length */
static int add_end(int32_t *ends, int n, int32_t value)
{
    int at = n;

    while (at > 0 && ends[at - 1] > value)
        at--;
    if (at > 0 && ends[at - 1] == value)
        return n;
    memmove(ends + at + 1, ends + at, (size_t)(n - at) * sizeof(*ends));
    ends[at] = value;
    return n + 1;
}

static int more_columns(const void *a, const void *b)
{
    const simd_pair_t *x = a, *y = b;

    return x->n != y->n ? (x->n > y->n ? -1 : 1) : (x->index > y->index) * 2 - 1;
}

void simd_group_measure(simd_group_t *g, simd_pair_t *pairs)
{
    int32_t skew = 0;

    qsort(pairs, (size_t)g->n_lanes, sizeof(*pairs), more_columns);
    for (int lane = 0; lane < g->n_lanes; lane++) {
        const simd_pair_t *p = &pairs[lane];

        g->m[lane] = p->m;
        g->n[lane] = p->n;
        g->m_max = p->m > g->m_max ? p->m : g->m_max;
        g->n_max = p->n > g->n_max ? p->n : g->n_max;
        g->low = p->band > g->low ? p->band : g->low;
        g->high = p->high > g->high ? p->high : g->high;
        g->n_m_ends = add_end(g->m_ends, g->n_m_ends, p->m);
        skew = p->n - p->m > skew ? p->n - p->m : skew;
    }
    g->high = skew + g->low > g->high ? skew + g->low : g->high;
}

bool simd_group_lay_out(const cpu_batch_t *cpu, const simd_sweep_t *sweep,
                        const simd_pair_t *pairs, simd_group_t *g,
                        simd_scratch_t *scratch)
{
    size_t lanes = (size_t)sweep->lanes, n_cells = (size_t)g->n_max + 1;
    size_t h_bytes = simd_scratch_round_up(n_cells * lanes * (size_t)sweep->lane_bytes) +
                     (g->layout->sweep == SWEEP_BITS ? SIMD_BITS_SCRATCH(g->m_max) : 0);
    size_t f_bytes = !g->layout->affine       ? 0
                     : sweep->lane_bytes == 1 ? 6 * h_bytes + 4 * lanes
                                              : h_bytes;
    size_t border_bytes =
        simd_scratch_round_up((n_cells + (size_t)g->m_max + 1) * sizeof(int64_t));
    size_t table_bytes = SIMD_TABLE_SIZE * (sizeof(int64_t) + sizeof(int32_t));
    size_t n_blocks = ((size_t)g->m_max + SIMD_BLOCK_ROWS - 1) / SIMD_BLOCK_ROWS;
    size_t row_bytes = n_blocks * SIMD_BLOCK_ROWS * lanes,
           column_bytes = (size_t)g->n_max * lanes;
    size_t trace_at = simd_scratch_round_up(h_bytes + f_bytes + border_bytes +
                                            table_bytes + row_bytes + column_bytes);
    size_t bytes = trace_at + simd_trace_lay_out(g, NULL);
    uint8_t *at = simd_scratch_reserve(scratch, bytes);

    if (at == NULL)
        return false;
    simd_trace_lay_out(g, at + trace_at);
    g->h = at;
    g->f = g->layout->affine ? at + h_bytes : NULL;
    g->column_border = (const int64_t *)(at += h_bytes + f_bytes);
    g->row_border = g->column_border + n_cells;
    g->table64 = (const int64_t *)(at += border_bytes);
    g->table_doubles = (const double *)(const void *)at;
    g->table32 = (const int32_t *)(at + SIMD_TABLE_SIZE * sizeof(int64_t));
    g->profile = (const uint8_t *)g->table32; /* in place of that table */
    g->rows = at += table_bytes;
    g->columns = at + row_bytes;
    spread(cpu, sweep, pairs, g, true, (int64_t)(row_bytes / lanes), at);
    spread(cpu, sweep, pairs, g, false, g->n_max, at + row_bytes);
    return true;
}

static void fill_tables(const simd_group_t *g, bool has_doubles)
{
    const align_scoring_t *s = &g->spec->scoring;
    int size = alphabet_size(s->alphabet);

    for (int a = 0; a < size; a++)
        for (int b = 0; b < size; b++) {
            int at = a * ALPHABET_SIZE + b;
            bool is_pad = a == CODE_NONE || b == CODE_NONE;
            int64_t step =
                is_pad ? 0
                       : cell_layout_step(g->layout, s->score[a][b], s->is_match[a][b]);

            simd_table_put((int32_t *)g->table32, (int64_t *)g->table64, has_doubles, at,
                           step);
        }
}

/* Pads score as the worst pair of codes. */
static void fill_profile(const simd_group_t *g, uint8_t *profile)
{
    const align_scoring_t *s = &g->spec->scoring;
    int size = alphabet_size(s->alphabet);

    for (int a = 0; a < size; a++)
        for (int b = 0; b < ALPHABET_SIZE; b++) {
            bool is_pad = a == CODE_NONE || b == CODE_NONE || b >= size;
            int64_t step = is_pad ? g->layout->step_mismatch
                                  : cell_layout_step(g->layout, s->score[a][b], false);

            profile[a * ALPHABET_SIZE + b] = (uint8_t)step;
        }
}

void simd_group_fill(simd_group_t *g, const simd_sweep_t *sweep)
{
    const align_scoring_t *scoring = &g->spec->scoring;
    int64_t *row_border = (int64_t *)g->row_border;
    int64_t *column_border = (int64_t *)g->column_border;

    for (int32_t k = 0; k <= g->m_max; k++)
        row_border[k] = cell_layout_border(g->layout, g->layout->rows_free, k);
    for (int32_t k = 0; k <= g->n_max; k++)
        column_border[k] = cell_layout_border(g->layout, g->layout->columns_free, k);
    if (g->layout->sweep == SWEEP_8_PROFILE)
        fill_profile(g, (uint8_t *)g->profile);
    else if (!scoring->two_valued)
        fill_tables(g, sweep->has_doubles);
}
