/*
 * compare_classifiers.c - the backends of naive Bayes return the reference's integers, in
 * batches that grow and with two of them in flight.
 */
#include "io/seq/fasta.h"
#include "io/seq/taxonomy.h"
#include "kernels/classify/nbc_score.h"
#include "kernels/classify/simd/nbc_rows.h"
#include "kernels/registry/backends.h"
#include "tests/kernels/classify/nbc_case.h"
#include "tests/kernels/registry/comparison.h"
#include "tests/support/random_set.h"

#include <stdio.h>
#include <unistd.h>

typedef struct {
    seqset_t *refs, *reads;
    nbc_case_t model;
    nbc_options_t options;
} case_t;

enum { REFS_MAX = 25000 };

static int32_t parent[NBC_CASE_TAXA], taxon_of[REFS_MAX];

static void take_results(const nbc_results_t *r, int64_t n, int n_ranks, result_t *out)
{
    const size_t stride = sizeof(*r->best);

    result_add(out, "class", VALUE_I32, n, 1, &r->best->class_number, stride);
    result_add(out, "words", VALUE_I32, n, 1, &r->best->n_words, stride);
    result_add(out, "cost", VALUE_I32, n, 1, &r->best->cost, stride);
    result_add(out, "reversed", VALUE_U8, n, 1, &r->best->reversed, stride);
    result_add(out, "support", VALUE_U16, n, n_ranks, r->support, sizeof(*r->support));
    result_add(out, "rival costs", VALUE_I32, n, n_ranks, r->rival, sizeof(*r->rival));
}

/* Copy the results of a batch into those of all reads. */
static void take_batch(const nbc_backend_t *backend, void *state,
                       const nbc_batch_t *batch, int n_ranks, nbc_results_t *all)
{
    const size_t n = (size_t)batch->n, n_cells = n * (size_t)n_ranks;
    nbc_results_t part;

    MUST(backend->wait(state, &part) == ST_OK);
    memcpy(all->best + batch->first, part.best, n * sizeof(*part.best));
    memcpy(all->support + batch->first * n_ranks, part.support,
           n_cells * sizeof(*part.support));
    memcpy(all->rival + batch->first * n_ranks, part.rival,
           n_cells * sizeof(*part.rival));
}

/* One read alone, a third of the others, and the rest, which is submitted before the
 * third is waited for. */
static void classify(const nbc_backend_t *backend, const nbc_context_t *context,
                     const seqset_t *reads, result_t *out)
{
    const int n_ranks = context->model->classes->n_ranks;
    const int64_t third = 1 + (reads->n - 1) / 3;
    const nbc_batch_t batches[] = {{reads, 0, 1},
                                   {reads, 1, third - 1},
                                   {reads, third, reads->n - third}};
    nbc_results_t all;
    void *state = NULL;

    MUST(nbc_results_create(reads->n, n_ranks, &all) == ST_OK);
    MUST(backend->create(context, &state) == ST_OK);
    MUST(backend->submit(state, &batches[0]) == ST_OK);
    take_batch(backend, state, &batches[0], n_ranks, &all);
    MUST(backend->submit(state, &batches[1]) == ST_OK &&
         backend->submit(state, &batches[2]) == ST_OK);
    take_batch(backend, state, &batches[1], n_ranks, &all);
    take_batch(backend, state, &batches[2], n_ranks, &all);
    backend->destroy(state);
    take_results(&all, reads->n, n_ranks, out);
    nbc_results_free(&all);
}

static void expect(void *one, result_t *out)
{
    const case_t *c = one;
    const device_t cpu = device_cpu();
    const nbc_context_t context = {&cpu, NULL, c->model.model, c->options};
    nbc_results_t r;

    MUST(nbc_case_run(&nbc_reference_backend, &context, c->reads, &r) == ST_OK);
    take_results(&r, c->reads->n, c->model.classes.n_ranks, out);
    nbc_results_free(&r);
}

