/*
 * pairs_datasets.c - the attributes and datasets that every result file has.
 */
#include "io/pairs/write/pairs_datasets.h"

#include "io/base/logmsg.h"
#include "io/hdf5/h5stream.h"
#include "io/hdf5/h5text.h"
#include "io/result/result_table.h"
#include "io/seq/alphabet.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Values per chunk. */
enum { CHUNK = 1 << 14, LETTER_CHUNK = 1 << 16 };

status_t pairs_datasets_fail(const char *path, const char *verb)
{
    log_error("%s: HDF5 cannot %s the file: %s; check free space and write permission, "
              "then run again with --resume: the log has all results",
              path, verb, h5util_cause());
    return ST_EIO;
}

hid_t pairs_datasets_matrix(hid_t file, const char *name, hid_t type,
                            const tile_grid_t *grid, const void *fill)
{
    hsize_t n = (hsize_t)grid->n, side = n > 0 ? (hsize_t)grid->side : 0;

    return h5util_create(file, name, type,
                         &(h5util_shape_t){.rank = 2,
                                           .size = {n, n},
                                           .chunk = {side, side},
                                           .shuffles = true,
                                           .fill = fill});
}

bool pairs_datasets_put_root(hid_t file, const pairs_head_t *head)
{
    return h5text_put_format(file, PAIRS_FORMAT, PAIRS_VERSION_MAJOR,
                             PAIRS_VERSION_MINOR) &&
           h5text_put(file, "identity",
                      head->identity != NULL ? head->identity : "matches / columns") &&
           (head->identity_definition == NULL ||
            h5text_put(file, "identity_definition", head->identity_definition)) &&
           h5text_put(file, "alphabet", alphabet_name[head->alphabet]) &&
           h5text_put(file, "ends", head->ends) &&
           (head->score_unit == NULL ||
            h5text_put(file, "score_unit", head->score_unit)) &&
           (head->cigar_style == NULL ||
            h5text_put(file, "cigar_style", head->cigar_style)) &&
           h5text_put(file, "job", head->job);
}

/* Write how many pairs each stage of the filter dropped, how many were left, and how many
 * of these have no identity. */
static bool put_counts(hid_t run, const pairs_head_t *head, const pairs_counts_t *c)
{
    bool good = h5util_put_int(run, "pairs", c->n_pairs) &&
                (head->n_taken == 0 || h5util_put_int(run, "pairs_taken", head->n_taken));

    for (int k = 0; good && k < head->n_stages; k++) {
        char name[64];

        snprintf(name, sizeof(name), "pairs_filtered_%s", head->stages[k]);
        good = h5util_put_int(run, name, c->n_dropped[k]);
    }
    return good && h5util_put_int(run, "pairs_aligned", c->n_aligned) &&
           h5util_put_int(run, "pairs_kept", c->n_kept) &&
           (head->n_datasets == PAIRS_N_SCORE ||
            h5util_put_int(run, "pairs_without_identity", c->n_without_identity));
}

bool pairs_datasets_put_run(hid_t file, const pairs_head_t *head,
                            const pairs_counts_t *counts)
{
    hid_t run = run_info_write(file, head->run) ? H5Gopen2(file, "run", H5P_DEFAULT)
                                                : H5I_INVALID_HID;
    bool good = run >= 0;

    for (int i = 0; good && i < head->n_run_numbers; i++)
        good =
            h5util_put_real(run, head->run_numbers[i].name, head->run_numbers[i].number);
    good = good &&
           (head->preparation == NULL ||
            h5text_put(run, PAIRS_RUN_PREPARATION, head->preparation)) &&
           put_counts(run, head, counts);
    return h5util_close(run, good);
}

/* Names of a part of a set, from sequence `first` on. */
typedef struct {
    const seqset_t *set;
    int64_t first;
} names_t;

static const char *name_at(const void *ctx, int64_t i)
{
    const names_t *names = ctx;

    return seqset_name(names->set, names->first + i);
}

bool pairs_datasets_put_names(hid_t file, const char *name, const seqset_t *set,
                              int64_t first, int64_t n)
{
    hid_t group = h5util_create_group(file, name);
    int32_t *lengths = malloc(((size_t)n + 1) * sizeof(*lengths));
    bool good = group >= 0 && lengths != NULL;

    for (int64_t i = 0; good && i < n; i++)
        lengths[i] = (int32_t)seqset_len(set, first + i);
    good = good && h5util_put_int32s(group, "lengths", lengths, n, 0) &&
           h5text_put_each(group, "names", n, name_at, &(names_t){set, first});
    free(lengths);
    return h5util_close(group, good);
}

static bool put_group(hid_t file, const char *name)
{
    hid_t group = h5util_create_group(file, name);

    return h5util_close(group, group >= 0);
}

static bool put_members(hid_t file, const pairs_members_t *m)
{
    return put_group(file, "members") &&
           h5text_put_array(file, "members/name", (const char *const *)m->name, m->n) &&
           h5util_put_int32s(file, "members/sequence", m->sequence, m->n, CHUNK);
}

static bool put_samples(hid_t file, const pairs_samples_t *s, int64_t n)
{
    const int64_t n_counts = s->row_start[n];

    return put_group(file, "samples") &&
           h5text_put_array(file, "samples/names", (const char *const *)s->name, s->n) &&
           h5util_put_int64s(file, "samples/row_start", s->row_start, n + 1, CHUNK) &&
           h5util_put_int32s(file, "samples/sample", s->sample, n_counts, CHUNK) &&
           h5util_put_int64s(file, "samples/count", s->count, n_counts, CHUNK);
}

bool pairs_datasets_put_sequences(hid_t file, const pairs_head_t *head,
                                  const seqset_t *set, int64_t n)
{
    return h5util_put_int64s(file, "sequences/offset", set->offset, n + 1, 0) &&
           h5stream_put_letters(file, "sequences/letters", LETTER_CHUNK, set->alphabet,
                                set->letters, set->offset[n], head->pool) &&
           (head->sizes == NULL ||
            h5util_put_int64s(file, "sequences/size", head->sizes, n, CHUNK)) &&
           (head->members == NULL || put_members(file, head->members)) &&
           (head->samples == NULL || put_samples(file, head->samples, n));
}
