/*
 * reslog_h5.c - a file driver for HDF5 that writes into a finished log.
 *
 * A driver decides where HDF5 puts what it writes.  This one gives a chunk that the log
 * has the place where it is, and skips its write; the superblock waits in memory; all
 * else goes behind the log.
 */
#include "io/pairs/write/reslog_h5.h"

#include "io/base/logmsg.h"
#include "io/file/sync_ahead.h"
#include "io/store/reslog_file.h"
#include "io/store/reslog_head.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>
#endif

enum { DRIVER_VALUE = 511 }; /* of those that HDF5 leaves to programs */

struct reslog_h5 {
    const reslog_t *log;
    int fd;
    haddr_t log_end;
    hid_t file, driver;
    sync_ahead_t *ahead; /* or NULL */
    haddr_t chunk_at;    /* of the chunk that is being put; HADDR_UNDEF: none */
    haddr_t end;         /* of what HDF5 has allocated; 0: nothing yet */
    reslog_h5_t *next;   /* in `kept` */
    unsigned char front[RESLOG_FRONT_BYTES];
};

/* Files that HDF5 could not close: it uses them until the process ends. */
static reslog_h5_t *kept;

/* What HDF5 opens; it allocates and frees one more before it creates a file. */
typedef struct {
    H5FD_t base;
    reslog_h5_t *h;
} opened_t;

static reslog_h5_t *of(const H5FD_t *file)
{
    return ((const opened_t *)file)->h;
}

static H5FD_t *driver_open(const char *name, unsigned flags, hid_t access, haddr_t max)
{
    opened_t *o = calloc(1, sizeof(*o));
    reslog_h5_t *const *h = H5Pget_driver_info(access);

    (void)name;
    (void)flags;
    (void)max;
    if (o == NULL || h == NULL) {
        free(o);
        return NULL;
    }
    o->h = *h;
    return &o->base;
}

static herr_t driver_close(H5FD_t *file)
{
    free(file);
    return 0;
}

/* Its metadata cache may join writes. */
static herr_t driver_query(const H5FD_t *file, unsigned long *flags)
{
    (void)file;
    *flags = H5FD_FEAT_ACCUMULATE_METADATA;
    return 0;
}

/* HDF5 expects its first request, for the superblock, at 0. */
static haddr_t driver_alloc(H5FD_t *file, H5FD_mem_t type, hid_t transfer, hsize_t size)
{
    reslog_h5_t *h = of(file);
    haddr_t at = h->end;

    (void)transfer;
    if (type == H5FD_MEM_DRAW && h->chunk_at != HADDR_UNDEF)
        return h->chunk_at;
    if (at == 0) {
        h->end = h->log_end;
        return size <= RESLOG_FRONT_BYTES ? 0 : HADDR_UNDEF;
    }
    h->end += size;
    return at;
}

/* The space stays unused. */
static herr_t driver_free(H5FD_t *file, H5FD_mem_t type, hid_t transfer, haddr_t at,
                          hsize_t size)
{
    (void)file;
    (void)type;
    (void)transfer;
    (void)at;
    (void)size;
    return 0;
}

/* HDF5 creates a file where there is none: where the end is 0. */
static haddr_t driver_get_end(const H5FD_t *file, H5FD_mem_t type)
{
    (void)type;
    return of(file)->end;
}

static herr_t driver_set_end(H5FD_t *file, H5FD_mem_t type, haddr_t end)
{
    (void)type;
    of(file)->end = end;
    return 0;
}

static herr_t driver_read(H5FD_t *file, H5FD_mem_t type, hid_t transfer, haddr_t at,
                          size_t size, void *out)
{
    reslog_h5_t *h = of(file);

    (void)type;
    (void)transfer;
    if (at + size > RESLOG_FRONT_BYTES)
        return reslog_file_get(h->fd, out, size, (int64_t)at) ? 0 : -1;
    memcpy(out, h->front + at, size);
    return 0;
}

