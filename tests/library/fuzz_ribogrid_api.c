/*
 * fuzz_ribogrid_api.c - libFuzzer target: options, sequences and pairs of any bytes,
 * given to the functions of ribogrid.h: an error or a result, but no crash.  Results that
 * are written are the same when they are read again, and where the caller's allocator has
 * no memory, all of its memory is given back.
 *
 * The first bytes choose options, the next ones are pairs; the rest is letters, in which
 * a line feed ends a sequence.
 */
#include "library/ribogrid.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CHOICES = 16, N_PAIRS = 4, LETTERS_MAX = 600, SEQUENCES_MAX = 12 };
enum { N_PLENTY = 1000 }; /* blocks that no input needs */

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

#define WORD(words, byte) ((words)[(byte) % (sizeof(words) / sizeof((words)[0]))])

/* An allocator that fails after some blocks. */
static int n_left, n_alive;

static void *allocate(void *arg, size_t bytes)
{
    (void)arg;
    if (n_left-- <= 0)
        return NULL;
    n_alive++;
    return malloc(bytes);
}

static void release(void *arg, void *memory)
{
    (void)arg;
    n_alive--;
    free(memory);
}

static void choose(const unsigned char *c, rg_align_options_t *o)
{
    static const char *const presets[] = {NULL,     "vsearch", "mothur",
                                          "needle", "blastn",  "unit"};
    static const char *const emits[] = {NULL, "score", "identity", "cigar", "?"};
    static const char *const modes[] = {NULL, "global", "local"};
    static const char *const ends[] = {NULL, "free", "count", "query"};
    static const char *const strands[] = {NULL, "plus", "both"};
    static const char *const ambiguities[] = {NULL, "match", "same", "neutral"};
    static const char *const iddefs[] = {NULL, "0", "1", "2", "3", "nogaps", "onegap"};
    static const char *const matrices[] = {NULL, NULL, "NUC.4.4", "BLOSUM62"};

    o->preset = WORD(presets, c[0]);
    o->emit = WORD(emits, c[1]);
    o->mode = WORD(modes, c[2]);
    o->ends = WORD(ends, c[3]);
    o->strand = WORD(strands, c[4]);
    o->ambiguity = WORD(ambiguities, c[5]);
    o->iddef = WORD(iddefs, c[6]);
    o->matrix = WORD(matrices, c[7]);
    o->cigar_style = c[8] % 2 == 0 ? NULL : "eqx";
    o->id = c[9] % 3 == 0 ? c[9] / 255.0 : o->id;
    o->top = c[10] % 4;
    o->match = c[11] % 2 == 0 ? c[11] / 4.0 : o->match;
    o->gap = c[12] % 2 == 0 ? -c[12] / 4.0 : o->gap;
    o->gap_open = c[13] % 3 == 0 ? c[13] / 6.0 : o->gap_open;
    o->gap_extend = c[13] % 3 == 0 ? 1 : o->gap_extend;
}

static void read_result(const rg_result_t *r)
{
    char text[32];
    int64_t sum = 0;

    for (int64_t i = 0; i < rg_result_count(r); i++) {
        sum += rg_result_scores(r)[i] + rg_result_queries(r)[i] + rg_result_targets(r)[i];
        if (rg_result_matches(r) != NULL &&
            rg_result_matches(r)[i] > rg_result_columns(r)[i])
            abort();
        sum += rg_result_cigar_text(r, i, text, sizeof(text));
    }
    if (sum == INT64_MIN)
        abort();
}

static void equal(const void *a, const void *b, int64_t n, size_t bytes)
{
    if (n > 0 && ((a == NULL) != (b == NULL) ||
                  (a != NULL && memcmp(a, b, (size_t)n * bytes) != 0)))
        abort();
}

/* Write a result to a file, and read it. */
static void keep(rg_context_t *context, const rg_result_t *made)
{
    static char path[] = "/dev/shm/fuzz_ribogrid_api.XXXXXX";
    static int file = -1;
    const int64_t n = rg_result_count(made);
    rg_set_t *queries = NULL, *references = NULL;
    rg_result_t *r = NULL;

    if (file < 0 && (file = mkstemp(path)) < 0)
        return;
    if (rg_result_write(context, made, path) != RG_OK ||
        rg_result_read(context, path, &queries, &references, &r) != RG_OK ||
        rg_result_count(r) != n)
        abort();
    unlink(path);
    equal(rg_result_queries(r), rg_result_queries(made), n, sizeof(int32_t));
    equal(rg_result_targets(r), rg_result_targets(made), n, sizeof(int32_t));
    equal(rg_result_scores(r), rg_result_scores(made), n, sizeof(int32_t));
    equal(rg_result_matches(r), rg_result_matches(made), n, sizeof(int32_t));
    equal(rg_result_columns(r), rg_result_columns(made), n, sizeof(int32_t));
    equal(rg_result_strands(r), rg_result_strands(made), n, sizeof(int8_t));
    equal(rg_result_cigar_starts(r), rg_result_cigar_starts(made), n + 1,
          sizeof(int64_t));
    if (rg_result_cigar_starts(made) != NULL)
        equal(rg_result_cigar_runs(r), rg_result_cigar_runs(made),
              rg_result_cigar_starts(made)[n], sizeof(uint32_t));
    rg_result_destroy(r);
    rg_set_destroy(queries);
    rg_set_destroy(references);
}

