/*
 * row_packets.h - the rows of a matrix in quads, and quads in packets, for sums in the
 * shape of tree_sum.h.
 *
 * A quad is four neighboring arcs of a row, the last ones of which may be absent.  A
 * packet is at most 32 quads of neighboring rows, one per lane of a warp: the sum of a
 * quad with the next one, with the one after that, ... is the tree of the row.  Rows of
 * more quads are cut into pieces of a packet each, which are subtrees.
 */
#pragma once

#include "io/graphfile/csr.h"

#include <stdalign.h>

/* The columns of a matrix that most arcs lead to. */

typedef struct {
    int32_t n;
    int64_t n_arcs;  /* to them */
    int32_t *node;   /* [n] ascending */
    int32_t *number; /* [n_nodes] n_nodes + k for node[k], u for another node u */
} hot_columns_t;

/*
 * Of columns with equally many arcs all are hot or none, and none without arcs is.
 *
 * @param max  columns; n_nodes + max is at most INT32_MAX
 * @return ST_OK, or ST_ENOMEM (logged)
 */
status_t hot_columns_create(const csr_t *g, int32_t max, hot_columns_t *out) MUST_CHECK;

void hot_columns_free(hot_columns_t *h);

enum { QUAD_ARCS = 4, PACKET_QUADS = 32, PACKET_ARCS = QUAD_ARCS * PACKET_QUADS };

typedef struct {
    alignas(16) uint32_t quad; /* the first one; aligned to be read at once */
    uint32_t heads;            /* bits: quads that begin a piece */
    uint32_t piece;            /* of the first quad */
    uint16_t n_quads;
    uint16_t is_plain; /* the target of each piece is that of the one before, plus 1 */
} row_packet_t;

typedef struct {
    int64_t n_packets, n_pieces;
    uint32_t n_quads;
    int32_t n_cut; /* rows of several pieces */
    int32_t n_sums;
    row_packet_t *packet;  /* [n_packets] */
    uint32_t *piece_first; /* [n_pieces + 1] arcs, ascending */
    int32_t *target;       /* [n_pieces] a node, or -1 - a place in sums */
    int32_t *cut_node;     /* [n_cut] ascending */
    int32_t *cut_sum;      /* [n_cut + 1] the first place in sums */
} row_packets_t;

/*
 * Rows without arcs are in no packet.
 *
 * @param g  at most UINT32_MAX arcs
 * @return ST_OK, or ST_ENOMEM (logged)
 */
status_t row_packets_create(const csr_t *g, row_packets_t *out) MUST_CHECK;

void row_packets_free(row_packets_t *p);
