/*
 * chimera_decide.c - levels of reads, the parents of each, and searches without chimeras.
 */
#include "worker/chimera/chimera_decide.h"

#include "io/base/logmsg.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const chimera_decide_t *how;
    const uint32_t *const *entries; /* [reads] */
    chimera_verdict_t *verdicts;
    buf_t *scratch;    /* [threads] */
    int first_error;   /* of any thread: a status_t */
    int64_t begin;     /* of the level */
    uint8_t *is_short; /* [reads] its entry does not suffice */
    buf_t chimeras;    /* int32_t: reads that are, ascending; of targets that are reads */
    chimera_search_t *search; /* NULL until one is needed */
    int64_t n_searched;
} deciding_t;

static bool is_de_novo(const deciding_t *d)
{
    return d->how->targets == d->how->reads;
}

/* ---- one read ---- */

static bool may_be_parent(const deciding_t *d, uint32_t target)
{
    return !is_de_novo(d) || d->verdicts[target].score.call != CHIMERA_YES;
}

/* Mark the targets of the first hits of each quarter that are no chimeras.
 * @return whether the entry has all of them */
static bool choose(const deciding_t *d, const chimera_entry_t *e,
                   uint32_t chosen[CHIMERA_CANDIDATES_MAX], int *n_chosen)
{
    bool is_complete = true;

    *n_chosen = 0;
    for (int p = 0; p < CHIMERA_QUARTERS; p++) {
        int n = 0;

        for (int k = 0; k < e->hits[p].n && n < CHIMERA_PARENTS; k++)
            if (may_be_parent(d, e->hits[p].target[k])) {
                chosen[(*n_chosen)++] = e->hits[p].target[k];
                n++;
            }
        if (n < CHIMERA_PARENTS && e->hits[p].n == d->how->n_hits &&
            d->how->n_hits > CHIMERA_PARENTS)
            is_complete = false;
    }
    return is_complete;
}

static bool contains(const uint32_t *values, int n, uint32_t value)
{
    for (int k = 0; k < n; k++)
        if (values[k] == value)
            return true;
    return false;
}

/* List the chosen candidates, in the order of targets. */
static int list_candidates(const deciding_t *d, const chimera_entry_t *e,
                           const uint32_t *chosen, int n_chosen,
                           contest_candidate_t *out, int32_t *target)
{
    int n = 0;

    for (int k = 0; k < e->n_candidates; k++)
        if (contains(chosen, n_chosen, e->candidate[k].target)) {
            target[n] = (int32_t)e->candidate[k].target;
            out[n++] = (contest_candidate_t){
                seqset_letters(d->how->targets, (int64_t)e->candidate[k].target),
                e->candidate[k].runs, e->candidate[k].n_runs};
        }
    return n;
}

static status_t judge_entry(deciding_t *d, int64_t read, const chimera_entry_t *e,
                            buf_t *scratch, bool *is_complete)
{
    const uint8_t *letters = seqset_letters(d->how->reads, read);
    const int64_t len = seqset_len(d->how->reads, read);
    chimera_verdict_t *out = &d->verdicts[read];
    uint32_t chosen[CHIMERA_CANDIDATES_MAX];
    contest_candidate_t candidates[CHIMERA_CANDIDATES_MAX], pair[2];
    int32_t target[CHIMERA_CANDIDATES_MAX];
    int n_chosen, n, parents[2];
    bool found;
    status_t st;

    *is_complete = choose(d, e, chosen, &n_chosen);
    if (!*is_complete)
        return ST_OK;
    n = list_candidates(d, e, chosen, n_chosen, candidates, target);
    st = parent_contest(letters, len, candidates, n, scratch, parents, &found);
    if (st != ST_OK || !found)
        return st;
    for (int k = 0; k < 2; k++)
        pair[k] = candidates[parents[k]];
    st = chimera_score(&d->how->rule, letters, len, pair, scratch, &out->score);
    if (st == ST_OK && out->score.columns > 0)
        for (int k = 0; k < 2; k++)
            out->parent[k] = target[parents[out->score.is_swapped ? 1 - k : k]];
    return st;
}

static void judge(void *ctx, int64_t k, int thread)
{
    deciding_t *d = ctx;
    const int64_t read = d->begin + k;
    const uint32_t *words = d->entries[read];
    chimera_entry_t e;
    bool is_complete = true;
    status_t st = ST_OK;

    d->verdicts[read] = (chimera_verdict_t){.parent = {-1, -1}};
    if (chimera_entry_read(words, *words, &e))
        st = judge_entry(d, read, &e, &d->scratch[thread], &is_complete);
    d->is_short[read] = !is_complete;
    if (st != ST_OK)
        __atomic_store_n(&d->first_error, st, __ATOMIC_RELAXED);
}

