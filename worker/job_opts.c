/*
 * job_opts.c - messages about options, and the device that follows from a kernel.
 */
#include "worker/job_opts.h"

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

status_t job_opts_settle_device(const char **device, const char *kernel,
                                const backend_table_t *table,
                                char why[JOB_OPTS_WHY_BYTES])
{
    const unsigned allowed = device_option_kinds(*device),
                   has = backend_kinds(table, kernel);

    if (allowed == 0)
        return job_opts_misuse(why, "--device %s: give auto, cpu, cuda or cuda:I",
                               *device);
    if (strcmp(kernel, "auto") == 0)
        return ST_OK;
    if (has == 0)
        return job_opts_misuse(why,
                               "--kernel %s: no such kernel in this build; `ribogrid "
                               "devices` lists them",
                               kernel);
    if ((allowed & has) == 0)
        return job_opts_misuse(why, "--kernel %s does not run on --device %s", kernel,
                               *device);
    for (int kind = 0; strcmp(*device, "auto") == 0 && kind < DEVICE_N_KINDS; kind++)
        if (has == DEVICE_BIT(kind))
            *device = device_kind_name[kind];
    return ST_OK;
}
