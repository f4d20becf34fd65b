/*
 * test_image_read.c - kinds of images on a command line: HDF5, FASTA, synthetic.
 */
#include "tests/support/unit_test.h"

#include "io/images/image_read.h"
#include "tests/support/captured_log.h"

#include <math.h>

#include <hdf5.h>

static char path[PATH_BYTES];

static void put(hid_t file, const char *name, hid_t type, const hsize_t *size, int rank,
                const void *data)
{
    hid_t space = H5Screate_simple(rank, size, NULL);
    hid_t set =
        H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);

    assert_true(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
    H5Dclose(set);
    H5Sclose(space);
}

static float values[4] = {0, 1.5F, -2, 3};

/* Two images of 1 x 1 x 2. */
static void put_h5(int width, int label)
{
    const int size[3] = {1, 1, width}, labels[2] = {label, 1};
    hid_t file;

    dir_file("x.h5", path);
    file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    put(file, "size", H5T_NATIVE_INT, (const hsize_t[]){3}, 1, size);
    put(file, "values", H5T_NATIVE_FLOAT, (const hsize_t[]){2, 2}, 2, values);
    put(file, "labels", H5T_NATIVE_INT, (const hsize_t[]){2}, 1, labels);
    assert_true(H5Fclose(file) >= 0);
}

static void refused(const image_read_t *what, const char *reason)
{
    image_set_t set;

    capture_start();
    assert_int_equal(image_read(what, &set), ST_EINPUT);
    capture_stop();
    assert_logged(reason);
    assert_logged_one_line();
}

static void hdf5_has_values_size_and_labels(void **state)
{
    image_read_t what = {.path = path};
    image_set_t set;
    float image[2];

    (void)state;
    put_h5(2, 4);
    assert_int_equal(image_read(&what, &set), ST_OK);
    assert_int_equal(set.n, 2);
    assert_int_equal(set.n_classes, 5);
    image_set_get(&set, 1, image);
    assert_true(image[0] == -2 && image[1] == 3);
    image_set_free(&set);
    put_h5(3, 4);
    refused(&what, "a row of /values has 2 values, but /size says 3");
    put_h5(2, -1);
    refused(&what, "image 1 has label -1");
    unlink(path);
}

static void values_that_are_not_finite_are_refused(void **state)
{
    const image_read_t what = {.path = path};
    const float wrong[] = {NAN, INFINITY, -INFINITY};

    (void)state;
    for (int i = 0; i < 3; i++) {
        values[3] = wrong[i];
        put_h5(2, 4);
        refused(&what, "x.h5: /values is not finite at row 2, column 2");
    }
    values[3] = 3;
    unlink(path);
}

static void sequences_have_their_lowest_taxon_as_label(void **state)
{
    static const char fasta[] = ">a\nACGTACGT\n>b\nTTTTTTTT\n>c\nACGTACGG\n";
    static const char lineages[] = "c\tB;X;G1\na\tB;X;G1\nb\tB;Y\nd\tB;Z;G9\n";
    char taxonomy[PATH_BYTES];
    image_read_t what = {.path = path, .taxonomy = taxonomy};
    image_set_t set;

    (void)state;
    dir_file("x.fa", path);
    dir_file("x.tsv", taxonomy);
    dir_put(path, fasta, sizeof(fasta) - 1);
    dir_put(taxonomy, lineages, sizeof(lineages) - 1);
    assert_int_equal(image_read(&what, &set), ST_OK);
    assert_int_equal(set.n, 3);
    assert_int_equal(set.n_classes, 2);
    assert_string_equal(set.classes[set.labels[0]], "B;X;G1");
    assert_string_equal(set.classes[set.labels[1]], "B;Y");
    assert_int_equal(set.labels[2], set.labels[0]);
    assert_string_equal(set.names[1], "b");
    image_set_free(&set);
    dir_put(taxonomy, lineages, 18);
    refused(&what, "has no lineage for 1 of 3 sequences");
    what.allow_missing = true;
    assert_int_equal(image_read(&what, &set), ST_OK);
    assert_int_equal(set.n, 2);
    assert_string_equal(set.names[1], "c");
    assert_int_equal(set.labels[1], 0);
    image_set_free(&set);
    what.keeps_missing = true;
    assert_int_equal(image_read(&what, &set), ST_OK);
    assert_int_equal(set.n, 3);
    assert_int_equal(set.labels[1], -1);
    assert_int_equal(set.labels[2], 0);
    image_set_free(&set);
    dir_put(taxonomy, "d\tB;X\n", 6);
    refused(&what, "has no lineage for 3 of 3 sequences");
    unlink(path);
    unlink(taxonomy);
}

static void synthetic_images_follow_from_the_seed(void **state)
{
    image_read_t what = {.path = "synthetic:5", .size = {2, 3, 4}, .n_classes = 7};
    image_set_t set, other;

    (void)state;
    assert_int_equal(image_read(&what, &set), ST_OK);
    assert_int_equal(set.n, 5);
    assert_int_equal(image_read(&what, &other), ST_OK);
    assert_int_equal(image_set_digest(&set), image_set_digest(&other));
    image_set_free(&other);
    what.seed = 1;
    assert_int_equal(image_read(&what, &other), ST_OK);
    assert_int_not_equal(image_set_digest(&set), image_set_digest(&other));
    image_set_free(&other);
    image_set_free(&set);
    what.path = "synthetic:0";
    refused(&what, "give a number of images");
    what.path = "synthetic:5x";
    refused(&what, "give a number of images");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hdf5_has_values_size_and_labels),
        cmocka_unit_test(values_that_are_not_finite_are_refused),
        cmocka_unit_test(sequences_have_their_lowest_taxon_as_label),
        cmocka_unit_test(synthetic_images_follow_from_the_seed),
    };

    return cmocka_run_group_tests(tests, dir_make, dir_remove);
}
