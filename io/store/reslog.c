/*
 * reslog.c - the log of finished tasks: records appended, found again, and cut where
 * torn.
 */
#include "io/store/reslog.h"

#include "io/base/child.h"
#include "io/base/logmsg.h"
#include "io/store/deflate.h"
#include "io/store/reslog_file.h"
#include "io/store/reslog_index.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static const char magic[8] = {'R', 'G', 'L', 'O', 'G', '3', '\r', '\n'};

enum { MAGIC_NAME_LEN = 5 }; /* then a digit: the format's version */
/* Smaller records share most of their memory pages with others. */
enum { DROP_BYTES_MIN = 1 << 14 };

enum { BYTE_ORDER_MARK = 0x01020304, RECORD_MARK = 0x52474c32 };

typedef struct {
    char magic[8];
    uint32_t byte_order;
    uint32_t text_len;
    int64_t n_tasks;
    uint32_t text_crc;
    uint32_t crc; /* of the fields above */
} head_t;

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
    char *path;
    int64_t start; /* offset of the first record */
    int64_t end;   /* and of the next one */
    reslog_index_t index;
};

/* One call for the record and its payload, because tasks may be many and small; then the
 * rest, where the disk took only a part. */
static bool put_record(int fd, const record_t *rec, const void *data, size_t len,
                       int64_t at)
{
    struct iovec both[] = {{(void *)(uintptr_t)rec, sizeof(*rec)},
                           {(void *)(uintptr_t)data, len}};
    ssize_t n = pwritev(fd, both, 2, at);
    size_t done = n > 0 ? (size_t)n : 0;
    size_t rec_done = done < sizeof(*rec) ? done : sizeof(*rec);
    size_t data_done = done - rec_done;

    return reslog_file_put(fd, (const char *)rec + rec_done, sizeof(*rec) - rec_done,
                           at + (int64_t)rec_done) &&
           reslog_file_put(fd, (const char *)data + data_done, len - data_done,
                           at + (int64_t)(sizeof(*rec) + data_done));
}

static status_t write_head(reslog_t *log, const char *text)
{
    head_t head = {.byte_order = BYTE_ORDER_MARK,
                   .text_len = (uint32_t)strlen(text),
                   .n_tasks = log->index.n_tasks,
                   .text_crc = deflate_crc32(text, strlen(text))};

    memcpy(head.magic, magic, sizeof(magic));
    head.crc = deflate_crc32(&head, offsetof(head_t, crc));
    if (ftruncate(log->fd, 0) != 0 || !reslog_file_put(log->fd, &head, sizeof(head), 0) ||
        !reslog_file_put(log->fd, text, head.text_len, sizeof(head)))
        return reslog_file_fail(log->path, "write");
    log->start = log->end = (int64_t)(sizeof(head) + head.text_len);
    return ST_OK;
}

status_t reslog_compare(const char *path, const char *there, const char *ours)
{
    while (*there != '\0' || *ours != '\0') {
        size_t len1 = strcspn(there, "\n"), len2 = strcspn(ours, "\n");

        if (len1 != len2 || memcmp(there, ours, len1) != 0) {
            log_error("%s is of another job: there '%.*s', now '%.*s'; give that job's "
                      "input and options, another -o, or --force to start anew",
                      path, (int)len1, there, (int)len2, ours);
            return ST_EINPUT;
        }
        there += len1 + (there[len1] == '\n');
        ours += len2 + (ours[len2] == '\n');
    }
    return ST_OK;
}

static status_t not_a_log(const reslog_t *log)
{
    log_error("%s is not a log of ribogrid, or damaged; move it away, or give another -o",
              log->path);
    return ST_EINPUT;
}

static status_t damaged(const reslog_t *log)
{
    log_error("%s is damaged; give --force to start anew", log->path);
    return ST_EINPUT;
}

/* After a failed get: the end of the file is no error, a failing disk is one. */
static status_t at_end(const reslog_t *log)
{
    return errno == ENODATA ? ST_OK : reslog_file_fail(log->path, "read");
}

/* A task's number would mean other work here. */
static status_t of_other_tasks(const reslog_t *log, int64_t n_tasks)
{
    log_error("%s: another version of ribogrid divided this job into %lld tasks, not "
              "%lld; resume it with that version, or give --force to start anew",
              log->path, (long long)n_tasks, (long long)log->index.n_tasks);
    return ST_EINPUT;
}

