/*
 * pairs_file.c - what the job of a result file says; its metadata as lines.
 */
#include "io/pairs/pairs_file.h"

#include "io/hdf5/h5text.h"
#include "io/pairs/pairs_format.h"
#include "io/pairs/pairs_state.h"
#include "io/result/result_table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const char *pairs_score_text(const pairs_file_t *file, int32_t score,
                             char text[HALVES_TEXT_BYTES])
{
    return halves_text(file->scores_in_halves ? score : 2 * (int64_t)score, text);
}

const char *pairs_job_value(const pairs_file_t *file, const char *name)
{
    size_t len = strlen(name);

    for (const char *at = file->job; *at != '\0'; at += *at == '\n') {
        if (strncmp(at, name, len) == 0 && at[len] == '=')
            return at + len + 1;
        at += strcspn(at, "\n");
    }
    return NULL;
}

bool pairs_job_number(const pairs_file_t *file, const char *name, int64_t *value)
{
    const char *text = pairs_job_value(file, name);
    char *end;

    if (text == NULL)
        return false;
    *value = strtoll(text, &end, 10);
    return end > text && (*end == '\n' || *end == '\0') &&
           *value >= -PAIRS_JOB_SCORE_MAX && *value <= PAIRS_JOB_SCORE_MAX;
}

bool pairs_any_overlap(const pairs_file_t *file)
{
    const char *value = pairs_job_value(file, "min_overlap");

    return value != NULL && strncmp(value, "0/", 2) == 0;
}

bool pairs_has_centroids(const pairs_file_t *file, const char *order)
{
    const char *value = pairs_job_value(file, PAIRS_JOB_CENTROIDS);
    const size_t len = value != NULL ? strcspn(value, "\n") : 0;

    return value != NULL &&
           (order == NULL || (strlen(order) == len && strncmp(value, order, len) == 0));
}

/* ---- names and fill values of a result file's datasets ---- */

const char *const pairs_dataset_name[PAIRS_DATASETS_MAX] = {"score", "matches", "columns",
                                                            "cigar_length"};
const int32_t pairs_fill[PAIRS_DATASETS_MAX] = {INT32_MIN, 0, 0, 0};

const char *const pairs_hit_name[PAIRS_HIT_DATASETS] = {"row",     "col",     "score",
                                                        "matches", "columns", "strand"};

/* ---- printing the metadata of a result file ---- */

/* Print a root attribute if it is there and a text. */
static void describe_text(const pairs_file_t *f, const char *name, FILE *to)
{
    char *text = h5text_get(f->h5->file, name);

    if (text != NULL)
        run_info_print_line("file", name, text, to);
    free(text);
}

static int64_t stored_bytes(const pairs_file_t *f)
{
    int64_t stored = 0;

    for (int d = 0; d < PAIRS_DATASETS_MAX; d++)
        if (f->h5->dataset[d] != NULL)
            stored += h5data_stored_bytes(f->h5->dataset[d]);
    for (int d = 0; d < PAIRS_HIT_DATASETS; d++)
        if (f->h5->hit[d] != NULL)
            stored += h5data_stored_bytes(f->h5->hit[d]);
    if (f->n_datasets == PAIRS_N_CIGAR)
        stored +=
            h5data_stored_bytes(f->h5->cigar) + h5data_stored_bytes(f->h5->cigar_offset);
    return stored;
}

static void describe_pairs(const pairs_file_t *f, FILE *to)
{
    int64_t n = f->rows.n;

    if (f->is_sparse)
        fprintf(to, "file\tlayout\thits\n");
    fprintf(to, "file\tsequences\t%" PRId64 "\n", n);
    if (f->is_against)
        fprintf(to, "file\treferences\t%" PRId64 "\n", f->cols.n);
    fprintf(to, "file\tpairs\t%" PRId64 "\n",
            f->is_against ? n * f->cols.n : n * (n - 1) / 2);
    if (f->is_sparse)
        fprintf(to, "file\thits\t%" PRId64 "\n", f->n_hits);
    fprintf(to, "file\tdatasets\t%s%s%s\n",
            f->n_datasets == PAIRS_N_SCORE ? "score" : "score matches columns",
            f->has_strand ? " strand" : "",
            f->n_datasets == PAIRS_N_CIGAR ? " cigar" : "");
}

status_t pairs_describe(const pairs_file_t *f, FILE *to)
{
    h5text_print_format(f->h5->file, to);
    describe_pairs(f, to);
    describe_text(f, "alphabet", to);
    if (f->n_datasets != PAIRS_N_SCORE) {
        describe_text(f, "identity", to);
        describe_text(f, "identity_definition", to);
    }
    describe_text(f, "min_identity", to);
    if (f->top > 0)
        fprintf(to, "file\ttop\t%" PRId64 "\n", f->top);
    describe_text(f, "cigar_style", to);
    describe_text(f, "score_unit", to);
    if (!f->is_sparse)
        fprintf(to, "file\ttile\t%" PRId64 " x %" PRId64 "\n", f->grid.side,
                f->grid.side);
    fprintf(to, "file\tstored_bytes\t%" PRId64 "\n", stored_bytes(f));
    run_info_print_job(f->job, to);
    return run_info_print_open(f->h5->file, to);
}
