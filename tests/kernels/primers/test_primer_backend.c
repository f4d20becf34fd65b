/*
 * test_primer_backend.c - the definition equals a loop over bases; all backends of the
 * CPU, at each SIMD level, equal the definition.
 */
#include "tests/support/unit_test.h"

#include "kernels/primers/primer_backend.h"

#include "tests/kernels/primers/primer_case.h"
#include "tests/support/random_set.h"
#include "tests/support/spelled_set.h"

enum { N_READS = 40, READ_LEN_MAX = 400, PATTERNS = 4, WORD = 64 };

typedef struct {
    seqset_t *set;
    base_planes_t text;
    primer_pattern_t patterns[PATTERNS];
    primer_context_t context;
    device_t cpu;
} case_t;

/* Primers of `len` bases or a few less. */
static void make_case(rng_t *rng, int len, case_t *c)
{
    const uint64_t n_bases = 2 + rng_below(rng, 3);
    primer_pair_t pair = {primer_case_draw(rng, len, n_bases),
                          primer_case_draw(rng, len > 3 ? len - 2 : len, n_bases)};
    const primer_t *primers[] = {&pair.forward, &pair.reverse};

    *c = (case_t){.cpu = device_cpu()};
    c->set = primer_case_reads(rng, &pair, 1, N_READS, READ_LEN_MAX, n_bases);
    assert_non_null(c->set);
    assert_int_equal(base_planes_of_set(c->set, &c->text), ST_OK);
    for (int k = 0; k < PATTERNS; k++) {
        const primer_t turned = primer_reverse_complement(primers[k / 2]);

        c->patterns[k] = primer_pattern_make(k % 2 == 0 ? primers[k / 2] : &turned,
                                             k % 2 == 0, (int)rng_below(rng, 4));
    }
    c->context = (primer_context_t){.device = &c->cpu,
                                    .text = &c->text,
                                    .patterns = c->patterns,
                                    .n_patterns = PATTERNS,
                                    .max_mismatches = (int)rng_below(rng, 16)};
}

static void free_case(case_t *c)
{
    base_planes_free(&c->text);
    seqset_destroy(c->set);
}

/* @return the places of words first .. first + n - 1, which the caller frees */
static uint64_t *scan(const primer_backend_t *row, const case_t *c, int64_t first,
                      int64_t n)
{
    uint64_t *out = malloc(PATTERNS * (size_t)primer_row_words(n) * sizeof(*out));
    void *state;

    assert_non_null(out);
    assert_int_equal(row->create(&c->context, &state), ST_OK);
    assert_int_equal(row->scan(state, first, n, out), ST_OK);
    row->destroy(state);
    return out;
}

/* Compare a pattern with bases of a read from a place on, where it fits. */
static bool is_place(const case_t *c, int k, const uint8_t *letters)
{
    const primer_pattern_t *p = &c->patterns[k];
    int n = 0;

    for (int i = 0; i < p->len; i++) {
        n += (letters[i] & ~p->codes[i]) != 0;
        if ((letters[i] & ~p->codes[i]) != 0 && (p->exact >> i & 1) != 0)
            return false;
    }
    return n <= c->context.max_mismatches;
}

static void check_reads(const case_t *c, const uint64_t *got)
{
    const int64_t row = primer_row_words(c->text.first_word[c->set->n]);

    for (int64_t i = 0; i < c->set->n; i++)
        for (int k = 0; k < PATTERNS; k++)
            for (int64_t at = 0; at + c->patterns[k].len <= seqset_len(c->set, i); at++) {
                const int64_t word = c->text.first_word[i] + at / WORD;

                assert_int_equal(got[k * row + word] >> at % WORD & 1,
                                 is_place(c, k, seqset_letters(c->set, i) + at));
            }
}

static void the_definition_is_a_loop_over_bases(void **state)
{
    rng_t rng = rng_seed(1);

    (void)state;
    for (int len = 1; len <= PRIMER_LEN_MAX; len++) {
        case_t c;
        uint64_t *got;

        make_case(&rng, len, &c);
        got = scan(&primer_reference_backend, &c, 0, c.text.first_word[c.set->n]);
        check_reads(&c, got);
        free(got);
        free_case(&c);
    }
}

