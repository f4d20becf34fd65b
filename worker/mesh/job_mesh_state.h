/*
 * job_mesh_state.h - the state of the job "mesh refine", and the functions that its files
 * share.
 *
 * There is one task.  Its record is a head, and then points, their attributes, attributes
 * of triangles, triangles, segments, markers of points and of segments.
 */
#pragma once

#include "kernels/mesh/mesh_build.h"
#include "kernels/mesh/refine/mesh_refine.h"
#include "worker/job_output.h"
#include "worker/mesh/mesh_opts.h"

typedef struct {
    job_t base;
    const mesh_opts_t *opts;
    const mesh_backend_t *backend; /* a worker's */

    mesh_data_t input; /* on every rank; lines and paths on rank 0 */
    uint64_t digest;   /* of it */

    /* on rank 0 from begin on, where the input is checked by it; else while the mesh is
     * refined */
    mesh_build_t build;
} job_mesh_t;

/* What a record begins with. */
typedef struct {
    int64_t has_failed; /* and there is no mesh: the worker has logged why */
    int64_t is_partial;
    int64_t n_rounds, n_cavities, n_conflicts, n_cut, n_stuck;
    int64_t n_before, n_flips, n_sharp; /* n_before: triangles */
    double seconds;
    int64_t n_points, n_triangles, n_triangle_attributes, n_segments;
} job_mesh_head_t;

/* A record that was opened. */
typedef struct {
    job_mesh_head_t head;
    mesh_data_t mesh; /* its arrays are the record's and the input's */
} job_mesh_record_t;

/* ---- job_mesh_record.c ---- */

/* Append a record. @param made  NULL: the task has failed
 * @return ST_OK or ST_ENOMEM (logged) */
status_t job_mesh_put(job_mesh_head_t head, const mesh_data_t *made,
                      buf_t *out) MUST_CHECK;

/* @return NULL, or why no run makes it: a static text */
const char *job_mesh_open_record(const job_mesh_t *j, const buf_t *record,
                                 job_mesh_record_t *out) MUST_CHECK;

/* ---- job_mesh_store.c ---- */

/* job_ops_t's */
void job_mesh_outputs(const job_opts_t *opts, job_outputs_t *out);
status_t job_mesh_describe(job_t *job);
status_t job_mesh_write_result(job_t *job, const job_report_t *report);
