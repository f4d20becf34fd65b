/*
 * heat_map.h - mean identities of blocks of pairs, for a heat map of a result file.
 *
 * Rows and columns of the map divide an order of sequences, all or some, into equal
 * ranges.
 */
#ifndef RIBOGRID_GRAPH_SUMMARY_HEAT_MAP_H
#define RIBOGRID_GRAPH_SUMMARY_HEAT_MAP_H

#include "io/pairs/pairs_scan.h"

typedef struct {
    int side;
    double *mean; /* [side x side] mean identity of the cell's pairs; NAN: none has one */
    double
        *coverage; /* [side x side] fraction of the cell's pairs that have an identity */
} heat_map_t;

/*
 * Average the identities of the pairs of some sequences, cell by cell.
 *
 * A cell on the diagonal that holds a single sequence stands for that sequence compared
 * with itself: mean and coverage are 1.
 *
 * @param order  [n] sequences of the file, each once, in the order of rows and columns
 * @param side   cells along each side, at most n
 * @param out    release with heat_map_free
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT
 */
status_t heat_map_make(const pairs_file_t *file, const int32_t *order, int64_t n,
                       int side, heat_map_t *out) MUST_CHECK;

/* Takes a zeroed one, too. */
void heat_map_free(heat_map_t *map);

#endif
