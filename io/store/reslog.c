/*
 * reslog.c - the log of finished tasks: records appended, found again, and cut where
 * torn.
 */
#include "io/store/reslog.h"

#include "io/base/child.h"
#include "io/base/logmsg.h"
#include "io/fault/fault.h"
#include "io/file/whole_file.h"
#include "io/store/deflate.h"
#include "io/store/reslog_file.h"
#include "io/store/reslog_head.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

/* Smaller records share most of their memory pages with others. */
enum { DROP_BYTES_MIN = 1 << 14 };

enum { RECORD_MARK = 0x52474c32 };

/* Of the file that replaces a log; small logs are not worth it. */
enum { RECLAIM_BYTES_MIN = 1 << 20 };

typedef struct {
    uint32_t mark;
    uint32_t payload_crc;
    int64_t task;
    int64_t version;
    uint64_t len;
    uint32_t zero;
    uint32_t crc; /* of the fields above */
} record_t;

struct reslog {
    int fd;
    bool is_read_only, has_copies;
    int n_shards;
    char *path;
    int64_t start;     /* offset of the first record */
    int64_t end;       /* and of the next one */
    int64_t completed; /* end when a version was completed last, or start */
    int64_t patience;  /* bytes of records before superseded ones are dropped */
    reslog_index_t index;
};

/* One call for the record and its payload, because tasks may be many and small; then the
 * rest, where the disk took only a part. */
static bool put_record(int fd, const record_t *rec, const void *data, size_t len,
                       int64_t at)
{
    struct iovec both[] = {{(void *)(uintptr_t)rec, sizeof(*rec)},
                           {(void *)(uintptr_t)data, len}};
    ssize_t n =
        fault_now(FAULT_SHORT) ? pwritev(fd, both, 1, at) : pwritev(fd, both, 2, at);
    size_t done = n > 0 ? (size_t)n : 0;
    size_t rec_done = done < sizeof(*rec) ? done : sizeof(*rec);
    size_t data_done = done - rec_done;

    return reslog_file_put(fd, (const char *)rec + rec_done, sizeof(*rec) - rec_done,
                           at + (int64_t)rec_done) &&
           reslog_file_put(fd, (const char *)data + data_done, len - data_done,
                           at + (int64_t)(sizeof(*rec) + data_done));
}

typedef enum { RECORD_NONE, RECORD_DAMAGED, RECORD_GOOD } record_state_t;

/* The record at log->end is whole, but no run has written it there. */
static status_t refuse(const reslog_t *log, const record_t *rec, const char *why)
{
    log_error(
        "%s: the record of task %lld, version %lld, at byte %lld %s; give --force to "
        "start anew",
        log->path, (long long)rec->task, (long long)rec->version, (long long)log->end,
        why);
    return ST_EINPUT;
}

/* Read what starts at log->end: nothing whole, a record with a damaged payload, or a good
 * record. */
static status_t record_at_end(const reslog_t *log, record_t *rec, buf_t *payload,
                              record_state_t *state)
{
    struct stat info;
    status_t st;

    *state = RECORD_NONE;
    payload->len = 0;
    if (!reslog_file_get(log->fd, rec, sizeof(*rec), log->end))
        return reslog_file_end(log->path);
    if (rec->mark != RECORD_MARK ||
        rec->crc != deflate_crc32(rec, offsetof(record_t, crc)))
        return ST_OK;
    if (rec->task < 0 || rec->task >= log->index.n_tasks || rec->version < 0)
        return refuse(log, rec, "is of a task or version that the job does not have");
    if (fstat(log->fd, &info) != 0)
        return reslog_file_fail(log->path, "read");
    if (rec->len > (uint64_t)info.st_size) /* before memory is reserved for it */
        return ST_OK;
    if ((st = buf_reserve(payload, rec->len)) != ST_OK)
        return st;
    if (!reslog_file_get(log->fd, payload->data, rec->len,
                         log->end + (int64_t)sizeof(*rec)))
        return reslog_file_end(log->path);
    *state = deflate_crc32(payload->data, rec->len) == rec->payload_crc ? RECORD_GOOD
                                                                        : RECORD_DAMAGED;
    return ST_OK;
}

