/*
 * reads.c - a file is read as a whole; lines are found by memchr.
 *
 * Sequences of several lines are joined in place, and line ends fill the space behind
 * them, so that a record's line is the number of line ends before it.
 */
#include "io/reads/reads.h"

#include "io/base/format_check.h"
#include "io/base/logmsg.h"
#include "io/base/utf8.h"
#include "io/file/fastq.h"
#include "io/file/packed_input.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MESSAGE_BYTES = 256, NAME_SHOWN = 80 };

/* A line without its end. */
typedef struct {
    char *at;
    size_t len;
} line_t;

typedef struct {
    reads_t *reads;
    buf_t records; /* read_t */
    char *begin, *next, *end;
} parser_t;

int32_t reads_name_len(const reads_t *r, int64_t i)
{
    const char *header = reads_text(r, r->at[i].header);
    int32_t len = 0;

    while (len < r->at[i].header_len && header[len] != ' ' && header[len] != '\t')
        len++;
    return len;
}

/* ---- messages ---- */

static int64_t line_of(const reads_t *r, int64_t offset)
{
    const char *at = reads_text(r, 0), *end = at + offset;
    int64_t line = 1;

    for (; (at = memchr(at, '\n', (size_t)(end - at))) != NULL; at++)
        line++;
    return line;
}

/* @return the name of a record, clean and cut; its bytes are those of `to` */
static const char *shown_name(const reads_t *r, int64_t i, buf_t *to)
{
    const char *name = reads_text(r, r->at[i].header);
    const size_t len = (size_t)reads_name_len(r, i);

    to->len = 0;
    if (utf8_escape(name, len < NAME_SHOWN ? len : NAME_SHOWN, UTF8_NONE, to) != ST_OK ||
        buf_append(to, "", 1) != ST_OK)
        return "";
    return (const char *)to->data;
}

/* Log what is wrong with the record that is being read. @return ST_EINPUT */
static status_t __attribute__((format(printf, 3, 4)))
refuse(const parser_t *p, const char *at, const char *fmt, ...)
{
    char message[MESSAGE_BYTES];
    va_list args;

    va_start(args, fmt);
    vsnprintf(message, sizeof(message), fmt, args);
    va_end(args);
    log_error("%s:%" PRId64 ": record %zu: %s", p->reads->name,
              line_of(p->reads, at - p->begin), p->records.len / sizeof(read_t) + 1,
              message);
    return ST_EINPUT;
}

/* ---- records ---- */

/* @return whether there is a next line */
static bool next_line(parser_t *p, line_t *out)
{
    const size_t left = (size_t)(p->end - p->next);
    const char *newline = left > 0 ? memchr(p->next, '\n', left) : NULL;

    if (left == 0)
        return false;
    *out = (line_t){p->next, newline != NULL ? (size_t)(newline - p->next) : left};
    p->next += out->len + (newline != NULL);
    if (out->len > 0 && out->at[out->len - 1] == '\r')
        out->len--;
    return true;
}

static status_t add_record(parser_t *p, line_t header, line_t bases, int64_t qualities)
{
    if (header.len > INT32_MAX || bases.len > INT32_MAX)
        return refuse(p, header.at, "a line of more than %d bytes; the file is damaged",
                      INT32_MAX);
    if (header.len == 1 || header.at[1] == ' ' || header.at[1] == '\t')
        return refuse(p, header.at, "no name in its header; add one");
    return buf_append(&p->records,
                      &(read_t){.header = header.at + 1 - p->begin,
                                .bases = bases.at - p->begin,
                                .qualities = qualities,
                                .header_len = (int32_t)header.len - 1,
                                .len = (int32_t)bases.len},
                      sizeof(read_t));
}

/* Join the lines of a sequence. */
static line_t read_sequence(parser_t *p)
{
    line_t bases = {p->next, 0}, line;
    int64_t n_lines = 0;

    while (p->next < p->end && *p->next != '>' && next_line(p, &line)) {
        if (bases.at + bases.len != line.at)
            memmove(bases.at + bases.len, line.at, line.len);
        bases.len += line.len;
        n_lines++;
    }
    if (n_lines > 1) {
        const bool is_ended = p->next[-1] == '\n';
        char *gap = bases.at + bases.len;

        memset(gap, '\r', (size_t)(p->next - gap));
        memset(p->next - (n_lines - !is_ended), '\n', (size_t)(n_lines - !is_ended));
    }
    return bases;
}

