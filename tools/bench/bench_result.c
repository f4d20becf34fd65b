#include "tools/bench/bench_result.h"

#include "dispatcher/progress.h"
#include "io/base/logmsg.h"

#include <stdlib.h>

bench_result_t *bench_result_add(bench_results_t *rows)
{
    if (rows->n == rows->capacity) {
        int capacity = 2 * rows->capacity + 16;
        bench_result_t *more = realloc(rows->rows, (size_t)capacity * sizeof(*more));

        if (more == NULL) {
            (void)log_nomem("rows");
            return NULL;
        }
        rows->rows = more;
        rows->capacity = capacity;
    }
    rows->rows[rows->n] = (bench_result_t){.n_pairs = 0};
    return &rows->rows[rows->n++];
}

void bench_results_clear(bench_results_t *rows)
{
    for (int i = 0; i < rows->n; i++)
        free(rows->rows[i].score);
    free(rows->rows);
    *rows = (bench_results_t){.n = 0};
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

status_t bench_result_measure(bench_result_t *row, int n_runs, status_t (*run)(void *ctx),
                              void *ctx)
{
    double seconds[BENCH_RUNS_MAX];
    status_t st = run(ctx);

    for (int i = 0; st == ST_OK && row->absent == NULL && i < n_runs; i++) {
        double start = progress_now_s();

        st = run(ctx);
        seconds[i] = progress_now_s() - start;
    }
    if (st != ST_OK || row->absent != NULL)
        return st;
    qsort(seconds, (size_t)n_runs, sizeof(seconds[0]), by_value);
    row->n_runs = n_runs;
    row->min = seconds[0];
    row->median = (seconds[(n_runs - 1) / 2] + seconds[n_runs / 2]) / 2;
    row->max = seconds[n_runs - 1];
    return ST_OK;
}

double bench_result_gcups(const bench_result_t *row)
{
    return row->median > 0 ? row->cells / row->median * 1e-9 : 0;
}

void bench_results_compare(bench_results_t *rows)
{
    for (int i = 0; i < rows->n; i++)
        for (int k = 0; k < rows->n; k++) {
            bench_result_t *ours = &rows->rows[i];
            const bench_result_t *peer = &rows->rows[k];

            if (ours->by == LIBRARY_OURS && peer->by != LIBRARY_OURS &&
                ours->emit == peer->emit && ours->ends == peer->ends &&
                bench_result_gcups(peer) > 0)
                ours->ratio[peer->by] =
                    bench_result_gcups(ours) / bench_result_gcups(peer);
        }
}
