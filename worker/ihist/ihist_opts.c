/*
 * ihist_opts.c - defaults of the options of the job "ihist", and which of them go
 * together.
 */
#include "worker/ihist/ihist_opts.h"

#include "kernels/registry/backends.h"

#include <inttypes.h>

ihist_opts_t ihist_opts_defaults(void)
{
    return (ihist_opts_t){.common = {.device = "auto", .kernel = "auto"},
                          .n_bins = 32,
                          .side = 64,
                          .first.stream = -1};
}

status_t ihist_opts_settle(job_opts_t *opts, char why[JOB_OPTS_WHY_BYTES])
{
    ihist_opts_t *o = (ihist_opts_t *)opts;
    const status_t st = job_opts_check_output(opts, "H.h5", true, why);

    if (st != ST_OK)
        return st;
    if (o->side % IHIST_SIDE_STEP != 0)
        return job_opts_misuse(why, "--tile-side %" PRId64 ": give a multiple of %d",
                               o->side, IHIST_SIDE_STEP);
    o->first.what.path = o->files[0];
    return job_opts_settle_device(&opts->device, opts->kernel, &ihist_table, why);
}
