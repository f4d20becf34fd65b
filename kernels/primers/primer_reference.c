/*
 * primer_reference.c - the definition: every base of every pattern at every place.
 */
#include "io/base/logmsg.h"
#include "kernels/primers/primer_gaps.h"

#include <stdlib.h>

enum { WORD = 64 };

static status_t create(const primer_context_t *context, void **state)
{
    primer_context_t *c = malloc(sizeof(*c));

    if (c == NULL)
        return log_nomem("primers");
    *c = *context;
    *state = c;
    return ST_OK;
}

/* @return the code at a place of the text, counted from its beginning */
static unsigned code_at(const base_planes_t *text, int64_t place)
{
    unsigned code = 0;

    for (int b = 0; b < BASE_PLANES; b++)
        code |= (unsigned)(base_planes_plane(text, b)[place / WORD] >> place % WORD & 1)
                << b;
    return code;
}

static bool matches(const primer_context_t *c, const primer_pattern_t *p, int64_t place)
{
    int n = 0;

    for (int i = 0; i < p->len; i++) {
        const bool differs = (code_at(c->text, place + i) & ~(unsigned)p->codes[i]) != 0;

        if (differs && (p->exact >> i & 1) != 0)
            return false;
        n += differs;
    }
    return n <= c->max_mismatches;
}

static bool aligns(const primer_context_t *c, const primer_pattern_t *p, int64_t place)
{
    primer_alignments_t a;

    primer_gaps_align(p, c->text, place, c->max_gaps, &a);
    for (int g = 0; g <= c->max_gaps; g++)
        for (int d = 0; d < PRIMER_DIAGONALS; d++)
            if (a.mismatches[g][d] <= c->max_mismatches)
                return true;
    return false;
}

static bool is_place(const primer_context_t *c, const primer_pattern_t *p, int64_t place)
{
    return c->max_gaps > 0 ? aligns(c, p, place) : matches(c, p, place);
}

static status_t scan(void *state, int64_t first, int64_t n, uint64_t *out)
{
    const primer_context_t *c = state;

    for (int k = 0; k < c->n_patterns; k++, out += primer_row_words(n))
        for (int64_t w = 0; w < n; w++) {
            out[w] = 0;
            for (int bit = 0; bit < WORD; bit++)
                out[w] |= (uint64_t)is_place(c, &c->patterns[k], (first + w) * WORD + bit)
                          << bit;
        }
    return ST_OK;
}

/* The rate is in comparisons of a base of a pattern with a place. */
const primer_backend_t primer_reference_backend = {
    .base = {.name = "scalar", .kind = DEVICE_CPU, .rate = 2e8},
    .is_parallel = true,
    .create = create,
    .scan = scan,
    .destroy = free,
};
