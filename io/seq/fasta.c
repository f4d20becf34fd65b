/*
 * fasta.c - reads a file block by block through the parser.
 */
#include "io/seq/fasta.h"

#include "io/base/format_check.h"
#include "io/base/logmsg.h"
#include "io/base/name_table.h"
#include "io/file/fastq.h"
#include "io/file/packed_input.h"
#include "io/seq/fasta_parse.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_BYTES = 1 << 18 };

/* @return the alphabet of an input that begins with n bytes of FASTA */
static alphabet_t choose_alphabet(const char *name, const fasta_opts_t *opts,
                                  const unsigned char *text, size_t n)
{
    alphabet_t alphabet = opts->alphabet;

    if (alphabet != ALPHABET_AUTO)
        return alphabet;
    alphabet = alphabet_guess(text, n);
    if (alphabet == ALPHABET_PROTEIN)
        log_info("%s: the letters are those of proteins; --alphabet dna overrides this",
                 name);
    else
        log_verbose("%s: the letters are those of nucleotides", name);
    return alphabet;
}

/* An input while it is read. */
typedef struct {
    const char *path, *name;
    const fasta_opts_t *opts;
    packed_input_t *in;
    fastq_t *fastq;       /* NULL: it is FASTA, or not begun */
    buf_t fasta;          /* FASTQ as FASTA: the current block */
    fasta_parse_t *parse; /* NULL: not begun */
} reader_t;

/* Begin with the first block of an input, which decides on format and alphabet. */
static status_t begin(reader_t *r, const unsigned char *block, size_t n)
{
    const size_t bom = format_check_bom(block, n);
    alphabet_t alphabet = r->opts->alphabet;
    status_t st = format_check(r->path, block, n);

    if (st != ST_OK)
        return st;
    if (!format_check_is_fastq(block, n)) {
        alphabet = choose_alphabet(r->name, r->opts, block + bom, n - bom);
        return fasta_parse_create(r->name, r->opts, alphabet, &r->parse);
    }
    if (alphabet == ALPHABET_AUTO)
        alphabet = ALPHABET_DNA;
    if ((st = fastq_create(r->name, &r->fastq)) != ST_OK)
        return st;
    return fasta_parse_create(r->name, r->opts, alphabet, &r->parse);
}

/* Parse a block. @param is_last  nothing follows it */
static status_t parse_block(reader_t *r, const unsigned char *block, size_t n,
                            bool is_last)
{
    status_t st;

    if (r->fastq == NULL)
        return fasta_parse_feed(r->parse, block, n);
    r->fasta.len = 0;
    if ((st = fastq_feed(r->fastq, block, n, &r->fasta)) == ST_OK && is_last)
        st = fastq_finish(r->fastq, &r->fasta);
    if (st != ST_OK || r->fasta.len == 0)
        return st;
    return fasta_parse_feed(r->parse, r->fasta.data, r->fasta.len);
}

static status_t parse_all(reader_t *r)
{
    unsigned char *block = malloc(BLOCK_BYTES);
    status_t st = block != NULL ? ST_OK : log_nomem("reading FASTA");
    size_t n = BLOCK_BYTES, bom = 0;

    while (st == ST_OK && n == BLOCK_BYTES) {
        if ((st = packed_input_read(r->in, block, BLOCK_BYTES, &n)) != ST_OK)
            break;
        bom = r->parse == NULL ? format_check_bom(block, n) : 0;
        if (r->parse == NULL && (st = begin(r, block, n)) != ST_OK)
            break;
        st = parse_block(r, block + bom, n - bom, n < BLOCK_BYTES);
    }
    free(block);
    return st;
}

/* Records whose name occurred before: their number, and the first of them. */
typedef struct {
    int64_t n, first;
} same_t;

static void note_same(same_t *same, int64_t record)
{
    if (same->n++ == 0)
        same->first = record;
}

static void log_same(const char *input, const seqset_t *set, const same_t *equal,
                     const same_t *cut)
{
    if (equal->n > 0)
        log_warn("%s: %" PRId64 " records have a name that occurred before, the first is "
                 "'%.80s'; they are distinguished by their order",
                 input, equal->n, seqset_name(set, equal->first));
    if (cut->n > 0)
        log_warn("%s: %" PRId64 " records have a name that occurred before only because "
                 "names end at the first blank, the first is record %" PRId64
                 " '%.80s'; --full-names keeps whole headers, which differ",
                 input, cut->n, cut->first + 1, seqset_name(set, cut->first));
}

/*
 * Count the records whose name occurred before, and warn of them.
 *
 * @param headers  [set->n] digests
 */
static status_t count_same_names(const char *input, const seqset_t *set,
                                 const uint64_t *headers, fasta_report_t *out)
{
    int64_t *first_with = malloc(((size_t)set->n + 1) * sizeof(*first_with)), number;
    same_t equal = {0}, cut = {0};
    name_table_t names = {0};
    status_t st = first_with != NULL ? ST_OK : log_nomem("the names");
    bool is_new;

    for (int64_t i = 0; st == ST_OK && i < set->n; i++) {
        const char *name = seqset_name(set, i);

        st = name_table_add(&names, name, strlen(name), &number, &is_new);
        if (st != ST_OK)
            break;
        if (is_new)
            first_with[number] = i;
        else
            note_same(headers[i] == headers[first_with[number]] ? &equal : &cut, i);
    }
    name_table_free(&names);
    free(first_with);
    if (st != ST_OK)
        return st;
    log_same(input, set, &equal, &cut);
    out->n_same_name = equal.n + cut.n;
    out->n_cut_name = cut.n;
    return ST_OK;
}

status_t fasta_read(const char *path, const fasta_opts_t *opts, fasta_report_t *report,
                    seqset_t **out)
{
    reader_t r = {.path = path, .opts = opts};
    fasta_report_t counts = {0};
    status_t st;
    seqset_t *set = NULL;

    if ((st = packed_input_open(path, &r.in)) != ST_OK)
        goto done;
    r.name = packed_input_name(r.in);
    if ((st = parse_all(&r)) != ST_OK)
        goto done;
    if ((st = fasta_parse_finish(r.parse, &counts.n_bad, &set)) != ST_OK)
        goto done;
    st = count_same_names(r.name, set, fasta_parse_headers(r.parse), &counts);
    if (st != ST_OK)
        goto done;
    if (r.fastq != NULL)
        log_info("%s: FASTQ; qualities are dropped", r.name);
    if (report != NULL)
        *report = counts;
    *out = set;
    set = NULL;
done:
    seqset_destroy(set);
    fasta_parse_destroy(r.parse);
    fastq_destroy(r.fastq);
    buf_free(&r.fasta);
    packed_input_close(r.in);
    return st;
}
