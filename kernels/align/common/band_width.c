/*
 * band_width.c - from an estimated identity to the width that its score will prove.
 */
#include "kernels/align/common/band_width.h"

#include "io/base/logmsg.h"
#include "kernels/align/common/kmer_sketch.h"

#include <stdlib.h>

/* The width of a guarded band, and the minimum length of the shorter sequence for which
 * it is worth its time. */
enum { GUARDED_BAND = 64, GUARDED_MIN = 192 };

/* The band suits an identity lower than the estimate by this margin: more than nine of
 * ten pairs of real 16S genes are then proved at the first try. */
static const double margin = 0.05;
/* Mismatches and gap bases per base of the shorter sequence that does not match (medians
 * of real 16S genes). */
static const double mismatches = 0.75, gaps = 0.5;

/* What a base adds to the value that the certificate compares. */
typedef struct {
    double match, mismatch, gap;
} steps_t;

struct band_width {
    const seqset_t *set;
    kmer_sketch_t *sketch;
    steps_t steps;
};

/* With counted ends the certificate compares normalised scores, with free ends scores:
 * cell_layout_certifies. */
static steps_t steps_of(const align_spec_t *spec)
{
    const align_scoring_t *s = &spec->scoring;
    bool counted = spec->ends == ENDS_COUNT;
    steps_t steps = {s->match - (counted ? 2.0 * s->gap : 0),
                     s->mismatch - (counted ? 2.0 * s->gap : 0), counted ? 0 : s->gap};

    if (counted && steps.mismatch < 0)
        steps.mismatch = 0;
    return steps;
}

bool band_width_applies(const align_spec_t *spec)
{
    return (spec->ends == ENDS_FREE || spec->ends == ENDS_COUNT) &&
           spec->scoring.gaps == GAPS_LINEAR && spec->scoring.two_valued &&
           steps_of(spec).match > 0;
}

status_t band_width_create(pool_t *pool, const seqset_t *set, const align_spec_t *spec,
                           band_width_t **out)
{
    band_width_t *b = calloc(1, sizeof(*b));
    status_t st;

    if (b == NULL)
        return log_nomem("bands");
    b->set = set;
    b->steps = steps_of(spec);
    if ((st = kmer_sketch_create(pool, set, &b->sketch)) != ST_OK) {
        free(b);
        return st;
    }
    *out = b;
    return ST_OK;
}

/* @return w for lengths m <= n and an estimated identity, or BAND_WIDTH_NONE */
static int32_t width_for(steps_t steps, double estimate, double m, double n)
{
    double identity = estimate - margin, found, w;

    if (identity <= 0)
        return BAND_WIDTH_NONE;
    /* outside of the band a path scores at most as much as m - w - 1 matches: choose w
     * such that m - w matches score what is expected of the pair */
    found = identity * steps.match +
            (1 - identity) * (mismatches * steps.mismatch + gaps * steps.gap);
    w = m - m * found / steps.match;
    if (w < 1)
        w = 1;
    if (band_width_spares_little(m - w, m, n))
        return BAND_WIDTH_NONE;
    return ((int32_t)w / BAND_WIDTH_STEP + 1) * BAND_WIDTH_STEP;
}

int32_t band_width_of(const band_width_t *b, int64_t query, int64_t target)
{
    int64_t x = seqset_len(b->set, query), y = seqset_len(b->set, target);

    return width_for(b->steps, kmer_sketch_identity(b->sketch, query, target),
                     (double)(x < y ? x : y), (double)(x < y ? y : x));
}

int32_t band_width_guarded(int32_t m)
{
    return m < GUARDED_MIN ? BAND_WIDTH_NONE : GUARDED_BAND;
}

void band_width_destroy(band_width_t *b)
{
    if (b == NULL)
        return;
    kmer_sketch_destroy(b->sketch);
    free(b);
}
