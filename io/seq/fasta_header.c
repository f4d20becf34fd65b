/*
 * fasta_header.c - cuts, escapes and digests headers.
 */
#include "io/seq/fasta_parse.h"

#include "io/base/digest.h"
#include "io/base/logmsg.h"
#include "io/base/utf8.h"
#include "io/seq/fasta.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void fasta_header_begin(fasta_header_t *h)
{
    h->text.len = 0;
    h->name.len = 0;
    h->is_cut = h->is_too_long = false;
}

static bool is_blank(unsigned char c)
{
    return c == ' ' || c == '\t';
}

status_t fasta_header_add(fasta_header_t *h, const unsigned char *text, size_t len)
{
    size_t space = FASTA_NAME_BYTES + 1 - h->text.len;

    while (len > 0 && h->text.len == 0 && is_blank(*text)) {
        text++;
        len--;
    }
    h->is_cut |= len > space;
    return buf_append(&h->text, text, len < space ? len : space);
}

static void note_escaped(fasta_header_t *h, int64_t record, int64_t line)
{
    const char *name = (const char *)h->name.data;

    if (h->n_escaped++ > 0)
        return;
    h->escaped_record = record;
    h->escaped_line = line;
    snprintf(h->escaped, sizeof(h->escaped), "%.*s",
             (int)utf8_cut(name, h->name.len, FASTA_HEADER_NAME_SHOWN), name);
}

status_t fasta_header_end(fasta_header_t *h, bool full, int64_t record, int64_t line)
{
    char *text = (char *)h->text.data, *blank = NULL;
    size_t len = h->text.len;
    status_t st;

    for (size_t i = 0; i < len; i++)
        text[i] = text[i] == '\t' ? ' ' : text[i];
    while (!h->is_cut && len > 0 && text[len - 1] == ' ')
        len--;
    if (len == 0)
        return ST_OK;
    h->text.len = len;
    if (!full)
        blank = memchr(text, ' ', len);
    len = blank != NULL ? (size_t)(blank - text) : len;
    h->is_too_long = len > FASTA_NAME_BYTES;
    if (h->is_too_long)
        len = FASTA_HEADER_NAME_SHOWN;
    if ((st = utf8_escape(text, len, UTF8_NONE, &h->name)) == ST_OK && h->name.len > len)
        note_escaped(h, record, line);
    return st;
}

uint64_t fasta_header_digest(const fasta_header_t *h)
{
    return digest_add(DIGEST_START, h->text.data, h->text.len);
}

void fasta_header_log(const fasta_header_t *h, const char *input)
{
    if (h->n_escaped > 0)
        log_warn("%s:%" PRId64 ": record %" PRId64
                 ": its name is not UTF-8 or has control "
                 "characters; it becomes '%s', with such bytes as \\xNN%s",
                 input, h->escaped_line, h->escaped_record, h->escaped,
                 h->n_escaped > 1 ? ", and so do others" : "");
}

void fasta_header_free(fasta_header_t *h)
{
    buf_free(&h->text);
    buf_free(&h->name);
}
