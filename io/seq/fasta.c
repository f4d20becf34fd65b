/*
 * fasta.c - reads files block by block through the parser.
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

/* Bytes read at a time, and per thread if several parse them.  The first BLOCK_BYTES tell
 * format and alphabet. */
enum { BLOCK_BYTES = 1 << 18, THREAD_BYTES = 1 << 20 };

/* Files while they are read. */
typedef struct {
    const fasta_opts_t *opts;
    pool_t *pool;
    fasta_records_t records;
    alphabet_t alphabet; /* AUTO: no file has letters so far */
    const char *first;   /* the file that it was guessed from */
    int64_t n_bad, n_fastq;

    /* the current file */
    const char *path, *name;
    packed_input_t *in;
    fastq_t *fastq;        /* NULL: it is FASTA, or not begun */
    buf_t fasta;           /* FASTQ as FASTA: the current block */
    fasta_pieces_t *parse; /* NULL: not begun */
} reader_t;

static void log_guessed(const char *name, alphabet_t alphabet)
{
    if (alphabet == ALPHABET_PROTEIN)
        log_info("%s: the letters are those of proteins; --alphabet dna overrides this",
                 name);
    else
        log_verbose("%s: the letters are those of nucleotides", name);
}

/* Guess the alphabet of a file that begins with n bytes of FASTA; all files have the
 * same.
 */
static status_t guess_alphabet(reader_t *r, const unsigned char *text, size_t n)
{
    const alphabet_t alphabet = alphabet_guess(text, n);

    if (n == 0 || r->alphabet == alphabet)
        return ST_OK;
    if (r->alphabet != ALPHABET_AUTO)
        return fasta_refuse_kinds(r->name, alphabet, r->first, r->alphabet);
    r->alphabet = alphabet;
    r->first = r->path;
    log_guessed(r->name, alphabet);
    return ST_OK;
}

/* Begin with the first block of a file, which decides on format and alphabet. */
static status_t begin(reader_t *r, const unsigned char *block, size_t n)
{
    const size_t bom = format_check_bom(block, n);
    const bool is_fastq = format_check_is_fastq(block, n);
    status_t st = format_check(r->path, block, n);

    if (st == ST_OK && is_fastq)
        st = fastq_create(r->name, &r->fastq);
    if (st == ST_OK && is_fastq && r->alphabet == ALPHABET_AUTO) {
        r->alphabet = ALPHABET_DNA;
        r->first = r->path;
    }
    if (st == ST_OK && !is_fastq && r->opts->alphabet == ALPHABET_AUTO)
        st = guess_alphabet(r, block + bom, n - bom);
    if (st != ST_OK)
        return st;
    return fasta_pieces_create(r->name, r->opts,
                               r->alphabet == ALPHABET_AUTO ? ALPHABET_DNA : r->alphabet,
                               &r->records, r->pool, &r->parse);
}

/* Parse a block. @param is_last  nothing follows it */
static status_t parse_block(reader_t *r, const unsigned char *block, size_t n,
                            bool is_last)
{
    status_t st;

    if (r->fastq == NULL)
        return fasta_pieces_feed(r->parse, block, n);
    r->fasta.len = 0;
    if ((st = fastq_feed(r->fastq, block, n, &r->fasta)) == ST_OK && is_last)
        st = fastq_finish(r->fastq, &r->fasta);
    if (st != ST_OK || r->fasta.len == 0)
        return st;
    return fasta_pieces_feed(r->parse, r->fasta.data, r->fasta.len);
}

static status_t parse_all(reader_t *r)
{
    const size_t n_threads = (size_t)pool_n_threads(r->pool);
    const size_t size = n_threads > 1 ? THREAD_BYTES * n_threads : BLOCK_BYTES;
    unsigned char *block = malloc(size);
    status_t st = block != NULL ? ST_OK : log_nomem("reading FASTA");
    size_t n = size, bom = 0;

    while (st == ST_OK && n == size) {
        if ((st = packed_input_read(r->in, block, size, &n)) != ST_OK)
            break;
        bom = r->parse == NULL ? format_check_bom(block, n) : 0;
        if (r->parse == NULL &&
            (st = begin(r, block, n < BLOCK_BYTES ? n : BLOCK_BYTES)) != ST_OK)
            break;
        st = parse_block(r, block + bom, n - bom, n < size);
    }
    free(block);
    return st;
}

