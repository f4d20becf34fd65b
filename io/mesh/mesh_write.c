/*
 * mesh_write.c - Triangle's files, and VTK's.
 */
#include "io/base/logmsg.h"
#include "io/file/whole_file.h"
#include "io/mesh/mesh_data.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { N_FILES = 3 };
static const char *const endings[N_FILES] = {".node", ".poly", ".ele"};

status_t mesh_data_path(const char *prefix, const char *ending,
                        char buffer[MESH_PATH_BYTES])
{
    const int n = snprintf(buffer, MESH_PATH_BYTES, "%s%s", prefix, ending);

    if (n > 0 && n < MESH_PATH_BYTES)
        return ST_OK;
    log_error("%.60s...: the path is too long; give a shorter one", prefix);
    return ST_EINPUT;
}

status_t mesh_data_check_outputs(const char *prefix, bool has_triangles, bool force)
{
    char path[MESH_PATH_BYTES];
    status_t st = ST_OK;

    for (int k = 0; st == ST_OK && k < (has_triangles ? N_FILES : N_FILES - 1); k++)
        if ((st = mesh_data_path(prefix, endings[k], path)) == ST_OK)
            st = whole_file_check(path, WHOLE_FILE_TEXT, force);
    return st;
}

/* ---- rows ---- */

static void write_points(FILE *to, const mesh_data_t *d)
{
    fprintf(to, "%" PRId64 " 2 %" PRId64 " %d\n", d->n_points, d->n_attributes,
            d->marker != NULL);
    for (int64_t k = 0; k < d->n_points; k++) {
        fprintf(to, "%" PRId64 " %.17g %.17g", k + d->first_id, d->p[k][0], d->p[k][1]);
        for (int64_t i = 0; i < d->n_attributes; i++)
            fprintf(to, " %.17g", d->attribute[k * d->n_attributes + i]);
        if (d->marker != NULL)
            fprintf(to, " %" PRId32, d->marker[k]);
        putc('\n', to);
    }
}

static void write_triangles(FILE *to, const mesh_data_t *d)
{
    fprintf(to, "%" PRId64 " 3 %" PRId64 "\n", d->n_triangles, d->n_triangle_attributes);
    for (int64_t k = 0; k < d->n_triangles; k++) {
        fprintf(to, "%" PRId64, k + d->first_id);
        for (int e = 0; e < 3; e++)
            fprintf(to, " %" PRId32, d->triangle[k][e] + d->first_id);
        for (int64_t i = 0; i < d->n_triangle_attributes; i++)
            fprintf(to, " %.17g",
                    d->triangle_attribute[k * d->n_triangle_attributes + i]);
        putc('\n', to);
    }
}

static void write_segments(FILE *to, const mesh_data_t *d)
{
    fprintf(to, "0 2 0 %d\n%" PRId64 " 1\n", d->marker != NULL, d->n_segments);
    for (int64_t k = 0; k < d->n_segments; k++)
        fprintf(to, "%" PRId64 " %" PRId32 " %" PRId32 " %" PRId32 "\n", k + d->first_id,
                d->segment[k][0] + d->first_id, d->segment[k][1] + d->first_id,
                d->segment_marker[k]);
    fprintf(to, "%" PRId64 "\n", d->n_holes);
    for (int64_t k = 0; k < d->n_holes; k++)
        fprintf(to, "%" PRId64 " %.17g %.17g\n", k + d->first_id, d->hole[k][0],
                d->hole[k][1]);
    if (d->n_regions > 0)
        fprintf(to, "%" PRId64 "\n", d->n_regions);
    for (int64_t k = 0; k < d->n_regions; k++)
        fprintf(to, "%" PRId64 " %.17g %.17g %.17g %.17g\n", k + d->first_id,
                d->region[k][0], d->region[k][1], d->region_attribute[k],
                d->region_area[k] > 0 ? d->region_area[k] : -1);
}

/* ---- files ---- */

