/*
 * mutate_chunks.c - stored chunks: no deflate stream, too few or too many bytes, filters
 * that were left out.
 */
#include "tests/mutate/mutate.h"

#include <stdlib.h>
#include <zlib.h>

enum { CHUNK_BYTES_MAX = 1 << 22, BOMB_BYTES = 64 << 20 };

/* A chunk of a dataset. */
typedef struct {
    hid_t dataset;
    hsize_t offset[H5S_MAX_RANK];
    size_t n_bytes; /* uncompressed */
} chunk_t;

static void pick_chunk(mutant_t *m, hid_t creation, chunk_t *c)
{
    hsize_t dims[H5S_MAX_RANK], chunk[H5S_MAX_RANK];
    hid_t space = H5Dget_space(c->dataset), type = H5Dget_type(c->dataset);
    int rank = H5Sget_simple_extent_dims(space, dims, NULL);

    H5Pget_chunk(creation, H5S_MAX_RANK, chunk);
    c->n_bytes = H5Tget_size(type);
    for (int d = 0; d < rank; d++) {
        c->n_bytes *= chunk[d] < CHUNK_BYTES_MAX ? chunk[d] : CHUNK_BYTES_MAX;
        c->n_bytes = c->n_bytes < CHUNK_BYTES_MAX ? c->n_bytes : CHUNK_BYTES_MAX;
        c->offset[d] = mutant_below(m, (dims[d] + chunk[d] - 1) / chunk[d]) * chunk[d];
    }
    H5Tclose(type);
    H5Sclose(space);
}

/* Store a deflate stream of n zeros or letters. */
static void put_stream(mutant_t *m, const chunk_t *c, size_t n)
{
    uLongf n_packed = compressBound(n);
    Bytef *plain = calloc(n + 1, 1), *packed = malloc(n_packed);

    if (plain != NULL && packed != NULL) {
        if (n < CHUNK_BYTES_MAX && mutant_chance(m, 50))
            mutant_fill(m, plain, n);
        compress2(packed, &n_packed, plain, n, 1);
        if (mutant_chance(m, 10))
            n_packed /= 2;
        H5Dwrite_chunk(c->dataset, H5P_DEFAULT, 0, c->offset, n_packed, packed);
        mutant_note(m, " a stream of %zu bytes in place of %zu;", n, c->n_bytes);
    }
    free(packed);
    free(plain);
}

/* Store bytes as they are; the mask says which filters they did not pass. */
static void put_bytes(mutant_t *m, const chunk_t *c, uint32_t mask, size_t n)
{
    void *bytes = malloc(n + 1);

    if (bytes != NULL) {
        mutant_fill(m, bytes, n);
        H5Dwrite_chunk(c->dataset, H5P_DEFAULT, mask, c->offset, n, bytes);
        mutant_note(m, " %zu bytes in place of %zu, mask %u;", n, c->n_bytes, mask);
    }
    free(bytes);
}

static void change_chunk(mutant_t *m, const chunk_t *c)
{
    switch (mutant_below(m, 5)) {
    case 0:
        put_stream(m, c, mutant_below(m, c->n_bytes));
        break;
    case 1:
        put_stream(m, c, c->n_bytes + 1 + mutant_below(m, c->n_bytes));
        break;
    case 2:
        put_stream(m, c, BOMB_BYTES);
        break;
    case 3:
        put_bytes(m, c, (uint32_t)mutant_below(m, 4), 1 + mutant_below(m, c->n_bytes));
        break;
    default:
        put_bytes(m, c, UINT32_MAX,
                  mutant_chance(m, 50) ? c->n_bytes : c->n_bytes / 2 + 1);
    }
}

void mutate_chunks(mutant_t *m)
{
    char path[MUTANT_NAME_BYTES];
    chunk_t c = {.dataset = H5I_INVALID_HID};
    hid_t creation;
    bool done = false;

    for (int tries = 0; tries < 20 && !done; tries++) {
        if (!mutant_pick(m, MUTANT_DATASET, path) ||
            (c.dataset = mutant_open(m, path)) < 0)
            return;
        creation = H5Dget_create_plist(c.dataset);
        if (H5Pget_layout(creation) == H5D_CHUNKED) {
            mutant_note(m, " chunk of %s:", path);
            pick_chunk(m, creation, &c);
            change_chunk(m, &c);
            done = true;
        }
        H5Pclose(creation);
        H5Dclose(c.dataset);
    }
}
