/*
 * fasta_pieces.c - cuts a block of text into pieces of whole records, which several
 * threads parse.
 *
 * Most records need no message, and for these the order does not matter.  If a piece has
 * a record that does, all pieces of the block are parsed again by the one parser, which
 * knows the numbers of lines and records and what was said before.
 */
#include "io/seq/fasta_parse.h"

#include "io/base/logmsg.h"

#include <stdlib.h>
#include <string.h>

/* Pieces per thread, so that none waits long for the others, and their minimum size. */
enum { PER_THREAD = 4, PIECE_BYTES_MIN = 1 << 14 };

typedef struct {
    fasta_parse_t *parse;
    fasta_records_t records;
    const unsigned char *text;
    size_t len;
    bool is_clean; /* no message */
} piece_t;

struct fasta_pieces {
    fasta_records_t *to;
    pool_t *pool;
    fasta_parse_t *parse;          /* of the whole text */
    piece_t *pieces;               /* [n_max] */
    const seqset_builder_t **sets; /* [n_max] theirs */
    int n_max, n;                  /* n_max 0: there is one thread, which needs none */
};

status_t fasta_pieces_create(const char *input, const fasta_opts_t *opts,
                             alphabet_t alphabet, fasta_records_t *to, pool_t *pool,
                             fasta_pieces_t **out)
{
    fasta_pieces_t *p = calloc(1, sizeof(*p));
    status_t st;

    if (p == NULL)
        return log_nomem("reading FASTA");
    p->to = to;
    p->pool = pool;
    p->n_max = pool_n_threads(pool) > 1 ? PER_THREAD * pool_n_threads(pool) : 0;
    p->pieces = calloc((size_t)p->n_max + 1, sizeof(*p->pieces));
    p->sets = calloc((size_t)p->n_max + 1, sizeof(const seqset_builder_t *));
    st = p->pieces != NULL && p->sets != NULL
             ? fasta_parse_create(input, opts, alphabet, to, &p->parse)
             : log_nomem("reading FASTA");
    for (int k = 0; st == ST_OK && k < p->n_max; k++) {
        p->sets[k] = &p->pieces[k].records.set;
        st = fasta_parse_create(input, opts, alphabet, &p->pieces[k].records,
                                &p->pieces[k].parse);
    }
    if (st != ST_OK) {
        fasta_pieces_destroy(p);
        return st;
    }
    *out = p;
    return ST_OK;
}

void fasta_pieces_destroy(fasta_pieces_t *p)
{
    if (p == NULL)
        return;
    for (int k = 0; p->pieces != NULL && k < p->n_max; k++) {
        fasta_parse_destroy(p->pieces[k].parse);
        seqset_builder_free(&p->pieces[k].records.set);
        buf_free(&p->pieces[k].records.headers);
    }
    fasta_parse_destroy(p->parse);
    free(p->pieces);
    free(p->sets);
    free(p);
}

/* @return the first header behind a line end, or `end` */
static const unsigned char *next_header(const unsigned char *at, const unsigned char *end)
{
    while (at < end && (at = memchr(at, '\n', (size_t)(end - at))) != NULL)
        if (++at < end && *at == '>')
            return at;
    return end;
}

/* @return the last header behind a line end from `begin` on, or `begin` */
static const unsigned char *last_header(const unsigned char *begin,
                                        const unsigned char *end)
{
    for (const unsigned char *at = end; (size_t)(at - begin) > 1;) {
        if ((at = memrchr(begin, '\n', (size_t)(at - 1 - begin))) == NULL)
            break;
        if (at[1] == '>')
            return at + 1;
        at++;
    }
    return begin;
}

/* Cut text that begins with a header and ends before one. */
static void cut(fasta_pieces_t *p, const unsigned char *text, const unsigned char *end)
{
    const size_t share = (size_t)(end - text) / (size_t)p->n_max;
    const size_t size = share > PIECE_BYTES_MIN ? share : PIECE_BYTES_MIN;

    for (p->n = 0; text < end; p->n++) {
        const bool is_last = p->n == p->n_max - 1 || (size_t)(end - text) <= size;
        const unsigned char *next = is_last ? end : next_header(text + size, end);

        p->pieces[p->n].text = text;
        p->pieces[p->n].len = (size_t)(next - text);
        text = next;
    }
}

static void parse_one(void *ctx, int64_t k, int thread)
{
    const fasta_pieces_t *p = ctx;
    piece_t *piece = &p->pieces[k];

    (void)thread;
    piece->is_clean = fasta_parse_quietly(piece->parse, piece->text, piece->len);
}

static bool all_clean(const fasta_pieces_t *p)
{
    for (int k = 0; k < p->n; k++)
        if (!p->pieces[k].is_clean)
            return false;
    return true;
}

/* Add the records of all pieces. */
static status_t take_records(fasta_pieces_t *p)
{
    status_t st = fasta_parse_end_record(p->parse);

    for (int k = 0; st == ST_OK && k < p->n; k++) {
        const buf_t *headers = &p->pieces[k].records.headers;

        fasta_parse_pass(p->parse, p->pieces[k].parse);
        st = buf_append(&p->to->headers, headers->data, headers->len);
    }
    return st == ST_OK ? seqset_builder_join(&p->to->set, p->sets, p->n, p->pool) : st;
}

status_t fasta_pieces_feed(fasta_pieces_t *p, const unsigned char *text, size_t len)
{
    const unsigned char *end = text + len;
    const unsigned char *first = p->n_max > 0 ? next_header(text, end) : end;
    const unsigned char *last = last_header(first, end);
    status_t st = fasta_parse_feed(p->parse, text, (size_t)(first - text));

    if (st == ST_OK && first < last) {
        cut(p, first, last);
        pool_run(p->pool, p->n, parse_one, p);
        st = all_clean(p) ? take_records(p)
                          : fasta_parse_feed(p->parse, first, (size_t)(last - first));
    }
    return st == ST_OK ? fasta_parse_feed(p->parse, last, (size_t)(end - last)) : st;
}

status_t fasta_pieces_finish(fasta_pieces_t *p, int64_t *n_bad)
{
    return fasta_parse_finish(p->parse, n_bad);
}
