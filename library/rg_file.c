/*
 * rg_file.c - how the files of the library were made.
 */
#include "library/rg_file.h"

#include <stdio.h>

void rg_file_run(const rg_context_t *context, rg_file_run_t *out)
{
    *out = (rg_file_run_t){.info = {.ranks = 1, .command = "libribogrid", .input = ""}};
    snprintf(out->devices, sizeof(out->devices), "%s, %d threads",
             context->binding.device.name, context->binding.n_threads);
    snprintf(out->program, sizeof(out->program), "ribogrid %s", rg_version());
    out->info.devices = out->devices;
    out->info.program = out->program;
    out->info.started = out->info.finished = run_info_time(time(NULL), out->time);
}

status_t rg_file_end(rg_context_t *context, status_t st)
{
    if (st == ST_EIO || st == ST_EBUSY)
        rg_context_remedy(context, "give another file, or check free space, write "
                                   "permission, and who else writes it");
    return st;
}

status_t rg_file_refuse_copy(void)
{
    log_error("it was read from a file; copy that file");
    return ST_EUSAGE;
}
