/*
 * test_idx_images.c - images and labels in the format of MNIST, and damaged files.
 */
#include "tests/support/unit_test.h"

#include "io/images/image_read.h"
#include "tests/support/captured_log.h"

#include <stdbool.h>

/* Two images of 1 x 3. */
static const unsigned char images[] = {0, 0, 8, 3, 0, 0, 0,  2,   0,   0, 0,
                                       1, 0, 0, 0, 3, 0, 64, 128, 255, 1, 2};
static const unsigned char labels[] = {0, 0, 8, 1, 0, 0, 0, 2, 7, 0};

static char images_path[PATH_BYTES], labels_path[PATH_BYTES];

static void put_both(void)
{
    dir_file("t-images-idx3-ubyte", images_path);
    dir_file("t-labels-idx1-ubyte", labels_path);
    dir_put(images_path, images, sizeof(images));
    dir_put(labels_path, labels, sizeof(labels));
}

static void remove_both(void)
{
    unlink(images_path);
    unlink(labels_path);
}

static void refused(const char *labels_of, const char *reason)
{
    image_set_t set;

    capture_start();
    assert_int_equal(idx_images_read(images_path, labels_of, &set), ST_EINPUT);
    capture_stop();
    assert_logged(reason);
    assert_logged_one_line();
}

static bool is_recognised(void)
{
    uint8_t magic[IMAGE_MAGIC_BYTES];

    assert_int_equal(image_magic_read(images_path, magic), ST_OK);
    return idx_images_are(magic);
}

static void labels_are_found_by_name(void **state)
{
    image_set_t set;
    float image[3];

    (void)state;
    put_both();
    assert_true(is_recognised());
    assert_int_equal(idx_images_read(images_path, NULL, &set), ST_OK);
    assert_int_equal(set.n, 2);
    assert_int_equal(set.size[0], 1);
    assert_int_equal(set.size[1], 1);
    assert_int_equal(set.size[2], 3);
    assert_int_equal(set.labels[0], 7);
    assert_int_equal(set.n_classes, 8);
    image_set_get(&set, 0, image);
    assert_true(image[0] == 0 && image[1] == 0.25F && image[2] == 0.5F);
    image_set_free(&set);
    remove_both();
}

static void four_dimensions_have_channels(void **state)
{
    static const unsigned char colored[] = {0, 0, 8, 4, 0, 0, 0, 1, 0, 0, 0,
                                            2, 0, 0, 0, 1, 0, 0, 0, 1, 9, 8};
    image_set_t set;

    (void)state;
    dir_file("colored.idx", images_path);
    dir_put(images_path, colored, sizeof(colored));
    assert_int_equal(idx_images_read(images_path, NULL, &set), ST_OK);
    assert_int_equal(set.size[0], 2);
    assert_null(set.labels);
    image_set_free(&set);
    unlink(images_path);
}

static void damaged_compression_is_refused_once(void **state)
{
    static const unsigned char cut[] = {0x1f, 0x8b};
    uint8_t magic[IMAGE_MAGIC_BYTES];

    (void)state;
    put_both();
    dir_put(images_path, cut, sizeof(cut));
    capture_start();
    assert_int_equal(image_magic_read(images_path, magic), ST_EINPUT);
    capture_stop();
    assert_logged("unexpected end of the gzip data");
    assert_logged_one_line();
    remove_both();
}

static void a_folder_is_left_to_its_reader(void **state)
{
    uint8_t magic[IMAGE_MAGIC_BYTES];

    (void)state;
    capture_start();
    assert_int_equal(image_magic_read(dir, magic), ST_OK);
    capture_stop();
    assert_false(idx_images_are(magic) || pgm_images_are(magic) || png_images_are(magic));
    assert_logged_nothing();
}

static void impossible_dimensions_are_refused(void **state)
{
    static const unsigned char wide[] = {0, 0, 8, 3, 0,    0,    0,    0,
                                         0, 0, 0, 1, 0xff, 0xff, 0xff, 0xff};
    static const unsigned char flat[] = {0, 0, 8, 3, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 3};

    (void)state;
    put_both();
    dir_put(images_path, flat, sizeof(flat));
    refused(NULL, "its head declares 0 as dimension 2");
    dir_put(images_path, wide, sizeof(wide));
    refused(NULL, "its head declares 0 as dimension 1");
    remove_both();
}

static void damaged_files_are_refused(void **state)
{
    static const unsigned char surplus[] = {0, 0, 8, 3, 0, 0, 0, 0, 0,
                                            0, 0, 1, 0, 0, 0, 3, 5};

    (void)state;
    put_both();
    dir_put(images_path, images, sizeof(images) - 1);
    refused(NULL, "fewer bytes than the 6 values");
    dir_put(images_path, surplus, sizeof(surplus));
    refused(NULL, "more bytes than the 0 values");
    dir_put(images_path, images, 9);
    refused(NULL, "ends within its head");
    dir_put(images_path, "GIF89a", 6);
    assert_false(is_recognised());
    refused(NULL, "no idx file");
    dir_put(images_path, labels, sizeof(labels));
    refused(NULL, "holds no images");
    remove_both();
}

static void labels_must_belong_to_the_images(void **state)
{
    (void)state;
    put_both();
    dir_put(labels_path, "\0\0\10\1\0\0\0\1\5", 9);
    refused(NULL, "does not hold one label for each of 2 images");
    refused(images_path, "does not hold one label for each of 2 images");
    remove_both();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(labels_are_found_by_name),
        cmocka_unit_test(four_dimensions_have_channels),
        cmocka_unit_test(damaged_compression_is_refused_once),
        cmocka_unit_test(a_folder_is_left_to_its_reader),
        cmocka_unit_test(impossible_dimensions_are_refused),
        cmocka_unit_test(damaged_files_are_refused),
        cmocka_unit_test(labels_must_belong_to_the_images),
    };

    return cmocka_run_group_tests(tests, dir_make, dir_remove);
}
