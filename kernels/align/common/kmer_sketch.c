/*
 * kmer_sketch.c - bit sets of k-mers, and the identity that two of them suggest.
 */
#include "kernels/align/common/kmer_sketch.h"

#include "io/base/logmsg.h"
#include "io/seq/alphabet.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

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
