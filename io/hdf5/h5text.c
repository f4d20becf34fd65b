/*
 * h5text.c - texts are read piece by piece into one block of memory, whichever form they
 * have in the file.
 */
#include "io/hdf5/h5text.h"

#include "io/base/buf.h"
#include "io/base/child.h"
#include "io/base/logmsg.h"
#include "io/base/texts.h"
#include "io/base/utf8.h"
#include "io/hdf5/h5check.h"
#include "io/hdf5/h5data.h"
#include "io/hdf5/h5util.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of a chunk, and of a piece that is read or written at a time; variable-length
 * texts of such a piece. */
enum { PIECE_BYTES = 1 << 20, TEXTS_PER_PIECE = 1 << 12 };

/* @return a type of strings of `size` bytes, padded with NULs */
static hid_t fixed_type(size_t size)
{
    hid_t type = H5Tcopy(H5T_C_S1);

    H5Tset_size(type, size);
    H5Tset_cset(type, H5T_CSET_UTF8);
    H5Tset_strpad(type, H5T_STR_NULLPAD);
    return type;
}

/* Cut a text that is too long for an attribute, between two characters. */
static status_t cut(buf_t *text)
{
    const char mark[] = "...";

    if (text->len <= H5TEXT_ATTRIBUTE_BYTES)
        return ST_OK;
    text->len = utf8_cut((const char *)text->data, text->len,
                         H5TEXT_ATTRIBUTE_BYTES - strlen(mark));
    return buf_append(text, mark, strlen(mark));
}

bool h5text_put(hid_t at, const char *name, const char *text)
{
    hid_t type = H5I_INVALID_HID;
    buf_t lines = {0};
    bool good = utf8_escape(text, strlen(text), '\n', &lines) == ST_OK &&
                cut(&lines) == ST_OK && buf_append(&lines, "", 1) == ST_OK;

    if (good) { /* a type has at least one byte, here of the final NUL */
        type = fixed_type(lines.len > 1 ? lines.len - 1 : 1);
        good = h5util_put(at, name, type, type, lines.data);
        H5Tclose(type);
    }
    buf_free(&lines);
    return good;
}

/* Read an attribute of one string. @return its bytes, to be freed, or NULL */
static char *read_attribute(hid_t attribute, hid_t type)
{
    size_t size = H5Tget_size(type);
    char *read = NULL, *out = NULL;
    hid_t fixed;

    if (H5Tis_variable_str(type) > 0) {
        if (H5Aread(attribute, type, &read) >= 0 && read != NULL) {
            out = strdup(read);
            H5free_memory(read);
        }
        return out;
    }
    if (size > PIECE_BYTES || (out = calloc(size + 1, 1)) == NULL)
        return NULL;
    fixed = fixed_type(size);
    H5Tset_cset(fixed, H5Tget_cset(type));
    if (H5Aread(attribute, fixed, out) < 0) {
        free(out);
        out = NULL;
    }
    H5Tclose(fixed);
    return out;
}

char *h5text_get(hid_t at, const char *name)
{
    hid_t attribute = h5check_open_attribute(at, name), type;
    char *read = NULL;
    buf_t lines = {0};

    if (attribute < 0)
        return NULL;
    type = H5Aget_type(attribute);
    if (H5Tget_class(type) == H5T_STRING)
        read = read_attribute(attribute, type);
    H5Tclose(type);
    H5Aclose(attribute);
    if (read == NULL)
        return NULL;
    if (utf8_escape(read, strlen(read), '\n', &lines) != ST_OK ||
        buf_append(&lines, "", 1) != ST_OK)
        buf_free(&lines);
    free(read);
    return (char *)lines.data;
}

bool h5text_put_format(hid_t file, const char *format, int major, int minor)
{
    return h5text_put(file, "format", format) &&
           h5util_put_int(file, "format_version", major) &&
           h5util_put_int(file, "format_version_minor", minor);
}

static bool has_format(hid_t file, const char *format)
{
    char *there = h5text_get(file, "format");
    bool is_same = there != NULL && strcmp(there, format) == 0;

    free(there);
    return is_same;
}

bool h5text_get_format(hid_t file, const char *format, int64_t *version)
{
    return has_format(file, format) && h5util_get_int(file, "format_version", version) &&
           *version >= 1;
}

