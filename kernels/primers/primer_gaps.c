/*
 * primer_gaps.c - one alignment by its diagonals, and all places by bits of prefixes (Wu
 * and Manber 1992): for each number of mismatches and gaps, the places where the rest of
 * a primer matches.
 */
#include "kernels/primers/primer_gaps.h"

#include <string.h>

enum { WORD = 64, ORIGIN = PRIMER_GAPS_MAX, NONE = PRIMER_NO_PLACE };

static bool is_exact(const primer_pattern_t *p, int i)
{
    return (p->exact >> i & 1) != 0;
}

/* ---- one place ---- */

typedef uint8_t cells_t[PRIMER_GAPS_MAX + 1][PRIMER_DIAGONALS];

/* Alignments of the first bases of a primer.  `aligned` end with base i and one of the
 * read, `all` also with gaps; both by gaps and diagonal. */
typedef struct {
    cells_t aligned, all;
} step_t;

/* @return bit i: base i mismatches the base of the text at place + i; places before the
 *         text mismatch */
static uint64_t differences(const primer_pattern_t *p, const base_planes_t *text,
                            int64_t place)
{
    const int64_t from = place < 0 ? 0 : place;
    const int bit = (int)(from % WORD), before = (int)(from - place);
    uint64_t differs = 0;

    for (int b = 0; b < BASE_PLANES; b++) {
        const uint64_t *plane = base_planes_plane(text, b) + from / WORD;
        const uint64_t bases =
            bit == 0 ? plane[0] : plane[0] >> bit | plane[1] << (WORD - bit);

        differs |= bases << before & p->lacks[b];
    }
    return differs;
}

static uint8_t at_least(uint8_t a, uint8_t b)
{
    return a < b ? a : b;
}

/* Add gaps behind base i. @param before  of base i - 1 */
static void add_gaps(const primer_pattern_t *p, int i, int max_gaps, const step_t *before,
                     step_t *s)
{
    const bool may_insert = !(is_exact(p, i) && i + 1 < p->len && is_exact(p, i + 1));
    const bool may_miss = i > 0 && i + 1 < p->len && !is_exact(p, i);

    for (int g = 0; g <= max_gaps; g++)
        for (int d = 0; d < PRIMER_DIAGONALS; d++) {
            uint8_t *cell = &s->all[g][d];

            *cell = s->aligned[g][d];
            if (g > 0 && d > 0 && may_insert)
                *cell = at_least(*cell, s->all[g - 1][d - 1]);
            if (g > 0 && d + 1 < PRIMER_DIAGONALS && may_miss)
                *cell = at_least(*cell, before->all[g - 1][d + 1]);
        }
}

/* @param steps  [p->len] out */
static void align(const primer_pattern_t *p, const base_planes_t *text, int64_t place,
                  int max_gaps, step_t *steps)
{
    uint64_t differs[PRIMER_DIAGONALS];

    for (int d = 0; d < PRIMER_DIAGONALS; d++)
        differs[d] = differences(p, text, place + d - ORIGIN);
    for (int i = 0; i < p->len; i++) {
        step_t *s = &steps[i];

        memset(s, NONE, sizeof(*s));
        for (int g = 0; g <= max_gaps; g++)
            for (int d = 0; d < PRIMER_DIAGONALS; d++) {
                const uint8_t n = i > 0                   ? steps[i - 1].all[g][d]
                                  : g == 0 && d == ORIGIN ? 0
                                                          : NONE;
                const bool is_mismatch = (differs[d] >> i & 1) != 0;

                if (n != NONE && !(is_mismatch && is_exact(p, i)))
                    s->aligned[g][d] = (uint8_t)(n + is_mismatch);
            }
        add_gaps(p, i, max_gaps, s - (i > 0), s);
    }
}

void primer_gaps_align(const primer_pattern_t *p, const base_planes_t *text,
                       int64_t place, int max_gaps, primer_alignments_t *out)
{
    step_t steps[PRIMER_LEN_MAX];

    align(p, text, place, max_gaps, steps);
    memcpy(out->mismatches, steps[p->len - 1].aligned, sizeof(out->mismatches));
}

