/*
 * gpu_align.c - the CUDA backends return the same integers as the scalar backend.
 *
 * A plain program, without cmocka, which GPU machines may lack.  It prints one line per
 * setting, and exits with 1 if any pair differs, 77 without a GPU.
 *
 * usage: gpu_align [--kernel NAME] [--share K/N] [PAIRS]
 *          --share: part K of N of the settings, so that N processes share the work
 *          PAIRS: the most pairs of a random set; and a fifth of the settings
 *        gpu_align [--kernel NAME] [--share K/N] --many PAIRS
 *          PAIRS of 1 to 3,000 bases, against simd
 */
#include "kernels/registry/backends.h"
#include "tests/kernels/align/engine/gpu_align_work.h"
#include "tests/kernels/align/engine/spelled_pieces.h"
#include "tests/support/gpu_case.h"

#include <string.h>

enum { N_KINDS = 3, N_MATRICES = 6, N_AFFINE = 15, N_PROTEINS = 10, N_SPELLED = 5 };
enum { N_LOCAL = 10, FEW_PAIRS = 10 };

/* Short sequences, some at the limit of one strip of 512 rows, and long ones. */
static const struct {
    const char *name;
    int64_t n_pairs;
    random_set_opts_t opts;
} kinds[N_KINDS] = {{"1..400", 3000, {400, 1, 400, 30}},
                    {"511..513", 200, {64, 511, 513, 30}},
                    {"1..3000", 150, {96, 1, 3000, 30}}};

static const char strips[] =
    "A511 A512 A513 C512 A1023 A1024 A1025 C1024 A1 ACGT R512 N513 A1536 A1537";

/* What is compared; `joined`: join_columns. */
static const struct {
    align_emit_t emit;
    bool band, joined;
} ways[] = {{EMIT_SCORE, false, false},    {EMIT_SCORE, true, false},
            {EMIT_IDENTITY, false, false}, {EMIT_IDENTITY, true, false},
            {EMIT_CIGAR, false, false},    {EMIT_CIGAR, true, false},
            {EMIT_CIGAR, true, true}};

enum { N_WAYS = sizeof(ways) / sizeof(ways[0]) };

/* Several processes share a GPU; each takes one part of its memory. */
enum { MEMORY_PARTS = 16 };

typedef struct {
    device_t gpu;
    reference_t reference;
    const char *kernel;  /* the only backend that is compared, or NULL */
    bool proteins;       /* random sets are of proteins */
    int64_t max_pairs;   /* of a random set */
    int n_specs, stride; /* of the settings */
    int share, n_shares; /* settings `share`, `share` + n_shares, ... are tried */
    int n_settings;      /* so far */
    int n_passed, n_failed;
    int64_t device_bytes; /* of align_run_t */
} comparison_t;

/* Count a setting. @return whether it is to be tried */
static bool is_mine(comparison_t *s)
{
    return s->n_settings++ % s->n_shares == s->share;
}

/* Batches of every size through one aligner, two at a time: none, a few, all, none, one,
 * a third. */
static bool backend_equals(const align_context_t *context,
                           const aligner_backend_t *backend, const work_t *w,
                           int64_t *n_compared)
{
    const int64_t n_of[] = {0, w->n / 10, w->n, 0, 1, w->n / 3};
    enum { N_BATCHES = sizeof(n_of) / sizeof(n_of[0]) };
    pair_batch_t batches[N_BATCHES];
    aligner_t *a = NULL;
    bool good = true;

    if (aligner_create(context, &(aligner_options_t){.kernel = backend->base.name}, &a) !=
        ST_OK)
        return false;
    for (int k = 0; good && k <= N_BATCHES; k++) {
        pair_results_t got;

        if (k < N_BATCHES) {
            batches[k] = (pair_batch_t){w->pairs + w->n - n_of[k], n_of[k]};
            good = aligner_submit(a, &batches[k]) == ST_OK;
        }
        if (k == 0 || !good)
            continue;
        good = aligner_wait(a, &got) == ST_OK &&
               slice_equals(w, w->n - n_of[k - 1], n_of[k - 1],
                            context->spec->join_columns, &got);
        *n_compared += n_of[k - 1];
    }
    aligner_destroy(a);
    return good;
}