/* Note the good record at log->end.  A task's versions ascend; a version is stored once,
 * or again with the same content. */
static status_t note(reslog_t *log, const record_t *rec)
{
    const reslog_record_at_t last = log->index.last[rec->task];
    record_t before = {.len = 0};
    status_t st;

    if (last.at != 0 && rec->version < last.version)
        return refuse(log, rec, "follows one of a later version");
    if (last.at != 0 && rec->version == last.version && log->has_copies)
        return ST_OK;
    if (last.at != 0 && rec->version == last.version) {
        if (!reslog_file_get(log->fd, &before, sizeof(before), last.at))
            return reslog_file_fail(log->path, "read");
        return before.len == rec->len && before.payload_crc == rec->payload_crc
                   ? ST_OK
                   : refuse(log, rec, "follows one with another content");
    }
    if ((st = reslog_index_reserve(&log->index, rec->task, rec->version)) == ST_OK)
        reslog_index_note(&log->index, rec->task, rec->version, log->end,
                          log->end + (int64_t)(sizeof(*rec) + rec->len));
    return st;
}

/* Index every good record; cut off what follows the last whole one. */
static status_t scan(reslog_t *log)
{
    buf_t payload = {0};
    record_state_t state;
    struct stat info;
    record_t rec;
    status_t st;

    while ((st = record_at_end(log, &rec, &payload, &state)) == ST_OK &&
           state != RECORD_NONE) {
        if (state == RECORD_GOOD && (st = note(log, &rec)) != ST_OK)
            break;
        log->end += (int64_t)(sizeof(rec) + rec.len);
    }
    buf_free(&payload);
    if (st != ST_OK)
        return st;
    if (fstat(log->fd, &info) != 0)
        return reslog_file_fail(log->path, "read");
    if (info.st_size > log->end && !log->is_read_only) {
        log_info("%s: dropping a torn record of %lld bytes", log->path,
                 (long long)(info.st_size - log->end));
        if (ftruncate(log->fd, log->end) != 0)
            return reslog_file_fail(log->path, "cut");
    }
    return ST_OK;
}

/* @return the name of the file that replaces a log, or NULL; the caller frees it */
static char *second_path(const reslog_t *log)
{
    char *path = NULL;

    return asprintf(&path, "%s" RESLOG_COPY_SUFFIX, log->path) >= 0 ? path : NULL;
}

/* What a killed run has left of it. */
static void remove_second(const reslog_t *log)
{
    char *path = second_path(log);

    if (path != NULL && reslog_is_log(path))
        unlink(path);
    free(path);
}

typedef struct {
    reslog_file_how_t how;
    bool afresh, is_shard;
} open_t;

/* A log without a whole header has no records. */
static status_t begin_anew(reslog_head_t *head, const char *text, open_t o)
{
    if (o.how != RESLOG_FILE_READ)
        return reslog_head_write(head, text);
    log_error("%s has lost its header; run again with --resume", head->path);
    return ST_EIO;
}

static status_t open_log(const char *path, const char *text, int64_t n_tasks, open_t o,
                         reslog_t **out)
{
    reslog_t *log = calloc(1, sizeof(*log));
    reslog_head_t head;
    bool whole = false;
    status_t st = ST_ENOMEM;

    if (log == NULL)
        return log_nomem("the log");
    log->fd = -1;
    log->is_read_only = o.how == RESLOG_FILE_READ;
    if ((log->path = strdup(path)) == NULL) {
        log_nomem("the log");
        goto fail;
    }
    if ((st = reslog_index_begin(&log->index, n_tasks)) != ST_OK ||
        (st = reslog_file_open(path, o.how, &log->fd)) != ST_OK)
        goto fail;
    head = (reslog_head_t){.fd = log->fd,
                           .path = path,
                           .n_tasks = n_tasks,
                           .is_shard = o.is_shard};
    if ((st = reslog_head_check(&head)) != ST_OK ||
        (!o.afresh && (st = reslog_head_read(&head, text, &whole)) != ST_OK))
        goto fail;
    st = whole ? ST_OK : begin_anew(&head, text, o);
    log->start = log->end = head.end;
    log->n_shards = head.n_shards;
    log->has_copies = head.has_copies;
    if (st != ST_OK || (whole && (st = scan(log)) != ST_OK)) {
        if (!whole && !o.is_shard) /* nothing to resume from: leave no trace */
            unlink(log->path);
        goto fail;
    }
    remove_second(log);
    log->patience = RECLAIM_BYTES_MIN;
    log->completed = log->index.complete >= 0 ? log->index.complete_end : log->start;
    *out = log;
    return ST_OK;
fail:
    reslog_close(log);
    return st;
}

