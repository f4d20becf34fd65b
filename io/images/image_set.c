/*
 * image_set.c - access to images, and synthetic ones.
 */
#include "io/images/image_set.h"

#include "io/base/digest.h"
#include "io/base/logmsg.h"
#include "io/base/rng.h"
#include "io/hdf5/h5text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

int64_t image_set_values(const image_set_t *set)
{
    return (int64_t)set->size[0] * set->size[1] * set->size[2];
}

void image_set_get(const image_set_t *set, int64_t i, float *out)
{
    const int64_t n = image_set_values(set);

    if (set->values != NULL) {
        memcpy(out, set->values + i * n, (size_t)n * sizeof(*out));
        return;
    }
    for (int64_t k = 0; k < n; k++)
        out[k] = (float)set->bytes[i * n + k] / 256;
}

status_t image_set_check_labels(image_set_t *set, const char *name)
{
    int32_t largest = -1;

    for (int64_t i = 0; set->labels != NULL && i < set->n; i++) {
        const int32_t label = set->labels[i];

        if (label < 0 || label == INT32_MAX ||
            (set->classes != NULL && label >= set->n_classes)) {
            log_error("%s: image %" PRId64 " has label %" PRId32
                      ", but labels count from 0%s; correct the labels",
                      name, i + 1, label,
                      set->classes != NULL ? " to the number of classes - 1" : "");
            return ST_EINPUT;
        }
        if (label > largest)
            largest = label;
    }
    if (set->classes == NULL)
        set->n_classes = largest + 1;
    return ST_OK;
}

uint64_t image_set_digest(const image_set_t *set)
{
    const size_t n = (size_t)(set->n * image_set_values(set));
    uint64_t d = digest_add(DIGEST_START, &set->n, sizeof(set->n));

    d = digest_add(d, set->size, sizeof(set->size));
    if (set->bytes != NULL)
        d = digest_add(d, set->bytes, n);
    if (set->values != NULL)
        d = digest_add(d, set->values, n * sizeof(*set->values));
    if (set->labels != NULL)
        d = digest_add(d, set->labels, (size_t)set->n * sizeof(*set->labels));
    return d;
}

void image_set_free(image_set_t *set)
{
    free(set->bytes);
    free(set->values);
    free(set->labels);
    h5text_free_array(set->classes);
    h5text_free_array(set->names);
    *set = (image_set_t){.n = 0};
}

status_t image_set_make(int64_t n, const int size[3], int n_classes, uint64_t seed,
                        image_set_t *out)
{
    image_set_t set = {.n = n, .n_classes = n_classes};
    rng_t rng = rng_seed(seed);
    int64_t n_values;

    memcpy(set.size, size, sizeof(set.size));
    n_values = image_set_values(&set);
    set.bytes = malloc((size_t)(n * n_values) + 1);
    set.labels = malloc((size_t)n * sizeof(*set.labels) + 1);
    if (set.bytes == NULL || set.labels == NULL) {
        image_set_free(&set);
        return log_nomem("synthetic images");
    }
    for (int64_t i = 0; i < n; i++) {
        const uint64_t label = rng_below(&rng, (uint64_t)n_classes);
        const unsigned shift = (unsigned)(label * 64 / (uint64_t)n_classes);
        uint64_t bits = 0;

        set.labels[i] = (int32_t)label;
        for (int64_t k = 0; k < n_values; k++) {
            if (k % 8 == 0)
                bits = rng_next(&rng);
            set.bytes[i * n_values + k] = (uint8_t)((bits & 127) + shift);
            bits >>= 8;
        }
    }
    *out = set;
    return ST_OK;
}
