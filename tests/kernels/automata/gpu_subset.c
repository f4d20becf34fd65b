/*
 * gpu_subset.c - the backend of GPUs finds the states of the definition, with the same
 * numbers.
 *
 * A plain program, without cmocka, which GPU machines may lack.  It exits with 1 if
 * anything differs, 77 without a GPU.
 */
#include "tests/kernels/automata/subset_case.h"
#include "tests/support/gpu_case.h"

typedef struct {
    void *gpu; /* state of the backend */
    const char *allocator;
    int64_t n_states;
    int n_failed;
} comparison_t;

static bool are_equal(const buf_t *a, const buf_t *b)
{
    return a->len == b->len && memcmp(a->data, b->data, a->len) == 0;
}

/* Find the states within a limit. @return whether all fit, and are those of `want` */
static bool fits_and_equals(comparison_t *c, const subset_t *s, int64_t max_states,
                            const subset_states_t *want)
{
    subset_states_t got = {.keys = {0}};
    bool fits = false;
    bool good = subset_case_find(&subset_cuda_backend, c->gpu, s, max_states, &got,
                                 &fits) == ST_OK &&
                fits && are_equal(&got.keys, &want->keys) &&
                are_equal(&got.next, &want->next);

    subset_case_free(&got);
    return good;
}

static void compare(comparison_t *c, const subset_t *s, const char *what)
{
    subset_states_t want = {.keys = {0}}, none = {.keys = {0}};
    bool fits = false, good;
    int64_t n;

    good = subset_case_find(&subset_serial_backend, NULL, s, 1 << 22, &want, &fits) ==
               ST_OK &&
           fits;
    n = (int64_t)(want.keys.len / sizeof(uint64_t)) / s->n_words;
    good = good && fits_and_equals(c, s, n, &want);
    good =
        good &&
        subset_case_find(&subset_cuda_backend, c->gpu, s, n - 1, &none, &fits) == ST_OK &&
        !fits; /* one state too many */
    if (!good) {
        printf("%s, %s: %lld states of %lld words differ\n", c->allocator, what,
               (long long)n, (long long)s->n_words);
        c->n_failed++;
    }
    c->n_states += n;
    subset_case_free(&want);
    subset_case_free(&none);
}

/* Groups of all sizes with one state of the backend, whose memory is used again. */
static void compare_random(comparison_t *c)
{
    uint64_t rng = 1;

    for (int k = 0; k < 200; k++) {
        subset_t s = {.n_words = 1};
        nfa_t nfa = {.n_patterns = 0};

        if (subset_case_random(&rng, 1 + k % 7, &nfa, &s))
            compare(c, &s, "random patterns");
        else
            c->n_failed++;
        subset_free(&s);
        nfa_free(&nfa);
    }
}

/* More states than a round expands, so that tables grow; and keys of more words than a
 * warp has lanes. */
static void compare_large(comparison_t *c)
{
    static const char texts[][SUBSET_CASE_TEXT] = {"(a|b)*a(a|b){19}", "^b.{3}c",
                                                   "^[^z]{40}x(yz){2000}y"};

    for (int k = 0; k < 2; k++) {
        subset_t s = {.n_words = 1};
        nfa_t nfa = {.n_patterns = 0};

        if (subset_case_make(texts + 2 * k, 2 - k, &nfa, &s))
            compare(c, &s, texts[2 * k]);
        else
            c->n_failed++;
        subset_free(&s);
        nfa_free(&nfa);
    }
}

int main(void)
{
    comparison_t c = {.n_failed = 0};
    device_t cpu, gpu;
    pool_t *pool = NULL;
    const int code = gpu_case_begin(0, &cpu, &gpu, &pool);

    if (code != EXIT_SUCCESS)
        return code;
    pool_destroy(pool);
    for (int k = 0; k < SUBSET_N_ALLOCATORS; k++) {
        const subset_context_t context = {.device = &gpu,
                                          .allocator = (subset_allocator_t)k};

        c.allocator = subset_allocator_name[k];
        if (subset_cuda_backend.create(&context, &c.gpu) != ST_OK)
            return EXIT_FAILURE;
        compare_random(&c);
        compare_large(&c);
        subset_cuda_backend.destroy(c.gpu);
    }
    printf("%lld states, %d groups differ\n", (long long)c.n_states, c.n_failed);
    return c.n_failed == 0 && c.n_states > 3 << 20 ? EXIT_SUCCESS : EXIT_FAILURE;
}
