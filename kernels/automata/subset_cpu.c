/*
 * subset_cpu.c - the backend `cpu`: the threads of a pool find the states in rounds.
 *
 * A round expands the next states.  Threads make what these lead to, the candidates, and
 * look them up.  Of those that are not known yet each thread sorts out those of its part
 * of the hashes, whose first ones are new states.  They are numbered in their order, so
 * that numbers do not depend on the number of threads.
 */
#include "kernels/automata/subset_backend.h"

#include "io/base/logmsg.h"
#include "kernels/align/common/align_run.h"

#include <stdlib.h>
#include <string.h>

/* Candidates of a round, and words of their keys, at most; but always those of a state.
 */
enum { ROUND_CANDIDATES = 1 << 17, ROUND_WORDS = 1 << 22 };

/* Fewer of them are no work for several threads. */
enum { PARALLEL_CANDIDATES = 1 << 13 };

enum { UNKNOWN = -1 }; /* a candidate that is the same as candidate k is -2 - k */

typedef struct {
    const subset_t *subset;
    pool_t *pool;
    int n_threads;
    word_set_t set;
    buf_t next;
    uint64_t *follow; /* [n_threads][n_words] scratch */

    /* of the round */
    int64_t first;        /* state */
    int64_t n_candidates; /* of all its states, class by class */
    int n_parts;          /* of the hashes: one per thread that works */
    uint64_t *key;        /* [n_candidates][n_words] */
    uint64_t *hash;       /* [n_candidates] */
    int32_t *number;      /* [n_candidates] of a state, or as above */
    word_set_t *parts;    /* [n_threads] new keys by hash */
    buf_t *part_first;    /* [n_threads] int32_t: the first candidate of each */
    int failed;           /* a status_t; any of those that failed */
} search_t;

/* Make the candidates of a state, and look them up. */
static void expand(void *ctx, int64_t k, int thread)
{
    search_t *f = ctx;
    const subset_t *s = f->subset;
    uint64_t *follow = f->follow + thread * s->n_words;

    subset_follow(s, word_set_key(&f->set, f->first + k), follow);
    for (int64_t c = 0; c < s->n_classes; c++) {
        const int64_t at = k * s->n_classes + c;
        uint64_t *key = f->key + at * s->n_words;

        subset_move(s, follow, (int32_t)c, key);
        f->hash[at] = word_set_hash(key, s->n_words);
        f->number[at] = word_set_find(&f->set, key, f->hash[at]);
    }
}

/* Find the first one of each new key, of a part of the hashes. */
static void sort_out(void *ctx, int64_t part, int thread)
{
    search_t *f = ctx;
    word_set_t *keys = &f->parts[part];
    buf_t *first = &f->part_first[part];
    status_t st = ST_OK;

    (void)thread;
    word_set_clear(keys);
    first->len = 0;
    for (int32_t k = 0; st == ST_OK && k < f->n_candidates; k++) {
        const int64_t n = keys->n;
        int32_t number;

        /* other threads write the numbers of other parts */
        if ((int64_t)((uint32_t)(f->hash[k] >> 40) % (uint32_t)f->n_parts) != part ||
            f->number[k] != UNKNOWN)
            continue;
        st = word_set_add(keys, f->key + k * f->subset->n_words, &number);
        if (st == ST_OK && keys->n > n)
            st = buf_append(first, &k, sizeof(k));
        if (st == ST_OK)
            f->number[k] = -2 - ((const int32_t *)(const void *)first->data)[number];
    }
    if (st != ST_OK)
        __atomic_store_n(&f->failed, (int)st, __ATOMIC_RELAXED);
}

