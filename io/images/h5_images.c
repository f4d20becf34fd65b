/*
 * h5_images.c - reads the datasets of images, and checks that they agree.
 */
#include "io/images/image_read.h"

#include "io/base/logmsg.h"
#include "io/hdf5/h5check.h"
#include "io/hdf5/h5data.h"
#include "io/hdf5/h5text.h"
#include "io/hdf5/h5util.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    const char *path;
    hid_t file;
    image_set_t *set;
} reader_t;

static const char remedy[] = "write the file as docs/cnn.md describes it";

static status_t read_size(const reader_t *r)
{
    int32_t *size = h5data_get(r->file, "/size", H5T_NATIVE_INT32, 3, NULL);
    bool is_good = size != NULL;

    for (int d = 0; is_good && d < 3; d++) {
        is_good = size[d] >= 1 && size[d] <= IMAGE_SIDE_MAX;
        r->set->size[d] = size[d];
    }
    if (size == NULL)
        return ST_EINPUT;
    free(size);
    return is_good ? ST_OK
                   : log_refusal(r->path, remedy,
                                 "/size has a value that is not 1 to 1048576");
}

static status_t read_values(const reader_t *r, const char *name, hid_t type, void **out)
{
    const h5data_want_t want = {.rank = 2, .memory_type = type};
    h5data_t *data = h5data_open(r->file, name, &want);
    image_set_t *set = r->set;
    const int64_t columns = image_set_values(set);
    status_t st;

    if (data == NULL)
        return ST_EINPUT;
    set->n = data->rows;
    if (data->columns != columns) {
        st = log_refusal(r->path, remedy,
                         "a row of %s has %" PRId64 " values, but /size says %" PRId64,
                         name, data->columns, columns);
    } else if ((*out = malloc((size_t)(set->n * columns) * data->value_bytes + 1)) ==
               NULL) {
        st = log_nomem("images");
    } else {
        st = h5data_read(data, 0, set->n, 0, columns, *out);
    }
    h5data_close(data);
    return st;
}

static status_t read_images(const reader_t *r)
{
    if (h5check_exists(r->file, "/images"))
        return read_values(r, "/images", H5T_NATIVE_UINT8, (void **)&r->set->bytes);
    return read_values(r, "/values", H5T_NATIVE_FLOAT, (void **)&r->set->values);
}

static status_t read_labels(const reader_t *r)
{
    image_set_t *set = r->set;

    if (h5check_exists(r->file, "/labels") &&
        (set->labels = h5data_get(r->file, "/labels", H5T_NATIVE_INT32, set->n, NULL)) ==
            NULL)
        return ST_EINPUT;
    if (h5check_exists(r->file, "/classes")) {
        int64_t n = 0;

        if ((set->classes = h5text_get_array(r->file, "/classes", -1, &n)) == NULL)
            return ST_EINPUT;
        if (n > INT32_MAX)
            return log_refusal(r->path, remedy, "/classes has more than %d names",
                               INT32_MAX);
        set->n_classes = (int)n;
    }
    return image_set_check_labels(set, r->path);
}

status_t h5_images_read(const char *path, image_set_t *out)
{
    reader_t r = {.path = path, .set = out};
    status_t st;

    *out = (image_set_t){.n = 0};
    h5util_init();
    if ((r.file = h5check_open_file(path)) < 0)
        return ST_EINPUT;
    if ((st = read_size(&r)) == ST_OK && (st = read_images(&r)) == ST_OK)
        st = read_labels(&r);
    H5Fclose(r.file);
    if (st != ST_OK)
        image_set_free(out);
    return st;
}
