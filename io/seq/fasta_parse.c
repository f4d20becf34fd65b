/*
 * fasta_parse.c - a state machine over bytes, which may be cut into pieces anywhere.
 */
#include "io/seq/fasta_parse.h"

#include "io/base/logmsg.h"
#include "io/base/utf8.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_LEN = INT32_MAX, MESSAGE_BYTES = 256, TOGETHER = 16 };

/* Classes of bytes; those below ALPHABET_SIZE are the codes of letters. */
enum { IS_OTHER = CODE_NONE, IS_BLANK = ALPHABET_SIZE, IS_GAP, IS_LINE_END, IS_CONTROL };

typedef enum { AT_LINE_START, IN_STRAY_TEXT, IN_HEADER, IN_SEQUENCE } place_t;

typedef enum {
    FLAW_NONE,
    FLAW_BYTE,
    FLAW_GAP,
    FLAW_EMPTY,
    FLAW_NO_NAME,
    FLAW_LONG_NAME
} flaw_t;

struct fasta_parse {
    const char *input; /* the name of the input in messages */
    const fasta_opts_t *opts;
    alphabet_t alphabet;
    uint8_t class_of[256];

    bool is_quiet; /* no messages: fasta_parse_quietly */
    place_t place;
    bool after_cr;   /* the last byte was CR: an LF belongs to the same line end */
    int64_t line;    /* line of the next byte, from 1 */
    int64_t n_begun; /* headers read so far, that is the number of the current record */

    /* the current record */
    bool is_open;
    fasta_header_t header;
    buf_t letters;
    int64_t header_line;
    flaw_t flaw; /* the first one found */
    int64_t flaw_line;
    unsigned char flaw_byte;
    size_t n_foreign; /* bytes that are not letters of the alphabet */
    size_t n_protein; /* of these, letters of amino acids only */

    /* dropped records and text */
    int64_t n_bad;
    int64_t first_bad_line;
    char first_bad[MESSAGE_BYTES];
    int64_t stray_line; /* line of the first text before the first header; 0: none */

    fasta_records_t *to;
    int64_t n_before; /* records of other files there */
};

status_t fasta_parse_create(const char *input, const fasta_opts_t *opts,
                            alphabet_t alphabet, fasta_records_t *to, fasta_parse_t **out)
{
    fasta_parse_t *p = calloc(1, sizeof(*p));

    if (p == NULL)
        return log_nomem("reading FASTA");
    p->input = input;
    p->opts = opts;
    p->alphabet = alphabet;
    p->to = to;
    p->n_before = to->set.n;
    p->line = 1;
    for (int c = 0; c < 256; c++)
        p->class_of[c] =
            c < ' ' || c == 0x7f ? IS_CONTROL : alphabet_code(alphabet, (uint8_t)c);
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
    fasta_header_free(&p->header);
    buf_free(&p->letters);
    free(p);
}

static bool looks_like_protein(const fasta_parse_t *p)
{
    return alphabet_looks_like_protein(p->n_protein, p->letters.len + p->n_foreign);
}

/* Print the current record as "record 3 'AB001'". */
static int print_record(const fasta_parse_t *p, char *text, size_t size)
{
    if (p->header.name.len == 0)
        return snprintf(text, size, "record %" PRId64, p->n_begun);
    return snprintf(text, size, "record %" PRId64 " '%.*s'", p->n_begun,
                    (int)utf8_cut((const char *)p->header.name.data, p->header.name.len,
                                  FASTA_HEADER_NAME_SHOWN),
                    (const char *)p->header.name.data);
}

