/*
 * nbc_model.c - counts the words of references, class by class.
 *
 * The classes are divided into ranges, which threads count on their own: once to learn
 * how many classes of a range have each word, and once to store the counts.
 */
#include "kernels/classify/nbc_model.h"

#include "io/base/digest.h"
#include "io/base/logmsg.h"
#include "io/seq/alphabet.h"
#include "kernels/classify/nbc_spec.h"

#include <stdlib.h>
#include <string.h>

/* ---- words are collected in a bit set, which sorts them ---- */

static void insert(nbc_words_set_t *set, uint32_t word)
{
    set->seen[word / 64] |= UINT64_C(1) << word % 64;
    set->used[word / 64 / 64] |= UINT64_C(1) << word / 64 % 64;
}

/* Clear the set. @return how many words it had */
static int32_t take_all(nbc_words_set_t *set, uint16_t *out)
{
    int32_t n = 0;

    for (uint32_t i = 0; i < NBC_N_WORDS / 64 / 64; i++) {
        for (; set->used[i] != 0; set->used[i] &= set->used[i] - 1) {
            uint32_t at = i * 64 + (uint32_t)__builtin_ctzll(set->used[i]);

            for (; set->seen[at] != 0; set->seen[at] &= set->seen[at] - 1)
                out[n++] = (uint16_t)(at * 64 + (uint32_t)__builtin_ctzll(set->seen[at]));
        }
    }
    return n;
}

int32_t nbc_words_find(const uint8_t *letters, int64_t len, nbc_words_set_t *scratch,
                       uint16_t *out)
{
    nbc_word_walk_t walk = {.letters = letters, .end = len};

    while (nbc_word_next(&walk))
        insert(scratch, walk.word);
    return take_all(scratch, out);
}

void nbc_words_reverse(const uint16_t *words, int32_t n, nbc_words_set_t *scratch,
                       uint16_t *out)
{
    for (int32_t i = 0; i < n; i++) {
        uint32_t from = NBC_N_WORDS - 1 - words[i], to = 0; /* each base complemented */

        for (int k = 0; k < NBC_WORD_BASES; k++, from >>= 2)
            to = to << 2 | (from & 3);
        insert(scratch, to);
    }
    (void)take_all(scratch, out);
}

uint64_t nbc_words_key(uint64_t seed, const uint16_t *words, int32_t n)
{
    uint64_t digest = digest_add(DIGEST_START, &seed, sizeof(seed));

    return nbc_draw_bits(digest_add(digest, words, (size_t)n * sizeof(*words)), 0, 0);
}

enum { RANGES_MAX = 64 };

/* Scratch of one thread. */
typedef struct {
    nbc_words_set_t set;
    uint16_t words[NBC_N_WORDS];
    int32_t n_refs[NBC_N_WORDS];   /* of the current class with each word; zeroed */
    uint16_t touched[NBC_N_WORDS]; /* words whose n_refs is not 0 */
} scratch_t;

typedef struct {
    nbc_model_t *model;
    int32_t *range_first; /* [n_ranges + 1] classes */
    int64_t *at; /* [NBC_N_WORDS][n_ranges] counts of a word, then where they start */
    int n_ranges;
    bool stores;        /* the second pass */
    scratch_t *scratch; /* [n_threads] */
} build_t;

/* @return the number of words found in the references of a class */
static int32_t count_class(const build_t *b, int32_t class_number, scratch_t *s)
{
    const seqset_t *refs = b->model->refs;
    int32_t n_touched = 0;

    for (int64_t i = b->model->class_first[class_number];
         i < b->model->class_first[class_number + 1]; i++) {
        int32_t ref = b->model->members[i];
        int32_t n = nbc_words_find(seqset_letters(refs, ref), seqset_len(refs, ref),
                                   &s->set, s->words);

        for (int32_t k = 0; k < n; k++)
            if (s->n_refs[s->words[k]]++ == 0)
                s->touched[n_touched++] = s->words[k];
    }
    return n_touched;
}

static void count_range(void *ctx, int64_t range, int thread)
{
    const build_t *b = ctx;
    scratch_t *s = &b->scratch[thread];

    for (int32_t c = b->range_first[range]; c < b->range_first[range + 1]; c++) {
        int32_t n = count_class(b, c, s);

        for (int32_t k = 0; k < n; k++) {
            uint16_t word = s->touched[k];
            int64_t *at = &b->at[(int64_t)word * b->n_ranges + range];

            if (b->stores)
                b->model->counts[*at] = (nbc_count_t){c, s->n_refs[word]};
            (*at)++;
            s->n_refs[word] = 0;
        }
    }
}

