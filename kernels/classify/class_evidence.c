/*
 * class_evidence.c - sizes of taxa and covered words, of whole models and of models
 * without some references.
 */
#include "kernels/classify/class_rule.h"

#include "io/base/logmsg.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* ---- lists of references by word, counted per read ---- */

/* In place of a count: the reference is removed. */
#define GONE UINT16_MAX

/* Scratch of one thread. */
typedef struct {
    nbc_words_set_t set;
    uint16_t words[NBC_N_WORDS];
} scratch_t;

typedef struct {
    const class_rare_t *rare;
    _Atomic int64_t *at; /* [NBC_N_WORDS] where the next reference is listed */
    scratch_t *scratch;  /* [n_threads] */
} listing_t;

static void list_ref(void *ctx, int64_t ref, int thread)
{
    const listing_t *b = ctx;
    const nbc_model_t *m = b->rare->model;
    scratch_t *s = &b->scratch[thread];
    int32_t n;

    if (m->class_of[ref] < 0)
        return;
    n = nbc_words_find(seqset_letters(m->refs, ref), seqset_len(m->refs, ref), &s->set,
                       s->words);
    for (int32_t k = 0; k < n; k++)
        if (m->word_refs[s->words[k]] <= CLASS_RARE_LISTED)
            b->rare->refs[b->at[s->words[k]]++] = (int32_t)ref;
}

/* @return the number of references in all lists */
static int64_t place_lists(const nbc_model_t *m, int64_t *first)
{
    first[0] = 0;
    for (int32_t w = 0; w < NBC_N_WORDS; w++)
        first[w + 1] =
            first[w] + (m->word_refs[w] <= CLASS_RARE_LISTED ? m->word_refs[w] : 0);
    return first[NBC_N_WORDS];
}

status_t class_rare_create(const nbc_model_t *model, pool_t *pool, class_rare_t *out)
{
    class_rare_t r = {.model = model,
                      .first = malloc((NBC_N_WORDS + 1) * sizeof(*r.first))};
    listing_t b = {.rare = &r,
                   .at = malloc(NBC_N_WORDS * sizeof(*b.at)),
                   .scratch = calloc((size_t)pool_n_threads(pool), sizeof(*b.scratch))};
    status_t st = ST_OK;

    if (r.first != NULL)
        r.refs = malloc(((size_t)place_lists(model, r.first) + 1) * sizeof(*r.refs));
    if (r.refs == NULL || b.at == NULL || b.scratch == NULL) {
        class_rare_free(&r);
        st = log_nomem("a classifier");
    } else {
        for (int32_t w = 0; w < NBC_N_WORDS; w++)
            atomic_init(&b.at[w], r.first[w]);
        pool_run(pool, model->refs->n, list_ref, &b);
        *out = r;
    }
    free(b.at);
    free(b.scratch);
    return st;
}

void class_rare_free(class_rare_t *r)
{
    free(r->first);
    free(r->refs);
    *r = (class_rare_t){0};
}

/* @return whether few references have a word, without those that are removed */
static bool is_rare(const class_rare_t *r, uint16_t word, bool any_removed,
                    const uint16_t *n_shared)
{
    int64_t n = r->model->word_refs[word];

    if (n <= CLASS_RARE_REFS || n > CLASS_RARE_LISTED || !any_removed)
        return n <= CLASS_RARE_REFS;
    n = 0;
    for (int64_t i = r->first[word]; i < r->first[word + 1]; i++)
        n += n_shared[r->refs[i]] != GONE;
    return n <= CLASS_RARE_REFS;
}

static void count_word(const class_rare_t *r, uint16_t word, uint16_t *n_shared)
{
    for (int64_t i = r->first[word]; i < r->first[word + 1]; i++)
        n_shared[r->refs[i]] =
            (uint16_t)(n_shared[r->refs[i]] + (n_shared[r->refs[i]] < GONE - 1));
}

/* Find the maximum count among references whose lineage has the first k ranks in common
 * with that of the best class. @param most  [n_ranks + 1] by k */
