/*
 * mesh_opts.c - defaults of the options of the job "mesh refine", and which of them go
 * together.
 */
#include "worker/mesh/mesh_opts.h"

#include "kernels/registry/backends.h"

#include <string.h>

/* Above it, refinement may go on for ever. */
static const double safe_angle = 33.8;

mesh_opts_t mesh_opts_defaults(void)
{
    return (mesh_opts_t){.common = job_opts_defaults(), .angle = 30, .stream = -1};
}

static status_t settle_output(mesh_opts_t *o)
{
    const char *output = o->common.output;
    status_t st;

    if (output == NULL || mesh_data_is_hdf5(output) || mesh_data_is_vtk(output))
        return ST_OK;
    if ((st = mesh_data_path(output, ".node", o->node)) != ST_OK ||
        (st = mesh_data_path(output, ".ele", o->ele)) != ST_OK ||
        (st = mesh_data_path(output, ".poly", o->poly)) != ST_OK)
        return st;
    o->prefix = output;
    o->common.output = o->node;
    return ST_OK;
}

status_t mesh_opts_settle(job_opts_t *opts, char why[JOB_OPTS_WHY_BYTES])
{
    mesh_opts_t *o = (mesh_opts_t *)opts;
    status_t st = job_opts_check_output(opts, "PREFIX", true, why);

    if (st != ST_OK || (st = job_opts_settle_device(&opts->device, opts->kernel,
                                                    &mesh_table, why)) != ST_OK)
        return st;
    if (o->variant > MESH_BASE &&
        (backend_kinds(&mesh_table, "auto") & DEVICE_BIT(DEVICE_CUDA)) == 0)
        return job_opts_misuse(why,
                               "--variant %s needs a GPU, and this build has no kernels "
                               "for any; give rounds or base",
                               mesh_variant_name[o->variant]);
    if (o->variant > MESH_BASE && strcmp(opts->device, "auto") == 0)
        opts->device = device_kind_name[DEVICE_CUDA];
    if (o->variant > MESH_BASE &&
        (device_option_kinds(opts->device) & DEVICE_BIT(DEVICE_CUDA)) == 0)
        return job_opts_misuse(why,
                               "--variant %s needs a GPU: give --device cuda, or "
                               "--variant rounds or base",
                               mesh_variant_name[o->variant]);
    if (o->angle > safe_angle && o->max_points == 0)
        return job_opts_misuse(why,
                               "--angle %g: above %g refinement may not end; give "
                               "--max-points N as well",
                               o->angle, safe_angle);
    if (o->partial && o->max_points == 0)
        return job_opts_misuse(why, "--partial is for --max-points; give it");
    if (o->repair && o->triangles == NULL && !mesh_data_is_hdf5(o->input))
        return job_opts_misuse(why, "--repair is for the triangles of IN.ele; give it");
    return settle_output(o);
}