/* @return whether a backend takes any of the pairs */
static bool takes_some(const align_context_t *context, const aligner_backend_t *backend,
                       const work_t *w)
{
    for (int64_t i = 0; i < w->n; i++)
        if (aligner_backend_takes(backend, context, seqset_len(w->set, w->pairs[i].query),
                                  seqset_len(w->set, w->pairs[i].target)))
            return true;
    return false;
}

static void compare_backend(comparison_t *s, const aligner_backend_t *backend,
                            const align_spec_t *spec, const char *name, work_t *w)
{
    char text[RANDOM_SET_TEXT_BYTES];

    random_set_describe(spec, text);
    for (int k = 0; k < N_WAYS && ways[k].emit <= s->reference.max_emit; k++) {
        align_spec_t one = *spec;
        align_context_t context = {&s->gpu,
                                   s->reference.pool,
                                   w->set,
                                   &one,
                                   {.band = ways[k].band,
                                    .device_bytes = s->device_bytes}};
        int64_t n_compared = 0;
        bool good;

        one.emit = ways[k].emit;
        one.join_columns = ways[k].joined;
        if (!takes_some(&context, backend, w))
            continue;
        good = know_results(w, &s->reference, spec) &&
               backend_equals(&context, backend, w, &n_compared);
        printf("%s  %s: %s, %s%s%s, lengths %s: %lld pairs\n", good ? "ok    " : "FAILED",
               backend->base.name, text, align_emit_name[one.emit],
               ways[k].joined ? " joined" : "", ways[k].band ? " in bands" : "", name,
               (long long)n_compared);
        fflush(stdout);
        s->n_passed += good;
        s->n_failed += !good;
    }
}

static void compare_with(comparison_t *s, const char *kernel, bool band,
                         align_emit_t max_emit)
{
    s->reference.kernel = kernel;
    s->reference.run.band = band;
    s->reference.max_emit = max_emit;
}

/* Compare every output of one setting, for every CUDA backend. */
static void compare(comparison_t *s, const align_spec_t *spec, const char *name,
                    work_t *w)
{
    if (w->pairs == NULL) {
        printf("FAILED  lengths %s: out of memory\n", name);
        s->n_failed++;
        return;
    }
    for (const backend_t *const *row = aligner_table.rows; *row != NULL; row++)
        if ((*row)->kind == DEVICE_CUDA &&
            (s->kernel == NULL || strcmp((*row)->name, s->kernel) == 0))
            compare_backend(s, aligner_backend(*row), spec, name, w);
    forget_results(w);
}

/* Under compute-sanitizer long pairs take minutes. */
static bool is_short(const comparison_t *s)
{
    return s->max_pairs < FEW_PAIRS;
}

/* Warps whose pairs are all of one query. */
static void try_few_queries(comparison_t *s, const align_spec_t *spec, rng_t *rng)
{
    enum { QUERIES = 3 };
    const random_set_opts_t opts = {400, 1, is_short(s) ? 60 : 400, 30};
    work_t w = random_work(s->proteins, rng, &opts, is_short(s) ? 400 : 1200);

    for (int64_t i = 0; w.pairs != NULL && i < w.n; i++)
        w.pairs[i].query %= QUERIES;
    compare(s, spec, is_short(s) ? "1..60 of three queries" : "1..400 of three queries",
            &w);
    free_work(&w);
}

/* Warps whose pairs are those of two queries with the same targets: all pairs of a set,
 * but some of them missing, and others twice. */
static void try_all_pairs(comparison_t *s, const align_spec_t *spec, rng_t *rng)
{
    const random_set_opts_t opts = {80, 1, is_short(s) ? 60 : 400, 30};
    work_t w = random_work(s->proteins, rng, &opts, opts.n * opts.n);

    for (int64_t i = 0; w.pairs != NULL && i < w.n; i++)
        if (!rng_chance(rng, 1, 20))
            w.pairs[i] = (pair_t){(int32_t)(i / opts.n), (int32_t)(i % opts.n)};
    compare(s, spec, is_short(s) ? "1..60, all pairs" : "1..400, all pairs", &w);
    free_work(&w);
}

