/*
 * time_table.c - prints tables of times, and reads them by the names of their columns.
 */
#include "tools/cnn/cnn_times.h"

#include "io/base/logmsg.h"
#include "io/file/lines.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIELDS_MAX = 64 };

const char time_all[] = "all", time_training[] = "training";

static const char *const names[TIME_N_COLUMNS] = {
    [TIME_NET] = "net",
    [TIME_KERNEL] = "kernel",
    [TIME_TYPE] = "type",
    [TIME_BATCH] = "batch",
    [TIME_LAYERS] = "layers",
    [TIME_MIN_S] = "min_s",
    [TIME_MEDIAN_S] = "median_s",
    [TIME_MAX_S] = "max_s",
    [TIME_IMAGES_PER_S] = "images_per_s",
    [TIME_GFLOPS] = "GFLOPS",
    [TIME_GPU_MJ] = "gpu_mJ",
    [TIME_GPU_MJ_ABOVE_IDLE] = "gpu_mJ_above_idle",
    [TIME_GPU_W] = "gpu_W",
    [TIME_GPU_SPREAD] = "gpu_spread_percent",
    [TIME_CPU_MJ] = "cpu_mJ",
    [TIME_CPU_IDLE] = "cpu_idle_percent",
    [TIME_LOCKED_MHZ] = "locked_MHz",
    [TIME_GPU_MHZ] = "gpu_MHz",
    [TIME_GB_PER_S] = "GB_per_s",
};

typedef struct {
    lines_t *lines;
    const char *path;
    time_table_t *table;
    int column[FIELDS_MAX]; /* of each field; TIME_N_COLUMNS: unknown */
    int n_fields;           /* 0: the header is not read yet */
} reader_t;

/* Cut a line at its tabs. @return the number of fields, FIELDS_MAX + 1 if they are more
 */
static int split(char *line, char *fields[FIELDS_MAX])
{
    int n = 0;

    for (char *at = line; at != NULL;) {
        char *tab = strchr(at, '\t');

        if (n == FIELDS_MAX)
            return FIELDS_MAX + 1;
        fields[n++] = at;
        if (tab != NULL)
            *tab++ = '\0';
        at = tab;
    }
    return n;
}

static status_t read_header(reader_t *r, char *line)
{
    char *fields[FIELDS_MAX];
    const int n = split(line, fields);
    bool has[TIME_N_COLUMNS] = {false};

    if (n > FIELDS_MAX)
        return lines_refuse(r->lines, "more than %d columns", FIELDS_MAX);
    for (int f = 0; f < n; f++) {
        int c = 0;

        while (c < TIME_N_COLUMNS && strcmp(fields[f], names[c]) != 0)
            c++;
        r->column[f] = c;
        if (c < TIME_N_COLUMNS)
            has[c] = true;
    }
    for (int c = 0; c <= TIME_IMAGES_PER_S; c++)
        if (!has[c])
            return lines_refuse(r->lines,
                                "there is no column '%s'; give a table as `ribogrid cnn "
                                "time` prints it",
                                names[c]);
    r->n_fields = n;
    return ST_OK;
}

static void free_row(time_row_t *row)
{
    for (int c = 0; c < TIME_N_WORDS; c++)
        free(row->word[c]);
}

static status_t read_field(reader_t *r, int column, const char *text, time_row_t *row)
{
    char *end;

    if (column == TIME_N_COLUMNS)
        return ST_OK;
    if (column < TIME_N_WORDS) {
        free(row->word[column]); /* of a column that is there twice */
        if ((row->word[column] = strdup(text)) == NULL)
            return log_nomem("a table of times");
    }
    if (column < TIME_BATCH || column == TIME_LAYERS || strcmp(text, "NA") == 0)
        return ST_OK;
    row->value[column] = strtod(text, &end);
    if (end != text && *end == '\0' && isfinite(row->value[column]))
        return ST_OK;
    return lines_refuse(r->lines, "%s is '%s'; give a number or NA", names[column], text);
}

static status_t append(time_table_t *t, const time_row_t *row)
{
    time_row_t *rows = realloc(t->rows, (size_t)(t->n + 1) * sizeof(*rows));

    if (rows == NULL)
        return log_nomem("a table of times");
    t->rows = rows;
    t->rows[t->n++] = *row;
    return ST_OK;
}

