/*
 * job_mesh.c - the job "mesh refine": its input, its task, and its table of functions.
 */
#include "worker/mesh/job_mesh_state.h"

#include "io/base/clock.h"
#include "io/base/digest.h"
#include "io/base/logmsg.h"
#include "io/file/memfd_stream.h"
#include "io/mesh/mesh_file.h"
#include "kernels/mesh/exact/predicates.h"
#include "kernels/registry/backends.h"

#include <inttypes.h>

enum { CHILD_MESH = JOB_CHILD_FIRST };

/* ---- input ---- */

static status_t answer(const void *opts, int question, buf_t *out)
{
    const mesh_opts_t *o = opts;
    mesh_data_t d = {0};
    status_t st = mesh_file_read(o->input, &d, NULL);

    (void)question; /* there is one */
    (void)out;
    if (st == ST_OK)
        st = memfd_stream_put_object(o->stream, &mesh_data_arrays, &d);
    mesh_data_free(&d);
    return st;
}

static status_t reader(job_opts_t *opts, job_reader_t *out)
{
    mesh_opts_t *o = (mesh_opts_t *)opts;

    if (!mesh_data_is_hdf5(o->input))
        return ST_OK;
    *out = (job_reader_t){.is_needed = true, .answer = answer, .files = {o->input}};
    return memfd_stream_create(mesh_data_arrays.what, &o->stream);
}

static status_t read_input(job_mesh_t *j)
{
    const mesh_opts_t *o = j->opts;
    status_t st;

    if (o->stream < 0 || o->common.reader == NULL || o->triangles != NULL)
        return mesh_data_read(o->input, o->triangles, &j->input);
    st = memfd_stream_fetch(o->common.reader, CHILD_MESH, o->stream, &mesh_data_arrays,
                            &j->input);
    return st == ST_OK ? mesh_file_settle(o->input, &j->input) : st;
}

/* Rank 0 finds the faults of the input before anything is kept of the run. */
static status_t read_and_build(job_mesh_t *j)
{
    const status_t st = read_input(j);

    return st == ST_OK ? mesh_build(&j->input, j->opts->repair, &j->build) : st;
}

static status_t begin(job_t *job, exchange_t *x)
{
    job_mesh_t *j = (job_mesh_t *)job;
    status_t st;

    j->opts = (const mesh_opts_t *)job->opts;
    if ((st = exchange_agree(x, x->rank == 0 ? read_and_build(j) : ST_OK)) != ST_OK ||
        (st = exchange_object(x, &mesh_data_arrays, &j->input)) != ST_OK)
        return st;
    j->digest = arrays_digest(&mesh_data_arrays, DIGEST_START, &j->input);
    job->plan = (job_plan_t){.kind = JOB_FREE,
                             .n_tasks = 1,
                             .task_word = "meshes",
                             .item_word = "points",
                             .is_watched = true}; /* it may have failed */
    return ST_OK;
}

static int64_t cost(const job_t *job, int64_t task)
{
    (void)task;
    return ((const job_mesh_t *)job)->input.n_points;
}

static status_t opened(job_t *job)
{
    const job_mesh_t *j = (const job_mesh_t *)job;

    log_info("%s: %" PRId64 " points, %" PRId64 " segments, %" PRId64 " triangles",
             j->opts->input, j->input.n_points, j->input.n_segments,
             j->build.m.n_triangles);
    return ST_OK;
}

/* ---- the task ---- */

static status_t prepare(job_t *job, const char **kernel_name, double *guess)
{
    job_mesh_t *j = (job_mesh_t *)job;
    const backend_request_t request = {.name =
                                           backend_name_on(&mesh_table, job->opts->kernel,
                                                           job->device.kind),
                                       .device = &job->device};
    const backend_t *row;
    status_t st = backend_choose(&mesh_table, &request, &job->device, &row);

    if (st != ST_OK)
        return st;
    j->backend = (const mesh_backend_t *)row;
    job->depth = 1;
    job->max_batch = 1;
    job->result_bytes = sizeof(buf_t);
    *kernel_name = row->name;
    *guess = backend_rate(row, job->pool);
    return ST_OK;
}

static void release(job_t *job)
{
    (void)job;
}

static void free_result(void *result)
{
    buf_free(result);
}

static bool go_on(void *ctx, const tri_mesh_t *m, const mesh_refine_report_t *report)
{
    (void)m;
    (void)report;
    return !job_is_cancelled(ctx);
}

