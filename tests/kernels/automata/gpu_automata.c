/*
 * gpu_automata.c - the backend of GPUs finds the same matches as the definition, or as
 * the CPU's backend `nfa` where there are too many: random patterns, real ones, and
 * batches that are left to the CPU.
 *
 * A plain program, without cmocka, which GPU machines may lack.  It exits with 1 if any
 * match differs, 77 without a GPU.
 */
#include "io/automata/pattern_file.h"
#include "io/base/logmsg.h"
#include "io/file/packed_input.h"
#include "kernels/automata/scan_join.h"

#include "tests/support/gpu_case.h"
#include "tests/support/pattern_texts.h"

enum { ROUNDS = 60, N_PATTERNS = 8, RANDOM_BYTES = 3000, LARGE_BYTES = 1 << 19 };
enum { BATCH = 64 };

typedef struct {
    device_t gpu;
    pool_t *pool;
    int n_cases, n_failed;
    int64_t n_hits;
} comparison_t;

typedef struct {
    const nfa_t *nfa;
    const uint8_t *bytes;
    int64_t n_bytes;
} case_t;

/* ---- scans ---- */

/* Scan the whole on one thread. */
static status_t scan_whole(const scan_backend_t *row, const case_t *c, bool has_lines,
                           scan_found_t *found)
{
    const scan_context_t context = {.nfa = c->nfa, .n_threads = 1};
    const scan_piece_t piece = {c->bytes, 0, c->n_bytes, 0, has_lines ? 0 : c->n_bytes,
                                has_lines};
    void *state = NULL;
    status_t st = row->create(&context, &state);

    if (st == ST_OK)
        st = scan_piece(row, state, &piece, 0, found);
    row->destroy(state);
    return st;
}

/* Divide a case. @return pieces, or NULL */
static scan_piece_t *divide(const case_t *c, int64_t piece_bytes, bool has_lines, int *n)
{
    scan_piece_t *pieces =
        malloc((size_t)(c->n_bytes / piece_bytes + 1) * sizeof(*pieces));

    *n = 0;
    for (int64_t at = 0, end; pieces != NULL && at < c->n_bytes; at = end) {
        end = at + piece_bytes < c->n_bytes ? at + piece_bytes : c->n_bytes;
        while (has_lines && end < c->n_bytes && c->bytes[end - 1] != '\n')
            end++;
        pieces[(*n)++] =
            (scan_piece_t){c->bytes, at, end, 0, has_lines ? 0 : c->n_bytes, has_lines};
    }
    return pieces;
}

/* Scan pieces on the GPU, in batches. */
static status_t scan_batches(const comparison_t *comparison, const case_t *c,
                             const scan_piece_t *pieces, int n, scan_found_t *found)
{
    const scan_context_t context = {.device = &comparison->gpu,
                                    .nfa = c->nfa,
                                    .n_threads = pool_n_threads(comparison->pool),
                                    .pool = comparison->pool};
    void *state = NULL;
    status_t st = scan_cuda_backend.create(&context, &state);
    int n_done;

    for (int k = 0; st == ST_OK && k < n; k += n_done)
        st = scan_pieces(&scan_cuda_backend, state, &context, pieces + k,
                         n - k < BATCH ? n - k : BATCH, found + k, &n_done);
    scan_cuda_backend.destroy(state);
    return st;
}

/* Scan in pieces on the GPU. @param hits  out */
static status_t scan_divided(const comparison_t *comparison, const case_t *c,
                             int64_t piece_bytes, bool has_lines, buf_t *hits)
{
    int n;
    scan_join_t *join = NULL;
    scan_piece_t *pieces = divide(c, piece_bytes, has_lines, &n);
    scan_found_t *found = calloc((size_t)n + 1, sizeof(*found));
    status_t st = pieces != NULL && found != NULL
                      ? scan_batches(comparison, c, pieces, n, found)
                      : ST_ENOMEM;

    if (st == ST_OK && !has_lines &&
        (st = scan_join_create(c->nfa, comparison->pool, &join)) == ST_OK)
        st = scan_join_pieces(join, pieces, n, found);
    scan_join_destroy(join);
    for (int k = 0; st == ST_OK && k < n; k++)
        st = buf_append(hits, found[k].hits.data, found[k].hits.len);
    for (int k = 0; found != NULL && k < n; k++)
        scan_found_free(&found[k]);
    free(found);
    free(pieces);
    return st;
}

/* ---- comparisons ---- */

static void compare(comparison_t *comparison, const char *name,
                    const scan_backend_t *reference, const case_t *c, int64_t piece_bytes,
                    bool has_lines)
{
    scan_found_t expected = {.hits = {0}};
    buf_t hits = {0};
    const bool good =
        scan_whole(reference, c, has_lines, &expected) == ST_OK &&
        scan_divided(comparison, c, piece_bytes, has_lines, &hits) == ST_OK &&
        hits.len == expected.hits.len &&
        (hits.len == 0 || memcmp(hits.data, expected.hits.data, hits.len) == 0);

    if (!good) {
        printf("%s, pieces of %lld bytes, %s: %zu matches instead of %zu\n", name,
               (long long)piece_bytes, has_lines ? "lines" : "one record",
               hits.len / sizeof(scan_hit_t), expected.hits.len / sizeof(scan_hit_t));
        for (int k = 0; k < c->nfa->n_patterns && k < N_PATTERNS; k++)
            printf("  %s\n", c->nfa->name[k]);
    }
    fflush(stdout);
    comparison->n_cases++;
    comparison->n_failed += !good;
    comparison->n_hits += (int64_t)(hits.len / sizeof(scan_hit_t));
    scan_found_free(&expected);
    buf_free(&hits);
}

