/*
 * mesh_file.c - the arrays of a mesh as datasets.
 */
#include "io/mesh/mesh_file.h"

#include "io/hdf5/h5util.h"
#include "io/result/result_table.h"

#include <stdlib.h>
#include <string.h>

enum {
    POINTS = 1,
    TWO,
    THREE,
    ATTRIBUTES,
    TRIANGLES,
    OF_TRIANGLES,
    SEGMENTS,
    HOLES,
    REGIONS
};

static const result_dim_t dims[RESULT_DIMS_MAX] = {
    [POINTS] = {"n", "a point", "points", MESH_MAX_POINTS},
    [TWO] = {"2", "a coordinate or an end", "coordinates or ends", 2},
    [THREE] = {"3", "a corner", "corners", 3},
    [ATTRIBUTES] = {"a", "an attribute", "attributes of points", MESH_MAX_ATTRIBUTES},
    [TRIANGLES] = {"t", "a triangle", "triangles", 2LL * MESH_MAX_POINTS},
    [OF_TRIANGLES] = {"b", "an attribute", "attributes of triangles",
                      MESH_MAX_ATTRIBUTES},
    [SEGMENTS] = {"s", "a segment", "segments", 3LL * MESH_MAX_POINTS},
    [HOLES] = {"h", "a hole", "holes", MESH_MAX_POINTS},
    [REGIONS] = {"r", "a region", "regions", MESH_MAX_POINTS},
};

/* What the file holds. */
typedef struct {
    mesh_data_t d;
    int64_t first_id;
    mesh_file_run_t run;
} content_t;

#define AT(member)  .at = offsetof(content_t, member)
#define COORDINATES .check = {RESULT_WITHIN, -MESH_MAX_COORDINATE, MESH_MAX_COORDINATE, 0}
#define IS_POINT    .check = {RESULT_INDEX, 0, 0, POINTS}
#define IS_COUNT    .check = {RESULT_WITHIN, 0, 9e15, 0}

static const result_field_t fields[] = {
    {.name = "@first_id",
     .type = RESULT_INT,
     AT(first_id),
     .check = {RESULT_WITHIN, 0, 1, 0},
     .meaning = "where numbers begin in Triangle's files of the same mesh; here from 0"},
    {.name = "/points",
     .type = RESULT_FLOAT64,
     AT(d.p),
     .shape = {POINTS, TWO},
     COORDINATES,
     .meaning = "x and y: those of the input, then new ones; 0 or at least 1e-60"},
    {.name = "/point_attributes",
     .type = RESULT_FLOAT64,
     AT(d.attribute),
     .shape = {POINTS, ATTRIBUTES},
     .is_optional = true,
     .meaning = "of points; of new ones linear between their neighbours"},
    {.name = "/point_markers",
     .type = RESULT_INT32,
     AT(d.marker),
     .shape = {POINTS},
     .is_optional = true,
     .meaning = "of points"},
    {.name = "/triangles",
     .type = RESULT_INT32,
     AT(d.triangle),
     .shape = {TRIANGLES, THREE},
     .is_optional = true,
     IS_POINT,
     .meaning = "points, counterclockwise"},
    {.name = "/triangle_attributes",
     .type = RESULT_FLOAT64,
     AT(d.triangle_attribute),
     .shape = {TRIANGLES, OF_TRIANGLES},
     .is_optional = true,
     .meaning = "of their region"},
    {.name = "/segments",
     .type = RESULT_INT32,
     AT(d.segment),
     .shape = {SEGMENTS, TWO},
     .is_optional = true,
     IS_POINT,
     .meaning = "points"},
    {.name = "/segment_markers",
     .type = RESULT_INT32,
     AT(d.segment_marker),
     .shape = {SEGMENTS},
     .is_optional = true,
     .meaning = "of segments"},
    {.name = "/holes",
     .type = RESULT_FLOAT64,
     AT(d.hole),
     .shape = {HOLES, TWO},
     .is_optional = true,
     COORDINATES,
     .meaning = "a point in each"},
    {.name = "/regions",
     .type = RESULT_FLOAT64,
     AT(d.region),
     .shape = {REGIONS, TWO},
     .is_optional = true,
     COORDINATES,
     .meaning = "a point in each"},
    {.name = "/region_attributes",
     .type = RESULT_FLOAT64,
     AT(d.region_attribute),
     .shape = {REGIONS},
     .is_optional = true,
     .meaning = "of their triangles"},
    {.name = "/region_areas",
     .type = RESULT_FLOAT64,
     AT(d.region_area),
     .shape = {REGIONS},
     .is_optional = true,
     .check = {RESULT_WITHIN, 0, MESH_MAX_COORDINATE *MESH_MAX_COORDINATE, 0},
     .meaning = "maximum of a triangle; 0: no limit"},
    {.name = NULL},
};

