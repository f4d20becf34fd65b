/*
 * bench_result.c - times runs and keeps the results.
 */
#include "bench/align/bench_result.h"

#include "io/base/clock.h"
#include "io/base/logmsg.h"

#include <stdlib.h>

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

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
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
    qsort(seconds, (size_t)n_runs, sizeof(seconds[0]), by_value);
    result->n_runs = n_runs;
    result->min = seconds[0];
    result->median = (seconds[(n_runs - 1) / 2] + seconds[n_runs / 2]) / 2;
    result->max = seconds[n_runs - 1];
    return ST_OK;
}

double bench_result_gcups(const bench_result_t *result)
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
                ours->emit == peer->emit && ours->ends == peer->ends &&
                bench_result_gcups(peer) > 0)
                ours->ratio[peer->library] =
                    bench_result_gcups(ours) / bench_result_gcups(peer);
        }
}
