/*
 * cmd_view.c - `ribogrid view`: a result file as TSV.
 */
#include "io/logmsg.h"
#include "io/pairs_file.h"
#include "tools/commands.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A strip of rows is read at a time, of about this size. */
enum { STRIP_BYTES = 64 << 20 };

typedef struct {
    options_part_t id;
    const char *region;
    bool no_header;
} args_t;

static const option_t options[] = {
    {OPTION_PART, "id", 0, offsetof(args_t, id), "PART",
     "only pairs of at least this identity, exactly", 0, 0},
    {OPTION_TEXT, "region", 0, offsetof(args_t, region), "A-B[,C-D]",
     "only rows A to B (and columns C to D), counted from 1 as in the input", 0, 0},
    {OPTION_FLAG, "no-header", 0, offsetof(args_t, no_header), NULL,
     "leave the line of column names out", 0, 0},
    {OPTION_END, NULL, 0, 0, NULL, NULL, 0, 0}};

typedef struct {
    int64_t row0, row1, col0, col1; /* from 0, ends excluded */
} region_t;

/* One range "A-B" or "A", from 1, ends included. */
static bool parse_range(const char **text, int64_t n, int64_t *begin, int64_t *end)
{
    char *rest;

    *begin = strtoll(*text, &rest, 10);
    if (rest == *text || *begin < 1)
        return false;
    *end = (*begin)--;
    if (*rest == '-') {
        *text = rest + 1;
        *end = strtoll(*text, &rest, 10);
        if (rest == *text)
            return false;
    }
    *text = rest;
    return *begin < *end && *end <= n;
}

static status_t parse_region(const char *text, int64_t n, region_t *out)
{
    const char *at = text;

    *out = (region_t){0, n, 0, n};
    if (text == NULL)
        return ST_OK;
    if (parse_range(&at, n, &out->row0, &out->row1) &&
        (*at == '\0' || (*at++ == ',' && parse_range(&at, n, &out->col0, &out->col1))) &&
        *at == '\0')
        return ST_OK;
    return options_misuse(&cmd_view, "--region %s: give A-B or A-B,C-D within 1-%" PRId64,
                          text, n);
}

/* Rows of the matrix, and what is read of them. */
typedef struct {
    const pairs_file_t *file;
    const options_part_t *id;
    int32_t *values[PAIRS_DATASETS_MAX];
    int64_t *offsets; /* of CIGARs */
    buf_t text;       /* bytes text_begin ... of /cigar */
    int64_t text_begin;
} strip_t;

/* Whether matches / columns reaches the part: in integers, equality included. */
static bool reaches(const options_part_t *id, int32_t matches, int32_t columns)
{
    return id->denominator == 0 ||
           (columns > 0 && matches * id->denominator >= columns * id->numerator);
}

static bool is_wanted(const strip_t *s, int64_t at)
{
    return pairs_n_datasets(s->file) == PAIRS_N_SCORE ||
           reaches(s->id, s->values[PAIRS_MATCHES][at], s->values[PAIRS_COLUMNS][at]);
}

/* The text of the CIGARs of a row's pairs first .. end-1, all of one tile. */
static status_t read_text(strip_t *s, int64_t first, int64_t end)
{
    const int32_t *lengths = s->values[PAIRS_CIGAR_LENGTH];
    int64_t begin = 0, behind = 0;

    s->text.len = 0;
    if (pairs_n_datasets(s->file) != PAIRS_N_CIGAR)
        return ST_OK;
    for (int64_t at = first; at < end; at++)
        if (lengths[at] > 0 && is_wanted(s, at)) {
            begin = behind == 0 ? s->offsets[at] : begin;
            behind = s->offsets[at] + lengths[at];
        }
    s->text_begin = begin;
    return pairs_read_cigar_text(s->file, begin, behind, &s->text);
}

/* What the file has of a CIGAR; '*' where there is none, as in SAM files. */
static void print_cigar(const strip_t *s, int64_t at)
{
    int64_t len = s->values[PAIRS_CIGAR_LENGTH][at];
    int64_t begin = s->offsets[at] - s->text_begin;

    if (len > 0 && begin >= 0 && begin + len <= (int64_t)s->text.len)
        printf("\t%.*s", (int)len, (const char *)s->text.data + begin);
    else
        printf("\t*");
}

static void print_pair(const strip_t *s, int64_t i, int64_t k, int64_t at)
{
    int32_t matches, columns;

    printf("%s\t%s\t%" PRId32, pairs_name(s->file, i), pairs_name(s->file, k),
           s->values[PAIRS_SCORE][at]);
    if (pairs_n_datasets(s->file) != PAIRS_N_SCORE) {
        matches = s->values[PAIRS_MATCHES][at];
        columns = s->values[PAIRS_COLUMNS][at];
        printf("\t%" PRId32 "\t%" PRId32, matches, columns);
        if (columns > 0)
            printf("\t%.6f", (double)matches / columns);
        else
            printf("\tNA");
    }
    if (pairs_n_datasets(s->file) == PAIRS_N_CIGAR)
        print_cigar(s, at);
    putchar('\n');
}

