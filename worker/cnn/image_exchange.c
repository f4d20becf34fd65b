/*
 * image_exchange.c - carries images from the child to the run, and to all ranks.
 */
#include "worker/cnn/image_exchange.h"

#include "io/base/logmsg.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* What has to be known before the arrays. */
typedef struct {
    int64_t n, classes_bytes; /* of the names */
    int size[3], n_classes;
    bool has_bytes, has_labels, has_classes;
} head_t;

static int64_t names_bytes(const image_set_t *set)
{
    int64_t bytes = 0;

    for (int c = 0; set->classes != NULL && c < set->n_classes; c++)
        bytes += (int64_t)strlen(set->classes[c]) + 1;
    return bytes;
}

static head_t head_of(const image_set_t *set)
{
    return (head_t){
        .n = set->n,
        .classes_bytes = names_bytes(set),
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
    source->carrier = -1;
    if (source->what.path == NULL || !image_read_is_hdf5(source->what.path))
        return ST_OK;
    source->carrier = memfd_create("images", MFD_CLOEXEC);
    return source->carrier >= 0 ? ST_OK : log_nomem("images");
}

static bool put(FILE *to, const void *data, size_t n, size_t bytes)
{
    return data == NULL || fwrite(data, bytes, n, to) == n;
}

static bool put_arrays(FILE *to, const image_set_t *set)
{
    const size_t n = (size_t)set->n, values = n * (size_t)image_set_values(set);

    for (int c = 0; set->classes != NULL && c < set->n_classes; c++)
        if (!put(to, set->classes[c], strlen(set->classes[c]) + 1, 1))
            return false;
    return put(to, set->bytes, values, 1) &&
           put(to, set->values, values, sizeof(*set->values)) &&
           put(to, set->labels, n, sizeof(*set->labels));
}

status_t image_exchange_answer(const image_source_t *source, buf_t *out)
{
    image_set_t set;
    head_t h;
    FILE *to;
    bool good;
    status_t st = image_read(&source->what, &set);

    if (st != ST_OK)
        return st; /* the process ends soon */
    if ((to = fdopen(source->carrier, "wb")) == NULL) {
        image_set_free(&set);
        return log_nomem("images");
    }
    h = head_of(&set);
    good = put_arrays(to, &set);
    good = fclose(to) == 0 && good;
    image_set_free(&set);
    return good ? buf_append(out, &h, sizeof(h)) : log_nomem("images");
}

/* ---- the run ---- */

static bool get(FILE *from, void *data, size_t n, size_t bytes)
{
    return data == NULL || fread(data, bytes, n, from) == n;
}

/* Read the names into one block. */
static bool get_names(FILE *from, const head_t *h, image_set_t *set)
{
    char *block = malloc((size_t)h->classes_bytes + 1), *at = block;

    set->classes = calloc((size_t)h->n_classes + 1, sizeof(*set->classes));
    if (set->classes == NULL || block == NULL ||
        !get(from, block, (size_t)h->classes_bytes, 1)) {
        free(block);
        free(set->classes);
        set->classes = NULL;
        return false;
    }
    block[h->classes_bytes] = '\0';
    set->classes[0] = block; /* also of no names: freed with them */
    for (int c = 0; c < h->n_classes; c++, at += strlen(at) + 1)
        set->classes[c] = at;
    return true;
}

static status_t get_images(FILE *from, const head_t *h, image_set_t *out)
{
    image_set_t set;
    status_t st = create(h, &set);

    if (st != ST_OK)
        return st;
    const size_t n = (size_t)set.n, values = n * (size_t)image_set_values(&set);

    rewind(from);
    if ((h->has_classes && !get_names(from, h, &set)) ||
        !get(from, set.bytes, values, 1) ||
        !get(from, set.values, values, sizeof(*set.values)) ||
        !get(from, set.labels, n, sizeof(*set.labels))) {
        image_set_free(&set);
        return log_nomem("images");
    }
    *out = set;
    return ST_OK;
}

status_t image_exchange_read(const image_source_t *source, child_reader_t *reader,
                             int question, image_set_t *out)
{
    buf_t head = {0};
    FILE *from;
    head_t h;
    status_t st;

    if (source->carrier < 0 || reader == NULL)
        return image_read(&source->what, out);
    if ((st = child_fetch(reader, question, &head)) == ST_OK) {
        memcpy(&h, head.data, sizeof(h));
        from = fdopen(source->carrier, "rb");
        st = from != NULL ? get_images(from, &h, out) : log_nomem("images");
        if (from != NULL)
            fclose(from);
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
