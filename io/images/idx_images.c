/*
 * idx_images.c - parses idx files.
 */
#include "io/images/image_read.h"

#include "io/base/buf.h"
#include "io/base/logmsg.h"
#include "io/file/packed_input.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DIMENSIONS_MAX = 4, UNSIGNED_BYTES = 8, PIECE = 1 << 20 };

typedef struct {
    int n_dimensions;
    int64_t size[DIMENSIONS_MAX];
} head_t;

/* @return the number of dimensions, or 0 if the bytes begin no idx file */
static int parse_magic(const uint8_t magic[4])
{
    const bool is_idx = magic[0] == 0 && magic[1] == 0 && magic[2] == UNSIGNED_BYTES &&
                        magic[3] >= 1 && magic[3] <= DIMENSIONS_MAX;

    return is_idx ? magic[3] : 0;
}

static status_t read_head(packed_input_t *in, head_t *out)
{
    uint8_t bytes[4 * (1 + DIMENSIONS_MAX)];
    size_t n = 0;
    status_t st = packed_input_read(in, bytes, 4, &n);

    if (st != ST_OK)
        return st;
    out->n_dimensions = n == 4 ? parse_magic(bytes) : 0;
    if (out->n_dimensions == 0) {
        log_error(
            "%s is no idx file of unsigned bytes, which begins with the bytes 0, 0, "
            "8; give a file in the format of MNIST",
            packed_input_name(in));
        return ST_EINPUT;
    }
    if ((st = packed_input_read(in, bytes, 4 * (size_t)out->n_dimensions, &n)) != ST_OK)
        return st;
    if (n < 4 * (size_t)out->n_dimensions) {
        log_error("%s ends within its head; copy or download it again",
                  packed_input_name(in));
        return ST_EINPUT;
    }
    for (int d = 0; d < out->n_dimensions; d++) {
        const uint8_t *b = bytes + 4 * (size_t)d;

        out->size[d] = (int64_t)b[0] << 24 | b[1] << 16 | b[2] << 8 | b[3];
    }
    return ST_OK;
}

/* Read the values, without believing the head: memory grows with what the file has. */
static status_t read_values(packed_input_t *in, const head_t *head, buf_t *out)
{
    const char *name = packed_input_name(in);
    double want = 1;
    size_t n = PIECE;

    for (int d = 0; d < head->n_dimensions; d++)
        want *= (double)head->size[d];
    while (n == PIECE) {
        status_t st = buf_reserve(out, PIECE);

        if (st == ST_OK)
            st = packed_input_read(in, out->data + out->len, PIECE, &n);
        if (st != ST_OK)
            return st;
        out->len += n;
        if ((double)out->len > want)
            break;
    }
    if ((double)out->len == want)
        return ST_OK;
    log_error("%s has %s bytes than the %.0f values that its head declares; copy or "
              "download it again",
              name, (double)out->len < want ? "fewer" : "more", want);
    return ST_EINPUT;
}

static status_t read_file(const char *path, head_t *head, buf_t *values)
{
    packed_input_t *in;
    status_t st = packed_input_open(path, &in);

    if (st != ST_OK)
        return st;
    if ((st = read_head(in, head)) == ST_OK)
        st = read_values(in, head, values);
    packed_input_close(in);
    return st;
}

static status_t read_labels(const char *path, image_set_t *set)
{
    head_t head;
    buf_t values = {0};
    status_t st = read_file(path, &head, &values);

    if (st == ST_OK && (head.n_dimensions != 1 || head.size[0] != set->n)) {
        log_error("%s does not hold one label for each of %" PRId64
                  " images; give the labels that belong to them",
                  path, set->n);
        st = ST_EINPUT;
    }
    if (st == ST_OK &&
        (set->labels = malloc(values.len * sizeof(*set->labels) + 1)) == NULL)
        st = log_nomem("labels");
    for (size_t i = 0; st == ST_OK && i < values.len; i++)
        set->labels[i] = values.data[i];
    buf_free(&values);
    return st;
}

char *idx_images_find_labels(const char *path)
{
    static const char images[] = "images-idx3", labels[] = "labels-idx1";
    const char *at = strstr(path, images);
    char *name = at != NULL ? strdup(path) : NULL;

    if (name == NULL)
        return NULL;
    memcpy(name + (at - path), labels, sizeof(labels) - 1);
    if (access(name, F_OK) == 0)
        return name;
    free(name);
    return NULL;
}

bool idx_images_are(const uint8_t magic[IMAGE_MAGIC_BYTES])
{
    return parse_magic(magic) != 0;
}

static status_t check_shape(const char *path, const head_t *head)
{
    if (head->n_dimensions < 3) {
        log_error("%s holds no images, which have 3 or 4 dimensions, but %d; give the "
                  "file of images",
                  path, head->n_dimensions);
        return ST_EINPUT;
    }
    for (int d = 0; d < head->n_dimensions; d++)
        if (head->size[d] < 1 || head->size[d] > INT32_MAX) {
            log_error("%s: its head declares %" PRId64 " as dimension %d; copy or "
                      "download it again",
                      path, head->size[d], d + 1);
            return ST_EINPUT;
        }
    return ST_OK;
}

status_t idx_images_read(const char *path, const char *labels, image_set_t *out)
{
    buf_t values = {0};
    head_t head;
    char *found = labels == NULL ? idx_images_find_labels(path) : NULL;
    status_t st = read_file(path, &head, &values);

    *out = (image_set_t){.n = 0};
    if (st == ST_OK)
        st = check_shape(path, &head);
    if (st == ST_OK) {
        const int last = head.n_dimensions - 1;

        out->n = head.size[0];
        out->size[0] = last == 3 ? (int)head.size[1] : 1;
        out->size[1] = (int)head.size[last - 1];
        out->size[2] = (int)head.size[last];
        out->bytes = values.data;
        values = (buf_t){0};
        if (labels != NULL || found != NULL)
            st = read_labels(labels != NULL ? labels : found, out);
    }
    if (st == ST_OK)
        st = image_set_check_labels(out, path);
    free(found);
    buf_free(&values);
    if (st != ST_OK)
        image_set_free(out);
    return st;
}
