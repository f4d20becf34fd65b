/*
 * image_exchange.h - reads images; HDF5 in the child of the run (io/base/child_reader.h),
 * because a damaged file may crash HDF5.
 *
 * The arrays pass from the child through a file in memory, which it inherits.
 */
#ifndef RIBOGRID_WORKER_CNN_IMAGE_EXCHANGE_H
#define RIBOGRID_WORKER_CNN_IMAGE_EXCHANGE_H

#include "io/base/child_reader.h"
#include "io/images/image_read.h"

typedef struct {
    image_read_t what; /* path NULL: no images */
    int stream;        /* the file in memory, or -1: not read in the child */
} image_source_t;

/* Before the child is forked: open the file in memory, if the images are HDF5.
 * @return ST_OK or ST_ENOMEM */
status_t image_exchange_prepare(image_source_t *source) MUST_CHECK;

/* In the child: read images into the file in memory. */
status_t image_exchange_answer(const image_source_t *source) MUST_CHECK;

/*
 * Read images, in the child where that is prepared.
 *
 * @param reader    asked for `question`, which image_exchange_answer answers; may be NULL
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT (logged)
 */
status_t image_exchange_read(const image_source_t *source, child_reader_t *reader,
                             int question, image_set_t *out) MUST_CHECK;

#endif
