/*
 * nbc_cpu.c - divides a batch into groups of reads, one per thread at a time.
 */
#include "kernels/classify/nbc_backend.h"

#include "io/base/logmsg.h"
#include "kernels/classify/nbc_score.h"

#include <stdlib.h>

/* A group's reads share the rows of a block that they bring into the cache. */
enum { GROUP_READS = 128, GROUPS_PER_THREAD = 4 };

/* What one thread needs. */
typedef struct {
    nbc_words_set_t set;
    nbc_scratch_t *scratch;
    uint16_t *words; /* [capacity] of a group's reads in both orientations */
    int64_t capacity;
    status_t st;
} thread_t;

typedef struct {
    nbc_context_t context;
    nbc_matrix_t matrix;
    nbc_scorer_t scorer;
    thread_t *threads; /* [n_threads] */
    int n_threads;
    const nbc_batch_t *batches[NBC_DEPTH], *batch;
    int newest, oldest; /* batches begun and finished, counted from 0 */
    int64_t group_reads;
    nbc_results_t results;
    int64_t capacity; /* reads of results */
} cpu_t;

static bool takes(const nbc_context_t *context)
{
    return nbc_matrix_bytes(context->model->classes->n, NBC_N_WORDS) <
           context->device->memory_bytes;
}

static void destroy(void *state)
{
    cpu_t *c = state;

    if (c == NULL)
        return;
    for (int i = 0; c->threads != NULL && i < c->n_threads; i++) {
        nbc_scratch_destroy(c->threads[i].scratch);
        free(c->threads[i].words);
    }
    free(c->threads);
    nbc_matrix_free(&c->matrix);
    nbc_results_free(&c->results);
    free(c);
}

static status_t create(const nbc_context_t *context, void **state)
{
    cpu_t *c = calloc(1, sizeof(*c));
    status_t st;

    if (c == NULL)
        return log_nomem("a classifier");
    c->context = *context;
    c->n_threads = pool_n_threads(context->pool);
    c->threads = calloc((size_t)c->n_threads, sizeof(*c->threads));
    st = c->threads != NULL ? ST_OK : log_nomem("a classifier");
    for (int i = 0; st == ST_OK && i < c->n_threads; i++)
        st = nbc_scratch_create(&c->threads[i].scratch);
    if (st == ST_OK)
        st = nbc_matrix_of_model(context->model, context->pool, &c->matrix);
    if (st != ST_OK) {
        destroy(c);
        return st;
    }
    c->scorer = (nbc_scorer_t){.matrix = {&c->matrix, &c->matrix},
                               .classes = context->model->classes,
                               .rows = nbc_rows_of(context->device->simd),
                               .options = context->options};
    *state = c;
    return ST_OK;
}

static status_t submit(void *state, const nbc_batch_t *batch)
{
    cpu_t *c = state;

    c->batches[c->newest++ % NBC_DEPTH] = batch;
    return ST_OK;
}

/* Make room for the words of reads. @return ST_OK or ST_ENOMEM */
static status_t reserve_words(thread_t *t, const seqset_t *reads, int64_t first,
                              int64_t n)
{
    int64_t needed = 0;

    for (int64_t i = first; i < first + n; i++)
        needed += NBC_STRANDS * nbc_words_max(seqset_len(reads, i));
    if (needed <= t->capacity)
        return ST_OK;
    free(t->words);
    t->capacity = 0;
    needed += needed / 4;
    if ((t->words = malloc((size_t)needed * sizeof(*t->words))) == NULL)
        return log_nomem("words of reads");
    t->capacity = needed;
    return ST_OK;
}

/* Find the words of a read. @return the end of those in both orientations */
static uint16_t *find_words(cpu_t *c, thread_t *t, int64_t i, uint16_t *words,
                            nbc_read_t *out)
{
    const seqset_t *reads = c->batch->reads;
    const int32_t n =
        nbc_words_find(seqset_letters(reads, i), seqset_len(reads, i), &t->set, words);

    *out = (nbc_read_t){.n_words = n,
                        .n_strands = c->context.options.both_strands ? NBC_STRANDS : 1,
                        .words = {words, words + n}};
    if (out->n_strands > 1)
        nbc_words_reverse(words, n, &t->set, out->words[1]);
    for (int k = 0; k < out->n_strands; k++)
        out->key[k] = nbc_words_key(c->context.options.seed, out->words[k], n);
    return words + NBC_STRANDS * n;
}

static void classify_group(void *ctx, int64_t group, int thread)
{
    cpu_t *c = ctx;
    thread_t *t = &c->threads[thread];
    const int64_t row = group * c->group_reads, left = c->batch->n - row,
                  n = left < c->group_reads ? left : c->group_reads;
    nbc_read_t reads[GROUP_READS];
    uint16_t *words;

    if (t->st != ST_OK ||
        (t->st = reserve_words(t, c->batch->reads, c->batch->first + row, n)) != ST_OK)
        return;
    words = t->words;
    for (int64_t i = 0; i < n; i++)
        words = find_words(c, t, c->batch->first + row + i, words, &reads[i]);
    t->st = nbc_score(&c->scorer, reads, n, t->scratch, row, &c->results);
}

static status_t reserve_results(cpu_t *c, int64_t n)
{
    status_t st;

    if (n <= c->capacity)
        return ST_OK;
    c->capacity = 0;
    nbc_results_free(&c->results);
    if ((st = nbc_results_create(n, c->context.model->classes->n_ranks, &c->results)) ==
        ST_OK)
        c->capacity = n;
    return st;
}

static status_t wait(void *state, nbc_results_t *out)
{
    cpu_t *c = state;
    status_t st;

    c->batch = c->batches[c->oldest++ % NBC_DEPTH];
    if ((st = reserve_results(c, c->batch->n)) != ST_OK)
        return st;
    c->group_reads = c->batch->n / (GROUPS_PER_THREAD * c->n_threads) + 1;
    if (c->group_reads > GROUP_READS)
        c->group_reads = GROUP_READS;
    pool_run(c->context.pool, (c->batch->n + c->group_reads - 1) / c->group_reads,
             classify_group, c);
    for (int i = 0; st == ST_OK && i < c->n_threads; i++) {
        st = c->threads[i].st;
        c->threads[i].st = ST_OK;
    }
    *out = c->results;
    return st;
}

const nbc_backend_t nbc_cpu_backend = {
    .base = {.name = "cpu", .kind = DEVICE_CPU, .rate = 1e9},
    .takes = takes,
    .create = create,
    .submit = submit,
    .wait = wait,
    .destroy = destroy,
};
