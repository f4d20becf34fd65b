/*
 * h5guest.c - one thread at a time uses HDF5, without its error stack on stderr.
 */
#include "io/hdf5/h5guest.h"

#include "io/hdf5/h5util.h"

#include <pthread.h>

/* HDF5 may have been built without locks of its own. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct {
    H5E_auto2_t print;
    void *argument;
} before;

void h5guest_begin(void)
{
    pthread_mutex_lock(&lock);
    h5util_stay_guest();
    H5Eget_auto2(H5E_DEFAULT, &before.print, &before.argument);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

void h5guest_end(void)
{
    H5Eset_auto2(H5E_DEFAULT, before.print, before.argument);
    pthread_mutex_unlock(&lock);
}
