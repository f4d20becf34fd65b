/*
 * chimera_decide.c - levels of reads; of some reads at a time the candidates, their
 * alignments, and the calls.
 */
#include "worker/chimera/chimera_decide.h"

#include "io/base/compare.h"
#include "io/base/logmsg.h"
#include "kernels/align/engine/aligner.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Reads that are decided at a time, and the candidates of a read. */
enum { PIECE = 1024, CANDIDATES_MAX = CHIMERA_PARTS * CHIMERA_PARENTS };

/* The candidates of a read, ascending, and where their alignments are in the batch. */
typedef struct {
    int32_t target[CANDIDATES_MAX];
    int n;
    bool is_complete; /* no chimera is in the way of further hits */
    int64_t first_pair;
} candidates_t;

typedef struct {
    const chimera_decide_t *how;
    const device_t *device;
    chimera_verdict_t *verdicts;
    seqset_t *joined; /* reads and references; NULL: parents are reads */
    int64_t first_target;
    align_spec_t spec;
    aligner_t *aligner;
    chimera_search_t *search; /* NULL until it is needed */
    buf_t chimeras;           /* int32_t: targets that are, ascending */
    int64_t n_searched;

    /* the reads at `begin` */
    int64_t begin, n;
    candidates_t candidates[PIECE];
    chimera_query_t again[PIECE];
    chimera_hits_t hits[PIECE]; /* of those that are searched again */
    pair_t pairs[PIECE * CANDIDATES_MAX];
    pair_results_t results;
    buf_t *scratch;  /* [threads] */
    int first_error; /* of any thread: a status_t */
} deciding_t;

static bool is_de_novo(const deciding_t *d)
{
    return d->how->targets == d->how->reads;
}

/* ---- candidates ---- */

static bool may_be_parent(const deciding_t *d, int32_t target)
{
    return !is_de_novo(d) || d->verdicts[target].score.call != CHIMERA_YES;
}

static void add(candidates_t *c, int32_t target)
{
    for (int k = 0; k < c->n; k++)
        if (c->target[k] == target)
            return;
    c->target[c->n++] = target;
}

static void choose(const deciding_t *d, const chimera_hits_t *hits, candidates_t *out)
{
    *out = (candidates_t){.is_complete = true};
    for (int p = 0; p < CHIMERA_PARTS; p++) {
        const int32_t *target = hits->target[p];
        int n = 0, k = 0;

        for (; k < d->how->n_hits && target[k] >= 0 && n < CHIMERA_PARENTS; k++)
            if (may_be_parent(d, target[k])) {
                add(out, target[k]);
                n++;
            }
        if (n < CHIMERA_PARENTS && k == d->how->n_hits && k > CHIMERA_PARENTS)
            out->is_complete = false;
    }
    qsort(out->target, (size_t)out->n, sizeof(*out->target), compare_int32);
}

static status_t create_search(deciding_t *d)
{
    if (d->search != NULL)
        return ST_OK;
    return chimera_search_create(&(chimera_search_context_t){.device = d->device,
                                                             .pool = d->how->pool,
                                                             .kernel = "auto",
                                                             .reads = d->how->reads,
                                                             .targets = d->how->targets,
                                                             .n_hits = CHIMERA_PARENTS},
                                 &d->search);
}

/* Search those reads again whose hits do not suffice. */
static status_t search_again(deciding_t *d)
{
    const int32_t *chimeras = (const void *)d->chimeras.data;
    const int64_t n_chimeras = (int64_t)(d->chimeras.len / sizeof(*chimeras));
    int64_t n = 0;
    status_t st;

    for (int64_t k = 0; k < d->n; k++)
        if (!d->candidates[k].is_complete)
            d->again[n++] =
                (chimera_query_t){d->begin + k, d->how->n_targets[d->begin + k], chimeras,
                                  n_chimeras};
    if (n == 0)
        return ST_OK;
    if ((st = create_search(d)) != ST_OK ||
        (st = chimera_search_find(d->search, d->again, n, d->hits)) != ST_OK)
        return st;
    for (int64_t k = 0; k < n; k++)
        choose(d, &d->hits[k], &d->candidates[d->again[k].read - d->begin]);
    d->n_searched += n;
    return ST_OK;
}

/* ---- alignments ---- */

/* References follow the reads. */
static status_t make_set(deciding_t *d)
{
    if (is_de_novo(d))
        return ST_OK;
    d->first_target = d->how->reads->n;
    return seqset_join(d->how->reads, false, d->how->targets, &d->joined);
}

static status_t create_aligner(deciding_t *d)
{
    const align_context_t context = {d->device,
                                     d->how->pool,
                                     d->joined != NULL ? d->joined : d->how->reads,
                                     &d->spec,
                                     {.band = true}};

    d->spec = align_spec_vsearch();
    d->spec.join_columns = true;
    return aligner_create(&context, &(aligner_options_t){.kernel = "auto"}, &d->aligner);
}

