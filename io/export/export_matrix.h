/*
 * export_matrix.h - formats of whole rows: phylip and npy.
 *
 * Only row < col is stored.  Rows are built in strips as high as a tile: the part right
 * of the diagonal comes from the strip's own tiles, the part left of it from the tiles
 * above, transposed.  So a square matrix reads each stored tile twice and a lower
 * triangle once; memory is one strip and two tiles.
 */
#ifndef RIBOGRID_IO_EXPORT_EXPORT_MATRIX_H
#define RIBOGRID_IO_EXPORT_EXPORT_MATRIX_H

#include "io/export/export_names.h"
#include "io/export/export_out.h"
#include "io/pairs/pairs_file.h"

/* Written for a pair without an identity. */
#define EXPORT_MATRIX_MISSING "-1"

/*
 * Write distances, 1 - identity, as a relaxed PHYLIP matrix.
 *
 * @param file         dense, with identities
 * @param lower        write only the part left of the diagonal
 * @param strip_bytes  maximum memory of a strip; if the height of a tile does not fit,
 *                     strips are lower and tiles are read several times
 * @return ST_OK, ST_ENOMEM or ST_EIO
 */
status_t export_matrix_phylip(const pairs_file_t *file, const export_names_t *names,
                              bool lower, int64_t strip_bytes,
                              export_out_t *out) MUST_CHECK;

/* Write identities as a square float32 matrix in numpy's file format 1.0. */
status_t export_matrix_npy(const pairs_file_t *file, int64_t strip_bytes,
                           export_out_t *out) MUST_CHECK;

#endif
