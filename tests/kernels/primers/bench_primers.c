/*
 * bench_primers.c - reads per second that backends compare with a pair of primers, on one
 * core of the CPU and on the first GPU.
 *
 * usage: bench_primers [READS [ROUNDS]]
 *
 * READS (1,048,576) have 292 bases: 515F, 253 random ones, and 806R, with 1 % errors. All
 * are scanned in every round (5), after a first one to warm up: by a GPU at once, by a
 * CPU in pieces that stay in its caches.  Prints a line per backend: what, device, reads
 * x bases x patterns, minimum, median and maximum seconds, and reads per second (from the
 * median); of a GPU another line for its kernel alone.  A backend that finds other places
 * than the one before it is an error; the definition takes too long.
 */
#include "io/base/clock.h"
#include "io/base/digest.h"
#include "io/base/logmsg.h"
#include "io/base/rng.h"
#include "kernels/registry/backends.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS_MAX = 100, READ_LEN = 292, PATTERNS = 4, PIECE_WORDS = 512 };

typedef struct {
    int n_rounds;
    base_planes_t text;
    primer_pattern_t patterns[PATTERNS];
    uint64_t *out;   /* [PATTERNS][primer_row_words(words of text)] */
    uint64_t digest; /* of the places that the backend before has found; 0: none */
} bench_t;

/* @return a base that a code stands for */
static uint8_t draw(rng_t *rng, uint8_t code)
{
    uint8_t base;

    do
        base = (uint8_t)(1U << rng_below(rng, 4));
    while ((base & code) == 0);
    return base;
}

/* Make reads of what the primers amplify. @param len  [n] */
static status_t make_text(const primer_pair_t *pair, int64_t n, int32_t *len,
                          base_planes_t *out)
{
    const primer_t end = primer_reverse_complement(&pair->reverse);
    uint8_t codes[READ_LEN], read[READ_LEN];
    rng_t rng = rng_seed(1);
    status_t st;

    memset(codes, CODE_N, sizeof(codes));
    memcpy(codes, pair->forward.codes, (size_t)pair->forward.len);
    memcpy(codes + READ_LEN - end.len, end.codes, (size_t)end.len);
    for (int64_t i = 0; i < n; i++)
        len[i] = READ_LEN;
    if ((st = base_planes_create(n, len, out)) != ST_OK)
        return st;
    for (int64_t i = 0; i < n; i++) {
        for (int k = 0; k < READ_LEN; k++)
            read[k] = draw(&rng, rng_chance(&rng, 1, 100) ? CODE_N : codes[k]);
        base_planes_set(out, i, read);
    }
    return ST_OK;
}

static void make_patterns(const primer_pair_t *pair, primer_pattern_t *out)
{
    const primer_t turned[] = {primer_reverse_complement(&pair->forward),
                               primer_reverse_complement(&pair->reverse)};

    out[0] = primer_pattern_make(&pair->forward, true, 0);
    out[1] = primer_pattern_make(&turned[0], false, 0);
    out[2] = primer_pattern_make(&pair->reverse, true, 0);
    out[3] = primer_pattern_make(&turned[1], false, 0);
}

/* ---- runs ---- */

/* Scan all words. @param digest  of the places, or NULL */
static status_t scan_all(const primer_backend_t *row, void *state, bench_t *b,
                         uint64_t *digest)
{
    const int64_t n_words = b->text.first_word[b->text.n];
    const int64_t piece = row->is_parallel ? PIECE_WORDS : n_words;
    status_t st = ST_OK;

    for (int64_t first = 0; st == ST_OK && first < n_words; first += piece) {
        const int64_t left = n_words - first, n = left < piece ? left : piece;

        st = row->scan(state, first, n, b->out);
        for (int k = 0; digest != NULL && k < PATTERNS; k++)
            for (int64_t w = 0; w < n; w++)
                *digest += digest_at((uint64_t)((k * n_words + first + w) * 8),
                                     &b->out[k * primer_row_words(n) + w], 8);
    }
    return st;
}

