/*
 * fastq.c - the four lines of each record.
 */
#include "io/file/fastq.h"

#include "io/base/logmsg.h"
#include "io/base/utf8.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_LINE = INT32_MAX, MESSAGE_BYTES = 256, NAME_SHOWN = 80 };

struct fastq {
    const char *input;
    fastq_line_t next; /* what is expected */
    buf_t line;        /* the beginning of one whose end has not been read */
    int64_t n;         /* lines read */
    int64_t n_records; /* begun */
    buf_t header;      /* of the current record, without '@' */
    size_t n_bases;
};

status_t fastq_create(const char *input, fastq_t **out)
{
    fastq_t *f = calloc(1, sizeof(*f));

    if (f == NULL)
        return log_nomem("reading FASTQ");
    f->input = input;
    f->next = FASTQ_HEADER;
    *out = f;
    return ST_OK;
}

void fastq_destroy(fastq_t *f)
{
    if (f == NULL)
        return;
    buf_free(&f->line);
    buf_free(&f->header);
    free(f);
}

/* Log an error in the line after those read; a header there begins the next record.
 * @return ST_EINPUT */
static status_t __attribute__((format(printf, 2, 3)))
refuse(const fastq_t *f, const char *fmt, ...)
{
    const bool is_next = f->next == FASTQ_HEADER;
    const char *header = is_next ? "" : (const char *)f->header.data;
    const size_t len = strcspn(header, " \t");
    buf_t name = {0};
    char message[MESSAGE_BYTES];
    va_list args;

    va_start(args, fmt);
    vsnprintf(message, sizeof(message), fmt, args);
    va_end(args);
    if (len == 0 ||
        utf8_escape(header, utf8_cut(header, len, NAME_SHOWN), UTF8_NONE, &name) != ST_OK)
        log_error("%s:%" PRId64 ": record %" PRId64 ": %s", f->input, f->n + 1,
                  f->n_records + is_next, message);
    else
        log_error("%s:%" PRId64 ": record %" PRId64 " '%.*s': %s", f->input, f->n + 1,
                  f->n_records, (int)name.len, (const char *)name.data, message);
    buf_free(&name);
    return ST_EINPUT;
}

static status_t check_header(fastq_t *f, const char *line, size_t len)
{
    status_t st;

    if (*line != '@')
        return refuse(f, "the header of a FASTQ record begins with '@'; the file is "
                         "damaged, or its sequences take several lines, which 'seqtk seq "
                         "FILE' joins");
    f->header.len = 0;
    if ((st = buf_append(&f->header, line + 1, len - 1)) != ST_OK ||
        (st = buf_append(&f->header, "", 1)) != ST_OK) /* ends it for strcspn */
        return st;
    f->n_records++;
    return ST_OK;
}

static status_t check_plus(const fastq_t *f, const char *line, size_t len)
{
    if (len == 0 || *line != '+')
        return refuse(f, "a line that begins with '+' has to follow the sequence; if "
                         "sequences take several lines, join them with 'seqtk seq FILE'");
    if (len > 1 &&
        (len != f->header.len || memcmp(line + 1, f->header.data, len - 1) != 0))
        return refuse(f, "the header after '+' is not that after '@'; the file is "
                         "damaged, fetch it again");
    return ST_OK;
}

static status_t check_qualities(const fastq_t *f, const char *line, size_t len)
{
    unsigned char min = '!', max = '!';

    if (len != f->n_bases)
        return refuse(f,
                      "%zu qualities for %zu bases; the file is damaged, fetch it again",
                      len, f->n_bases);
    for (size_t i = 0; i < len; i++) {
        const unsigned char c = (unsigned char)line[i];

        min = c < min ? c : min;
        max = c > max ? c : max;
    }
    if (min < '!' || max > '~')
        return refuse(f,
                      "byte 0x%02x is not a quality ('!' to '~'); the file is damaged, "
                      "fetch it again",
                      min < '!' ? min : max);
    return ST_OK;
}

static status_t check_line(fastq_t *f, const char *line, size_t len)
{
    switch (f->next) {
    case FASTQ_HEADER:
        return check_header(f, line, len);
    case FASTQ_SEQUENCE:
        if (len > 0 && *line == '>')
            return refuse(f, "'>' begins the sequence; correct the file");
        f->n_bases = len;
        return ST_OK;
    case FASTQ_PLUS:
        return check_plus(f, line, len);
    case FASTQ_QUALITIES:
    case FASTQ_BLANK: /* is never expected */
        break;
    }
    return check_qualities(f, line, len);
}

status_t fastq_line(fastq_t *f, const char *line, size_t *len, fastq_line_t *what)
{
    status_t st;

    if (*len > 0 && line[*len - 1] == '\r')
        --*len;
    if (*len > 0 && memchr(line, '\r', *len) != NULL)
        return refuse(f, "a carriage return within a line; lines have to end in LF or "
                         "CR LF");
    *what = FASTQ_BLANK;
    if (f->next != FASTQ_HEADER || *len > 0) {
        if ((st = check_line(f, line, *len)) != ST_OK)
            return st;
        *what = f->next;
        f->next = f->next == FASTQ_QUALITIES ? FASTQ_HEADER : f->next + 1;
    }
    f->n++;
    return ST_OK;
}

/* Check a line and append it as one of FASTA: headers with another first byte, qualities
 * and what is before them as blank lines. */
static status_t translate(fastq_t *f, const char *line, size_t len, buf_t *out)
{
    fastq_line_t what = FASTQ_BLANK;
    status_t st = fastq_line(f, line, &len, &what);

    if (st == ST_OK && what == FASTQ_HEADER && (st = buf_append(out, ">", 1)) == ST_OK)
        st = buf_append(out, line + 1, len - 1);
    if (st == ST_OK && what == FASTQ_SEQUENCE)
        st = buf_append(out, line, len);
    return st == ST_OK ? buf_append(out, "\n", 1) : st;
}

/* Keep the beginning of a line for the next piece of text. */
static status_t keep(fastq_t *f, const unsigned char *text, size_t len)
{
    if (len > MAX_LINE - f->line.len)
        return refuse(f, "a line of more than %d bytes; the file is damaged", MAX_LINE);
    return buf_append(&f->line, text, len);
}

status_t fastq_feed(fastq_t *f, const unsigned char *text, size_t len, buf_t *out)
{
    const unsigned char *end = text + len;
    status_t st = ST_OK;

    while (st == ST_OK && text < end) {
        const unsigned char *newline = memchr(text, '\n', (size_t)(end - text));
        const size_t n = (size_t)((newline != NULL ? newline : end) - text);

        if (newline != NULL && f->line.len == 0) {
            st = translate(f, (const char *)text, n, out);
        } else if ((st = keep(f, text, n)) == ST_OK && newline != NULL) {
            st = translate(f, (const char *)f->line.data, f->line.len, out);
            f->line.len = 0;
        }
        text += n + (newline != NULL);
    }
    return st;
}

status_t fastq_finish(fastq_t *f, buf_t *out)
{
    status_t st = ST_OK;

    if (f->line.len > 0)
        st = translate(f, (const char *)f->line.data, f->line.len, out);
    f->line.len = 0;
    if (st != ST_OK || f->next == FASTQ_HEADER ||
        (f->next == FASTQ_QUALITIES && f->n_bases == 0))
        return st;
    return refuse(f, "the file ends within the record: the download or copy is "
                     "incomplete; fetch it again");
}