/* A row's pairs, a tile at a time. */
static status_t print_row(strip_t *s, const region_t *r, int64_t i)
{
    int64_t side = pairs_grid(s->file)->side, end;
    int64_t row = (i - r->row0) * (r->col1 - r->col0) - r->col0;
    status_t st = ST_OK;

    for (int64_t k = i < r->col0 ? r->col0 : i + 1; st == ST_OK && k < r->col1; k = end) {
        end = (k / side + 1) * side < r->col1 ? (k / side + 1) * side : r->col1;
        st = read_text(s, row + k, row + end);
        for (int64_t l = k; st == ST_OK && l < end; l++)
            if (is_wanted(s, row + l))
                print_pair(s, i, l, row + l);
    }
    return st;
}

static status_t print_strip(strip_t *s, const region_t *r)
{
    const pairs_file_t *f = s->file;
    status_t st = ST_OK;

    for (int d = 0; st == ST_OK && d < pairs_n_datasets(f); d++)
        st = pairs_read(f, (pairs_dataset_t)d, r->row0, r->row1, r->col0, r->col1,
                        s->values[d]);
    if (st == ST_OK && pairs_n_datasets(f) == PAIRS_N_CIGAR)
        st = pairs_read_cigar_offsets(f, r->row0, r->row1, r->col0, r->col1, s->offsets);
    for (int64_t i = r->row0; st == ST_OK && i < r->row1; i++)
        st = print_row(s, r, i);
    if (st == ST_OK && ferror(stdout)) {
        log_error("cannot write to stdout; is the disk full?");
        st = ST_EIO;
    }
    return st;
}

static status_t print_all(const pairs_file_t *f, const region_t *all,
                          const options_part_t *id)
{
    int64_t side = pairs_grid(f)->side, n_columns = all->col1 - all->col0;
    int64_t height =
        STRIP_BYTES / (4 * PAIRS_DATASETS_MAX + 8) / (n_columns > 0 ? n_columns : 1);
    strip_t s = {.file = f, .id = id};
    status_t st = ST_OK;

    height = height < 1 ? 1 : height > side ? side : height;
    s.offsets = malloc((size_t)(height * n_columns) * sizeof(int64_t) + 1);
    for (int d = 0; d < PAIRS_DATASETS_MAX; d++) {
        s.values[d] = malloc((size_t)(height * n_columns) * sizeof(int32_t) + 1);
        if (st == ST_OK && (s.values[d] == NULL || s.offsets == NULL))
            st = log_nomem("a strip of the matrix");
    }
    for (int64_t row = all->row0; st == ST_OK && row < all->row1;) {
        /* strips end where tiles do: each chunk is then read once */
        int64_t end = height == side ? (row / side + 1) * side : row + height;
        region_t strip = {row, end < all->row1 ? end : all->row1, all->col0, all->col1};

        st = print_strip(&s, &strip);
        row = strip.row1;
    }
    for (int d = 0; d < PAIRS_DATASETS_MAX; d++)
        free(s.values[d]);
    free(s.offsets);
    buf_free(&s.text);
    return st;
}

static int run(int argc, char **argv)
{
    const char *words[OPTIONS_WORDS_MAX] = {NULL};
    args_t a = {.region = NULL};
    pairs_file_t *f;
    region_t region;
    status_t st = options_parse(&cmd_view, argc, argv, &a, words);

    if (st != ST_OK || (st = pairs_open(words[0], &f)) != ST_OK)
        return status_exit_code(st);
    if (a.id.denominator != 0 && pairs_n_datasets(f) == PAIRS_N_SCORE)
        st = options_misuse(&cmd_view, "--id: %s holds scores alone", words[0]);
    if (st == ST_OK)
        st = parse_region(a.region, pairs_grid(f)->n, &region);
    if (st == ST_OK && !a.no_header)
        printf("query\ttarget\tscore%s%s\n",
               pairs_n_datasets(f) != PAIRS_N_SCORE ? "\tmatches\tcolumns\tidentity" : "",
               pairs_n_datasets(f) == PAIRS_N_CIGAR ? "\tcigar" : "");
    if (st == ST_OK)
        st = print_all(f, &region, &a.id);
    pairs_close(f);
    return status_exit_code(st);
}

const command_t cmd_view = {
    .name = "view",
    .summary = "print the pairs of a result file as TSV",
    .usage = "PAIRS.h5 [options]",
    .options = options,
    .notes =
        "Columns: query, target, score, matches, columns, identity (matches / columns; "
        "NA\nwhere the sequences overlap too little), cigar (* where they do).\n",
    .example = "ribogrid view pairs.h5 --id 0.97 --region 1-100 > close.tsv",
    .n_words_least = 1,
    .n_words_most = 1,
    .run = run,
};
