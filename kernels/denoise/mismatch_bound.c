/*
 * mismatch_bound.c - the losses of alignments that are quickly found, and what follows
 * from them for the words that two reads must share.
 */
#include "kernels/denoise/mismatch_bound.h"

#include "io/base/logmsg.h"

#include <stdlib.h>
#include <string.h>

/* Bases of a word. */
enum { K = 8 };

/* What an alignment's score lacks of one point per base. */
enum {
    LOSS_MISMATCH = 6,
    LOSS_GAP = 18, /* and of each of its bases: */
    LOSS_GAP_BASE = 3,
    LOSS_END = 1,
    LOSS_END_BASE = 2
};

struct mismatch_bound {
    const seqset_t *reads;
    uint16_t *words; /* [letters] that starts at each base; the last K - 1 have none */
    bool *is_plain;  /* [reads] A, C, G and T only */
};

static void find_words(mismatch_bound_t *b, int64_t read)
{
    const uint8_t *letters = seqset_letters(b->reads, read);
    const int64_t len = seqset_len(b->reads, read);
    uint16_t *out = b->words + b->reads->offset[read];
    uint16_t word = 0;

    b->is_plain[read] = true;
    for (int64_t i = 0; i < len; i++) {
        const int code = letters[i]; /* of a base 1, 2, 4 or 8 */

        if (!alphabet_is_base(ALPHABET_DNA, letters[i]))
            b->is_plain[read] = false;
        word = (uint16_t)(word << 2 | ((code >> 1) - (code >> 3)));
        if (i >= K - 1)
            out[i - (K - 1)] = word;
    }
}

status_t mismatch_bound_create(const seqset_t *reads, mismatch_bound_t **out)
{
    mismatch_bound_t *b = calloc(1, sizeof(*b));

    if (b == NULL)
        return log_nomem("words of reads");
    b->reads = reads;
    b->words = malloc(((size_t)reads->offset[reads->n] + 1) * sizeof(*b->words));
    b->is_plain = malloc(((size_t)reads->n + 1) * sizeof(*b->is_plain));
    if (b->words == NULL || b->is_plain == NULL) {
        mismatch_bound_destroy(b);
        return log_nomem("words of reads");
    }
    for (int64_t i = 0; i < reads->n; i++)
        find_words(b, i);
    *out = b;
    return ST_OK;
}

void mismatch_bound_destroy(mismatch_bound_t *b)
{
    if (b == NULL)
        return;
    free(b->words);
    free(b->is_plain);
    free(b);
}

/* @return the number of words of a read */
static int64_t n_words(const mismatch_bound_t *b, int64_t read)
{
    const int64_t len = seqset_len(b->reads, read);

    return len < K ? 0 : len - (K - 1);
}

void mismatch_bound_set(const mismatch_bound_t *b, int64_t read, mismatch_words_t *words)
{
    const uint16_t *w;

    if (words->read == read)
        return;
    if (words->read >= 0) {
        w = b->words + b->reads->offset[words->read];
        for (int64_t i = 0; i < n_words(b, words->read); i++)
            words->has[w[i] / 64] = 0;
    }
    w = b->words + b->reads->offset[read];
    for (int64_t i = 0; i < n_words(b, read); i++)
        words->has[w[i] / 64] |= UINT64_C(1) << w[i] % 64;
    words->read = read;
}

/* In bytes, which compilers turn into vectors. */
static int64_t count_differences(const uint8_t *a, const uint8_t *b, int64_t n)
{
    enum { BLOCK = 128 };
    int64_t sum = 0;

    for (int64_t first = 0; first < n; first += BLOCK) {
        const int64_t end = first + BLOCK < n ? first + BLOCK : n;
        uint8_t of_block = 0;

        for (int64_t i = first; i < end; i++)
            of_block = (uint8_t)(of_block + (a[i] != b[i]));
        sum += of_block;
    }
    return sum;
}

/* @return the lower loss of the alignments of both starts and of both ends */
static int64_t find_loss(const uint8_t *a, int64_t n_a, const uint8_t *b, int64_t n_b)
{
    const int64_t n = n_a < n_b ? n_a : n_b, gap = n_a + n_b - 2 * n;
    int64_t right, left = LOSS_MISMATCH * count_differences(a, b, n);

    if (gap == 0)
        return left;
    right = LOSS_MISMATCH * count_differences(a + n_a - n, b + n_b - n, n);
    return (left < right ? left : right) + LOSS_END + LOSS_END_BASE * gap;
}

/* @return the lowest loss of alignments with one gap within */
static int64_t find_loss_within(const uint8_t *a, int64_t n_a, const uint8_t *b,
                                int64_t n_b)
{
    const int64_t n = n_a < n_b ? n_a : n_b, gap = n_a + n_b - 2 * n;
    const uint8_t *a_right = a + n_a - n, *b_right = b + n_b - n;
    int64_t differences = count_differences(a_right, b_right, n), min = differences;

    for (int64_t i = 0; i < n; i++) { /* the gap is behind base i */
        differences += (a[i] != b[i]) - (a_right[i] != b_right[i]);
        min = differences < min ? differences : min;
    }
    return LOSS_MISMATCH * min + LOSS_GAP + LOSS_GAP_BASE * gap;
}

/* @return whether the words of a read that are among those of another one are at least
 *         `needed` / 18 */
static bool shares_words(const mismatch_bound_t *b, const mismatch_words_t *words,
                         int64_t read, int64_t needed)
{
    const uint16_t *w = b->words + b->reads->offset[read];
    const int64_t n = n_words(b, read);
    int64_t left = n - (needed + 17) / 18; /* words that may be missing */

    if (needed <= 0)
        return true;
    for (int64_t i = 0; i < n && left >= 0; i++)
        left -= !(words->has[w[i] / 64] >> w[i] % 64 & 1);
    return left >= 0;
}

/* @return 18 times the words that reads must share, n bases in all, by the proof */
static int64_t find_needed(int64_t n, int64_t loss, int64_t max_mismatches)
{
    const int64_t by_loss = loss / LOSS_MISMATCH + 1; /* rounded up */
    const int64_t mismatches = by_loss < max_mismatches ? by_loss : max_mismatches;

    return 9 * n - 18 * (K - 1) - 7 * loss - 102 * mismatches;
}

bool mismatch_bound_may(const mismatch_bound_t *b, const mismatch_words_t *words,
                        int64_t read, int64_t max_mismatches)
{
    const seqset_t *s = b->reads;
    const uint8_t *letters = seqset_letters(s, read);
    const uint8_t *other = seqset_letters(s, words->read);
    const int64_t n = seqset_len(s, read), n_other = seqset_len(s, words->read);
    int64_t loss;

    if (!b->is_plain[read] || !b->is_plain[words->read])
        return true;
    loss = find_loss(letters, n, other, n_other);
    if (!shares_words(b, words, read, find_needed(n + n_other, loss, max_mismatches)))
        return false;
    if (n == n_other)
        return true;
    loss = find_loss_within(letters, n, other, n_other);
    return shares_words(b, words, read, find_needed(n + n_other, loss, max_mismatches));
}
