/*
 * automata_runs.c - times a kernel, and compares the matches that it finds.
 */
#include "bench/automata/automata_bench.h"
#include "bench/options/benchmarks.h"
#include "io/base/clock.h"
#include "io/base/logmsg.h"
#include "kernels/automata/scan_join.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const scan_backend_t *row;
    void *state;
    scan_piece_t *pieces;
    scan_found_t *found;
    int64_t n;
    int failed; /* a status_t; any of those that failed */
} scan_t;

/* ---- a run ---- */

static void scan_one(void *ctx, int64_t k, int thread)
{
    scan_t *s = ctx;
    const status_t st = scan_piece(s->row, s->state, &s->pieces[k], thread, &s->found[k]);

    if (st != ST_OK)
        __atomic_store_n(&s->failed, (int)st, __ATOMIC_RELAXED);
}

static status_t run_once(const automata_bench_t *b, scan_t *s, pool_t *pool,
                         double *seconds, double *kernel_s, bool *has_kernel)
{
    const double begin = clock_now_s();
    status_t st = ST_OK;

    *kernel_s = 0;
    for (int64_t k = 0; k < s->n; k++)
        s->found[k].hits.len = s->found[k].live.len = 0;
    if (s->row->scan_all == NULL)
        pool_run(pool, s->n, scan_one, s);
    for (int64_t k = 0; s->row->scan_all != NULL && st == ST_OK && k < s->n;
         k += b->batch) {
        const int64_t n = s->n - k < b->batch ? s->n - k : b->batch;

        st = s->row->scan_all(s->state, s->pieces + k, (int)n, s->found + k);
        *kernel_s += s->row->kernel_s(s->state);
        *has_kernel = *has_kernel && s->row->kernel_s(s->state) > 0;
    }
    *seconds = clock_now_s() - begin;
    return st == ST_OK ? (status_t)s->failed : st;
}

/* ---- the matches ---- */

/* Compare the matches with those of the first kernel, or keep them. */
static status_t check_matches(automata_bench_t *b, scan_t *s, pool_t *pool,
                              automata_runs_t *out)
{
    buf_t matches = {0};
    status_t st = scan_join(&b->nfa, s->pieces, s->n, pool, s->found);

    for (int64_t k = 0; st == ST_OK && k < s->n; k++)
        st = buf_append(&matches, s->found[k].hits.data, s->found[k].hits.len);
    out->what = "matches";
    out->n_found = (int64_t)(matches.len / sizeof(scan_hit_t));
    out->same =
        st == ST_OK &&
        (!b->has_matches ||
         (matches.len == b->matches.len &&
          (matches.len == 0 || memcmp(matches.data, b->matches.data, matches.len) == 0)));
    if (st != ST_OK || b->has_matches) {
        buf_free(&matches);
    } else {
        b->matches = matches;
        b->has_matches = true;
    }
    return st;
}

/* ---- all runs ---- */

static status_t measure(automata_bench_t *b, scan_t *s, pool_t *pool,
                        automata_runs_t *out)
{
    double ignored;
    status_t st = run_once(b, s, pool, &ignored, &ignored, &out->has_kernel);

    for (int k = 0; st == ST_OK && k < b->n_runs; k++)
        st = run_once(b, s, pool, &out->seconds[k], &out->kernel_s[k], &out->has_kernel);
    return st == ST_OK ? check_matches(b, s, pool, out) : st;
}

static void divide(const automata_bench_t *b, scan_t *s)
{
    const int64_t n_bytes = (int64_t)b->bytes.len;

    for (int64_t k = 0; k < s->n; k++) {
        const int64_t begin = k * AUTOMATA_PIECE, end = begin + AUTOMATA_PIECE;

        s->pieces[k] =
            (scan_piece_t){b->bytes.data, begin, end < n_bytes ? end : n_bytes, 0,
                           n_bytes,       false};
    }
}

status_t automata_measure(automata_bench_t *b, const scan_backend_t *row,
                          const device_t *device, int n_threads, automata_runs_t *out)
{
    scan_t s = {.row = row,
                .n = (int64_t)(b->bytes.len + AUTOMATA_PIECE - 1) / AUTOMATA_PIECE};
    scan_context_t context = {.device = device,
                              .nfa = &b->nfa,
                              .dfas = &b->dfas,
                              .n_threads = n_threads};
    pool_t *pool = NULL;
    status_t st = pool_create(n_threads, &pool);

    *out = (automata_runs_t){.name = row->base.name,
                             .device = device->name,
                             .n_threads = device_is_gpu(device) ? 0 : n_threads,
                             .has_kernel = row->kernel_s != NULL};
    s.pieces = malloc(((size_t)s.n + 1) * sizeof(*s.pieces));
    s.found = calloc((size_t)s.n + 1, sizeof(*s.found));
    if (st == ST_OK && (s.pieces == NULL || s.found == NULL))
        st = log_nomem("pieces");
    context.pool = pool;
    if (st == ST_OK)
        st = row->create(&context, &s.state);
    if (st == ST_OK) {
        divide(b, &s);
        st = measure(b, &s, pool, out);
    }
    row->destroy(s.state);
    for (int64_t k = 0; s.found != NULL && k < s.n; k++)
        scan_found_free(&s.found[k]);
    free(s.found);
    free(s.pieces);
    pool_destroy(pool);
    return st;
}

/* ---- the table ---- */

void automata_print_head(void)
{
    printf("what\tdevice\tpatterns x bytes\tmin s\tmedian s\tmax s\tMB/s\tfound\n");
}

static void print_line(const automata_bench_t *b, const automata_runs_t *r,
                       const char *suffix, double *seconds)
{
    double min, median, max;

    bench_times(seconds, b->n_runs, &min, &median, &max);
    printf("%s%s\t%s", r->name, suffix, r->device);
    if (r->n_threads > 0)
        printf(" (%d thread%s)", r->n_threads, r->n_threads > 1 ? "s" : "");
    printf("\t%" PRId64 " x %zu\t%.2e\t%.2e\t%.2e\t%.1f\t%" PRId64 " %s%s\n",
           b->nfa.n_patterns - r->n_not_taken, b->bytes.len, min, median, max,
           (double)b->bytes.len / median / 1e6, r->n_found, r->what,
           r->same ? "" : ", which differ");
    fflush(stdout);
}

void automata_print(const automata_bench_t *b, automata_runs_t *r)
{
    print_line(b, r, "", r->seconds);
    if (r->has_kernel)
        print_line(b, r, "/kernel", r->kernel_s);
}
