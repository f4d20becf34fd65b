#include "kernels/align/band_width.h"

#include "io/logmsg.h"
#include "kernels/align/kmer_sketch.h"

#include <stdlib.h>

/* The band is as wide as an identity would need that is less than the estimate by this:
 * more than nine of ten pairs of real 16S genes are then proved at the first try. */
static const double margin = 0.05;
/* Of the shorter sequence's letters that do not match, so many stand against another
 * letter, and so many gap letters there are for each (medians of real 16S genes). */
static const double mismatch_part = 0.75, gap_part = 0.5;
/* A band that leaves less than this of the matrix out is not worth its failures. */
static const double worth = 0.08;

/* A guarded band, and the least letters of the shorter sequence for one to pay. */
enum { GUARDED_BAND = 64, GUARDED_LEAST = 192 };

struct band_width {
    const seqset_t *set;
    kmer_sketch_t *sketch;
    double match, mismatch, gap; /* what a letter adds to what the certificate asks for */
};

/* Counted ends: gap-normalised steps; free ends: scores. See simd_form_certifies. */
static void steps(const align_spec_t *spec, band_width_t *b)
{
    const align_scoring_t *s = &spec->scoring;
    bool counted = spec->ends == ENDS_COUNT;

    b->match = s->match - (counted ? 2.0 * s->gap : 0);
    b->mismatch = s->mismatch - (counted ? 2.0 * s->gap : 0);
    b->gap = counted ? 0 : s->gap;
    if (counted && b->mismatch < 0)
        b->mismatch = 0;
}

bool band_width_applies(const align_spec_t *spec)
{
    band_width_t b;

    steps(spec, &b);
    return spec->scoring.two_valued && b.match > 0;
}

status_t band_width_create(const seqset_t *set, const align_spec_t *spec,
                           band_width_t **out)
{
    band_width_t *b = calloc(1, sizeof(*b));
    status_t st;

    if (b == NULL)
        return log_nomem("bands");
    b->set = set;
    steps(spec, b);
    if ((st = kmer_sketch_create(set, &b->sketch)) != ST_OK) {
        free(b);
        return st;
    }
    *out = b;
    return ST_OK;
}

int32_t band_width_of(const band_width_t *b, int64_t query, int64_t target)
{
    int64_t x = seqset_len(b->set, query), y = seqset_len(b->set, target);
    double m = (double)(x < y ? x : y), n = (double)(x < y ? y : x);
    double identity = kmer_sketch_identity(b->sketch, query, target) - margin;
    double found, w;

    if (identity <= 0)
        return BAND_WIDTH_NONE;
    /* a path of D matches alone must not do as well: D = m - w - 1 */
    found = identity * b->match +
            (1 - identity) * (mismatch_part * b->mismatch + gap_part * b->gap);
    w = m - m * found / b->match;
    if (w < 1)
        w = 1;
    if ((m - w) * (m - w) < worth * m * n) /* two triangles are left out */
        return BAND_WIDTH_NONE;
    return ((int32_t)w / BAND_WIDTH_STEP + 1) * BAND_WIDTH_STEP;
}

int32_t band_width_guarded(int32_t m)
{
    return m < GUARDED_LEAST ? BAND_WIDTH_NONE : GUARDED_BAND;
}

void band_width_destroy(band_width_t *b)
{
    if (b == NULL)
        return;
    kmer_sketch_destroy(b->sketch);
    free(b);
}
