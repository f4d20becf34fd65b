/*
 * mutate_file.c - the whole file: empty, a text, a directory, another HDF5 file, with a
 * user block, in HDF5's newest layout.
 */
#include "tests/mutate/mutate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { USER_BLOCK = 512 };

static void write_file(const char *path, const void *bytes, size_t n)
{
    FILE *f = fopen(path, "wb");

    if (f == NULL)
        return;
    if (fwrite(bytes, 1, n, f) != n)
        perror(path);
    fclose(f);
}

static void make_directory(const char *path)
{
    unlink(path);
    if (mkdir(path, 0777) != 0)
        perror(path);
}

static void make_other_hdf5(const char *path)
{
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);

    H5Fclose(file);
}

/* Move the file's content behind a user block, where HDF5 also finds it. */
static void put_user_block(mutant_t *m)
{
    static char bytes[1 << 22];
    size_t block = (size_t)USER_BLOCK << mutant_below(m, 4), n;
    FILE *f = fopen(m->path, "rb");

    if (f == NULL)
        return;
    memset(bytes, '#', block);
    n = fread(bytes + block, 1, sizeof(bytes) - block, f);
    fclose(f);
    write_file(m->path, bytes, block + n);
    mutant_note(m, " a user block of %d bytes;", (int)block);
}

static herr_t copy_attribute(hid_t from, const char *name, const H5A_info_t *info,
                             void *to)
{
    hid_t old = H5Aopen(from, name, H5P_DEFAULT), type = H5Aget_type(old);
    hid_t space = H5Aget_space(old);
    hid_t new = H5Acreate2(*(hid_t *)to, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    void *value =
        calloc(1, H5Tget_size(type) * (size_t)H5Sget_simple_extent_npoints(space));

    (void)info;
    if (value != NULL && H5Aread(old, type, value) >= 0)
        H5Awrite(new, type, value);
    free(value);
    H5Aclose(new);
    H5Aclose(old);
    H5Sclose(space);
    H5Tclose(type);
    return 0;
}

static herr_t copy_link(hid_t from, const char *name, const H5L_info_t *link, void *to)
{
    (void)link;
    H5Ocopy(from, name, *(hid_t *)to, name, H5P_DEFAULT, H5P_DEFAULT);
    return 0;
}

/* Write the same content in the layout of HDF5's newest version: other superblock, object
 * headers and indices. */
static void copy_to_latest(mutant_t *m)
{
    hid_t from = H5Fopen(m->path, H5F_ACC_RDONLY, H5P_DEFAULT);
    hid_t access = H5Pcreate(H5P_FILE_ACCESS), creation = H5Pcreate(H5P_FILE_CREATE), to;
    char path[4096];

    snprintf(path, sizeof(path), "%s.latest", m->path);
    H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
    H5Pset_obj_track_times(creation, false); /* the clock must not show in a mutant */
    to = H5Fcreate(path, H5F_ACC_TRUNC, creation, access);
    H5Aiterate2(from, H5_INDEX_NAME, H5_ITER_INC, NULL, copy_attribute, &to);
    H5Literate(from, H5_INDEX_NAME, H5_ITER_INC, NULL, copy_link, &to);
    H5Fclose(to);
    H5Fclose(from);
    H5Pclose(creation);
    H5Pclose(access);
    if (rename(path, m->path) != 0)
        perror(path);
    mutant_note(m, " in the newest layout;");
}

void mutate_file(mutant_t *m)
{
    switch (mutant_below(m, 8)) {
    case 0:
        write_file(m->path, "", 0);
        mutant_note(m, " empty;");
        break;
    case 1:
        write_file(m->path, ">a\nACGT\n", 8);
        mutant_note(m, " a FASTA file;");
        break;
    case 2:
        write_file(m->path, "\x89HDF\r\n\x1a\n", 8);
        mutant_note(m, " only a signature;");
        break;
    case 3:
        make_directory(m->path);
        mutant_note(m, " a directory;");
        break;
    case 4:
        make_other_hdf5(m->path);
        mutant_note(m, " an empty HDF5 file;");
        break;
    case 5:
        put_user_block(m);
        break;
    case 6:
        copy_to_latest(m);
        break;
    default:
        copy_to_latest(m);
        mutate_bytes(m);
    }
}