static status_t read_fasta(parser_t *p)
{
    line_t header;
    status_t st = ST_OK;

    while (st == ST_OK && next_line(p, &header)) {
        if (header.len == 0)
            continue;
        if (*header.at != '>')
            return refuse(p, header.at,
                          "text before the first header (a line '>name'); remove it");
        if (memchr(header.at, '\r', header.len) != NULL)
            return refuse(p, header.at,
                          "a carriage return within a line; lines have to end in LF or "
                          "CR LF");
        st = add_record(p, header, read_sequence(p), 0);
    }
    return st;
}

static status_t read_fastq(parser_t *p)
{
    line_t line, header = {0}, bases = {0};
    fastq_line_t what = FASTQ_BLANK;
    fastq_t *check;
    status_t st = fastq_create(p->reads->name, &check);

    while (st == ST_OK && next_line(p, &line)) {
        if ((st = fastq_line(check, line.at, &line.len, &what)) != ST_OK)
            break;
        if (what == FASTQ_HEADER)
            header = line;
        else if (what == FASTQ_SEQUENCE)
            bases = line;
        else if (what == FASTQ_QUALITIES)
            st = add_record(p, header, bases, line.at - p->begin);
    }
    if (st == ST_OK)
        st = fastq_finish(check, NULL);
    if (st == ST_OK && what == FASTQ_PLUS) /* a last line of no bases */
        st = add_record(p, header, bases, p->end - p->begin);
    fastq_destroy(check);
    return st;
}

static status_t parse(reads_t *r)
{
    parser_t p = {.reads = r, .begin = (char *)r->text.data};
    status_t st = format_check(r->name, r->text.data, r->text.len);

    if (st != ST_OK)
        return st;
    p.next = p.begin + format_check_bom(r->text.data, r->text.len);
    p.end = p.begin + r->text.len;
    r->are_fastq = format_check_is_fastq(r->text.data, r->text.len);
    st = r->are_fastq ? read_fastq(&p) : read_fasta(&p);
    r->n = (int64_t)(p.records.len / sizeof(read_t));
    r->at = (read_t *)(void *)p.records.data;
    return st;
}

static status_t read_text(const char *path, reads_t *r)
{
    packed_input_t *in;
    status_t st = packed_input_open(path, &in);

    if (st != ST_OK)
        return st;
    if ((r->name = strdup(packed_input_name(in))) == NULL)
        st = log_nomem("reads");
    if (st == ST_OK)
        st = packed_input_read_all(in, &r->text);
    packed_input_close(in);
    return st;
}

status_t reads_read(const char *path, reads_t *out)
{
    reads_t r = {.n = 0};
    status_t st = read_text(path, &r);

    if (st == ST_OK)
        st = parse(&r);
    if (st == ST_OK)
        *out = r;
    else
        reads_free(&r);
    return st;
}

void reads_free(reads_t *r)
{
    free(r->name);
    free(r->at);
    buf_free(&r->text);
    *r = (reads_t){.n = 0};
}

/* ---- mates ---- */

/* @return the length of a name without /1 or /2 */
static int32_t stem_len(const reads_t *r, int64_t i, char number)
{
    const char *name = reads_text(r, r->at[i].header);
    const int32_t len = reads_name_len(r, i);

    return len > 2 && name[len - 2] == '/' && name[len - 1] == number ? len - 2 : len;
}

static status_t refuse_mates(const reads_t *a, const reads_t *b, int64_t i)
{
    buf_t first = {0}, second = {0};

    log_error("%s:%" PRId64 ": record %" PRId64 " '%s' is not the mate of '%s', "
              "%s:%" PRId64 "; give files with the same reads in the same order",
              b->name, line_of(b, b->at[i].header), i + 1, shown_name(b, i, &second),
              shown_name(a, i, &first), a->name, line_of(a, a->at[i].header));
    buf_free(&first);
    buf_free(&second);
    return ST_EINPUT;
}

status_t reads_check_mates(const reads_t *first, const reads_t *second)
{
    const int64_t n = first->n < second->n ? first->n : second->n;

    if (first->are_fastq != second->are_fastq) {
        log_error("%s is FASTQ, but %s is FASTA; give pairs of reads in one format",
                  first->are_fastq ? first->name : second->name,
                  first->are_fastq ? second->name : first->name);
        return ST_EINPUT;
    }
    for (int64_t i = 0; i < n; i++) {
        const int32_t len = stem_len(first, i, '1');

        if (len != stem_len(second, i, '2') ||
            memcmp(reads_text(first, first->at[i].header),
                   reads_text(second, second->at[i].header), (size_t)len) != 0)
            return refuse_mates(first, second, i);
    }
    if (first->n == second->n)
        return ST_OK;
    log_error("%s has %" PRId64 " records, but %s has %" PRId64 "; the mates of some are "
              "missing, give files with the same reads",
              first->name, first->n, second->name, second->n);
    return ST_EINPUT;
}