/* @return a lower bound of the triangles that limits of areas require */
static double triangles_for_areas(const tri_mesh_t *m, double max_area)
{
    double n = 0;

    for (int64_t k = 0; k < m->n_triangles; k++) {
        const mesh_tri_t *t = &m->t[k];
        double limit = m->n_regions > 0 ? m->region[t->region].max_area : 0;

        if (max_area > 0 && (limit == 0 || max_area < limit))
            limit = max_area;
        if (limit > 0)
            n += orient2d(m->p[t->v[0]], m->p[t->v[1]], m->p[t->v[2]]) / 2 / limit;
    }
    return n;
}

/* @return also ST_EINPUT (logged): to try again would give the same error */
static status_t refine(job_mesh_t *j, job_mesh_head_t *head)
{
    const mesh_opts_t *o = j->opts;
    const mesh_refine_spec_t spec = {.backend = j->backend,
                                     .device = &j->base.device,
                                     .min_angle = o->angle,
                                     .max_area = o->max_area,
                                     .max_points = o->max_points,
                                     .off_center = o->steiner == 0,
                                     .variant = (mesh_variant_t)o->variant};
    const double start = clock_now_s();
    mesh_refine_report_t r;
    status_t st;

    if (o->max_points == 0 &&
        triangles_for_areas(&j->build.m, o->max_area) > 2.0 * MESH_MAX_POINTS) {
        log_error("%s: so small areas (--max-area, or of regions) need more than %d "
                  "points, the limit; give larger ones, or --max-points",
                  o->input, MESH_MAX_POINTS);
        return ST_EINPUT;
    }
    head->n_before = j->build.m.n_triangles;
    head->n_flips = j->build.n_flips;
    head->n_sharp = o->angle > 0 ? j->build.n_sharp : 0;
    st = mesh_refine(&j->build.m, &spec, j->base.pool, go_on, &j->base, &r);
    head->seconds = clock_now_s() - start;
    head->is_partial = r.is_partial;
    head->n_rounds = r.n_rounds;
    head->n_cavities = r.n_cavities;
    head->n_conflicts = r.n_conflicts;
    head->n_cut = r.n_cut;
    head->n_stuck = r.n_stuck;
    if (st != ST_OK || !r.is_partial || o->partial)
        return st;
    log_error("%s: at %" PRId64 " points (--max-points) angles and areas are not all "
              "reached, and nothing is written; give more, or --partial",
              o->input, j->build.m.n_points);
    return ST_EINPUT;
}

static status_t collect(job_t *job, int place)
{
    job_mesh_t *j = (job_mesh_t *)job;
    buf_t *record = job_result(job, place, 0);
    job_mesh_head_t head = {.has_failed = 0};
    mesh_data_t made = {0};
    status_t st = ST_OK;

    if (job_is_cancelled(job))
        return ST_OK;
    record->len = 0;
    if (j->build.m.n_triangles == 0)
        st = mesh_build(&j->input, j->opts->repair, &j->build);
    if (st == ST_OK && (st = refine(j, &head)) == ST_OK &&
        (st = mesh_build_data(&j->build, &j->input, &made)) == ST_OK)
        st = job_mesh_put(head, &made, record);
    else if (st == ST_EINPUT)
        st = job_mesh_put(head, NULL, record);
    mesh_data_free(&made);
    mesh_build_free(&j->build);
    return job_is_cancelled(job) ? ST_OK : st;
}

static status_t pack(job_t *job, int place, int k, int thread, buf_t *out)
{
    const buf_t *record = job_result(job, place, k);

    (void)thread;
    return buf_append(out, record->data, record->len);
}

static const char *check_record(job_t *job, int64_t task, int64_t version,
                                const buf_t *record)
{
    job_mesh_record_t opened;

    (void)task;
    (void)version;
    return job_mesh_open_record((const job_mesh_t *)job, record, &opened);
}

/* To refine it again would fail again. */
static status_t note_result(job_t *job, int64_t task, int64_t version, const void *data,
                            size_t len)
{
    const job_mesh_head_t *head = data;

    (void)job;
    (void)task;
    (void)version;
    return len < sizeof(*head) || head->has_failed ? ST_EINPUT : ST_OK;
}

static void free_job(job_t *job)
{
    job_mesh_t *j = (job_mesh_t *)job;

    mesh_build_free(&j->build);
    mesh_data_free(&j->input);
}

const job_ops_t job_mesh_ops = {
    .name = "mesh refine",
    .size = sizeof(job_mesh_t),
    .settle = mesh_opts_settle,
    .reader = reader,
    .outputs = job_mesh_outputs,
    .begin = begin,
    .cost = cost,
    .items = cost,
    .describe = job_mesh_describe,
    .check_record = check_record,
    .opened = opened,
    .prepare = prepare,
    .release = release,
    .free_result = free_result,
    .collect = collect,
    .pack = pack,
    .note_result = note_result,
    .write_result = job_mesh_write_result,
    .free = free_job,
};
