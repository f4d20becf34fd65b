/*
 * ihist_file.c - writes and reads integral histograms of images.
 */
#include "io/ihist/ihist_file.h"

#include "io/base/integral.h"
#include "io/hdf5/h5util.h"
#include "io/images/image_read.h"
#include "io/result/result_table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { VALUES = 1 };

static const result_dim_t dims[RESULT_DIMS_MAX] = {
    [VALUES] = {"v", "a value", "values", 0},
};

#define AT(member) .at = offsetof(ihist_head_t, member)

static const result_field_t fields[] = {
    {.name = "@frames",
     .type = RESULT_INT,
     AT(n_frames),
     .check = {RESULT_WITHIN, 1, 1LL << 40, 0},
     .meaning = "images, all of one size"},
    {.name = "@height",
     .type = RESULT_INT,
     AT(height),
     .check = {RESULT_WITHIN, 1, IMAGE_SIDE_MAX, 0},
     .unit = "pixels",
     .meaning = "of an image"},
    {.name = "@width",
     .type = RESULT_INT,
     AT(width),
     .check = {RESULT_WITHIN, 1, IMAGE_SIDE_MAX, 0},
     .unit = "pixels",
     .meaning = "of an image"},
    {.name = "@bins",
     .type = RESULT_INT,
     AT(n_bins),
     .check = {RESULT_WITHIN, 1, IHIST_FILE_BINS_MAX, 0},
     .meaning = "b: a pixel of value v is in bin v b / 256, rounded down"},
    {.name = "@tile_side",
     .type = RESULT_INT,
     AT(side),
     .check = {RESULT_WITHIN, 1, IHIST_FILE_SIDE_MAX, 0},
     .unit = "pixels",
     .meaning = "s: a frame is padded to tiles of s x s pixels"},
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
     .unit = "pixels",
     .meaning = "frame by frame, tile by tile (row by row), and in a tile pixel by pixel "
                "(row by row), b values: the pixels above and left of it, itself "
                "included, by bins; a tile is a chunk; in 32 bits where the pixels of a "
                "frame fit"},
    {.name = NULL},
};

const result_kind_t ihist_file_kind = {
    .title = "Integral histograms of images",
    .maker = "ribogrid ihist",
    .format = "ribogrid-ihist",
    .major = 1,
    .minor = 0,
    .what = "a result of `ribogrid ihist`",
    .dims = dims,
    .tables = {fields, value_fields},
    .more =
        "Padding is of no bin: behind the last column and below the last row, numbers "
        "are those of the last pixels.",
};

static int64_t n_values(const ihist_head_t *h)
{
    return h->n_frames * ihist_head_tiles(h) * ihist_head_values(h);
}

/* ---- writing ---- */

struct ihist_writer {
    h5whole_t to;
    h5stream_t values;
};

static bool begin(ihist_writer_t *w, const ihist_head_t *head, bool is_wide)
{
    return result_write_format(w->to.file, &ihist_file_kind) &&
           run_info_write(w->to.file, &head->info) &&
           result_write(w->to.file, fields, head, (int64_t[RESULT_DIMS_MAX]){0}, NULL) &&
           h5stream_begin(w->to.file, "integral",
                          result_field_file_type(is_wide ? RESULT_INT64 : RESULT_INT32),
                          ihist_head_values(head), n_values(head), DEFLATE_NUMBERS, NULL,
                          &w->values);
}

status_t ihist_writer_open(const char *path, bool force, const ihist_head_t *head,
                           bool is_wide, ihist_writer_t **out)
{
    ihist_writer_t *w = calloc(1, sizeof(*w));
    status_t st;

    if (w == NULL)
        return log_nomem("an integral histogram");
    if ((st = h5whole_open(path, force, &w->to)) != ST_OK) {
        free(w);
        return st;
    }
    if ((st = h5whole_check(&w->to, begin(w, head, is_wide))) != ST_OK)
        return ihist_writer_close(w, st);
    *out = w;
    return ST_OK;
}

