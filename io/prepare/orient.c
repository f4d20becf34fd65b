/*
 * orient.c - finds strands by comparing k-mers of 11 bases.
 *
 * K-mers with ambiguity codes are skipped.  A random k-mer is as likely on one strand as
 * on the other, so the strand counts as known only if one strand has many characteristic
 * k-mers and the other has almost none.
 */
#include "io/prepare/prepare.h"

#include "io/base/logmsg.h"
#include "io/seq/alphabet.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { K = 11, N_KMERS = 1 << 2 * K, NO_BASE = 4 };

/* A motif is present if 3 of its k-mers are, that is 13 bases.  The distance of two
 * motifs may differ from that in E. coli by a tenth plus 30 bases. */
enum { MIN_MOTIF_KMERS = 3, SLACK_DIVISOR = 10, SLACK_BASES = 30 };

/* Guides are sequences whose strand is known: at first from motifs, in further rounds
 * from the k-mers of the previous guides.  At most MAX_GUIDES are used.  If fewer than
 * one sequence in RARE is a guide, once MIN_TRIED have been tried, the set is not 16S. */
enum { MAX_GUIDES = 4096, MIN_TRIED = 20000, RARE = 1000, MAX_ROUNDS = 4 };

/* A common k-mer occurs in at least one guide in 100, so that archaea and rare phyla are
 * recognised, too.  A strand is known if it has at least 10 common k-mers, at least a
 * tenth of the k-mers tried, and at least four times as many as the other strand. */
enum { COMMON_DIVISOR = 100, MIN_KMERS = 10, KMERS_DIVISOR = 10, MIN_RATIO = 4 };

/* Of a longer sequence only every second k-mer, or third, ... is tried: this many
 * suffice. */
enum { ENOUGH_KMERS = 512 };

/* Primer sites (Lane 1991; Claesson 2010 for 563F; Apprill 2015 for 806R; Parada 2016 for
 * 515F) on the forward strand; `at` is the position of the first base in E. coli's gene.
 */