/* Align the reads with their candidates. */
static status_t align(deciding_t *d)
{
    pair_batch_t batch = {d->pairs, 0};
    status_t st;

    for (int64_t i = 0; i < d->n; i++) {
        candidates_t *c = &d->candidates[i];

        c->first_pair = batch.n;
        for (int k = 0; k < c->n; k++)
            d->pairs[batch.n++] = (pair_t){(int32_t)(d->begin + i),
                                           (int32_t)(d->first_target + c->target[k])};
    }
    st = aligner_submit(d->aligner, &batch);
    return st == ST_OK ? aligner_wait(d->aligner, &d->results) : st;
}

/* ---- calls ---- */

static contest_candidate_t candidate(const deciding_t *d, const candidates_t *c, int k)
{
    const int64_t *start = d->results.cigar_start + c->first_pair + k;

    return (contest_candidate_t){seqset_letters(d->how->targets, c->target[k]),
                                 d->results.cigar + start[0], start[1] - start[0]};
}

static status_t judge(deciding_t *d, int64_t read, buf_t *scratch, chimera_verdict_t *out)
{
    const uint8_t *letters = seqset_letters(d->how->reads, read);
    const int64_t len = seqset_len(d->how->reads, read);
    const candidates_t *c = &d->candidates[read - d->begin];
    contest_candidate_t all[CANDIDATES_MAX], pair[2];
    int parents[2];
    bool found;
    status_t st;

    *out = (chimera_verdict_t){.parent = {-1, -1}};
    for (int k = 0; k < c->n; k++)
        all[k] = candidate(d, c, k);
    st = parent_contest(letters, len, all, c->n, scratch, parents, &found);
    if (st != ST_OK || !found)
        return st;
    for (int k = 0; k < 2; k++)
        pair[k] = all[parents[k]];
    st = chimera_score(&d->how->rule, letters, len, pair, scratch, &out->score);
    if (st == ST_OK && out->score.columns > 0)
        for (int k = 0; k < 2; k++)
            out->parent[k] = c->target[parents[out->score.is_swapped ? 1 - k : k]];
    return st;
}

static void judge_one(void *ctx, int64_t k, int thread)
{
    deciding_t *d = ctx;
    const int64_t read = d->begin + k;
    const status_t st = judge(d, read, &d->scratch[thread], &d->verdicts[read]);

    if (st != ST_OK)
        __atomic_store_n(&d->first_error, st, __ATOMIC_RELAXED);
}

/* Decide about n reads of a level. */
static status_t decide_piece(deciding_t *d)
{
    status_t st;

    for (int64_t k = 0; k < d->n; k++)
        choose(d, &d->how->hits[d->begin + k], &d->candidates[k]);
    if ((st = search_again(d)) != ST_OK || (st = align(d)) != ST_OK)
        return st;
    pool_run(d->how->pool, d->n, judge_one, d);
    return (status_t)d->first_error;
}

/* ---- levels ---- */

static int64_t level_end(const deciding_t *d, int64_t begin)
{
    int64_t end = begin;

    if (!is_de_novo(d))
        return d->how->reads->n;
    while (end < d->how->reads->n && d->how->n_targets[end] <= begin)
        end++;
    return end;
}

static status_t note_chimeras(deciding_t *d, int64_t begin, int64_t end)
{
    status_t st = ST_OK;

    for (int64_t read = begin; st == ST_OK && read < end; read++)
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

    for (int64_t begin = 0, end; st == ST_OK && begin < d->how->reads->n; begin = end) {
        end = level_end(d, begin);
        for (d->begin = begin; st == ST_OK && d->begin < end; d->begin += PIECE) {
            d->n = end - d->begin < PIECE ? end - d->begin : PIECE;
            st = decide_piece(d);
        }
        if (st == ST_OK && is_de_novo(d))
            st = note_chimeras(d, begin, end);
        n_levels++;
    }
    if (st == ST_OK)
        log_verbose("%" PRId64 " reads decided in %" PRId64 " levels, %" PRId64
                    " of them searched again without chimeras",
                    d->how->reads->n, n_levels, d->n_searched);
    return st;
}

static void destroy(deciding_t *d, int n_threads)
{
    for (int k = 0; d->scratch != NULL && k < n_threads; k++)
        buf_free(&d->scratch[k]);
    free(d->scratch);
    buf_free(&d->chimeras);
    aligner_destroy(d->aligner);
    chimera_search_destroy(d->search);
    seqset_destroy(d->joined);
    free(d);
}

status_t chimera_decide(const chimera_decide_t *how, chimera_verdict_t *out)
{
    const int n_threads = pool_n_threads(how->pool);
    const device_t device = device_cpu();
    deciding_t *d;
    status_t st;

    if (how->reads->n == 0)
        return ST_OK;
    if ((d = calloc(1, sizeof(*d))) == NULL)
        return log_nomem("the chimeras");
    d->how = how;
    d->device = &device;
    d->verdicts = out;
    d->scratch = calloc((size_t)n_threads, sizeof(*d->scratch));
    st = d->scratch != NULL ? make_set(d) : log_nomem("the chimeras");
    if (st == ST_OK)
        st = create_aligner(d);
    if (st == ST_OK)
        st = decide_all(d);
    destroy(d, n_threads);
    return st;
}