static void find_most(const nbc_model_t *m, int32_t best, const uint16_t *n_shared,
                      int32_t *most)
{
    const nbc_classes_t *c = m->classes;

    memset(most, 0, ((size_t)c->n_ranks + 1) * sizeof(*most));
    for (int64_t ref = 0; ref < m->refs->n; ref++) {
        int k = 0;

        if (n_shared[ref] == 0 || n_shared[ref] == GONE)
            continue;
        while (k < c->n_ranks && nbc_classes_at(c, best, k + 1) >= 0 &&
               nbc_classes_at(c, best, k + 1) ==
                   nbc_classes_at(c, m->class_of[ref], k + 1))
            k++;
        most[k] = n_shared[ref] > most[k] ? n_shared[ref] : most[k];
    }
}

void class_rare_lead(const class_rare_t *r, const class_rare_read_t *read,
                     uint16_t *n_shared, double *lead)
{
    const nbc_classes_t *c = r->model->classes;
    int32_t most[c->n_ranks + 1];
    int32_t n_rare = 0;

    for (int64_t i = 0; i < read->n_removed; i++)
        n_shared[read->removed[i]] = GONE;
    for (int32_t k = 0; k < read->n_words; k++)
        if (is_rare(r, read->words[k], read->n_removed > 0, n_shared)) {
            count_word(r, read->words[k], n_shared);
            n_rare++;
        }
    find_most(r->model, read->best, n_shared, most);
    memset(n_shared, 0, (size_t)r->model->refs->n * sizeof(*n_shared));
    for (int rank = 1; rank <= c->n_ranks; rank++) {
        int32_t own = 0, other = 0;

        for (int k = 0; k <= c->n_ranks; k++)
            if (k >= rank)
                own = most[k] > own ? most[k] : own;
            else
                other = most[k] > other ? most[k] : other;
        lead[rank - 1] = n_rare > 0 && nbc_classes_at(c, read->best, rank) >= 0
                             ? (double)(own - other) / n_rare
                             : 0;
    }
}

int class_lineage_len(const nbc_classes_t *c, int32_t class_number)
{
    int len = 0;

    while (len < c->n_ranks && nbc_classes_at(c, class_number, len + 1) >= 0)
        len++;
    return len;
}

/* Classes are numbered in the order of a walk over the tree. */
bool class_is_above(const nbc_classes_t *c, int32_t class_number)
{
    const int len = class_lineage_len(c, class_number);

    return len == 0 ||
           (class_number + 1 < c->n &&
            nbc_classes_at(c, class_number + 1, len) == c->taxon[class_number]);
}

/* References in ascending order, to be treated as absent. */
typedef struct {
    const int32_t *refs;
    int64_t n;
} removed_t;

static bool is_removed(const removed_t *removed, int32_t ref)
{
    int64_t low = 0, high = removed->n;

    while (low < high) {
        int64_t middle = (low + high) / 2;

        if (removed->refs[middle] < ref)
            low = middle + 1;
        else
            high = middle;
    }
    return low < removed->n && removed->refs[low] == ref;
}

static int32_t words_of(const seqset_t *set, int64_t i, class_scratch_t *s)
{
    return nbc_words_find(seqset_letters(set, i), seqset_len(set, i), &s->set, s->words);
}

static void mark(uint64_t *bits, const uint16_t *words, int32_t n)
{
    for (int32_t k = 0; k < n; k++)
        bits[words[k] / 64] |= UINT64_C(1) << words[k] % 64;
}

/* @return the fraction of words that are marked */
static double marked(const uint64_t *bits, const uint16_t *words, int32_t n)
{
    int32_t n_marked = 0;

    for (int32_t k = 0; k < n; k++)
        n_marked += (int32_t)(bits[words[k] / 64] >> words[k] % 64 & 1);
    return n > 0 ? (double)n_marked / n : 0;
}

/* Choose references of a class that are not removed.
 * @return their number, at most CLASS_MEMBERS_MAX */
static int choose_members(const nbc_model_t *m, int32_t c, const removed_t *removed,
                          int32_t *members)
{
    const int64_t first = m->class_first[c], end = m->class_first[c + 1];
    int64_t n = 0, at = 0;
    int n_members = 0;

    for (int64_t i = first; i < end; i++)
        n += !is_removed(removed, m->members[i]);
    for (int64_t i = first; i < end; i++)
        if (!is_removed(removed, m->members[i]) &&
            at++ * CLASS_MEMBERS_MAX >= n_members * n && n_members < CLASS_MEMBERS_MAX)
            members[n_members++] = m->members[i];
    return n_members;
}

