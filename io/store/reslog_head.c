/*
 * reslog_head.c - the header of a log: written, checked and compared.
 */
#include "io/store/reslog_head.h"

#include "io/base/logmsg.h"
#include "io/store/deflate.h"
#include "io/store/reslog_file.h"

#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAGIC_BYTES = 8, MAGIC_NAME_LEN = 5 }; /* then a digit: the format's version */

static const char magic[MAGIC_BYTES] = {'R',  'G', 'L', 'O', 'G', '0' + RESLOG_VERSION,
                                        '\r', '\n'};
static const char hdf5_magic[MAGIC_BYTES] = {'\211', 'H',  'D', 'F',
                                             '\r',   '\n', 032, '\n'};

enum { BYTE_ORDER_MARK = 0x01020304 };

/* The rest of the front is zeros.  The file system changes it as a whole or not. */
typedef struct {
    char magic[MAGIC_BYTES];
    uint32_t n_shards, inverse; /* its complement; both 0: one log */
    uint32_t has_copies;
} front_t;

/* Behind the front. */
typedef struct {
    char magic[MAGIC_BYTES];
    uint32_t byte_order;
    uint32_t text_len;
    int64_t n_tasks;
    uint32_t text_crc;
    uint32_t crc; /* of the fields above */
} head_t;

enum { TEXT_AT = RESLOG_FRONT_BYTES + sizeof(head_t) };

static status_t not_a_log(const reslog_head_t *h)
{
    log_error("%s is not a log of ribogrid, or damaged; move it away, or give another -o",
              h->path);
    return ST_EINPUT;
}

static status_t damaged(const reslog_head_t *h)
{
    log_error("%s is damaged; %sgive --force to start anew", h->path,
              h->is_shard ? "remove it to compute its tasks again, or " : "");
    return ST_EINPUT;
}

/* A task's number would mean other work here. */
static status_t of_other_tasks(const reslog_head_t *h, int64_t n_tasks)
{
    log_error("%s: another version of ribogrid divided this job into %lld tasks, not "
              "%lld; resume it with that version, or give --force to start anew",
              h->path, (long long)n_tasks, (long long)h->n_tasks);
    return ST_EINPUT;
}

static bool has_name(const char *there, ssize_t n)
{
    return memcmp(there, magic, (size_t)(n < MAGIC_NAME_LEN ? n : MAGIC_NAME_LEN)) == 0;
}

/* @return whether the log has become an HDF5 file: its magic is only in the header */
static bool is_hdf5(int fd)
{
    char front[MAGIC_BYTES], head[MAGIC_BYTES];

    return reslog_file_get(fd, front, MAGIC_BYTES, 0) &&
           memcmp(front, hdf5_magic, MAGIC_BYTES) == 0 &&
           reslog_file_get(fd, head, MAGIC_BYTES, RESLOG_FRONT_BYTES) &&
           memcmp(head, magic, MAGIC_BYTES) == 0;
}

status_t reslog_head_check(const reslog_head_t *h)
{
    char there[MAGIC_NAME_LEN];
    ssize_t n = pread(h->fd, there, sizeof(there), 0);

    if (n < 0)
        return reslog_file_fail(h->path, "read");
    return has_name(there, n) || is_hdf5(h->fd) ? ST_OK : not_a_log(h);
}

bool reslog_head_is_at(int fd)
{
    char there[MAGIC_NAME_LEN];

    return pread(fd, there, sizeof(there), 0) == MAGIC_NAME_LEN &&
           has_name(there, MAGIC_NAME_LEN);
}

static bool put_front(const reslog_head_t *h)
{
    const uint32_t n = h->n_shards > 1 ? (uint32_t)h->n_shards : 0;
    char bytes[RESLOG_FRONT_BYTES] = {0};
    front_t front = {.n_shards = n,
                     .inverse = n > 0 ? ~n : 0,
                     .has_copies = h->has_copies};

    memcpy(front.magic, magic, MAGIC_BYTES);
    memcpy(bytes, &front, sizeof(front));
    return reslog_file_put(h->fd, bytes, sizeof(bytes), 0);
}

/* @return the number of the run's logs, also of a log that has become an HDF5 file */
static int shards_of(const front_t *f)
{
    return memcmp(f->magic, magic, MAGIC_BYTES) == 0 && f->n_shards == ~f->inverse &&
                   f->n_shards <= INT_MAX
               ? (int)f->n_shards
               : 1;
}

status_t reslog_head_put_shards(const reslog_head_t *h)
{
    return put_front(h) ? ST_OK : reslog_file_fail(h->path, "write");
}

status_t reslog_head_write(reslog_head_t *h, const char *text)
{
    head_t head = {.byte_order = BYTE_ORDER_MARK,
                   .text_len = (uint32_t)strlen(text),
                   .n_tasks = h->n_tasks,
                   .text_crc = deflate_crc32(text, strlen(text))};

    memcpy(head.magic, magic, MAGIC_BYTES);
    head.crc = deflate_crc32(&head, offsetof(head_t, crc));
    if (ftruncate(h->fd, 0) != 0 || !put_front(h) ||
        !reslog_file_put(h->fd, &head, sizeof(head), RESLOG_FRONT_BYTES) ||
        !reslog_file_put(h->fd, text, head.text_len, TEXT_AT))
        return reslog_file_fail(h->path, "write");
    h->end = reslog_head_bytes(text);
    return ST_OK;
}

