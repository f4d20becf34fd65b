/*
 * clades_opts.c - defaults of the options of the job "clades", and which of them go
 * together.
 */
#include "worker/clades/clades_opts.h"

clades_opts_t clades_opts_defaults(void)
{
    return (clades_opts_t){.common = {.device = "cpu", .kernel = "auto"},
                           .cuts_text = "family",
                           .n_bins = 100,
                           .stream = -1};
}

status_t clades_opts_settle(job_opts_t *opts, char why[JOB_OPTS_WHY_BYTES])
{
    clades_opts_t *o = (clades_opts_t *)opts;
    status_t st = job_opts_check_output(opts, "C.h5", true, why);

    if (st != ST_OK)
        return st;
    if (o->taxonomy == NULL)
        return job_opts_misuse(why, "taxa need lineages; give --taxonomy FILE");
    if (!clades_cuts_parse(o->cuts_text, &o->cuts))
        return job_opts_misuse(
            why,
            "--cuts %s: give a rank (family, genus ... or its number), every:N or all",
            o->cuts_text);
    return ST_OK;
}
