/*
 * image_exchange.c - carries images from the child to the run, and to all ranks.
 */
#include "worker/cnn/image_exchange.h"

#include "io/base/logmsg.h"
#include "io/file/memfd_stream.h"

#include <stdlib.h>
#include <string.h>

/* What has to be known before the arrays. */
typedef struct {
    int64_t n, classes_bytes; /* of the names */
    int size[3], n_classes;
    bool has_bytes, has_labels, has_classes;
} head_t;

static const char what[] = "images";

static head_t head_of(const image_set_t *set)
{
    return (head_t){
        .n = set->n,
        .classes_bytes = memfd_stream_texts_bytes(set->classes, set->n_classes),
        .size = {set->size[0], set->size[1], set->size[2]},
        .n_classes = set->n_classes,
        .has_bytes = set->bytes != NULL,
        .has_labels = set->labels != NULL,
        .has_classes = set->classes != NULL,
    };
}

/* Allocate the arrays of a set, without names. */
static status_t create(const head_t *h, image_set_t *set)
{
    *set = (image_set_t){.n = h->n,
                         .size = {h->size[0], h->size[1], h->size[2]},
                         .n_classes = h->n_classes};
    const size_t n = (size_t)(h->n * image_set_values(set));

    if (h->has_bytes)
        set->bytes = malloc(n + 1);
    else
        set->values = malloc(n * sizeof(*set->values) + 1);
    if (h->has_labels)
        set->labels = malloc((size_t)h->n * sizeof(*set->labels) + 1);
    if ((set->bytes == NULL && set->values == NULL) ||
        (h->has_labels && set->labels == NULL)) {
        image_set_free(set);
        return log_nomem("images");
    }
    return ST_OK;
}

/* ---- the child ---- */

status_t image_exchange_prepare(image_source_t *source)
{
    source->stream = -1;
    if (source->what.path == NULL || !image_read_is_hdf5(source->what.path))
        return ST_OK;
    return memfd_stream_create(what, &source->stream);
}

/* Write or read all arrays but the names. */
static status_t pass_arrays(memfd_stream_t *c, const image_set_t *set)
{
    const int64_t values = set->n * image_set_values(set);

    (void)memfd_stream_pass(c, set->bytes, values, 1);
    (void)memfd_stream_pass(c, set->values, values, sizeof(*set->values));
    return memfd_stream_pass(c, set->labels, set->n, sizeof(*set->labels));
}

status_t image_exchange_answer(const image_source_t *source, buf_t *out)
{
    image_set_t set;
    head_t h;
    memfd_stream_t c;
    status_t st = image_read(&source->what, &set);

    if (st != ST_OK)
        return st; /* the process ends soon */
    h = head_of(&set);
    c = memfd_stream_write(source->stream, what);
    (void)memfd_stream_put_texts(&c, set.classes, set.n_classes);
    st = memfd_stream_end(&c, pass_arrays(&c, &set));
    image_set_free(&set);
    return st == ST_OK ? buf_append(out, &h, sizeof(h)) : st;
}

/* ---- the run ---- */

/* Read the names into one block. */
static status_t get_names(memfd_stream_t *from, const head_t *h, image_set_t *set)
{
    char *block = malloc((size_t)h->classes_bytes + 1), *at = block;

    set->classes = calloc((size_t)h->n_classes + 1, sizeof(*set->classes));
    if (set->classes == NULL || block == NULL ||
        memfd_stream_get(from, block, h->classes_bytes, 1) != ST_OK) {
        free(block);
        free(set->classes);
        set->classes = NULL;
        return from->st != ST_OK ? from->st : log_nomem(what);
    }
    block[h->classes_bytes] = '\0';
    set->classes[0] = block; /* also of no names: freed with them */
    for (int c = 0; c < h->n_classes; c++, at += strlen(at) + 1)
        set->classes[c] = at;
    return ST_OK;
}

static status_t get_images(memfd_stream_t *from, const head_t *h, image_set_t *out)
{
    image_set_t set;
    status_t st = create(h, &set);

    if (st != ST_OK)
        return st;
    if ((h->has_classes && (st = get_names(from, h, &set)) != ST_OK) ||
        (st = pass_arrays(from, &set)) != ST_OK) {
        image_set_free(&set);
        return st;
    }
    *out = set;
    return ST_OK;
}

status_t image_exchange_read(const image_source_t *source, child_reader_t *reader,
                             int question, image_set_t *out)
{
    buf_t head = {0};
    memfd_stream_t from;
    head_t h;
    status_t st;

    if (source->stream < 0 || reader == NULL)
        return image_read(&source->what, out);
    if ((st = child_fetch(reader, question, &head)) == ST_OK) {
        memcpy(&h, head.data, sizeof(h));
        from = memfd_stream_read(source->stream, what);
        st = memfd_stream_end(&from, get_images(&from, &h, out));
    }
    buf_free(&head);
    return st;
}

static status_t send(exchange_t *x, void *data, size_t n, size_t bytes)
{
    return data != NULL && n > 0 ? x->broadcast(x, data, n * bytes) : ST_OK;
}

status_t image_exchange_send(exchange_t *x, image_set_t *set)
{
    head_t h = head_of(set);
    status_t st = x->broadcast(x, &h, sizeof(h));

    if (st == ST_OK)
        st = exchange_agree(x, x->rank != 0 ? create(&h, set) : ST_OK);
    if (st != ST_OK)
        return st;
    const size_t n = (size_t)set->n, values = n * (size_t)image_set_values(set);

    if ((st = send(x, set->bytes, values, 1)) == ST_OK &&
        (st = send(x, set->values, values, sizeof(*set->values))) == ST_OK)
        st = send(x, set->labels, n, sizeof(*set->labels));
    return st;
}
