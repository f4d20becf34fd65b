/*
 * h5stream.c - collecting chunks for a thread pool to compress, then writing them.
 */
#include "io/hdf5/h5stream.h"

#include "io/base/logmsg.h"
#include "io/hdf5/h5util.h"
#include "io/store/tile_pack.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNKS_PER_THREAD = 8 };

typedef struct {
    h5stream_t *s;
    atomic_bool failed;
} work_t;

bool h5stream_begin(hid_t at, const char *name, hid_t type, int64_t chunk, int64_t n,
                    deflate_kind_t kind, pool_t *pool, h5stream_t *out)
{
    h5stream_t *s = out;
    h5util_shape_t shape = {.rank = 1,
                            .grows = n < 0,
                            .shuffles = kind == DEFLATE_NUMBERS};

    chunk = n > 0 && n < chunk ? n : chunk; /* it may not exceed its dataset */
    shape.size[0] = n < 0 ? 0 : (hsize_t)n;
    shape.chunk[0] = n == 0 ? 0 : (hsize_t)chunk; /* an empty dataset has no chunks */
    *s = (h5stream_t){.grows = n < 0, .value_bytes = H5Tget_size(type)};
    s->kind = kind;
    s->chunk_bytes = (size_t)chunk * s->value_bytes;
    s->pool = pool;
    s->n_threads = pool_n_threads(pool);
    s->n_together = CHUNKS_PER_THREAD * s->n_threads;
    s->dataset = h5util_create(at, name, type, &shape);
    s->packed = calloc((size_t)s->n_together, sizeof(*s->packed));
    s->scratch = calloc((size_t)s->n_threads, sizeof(*s->scratch));
    return s->dataset >= 0 && s->packed != NULL && s->scratch != NULL;
}

/* @return the chunk shuffled, in scratch, or NULL (no memory) */
static const unsigned char *shuffle(const h5stream_t *s, const unsigned char *chunk,
                                    buf_t *scratch)
{
    scratch->len = 0;
    if (buf_reserve(scratch, s->chunk_bytes) != ST_OK)
        return NULL;
    tile_pack_shuffle(chunk, (int64_t)(s->chunk_bytes / s->value_bytes), s->value_bytes,
                      scratch->data);
    return scratch->data;
}

static void pack_chunk(void *ctx, int64_t k, int thread)
{
    work_t *w = ctx;
    h5stream_t *s = w->s;
    const unsigned char *chunk = s->waiting.data + (size_t)k * s->chunk_bytes;
    buf_t *out = &s->packed[k];
    status_t st = ST_ENOMEM;

    if (s->kind == DEFLATE_NUMBERS)
        chunk = shuffle(s, chunk, &s->scratch[thread]);
    out->len = 0;
    if (chunk != NULL)
        st = tile_pack_append_bytes(chunk, s->chunk_bytes, s->kind, out);
    if (st != ST_OK)
        atomic_store(&w->failed, true);
}

/* Compress the first n_chunks chunks. */
static bool pack_all(h5stream_t *s, int n_chunks)
{
    work_t w = {.s = s};

    pool_run(s->pool, n_chunks, pack_chunk, &w);
    return !atomic_load(&w.failed);
}

/* Compress and write the first n_chunks chunks. */
static bool write_chunks(h5stream_t *s, int n_chunks)
{
    int64_t chunk = (int64_t)(s->chunk_bytes / s->value_bytes);
    size_t done = (size_t)n_chunks * s->chunk_bytes;
    hsize_t size = (hsize_t)s->n;
    bool good =
        pack_all(s, n_chunks) && (!s->grows || H5Dset_extent(s->dataset, &size) >= 0);

    for (int k = 0; good && k < n_chunks; k++) {
        hsize_t origin = (hsize_t)(chunk * s->n_chunks++);
        size_t at = 0;
        uint32_t len;
        const unsigned char *bytes = tile_pack_next(&s->packed[k], &at, &len);

        good = H5Dwrite_chunk(s->dataset, H5P_DEFAULT, 0, &origin, len, bytes) >= 0;
    }
    if (!good)
        return false;
    s->waiting.len -= done;
    memmove(s->waiting.data, s->waiting.data + done, s->waiting.len);
    return true;
}

bool h5stream_append(h5stream_t *s, const void *values, int64_t n)
{
    size_t capacity = (size_t)s->n_together * s->chunk_bytes,
           left = (size_t)n * s->value_bytes;
    const char *from = values;

    while (left > 0) {
        size_t space = capacity - s->waiting.len, now = left < space ? left : space;

        if (buf_append(&s->waiting, from, now) != ST_OK)
            return false;
        s->n += (int64_t)(now / s->value_bytes);
        from += now;
        left -= now;
        if (s->waiting.len == capacity && !write_chunks(s, s->n_together))
            return false;
    }
    return true;
}

/* The last chunk is padded with zeros, beyond the end of the dataset. */
static bool write_rest(h5stream_t *s)
{
    int n_chunks = (int)((s->waiting.len + s->chunk_bytes - 1) / s->chunk_bytes);
    size_t fill = (size_t)n_chunks * s->chunk_bytes - s->waiting.len;

    if (buf_reserve(&s->waiting, fill) != ST_OK)
        return false;
    memset(s->waiting.data + s->waiting.len, 0, fill);
    s->waiting.len += fill;
    return write_chunks(s, n_chunks);
}

bool h5stream_end(h5stream_t *s)
{
    bool good = true;

    if (s->dataset > 0 && s->packed != NULL && s->scratch != NULL && s->waiting.len > 0)
        good = write_rest(s);
    if (s->dataset > 0)
        good = h5util_close(s->dataset, good);
    for (int k = 0; s->packed != NULL && k < s->n_together; k++)
        buf_free(&s->packed[k]);
    for (int k = 0; s->scratch != NULL && k < s->n_threads; k++)
        buf_free(&s->scratch[k]);
    free(s->packed);
    free(s->scratch);
    buf_free(&s->waiting);
    *s = (h5stream_t){0};
    return good;
}

bool h5stream_put(hid_t at, const char *name, hid_t type, int64_t chunk,
                  const void *values, int64_t n, deflate_kind_t kind, pool_t *pool)
{
    h5stream_t s;
    bool good = h5stream_begin(at, name, type, chunk, n, kind, pool, &s) &&
                h5stream_append(&s, values, n);

    return h5stream_end(&s) && good;
}

bool h5stream_put_letters(hid_t at, const char *name, int64_t chunk, alphabet_t alphabet,
                          const uint8_t *codes, int64_t n, pool_t *pool)
{
    unsigned char *text = malloc((size_t)chunk), letter_of[UINT8_MAX + 1];
    h5stream_t s;
    bool good =
        h5stream_begin(at, name, H5T_STD_U8LE, chunk, n, DEFLATE_LETTERS, pool, &s) &&
        text != NULL;

    for (int code = 0; code <= UINT8_MAX; code++)
        letter_of[code] = (unsigned char)alphabet_letter(alphabet, (uint8_t)code);
    for (int64_t first = 0; good && first < n; first += chunk) {
        int64_t count = n - first < chunk ? n - first : chunk;

        for (int64_t i = 0; i < count; i++)
            text[i] = letter_of[codes[first + i]];
        good = h5stream_append(&s, text, count);
    }
    good = h5stream_end(&s) && good;
    free(text);
    return good;
}
