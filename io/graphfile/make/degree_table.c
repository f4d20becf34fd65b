/*
 * degree_table.c - named distributions, and histograms from files.
 *
 * Logarithms and the normal distribution are computed with FIX_BITS bits after the point,
 * so that all machines draw the same degrees.
 */
#include "io/graphfile/make/graph_makers.h"

#include "io/base/logmsg.h"
#include "io/base/rng.h"
#include "io/graphfile/graph_edges.h"
#include "io/graphfile/read/graph_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef __int128 fix_t;

enum { FIX_BITS = 48, LOG_TERMS = 20, NORMAL_TERMS = 80, DRAW_BITS = 32 };
enum { CITESEER_NODES = 434102, CITESEER_MAX = 1188 };

#define FIX_ONE ((fix_t)1 << FIX_BITS)

/* 2^48 times ln 2, and 1 / sqrt(2 pi) */
#define FIX_LN2    ((fix_t)INT64_C(195103586505167))
#define FIX_NORMAL ((fix_t)INT64_C(112292269084889))

/* Nodes of degree 0, 1, ...: 435,666 in all, with 1,057,066 arcs. */
static const int64_t co_road[] = {0, 64737, 163663, 165000, 41400, 800, 60, 5, 1};

static fix_t times(fix_t a, fix_t b)
{
    return a * b / FIX_ONE;
}

/* @return ln(numerator / 2): ln x = 2 (y + y^3 / 3 + ...), y = (x - 1) / (x + 1) */
static fix_t log_of_halves(int64_t numerator)
{
    fix_t x = (fix_t)numerator * FIX_ONE / 2, log = 0, y, power;

    for (; x >= 2 * FIX_ONE; x /= 2)
        log += FIX_LN2;
    for (; x < FIX_ONE; x *= 2)
        log -= FIX_LN2;
    power = y = (x - FIX_ONE) * FIX_ONE / (x + FIX_ONE);
    for (int k = 0; k < LOG_TERMS; k++) {
        log += 2 * power / (2 * k + 1);
        power = times(power, times(y, y));
    }
    return log;
}

/* @return the standard normal distribution at z of -5 .. 5:
 *         1/2 + (z - z^3 / (2 3) + z^5 / (4 2! 5) - ...) / sqrt(2 pi) */
static fix_t normal(fix_t z)
{
    fix_t sum = 0, power = z;

    for (int k = 0; k < NORMAL_TERMS; k++) {
        sum += power / (2 * k + 1);
        power = -times(power, times(z, z)) / (2 * (k + 1));
    }
    return FIX_ONE / 2 + times(sum, FIX_NORMAL);
}

static status_t allocate(int64_t n, degree_table_t *t)
{
    t->n_nodes = n;
    t->degree = malloc((n > 0 ? (size_t)n : 1) * sizeof(*t->degree));
    return t->degree != NULL ? ST_OK : log_nomem("the degrees of a graph");
}

/* Draw each degree by its cumulated probability. */
static status_t draw_citeseer(uint64_t seed, degree_table_t *t)
{
    uint64_t below[CITESEER_MAX]; /* [k] 2^32 times the probability of degrees up to k */
    rng_t rng = rng_seed(seed);
    status_t st = allocate(CITESEER_NODES, t);

    for (int k = 0; k < CITESEER_MAX; k++) {
        fix_t z = (log_of_halves(2 * k + 1) - FIX_ONE * 385 / 100) * 100 / 95;

        below[k] = (uint64_t)(normal(z) >> (FIX_BITS - DRAW_BITS));
    }
    for (int64_t u = 0; st == ST_OK && u < t->n_nodes; u++) {
        uint64_t draw = rng_next(&rng) >> (64 - DRAW_BITS);
        int low = 1, high = CITESEER_MAX;

        while (low < high) {
            int middle = (low + high) / 2;

            if (draw < below[middle])
                high = middle;
            else
                low = middle + 1;
        }
        t->degree[u] = low;
    }
    return st;
}

static void append(degree_table_t *t, int64_t *at, int64_t degree, int64_t count)
{
    while (count-- > 0)
        t->degree[(*at)++] = (int32_t)degree;
}

static status_t use_co_road(degree_table_t *t)
{
    int64_t n_degrees = sizeof(co_road) / sizeof(co_road[0]), n = 0, at = 0;
    status_t st;

    for (int64_t d = 0; d < n_degrees; d++)
        n += co_road[d];
    st = allocate(n, t);
    for (int64_t d = 0; st == ST_OK && d < n_degrees; d++)
        append(t, &at, d, co_road[d]);
    return st;
}

static status_t read_line(graph_text_t *t, degree_table_t *table)
{
    const char *remedy = "write 'DEGREE NODES'";
    int64_t degree, count;
    int32_t *grown;
    status_t st;

    if ((st = graph_text_int(t, "degree", 0, INT32_MAX, remedy, &degree)) != ST_OK ||
        (st = graph_text_int(t, "number of nodes", 0, INT32_MAX - table->n_nodes, remedy,
                             &count)) != ST_OK ||
        (st = graph_text_end(t)) != ST_OK)
        return st;
    table->n_ends += (double)degree * (double)count;
    if ((st = graph_edges_check_memory(
             table->n_nodes + count,
             (int64_t)fmin(table->n_ends / 2, (double)(INT64_MAX / 2)),
             graph_edges_bytes(false, false) + GRAPH_EDGES_BUILD_BYTES)) != ST_OK)
        return st;
    grown = realloc(table->degree,
                    (size_t)(table->n_nodes + count + 1) * sizeof(*table->degree));
    if (grown == NULL)
        return log_nomem("the degrees of a graph");
    table->degree = grown;
    append(table, &table->n_nodes, degree, count);
    return ST_OK;
}

static status_t read_file(const char *path, degree_table_t *table)
{
    graph_text_t t = {0};
    status_t st = lines_open(path, &t.lines);

    if (st != ST_OK)
        return st;
    while ((st = graph_text_next_data(&t, "#")) == ST_OK && t.line != NULL)
        if ((st = read_line(&t, table)) != ST_OK)
            break;
    lines_close(t.lines);
    return st;
}

/* Histograms list nodes by degree: put them into random order. */
static void shuffle(degree_table_t *t, uint64_t seed)
{
    rng_t rng = rng_seed(seed);

    rng_shuffle(&rng, t->degree, t->n_nodes);
}

status_t degree_table_create(const char *name, uint64_t seed, degree_table_t *out)
{
    status_t st;

    *out = (degree_table_t){0};
    if (strcmp(name, "citeseer") == 0) {
        st = draw_citeseer(seed, out);
    } else {
        st = strcmp(name, "co-road") == 0 ? use_co_road(out) : read_file(name, out);
        shuffle(out, seed);
    }
    if (st != ST_OK)
        degree_table_free(out);
    return st;
}

void degree_table_free(degree_table_t *t)
{
    free(t->degree);
    *t = (degree_table_t){0};
}
