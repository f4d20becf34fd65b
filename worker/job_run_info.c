/*
 * job_run_info.c - how a job was run, for the file that it writes.
 */
#include "worker/job_run_info.h"

status_t job_run_info(const job_t *job, const char *input, const job_report_t *report,
                      job_run_info_t *out)
{
    status_t st = ST_OK;

    *out = (job_run_info_t){.info = {.ranks = report->n_ranks}};
    for (int i = 0; st == ST_OK && i < report->n_ranks; i++)
        st = buf_printf(&out->devices, "%s\n", report->ranks[i]);
    if (st == ST_OK)
        st = buf_append(&out->devices, "", 1);
    out->info.program = job->opts->version;
    out->info.command = job->opts->command_line;
    out->info.input = input;
    out->info.started = run_info_time(job->started, out->started);
    out->info.finished = run_info_time(time(NULL), out->finished);
    out->info.seconds = report->seconds;
    out->info.devices = (const char *)out->devices.data;
    return st;
}

void job_run_info_free(job_run_info_t *run)
{
    buf_free(&run->devices);
}