/* Check what does not depend on the job. */
static status_t check_head(const reslog_t *log, const head_t *head)
{
    if (memcmp(head->magic + MAGIC_NAME_LEN + 1, magic + MAGIC_NAME_LEN + 1,
               sizeof(magic) - MAGIC_NAME_LEN - 1) != 0 ||
        head->magic[MAGIC_NAME_LEN] < '1' || head->magic[MAGIC_NAME_LEN] > '9')
        return damaged(log);
    if (head->magic[MAGIC_NAME_LEN] != magic[MAGIC_NAME_LEN]) {
        log_error("%s was written by %s version of ribogrid; resume it with that "
                  "version, or give --force to start anew",
                  log->path,
                  head->magic[MAGIC_NAME_LEN] < magic[MAGIC_NAME_LEN] ? "an older"
                                                                      : "a newer");
        return ST_EINPUT;
    }
    if (head->byte_order == __builtin_bswap32(BYTE_ORDER_MARK)) { /* before the CRC */
        log_error("%s was begun on a machine of another byte order; resume it there, or "
                  "give --force to start anew",
                  log->path);
        return ST_EINPUT;
    }
    return head->crc == deflate_crc32(head, offsetof(head_t, crc)) ? ST_OK : damaged(log);
}

/* Read and compare the header.  A log cut within its header has no records: *whole is
 * false and a new header is to be written. */
static status_t read_head(reslog_t *log, const char *text, bool *whole)
{
    head_t head = {0};
    char *there;
    status_t st;

    *whole = false;
    if (!reslog_file_get(log->fd, &head, sizeof(head), 0)) {
        bool cut = memcmp(head.magic, magic, strnlen(head.magic, sizeof(magic))) == 0;

        return cut || errno != ENODATA ? at_end(log) : not_a_log(log);
    }
    if ((st = check_head(log, &head)) != ST_OK)
        return st;
    if ((there = calloc(1, (size_t)head.text_len + 1)) == NULL)
        return log_nomem("the log's header");
    *whole = reslog_file_get(log->fd, there, head.text_len, sizeof(head));
    if (!*whole)
        st = at_end(log);
    else if (head.text_crc != deflate_crc32(there, head.text_len))
        st = damaged(log);
    else if ((st = reslog_compare(log->path, there, text)) == ST_OK &&
             head.n_tasks != log->index.n_tasks)
        st = of_other_tasks(log, head.n_tasks);
    free(there);
    log->start = log->end = (int64_t)(sizeof(head) + head.text_len);
    return st;
}

/* Whatever becomes of the content, it has to be a log's, of any version and state: nobody
 * else's file is written to.  An empty file is a log that was cut. */
static status_t check_magic(const reslog_t *log)
{
    char there[MAGIC_NAME_LEN];
    ssize_t n = pread(log->fd, there, sizeof(there), 0);

    if (n < 0)
        return reslog_file_fail(log->path, "read");
    return memcmp(there, magic, (size_t)n) == 0 ? ST_OK : not_a_log(log);
}

typedef enum { RECORD_NONE, RECORD_DAMAGED, RECORD_GOOD } record_state_t;

/* Read what starts at log->end: nothing whole, a record with a damaged payload, or a good
 * record. */
static status_t record_at_end(const reslog_t *log, record_t *rec, buf_t *payload,
                              record_state_t *state)
{
    status_t st;

    *state = RECORD_NONE;
    payload->len = 0;
    if (!reslog_file_get(log->fd, rec, sizeof(*rec), log->end))
        return at_end(log);
    if (rec->mark != RECORD_MARK ||
        rec->crc != deflate_crc32(rec, offsetof(record_t, crc)) || rec->task < 0 ||
        rec->task >= log->index.n_tasks || rec->version < 0)
        return ST_OK;
    if ((st = buf_reserve(payload, rec->len)) != ST_OK)
        return st;
    if (!reslog_file_get(log->fd, payload->data, rec->len,
                         log->end + (int64_t)sizeof(*rec)))
        return at_end(log);
    *state = deflate_crc32(payload->data, rec->len) == rec->payload_crc ? RECORD_GOOD
                                                                        : RECORD_DAMAGED;
    return ST_OK;
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
        int64_t end = log->end + (int64_t)(sizeof(rec) + rec.len);

        if (state == RECORD_GOOD) {
            if ((st = reslog_index_reserve(&log->index, rec.task, rec.version)) != ST_OK)
                break;
            reslog_index_note(&log->index, rec.task, rec.version, log->end, end);
        }
        log->end = end;
    }
    buf_free(&payload);
    if (st != ST_OK)
        return st;
    if (fstat(log->fd, &info) != 0)
        return reslog_file_fail(log->path, "read");
    if (info.st_size > log->end) {
        log_info("%s: dropping a torn record of %lld bytes", log->path,
                 (long long)(info.st_size - log->end));
        if (ftruncate(log->fd, log->end) != 0)
            return reslog_file_fail(log->path, "cut");
    }
    return ST_OK;
}

