/*
 * job_mesh_store.c - the job "mesh refine" on rank 0: the text of the job, and the files
 * that are made of its record.
 */
#include "worker/mesh/job_mesh_state.h"

#include "io/base/logmsg.h"
#include "io/base/plural.h"
#include "io/mesh/mesh_file.h"

#include <inttypes.h>

void job_mesh_outputs(const job_opts_t *opts, job_outputs_t *out)
{
    const mesh_opts_t *o = (const mesh_opts_t *)opts;

    out->is_text = !mesh_data_is_hdf5(opts->output);
    out->kind = out->is_text ? NULL : &mesh_file_kind;
    if (o->prefix != NULL) {
        out->extra[0] = o->ele;
        out->extra[1] = o->poly;
    }
}

status_t job_mesh_describe(job_t *job)
{
    const job_mesh_t *j = (const job_mesh_t *)job;
    const mesh_opts_t *o = j->opts;

    return buf_printf(&job->text,
                      "job=mesh refine\npoints=%" PRId64 "\ninput_digest=%016" PRIx64
                      "\nangle=%.17g\nmax_area=%.17g\nmax_points=%" PRId64
                      "\nsteiner=%s\nvariant=%s\npartial=%d\nrepair=%d\n",
                      j->input.n_points, j->digest, o->angle, o->max_area, o->max_points,
                      o->steiner == 0 ? "offcenter" : "circumcenter",
                      mesh_variant_name[o->variant], o->partial, o->repair);
}

/* ---- the result ---- */

static void note_end(const job_mesh_t *j, const job_mesh_head_t *h)
{
    const char *output =
        j->opts->prefix != NULL ? j->opts->prefix : j->opts->common.output;

    log_info("%s: %" PRId64 " triangles from %" PRId64 ", %" PRId64
             " points from %" PRId64,
             output, h->n_triangles, h->n_before, h->n_points, j->input.n_points);
    log_verbose("%" PRId64 " rounds in %.2f s: %" PRId64 " cavities, of which %" PRId64
                " cut a segment; %" PRId64 " had to wait",
                h->n_rounds, h->seconds, h->n_cavities, h->n_cut, h->n_conflicts);
    if (h->n_flips > 0)
        log_info("%" PRId64 " edge%s of %s w%s flipped", h->n_flips, plural(h->n_flips),
                 j->input.triangle_path, h->n_flips == 1 ? "as" : "ere");
    if (h->n_sharp > 0)
        log_info("%" PRId64 " corner%s of segments below 60 degrees keep%s the angle",
                 h->n_sharp, plural(h->n_sharp), h->n_sharp == 1 ? "s" : "");
    if (h->n_stuck > 0)
        log_warn("%" PRId64 " triangles stay as they are: doubles have no better points "
                 "there",
                 h->n_stuck);
    if (h->is_partial)
        log_warn("stopped at %" PRId64 " points (--max-points): angles and areas are not "
                 "all reached",
                 h->n_points);
}

static status_t label(const void *job, FILE *to)
{
    return job_output_label(job, to);
}

static status_t write_hdf5(const job_mesh_t *j, const job_mesh_record_t *r,
                           const job_report_t *report)
{
    const job_mesh_head_t *h = &r->head;
    mesh_file_run_t run = {.n_rounds = h->n_rounds,
                           .n_cavities = h->n_cavities,
                           .n_conflicts = h->n_conflicts,
                           .n_cut = h->n_cut,
                           .n_stuck = h->n_stuck,
                           .is_partial = h->is_partial,
                           .job = (char *)j->base.text.data};
    job_output_run_t how;
    status_t st = job_output_run(&j->base, j->opts->input, report, &how);

    run_info_add(&how.info, "rounds", h->seconds);
    run.info = how.info;
    if (st == ST_OK)
        st = mesh_file_write(j->opts->common.output, job_opts_may_replace(j->base.opts),
                             &r->mesh, &run, j->base.pool);
    job_output_run_free(&how);
    return st;
}

static status_t write_files(const job_mesh_t *j, const job_mesh_record_t *r,
                            const job_report_t *report)
{
    const char *output = j->opts->common.output;
    const bool force = job_opts_may_replace(j->base.opts);

    if (j->opts->prefix != NULL)
        return mesh_data_write(j->opts->prefix, force, &r->mesh, label, j);
    return mesh_data_is_vtk(output)
               ? mesh_data_write_vtk(output, force, &r->mesh, label, j)
               : write_hdf5(j, r, report);
}

status_t job_mesh_write_result(job_t *job, const job_report_t *report)
{
    const job_mesh_t *j = (const job_mesh_t *)job;
    job_mesh_record_t opened;
    buf_t record = {0};
    status_t st = reslog_read(job->log, 0, &record);

    if (st == ST_OK && job_mesh_open_record(j, &record, &opened) != NULL)
        st = job_refuse(job, 0);
    if (st == ST_OK && (st = write_files(j, &opened, report)) == ST_OK)
        note_end(j, &opened.head);
    buf_free(&record);
    return st;
}
