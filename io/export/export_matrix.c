/*
 * export_matrix.c - whole rows of the symmetric matrix, from its stored upper triangle.
 */
#include "io/export/export_file.h"

#include "io/base/logmsg.h"
#include "io/pairs/pairs_check.h"
#include "io/pairs/pairs_read.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A pair as it is stored. */
typedef struct {
    int32_t matches, columns;
} cell_t;

/* Rows row0 .. row1-1, columns 0 .. width-1. */
typedef struct {
    const pairs_file_t *file;
    int64_t row0, row1, width, side;
    cell_t *cells;              /* [row][width] */
    int32_t *matches, *columns; /* [side x side] one tile */
} strip_t;

static status_t strip_create(strip_t *s, const pairs_file_t *file, int64_t bytes,
                             int64_t *height)
{
    int64_t n = file->rows.n;
    int64_t rows = bytes / (int64_t)sizeof(cell_t) / (n > 0 ? n : 1);
    size_t tile;

    *s = (strip_t){.file = file, .side = file->grid.side};
    /* halved until it fits: strips then end where tiles do */
    for (*height = s->side; *height > 1 && *height > rows;)
        *height = (*height + 1) / 2;
    tile = (size_t)(s->side * s->side) * sizeof(int32_t);
    s->cells = malloc((size_t)(*height * n) * sizeof(cell_t) + 1);
    s->matches = malloc(tile + 1);
    s->columns = malloc(tile + 1);
    return s->cells != NULL && s->matches != NULL && s->columns != NULL
               ? ST_OK
               : log_nomem("rows of the matrix");
}

static void strip_free(strip_t *s)
{
    free(s->cells);
    free(s->matches);
    free(s->columns);
}

/* Read a rectangle of at most one tile. */
static status_t read_tile(const strip_t *s, int64_t row0, int64_t row1, int64_t col0,
                          int64_t col1)
{
    int64_t width = col1 - col0;
    status_t st = pairs_read(s->file, PAIRS_MATCHES, row0, row1, col0, col1, s->matches);

    if (st == ST_OK)
        st = pairs_read(s->file, PAIRS_COLUMNS, row0, row1, col0, col1, s->columns);
    for (int64_t i = row0, at = 0; st == ST_OK && i < row1; i++, at += width)
        st = pairs_check_row(s->file, i, col0, col1, NULL, s->matches + at,
                             s->columns + at);
    return st;
}

static cell_t *cell_at(const strip_t *s, int64_t row, int64_t col)
{
    return &s->cells[(row - s->row0) * s->width + col];
}

/* Fill columns col0 .. col1-1 right of the diagonal, from the strip's own rows. */
static status_t read_right(const strip_t *s, int64_t col0, int64_t col1)
{
    int64_t at = 0;
    status_t st = read_tile(s, s->row0, s->row1, col0, col1);

    for (int64_t i = s->row0; st == ST_OK && i < s->row1; i++)
        for (int64_t j = col0; j < col1; j++, at++)
            if (j > i)
                *cell_at(s, i, j) = (cell_t){s->matches[at], s->columns[at]};
    return st;
}

/* Fill columns row0 .. row1-1 left of the diagonal, transposed from the rows above. */
static status_t read_above(const strip_t *s, int64_t row0, int64_t row1)
{
    int64_t at = 0;
    status_t st = read_tile(s, row0, row1, s->row0, s->row1);

    for (int64_t i = row0; st == ST_OK && i < row1; i++)
        for (int64_t j = s->row0; j < s->row1; j++, at++)
            if (i < j)
                *cell_at(s, j, i) = (cell_t){s->matches[at], s->columns[at]};
    return st;
}

static status_t strip_read(strip_t *s, int64_t row0, int64_t row1, bool lower)
{
    int64_t n = s->file->rows.n, side = s->side;
    status_t st = ST_OK;

    s->row0 = row0;
    s->row1 = row1;
    s->width = lower ? row1 : n;
    for (int64_t i = 0; st == ST_OK && i < row1; i += side)
        st = read_above(s, i, i + side < row1 ? i + side : row1);
    for (int64_t j = row0 / side * side; st == ST_OK && !lower && j < n; j += side)
        st = read_right(s, j, j + side < n ? j + side : n);
    return st;
}

typedef void (*put_row_fn_t)(const strip_t *s, const export_names_t *names, int64_t row,
                             bool lower, FILE *out);

