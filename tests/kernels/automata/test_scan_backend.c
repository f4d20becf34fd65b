/*
 * test_scan_backend.c - all ends of patterns: worked by hand, and random patterns in
 * random bytes, by each backend, whole and in pieces.
 */
#include "tests/support/unit_test.h"

#include "io/base/rng.h"
#include "kernels/automata/dfa_compress.h"
#include "kernels/automata/dfa_group.h"
#include "kernels/automata/scan_join.h"
#include "tests/support/made_patterns.h"
#include "tests/support/random_set.h"

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

/* Join pieces, the first of them by themselves. */
static void join_pieces(const made_t *m, const scan_piece_t *pieces, int n,
                        scan_found_t *found)
{
    scan_join_t *join = NULL;

    assert_int_equal(scan_join_create(&m->nfa, NULL, &join), ST_OK);
    assert_int_equal(scan_join_pieces(join, pieces, n / 3, found), ST_OK);
    assert_int_equal(scan_join_pieces(join, pieces + n / 3, n - n / 3, found + n / 3),
                     ST_OK);
    scan_join_destroy(join);
}

/* Scan a record in pieces of `size` bytes. */
static void scan_divided(const made_t *m, int k, const char *text, size_t size,
                         buf_t *hits)
{
    enum { MAX_PIECES = 128 };
    const int64_t length = (int64_t)strlen(text);
    scan_piece_t pieces[MAX_PIECES];
    scan_found_t found[MAX_PIECES] = {{.hits = {0}}};
    int n = 0;

    for (int64_t at = 0, end; at < length; at = end, n++) {
        assert_true(n < MAX_PIECES);
        end = at + (int64_t)size < length ? at + (int64_t)size : length;
        pieces[n] = (scan_piece_t){(const uint8_t *)text, at, end, 0, length, false};
        assert_int_equal(scan_piece(backends[k], m->state[k], &pieces[n], 0, &found[n]),
                         ST_OK);
    }
    assert_int_equal(found[n - 1].live.len, 0);
    join_pieces(m, pieces, n, found);
    for (int i = 0; i < n; i++) {
        assert_int_equal(buf_append(hits, found[i].hits.data, found[i].hits.len), ST_OK);
        scan_found_free(&found[i]);
    }
}

