#include "io/store/reslog.h"

#include "io/base/logmsg.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

static const char magic[8] = {'R', 'G', 'L', 'O', 'G', '1', '\r', '\n'};

enum { BYTE_ORDER_MARK = 0x01020304, RECORD_MARK = 0x52474c31, POLL_US = 200000 };

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
    uint64_t len;
    uint32_t zero;
    uint32_t crc; /* of the fields above */
} record_t;

struct reslog {
    int fd;
    char *path;
    int64_t n_tasks, n_done;
    int64_t end;    /* where the next record goes */
    int64_t *where; /* [n_tasks] where a task's record starts, 0: not finished */
};

static uint32_t crc_of(const void *data, size_t len)
{
    return (uint32_t)crc32_z(0, data, len);
}

static status_t fail_io(const reslog_t *log, const char *verb)
{
    log_error("%s: cannot %s: %s; what is finished stays in it: make room or mend the "
              "disk, then give --resume",
              log->path, verb, strerror(errno));
    return ST_EIO;
}

/* Write all of it at an offset. */
static bool put(int fd, const void *data, size_t len, int64_t at)
{
    const char *p = data;

    while (len > 0) {
        ssize_t n = pwrite(fd, p, len, at);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        p += n;
        at += n;
        len -= (size_t)n;
    }
    return true;
}

/* Write a record and its payload in one call, if the disk takes them so: tiles may be
 * many and small. */
static bool put_record(int fd, const record_t *rec, const void *data, size_t len,
                       int64_t at)
{
    struct iovec parts[] = {{(void *)(uintptr_t)rec, sizeof(*rec)},
                            {(void *)(uintptr_t)data, len}};
    ssize_t n = pwritev(fd, parts, 2, at);
    size_t done = n > 0 ? (size_t)n : 0;
    size_t of_rec = done < sizeof(*rec) ? done : sizeof(*rec), of_data = done - of_rec;

    return put(fd, (const char *)rec + of_rec, sizeof(*rec) - of_rec,
               at + (int64_t)of_rec) &&
           put(fd, (const char *)data + of_data, len - of_data,
               at + (int64_t)(sizeof(*rec) + of_data));
}

/* Read all of it, or fail with errno: ENODATA where the file ends before. */
static bool get(int fd, void *data, size_t len, int64_t at)
{
    char *p = data;

    while (len > 0) {
        ssize_t n = pread(fd, p, len, at);

        if (n < 0 && errno == EINTR)
            continue;
        if (n == 0)
            errno = ENODATA;
        if (n <= 0)
            return false;
        p += n;
        at += n;
        len -= (size_t)n;
    }
    return true;
}

/* An open-file-description lock: it goes with the last holder of the file, whoever dies,
 * and works over NFS. */
static status_t take_lock(reslog_t *log)
{
    const int tries = RESLOG_LOCK_WAIT_S * (1000000 / POLL_US);

    for (int i = 0; i <= tries; i++) {
        struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

        if (fcntl(log->fd, F_OFD_SETLK, &lock) == 0)
            return ST_OK;
        if (errno != EAGAIN && errno != EACCES)
            return fail_io(log, "lock it");
        if (i == 0)
            log_info("%s: another run holds it; waiting up to %d s", log->path,
                     RESLOG_LOCK_WAIT_S);
        usleep(POLL_US);
    }
    log_error("%s: another run holds it; wait for that run or stop it", log->path);
    return ST_EBUSY;
}

/* The lock may be on a file that its holder has since finished with and removed. */
static bool still_there(const reslog_t *log)
{
    struct stat ours, there;

    return fstat(log->fd, &ours) == 0 && stat(log->path, &there) == 0 &&
           ours.st_ino == there.st_ino && ours.st_dev == there.st_dev;
}

