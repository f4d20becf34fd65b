/*
 * pairs_read.c - reading parts of a result file, checked before they are returned.
 */
#include "io/pairs/pairs_read.h"

#include "io/base/logmsg.h"
#include "io/base/texts.h"
#include "io/hdf5/h5check.h"
#include "io/hdf5/h5text.h"
#include "io/pairs/pairs_state.h"
#include "io/seq/alphabet.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

status_t pairs_read(const pairs_file_t *f, pairs_dataset_t dataset, int64_t row0,
                    int64_t row1, int64_t col0, int64_t col1, int32_t *out)
{
    return h5data_read(f->h5->dataset[dataset], row0, row1, col0, col1, out);
}

status_t pairs_read_cigar_offsets(const pairs_file_t *f, int64_t row0, int64_t row1,
                                  int64_t col0, int64_t col1, int64_t *out)
{
    return h5data_read(f->h5->cigar_offset, row0, row1, col0, col1, out);
}

status_t pairs_read_stored(const pairs_file_t *f, pairs_dataset_t dataset, int64_t row,
                           int64_t column, int64_t side, buf_t *out, bool *is_such)
{
    return h5data_read_stored(f->h5->dataset[dataset], row, column, side, out, is_such);
}

status_t pairs_read_cigar_text(const pairs_file_t *f, int64_t begin, int64_t end,
                               buf_t *out)
{
    size_t len = (size_t)(end - begin);
    status_t st;

    out->len = 0;
    if (begin < 0 || end < begin || end > f->h5->cigar->columns)
        return pairs_refuse(f->path, "a CIGAR lies beyond the end of /cigar");
    if ((st = buf_reserve(out, len)) != ST_OK || len == 0)
        return st;
    st = h5data_read(f->h5->cigar, 0, 1, begin, end, out->data);
    out->len = st == ST_OK ? len : 0;
    return st;
}

/* Build the set from the file's names; codes holds all bases, encoded, end to end. */
static status_t build_set(const pairs_file_t *f, const uint8_t *codes,
                          const int64_t *offset, seqset_t **out)
{
    seqset_builder_t builder = {.alphabet = f->alphabet};
    status_t st = ST_OK;

    for (int64_t i = 0; st == ST_OK && i < f->rows.n; i++)
        st = seqset_builder_add(&builder, f->rows.names[i], strlen(f->rows.names[i]),
                                codes + offset[i], (size_t)(offset[i + 1] - offset[i]));
    if (st == ST_OK)
        st = seqset_builder_finish(&builder, out);
    seqset_builder_free(&builder);
    return st;
}

static status_t check_letters(const pairs_file_t *f, const int64_t *offset,
                              uint8_t *letters, int64_t n_letters)
{
    if (offset[0] != 0 || offset[f->rows.n] != n_letters)
        return pairs_refuse(
            f->path, "/sequences/offset does not go from 0 to the number of bases");
    for (int64_t i = 0; i < f->rows.n; i++)
        if (offset[i] > n_letters || offset[i + 1] != offset[i] + f->rows.lengths[i])
            return pairs_refuse(f->path,
                                "/sequences/offset does not fit the length of sequence "
                                "%" PRId64,
                                i + 1);
    for (int64_t k = 0; k < n_letters; k++)
        if ((letters[k] = alphabet_code(f->alphabet, letters[k])) == CODE_NONE)
            return pairs_refuse(f->path,
                                "/sequences/letters: value %" PRId64 " is not %s letter",
                                k + 1, alphabet_a_letter[f->alphabet]);
    return ST_OK;
}

status_t pairs_read_sequences(const pairs_file_t *f, seqset_t **out)
{
    int64_t n_letters = 0;
    int64_t *offset = h5data_get(f->h5->file, "/sequences/offset", H5T_NATIVE_INT64,
                                 f->rows.n + 1, NULL);
    uint8_t *letters = offset != NULL ? h5data_get(f->h5->file, "/sequences/letters",
                                                   H5T_NATIVE_UINT8, -1, &n_letters)
                                      : NULL;
    status_t st =
        letters != NULL ? check_letters(f, offset, letters, n_letters) : ST_EINPUT;

    if (st == ST_OK)
        st = build_set(f, letters, offset, out);
    free(offset);
    free(letters);
    return st;
}

bool pairs_has_members(const pairs_file_t *f)
{
    return h5check_exists(f->h5->file, "/members");
}

status_t pairs_run_text(const pairs_file_t *f, const char *name, char **out)
{
    hid_t run = h5check_open_group(f->h5->file, "/run");

    *out = NULL;
    if (run < 0)
        return ST_EINPUT;
    *out = h5text_get(run, name);
    H5Gclose(run);
    return ST_OK;
}

