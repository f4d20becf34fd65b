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

/* Whether matches / columns reaches the part: in integers, equality included. */
static bool reaches(const options_part_t *id, int32_t matches, int32_t columns)
{
    return id->denominator == 0 ||
           (columns > 0 && matches * id->denominator >= columns * id->numerator);
}

static void print_pair(const pairs_file_t *f, int64_t i, int64_t k,
                       const int32_t *const *values, int64_t at, const options_part_t *id)
{
    int32_t matches, columns;

    if (pairs_n_datasets(f) == 1) {
        printf("%s\t%s\t%" PRId32 "\n", pairs_name(f, i), pairs_name(f, k),
               values[PAIRS_SCORE][at]);
        return;
    }
    matches = values[PAIRS_MATCHES][at];
    columns = values[PAIRS_COLUMNS][at];
    if (!reaches(id, matches, columns))
        return;
    printf("%s\t%s\t%" PRId32 "\t%" PRId32 "\t%" PRId32 "\t", pairs_name(f, i),
           pairs_name(f, k), values[PAIRS_SCORE][at], matches, columns);
    if (columns > 0)
        printf("%.6f\n", (double)matches / columns);
    else
        printf("NA\n");
}

static status_t print_strip(const pairs_file_t *f, const region_t *r,
                            const options_part_t *id, int32_t **values)
{
    const int32_t *read[PAIRS_DATASETS_MAX] = {values[0], values[1], values[2]};
    int64_t n_columns = r->col1 - r->col0;
    status_t st = ST_OK;

    for (int d = 0; st == ST_OK && d < pairs_n_datasets(f); d++)
        st = pairs_read(f, (pairs_dataset_t)d, r->row0, r->row1, r->col0, r->col1,
                        values[d]);
    for (int64_t i = r->row0; st == ST_OK && i < r->row1; i++)
        for (int64_t k = i < r->col0 ? r->col0 : i + 1; k < r->col1; k++)
            print_pair(f, i, k, read, (i - r->row0) * n_columns + k - r->col0, id);
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
        STRIP_BYTES / (4 * PAIRS_DATASETS_MAX) / (n_columns > 0 ? n_columns : 1);
    int32_t *values[PAIRS_DATASETS_MAX] = {NULL};
    status_t st = ST_OK;

    height = height < 1 ? 1 : height > side ? side : height;
    for (int d = 0; d < PAIRS_DATASETS_MAX; d++)
        if ((values[d] = malloc((size_t)(height * n_columns) * sizeof(int32_t) + 1)) ==
            NULL)
            st = log_nomem("a strip of the matrix");
    for (int64_t row = all->row0; st == ST_OK && row < all->row1;) {
        /* strips end where tiles do: each chunk is then read once */
        int64_t end = height == side ? (row / side + 1) * side : row + height;
        region_t strip = {row, end < all->row1 ? end : all->row1, all->col0, all->col1};

        st = print_strip(f, &strip, id, values);
        row = strip.row1;
    }
    for (int d = 0; d < PAIRS_DATASETS_MAX; d++)
        free(values[d]);
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
    if (a.id.denominator != 0 && pairs_n_datasets(f) == 1)
        st = options_misuse(&cmd_view, "--id: %s holds scores alone", words[0]);
    if (st == ST_OK)
        st = parse_region(a.region, pairs_grid(f)->n, &region);
    if (st == ST_OK && !a.no_header)
        printf(pairs_n_datasets(f) == 1
                   ? "query\ttarget\tscore\n"
                   : "query\ttarget\tscore\tmatches\tcolumns\tidentity\n");
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
        "NA\nwhere the sequences overlap too little).\n",
    .example = "ribogrid view pairs.h5 --id 0.97 --region 1-100 > close.tsv",
    .n_words_least = 1,
    .n_words_most = 1,
    .run = run,
};
