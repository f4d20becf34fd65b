/*
 * job_clades_input.c - the plan, which rank 0 reads and sends to the other ranks, and the
 * pairs, which every rank reads.
 */
#include "worker/clades/job_clades_state.h"

#include "io/base/logmsg.h"
#include "io/file/memfd_stream.h"
#include "io/pairs/write/pairs_tiles.h"

#include <stdlib.h>
#include <string.h>

ARRAY_COUNT(count_n, clades_input_t, o->plan.n)

static const array_t input_rows[] = {ARRAY_MEMBER(clades_input_t, plan, &clades_arrays),
                                     ARRAY_VALUE(clades_input_t, n_rows, ARRAY_INT64),
                                     ARRAY_VALUE(clades_input_t, n_cols, ARRAY_INT64),
                                     ARRAY_VALUE(clades_input_t, is_list, ARRAY_INT64),
                                     ARRAY_VALUE(clades_input_t, is_mbl, ARRAY_INT64),
                                     ARRAY_OF(clades_input_t, lengths, ARRAY_INT32,
                                              count_n),
                                     ARRAYS_END};

static const arrays_t input_arrays = {"taxa", sizeof(clades_input_t), input_rows, NULL};

/* ---- reading ---- */

/* Set what rectangles are, and take over what their pairs are checked by. */
static void set_tasks(pairs_file_t *f, clades_input_t *in)
{
    const int64_t n = f->rows.n, side = f->grid.side;

    in->is_list = f->is_sparse;
    in->is_mbl = f->identity_def == IDENTITY_MBL;
    in->lengths = f->rows.lengths;
    f->rows.lengths = NULL;
    if (f->is_sparse) {
        in->n_rows = JOB_CLADES_PAIRS / n > 1 ? JOB_CLADES_PAIRS / n : 1;
        return;
    }
    in->n_rows = side;
    in->n_cols = (JOB_CLADES_PAIRS / side + side - 1) / side * side;
}

static status_t read_plan(const clades_opts_t *o, clades_input_t *out)
{
    pairs_file_t *file = NULL;
    taxonomy_t *taxonomy = NULL;
    clades_input_t in = {.n_rows = 0};
    status_t st = pairs_open(o->input, &file);

    if (st == ST_OK && (st = clades_check_pairs(file)) == ST_OK &&
        (st = taxonomy_read(o->taxonomy, &taxonomy)) == ST_OK)
        st = clades_plan_make(file, taxonomy, o->taxonomy, &o->cuts, o->n_bins, &in.plan);
    if (st == ST_OK) {
        set_tasks(file, &in);
        *out = in;
    }
    taxonomy_destroy(taxonomy);
    pairs_close(file);
    return st;
}

/* Open the file, which may be a copy on this rank's machine, unless it is open. */
static status_t open_pairs(const clades_opts_t *o, uint64_t digest, pairs_file_t **file)
{
    status_t st = *file == NULL ? pairs_open(o->input, file) : ST_OK;

    if (st == ST_OK && clades_digest(*file) != digest)
        st = log_refusal(o->input, "give all ranks the same file",
                         "it has other pairs than that of rank 0");
    return st;
}

static status_t append_pairs(const pairs_hit_t *hits, int64_t n, buf_t *out)
{
    clades_pair_t *to;
    status_t st = buf_reserve(out, (size_t)n * sizeof(*to));

    if (st != ST_OK)
        return st;
    to = (clades_pair_t *)(void *)(out->data + out->len);
    for (int64_t k = 0; k < n; k++)
        if (hits[k].columns > 0 && hits[k].row < hits[k].col)
            *to++ = (clades_pair_t){hits[k].row, hits[k].col, hits[k].matches,
                                    hits[k].columns};
    out->len = (size_t)((unsigned char *)to - out->data);
    return ST_OK;
}

static status_t read_hits(const pairs_file_t *file, const pairs_region_t *r, buf_t *out)
{
    const pairs_hit_t *hits;
    pairs_scan_t *scan = NULL;
    int64_t n = 1;
    status_t st = pairs_scan_open_region(file, NULL, r, &scan);

    while (st == ST_OK && n > 0)
        if ((st = pairs_scan_next(scan, &hits, &n)) == ST_OK)
            st = append_pairs(hits, n, out);
    pairs_scan_close(scan);
    return st;
}

/* @return the number of a rectangle's first tile, and of tiles, which are in one row */
static int64_t first_tile(const tile_grid_t *grid, const pairs_region_t *r, int64_t *n)
{
    const int64_t row = r->row0 / grid->side;

    *n = (r->col1 - r->col0 + grid->side - 1) / grid->side;
    return tile_row_start(grid, row) + r->col0 / grid->side - row;
}

static status_t read_region(const pairs_file_t *file, const pairs_region_t *r, buf_t *out)
{
    int64_t first, n;

    out->len = 0;
    if (file->is_sparse)
        return read_hits(file, r, out);
    first = first_tile(&file->grid, r, &n);
    return pairs_tiles_read_numbers(file, first, first + n, out);
}

/* ---- the child ---- */

/* What is asked for. */
typedef struct {
    uint64_t digest;
    pairs_region_t region;
} request_t;