/* Add the records of a file. */
static status_t read_file(reader_t *r, const char *path)
{
    status_t st = packed_input_open(path, &r->in);

    if (st != ST_OK)
        return st;
    r->path = path;
    r->name = packed_input_name(r->in);
    if ((st = parse_all(r)) == ST_OK)
        st = fasta_pieces_finish(r->parse, &r->n_bad);
    r->n_fastq += r->fastq != NULL;
    fasta_pieces_destroy(r->parse);
    fastq_destroy(r->fastq);
    packed_input_close(r->in);
    r->parse = NULL;
    r->fastq = NULL;
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

static status_t make_set(reader_t *r, seqset_t **out)
{
    r->records.set.alphabet = r->alphabet == ALPHABET_AUTO ? ALPHABET_DNA : r->alphabet;
    return seqset_builder_finish(&r->records.set, out);
}

status_t fasta_read_files(seq_files_t *files, const fasta_opts_t *opts, pool_t *pool,
                          fasta_report_t *report, seqset_t **out)
{
    reader_t r = {.opts = opts, .pool = pool, .alphabet = opts->alphabet};
    fasta_report_t counts = {0};
    seqset_t *set = NULL;
    status_t st = ST_OK;

    files->first = calloc((size_t)files->n + 1, sizeof(*files->first));
    if (files->first == NULL)
        st = log_nomem("reading FASTA");
    for (int64_t i = 0; st == ST_OK && i < files->n; i++)
        if ((st = read_file(&r, files->paths[i])) == ST_OK)
            files->first[i + 1] = r.records.set.n;
    if (st != ST_OK || (st = make_set(&r, &set)) != ST_OK)
        goto done;
    st = count_same_names(files->label, set,
                          (const uint64_t *)(void *)r.records.headers.data, &counts);
    if (st != ST_OK)
        goto done;
    if (r.n_fastq > 0 && r.n_fastq < files->n)
        log_info("%s: %" PRId64 " of them FASTQ, whose qualities are dropped",
                 files->label, r.n_fastq);
    else if (r.n_fastq > 0)
        log_info("%s: FASTQ; qualities are dropped", files->label);
    counts.n_bad = r.n_bad;
    if (report != NULL)
        *report = counts;
    *out = set;
    set = NULL;
done:
    seqset_destroy(set);
    seqset_builder_free(&r.records.set);
    buf_free(&r.records.headers);
    buf_free(&r.fasta);
    return st;
}

status_t fasta_read(const char *path, const fasta_opts_t *opts, fasta_report_t *report,
                    seqset_t **out)
{
    seq_files_t files;
    status_t st = seq_files_list(&(seq_inputs_t){.paths = &path, .n = 1}, &files);

    if (st != ST_OK)
        return st;
    st = fasta_read_files(&files, opts, NULL, report, out);
    seq_files_free(&files);
    return st;
}

status_t fasta_refuse_nucleotides(const char *label, const seqset_t *set)
{
    static const char nucleotides[] = "ACGTUN";
    const int64_t n = set->n > 0 ? set->offset[set->n] : 0;
    bool is_nucleotide[ALPHABET_SIZE] = {false};
    int64_t n_nucleotides = 0;

    for (const char *c = nucleotides; *c != '\0'; c++)
        is_nucleotide[alphabet_code(ALPHABET_PROTEIN, (unsigned char)*c)] = true;
    for (int64_t k = 0; k < n; k++)
        n_nucleotides += is_nucleotide[set->letters[k]];
    if (n == 0 || n_nucleotides < n - n / 10)
        return ST_OK;
    log_error("%s looks like nucleotides, and E-values are for proteins; if these are "
              "peptides, give --alphabet protein",
              label);
    return ST_EINPUT;
}

status_t fasta_refuse_kinds(const char *path, alphabet_t alphabet, const char *other,
                            alphabet_t other_alphabet)
{
    log_error("%s holds %s sequences, but %s holds %s sequences; give files of one kind, "
              "or --alphabet dna|protein if one was guessed wrong",
              path, alphabet_sequences[alphabet], other,
              alphabet_sequences[other_alphabet]);
    return ST_EINPUT;
}
