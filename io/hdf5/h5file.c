/*
 * h5file.c - a file driver for HDF5, which decides where and how it writes.
 *
 * In a log, it gives a chunk that the log has the place where it is, and skips its write;
 * the superblock waits in memory; all else goes behind the log.
 */
#include "io/hdf5/h5file.h"

#include "io/base/digest.h"
#include "io/base/logmsg.h"
#include "io/store/reslog_file.h"
#include "io/store/reslog_head.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>
#endif

enum { DRIVER_VALUE = 511 }; /* of those that HDF5 leaves to programs */
enum { PIECE_BYTES = 1 << 16 };

struct h5file {
    int fd;
    hid_t file, driver;
    bool is_open;        /* HDF5 uses this object */
    haddr_t start;       /* of what HDF5 writes */
    haddr_t end;         /* of what HDF5 has allocated; 0: nothing yet */
    haddr_t written_end; /* of what it has written */
    haddr_t chunk_at;    /* of the chunk of the log that is being put; or HADDR_UNDEF */
    uint64_t digest;     /* of what was written from start on, by digest_at */
    int error;           /* errno of the first write that failed, or 0 */
    h5file_t *next;      /* in `kept` */
    size_t front_bytes;  /* held in memory: those of a log's front, or 0 */
    unsigned char front[RESLOG_FRONT_BYTES];
};

/* Files that HDF5 could not close: it uses them until the process ends. */
static h5file_t *kept;

/* What HDF5 opens; it allocates and frees one more before it creates a file. */
typedef struct {
    H5FD_t base;
    h5file_t *f;
} opened_t;

static h5file_t *of(const H5FD_t *file)
{
    return ((const opened_t *)file)->f;
}

static H5FD_t *driver_open(const char *name, unsigned flags, hid_t access, haddr_t max)
{
    opened_t *o = calloc(1, sizeof(*o));
    h5file_t *const *f = H5Pget_driver_info(access);

    (void)name;
    (void)flags;
    (void)max;
    if (o == NULL || f == NULL) {
        free(o);
        return NULL;
    }
    o->f = *f;
    o->f->is_open = true;
    return &o->base;
}

static herr_t driver_close(H5FD_t *file)
{
    of(file)->is_open = false;
    free(file);
    return 0;
}

/* Its caches may join writes, of raw data only where no chunk has a place of its own. */
static herr_t driver_query(const H5FD_t *file, unsigned long *flags)
{
    *flags = H5FD_FEAT_ACCUMULATE_METADATA;
    if (file != NULL && of(file)->front_bytes == 0)
        *flags |= H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_AGGREGATE_SMALLDATA |
                  H5FD_FEAT_DATA_SIEVE | H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
    return 0;
}

/* HDF5 expects its first request, for the superblock, at 0. */
static haddr_t driver_alloc(H5FD_t *file, H5FD_mem_t type, hid_t transfer, hsize_t size)
{
    h5file_t *f = of(file);
    haddr_t at = f->end;

    (void)transfer;
    if (type == H5FD_MEM_DRAW && f->chunk_at != HADDR_UNDEF)
        return f->chunk_at;
    if (at == 0 && f->front_bytes > 0) {
        f->end = f->start;
        return size <= f->front_bytes ? 0 : HADDR_UNDEF;
    }
    f->end += size;
    return at;
}

