/*
 * job_run.c - around a job: the reader of files, the transport, the command line.
 */
#include "tools/options/job_run.h"

#include "io/base/child.h"
#include "io/base/logmsg.h"
#include "kernels/device/device.h"
#include "tools/options/command_run.h"

#include <stdint.h>
#include <stdlib.h>

/* Fork the child that reads, which has to be done before MPI begins.
 * @param out  NULL where there is no child */
static status_t start_reader(const job_run_t *how, child_reader_t **out)
{
    char *files[JOB_RUN_FILES];
    int n = 0;

    *out = NULL;
    if (!how->has_reader || transport_launcher_rank() != 0)
        return ST_OK;
    for (int i = 0; i < JOB_RUN_FILES; i++)
        if (how->files[i] != NULL)
            files[n++] = (char *)(uintptr_t)how->files[i];
    return child_reader_start(child_memory(n, files, device_cpu().memory_bytes),
                              how->read, how->read_arg, out);
}

int job_run(const job_run_t *how, int argc, char **argv, void *args)
{
    job_launch_t launch = {0};
    char *command_line;
    status_t st;

    log_release(true); /* the command line is valid: from now on, ranks may differ */
    if ((st = start_reader(how, &launch.reader)) != ST_OK)
        return status_exit_code(st);
    log_phases_begin();
    if ((st = transport_create(&launch.transport)) != ST_OK) {
        child_reader_destroy(launch.reader);
        return status_exit_code(st);
    }
    log_phase("ranks");
    if (launch.transport->exchange.n_ranks > 1)
        log_set_rank(launch.transport->exchange.rank);
    command_line = command_run_line(how->command, argc, argv);
    launch.command_line = command_line != NULL ? command_line : "";
    st = how->run(args, &launch);
    launch.transport->destroy(launch.transport);
    log_phase("ranks");
    log_phases_end("ended");
    child_reader_destroy(launch.reader);
    free(command_line);
    return status_exit_code(st);
}