/* Print the flaw of the current record as "record 3 'AB001': 'l' is not a ...". */
static void print_flaw(const fasta_parse_t *p, char text[MESSAGE_BYTES])
{
    int len = print_record(p, text, MESSAGE_BYTES);
    char byte[16];

    snprintf(byte, sizeof(byte), p->flaw_byte < 0x80 ? "'%c'" : "byte 0x%02x",
             p->flaw_byte);
    text += len;
    switch (p->flaw) {
    case FLAW_BYTE:
        snprintf(text, MESSAGE_BYTES - (size_t)len, ": %s is not %s letter%s", byte,
                 alphabet_a_letter[p->alphabet],
                 looks_like_protein(p) ? " and the record looks like protein" : "");
        break;
    case FLAW_GAP:
        snprintf(text, MESSAGE_BYTES - (size_t)len,
                 ": %s is a gap of an aligned sequence", byte);
        break;
    case FLAW_EMPTY:
        snprintf(text, MESSAGE_BYTES - (size_t)len, " has no %s",
                 alphabet_letters[p->alphabet]);
        break;
    case FLAW_NO_NAME:
        snprintf(text, MESSAGE_BYTES - (size_t)len, " has no name in its header");
        break;
    case FLAW_LONG_NAME:
        snprintf(
            text, MESSAGE_BYTES - (size_t)len,
            " has a name of more than %d bytes; a line break may be missing after it",
            FASTA_NAME_BYTES);
        break;
    case FLAW_NONE:
        break;
    }
}

/* @return what the options of this input are called, after --skip-bad or --degap */
static const char *suffix(const fasta_parse_t *p)
{
    return p->opts->of_references ? "-references" : "";
}

static status_t refuse_record(const fasta_parse_t *p)
{
    char flaw[MESSAGE_BYTES];

    if (p->is_quiet)
        return ST_EINPUT;
    print_flaw(p, flaw);
    if (p->flaw == FLAW_GAP)
        log_error("%s:%" PRId64 ": %s; remove gaps with --degap%s", p->input,
                  p->flaw_line, flaw, suffix(p));
    else if (p->flaw == FLAW_BYTE && looks_like_protein(p))
        log_error("%s:%" PRId64 ": %s; give %snucleotide sequences", p->input,
                  p->flaw_line, flaw,
                  p->opts->is_dna_only ? "" : "--alphabet protein, or ");
    else
        log_error("%s:%" PRId64 ": %s; correct it or drop such records with --skip-bad%s",
                  p->input, p->flaw_line, flaw, suffix(p));
    return ST_EINPUT;
}

/* A control character: the input is not text, and dropping records would not help. */
static status_t refuse_control(const fasta_parse_t *p, unsigned char c)
{
    char record[MESSAGE_BYTES] = "the start";

    if (p->is_quiet)
        return ST_EINPUT;
    if (p->n_begun > 0)
        print_record(p, record, sizeof(record));
    log_error("%s:%" PRId64
              ": %s: byte 0x%02x in a text file; the file is binary or damaged, "
              "fetch it again or give a FASTA file",
              p->input, p->line, record, c);
    return ST_EINPUT;
}

static status_t refuse_stray(const fasta_parse_t *p, unsigned char c)
{
    if (p->is_quiet)
        return ST_EINPUT;
    log_error("%s:%" PRId64 ": %s before the first header (a line '>name'); remove it or "
              "drop it with --skip-bad%s",
              p->input, p->line, c == ';' ? "old-style comment (';')" : "text",
              suffix(p));
    return ST_EINPUT;
}