static status_t write_head(reslog_t *log, const char *text)
{
    head_t head = {.byte_order = BYTE_ORDER_MARK,
                   .text_len = (uint32_t)strlen(text),
                   .n_tasks = log->n_tasks,
                   .text_crc = crc_of(text, strlen(text))};

    memcpy(head.magic, magic, sizeof(magic));
    head.crc = crc_of(&head, offsetof(head_t, crc));
    if (ftruncate(log->fd, 0) != 0 || !put(log->fd, &head, sizeof(head), 0) ||
        !put(log->fd, text, head.text_len, sizeof(head)))
        return fail_io(log, "write");
    log->end = (int64_t)(sizeof(head) + head.text_len);
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
    log_error("%s is no log of ribogrid's, or damaged; remove it or give --force",
              log->path);
    return ST_EINPUT;
}

/* After a failed get: a file that has come to its end is well, a failing disk is not. */
static status_t at_end(const reslog_t *log)
{
    return errno == ENODATA ? ST_OK : fail_io(log, "read");
}

static bool is_turned(uint32_t byte_order)
{
    return byte_order == __builtin_bswap32(BYTE_ORDER_MARK);
}

/* Its numbers would be other pairs' here. */
static status_t of_other_tiles(const reslog_t *log, int64_t n_tasks)
{
    log_error("%s is of a version that cut this job into %lld tiles, not %lld; resume it "
              "with that, or give --force to start anew",
              log->path, (long long)n_tasks, (long long)log->n_tasks);
    return ST_EINPUT;
}

/* Read and compare the header; a log cut before its header's end has no records: anew. */
static status_t read_head(reslog_t *log, const char *text, bool *whole)
{
    head_t head = {0};
    char *there;
    status_t st;

    *whole = false;
    if (!get(log->fd, &head, sizeof(head), 0)) {
        bool cut = memcmp(head.magic, magic, strnlen(head.magic, sizeof(magic))) == 0;

        return cut || errno != ENODATA ? at_end(log) : not_a_log(log);
    }
    if (memcmp(head.magic, magic, sizeof(magic)) != 0)
        return not_a_log(log);
    if (is_turned(head.byte_order)) { /* and its CRC too: look here first */
        log_error("%s was begun on a machine of another byte order; resume it there",
                  log->path);
        return ST_EINPUT;
    }
    if (head.crc != crc_of(&head, offsetof(head_t, crc)))
        return not_a_log(log);
    if ((there = calloc(1, (size_t)head.text_len + 1)) == NULL)
        return log_nomem("the log's header");
    *whole = get(log->fd, there, head.text_len, sizeof(head));
    if (!*whole)
        st = at_end(log);
    else if (head.text_crc != crc_of(there, head.text_len))
        st = not_a_log(log);
    else if ((st = reslog_compare(log->path, there, text)) == ST_OK &&
             head.n_tasks != log->n_tasks)
        st = of_other_tiles(log, head.n_tasks);
    free(there);
    log->end = (int64_t)(sizeof(head) + head.text_len);
    return st;
}

typedef enum { RECORD_NONE, RECORD_DAMAGED, RECORD_GOOD } record_state_t;

/* Tell what starts at log->end: nothing whole, a record whose payload has changed, or a
 * record. */
static status_t record_at_end(const reslog_t *log, record_t *rec, buf_t *payload,
                              record_state_t *state)
{
    status_t st;

    *state = RECORD_NONE;
    payload->len = 0;
    if (!get(log->fd, rec, sizeof(*rec), log->end))
        return at_end(log);
    if (rec->mark != RECORD_MARK || rec->crc != crc_of(rec, offsetof(record_t, crc)) ||
        rec->task < 0 || rec->task >= log->n_tasks)
        return ST_OK;
    if ((st = buf_reserve(payload, rec->len)) != ST_OK)
        return st;
    if (!get(log->fd, payload->data, rec->len, log->end + (int64_t)sizeof(*rec)))
        return at_end(log);
    *state = crc_of(payload->data, rec->len) == rec->payload_crc ? RECORD_GOOD
                                                                 : RECORD_DAMAGED;
    return ST_OK;
}