static status_t read_row(reader_t *r, char *line)
{
    char *fields[FIELDS_MAX];
    time_row_t row = {.word = {NULL}};
    const int n = split(line, fields);
    status_t st = ST_OK;

    if (n != r->n_fields)
        return lines_refuse(r->lines, "%d columns, but the header has %d", n,
                            r->n_fields);
    for (int c = 0; c < TIME_N_COLUMNS; c++)
        row.value[c] = NAN;
    for (int f = 0; st == ST_OK && f < n; f++)
        st = read_field(r, r->column[f], fields[f], &row);
    if (st == ST_OK && !(row.value[TIME_BATCH] >= 1 && row.value[TIME_MEDIAN_S] > 0 &&
                         row.value[TIME_IMAGES_PER_S] > 0))
        st = lines_refuse(r->lines, "batch, seconds and images per second must be above "
                                    "0");
    if (st == ST_OK)
        st = append(r->table, &row);
    if (st != ST_OK)
        free_row(&row);
    return st;
}

/* Tables that were joined have several headers. */
static bool begins_header(const char *line)
{
    static const char begin[] = "net\tkernel\t";

    return strncmp(line, begin, strlen(begin)) == 0;
}

static status_t read_line(reader_t *r, char *line)
{
    if (line[0] == '\0')
        return ST_OK;
    if (line[0] == '#')
        return buf_printf(&r->table->notes, "run\t%s\t%s\n", r->path,
                          line + 1 + strspn(line + 1, " "));
    return r->n_fields == 0 || begins_header(line) ? read_header(r, line)
                                                   : read_row(r, line);
}

status_t time_table_read(const char *path, time_table_t *table, bool *is_table)
{
    reader_t r = {.path = path, .table = table};
    char *line = NULL;
    status_t st = lines_open(path, &r.lines);

    if (st != ST_OK)
        return st;
    if ((st = lines_next(r.lines, &line)) == ST_OK) {
        *is_table = line != NULL && (line[0] == '#' || begins_header(line));
        while (st == ST_OK && *is_table && line != NULL)
            if ((st = read_line(&r, line)) == ST_OK)
                st = lines_next(r.lines, &line);
        if (st == ST_OK && *is_table && r.n_fields == 0)
            st = lines_refuse(r.lines, "the header is missing; give a table as "
                                       "`ribogrid cnn time` prints it");
    }
    lines_close(r.lines);
    return st;
}

void time_table_free(time_table_t *t)
{
    for (int i = 0; i < t->n; i++)
        free_row(&t->rows[i]);
    free(t->rows);
    buf_free(&t->notes);
    *t = (time_table_t){.n = 0};
}

/* ---- printing ---- */

void time_print_header(FILE *to)
{
    for (int c = 0; c < TIME_N_COLUMNS; c++)
        fprintf(to, "%s%s", c > 0 ? "\t" : "", names[c]);
    fputc('\n', to);
}

static void print_value(FILE *to, double value, const char *format)
{
    fputc('\t', to);
    if (isnan(value))
        fputs("NA", to);
    else
        fprintf(to, format, value);
}

void time_print_line(FILE *to, const time_print_case_t *c, const time_run_t *t,
                     int n_windows, double idle_w)
{
    const double s = t->seconds[n_windows / 2], images = (double)c->batch;

    fprintf(to, "%s\t%s\t%s\t%" PRId64 "\t%s\t%.4e\t%.4e\t%.4e\t%.1f\t%.2f", c->net,
            c->kernel, c->type, c->batch, t->layers, t->seconds[0], s,
            t->seconds[n_windows - 1], images / s, t->flops / s * 1e-9);
    print_value(to, 1e3 * t->gpu_j / images, "%.3f");
    print_value(to, 1e3 * (t->gpu_j - idle_w * s) / images, "%.3f");
    print_value(to, t->gpu_j / s, "%.1f");
    print_value(to, 100 * t->gpu_spread, "%.1f");
    print_value(to, 1e3 * t->cpu_j / images, "%.3f");
    print_value(to, 100 * t->cpu_idle, "%.1f");
    print_value(to, c->locked_mhz, "%.0f");
    print_value(to, t->gpu_mhz, "%.0f");
    print_value(to, t->bytes / s * 1e-9, "%.4g");
    fputc('\n', to);
    fflush(to);
}
