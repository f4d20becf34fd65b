/*
 * fuzz_primer_panel.c - libFuzzer target: arbitrary bytes as a file of pairs of primers.
 */
#include "io/seq/alphabet.h"
#include "io/seq/primer_pair.h"
#include "tests/support/fuzz_file.h"

static void check_primer(const primer_t *p)
{
    if (p->len < 1 || p->len > PRIMER_LEN_MAX)
        abort();
    for (int i = 0; i < p->len; i++)
        if (p->codes[i] == CODE_NONE || p->codes[i] > CODE_N)
            abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    primer_panel_t panel = {.n = 0};
    status_t st;
    char path[64];
    const int fd = fuzz_file(data, len, path);

    fuzz_quiet();
    st = primer_panel_read(path, &panel);
    fuzz_loud();
    if (st != ST_OK && st != ST_EINPUT)
        abort();
    for (int64_t q = 0; q < panel.n; q++) {
        check_primer(&panel.pairs[q].forward);
        check_primer(&panel.pairs[q].reverse);
    }
    primer_panel_free(&panel);
    close(fd);
    return 0;
}
