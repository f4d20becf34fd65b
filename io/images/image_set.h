/*
 * image_set.h - images of one size in memory, with or without labels: what networks are
 * trained on.
 */
#pragma once

#include "io/base/arrays.h"

typedef struct {
    int64_t n;
    int size[3];     /* channels, height, width */
    uint8_t *bytes;  /* [n][channels][height][width], 0..255; or NULL */
    float *values;   /* likewise, if the values are not bytes; or NULL */
    int32_t *labels; /* [n] of 0 .. n_classes-1; NULL: none */
    int n_classes;
    char **classes; /* [n_classes] names, in one block that begins with the first; NULL:
                     * none */
    char **names;   /* [n] of the images, likewise */
} image_set_t;

extern const arrays_t image_set_arrays;

/* @return the number of values of an image */
int64_t image_set_values(const image_set_t *set);

/* Fill `out` with the values of image i, in float; bytes are divided by 256, as in
 * Caffe's LeNet. */
void image_set_get(const image_set_t *set, int64_t i, float *out);

/* Set n_classes to the largest label + 1, unless classes are named.
 * @param name  of the input, for the message
 * @return ST_OK, or ST_EINPUT (logged): a label is negative or has no class */
status_t image_set_check_labels(image_set_t *set, const char *name) MUST_CHECK;

/* @return a digest of everything but names */
uint64_t image_set_digest(const image_set_t *set);

/* Free all arrays and set all members to 0. */
void image_set_free(image_set_t *set);

/*
 * Make random images with random labels: noise, whose mean depends on the label a
 * little.  The same on every machine.
 *
 * @param size  channels, height, width
 * @return ST_OK or ST_ENOMEM
 */
status_t image_set_make(int64_t n, const int size[3], int n_classes, uint64_t seed,
                        image_set_t *out) MUST_CHECK;
