/*
 * clades_file.c - writes and reads integral histograms.
 */
#include "io/clades/clades_file.h"

#include "io/base/integral.h"
#include "io/base/texts.h"
#include "io/hdf5/h5util.h"
#include "io/result/result_table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { SEQUENCES = 1, TAXA, LEVELS, BLOCKS, BINS, VALUES };

static const result_dim_t dims[RESULT_DIMS_MAX] = {
    [SEQUENCES] = {"n", "a sequence", "sequences", INT32_MAX},
    [TAXA] = {"t", "a taxon", "taxa", INT32_MAX},
    [LEVELS] = {"l", "a level", "levels", CLADES_MAX_LEVELS},
    [BLOCKS] = {"k", "a block", "blocks", INT32_MAX},
    [BINS] = {"b", "a bin", "bins", CLADES_MAX_BINS + 1},
    [VALUES] = {"v", "a value", "values", CLADES_MAX_VALUES},
};

#define AT(member) .at = offsetof(clades_t, member)

/* The digest, as text. */
typedef struct {
    clades_t c;
    char *digest;
} content_t;

enum { DIGEST_BYTES = 17 };

static const result_field_t fields[] = {
    {.name = "/sequences/name",
     .type = RESULT_TEXTS,
     AT(name),
     .shape = {SEQUENCES},
     .meaning = "in taxonomic order: at each rank the taxon with the most sequences "
                "comes first"},
    {.name = "/sequences/row",
     .type = RESULT_INT32,
     AT(row),
     .shape = {SEQUENCES},
     .check = {RESULT_INDEX, 0, 0, SEQUENCES},
     .meaning = "the number of the sequence in the file of pairs"},
    {.name = "/sequences/best_matches",
     .type = RESULT_INT32,
     AT(best_matches),
     .shape = {SEQUENCES, LEVELS},
     .check = {RESULT_WITHIN, 0, INT32_MAX, 0},
     .meaning = "matches of the most similar sequence with which it has a level: level "
                "2r, the lowest common taxon has rank r (0: the root), and they are of "
                "different taxa of the next rank; 2r+1, a lineage ends there"},
    {.name = "/sequences/best_columns",
     .type = RESULT_INT32,
     AT(best_columns),
     .shape = {SEQUENCES, LEVELS},
     .check = {RESULT_WITHIN, 0, INT32_MAX, 0},
     .meaning = "columns of the same; 0: there is none with an identity"},
    {.name = "/taxa/name",
     .type = RESULT_TEXTS,
     AT(taxon_name),
     .shape = {TAXA},
     .meaning = "the root, whose name is empty, and then each taxon before those in it"},
    {.name = "/taxa/parent",
     .type = RESULT_INT32,
     AT(parent),
     .shape = {TAXA},
     .check = {RESULT_INDEX, 0, 0, TAXA},
     .meaning = "the taxon that it is a part of; of the root 0"},
    {.name = "/taxa/begin",
     .type = RESULT_INT32,
     AT(begin),
     .shape = {TAXA},
     .check = {RESULT_INDEX, 0, 0, SEQUENCES},
     .meaning = "its first sequence"},
    {.name = "/taxa/end",
     .type = RESULT_INT32,
     AT(end),
     .shape = {TAXA},
     .check = {RESULT_WITHIN, 1, INT32_MAX, 0},
     .meaning = "behind its last sequence"},
    {.name = "/cuts",
     .type = RESULT_INT64,
     AT(cut),
     .shape = {BLOCKS},
     .plus = 1,
     .check = {RESULT_ASCENDS, 0, 0, 0},
     .meaning = "sequences at which blocks begin, and n"},
    {.name = "/levels/pairs",
     .type = RESULT_INT64,
     AT(level_count),
     .shape = {LEVELS, BINS},
     .check = {RESULT_WITHIN, 0, 9e15, 0},
     .unit = "pairs",
     .meaning = "by level, and by bins of identity: bin i has those from i/(b-1) on, the "
                "last one those of 1"},
    {.name = "@min_identity",
     .type = RESULT_FRACTION,
     AT(min_identity),
     .meaning = "the file of pairs has none below it; 0/1: it has all with an identity"},
    {.name = "@pairs_digest",
     .type = RESULT_TEXT,
     .at = offsetof(content_t, digest),
     .meaning = "of the names of the file of pairs and of what it depends on"},
    {.name = "/run@job",
     .type = RESULT_TEXT,
     AT(job),
     .meaning = "everything that the content depends on, as lines `name=value`"},
    {.name = NULL},
};

