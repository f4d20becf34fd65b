/*
 * benchmarks.c - takes times and sums them up, and parses lists of numbers.
 */
#include "bench/options/benchmarks.h"

#include "io/base/compare.h"

#include <stdlib.h>
#include <string.h>

double bench_processor_s(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void bench_times(double *seconds, int n, double *min, double *median, double *max)
{
    qsort(seconds, (size_t)n, sizeof(*seconds), compare_double);
    *min = seconds[0];
    *median = (seconds[(n - 1) / 2] + seconds[n / 2]) / 2;
    *max = seconds[n - 1];
}

/* @return whether an allowed number was read; *text is then behind it */
static bool read_number(const bench_numbers_t *o, const char **text, double *out)
{
    char *end;

    *out = strtod(*text, &end);
    if (end == *text || strspn(*text, "-.0123456789") < (size_t)(end - *text) ||
        !(*out >= o->min && *out <= o->max) ||
        (!o->fractions && *out != (double)(long)*out))
        return false;
    *text = end;
    return true;
}

bool bench_list_parse(const bench_numbers_t *allowed, const char *text, bench_list_t *out)
{
    const char *rest = text;

    for (out->n = 0; out->n < BENCH_LIST_MAX; rest++) {
        double *at = &out->at[out->n], *with = &out->with[out->n];

        if (!read_number(allowed, &rest, at))
            return false;
        *with = *at;
        if (allowed->crosses && *rest == 'x') {
            rest++;
            if (!read_number(allowed, &rest, with))
                return false;
        }
        out->n++;
        if (*rest != ',')
            return *rest == '\0';
    }
    return false;
}
