/*
 * band_width.c - estimates an identity from sketches, and from it the width that the
 * score will prove.
 */
#include "kernels/align/common/band_width.h"

#include "io/base/logmsg.h"
#include "io/seq/alphabet.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

/* ---- bit sets of k-mers, and the identity that two of them suggest ---- */

struct kmer_sketch {
    uint64_t *words;  /* [n][KMER_SKETCH_WORDS] */
    int32_t *n_kmers; /* [n] distinct k-mers */
};

typedef struct {
    const seqset_t *set;
    kmer_sketch_t *sketch;
} sketching_t;

static void sketch_one(void *ctx, int64_t i, int thread)
{
    const sketching_t *t = ctx;
    const uint8_t *letters = seqset_letters(t->set, i);
    int64_t len = seqset_len(t->set, i);
    uint64_t *words = t->sketch->words + i * KMER_SKETCH_WORDS;
    const unsigned mask = (1u << (2 * KMER_SKETCH_K)) - 1;
    unsigned kmer = 0;
    int good = 0; /* unambiguous bases up to here */

    (void)thread;
    for (int64_t at = 0; at < len; at++) {
        if (!alphabet_is_base(ALPHABET_DNA, letters[at])) {
            good = 0;
            continue;
        }
        kmer = (kmer << 2 | (unsigned)__builtin_ctz(letters[at])) & mask;
        if (++good >= KMER_SKETCH_K)
            words[kmer / 64] |= UINT64_C(1) << (kmer % 64);
    }
    for (int k = 0; k < KMER_SKETCH_WORDS; k++)
        t->sketch->n_kmers[i] += __builtin_popcountll(words[k]);
}

status_t kmer_sketch_create(pool_t *pool, const seqset_t *set, kmer_sketch_t **out)
{
    kmer_sketch_t *s = calloc(1, sizeof(*s));
    sketching_t sketching = {set, s};

    if (s == NULL)
        return log_nomem("k-mers");
    s->words = calloc((size_t)set->n * KMER_SKETCH_WORDS + 1, sizeof(*s->words));
    s->n_kmers = calloc((size_t)set->n + 1, sizeof(*s->n_kmers));
    if (s->words == NULL || s->n_kmers == NULL) {
        kmer_sketch_destroy(s);
        return log_nomem("k-mers");
    }
    pool_run(pool, set->n, sketch_one, &sketching);
    *out = s;
    return ST_OK;
}

/* A k-mer is shared if all its bases match; others are shared by chance. */
double kmer_sketch_identity(const kmer_sketch_t *s, int64_t a, int64_t b)
{
    const uint64_t *x = s->words + a * KMER_SKETCH_WORDS;
    const uint64_t *y = s->words + b * KMER_SKETCH_WORDS;
    bool swap = s->n_kmers[a] > s->n_kmers[b];
    double fewer = s->n_kmers[swap ? b : a], more = s->n_kmers[swap ? a : b];
    double chance = more / (64.0 * KMER_SKETCH_WORDS), kept;
    int shared = 0;

    if (fewer == 0)
        return 0;
    for (int k = 0; k < KMER_SKETCH_WORDS; k++)
        shared += __builtin_popcountll(x[k] & y[k]);
    kept = (shared / fewer - chance) / (1 - chance);
    return kept > 0 ? pow(kept, 1.0 / KMER_SKETCH_K) : 0;
}

const uint64_t *kmer_sketch_words(const kmer_sketch_t *s)
{
    return s->words;
}

const int32_t *kmer_sketch_counts(const kmer_sketch_t *s)
{
    return s->n_kmers;
}

void kmer_sketch_destroy(kmer_sketch_t *s)
{
    if (s == NULL)
        return;
    free(s->words);
    free(s->n_kmers);
    free(s);
}

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
