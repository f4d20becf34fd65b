/*
 * bench_peers.c - calls parasail, edlib and WFA2 with costs equivalent to the scores.
 */
#include "bench/align/bench_align.h"

#include "bench/align/bench_wfa2.h"
#include "io/base/logmsg.h"
#include "io/seq/alphabet.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#ifdef RIBOGRID_HAVE_PARASAIL
#include <parasail.h>
#endif
#ifdef RIBOGRID_HAVE_EDLIB
#include <edlib.h>
#endif

static const char not_built[] = "not in this build";

/*
 * Costs for the peers that minimise costs instead of maximising scores.  With counted
 * ends a pair of m and n bases has
 *
 *     2 * best score = match * (m + n) - unit * minimum cost,
 *
 * where a mismatch costs `mismatch`, a gapped base costs `gap`, and each gap costs `open`
 * in addition.  If the first two are equal and `open` is 0, the minimum cost is the edit
 * distance.
 */
typedef struct {
    int match, mismatch_score; /* scores of plain bases */
    int mismatch, gap, open, unit;
} costs_t;

typedef struct {
    const bench_pairs_t *pairs;
    const align_spec_t *spec;
    const struct peer *peer;
    costs_t costs;
    const char *text; /* all sequences as text, at the set's offsets */
    bench_result_t *result;
    void *handle; /* the peer's own data */
} call_t;

#ifdef RIBOGRID_HAVE_PARASAIL
typedef parasail_function_t *parasail_fn_t;
#define FUNCTION(name) parasail_##name
#else
typedef void (*parasail_fn_t)(void);
#define FUNCTION(name) NULL
#endif

typedef struct peer {
    const char *name;
    bench_library_t library;
    align_emit_t emit;
    align_ends_t ends;
    bool effective;
    status_t (*open)(call_t *c); /* NULL: not in this build */
    int32_t (*align)(call_t *c, const char *a, int m, const char *b, int n);
    void (*close)(call_t *c);
    parasail_fn_t fn; /* of parasail */
} peer_t;

static costs_t costs_of(const align_scoring_t *s)
{
    int match = s->score[1][1], mismatch = s->score[1][2];
    int x = 2 * (match - mismatch), g = match - 2 * s->gap;
    int open = 2 * (s->gap - s->gap_open);
    int unit = (int)fraction_divisor(fraction_divisor(x, g), open);

    return (costs_t){match, mismatch, x / unit, g / unit, open / unit, unit};
}

#if defined(RIBOGRID_HAVE_EDLIB) || defined(RIBOGRID_HAVE_WFA2)
static bool are_edits(const costs_t *c)
{
    return c->mismatch == c->gap && c->open == 0;
}
#endif

#if defined(RIBOGRID_HAVE_EDLIB) || defined(RIBOGRID_HAVE_WFA2)
static int32_t score_of(const costs_t *c, int m, int n, int cost)
{
    return (int32_t)(((int64_t)c->match * (m + n) - (int64_t)c->unit * cost) / 2);
}
#endif

#ifdef RIBOGRID_HAVE_PARASAIL
static status_t parasail_open(call_t *c)
{
    const align_scoring_t *s = &c->spec->scoring;
    const char *letters = s->alphabet == ALPHABET_PROTEIN ? "ARNDCQEGHILKMFPSTWYVBZXJOU*"
                                                          : "ACGTRYSWKMBDHVN";
    parasail_matrix_t *matrix = parasail_matrix_create(letters, s->match, s->mismatch);

    if (matrix == NULL)
        return log_nomem("parasail's matrix");
    for (int i = 0; letters[i] != '\0'; i++)
        for (int k = 0; letters[k] != '\0'; k++)
            parasail_matrix_set_value(
                matrix, i, k,
                s->score[alphabet_code(s->alphabet, (uint8_t)letters[i])]
                        [alphabet_code(s->alphabet, (uint8_t)letters[k])]);
    c->handle = matrix;
    return ST_OK;
}

static int32_t parasail_one(call_t *c, const char *a, int m, const char *b, int n)
{
    const align_scoring_t *s = &c->spec->scoring;
    parasail_result_t *r = c->peer->fn(a, m, b, n, -s->gap_open, -s->gap, c->handle);
    int32_t score = parasail_result_get_score(r);

    if (parasail_result_is_saturated(r))
        c->result->absent = "scores exceed its bits";
    parasail_result_free(r);
    if (c->peer->ends == ENDS_FREE && score < 0)
        return 0; /* an alignment without columns scores 0 */
    return score;
}

static void parasail_close(call_t *c)
{
    parasail_matrix_free(c->handle);
}
#else
#define parasail_open  NULL
#define parasail_one   NULL
#define parasail_close NULL
#endif

