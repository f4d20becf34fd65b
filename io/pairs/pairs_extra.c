#include "io/pairs/pairs_extra.h"

#include "io/base/logmsg.h"
#include "io/pairs/pairs_state.h"
#include "io/seq/alphabet.h"

#include <stdlib.h>
#include <string.h>

enum { CHUNK = 1 << 14 };

static bool write_members(hid_t file, const pairs_members_t *m)
{
    hid_t group = H5Gcreate2(file, "members", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool good =
        group >= 0 &&
        h5util_put_texts(group, "name", (const char *const *)m->name, (hsize_t)m->n) &&
        h5util_put_int32s(group, "sequence", m->sequence, m->n, CHUNK);

    if (group >= 0)
        H5Gclose(group);
    return good;
}

static bool write_samples(hid_t file, const pairs_samples_t *s, int64_t n)
{
    hid_t group = H5Gcreate2(file, "samples", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    int64_t n_counts = s->row_start[n];
    bool good =
        group >= 0 &&
        h5util_put_texts(group, "names", (const char *const *)s->name, (hsize_t)s->n) &&
        h5util_put_int64s(group, "row_start", s->row_start, n + 1, CHUNK) &&
        h5util_put_int32s(group, "sample", s->sample, n_counts, CHUNK) &&
        h5util_put_int64s(group, "count", s->count, n_counts, CHUNK);

    if (group >= 0)
        H5Gclose(group);
    return good;
}

bool pairs_extra_write(hid_t file, const pairs_head_t *head, int64_t n)
{
    return (head->sizes == NULL ||
            h5util_put_int64s(file, "/sequences/size", head->sizes, n, CHUNK)) &&
           (head->members == NULL || write_members(file, head->members)) &&
           (head->samples == NULL || write_samples(file, head->samples, n));
}

/* Build the set of the file's names and letters, which are codes by now. */
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
              : pairs_refuse(f->path, "its letters cannot be read");
    free(offset);
    free(letters);
    return st;
}

/* Where the file names none, each sequence is its own member. */
static status_t sequences_as_members(const pairs_file_t *f, pairs_members_t *out)
{
    int64_t n = f->rows.n;

    out->sequence = malloc((size_t)n * sizeof(*out->sequence) + 1);
    out->name = h5util_get_texts(f->file, "/sequences/names", n, &out->n);
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
        m.name = h5util_get_texts(f->file, "/members/name", -1, &m.n);
        m.sequence = h5util_get_array(f->file, "/members/sequence", H5T_NATIVE_INT32,
                                      sizeof(*m.sequence), m.n, NULL);
        good = m.name != NULL && m.sequence != NULL;
        for (int64_t i = 0; good && i < m.n; i++)
            good = m.sequence[i] >= 0 && m.sequence[i] < f->rows.n;
        if (!good)
            st = pairs_refuse(f->path, "its members cannot be read");
    }
    if (st == ST_OK)
        *out = m;
    else
        pairs_members_free(&m);
    return st;
}

void pairs_members_free(pairs_members_t *m)
{
    h5util_free_texts(m->name, m->n);
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
    s.name = h5util_get_texts(f->file, "/samples/names", -1, &s.n);
    s.row_start = h5util_get_array(f->file, "/samples/row_start", H5T_NATIVE_INT64,
                                   sizeof(*s.row_start), n + 1, NULL);
    s.sample = h5util_get_array(f->file, "/samples/sample", H5T_NATIVE_INT32,
                                sizeof(*s.sample), -1, &n_counts);
    s.count = h5util_get_array(f->file, "/samples/count", H5T_NATIVE_INT64,
                               sizeof(*s.count), n_counts, NULL);
    if (s.name == NULL || s.row_start == NULL || s.sample == NULL || s.count == NULL ||
        !samples_fit(&s, n, n_counts)) {
        pairs_samples_free(&s);
        return pairs_refuse(f->path, "its samples cannot be read");
    }
    *out = s;
    return ST_OK;
}

void pairs_samples_free(pairs_samples_t *s)
{
    h5util_free_texts(s->name, s->n);
    free(s->row_start);
    free(s->sample);
    free(s->count);
    *s = (pairs_samples_t){0};
}
