/*
 * test_scan_backend.c - all ends of patterns: worked by hand, and random patterns in
 * random bytes, by each backend, whole and in pieces.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "io/base/rng.h"
#include "kernels/automata/dfa_compress.h"
#include "kernels/automata/dfa_group.h"
#include "kernels/automata/scan_nfa.h"
#include "tests/support/made_patterns.h"

#include <stdio.h>
#include <stdlib.h>

enum { N_BACKENDS = 5, TEXT_BYTES = 4096 };

static const scan_backend_t *const backends[N_BACKENDS] = {&scan_reference_backend,
                                                           &scan_nfa_backend,
                                                           &scan_dfa_backend,
                                                           &scan_lazy_backend,
                                                           &scan_adfa_backend};

/* Patterns, their automata, and the backends' states. */
typedef struct {
    nfa_t nfa;
    dfa_set_t dfas, compressed;
    void *state[N_BACKENDS];
} made_t;

static void make(made_t *m, const char *const *texts, int64_t budget)
{
    const dfa_limits_t limits = {.max_states = budget, .max_bytes = 1 << 24};
    const dfa_compress_t how = {.rule = DFA_RULE_WITHIN, .d = 2};
    scan_context_t context = {.n_threads = 1};

    m->nfa = made_patterns(texts);
    assert_int_equal(dfa_group_all(&m->nfa, &limits, NULL, &m->dfas), ST_OK);
    assert_int_equal(dfa_group_all(&m->nfa, &limits, NULL, &m->compressed), ST_OK);
    assert_int_equal(dfa_compress(&m->compressed, &how, NULL), ST_OK);
    context.nfa = &m->nfa;
    for (int k = 0; k < N_BACKENDS; k++) {
        context.dfas = &m->dfas;
        if (backends[k]->takes != NULL && !backends[k]->takes(&context))
            context.dfas = &m->compressed;
        assert_int_equal(backends[k]->create(&context, &m->state[k]), ST_OK);
    }
}

static void unmake(made_t *m)
{
    for (int k = 0; k < N_BACKENDS; k++)
        backends[k]->destroy(m->state[k]);
    dfa_set_free(&m->dfas);
    dfa_set_free(&m->compressed);
    nfa_free(&m->nfa);
}

/* Scan a record in pieces of `piece` bytes. */
static void scan_pieces(const made_t *m, int k, const char *text, size_t piece,
                        buf_t *hits)
{
    const int64_t n = (int64_t)strlen(text);
    buf_t before = {0}, behind = {0};

    for (int64_t at = 0; at < n; at += (int64_t)piece) {
        const int64_t end = at + (int64_t)piece < n ? at + (int64_t)piece : n;
        const scan_piece_t p = {(const uint8_t *)text, at, end, 0, n};
        const size_t begin = hits->len;

        behind.len = 0;
        assert_int_equal(backends[k]->scan(m->state[k], &p, 0, hits, &behind), ST_OK);
        if (end == n)
            assert_int_equal(behind.len, 0);
        assert_int_equal(scan_carry(m->state[1], &p, 0, (const void *)before.data,
                                    (int64_t)(before.len / sizeof(int32_t)), hits,
                                    &behind),
                         ST_OK);
        scan_sort_hits(hits, begin);
        scan_sort_live(&behind, 0);
        before.len = 0;
        assert_int_equal(buf_append(&before, behind.data, behind.len), ST_OK);
    }
    buf_free(&before);
    buf_free(&behind);
}

/* Spell hits as "pattern:end", and compare them for each backend and size of pieces. */
static void assert_hits(const char *const *texts, const char *bytes, const char *expected)
{
    made_t m;

    make(&m, texts, 100);
    for (int k = 0; k < N_BACKENDS; k++)
        for (size_t piece = 1; piece <= strlen(bytes); piece++) {
            char spelt[TEXT_BYTES] = "";
            buf_t hits = {0};
            size_t len = 0;

            scan_pieces(&m, k, bytes, piece, &hits);
            for (size_t i = 0; i < hits.len / sizeof(scan_hit_t); i++) {
                const scan_hit_t *h = (const scan_hit_t *)(const void *)hits.data + i;

                len += (size_t)snprintf(spelt + len, TEXT_BYTES - len, "%s%d:%d",
                                        i > 0 ? " " : "", (int)h->pattern, (int)h->end);
            }
            assert_string_equal(spelt, expected);
            buf_free(&hits);
        }
    unmake(&m);
}

static void all_ends_are_found_once(void **state)
{
    static const char *const words[] = {"he", "she", "his", "hers", NULL},
                             *const loops[] = {"ab*", "a.*c", "(ab|b)+", "x?", NULL};

    (void)state;
    assert_hits(words, "ushers", "0:4 1:4 3:6");
    assert_hits(loops, "abbcc", "0:1 0:2 2:2 0:3 2:3 1:4 1:5");
}