void h5text_print_format(hid_t file, FILE *to)
{
    char *format = h5text_get(file, "format");
    int64_t major = 0, minor = 0;

    h5util_get_int(file, "format_version", &major);
    h5util_get_int(file, "format_version_minor", &minor);
    fprintf(to, "file\tformat\t%s %" PRId64 ".%" PRId64 "\n",
            format != NULL ? format : "unknown", major, minor);
    free(format);
}

status_t h5text_check_version(const char *path, int64_t version, int known)
{
    if (version <= known)
        return ST_OK;
    log_error("%s: format version %" PRId64 " is newer than this program knows (%d); "
              "use a newer ribogrid",
              path, version, known);
    return ST_EINPUT;
}

static const char *array_at(const void *ctx, int64_t i)
{
    const char *const *texts = ctx;

    return texts[i];
}

bool h5text_put_array(hid_t at, const char *name, const char *const *texts, int64_t n)
{
    return h5text_put_each(at, name, n, array_at, texts);
}

/* Select n values from index `first` on. @return the space of as many in memory */
static hid_t select_values(hid_t space, int64_t first, int64_t n)
{
    hsize_t start = (hsize_t)first, count = (hsize_t)n;

    H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, NULL, &count, NULL);
    return H5Screate_simple(1, &count, NULL);
}

/* Write n texts from index `first` on, padded to `width`, through piece. */
static bool write_piece(hid_t data, hid_t type, int64_t first, int64_t n, size_t width,
                        char *piece, h5text_at_t *text_at, const void *ctx)
{
    hid_t space = H5Dget_space(data), memory = select_values(space, first, n);
    bool good;

    memset(piece, 0, (size_t)n * width);
    for (int64_t i = 0; i < n; i++) {
        const char *text = text_at(ctx, first + i);

        memcpy(piece + (size_t)i * width, text, strlen(text));
    }
    good = H5Dwrite(data, type, memory, space, H5P_DEFAULT, piece) >= 0;
    H5Sclose(memory);
    H5Sclose(space);
    return good;
}

/* @return texts of this width in a piece: at least one */
static int64_t per_piece(size_t width)
{
    return width < PIECE_BYTES ? (int64_t)(PIECE_BYTES / width) : 1;
}

bool h5text_put_each(hid_t at, const char *name, int64_t n, h5text_at_t *text_at,
                     const void *ctx)
{
    size_t width = 1;
    int64_t step;
    char *piece;
    hid_t type, data;
    bool good;

    for (int64_t i = 0; i < n; i++) {
        size_t len = strlen(text_at(ctx, i));

        width = len > width ? len : width;
    }
    step = per_piece(width) < n ? per_piece(width) : n;
    piece = malloc((size_t)step * width + 1);
    type = fixed_type(width);
    data = h5util_create(at, name, type,
                         &(h5util_shape_t){.rank = 1,
                                           .size = {(hsize_t)n},
                                           .chunk = {(hsize_t)step}});
    good = piece != NULL && data >= 0;
    for (int64_t first = 0; good && first < n; first += step)
        good = write_piece(data, type, first, n - first < step ? n - first : step, width,
                           piece, text_at, ctx);
    H5Tclose(type);
    free(piece);
    return h5util_close(data, good);
}

/* Texts while they are read: the block grows, so that pointers into it come last. */
typedef struct {
    hid_t at; /* the dataset is `name` there */
    const char *name;
    buf_t text; /* each with its final NUL */
    int64_t n;  /* texts read */
    size_t file_bytes;
} block_t;

static status_t add_text(block_t *b, const char *text, size_t len)
{
    if (utf8_escape(text, len, UTF8_NONE, &b->text) != ST_OK ||
        buf_append(&b->text, "", 1) != ST_OK)
        return log_nomem("texts");
    b->n++;
    return ST_OK;
}

static status_t refuse_texts(const block_t *b)
{
    h5check_refuse(b->at, b->name, "has texts that cannot be read");
    return ST_EINPUT;
}

/* @return the length of a text that NULs or blanks pad to a width */
static size_t padded_len(const char *text, size_t width, bool has_blanks)
{
    size_t len = strnlen(text, width);

    while (has_blanks && len > 0 && text[len - 1] == ' ')
        len--;
    return len;
}

