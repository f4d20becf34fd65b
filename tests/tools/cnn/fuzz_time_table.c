/*
 * fuzz_time_table.c - libFuzzer target: arbitrary bytes as the table of `cnn time`.
 */
#include "tests/support/fuzz_file.h"
#include "tools/cnn/cnn_times.h"

#include <math.h>

static void check(const time_table_t *table)
{
    for (int i = 0; i < table->n; i++) {
        const time_row_t *row = &table->rows[i];

        if (!(row->value[TIME_BATCH] >= 1) || isinf(row->value[TIME_MEDIAN_S]))
            abort();
        for (int c = 0; c < TIME_N_WORDS; c++)
            if (row->word[c] == NULL)
                abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    time_table_t table = {.n = 0};
    bool is_table = false;
    char path[64];
    const int fd = fuzz_file(data, len, path);
    status_t st;

    fuzz_quiet();
    st = time_table_read(path, &table, &is_table);
    fuzz_loud();
    if (st == ST_OK && is_table)
        check(&table);
    else if (st != ST_OK && st != ST_EINPUT)
        abort();
    time_table_free(&table);
    close(fd);
    return 0;
}