/* Spell hits as "pattern:end", and compare them for each backend and size of pieces. */
static void assert_hits(const char *const *texts, const char *bytes, const char *expected)
{
    made_t m;

    make(&m, texts, 100);
    for (int k = 0; k < N_BACKENDS; k++)
        for (size_t piece = 1; piece <= strlen(bytes); piece++) {
            char spelt[PATTERN_TEXT_BYTES] = "";
            buf_t hits = {0};
            size_t len = 0;

            scan_divided(&m, k, bytes, piece, &hits);
            for (size_t i = 0; i < hits.len / sizeof(scan_hit_t); i++) {
                const scan_hit_t *h = (const scan_hit_t *)(const void *)hits.data + i;

                len += (size_t)snprintf(spelt + len, PATTERN_TEXT_BYTES - len, "%s%d:%d",
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

static void each_line_is_a_record(void **state)
{
    static const char *const texts[] = {"^a", "a$", "a.*c", "b[^x]*b", NULL};
    static const char bytes[] = "bab\nca\n\naxc\nb";
    static const scan_hit_t expected[] = {{3, 3}, {6, 1}, {9, 0}, {11, 2}};
    made_t m;

    (void)state;
    make(&m, texts, 100);
    for (int k = 0; k < N_BACKENDS; k++) {
        const scan_piece_t lines = {.data = (const uint8_t *)bytes,
                                    .end = sizeof(bytes) - 1,
                                    .has_lines = true};
        scan_found_t found = {.hits = {0}};

        assert_int_equal(scan_piece(backends[k], m.state[k], &lines, 0, &found), ST_OK);
        assert_int_equal(found.live.len, 0);
        assert_int_equal(found.hits.len, sizeof(expected));
        assert_memory_equal(found.hits.data, expected, sizeof(expected));
        scan_found_free(&found);
    }
    unmake(&m);
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

/* Eleven matches per byte, 176 bytes in memory: the second piece is above the limit. */
static void many_matches_end_a_scan_of_pieces_early(void **state)
{
    enum { N_PATTERNS = 11, PIECE = 1 << 18, N_PIECES = 4, BYTES_PER_BYTE = 176 };
    static uint8_t bytes[N_PIECES * PIECE];
    const char *texts[N_PATTERNS + 1] = {NULL};
    const int cancelled = 1;
    scan_piece_t pieces[N_PIECES];
    scan_found_t found[N_PIECES] = {{.hits = {0}}};
    scan_context_t context = {.n_threads = 1};
    int n_done = 0;
    made_t m;

    (void)state;
    for (int k = 0; k < N_PATTERNS; k++)
        texts[k] = "x";
    memset(bytes, 'x', sizeof(bytes));
    for (int k = 0; k < N_PIECES; k++)
        pieces[k] =
            (scan_piece_t){bytes, k * PIECE, (k + 1) * PIECE, 0, sizeof(bytes), false};
    make(&m, texts, 100);
    assert_int_equal(scan_pieces(backends[2], m.state[2], &context, pieces, N_PIECES,
                                 found, &n_done),
                     ST_OK);
    assert_int_equal(n_done, 2);
    assert_int_equal(found[0].hits.len, PIECE * BYTES_PER_BYTE);
    assert_int_equal(found[1].hits.len, PIECE * BYTES_PER_BYTE);
    assert_null(found[2].hits.data);
    for (int k = 0; k < N_PIECES; k++)
        scan_found_free(&found[k]);
    context.cancel = &cancelled;
    assert_int_equal(scan_pieces(backends[2], m.state[2], &context, pieces, N_PIECES,
                                 found, &n_done),
                     ST_OK);
    assert_null(found[0].hits.data);
    unmake(&m);
}

/* ---- random ones ---- */

static void backends_agree_on_random_patterns(void **state)
{
    enum { N_PATTERNS = 8, N_BYTES = 60 };
    static char texts[N_PATTERNS][PATTERN_TEXT_BYTES];
    const char *list[N_PATTERNS + 1] = {NULL};
    uint64_t rng = 1;
    int64_t n_hits = 0;
    const int n_rounds = random_set_count(150);

    (void)state;
    for (int round = 0; round < n_rounds; round++) {
        char bytes[N_BYTES + 1];
        made_t m;

        for (int k = 0; k < N_PATTERNS; k++) {
            texts[k][0] = '\0';
            pattern_texts_append(&rng, 2, texts[k]);
            list[k] = texts[k];
        }
        pattern_texts_fill(&rng, bytes, N_BYTES);
        make(&m, list, (int64_t[]){1, 8, 1000}[round % 3]);
        for (int k = 0; k < N_BACKENDS; k++)
            for (size_t piece = 7; piece <= N_BYTES; piece += 53) {
                buf_t hits = {0}, expected = {0};

                scan_divided(&m, 0, bytes, N_BYTES, &expected);
                scan_divided(&m, k, bytes, piece, &hits);
                assert_int_equal(hits.len, expected.len);
                if (hits.len > 0)
                    assert_memory_equal(hits.data, expected.data, hits.len);
                n_hits += (int64_t)(hits.len / sizeof(scan_hit_t));
                buf_free(&hits);
                buf_free(&expected);
            }
        unmake(&m);
    }
    assert_true(n_hits > 60 * n_rounds);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_ends_are_found_once),
        cmocka_unit_test(each_line_is_a_record),
        cmocka_unit_test(anchors_hold_at_the_ends_of_a_record),
        cmocka_unit_test(patterns_wait_in_loops),
        cmocka_unit_test(long_patterns_have_several_words),
        cmocka_unit_test(many_matches_end_a_scan_of_pieces_early),
        cmocka_unit_test(backends_agree_on_random_patterns),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
