#include "io/seq/fasta_parse.h"

#include "io/base/logmsg.h"
#include "io/seq/alphabet.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_LETTERS = INT32_MAX, WHAT_BYTES = 256, NAME_SHOWN = 80 };

/* What a byte is; below ALPHABET_SIZE it is a letter's code. */
enum {
    IS_NO_LETTER = CODE_NONE,
    IS_BLANK = ALPHABET_SIZE,
    IS_GAP,
    IS_LINE_END,
    IS_CONTROL
};

typedef enum {
    AT_LINE_START,
    IN_STRAY_TEXT,
    IN_NAME,
    IN_DESCRIPTION,
    IN_LETTERS
} place_t;

typedef enum { FLAW_NONE, FLAW_LETTER, FLAW_GAP, FLAW_NO_LETTERS, FLAW_NO_NAME } flaw_t;

struct fasta_parse {
    const char *shown;
    const fasta_opts_t *opts;
    uint8_t class_of[256];

    place_t place;
    bool after_cr;   /* the last byte was CR, so that LF ends no further line */
    int64_t line;    /* of the next byte, from 1 */
    int64_t n_begun; /* records whose header was met: the number of the one in hand */

    /* the record in hand */
    buf_t name, letters;
    int64_t header_line;
    flaw_t flaw; /* the first one */
    int64_t flaw_line;
    unsigned char flaw_byte;
    size_t n_foreign; /* bytes that are no nucleotide letters ... */
    size_t n_protein; /* ... of which an amino acid's */

    /* what was dropped */
    int64_t n_bad;
    int64_t first_bad_line;
    char first_bad[WHAT_BYTES];
    int64_t stray_line; /* of the first text before the first header; 0: none */

    seqset_builder_t set;
};

status_t fasta_parse_create(const char *shown, const fasta_opts_t *opts,
                            fasta_parse_t **out)
{
    fasta_parse_t *p = calloc(1, sizeof(*p));

    if (p == NULL)
        return log_nomem("reading FASTA");
    p->shown = shown;
    p->opts = opts;
    p->line = 1;
    for (int c = 0; c < 256; c++)
        p->class_of[c] = c < ' ' || c == 0x7f ? IS_CONTROL : alphabet_code((uint8_t)c);
    p->class_of[' '] = p->class_of['\t'] = IS_BLANK;
    p->class_of['-'] = p->class_of['.'] = IS_GAP;
    p->class_of['\n'] = p->class_of['\r'] = IS_LINE_END;
    *out = p;
    return ST_OK;
}

void fasta_parse_destroy(fasta_parse_t *p)
{
    if (p == NULL)
        return;
    buf_free(&p->name);
    buf_free(&p->letters);
    seqset_builder_free(&p->set);
    free(p);
}

/* Letters that amino acids have and nucleotides have not.  X is not among them: it masks
 * vector in nucleotide sequences too. */
static bool is_protein_letter(unsigned char c)
{
    return c != '\0' && strchr("EFIJLOPQZ*", toupper(c)) != NULL;
}

static bool looks_like_protein(const fasta_parse_t *p)
{
    return p->n_protein > 0 && 10 * p->n_protein >= p->letters.len + p->n_foreign;
}

/* Name the record in hand, as "record 3 'AB001'". */
static int print_record(const fasta_parse_t *p, char *text, size_t size)
{
    if (p->name.len == 0)
        return snprintf(text, size, "record %" PRId64, p->n_begun);
    return snprintf(text, size, "record %" PRId64 " '%.*s'", p->n_begun,
                    (int)(p->name.len < NAME_SHOWN ? p->name.len : NAME_SHOWN),
                    (const char *)p->name.data);
}

/* Say of the record in hand what is wrong with it, as "record 3 'AB001': 'l' is no ...".
 */
static void print_flaw(const fasta_parse_t *p, char text[WHAT_BYTES])
{
    int len = print_record(p, text, WHAT_BYTES);
    char byte[16];

    snprintf(byte, sizeof(byte), p->flaw_byte < 0x80 ? "'%c'" : "byte 0x%02x",
             p->flaw_byte);
    text += len;
    switch (p->flaw) {
    case FLAW_LETTER:
        snprintf(text, WHAT_BYTES - (size_t)len, ": %s is no nucleotide letter%s", byte,
                 looks_like_protein(p) ? " and the record looks like protein" : "");
        break;
    case FLAW_GAP:
        snprintf(text, WHAT_BYTES - (size_t)len, ": %s is a gap of an aligned sequence",
                 byte);
        break;
    case FLAW_NO_LETTERS:
        snprintf(text, WHAT_BYTES - (size_t)len, " has no letters");
        break;
    case FLAW_NO_NAME:
        snprintf(text, WHAT_BYTES - (size_t)len, " has no name after its '>'");
        break;
    case FLAW_NONE:
        break;
    }
}