status_t reslog_open(const char *path, const char *text, int64_t n_tasks, bool afresh,
                     reslog_t **out)
{
    return open_log(path, text, n_tasks,
                    (open_t){.how = RESLOG_FILE_ANY, .afresh = afresh}, out);
}

status_t reslog_create(const char *path, const char *text, int64_t n_tasks,
                       reslog_t **out)
{
    return open_log(path, text, n_tasks, (open_t){.how = RESLOG_FILE_NEW}, out);
}

status_t reslog_open_shard(const char *path, const char *text, int64_t n_tasks,
                           reslog_use_t use, reslog_t **out)
{
    const open_t o = {.how =
                          use == RESLOG_SHARD_READ ? RESLOG_FILE_READ : RESLOG_FILE_THERE,
                      .afresh = use == RESLOG_SHARD_DISCARD,
                      .is_shard = true};

    return open_log(path, text, n_tasks, o, out);
}

int reslog_n_shards(const reslog_t *log)
{
    return log->n_shards;
}

status_t reslog_set_shards(reslog_t *log, int n_shards)
{
    const reslog_head_t head = {.fd = log->fd,
                                .path = log->path,
                                .n_shards = n_shards,
                                .has_copies = log->has_copies};
    status_t st = reslog_head_put_shards(&head);

    if (st == ST_OK && (st = reslog_sync(log)) == ST_OK)
        log->n_shards = n_shards;
    return st;
}

status_t reslog_copies_begin(reslog_t *log)
{
    log->has_copies = true;
    return reslog_set_shards(log, log->n_shards);
}

void reslog_copies_note(reslog_t *log, int64_t task, int64_t payload_at)
{
    const int64_t at = payload_at - (int64_t)sizeof(record_t);

    if (!reslog_has(log, task))
        reslog_index_note(&log->index, task, 0, at, at);
}

status_t reslog_copies_end(reslog_t *log, int64_t end)
{
    /* a network file system looks at the file again when it is opened */
    const int fd = open(log->path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    struct stat info;
    const bool is_whole = fd >= 0 && fstat(fd, &info) == 0 && info.st_size >= end;

    if (fd >= 0)
        close(fd);
    if (!is_whole) {
        log_error("%s: what other ranks have copied into it is not there; run again with "
                  "--resume",
                  log->path);
        return ST_EIO;
    }
    log->end = end;
    return ST_OK;
}

bool reslog_is_log(const char *path)
{
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    bool is_log = fd >= 0 && reslog_head_is_at(fd);

    if (fd >= 0)
        close(fd);
    return is_log;
}

static status_t peek(reslog_t *log, reslog_peek_t *out)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    record_state_t state;
    buf_t payload = {0};
    record_t rec;
    reslog_head_t head = {.fd = log->fd, .path = log->path};
    status_t st = reslog_head_peek(&head, &out->text);

    log->index.n_tasks = head.n_tasks;
    log->end = head.end;
    while (st == ST_OK && (st = record_at_end(log, &rec, &payload, &state)) == ST_OK &&
           state != RECORD_NONE) {
        out->n_records += state == RECORD_GOOD;
        log->end += (int64_t)(sizeof(rec) + rec.len);
        child_tick();
    }
    buf_free(&payload);
    out->version = RESLOG_VERSION;
    out->n_tasks = log->index.n_tasks;
    out->n_shards = head.n_shards;
    out->is_held = fcntl(log->fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
    return st;
}

status_t reslog_peek(const char *path, reslog_peek_t *out)
{
    /* only read: the cast away from const is safe */
    reslog_t log = {.fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC),
                    .path = (char *)(uintptr_t)path};
    reslog_peek_t p = {.text = NULL};
    status_t st;

    if (log.fd < 0)
        return reslog_file_fail(path, "open");
    if ((st = peek(&log, &p)) == ST_OK)
        *out = p;
    else
        free(p.text);
    close(log.fd);
    return st;
}