/* @return how many pairs of a row with earlier ones have no identity */
static int64_t count_missing(const strip_t *s, int64_t row)
{
    int64_t n = 0;

    for (int64_t j = 0; j < row; j++)
        n += cell_at(s, row, j)->columns == 0;
    return n;
}

/* @param n_missing  out: pairs without an identity */
static status_t each_row(const pairs_file_t *file, const export_names_t *names,
                         bool lower, int64_t strip_bytes, put_row_fn_t put_row, FILE *out,
                         int64_t *n_missing)
{
    int64_t n = file->rows.n, height = 1, end;
    strip_t s;
    status_t st = strip_create(&s, file, strip_bytes, &height);

    *n_missing = 0;
    for (int64_t row = 0; st == ST_OK && row < n && !ferror(out); row = end) {
        int64_t tile_end = (row / s.side + 1) * s.side;

        end = row + height < tile_end ? row + height : tile_end;
        end = end < n ? end : n;
        st = strip_read(&s, row, end, lower);
        for (int64_t i = row; st == ST_OK && i < end; i++) {
            put_row(&s, names, i, lower, out);
            *n_missing += count_missing(&s, i);
        }
    }
    strip_free(&s);
    return st;
}

static void put_distances(const strip_t *s, const export_names_t *names, int64_t row,
                          bool lower, FILE *out)
{
    export_names_put(names, s->file->rows.names[row], out);
    for (int64_t j = 0; j < (lower ? row : s->width); j++) {
        const cell_t *c = cell_at(s, row, j);

        putc_unlocked('\t', out);
        if (j == row)
            export_out_fraction(out, 0, 1, EXPORT_DISTANCE_DIGITS);
        else if (c->columns > 0)
            export_out_fraction(out, c->columns - c->matches, c->columns,
                                EXPORT_DISTANCE_DIGITS);
        else
            fputs_unlocked(EXPORT_MATRIX_MISSING, out);
    }
    putc_unlocked('\n', out);
}

status_t export_matrix_phylip(const pairs_file_t *file, const export_names_t *names,
                              bool lower, int64_t strip_bytes, FILE *out)
{
    int64_t n_missing;
    status_t st;

    export_out_int(out, file->rows.n);
    putc_unlocked('\n', out);
    st = each_row(file, names, lower, strip_bytes, put_distances, out, &n_missing);
    if (st == ST_OK && n_missing > 0)
        log_warn("%s: %" PRId64 " pairs have no identity; their distance is written as "
                 "%s",
                 file->path, n_missing, EXPORT_MATRIX_MISSING);
    return st;
}

static void put_identities(const strip_t *s, const export_names_t *names, int64_t row,
                           bool lower, FILE *out)
{
    (void)names;
    (void)lower;
    for (int64_t j = 0; j < s->width; j++) {
        const cell_t *c = cell_at(s, row, j);
        float value = j == row         ? 1.0F
                      : c->columns > 0 ? (float)((double)c->matches / c->columns)
                                       : NAN;

        fwrite_unlocked(&value, 1, sizeof(value), out);
    }
}

/* NumPy Enhancement Proposal 1: magic, version, length of the header, a Python literal
 * padded with blanks so that data starts at a multiple of 64. */
static void put_npy_header(int64_t n, FILE *out)
{
    enum { START = 10, ALIGNMENT = 64 };

    const uint16_t one = 1;
    bool little = *(const unsigned char *)&one == 1;
    char text[2 * ALIGNMENT + 1];
    int len = snprintf(text, sizeof(text),
                       "{'descr': '%cf4', 'fortran_order': False, 'shape': (%" PRId64
                       ", %" PRId64 "), }",
                       little ? '<' : '>', n, n);

    while ((START + len + 1) % ALIGNMENT != 0)
        text[len++] = ' ';
    text[len++] = '\n';
    fwrite_unlocked("\x93NUMPY\x01\x00", 1, 8, out);
    putc_unlocked((char)(len & 255), out);
    putc_unlocked((char)(len >> 8), out);
    fwrite_unlocked(text, 1, (size_t)len, out);
}

status_t export_matrix_npy(const pairs_file_t *file, int64_t strip_bytes, FILE *out)
{
    int64_t n_missing;

    put_npy_header(file->rows.n, out);
    return each_row(file, NULL, false, strip_bytes, put_identities, out, &n_missing);
}
