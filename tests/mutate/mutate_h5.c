/*
 * mutate_h5.c - damages a result file at random.
 *
 *   mutate_h5 IN.h5 SEED OUT.h5
 *
 * Writes OUT.h5 and prints one line: what was done.  The same IN.h5 and SEED give the
 * same OUT.h5.  Mutations that refer to other files name secret.txt, other.h5, fifo and
 * missing, which tests/mutate/mutate.sh puts next to OUT.h5.
 */
#include "tests/mutate/mutate.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    void (*apply)(mutant_t *m);
    int weight;
} mutation_t;

static const mutation_t mutations[] = {
    {mutate_values, 20},     {mutate_pairs, 24},  {mutate_texts, 10},
    {mutate_dataset, 20},    {mutate_extents, 6}, {mutate_links, 12},
    {mutate_attributes, 12}, {mutate_chunks, 6},
};

static void apply_one(mutant_t *m)
{
    size_t n = sizeof(mutations) / sizeof(mutations[0]);
    int total = 0, at;

    for (size_t i = 0; i < n; i++)
        total += mutations[i].weight;
    at = (int)mutant_below(m, (uint64_t)total);
    for (size_t i = 0; i < n; at -= mutations[i++].weight)
        if (at < mutations[i].weight) {
            mutations[i].apply(m);
            return;
        }
}

/* Objects that a mutation leaves open are closed with the file. */
static bool change_objects(mutant_t *m, int n)
{
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    bool good;

    H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
    if ((m->file = H5Fopen(m->path, H5F_ACC_RDWR, access)) < 0)
        return false;
    for (int i = 0; i < n; i++)
        apply_one(m);
    good = H5Fclose(m->file) >= 0;
    m->file = H5I_INVALID_HID;
    H5Pclose(access);
    return good;
}

static bool copy_file(const char *from, const char *to)
{
    FILE *in = fopen(from, "rb"), *out = in != NULL ? fopen(to, "wb") : NULL;
    char block[1 << 16];
    size_t n;
    bool good = out != NULL;

    while (good && (n = fread(block, 1, sizeof(block), in)) > 0)
        good = fwrite(block, 1, n, out) == n;
    if (in != NULL)
        fclose(in);
    return out != NULL && fclose(out) == 0 && good;
}

static bool make_mutant(mutant_t *m)
{
    int kind = (int)mutant_below(m, 100);

    if (H5Fis_hdf5(m->path) <= 0) { /* a log */
        mutate_bytes(m);
        return true;
    }
    if (kind < 3) {
        mutate_file(m);
        return true;
    }
    if (kind < 80 && !change_objects(m, kind < 50 ? 1 : kind < 70 ? 2 : 4))
        return false;
    if (kind >= 70)
        mutate_bytes(m);
    return true;
}

int main(int argc, char **argv)
{
    static mutant_t m;

    if (argc != 4) {
        fprintf(stderr, "usage: mutate_h5 IN.h5 SEED OUT.h5\n");
        return 2;
    }
    setenv("HDF5_USE_FILE_LOCKING", "FALSE", 1);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    m.rng = rng_seed(strtoull(argv[2], NULL, 10));
    m.path = argv[3];
    if (!copy_file(argv[1], argv[3])) {
        fprintf(stderr, "mutate_h5: cannot copy %s to %s: %s\n", argv[1], argv[3],
                strerror(errno));
        return 1;
    }
    if (!make_mutant(&m)) {
        fprintf(stderr, "mutate_h5: cannot change %s:%s\n", argv[3], m.note);
        return 1;
    }
    printf("%s:%s\n", argv[2], m.note[0] != '\0' ? m.note : " nothing");
    return 0;
}