#ifdef RIBOGRID_HAVE_EDLIB
static status_t edlib_open(call_t *c)
{
    if (!are_edits(&c->costs))
        c->result->absent = "supports only equal costs of mismatches and gaps";
    return ST_OK;
}

static int32_t edlib_one(call_t *c, const char *a, int m, const char *b, int n)
{
    EdlibAlignConfig config =
        edlibNewAlignConfig(-1, EDLIB_MODE_NW, EDLIB_TASK_DISTANCE, NULL, 0);
    EdlibAlignResult r = edlibAlign(a, m, b, n, config);
    int distance = r.editDistance;

    edlibFreeAlignResult(r);
    return score_of(&c->costs, m, n, distance);
}

static void edlib_close(call_t *c)
{
    (void)c;
}
#else
#define edlib_open  NULL
#define edlib_one   NULL
#define edlib_close NULL
#endif

#ifdef RIBOGRID_HAVE_WFA2
static status_t wfa2_open(call_t *c)
{
    snprintf(c->result->what, sizeof(c->result->what), "WFA2 %s",
             are_edits(&c->costs) ? "edit"
             : c->costs.open == 0 ? "gap_linear"
                                  : "gap_affine");
    c->handle = bench_wfa2_open(c->costs.mismatch, c->costs.open, c->costs.gap,
                                c->spec->emit == EMIT_CIGAR);
    return c->handle != NULL ? ST_OK : log_nomem("WFA2's wavefronts");
}

static int32_t wfa2_one(call_t *c, const char *a, int m, const char *b, int n)
{
    int cost = bench_wfa2_cost(c->handle, a, m, b, n);

    if (cost < 0)
        c->result->absent = "it gave up";
    return score_of(&c->costs, m, n, cost);
}

/* @return the score of the alignment itself */
static int32_t wfa2_alignment(call_t *c, const char *a, int m, const char *b, int n)
{
    const align_scoring_t *s = &c->spec->scoring;
    bench_wfa2_columns_t columns;

    if (bench_wfa2_cost(c->handle, a, m, b, n) < 0)
        c->result->absent = "it gave up";
    columns = bench_wfa2_columns(c->handle);
    return c->costs.match * columns.matches +
           c->costs.mismatch_score * columns.mismatches + s->gap_open * columns.gaps +
           s->gap * (columns.gap_bases - columns.gaps);
}

static void wfa2_close(call_t *c)
{
    bench_wfa2_close(c->handle);
}
#else
#define wfa2_open      NULL
#define wfa2_one       NULL
#define wfa2_alignment NULL
#define wfa2_close     NULL
#endif

static const peer_t peers[] = {
    {"parasail nw_scan_16", LIBRARY_PARASAIL, EMIT_SCORE, ENDS_COUNT, false,
     parasail_open, parasail_one, parasail_close, FUNCTION(nw_scan_16)},
    {"parasail sg_scan_16", LIBRARY_PARASAIL, EMIT_SCORE, ENDS_FREE, false, parasail_open,
     parasail_one, parasail_close, FUNCTION(sg_scan_16)},
    {"parasail nw_stats_scan_16", LIBRARY_PARASAIL, EMIT_IDENTITY, ENDS_COUNT, false,
     parasail_open, parasail_one, parasail_close, FUNCTION(nw_stats_scan_16)},
    {"parasail sg_stats_scan_16", LIBRARY_PARASAIL, EMIT_IDENTITY, ENDS_FREE, false,
     parasail_open, parasail_one, parasail_close, FUNCTION(sg_stats_scan_16)},
    {"parasail sw_scan_16", LIBRARY_PARASAIL, EMIT_SCORE, ENDS_LOCAL, false,
     parasail_open, parasail_one, parasail_close, FUNCTION(sw_scan_16)},
    {"parasail sw_stats_scan_16", LIBRARY_PARASAIL, EMIT_IDENTITY, ENDS_LOCAL, false,
     parasail_open, parasail_one, parasail_close, FUNCTION(sw_stats_scan_16)},
    {"parasail sw_scan_32", LIBRARY_PARASAIL, EMIT_SCORE, ENDS_LOCAL, false,
     parasail_open, parasail_one, parasail_close, FUNCTION(sw_scan_32)},
    {"edlib NW distance", LIBRARY_EDLIB, EMIT_SCORE, ENDS_COUNT, true, edlib_open,
     edlib_one, edlib_close, NULL},
    {"WFA2", LIBRARY_WFA2, EMIT_SCORE, ENDS_COUNT, true, wfa2_open, wfa2_one, wfa2_close,
     NULL},
    {"WFA2", LIBRARY_WFA2, EMIT_CIGAR, ENDS_COUNT, true, wfa2_open, wfa2_alignment,
     wfa2_close, NULL},
};

