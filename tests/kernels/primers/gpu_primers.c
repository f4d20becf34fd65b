/*
 * gpu_primers.c - the backend of GPUs finds the same places as that of the CPU, which
 * equals the definition.
 *
 * A plain program, without cmocka, which GPU machines may lack.  It exits with 1 if any
 * place differs, 77 without a GPU.
 */
#include "kernels/primers/primer_backend.h"

#include "tests/kernels/primers/primer_case.h"
#include "tests/support/gpu_case.h"

#include <stdio.h>

enum { PATTERNS = 4, READ_LEN_MAX = 400 };

typedef struct {
    device_t cpu, gpu;
    int n_failed;
} comparison_t;

typedef struct {
    seqset_t *set;
    base_planes_t text;
    primer_pattern_t patterns[PATTERNS];
    primer_context_t context;
} case_t;

static bool make_case(rng_t *rng, int len, int64_t n_reads, case_t *c)
{
    const uint64_t n_bases = 2 + rng_below(rng, 3);
    const primer_pair_t pair = {primer_case_draw(rng, len, n_bases),
                                primer_case_draw(rng, len, n_bases)};
    const primer_t turned[] = {primer_reverse_complement(&pair.forward),
                               primer_reverse_complement(&pair.reverse)};
    const primer_t *primers[] = {&pair.forward, &turned[0], &pair.reverse, &turned[1]};

    *c =
        (case_t){.set = primer_case_reads(rng, &pair, 1, n_reads, READ_LEN_MAX, n_bases)};
    if (c->set == NULL || base_planes_of_set(c->set, &c->text) != ST_OK)
        return false;
    for (int k = 0; k < PATTERNS; k++)
        c->patterns[k] =
            primer_pattern_make(primers[k], k % 2 == 0, (int)rng_below(rng, 4));
    c->context = (primer_context_t){.text = &c->text,
                                    .patterns = c->patterns,
                                    .n_patterns = PATTERNS,
                                    .max_mismatches = (int)rng_below(rng, 16)};
    return true;
}

static void free_case(case_t *c)
{
    base_planes_free(&c->text);
    seqset_destroy(c->set);
}

/* @return the places of words first .. first + n - 1, which the caller frees; or NULL */
static uint64_t *scan(const primer_backend_t *row, const device_t *device, case_t *c,
                      int64_t first, int64_t n)
{
    uint64_t *out = malloc(PATTERNS * (size_t)primer_row_words(n) * sizeof(*out) + 1);
    void *state = NULL;
    status_t st = ST_ENOMEM;

    c->context.device = device;
    if (out != NULL && (st = row->create(&c->context, &state)) == ST_OK)
        st = row->scan(state, first, n, out);
    row->destroy(state);
    if (st == ST_OK)
        return out;
    free(out);
    return NULL;
}

static bool is_same(comparison_t *c, case_t *k, int64_t first, int64_t n)
{
    uint64_t *want = scan(&primer_cpu_backend, &c->cpu, k, first, n);
    uint64_t *got = scan(&primer_cuda_backend, &c->gpu, k, first, n);
    bool good = want != NULL && got != NULL;

    for (int p = 0; good && p < PATTERNS; p++)
        good = memcmp(want + p * primer_row_words(n), got + p * primer_row_words(n),
                      (size_t)n * sizeof(*want)) == 0;
    free(want);
    free(got);
    return good;
}

static void compare(comparison_t *c, rng_t *rng, int len, int64_t n_reads)
{
    case_t k;
    int64_t n, first;
    bool good = make_case(rng, len, n_reads, &k);

    if (good) {
        n = k.text.first_word[n_reads];
        first = n > 1 ? (int64_t)rng_below(rng, (uint64_t)n / 2) : 0;
        good = is_same(c, &k, 0, n) && is_same(c, &k, first, (n - first) / 2 + 1);
    }
    if (!good)
        printf("primers of %d bases: other places than on the CPU\n", len);
    c->n_failed += !good;
    free_case(&k);
}

int main(void)
{
    comparison_t c = {.n_failed = 0};
    pool_t *pool = NULL;
    rng_t rng = rng_seed(5);
    const int code = gpu_case_begin(0, &c.cpu, &c.gpu, &pool);

    if (code != EXIT_SUCCESS)
        return code;
    pool_destroy(pool);
    for (int len = 1; len <= PRIMER_LEN_MAX; len++)
        compare(&c, &rng, len, 1 + (int64_t)rng_below(&rng, 2000));
    printf("%d of %d cases differ\n", c.n_failed, PRIMER_LEN_MAX);
    return c.n_failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
