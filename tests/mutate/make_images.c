/*
 * make_images.c - writes a valid HDF5 file of images, which no command does.
 *
 *   make_images OUT.h5
 *
 * Twelve images of 1 x 4 x 4 real numbers, with labels and names of three classes.
 */
#include "io/hdf5/h5text.h"
#include "io/hdf5/h5util.h"

#include <stdio.h>

enum { IMAGES = 12, VALUES = 16, CLASSES = 3 };

static bool put(hid_t file)
{
    static const char *const classes[CLASSES] = {"zero", "one", "two"};
    const h5util_shape_t shape = {.rank = 2, .size = {IMAGES, VALUES}, .chunk = {4, 16}};
    const int32_t size[] = {1, 4, 4};
    float values[IMAGES][VALUES];
    int32_t labels[IMAGES];
    hid_t data = h5util_create(file, "values", H5T_IEEE_F32LE, &shape);
    bool good;

    for (int i = 0; i < IMAGES; i++) {
        labels[i] = i % CLASSES;
        for (int k = 0; k < VALUES; k++)
            values[i][k] = (float)(i * k % 7) / 7;
    }
    good = data >= 0 &&
           H5Dwrite(data, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0;
    if (data >= 0)
        H5Dclose(data);
    return good && h5util_put_int32s(file, "size", size, 3, 0) &&
           h5util_put_int32s(file, "labels", labels, IMAGES, 0) &&
           h5text_put_array(file, "classes", classes, CLASSES);
}

int main(int argc, char **argv)
{
    hid_t file;
    bool good;

    if (argc != 2) {
        fprintf(stderr, "usage: make_images OUT.h5\n");
        return 2;
    }
    h5util_init();
    file = H5Fcreate(argv[1], H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    good = file >= 0 && put(file);
    good = file >= 0 && H5Fclose(file) >= 0 && good;
    if (!good)
        fprintf(stderr, "make_images: cannot write %s\n", argv[1]);
    return good ? 0 : 1;
}
