/*
 * mutate_dataset.c - a dataset is made again with another extent, type, storage or
 * filter.
 *
 * The old values are written to it as far as they fit.
 */
#include "tests/mutate/mutate_types.h"
#include "tests/mutate/remake.h"

#include <stdlib.h>
#include <string.h>

enum { RANK_MAX = H5S_MAX_RANK, FILTER_UNKNOWN = 30123 };

static void other_extent(mutant_t *m, remake_t *p)
{
    const hsize_t sizes[] = {
        0, 1, 10, 100000, 1000000000, 1000000000000, (hsize_t)1 << 62};
    int d = (int)mutant_below(m, (uint64_t)p->rank);

    switch (mutant_below(m, 6)) {
    case 0:
        p->dims[d] = sizes[mutant_below(m, 7)];
        break;
    case 1:
        p->dims[d]++;
        break;
    case 2:
        p->dims[d] -= p->dims[d] > 0;
        break;
    case 3:
        p->dims[d] /= 2;
        break;
    case 4:
        p->dims[d] *= 2;
        break;
    default:
        for (int i = 0; i < p->rank; i++)
            p->dims[i] = sizes[mutant_below(m, 7)];
    }
    remake_set_chunk(p, p->dims[0] < 16 ? p->dims[0] : 16);
    mutant_note(m, " extent %lld", (long long)p->dims[0]);
}

static void other_rank(mutant_t *m, remake_t *p)
{
    const int ranks[] = {-1, 0, 1, 2, 2, 3, RANK_MAX};
    hsize_t n = p->rank > 0 ? p->dims[0] : 1;

    p->rank = ranks[mutant_below(m, 7)];
    for (int d = 0; d < RANK_MAX; d++)
        p->dims[d] = 1;
    p->dims[mutant_chance(m, 50) && p->rank == 2] = n;
    if (p->rank == 2 && mutant_chance(m, 30))
        p->dims[0] = p->dims[1] = n;
    remake_set_chunk(p, 0);
    mutant_note(m, p->rank < 0 ? " null space" : " rank %d", p->rank);
}

static void other_type(mutant_t *m, remake_t *p)
{
    H5Tclose(p->type);
    p->type = mutate_types_make(m);
    p->packs = false;
    remake_forget_fill(p);
}

static void other_chunks(mutant_t *m, remake_t *p)
{
    const hsize_t sizes[] = {1, 2, 5, 1 << 20, 100000000, 1000000000, 500000000};
    hsize_t chunk = sizes[mutant_below(m, 7)];

    for (int d = 0; d < p->rank; d++)
        p->max_dims[d] = H5S_UNLIMITED;
    remake_set_chunk(p, chunk);
    p->writes = chunk <= 1 << 20;
    mutant_note(m, " chunks of %lld", (long long)chunk);
}

/* Storage without chunks. */
static void other_layout(mutant_t *m, remake_t *p)
{
    p->packs = false;
    if (mutant_chance(m, 50)) {
        H5Pset_layout(p->creation, H5D_COMPACT);
        mutant_note(m, " compact");
        return;
    }
    H5Pset_layout(p->creation, H5D_CONTIGUOUS);
    mutant_note(m, " contiguous");
    if (!mutant_chance(m, 40))
        return;
    p->writes = false;
    H5Pset_alloc_time(p->creation, H5D_ALLOC_TIME_LATE);
    if (p->rank > 0 && mutant_chance(m, 50))
        p->dims[0] = (hsize_t)1 << mutant_below(m, 50);
    mutant_note(m, ", no storage");
}

static void external_storage(mutant_t *m, remake_t *p)
{
    static const char *const files[] = {"/etc/passwd", "secret.txt", "secret.txt",
                                        "missing",     "fifo",       "/dev/zero"};
    const char *file = files[mutant_below(m, 6)];

    p->packs = false;
    H5Pset_layout(p->creation, H5D_CONTIGUOUS);
    H5Pset_external(p->creation, file, (off_t)(mutant_chance(m, 50) ? 0 : 16),
                    mutant_chance(m, 80) ? H5F_UNLIMITED : 64);
    p->writes = false;
    mutant_note(m, " external storage in %s", file);
}

