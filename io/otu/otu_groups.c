/*
 * otu_groups.c - writing PREFIX.groups.h5.
 */
#include "io/otu/otu_groups.h"

#include "io/base/logmsg.h"
#include "io/hdf5/h5text.h"
#include "io/hdf5/h5util.h"

#include <stdlib.h>

enum { CHUNK = 1 << 16 };

static bool put_root(hid_t file, const otu_groups_head_t *head)
{
    char id[FRACTION_RATIO_BYTES];

    return h5text_put_format(file, OTU_GROUPS_FORMAT, OTU_GROUPS_VERSION_MAJOR,
                             OTU_GROUPS_VERSION_MINOR) &&
           h5text_put(file, "program", head->program) &&
           h5text_put(file, "input", head->input) &&
           h5text_put(file, "method", head->method) &&
           h5text_put(file, "id", fraction_to_ratio(&head->id, id)) &&
           (head->order == NULL || h5text_put(file, "order", head->order)) &&
           (head->seed < 0 || h5util_put_int(file, "seed", head->seed)) &&
           (head->starts < 0 || h5util_put_int(file, "starts", head->starts)) &&
           h5util_put_int(file, "min_size", head->min_size) &&
           h5util_put_real(file, "mcc", head->mcc) &&
           h5util_put_int(file, "tp", head->tp) && h5util_put_int(file, "tn", head->tn) &&
           h5util_put_int(file, "fp", head->fp) && h5util_put_int(file, "fn", head->fn);
}

static bool put_sequences(hid_t file, const otu_table_t *t, const seqset_t *set)
{
    hid_t group = h5util_create_group(file, "sequences");
    const char **names = malloc((size_t)t->n * sizeof(*names) + 1);
    bool good = group >= 0 && names != NULL;

    for (int64_t i = 0; good && i < t->n; i++)
        names[i] = seqset_name(set, i);
    good = good && h5text_put_array(group, "names", names, t->n) &&
           h5util_put_int32s(group, "otu", t->otu, t->n, CHUNK);
    if (group >= 0)
        H5Gclose(group);
    free(names);
    return good;
}

static bool put_otus(hid_t file, const otu_table_t *t)
{
    hid_t group = h5util_create_group(file, "otus");
    char(*text)[OTU_NAME_BYTES] = malloc((size_t)t->n_otus * sizeof(*text) + 1);
    const char **names = malloc((size_t)t->n_otus * sizeof(*names) + 1);
    bool good = group >= 0 && text != NULL && names != NULL;

    for (int64_t k = 0; good && k < t->n_otus; k++) {
        names[k] = otu_table_name(t, k, text[k]);
    }
    good =
        good && h5text_put_array(group, "names", names, t->n_otus) &&
        h5util_put_int64s(group, "size", t->size, t->n_otus, CHUNK) &&
        h5util_put_int32s(group, "representative", t->representative, t->n_otus, CHUNK) &&
        h5util_put_int64s(group, "member_start", t->member_start, t->n_otus + 1, CHUNK) &&
        h5util_put_int32s(group, "member", t->member, t->member_start[t->n_otus], CHUNK);
    if (group >= 0)
        H5Gclose(group);
    free(names);
    free(text);
    return good;
}

status_t otu_groups_write(const char *path, const otu_groups_head_t *head,
                          const otu_table_t *t, const seqset_t *set)
{
    hid_t file;
    bool good;

    h5util_init();
    if ((file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)) < 0)
        return h5util_cannot_write(path, "create");
    good = put_root(file, head) && put_sequences(file, t, set) && put_otus(file, t);
    return H5Fclose(file) >= 0 && good ? ST_OK : h5util_cannot_write(path, "write");
}