/* Pairs of which lscan keeps the lines of squares for CIGARs. */
static void try_long_local(comparison_t *s, const align_spec_t *spec, rng_t *rng)
{
    enum { PAIRS = 16 };
    const random_set_opts_t opts = {16, 1, 6000, 30};
    work_t w = random_work(s->proteins, rng, &opts, PAIRS);

    compare(s, spec, "1..6000", &w);
    free_work(&w);
}

/* Pairs that wavefront cuts into jobs, or traces band by band in little memory. */
static void try_genes_in_genomes(comparison_t *s, const align_spec_t *spec, rng_t *rng)
{
    enum { PAIRS = 6, LITTLE = 32 << 20 };
    const random_set_opts_t opts = {8, 1, 40000, 30};
    const int64_t device_bytes = s->device_bytes;
    work_t w = random_work(s->proteins, rng, &opts, PAIRS);

    compare_with(s, "simd-local", false, EMIT_CIGAR);
    s->device_bytes = LITTLE;
    compare(s, spec, "1..40000 in little memory", &w);
    s->device_bytes = device_bytes;
    compare(s, spec, "1..40000", &w);
    compare_with(s, "scalar", false, EMIT_CIGAR);
    free_work(&w);
}

static void try_spec(comparison_t *s, const align_spec_t *spec)
{
    rng_t rng = rng_seed((uint64_t)s->n_settings); /* in each share the same sets */
    work_t w;

    if (!is_mine(s))
        return;
    for (int kind = 0; kind < (is_short(s) ? 1 : N_KINDS); kind++) {
        int64_t n = kinds[kind].n_pairs;

        w = random_work(s->proteins, &rng, &kinds[kind].opts,
                        n < s->max_pairs ? n : s->max_pairs);
        compare(s, spec, kinds[kind].name, &w);
        free_work(&w);
    }
    try_few_queries(s, spec, &rng);
    try_all_pairs(s, spec, &rng);
    if (is_short(s))
        return;
    w = spelled_work(strips);
    compare(s, spec, "at strips' ends", &w);
    free_work(&w);
    if (spec->ends != ENDS_LOCAL)
        return;
    try_long_local(s, spec, &rng);
    try_genes_in_genomes(s, spec, &rng);
}

/* Keys for the longest sequence would not fit; the GPU still takes the short pairs. */
static void try_a_sequence_too_long_for_keys(comparison_t *s)
{
    align_spec_t spec = {.emit = EMIT_IDENTITY,
                         .ends = ENDS_COUNT,
                         .min_overlap = {0, 1}};
    work_t w;

    if (!is_mine(s))
        return;
    align_scoring_set(&spec.scoring, AMBIGUITY_N_MISMATCH, 4, -5, -20000);
    w = spelled_work("A3 AC40 A32766 A32767 C100000");
    if (w.pairs != NULL) {
        w.n = 0;
        for (int32_t i = 0; i < 2; i++)
            for (int32_t j = 0; j < w.set->n; j++) {
                w.pairs[w.n++] = (pair_t){i, j};
                w.pairs[w.n++] = (pair_t){j, i};
            }
    }
    compare(s, &spec, "3..100000", &w);
    free_work(&w);
}

/* At the limits of lengths: corridors 2,048 bases, rscan 4,096; 16 bits hold 3,275 with
 * 4/-5/-8 and counted ends, 3,448 with 4/-5/-7 and other ends. */
static void try_limits(comparison_t *s)
{
    static const char text[] = "A2047 A2048 A2049 C2048 A3274 A3275 A3276 A3447 A3448 "
                               "A3449 A4095 A4096 A4097 C4097 R2049 N4097 R3276";

    for (int ends = ENDS_FREE; ends <= ENDS_QUERY; ends++) {
        align_spec_t spec = {.emit = EMIT_IDENTITY,
                             .ends = (align_ends_t)ends,
                             .min_overlap = {1, 2}};
        work_t w;

        if (!is_mine(s))
            continue;
        align_scoring_set(&spec.scoring, AMBIGUITY_N_MISMATCH, 4, -5,
                          ends == ENDS_COUNT ? -8 : -7);
        w = spelled_work(text);
        compare(s, &spec, "at ranges' ends", &w);
        free_work(&w);
    }
}

