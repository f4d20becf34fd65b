/*
 * denoise_search.h - finds pairs of reads of which one absorbs the other, if it is a
 * centroid.
 *
 * Which reads are centroids is not known yet, so all pairs count (denoise_rule.h).  They
 * are aligned as vsearch aligns (align_spec_vsearch), those that no filter rules out: by
 * identity (search.h), and by mismatches (mismatch_bound.h).
 */
#pragma once

#include "io/base/buf.h"
#include "io/seq/seqset.h"
#include "io/store/tile.h"
#include "kernels/device/device.h"
#include "worker/denoise/denoise_rule.h"

/* The struct itself may be temporary; what its pointers lead to is borrowed until
 * destroy. */
typedef struct {
    const device_t *device;
    pool_t *pool; /* NULL: the caller alone */
    const int *cancel;
    const char *kernel;    /* of the aligner; "auto" or a backend's name */
    const seqset_t *reads; /* by falling abundance */
    const int64_t *size;   /* [reads] */
    double alpha;
} denoise_search_context_t;

typedef struct denoise_search denoise_search_t;

/* @return ST_OK, ST_ENOMEM, ST_EDEVICE, ST_ELOST or ST_EUSAGE (the kernel) */
status_t denoise_search_create(const denoise_search_context_t *context,
                               denoise_search_t **out) MUST_CHECK;

/* @return whether a tile has the pair of an edge */
static inline bool denoise_edge_is_in(const denoise_edge_t *e, const tile_t *tile)
{
    return e->centroid >= tile->row0 && e->centroid < tile->row1 &&
           e->read >= tile->col0 && e->read < tile->col1;
}

/* @return the name of the kernel, and a guess of the cells per second that it aligns */
const char *denoise_search_kernel(const denoise_search_t *s);
double denoise_search_guess(const denoise_search_t *s);

/*
 * List the pairs of tiles that the filter by identity passes.
 *
 * @param tiles     [n] of the reads' own matrix; the row of a pair is the centroid
 * @param side      of the grid
 * @param n_listed  out: as many tiles as memory suffices for, at least one
 * @return ST_OK, ST_ENOMEM, ST_EDEVICE or ST_ELOST
 */
status_t denoise_search_list(denoise_search_t *s, const tile_t *tiles, int n,
                             int64_t side, int *n_listed) MUST_CHECK;

/*
 * Find the edges among the pairs that were listed.
 *
 * @param edges  out: denoise_edge_t, tile by tile; in a tile by centroid, then by read
 * @param first  [n_listed + 1] out: the first edge of each tile
 * @return ST_OK (if the run is cancelled with any edges), ST_ENOMEM, ST_EDEVICE or
 *         ST_ELOST
 */
status_t denoise_search_find(denoise_search_t *s, buf_t *edges,
                             int64_t *first) MUST_CHECK;

/* Takes NULL. */
void denoise_search_destroy(denoise_search_t *s);