static const result_field_t run_fields[] = {
    {.name = "/run@rounds",
     .type = RESULT_INT,
     AT(run.n_rounds),
     IS_COUNT,
     .meaning = "of the refinement"},
    {.name = "/run@cavities",
     .type = RESULT_INT,
     AT(run.n_cavities),
     IS_COUNT,
     .meaning = "that were filled, each with one new point"},
    {.name = "/run@cut",
     .type = RESULT_INT,
     AT(run.n_cut),
     IS_COUNT,
     .meaning = "of these, those that cut a segment"},
    {.name = "/run@conflicts",
     .type = RESULT_INT,
     AT(run.n_conflicts),
     IS_COUNT,
     .meaning = "candidates that had to wait for a later round"},
    {.name = "/run@stuck",
     .type = RESULT_INT,
     AT(run.n_stuck),
     IS_COUNT,
     .meaning = "triangles that stay as they are: doubles have no better points there"},
    {.name = "/run@partial",
     .type = RESULT_INT,
     AT(run.is_partial),
     .check = {RESULT_WITHIN, 0, 1, 0},
     .meaning = "1: `--max-points` stopped it"},
    {.name = "/run@job",
     .type = RESULT_TEXT,
     AT(run.job),
     .meaning = "everything that the content depends on, as lines `name=value`"},
    {.name = NULL},
};

const result_kind_t mesh_file_kind = {
    .title = "Meshes",
    .maker = "ribogrid mesh refine",
    .format = "ribogrid-mesh",
    .major = 1,
    .minor = 0,
    .what = "a mesh",
    .dims = dims,
    .tables = {fields, run_fields},
};

/* ---- writing ---- */

static bool write(hid_t file, const content_t *c, pool_t *pool)
{
    const mesh_data_t *d = &c->d;
    const int64_t n[RESULT_DIMS_MAX] = {[POINTS] = d->n_points,
                                        [TWO] = 2,
                                        [THREE] = 3,
                                        [ATTRIBUTES] = d->n_attributes,
                                        [TRIANGLES] = d->n_triangles,
                                        [OF_TRIANGLES] = d->n_triangle_attributes,
                                        [SEGMENTS] = d->n_segments,
                                        [HOLES] = d->n_holes,
                                        [REGIONS] = d->n_regions};

    return result_write_format(file, &mesh_file_kind) &&
           run_info_write(file, &c->run.info) && result_write(file, fields, c, n, pool) &&
           result_write(file, run_fields, c, n, pool);
}

/* Have the file no arrays without values. */
static void drop_empty(mesh_data_t *d)
{
    if (d->n_attributes == 0)
        d->attribute = NULL;
    if (d->n_triangles == 0)
        d->triangle = NULL;
    if (d->n_triangles * d->n_triangle_attributes == 0)
        d->triangle_attribute = NULL;
    if (d->n_segments == 0) {
        d->segment = NULL;
        d->segment_marker = NULL;
    }
    if (d->n_holes == 0)
        d->hole = NULL;
    if (d->n_regions == 0) {
        d->region = NULL;
        d->region_attribute = d->region_area = NULL;
    }
}

status_t mesh_file_write(const char *path, bool force, const mesh_data_t *d,
                         const mesh_file_run_t *run, pool_t *pool)
{
    content_t c = {.d = *d, .first_id = d->first_id, .run = *run};
    h5whole_t to;
    status_t st = h5whole_open(path, force, &to);

    if (st != ST_OK)
        return st;
    drop_empty(&c.d);
    return h5whole_close(&to, h5whole_check(&to, write(to.file, &c, pool)));
}

/* ---- reading ---- */

bool mesh_data_is_hdf5(const char *path)
{
    const size_t len = path == NULL ? 0 : strlen(path);

    return len > 3 && strcmp(path + len - 3, ".h5") == 0;
}

