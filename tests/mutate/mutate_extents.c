/*
 * mutate_extents.c - datasets of one length get another one together, so that they still
 * fit each other: 12 sequences become a billion.
 */
#include "tests/mutate/remake.h"

#include <string.h>

enum { DATASETS_MAX = 64 };

typedef struct {
    const char *group; /* only datasets whose path begins so */
    int n;
    char path[DATASETS_MAX][MUTANT_NAME_BYTES];
} family_t;

static herr_t add_dataset(hid_t at, const char *name, const H5L_info_t *link, void *to)
{
    family_t *family = to;
    H5O_info_t object;

    if (link->type == H5L_TYPE_HARD && family->n < DATASETS_MAX &&
        strlen(name) < MUTANT_NAME_BYTES &&
        strncmp(name, family->group, strlen(family->group)) == 0 &&
        H5Oget_info_by_name(at, name, &object, H5P_DEFAULT) >= 0 &&
        object.type == H5O_TYPE_DATASET)
        strcpy(family->path[family->n++], name);
    return 0;
}

/* Replace the length `base` by `n`, and base + 1 (of offsets) by n + 1. */
static void resize(mutant_t *m, const char *path, hsize_t base, hsize_t n)
{
    remake_t p;
    bool changes = false;

    if (!remake_begin(m, path, &p))
        return;
    for (int d = 0; d < p.rank; d++)
        if (p.dims[d] == base || p.dims[d] == base + 1) {
            p.dims[d] = n + (p.dims[d] - base);
            changes = true;
        }
    if (!changes) {
        remake_cancel(&p);
        return;
    }
    remake_set_chunk(&p, 0);
    remake_end(m, path, &p);
}

void mutate_extents(mutant_t *m)
{
    const hsize_t sizes[] = {0, 1, 3, 100, 100000, 10000000, 1000000000, 1000000000000};
    static family_t family;
    char path[MUTANT_NAME_BYTES], group[MUTANT_NAME_BYTES], *slash;
    hsize_t n = sizes[mutant_below(m, 8)], base;
    remake_t p;

    if (!mutant_pick(m, MUTANT_DATASET, path) || !remake_begin(m, path, &p))
        return;
    base = p.rank > 0 ? p.dims[0] : 0;
    remake_cancel(&p);
    if (base == 0)
        return;
    strcpy(group, path);
    slash = strrchr(group, '/');
    group[slash != NULL ? slash + 1 - group : 0] = '\0';
    family = (family_t){.group = mutant_chance(m, 50) ? group : ""};
    H5Lvisit(m->file, H5_INDEX_NAME, H5_ITER_INC, add_dataset, &family);
    mutant_note(m, " extents of %lld in /%s become %lld;", (long long)base, family.group,
                (long long)n);
    for (int i = 0; i < family.n; i++)
        resize(m, family.path[i], base, n);
}