static herr_t driver_write(H5FD_t *file, H5FD_mem_t type, hid_t transfer, haddr_t at,
                           size_t size, const void *data)
{
    reslog_h5_t *h = of(file);

    (void)transfer;
    if (at >= h->log_end)
        return reslog_file_put(h->fd, data, size, (int64_t)at) ? 0 : -1;
    if (type == H5FD_MEM_DRAW && at == h->chunk_at) /* it is there */
        return 0;
    if (at + size > RESLOG_FRONT_BYTES)
        return -1;
    memcpy(h->front + at, data, size);
    return 0;
}

static const H5FD_class_t driver_class = {
#ifdef H5FD_CLASS_VERSION
    .version = H5FD_CLASS_VERSION,
    .value = DRIVER_VALUE,
#endif
    .name = "ribogrid_log",
    .maxaddr = INT64_MAX,
    .fc_degree = H5F_CLOSE_WEAK,
    .fapl_size = sizeof(reslog_h5_t *),
    .open = driver_open,
    .close = driver_close,
    .query = driver_query,
    .alloc = driver_alloc,
    .free = driver_free,
    .get_eoa = driver_get_end,
    .set_eoa = driver_set_end,
    .get_eof = driver_get_end,
    .read = driver_read,
    .write = driver_write,
    .fl_map = H5FD_FLMAP_DICHOTOMY,
};

hid_t reslog_h5_begin(const reslog_t *log, reslog_h5_t **out)
{
    reslog_h5_t *h = calloc(1, sizeof(*h));
    hid_t access;

    *out = h;
    if (h == NULL) {
        log_nomem("the result");
        return H5I_INVALID_HID;
    }
    h->log = log;
    h->fd = reslog_fd(log);
    h->log_end = (haddr_t)reslog_end(log);
    h->chunk_at = HADDR_UNDEF;
    h->ahead = sync_ahead_begin(h->fd);
    h->driver = H5FDregister(&driver_class);
    access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_driver(access, h->driver, &h);
    h->file = H5Fcreate("log", H5F_ACC_TRUNC, H5P_DEFAULT, access);
    H5Pclose(access);
    return h->file;
}

bool reslog_h5_put_chunk(reslog_h5_t *h, hid_t dataset, const hsize_t *origin,
                         int64_t task, size_t at, uint32_t len)
{
    bool good;

    h->chunk_at = (haddr_t)reslog_payload_at(h->log, task) + at;
    good = H5Dwrite_chunk(dataset, H5P_DEFAULT, 0, origin, len, h) >= 0; /* h: not read */
    h->chunk_at = HADDR_UNDEF;
    return good;
}

/* Write the superblock once all else is on disk. */
static bool commit(const reslog_h5_t *h)
{
    return ftruncate(h->fd, (off_t)h->end) == 0 && fsync(h->fd) == 0 &&
           reslog_file_put(h->fd, h->front, sizeof(h->front), 0) && fsync(h->fd) == 0;
}

bool reslog_h5_end(reslog_h5_t *h, bool good)
{
    bool is_closed;
    int error, sync_error;

    if (h == NULL)
        return false;
    is_closed = h->file < 0 || H5Fclose(h->file) >= 0;
    error = errno;
    if ((sync_error = sync_ahead_end(h->ahead)) != 0)
        error = sync_error;
    good = good && is_closed && h->file >= 0 && sync_error == 0;
    if (good && !commit(h)) {
        error = errno;
        good = false;
    }
    if (!good && ftruncate(h->fd, (off_t)h->log_end) != 0)
        log_verbose("the log's file stays larger until the next --resume");
    if (is_closed) {
        H5FDunregister(h->driver);
        free(h);
    } else {
        h->fd = -1; /* the number may soon be that of another file */
        h->next = kept;
        kept = h;
    }
    errno = error;
    return good;
}