/* Number the new states. */
static status_t number_states(search_t *f)
{
    status_t st = ST_OK;

    for (int32_t k = 0; st == ST_OK && k < f->n_candidates; k++) {
        const int32_t first = -2 - f->number[k];

        if (first == k)
            st = word_set_add(&f->set, f->key + k * f->subset->n_words, &f->number[k]);
        else if (first >= 0)
            f->number[k] = f->number[first];
    }
    return st == ST_OK ? buf_append(&f->next, f->number,
                                    (size_t)f->n_candidates * sizeof(*f->number))
                       : st;
}

/* Expand states. @param max  of a round */
static status_t run_round(search_t *f, int64_t max)
{
    const int64_t left = f->set.n - f->first, n = left < max ? left : max;
    const int64_t n_candidates = n * f->subset->n_classes;
    pool_t *pool = n_candidates < PARALLEL_CANDIDATES ? NULL : f->pool;
    status_t st;

    f->n_candidates = n_candidates;
    f->n_parts = pool_n_threads(pool);
    pool_run(pool, n, expand, f);
    pool_run(pool, f->n_parts, sort_out, f);
    st = (status_t)f->failed;
    if (st == ST_OK)
        st = number_states(f);
    f->first += n;
    return st;
}

/* ---- the search ---- */

/* @return states of a round, at most */
static int64_t max_states_of_round(const subset_t *s)
{
    const int64_t by_words = ROUND_WORDS / s->n_words;
    const int64_t n =
        (by_words < ROUND_CANDIDATES ? by_words : ROUND_CANDIDATES) / s->n_classes;

    return n > 1 ? n : 1;
}

static status_t begin(search_t *f, const subset_states_t *states)
{
    const subset_t *s = f->subset;
    const size_t n = (size_t)(max_states_of_round(s) * s->n_classes),
                 n_words = (size_t)s->n_words, n_threads = (size_t)f->n_threads;

    f->set.n_words = s->n_words;
    f->follow = malloc(n_threads * n_words * sizeof(*f->follow));
    f->key = malloc(n * n_words * sizeof(*f->key));
    f->hash = malloc(n * sizeof(*f->hash));
    f->number = malloc(n * sizeof(*f->number));
    f->parts = calloc(n_threads, sizeof(*f->parts));
    f->part_first = calloc(n_threads, sizeof(*f->part_first));
    if (f->follow == NULL || f->key == NULL || f->hash == NULL || f->number == NULL ||
        f->parts == NULL || f->part_first == NULL)
        return log_nomem("states");
    for (size_t k = 0; k < n_threads; k++)
        f->parts[k].n_words = s->n_words;
    return subset_states_begin(states, &f->set);
}

static void end(search_t *f)
{
    for (int k = 0; f->parts != NULL && f->part_first != NULL && k < f->n_threads; k++) {
        word_set_free(&f->parts[k]);
        buf_free(&f->part_first[k]);
    }
    free(f->parts);
    free(f->part_first);
    free(f->follow);
    free(f->key);
    free(f->hash);
    free(f->number);
}

static status_t find(void *state, const subset_t *s, int64_t max_states,
                     const int *cancel, subset_states_t *states, bool *fits)
{
    pool_t *pool = state;
    search_t f = {.subset = s, .pool = pool, .n_threads = pool_n_threads(pool)};
    status_t st = begin(&f, states);

    *fits = true;
    while (st == ST_OK && *fits && f.first < f.set.n) {
        st =
            align_cancelled(cancel) ? ST_ESTOPPED : run_round(&f, max_states_of_round(s));
        *fits = f.set.n <= max_states;
    }
    end(&f);
    return subset_states_end(st, *fits, &f.set, &f.next, states);
}

/* ---- the backend: its state is the pool ---- */

static status_t create(const subset_context_t *context, void **state)
{
    *state = context->pool;
    return ST_OK;
}

static void destroy(void *state)
{
    (void)state;
}

const subset_backend_t subset_cpu_backend = {.base = {.name = "cpu",
                                                      .kind = DEVICE_CPU,
                                                      .rate = 1e4},
                                             .create = create,
                                             .find = find,
                                             .destroy = destroy};
