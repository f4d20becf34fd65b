/*
 * pairs_read.c - reading parts of a result file, checked before they are returned.
 */
#include "io/pairs/pairs_read.h"

#include "io/base/logmsg.h"
#include "io/pairs/pairs_state.h"
#include "io/seq/alphabet.h"
#include "io/store/h5text.h"

#include <stdlib.h>
#include <string.h>

static status_t read_rectangle(const pairs_file_t *f, hid_t dataset, hid_t type,
                               int64_t row0, int64_t row1, int64_t col0, int64_t col1,
                               void *out)
{
    hsize_t start[2] = {(hsize_t)row0, (hsize_t)col0};
    hsize_t count[2] = {(hsize_t)(row1 - row0), (hsize_t)(col1 - col0)};
    hid_t space = H5Dget_space(dataset), memory = H5Screate_simple(2, count, NULL);
    bool good;

    H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL);
    good = H5Dread(dataset, type, memory, space, H5P_DEFAULT, out) >= 0;
    H5Sclose(memory);
    H5Sclose(space);
    return good ? ST_OK : h5util_cannot_read(f->path);
}

status_t pairs_read(const pairs_file_t *f, pairs_dataset_t dataset, int64_t row0,
                    int64_t row1, int64_t col0, int64_t col1, int32_t *out)
{
    return read_rectangle(f, f->dataset[dataset], H5T_NATIVE_INT32, row0, row1, col0,
                          col1, out);
}

status_t pairs_read_cigar_offsets(const pairs_file_t *f, int64_t row0, int64_t row1,
                                  int64_t col0, int64_t col1, int64_t *out)
{
    return read_rectangle(f, f->cigar_offset, H5T_NATIVE_INT64, row0, row1, col0, col1,
                          out);
}

status_t pairs_read_cigar_text(const pairs_file_t *f, int64_t begin, int64_t end,
                               buf_t *out)
{
    hid_t space = H5Dget_space(f->cigar);
    int64_t n_bytes = H5Sget_simple_extent_npoints(space);
    size_t len = (size_t)(end - begin);
    status_t st;

    H5Sclose(space);
    out->len = 0;
    if (begin < 0 || end < begin || end > n_bytes)
        return pairs_refuse(f->path, "a CIGAR lies beyond the end of /cigar");
    if ((st = buf_reserve(out, len)) != ST_OK || len == 0)
        return st;
    st = pairs_read_values(f, f->cigar, H5T_NATIVE_UINT8, begin, end - begin, out->data);
    out->len = st == ST_OK ? len : 0;
    return st;
}

/* Build the set from the file's names; codes holds all bases, encoded, end to end. */
static status_t build_set(const pairs_file_t *f, const uint8_t *codes,
                          const int64_t *offset, seqset_t **out)
{
    seqset_builder_t builder = {0};
    status_t st = ST_OK;

    for (int64_t i = 0; st == ST_OK && i < f->rows.n; i++)
        st = seqset_builder_add(&builder, f->rows.names[i], strlen(f->rows.names[i]),
                                codes + offset[i], (size_t)(offset[i + 1] - offset[i]));
    if (st == ST_OK)
        st = seqset_builder_finish(&builder, out);
    seqset_builder_free(&builder);
    return st;
}

static bool offsets_fit(const pairs_file_t *f, const int64_t *offset, int64_t n_letters)
{
    if (offset[0] != 0 || offset[f->rows.n] != n_letters)
        return false;
    for (int64_t i = 0; i < f->rows.n; i++)
        if (offset[i + 1] - offset[i] != f->rows.lengths[i])
            return false;
    return true;
}

status_t pairs_read_sequences(const pairs_file_t *f, seqset_t **out)
{
    int64_t n_letters = 0;
    int64_t *offset = h5util_get_array(f->file, "/sequences/offset", H5T_NATIVE_INT64,
                                       sizeof(*offset), f->rows.n + 1, NULL);
    uint8_t *letters = h5util_get_array(f->file, "/sequences/letters", H5T_NATIVE_UINT8,
                                        1, -1, &n_letters);
    bool good = offset != NULL && letters != NULL && offsets_fit(f, offset, n_letters);
    status_t st;

    for (int64_t i = 0; good && i < n_letters; i++)
        good = (letters[i] = alphabet_code(letters[i])) != CODE_NONE;
    st = good ? build_set(f, letters, offset, out)
              : pairs_refuse(f->path, "cannot read the letters of its sequences");
    free(offset);
    free(letters);
    return st;
}

