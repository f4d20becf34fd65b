/*
 * export_matrix.h - formats of whole rows: phylip and npy.
 *
 * Only row < col is stored.  Rows are made in strips as high as a tile: what stands right
 * of the diagonal is read from the strip's own tiles, what stands left of it from the
 * tiles above, turned.  So a square matrix reads each stored tile twice, a lower triangle
 * once, and memory is a strip and two tiles.
 */
#ifndef RIBOGRID_IO_EXPORT_EXPORT_MATRIX_H
#define RIBOGRID_IO_EXPORT_EXPORT_MATRIX_H

#include "io/export/export_names.h"
#include "io/export/export_out.h"
#include "io/pairs/pairs_file.h"

/* What is written of a pair without an identity. */
#define EXPORT_MATRIX_MISSING "-1"

/*
 * Write distances, 1 - identity, as a relaxed PHYLIP matrix.
 *
 * @param file         dense, with identities, as of the others
 * @param lower        only what stands left of the diagonal
 * @param strip_bytes  that rows may take; where a tile's height does not fit, parts of it
 *                     are read, and tiles as often as they have parts
 * @return ST_OK, ST_ENOMEM or ST_EIO
 */
status_t export_matrix_phylip(const pairs_file_t *file, const export_names_t *names,
                              bool lower, int64_t strip_bytes,
                              export_out_t *out) MUST_CHECK;

/* Write identities as a square float32 matrix, numpy's file format 1.0. */
status_t export_matrix_npy(const pairs_file_t *file, int64_t strip_bytes,
                           export_out_t *out) MUST_CHECK;

#endif
