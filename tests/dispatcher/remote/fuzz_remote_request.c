/*
 * fuzz_remote_request.c - libFuzzer target: arbitrary bytes as what a client and a server
 * send to each other before a run begins.
 */
#include "dispatcher/remote/remote_hello.h"
#include "tests/support/fuzz_file.h"

#include <string.h>

enum { PIPE_BYTES = 1 << 16 };

/* @return the end of a pipe that holds the bytes */
static int make_pipe(const uint8_t *data, size_t len)
{
    int in[2];

    if (len > PIPE_BYTES || pipe(in) != 0 ||
        (len > 0 && write(in[1], data, len) != (ssize_t)len))
        abort();
    close(in[1]);
    return in[0];
}

static void be_server(const uint8_t *data, size_t len, int out)
{
    const int in = make_pipe(data, len);
    const char *word = NULL;
    hello_request_t r;
    const status_t st = remote_hello_server(in, out, "ribogrid fuzz", &r);

    close(in);
    for (int i = 0; st == ST_OK && i < r.n_words; i++) {
        word = remote_hello_word(&r, word);
        if (word + strlen(word) + 1 > (const char *)r.text.data + r.text.len)
            abort();
    }
    if (st == ST_OK && (r.rank < 1 || r.rank >= r.n_ranks || r.index < 0))
        abort();
    buf_free(&r.text);
}

static void be_client(const uint8_t *data, size_t len, int out)
{
    const hello_request_t r = {.rank = 1, .n_ranks = 2};
    const int in = make_pipe(data, len);
    bool keeps;
    const status_t st =
        remote_hello_client(in, out, "fuzz", "ribogrid fuzz", 1, &r, &keeps);

    close(in);
    if (st != ST_OK && st != ST_EPEER)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    const int out = open("/dev/null", O_WRONLY);

    if (out < 0)
        abort();
    fuzz_quiet();
    be_server(data, len, out);
    be_client(data, len, out);
    fuzz_loud();
    close(out);
    return 0;
}
