/*
 * simd_group.c - the shapes, memory and interleaved bases of a group of pairs.
 */
#include "kernels/align/cpu/simd_group.h"

#include <stdlib.h>
#include <string.h>

/* Copy a lane's bases between those of the other lanes: as sets, or for a matrix as
 * codes, a row's code shifted such that both codes together index the table. */
static void spread(const cpu_batch_t *cpu, int32_t sequence, bool is_row, int lane,
                   int lanes, uint8_t *out)
{
    const align_scoring_t *scoring = &cpu->context.spec->scoring;
    const uint8_t *letters = seqset_letters(cpu->context.set, sequence);
    int64_t len = seqset_len(cpu->context.set, sequence);

    for (int64_t i = 0; i < len; i++)
        out[i * lanes + lane] = scoring->two_valued ? scoring->set_of[letters[i]]
                                : is_row            ? (uint8_t)(letters[i] << 4)
                                                    : letters[i];
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
    size_t h_bytes =
        (n_cells * lanes * (size_t)sweep->lane_bytes / SIMD_ALIGN_BYTES + 1) *
            SIMD_ALIGN_BYTES +
        (g->layout->sweep == SWEEP_BITS ? SIMD_BITS_SCRATCH(g->m_max) : 0);
    size_t border_bytes = n_cells * sizeof(int64_t);
    size_t table_bytes = SIMD_TABLE_SIZE * (sizeof(int64_t) + sizeof(int32_t));
    size_t row_bytes = (size_t)g->m_max * lanes, column_bytes = (size_t)g->n_max * lanes;
    size_t bytes = h_bytes + border_bytes + table_bytes + row_bytes + column_bytes;
    uint8_t *at;

    bytes = (bytes / SIMD_ALIGN_BYTES + 2) * SIMD_ALIGN_BYTES;
    if (bytes > scratch->bytes) {
        free(scratch->memory);
        scratch->memory = aligned_alloc(SIMD_ALIGN_BYTES, bytes);
        scratch->bytes = scratch->memory != NULL ? bytes : 0;
    }
    if (scratch->memory == NULL)
        return false;
    g->h = at = scratch->memory;
    g->border = (const int64_t *)(at += h_bytes);
    g->table64 = (const int64_t *)(at += border_bytes);
    g->table32 = (const int32_t *)(at + SIMD_TABLE_SIZE * sizeof(int64_t));
    g->rows = at += table_bytes;
    g->columns = at + row_bytes;
    memset(at, 0, row_bytes + column_bytes);
    for (int lane = 0; lane < g->n_lanes; lane++) {
        pair_t p = cpu->batch->pairs[pairs[lane].index];
        bool swap =
            simd_group_swaps(cpu->context.spec, seqset_len(cpu->context.set, p.query),
                             seqset_len(cpu->context.set, p.target));

        spread(cpu, swap ? p.target : p.query, true, lane, sweep->lanes, at);
        spread(cpu, swap ? p.query : p.target, false, lane, sweep->lanes, at + row_bytes);
    }
    return true;
}

void simd_group_fill(const align_spec_t *spec, simd_group_t *g)
{
    const align_scoring_t *scoring = &spec->scoring;
    int64_t *border = (int64_t *)g->border, *table64 = (int64_t *)g->table64;
    int32_t *table32 = (int32_t *)g->table32;

    for (int32_t k = 0; k <= g->n_max; k++)
        border[k] = cell_layout_border(g->layout, k);
    for (int i = 0; !scoring->two_valued && i < SIMD_TABLE_SIZE; i++) {
        int a = i / ALPHABET_SIZE, b = i % ALPHABET_SIZE;

        table64[i] = a == 0 || b == 0 ? 0
                                      : cell_layout_step(g->layout, scoring->score[a][b],
                                                         scoring->is_match[a][b]);
        table32[i] = (int32_t)table64[i];
    }
}
