/*
 * reslog_h5.c - a finished log as a file that HDF5 writes.
 */
#include "io/pairs/write/reslog_h5.h"

#include "io/base/logmsg.h"
#include "io/file/sync_ahead.h"
#include "io/hdf5/h5file.h"

#include <errno.h>
#include <stdlib.h>

struct reslog_h5 {
    const reslog_t *log;
    h5file_t *file;
    sync_ahead_t *ahead; /* or NULL */
};

hid_t reslog_h5_begin(const reslog_t *log, reslog_h5_t **out)
{
    reslog_h5_t *h = calloc(1, sizeof(*h));

    *out = h;
    if (h == NULL) {
        log_nomem("the result");
        return H5I_INVALID_HID;
    }
    h->log = log;
    h->ahead = sync_ahead_begin(reslog_fd(log));
    return h5file_create_behind(reslog_fd(log), reslog_end(log), &h->file);
}

bool reslog_h5_put_chunk(reslog_h5_t *h, hid_t dataset, const hsize_t *origin,
                         int64_t task, size_t at, uint32_t len)
{
    return h5file_put_chunk(h->file, dataset, origin,
                            reslog_payload_at(h->log, task) + (int64_t)at, len);
}

bool reslog_h5_end(reslog_h5_t *h, bool good)
{
    int error = errno, sync_error;

    if (h == NULL)
        return false;
    if ((sync_error = sync_ahead_end(h->ahead)) != 0)
        error = sync_error;
    errno = error;
    good = h5file_end(h->file, good && sync_error == 0);
    free(h);
    return good;
}
