/*
 * lines.c - splits blocks of packed_input.h into lines.
 */
#include "io/file/lines.h"

#include "io/base/buf.h"
#include "io/base/format_check.h"
#include "io/base/logmsg.h"
#include "io/base/utf8.h"
#include "io/file/packed_input.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_BYTES = 1 << 18, MESSAGE_BYTES = 256 };

struct lines {
    packed_input_t *in;
    int64_t number;
    buf_t line;  /* as it is in the file */
    buf_t clean; /* escaped */
    unsigned char block[BLOCK_BYTES];
    size_t at, len; /* position in the block and its length */
};

status_t lines_open(const char *path, lines_t **out)
{
    lines_t *l = calloc(1, sizeof(*l));
    status_t st;

    if (l == NULL)
        return log_nomem("reading a table");
    if ((st = packed_input_open(path, &l->in)) == ST_OK)
        *out = l;
    else
        free(l);
    return st;
}

static status_t fill(lines_t *l)
{
    l->at = 0;
    return packed_input_read(l->in, l->block, BLOCK_BYTES, &l->len);
}

/*
 * Collect the bytes of a line.
 *
 * @param complete  whether there is a line: its end was found, or the file ends after at
 *                  least one byte
 */
static status_t collect(lines_t *l, bool *complete)
{
    status_t st = ST_OK;

    *complete = false;
    l->line.len = 0;
    while (!*complete) {
        const unsigned char *from = l->block + l->at, *end;

        if (l->at == l->len) {
            if ((st = fill(l)) != ST_OK)
                return st;
            if (l->len == 0) {
                *complete = l->line.len > 0;
                return ST_OK;
            }
            continue;
        }
        end = memchr(from, '\n', l->len - l->at);
        *complete = end != NULL;
        end = end != NULL ? end : l->block + l->len;
        if ((st = buf_append(&l->line, from, (size_t)(end - from))) != ST_OK)
            return st;
        l->at = (size_t)(end - l->block) + *complete;
    }
    return st;
}

static bool is_blank(unsigned char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* @return whether a text is ASCII without control characters other than tabs */
static bool is_plain(const unsigned char *text, size_t len)
{
    bool plain = true;

    for (size_t i = 0; i < len; i++)
        plain &= (text[i] >= ' ' && text[i] < 0x7f) || text[i] == '\t';
    return plain;
}

/* Most lines need no copy: they are whole in the block, and plain.
 * @return the line, NUL-terminated in the block, or NULL: it needs one */
static char *next_in_block(lines_t *l)
{
    unsigned char *from = l->block + l->at;
    unsigned char *end = memchr(from, '\n', l->len - l->at);
    size_t next;

    if (end == NULL || l->number == 0) /* the first line may have a byte order mark */
        return NULL;
    next = (size_t)(end - l->block) + 1;
    while (end > from && is_blank(end[-1]))
        end--;
    if (!is_plain(from, (size_t)(end - from)))
        return NULL;
    *end = '\0';
    l->at = next;
    l->number++;
    return (char *)from;
}

status_t lines_next(lines_t *l, char **text)
{
    char *in_block = next_in_block(l);
    unsigned char *data;
    bool complete;
    status_t st;
    size_t len;

    if (in_block != NULL) {
        *text = in_block;
        return ST_OK;
    }
    st = collect(l, &complete);
    len = l->line.len;
    if (st != ST_OK)
        return st;
    if (!complete) {
        *text = NULL;
        return ST_OK;
    }
    l->number++;
    if (len > 0 && memchr(l->line.data, '\0', len) != NULL)
        return lines_refuse(l, "byte 0x00 in a text file; the file is binary or damaged, "
                               "give a text file");
    while (len > 0 && is_blank(l->line.data[len - 1]))
        len--;
    l->clean.len = 0;
    if ((st = utf8_escape((const char *)l->line.data, len, '\t', &l->clean)) != ST_OK ||
        (st = buf_append(&l->clean, "", 1)) != ST_OK)
        return st;
    data = l->clean.data;
    *text = (char *)data + (l->number == 1 ? format_check_bom(data, len) : 0);
    return ST_OK;
}

status_t lines_next_entry(lines_t *l, char **text)
{
    status_t st;

    do
        st = lines_next(l, text);
    while (st == ST_OK && *text != NULL && (**text == '\0' || **text == '#'));
    return st;
}

int64_t lines_number(const lines_t *l)
{
    return l->number;
}

const char *lines_name(const lines_t *l)
{
    return packed_input_name(l->in);
}

status_t lines_refuse(const lines_t *l, const char *fmt, ...)
{
    char message[MESSAGE_BYTES];
    va_list args;

    va_start(args, fmt);
    vsnprintf(message, sizeof(message), fmt, args);
    va_end(args);
    log_error("%s:%" PRId64 ": %s", lines_name(l), l->number, message);
    return ST_EINPUT;
}

status_t lines_count(const lines_t *l, const char *text, int64_t min, int64_t max,
                     int64_t *out)
{
    char *end = NULL;
    long long value = -1;

    errno = 0;
    if (text[0] >= '0' && text[0] <= '9')
        value = strtoll(text, &end, 10);
    if (end == NULL || *end != '\0' || errno != 0 || value < min || value > max)
        return lines_refuse(l,
                            "'%.40s' is not a count: expected a whole number "
                            "from %" PRId64 " to %" PRId64,
                            text, min, max);
    *out = value;
    return ST_OK;
}

void lines_close(lines_t *l)
{
    if (l == NULL)
        return;
    packed_input_close(l->in);
    buf_free(&l->line);
    buf_free(&l->clean);
    free(l);
}
