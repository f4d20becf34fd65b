/*
 * job_run.c - before a job runs: the reader of an old output, and the command line.
 */
#include "tools/job_run.h"

#include "dispatcher/transport/transport.h"
#include "io/base/child.h"
#include "kernels/device/device.h"

#include <stdint.h>

status_t job_run_start_reader(bool resume, const char *output, child_reader_fn_t read,
                              child_reader_t **out)
{
    char *files[] = {(char *)(uintptr_t)output};

    *out = NULL;
    if (!resume || transport_launcher_rank() != 0)
        return ST_OK;
    return child_reader_start(child_memory(1, files, device_cpu().memory_bytes), read,
                              output, out);
}

char *job_run_command_line(const command_t *command, int argc, char **argv)
{
    buf_t text = {0};
    status_t st = buf_printf(&text, "ribogrid %s", command->name);

    for (int i = 0; st == ST_OK && i < argc; i++)
        st = buf_printf(&text, " %s", argv[i]);
    if (st == ST_OK)
        st = buf_append(&text, "", 1);
    if (st != ST_OK)
        buf_free(&text);
    return (char *)text.data;
}
