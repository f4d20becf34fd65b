/*
 * job_mesh_record.c - the record of the job "mesh refine": what the header says.
 */
#include "worker/mesh/job_mesh_state.h"

#include <math.h>
#include <string.h>

enum { N_ARRAYS = 7 };

/* An array of a record. */
typedef struct {
    void **values;
    int64_t n;
    size_t value_bytes;
} record_array_t;

/* List the arrays in their order: those of eight bytes are aligned. */
static void list_arrays(mesh_data_t *d, record_array_t out[N_ARRAYS])
{
    const record_array_t all[N_ARRAYS] = {
        {(void **)&d->p, d->n_points, sizeof(*d->p)},
        {(void **)&d->attribute, d->n_points * d->n_attributes, sizeof(*d->attribute)},
        {(void **)&d->triangle_attribute, d->n_triangles * d->n_triangle_attributes,
         sizeof(*d->triangle_attribute)},
        {(void **)&d->triangle, d->n_triangles, sizeof(*d->triangle)},
        {(void **)&d->segment, d->n_segments, sizeof(*d->segment)},
        {(void **)&d->marker, d->n_points, sizeof(*d->marker)},
        {(void **)&d->segment_marker, d->n_segments, sizeof(*d->segment_marker)},
    };

    memcpy(out, all, sizeof(all));
}

status_t job_mesh_put(job_mesh_head_t head, const mesh_data_t *made, buf_t *out)
{
    mesh_data_t d = made != NULL ? *made : (mesh_data_t){.n_points = 0};
    record_array_t arrays[N_ARRAYS];
    status_t st;

    head.has_failed = made == NULL;
    head.n_points = d.n_points;
    head.n_triangles = d.n_triangles;
    head.n_triangle_attributes = d.n_triangle_attributes;
    head.n_segments = d.n_segments;
    st = buf_append(out, &head, sizeof(head));
    list_arrays(&d, arrays);
    for (int k = 0; st == ST_OK && k < N_ARRAYS; k++)
        if (arrays[k].n > 0)
            st = buf_append(out, *arrays[k].values,
                            (size_t)arrays[k].n * arrays[k].value_bytes);
    return st;
}

/* ---- opening ---- */

static bool is_head(const job_mesh_t *j, const job_mesh_head_t *h)
{
    return h->has_failed == 0 && (h->is_partial == 0 || h->is_partial == 1) &&
           (h->is_partial == 0 || j->opts->partial) && h->n_rounds >= 0 &&
           h->n_cavities >= 0 && h->n_conflicts >= 0 && h->n_cut >= 0 &&
           h->n_stuck >= 0 && h->n_before >= 0 && h->n_flips >= 0 && h->n_sharp >= 0 &&
           h->seconds >= 0 && isfinite(h->seconds) && h->n_points >= j->input.n_points &&
           h->n_points <= MESH_MAX_POINTS && h->n_triangles > 0 &&
           h->n_triangles <= MESH_MAX_TRIANGLES &&
           (h->n_triangle_attributes == 0 || h->n_triangle_attributes == 1) &&
           h->n_segments >= 0 && h->n_segments <= 3 * h->n_triangles;
}

/* Holes and regions are the input's. */
static mesh_data_t mesh_of(const job_mesh_t *j, const job_mesh_head_t *h)
{
    mesh_data_t d = j->input;

    d.n_points = h->n_points;
    d.n_triangles = h->n_triangles;
    d.n_triangle_attributes = h->n_triangle_attributes;
    d.n_segments = h->n_segments;
    return d;
}

const char *job_mesh_open_record(const job_mesh_t *j, const buf_t *record,
                                 job_mesh_record_t *out)
{
    const mesh_data_t *input = &j->input;
    record_array_t arrays[N_ARRAYS];
    size_t at = sizeof(out->head);

    if (record->len < at)
        return "has not the length of its mesh";
    memcpy(&out->head, record->data, sizeof(out->head));
    if (!is_head(j, &out->head))
        return "has counts that no run makes";
    out->mesh = mesh_of(j, &out->head);
    list_arrays(&out->mesh, arrays);
    for (int k = 0; k < N_ARRAYS; k++) {
        *arrays[k].values = record->data + at;
        at += (size_t)arrays[k].n * arrays[k].value_bytes;
    }
    if (at != record->len)
        return "has not the length of its mesh";
    if (memcmp(out->mesh.p, input->p, (size_t)input->n_points * sizeof(*input->p)) != 0)
        return "has other points than the input";
    return mesh_data_find_wrong(&out->mesh);
}