static status_t read_fixed(h5data_t *data, block_t *b)
{
    size_t width = data->value_bytes;
    int64_t n = data->columns;
    int64_t step = per_piece(width) < n ? per_piece(width) : n;
    char *piece = malloc((size_t)step * width + 1);
    hid_t type = H5Dget_type(data->id);
    bool has_blanks = H5Tget_strpad(type) == H5T_STR_SPACEPAD;
    status_t st = piece != NULL ? ST_OK : log_nomem("texts");

    H5Tclose(type);
    while (st == ST_OK && b->n < n) {
        int64_t count = n - b->n < step ? n - b->n : step;

        st = h5data_read(data, 0, 1, b->n, b->n + count, piece);
        for (int64_t i = 0; st == ST_OK && i < count; i++) {
            const char *text = piece + (size_t)i * width;

            st = add_text(b, text, padded_len(text, width, has_blanks));
        }
    }
    free(piece);
    return st;
}

/* Each text has its own bytes in a file that is intact: all texts are not longer than the
 * file, or four times as long after escaping. */
static status_t add_variable(block_t *b, char *const *texts, int64_t n)
{
    status_t st = ST_OK;

    for (int64_t i = 0; st == ST_OK && i < n; i++)
        if (texts[i] == NULL || b->text.len > 4 * b->file_bytes) /* NULL: not written */
            st = refuse_texts(b);
        else
            st = add_text(b, texts[i], strlen(texts[i]));
    return st;
}

static status_t read_variable(h5data_t *data, block_t *b)
{
    hid_t id = data->id, type = H5Dget_type(id), space = H5Dget_space(id);
    int64_t n = data->columns, step = n < TEXTS_PER_PIECE ? n : TEXTS_PER_PIECE;
    char **piece = calloc((size_t)step + 1, sizeof(*piece));
    status_t st = piece != NULL ? h5data_check(data) : log_nomem("texts");

    while (st == ST_OK && b->n < n) {
        int64_t count = n - b->n < step ? n - b->n : step;
        hid_t memory = select_values(space, b->n, count);

        child_tick();
        memset(piece, 0, (size_t)count * sizeof(*piece));
        st = H5Dread(id, type, memory, space, H5P_DEFAULT, piece) >= 0
                 ? add_variable(b, piece, count)
                 : refuse_texts(b);
        for (int64_t i = 0; i < count; i++)
            H5free_memory(piece[i]);
        H5Sclose(memory);
    }
    H5Sclose(space);
    H5Tclose(type);
    free(piece);
    return st;
}

/* @return pointers to the texts of a block, which they own from here, or NULL */
static char **point_at(block_t *b)
{
    char **texts = malloc(((size_t)b->n + 1) * sizeof(*texts));
    char *at = (char *)b->text.data;

    for (int64_t i = 0; texts != NULL && i < b->n; i++) {
        texts[i] = at;
        at += strlen(at) + 1;
    }
    if (texts == NULL) {
        log_nomem("texts");
        return NULL;
    }
    texts[b->n] = NULL; /* of no texts, what texts_free frees */
    if (b->n > 0)
        b->text = (buf_t){0};
    return texts;
}

/* @return the texts of an open dataset, or NULL (logged) */
static char **read_texts(h5data_t *data, hid_t at, const char *name)
{
    hid_t type = H5Dget_type(data->id);
    block_t block = {.at = at,
                     .name = name,
                     .file_bytes = (size_t)h5check_file_bytes(data->id)};
    bool is_variable = H5Tis_variable_str(type) > 0;
    char **texts = NULL;

    if ((is_variable ? read_variable(data, &block) : read_fixed(data, &block)) == ST_OK)
        texts = point_at(&block);
    buf_free(&block.text);
    H5Tclose(type);
    return texts;
}

char **h5text_get_array(hid_t at, const char *name, int64_t n, int64_t *n_out)
{
    h5data_t *data = h5data_open(at, name, &(h5data_want_t){.rank = 1});
    char **texts = NULL;

    if (data == NULL)
        return NULL;
    if (n >= 0 && data->columns != n)
        h5check_refuse(at, name, "has %" PRId64 " texts instead of %" PRId64,
                       data->columns, n);
    else
        texts = read_texts(data, at, name);
    if (n_out != NULL)
        *n_out = data->columns;
    h5data_close(data);
    return texts;
}