static status_t refuse_record(const fasta_parse_t *p)
{
    const char *remedy = "correct it or drop such records with --skip-bad";
    char what[WHAT_BYTES];

    print_flaw(p, what);
    if (p->flaw == FLAW_GAP)
        remedy = "take gaps out with --degap";
    else if (p->flaw == FLAW_LETTER && looks_like_protein(p))
        remedy = "ribogrid compares nucleotide sequences, give those";
    log_error("%s:%" PRId64 ": %s; %s", p->shown, p->flaw_line, what, remedy);
    return ST_EINPUT;
}

/* A byte that no text has: whatever this is, dropping records does not help. */
static status_t refuse_control(const fasta_parse_t *p, unsigned char c)
{
    char record[WHAT_BYTES] = "the start";

    if (p->n_begun > 0)
        print_record(p, record, sizeof(record));
    log_error("%s:%" PRId64
              ": %s: byte 0x%02x is no text; the file is binary or damaged, "
              "fetch it again or give FASTA text",
              p->shown, p->line, record, c);
    return ST_EINPUT;
}

static status_t refuse_stray(const fasta_parse_t *p, unsigned char c)
{
    log_error("%s:%" PRId64 ": %s before the first header, a line '>name'; remove it or "
              "drop it with --skip-bad",
              p->shown, p->line, c == ';' ? "old-style comment (';')" : "text");
    return ST_EINPUT;
}

static status_t refuse_length(const fasta_parse_t *p)
{
    char record[WHAT_BYTES];

    print_record(p, record, sizeof(record));
    log_error("%s:%" PRId64 ": %s has more than %d letters; ribogrid is made for genes, "
              "cut it up",
              p->shown, p->line, record, MAX_LETTERS);
    return ST_EINPUT;
}

static void note_flaw(fasta_parse_t *p, flaw_t flaw, unsigned char c)
{
    if (p->flaw != FLAW_NONE)
        return;
    p->flaw = flaw;
    p->flaw_byte = c;
    p->flaw_line = p->line;
}

/* The first bad record is told when reading ends, the others are counted. */
static void drop_record(fasta_parse_t *p)
{
    if (p->n_bad++ > 0)
        return;
    p->first_bad_line = p->flaw_line;
    print_flaw(p, p->first_bad);
}

/* Take the record in hand into the set, drop it or refuse it. */
static status_t end_record(fasta_parse_t *p)
{
    status_t st = ST_OK;

    if (p->n_begun == 0)
        return ST_OK;
    if (p->name.len == 0 || (p->flaw == FLAW_NONE && p->letters.len == 0)) {
        p->flaw = p->name.len == 0 ? FLAW_NO_NAME : FLAW_NO_LETTERS;
        p->flaw_line = p->header_line;
    }
    if (p->flaw == FLAW_NONE)
        st = seqset_builder_add(&p->set, (const char *)p->name.data, p->name.len,
                                p->letters.data, p->letters.len);
    else if (p->opts->skip_bad && p->flaw != FLAW_GAP)
        drop_record(p);
    else
        st = refuse_record(p);
    p->name.len = 0;
    p->letters.len = 0;
    p->flaw = FLAW_NONE;
    p->n_foreign = 0;
    p->n_protein = 0;
    return st;
}

static status_t start_line(fasta_parse_t *p, const unsigned char **at)
{
    status_t st;

    p->after_cr = false;
    if (**at != '>') {
        p->place = p->n_begun > 0 ? IN_LETTERS : IN_STRAY_TEXT;
        return ST_OK;
    }
    if ((st = end_record(p)) != ST_OK)
        return st;
    p->place = IN_NAME;
    p->n_begun++;
    p->header_line = p->line;
    ++*at;
    return ST_OK;
}

static void end_line(fasta_parse_t *p, unsigned char c)
{
    if (c == '\n' && p->after_cr) {
        p->after_cr = false; /* CR LF is one end */
        return;
    }
    p->after_cr = c == '\r';
    p->place = AT_LINE_START;
    p->line++;
}

static status_t take_stray(fasta_parse_t *p, const unsigned char **at,
                           const unsigned char *end)
{
    for (; *at < end && p->class_of[**at] != IS_LINE_END; ++*at) {
        if (p->class_of[**at] == IS_CONTROL)
            return refuse_control(p, **at);
        if (p->class_of[**at] == IS_BLANK)
            continue;
        if (!p->opts->skip_bad)
            return refuse_stray(p, **at);
        if (p->stray_line == 0)
            p->stray_line = p->line;
    }
    return ST_OK;
}

