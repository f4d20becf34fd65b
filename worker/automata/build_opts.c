/*
 * build_opts.c - defaults of the options of the job "automata build", and which of them
 * go together.
 */
#include "worker/automata/build_opts.h"

#include "kernels/registry/backends.h"

#include <string.h>

build_opts_t build_opts_defaults(void)
{
    return (build_opts_t){.common = {.device = "cpu", .kernel = "auto"},
                          .limits = {.max_states = 2000, .max_bytes = (int64_t)1 << 30}};
}

status_t build_opts_settle(job_opts_t *opts, char why[JOB_OPTS_WHY_BYTES])
{
    status_t st = job_opts_check_output(opts, "AUTOMATA.h5", true, why);

    if (st == ST_OK)
        st = job_opts_settle_device(&opts->device, opts->kernel, &subset_table, why);
    if (st == ST_OK && IS_GIVEN((const build_opts_t *)opts, allocator) &&
        strcmp(opts->device, "cpu") == 0)
        return job_opts_misuse(why, "--allocator is of GPUs; give --device cuda, too");
    return st;
}
