/*
 * orient.c - strands by words of 11 letters.
 *
 * Words with an IUPAC code are passed over.  A chance word is on either strand alike, so
 * that a sequence is told only if one strand has many and the other next to none.
 */
#include "io/prepare/orient.h"

#include "io/base/logmsg.h"
#include "io/seq/alphabet.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { WORD = 11, N_WORDS = 1 << 2 * WORD, NO_BASE = 4 };

/* A motif is found where it has these many words, 13 letters.  Two have to stand as far
 * apart as in E. coli, but for a tenth and some letters. */
enum { MOTIF_WORDS = 3, SLACK_PART = 10, SLACK = 30 };

/* Guides are sequences whose strand is told: first by motifs, then by the words of the
 * guides before, round by round.  More are not asked.  If after so many sequences there
 * is none in a thousand, this is no 16S. */
enum { GUIDES_MAX = 4096, LOOKED_AT_MIN = 20000, RARE = 1000, ROUNDS_MAX = 4 };

/* A common word is in one of 100 guides or more: archaea and rare phyla are to be told,
 * too.  A strand is told by 10 or more of them, a tenth of the sequence's words, and four
 * times what the other strand has. */
enum { COMMON_PART = 100, TOLD_WORDS = 10, TOLD_PART = 10, TOLD_TIMES = 4 };

/* Of a long sequence every second word, or third, ... is looked at: so many do. */
enum { LOOKED_WORDS = 512 };

/* Primer sites (Lane 1991; Claesson 2010 for 563F; Apprill 2015 for 806R; Parada 2016 for
 * 515F) as on the gene's strand; `at`: of the first letter in E. coli's gene. */
static const struct {
    int at;
    const char *letters;
} motifs[] = {
    {8, "AGAGTTTGATCMTGGCTCAG"},                                    /* 27F */
    {338, "ACTCCTACGGGAGGCAGC"},                                    /* 338F */
    {515, "GTGYCAGCMGCCGCGGTAA"},                                   /* 515F */
    {563, "AYTGGGYDTAAAGNG"},                                       /* 563F */
    {683, "GTGTAGMGGTGAAATKCGTAGA"}, {787, "ATTAGAWACCCBNGTAGTCC"}, /* 806R */
    {907, "AAACTYAAAKRAATTGRCGG"},                                  /* 926R */
    {1046, "AGGTGNTGCATGGYYGTCG"},                                  /* 1064R */
    {1099, "YAACGAGCGCAACCC"},                                      /* 1114R */
    {1177, "GAAGGYGGGGAYGACGTC"},                                   /* 1194R */
    {1391, "TGYACACACCGCCCGTC"},                                    /* 1391R */
    {1492, "AAGTCGTAACAAGGTAACC"},                                  /* 1492R */
};
enum { N_MOTIFS = sizeof(motifs) / sizeof(motifs[0]) };

/* Bases of codes as 0..3, so that 3 - b is the complement. */
static const uint8_t base_of[ALPHABET_SIZE] = {NO_BASE, 0,       1,       NO_BASE,
                                               2,       NO_BASE, NO_BASE, NO_BASE,
                                               3,       NO_BASE, NO_BASE, NO_BASE,
                                               NO_BASE, NO_BASE, NO_BASE, NO_BASE};

/* Goes through the words of a sequence. */
typedef struct {
    const uint8_t *letters;
    int64_t len, next; /* the next letter to take */
    int n_bases;       /* without a code, up to the last one taken */
    uint32_t forward, reverse;
} walk_t;

typedef struct {
    uint64_t *in_set;  /* [N_WORDS / 64] words of motifs, then common words */
    uint8_t *motif_of; /* [N_WORDS] a motif's number from 1, 0: none */
    uint32_t *seen;    /* [N_WORDS] in guides */
} words_t;

/* What a strand of a sequence has of the motifs. */
typedef struct {
    int n_words[N_MOTIFS];
    int64_t end[N_MOTIFS]; /* of the last word, counted along the strand */
} found_t;

