/*
 * mesh_data.h - a mesh, or what one is to be made of, as Triangle's files have it:
 * points, triangles, segments, holes and regions.
 *
 * Numbers of points count from 0 here, from first_id in files.
 */
#pragma once

#include "io/base/arrays.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { MESH_MAX_POINTS = 1 << 28, MESH_MAX_ATTRIBUTES = 64, MESH_PATH_BYTES = 4096 };

/* Coordinates are 0 or within these, so that products of four are doubles. */
#define MESH_MIN_COORDINATE 1e-60
#define MESH_MAX_COORDINATE 1e60

typedef struct {
    int32_t first_id; /* 0 or 1 */

    int64_t n_points, n_attributes;
    double (*p)[2];
    double *attribute;   /* [n_points][n_attributes] */
    int32_t *marker;     /* [n_points] or NULL: there are none */
    int64_t *point_line; /* [n_points] in point_path; or NULL */

    int64_t n_triangles, n_triangle_attributes;
    int32_t (*triangle)[3];
    double *triangle_attribute; /* [n_triangles][n_triangle_attributes] */
    int64_t *triangle_line;     /* [n_triangles] in triangle_path; or NULL */

    int64_t n_segments;
    int32_t (*segment)[2];
    int32_t *segment_marker; /* [n_segments]; 0 where the file has none */
    int64_t *segment_line;   /* [n_segments] in segment_path; or NULL */

    int64_t n_holes, n_regions;
    double (*hole)[2];
    double (*region)[2];
    double *region_attribute, *region_area; /* [n_regions]; area: 0: no limit */
    int64_t *hole_line, *region_line;       /* in segment_path */

    char *point_path, *triangle_path, *segment_path; /* NULL: not read */
} mesh_data_t;

/* All but lines and paths. */
extern const arrays_t mesh_data_arrays;

/* @return why numbers are impossible: points that do not exist, coordinates out of range;
 *         NULL: they are not; a static text */
const char *mesh_data_find_wrong(const mesh_data_t *d) MUST_CHECK;

/* Takes a zeroed one, too. */
void mesh_data_free(mesh_data_t *d);

/*
 * Read a mesh: FILE.poly, which may name its points in FILE.node; FILE.node; and what
 * belongs to them. These may be compressed (FILE.node.gz). FILE.h5 has all (mesh_file.h).
 *
 * @param path       of points or segments, by its ending
 * @param triangles  of a .ele, or NULL; not with FILE.h5; FILE.poly beside FILE.node is
 * read then as well, if there is one: edges that are segments
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT (logged)
 */
status_t mesh_data_read(const char *path, const char *triangles,
                        mesh_data_t *out) MUST_CHECK;

/* Read a mesh with its triangles: FILE.node, FILE.ele and, if there is one, FILE.poly; or
 * FILE.h5.
 * @param path  of FILE.node, FILE.poly or FILE.h5 */
status_t mesh_data_read_all(const char *path, mesh_data_t *out) MUST_CHECK;

/* Find the file with another ending beside one, compressed or not.
 * @param ending  ".ele" @return whether there is one */
bool mesh_data_beside(const char *path, const char *ending,
                      char out[MESH_PATH_BYTES]) MUST_CHECK;

/* Read one file, for mesh_data_read and for tests. */
status_t mesh_data_read_points(const char *path, mesh_data_t *d) MUST_CHECK;
status_t mesh_data_read_triangles(const char *path, mesh_data_t *d) MUST_CHECK;
/* @param d  zeros, or the points that the file does not have itself */
status_t mesh_data_read_segments(const char *path, mesh_data_t *d) MUST_CHECK;

/* Check that the files of mesh_data_write may be written. */
status_t mesh_data_check_outputs(const char *prefix, bool has_triangles,
                                 bool force) MUST_CHECK;

/* Called with each file before it has its name. @return ST_OK or ST_ENOMEM */
typedef status_t mesh_label_t(const void *ctx, FILE *to);

/*
 * Write PREFIX.node, PREFIX.poly (whose points are in that) and, if the mesh has
 * triangles, PREFIX.ele; all of them or none.
 *
 * @param label  or NULL
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT (logged)
 */
status_t mesh_data_write(const char *prefix, bool force, const mesh_data_t *d,
                         mesh_label_t *label, const void *ctx) MUST_CHECK;

/* Write PREFIX.vtk: points and triangles as an unstructured grid (VTK legacy, text). */
status_t mesh_data_write_vtk(const char *path, bool force, const mesh_data_t *d,
                             mesh_label_t *label, const void *ctx) MUST_CHECK;

/* @return whether a name, which may be NULL, is that of an HDF5 file, or one of VTK */
bool mesh_data_is_hdf5(const char *path);
bool mesh_data_is_vtk(const char *path);

/* @param buffer  out: PREFIX and an ending */
status_t mesh_data_path(const char *prefix, const char *ending,
                        char buffer[MESH_PATH_BYTES]) MUST_CHECK;