status_t clades_child_answer(const void *opts, int question, buf_t *out)
{
    static pairs_file_t *file; /* the child's, until it ends */
    const clades_opts_t *o = opts;
    clades_input_t in = {.n_rows = 0};
    request_t request;
    status_t st;

    if (question == CLADES_CHILD_PLAN) {
        if ((st = read_plan(o, &in)) == ST_OK)
            st = memfd_stream_put_object(o->stream, &input_arrays, &in);
        arrays_free(&input_arrays, &in);
        return st;
    }
    memcpy(&request, out->data, sizeof(request));
    if ((st = open_pairs(o, request.digest, &file)) == ST_OK)
        st = read_region(file, &request.region, out);
    return st;
}

/* ---- the run ---- */

static status_t fetch_plan(job_clades_t *j)
{
    const clades_opts_t *o = j->opts;

    if (o->common.reader == NULL)
        return read_plan(o, &j->in);
    return memfd_stream_fetch(o->common.reader, CLADES_CHILD_PLAN, o->stream,
                              &input_arrays, &j->in);
}

/* @return the tasks, or only their number if `tasks` is NULL */
static int64_t list_tasks(const clades_input_t *in, pairs_region_t *tasks)
{
    const int64_t n = in->plan.n, width = in->n_cols > 0 ? in->n_cols : n;
    int64_t n_tasks = 0;

    for (int64_t row = 0; row < n; row += in->n_rows) {
        const int64_t end = row + in->n_rows < n ? row + in->n_rows : n;

        for (int64_t col = in->n_cols > 0 ? row : 0; col < n; col += width)
            if (tasks != NULL)
                tasks[n_tasks++] =
                    (pairs_region_t){row, end, col, col + width < n ? col + width : n};
            else
                n_tasks++;
    }
    return n_tasks;
}

status_t job_clades_read(job_clades_t *j, exchange_t *x)
{
    status_t st = exchange_agree(x, x->rank == 0 ? fetch_plan(j) : ST_OK);

    if (st == ST_OK)
        st = exchange_object(x, &input_arrays, &j->in);
    if (st != ST_OK)
        return st;
    j->tasks = malloc((size_t)list_tasks(&j->in, NULL) * sizeof(*j->tasks) + 1);
    st = j->tasks != NULL ? clades_map_make(&j->in.plan, &j->map) : log_nomem("tasks");
    if ((st = exchange_agree(x, st)) == ST_OK)
        j->base.plan.n_tasks = list_tasks(&j->in, j->tasks);
    return st;
}

status_t job_clades_read_pairs(job_clades_t *j, int64_t task, buf_t *out)
{
    const clades_opts_t *o = j->opts;
    const request_t request = {j->in.plan.digest, j->tasks[task]};
    status_t st;

    out->len = 0;
    if (o->common.reader == NULL) {
        if ((st = open_pairs(o, request.digest, &j->file)) == ST_OK)
            st = read_region(j->file, &request.region, out);
        return st;
    }
    if ((st = buf_append(out, &request, sizeof(request))) == ST_OK)
        st = child_fetch(o->common.reader, CLADES_CHILD_PAIRS, out);
    return st;
}

/* ---- counting ---- */

/* Count the rows of a tile. @param matches  of pairs_tiles_next_numbers */
static void count_tile(clades_count_t *count, const tile_t *t, int64_t side,
                       const int32_t *matches)
{
    const int32_t *columns = matches + side * side;

    for (int64_t i = t->row0; i < t->row1; i++) {
        const int64_t first = i < t->col0 ? t->col0 : i + 1;
        const int64_t at = (i - t->row0) * side + first - t->col0;

        if (first < t->col1)
            clades_count_row(count, i, first, t->col1 - first, matches + at,
                             columns + at);
    }
}

static status_t count_tiles(const job_clades_t *j, const pairs_region_t *r,
                            const buf_t *pairs, clades_count_t *count)
{
    const int64_t side = j->in.n_rows;
    const tile_grid_t grid = tile_grid_of(j->in.plan.n, side);
    const pairs_tiles_check_t check = {j->opts->input, j->in.lengths, j->in.is_mbl != 0};
    int32_t *values = malloc((size_t)(side * side) * 3 * sizeof(*values));
    status_t st = values != NULL ? ST_OK : log_nomem("a tile");
    int64_t n, first = first_tile(&grid, r, &n);
    size_t at = 0;

    for (int64_t k = first; st == ST_OK && k < first + n; k++) {
        const tile_t tile = tile_at(&grid, k);

        st = pairs_tiles_next_numbers(&check, pairs, side, &tile, &at, values);
        if (st == ST_OK)
            count_tile(count, &tile, side, values);
    }
    free(values);
    return st;
}

status_t job_clades_count(const job_clades_t *j, int64_t task, const buf_t *pairs,
                          buf_t *out)
{
    const pairs_region_t *r = &j->tasks[task];
    const int64_t n_listed = (int64_t)(pairs->len / sizeof(clades_pair_t));
    const int64_t n =
        j->in.is_list ? n_listed : (r->row1 - r->row0) * (r->col1 - r->col0);
    clades_count_t count;
    status_t st = clades_count_begin(&j->map, r, n, &count);

    if (st != ST_OK)
        return st;
    if (j->in.is_list)
        clades_count_pairs(&count, (const void *)pairs->data, n_listed);
    else
        st = count_tiles(j, r, pairs, &count);
    return clades_count_end(&count, st, out);
}
