/*
 * fasta.c - reads a file block by block through the parser.
 */
#include "io/seq/fasta.h"

#include "io/base/format_check.h"
#include "io/base/logmsg.h"
#include "io/base/name_table.h"
#include "io/file/packed_input.h"
#include "io/seq/fasta_parse.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_BYTES = 1 << 18 };

/* @return the alphabet of an input that begins with n bytes of text */
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

/* Parse the first block of an input, whose beginning decides on the alphabet. */
static status_t parse_first(const char *path, const char *name, const fasta_opts_t *opts,
                            const unsigned char *block, size_t n, fasta_parse_t **out)
{
    status_t st = format_check(path, block, n);
    size_t bom = format_check_bom(block, n);

    if (st == ST_OK)
        st = fasta_parse_create(name, opts,
                                choose_alphabet(name, opts, block + bom, n - bom), out);
    return st == ST_OK ? fasta_parse_feed(*out, block + bom, n - bom) : st;
}

static status_t parse_all(const char *path, const char *name, const fasta_opts_t *opts,
                          packed_input_t *in, fasta_parse_t **out)
{
    unsigned char *block = malloc(BLOCK_BYTES);
    status_t st = block != NULL ? ST_OK : log_nomem("reading FASTA");
    size_t n = BLOCK_BYTES;

    while (st == ST_OK && n == BLOCK_BYTES) {
        if ((st = packed_input_read(in, block, BLOCK_BYTES, &n)) != ST_OK)
            break;
        st = *out == NULL ? parse_first(path, name, opts, block, n, out)
                          : fasta_parse_feed(*out, block, n);
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
    const char *name = strcmp(path, "-") == 0 ? "stdin" : path;
    fasta_report_t counts = {0};
    status_t st;
    packed_input_t *in = NULL;
    fasta_parse_t *parse = NULL;
    seqset_t *set = NULL;

    if ((st = packed_input_open(path, &in)) != ST_OK)
        goto done;
    if ((st = parse_all(path, name, opts, in, &parse)) != ST_OK)
        goto done;
    if ((st = fasta_parse_finish(parse, &counts.n_bad, &set)) != ST_OK)
        goto done;
    if ((st = count_same_names(name, set, fasta_parse_headers(parse), &counts)) != ST_OK)
        goto done;
    if (report != NULL)
        *report = counts;
    *out = set;
    set = NULL;
done:
    seqset_destroy(set);
    fasta_parse_destroy(parse);
    packed_input_close(in);
    return st;
}