static walk_t walk_along(const seqset_t *set, int64_t i)
{
    return (walk_t){.letters = seqset_letters(set, i), .len = seqset_len(set, i)};
}

/* Go on to the next word, which begins at next - WORD. @return whether there is one */
static inline bool walk_next(walk_t *w)
{
    while (w->next < w->len) {
        uint32_t base = base_of[w->letters[w->next++]];

        if (base == NO_BASE) {
            w->n_bases = 0;
            continue;
        }
        w->forward = (w->forward << 2 | base) & (N_WORDS - 1);
        w->reverse = w->reverse >> 2 | (3 - base) << 2 * (WORD - 1);
        if (++w->n_bases >= WORD)
            return true;
    }
    return false;
}

static inline bool has(const words_t *w, uint32_t word)
{
    return w->in_set[word / 64] >> word % 64 & 1;
}

static inline void put(words_t *w, uint32_t word)
{
    w->in_set[word / 64] |= UINT64_C(1) << word % 64;
}

/* Note every word that a motif's 11 codes stand for. */
static void put_motif_words(words_t *w, int motif, const char *codes, int k,
                            uint32_t word)
{
    if (k == WORD) {
        put(w, word);
        w->motif_of[word] = (uint8_t)(motif + 1);
        return;
    }
    for (uint32_t base = 0; base < 4; base++)
        if (alphabet_code((unsigned char)codes[k]) >> base & 1)
            put_motif_words(w, motif, codes, k + 1, word << 2 | base);
}

static void put_motifs(words_t *w)
{
    for (int m = 0; m < N_MOTIFS; m++)
        for (size_t k = 0; k + WORD <= strlen(motifs[m].letters); k++)
            put_motif_words(w, m, motifs[m].letters + k, 0, 0);
}

/* @return where a motif ends in E. coli's gene */
static int64_t end_of(int motif)
{
    return motifs[motif].at + (int64_t)strlen(motifs[motif].letters);
}

/* Whether two motifs are there, in their order and about as far apart as they should be.
 */
static bool is_gene(const found_t *f)
{
    for (int a = 0; a < N_MOTIFS; a++)
        for (int b = a + 1; b < N_MOTIFS; b++) {
            int64_t due = end_of(b) - end_of(a);
            int64_t off = f->end[b] - f->end[a] - due;

            if (f->n_words[a] >= MOTIF_WORDS && f->n_words[b] >= MOTIF_WORDS &&
                llabs(off) <= due / SLACK_PART + SLACK)
                return true;
        }
    return false;
}

static orient_strand_t strand_by_motifs(const words_t *words, const seqset_t *set,
                                        int64_t i)
{
    found_t forward = {.n_words = {0}}, reverse = {.n_words = {0}};
    walk_t w = walk_along(set, i);

    while (walk_next(&w)) {
        if (has(words, w.forward)) {
            int m = words->motif_of[w.forward] - 1;

            forward.n_words[m]++;
            forward.end[m] = w.next;
        }
        if (has(words, w.reverse)) {
            int m = words->motif_of[w.reverse] - 1;

            /* this strand is walked from its end: its last word comes first */
            if (reverse.n_words[m]++ == 0)
                reverse.end[m] = w.len - w.next + WORD;
        }
    }
    return (orient_strand_t)(is_gene(&forward) - is_gene(&reverse));
}

static orient_strand_t strand_by_words(const words_t *words, const seqset_t *set,
                                       int64_t i)
{
    walk_t w = walk_along(set, i);
    int64_t n = 0, n_forward = 0, n_reverse = 0, more, less;
    int64_t every = 1 + w.len / LOOKED_WORDS, wait = every;

    while (walk_next(&w)) {
        if (--wait > 0)
            continue;
        wait = every;
        n++;
        n_forward += has(words, w.forward);
        n_reverse += has(words, w.reverse);
    }
    more = n_forward > n_reverse ? n_forward : n_reverse;
    less = n_forward + n_reverse - more;
    if (more < TOLD_WORDS || more * TOLD_PART < n || more < TOLD_TIMES * less)
        return ORIENT_UNKNOWN;
    return n_forward > n_reverse ? ORIENT_FORWARD : ORIENT_REVERSE;
}