/* ---- letters ---- */

enum { LETTER_BYTES = 40 };

/* Print what is wrong with a base as "base 3, byte 0x21 ('!')". */
static void print_letter(const char *bases, int32_t at, char out[LETTER_BYTES])
{
    const unsigned char c = (unsigned char)bases[at];

    snprintf(out, LETTER_BYTES,
             c > ' ' && c < 0x7f ? "base %d, byte 0x%02x ('%c')" : "base %d, byte 0x%02x",
             at + 1, c, c);
}

/* @return the first letter of a record that is no nucleotide, or -1 */
static int32_t find_bad(const reads_t *r, int64_t i)
{
    const char *bases = reads_text(r, r->at[i].bases);

    for (int32_t k = 0; k < r->at[i].len; k++)
        if (alphabet_code(ALPHABET_DNA, (unsigned char)bases[k]) == CODE_NONE)
            return k;
    return -1;
}

/* Log that n records are dropped, of which one is the first. */
static void log_dropped(const reads_t *r, int64_t n, int64_t first, int32_t bad)
{
    char letter[LETTER_BYTES];
    buf_t name = {0};

    print_letter(reads_text(r, r->at[first].bases), bad, letter);
    log_warn("%s: %" PRId64 " of %" PRId64 " records dropped, the first in line %" PRId64
             ": record %" PRId64 " '%s': %s is not a nucleotide letter",
             r->name, n, r->n, line_of(r, r->at[first].header), first + 1,
             shown_name(r, first, &name), letter);
    buf_free(&name);
}

void reads_drop_bad(reads_t *first, reads_t *second)
{
    reads_t *files[] = {first, second};
    const int n_files = second != NULL ? 2 : 1;
    int64_t n_kept = 0, n_bad[2] = {0}, first_bad[2] = {0};
    int32_t bad_at[2] = {0};

    for (int64_t i = 0; i < first->n; i++)
        for (int f = 0; f < n_files; f++) {
            const int32_t bad = find_bad(files[f], i);

            if (bad >= 0 && n_bad[f]++ == 0) {
                first_bad[f] = i;
                bad_at[f] = bad;
            }
        }
    for (int f = 0; f < n_files; f++)
        if (n_bad[f] > 0)
            log_dropped(files[f], n_bad[f], first_bad[f], bad_at[f]);
    for (int64_t i = 0; i < first->n; i++) {
        if (find_bad(first, i) >= 0 || (second != NULL && find_bad(second, i) >= 0))
            continue;
        for (int f = 0; f < n_files; f++)
            files[f]->at[n_kept] = files[f]->at[i];
        n_kept++;
    }
    for (int f = 0; f < n_files; f++)
        files[f]->n = n_kept;
}

/* ---- planes ---- */

/* @param step  from one sequence of the planes to the next of this file */
static status_t set_planes(const reads_t *r, int64_t first, int64_t step,
                           base_planes_t *out)
{
    for (int64_t i = 0; i < r->n; i++) {
        const char *bases = reads_text(r, r->at[i].bases);
        const int32_t bad = base_planes_set_letters(out, first + i * step, bases);
        char letter[LETTER_BYTES];
        buf_t name = {0};

        if (bad < 0)
            continue;
        print_letter(bases, bad, letter);
        log_error("%s:%" PRId64 ": record %" PRId64 " '%s': %s is not a nucleotide "
                  "letter; correct it or drop such records with --skip-bad",
                  r->name, line_of(r, r->at[i].header), i + 1, shown_name(r, i, &name),
                  letter);
        buf_free(&name);
        return ST_EINPUT;
    }
    return ST_OK;
}

status_t reads_planes(const reads_t *first, const reads_t *second, base_planes_t *out)
{
    const int64_t step = second != NULL ? 2 : 1, n = first->n * step;
    int32_t *len = malloc(((size_t)n + 1) * sizeof(*len));
    base_planes_t planes = {.n = 0};
    status_t st = len != NULL ? ST_OK : log_nomem("reads");

    for (int64_t i = 0; st == ST_OK && i < first->n; i++) {
        len[i * step] = first->at[i].len;
        if (second != NULL)
            len[i * step + 1] = second->at[i].len;
    }
    if (st == ST_OK)
        st = base_planes_create(n, len, &planes);
    if (st == ST_OK)
        st = set_planes(first, 0, step, &planes);
    if (st == ST_OK && second != NULL)
        st = set_planes(second, 1, step, &planes);
    free(len);
    if (st == ST_OK)
        *out = planes;
    else
        base_planes_free(&planes);
    return st;
}
