/*
 * job_opts.c - messages about options, and the device that follows from a kernel.
 */
#include "worker/job_opts.h"

#include "kernels/device/device.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

status_t job_opts_misuse(char why[JOB_OPTS_WHY_BYTES], const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    vsnprintf(why, JOB_OPTS_WHY_BYTES, fmt, args);
    va_end(args);
    return ST_EUSAGE;
}

status_t job_opts_pool(const job_opts_t *opts, pool_t **out)
{
    return pool_create(opts->n_threads > 0 ? (int)opts->n_threads : device_cpu().n_cores,
                       out);
}

bool job_opts_is_stdout(const job_opts_t *o)
{
    return o->output != NULL && strcmp(o->output, "-") == 0;
}

status_t job_opts_check_output(const job_opts_t *o, const char *name, bool is_hdf5,
                               char why[JOB_OPTS_WHY_BYTES])
{
    if (o->output == NULL && o->is_plan && !o->resume)
        return ST_OK;
    if (o->output == NULL)
        return job_opts_misuse(why, "no output file; give -o %s", name);
    if (job_opts_is_stdout(o) && (is_hdf5 || o->resume))
        return job_opts_misuse(why, "%s; give -o a file",
                               is_hdf5 ? "HDF5 cannot be written to stdout"
                                       : "nothing is kept of a run with -o -, so it "
                                         "cannot be continued");
    return o->force && o->resume
               ? job_opts_misuse(why, "give --force or --resume, not both")
               : ST_OK;
}

status_t job_opts_settle_device(const char **device, const char *kernel,
                                const backend_table_t *table,
                                char why[JOB_OPTS_WHY_BYTES])
{
    const unsigned allowed = device_option_kinds(*device),
                   has = backend_kinds(table, kernel);
    char guess[NEAR_WORD_BYTES];

    if (allowed == 0)
        return job_opts_misuse(why, "--device %s: give auto, cpu, cuda or cuda:I",
                               *device);
    if (strcmp(kernel, "auto") == 0)
        return ST_OK;
    if (has == 0)
        return job_opts_misuse(why,
                               "--kernel %.80s: no such kernel in this build%s; "
                               "`ribogrid devices` lists them",
                               kernel, backend_guess(table, kernel, guess));
    if ((allowed & has) == 0)
        return job_opts_misuse(why, "--kernel %s does not run on --device %s", kernel,
                               *device);
    for (int kind = 0; strcmp(*device, "auto") == 0 && kind < DEVICE_N_KINDS; kind++)
        if (has == DEVICE_BIT(kind))
            *device = device_kind_name[kind];
    return ST_OK;
}
