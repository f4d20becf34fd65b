/*
 * fuzz_degree_table.c - libFuzzer target: arbitrary bytes as a table of degrees.
 */
#include "io/file/unpack.h"
#include "io/graphfile/make/graph_makers.h"
#include "tests/support/fuzz_file.h"

#include <ctype.h>
#include <stdbool.h>

/* A few bytes may declare billions of nodes, which need memory. */
enum { DIGITS_MAX = 4, LEN_MAX = 2048 };

static bool has_long_number(const uint8_t *data, size_t len)
{
    int n_digits = 0;

    for (size_t i = 0; i < len && n_digits <= DIGITS_MAX; i++)
        n_digits = isdigit(data[i]) ? n_digits + 1 : 0;
    return n_digits > DIGITS_MAX;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    degree_table_t table = {0};
    char path[64];
    status_t st;
    int fd;

    if (len > LEN_MAX || has_long_number(data, len) || unpack_find(data, len) != NULL)
        return 0;
    fd = fuzz_file(data, len, path);
    fuzz_quiet();
    st = degree_table_create(path, 1, &table);
    fuzz_loud();
    if (st != ST_OK && (st != ST_EINPUT || table.degree != NULL))
        abort();
    for (int64_t i = 0; i < table.n_nodes; i++)
        if (table.degree[i] < 0)
            abort();
    degree_table_free(&table);
    close(fd);
    return 0;
}
