/*
 * mutate_bytes.c - bytes of a file, most of them of HDF5's own structures.
 *
 * Files of `align` have no checksums of metadata, so HDF5 takes what is changed here as
 * it stands: addresses, sizes, counts, types.
 */
#include "tests/mutate/mutate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SITES_MAX = 512, SITE_BYTES = 96, CHANGES_MAX = 6 };

typedef struct {
    unsigned char *bytes;
    size_t n;
    size_t site[SITES_MAX]; /* where structures begin */
    size_t n_sites;
} image_t;

static bool image_read(const char *path, image_t *image)
{
    FILE *f = fopen(path, "rb");
    long n = -1;

    *image = (image_t){0};
    if (f == NULL)
        return false;
    if (fseek(f, 0, SEEK_END) == 0 && (n = ftell(f)) > 0 && fseek(f, 0, SEEK_SET) == 0 &&
        (image->bytes = malloc((size_t)n + SITE_BYTES)) != NULL)
        image->n = fread(image->bytes, 1, (size_t)n, f);
    fclose(f);
    return image->n > 0;
}

static bool image_write(const char *path, const image_t *image)
{
    FILE *f = fopen(path, "wb");
    bool good = f != NULL && fwrite(image->bytes, 1, image->n, f) == image->n;

    return f != NULL && fclose(f) == 0 && good;
}

static bool is_signature(const unsigned char *at)
{
    static const char *const signatures[] = {"TREE", "HEAP", "SNOD", "GCOL", "OHDR",
                                             "OCHK", "FRHP", "BTHD", "BTLF", "FADB"};

    for (size_t i = 0; i < sizeof(signatures) / sizeof(signatures[0]); i++)
        if (memcmp(at, signatures[i], 4) == 0)
            return true;
    return false;
}

/* A header of version 1 has no signature: version, 0, messages, references, bytes. */
static bool is_object_header(const unsigned char *at)
{
    return at[0] == 1 && at[1] == 0 && at[2] > 0 && at[2] < 64 && at[3] == 0 &&
           at[4] == 1 && at[5] == 0 && at[6] == 0 && at[7] == 0 && at[9] < 16 &&
           at[10] == 0 && at[11] == 0;
}

static void find_sites(image_t *image)
{
    for (size_t at = 0; at + 16 <= image->n && image->n_sites < SITES_MAX; at += 8)
        if (is_signature(image->bytes + at) || is_object_header(image->bytes + at))
            image->site[image->n_sites++] = at;
}

/* @return a place: of a structure, the superblock, the ends of the file, or anywhere */
static size_t pick_place(mutant_t *m, const image_t *image)
{
    uint64_t kind = mutant_below(m, 100), n = image->n;

    if (kind < 55 && image->n_sites > 0) {
        size_t at = image->site[mutant_below(m, image->n_sites)] +
                    mutant_below(m, mutant_chance(m, 20) ? 4 * SITE_BYTES : SITE_BYTES);

        return at < n ? at : n - 1;
    }
    if (kind < 65)
        return mutant_below(m, n < 96 ? n : 96);
    if (kind < 75)
        return mutant_below(m, n < 2048 ? n : 2048);
    if (kind < 85)
        return n - 1 - mutant_below(m, n < 4096 ? n : 4096);
    return mutant_below(m, n);
}

static void put_integer(mutant_t *m, image_t *image, size_t at)
{
    size_t width = (size_t)1 << mutant_below(m, 4);
    int64_t value = mutant_integer(m, (int64_t)image->n);

    if (mutant_chance(m, 70))
        at -= at % width;
    if (width > image->n - at)
        width = image->n - at;
    memcpy(image->bytes + at, &value, width);
    mutant_note(m, " %d bytes at %zu = %lld;", (int)width, at, (long long)value);
}

