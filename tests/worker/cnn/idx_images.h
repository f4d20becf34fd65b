/*
 * idx_images.h - images of bytes with labels as files in the format of MNIST.
 */
#pragma once

#include "io/base/buf.h"
#include "tests/support/captured_log.h"

/*
 * Write images, or labels: a head of n_sizes numbers below 256, then bytes.
 *
 * @param sizes  number of images, height, width; or number of labels
 */
static inline void idx_put(const char *path, const uint8_t *sizes, int n_sizes,
                           const uint8_t *bytes)
{
    buf_t file = {0};
    size_t n = 1;

    assert_int_equal(buf_append(&file, (uint8_t[]){0, 0, 8, (uint8_t)n_sizes}, 4), ST_OK);
    for (int d = 0; d < n_sizes; d++) {
        assert_int_equal(buf_append(&file, (uint8_t[]){0, 0, 0, sizes[d]}, 4), ST_OK);
        n *= sizes[d];
    }
    assert_int_equal(buf_append(&file, bytes, n), ST_OK);
    dir_put(path, file.data, file.len);
    buf_free(&file);
}