status_t reslog_open(const char *path, const char *text, int64_t n_tasks, bool afresh,
                     reslog_t **out)
{
    reslog_t *log = calloc(1, sizeof(*log));
    bool whole = false;
    status_t st = ST_ENOMEM;

    if (log == NULL)
        return log_nomem("the log");
    log->fd = -1;
    if ((log->path = strdup(path)) == NULL) {
        log_nomem("the log");
        goto fail;
    }
    if ((st = reslog_index_begin(&log->index, n_tasks)) != ST_OK ||
        (st = reslog_file_open(path, &log->fd)) != ST_OK)
        goto fail;
    if ((st = check_magic(log)) != ST_OK ||
        (!afresh && (st = read_head(log, text, &whole)) != ST_OK))
        goto fail;
    if ((st = whole ? scan(log) : write_head(log, text)) != ST_OK) {
        if (!whole) /* nothing to resume from: leave no trace */
            unlink(log->path);
        goto fail;
    }
    *out = log;
    return ST_OK;
fail:
    reslog_close(log);
    return st;
}

bool reslog_is_log(const char *path)
{
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    char there[MAGIC_NAME_LEN];
    bool is_log = fd >= 0 && read(fd, there, sizeof(there)) == MAGIC_NAME_LEN &&
                  memcmp(there, magic, sizeof(there)) == 0;

    if (fd >= 0)
        close(fd);
    return is_log;
}

/* Read the header. @param text  out: the job, the caller's */
static status_t peek_head(reslog_t *log, char **text)
{
    head_t head;
    struct stat info;
    status_t st;

    if (fstat(log->fd, &info) != 0 || (info.st_size >= (int64_t)sizeof(head) &&
                                       !reslog_file_get(log->fd, &head, sizeof(head), 0)))
        return reslog_file_fail(log->path, "read");
    if (info.st_size >= (int64_t)sizeof(head) && (st = check_head(log, &head)) != ST_OK)
        return st;
    log->start = log->end = (int64_t)(sizeof(head) + head.text_len);
    if (info.st_size < (int64_t)sizeof(head) || info.st_size < log->end) {
        log_error("%s is cut within its header: no work is finished; give --resume or "
                  "--force to start anew",
                  log->path);
        return ST_EINPUT;
    }
    if ((*text = calloc(1, (size_t)head.text_len + 1)) == NULL)
        return log_nomem("the log's header");
    if (!reslog_file_get(log->fd, *text, head.text_len, sizeof(head)))
        return reslog_file_fail(log->path, "read");
    log->index.n_tasks = head.n_tasks;
    return head.text_crc == deflate_crc32(*text, head.text_len) ? ST_OK : damaged(log);
}

static status_t peek(reslog_t *log, reslog_peek_t *out)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    record_state_t state;
    buf_t payload = {0};
    record_t rec;
    status_t st = peek_head(log, &out->text);

    while (st == ST_OK && (st = record_at_end(log, &rec, &payload, &state)) == ST_OK &&
           state != RECORD_NONE) {
        out->n_records += state == RECORD_GOOD;
        log->end += (int64_t)(sizeof(rec) + rec.len);
        child_tick();
    }
    buf_free(&payload);
    out->version = magic[MAGIC_NAME_LEN] - '0';
    out->n_tasks = log->index.n_tasks;
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

int64_t reslog_n_done(const reslog_t *log)
{
    return log->index.n_done;
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
    if (!put_record(log->fd, &rec, data, len, log->end)) {
        st = reslog_file_fail(log->path, "write");
        if (ftruncate(log->fd, log->end) != 0)
            log_verbose("%s: the torn record stays until the next --resume", log->path);
        return st;
    }
    reslog_index_note(&log->index, task, version, log->end, end);
    log->end = end;
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
    if (reslog_file_has_name(log->fd, log->path) && unlink(log->path) != 0)
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
