/*
 * compare_parasail.c - scores of real 16S genes and of random proteins equal parasail's
 * (Daily 2016), an aligner that shares no code with this one.
 */
#include "io/seq/fasta.h"
#include "io/seq/matrix_file.h"
#include "kernels/align/engine/aligner.h"
#include "kernels/registry/backends.h"
#include "tests/kernels/registry/comparison.h"
#include "tests/support/random_set.h"

#include <parasail.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct {
    seqset_t *set;
    char *text; /* the set's letters, at the same offsets */
    pair_t *pairs;
    int64_t n;
    align_spec_t spec;
    align_gap_t gap;
    const parasail_matrix_t *matrix;
    int32_t *score; /* parasail's */
} case_t;

static void score_one(void *ctx, int64_t i, int thread)
{
    const case_t *c = ctx;
    const pair_t p = c->pairs[i];
    const char *a = c->text + c->set->offset[p.query];
    const char *b = c->text + c->set->offset[p.target];
    const int m = (int)seqset_len(c->set, p.query), n = (int)seqset_len(c->set, p.target);
    parasail_result_t *r;

    (void)thread;
    r = (c->spec.ends == ENDS_FREE ? parasail_sg_scan_16
         : c->spec.ends == ENDS_LOCAL
             ? parasail_sw_scan_16
             : parasail_nw_scan_16)(a, m, b, n, -c->gap.open, -c->gap.extend, c->matrix);
    MUST(!parasail_result_is_saturated(r));
    c->score[i] = parasail_result_get_score(r);
    if (c->spec.ends == ENDS_FREE && c->score[i] < 0)
        c->score[i] = 0; /* parasail always aligns something, here no columns score 0 */
    parasail_result_free(r);
}

static void expect(void *one, result_t *out)
{
    case_t *c = one;
    pool_t *pool = NULL;

    c->score = result_add(out, "score", VALUE_I32, c->n, 1, NULL, 0);
    MUST(pool_create(device_cpu().n_cores, &pool) == ST_OK);
    pool_run(pool, c->n, score_one, c);
    pool_destroy(pool);
}

static computed_t compute(const void *one, const setting_t *s, result_t *out)
{
    const case_t *c = one;
    align_spec_t spec = c->spec;
    const align_context_t context = {&s->device, s->pool, c->set, &spec, {0}};
    aligner_t *a = NULL;
    pair_results_t got;

    spec.emit = (align_emit_t)s->way;
    if (!aligner_backend_takes(aligner_backend(s->row), &context, 1, 1))
        return REFUSED;
    MUST(aligner_create(&context, &(aligner_options_t){.kernel = s->row->name}, &a) ==
         ST_OK);
    MUST(aligner_submit(a, &(pair_batch_t){c->pairs, c->n}) == ST_OK &&
         aligner_wait(a, &got) == ST_OK);
    result_add(out, "score", VALUE_I32, c->n, 1, got.score, sizeof(*got.score));
    aligner_destroy(a);
    return COMPUTED;
}

const comparison_kind_t compare_parasail = {
    .name = "parasail",
    .table = &aligner_table,
    .reference =
        &scalar_backend.base, /* is compared with the others (compare_aligners.c) */
    .n_threads = (const int[]){3, -1},
    .ways = (const char *const[]){"scores", "identities", NULL},
    .expect = expect,
    .compute = compute};

/* ---- cases ---- */

/* Spell a set in letters that parasail knows: it takes J, O and U for '*'. */
static char *spell(seqset_t *set, alphabet_t alphabet)
{
    char *text = malloc((size_t)set->offset[set->n] + 1);

    MUST(text != NULL);
    for (int64_t i = 0; i < set->offset[set->n]; i++) {
        char letter = alphabet_letter(alphabet, set->letters[i]);

        letter = letter == 'J' ? 'L' : letter == 'O' ? 'K' : letter == 'U' ? 'C' : letter;
        if (alphabet == ALPHABET_PROTEIN)
            set->letters[i] = alphabet_code(alphabet, (unsigned char)letter);
        text[i] = letter;
    }
    return text;
}

static void compare(comparison_t *comparison, const char *name, case_t *c,
                    align_ends_t ends, align_gap_t gap)
{
    char text[RANDOM_SET_TEXT_BYTES];

    c->spec.ends = ends;
    c->gap = gap;
    align_scoring_set_gap(&c->spec.scoring, gap);
    random_set_describe(&c->spec, text);
    comparison_case(comparison, name, text, c);
}

