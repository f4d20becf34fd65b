/*
 * bench_result.c - times runs, keeps the results, and prints them.
 */
#include "bench/align/bench_align.h"
#include "bench/options/benchmarks.h"

#include "io/base/clock.h"
#include "io/base/halves.h"
#include "io/base/logmsg.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bench_result_t *bench_result_add(bench_results_t *results)
{
    if (results->n == results->capacity) {
        int capacity = 2 * results->capacity + 16;
        bench_result_t *more = realloc(results->all, (size_t)capacity * sizeof(*more));

        if (more == NULL) {
            (void)log_nomem("results");
            return NULL;
        }
        results->all = more;
        results->capacity = capacity;
    }
    results->all[results->n] = (bench_result_t){.n_pairs = 0};
    return &results->all[results->n++];
}

void bench_results_clear(bench_results_t *results)
{
    for (int i = 0; i < results->n; i++)
        free(results->all[i].score);
    free(results->all);
    *results = (bench_results_t){.n = 0};
}

status_t bench_result_measure(bench_result_t *result, int n_runs,
                              status_t (*run)(void *ctx), void *ctx)
{
    double seconds[BENCH_RUNS_MAX];
    status_t st = run(ctx);

    for (int i = 0; st == ST_OK && result->absent == NULL && i < n_runs; i++) {
        double start = clock_now_s();

        st = run(ctx);
        seconds[i] = clock_now_s() - start;
    }
    if (st != ST_OK || result->absent != NULL)
        return st;
    result->n_runs = n_runs;
    bench_times(seconds, n_runs, &result->min, &result->median, &result->max);
    return ST_OK;
}

/* @return 10^9 cells of the full matrices per second */
static double gcups(const bench_result_t *result)
{
    return result->median > 0 ? result->cells / result->median * 1e-9 : 0;
}

void bench_results_compare(bench_results_t *results)
{
    for (int i = 0; i < results->n; i++)
        for (int k = 0; k < results->n; k++) {
            bench_result_t *ours = &results->all[i];
            const bench_result_t *peer = &results->all[k];

            if (ours->library == LIBRARY_OURS && peer->library != LIBRARY_OURS &&
                ours->emit == peer->emit && ours->ends == peer->ends && gcups(peer) > 0)
                ours->ratio[peer->library] = gcups(ours) / gcups(peer);
        }
}

/* ---- the two output formats ---- */

static const char *const peer_names[N_PEER_LIBRARIES] = {"parasail", "edlib", "WFA2"};
static const char *const peer_keys[N_PEER_LIBRARIES] = {"parasail", "edlib", "wfa2"};

static const char *emit_word(const bench_result_t *r)
{
    return align_emit_name[r->emit];
}

static const char *ends_word(const bench_result_t *r)
{
    return align_ends_name[r->ends];
}

/* Whether batches travelled in pinned memory: "on", "off" or "NA" (not a GPU). */
static const char *pinned_word(const bench_result_t *r)
{
    if (r->n_batches == 0 || r->threads > 0)
        return "NA";
    return r->pageable ? "off" : "on";
}

/* Print how batches travelled, where it differs from `align`. */
static void table_transfer(const bench_result_t *r)
{
    if (r->n_batches > 1)
        printf("; %" PRId64 " batches", r->n_batches);
    if (r->n_batches > 1 && r->threads == 0)
        printf(", %d in flight", r->n_buffers);
    if (strcmp(pinned_word(r), "off") == 0)
        printf("; pageable memory");
    if (r->init != NULL)
        printf("; borders written by the %s", r->init);
}

/* @return the measured identity as text, or "NA" */
static const char *identity_text(const bench_pairs_t *pairs, char *out, size_t size)
{
    if (pairs->identity < 0)
        return "NA";
    snprintf(out, size, "%.4f", pairs->identity);
    return out;
}

static double pairs_per_s(const bench_result_t *r)
{
    return (double)r->n_pairs / r->median;
}

/* Print a score in the user's units. */
static void print_score(const bench_print_t *p, int32_t score)
{
    char text[HALVES_TEXT_BYTES];

    fputs(halves_text(p->in_halves ? score : 2 * (int64_t)score, text), stdout);
}

/* Print "match/mismatch/gap", or the scores of a gap's first base and of further ones in
 * place of the gap's; those of end gaps follow if they differ. */
static void print_scores(const bench_print_t *p, const align_spec_t *spec)
{
    const align_scoring_t *s = &spec->scoring;

    if (s->match == 0 && s->mismatch == 0) {
        printf("matrix/");
    } else {
        print_score(p, s->match);
        putchar('/');
        print_score(p, s->mismatch);
        putchar('/');
    }
    if (s->gaps == GAPS_AFFINE) {
        print_score(p, s->gap_open);
        putchar('/');
    }
    print_score(p, s->gap);
    if (spec->ends == ENDS_PRICED) {
        printf(" ends ");
        print_score(p, spec->end_gap.open);
        putchar('/');
        print_score(p, spec->end_gap.extend);
    }
}

void bench_print_begin(const bench_print_t *p)
{
    if (!p->is_tsv)
        return;
    printf("what\tdevice\tsizes\tmin_s\tmedian_s\tmax_s\tgcups\tcells\tthreads\truns\t"
           "pairs_per_s\tscores\tinput\tmean_length\tidentity_wanted\tidentity\t"
           "batches\tbuffers\tpinned\tinit");
    for (int k = 0; k < N_PEER_LIBRARIES; k++)
        printf("\tto_%s", peer_keys[k]);
    putchar('\n');
}