static void compare_random(comparison_t *c, uint64_t *rng)
{
    static char texts[N_PATTERNS][PATTERN_TEXT_BYTES], bytes[RANDOM_BYTES + 1];
    const char *list[N_PATTERNS + 1] = {NULL};
    const int64_t pieces[] = {7, 100, RANDOM_BYTES};
    nfa_t nfa;

    for (int k = 0; k < N_PATTERNS; k++) {
        texts[k][0] = '\0';
        pattern_texts_append(rng, 2, texts[k]);
        list[k] = texts[k];
    }
    pattern_texts_fill(rng, bytes, RANDOM_BYTES);
    if (pattern_texts_build(list, &nfa) != ST_OK) {
        c->n_failed++;
        return;
    }
    for (int k = 0; k < 3; k++)
        for (int has_lines = 0; has_lines < 2; has_lines++)
            compare(c, "random patterns", &scan_reference_backend,
                    &(case_t){&nfa, (const uint8_t *)bytes, RANDOM_BYTES}, pieces[k],
                    has_lines != 0);
    nfa_free(&nfa);
}

/* Patterns that wait in loops, over many chunks; ends at every byte; and runs so long
 * that the CPU takes over. */
static void compare_large(comparison_t *c, uint64_t *rng)
{
    static const char *const texts[][4] = {{"abcabc.*cbaac", "(?s)abca.*bbbb",
                                            "aae[^e]*bbe", NULL},
                                           {"a", "aa", "^b?", NULL},
                                           {"a[a-z]*e", "b[abc]*e", NULL},
                                           {"^[^e]*abc.*cba", "(abc.*e)+a",
                                            "(?s)((ab).*\\n)*cc", NULL},
                                           {"a(b|cd){600,700}e", "abc[^c]*cc", NULL}};
    uint8_t *bytes = malloc(LARGE_BYTES + 1);

    if (bytes == NULL) {
        c->n_failed++;
        return;
    }
    pattern_texts_fill(rng, (char *)bytes, LARGE_BYTES);
    for (size_t k = 0; k < sizeof(texts) / sizeof(texts[0]); k++) {
        nfa_t nfa;

        if (pattern_texts_build(texts[k], &nfa) != ST_OK) {
            c->n_failed++;
            continue;
        }
        for (int without_e = 0; without_e < 2; without_e++) {
            compare(c, texts[k][0], &scan_nfa_backend,
                    &(case_t){&nfa, bytes, LARGE_BYTES}, 1 << 16, false);
            compare(c, texts[k][0], &scan_nfa_backend,
                    &(case_t){&nfa, bytes, LARGE_BYTES}, 1 << 16, true);
            for (int i = 0; i < LARGE_BYTES; i++) /* loops and runs become long */
                bytes[i] = bytes[i] == '\n' || bytes[i] == 'e' ? 'b' : bytes[i];
        }
        pattern_texts_fill(rng, (char *)bytes, LARGE_BYTES);
        nfa_free(&nfa);
    }
    free(bytes);
}

/* ---- real data ---- */

static void compare_real(comparison_t *c)
{
    static const char *const files[] = {"anmlzoo_poweren.regex",
                                        "anmlzoo_dotstar_becchi.regex.gz"};
    const char *data = getenv("RIBOGRID_DATA");
    char path[4096];
    buf_t bytes = {0};
    FILE *probe;

    snprintf(path, sizeof(path), "%s/regex/anmlzoo_poweren_1MB.input.gz",
             data != NULL ? data : ".");
    if ((probe = fopen(path, "rb")) == NULL) {
        printf("%s is absent: no real patterns\n", path);
        return;
    }
    fclose(probe);
    c->n_failed += packed_input_read_file(path, &bytes) != ST_OK;
    for (int k = 0; k < 2; k++) {
        nfa_t nfa;
        int64_t n_skipped;

        snprintf(path, sizeof(path), "%s/regex/%s", data, files[k]);
        if (pattern_file_read(path, true, &nfa, &n_skipped) != ST_OK) {
            c->n_failed++;
            continue;
        }
        for (int64_t piece = 1 << 18; piece <= 1 << 21; piece <<= 3)
            compare(c, path, &scan_nfa_backend,
                    &(case_t){&nfa, bytes.data, (int64_t)bytes.len}, piece, false);
        nfa_free(&nfa);
    }
    buf_free(&bytes);
}

int main(void)
{
    comparison_t c = {.n_failed = 0};
    device_t cpu;
    uint64_t rng = 1;
    const int code = gpu_case_begin(0, &cpu, &c.gpu, &c.pool);

    if (code != EXIT_SUCCESS)
        return code;
    compare_real(&c);
    for (int k = 0; k < ROUNDS; k++)
        compare_random(&c, &rng);
    compare_large(&c, &rng);
    pool_destroy(c.pool);
    printf("%d of %d cases differ; %lld matches\n", c.n_failed, c.n_cases,
           (long long)c.n_hits);
    return c.n_failed == 0 && c.n_hits > 1000000 ? EXIT_SUCCESS : EXIT_FAILURE;
}