static status_t refuse_length(const fasta_parse_t *p)
{
    char record[MESSAGE_BYTES];

    if (p->is_quiet)
        return ST_EINPUT;
    print_record(p, record, sizeof(record));
    log_error("%s:%" PRId64 ": %s has more than %d %s; split the sequence", p->input,
              p->line, record, MAX_LEN, alphabet_letters[p->alphabet]);
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

/* Count a dropped record; keep the description of the first for log_dropped. */
static void drop_record(fasta_parse_t *p)
{
    if (p->n_bad++ > 0)
        return;
    p->first_bad_line = p->flaw_line;
    print_flaw(p, p->first_bad);
}

static status_t add_record(fasta_parse_t *p)
{
    uint64_t digest = fasta_header_digest(&p->header);
    status_t st = seqset_builder_add(&p->to->set, (const char *)p->header.name.data,
                                     p->header.name.len, p->letters.data, p->letters.len);

    return st == ST_OK ? buf_append(&p->to->headers, &digest, sizeof(digest)) : st;
}

/* Add the current record to the set, drop it or refuse it. */
status_t fasta_parse_end_record(fasta_parse_t *p)
{
    status_t st = ST_OK;

    if (!p->is_open)
        return ST_OK;
    p->is_open = false;
    if (p->header.name.len == 0 || (p->flaw == FLAW_NONE && p->letters.len == 0)) {
        p->flaw = p->header.name.len == 0 ? FLAW_NO_NAME : FLAW_EMPTY;
        p->flaw_line = p->header_line;
    }
    if (p->flaw == FLAW_NONE)
        st = add_record(p);
    else if (p->opts->skip_bad && p->flaw != FLAW_GAP)
        drop_record(p);
    else
        st = refuse_record(p);
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
        p->place = p->n_begun > 0 ? IN_SEQUENCE : IN_STRAY_TEXT;
        return ST_OK;
    }
    if ((st = fasta_parse_end_record(p)) != ST_OK)
        return st;
    p->place = IN_HEADER;
    fasta_header_begin(&p->header);
    p->is_open = true;
    p->n_begun++;
    p->header_line = p->line;
    ++*at;
    return ST_OK;
}

/* A name may be too long, which is a flaw of the record. */
static status_t end_header(fasta_parse_t *p)
{
    status_t st = fasta_header_end(&p->header, p->opts->full_names, p->n_begun, p->line);

    if (st == ST_OK && p->header.is_too_long)
        note_flaw(p, FLAW_LONG_NAME, '\0');
    return st;
}

static status_t end_line(fasta_parse_t *p, unsigned char c)
{
    status_t st = ST_OK;

    if (c == '\n' && p->after_cr) {
        p->after_cr = false; /* CR LF is a single line end */
        return ST_OK;
    }
    if (p->place == IN_HEADER)
        st = end_header(p);
    p->after_cr = c == '\r';
    p->place = AT_LINE_START;
    p->line++;
    return st;
}

static status_t read_stray(fasta_parse_t *p, const unsigned char **at,
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

static status_t read_header(fasta_parse_t *p, const unsigned char **at,
                            const unsigned char *end)
{
    const unsigned char *from = *at;

    for (; *at < end && p->class_of[**at] != IS_LINE_END; ++*at)
        if (**at == '\0')
            return refuse_control(p, **at);
    return fasta_header_add(&p->header, from, (size_t)(*at - from));
}

/* Handle a byte of a sequence line that is neither a letter nor a blank. */
static status_t handle_other(fasta_parse_t *p, unsigned char c)
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
        p->n_protein += alphabet_is_protein_only(c);
        note_flaw(p, FLAW_BYTE, c);
        return ST_OK;
    }
}

/* Read letters from `at` on, as long as nothing else is among TOGETHER of them, which are
 * tested at once. @return behind the last one */
static const unsigned char *read_letters(const fasta_parse_t *p, const unsigned char *at,
                                         const unsigned char *end, unsigned char **out)
{
    unsigned char *to = *out;

    for (; end - at >= TOGETHER; at += TOGETHER, to += TOGETHER) {
        uint8_t others = 0;

        for (int i = 0; i < TOGETHER; i++)
            to[i] = p->class_of[at[i]];
        for (int i = 0; i < TOGETHER; i++)
            others |= (uint8_t)(to[i] - 1) >= ALPHABET_SIZE - 1; /* IS_OTHER is 0 */
        if (others)
            break;
    }
    *out = to;
    return at;
}

