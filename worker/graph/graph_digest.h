/*
 * graph_digest.h - the digest of a graph, made of the digests of blocks of its nodes
 * (part_graph.h), so that ranks that hold different blocks make it together.
 */
#pragma once

#include "io/graphfile/csr.h"
#include "io/graphfile/csr_rows.h"

#include <stdint.h>

/* Compute the digests of the blocks of a whole graph.
 * @param out  [blocks] the caller's @return ST_OK or ST_ENOMEM (logged) */
status_t graph_digest_blocks(const csr_t *g, uint64_t **out) MUST_CHECK;

/*
 * Compute the digests of the blocks of some rows, and leave the others.
 *
 * @param id        [n_nodes] of the whole graph
 * @param of_block  [blocks of the graph]
 */
void graph_digest_rows(const int64_t *id, int64_t n_nodes, const csr_rows_t *rows,
                       uint64_t *of_block);

/*
 * @param names     [n_nodes] of the nodes, or NULL
 * @param priority  [n_nodes] or NULL
 * @return the digest of all that a result may depend on
 */
uint64_t graph_digest_of(const uint64_t *of_block, int64_t n_nodes, char *const *names,
                         const int64_t *priority);

enum { GRAPH_DIGEST_BYTES = 17 };

/* Format a digest. @return out */
const char *graph_digest_text(uint64_t digest, char out[GRAPH_DIGEST_BYTES]);

/* Format the digest of a graph without weights and names, as results of algorithms that
 * use no weights have it. @return ST_OK or ST_ENOMEM (logged) */
status_t graph_digest_structure(const csr_t *g, char out[GRAPH_DIGEST_BYTES]) MUST_CHECK;
