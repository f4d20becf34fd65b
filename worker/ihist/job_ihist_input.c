/*
 * job_ihist_input.c - the images, which rank 0 reads and sends to the other ranks.
 */
#include "worker/ihist/job_ihist_state.h"

#include "io/base/logmsg.h"
#include "io/file/packed_input.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char remedy[] = "give gray images of 8 bits, as PGM, PNG, idx or HDF5";

/* Other files would be read as sequences. */
static status_t check_format(const char *path)
{
    uint8_t magic[IMAGE_MAGIC_BYTES];
    packed_input_t *in;
    status_t st = packed_input_open(path, &in);

    if (st != ST_OK)
        return st;
    packed_input_close(in);
    if ((st = image_magic_read(path, magic)) != ST_OK)
        return st;
    return idx_images_are(magic) || pgm_images_are(magic) || png_images_are(magic)
               ? ST_OK
               : log_refusal(path, remedy, "no image of a known format");
}

static status_t check_set(const char *path, const image_set_t *set,
                          const image_set_t *before)
{
    if (set->bytes == NULL)
        return log_refusal(path, remedy, "its values are real numbers");
    if (set->size[0] != 1)
        return log_refusal(path, remedy, "its images have %d channels", set->size[0]);
    if (set->n == 0 || image_set_values(set) == 0)
        return log_refusal(path, remedy, "it has no pixels");
    if (set->size[1] > IMAGE_SIDE_MAX || set->size[2] > IMAGE_SIDE_MAX)
        return log_refusal(path, "cut it into parts",
                           "its images are %d x %d, and sides are limited to %d",
                           set->size[2], set->size[1], IMAGE_SIDE_MAX);
    if (before->n > 0 &&
        (set->size[1] != before->size[1] || set->size[2] != before->size[2]))
        return log_refusal(path, "give images of one size",
                           "its images are %d x %d, and those before %d x %d",
                           set->size[2], set->size[1], before->size[2], before->size[1]);
    return ST_OK;
}

/* Append the images of a set, whose labels do not matter; it is empty then. */
static status_t append(image_set_t *set, image_set_t *to)
{
    const size_t each = (size_t)image_set_values(set);
    uint8_t *bytes = set->bytes;

    if (to->n == 0) {
        *to = (image_set_t){.n = set->n, .bytes = bytes};
        memcpy(to->size, set->size, sizeof(to->size));
        set->bytes = NULL;
    } else {
        bytes = realloc(to->bytes, (size_t)(to->n + set->n) * each);
        if (bytes == NULL)
            return log_nomem("images");
        memcpy(bytes + (size_t)to->n * each, set->bytes, (size_t)set->n * each);
        to->bytes = bytes;
        to->n += set->n;
    }
    return ST_OK;
}

static status_t read_all(job_ihist_t *j)
{
    const ihist_opts_t *o = j->opts;
    status_t st = ST_OK;

    for (int k = 0; st == ST_OK && o->files[k] != NULL; k++) {
        const image_source_t source = {.what.path = o->files[k], .stream = -1};
        const bool is_hdf5 = image_read_is_hdf5(o->files[k]);
        image_set_t set = {.n = 0};

        if (is_hdf5 && k + (o->files[1] != NULL) > 0)
            st = log_refusal(o->files[k], "give it alone", "images in HDF5");
        else if (!is_hdf5)
            st = check_format(o->files[k]);
        if (st == ST_OK)
            st = image_exchange_read(is_hdf5 ? &o->first : &source, o->common.reader,
                                     IHIST_CHILD_IMAGES, &set);
        if (st == ST_OK && (st = check_set(o->files[k], &set, &j->set)) == ST_OK)
            st = append(&set, &j->set);
        image_set_free(&set);
    }
    return st;
}

status_t job_ihist_read(job_ihist_t *j, exchange_t *x)
{
    status_t st = exchange_agree(x, x->rank == 0 ? read_all(j) : ST_OK);

    return st == ST_OK ? exchange_object(x, &image_set_arrays, &j->set) : st;
}