static void count_guide(words_t *words, const seqset_t *set, int64_t i,
                        orient_strand_t strand)
{
    walk_t w = walk_along(set, i);

    while (walk_next(&w))
        words->seen[strand == ORIENT_FORWARD ? w.forward : w.reverse]++;
}

/* Count the words of sequences whose strand is told. @return their number */
static int64_t count_guides(words_t *words, const seqset_t *set,
                            orient_strand_t (*strand_of)(const words_t *,
                                                         const seqset_t *, int64_t))
{
    /* A prime larger than any n: steps of it visit every sequence once, far from the one
     * before, as sets are often in the order of their taxa. */
    const uint64_t step = UINT64_C(2654435761);
    int64_t n_guides = 0, n_looked_at = 0;

    memset(words->seen, 0, N_WORDS * sizeof(*words->seen));
    while (n_looked_at < set->n && n_guides < GUIDES_MAX) {
        int64_t i = (int64_t)((uint64_t)n_looked_at * step % (uint64_t)set->n);
        orient_strand_t strand = strand_of(words, set, i);

        if (strand != ORIENT_UNKNOWN) {
            count_guide(words, set, i, strand);
            n_guides++;
        }
        if (++n_looked_at >= LOOKED_AT_MIN && n_guides * RARE < n_looked_at)
            return 0;
    }
    return n_guides;
}

static uint32_t complement_of(uint32_t word)
{
    uint32_t reverse = 0;

    for (int k = 0; k < WORD; k++, word >>= 2)
        reverse = reverse << 2 | (3 - (word & 3));
    return reverse;
}

/* Leave the words that many guides have, and on one strand alone. */
static void put_common(words_t *w, int64_t n_guides)
{
    memset(w->in_set, 0, N_WORDS / 8);
    for (uint32_t word = 0; word < N_WORDS; word++)
        if (w->seen[word] > 0 && (int64_t)w->seen[word] * COMMON_PART >= n_guides &&
            (int64_t)w->seen[complement_of(word)] * COMMON_PART < n_guides)
            put(w, word);
}

/* Find the words by which strands are told. @return whether there are any */
static bool find_words(words_t *words, const seqset_t *set)
{
    int64_t n, n_guides;

    put_motifs(words);
    if ((n_guides = count_guides(words, set, strand_by_motifs)) == 0)
        return false;
    put_common(words, n_guides);
    for (int round = 1; round < ROUNDS_MAX && n_guides < GUIDES_MAX; round++) {
        if ((n = count_guides(words, set, strand_by_words)) <= n_guides)
            break;
        n_guides = n;
        put_common(words, n_guides);
    }
    return true;
}

status_t orient_find(const seqset_t *set, int8_t *strand)
{
    words_t words = {.in_set = calloc(N_WORDS / 64, sizeof(*words.in_set)),
                     .motif_of = calloc(N_WORDS, sizeof(*words.motif_of)),
                     .seen = calloc(N_WORDS, sizeof(*words.seen))};
    status_t st = ST_OK;

    memset(strand, ORIENT_UNKNOWN, (size_t)set->n);
    if (words.in_set == NULL || words.motif_of == NULL || words.seen == NULL) {
        st = log_nomem("the strands of sequences");
        goto done;
    }
    if (find_words(&words, set))
        for (int64_t i = 0; i < set->n; i++)
            strand[i] = (int8_t)strand_by_words(&words, set, i);
done:
    free(words.in_set);
    free(words.motif_of);
    free(words.seen);
    return st;
}

void orient_reverse_complement(seqset_t *set, int64_t i)
{
    uint8_t *letters = set->letters + set->offset[i];
    int64_t len = seqset_len(set, i);

    for (int64_t k = 0; k < len / 2; k++) {
        uint8_t front = letters[k];

        letters[k] = alphabet_complement(letters[len - 1 - k]);
        letters[len - 1 - k] = alphabet_complement(front);
    }
    if (len % 2 == 1)
        letters[len / 2] = alphabet_complement(letters[len / 2]);
}
