/*
 * reslog_copy.c - the records of a shard, copied as they are.
 */
#include "io/store/reslog_copy.h"

#include "io/base/logmsg.h"
#include "io/store/reslog_file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Copied per call: the caller has other things to do in between. */
enum { PIECE_BYTES = 4 << 20 };

struct reslog_copy {
    const reslog_t *shard;
    char *first;
    int fd;
    int64_t from, to; /* offsets of the next piece */
    int64_t shift;    /* from an offset in the shard to that in the first log */
    buf_t piece;
};

status_t reslog_copy_begin(const reslog_t *shard, const char *first, int64_t at,
                           reslog_copy_t **out)
{
    reslog_copy_t *c = calloc(1, sizeof(*c));
    status_t st = ST_ENOMEM;

    if (c == NULL || (c->first = strdup(first)) == NULL) {
        free(c);
        return log_nomem("copying the log");
    }
    c->shard = shard;
    c->from = reslog_start(shard);
    c->to = at;
    c->shift = at - c->from;
    c->fd = open(first, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (c->fd < 0)
        st = reslog_file_fail(first, "open");
    else
        st = buf_reserve(&c->piece, PIECE_BYTES);
    if (st != ST_OK) {
        reslog_copy_end(c);
        return st;
    }
    *out = c;
    return ST_OK;
}

status_t reslog_copy_step(reslog_copy_t *c, bool *done)
{
    const int64_t left = reslog_end(c->shard) - c->from;
    const size_t len = left < PIECE_BYTES ? (size_t)left : PIECE_BYTES;

    if (len > 0) {
        if (!reslog_file_get(reslog_fd(c->shard), c->piece.data, len, c->from))
            return reslog_file_fail(reslog_path(c->shard), "read");
        if (!reslog_file_put(c->fd, c->piece.data, len, c->to))
            return reslog_file_fail(c->first, "write");
    }
    c->from += (int64_t)len;
    c->to += (int64_t)len;
    if (len == (size_t)left && fdatasync(c->fd) != 0)
        return reslog_file_fail(c->first, "sync");
    *done = len == (size_t)left;
    return ST_OK;
}

status_t reslog_copy_places(const reslog_copy_t *c, int64_t n_tasks, buf_t *out)
{
    status_t st = ST_OK;

    for (int64_t task = 0; st == ST_OK && task < n_tasks; task++) {
        const reslog_copied_t copied = {task,
                                        reslog_has(c->shard, task)
                                            ? reslog_payload_at(c->shard, task) + c->shift
                                            : 0};

        if (copied.payload_at > 0)
            st = buf_append(out, &copied, sizeof(copied));
    }
    return st;
}

void reslog_copy_end(reslog_copy_t *c)
{
    if (c == NULL)
        return;
    if (c->fd >= 0)
        close(c->fd);
    free(c->first);
    buf_free(&c->piece);
    free(c);
}