/* With 4/-5/-7 the longest overhang wins a tie, with 4/-9/-7 the shortest. */
static void try_pieces(comparison_t *s, rng_t *rng, int set)
{
    static const int32_t mismatch[] = {-5, -9};
    char *text = spell_pieces(rng, set);
    work_t w = spelled_work(text);

    for (int k = 0; k < (pieces[set].counts ? 6 : 4); k++) {
        align_spec_t spec = {.emit = EMIT_IDENTITY,
                             .ends = k < 4 ? ENDS_FREE : ENDS_COUNT,
                             .min_overlap = {k / 2 % 2, 2}};

        align_scoring_set(&spec.scoring, AMBIGUITY_N_MISMATCH, 4, mismatch[k % 2], -7);
        if (is_mine(s))
            compare(s, &spec, pieces[set].name, &w);
    }
    free_work(&w);
    free(text);
}

static void try_overhangs(comparison_t *s)
{
    rng_t rng = rng_seed(3);

    compare_with(s, "simd", true, EMIT_IDENTITY);
    for (int set = 0; set < N_OVERHANGS; set++)
        try_pieces(s, &rng, set);
}

/* @return one of N_SPELLED settings; all but the first have affine gaps */
static align_spec_t spelled_spec(int k)
{
    static const struct {
        align_ends_t ends;
        align_ambiguity_t ambiguity;
        int32_t match, mismatch;
        align_gap_t gap;
    } of[N_SPELLED] = {{ENDS_FREE, AMBIGUITY_N_MISMATCH, 4, -5, {-7, -7}},
                       {ENDS_PRICED, AMBIGUITY_NEUTRAL, 2, -4, {-20, -2}}, /* vsearch */
                       {ENDS_COUNT, AMBIGUITY_N_MISMATCH, 2, -4, {-20, -2}},
                       {ENDS_FREE, AMBIGUITY_MATCH, 2, -4, {-20, -2}},
                       {ENDS_QUERY, AMBIGUITY_SAME, 2, -4, {-5, -1}}};
    align_spec_t spec = {.emit = EMIT_CIGAR, .ends = of[k].ends, .min_overlap = {1, 2}};

    if (spec.ends == ENDS_PRICED)
        spec.end_gap = (align_gap_t){-2, -1};
    align_scoring_set(&spec.scoring, of[k].ambiguity, of[k].match, of[k].mismatch,
                      of[k].gap.extend);
    align_scoring_set_gap(&spec.scoring, of[k].gap);
    return spec;
}

/* Pieces that are nearly whole genes.  With linear gaps the guarded bands of about half
 * of the pairs are proved, and are narrower than the bands of CIGARs, which follow from
 * the results.  With affine gaps few of the first bands are proved, and the second ones
 * are of many widths. */
static void try_overhanging_genes(comparison_t *s)
{
    enum { PAIRS = 4000 };
    rng_t rng = rng_seed(4);
    char *text = spell_pieces(&rng, N_OVERHANGS);
    work_t w = spelled_work(text);

    compare_with(s, "simd", false, EMIT_CIGAR);
    w.n = w.n < PAIRS ? w.n : PAIRS;
    for (int k = 0; k < N_SPELLED; k++) {
        const align_spec_t spec = spelled_spec(k);

        if (is_mine(s))
            compare(s, &spec, pieces[N_OVERHANGS].name, &w);
    }
    free_work(&w);
    free(text);
}

