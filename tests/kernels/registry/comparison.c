/*
 * comparison.c - runs every backend of a kind on a case, and compares columns.
 */
#include "tests/kernels/registry/comparison.h"

#include "io/seq/cigar.h"
#include "tests/support/random_set.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POOLS_MAX = 4, ROWS_MAX = 16, LEVELS = SIMD_AVX512 + 1, FAILURES_MAX = 20 };

struct comparison {
    const comparison_kind_t *kind;
    const char *only;
    const backend_t *rows[ROWS_MAX]; /* those to compare */
    pool_t *pools[POOLS_MAX];
    int n_rows, n_pools, n_cases, n_failed;
    int64_t n_runs[ROWS_MAX][LEVELS], n_all;
    /* of the case: */
    const char *name, *detail;
    const void *one;
    result_t expected;
};

static const size_t value_bytes[] = {1, 2, 4, 8, 8, 4};

void comparison_must(bool good, const char *file, int line, const char *what)
{
    if (good)
        return;
    printf("FAILED: %s:%d: %s\n", file, line, what);
    exit(EXIT_FAILURE);
}

/* ---- results ---- */

static void add_column(result_t *r, const char *name, const result_column_t *column)
{
    MUST(r->n_columns < RESULT_COLUMNS);
    r->column[r->n_columns] = *column;
    snprintf(r->column[r->n_columns++].name, sizeof(column->name), "%s", name);
}

void *result_add(result_t *r, const char *name, value_t type, int64_t n, int64_t per_item,
                 const void *from, size_t stride)
{
    const size_t bytes = value_bytes[type], n_values = (size_t)(n * per_item);
    char *values = calloc(n_values + 1, bytes);

    MUST(values != NULL);
    for (size_t k = 0; from != NULL && k < n_values; k++)
        memcpy(values + k * bytes, (const char *)from + k * stride, bytes);
    add_column(
        r, name,
        &(result_column_t){.type = type, .n = n, .per_item = per_item, .values = values});
    return values;
}

void result_add_runs(result_t *r, const char *name, int64_t n, uint32_t *runs,
                     int64_t *start)
{
    add_column(r, name,
               &(result_column_t){.type = VALUE_RUN,
                                  .n = n,
                                  .per_item = 1,
                                  .values = runs,
                                  .start = start});
}

const result_column_t *result_find(const result_t *r, const char *name)
{
    for (int k = 0; k < r->n_columns; k++)
        if (strcmp(r->column[k].name, name) == 0)
            return &r->column[k];
    return NULL;
}

void result_free(result_t *r)
{
    for (int k = 0; k < r->n_columns; k++) {
        free(r->column[k].values);
        free(r->column[k].start);
    }
    *r = (result_t){0};
}

/* ---- items ---- */

static int64_t first_of(const result_column_t *c, int64_t item)
{
    return c->start != NULL ? c->start[item] : item * c->per_item;
}

static const char *at(const result_column_t *c, int64_t value)
{
    return (const char *)c->values + (size_t)value * value_bytes[c->type];
}

static double largest_of(const result_column_t *c)
{
    double largest = 0;

    for (int64_t k = 0; k < c->n * c->per_item && c->type == VALUE_F64; k++)
        largest = fmax(largest, fabs(((const double *)c->values)[k]));
    return largest;
}

/* @param error  maximum error of a value; negative: the bytes are compared */
static bool item_equal(const result_column_t *a, const result_column_t *b, int64_t item,
                       double error)
{
    const int64_t i = first_of(a, item), j = first_of(b, item);
    const int64_t n = first_of(a, item + 1) - i;

    if (first_of(b, item + 1) - j != n)
        return false;
    if (error < 0)
        return n == 0 ||
               memcmp(at(a, i), at(b, j), (size_t)n * value_bytes[a->type]) == 0;
    for (int64_t k = 0; k < n; k++)
        if (!(fabs(((double *)a->values)[i + k] - ((double *)b->values)[j + k]) <= error))
            return false;
    return true;
}

static void print_item(const result_column_t *c, int64_t item)
{
    const int64_t first = first_of(c, item), last = first_of(c, item + 1);
    buf_t text = {0};

    if (c->type == VALUE_RUN) {
        MUST(cigar_append_text((const uint32_t *)c->values + first, last - first,
                               CIGAR_STYLE_EQX, &text) == ST_OK &&
             buf_append(&text, "", 1) == ST_OK);
        printf(" %s", (const char *)text.data);
        buf_free(&text);
        return;
    }
    for (int64_t k = first; k < last; k++)
        switch (c->type) {
        case VALUE_U8:
            printf(" %d", *(const uint8_t *)at(c, k));
            break;
        case VALUE_U16:
            printf(" %d", *(const uint16_t *)(const void *)at(c, k));
            break;
        case VALUE_I32:
            printf(" %d", *(const int32_t *)(const void *)at(c, k));
            break;
        case VALUE_I64:
            printf(" %lld", (long long)*(const int64_t *)(const void *)at(c, k));
            break;
        default:
            printf(" %.17g", *(const double *)(const void *)at(c, k));
        }
}

/* ---- comparison ---- */

static void begin_failure(comparison_t *c, const setting_t *s)
{
    printf("FAILED: %s: %s, %s, %d threads, %s%scase '%s' %s: ", c->kind->name,
           s->row->name, device_simd_name(s->device.simd), s->n_threads,
           c->kind->ways[s->way], c->kind->ways[s->way][0] != '\0' ? ", " : "", c->name,
           c->detail);
    if (++c->n_failed == FAILURES_MAX) {
        printf("..., and no further comparisons\n");
        exit(EXIT_FAILURE);
    }
}

