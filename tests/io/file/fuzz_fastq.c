/*
 * fuzz_fastq.c - libFuzzer target: arbitrary bytes as FASTQ, whole and in small pieces;
 * what is accepted becomes as many lines, and each record begins one FASTA record.
 */
#include "io/file/fastq.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

enum { SMALL = 7 };

/* Errors are always logged: redirect stderr, but only during the call, since the fuzzer
 * writes to it, too. */
static status_t translate_quietly(const uint8_t *data, size_t len, size_t piece,
                                  buf_t *out)
{
    static int null = -1, own_stderr = -1;
    fastq_t *f;
    status_t st = fastq_create("fuzz", &f);

    if (null < 0) {
        null = open("/dev/null", O_WRONLY);
        own_stderr = dup(STDERR_FILENO);
    }
    dup2(null, STDERR_FILENO);
    for (size_t at = 0; st == ST_OK && at < len; at += piece)
        st = fastq_feed(f, data + at, piece < len - at ? piece : len - at, out);
    if (st == ST_OK)
        st = fastq_finish(f, out);
    fastq_destroy(f);
    dup2(own_stderr, STDERR_FILENO);
    return st;
}

static size_t n_lines(const uint8_t *data, size_t len)
{
    size_t n = len > 0 && data[len - 1] != '\n';

    for (size_t i = 0; i < len; i++)
        n += data[i] == '\n';
    return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    buf_t whole = {0}, pieces = {0};
    status_t st = translate_quietly(data, len, len + 1, &whole);

    if (translate_quietly(data, len, SMALL, &pieces) != st)
        abort();
    if (st == ST_OK &&
        (whole.len != pieces.len ||
         n_lines(whole.data, whole.len) != n_lines(data, len) ||
         (whole.len > 0 && memcmp(whole.data, pieces.data, whole.len) != 0)))
        abort();
    buf_free(&whole);
    buf_free(&pieces);
    return 0;
}