static status_t take_header(fasta_parse_t *p, const unsigned char **at,
                            const unsigned char *end)
{
    status_t st;

    for (; *at < end && p->class_of[**at] != IS_LINE_END; ++*at) {
        if (p->class_of[**at] == IS_CONTROL)
            return refuse_control(p, **at);
        if (p->class_of[**at] == IS_BLANK && p->name.len > 0)
            p->place = IN_DESCRIPTION;
        else if (p->class_of[**at] != IS_BLANK && p->place == IN_NAME &&
                 (st = buf_append(&p->name, *at, 1)) != ST_OK)
            return st;
    }
    return ST_OK;
}

/* What a sequence line holds besides letters and blanks. */
static status_t take_oddity(fasta_parse_t *p, unsigned char c)
{
    switch (p->class_of[c]) {
    case IS_CONTROL:
        return refuse_control(p, c);
    case IS_GAP:
        if (!p->opts->degap)
            note_flaw(p, FLAW_GAP, c);
        return ST_OK;
    default:
        p->n_foreign++;
        p->n_protein += is_protein_letter(c);
        note_flaw(p, FLAW_LETTER, c);
        return ST_OK;
    }
}

static status_t take_letters(fasta_parse_t *p, const unsigned char **at,
                             const unsigned char *end)
{
    status_t st = buf_reserve(&p->letters, (size_t)(end - *at));
    unsigned char *out;

    if (st != ST_OK)
        return st;
    out = p->letters.data + p->letters.len;
    for (; *at < end && p->class_of[**at] != IS_LINE_END; ++*at) {
        uint8_t code = p->class_of[**at];

        if (code != IS_NO_LETTER && code < ALPHABET_SIZE)
            *out++ = code;
        else if (code != IS_BLANK && (st = take_oddity(p, **at)) != ST_OK)
            return st;
    }
    p->letters.len = (size_t)(out - p->letters.data);
    return p->letters.len > MAX_LETTERS ? refuse_length(p) : ST_OK;
}

status_t fasta_parse_feed(fasta_parse_t *p, const unsigned char *text, size_t len)
{
    const unsigned char *end = text + len;
    const unsigned char *at = text;
    status_t st = ST_OK;

    while (at < end && st == ST_OK) {
        if (p->class_of[*at] == IS_LINE_END) {
            end_line(p, *at++);
            continue;
        }
        switch (p->place) {
        case AT_LINE_START:
            st = start_line(p, &at);
            break;
        case IN_STRAY_TEXT:
            st = take_stray(p, &at, end);
            break;
        case IN_NAME:
        case IN_DESCRIPTION:
            st = take_header(p, &at, end);
            break;
        case IN_LETTERS:
            st = take_letters(p, &at, end);
            break;
        }
    }
    return st;
}

static void say_dropped(const fasta_parse_t *p)
{
    const char *stray = p->stray_line > 0 ? "; so was text before the first header" : "";

    if (p->n_bad > 0)
        log_warn("%s: %" PRId64 " of %" PRId64
                 " records dropped, the first in line %" PRId64 ": %s%s",
                 p->shown, p->n_bad, p->n_begun, p->first_bad_line, p->first_bad, stray);
    else if (p->stray_line > 0)
        log_warn("%s:%" PRId64 ": text before the first header dropped", p->shown,
                 p->stray_line);
}

status_t fasta_parse_finish(fasta_parse_t *p, int64_t *n_bad, seqset_t **out)
{
    status_t st;

    if ((st = end_record(p)) != ST_OK)
        return st;
    if (p->set.n == 0 && p->n_bad > 0) {
        log_error("%s:%" PRId64 ": all of %" PRId64
                  " records are bad, the first: %s; give "
                  "FASTA of nucleotide sequences",
                  p->shown, p->first_bad_line, p->n_bad, p->first_bad);
        return ST_EINPUT;
    }
    if (p->n_begun == 0 && p->stray_line > 0) {
        log_error("%s:%" PRId64 ": text, but no header, a line '>name', anywhere; give "
                  "FASTA of nucleotide sequences",
                  p->shown, p->stray_line);
        return ST_EINPUT;
    }
    if ((st = seqset_builder_finish(&p->set, out)) != ST_OK)
        return st;
    say_dropped(p);
    *n_bad = p->n_bad;
    return ST_OK;
}