static const result_field_t value_fields[] = {
    {.name = "/integral",
     .type = RESULT_INT64,
     .shape = {VALUES},
     .check = {RESULT_WITHIN, 0, 9e15, 0},
     .unit = "pairs",
     .meaning = "b values for each two cuts i of 1 to k and j of i to k, row by row: "
                "pairs whose first sequence lies before cut i and whose second one lies "
                "before cut j, by bins; in 32 bits where n(n-1)/2 fits"},
    {.name = NULL},
};

const result_kind_t clades_file_kind = {
    .title = "Identities within and between taxa",
    .maker = "ribogrid clades",
    .format = "ribogrid-clades",
    .major = 1,
    .minor = 0,
    .what = "a result of `ribogrid clades`",
    .dims = dims,
    .tables = {fields, value_fields},
    .more =
        "Pairs without an identity are in no bin: they are the other ones of all pairs "
        "of two ranges.",
};

/* ---- in memory ---- */

ARRAY_COUNT(count_n, clades_t, o->n)
ARRAY_COUNT(count_taxa, clades_t, o->n_taxa)
ARRAY_COUNT(count_cuts, clades_t, o->n_cuts + 1)

static const array_t rows[] = {ARRAY_VALUE(clades_t, n, ARRAY_INT64),
                               ARRAY_VALUE(clades_t, n_taxa, ARRAY_INT64),
                               ARRAY_VALUE(clades_t, n_ranks, ARRAY_INT64),
                               ARRAY_VALUE(clades_t, n_levels, ARRAY_INT64),
                               ARRAY_VALUE(clades_t, n_cuts, ARRAY_INT64),
                               ARRAY_VALUE(clades_t, n_bins, ARRAY_INT64),
                               ARRAY_VALUE(clades_t, min_identity, ARRAY_BYTES),
                               ARRAY_VALUE(clades_t, digest, ARRAY_BYTES),
                               ARRAY_OF(clades_t, name, ARRAY_TEXTS, count_n,
                                        .stays = true),
                               ARRAY_OF(clades_t, taxon_name, ARRAY_TEXTS, count_taxa,
                                        .stays = true),
                               ARRAY_OF(clades_t, row, ARRAY_INT32, count_n),
                               ARRAY_OF(clades_t, parent, ARRAY_INT32, count_taxa),
                               ARRAY_OF(clades_t, begin, ARRAY_INT32, count_taxa),
                               ARRAY_OF(clades_t, end, ARRAY_INT32, count_taxa),
                               ARRAY_OF(clades_t, cut, ARRAY_INT64, count_cuts),
                               ARRAYS_END};

const arrays_t clades_arrays = {"taxa", sizeof(clades_t), rows, NULL};

void clades_free(clades_t *c)
{
    arrays_free(&clades_arrays, c);
    free(c->level_count);
    free(c->best_matches);
    free(c->best_columns);
    free(c->job);
    *c = (clades_t){.n = 0};
}

int64_t clades_n_values(int64_t n_cuts, int64_t n_bins)
{
    return n_cuts * (n_cuts + 1) / 2 * n_bins;
}

int clades_rank(const clades_t *c, int64_t taxon)
{
    int rank = 0;

    for (; taxon > 0; rank++)
        taxon = c->parent[taxon];
    return rank;
}