/* Sort the references by class, and divide the classes into ranges of about as many
 * references. */
static void divide(build_t *b)
{
    const nbc_model_t *m = b->model;
    int64_t n = 0;
    int32_t c = 0;

    for (int32_t k = 0; k < m->classes->n; k++) {
        b->model->class_first[k] = n;
        n += m->class_refs[k];
    }
    for (int64_t i = 0; i < m->refs->n; i++)
        if (m->class_of[i] >= 0)
            b->model->members[b->model->class_first[m->class_of[i]]++] = (int32_t)i;
    for (int32_t k = m->classes->n; k > 0; k--)
        b->model->class_first[k] = b->model->class_first[k - 1];
    b->model->class_first[0] = 0;
    for (int r = 0; r < b->n_ranges; r++) {
        while (c < m->classes->n && b->model->class_first[c] < n * r / b->n_ranges)
            c++;
        b->range_first[r] = c;
    }
    b->range_first[b->n_ranges] = m->classes->n;
}

/* Turn the numbers of counts per word and range into positions. */
static void place(build_t *b)
{
    int64_t n = 0;

    for (int64_t word = 0; word < NBC_N_WORDS; word++) {
        b->model->word_first[word] = n;
        for (int r = 0; r < b->n_ranges; r++) {
            int64_t *at = &b->at[word * b->n_ranges + r];
            int64_t n_here = *at;

            *at = n;
            n += n_here;
        }
    }
    b->model->word_first[NBC_N_WORDS] = n;
}

static void add_word(void *ctx, int64_t word, int thread)
{
    nbc_model_t *m = ((build_t *)ctx)->model;

    (void)thread;
    for (int64_t k = m->word_first[word]; k < m->word_first[word + 1]; k++)
        m->word_refs[word] += m->counts[k].n_refs;
}

static status_t build(build_t *b, pool_t *pool)
{
    nbc_model_t *m = b->model;

    for (int64_t i = 0; i < m->refs->n; i++)
        if (m->class_of[i] >= 0) {
            m->class_refs[m->class_of[i]]++;
            m->n_refs++;
        }
    divide(b);
    pool_run(pool, b->n_ranges, count_range, b);
    place(b);
    m->counts = malloc(((size_t)m->word_first[NBC_N_WORDS] + 1) * sizeof(*m->counts));
    if (m->counts == NULL)
        return log_nomem("the word counts of a classifier");
    b->stores = true;
    pool_run(pool, b->n_ranges, count_range, b);
    pool_run(pool, NBC_N_WORDS, add_word, b);
    return ST_OK;
}

status_t nbc_model_create(const seqset_t *refs, const int32_t *class_of,
                          const nbc_classes_t *classes, pool_t *pool, nbc_model_t **out)
{
    size_t n_classes = (size_t)classes->n;
    nbc_model_t *m = calloc(1, sizeof(*m));
    build_t b = {.model = m,
                 .n_ranges = pool_n_threads(pool) > 1 ? RANGES_MAX : 1,
                 .scratch = calloc((size_t)pool_n_threads(pool), sizeof(*b.scratch))};
    status_t st = ST_ENOMEM;

    b.range_first = malloc(((size_t)b.n_ranges + 1) * sizeof(*b.range_first));
    b.at = calloc((size_t)NBC_N_WORDS * (size_t)b.n_ranges, sizeof(*b.at));
    if (m != NULL) {
        *m = (nbc_model_t){.refs = refs, .class_of = class_of, .classes = classes};
        m->class_refs = calloc(n_classes + 1, sizeof(*m->class_refs));
        m->members = malloc(((size_t)refs->n + 1) * sizeof(*m->members));
        m->class_first = malloc((n_classes + 1) * sizeof(*m->class_first));
        m->word_refs = calloc(NBC_N_WORDS, sizeof(*m->word_refs));
        m->word_first = malloc((NBC_N_WORDS + 1) * sizeof(*m->word_first));
    }
    if (m == NULL || m->class_refs == NULL || m->word_refs == NULL ||
        m->word_first == NULL || m->members == NULL || m->class_first == NULL ||
        b.scratch == NULL || b.range_first == NULL || b.at == NULL)
        (void)log_nomem("the word counts of a classifier");
    else
        st = build(&b, pool);
    free(b.scratch);
    free(b.range_first);
    free(b.at);
    if (st == ST_OK)
        *out = m;
    else
        nbc_model_destroy(m);
    return st;
}

void nbc_model_destroy(nbc_model_t *m)
{
    if (m == NULL)
        return;
    free(m->class_refs);
    free(m->members);
    free(m->class_first);
    free(m->word_refs);
    free(m->word_first);
    free(m->counts);
    free(m);
}
