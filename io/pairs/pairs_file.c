/*
 * pairs_file.c - the accessors of an open result file.
 */
#include "io/pairs/pairs_file.h"

#include "io/pairs/pairs_state.h"

#include <string.h>

const char *pairs_path(const pairs_file_t *file)
{
    return file->path;
}

bool pairs_is_sparse(const pairs_file_t *file)
{
    return file->is_sparse;
}

bool pairs_is_against(const pairs_file_t *file)
{
    return file->is_against;
}

bool pairs_has_strand(const pairs_file_t *file)
{
    return file->hit[PAIRS_HIT_STRAND] != NULL;
}

int64_t pairs_n_hits(const pairs_file_t *file)
{
    return file->n_hits;
}

int64_t pairs_top(const pairs_file_t *file)
{
    return file->top;
}

const int64_t *pairs_row_start(const pairs_file_t *file)
{
    return file->row_start;
}

static const pairs_side_t *columns(const pairs_file_t *file)
{
    return file->is_against ? &file->references : &file->rows;
}

int64_t pairs_n_rows(const pairs_file_t *file)
{
    return file->rows.n;
}

int64_t pairs_n_cols(const pairs_file_t *file)
{
    return columns(file)->n;
}

const tile_grid_t *pairs_grid(const pairs_file_t *file)
{
    return &file->grid;
}

int pairs_n_datasets(const pairs_file_t *file)
{
    return file->n_datasets;
}

const char *pairs_name(const pairs_file_t *file, int64_t i)
{
    return file->rows.names[i];
}

const char *pairs_col_name(const pairs_file_t *file, int64_t j)
{
    return columns(file)->names[j];
}

int64_t pairs_len(const pairs_file_t *file, int64_t i)
{
    return file->rows.lengths[i];
}

int64_t pairs_col_len(const pairs_file_t *file, int64_t j)
{
    return columns(file)->lengths[j];
}

fraction_t pairs_min_identity(const pairs_file_t *file)
{
    return file->min_identity;
}

identity_def_t pairs_identity_def(const pairs_file_t *file)
{
    return file->identity_def;
}

bool pairs_ends_count(const pairs_file_t *file)
{
    return file->ends_count;
}

bool pairs_ends_query(const pairs_file_t *file)
{
    return file->ends_query;
}

bool pairs_ends_priced(const pairs_file_t *file)
{
    return file->ends_priced;
}

bool pairs_ends_local(const pairs_file_t *file)
{
    return file->ends_local;
}

bool pairs_scores_in_halves(const pairs_file_t *file)
{
    return file->scores_in_halves;
}

const char *pairs_score_text(const pairs_file_t *file, int32_t score,
                             char text[HALVES_TEXT_BYTES])
{
    return halves_text(file->scores_in_halves ? score : 2 * (int64_t)score, text);
}

const char *pairs_cigar_style(const pairs_file_t *file)
{
    return file->cigar_style;
}

const int64_t *pairs_sizes(const pairs_file_t *file)
{
    return file->sizes;
}

const char *pairs_job(const pairs_file_t *file)
{
    return file->job;
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

bool pairs_any_overlap(const pairs_file_t *file)
{
    const char *value = pairs_job_value(file, "min_overlap");

    return value != NULL && strncmp(value, "0/", 2) == 0;
}

alphabet_t pairs_alphabet(const pairs_file_t *file)
{
    return file->alphabet;
}