/* Space at the end is given back, other space stays unused. */
static herr_t driver_free(H5FD_t *file, H5FD_mem_t type, hid_t transfer, haddr_t at,
                          hsize_t size)
{
    h5file_t *f = of(file);

    (void)type;
    (void)transfer;
    if (at >= f->start && at + size == f->end)
        f->end = at;
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

/* Read; what has not been written is 0. @return whether it succeeded, else errno */
static bool read_at(int fd, void *out, size_t size, haddr_t at)
{
    char *to = out;

    while (size > 0) {
        ssize_t n = pread(fd, to, size, (off_t)at);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return false;
        if (n == 0) {
            memset(to, 0, size);
            return true;
        }
        to += n;
        at += (haddr_t)n;
        size -= (size_t)n;
    }
    return true;
}

static herr_t driver_read(H5FD_t *file, H5FD_mem_t type, hid_t transfer, haddr_t at,
                          size_t size, void *out)
{
    h5file_t *f = of(file);

    (void)type;
    (void)transfer;
    if (at + size > f->front_bytes)
        return read_at(f->fd, out, size, at) ? 0 : -1;
    memcpy(out, f->front + at, size);
    return 0;
}

/* Read a part of the file for its digest. @return whether it succeeded, else errno */
static bool read_digest(const h5file_t *f, haddr_t at, haddr_t end, uint64_t *out)
{
    unsigned char piece[PIECE_BYTES];
    uint64_t digest = 0;

    for (size_t n = 0; at < end; at += n) {
        n = end - at < sizeof(piece) ? (size_t)(end - at) : sizeof(piece);
        if (!read_at(f->fd, piece, n, at))
            return false;
        digest += digest_at(at, piece, n);
    }
    *out = digest;
    return true;
}

/* Take out of the digest what will not be in the file: bytes at a place that was written
 * before. @return whether it succeeded, else errno */
static bool take_back(h5file_t *f, haddr_t at, haddr_t end)
{
    uint64_t before;

    if (!read_digest(f, at, end < f->written_end ? end : f->written_end, &before))
        return false;
    f->digest -= before;
    return true;
}

static bool put(h5file_t *f, haddr_t at, size_t size, const void *data)
{
    errno = EINVAL;
    if (at < f->start || !take_back(f, at, at + size) ||
        !reslog_file_put(f->fd, data, size, (int64_t)at))
        return false;
    f->digest += digest_at(at, data, size);
    f->written_end = at + size > f->written_end ? at + size : f->written_end;
    return true;
}

/* After a failure HDF5 need only close the file: the next write might crash it. */
static herr_t driver_write(H5FD_t *file, H5FD_mem_t type, hid_t transfer, haddr_t at,
                           size_t size, const void *data)
{
    h5file_t *f = of(file);

    (void)transfer;
    if (f->error != 0 || (type == H5FD_MEM_DRAW && at == f->chunk_at)) /* it is there */
        return 0;
    if (at + size <= f->front_bytes) {
        memcpy(f->front + at, data, size);
        return 0;
    }
    if (put(f, at, size, data))
        return 0;
    f->error = errno;
    return -1;
}

static const H5FD_class_t driver_class = {
#ifdef H5FD_CLASS_VERSION
    .version = H5FD_CLASS_VERSION,
    .value = DRIVER_VALUE,
#endif
    .name = "ribogrid",
    .maxaddr = INT64_MAX,
    .fc_degree = H5F_CLOSE_WEAK,
    .fapl_size = sizeof(h5file_t *),
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

static hid_t begin(int fd, haddr_t start, size_t front_bytes, h5file_t **out)
{
    h5file_t *f = calloc(1, sizeof(*f));
    hid_t access;

    *out = f;
    if (f == NULL) {
        log_nomem("an HDF5 file");
        return H5I_INVALID_HID;
    }
    f->fd = fd;
    f->start = f->written_end = start;
    f->front_bytes = front_bytes;
    f->chunk_at = HADDR_UNDEF;
    f->file = f->driver = H5I_INVALID_HID;
    if (ftruncate(fd, (off_t)start) != 0) {
        f->error = errno;
        return H5I_INVALID_HID;
    }
    f->driver = H5FDregister(&driver_class);
    access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_driver(access, f->driver, &f);
    f->file = H5Fcreate("ribogrid", H5F_ACC_TRUNC, H5P_DEFAULT, access);
    H5Pclose(access);
    return f->file;
}

hid_t h5file_create(int fd, h5file_t **out)
{
    return begin(fd, 0, 0, out);
}

hid_t h5file_create_behind(int fd, int64_t end, h5file_t **out)
{
    return begin(fd, (haddr_t)end, RESLOG_FRONT_BYTES, out);
}

bool h5file_put_chunk(h5file_t *f, hid_t dataset, const hsize_t *origin, int64_t at,
                      uint32_t len)
{
    bool good;

    f->chunk_at = (haddr_t)at;
    good = H5Dwrite_chunk(dataset, H5P_DEFAULT, 0, origin, len, f) >= 0; /* f: not read */
    f->chunk_at = HADDR_UNDEF;
    return good;
}

/* @return whether the file holds what was written; else errno */
static bool is_same(const h5file_t *f)
{
    uint64_t digest;

    if (!read_digest(f, f->start, f->end, &digest))
        return false;
    errno = EBADMSG;
    return digest == f->digest;
}

static bool put_front(const h5file_t *f)
{
    unsigned char there[RESLOG_FRONT_BYTES];

    if (f->front_bytes == 0)
        return true;
    if (!reslog_file_put(f->fd, f->front, f->front_bytes, 0) || fsync(f->fd) != 0 ||
        !read_at(f->fd, there, f->front_bytes, 0))
        return false;
    errno = EBADMSG;
    return memcmp(there, f->front, f->front_bytes) == 0;
}

/* Sync and check the file; the superblock of one in a log comes last.
 * @return whether it is complete; else errno */
static bool commit(h5file_t *f)
{
    return take_back(f, f->end, HADDR_MAX) && ftruncate(f->fd, (off_t)f->end) == 0 &&
           fsync(f->fd) == 0 && is_same(f) && put_front(f);
}

bool h5file_end(h5file_t *f, bool good)
{
    int error = errno;

    if (f == NULL)
        return false;
    if (f->file < 0 || H5Fclose(f->file) < 0 || f->is_open || f->error != 0)
        good = false;
    if (f->error != 0)
        error = f->error;
    if (good && !commit(f)) {
        error = errno;
        good = false;
    }
    if (!good && ftruncate(f->fd, (off_t)f->start) != 0)
        log_verbose("the unfinished file keeps its size");
    if (f->is_open) {
        f->fd = -1; /* the number may soon be that of another file */
        f->next = kept;
        kept = f;
    } else {
        if (f->driver >= 0)
            H5FDunregister(f->driver);
        free(f);
    }
    errno = error;
    return good;
}