status_t mesh_data_write(const char *prefix, bool force, const mesh_data_t *d,
                         mesh_label_t *label, const void *ctx)
{
    static void (*const write[N_FILES])(FILE *, const mesh_data_t *) = {write_points,
                                                                        write_segments,
                                                                        write_triangles};
    const int n = d->n_triangles > 0 ? N_FILES : N_FILES - 1;
    whole_file_t *file[N_FILES] = {NULL};
    char path[MESH_PATH_BYTES];
    status_t st = ST_OK;

    for (int k = 0; st == ST_OK && k < n; k++)
        if ((st = mesh_data_path(prefix, endings[k], path)) == ST_OK &&
            (st = whole_file_open(path, WHOLE_FILE_TEXT, force, &file[k])) == ST_OK) {
            write[k](whole_file_stream(file[k]), d);
            st = label != NULL ? label(ctx, whole_file_stream(file[k])) : ST_OK;
            st = st == ST_OK ? whole_file_finish(file[k]) : st;
        }
    for (int k = 0; st == ST_OK && k < n; k++)
        st = whole_file_publish(file[k]);
    for (int k = 0; k < n; k++)
        st = whole_file_close(file[k], st);
    return st;
}

static void write_vtk(FILE *to, const mesh_data_t *d)
{
    fprintf(to, "# vtk DataFile Version 3.0\nmesh\nASCII\nDATASET UNSTRUCTURED_GRID\n");
    fprintf(to, "POINTS %" PRId64 " double\n", d->n_points);
    for (int64_t k = 0; k < d->n_points; k++)
        fprintf(to, "%.17g %.17g 0\n", d->p[k][0], d->p[k][1]);
    fprintf(to, "CELLS %" PRId64 " %" PRId64 "\n", d->n_triangles, 4 * d->n_triangles);
    for (int64_t k = 0; k < d->n_triangles; k++)
        fprintf(to, "3 %" PRId32 " %" PRId32 " %" PRId32 "\n", d->triangle[k][0],
                d->triangle[k][1], d->triangle[k][2]);
    fprintf(to, "CELL_TYPES %" PRId64 "\n", d->n_triangles);
    for (int64_t k = 0; k < d->n_triangles; k++)
        fputs("5\n", to);
    if (d->n_attributes > 0)
        fprintf(to, "POINT_DATA %" PRId64 "\n", d->n_points);
    for (int64_t i = 0; i < d->n_attributes; i++) {
        fprintf(to, "SCALARS attribute_%" PRId64 " double 1\nLOOKUP_TABLE default\n",
                i + 1);
        for (int64_t k = 0; k < d->n_points; k++)
            fprintf(to, "%.17g\n", d->attribute[k * d->n_attributes + i]);
    }
    if (d->n_triangle_attributes > 0)
        fprintf(to, "CELL_DATA %" PRId64 "\n", d->n_triangles);
    for (int64_t i = 0; i < d->n_triangle_attributes; i++) {
        fprintf(to, "SCALARS region_%" PRId64 " double 1\nLOOKUP_TABLE default\n", i + 1);
        for (int64_t k = 0; k < d->n_triangles; k++)
            fprintf(to, "%.17g\n",
                    d->triangle_attribute[k * d->n_triangle_attributes + i]);
    }
}

bool mesh_data_is_vtk(const char *path)
{
    const size_t len = path == NULL ? 0 : strlen(path);

    return len > 4 && strcmp(path + len - 4, ".vtk") == 0;
}

status_t mesh_data_write_vtk(const char *path, bool force, const mesh_data_t *d,
                             mesh_label_t *label, const void *ctx)
{
    whole_file_t *file;
    status_t st = whole_file_open(path, WHOLE_FILE_TEXT, force, &file);

    if (st != ST_OK)
        return st;
    write_vtk(whole_file_stream(file), d);
    return whole_file_close(file,
                            label != NULL ? label(ctx, whole_file_stream(file)) : ST_OK);
}
