/*
 * chimera_search.h - finds the sequences that may be parents of reads.
 *
 * A read is cut into CHIMERA_PARTS parts of equal length (part k of n bases: those from
 * k n / 8 to (k + 1) n / 8).  Each of them, as a whole, is aligned with every target,
 * which may be longer, with the scores that `align` has by default (match 4, mismatch -5,
 * gap -7; N matches nothing).  Its best hits are those of the highest identity, matches /
 * columns, of at least CHIMERA_MIN_IDENTITY; of equal ones those with more matches, then
 * those with the lower index.  The filters leave out only targets that cannot be among
 * them.
 */
#pragma once

#include "io/seq/seqset.h"
#include "kernels/device/device.h"

/* Parts of a read; hits of a part that are kept at most; identity in percent. */
enum { CHIMERA_PARTS = 8, CHIMERA_HITS_MAX = 16, CHIMERA_MIN_IDENTITY = 80 };

/* The struct itself may be temporary; what its pointers lead to is borrowed until
 * destroy. */
typedef struct {
    const device_t *device;
    pool_t *pool; /* NULL: the caller alone */
    const int *cancel;
    const char *kernel; /* of the aligner; "auto" or a backend's name */
    const seqset_t *reads;
    const seqset_t *targets; /* may be the reads */
    int n_hits;              /* best hits of a part, at most CHIMERA_HITS_MAX */
} chimera_search_context_t;

typedef struct chimera_search chimera_search_t;

typedef struct {
    int64_t read;
    int64_t n_targets;      /* the first of all targets that may be parents */
    const int32_t *removed; /* [n_removed] targets, ascending, that are none */
    int64_t n_removed;
} chimera_query_t;

/* The best hits of a read's parts, the best first; -1 behind the last one. */
typedef struct {
    int32_t target[CHIMERA_PARTS][CHIMERA_HITS_MAX];
} chimera_hits_t;

/* @return ST_OK, ST_ENOMEM, ST_EDEVICE, ST_ELOST or ST_EUSAGE (the kernel) */
status_t chimera_search_create(const chimera_search_context_t *context,
                               chimera_search_t **out) MUST_CHECK;

/* @return the name of the kernel, and a guess of the cells per second that it aligns */
const char *chimera_search_kernel(const chimera_search_t *s);
double chimera_search_guess(const chimera_search_t *s);

/*
 * Find the best hits of reads.  Reads of fewer bases than CONTEST_WINDOW have none.
 *
 * @param queries  [n]
 * @param out      [n]
 * @return ST_OK, ST_ENOMEM, ST_EDEVICE or ST_ELOST; ST_ESTOPPED once the run is cancelled
 */
status_t chimera_search_find(chimera_search_t *s, const chimera_query_t *queries,
                             int64_t n, chimera_hits_t *out) MUST_CHECK;

/* Takes NULL. */
void chimera_search_destroy(chimera_search_t *s);
