/*
 * nbc_model.h - what naive Bayes knows of its references: how many contain each word, in
 * all and per class.
 *
 * Counts are derived from the sequences whenever a model is opened.  They take 8 bytes
 * per word and class that has it: 49 MB for the 21,000 references and 3,240 classes of
 * RDP's training set 18, some 500 MB for 500,000 references and 10,000 classes, at most 8
 * bytes per position of the references.  Counting takes 0.5 MB per thread and 32 MB more.
 */
#pragma once

#include "io/base/pool.h"
#include "io/base/status.h"
#include "io/seq/seqset.h"

#include <stdint.h>

/* The distinct words of 8 bases in a sequence, as ascending numbers.
 *
 * The number of a word has two bits per base (A 0, C 1, G 2, T 3), the first base in the
 * highest ones.  Ambiguity codes are in no word. */

enum { NBC_WORD_BASES = 8, NBC_N_WORDS = 1 << 2 * NBC_WORD_BASES };

/* Scratch of one thread.  Zero-initialise it; all functions leave it zeroed. */
typedef struct {
    uint64_t seen[NBC_N_WORDS / 64];      /* a bit per word */
    uint64_t used[NBC_N_WORDS / 64 / 64]; /* a bit per element of seen */
} nbc_words_set_t;

/* @return the maximum number of distinct words in a sequence of len bases */
static inline int64_t nbc_words_max(int64_t len)
{
    const int64_t n = len - NBC_WORD_BASES + 1, max = NBC_N_WORDS;

    return n < 0 ? 0 : n < max ? n : max;
}

/*
 * Find the words of a sequence.
 *
 * @param letters  [len] codes of alphabet.h
 * @param out      [nbc_words_max(len)] ascending
 * @return their number
 */
int32_t nbc_words_find(const uint8_t *letters, int64_t len, nbc_words_set_t *scratch,
                       uint16_t *out);

/* The words of a sequence in its order.  Zero-initialise what is not given. */
typedef struct {
    const uint8_t *letters; /* codes of alphabet.h */
    int64_t at, end;        /* bases at .. end - 1 are left */
    uint32_t word;          /* the last one, of the bases before at */
    int n_bases;            /* since the last ambiguity code, up to NBC_WORD_BASES */
} nbc_word_walk_t;

/* @return whether there is another word */
static inline bool nbc_word_next(nbc_word_walk_t *w)
{
    while (w->at < w->end) {
        const uint8_t code = w->letters[w->at++];

        if (!alphabet_is_base(ALPHABET_DNA, code)) {
            w->n_bases = 0;
            continue;
        }
        w->word = (w->word << 2 | (uint32_t)__builtin_ctz(code)) % NBC_N_WORDS;
        w->n_bases += w->n_bases < NBC_WORD_BASES;
        if (w->n_bases == NBC_WORD_BASES)
            return true;
    }
    return false;
}

/* Find the words of the reverse complement. @param words  [n] of the sequence
 * @param out  [n] ascending */
void nbc_words_reverse(const uint16_t *words, int32_t n, nbc_words_set_t *scratch,
                       uint16_t *out);

/* @return the key of all draws from a set of words. @param words  [n] ascending */
uint64_t nbc_words_key(uint64_t seed, const uint16_t *words, int32_t n);

/* nbc_classes.c: the classes of a classifier: the distinct lowest taxa of its
 * references. */

typedef struct {
    int32_t n;
    int n_ranks;      /* of the longest lineage */
    int32_t *taxon;   /* [n] the taxon of each class, ascending */
    int32_t *lineage; /* [n_ranks][n] its ancestor of rank r + 1, or the taxon itself; -1:
                       * the lineage is shorter */
} nbc_classes_t;

/* @return the taxon of a class at a rank, counted from 1; -1: its lineage is shorter */
static inline int32_t nbc_classes_at(const nbc_classes_t *c, int32_t class_number,
                                     int rank)
{
    return c->lineage[(int64_t)(rank - 1) * c->n + class_number];
}

/*
 * Number the lowest taxa of references.
 *
 * @param parent    [n_taxa] of each taxon: less than its own number; -1 for the root,
 *                  which is taxon 0
 * @param taxon_of  [n_refs] the lowest taxon of each reference; -1: it has no class
 * @param out       the caller's; freed by nbc_classes_free
 * @param class_of  [n_refs] the class of each reference, or -1
 * @return ST_OK or ST_ENOMEM
 */
status_t nbc_classes_create(const int32_t *parent, int32_t n_taxa,
                            const int32_t *taxon_of, int64_t n_refs, nbc_classes_t *out,
                            int32_t *class_of) MUST_CHECK;

void nbc_classes_free(nbc_classes_t *c);

typedef struct {
    int32_t class_number;
    int32_t n_refs; /* m(w): of this class with this word, more than 0 */
} nbc_count_t;

typedef struct {
    const seqset_t *refs;         /* borrowed */
    const int32_t *class_of;      /* [refs->n] borrowed; -1: left out */
    const nbc_classes_t *classes; /* borrowed */
    int64_t n_refs;               /* N, without those left out */
    int32_t *class_refs;          /* [classes->n] M; a class may have none */
    int64_t *class_first;         /* [classes->n + 1] */
    int32_t *members;    /* the references of class c are members[class_first[c]] ..
                          * members[class_first[c + 1] - 1] */
    int32_t *word_refs;  /* [NBC_N_WORDS] n(w) */
    int64_t *word_first; /* [NBC_N_WORDS + 1] */
    nbc_count_t *counts; /* those of word w are word_first[w] .. word_first[w + 1] - 1,
                          * classes ascending */
} nbc_model_t;

/*
 * Count the words of references.
 *
 * @param class_of  [refs->n] the class of each, or -1 to leave it out
 * @param pool      NULL: the caller alone
 * @return ST_OK or ST_ENOMEM
 */
status_t nbc_model_create(const seqset_t *refs, const int32_t *class_of,
                          const nbc_classes_t *classes, pool_t *pool,
                          nbc_model_t **out) MUST_CHECK;

/* Takes NULL. */
void nbc_model_destroy(nbc_model_t *m);
