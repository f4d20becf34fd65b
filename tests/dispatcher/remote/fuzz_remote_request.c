/*
 * fuzz_remote_request.c - libFuzzer target: arbitrary bytes as what a client sends to a
 * server before its run begins.
 */
#include "dispatcher/remote/remote_hello.h"
#include "tests/support/fuzz_file.h"

#include <string.h>

enum { PIPE_BYTES = 1 << 16 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    hello_request_t r;
    const char *word = NULL;
    int in[2], out = open("/dev/null", O_WRONLY);
    status_t st;

    if (len > PIPE_BYTES || out < 0 || pipe(in) != 0)
        abort();
    if (len > 0 && write(in[1], data, len) != (ssize_t)len)
        abort();
    close(in[1]);
    fuzz_quiet();
    st = remote_hello_server(in[0], out, "ribogrid fuzz", &r);
    fuzz_loud();
    close(in[0]);
    close(out);
    for (int i = 0; st == ST_OK && i < r.n_words; i++) {
        word = remote_hello_word(&r, word);
        if (word + strlen(word) + 1 > (const char *)r.text.data + r.text.len)
            abort();
    }
    if (st == ST_OK && (r.rank < 1 || r.rank >= r.n_ranks || r.index < 0))
        abort();
    buf_free(&r.text);
    return 0;
}