static computed_t compute(const void *one, const setting_t *s, result_t *out)
{
    const case_t *c = one;
    const nbc_context_t context = {&s->device, s->pool, c->model.model, c->options};

    if (!nbc_table.takes(s->row, &context))
        return REFUSED;
    classify((const nbc_backend_t *)s->row, &context, c->reads, out);
    return COMPUTED;
}

const comparison_kind_t compare_classifiers = {.name = "classify",
                                               .table = &nbc_table,
                                               .reference = &nbc_reference_backend.base,
                                               .by_level = true,
                                               .n_threads = (const int[]){0, 2, -1},
                                               .ways = (const char *const[]){"", NULL},
                                               .expect = expect,
                                               .compute = compute};

/* ---- cases ---- */

static void compare_one(comparison_t *comparison, const char *name, case_t *c)
{
    comparison_case(comparison, name, "", c);
    nbc_case_free(&c->model);
    seqset_destroy(c->refs);
    seqset_destroy(c->reads);
}

typedef struct {
    const char *name;
    int64_t n_refs, len, n_reads, max_read_len;
    bool is_long;
} random_row_t;

/* Of 150 draws and more, several sums of 16 bits are added up.  The groups of more than a
 * thousand classes are more than those of one block. */
static const random_row_t random_rows[] = {
    {"random", 300, 400, 40, 300, false},
    {"random, both strands", 300, 400, 40, 300, false},
    {"random, other", 300, 400, 40, 300, true},
    {"random, other, both strands", 300, 400, 60, 300, true},
    {"long reads", 40, 6000, 12, 6000, true},
    {"long reads, fewer, both strands", 20, 2500, 2, 2500, false},
    {"many classes", 3000, 150, 8, 150, false},
};

static void compare_random(comparison_t *comparison, const random_row_t *row)
{
    const uint64_t seed = (uint64_t)(row - random_rows);
    rng_t rng = rng_seed(seed);
    case_t c = {.options = {.n_resamples = 100,
                            .seed = seed,
                            .both_strands = strstr(row->name, "both strands") != NULL}};

    MUST(nbc_case_refs(&rng, row->n_refs, row->len, &c.refs, taxon_of) == ST_OK);
    MUST(nbc_case_reads(&rng, c.refs, row->n_reads, row->max_read_len, &c.reads) ==
         ST_OK);
    MUST(nbc_case_create(c.refs, parent, NBC_CASE_TAXA, taxon_of, NULL, &c.model) ==
         ST_OK);
    if (strcmp(row->name, "many classes") == 0)
        MUST(c.model.classes.n > NBC_BLOCK * NBC_GROUP);
    compare_one(comparison, row->name, &c);
}

typedef struct {
    const char *name;
    const char *refs; /* random_set_spell */
    int n_copies;     /* of these, each in another class */
    int32_t taxon;    /* of all references without copies; -1: none */
    const char *reads;
    int n_resamples;
} spelled_row_t;

static const spelled_row_t spelled_rows[] = {
    {"one class", "ACGTACGTTTGACA GGGGGGGGCA", 0, 1,
     "ACGTACGTAC NNNNNNNNNNN CCCCCCCCAGG A", 10},
    {"no class", "ACGTACGTTTGACA GGGGGGGGCA", 0, -1,
     "ACGTACGTAC NNNNNNNNNNN CCCCCCCCAGG A", 0},
    {"ties", "TTGACCATGCATTACG", 200, 0, "TTGACCATGCATTACG CGTAATGCATGG CCATGCAA", 50},
};