static void group(rg_context_t *context, const rg_result_t *pairs, const unsigned char *c)
{
    static const char *const methods[] = {NULL,      "single",   "complete",
                                          "average", "centroid", "?"};
    static const char *const orders[] = {NULL, NULL, "abundance", "length"};
    int32_t label[SEQUENCES_MAX];
    rg_cluster_options_t options;
    rg_groups_t *groups = NULL;
    int64_t sum = 0;

    rg_cluster_options_init(&options, sizeof(options));
    options.method = WORD(methods, c[15]);
    options.order = WORD(orders, c[15] / 6);
    options.id = c[9] % 3 == 0 ? 1 - c[10] / 512.0 : options.id;
    options.starts = 2;
    if (rg_cluster(context, pairs, &options, label, NULL) != RG_OK)
        return;
    switch (rg_groups_create(context, pairs, &options, &groups)) {
    case RG_OK:
        break;
    case RG_ENOMEM:
        return;
    default:
        abort();
    }
    for (int64_t k = 0; k < rg_groups_count(groups); k++)
        sum += rg_groups_sizes(groups)[k];
    for (int64_t i = 0; i < rg_groups_sequences(groups); i++)
        if (label[i] < 0 || label[i] >= rg_groups_sequences(groups))
            abort();
    if (sum != rg_groups_sequences(groups))
        abort();
    rg_groups_destroy(groups);
}

static void align(rg_context_t *context, const rg_set_t *set, const unsigned char *c)
{
    int32_t pairs[2 * N_PAIRS];
    rg_align_options_t options;
    rg_aligner_t *aligner = NULL;
    rg_result_t *result = NULL;

    rg_align_options_init(&options, sizeof(options));
    choose(c, &options);
    if (rg_aligner_create(context, set, c[14] % 2 == 0 ? NULL : set, &options,
                          &aligner) != RG_OK)
        return;
    if (rg_aligner_all(aligner, &result) == RG_OK) {
        read_result(result);
        group(context, result, c);
        if (c[15] % 4 == 3 && n_left > N_PLENTY / 2)
            keep(context, result);
    }
    rg_result_destroy(result);
    result = NULL;
    for (int i = 0; i < 2 * N_PAIRS; i++)
        pairs[i] = (int32_t)c[CHOICES + i] - 1;
    if (rg_aligner_pairs(aligner, pairs, N_PAIRS, &result) == RG_OK)
        read_result(result);
    rg_result_destroy(result);
    rg_aligner_destroy(aligner);
}

/* @return NULL: no memory */
static rg_context_t *new_context(void)
{
    rg_context_options_t options;
    rg_context_t *context = NULL;

    rg_context_options_init(&options, sizeof(options));
    options.device = "cpu";
    options.threads = 1;
    options.allocate = allocate;
    options.release = release;
    return rg_context_create(&options, &context) == RG_OK ? context : NULL;
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    static rg_context_t *context;
    const size_t head = CHOICES + 2 * N_PAIRS;
    int64_t offsets[SEQUENCES_MAX + 1] = {0}, n = 0;
    char letters[LETTERS_MAX];
    size_t len = 0;
    rg_set_t *set = NULL;

    if (size < head || (context == NULL && (context = new_context()) == NULL))
        return 0;
    n_left = data[14] % 8 == 7 ? data[14] / 8 % 6 : N_PLENTY;
    for (size_t i = head; i < size && len < LETTERS_MAX && n < SEQUENCES_MAX; i++)
        if (data[i] == '\n')
            offsets[++n] = (int64_t)len;
        else
            letters[len++] = (char)data[i];
    if (rg_set_create(context, NULL, n, letters, offsets, NULL, &set) == RG_OK)
        align(context, set, data);
    rg_set_destroy(set);
    if (n_alive != 0)
        abort();
    return 0;
}
