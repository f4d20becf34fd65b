/*
 * image_exchange.c - images from the child to the run.
 */
#include "worker/cnn/cnn_opts.h"

#include "io/file/memfd_stream.h"

status_t image_exchange_prepare(image_source_t *source)
{
    source->stream = -1;
    if (source->what.path == NULL || !image_read_is_hdf5(source->what.path))
        return ST_OK;
    return memfd_stream_create(image_set_arrays.what, &source->stream);
}

status_t image_exchange_answer(const image_source_t *source)
{
    image_set_t set;
    status_t st = image_read(&source->what, &set);

    if (st != ST_OK)
        return st;
    st = memfd_stream_put_object(source->stream, &image_set_arrays, &set);
    image_set_free(&set);
    return st;
}

status_t image_exchange_read(const image_source_t *source, child_reader_t *reader,
                             int question, image_set_t *out)
{
    image_set_t set = {.n = 0};
    status_t st;

    if (source->stream < 0 || reader == NULL)
        return image_read(&source->what, out);
    st = memfd_stream_fetch(reader, question, source->stream, &image_set_arrays, &set);
    if (st == ST_OK)
        *out = set;
    return st;
}