static void compare_spelled(comparison_t *comparison, const spelled_row_t *row)
{
    case_t c = {
        .options = {.n_resamples = row->n_resamples, .seed = 1, .both_strands = true}};
    buf_t text = {0};

    MUST(buf_append(&text, row->refs, strlen(row->refs)) == ST_OK);
    for (int i = 1; i < row->n_copies; i++)
        MUST(buf_append(&text, " ", 1) == ST_OK &&
             buf_append(&text, row->refs, strlen(row->refs)) == ST_OK);
    MUST(buf_append(&text, "", 1) == ST_OK);
    MUST(random_set_spell((const char *)text.data, &c.refs) == ST_OK &&
         random_set_spell(row->reads, &c.reads) == ST_OK);
    for (int i = 0; i < c.refs->n; i++)
        taxon_of[i] = row->n_copies > 0 ? NBC_CASE_TAXA - 1 - i : row->taxon;
    MUST(nbc_case_create(c.refs, parent, NBC_CASE_TAXA, taxon_of, NULL, &c.model) ==
         ST_OK);
    compare_one(comparison, row->name, &c);
    buf_free(&text);
}

/* @return the set's whole genes and pieces of 250 bases, 6 in all */
static seqset_t *some_genes(const seqset_t *refs)
{
    seqset_builder_t builder = {0};
    seqset_t *reads = NULL;

    for (int64_t i = 0; i < 6; i++) {
        const int64_t ref = i * (refs->n / 6);
        const int64_t len = i % 4 == 0 ? seqset_len(refs, ref) : 250;

        MUST(seqset_builder_add(&builder, "x", 1, seqset_letters(refs, ref),
                                (size_t)len) == ST_OK);
    }
    MUST(seqset_builder_finish(&builder, &reads) == ST_OK);
    return reads;
}

static void compare_genes_of_rdp(comparison_t *comparison, const char *name)
{
    const char *dir = getenv("RIBOGRID_DATA");
    char path[4096], table[4096];
    case_t c = {.options = {.n_resamples = 20, .seed = 1, .both_strands = true}};
    taxonomy_t *taxonomy = NULL;
    int32_t *parents;

    snprintf(path, sizeof(path), "%s/16s/rdp_trainset18.fasta.gz",
             dir != NULL ? dir : "");
    snprintf(table, sizeof(table), "%s/16s/rdp_trainset18.tax.tsv.gz",
             dir != NULL ? dir : "");
    if (dir == NULL || access(path, R_OK) != 0) {
        printf("left out: RIBOGRID_DATA/16s/rdp_trainset18.fasta.gz not found\n");
        return;
    }
    MUST(fasta_read(path, &(fasta_opts_t){.skip_bad = true}, NULL, &c.refs) == ST_OK);
    MUST(taxonomy_read(table, &taxonomy) == ST_OK);
    MUST(c.refs->n > 0 && c.refs->n <= REFS_MAX);
    parents = malloc((size_t)taxonomy_n_taxa(taxonomy) * sizeof(*parents));
    MUST(parents != NULL);
    parents[TAXONOMY_ROOT] = -1;
    for (int32_t taxon = 1; taxon < taxonomy_n_taxa(taxonomy); taxon++)
        parents[taxon] =
            taxonomy_ancestor(taxonomy, taxon, taxonomy_rank(taxonomy, taxon) - 1);
    for (int64_t i = 0; i < c.refs->n; i++)
        taxon_of[i] = taxonomy_find(taxonomy, seqset_name(c.refs, i));
    MUST(nbc_case_create(c.refs, parents, taxonomy_n_taxa(taxonomy), taxon_of, NULL,
                         &c.model) == ST_OK);
    c.reads = some_genes(c.refs);
    compare_one(comparison, name, &c);
    taxonomy_destroy(taxonomy);
    free(parents);
}

void compare_classifiers_cases(comparison_t *c)
{
    nbc_case_tree(parent);
    for (size_t k = 0; k < sizeof(random_rows) / sizeof(random_rows[0]); k++)
        if (comparison_has(c, random_rows[k].name, random_rows[k].is_long))
            compare_random(c, &random_rows[k]);
    for (size_t k = 0; k < sizeof(spelled_rows) / sizeof(spelled_rows[0]); k++)
        if (comparison_has(c, spelled_rows[k].name, false))
            compare_spelled(c, &spelled_rows[k]);
    if (comparison_has(c, "genes of RDP", true))
        compare_genes_of_rdp(c, "genes of RDP");
}