static void free_case(case_t *c)
{
    seqset_destroy(c->set);
    free(c->pairs);
    free(c->text);
}

static void compare_proteins(comparison_t *comparison, const char *name)
{
    enum { N_PAIRS = 100000 };
    const align_gap_t linear = {-4, -4}, affine = {-11, -1};
    case_t c = {.n = random_set_count(N_PAIRS),
                .matrix = parasail_matrix_lookup("blosum62")};
    rng_t rng = rng_seed(11);
    score_matrix_t matrix;

    MUST(random_set_create_proteins(&rng, &(random_set_opts_t){400, 1, 120, 20},
                                    &c.set) == ST_OK);
    MUST((c.pairs = malloc((size_t)c.n * sizeof(*c.pairs))) != NULL);
    random_set_pairs(&rng, c.set, c.n, c.pairs);
    c.text = spell(c.set, ALPHABET_PROTEIN);
    MUST(named_matrix_find("BLOSUM62", &matrix));
    align_scoring_set_matrix(&c.spec.scoring, &matrix, -1);
    for (int ends = ENDS_FREE; ends <= ENDS_COUNT; ends++) {
        compare(comparison, name, &c, (align_ends_t)ends, linear);
        compare(comparison, name, &c, (align_ends_t)ends, affine);
    }
    compare(comparison, name, &c, ENDS_LOCAL, affine);
    free_case(&c);
}

static bool has_only_bases(const seqset_t *set, int64_t record)
{
    for (int64_t i = set->offset[record]; i < set->offset[record + 1]; i++)
        if (!alphabet_is_base(ALPHABET_DNA, set->letters[i]))
            return false;
    return true;
}

/* All pairs of records without ambiguity codes, or every k-th one of them. */
static void draw_genes(case_t *c)
{
    enum { ALL = 10000, MIN_RECORDS = 100 };
    const int64_t step = CASE_STEP * ALL / random_set_count(ALL);
    int64_t n_records = 0, at = 0;

    MUST((c->pairs = malloc((size_t)(c->set->n * c->set->n) * sizeof(pair_t))) != NULL);
    for (int32_t i = 0; i < c->set->n; i++) {
        if (!has_only_bases(c->set, i))
            continue;
        n_records++;
        for (int32_t j = 0; j < i; j++)
            if (has_only_bases(c->set, j) && at++ % step == 0)
                c->pairs[c->n++] = (pair_t){i, j};
    }
    MUST(n_records > MIN_RECORDS);
}

/* RDP's genes, or random sequences where they are absent. */
static void read_genes(case_t *c)
{
    const char *dir = getenv("RIBOGRID_DATA");
    rng_t rng = rng_seed(12);
    char path[4096];

    snprintf(path, sizeof(path), "%s/16s/rdp_testDMtrain.fasta.gz",
             dir != NULL ? dir : "");
    if (dir != NULL && access(path, R_OK) == 0) {
        MUST(fasta_read(path, &(fasta_opts_t){0}, NULL, &c->set) == ST_OK);
        return;
    }
    printf("RIBOGRID_DATA/16s/rdp_testDMtrain.fasta.gz not found: random genes\n");
    MUST(random_set_create(&rng, &(random_set_opts_t){200, 1, 300, 0}, &c->set) == ST_OK);
}

static void compare_genes(comparison_t *comparison, const char *name)
{
    enum { MATCH = 4, MISMATCH = -5 };
    static const align_ends_t ends[] = {ENDS_COUNT, ENDS_FREE, ENDS_LOCAL};
    parasail_matrix_t *matrix = parasail_matrix_create("ACGT", MATCH, MISMATCH);
    case_t c = {.matrix = matrix};

    read_genes(&c);
    c.text = spell(c.set, ALPHABET_DNA);
    draw_genes(&c);
    align_scoring_set(&c.spec.scoring, AMBIGUITY_N_MISMATCH, MATCH, MISMATCH, -1);
    for (int k = 0; k < 3; k++) {
        compare(comparison, name, &c, ends[k], (align_gap_t){-7, -7});
        compare(comparison, name, &c, ends[k], (align_gap_t){-20, -2});
    }
    free_case(&c);
    parasail_matrix_free(matrix);
}

void compare_parasail_cases(comparison_t *c)
{
    if (comparison_has(c, "proteins", false))
        compare_proteins(c, "proteins");
    if (comparison_has(c, "genes", false))
        compare_genes(c, "genes");
}
