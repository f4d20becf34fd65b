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

/* Values of some successive chunks, of which the last may have fewer. */
typedef struct {
    const h5stream_t *s;
    const unsigned char *values;
    size_t n_bytes;
    buf_t *packed; /* one per chunk */
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
    s->packed = calloc(2 * (size_t)s->n_together, sizeof(*s->packed));
    s->scratch = calloc((size_t)s->n_threads, sizeof(*s->scratch));
    return s->dataset >= 0 && s->packed != NULL && s->scratch != NULL;
}

/* @return a chunk's values as they are stored before compression, in scratch if they have
 *         to be changed; NULL: no memory */
static const unsigned char *chunk_of(const work_t *w, int64_t k, buf_t *scratch)
{
    const size_t size = w->s->chunk_bytes, at = (size_t)k * size;
    const size_t n = w->n_bytes - at < size ? w->n_bytes - at : size;
    const unsigned char *from = w->values + at, *letter_of = w->s->letter_of;
    unsigned char *to;

    scratch->len = 0;
    if (buf_reserve(scratch, 2 * size) != ST_OK)
        return NULL;
    to = scratch->data;
    if (letter_of != NULL)
        for (size_t i = 0; i < n; i++)
            to[i] = letter_of[from[i]];
    else if (n < size)
        memcpy(to, from, n);
    memset(to + n, 0, size - n); /* beyond the end of the dataset */
    from = letter_of != NULL || n < size ? to : from;
    if (w->s->kind != DEFLATE_NUMBERS)
        return from;
    tile_pack_shuffle(from, (int64_t)(size / w->s->value_bytes), w->s->value_bytes,
                      to + size);
    return to + size;
}

static void pack_chunk(void *ctx, int64_t k, int thread)
{
    work_t *w = ctx;
    const unsigned char *chunk = chunk_of(w, k, &w->s->scratch[thread]);
    buf_t *out = &w->packed[k];

    out->len = 0;
    if (chunk == NULL ||
        tile_pack_append_bytes(chunk, w->s->chunk_bytes, w->s->kind, out) != ST_OK)
        atomic_store(&w->failed, true);
}

static int64_t n_chunks(const work_t *w)
{
    return (int64_t)((w->n_bytes + w->s->chunk_bytes - 1) / w->s->chunk_bytes);
}

/* Write chunks that are compressed. */
static bool write_chunks(h5stream_t *s, work_t *w)
{
    const int64_t chunk = (int64_t)(s->chunk_bytes / s->value_bytes), n = n_chunks(w);
    hsize_t size = (hsize_t)s->n;
    bool good =
        !atomic_load(&w->failed) && (!s->grows || H5Dset_extent(s->dataset, &size) >= 0);

    for (int64_t k = 0; good && k < n; k++) {
        hsize_t origin = (hsize_t)(chunk * s->n_chunks++);
        size_t at = 0;
        uint32_t len;
        const unsigned char *bytes = tile_pack_next(&w->packed[k], &at, &len);

        good = H5Dwrite_chunk(s->dataset, H5P_DEFAULT, 0, &origin, len, bytes) >= 0;
    }
    return good;
}

/* Compress and write what is waiting. */
static bool write_waiting(h5stream_t *s)
{
    work_t w = {s, s->waiting.data, s->waiting.len, s->packed, false};

    pool_run(s->pool, n_chunks(&w), pack_chunk, &w);
    s->waiting.len = 0;
    return write_chunks(s, &w);
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
        if (s->waiting.len == capacity && !write_waiting(s))
            return false;
    }
    return true;
}

bool h5stream_append_packed(h5stream_t *s, const void *chunk, uint32_t len)
{
    const int64_t n = (int64_t)(s->chunk_bytes / s->value_bytes);
    const hsize_t origin = (hsize_t)(n * s->n_chunks++), size = (hsize_t)(s->n += n);

    return (!s->grows || H5Dset_extent(s->dataset, &size) >= 0) &&
           H5Dwrite_chunk(s->dataset, H5P_DEFAULT, 0, &origin, len, chunk) >= 0;
}

bool h5stream_end(h5stream_t *s)
{
    bool good = true;

    if (s->dataset > 0 && s->packed != NULL && s->scratch != NULL && s->waiting.len > 0)
        good = write_waiting(s);
    if (s->dataset > 0)
        good = h5util_close(s->dataset, good);
    for (int k = 0; s->packed != NULL && k < 2 * s->n_together; k++)
        buf_free(&s->packed[k]);
    for (int k = 0; s->scratch != NULL && k < s->n_threads; k++)
        buf_free(&s->scratch[k]);
    free(s->packed);
    free(s->scratch);
    buf_free(&s->waiting);
    *s = (h5stream_t){0};
    return good;
}

/* Append all values of a dataset: some are compressed while others are written. */
static bool put_all(h5stream_t *s, const void *values, int64_t n)
{
    const size_t together = (size_t)s->n_together * s->chunk_bytes;
    const size_t n_bytes = (size_t)n * s->value_bytes;
    work_t parts[2];
    bool good = true;

    s->n = n;
    for (size_t at = 0, k = 0; good && n_bytes > 0 && at < n_bytes + together;
         at += together, k++) {
        work_t *w = &parts[k % 2];

        pool_finish(s->pool);
        if (at < n_bytes) {
            *w = (work_t){s, (const unsigned char *)values + at,
                          n_bytes - at < together ? n_bytes - at : together,
                          s->packed + k % 2 * (size_t)s->n_together, false};
            pool_begin(s->pool, n_chunks(w), pack_chunk, w);
        }
        good = k == 0 || write_chunks(s, &parts[(k + 1) % 2]);
    }
    pool_finish(s->pool);
    return good;
}

static bool put(hid_t at, const char *name, hid_t type, int64_t chunk, const void *values,
                int64_t n, deflate_kind_t kind, const unsigned char *letter_of,
                pool_t *pool)
{
    h5stream_t s;
    bool good = h5stream_begin(at, name, type, chunk, n, kind, pool, &s);

    s.letter_of = letter_of;
    good = good && put_all(&s, values, n);
    return h5stream_end(&s) && good;
}

bool h5stream_put(hid_t at, const char *name, hid_t type, int64_t chunk,
                  const void *values, int64_t n, deflate_kind_t kind, pool_t *pool)
{
    return put(at, name, type, chunk, values, n, kind, NULL, pool);
}

bool h5stream_put_letters(hid_t at, const char *name, int64_t chunk, alphabet_t alphabet,
                          const uint8_t *codes, int64_t n, pool_t *pool)
{
    unsigned char letter_of[UINT8_MAX + 1];

    for (int code = 0; code <= UINT8_MAX; code++)
        letter_of[code] = (unsigned char)alphabet_letter(alphabet, (uint8_t)code);
    return put(at, name, H5T_STD_U8LE, chunk, codes, n, DEFLATE_LETTERS, letter_of, pool);
}