/* ---- levels ---- */

static int64_t level_end(const deciding_t *d)
{
    int64_t end = d->begin;

    if (!is_de_novo(d))
        return d->how->reads->n;
    while (end < d->how->reads->n && d->how->n_targets[end] <= d->begin)
        end++;
    return end;
}

static status_t create_search(deciding_t *d)
{
    const device_t device = device_cpu();

    if (d->search != NULL)
        return ST_OK;
    return chimera_search_create(
        &(chimera_search_context_t){.device = &device,
                                    .pool = d->how->pool,
                                    .kernel = d->how->kernel,
                                    .reads = d->how->reads,
                                    .targets = d->how->targets,
                                    .n_hits = d->how->n_hits},
        &d->search);
}

/* List the reads of the level whose entries do not suffice. */
static status_t list_short(deciding_t *d, int64_t end, buf_t *out)
{
    const int32_t *chimeras = (const void *)d->chimeras.data;
    const int64_t n_chimeras = (int64_t)(d->chimeras.len / sizeof(*chimeras));
    status_t st = ST_OK;

    for (int64_t read = d->begin; st == ST_OK && read < end; read++)
        if (d->is_short[read]) {
            const chimera_query_t query = {read, d->how->n_targets[read], chimeras,
                                           n_chimeras};

            st = buf_append(out, &query, sizeof(query));
        }
    return st;
}

/* Search these reads again, and judge them. */
static status_t search_again(deciding_t *d, int64_t end)
{
    buf_t listed = {0}, found = {0};
    const chimera_query_t *queries;
    int64_t n;
    status_t st = list_short(d, end, &listed);

    queries = (const void *)listed.data;
    n = (int64_t)(listed.len / sizeof(*queries));
    if (st == ST_OK && n > 0 && (st = create_search(d)) == ST_OK)
        st = chimera_search_find(d->search, queries, n, &found);
    for (int64_t k = 0, at = 0; st == ST_OK && k < n; k++) {
        const uint32_t *words = (const uint32_t *)(const void *)found.data + at;
        chimera_entry_t e;
        bool is_complete;

        if (!chimera_entry_read(words, *words, &e)) {
            log_error("a search without chimeras gave no entry");
            st = ST_EINPUT;
            break;
        }
        st = judge_entry(d, queries[k].read, &e, &d->scratch[0], &is_complete);
        at += (int64_t)e.n_words;
    }
    d->n_searched += n;
    buf_free(&listed);
    buf_free(&found);
    return st;
}

static status_t note_chimeras(deciding_t *d, int64_t end)
{
    status_t st = ST_OK;

    for (int64_t read = d->begin; st == ST_OK && read < end; read++)
        if (d->verdicts[read].score.call == CHIMERA_YES) {
            const int32_t target = (int32_t)read;

            st = buf_append(&d->chimeras, &target, sizeof(target));
        }
    return st;
}

static status_t decide_all(deciding_t *d)
{
    int64_t n_levels = 0;
    status_t st = ST_OK;

    for (int64_t end; st == ST_OK && d->begin < d->how->reads->n; d->begin = end) {
        end = level_end(d);
        pool_run(d->how->pool, end - d->begin, judge, d);
        st = (status_t)d->first_error;
        if (st == ST_OK)
            st = search_again(d, end);
        if (st == ST_OK && is_de_novo(d))
            st = note_chimeras(d, end);
        n_levels++;
    }
    if (st == ST_OK)
        log_verbose("%" PRId64 " reads decided in %" PRId64 " levels, %" PRId64
                    " of them searched again without chimeras",
                    d->how->reads->n, n_levels, d->n_searched);
    return st;
}

status_t chimera_decide(const chimera_decide_t *how, const uint32_t *const *entries,
                        chimera_verdict_t *out)
{
    const int n_threads = pool_n_threads(how->pool);
    deciding_t d = {.how = how, .entries = entries, .verdicts = out};
    status_t st;

    d.scratch = calloc((size_t)n_threads, sizeof(*d.scratch));
    d.is_short = calloc((size_t)how->reads->n + 1, 1);
    if (d.scratch == NULL || d.is_short == NULL)
        st = log_nomem("the chimeras");
    else
        st = decide_all(&d);
    for (int k = 0; d.scratch != NULL && k < n_threads; k++)
        buf_free(&d.scratch[k]);
    free(d.scratch);
    free(d.is_short);
    buf_free(&d.chimeras);
    chimera_search_destroy(d.search);
    return st;
}
