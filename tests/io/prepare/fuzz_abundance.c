/*
 * fuzz_abundance.c - libFuzzer target: arbitrary bytes as a count table and as a table of
 * samples of two sequences.
 */
#include "io/prepare/abundance.h"
#include "tests/support/fuzz_file.h"

static seqset_t *make_set(void)
{
    static const uint8_t letters[] = {1, 2, 4, 8};
    seqset_builder_t builder = {.alphabet = ALPHABET_DNA};
    seqset_t *set = NULL;

    if (seqset_builder_add(&builder, "a", 1, letters, 4) != ST_OK ||
        seqset_builder_add(&builder, "b", 1, letters, 3) != ST_OK ||
        seqset_builder_finish(&builder, &set) != ST_OK)
        abort();
    seqset_builder_free(&builder);
    return set;
}

static void check(status_t st, abundance_t *a)
{
    if (st == ST_OK)
        abundance_free(a);
    else if (st != ST_EINPUT)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    static seqset_t *set;
    const seq_files_t files = seq_files_named("reads.fa");
    abundance_t table = {0}, samples = {0};
    status_t table_st, samples_st;
    char path[64];
    const int fd = fuzz_file(data, len, path);

    set = set != NULL ? set : make_set();
    fuzz_quiet();
    table_st = abundance_from_count_table(path, &files, set, &table);
    samples_st = abundance_from_samples(path, &files, set, &samples);
    fuzz_loud();
    check(table_st, &table);
    check(samples_st, &samples);
    close(fd);
    return 0;
}
