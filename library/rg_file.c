/*
 * rg_file.c - calls that read and write result files; a file is tried in a child first,
 * if the caller asks for that.
 */
#include "library/rg_file.h"

#include "io/base/child_reader.h"
#include "io/hdf5/h5guest.h"

#include <stdio.h>
#include <string.h>

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

/* ---- reading ---- */

typedef struct {
    rg_context_t *context;
    const char *path;
    rg_file_read_t read;
    void *what;
} trial_t;

/* In the child, which has copies of all this, but none of the pool's threads.
 * @param out  out: a status_t and the text of the error */
static status_t try_file(const void *arg, int what, buf_t *out)
{
    const trial_t *t = arg;
    const rg_messages_t *m = &t->context->messages;
    status_t st;

    (void)what;
    t->context->pool = NULL;
    t->context->memory = (rg_allocator_t){NULL, NULL, NULL};
    st = t->read(t->context, t->path, t->what);
    out->len = 0;
    return buf_append(out, &st, sizeof(st)) == ST_OK &&
                   buf_append(out, m->error.data, m->error.len) == ST_OK
               ? ST_OK
               : ST_ENOMEM;
}

static status_t try_in_child(const trial_t *t)
{
    char *files[] = {(char *)(uintptr_t)t->path};
    child_limits_t limits = child_limits(1, files, t->context->binding.memory_bytes);
    child_reader_t *reader = NULL;
    buf_t answer = {0};
    status_t st, there;

    limits.is_guest = true;
    if ((st = child_reader_start(&limits, try_file, t, &reader)) == ST_OK)
        st = child_fetch(reader, 0, &answer);
    child_reader_destroy(reader);
    if (st == ST_OK && answer.len >= sizeof(there)) {
        memcpy(&there, answer.data, sizeof(there));
        if ((st = there) != ST_OK)
            log_error("%.*s", (int)(answer.len - sizeof(there)),
                      (const char *)answer.data + sizeof(there));
    }
    buf_free(&answer);
    return st;
}

rg_status_t rg_file_read(rg_context_t *context, const char *path, rg_file_read_t read,
                         void *what)
{
    const trial_t trial = {context, path, read, what};
    log_sink_t *before;
    rg_status_t status = rg_context_enter(context, &before);
    status_t st = ST_EUSAGE;

    if (status != RG_OK)
        return status;
    if (path != NULL && what != NULL) {
        h5guest_begin();
        st = context->is_guarded ? try_in_child(&trial) : ST_OK;
        if (st == ST_OK)
            st = read(context, path, what);
        h5guest_end();
    }
    return rg_context_leave(context, before, st);
}

/* ---- writing ---- */

rg_status_t rg_file_write(rg_context_t *context, const void *what, rg_file_write_t write,
                          const char *path)
{
    log_sink_t *before;
    rg_status_t status = rg_context_enter(context, &before);
    status_t st = ST_EUSAGE;

    if (status != RG_OK)
        return status;
    if (what != NULL && path != NULL) {
        h5guest_begin();
        st = write(context, what, path);
        h5guest_end();
    }
    if (st == ST_EIO || st == ST_EBUSY)
        rg_context_remedy(context, "give another file, or check free space, write "
                                   "permission, and who else writes it");
    return rg_context_leave(context, before, st);
}

status_t rg_file_refuse_copy(void)
{
    log_error("it was read from a file; copy that file");
    return ST_EUSAGE;
}