static int by_value(const void *a, const void *b)
{
    const double *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

static void print_times(const primer_context_t *c, const char *name, double *seconds,
                        const bench_t *b)
{
    const int n = b->n_rounds;

    qsort(seconds, (size_t)n, sizeof(*seconds), by_value);
    printf("primers/%s\t%s\t%lldx%dx%d\t%.3e\t%.3e\t%.3e\t%.0f\n", name, c->device->name,
           (long long)b->text.n, READ_LEN, PATTERNS, seconds[0], seconds[n / 2],
           seconds[n - 1], (double)b->text.n / seconds[n / 2]);
    fflush(stdout);
}

static status_t bench(const primer_backend_t *row, const primer_context_t *c, bench_t *b)
{
    double seconds[ROUNDS_MAX], kernel_s[ROUNDS_MAX];
    uint64_t digest = 0;
    void *state = NULL;
    status_t st = row->create(c, &state);

    if (st == ST_OK)
        st = scan_all(row, state, b, &digest);
    for (int i = 0; st == ST_OK && i < b->n_rounds; i++) {
        const double begin_s = clock_now_s();

        st = scan_all(row, state, b, NULL);
        seconds[i] = clock_now_s() - begin_s;
        if (row->kernel_s != NULL)
            kernel_s[i] = row->kernel_s(state);
    }
    if (state != NULL)
        row->destroy(state);
    if (st != ST_OK)
        return st;
    print_times(c, row->base.name, seconds, b);
    if (row->kernel_s != NULL)
        print_times(c, "kernel alone", kernel_s, b);
    if (b->digest != 0 && digest != b->digest) {
        log_error("kernel %s finds other places than the one before", row->base.name);
        return ST_EINPUT;
    }
    b->digest = digest;
    return ST_OK;
}

static status_t bench_device(const device_t *device, bench_t *b)
{
    const primer_context_t context = {.device = device,
                                      .text = &b->text,
                                      .patterns = b->patterns,
                                      .n_patterns = PATTERNS,
                                      .max_mismatches = 2};
    status_t st = ST_OK;

    for (const backend_t *const *row = primer_table.rows; st == ST_OK && *row != NULL;
         row++)
        if (*row != &primer_reference_backend.base && (*row)->kind == device->kind &&
            primer_table.takes(*row, &context))
            st = bench((const primer_backend_t *)*row, &context, b);
    return st;
}

int main(int argc, char **argv)
{
    const int64_t n = argc > 1 ? atoll(argv[1]) : 1 << 20;
    bench_t b = {.n_rounds = argc > 2 ? atoi(argv[2]) : 5};
    const device_t cpu = device_cpu();
    device_t gpus[DEVICES_MAX];
    primer_pair_t pair;
    int32_t *len;
    status_t st;

    if (n < 1 || b.n_rounds < 1 || b.n_rounds > ROUNDS_MAX ||
        !primer_pair_parse("515F/806R", &pair)) {
        fprintf(stderr, "usage: bench_primers [READS [ROUNDS]]\n");
        return EXIT_USAGE;
    }
    if ((len = malloc((size_t)n * sizeof(*len))) == NULL)
        return EXIT_FAILURE;
    make_patterns(&pair, b.patterns);
    st = make_text(&pair, n, len, &b.text);
    free(len);
    if (st == ST_OK) {
        const int64_t words = PATTERNS * primer_row_words(b.text.first_word[n]);

        b.out = malloc((size_t)words * sizeof(*b.out));
        st = b.out != NULL ? bench_device(&cpu, &b) : ST_ENOMEM;
    }
    if (st == ST_OK && device_list_cuda(gpus) > 0)
        st = bench_device(&gpus[0], &b);
    free(b.out);
    base_planes_free(&b.text);
    return status_exit_code(st);
}
