/*
 * match_opts.c - defaults of the options of the job "automata match", and which of them
 * go together.
 */
#include "worker/automata/match_opts.h"

#include "kernels/registry/backends.h"

match_opts_t match_opts_defaults(void)
{
    return (match_opts_t){.common = {.device = "auto", .kernel = "auto"}, .stream = -1};
}

status_t match_opts_settle(job_opts_t *opts, char why[JOB_OPTS_WHY_BYTES])
{
    status_t st = job_opts_check_output(opts, "MATCHES.h5", true, why);

    return st == ST_OK
               ? job_opts_settle_device(&opts->device, opts->kernel, &scan_table, why)
               : st;
}
