/*
 * image_set.c - access to images, and synthetic ones.
 */
#include "io/images/image_set.h"

#include "io/base/digest.h"
#include "io/base/logmsg.h"
#include "io/base/memory_limit.h"
#include "io/base/rng.h"

#include <endian.h>
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

ARRAY_COUNT(n_images, image_set_t, o->n)
ARRAY_COUNT(n_values, image_set_t, image_set_values(o) * (o->n))
ARRAY_COUNT(n_classes, image_set_t, o->n_classes)

static bool is_valid(const void *object)
{
    const image_set_t *set = object;
    int64_t left = INT64_MAX / 8;

    if (set->n < 0 || set->n > left || set->n_classes < 0)
        return false;
    for (int d = 0; d < 3; d++) {
        if (set->size[d] < 0 || set->size[d] > left)
            return false;
        left /= set->size[d] > 0 ? set->size[d] : 1;
    }
    return set->n <= left;
}

static const array_t rows[] = {
    ARRAY_VALUE(image_set_t, n, ARRAY_INT64),
    ARRAY_VALUE(image_set_t, size, ARRAY_INT32),
    ARRAY_VALUE(image_set_t, n_classes, ARRAY_INT32, .has_no_digest = true),
    ARRAY_OF(image_set_t, bytes, ARRAY_BYTES, n_values, .is_optional = true),
    ARRAY_OF(image_set_t, values, ARRAY_FLOAT, n_values, .is_optional = true),
    ARRAY_OF(image_set_t, labels, ARRAY_INT32, n_images, .is_optional = true),
    ARRAY_OF(image_set_t, classes, ARRAY_TEXTS, n_classes, .is_optional = true,
             .stays = true, .has_no_digest = true),
    ARRAY_OF(image_set_t, names, ARRAY_TEXTS, n_images, .is_optional = true,
             .stays = true, .has_no_digest = true),
    ARRAYS_END};

const arrays_t image_set_arrays = {"a set of images", sizeof(image_set_t), rows,
                                   is_valid};

uint64_t image_set_digest(const image_set_t *set)
{
    return arrays_digest(&image_set_arrays, DIGEST_START, set);
}

void image_set_free(image_set_t *set)
{
    arrays_free(&image_set_arrays, set);
}

/* Bytes of 7 random bits, to which the label's shift is added: eight at a time, of which
 * none carries into the next. @return the label */
static int32_t make_image(rng_t *rng, uint64_t n_kinds, uint8_t *out, size_t len)
{
    const uint64_t label = rng_below(rng, n_kinds);
    const uint64_t shift = label * 64 / n_kinds * UINT64_C(0x0101010101010101);

    for (size_t k = 0; k < len; k += 8) {
        const uint64_t bits =
            htole64((rng_next(rng) & UINT64_C(0x7f7f7f7f7f7f7f7f)) + shift);

        memcpy(out + k, &bits, len - k < 8 ? len - k : 8);
    }
    return (int32_t)label;
}

status_t image_set_make(int64_t n, const int size[3], int n_kinds, uint64_t seed,
                        image_set_t *out)
{
    image_set_t set = {.n = n, .n_classes = n_kinds};
    rng_t rng = rng_seed(seed);
    int64_t each;
    status_t st;

    memcpy(set.size, size, sizeof(set.size));
    each = image_set_values(&set);
    if ((st = memory_limit_check((double)n * (double)each, "give a smaller number",
                                 "%" PRId64 " synthetic images", n)) != ST_OK)
        return st;
    set.bytes = buf_alloc_pages((size_t)(n * each));
    set.labels = malloc((size_t)n * sizeof(*set.labels) + 1);
    if (set.bytes == NULL || set.labels == NULL) {
        image_set_free(&set);
        return log_nomem("synthetic images");
    }
    for (int64_t i = 0; i < n; i++)
        set.labels[i] =
            make_image(&rng, (uint64_t)n_kinds, set.bytes + i * each, (size_t)each);
    *out = set;
    return ST_OK;
}
