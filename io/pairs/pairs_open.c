/*
 * pairs_open.c - opening a result file: the format and n x n matrices are checked here,
 * hits in pairs_open_hits.c.
 */
#include "io/pairs/pairs_file.h"

#include "io/base/logmsg.h"
#include "io/base/texts.h"
#include "io/hdf5/h5check.h"
#include "io/hdf5/h5text.h"
#include "io/pairs/pairs_state.h"
#include "io/seq/cigar.h"
#include "io/store/reslog.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Log what a file is instead. */
static status_t refuse_format(const pairs_file_t *f)
{
    char *format = h5text_get(f->h5->file, "format");
    bool is_groups = format != NULL && strcmp(format, "ribogrid-groups") == 0;
    bool is_graph = format != NULL && strncmp(format, "ribogrid-graph", 14) == 0;

    free(format);
    if (is_groups)
        return pairs_refuse(f->path, "OTUs that `ribogrid cluster` wrote, not pairs");
    if (is_graph)
        return pairs_refuse(f->path, "a file that `ribogrid graph` wrote, not pairs");
    return pairs_refuse(f->path, "an HDF5 file, but not a ribogrid result");
}

static status_t check_format(const pairs_file_t *f)
{
    int64_t version;

    return h5text_get_format(f->h5->file, PAIRS_FORMAT, &version)
               ? h5text_check_version(f->path, version, PAIRS_VERSION_MAJOR)
               : refuse_format(f);
}

static status_t open_matrix(pairs_file_t *f, const char *name, hid_t type,
                            const void *fill, h5data_t **out)
{
    *out = h5data_open(f->h5->file, name,
                       &(h5data_want_t){.rank = 2,
                                        .memory_type = type,
                                        .is_triangle = true,
                                        .fill = fill});
    return *out != NULL ? ST_OK : ST_EINPUT;
}

static status_t refuse_shapes(const pairs_file_t *f)
{
    return pairs_refuse(f->path, "its datasets differ in their numbers of sequences");
}

static status_t open_cigars(pairs_file_t *f)
{
    const int64_t fill = 0;
    status_t st =
        open_matrix(f, "/cigar_offset", H5T_NATIVE_INT64, &fill, &f->h5->cigar_offset);

    if (st != ST_OK || (f->h5->cigar = pairs_open_text(f)) == NULL)
        return ST_EINPUT;
    return f->h5->cigar_offset->rows == f->grid.n ? ST_OK : refuse_shapes(f);
}

static status_t open_matrices(pairs_file_t *f)
{
    for (int d = 0; d < PAIRS_DATASETS_MAX; d++) {
        const char *name = pairs_dataset_name[d];

        if (!h5check_exists(f->h5->file, name))
            break;
        if (open_matrix(f, name, H5T_NATIVE_INT32, &pairs_fill[d], &f->h5->dataset[d]) !=
            ST_OK)
            return ST_EINPUT;
        if (d == 0)
            f->grid.n = f->h5->dataset[d]->rows;
        else if (f->h5->dataset[d]->rows != f->grid.n)
            return refuse_shapes(f);
        f->n_datasets = d + 1;
    }
    if (f->n_datasets == PAIRS_N_CIGAR)
        return open_cigars(f);
    if (f->n_datasets != PAIRS_N_SCORE && f->n_datasets != PAIRS_N_IDENTITY)
        return pairs_refuse(f->path, "a dataset is missing");
    return ST_OK;
}

static status_t open_dense(pairs_file_t *f)
{
    int64_t side = 0;
    status_t st = open_matrices(f);

    if (st != ST_OK)
        return st;
    if (!h5util_get_int(f->h5->file, "tile_side", &side))
        return pairs_refuse(f->path, "an attribute is missing");
    if (side > f->grid.n || side < (f->grid.n > 0) || side > TILE_SIDE_MAX)
        return pairs_refuse(f->path, "its tile_side is out of range");
    f->grid = tile_grid_of(f->grid.n, side);
    return pairs_read_side(f, "sequences", f->grid.n, &f->rows);
}

static status_t open_layout(pairs_file_t *f)
{
    char *layout;
    status_t st = pairs_read_text(f, "layout", &layout);

    if (st != ST_OK)
        return st;
    if (layout != NULL && strcmp(layout, "hits") == 0)
        st = pairs_open_hits(f);
    else if (layout != NULL && strcmp(layout, "dense") != 0)
        st = pairs_refuse(f->path, "its layout is unknown");
    else
        st = open_dense(f);
    free(layout);
    return st;
}

/* Read a text attribute that must be one of n words; a newer word must not be taken for
 * another one. @param out  its index; stays as it is without the attribute
 * @return ST_OK or ST_EINPUT */