/* A structure's address, so that structures contain themselves or each other. */
static void put_address(mutant_t *m, image_t *image, size_t at)
{
    uint64_t address =
        image->n_sites > 0 ? image->site[mutant_below(m, image->n_sites)] : 0;

    at -= at % 8;
    if (at + 8 > image->n)
        return;
    memcpy(image->bytes + at, &address, 8);
    mutant_note(m, " address at %zu = %d;", at, (int)address);
}

static void swap_words(mutant_t *m, image_t *image, size_t at)
{
    size_t other = pick_place(m, image) & ~(size_t)7;
    unsigned char word[8];

    at &= ~(size_t)7;
    if (at + 8 > image->n || other + 8 > image->n)
        return;
    memcpy(word, image->bytes + at, 8);
    memmove(image->bytes + at, image->bytes + other, 8);
    memcpy(image->bytes + other, word, 8);
    mutant_note(m, " words at %zu and %zu swapped;", at, other);
}

static void copy_range(mutant_t *m, image_t *image, size_t at)
{
    size_t from = pick_place(m, image), len = 1 + mutant_below(m, 512);
    size_t most = image->n - (from > at ? from : at);

    len = len < most ? len : most;
    memmove(image->bytes + at, image->bytes + from, len);
    mutant_note(m, " %zu bytes at %zu copied to %zu;", len, from, at);
}

static void fill_range(mutant_t *m, image_t *image, size_t at)
{
    size_t len = 1 + mutant_below(m, 256);
    int value = mutant_chance(m, 50) ? 0 : mutant_chance(m, 50) ? 0xff : 'A';

    len = len < image->n - at ? len : image->n - at;
    memset(image->bytes + at, value, len);
    mutant_note(m, " %zu bytes at %zu = %d;", len, at, value);
}

static void flip_bits(mutant_t *m, image_t *image, size_t at)
{
    int n = 1 + (int)mutant_below(m, 8);

    mutant_note(m, " %d bits from %zu flipped;", n, at);
    for (int i = 0; i < n; i++) {
        image->bytes[at] ^= (unsigned char)(1u << mutant_below(m, 8));
        at = mutant_chance(m, 50) ? pick_place(m, image) : at;
    }
}

/* Take bytes out or put bytes in: all that follows moves. */
static void shift(mutant_t *m, image_t *image, size_t at)
{
    size_t by = 1 + mutant_below(m, 16);

    if (mutant_chance(m, 50)) {
        by = by < image->n - at ? by : image->n - at;
        memmove(image->bytes + at, image->bytes + at + by, image->n - at - by);
        image->n -= by;
        mutant_note(m, " %zu bytes at %zu taken out;", by, at);
        return;
    }
    memmove(image->bytes + at + by, image->bytes + at, image->n - at);
    image->n += by;
    mutant_note(m, " %zu bytes at %zu put in;", by, at);
}

static void truncate_image(mutant_t *m, image_t *image, size_t at)
{
    image->n = at > 0 ? at : 1;
    mutant_note(m, " truncated to %zu bytes;", image->n);
}

void mutate_bytes(mutant_t *m)
{
    static void (*const changes[])(mutant_t *, image_t *, size_t) = {
        flip_bits,   flip_bits,   flip_bits,   put_integer, put_integer, put_integer,
        put_integer, put_address, put_address, swap_words,  copy_range,  fill_range,
    };
    int n = 1 + (int)mutant_below(m, CHANGES_MAX);
    image_t image;

    if (!image_read(m->path, &image))
        return;
    for (int i = 0; i < n; i++) {
        find_sites(&image);
        changes[mutant_below(m, sizeof(changes) / sizeof(changes[0]))](
            m, &image, pick_place(m, &image));
        image.n_sites = 0;
    }
    if (mutant_chance(m, 4))
        shift(m, &image, pick_place(m, &image));
    if (mutant_chance(m, 4))
        truncate_image(m, &image, mutant_below(m, image.n));
    image_write(m->path, &image);
    free(image.bytes);
}
