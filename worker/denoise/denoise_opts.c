/*
 * denoise_opts.c - defaults of the options of the job "denoise", and which of them go
 * together.
 */
#include "worker/denoise/denoise_opts.h"

#include "kernels/registry/backends.h"

denoise_opts_t denoise_opts_defaults(void)
{
    return (denoise_opts_t){.reads = amplicon_inputs_defaults(),
                            .alpha = 2,
                            .min_size = 8,
                            .common = job_opts_defaults()};
}

status_t denoise_opts_settle(job_opts_t *opts, char why[JOB_OPTS_WHY_BYTES])
{
    denoise_opts_t *o = (denoise_opts_t *)opts;
    const char *misuse;
    status_t st = job_opts_check_output(&o->common, "ASVS.h5", true, why);

    if (st != ST_OK)
        return st;
    if ((misuse = amplicon_inputs_settle(&o->reads, true)) != NULL)
        return job_opts_misuse(why, "%s", misuse);
    return job_opts_settle_device(&o->common.device, o->common.kernel, &aligner_table,
                                  why);
}