static status_t read_word(const pairs_file_t *f, const char *name,
                          const char *const *words, int n, int *out)
{
    char *text;
    status_t st = pairs_read_text(f, name, &text);
    int at = 0;

    if (text == NULL)
        return st;
    while (at < n && strcmp(words[at], text) != 0)
        at++;
    if (at < n)
        *out = at;
    else
        log_error("%s: its %s '%s' is unknown; use a newer ribogrid", f->path, name,
                  text);
    free(text);
    return at < n ? ST_OK : ST_EINPUT;
}

static status_t read_words(pairs_file_t *f)
{
    static const char *const ends_words[] = {"count", "free", "query", "priced", "local"};
    static const char *const units[] = {"0.5"};
    int style = CIGAR_STYLE_M, ends = 0, def = -1, alphabet = ALPHABET_DNA, unit = -1;

    if (read_word(f, "cigar_style", cigar_style_name, 2, &style) != ST_OK ||
        read_word(f, "ends", ends_words, 5, &ends) != ST_OK ||
        read_word(f, "identity_definition", identity_def_name, IDENTITY_DEFS, &def) !=
            ST_OK ||
        read_word(f, "alphabet", alphabet_name, 2, &alphabet) != ST_OK ||
        read_word(f, "score_unit", units, 1, &unit) != ST_OK)
        return ST_EINPUT;
    f->has_runs_of_m = style == CIGAR_STYLE_M;
    f->ends_count = ends == 0;
    f->ends_query = ends == 2;
    f->ends_priced = ends == 3;
    f->ends_local = ends == 4;
    f->identity_def =
        def < 0 ? identity_def_canonical(f->ends_count) : (identity_def_t)def;
    f->alphabet = (alphabet_t)alphabet;
    f->scores_in_halves = unit == 0;
    return ST_OK;
}

static status_t read_sizes(pairs_file_t *f)
{
    int64_t total = 0;

    if (!h5check_exists(f->h5->file, "/sequences/size"))
        return ST_OK;
    f->sizes =
        h5data_get(f->h5->file, "/sequences/size", H5T_NATIVE_INT64, f->rows.n, NULL);
    if (f->sizes == NULL)
        return ST_EINPUT;
    for (int64_t i = 0; i < f->rows.n; i++) {
        if (f->sizes[i] < 1 || f->sizes[i] > PAIRS_TOTAL_MAX - total)
            return pairs_refuse(f->path,
                                "/sequences/size: the abundance of sequence %" PRId64
                                " is %" PRId64 ", below 1 or too large",
                                i + 1, f->sizes[i]);
        total += f->sizes[i];
    }
    return ST_OK;
}

static status_t open_content(pairs_file_t *f)
{
    status_t st;

    if ((st = check_format(f)) != ST_OK || (st = open_layout(f)) != ST_OK)
        return st;
    if (!f->is_against)
        f->cols = f->rows;
    if ((f->job = h5text_get(f->h5->file, "job")) == NULL)
        return pairs_refuse(f->path, "an attribute is missing");
    if ((st = read_words(f)) != ST_OK)
        return st;
    return read_sizes(f);
}

status_t pairs_open(const char *path, pairs_file_t **out)
{
    struct {
        pairs_file_t file;
        pairs_h5_t h5;
    } *block = calloc(1, sizeof(*block));
    pairs_file_t *f = (pairs_file_t *)block;
    status_t st;

    h5util_init();
    if (f == NULL || (f->path = strdup(path)) == NULL) {
        free(f);
        return log_nomem("a result file");
    }
    f->h5 = &block->h5;
    f->h5->file = H5I_INVALID_HID;
    if (reslog_is_log(path)) {
        st = pairs_refuse(path, "the log of an unfinished run, which --resume continues");
    } else {
        f->h5->file = h5check_open_file(path);
        st = f->h5->file >= 0 ? open_content(f) : ST_EINPUT;
    }
    if (st == ST_OK)
        *out = f;
    else
        pairs_close(f);
    return st;
}

static void free_side(pairs_side_t *side)
{
    texts_free(side->names);
    free(side->lengths);
}

void pairs_close(pairs_file_t *f)
{
    if (f == NULL)
        return;
    for (int d = 0; d < PAIRS_DATASETS_MAX; d++)
        h5data_close(f->h5->dataset[d]);
    for (int d = 0; d < PAIRS_HIT_DATASETS; d++)
        h5data_close(f->h5->hit[d]);
    h5data_close(f->h5->cigar);
    h5data_close(f->h5->cigar_offset);
    if (f->h5->file >= 0)
        H5Fclose(f->h5->file);
    free_side(&f->rows);
    if (f->is_against)
        free_side(&f->cols);
    free(f->row_start);
    free(f->sizes);
    free(f->job);
    free(f->path);
    free(f);
}

status_t pairs_read_job(const char *path, buf_t *out)
{
    pairs_file_t *file;
    status_t st = pairs_open(path, &file);

    if (st != ST_OK)
        return st;
    st = buf_append(out, file->job, strlen(file->job));
    pairs_close(file);
    return st;
}