void primer_gaps_trace(const primer_pattern_t *p, const base_planes_t *text,
                       int64_t place, int len, int gaps,
                       char out[PRIMER_LEN_MAX + PRIMER_GAPS_MAX + 1])
{
    step_t steps[PRIMER_LEN_MAX];
    char columns[PRIMER_LEN_MAX + PRIMER_GAPS_MAX + 1];
    int d = len - p->len + ORIGIN, i = p->len - 1, n = 0;
    uint64_t differs = differences(p, text, place + d - ORIGIN);

    if (gaps > 0)
        align(p, text, place, gaps, steps);
    while (i >= 0) {
        columns[n++] = (differs >> i & 1) != 0 ? 'X' : '=';
        i--;
        /* back through gaps to an aligned base */
        while (i >= 0 && gaps > 0 && steps[i].all[gaps][d] != steps[i].aligned[gaps][d]) {
            const uint8_t wanted = steps[i].all[gaps][d];
            const bool is_missing = i > 0 && d + 1 < PRIMER_DIAGONALS &&
                                    !is_exact(p, i) &&
                                    steps[i - 1].all[gaps - 1][d + 1] == wanted;

            columns[n++] = is_missing ? 'D' : 'I';
            gaps--;
            d += is_missing ? 1 : -1;
            differs = differences(p, text, place + d - ORIGIN);
            i -= is_missing;
        }
    }
    for (int k = 0; k < n; k++)
        out[k] = columns[n - 1 - k];
    out[n] = '\0';
}

/* ---- all places ---- */

/* Words of a block, and those that its last places reach into. */
enum { BLOCK = 64, WORDS = BLOCK + 2, STATES = (PRIMER_MISMATCHES_MAX + 1) };

/* [gaps][mismatches] at most; bit p: the rest of a primer matches from place p on.  In
 * `aligned` its first base is aligned with p, in `all` there may be gaps before it. */
typedef uint64_t places_t[PRIMER_GAPS_MAX + 1][STATES][WORDS];

typedef struct {
    places_t aligned, all[2]; /* of the base before and the one before that in turn */
    uint64_t differs[WORDS];
} block_t;

/* @return the bits of the next places */
static uint64_t next_of(const uint64_t *row, int w)
{
    return row[w] >> 1 | (w + 1 < WORDS ? row[w + 1] << (WORD - 1) : 0);
}

static void find_differences(const base_planes_t *text, int64_t first, uint8_t code,
                             uint64_t *out)
{
    memset(out, 0, WORDS * sizeof(*out));
    for (int b = 0; b < BASE_PLANES; b++)
        if (!(code >> b & 1))
            for (int w = 0; w < WORDS; w++)
                out[w] |= base_planes_plane(text, b)[first + w];
}

/* Align base i before the rest. @param rest  NULL: there is none */
static void align_base(const primer_context_t *c, const places_t *rest, bool must_match,
                       block_t *b)
{
    for (int g = 0; g <= c->max_gaps; g++)
        for (int m = 0; m <= c->max_mismatches; m++)
            for (int w = 0; w < WORDS; w++) {
                const uint64_t match =
                    rest != NULL ? next_of((*rest)[g][m], w) : UINT64_MAX;
                const uint64_t mismatch = must_match || m == 0 ? 0
                                          : rest != NULL ? next_of((*rest)[g][m - 1], w)
                                                         : UINT64_MAX;

                b->aligned[g][m][w] = (match & ~b->differs[w]) | mismatch;
            }
}

/* Allow gaps before base i. @param behind  of base i + 1, if base i may be missing */
static void open_gaps(const primer_context_t *c, const places_t *behind, bool may_insert,
                      const block_t *b, places_t *out)
{
    for (int g = 0; g <= c->max_gaps; g++)
        for (int m = 0; m <= c->max_mismatches; m++)
            for (int w = 0; w < WORDS; w++) {
                uint64_t x = b->aligned[g][m][w];

                if (g > 0 && may_insert)
                    x |= next_of((*out)[g - 1][m], w);
                if (g > 0 && behind != NULL)
                    x |= (*behind)[g - 1][m][w];
                (*out)[g][m][w] = x;
            }
}

static void scan_block(const primer_context_t *c, const primer_pattern_t *p,
                       int64_t first, int n, block_t *b, uint64_t *out)
{
    for (int i = p->len - 1; i >= 0; i--) {
        const places_t *rest = i + 1 < p->len ? &b->all[(i + 1) % 2] : NULL;

        find_differences(c->text, first, p->codes[i], b->differs);
        align_base(c, rest, is_exact(p, i), b);
        open_gaps(c, i > 0 && !is_exact(p, i) ? rest : NULL,
                  i > 0 && !(is_exact(p, i) && is_exact(p, i - 1)), b, &b->all[i % 2]);
    }
    memcpy(out, b->aligned[c->max_gaps][c->max_mismatches], (size_t)n * sizeof(*out));
}

void primer_gaps_scan(const primer_context_t *c, int64_t first, int64_t n, uint64_t *out)
{
    block_t b;

    for (int k = 0; k < c->n_patterns; k++, out += primer_row_words(n))
        for (int64_t w = 0; w < n; w += BLOCK)
            scan_block(c, &c->patterns[k], first + w,
                       (int)(n - w < BLOCK ? n - w : BLOCK), &b, out + w);
}
