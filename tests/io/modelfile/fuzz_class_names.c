/*
 * fuzz_class_names.c - libFuzzer target: arbitrary bytes as the table of names that
 * `classify` writes.
 */
#include "io/modelfile/class_names.h"
#include "tests/support/fuzz_file.h"

#include <string.h>

static void check(const class_names_t *n)
{
    for (int64_t i = 0; i < n->reads->n; i++) {
        const int32_t lineage = n->lineage_of[i];

        if (seqset_name(n->reads, i)[0] == '\0' || lineage < -1 ||
            lineage >= n->lineages.n ||
            (lineage >= 0 && name_table_at(&n->lineages, lineage)[0] == '\0'))
            abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    class_names_t names = {.reads = NULL};
    char path[64];
    const int fd = fuzz_file(data, len, path);
    bool are_in = false;
    status_t st;

    /* damaged HDF5 is what tests/mutate makes */
    if (memmem(data, len, "\211HDF", 4) == NULL) {
        fuzz_quiet();
        st = class_names_probe(path, &are_in);
        if (st == ST_OK && are_in)
            st = class_names_read(path, &names);
        fuzz_loud();
        if (st == ST_OK && are_in)
            check(&names);
        else if (st != ST_OK && st != ST_EINPUT)
            abort();
        class_names_free(&names);
    }
    close(fd);
    return 0;
}
