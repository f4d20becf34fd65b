/*
 * test_fasta_pieces.c - several threads read the same records as one, and say the same of
 * them, wherever blocks are cut and whatever is wrong.
 */
#include "tests/support/unit_test.h"

#include "io/base/rng.h"
#include "io/seq/fasta_parse.h"
#include "tests/support/captured_log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N_THREADS = 3, N_TEXTS = 40, RECORDS = 1500, MAX_RECORD_BYTES = 500 };

/* What was read of a text, and what was said. */
typedef struct {
    status_t st;
    int64_t n_bad;
    fasta_records_t records;
    char logged[CAPTURE_BYTES];
} read_t;

/* Write records of 60 to 400 letters; one in `rare` follows something that needs care, or
 * a message. */
static void make_text(rng_t *rng, uint64_t rare, buf_t *out)
{
    static const char *const odd[] = {">\nACGT\n",        ">empty\n",     ">a\nAC!GT\n",
                                      ">b c\nAC-GT\n",    ">\xff\nACG\n", ">d\nAC\x01G\n",
                                      ">e\r\nACG\r\nT\n", "\n\n",         ">f\n>g\nA\n"};
    const uint64_t width = 20 + rng_below(rng, 100);

    out->len = 0;
    for (int i = 0; i < RECORDS; i++) {
        const uint64_t len = 60 + rng_below(rng, 340);
        char lines[MAX_RECORD_BYTES];
        size_t n = 0;

        if (rare > 0 && rng_below(rng, rare) == 0)
            assert_int_equal(buf_printf(out, "%s", odd[rng_below(rng, 9)]), ST_OK);
        assert_int_equal(buf_printf(out, ">r%d some >words", i), ST_OK);
        for (uint64_t k = 0; k < len; k++) {
            if (k % width == 0)
                lines[n++] = '\n';
            lines[n++] = "ACGTN"[rng_below(rng, 5)];
        }
        lines[n++] = '\n';
        assert_int_equal(buf_append(out, lines, n), ST_OK);
    }
}

/* @param pool  NULL: by the parser alone */
static void read_text(rng_t *rng, const buf_t *text, const fasta_opts_t *opts,
                      pool_t *pool, read_t *out)
{
    fasta_pieces_t *pieces;

    *out = (read_t){.st = ST_OK};
    capture_start();
    assert_int_equal(fasta_pieces_create("x.fa", opts, ALPHABET_DNA, &out->records, pool,
                                         &pieces),
                     ST_OK);
    for (size_t at = 0, n; out->st == ST_OK && at < text->len; at += n) {
        n = 1 + rng_below(rng, rng_below(rng, 2) == 0 ? 100 : 300000);
        n = n < text->len - at ? n : text->len - at;
        out->st = fasta_pieces_feed(pieces, text->data + at, n);
    }
    if (out->st == ST_OK)
        out->st = fasta_pieces_finish(pieces, &out->n_bad);
    fasta_pieces_destroy(pieces);
    capture_stop();
    snprintf(out->logged, sizeof(out->logged), "%s", logged);
}

static void assert_bufs(const buf_t *a, const buf_t *b)
{
    assert_int_equal(a->len, b->len);
    if (a->len > 0)
        assert_memory_equal(a->data, b->data, a->len);
}

static void assert_same(const read_t *a, const read_t *b)
{
    const seqset_builder_t *x = &a->records.set, *y = &b->records.set;

    assert_int_equal(a->st, b->st);
    assert_string_equal(a->logged, b->logged);
    assert_int_equal(a->n_bad, b->n_bad);
    if (a->st != ST_OK)
        return;
    assert_int_equal(x->n, y->n);
    assert_bufs(&x->letters, &y->letters);
    assert_bufs(&x->names, &y->names);
    assert_bufs(&x->offsets, &y->offsets);
    assert_bufs(&x->name_offsets, &y->name_offsets);
    assert_bufs(&a->records.headers, &b->records.headers);
}

static void free_read(read_t *r)
{
    seqset_builder_free(&r->records.set);
    buf_free(&r->records.headers);
}

static void threads_read_what_one_reads(void **state)
{
    static const uint64_t rare[] = {0, 10000, 3000, 500};
    rng_t rng = rng_seed(1);
    buf_t text = {0};
    int n_refused = 0, n_said = 0;
    pool_t *pool;

    (void)state;
    assert_int_equal(pool_create(N_THREADS, &pool), ST_OK);
    for (int i = 0; i < N_TEXTS; i++) {
        const fasta_opts_t opts = {.alphabet = ALPHABET_DNA,
                                   .skip_bad = i % 2 == 1,
                                   .degap = i % 3 == 1,
                                   .full_names = i % 5 == 1};
        read_t one, several;

        make_text(&rng, rare[i % 4], &text);
        read_text(&rng, &text, &opts, NULL, &one);
        read_text(&rng, &text, &opts, pool, &several);
        assert_same(&one, &several);
        n_refused += one.st != ST_OK;
        n_said += one.st == ST_OK && one.logged[0] != '\0';
        free_read(&one);
        free_read(&several);
    }
    assert_true(n_refused > 0);
    assert_true(n_said > 0);
    buf_free(&text);
    pool_destroy(pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(threads_read_what_one_reads)};

    return cmocka_run_group_tests(tests, dir_make, dir_remove);
}
