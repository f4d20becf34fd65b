/*
 * nbc_without.c - builds the matrix of one read's words from the counts that remain.
 */

#include "io/base/logmsg.h"
#include "kernels/classify/nbc_score.h"

#include <stdlib.h>
#include <string.h>

/* How many of a class's references with a word of the read are removed. */
typedef struct {
    uint16_t word;
    int32_t class_number;
    int32_t n_refs;
} loss_t;

struct nbc_without {
    nbc_context_t context;
    nbc_words_set_t set;
    nbc_scratch_t *scratch;
    nbc_results_t results;
    uint16_t words[NBC_STRANDS][NBC_N_WORDS]; /* of the read */
    uint16_t rows[NBC_N_WORDS];               /* 0, 1, 2, ... of a matrix */
    bool is_of_read[NBC_N_WORDS];             /* in either orientation; zeroed */
    uint16_t ref_words[NBC_N_WORDS];
    uint16_t touched[NBC_N_WORDS];   /* words of the read in the class's references */
    int32_t n_of_class[NBC_N_WORDS]; /* removed references of the class; zeroed */
    int32_t n_lost[NBC_N_WORDS];     /* of all classes */
    int32_t *class_lost;             /* [n_classes] removed references */
    int32_t *sorted;                 /* [sorted_capacity] removed ones, by class */
    int64_t *class_first;            /* [n_classes + 1] */
    int64_t sorted_capacity, n_sorted;
    loss_t *losses; /* [loss_capacity] */
    int64_t n_losses, loss_capacity;
};

void nbc_without_destroy(nbc_without_t *s)
{
    if (s == NULL)
        return;
    nbc_scratch_destroy(s->scratch);
    nbc_results_free(&s->results);
    free(s->class_lost);
    free(s->class_first);
    free(s->sorted);
    free(s->losses);
    free(s);
}

status_t nbc_without_create(const nbc_context_t *context, nbc_without_t **out)
{
    const nbc_classes_t *classes = context->model->classes;
    nbc_without_t *s = calloc(1, sizeof(*s));
    status_t st;

    if (s == NULL)
        return log_nomem("a classifier");
    s->context = *context;
    for (int32_t i = 0; i < NBC_N_WORDS; i++)
        s->rows[i] = (uint16_t)i;
    s->class_lost = malloc(((size_t)classes->n + 1) * sizeof(*s->class_lost));
    s->class_first = malloc(((size_t)classes->n + 1) * sizeof(*s->class_first));
    st = s->class_lost != NULL && s->class_first != NULL ? ST_OK
                                                         : log_nomem("a classifier");
    if (st == ST_OK)
        st = nbc_scratch_create(&s->scratch);
    if (st == ST_OK)
        st = nbc_results_create(1, classes->n_ranks, &s->results);
    if (st == ST_OK)
        *out = s;
    else
        nbc_without_destroy(s);
    return st;
}

/* Sort the removed references by class. */
static status_t sort_removed(nbc_without_t *s, const int32_t *removed, int64_t n)
{
    const nbc_model_t *m = s->context.model;
    int64_t at = 0;

    if (n > s->sorted_capacity) {
        free(s->sorted);
        s->sorted_capacity = 0;
        if ((s->sorted = malloc((size_t)n * sizeof(*s->sorted))) == NULL)
            return log_nomem("removed references");
        s->sorted_capacity = n;
    }
    memset(s->class_lost, 0, (size_t)m->classes->n * sizeof(*s->class_lost));
    for (int64_t i = 0; i < n; i++)
        if (m->class_of[removed[i]] >= 0)
            s->class_lost[m->class_of[removed[i]]]++;
    for (int32_t c = 0; c < m->classes->n; c++) {
        s->class_first[c] = at;
        at += s->class_lost[c];
    }
    s->n_sorted = at;
    for (int64_t i = 0; i < n; i++)
        if (m->class_of[removed[i]] >= 0)
            s->sorted[s->class_first[m->class_of[removed[i]]]++] = removed[i];
    return ST_OK;
}