static double likeness_of(const nbc_model_t *m, int32_t c, const removed_t *removed,
                          class_scratch_t *s)
{
    int32_t members[CLASS_MEMBERS_MAX];
    const int n_members = choose_members(m, c, removed, members);
    double least = n_members > 1 ? 1 : 0;

    memset(s->member, 0, (size_t)n_members * sizeof(s->member[0]));
    for (int i = 0; i < n_members; i++)
        mark(s->member[i], s->words, words_of(m->refs, members[i], s));
    for (int i = 0; n_members > 1 && i < n_members; i++) {
        const int32_t n = words_of(m->refs, members[i], s);
        double most = 0;

        for (int k = 0; k < n_members; k++)
            most = k == i ? most : fmax(most, marked(s->member[k], s->words, n));
        least = fmin(least, most);
    }
    return least;
}

typedef struct {
    class_statistics_t *known;
    class_scratch_t *scratch; /* [n_threads] */
} build_t;

static void compare_class(void *ctx, int64_t c, int thread)
{
    const build_t *b = ctx;
    const removed_t none = {0};

    b->known->likeness[c] =
        likeness_of(b->known->model, (int32_t)c, &none, &b->scratch[thread]);
}

static void count_taxa(class_statistics_t *k)
{
    const nbc_classes_t *c = k->model->classes;

    for (int rank = 1; rank <= c->n_ranks; rank++)
        for (int32_t i = 0; i < c->n; i++)
            if (nbc_classes_at(c, i, rank) >= 0)
                k->taxon_refs[nbc_classes_at(c, i, rank)] += k->model->class_refs[i];
}

status_t class_statistics_create(const nbc_model_t *model, pool_t *pool,
                                 class_statistics_t *out)
{
    const nbc_classes_t *c = model->classes;
    class_statistics_t k = {.model = model};
    build_t b = {.known = &k};
    status_t st = class_rare_create(model, pool, &k.rare);

    for (int32_t i = 0; i < c->n; i++)
        k.n_taxa = c->taxon[i] >= k.n_taxa ? c->taxon[i] + 1 : k.n_taxa;
    k.taxon_refs = calloc((size_t)k.n_taxa + 1, sizeof(*k.taxon_refs));
    k.likeness = calloc((size_t)c->n + 1, sizeof(*k.likeness));
    if (st == ST_OK && (k.taxon_refs == NULL || k.likeness == NULL))
        st = log_nomem("a classifier");
    if (st == ST_OK)
        st = class_scratch_create(model, pool_n_threads(pool), &b.scratch);
    if (st == ST_OK) {
        count_taxa(&k);
        pool_run(pool, c->n, compare_class, &b);
        *out = k;
    } else {
        class_statistics_free(&k);
    }
    class_scratch_destroy(b.scratch);
    return st;
}

void class_statistics_free(class_statistics_t *k)
{
    free(k->taxon_refs);
    free(k->likeness);
    class_rare_free(&k->rare);
    *k = (class_statistics_t){0};
}

status_t class_scratch_create(const nbc_model_t *model, int n, class_scratch_t **out)
{
    const size_t n_refs = (size_t)model->refs->n;
    class_scratch_t *s = calloc((size_t)n, sizeof(*s));
    uint16_t *n_shared = calloc((size_t)n * n_refs + 1, sizeof(*n_shared));

    if (s == NULL || n_shared == NULL) {
        free(s);
        free(n_shared);
        return log_nomem("a classifier");
    }
    for (int i = 0; i < n; i++)
        s[i].n_shared = n_shared + (size_t)i * n_refs;
    *out = s;
    return ST_OK;
}

void class_scratch_destroy(class_scratch_t *s)
{
    if (s != NULL)
        free(s->n_shared); /* the first one's has all */
    free(s);
}

/* Find the words of a read in the orientation of its best class.
 * @return their number */
static int32_t oriented_words(const class_read_t *r, class_scratch_t *s,
                              const uint16_t **out)
{
    int32_t n = words_of(r->reads, r->read, s);

    *out = s->words;
    if (r->results->best[r->row].reversed) {
        nbc_words_reverse(s->words, n, &s->set, s->turned);
        *out = s->turned;
    }
    return n;
}

/* @return whether any reference of a class has a word */
static bool class_has(const nbc_model_t *m, uint16_t word, int32_t class_number)
{
    int64_t low = m->word_first[word], high = m->word_first[word + 1];

    while (low < high) {
        int64_t middle = (low + high) / 2;

        if (m->counts[middle].class_number < class_number)
            low = middle + 1;
        else
            high = middle;
    }
    return low < m->word_first[word + 1] && m->counts[low].class_number == class_number;
}

