/*
 * fuzz_matrix.c - libFuzzer target: arbitrary bytes through matrix_file_read.
 */
#include "io/seq/matrix_file.h"
#include "tests/support/fuzz_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    static const alphabet_t alphabets[] = {ALPHABET_DNA, ALPHABET_PROTEIN};
    char path[64];
    const int fd = fuzz_file(data, len, path);

    for (int a = 0; a < 2; a++) {
        score_matrix_t m;
        status_t st;

        fuzz_quiet();
        st = matrix_file_read(path, alphabets[a], &m);
        fuzz_loud();
        if (st != ST_OK && st != ST_EINPUT)
            abort();
    }
    close(fd);
    return 0;
}
