/*
 * fuzz_leaf_counts.c - libFuzzer target: arbitrary bytes as counts of the two leaves of a
 * tree, by name and by id.
 */
#include "io/graphfile/read/leaf_counts.h"
#include "tests/support/fuzz_file.h"

static void check(const char *path, const csr_t *tree, char *const *names)
{
    leaf_counts_t counts = {0};
    status_t st;

    fuzz_quiet();
    st = leaf_counts_read(path, tree, names, "t.nwk", &counts);
    fuzz_loud();
    if (st != ST_OK && st != ST_EINPUT)
        abort();
    for (int64_t s = 0; s < counts.n_samples; s++)
        leaf_counts_spread(&counts, s, tree->n_nodes, (int64_t[3]){0});
    arrays_free(&leaf_counts_arrays, &counts);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    int64_t first[] = {0, 2, 2, 2}, id[] = {1, 2, 3};
    int32_t to[] = {1, 2};
    char root[] = "", a[] = "a", b[] = "b", *const names[] = {root, a, b};
    const csr_t tree = {.n_nodes = 3, .n_arcs = 2, .first = first, .to = to, .id = id};
    char path[64];
    const int fd = fuzz_file(data, len, path);

    check(path, &tree, names);
    check(path, &tree, NULL);
    close(fd);
    return 0;
}