/* Without /members each sequence is its own member. */
static status_t sequences_as_members(const pairs_file_t *f, pairs_members_t *out)
{
    int64_t n = f->rows.n;

    out->name = h5text_get_array(f->h5->file, "/sequences/names", n, &out->n);
    if (out->name == NULL)
        return ST_EINPUT;
    if ((out->sequence = malloc((size_t)n * sizeof(*out->sequence) + 1)) == NULL)
        return log_nomem("the members");
    for (int64_t i = 0; i < n; i++)
        out->sequence[i] = (int32_t)i;
    return ST_OK;
}

static status_t read_stored_members(const pairs_file_t *f, pairs_members_t *out)
{
    static const char name[] = "/members/sequence";

    out->name = h5text_get_array(f->h5->file, "/members/name", -1, &out->n);
    if (out->name == NULL)
        return ST_EINPUT;
    out->sequence = h5data_get(f->h5->file, name, H5T_NATIVE_INT32, out->n, NULL);
    if (out->sequence == NULL)
        return ST_EINPUT;
    for (int64_t i = 0; i < out->n; i++)
        if (out->sequence[i] < 0 || out->sequence[i] >= f->rows.n)
            return pairs_refuse(f->path,
                                "%s: record %" PRId64
                                " names a sequence that does not exist",
                                name, i + 1);
    return ST_OK;
}

status_t pairs_read_members(const pairs_file_t *f, pairs_members_t *out)
{
    status_t st;

    *out = (pairs_members_t){0};
    st =
        pairs_has_members(f) ? read_stored_members(f, out) : sequences_as_members(f, out);
    if (st != ST_OK)
        pairs_members_free(out);
    return st;
}

void pairs_members_free(pairs_members_t *m)
{
    texts_free(m->name);
    free(m->sequence);
    *m = (pairs_members_t){0};
}

/* @return NULL or what is wrong */
static const char *check_starts(const pairs_samples_t *s, int64_t n, int64_t n_counts)
{
    if (s->row_start[0] != 0 || s->row_start[n] != n_counts)
        return "/samples/row_start does not go from 0 to the number of counts";
    for (int64_t i = 0; i < n; i++)
        if (s->row_start[i] > s->row_start[i + 1])
            return "/samples/row_start falls";
    return NULL;
}

/* Samples ascend within a sequence, and all counts have a sum. */
static const char *check_counts(const pairs_samples_t *s, int64_t n)
{
    int64_t total = 0;

    for (int64_t i = 0; i < n; i++)
        for (int64_t k = s->row_start[i]; k < s->row_start[i + 1]; k++) {
            if (s->sample[k] < 0 || s->sample[k] >= s->n)
                return "/samples/sample names a sample that does not exist";
            if (k > s->row_start[i] && s->sample[k] <= s->sample[k - 1])
                return "/samples/sample does not ascend within a sequence";
            if (s->count[k] < 0 || s->count[k] > PAIRS_TOTAL_MAX - total)
                return "/samples/count has a count that is negative or too large";
            total += s->count[k];
        }
    return NULL;
}

static status_t read_stored_samples(const pairs_file_t *f, pairs_samples_t *s)
{
    int64_t n = f->rows.n, n_counts = 0;
    const char *wrong;

    s->name = h5text_get_array(f->h5->file, "/samples/names", -1, &s->n);
    if (s->name == NULL)
        return ST_EINPUT;
    if (s->n > INT32_MAX)
        return pairs_refuse(f->path, "it has more than 2^31 - 1 samples");
    s->row_start =
        h5data_get(f->h5->file, "/samples/row_start", H5T_NATIVE_INT64, n + 1, NULL);
    if (s->row_start == NULL)
        return ST_EINPUT;
    s->sample =
        h5data_get(f->h5->file, "/samples/sample", H5T_NATIVE_INT32, -1, &n_counts);
    if (s->sample == NULL)
        return ST_EINPUT;
    s->count =
        h5data_get(f->h5->file, "/samples/count", H5T_NATIVE_INT64, n_counts, NULL);
    if (s->count == NULL)
        return ST_EINPUT;
    if ((wrong = check_starts(s, n, n_counts)) == NULL)
        wrong = check_counts(s, n);
    return wrong == NULL ? ST_OK : pairs_refuse(f->path, "%s", wrong);
}

status_t pairs_read_samples(const pairs_file_t *f, pairs_samples_t *out)
{
    status_t st;

    *out = (pairs_samples_t){0};
    if (h5check_exists(f->h5->file, "/samples")) {
        st = read_stored_samples(f, out);
    } else {
        out->row_start = calloc((size_t)f->rows.n + 1, sizeof(*out->row_start));
        st = out->row_start != NULL ? ST_OK : log_nomem("the samples");
    }
    if (st != ST_OK)
        pairs_samples_free(out);
    return st;
}

void pairs_samples_free(pairs_samples_t *s)
{
    texts_free(s->name);
    free(s->row_start);
    free(s->sample);
    free(s->count);
    *s = (pairs_samples_t){0};
}
