/*
 * fuzz_packed_input.c - libFuzzer target: arbitrary bytes through packed_input, in large
 * and small pieces; of gzip and plain files, what is accepted is what zlib's own reader
 * gives.
 */
#include "io/base/logmsg.h"
#include "io/file/packed_input.h"
#include "io/file/unpack.h"

#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

enum { OUTPUT_MAX = 1 << 22, SMALL = 61 };

/* Errors are always logged: redirect stderr, but only during the call, since the fuzzer
 * writes to it, too. */
static status_t read_quietly(const char *path, size_t piece, unsigned char *to,
                             size_t *len)
{
    static int null = -1, own_stderr = -1;
    packed_input_t *in;
    size_t n = piece;
    status_t st;

    if (null < 0) {
        null = open("/dev/null", O_WRONLY);
        own_stderr = dup(STDERR_FILENO);
    }
    dup2(null, STDERR_FILENO);
    *len = 0;
    if ((st = packed_input_open(path, &in)) != ST_OK)
        abort();
    while (st == ST_OK && n == piece && *len + piece <= OUTPUT_MAX) {
        st = packed_input_read(in, to + *len, piece, &n);
        *len += st == ST_OK ? n : 0;
    }
    packed_input_close(in);
    dup2(own_stderr, STDERR_FILENO);
    return st;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    const unpack_method_t *method = unpack_find(data, len);
    static unsigned char large[OUTPUT_MAX], small[OUTPUT_MAX];
    int fd = memfd_create("fuzz_packed_input", 0);
    size_t n_large, n_small;
    status_t st_large, st_small;
    char path[64];
    gzFile zlib;
    int n_zlib;

    if (fd < 0 || write(fd, data, len) != (ssize_t)len)
        abort();
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    st_large = read_quietly(path, OUTPUT_MAX, large, &n_large);
    st_small = read_quietly(path, SMALL, small, &n_small);
    if (n_large < OUTPUT_MAX - SMALL &&
        (st_large != st_small ||
         (st_large == ST_OK &&
          (n_large != n_small || memcmp(large, small, n_large) != 0))))
        abort();
    zlib = gzopen(path, "rb");
    n_zlib = zlib != NULL ? gzread(zlib, small, OUTPUT_MAX) : -1;
    if (st_large == ST_OK && (method == NULL || method == &unpack_gzip) &&
        (n_zlib != (int)n_large || memcmp(large, small, n_large) != 0))
        abort();
    gzclose(zlib);
    close(fd);
    return 0;
}