int64_t reslog_head_bytes(const char *text)
{
    return TEXT_AT + (int64_t)strlen(text);
}

status_t reslog_head_compare(const char *path, const char *there, const char *ours)
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

/* Logs of other versions have their magic at the front, but another header. */
static status_t check_version(const reslog_head_t *h, const char *there)
{
    if (memcmp(there + MAGIC_NAME_LEN + 1, magic + MAGIC_NAME_LEN + 1,
               MAGIC_BYTES - MAGIC_NAME_LEN - 1) != 0 ||
        there[MAGIC_NAME_LEN] < '1' || there[MAGIC_NAME_LEN] > '9')
        return damaged(h);
    if (there[MAGIC_NAME_LEN] == magic[MAGIC_NAME_LEN])
        return ST_OK;
    log_error("%s was written by %s version of ribogrid; resume it with that version, or "
              "give --force to start anew",
              h->path,
              there[MAGIC_NAME_LEN] < magic[MAGIC_NAME_LEN] ? "an older" : "a newer");
    return ST_EINPUT;
}

/* Read what does not depend on the job, and check it. @param whole  out: false if the
 * file ends before that */
static status_t get_head(reslog_head_t *h, head_t *head, bool *whole)
{
    front_t front = {.n_shards = 0};
    status_t st;

    *whole = false;
    if (!reslog_file_get(h->fd, &front, sizeof(front), 0))
        return reslog_file_end(h->path);
    if (memcmp(front.magic, hdf5_magic, MAGIC_BYTES) != 0 &&
        (st = check_version(h, front.magic)) != ST_OK)
        return st;
    h->n_shards = shards_of(&front);
    /* one that became an HDF5 file may have been any */
    h->has_copies =
        memcmp(front.magic, hdf5_magic, MAGIC_BYTES) == 0 || front.has_copies != 0;
    if (!reslog_file_get(h->fd, head, sizeof(*head), RESLOG_FRONT_BYTES))
        return reslog_file_end(h->path);
    if (memcmp(head->magic, magic, MAGIC_BYTES) != 0)
        return damaged(h);
    if (head->byte_order == __builtin_bswap32(BYTE_ORDER_MARK)) { /* before the CRC */
        log_error("%s was begun on a machine of another byte order; resume it there, or "
                  "give --force to start anew",
                  h->path);
        return ST_EINPUT;
    }
    *whole = true;
    return head->crc == deflate_crc32(head, offsetof(head_t, crc)) ? ST_OK : damaged(h);
}

/* Read the job. @param whole  out: false if the file ends before that */
static status_t get_text(const reslog_head_t *h, const head_t *head, char **text,
                         bool *whole)
{
    if ((*text = calloc(1, (size_t)head->text_len + 1)) == NULL)
        return log_nomem("the log's header");
    *whole = reslog_file_get(h->fd, *text, head->text_len, TEXT_AT);
    if (!*whole)
        return reslog_file_end(h->path);
    return head->text_crc == deflate_crc32(*text, head->text_len) &&
                   strlen(*text) == head->text_len
               ? ST_OK
               : damaged(h);
}

/* Read the whole header. @param whole  out: false if the file ends within it */
static status_t get(reslog_head_t *h, head_t *head, char **text, bool *whole)
{
    status_t st = get_head(h, head, whole);

    *text = NULL;
    if (st != ST_OK || !*whole)
        return st;
    h->end = TEXT_AT + (int64_t)head->text_len;
    return get_text(h, head, text, whole);
}

status_t reslog_head_read(reslog_head_t *h, const char *text, bool *whole)
{
    char *there;
    head_t head;
    status_t st = get(h, &head, &there, whole);

    if (st == ST_OK && *whole)
        st = reslog_head_compare(h->path, there, text);
    if (st == ST_OK && *whole && head.n_tasks != h->n_tasks)
        st = of_other_tasks(h, head.n_tasks);
    free(there);
    if (st == ST_OK && *whole && !reslog_head_is_at(h->fd) &&
        !put_front(&(reslog_head_t){.fd = h->fd}))
        return reslog_file_fail(h->path, "write"); /* it had become an HDF5 file */
    return st;
}

char *reslog_head_text(const char *path)
{
    const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    struct stat info;
    char *text = NULL;
    head_t head;
    bool good = fd >= 0 && fstat(fd, &info) == 0 && reslog_head_is_at(fd) &&
                reslog_file_get(fd, &head, sizeof(head), RESLOG_FRONT_BYTES) &&
                memcmp(head.magic, magic, MAGIC_BYTES) == 0 &&
                head.crc == deflate_crc32(&head, offsetof(head_t, crc)) &&
                head.text_len <= info.st_size &&
                (text = calloc(1, (size_t)head.text_len + 1)) != NULL &&
                reslog_file_get(fd, text, head.text_len, TEXT_AT) &&
                head.text_crc == deflate_crc32(text, head.text_len);

    if (fd >= 0)
        close(fd);
    if (good)
        return text;
    free(text);
    return NULL;
}

status_t reslog_head_peek(reslog_head_t *h, char **text)
{
    bool whole;
    head_t head;
    status_t st = get(h, &head, text, &whole);

    if (st == ST_OK && !whole) {
        log_error("%s is cut within its header: no work is finished; give --resume or "
                  "--force to start anew",
                  h->path);
        return ST_EINPUT;
    }
    h->n_tasks = st == ST_OK ? head.n_tasks : 0;
    return st;
}