static void table_head(const bench_print_t *p, const bench_pairs_opts_t *o,
                       const bench_pairs_t *pairs, const align_spec_t *spec,
                       const bench_results_t *results)
{
    char text[16];
    const char *identity = identity_text(pairs, text, sizeof(text));
    const char *letters = alphabet_letters[pairs->set->alphabet];

    if (p->n_printed > 0)
        putchar('\n');
    print_scores(p, spec);
    printf(", ");
    if (o->input != NULL)
        printf("%s: %" PRId64 " sequences, %.1f %s, identity %s", o->input, pairs->set->n,
               pairs->mean_length, letters, identity);
    else
        printf("%" PRId64 " x %" PRId64 " %s (mean %.1f), identity %g (measured %s), "
               "ambiguity codes in %d %% of the sequences",
               o->length, o->target_length, letters, pairs->mean_length, o->identity,
               identity, o->codes_percent);
    for (int i = 0; i < results->n; i++)
        if (results->all[i].library == LIBRARY_OURS &&
            (i == 0 || strcmp(results->all[i].device, results->all[i - 1].device) != 0) &&
            (i == 0 || results->all[i - 1].library == LIBRARY_OURS))
            printf("; %s: %s", results->all[i].device, results->all[i].device_name);
    for (int i = 0; i < results->n; i++)
        if (results->all[i].n_batches > 0) {
            table_transfer(&results->all[i]);
            break;
        }
    printf("\n%-6s  %-8s  %-25s  %-6s  %3s  %7s  %9s  %9s  %9s  %9s  %9s%5s", "ends",
           "output", "what", "on", "thr", "pairs", "min s", "median s", "max s",
           "pairs/s", "GCUPS", "");
    for (int k = 0; p->has_peers && k < N_PEER_LIBRARIES; k++)
        printf("  %9s%s", peer_names[k], "");
    putchar('\n');
}

static void table_row(const bench_print_t *p, const bench_result_t *r)
{
    char threads[16] = "-";

    if (r->threads > 0)
        snprintf(threads, sizeof(threads), "%d", r->threads);
    printf("%-6s  %-8s  %-25s  %-6s  %3s  ", ends_word(r), emit_word(r), r->what,
           r->device, threads);
    if (r->absent != NULL) {
        printf("%s\n", r->absent);
        return;
    }
    printf("%7" PRId64 "  %9.3e  %9.3e  %9.3e  %9.0f  %9.2f%5s", r->n_pairs, r->min,
           r->median, r->max, pairs_per_s(r), gcups(r), r->effective ? " eff." : "");
    for (int k = 0; p->has_peers && r->library == LIBRARY_OURS && k < N_PEER_LIBRARIES;
         k++)
        if (r->ratio[k] > 0)
            printf("  %8.2fx", r->ratio[k]);
        else
            printf("  %9s", "-");
    putchar('\n');
}

static void tsv_row(const bench_print_t *p, const bench_pairs_opts_t *o,
                    const bench_pairs_t *pairs, const align_spec_t *spec,
                    const bench_result_t *r)
{
    int64_t mean = (int64_t)(pairs->mean_length + 0.5);
    char text[16];

    printf("%s/%s/%s\t%s%s%s\t%" PRId64 "x%" PRId64 "x%" PRId64, r->what, emit_word(r),
           ends_word(r), r->device, r->device_name[0] != '\0' ? " " : "", r->device_name,
           r->n_pairs, o->input == NULL ? o->length : mean,
           o->input == NULL ? o->target_length : mean);
    if (r->absent != NULL)
        printf("\tNA\tNA\tNA\tNA\t%s\t%d\t0\tNA", r->absent, r->threads);
    else
        printf("\t%.3e\t%.3e\t%.3e\t%.2f\t%s\t%d\t%d\t%.1f", r->min, r->median, r->max,
               gcups(r), r->effective ? "effective" : "full", r->threads, r->n_runs,
               pairs_per_s(r));
    putchar('\t');
    print_scores(p, spec);
    printf("\t%s\t%.1f\t", o->input != NULL ? o->input : "simulated", pairs->mean_length);
    if (o->input != NULL)
        printf("NA\t%s", identity_text(pairs, text, sizeof(text)));
    else
        printf("%g\t%s", o->identity, identity_text(pairs, text, sizeof(text)));
    if (r->n_batches > 0)
        printf("\t%" PRId64 "\t%d", r->n_batches, r->n_buffers);
    else
        printf("\tNA\tNA");
    printf("\t%s\t%s", pinned_word(r), r->init != NULL ? r->init : "NA");
    for (int k = 0; k < N_PEER_LIBRARIES; k++)
        if (r->ratio[k] > 0)
            printf("\t%.3f", r->ratio[k]);
        else
            printf("\tNA");
    putchar('\n');
}

void bench_print_results(bench_print_t *p, const bench_pairs_opts_t *opts,
                         const bench_pairs_t *pairs, const align_spec_t *spec,
                         const bench_results_t *results)
{
    if (!p->is_tsv)
        table_head(p, opts, pairs, spec, results);
    for (int i = 0; i < results->n; i++) {
        const bench_result_t *r = &results->all[i];

        if (p->is_tsv)
            tsv_row(p, opts, pairs, spec, r);
        else
            table_row(p, r);
        p->n_printed++;
        p->has_effective = p->has_effective || (r->effective && r->absent == NULL);
    }
    fflush(stdout);
}

void bench_print_end(const bench_print_t *p)
{
    if (p->is_tsv)
        return;
    printf("\nGCUPS: 10^9 cells of the full matrices / median time.");
    if (p->has_effective)
        printf("  eff.: effective, fewer cells may be computed.");
    if (p->has_peers)
        printf("\nIn a peer's column: GCUPS / the peer's GCUPS; peers use one thread.");
    putchar('\n');
}
