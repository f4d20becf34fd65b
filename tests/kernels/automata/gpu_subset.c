/*
 * gpu_subset.c - the backend of GPUs finds the states of the definition, with the same
 * numbers, and which of them are equivalent.
 *
 * A plain program, without cmocka, which GPU machines may lack.  It exits with 1 if
 * anything differs, 77 without a GPU.
 */
#include "kernels/automata/dfa_refine.h"

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

/* @return whether two divisions of states are the same, whatever the numbers of blocks:
 * each block of one has a block of the other, and they have equally many */
static bool are_same_blocks(const int32_t *a, const int32_t *b, int32_t n_states,
                            int32_t n_blocks)
{
    int32_t *of_a = malloc((size_t)n_blocks * sizeof(*of_a));
    bool same = of_a != NULL;

    for (int32_t k = 0; same && k < n_blocks; k++)
        of_a[k] = -1;
    for (int32_t s = 0; same && s < n_states; s++) {
        if (of_a[a[s]] < 0)
            of_a[a[s]] = b[s];
        same = of_a[a[s]] == b[s];
    }
    free(of_a);
    return same;
}

/* Divide states with made-up outputs on the GPU and by the definition. */
static bool refines(const comparison_t *c, const subset_t *s,
                    const subset_states_t *found)
{
    const int32_t n = (int32_t)(found->next.len / sizeof(int32_t)) / s->n_classes;
    int32_t *blocks = malloc(3 * (size_t)n * sizeof(*blocks)), *on_gpu = blocks + n,
            *output = on_gpu + n, n_want = 0, n_got = 0;
    const dfa_t d = {.n_states = n,
                     .n_classes = s->n_classes,
                     .n_outputs = 3,
                     .next = found->next,
                     .output = {.data = (unsigned char *)output,
                                .len = (size_t)n * sizeof(*output)}};
    bool good = blocks != NULL;

    for (int32_t k = 0; good && k < n; k++)
        on_gpu[k] = output[k] = k % 50 == 7 ? 1 : k % 90 == 5 ? 2 : 0;
    good = good && dfa_refine(&d, NULL, blocks, &n_want) == ST_OK &&
           subset_cuda_backend.refine(c->gpu, (const void *)found->next.data, n,
                                      s->n_classes, NULL, on_gpu, &n_got) == ST_OK &&
           n_got == n_want && are_same_blocks(blocks, on_gpu, n, n_want);
    free(blocks);
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
    good = good && fits_and_equals(c, s, n, &want) && refines(c, s, &want);
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