/* Note every good record; cut what follows the last whole one. */
static status_t scan(reslog_t *log)
{
    buf_t payload = {0};
    record_state_t state;
    struct stat info;
    record_t rec;
    status_t st;

    while ((st = record_at_end(log, &rec, &payload, &state)) == ST_OK &&
           state != RECORD_NONE) {
        if (state == RECORD_GOOD) {
            log->n_done += log->where[rec.task] == 0;
            log->where[rec.task] = log->end;
        }
        log->end += (int64_t)(sizeof(rec) + rec.len);
    }
    buf_free(&payload);
    if (st != ST_OK)
        return st;
    if (fstat(log->fd, &info) != 0)
        return fail_io(log, "read");
    if (info.st_size > log->end) {
        log_info("%s: dropping a torn record of %lld bytes", log->path,
                 (long long)(info.st_size - log->end));
        if (ftruncate(log->fd, log->end) != 0)
            return fail_io(log, "cut");
    }
    return ST_OK;
}

/* Open the file and hold its lock. */
static status_t open_locked(reslog_t *log)
{
    status_t st;

    log->fd = open(log->path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (log->fd < 0) {
        log_error("%s: cannot open: %s; choose another -o", log->path, strerror(errno));
        return ST_EIO;
    }
    if ((st = take_lock(log)) != ST_OK)
        return st;
    return still_there(log) ? ST_OK : ST_EDONE;
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
    log->n_tasks = n_tasks;
    log->path = strdup(path);
    log->where = calloc((size_t)n_tasks + 1, sizeof(*log->where));
    if (log->path == NULL || log->where == NULL) {
        log_nomem("the log");
        goto fail;
    }
    if ((st = open_locked(log)) != ST_OK)
        goto fail;
    if (!afresh && (st = read_head(log, text, &whole)) != ST_OK)
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

bool reslog_has(const reslog_t *log, int64_t task)
{
    return log->where[task] != 0;
}

int64_t reslog_n_done(const reslog_t *log)
{
    return log->n_done;
}

status_t reslog_append(reslog_t *log, int64_t task, const void *data, size_t len)
{
    record_t rec = {.mark = RECORD_MARK,
                    .payload_crc = crc_of(data, len),
                    .task = task,
                    .len = len};

    if (reslog_has(log, task))
        return ST_OK;
    rec.crc = crc_of(&rec, offsetof(record_t, crc));
    if (!put_record(log->fd, &rec, data, len, log->end)) {
        status_t st = fail_io(log, "write");

        if (ftruncate(log->fd, log->end) != 0)
            log_verbose("%s: the torn record stays until the next --resume", log->path);
        return st;
    }
    log->where[task] = log->end;
    log->end += (int64_t)(sizeof(rec) + len);
    log->n_done++;
    return ST_OK;
}

status_t reslog_sync(reslog_t *log)
{
    return fdatasync(log->fd) == 0 ? ST_OK : fail_io(log, "sync");
}

status_t reslog_read(const reslog_t *log, int64_t task, buf_t *out)
{
    int64_t at = log->where[task];
    status_t st;
    record_t rec;

    out->len = 0;
    if (!get(log->fd, &rec, sizeof(rec), at))
        return fail_io(log, "read");
    if ((st = buf_reserve(out, rec.len)) != ST_OK)
        return st;
    if (!get(log->fd, out->data, rec.len, at + (int64_t)sizeof(rec)))
        return fail_io(log, "read");
    if (crc_of(out->data, rec.len) != rec.payload_crc) {
        log_error(
            "%s: the record of tile %lld has changed on disk; give --resume to have "
            "it computed again",
            log->path, (long long)task);
        return ST_EIO;
    }
    out->len = rec.len;
    return ST_OK;
}

void reslog_remove(const reslog_t *log)
{
    /* Who holds the lock of the file under the name is alone in removing it. */
    if (still_there(log) && unlink(log->path) != 0)
        log_warn("%s: cannot remove: %s", log->path, strerror(errno));
}

void reslog_close(reslog_t *log)
{
    if (log == NULL)
        return;
    if (log->fd >= 0)
        close(log->fd);
    free(log->path);
    free(log->where);
    free(log);
}