bool reslog_has(const reslog_t *log, int64_t task)
{
    return log->index.last[task].at != 0;
}

int64_t reslog_version(const reslog_t *log, int64_t task)
{
    return log->index.last[task].version;
}

int64_t reslog_n_done(const reslog_t *log)
{
    return log->index.n_done;
}

/* @return whether the disk fails by a plan of faults; errno says how */
static bool has_fault(void)
{
    bool is_full = fault_now(FAULT_ENOSPC), has_failed = fault_now(FAULT_EIO);

    if (is_full || has_failed)
        errno = is_full ? ENOSPC : EIO;
    return is_full || has_failed;
}

/* Copy len bytes at the beginning of one file to another. */
static bool copy_head(int from, int to, int64_t len)
{
    buf_t head = {0};
    bool done = buf_reserve(&head, (size_t)len) == ST_OK &&
                reslog_file_get(from, head.data, (size_t)len, 0) &&
                reslog_file_put(to, head.data, (size_t)len, 0);

    buf_free(&head);
    return done;
}

/* Write what is left of a log whose last version is complete.
 * @param at, end  out: [n_tasks] where its records are, and where they end */
static bool write_last(const reslog_t *log, int to, int64_t *at, int64_t *end)
{
    buf_t payload = {0};
    record_t rec;
    bool done = copy_head(log->fd, to, log->start);

    *end = log->start;
    for (int64_t task = 0; done && task < log->index.n_tasks; task++) {
        done = reslog_file_get(log->fd, &rec, sizeof(rec), log->index.last[task].at) &&
               reslog_read(log, task, &payload) == ST_OK &&
               put_record(to, &rec, payload.data, payload.len, *end);
        at[task] = *end;
        *end += (int64_t)(sizeof(rec) + payload.len);
    }
    buf_free(&payload);
    return done && fdatasync(to) == 0;
}

/* Replace the log by a file without superseded versions.  That file is locked and on disk
 * before it has the log's name, and whoever waits for the old file's lock finds it gone.
 * The log's descriptor stays the same, because another thread may be in its sync. */
static bool replace(reslog_t *log, const char *path, int fd, int64_t *at)
{
    const reslog_head_t head = {.fd = fd, .path = path};
    int64_t end;

    if (reslog_head_check(&head) != ST_OK || ftruncate(fd, 0) != 0 ||
        !write_last(log, fd, at, &end) || !whole_file_has_name(log->fd, log->path) ||
        rename(path, log->path) != 0)
        return false;
    whole_file_sync_folder(log->path);
    while (dup3(fd, log->fd, O_CLOEXEC) < 0 && errno == EINTR) {
    }
    for (int64_t task = 0; task < log->index.n_tasks; task++)
        log->index.last[task].at = at[task];
    reslog_index_moved(&log->index, end);
    log->end = log->completed = end;
    log->patience = RECLAIM_BYTES_MIN;
    return true;
}

/* With version after version the file would grow without bound.  Without space or
 * permission for a second file it does. */
static void reclaim(reslog_t *log)
{
    int64_t *at = malloc(((size_t)log->index.n_tasks + 1) * sizeof(*at));
    char *path = second_path(log);
    int fd = -1;

    if (at != NULL && path != NULL && reslog_file_open(path, false, &fd) == ST_OK &&
        !replace(log, path, fd, at)) {
        log_verbose("%s: superseded checkpoints stay", log->path);
        remove_second(log);
    }
    if (fd >= 0)
        close(fd);
    free(path);
    free(at);
}