static bool column_equal(comparison_t *c, const setting_t *s, const result_column_t *want,
                         const result_column_t *got, double error)
{
    char text[COMPARISON_TEXT_BYTES] = "";

    MUST(want->type == got->type && want->per_item == got->per_item);
    for (int64_t i = 0; i < (got->n > want->n ? got->n : want->n); i++) {
        if (i < got->n && i < want->n && item_equal(want, got, i, error))
            continue;
        begin_failure(c, s);
        if (c->kind->describe != NULL)
            c->kind->describe(c->one, i, text);
        printf("item %lld%s of %lld: %s: got", (long long)i, text, (long long)want->n,
               got->name);
        if (i < got->n)
            print_item(got, i);
        printf(", expected");
        if (i < want->n)
            print_item(want, i);
        printf("\n");
        return false;
    }
    return true;
}

/* @param exact  without tolerance */
static bool result_equal(comparison_t *c, const setting_t *s, const result_t *want,
                         const result_t *got, bool exact)
{
    MUST(got->n_columns > 0);
    for (int k = 0; k < got->n_columns; k++) {
        const result_column_t *column = result_find(want, got->column[k].name);

        MUST(column != NULL);
        if (!column_equal(c, s, column, &got->column[k],
                          exact || column->tolerance == 0
                              ? -1
                              : column->tolerance * largest_of(column)))
            return false;
    }
    return true;
}

/* Compare with all numbers of threads, or the next one: they make no difference.
 * @return whether the backend took the case */
static bool compare_pools(comparison_t *c, setting_t *s, bool *refused)
{
    const comparison_kind_t *kind = c->kind;
    result_t first = {0};
    bool good = true;

    for (int p = 0; good && p < (kind->every_pool ? c->n_pools : 1); p++) {
        const int64_t pool = kind->every_pool ? p : c->n_all++ % c->n_pools;
        result_t got = {0};
        computed_t computed;

        s->pool = c->pools[pool];
        s->n_threads = kind->n_threads[pool];
        computed = kind->compute(c->one, s, &got);
        *refused |= computed == REFUSED;
        good = computed == COMPUTED;
        if (good && result_equal(c, s, &c->expected, &got, false) && p > 0)
            result_equal(c, s, &first, &got, true);
        if (p == 0)
            first = got;
        else
            result_free(&got);
    }
    result_free(&first);
    return good;
}

static void compare_rows(comparison_t *c, int way)
{
    const device_t cpu = device_cpu();
    const int n_levels = c->kind->by_level ? (int)cpu.simd + 1 : 1;
    setting_t s = {.way = way, .expected = &c->expected};
    bool taken = false, refused = false;

    for (int k = 0; k < c->n_rows; k++)
        for (int level = n_levels - 1; level >= 0; level--) {
            s.row = c->rows[k];
            s.device = cpu;
            if (c->kind->by_level)
                s.device.simd = (simd_level_t)level;
            if (compare_pools(c, &s, &refused)) {
                c->n_runs[k][level]++;
                taken = true;
            }
        }
    if (!taken && refused && cpu.simd != SIMD_NONE) {
        begin_failure(c, &s);
        printf("no backend takes it\n");
    }
}

bool comparison_has(const comparison_t *c, const char *name, bool is_long)
{
    enum { ALL = 1000 };

    return (!is_long || random_set_count(ALL) >= ALL / 10) &&
           (c->only == NULL || strstr(name, c->only) != NULL);
}

void comparison_case(comparison_t *c, const char *name, const char *detail, void *one)
{
    c->name = name;
    c->detail = detail;
    c->one = one;
    c->kind->expect(one, &c->expected);
    for (int way = 0; c->kind->ways[way] != NULL; way++)
        compare_rows(c, way);
    result_free(&c->expected);
    c->n_cases++;
}

/* Each backend has been compared at each level, if it takes narrower ones. */
static void check_levels(comparison_t *c)
{
    const int n_levels = c->kind->by_level ? (int)device_cpu().simd + 1 : 1;

    for (int k = 0; k < c->n_rows; k++)
        for (int level = 0; level < n_levels; level++) {
            const bool is_widest =
                level == n_levels - 1 && (level > SIMD_NONE || !c->kind->by_level);

            if (c->n_runs[k][level] > 0 ||
                !(is_widest || (level > 0 && c->n_runs[k][level - 1] > 0)))
                continue;
            printf("FAILED: %s: %s was not compared at level %s\n", c->kind->name,
                   c->rows[k]->name, device_simd_name((simd_level_t)level));
            c->n_failed++;
        }
}

static void add_rows(comparison_t *c, const backend_t *const *row)
{
    for (; row != NULL && *row != NULL; row++)
        if ((*row)->kind == DEVICE_CPU && *row != c->kind->reference) {
            MUST(c->n_rows < ROWS_MAX);
            c->rows[c->n_rows++] = *row;
        }
}

static void begin(comparison_t *c)
{
    add_rows(c, c->kind->table != NULL ? c->kind->table->rows : NULL);
    add_rows(c, c->kind->others);
    for (; c->kind->n_threads[c->n_pools] >= 0; c->n_pools++) {
        MUST(c->n_pools < POOLS_MAX);
        MUST(c->kind->n_threads[c->n_pools] == 0 ||
             pool_create(c->kind->n_threads[c->n_pools], &c->pools[c->n_pools]) == ST_OK);
    }
}

int comparison_run(const comparison_kind_t *kind, comparison_cases_t cases,
                   const char *only)
{
    comparison_t c = {.kind = kind, .only = only};

    begin(&c);
    cases(&c);
    if (only == NULL)
        check_levels(&c);
    for (int p = 0; p < c.n_pools; p++)
        pool_destroy(c.pools[p]);
    printf("%s: %d cases, %d mismatches\n", kind->name, c.n_cases, c.n_failed);
    return c.n_failed == 0 && c.n_cases > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