enum { N_PEERS = sizeof(peers) / sizeof(peers[0]) };

/* Align the whole sample once. */
static status_t align_sample(void *ctx)
{
    call_t *c = ctx;
    const bench_pairs_t *p = c->pairs;
    const int64_t *offset = p->set->offset;

    for (int64_t i = 0; c->result->absent == NULL && i < p->n_sample; i++) {
        int64_t q = p->sample[i].query, t = p->sample[i].target;

        c->result->score[i] =
            c->peer->align(c, c->text + offset[q], (int)seqset_len(p->set, q),
                           c->text + offset[t], (int)seqset_len(p->set, t));
    }
    return ST_OK;
}

static status_t run_one(call_t *call, int n_runs, bench_results_t *results)
{
    const bench_pairs_t *p = call->pairs;
    const peer_t *peer = call->peer;
    bench_result_t *result = call->result = bench_result_add(results);
    status_t st = result != NULL ? ST_OK : ST_ENOMEM;
    int32_t match, mismatch;

    if (st != ST_OK)
        return st;
    snprintf(result->what, sizeof(result->what), "%s", peer->name);
    snprintf(result->device, sizeof(result->device), "cpu");
    snprintf(result->device_name, sizeof(result->device_name), "%s", device_cpu().name);
    result->library = peer->library;
    result->emit = peer->emit;
    result->ends = peer->ends;
    result->threads = 1;
    result->effective = peer->effective;
    result->n_pairs = p->n_sample;
    result->cells = p->sample_cells;
    if (peer->library != LIBRARY_PARASAIL &&
        !align_scoring_is_plain(&call->spec->scoring, &match, &mismatch)) {
        result->absent = "supports only a match and a mismatch";
        return ST_OK;
    }
    if (peer->open == NULL) {
        result->absent = not_built;
        return ST_OK;
    }
    if ((result->score = malloc((size_t)p->n_sample * sizeof(*result->score))) == NULL)
        return log_nomem("scores");
    if ((st = peer->open(call)) != ST_OK)
        return st;
    if (result->absent == NULL)
        st = bench_result_measure(result, n_runs, align_sample, call);
    peer->close(call);
    return st;
}

status_t bench_peers_run(const bench_pairs_t *pairs, const align_spec_t *spec, int n_runs,
                         bench_results_t *results)
{
    int64_t n_letters = pairs->set->offset[pairs->set->n];
    char *text = malloc((size_t)n_letters + 1);
    status_t st = ST_OK;

    if (text == NULL)
        return log_nomem("letters");
    for (int64_t i = 0; i < n_letters; i++)
        text[i] = alphabet_letter(pairs->set->alphabet, pairs->set->letters[i]);
    for (int i = 0; st == ST_OK && i < N_PEERS; i++) {
        call_t call = {.pairs = pairs,
                       .spec = spec,
                       .peer = &peers[i],
                       .costs = costs_of(&spec->scoring),
                       .text = text};

        if (peers[i].emit == spec->emit && peers[i].ends == spec->ends)
            st = run_one(&call, n_runs, results);
    }
    free(text);
    return st;
}

static bool has_ambiguity_codes(const seqset_t *set, int64_t sequence)
{
    for (int64_t i = set->offset[sequence]; i < set->offset[sequence + 1]; i++)
        if (!alphabet_is_base(ALPHABET_DNA, set->letters[i]))
            return true;
    return false;
}

static status_t check_two(const bench_pairs_t *p, const bench_result_t *ours,
                          const bench_result_t *peer)
{
    for (int64_t i = 0; i < p->n_sample; i++) {
        pair_t at = p->sample[i];

        if (ours->score[i] == peer->score[i] ||
            (peer->library != LIBRARY_PARASAIL &&
             (has_ambiguity_codes(p->set, at.query) ||
              has_ambiguity_codes(p->set, at.target))))
            continue;
        log_error("%s gives %" PRId32 ", %s %" PRId32 " for %s and %s", ours->what,
                  ours->score[i], peer->what, peer->score[i],
                  seqset_name(p->set, at.query), seqset_name(p->set, at.target));
        return ST_EDEVICE;
    }
    return ST_OK;
}

status_t bench_peers_check(const bench_pairs_t *pairs, const bench_results_t *results)
{
    status_t st = ST_OK;

    for (int i = 0; i < results->n; i++)
        for (int k = 0; st == ST_OK && k < results->n; k++) {
            const bench_result_t *ours = &results->all[i], *peer = &results->all[k];

            if (ours->library == LIBRARY_OURS && peer->library != LIBRARY_OURS &&
                ours->ends == peer->ends && ours->absent == NULL && peer->absent == NULL)
                st = check_two(pairs, ours, peer);
        }
    return st;
}