void mesh_file_run_free(mesh_file_run_t *run)
{
    run_info_free(&run->info);
    free(run->job);
    *run = (mesh_file_run_t){.job = NULL};
}

static status_t set_path(const char *path, const char *dataset, int64_t n, char **to,
                         int64_t **line)
{
    const size_t bytes = strlen(path) + strlen(dataset) + 2;

    *to = malloc(bytes);
    *line = malloc((size_t)n * sizeof(**line) + 1);
    if (*to == NULL || *line == NULL)
        return log_nomem("a mesh");
    snprintf(*to, bytes, "%s %s", path, dataset);
    for (int64_t k = 0; k < n; k++)
        (*line)[k] = k;
    return ST_OK;
}

/* Holes and regions share the path of segments. */
static status_t set_paths(const char *path, mesh_data_t *d)
{
    char *of_segments = NULL;
    status_t st = set_path(path, "/points", d->n_points, &d->point_path, &d->point_line);

    if (st == ST_OK)
        st = set_path(path, "/triangles", d->n_triangles, &d->triangle_path,
                      &d->triangle_line);
    if (st == ST_OK)
        st = set_path(path, "/holes", d->n_holes, &of_segments, &d->hole_line);
    free(of_segments);
    if (st != ST_OK)
        return st;
    if ((st = set_path(path, "/regions", d->n_regions, &of_segments, &d->region_line)) ==
        ST_OK)
        st = set_path(path, "/segments", d->n_segments, &d->segment_path,
                      &d->segment_line);
    free(of_segments);
    return st;
}

status_t mesh_file_settle(const char *path, mesh_data_t *d)
{
    const char *wrong = mesh_data_find_wrong(d);
    status_t st = wrong == NULL ? set_paths(path, d)
                                : log_refusal(path, "correct it, or make it anew",
                                              "the mesh %s", wrong);

    if (st != ST_OK)
        mesh_data_free(d);
    return st;
}

/* @return what is wrong with the shapes, or NULL */
static const char *find_shape(const result_reader_t *r, const mesh_data_t *d)
{
    const int64_t *n = r->n;

    if (n[TWO] != 2 || (d->triangle != NULL && n[THREE] != 3))
        return "/points or /triangles has another shape";
    if ((d->segment == NULL) != (d->segment_marker == NULL) ||
        (d->region == NULL) != (d->region_attribute == NULL) ||
        (d->region == NULL) != (d->region_area == NULL) ||
        (d->triangle == NULL && d->triangle_attribute != NULL))
        return "it has not all datasets of its segments, regions or triangles";
    return NULL;
}

static int64_t size_of(const result_reader_t *r, int dim)
{
    return r->n[dim] > 0 ? r->n[dim] : 0;
}

static status_t read_all(result_reader_t *r, content_t *c)
{
    mesh_data_t *d = &c->d;
    const char *wrong;
    status_t st;

    if ((st = run_info_read(r, &c->run.info)) != ST_OK ||
        (st = result_read(r, fields, c)) != ST_OK ||
        (st = result_read(r, run_fields, c)) != ST_OK)
        return st;
    if ((wrong = find_shape(r, d)) != NULL)
        return result_refuse(r, "%s", wrong);
    d->first_id = (int32_t)c->first_id;
    d->n_points = r->n[POINTS];
    d->n_attributes = size_of(r, ATTRIBUTES);
    d->n_triangles = size_of(r, TRIANGLES);
    d->n_triangle_attributes = size_of(r, OF_TRIANGLES);
    d->n_segments = size_of(r, SEGMENTS);
    d->n_holes = size_of(r, HOLES);
    d->n_regions = size_of(r, REGIONS);
    return ST_OK;
}

status_t mesh_file_read(const char *path, mesh_data_t *out, mesh_file_run_t *run)
{
    content_t c = {.first_id = 0};
    result_reader_t r;
    status_t st = result_read_open(path, &mesh_file_kind, &r);

    if (st != ST_OK)
        return st;
    st = read_all(&r, &c);
    result_read_close(&r);
    if (st == ST_OK)
        st = mesh_file_settle(path, &c.d);
    if (st == ST_OK) {
        *out = c.d;
        if (run != NULL) {
            *run = c.run;
            return ST_OK;
        }
    } else
        mesh_data_free(&c.d);
    mesh_file_run_free(&c.run);
    return st;
}