/* Fill in what the results of naive Bayes and the sizes of taxa show. */
static void put_ranks(const class_statistics_t *k, const class_read_t *r,
                      class_evidence_t *out)
{
    const nbc_classes_t *c = k->model->classes;
    const nbc_best_t *best = &r->results->best[r->row];

    for (int rank = 1; rank <= c->n_ranks; rank++) {
        const int64_t at = r->row * c->n_ranks + rank - 1;
        const int32_t taxon = nbc_classes_at(c, best->class_number, rank);
        const int32_t rival = r->results->rival[at];
        class_evidence_t *e = &out[rank - 1];

        if (taxon < 0)
            break;
        e->support =
            r->n_resamples > 0 ? (double)r->results->support[at] / r->n_resamples : 0;
        e->margin = rival == NBC_COST_NONE
                        ? CLASS_MARGIN_MAX
                        : (double)(rival - best->cost) / NBC_SCALE / best->n_words;
        e->n_refs = k->taxon_refs[taxon];
    }
}

/* What is known of a read and its best class. */
typedef struct {
    class_rare_read_t read;
    double covered, likeness;
} found_t;

/* Ranks below the end of the lineage stay zero. */
static void put_found(const class_statistics_t *k, const found_t *f, uint16_t *n_shared,
                      class_evidence_t *out)
{
    const int n_ranks = k->model->classes->n_ranks;
    double lead[n_ranks];

    class_rare_lead(&k->rare, &f->read, n_shared, lead);
    for (int r = 0; r < n_ranks && out[r].n_refs > 0; r++) {
        out[r].covered = f->covered;
        out[r].likeness = f->likeness;
        out[r].lead = lead[r];
    }
}

void class_evidence_of(const class_statistics_t *k, const class_read_t *r,
                       class_scratch_t *scratch, class_evidence_t *out)
{
    const int32_t c = r->results->best[r->row].class_number;
    found_t f = {.read = {.best = c}};
    int32_t n_covered = 0;

    memset(out, 0, (size_t)k->model->classes->n_ranks * sizeof(*out));
    if (c < 0)
        return;
    f.read.n_words = oriented_words(r, scratch, &f.read.words);
    for (int32_t i = 0; i < f.read.n_words; i++)
        n_covered += class_has(k->model, f.read.words[i], c);
    f.covered = (double)n_covered / f.read.n_words;
    f.likeness = k->likeness[c];
    put_ranks(k, r, out);
    put_found(k, &f, scratch->n_shared, out);
}

static void mark_class(const nbc_model_t *m, int32_t c, const removed_t *removed,
                       class_scratch_t *s)
{
    for (int64_t i = m->class_first[c]; i < m->class_first[c + 1]; i++)
        if (!is_removed(removed, m->members[i]))
            mark(s->seen, s->words, words_of(m->refs, m->members[i], s));
}

void class_evidence_without(const class_statistics_t *k, const class_read_t *r,
                            const int32_t *removed, int64_t n_removed, class_scratch_t *s,
                            class_evidence_t *out)
{
    const nbc_model_t *m = k->model;
    const removed_t gone = {removed, n_removed};
    const int32_t c = r->results->best[r->row].class_number;
    found_t f = {.read = {.best = c, .removed = removed, .n_removed = n_removed}};

    memset(out, 0, (size_t)m->classes->n_ranks * sizeof(*out));
    if (c < 0)
        return;
    put_ranks(k, r, out);
    for (int64_t i = 0; i < n_removed; i++)
        for (int rank = 1; rank <= m->classes->n_ranks; rank++)
            if (m->class_of[removed[i]] >= 0 && out[rank - 1].n_refs > 0 &&
                nbc_classes_at(m->classes, m->class_of[removed[i]], rank) ==
                    nbc_classes_at(m->classes, c, rank))
                out[rank - 1].n_refs--;
    f.likeness = likeness_of(m, c, &gone, s);
    mark_class(m, c, &gone, s);
    f.read.n_words = oriented_words(r, s, &f.read.words);
    f.covered = marked(s->seen, f.read.words, f.read.n_words);
    put_found(k, &f, s->n_shared, out);
    memset(s->seen, 0, sizeof(s->seen));
}
