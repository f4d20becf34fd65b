/*
 * fuzz_reads.c - libFuzzer target: arbitrary bytes as reads, which lie in their text and
 * become planes.
 */
#include "io/reads/reads.h"
#include "tests/support/fuzz_file.h"

static void check_reads(const reads_t *r)
{
    for (int64_t i = 0; i < r->n; i++) {
        const read_t *at = &r->at[i];

        if (at->header <= 0 || at->header_len <= 0 || at->len < 0 ||
            at->header + at->header_len > (int64_t)r->text.len ||
            at->bases + at->len > (int64_t)r->text.len ||
            at->qualities + (r->are_fastq ? at->len : 0) > (int64_t)r->text.len)
            abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    base_planes_t planes = {.n = 0};
    reads_t reads = {.n = 0};
    status_t st;
    char path[64];
    const int fd = fuzz_file(data, len, path);

    fuzz_quiet();
    st = reads_read(path, &reads);
    if (st == ST_OK) {
        check_reads(&reads);
        st = reads_planes(&reads, NULL, &planes);
    }
    fuzz_loud();
    if (st != ST_OK && st != ST_EINPUT)
        abort();
    base_planes_free(&planes);
    reads_free(&reads);
    close(fd);
    return 0;
}