/* @param want  the places of the first n_want words */
static void compare(const case_t *c, const uint64_t *want, int64_t n_want, int64_t first,
                    int64_t n)
{
    uint64_t *got = scan(&primer_cpu_backend, c, first, n);

    for (int k = 0; k < PATTERNS; k++)
        assert_memory_equal(want + k * primer_row_words(n_want) + first,
                            got + k * primer_row_words(n), (size_t)n * sizeof(*want));
    free(got);
}

static void every_simd_level_equals_the_definition(void **state)
{
    const simd_level_t best = device_cpu().simd;
    rng_t rng = rng_seed(2);

    (void)state;
    for (int round = random_set_count(4); round > 0; round--)
        for (int len = 1; len <= PRIMER_LEN_MAX; len++) {
            int64_t n, first;
            uint64_t *want;
            case_t c;

            make_case(&rng, len, &c);
            n = c.text.first_word[c.set->n];
            first = n > 0 ? (int64_t)rng_below(&rng, (uint64_t)n) : 0;
            want = scan(&primer_reference_backend, &c, 0, n);
            for (simd_level_t level = SIMD_NONE; level <= best; level++) {
                c.cpu.simd = level;
                compare(&c, want, n, 0, n);
                compare(&c, want, n, first, (n - first) / 2);
            }
            free(want);
            free_case(&c);
        }
}

/* The read has every code once. */
static void codes_of_reads_must_be_among_those_of_the_primer(void **state)
{
    const char *letters = "ACMGRSVTWYHKDBN";
    device_t cpu = device_cpu();
    seqset_t *set = spelled_set("all ACMGRSVTWYHKDBN");
    base_planes_t text;

    (void)state;
    assert_int_equal(base_planes_of_set(set, &text), ST_OK);
    for (unsigned code = 1; code <= CODE_N; code++) {
        const primer_t primer = {.codes = {(uint8_t)code}, .len = 1};
        const primer_pattern_t p = primer_pattern_make(&primer, true, 0);
        const primer_context_t context = {.device = &cpu,
                                          .text = &text,
                                          .patterns = &p,
                                          .n_patterns = 1};
        uint64_t out[PRIMER_ROW_WORDS];
        void *s;

        assert_int_equal(primer_cpu_backend.create(&context, &s), ST_OK);
        assert_int_equal(primer_cpu_backend.scan(s, 0, 1, out), ST_OK);
        primer_cpu_backend.destroy(s);
        for (int i = 0; letters[i] != '\0'; i++)
            assert_int_equal(out[0] >> i & 1, ((unsigned)(i + 1) & ~code) == 0);
    }
    base_planes_free(&text);
    seqset_destroy(set);
}

/* Bits of all places equal alignments at each of them, with up to three gaps. */
static void places_with_gaps_equal_the_definition(void **state)
{
    rng_t rng = rng_seed(6);

    (void)state;
    for (int len = 1; len <= PRIMER_LEN_MAX; len += 1 + (len > 24) * 6) {
        int64_t n, first;
        uint64_t *want;
        case_t c;

        make_case(&rng, len, &c);
        c.context.max_gaps = 1 + len % PRIMER_GAPS_MAX;
        n = c.text.first_word[c.set->n] / 4;
        first = n > 0 ? (int64_t)rng_below(&rng, (uint64_t)n) : 0;
        want = scan(&primer_reference_backend, &c, 0, n);
        compare(&c, want, n, 0, n);
        compare(&c, want, n, first, n - first < 9 ? n - first : 9);
        free(want);
        free_case(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_definition_is_a_loop_over_bases),
        cmocka_unit_test(every_simd_level_equals_the_definition),
        cmocka_unit_test(places_with_gaps_equal_the_definition),
        cmocka_unit_test(codes_of_reads_must_be_among_those_of_the_primer),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