static status_t add_loss(nbc_without_t *s, loss_t loss)
{
    if (s->n_losses == s->loss_capacity) {
        int64_t capacity = 2 * s->loss_capacity + 1024;
        loss_t *grown = realloc(s->losses, (size_t)capacity * sizeof(*grown));

        if (grown == NULL)
            return log_nomem("removed references");
        s->losses = grown;
        s->loss_capacity = capacity;
    }
    s->losses[s->n_losses++] = loss;
    s->n_lost[loss.word] += loss.n_refs;
    return ST_OK;
}

/* Count the words of the read in the removed references of one class. */
static status_t count_class(nbc_without_t *s, const int32_t *removed, int64_t n)
{
    const nbc_model_t *m = s->context.model;
    int32_t n_touched = 0;
    status_t st = ST_OK;

    for (int64_t i = 0; i < n; i++) {
        int32_t n_words =
            nbc_words_find(seqset_letters(m->refs, removed[i]),
                           seqset_len(m->refs, removed[i]), &s->set, s->ref_words);

        for (int32_t k = 0; k < n_words; k++) {
            uint16_t word = s->ref_words[k];

            if (s->is_of_read[word] && s->n_of_class[word]++ == 0)
                s->touched[n_touched++] = word;
        }
    }
    for (int32_t k = 0; k < n_touched; k++) {
        uint16_t word = s->touched[k];

        if (st == ST_OK)
            st =
                add_loss(s, (loss_t){word, m->class_of[removed[0]], s->n_of_class[word]});
        s->n_of_class[word] = 0;
    }
    return st;
}

/* @return whether none of the references of a class are left */
static inline bool is_lost(const nbc_without_t *s, int32_t class_number)
{
    return s->class_lost[class_number] == s->context.model->class_refs[class_number];
}

/* Of classes that are lost the counts of the model are what is lost.
 * @param words  [n] of the read, whose n_lost are 0 */
static void count_lost_classes(nbc_without_t *s, const uint16_t *words, int32_t n)
{
    const nbc_model_t *m = s->context.model;

    for (int32_t k = 0; k < n; k++) {
        s->n_lost[words[k]] = 0; /* it may be in both orientations */
        for (int64_t i = m->word_first[words[k]]; i < m->word_first[words[k] + 1]; i++)
            if (is_lost(s, m->counts[i].class_number))
                s->n_lost[words[k]] += m->counts[i].n_refs;
    }
}

static status_t count_losses(nbc_without_t *s, int32_t n_words, int n_strands)
{
    const int32_t *class_of = s->context.model->class_of;
    status_t st = ST_OK;

    s->n_losses = 0;
    for (int k = 0; k < n_strands && s->n_sorted > 0; k++)
        count_lost_classes(s, s->words[k], n_words);
    for (int64_t first = 0; st == ST_OK && first < s->n_sorted;) {
        const int32_t class_number = class_of[s->sorted[first]];
        const int32_t n = s->class_lost[class_number];

        if (!is_lost(s, class_number))
            st = count_class(s, s->sorted + first, n);
        first += n;
    }
    return st;
}

/* @return m(w) of a class in the whole model; it has the word */
static int32_t count_of(const nbc_model_t *m, uint16_t word, int32_t class_number)
{
    int64_t low = m->word_first[word], high = m->word_first[word + 1] - 1;

    while (low < high) {
        int64_t middle = (low + high) / 2;

        if (m->counts[middle].class_number < class_number)
            low = middle + 1;
        else
            high = middle;
    }
    return m->counts[low].n_refs;
}

/* @return the position of a word, or -1. @param words  [n] ascending */
static int32_t position_of(const uint16_t *words, int32_t n, uint16_t word)
{
    int32_t low = 0, high = n;

    while (low < high) {
        int32_t middle = (low + high) / 2;

        if (words[middle] < word)
            low = middle + 1;
        else
            high = middle;
    }
    return low < n && words[low] == word ? low : -1;
}