static void try_all(comparison_t *s)
{
    rng_t rng = rng_seed(1); /* of specs */
    score_matrix_t matrix;

    for (int k = 0; k < s->n_specs; k += s->stride) {
        align_spec_t spec = random_set_spec(k);

        try_spec(s, &spec);
    }
    for (int k = 0; k < N_MATRICES; k += s->stride) {
        align_spec_t spec = {.emit = EMIT_IDENTITY,
                             .ends = k % 2 == 0 ? ENDS_FREE : ENDS_COUNT,
                             .min_overlap = {1, 2}};

        random_set_matrix(&rng, &matrix);
        align_scoring_set_matrix(&spec.scoring, &matrix, -1 - 4 * k);
        try_spec(s, &spec);
    }
    for (int k = 0; k < N_AFFINE + N_PROTEINS + N_LOCAL; k += s->stride) {
        const bool is_local = k >= N_AFFINE + N_PROTEINS;

        s->proteins = is_local ? k % 2 == 1 : k >= N_AFFINE;
        align_spec_t spec =
            s->proteins ? random_set_protein_spec(&rng) : random_set_affine_spec(&rng);

        spec.ends = is_local ? ENDS_LOCAL : spec.ends;
        if (!is_local)
            spec.min_overlap = (fraction_t){k % 2, 2};
        try_spec(s, &spec);
    }
    s->proteins = false;
    if (is_short(s))
        return;
    try_a_sequence_too_long_for_keys(s);
    try_limits(s);
    try_overhangs(s);
    try_overhanging_genes(s);
}

/* Usual settings, on many pairs of all lengths. */
static void try_many(comparison_t *s, int64_t n, align_emit_t emit)
{
    const random_set_opts_t opts = {2000, 1, 3000, 30};
    const int32_t gap[] = {-7, -8};
    rng_t rng = rng_seed(7);
    work_t w = random_work(false, &rng, &opts, n);

    compare_with(s, "simd", true, emit);
    for (int k = 0; k < 6; k++) {
        align_spec_t spec = {.emit = EMIT_IDENTITY,
                             .ends = (align_ends_t)(k % 3),
                             .min_overlap = {1, 2}};

        align_scoring_set(&spec.scoring, AMBIGUITY_N_MISMATCH, 4, -5, gap[k / 3]);
        if (is_mine(s))
            compare(s, &spec, "1..3000", &w);
    }
    free_work(&w);
}

/* Read K/N. @return whether 1 <= K <= N */
static bool read_share(const char *text, comparison_t *s)
{
    if (sscanf(text, "%d/%d", &s->share, &s->n_shares) != 2)
        return false;
    return --s->share >= 0 && s->share < s->n_shares;
}

/* @return the pairs of --many, or 0; negative if the options are invalid */
static int64_t read_options(comparison_t *s, int argc, char **argv)
{
    int64_t many = 0;

    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--kernel") == 0 && i + 1 < argc) {
            s->kernel = argv[++i];
        } else if (strcmp(argv[i], "--share") == 0 && i + 1 < argc) {
            if (!read_share(argv[++i], s))
                return -1;
        } else if (strcmp(argv[i], "--many") == 0 && i + 1 < argc) {
            many = atoll(argv[++i]);
        } else if ((s->max_pairs = atoll(argv[i])) > 0) {
            s->stride = 5;
        } else
            return -1;
    if (is_short(s)) /* one setting per kind of ends */
        s->stride = 15;
    return many;
}

int main(int argc, char **argv)
{
    comparison_t s = {.reference = {.kernel = "scalar", .max_emit = EMIT_CIGAR},
                      .max_pairs = INT64_MAX,
                      .n_specs = RANDOM_SET_ALL_SPECS,
                      .stride = 1,
                      .n_shares = 1};
    const int64_t many = read_options(&s, argc, argv);
    int code;

    if (many < 0) {
        fprintf(stderr, "usage: gpu_align [--kernel NAME] [--share K/N] [PAIRS]\n"
                        "       gpu_align [--kernel NAME] [--share K/N] --many PAIRS\n");
        return 2;
    }
    code = gpu_case_begin(s.share, &s.reference.cpu, &s.gpu, &s.reference.pool);
    if (code != EXIT_SUCCESS)
        return code;
    s.device_bytes = s.gpu.memory_bytes / MEMORY_PARTS;
    if (many > 0) {
        try_many(&s, many, EMIT_IDENTITY);
        try_many(&s, many / 10, EMIT_CIGAR); /* fewer: the CPU takes long for these */
    } else
        try_all(&s);
    pool_destroy(s.reference.pool);
    printf("%d passed, %d failed\n", s.n_passed, s.n_failed);
    if (s.n_failed > 0)
        return EXIT_FAILURE;
    return s.n_passed > 0 || s.n_shares > 1 ? EXIT_SUCCESS : EXIT_FAILURE;
}
