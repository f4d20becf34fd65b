/*
 * choice_exchange.c - choices of algorithms that an earlier run has made, from rank 0 to
 * the ranks with its device.
 */
#include "worker/cnn/job_cnn_state.h"

#include <string.h>

/* "DEVICE\nCHOICES" with the final NUL. */
typedef struct {
    int64_t len;
    char *text;
} known_t;

ARRAY_COUNT(known_len, known_t, o->len)

static const array_t rows[] = {ARRAY_VALUE(known_t, len, ARRAY_INT64),
                               ARRAY_OF(known_t, text, ARRAY_BYTES, known_len),
                               ARRAYS_END};

static const arrays_t arrays = {"choices of algorithms", sizeof(known_t), rows, NULL};

status_t choice_exchange(exchange_t *x, const char *device, buf_t *known)
{
    buf_t text = {0};
    known_t k = {.len = 0};
    status_t st = buf_printf(&text, "%s\n", device);
    const size_t head = text.len;

    if (x->rank == 0 && st == ST_OK &&
        (st = buf_append(&text, known->data, known->len)) == ST_OK)
        k = (known_t){(int64_t)text.len, (char *)text.data};
    if ((st = exchange_agree(x, st)) == ST_OK &&
        (st = exchange_object(x, &arrays, &k)) == ST_OK && x->rank != 0) {
        if ((size_t)k.len > head && memcmp(k.text, text.data, head) == 0)
            st = buf_append(known, k.text + head, (size_t)k.len - head);
        arrays_free(&arrays, &k);
    }
    buf_free(&text);
    return exchange_agree(x, st);
}
