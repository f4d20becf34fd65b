/*
 * primer_search.h - the regions between the two primers of pairs, in reads and genes, on
 * either strand.
 *
 * On a strand, the forward primer is taken where it has the fewest mismatches and gaps,
 * of these where it has the fewest gaps, and of these at the first place, in the fewest
 * bases; the reverse primer likewise, among the places behind it.  There has
 * to be a base between them.  Of both strands the one with fewer mismatches and gaps in
 * all is taken, else the forward one.
 *
 * Pairs of reads: the first read has to have the forward primer, the second one the
 * reverse primer as it was synthesized; the "reverse strand" is that where they are
 * swapped.  A read that is longer than the amplicon ends where the other primer begins.
 */
#pragma once

#include "io/base/buf.h"
#include "io/seq/seqset.h"
#include "kernels/primers/primer_backend.h"

/* What is looked for. */
typedef struct {
    int max_mismatches; /* in each primer, 0 .. PRIMER_MISMATCHES_MAX */
    int max_gaps;       /* likewise, 0 .. PRIMER_GAPS_MAX (primer_gaps.h) */
    int three_prime;    /* bases at the 3' end of each primer that have to match */
    bool are_pairs;     /* reads 2 i and 2 i + 1 of the text are a pair of reads */
} primer_search_opts_t;

typedef enum { PRIMER_FORWARD, PRIMER_REVERSE } primer_role_t;

/* A region that was found.  Arrays are by primer_role_t.  Places are those of the read as
 * it is, also where it is reversed: that is where the forward primer has its reverse
 * complement, or where the reads of a pair are swapped. */
typedef struct {
    int32_t read; /* or the pair of reads; from the first one of a call on */
    int16_t pair; /* of primers */
    uint8_t is_reversed;
    uint8_t zero;
    int32_t at[2];         /* the first base of the read that belongs to the primer */
    int32_t end[2];        /* pairs of reads: one after what is kept of the read with this
                            * primer, else 0 */
    uint8_t len[2];        /* bases of the read from there on that belong to it */
    uint8_t mismatches[2]; /* of each primer */
    uint8_t gaps[2];       /* likewise, in bases */
    uint8_t end_len[2];    /* pairs of reads: bases of the other primer from `end` on; 0:
                            * the read ends before it */
} primer_region_t;

/* @return the mismatches and gaps of both primers */
static inline int primer_region_edits(const primer_region_t *r)
{
    return r->mismatches[0] + r->mismatches[1] + r->gaps[0] + r->gaps[1];
}

typedef struct primer_search primer_search_t;

/*
 * @param kernel  a name of a backend, or NULL
 * @param device  borrowed, as the others; becomes the CPU where a GPU has too little
 *                memory
 * @param pool    whose threads call primer_search_find; NULL: the caller alone
 * @param pairs   [n_pairs] of primers; copied
 * @return ST_OK, ST_ENOMEM, ST_EUSAGE, ST_EDEVICE or ST_ELOST
 */
status_t primer_search_create(device_t *device, const char *kernel, const pool_t *pool,
                              const base_planes_t *text, const primer_pair_t *pairs,
                              int n_pairs, const primer_search_opts_t *opts,
                              primer_search_t **out) MUST_CHECK;

/* Takes NULL. */
void primer_search_destroy(primer_search_t *s);

/* @return its backend */
const backend_t *primer_search_backend(const primer_search_t *s);

/* @return a primer as reads have it, or its reverse complement */
const primer_pattern_t *primer_search_pattern(const primer_search_t *s, int pair,
                                              primer_role_t role, bool is_complement);

/* @return the bytes that primer_search_load keeps of each word of reads; 0: none */
int64_t primer_search_word_bytes(const primer_search_t *s);

/* Prepare for reads (or pairs of them) first .. first + n - 1: calls of
 * primer_search_find that follow are for some of these.
 * @return ST_OK, ST_ENOMEM, ST_EDEVICE or ST_ELOST */
status_t primer_search_load(primer_search_t *s, int64_t first, int64_t n) MUST_CHECK;

/*
 * Find the regions of reads first .. first + n - 1, or pairs of them.
 *
 * @param thread  that of the pool which calls; no two calls at a time have the same
 * @param out     primer_region_t are appended, by read and pair of primers; at most one
 *                of each
 * @return ST_OK or ST_ENOMEM
 */
status_t primer_search_find(primer_search_t *s, int64_t first, int64_t n, int thread,
                            buf_t *out) MUST_CHECK;

/* @return whether a region is one that primer_search_find may return for its read or pair
 *         of reads: its primers are where it says, with as many mismatches.
 * @param first  the read from which it counts */
bool primer_search_may_be(const primer_search_t *s, int64_t first,
                          const primer_region_t *region);
