/*
 * fuzz_idx_images.c - libFuzzer target: arbitrary bytes as images in MNIST's format, and
 * as their labels.
 */
#include "io/images/image_read.h"
#include "tests/support/fuzz_file.h"

static void check(const image_set_t *set)
{
    if (set->n < 0 || set->size[0] < 0 || set->size[1] < 0 || set->size[2] < 0)
        abort();
    for (int64_t i = 0; set->labels != NULL && i < set->n; i++)
        if (set->labels[i] < 0 || set->labels[i] >= set->n_classes)
            abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    static const uint8_t image[] = {0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 1, 7, 9};
    char path[64], image_path[64];
    const int fd = fuzz_file(data, len, path);
    const int image_fd = fuzz_file(image, sizeof(image), image_path);

    for (int as_labels = 0; as_labels < 2; as_labels++) {
        image_set_t set;
        uint8_t magic[IMAGE_MAGIC_BYTES];
        status_t st;

        fuzz_quiet();
        st = image_magic_read(path, magic);
        if (st == ST_OK)
            st = as_labels ? idx_images_read(image_path, path, &set)
                           : idx_images_read(path, NULL, &set);
        fuzz_loud();
        if (st == ST_OK) {
            check(&set);
            image_set_free(&set);
        } else if (st != ST_EINPUT) {
            abort();
        }
    }
    close(image_fd);
    close(fd);
    return 0;
}