/* Make the matrix of words, with those references that are not removed. */
static status_t make_matrix(const nbc_without_t *s, const uint16_t *words, int32_t n,
                            nbc_matrix_t *out)
{
    const nbc_model_t *m = s->context.model;
    const int64_t n_refs = m->n_refs - s->n_sorted;
    status_t st = nbc_matrix_create(m->classes->n, n, out);

    if (st != ST_OK)
        return st;
    out->n_safe = nbc_matrix_safe(n_refs);
    for (int32_t c = 0; c < m->classes->n; c++)
        out->class_rate[c] = nbc_class_rate(m->class_refs[c] - s->class_lost[c]);
    for (int32_t k = 0; k < n; k++) {
        nbc_word_gains_t gains = {m->word_refs[words[k]] - s->n_lost[words[k]],
                                  n_refs,
                                  {0}};

        out->row_cost[k] = nbc_word_cost(gains.n, n_refs);
        for (int64_t i = m->word_first[words[k]]; i < m->word_first[words[k] + 1]; i++)
            if (!is_lost(s, m->counts[i].class_number))
                *nbc_matrix_gain(out, k, m->counts[i].class_number) =
                    nbc_word_gain(&gains, m->counts[i].n_refs);
    }
    for (int64_t i = 0; i < s->n_losses; i++) {
        const loss_t *loss = &s->losses[i];
        const int32_t k = position_of(words, n, loss->word),
                      left = count_of(m, loss->word, loss->class_number) - loss->n_refs;

        if (k >= 0)
            *nbc_matrix_gain(out, k, loss->class_number) =
                left == 0
                    ? 0
                    : nbc_gain(left, m->word_refs[loss->word] - s->n_lost[loss->word],
                               n_refs);
    }
    nbc_matrix_bound(out, NULL);
    return ST_OK;
}

/* Classify the read of s->words. */
static status_t score(nbc_without_t *s, int32_t n_words, int n_strands)
{
    nbc_matrix_t matrix[NBC_STRANDS] = {{0}};
    nbc_scorer_t scorer = {.classes = s->context.model->classes,
                           .rows = nbc_rows_of(s->context.device->simd),
                           .options = s->context.options};
    nbc_read_t read = {.n_words = n_words, .n_strands = n_strands};
    status_t st = count_losses(s, n_words, n_strands);

    for (int k = 0; k < n_strands; k++) {
        if (st == ST_OK)
            st = make_matrix(s, s->words[k], n_words, &matrix[k]);
        scorer.matrix[k] = &matrix[k];
        read.words[k] = s->rows;
        read.key[k] = nbc_words_key(s->context.options.seed, s->words[k], n_words);
    }
    if (st == ST_OK)
        st = nbc_score(&scorer, &read, 1, s->scratch, 0, &s->results);
    for (int k = 0; k < n_strands; k++)
        nbc_matrix_free(&matrix[k]);
    return st;
}

/* Note the words whose losses are to be counted, which are 0, or forget them. */
static void mark_words(nbc_without_t *s, int32_t n_words, int n_strands, bool is_of_read)
{
    for (int k = 0; k < n_strands; k++)
        for (int32_t i = 0; i < n_words; i++) {
            s->is_of_read[s->words[k][i]] = is_of_read;
            s->n_lost[s->words[k][i]] = 0;
        }
}

status_t nbc_without_classify(nbc_without_t *s, const seqset_t *reads, int64_t read,
                              const int32_t *removed, int64_t n_removed,
                              nbc_results_t *out)
{
    const int n_strands = s->context.options.both_strands ? NBC_STRANDS : 1;
    const int32_t n = nbc_words_find(seqset_letters(reads, read), seqset_len(reads, read),
                                     &s->set, s->words[0]);
    status_t st;

    if ((st = sort_removed(s, removed, n_removed)) != ST_OK)
        return st;
    nbc_words_reverse(s->words[0], n, &s->set, s->words[1]);
    mark_words(s, n, n_strands, true);
    st = score(s, n, n_strands);
    mark_words(s, n, n_strands, false);
    *out = s->results;
    return st;
}