static void anchors_hold_at_the_ends_of_a_record(void **state)
{
    static const char *const begin[] = {"^a", "^.b", "a", NULL}, *const end[] = {"a$",
                                                                                 "ab?$",
                                                                                 "^aba$",
                                                                                 NULL};

    (void)state;
    assert_hits(begin, "aba", "0:1 2:1 1:2 2:3");
    assert_hits(end, "aba", "0:3 1:3 2:3");
    assert_hits(end, "aba\n", "0:3 1:3 2:3"); /* before the last line feed, too */
    assert_hits(end, "aba\n\n", "");
    assert_hits(end, "ab", "1:2");
}

/* A loop ends with a byte that it lacks, and a pattern waits in it for long. */
static void patterns_wait_in_loops(void **state)
{
    static const char *const texts[] = {"abcd.*efgh", "abcd[^z]*efgh", "abcd.*ef.*gh",
                                        "^ab.*gh", NULL};

    (void)state;
    assert_hits(texts, "abcd--efgh\nefghabcdzefgh", "0:10 1:10 2:10 3:10 1:15 0:24 2:24");
    assert_hits(texts, "abcd....................................efg-efghgh",
                "0:48 1:48 2:48 3:48 2:50 3:50");
}

/* Positions in several words, and jumps between them. */
static void long_patterns_have_several_words(void **state)
{
    static const char *const texts[] = {"a(b|cd){70,75}e", "a.{100}b", NULL};
    char bytes[256] = "a";

    (void)state;
    for (int k = 0; k < 70; k++)
        strcat(bytes, k % 2 == 0 ? "b" : "cd");
    strcat(bytes, "e"); /* 107 bytes; byte 102 is b */
    assert_int_equal(strlen(bytes), 107);
    assert_hits(texts, bytes, bytes[101] == 'b' ? "1:102 0:107" : "0:107");
}

/* ---- random ones ---- */

static const char *const atoms[] = {"a",    "b",  "c",   "[ab]", ".",
                                    "[^a]", "ab", "cab", "\n"};
static const char *const repeats[] = {"", "", "", "?", "*", "+", "{2}", "{1,3}", "{0,2}"};

static size_t pick(uint64_t *rng, size_t n)
{
    return (size_t)(rng_splitmix(rng) % n);
}

/* Append a random pattern, with groups up to a depth. */
static void append_pattern(uint64_t *rng, int depth, char text[TEXT_BYTES])
{
    const size_t n = 1 + pick(rng, 4);

    for (size_t k = 0; k < n; k++) {
        if (depth > 0 && pick(rng, 3) == 0) {
            strcat(text, "(");
            append_pattern(rng, depth - 1, text);
            strcat(text, pick(rng, 2) == 0 ? "|" : "");
            append_pattern(rng, depth - 1, text);
            strcat(text, ")");
        } else {
            strcat(text, atoms[pick(rng, sizeof(atoms) / sizeof(atoms[0]))]);
        }
        strcat(text, repeats[pick(rng, sizeof(repeats) / sizeof(repeats[0]))]);
        if (pick(rng, 12) == 0)
            strcat(text, pick(rng, 2) == 0 ? "^" : "$");
    }
}

/* Fill in random bytes; 'e' is in no pattern's sets of single bytes. */
static void fill_bytes(uint64_t *rng, char *bytes, size_t n)
{
    for (size_t k = 0; k < n; k++)
        bytes[k] = "aaabbbcce\n"[pick(rng, 10)];
    bytes[n] = '\0';
}

static void backends_agree_on_random_patterns(void **state)
{
    enum { N_PATTERNS = 8, N_BYTES = 60 };
    static char texts[N_PATTERNS][TEXT_BYTES];
    const char *list[N_PATTERNS + 1] = {NULL};
    uint64_t rng = 1;
    int64_t n_hits = 0;

    (void)state;
    for (int round = 0; round < 150; round++) {
        char bytes[N_BYTES + 1];
        made_t m;

        for (int k = 0; k < N_PATTERNS; k++) {
            texts[k][0] = '\0';
            append_pattern(&rng, 2, texts[k]);
            list[k] = texts[k];
        }
        fill_bytes(&rng, bytes, N_BYTES);
        make(&m, list, (int64_t[]){1, 8, 1000}[round % 3]);
        for (int k = 0; k < N_BACKENDS; k++)
            for (size_t piece = 7; piece <= N_BYTES; piece += 53) {
                buf_t hits = {0}, expected = {0};

                scan_pieces(&m, 0, bytes, N_BYTES, &expected);
                scan_pieces(&m, k, bytes, piece, &hits);
                assert_int_equal(hits.len, expected.len);
                if (hits.len > 0)
                    assert_memory_equal(hits.data, expected.data, hits.len);
                n_hits += (int64_t)(hits.len / sizeof(scan_hit_t));
                buf_free(&hits);
                buf_free(&expected);
            }
        unmake(&m);
    }
    assert_true(n_hits > 10000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_ends_are_found_once),
        cmocka_unit_test(anchors_hold_at_the_ends_of_a_record),
        cmocka_unit_test(patterns_wait_in_loops),
        cmocka_unit_test(long_patterns_have_several_words),
        cmocka_unit_test(backends_agree_on_random_patterns),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