static void virtual_storage(mutant_t *m, remake_t *p, const char *path)
{
    static const char *const files[] = {".",       ".",         "other.h5",
                                        "missing", "part%b.h5", "secret.txt"};
    const char *file = files[mutant_below(m, 6)];
    hsize_t start = 0, stride = 1, count = H5S_UNLIMITED, any = H5S_UNLIMITED;
    hid_t space;

    p->packs = false;
    if (p->rank == 1 && mutant_chance(m, 30)) {
        p->max_dims[0] = H5S_UNLIMITED;
        space = H5Screate_simple(1, p->dims, &any);
        H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, &stride, &count, NULL);
        mutant_note(m, " without limit,");
    } else {
        space = H5Screate_simple(p->rank > 0 ? p->rank : 0, p->dims, NULL);
    }
    H5Pset_virtual(p->creation, space, file, mutant_chance(m, 60) ? path : "data%b",
                   space);
    H5Sclose(space);
    p->writes = false;
    mutant_note(m, " virtual, from %s", file);
}

/* A filter that only the mutator has. */
static size_t pass(unsigned flags, size_t n_values, const unsigned *values,
                   size_t n_bytes, size_t *buffer_bytes, void **buffer)
{
    (void)flags, (void)n_values, (void)values, (void)buffer_bytes, (void)buffer;
    return n_bytes;
}

static void other_filter(mutant_t *m, remake_t *p)
{
    const H5Z_class2_t unknown = {.version = H5Z_CLASS_T_VERS,
                                  .id = FILTER_UNKNOWN,
                                  .encoder_present = 1,
                                  .decoder_present = 1,
                                  .name = "unknown",
                                  .filter = pass};

    if (mutant_chance(m, 70))
        p->packs = false;
    remake_set_chunk(p, 0);
    /* HDF5 crashes where nbit and its like meet types other than integers */
    switch (H5Tget_class(p->type) == H5T_INTEGER ? mutant_below(m, 6)
                                                 : 3 + mutant_below(m, 3)) {
    case 0:
        H5Pset_szip(p->creation, H5_SZIP_NN_OPTION_MASK, 8);
        mutant_note(m, " szip");
        break;
    case 1:
        H5Pset_nbit(p->creation);
        mutant_note(m, " nbit");
        break;
    case 2:
        H5Pset_scaleoffset(p->creation, H5Z_SO_INT, H5Z_SO_INT_MINBITS_DEFAULT);
        mutant_note(m, " scaleoffset");
        break;
    case 3:
        H5Pset_fletcher32(p->creation);
        mutant_note(m, " fletcher32");
        break;
    case 4:
        H5Zregister(&unknown);
        H5Pset_filter(p->creation, FILTER_UNKNOWN,
                      mutant_chance(m, 50) ? H5Z_FLAG_MANDATORY : H5Z_FLAG_OPTIONAL, 0,
                      NULL);
        mutant_note(m, " an unknown filter");
        break;
    default:
        for (int i = 0; i < 20; i++)
            H5Pset_deflate(p->creation, 1);
        mutant_note(m, " twenty times deflate");
    }
}

static void odd_fill(mutant_t *m, remake_t *p)
{
    int64_t value = mutant_integer(m, 100);

    H5Pset_fill_value(p->creation, H5T_NATIVE_INT64, &value);
    p->writes = false;
    mutant_note(m, " only the fill value %lld", (long long)value);
}

void mutate_dataset(mutant_t *m)
{
    char path[MUTANT_NAME_BYTES];
    remake_t p;

    if (!mutant_pick(m, MUTANT_DATASET, path) || !remake_begin(m, path, &p))
        return;
    mutant_note(m, " %s anew:", path);
    switch (mutant_below(m, 11)) {
    case 0:
    case 1:
        other_extent(m, &p);
        break;
    case 2:
        other_rank(m, &p);
        break;
    case 3:
    case 4:
        other_type(m, &p);
        break;
    case 5:
        other_chunks(m, &p);
        break;
    case 6:
        other_layout(m, &p);
        break;
    case 7:
        external_storage(m, &p);
        break;
    case 8:
        virtual_storage(m, &p, path);
        break;
    case 9:
        other_filter(m, &p);
        break;
    default:
        odd_fill(m, &p);
    }
    mutant_note(m, ";");
    remake_end(m, path, &p);
}
