#include "kernels/align/band_width.h"

#include "io/logmsg.h"
#include "kernels/align/kmer_sketch.h"

#include <stdlib.h>

/* A guarded band, and the least letters of the shorter sequence for one to pay. */
enum { GUARDED_BAND = 64, GUARDED_LEAST = 192 };

struct band_width {
    const seqset_t *set;
    kmer_sketch_t *sketch;
    band_steps_t steps;
};

/* Counted ends: gap-normalised steps; free ends: scores. See simd_form_certifies. */
band_steps_t band_width_steps(const align_spec_t *spec)
{
    const align_scoring_t *s = &spec->scoring;
    bool counted = spec->ends == ENDS_COUNT;
    band_steps_t steps = {s->match - (counted ? 2.0 * s->gap : 0),
                          s->mismatch - (counted ? 2.0 * s->gap : 0),
                          counted ? 0 : s->gap};

    if (counted && steps.mismatch < 0)
        steps.mismatch = 0;
    return steps;
}

bool band_width_applies(const align_spec_t *spec)
{
    return spec->ends != ENDS_QUERY && spec->scoring.two_valued &&
           band_width_steps(spec).match > 0;
}

status_t band_width_create(const seqset_t *set, const align_spec_t *spec,
                           band_width_t **out)
{
    band_width_t *b = calloc(1, sizeof(*b));
    status_t st;

    if (b == NULL)
        return log_nomem("bands");
    b->set = set;
    b->steps = band_width_steps(spec);
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

    return band_width_for(b->steps, kmer_sketch_identity(b->sketch, query, target),
                          (double)(x < y ? x : y), (double)(x < y ? y : x));
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