status_t ihist_writer_add(ihist_writer_t *w, const unsigned char *chunk, uint32_t len)
{
    return h5whole_check(&w->to, h5stream_append_packed(&w->values, chunk, len));
}

status_t ihist_writer_close(ihist_writer_t *w, status_t st)
{
    const bool good = h5stream_end(&w->values);

    if (st == ST_OK)
        st = h5whole_check(&w->to, good);
    st = h5whole_close(&w->to, st);
    free(w);
    return st;
}

/* ---- reading ---- */

struct ihist_file {
    result_reader_t file;
    ihist_head_t head;
    h5data_t *values;
    int64_t *cells; /* [n_bins] */
    int64_t frame;  /* that is read */
};

static status_t check(ihist_file_t *f)
{
    const ihist_head_t *h = &f->head;

    if (f->file.n[VALUES] != n_values(h))
        return result_refuse(&f->file,
                             "/integral has another length than that of its frames");
    f->cells = malloc((size_t)h->n_bins * sizeof(*f->cells));
    return f->cells != NULL ? ST_OK : log_nomem("an integral histogram");
}

status_t ihist_file_open(const char *path, ihist_file_t **out, const ihist_head_t **head)
{
    ihist_file_t *f = calloc(1, sizeof(*f));
    status_t st;

    if (f == NULL)
        return log_nomem("an integral histogram");
    if ((st = result_read_open(path, &ihist_file_kind, &f->file)) == ST_OK &&
        (st = run_info_read(&f->file, &f->head.info)) == ST_OK &&
        (st = result_read(&f->file, fields, &f->head)) == ST_OK &&
        (st = result_open_pieces(&f->file, value_fields, &f->values)) == ST_OK)
        st = check(f);
    if (st != ST_OK) {
        ihist_file_close(f);
        return st;
    }
    *out = f;
    *head = &f->head;
    return ST_OK;
}

/* integral_read_t: the first rows and columns of a frame. */
static status_t read_cell(void *file, int64_t rows, int64_t columns, int64_t *out)
{
    ihist_file_t *f = file;
    const ihist_head_t *h = &f->head;
    const int64_t y = rows - 1, x = columns - 1, side = h->side;
    const int64_t tile =
        f->frame * ihist_head_tiles(h) + y / side * ihist_head_across(h) + x / side;

    if (rows > 0 && columns > 0)
        return result_read_piece(&f->file, value_fields, f->values,
                                 tile * ihist_head_values(h) +
                                     (y % side * side + x % side) * h->n_bins,
                                 h->n_bins, out);
    memset(out, 0, (size_t)h->n_bins * sizeof(*out));
    return ST_OK;
}

status_t ihist_file_count(ihist_file_t *f, int64_t frame, const int64_t x[2],
                          const int64_t y[2], int64_t *count)
{
    int64_t n_left = (x[1] - x[0]) * (y[1] - y[0]);
    bool is_possible = true;
    status_t st;

    f->frame = frame;
    st = integral_rectangle(read_cell, f, y, x, f->head.n_bins, f->cells, count);
    if (st != ST_OK)
        return st;
    for (int64_t k = 0; k < f->head.n_bins; k++) {
        is_possible = is_possible && count[k] >= 0 && count[k] <= n_left;
        n_left -= is_possible ? count[k] : 0;
    }
    return is_possible && n_left == 0
               ? ST_OK
               : result_refuse(&f->file, "/integral counts pixels that do not exist");
}

void ihist_file_close(ihist_file_t *f)
{
    if (f == NULL)
        return;
    h5data_close(f->values);
    result_read_close(&f->file);
    run_info_free(&f->head.info);
    f->head.info = (run_info_t){.program = NULL};
    result_free(fields, &f->head);
    free(f->cells);
    free(f);
}