static const struct {
    int at;
    const char *bases;
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

/* A, C, G, T as 0..3, so that 3 - b is the complement of b; NO_BASE for other codes. */
static const uint8_t base_of[DNA_SIZE] = {NO_BASE, 0,       1,       NO_BASE,
                                          2,       NO_BASE, NO_BASE, NO_BASE,
                                          3,       NO_BASE, NO_BASE, NO_BASE,
                                          NO_BASE, NO_BASE, NO_BASE, NO_BASE};

/* Iterates over the k-mers of a sequence. */
typedef struct {
    const uint8_t *letters;
    int64_t len, next; /* index after the last base of the k-mer */
    int n_bases;       /* consecutive bases without an ambiguity code before `next` */
    uint32_t forward, reverse; /* the k-mer and its reverse complement */
} walk_t;

typedef struct {
    uint64_t *in_set;  /* [N_KMERS / 64] bit set: k-mers of motifs, then common k-mers */
    uint8_t *motif_of; /* [N_KMERS] number of the motif, from 1; 0: none */
    uint32_t *seen;    /* [N_KMERS] occurrences in guides; without these not touched */
} kmers_t;

/* The motifs on one strand of a sequence. */
typedef struct {
    int n_kmers[N_MOTIFS];
    int64_t end[N_MOTIFS]; /* end of the last k-mer, in the direction of the strand */
} found_t;

static walk_t walk_along(const seqset_t *set, int64_t i)
{
    return (walk_t){.letters = seqset_letters(set, i), .len = seqset_len(set, i)};
}

/* Advance to the next k-mer, which begins at next - K. @return whether there is one */
static inline bool walk_next(walk_t *w)
{
    while (w->next < w->len) {
        uint32_t base = base_of[w->letters[w->next++]];

        if (base == NO_BASE) {
            w->n_bases = 0;
            continue;
        }
        w->forward = (w->forward << 2 | base) & (N_KMERS - 1);
        w->reverse = w->reverse >> 2 | (3 - base) << 2 * (K - 1);
        if (++w->n_bases >= K)
            return true;
    }
    return false;
}

static inline bool has(const kmers_t *kmers, uint32_t kmer)
{
    return kmers->in_set[kmer / 64] >> kmer % 64 & 1;
}

static inline void put(kmers_t *kmers, uint32_t kmer)
{
    kmers->in_set[kmer / 64] |= UINT64_C(1) << kmer % 64;
}

/* Add every k-mer that matches K codes of a motif. @param kmer  the first k bases */
static void put_motif_kmers(kmers_t *kmers, int motif, const char *codes, int k,
                            uint32_t kmer)
{
    if (k == K) {
        put(kmers, kmer);
        kmers->motif_of[kmer] = (uint8_t)(motif + 1);
        return;
    }
    for (uint32_t base = 0; base < 4; base++)
        if (alphabet_code(ALPHABET_DNA, (unsigned char)codes[k]) >> base & 1)
            put_motif_kmers(kmers, motif, codes, k + 1, kmer << 2 | base);
}

static void put_motifs(kmers_t *kmers)
{
    for (int m = 0; m < N_MOTIFS; m++)
        for (size_t k = 0; k + K <= strlen(motifs[m].bases); k++)
            put_motif_kmers(kmers, m, motifs[m].bases + k, 0, 0);
}

/* @return the end of a motif in E. coli's gene */
static int64_t end_of(int motif)
{
    return motifs[motif].at + (int64_t)strlen(motifs[motif].bases);
}

/* @return whether two motifs are present in their order and at about their distance */
static bool is_gene(const found_t *f)
{
    for (int a = 0; a < N_MOTIFS; a++)
        for (int b = a + 1; b < N_MOTIFS; b++) {
            int64_t distance = end_of(b) - end_of(a);
            int64_t error = f->end[b] - f->end[a] - distance;

            if (f->n_kmers[a] >= MIN_MOTIF_KMERS && f->n_kmers[b] >= MIN_MOTIF_KMERS &&
                llabs(error) <= distance / SLACK_DIVISOR + SLACK_BASES)
                return true;
        }
    return false;
}

static orient_strand_t strand_by_motifs(const kmers_t *kmers, const seqset_t *set,
                                        int64_t i)
{
    found_t forward = {.n_kmers = {0}}, reverse = {.n_kmers = {0}};
    walk_t w = walk_along(set, i);

    while (walk_next(&w)) {
        if (has(kmers, w.forward)) {
            int m = kmers->motif_of[w.forward] - 1;

            forward.n_kmers[m]++;
            forward.end[m] = w.next;
        }
        if (has(kmers, w.reverse)) {
            int m = kmers->motif_of[w.reverse] - 1;

            /* the reverse strand is walked backwards: its last k-mer comes first */
            if (reverse.n_kmers[m]++ == 0)
                reverse.end[m] = w.len - w.next + K;
        }
    }
    return (orient_strand_t)(is_gene(&forward) - is_gene(&reverse));
}

static orient_strand_t strand_by_kmers(const kmers_t *kmers, const seqset_t *set,
                                       int64_t i)
{
    walk_t w = walk_along(set, i);
    int64_t n = 0, n_forward = 0, n_reverse = 0, more, fewer;
    int64_t every = 1 + w.len / ENOUGH_KMERS, wait = every;

    while (walk_next(&w)) {
        if (--wait > 0)
            continue;
        wait = every;
        n++;
        n_forward += has(kmers, w.forward);
        n_reverse += has(kmers, w.reverse);
    }
    more = n_forward > n_reverse ? n_forward : n_reverse;
    fewer = n_forward + n_reverse - more;
    if (more < MIN_KMERS || more * KMERS_DIVISOR < n || more < MIN_RATIO * fewer)
        return ORIENT_UNKNOWN;
    return n_forward > n_reverse ? ORIENT_FORWARD : ORIENT_REVERSE;
}

static void count_guide(kmers_t *kmers, const seqset_t *set, int64_t i,
                        orient_strand_t strand)
{
    walk_t w = walk_along(set, i);

    while (walk_next(&w))
        kmers->seen[strand == ORIENT_FORWARD ? w.forward : w.reverse]++;
}

/* Add the k-mers of the guides to `seen`. @return the number of guides, 0 if this is not
 * 16S */
static int64_t count_guides(kmers_t *kmers, const seqset_t *set,
                            orient_strand_t (*strand_of)(const kmers_t *,
                                                         const seqset_t *, int64_t))
{
    /* A prime above any n, so that multiples of it modulo n visit every sequence once.
     * Large steps sample all taxa: sets are often sorted by taxon. */
    const uint64_t step = UINT64_C(2654435761);
    int64_t n_guides = 0, n_tried = 0;

    while (n_tried < set->n && n_guides < MAX_GUIDES) {
        int64_t i = (int64_t)((uint64_t)n_tried * step % (uint64_t)set->n);
        orient_strand_t strand = strand_of(kmers, set, i);

        if (strand != ORIENT_UNKNOWN) {
            count_guide(kmers, set, i, strand);
            n_guides++;
        }
        if (++n_tried >= MIN_TRIED && n_guides * RARE < n_tried)
            return 0;
    }
    return n_guides;
}

static uint32_t complement_of(uint32_t kmer)
{
    uint32_t reverse = 0;

    for (int k = 0; k < K; k++, kmer >>= 2)
        reverse = reverse << 2 | (3 - (kmer & 3));
    return reverse;
}

/* Reduce the set to the k-mers that are common on the forward strand only. */
static void put_common(kmers_t *kmers, int64_t n_guides)
{
    memset(kmers->in_set, 0, N_KMERS / 8);
    for (uint32_t kmer = 0; kmer < N_KMERS; kmer++)
        if (kmers->seen[kmer] > 0 &&
            (int64_t)kmers->seen[kmer] * COMMON_DIVISOR >= n_guides &&
            (int64_t)kmers->seen[complement_of(kmer)] * COMMON_DIVISOR < n_guides)
            put(kmers, kmer);
}

/* Find the k-mers that characterise the forward strand. @return whether there are any */
static bool find_kmers(kmers_t *kmers, const seqset_t *set)
{
    int64_t n, n_guides;

    put_motifs(kmers);
    if ((n_guides = count_guides(kmers, set, strand_by_motifs)) == 0)
        return false;
    put_common(kmers, n_guides);
    for (int round = 1; round < MAX_ROUNDS && n_guides < MAX_GUIDES; round++) {
        memset(kmers->seen, 0, N_KMERS * sizeof(*kmers->seen));
        if ((n = count_guides(kmers, set, strand_by_kmers)) <= n_guides)
            break;
        n_guides = n;
        put_common(kmers, n_guides);
    }
    return true;
}

/* Sequences whose strands a thread finds at a time. */
enum { PER_TASK = 1024 };

typedef struct {
    const kmers_t *kmers;
    const seqset_t *set;
    int8_t *strand; /* [set->n] */
} finding_t;

static void find_some(void *ctx, int64_t task, int thread)
{
    const finding_t *f = ctx;

    (void)thread;
    for (int64_t i = task * PER_TASK; i < f->set->n && i < (task + 1) * PER_TASK; i++)
        f->strand[i] = (int8_t)strand_by_kmers(f->kmers, f->set, i);
}

status_t orient_find(const seqset_t *set, pool_t *pool, int8_t *strand)
{
    kmers_t kmers = {.in_set = calloc(N_KMERS / 64, sizeof(*kmers.in_set)),
                     .motif_of = calloc(N_KMERS, sizeof(*kmers.motif_of)),
                     .seen = calloc(N_KMERS, sizeof(*kmers.seen))};
    status_t st = ST_OK;

    memset(strand, ORIENT_UNKNOWN, (size_t)set->n);
    if (kmers.in_set == NULL || kmers.motif_of == NULL || kmers.seen == NULL) {
        st = log_nomem("the strands of sequences");
        goto done;
    }
    if (find_kmers(&kmers, set))
        pool_run(pool, (set->n + PER_TASK - 1) / PER_TASK, find_some,
                 &(finding_t){&kmers, set, strand});
done:
    free(kmers.in_set);
    free(kmers.motif_of);
    free(kmers.seen);
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