/* A version was completed. */
static void note_complete(reslog_t *log)
{
    const int64_t bytes = log->end - log->completed, all = log->end - log->start;

    log->completed = log->end;
    if (all <= RESLOG_KEPT_VERSIONS * bytes || all <= log->patience)
        return;
    log->patience = 2 * all; /* if this fails */
    reclaim(log);
}

status_t reslog_append(reslog_t *log, int64_t task, int64_t version, const void *data,
                       size_t len)
{
    int64_t end = log->end + (int64_t)(sizeof(record_t) + len);
    record_t rec = {.mark = RECORD_MARK,
                    .payload_crc = deflate_crc32(data, len),
                    .task = task,
                    .version = version,
                    .len = len};
    status_t st;

    if (reslog_has(log, task) && log->index.last[task].version == version)
        return ST_OK;
    if ((st = reslog_index_reserve(&log->index, task, version)) != ST_OK)
        return st;
    rec.crc = deflate_crc32(&rec, offsetof(record_t, crc));
    if (has_fault() || !put_record(log->fd, &rec, data, len, log->end)) {
        st = reslog_file_fail(log->path, "write");
        if (ftruncate(log->fd, log->end) != 0)
            log_verbose("%s: the torn record stays until the next --resume", log->path);
        return st;
    }
    reslog_index_note(&log->index, task, version, log->end, end);
    log->end = end;
    if (version > 0 && log->index.complete_end == end)
        note_complete(log);
    return ST_OK;
}

status_t reslog_sync(reslog_t *log)
{
    return fdatasync(log->fd) == 0 ? ST_OK : reslog_file_fail(log->path, "sync");
}

status_t reslog_read(const reslog_t *log, int64_t task, buf_t *out)
{
    int64_t at = log->index.last[task].at;
    status_t st;
    record_t rec;

    out->len = 0;
    if (!reslog_file_get(log->fd, &rec, sizeof(rec), at))
        return reslog_file_fail(log->path, "read");
    if ((st = buf_reserve(out, rec.len)) != ST_OK)
        return st;
    if (!reslog_file_get(log->fd, out->data, rec.len, at + (int64_t)sizeof(rec)))
        return reslog_file_fail(log->path, "read");
    if (deflate_crc32(out->data, rec.len) != rec.payload_crc) {
        log_error(
            "%s: the record of task %lld has changed on disk; run again with --resume "
            "to compute it again",
            log->path, (long long)task);
        return ST_EIO;
    }
    out->len = rec.len;
    return ST_OK;
}

int reslog_fd(const reslog_t *log)
{
    return log->fd;
}

const char *reslog_path(const reslog_t *log)
{
    return log->path;
}

int64_t reslog_start(const reslog_t *log)
{
    return log->start;
}

int64_t reslog_end(const reslog_t *log)
{
    return log->end;
}

int64_t reslog_payload_at(const reslog_t *log, int64_t task)
{
    return log->index.last[task].at + (int64_t)sizeof(record_t);
}

void reslog_drop(const reslog_t *log, int64_t task, size_t len)
{
    if (len < DROP_BYTES_MIN)
        return;
    (void)posix_fadvise(log->fd, log->index.last[task].at,
                        (off_t)(sizeof(record_t) + len), POSIX_FADV_DONTNEED);
}

int64_t reslog_complete(const reslog_t *log)
{
    return log->index.complete;
}

status_t reslog_rewind(reslog_t *log)
{
    int64_t end = reslog_index_rewind(&log->index, log->start);

    if (end == log->end)
        return ST_OK;
    log->end = end;
    return ftruncate(log->fd, end) == 0 ? ST_OK : reslog_file_fail(log->path, "cut");
}

void reslog_remove(const reslog_t *log)
{
    /* only the run that holds the lock of the file with this name removes it */
    if (whole_file_has_name(log->fd, log->path) && unlink(log->path) != 0)
        log_warn("%s: cannot remove: %s", log->path, strerror(errno));
}

void reslog_close(reslog_t *log)
{
    if (log == NULL)
        return;
    if (log->fd >= 0)
        close(log->fd);
    free(log->path);
    reslog_index_free(&log->index);
    free(log);
}