int64_t clades_cut_before(const clades_t *c, int64_t position)
{
    int64_t low = 0, high = c->n_cuts;

    while (low < high) {
        const int64_t middle = (low + high + 1) / 2;

        if (c->cut[middle] <= position)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/* ---- writing ---- */

struct clades_writer {
    h5whole_t to;
    h5stream_t values;
    bool is_narrow; /* 32 bits suffice: half as much to compress */
    buf_t narrow;   /* int32_t */
};

static bool begin(clades_writer_t *w, const clades_t *c, pool_t *pool)
{
    const int64_t n[RESULT_DIMS_MAX] = {[SEQUENCES] = c->n,
                                        [TAXA] = c->n_taxa,
                                        [LEVELS] = c->n_levels,
                                        [BLOCKS] = c->n_cuts,
                                        [BINS] = c->n_bins};
    char digest[DIGEST_BYTES];
    content_t content = {*c, digest};
    result_field_t values = value_fields[0];

    w->is_narrow = c->n * (c->n - 1) / 2 <= INT32_MAX;
    values.type = w->is_narrow ? RESULT_INT32 : RESULT_INT64;

    snprintf(digest, sizeof(digest), "%016" PRIx64, c->digest);
    if (c->min_identity.denominator == 0)
        content.c.min_identity = (fraction_t){0, 1};
    return result_write_format(w->to.file, &clades_file_kind) &&
           run_info_write(w->to.file, &c->info) &&
           result_write(w->to.file, fields, &content, n, pool) &&
           result_stream_begin(w->to.file, &values, pool, &w->values);
}

status_t clades_writer_open(const char *path, bool force, const clades_t *c, pool_t *pool,
                            clades_writer_t **out)
{
    clades_writer_t *w = calloc(1, sizeof(*w));
    status_t st;

    if (w == NULL)
        return log_nomem("an integral histogram");
    if ((st = h5whole_open(path, force, &w->to)) != ST_OK) {
        free(w);
        return st;
    }
    if ((st = h5whole_check(&w->to, begin(w, c, pool))) != ST_OK)
        return clades_writer_close(w, st);
    *out = w;
    return ST_OK;
}

status_t clades_writer_add(clades_writer_t *w, const int64_t *values, int64_t n)
{
    int32_t *narrow;
    status_t st;

    if (!w->is_narrow)
        return h5whole_check(&w->to, h5stream_append(&w->values, values, n));
    w->narrow.len = 0;
    if ((st = buf_reserve(&w->narrow, (size_t)n * sizeof(*narrow))) != ST_OK)
        return st;
    narrow = (int32_t *)(void *)w->narrow.data;
    for (int64_t k = 0; k < n; k++)
        narrow[k] = (int32_t)values[k];
    return h5whole_check(&w->to, h5stream_append(&w->values, narrow, n));
}

status_t clades_writer_close(clades_writer_t *w, status_t st)
{
    const bool good = h5stream_end(&w->values);

    if (st == ST_OK)
        st = h5whole_check(&w->to, good);
    st = h5whole_close(&w->to, st);
    buf_free(&w->narrow);
    free(w);
    return st;
}

/* ---- reading ---- */

struct clades_file {
    result_reader_t file;
    content_t content;
    h5data_t *values;
    int64_t *cells; /* [2][n_bins] */
};

/* @return what is wrong with the taxa, or NULL */
static const char *find_wrong_taxon(const clades_t *c)
{
    if (c->n_taxa < 1 || c->begin[0] != 0 || c->end[0] != c->n)
        return "its first taxon is not the root";
    for (int64_t t = 1; t < c->n_taxa; t++) {
        const int32_t p = c->parent[t];

        if (p >= t || c->begin[t] >= c->end[t] || c->begin[t] < c->begin[p] ||
            c->end[t] > c->end[p] || c->begin[t] < c->begin[t - 1] ||
            (p != t - 1 && c->begin[t] < c->end[t - 1]))
            return "its taxa are not parts of each other";
        if (clades_rank(c, p) >= c->n_ranks)
            return "its taxa have more ranks than its pairs";
    }
    return NULL;
}

static status_t check(clades_file_t *f)
{
    const result_reader_t *r = &f->file;
    clades_t *c = &f->content.c;
    const char *wrong;
    char *end;

    c->n = r->n[SEQUENCES];
    c->n_taxa = r->n[TAXA];
    c->n_levels = r->n[LEVELS];
    c->n_cuts = r->n[BLOCKS];
    c->n_bins = r->n[BINS];
    c->n_ranks = c->n_levels / 2 - 1;
    if (c->n_levels < 2 || c->n_levels % 2 != 0 || c->n_bins < 2)
        return result_refuse(r, "/levels/pairs has another shape");
    if (c->n < 1 || c->n_cuts < 1 || c->cut[0] != 0 || c->cut[c->n_cuts] != c->n)
        return result_refuse(r, "/cuts does not go from 0 to the number of sequences");
    if (r->n[VALUES] != clades_n_values(c->n_cuts, c->n_bins))
        return result_refuse(r, "/integral has another length than that of its cuts");
    if ((wrong = find_wrong_taxon(c)) != NULL)
        return result_refuse(r, "%s", wrong);
    for (int64_t k = 0; k < c->n * c->n_levels; k++)
        if (c->best_matches[k] > c->best_columns[k])
            return result_refuse(r, "/sequences/best_matches is above "
                                    "/sequences/best_columns");
    c->digest = strtoull(f->content.digest, &end, 16);
    if (c->min_identity.numerator == 0)
        c->min_identity = (fraction_t){0, 0};
    f->cells = malloc(2 * (size_t)c->n_bins * sizeof(*f->cells));
    return f->cells != NULL ? ST_OK : log_nomem("an integral histogram");
}

status_t clades_file_open(const char *path, clades_file_t **out, const clades_t **head)
{
    clades_file_t *f = calloc(1, sizeof(*f));
    status_t st;

    if (f == NULL)
        return log_nomem("an integral histogram");
    if ((st = result_read_open(path, &clades_file_kind, &f->file)) == ST_OK &&
        (st = run_info_read(&f->file, &f->content.c.info)) == ST_OK &&
        (st = result_read(&f->file, fields, &f->content)) == ST_OK &&
        (st = result_open_pieces(&f->file, value_fields, &f->values)) == ST_OK)
        st = check(f);
    if (st != ST_OK) {
        clades_file_close(f);
        return st;
    }
    *out = f;
    *head = &f->content.c;
    return ST_OK;
}

status_t clades_file_read(clades_file_t *f, int64_t a, int64_t b, int64_t n, int64_t *out)
{
    const clades_t *c = &f->content.c;
    const int64_t at = (a - 1) * c->n_cuts - (a - 1) * (a - 2) / 2 + b - a;

    if (a > 0)
        return result_read_piece(&f->file, value_fields, f->values, at * c->n_bins,
                                 n * c->n_bins, out);
    memset(out, 0, (size_t)(n * c->n_bins) * sizeof(*out));
    return ST_OK;
}

status_t clades_file_refuse(const clades_file_t *f)
{
    return result_refuse(&f->file, "/integral counts pairs that do not exist");
}

/* Sequences before b, both of them, are before a, too. */
static status_t read_cell(void *file, int64_t a, int64_t b, int64_t *out)
{
    return clades_file_read(file, a < b ? a : b, b, 1, out);
}

status_t clades_file_count(clades_file_t *f, int64_t a0, int64_t a1, int64_t b0,
                           int64_t b1, int64_t *count)
{
    const clades_t *c = &f->content.c;
    const int64_t n_a = c->cut[a1] - c->cut[a0], n_b = c->cut[b1] - c->cut[b0];
    const int64_t n_all = a0 == b0 ? n_a * (n_a - 1) / 2 : n_a * n_b;
    const int64_t first[] = {a0, a1}, second[] = {b0, b1};
    int64_t n_counted = 0, *sum = f->cells + c->n_bins;
    status_t st =
        integral_rectangle(read_cell, f, first, second, c->n_bins, f->cells, sum);

    for (int64_t k = 0; st == ST_OK && k < c->n_bins; k++) {
        n_counted += sum[k];
        count[k] += sum[k];
        if (sum[k] < 0 || n_counted > n_all)
            st = clades_file_refuse(f);
    }
    return st;
}

void clades_file_close(clades_file_t *f)
{
    if (f == NULL)
        return;
    h5data_close(f->values);
    result_read_close(&f->file);
    run_info_free(&f->content.c.info);
    f->content.c.info = (run_info_t){.program = NULL};
    result_free(fields, &f->content);
    free(f->cells);
    free(f);
}
