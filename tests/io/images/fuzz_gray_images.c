/*
 * fuzz_gray_images.c - libFuzzer target: arbitrary bytes as images in PGM, or as one in
 * PNG by their first bytes.
 */
#include "io/images/image_read.h"
#include "tests/support/fuzz_file.h"

static volatile unsigned sum; /* so that a sanitizer sees each value */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    char path[64];
    const int fd = fuzz_file(data, len, path);
    uint8_t magic[IMAGE_MAGIC_BYTES];
    image_set_t set;
    status_t st;

    fuzz_quiet();
    st = image_magic_read(path, magic);
    if (st == ST_OK)
        st = png_images_are(magic) ? png_images_read(path, &set)
                                   : pgm_images_read(path, &set);
    fuzz_loud();
    if (st == ST_OK) {
        if (set.n < 1 || set.size[0] != 1 || set.size[1] < 1 || set.size[2] < 1)
            abort();
        for (int64_t k = 0; k < set.n * image_set_values(&set); k++)
            sum += set.bytes[k];
        image_set_free(&set);
    } else if (st != ST_EINPUT && st != ST_ENOMEM) {
        abort();
    }
    close(fd);
    return 0;
}