static status_t read_sequence(fasta_parse_t *p, const unsigned char **at,
                              const unsigned char *end)
{
    status_t st = buf_reserve(&p->letters, (size_t)(end - *at));
    unsigned char *out;

    if (st != ST_OK)
        return st;
    out = p->letters.data + p->letters.len;
    *at = read_letters(p, *at, end, &out);
    for (; *at < end && p->class_of[**at] != IS_LINE_END; ++*at) {
        uint8_t code = p->class_of[**at];

        if (code != IS_OTHER && code < ALPHABET_SIZE)
            *out++ = code;
        else if (code != IS_BLANK && (st = handle_other(p, **at)) != ST_OK)
            return st;
    }
    p->letters.len = (size_t)(out - p->letters.data);
    return p->letters.len > MAX_LEN ? refuse_length(p) : ST_OK;
}

status_t fasta_parse_feed(fasta_parse_t *p, const unsigned char *text, size_t len)
{
    const unsigned char *end = text + len;
    const unsigned char *at = text;
    status_t st = ST_OK;

    while (at < end && st == ST_OK) {
        if (p->class_of[*at] == IS_LINE_END) {
            st = end_line(p, *at++);
            continue;
        }
        switch (p->place) {
        case AT_LINE_START:
            st = start_line(p, &at);
            break;
        case IN_STRAY_TEXT:
            st = read_stray(p, &at, end);
            break;
        case IN_HEADER:
            st = read_header(p, &at, end);
            break;
        case IN_SEQUENCE:
            st = read_sequence(p, &at, end);
            break;
        }
    }
    return st;
}

bool fasta_parse_quietly(fasta_parse_t *p, const unsigned char *text, size_t len)
{
    p->is_quiet = true;
    p->is_open = p->after_cr = false;
    p->place = AT_LINE_START;
    p->line = 1;
    p->n_begun = p->n_bad = p->header.n_escaped = 0;
    p->letters.len = 0;
    p->flaw = FLAW_NONE;
    seqset_builder_clear(&p->to->set);
    p->to->headers.len = 0;
    return fasta_parse_feed(p, text, len) == ST_OK &&
           fasta_parse_end_record(p) == ST_OK && p->n_bad == 0 &&
           p->header.n_escaped == 0;
}

void fasta_parse_pass(fasta_parse_t *p, const fasta_parse_t *quiet)
{
    p->n_begun += quiet->n_begun;
    p->line += quiet->line - 1;
}

/* Warn of dropped records and text. */
static void log_dropped(const fasta_parse_t *p)
{
    const char *stray = p->stray_line > 0 ? "; so was text before the first header" : "";

    if (p->n_bad > 0)
        log_warn("%s: %" PRId64 " of %" PRId64
                 " records dropped, the first in line %" PRId64 ": %s%s",
                 p->input, p->n_bad, p->n_begun, p->first_bad_line, p->first_bad, stray);
    else if (p->stray_line > 0)
        log_warn("%s:%" PRId64 ": text before the first header dropped", p->input,
                 p->stray_line);
}

status_t fasta_parse_finish(fasta_parse_t *p, int64_t *n_bad)
{
    status_t st;

    if (p->place == IN_HEADER && (st = end_header(p)) != ST_OK)
        return st;
    if ((st = fasta_parse_end_record(p)) != ST_OK)
        return st;
    if (p->to->set.n == p->n_before && p->n_bad > 0) {
        log_error("%s:%" PRId64 ": all %" PRId64
                  " records are invalid, the first: %s; give "
                  "FASTA of %s sequences",
                  p->input, p->first_bad_line, p->n_bad, p->first_bad,
                  alphabet_sequences[p->alphabet]);
        return ST_EINPUT;
    }
    if (p->n_begun == 0 && p->stray_line > 0) {
        log_error("%s:%" PRId64
                  ": text without any header (a line '>name'); give FASTA of "
                  "%s sequences",
                  p->input, p->stray_line, alphabet_sequences[p->alphabet]);
        return ST_EINPUT;
    }
    log_dropped(p);
    fasta_header_log(&p->header, p->input);
    *n_bad += p->n_bad;
    return ST_OK;
}