/* Without /members each sequence is its own member. */
static status_t sequences_as_members(const pairs_file_t *f, pairs_members_t *out)
{
    int64_t n = f->rows.n;

    out->sequence = malloc((size_t)n * sizeof(*out->sequence) + 1);
    out->name = h5text_get_array(f->file, "/sequences/names", n, &out->n);
    for (int64_t i = 0; out->sequence != NULL && i < n; i++)
        out->sequence[i] = (int32_t)i;
    return out->sequence != NULL && out->name != NULL ? ST_OK : log_nomem("the members");
}

status_t pairs_read_members(const pairs_file_t *f, pairs_members_t *out)
{
    pairs_members_t m = {0};
    bool good = true;
    status_t st = ST_OK;

    if (H5Lexists(f->file, "members", H5P_DEFAULT) <= 0) {
        st = sequences_as_members(f, &m);
    } else {
        m.name = h5text_get_array(f->file, "/members/name", -1, &m.n);
        m.sequence = h5util_get_array(f->file, "/members/sequence", H5T_NATIVE_INT32,
                                      sizeof(*m.sequence), m.n, NULL);
        good = m.name != NULL && m.sequence != NULL;
        for (int64_t i = 0; good && i < m.n; i++)
            good = m.sequence[i] >= 0 && m.sequence[i] < f->rows.n;
        if (!good)
            st = pairs_refuse(f->path, "cannot read its members");
    }
    if (st == ST_OK)
        *out = m;
    else
        pairs_members_free(&m);
    return st;
}

void pairs_members_free(pairs_members_t *m)
{
    h5text_free_array(m->name);
    free(m->sequence);
    *m = (pairs_members_t){0};
}

static bool samples_fit(const pairs_samples_t *s, int64_t n, int64_t n_counts)
{
    bool good = s->row_start[0] == 0 && s->row_start[n] == n_counts;

    for (int64_t i = 0; good && i < n; i++)
        good = s->row_start[i] <= s->row_start[i + 1];
    for (int64_t k = 0; good && k < n_counts; k++)
        good = s->sample[k] >= 0 && s->sample[k] < s->n && s->count[k] >= 0;
    return good;
}

status_t pairs_read_samples(const pairs_file_t *f, pairs_samples_t *out)
{
    int64_t n = f->rows.n, n_counts = 0;
    pairs_samples_t s = {0};

    if (H5Lexists(f->file, "samples", H5P_DEFAULT) <= 0) {
        if ((s.row_start = calloc((size_t)n + 1, sizeof(*s.row_start))) == NULL)
            return log_nomem("the samples");
        *out = s;
        return ST_OK;
    }
    s.name = h5text_get_array(f->file, "/samples/names", -1, &s.n);
    s.row_start = h5util_get_array(f->file, "/samples/row_start", H5T_NATIVE_INT64,
                                   sizeof(*s.row_start), n + 1, NULL);
    s.sample = h5util_get_array(f->file, "/samples/sample", H5T_NATIVE_INT32,
                                sizeof(*s.sample), -1, &n_counts);
    s.count = h5util_get_array(f->file, "/samples/count", H5T_NATIVE_INT64,
                               sizeof(*s.count), n_counts, NULL);
    if (s.name == NULL || s.row_start == NULL || s.sample == NULL || s.count == NULL ||
        !samples_fit(&s, n, n_counts)) {
        pairs_samples_free(&s);
        return pairs_refuse(f->path, "cannot read its samples");
    }
    *out = s;
    return ST_OK;
}

void pairs_samples_free(pairs_samples_t *s)
{
    h5text_free_array(s->name);
    free(s->row_start);
    free(s->sample);
    free(s->count);
    *s = (pairs_samples_t){0};
}
