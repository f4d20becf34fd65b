/*
 * fuzz_patterns.c - libFuzzer target: arbitrary bytes as a file of patterns, whose
 * automata are possible.
 */
#include "io/automata/pattern_file.h"
#include "tests/support/fuzz_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    int64_t n_skipped;
    nfa_t nfa;
    status_t st;
    char path[64];
    const int fd = fuzz_file(data, len, path);

    fuzz_quiet();
    st = pattern_file_read(path, true, &nfa, &n_skipped);
    fuzz_loud();
    if (st == ST_OK) {
        if (nfa_misfit(&nfa) != NULL)
            abort();
        nfa_free(&nfa);
    } else if (st != ST_EINPUT) {
        abort();
    }
    close(fd);
    return 0;
}
