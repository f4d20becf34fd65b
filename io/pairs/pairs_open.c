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
    char *format = h5text_get(f->file, "format");
    bool is_groups = format != NULL && strcmp(format, "ribogrid-groups") == 0;
    bool is_graph = format != NULL && strncmp(format, "ribogrid-graph", 14) == 0;

    free(format);
    if (is_groups)
        return pairs_refuse(f->path, "OTUs that `ribogrid cluster` wrote, not pairs");
    if (is_graph)
        return pairs_refuse(f->path, "a file that `ribogrid graph` wrote, not pairs");
    return pairs_refuse(f->path, "an HDF5 file, but not a ribogrid result");
}

static status_t check_format(pairs_file_t *f)
{
    return h5text_get_format(f->file, PAIRS_FORMAT, &f->version)
               ? h5text_check_version(f->path, f->version, PAIRS_VERSION_MAJOR)
               : refuse_format(f);
}

static status_t open_matrix(pairs_file_t *f, const char *name, hid_t type,
                            const void *fill, h5data_t **out)
{
    *out = h5data_open(f->file, name,
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
        open_matrix(f, "/cigar_offset", H5T_NATIVE_INT64, &fill, &f->cigar_offset);

    if (st != ST_OK || (f->cigar = pairs_open_text(f)) == NULL)
        return ST_EINPUT;
    return h5data_rows(f->cigar_offset) == f->grid.n ? ST_OK : refuse_shapes(f);
}

static status_t open_matrices(pairs_file_t *f)
{
    for (int d = 0; d < PAIRS_DATASETS_MAX; d++) {
        const char *name = pairs_dataset_name[d];

        if (!h5check_exists(f->file, name))
            break;
        if (open_matrix(f, name, H5T_NATIVE_INT32, &pairs_fill[d], &f->dataset[d]) !=
            ST_OK)
            return ST_EINPUT;
        if (d == 0)
            f->grid.n = h5data_rows(f->dataset[d]);
        else if (h5data_rows(f->dataset[d]) != f->grid.n)
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
    if (!h5util_get_int(f->file, "tile_side", &side))
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

/* @return whether a text is absent or one of n others */
static bool is_one_of(const char *text, const char *const *allowed, int n)
{
    bool good = text == NULL;

    for (int i = 0; !good && i < n; i++)
        good = strcmp(text, allowed[i]) == 0;
    return good;
}

static status_t refuse_unknown(const pairs_file_t *f, const char *attribute,
                               const char *value)
{
    log_error("%s: its %s '%s' is unknown; use a newer ribogrid", f->path, attribute,
              value);
    return ST_EINPUT;
}

static status_t read_ends(pairs_file_t *f)
{
    static const char *const known[] = {"free", "count", "query", "priced", "local"};
    char *ends;
    status_t st = pairs_read_text(f, "ends", &ends);

    if (st == ST_OK && !is_one_of(ends, known, 5))
        st = refuse_unknown(f, "ends", ends);
    f->ends_query = ends != NULL && strcmp(ends, "query") == 0;
    f->ends_priced = ends != NULL && strcmp(ends, "priced") == 0;
    f->ends_local = ends != NULL && strcmp(ends, "local") == 0;
    f->ends_count = !f->ends_query && !f->ends_priced && !f->ends_local &&
                    (ends == NULL || strcmp(ends, "free") != 0);
    free(ends);
    return st;
}

static status_t read_alphabet(pairs_file_t *f)
{
    char *name;
    status_t st = pairs_read_text(f, "alphabet", &name);

    if (st == ST_OK && !is_one_of(name, alphabet_name, 2))
        st = refuse_unknown(f, "alphabet", name);
    f->alphabet = name != NULL && strcmp(name, alphabet_name[ALPHABET_PROTEIN]) == 0
                      ? ALPHABET_PROTEIN
                      : ALPHABET_DNA;
    free(name);
    return st;
}

/* An unknown definition is refused: it must not be taken for another one. */
static status_t read_identity_def(pairs_file_t *f)
{
    char *name;
    status_t st = pairs_read_text(f, "identity_definition", &name);

    f->identity_def = identity_def_canonical(f->ends_count);
    if (name != NULL && !identity_def_find(name, &f->identity_def))
        st = refuse_unknown(f, "identity_definition", name);
    free(name);
    return st;
}

static status_t read_cigar_style(pairs_file_t *f)
{
    status_t st = pairs_read_text(f, "cigar_style", &f->cigar_style);

    if (st == ST_OK && !is_one_of(f->cigar_style, cigar_style_name, 2))
        st = refuse_unknown(f, "cigar_style", f->cigar_style);
    return st;
}

static status_t read_score_unit(pairs_file_t *f)
{
    static const char *const units[] = {"0.5"};
    char *unit;
    status_t st = pairs_read_text(f, "score_unit", &unit);

    if (st == ST_OK && !is_one_of(unit, units, 1))
        st = refuse_unknown(f, "score_unit", unit);
    f->scores_in_halves = unit != NULL;
    free(unit);
    return st;
}

static status_t read_sizes(pairs_file_t *f)
{
    int64_t total = 0;

    if (!h5check_exists(f->file, "/sequences/size"))
        return ST_OK;
    f->sizes = h5data_get(f->file, "/sequences/size", H5T_NATIVE_INT64, f->rows.n, NULL);
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
    if ((f->job = h5text_get(f->file, "job")) == NULL)
        return pairs_refuse(f->path, "an attribute is missing");
    if ((st = read_cigar_style(f)) != ST_OK || (st = read_ends(f)) != ST_OK ||
        (st = read_identity_def(f)) != ST_OK || (st = read_alphabet(f)) != ST_OK ||
        (st = read_score_unit(f)) != ST_OK)
        return st;
    return read_sizes(f);
}

status_t pairs_open(const char *path, pairs_file_t **out)
{
    pairs_file_t *f = calloc(1, sizeof(*f));
    status_t st;

    h5util_init();
    if (f == NULL || (f->path = strdup(path)) == NULL) {
        free(f);
        return log_nomem("a result file");
    }
    if (reslog_is_log(path)) {
        st = pairs_refuse(path, "the log of an unfinished run, which --resume continues");
    } else {
        f->file = h5check_open_file(path);
        st = f->file >= 0 ? open_content(f) : ST_EINPUT;
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
        h5data_close(f->dataset[d]);
    for (int d = 0; d < PAIRS_HIT_DATASETS; d++)
        h5data_close(f->hit[d]);
    h5data_close(f->cigar);
    h5data_close(f->cigar_offset);
    if (f->file >= 0)
        H5Fclose(f->file);
    free_side(&f->rows);
    free_side(&f->references);
    free(f->row_start);
    free(f->sizes);
    free(f->job);
    free(f->cigar_style);
    free(f->path);
    free(f);
}
