/*
 * automata_runs.c - times a kernel, and compares the matches that it finds.
 */
#include "bench/automata/automata_bench.h"
#include "bench/options/benchmarks.h"
#include "io/base/clock.h"
#include "io/base/logmsg.h"
#include "io/base/plural.h"
#include "kernels/automata/scan_join.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const scan_backend_t *row;
    void *state;
    scan_context_t context;
    scan_piece_t *pieces;
    scan_found_t *found;
    int64_t n;
} scan_t;

/* ---- a run ---- */

static status_t run_once(const automata_bench_t *b, scan_t *s, double *seconds,
                         double *kernel_s, bool *has_kernel)
{
    const bool is_gpu = s->row->kernel_s != NULL;
    const double begin = clock_now_s();
    status_t st = ST_OK;
    int n_done;

    *kernel_s = 0;
    for (int64_t k = 0; k < s->n; k++)
        s->found[k].hits.len = s->found[k].live.len = 0;
    for (int64_t k = 0; st == ST_OK && k < s->n; k += n_done) {
        const int64_t left = s->n - k;

        st = scan_pieces(s->row, s->state, &s->context, s->pieces + k,
                         (int)(is_gpu && left > b->batch ? b->batch : left), s->found + k,
                         &n_done);
        if (st == ST_OK && is_gpu) {
            *kernel_s += s->row->kernel_s(s->state);
            *has_kernel = *has_kernel && s->row->kernel_s(s->state) > 0;
        }
    }
    *seconds = clock_now_s() - begin;
    return st;
}

/* ---- the matches ---- */

/* Compare the matches with those of the first kernel, or keep them. */
static status_t check_matches(automata_bench_t *b, scan_t *s, automata_runs_t *out)
{
    buf_t matches = {0};
    scan_join_t *join = NULL;
    status_t st = scan_join_create(&b->nfa, s->context.pool, &join);

    if (st == ST_OK)
        st = scan_join_pieces(join, s->pieces, s->n, s->found);
    scan_join_destroy(join);

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

static status_t measure(automata_bench_t *b, scan_t *s, automata_runs_t *out)
{
    double ignored;
    status_t st = run_once(b, s, &ignored, &ignored, &out->has_kernel);

    for (int k = 0; st == ST_OK && k < b->n_runs; k++)
        st = run_once(b, s, &out->seconds[k], &out->kernel_s[k], &out->has_kernel);
    return st == ST_OK ? check_matches(b, s, out) : st;
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
                .context = {.device = device,
                            .nfa = &b->nfa,
                            .dfas = &b->dfas,
                            .n_threads = n_threads},
                .n = (int64_t)(b->bytes.len + AUTOMATA_PIECE - 1) / AUTOMATA_PIECE};
    status_t st = pool_create(n_threads, &s.context.pool);

    *out = (automata_runs_t){.name = row->base.name,
                             .device = device->name,
                             .n_threads = device_is_gpu(device) ? 0 : n_threads,
                             .has_kernel = row->kernel_s != NULL};
    s.pieces = malloc(((size_t)s.n + 1) * sizeof(*s.pieces));
    s.found = calloc((size_t)s.n + 1, sizeof(*s.found));
    if (st == ST_OK && (s.pieces == NULL || s.found == NULL))
        st = log_nomem("pieces");
    if (st == ST_OK)
        st = row->create(&s.context, &s.state);
    if (st == ST_OK) {
        divide(b, &s);
        st = measure(b, &s, out);
    }
    row->destroy(s.state);
    for (int64_t k = 0; s.found != NULL && k < s.n; k++)
        scan_found_free(&s.found[k]);
    free(s.found);
    free(s.pieces);
    pool_destroy(s.context.pool);
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
        printf(" (%d thread%s)", r->n_threads, plural(r->n_threads));
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
