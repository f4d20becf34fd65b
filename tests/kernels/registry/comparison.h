/*
 * comparison.h - compares backends with the reference, case by case.
 *
 * A kind of backends has tables of cases.  The reference computes each case once, and
 * every other backend that takes it does so at each SIMD level of this machine, with each
 * number of threads and in each of the kind's ways.  A mismatch names backend, case,
 * item, expected and got.  Backends of GPUs have programs of their own (gpu_*.c).
 */
#pragma once

#include "kernels/device/backend.h"

enum { RESULT_COLUMNS = 24, COMPARISON_TEXT_BYTES = 320 };

typedef enum { VALUE_U8, VALUE_U16, VALUE_I32, VALUE_I64, VALUE_F64, VALUE_RUN } value_t;

/* Item i has the values start[i] .. start[i + 1] - 1; without start, `per_item` each. */
typedef struct {
    char name[64];
    value_t type; /* VALUE_RUN: of a CIGAR */
    int64_t n, per_item;
    void *values;     /* [n * per_item] */
    int64_t *start;   /* [n + 1] or NULL */
    double tolerance; /* maximum error divided by the largest value; 0: the same bytes */
} result_column_t;

/* Numbers to compare.  A backend may have fewer columns than the reference. */
typedef struct {
    int n_columns;
    result_column_t column[RESULT_COLUMNS];
} result_t;

/* What computes a case, and how. */
typedef struct {
    const backend_t *row;
    device_t device; /* the CPU at one SIMD level */
    pool_t *pool;    /* NULL: the caller alone */
    int n_threads;
    int way; /* one of the kind's */
    const result_t *expected;
} setting_t;

typedef enum {
    COMPUTED,
    REFUSED, /* by the backend */
    NO_CASE  /* not to be compared in this way */
} computed_t;

typedef struct {
    const char *name;
    const backend_table_t *table;   /* or NULL */
    const backend_t *const *others; /* that are in no table, then NULL; or NULL */
    const backend_t *reference;     /* is not compared with itself; NULL: in no table */
    bool by_level;                  /* whether SIMD levels make a difference */
    bool every_pool;      /* compare with each number of threads; else with one in turn */
    const int *n_threads; /* of pools, then -1; 0: the caller alone */
    const char *const *ways; /* their names, then NULL */

    /* Compute a case by the reference, all columns. */
    void (*expect)(void *c, result_t *out);
    computed_t (*compute)(const void *c, const setting_t *s, result_t *out);

    /* Describe an item of a column, for a mismatch. */
    void (*describe)(const void *c, int64_t item, char text[COMPARISON_TEXT_BYTES]);
} comparison_kind_t;

typedef struct comparison comparison_t;

/* Compare the cases of a kind, whose names contain `only` if it is not NULL. */
typedef void (*comparison_cases_t)(comparison_t *c);

/* @return an exit code: failure after a mismatch, and unless each backend was compared at
 *         each level from the narrowest that it takes */
int comparison_run(const comparison_kind_t *kind, comparison_cases_t cases,
                   const char *only);

/* @return whether a case is to be made.
 * @param is_long  it is one of those that sanitizers run only at night (random_set.h) */
bool comparison_has(const comparison_t *c, const char *name, bool is_long);

/* Compare one case. @param detail  is printed behind its name */
void comparison_case(comparison_t *c, const char *name, const char *detail, void *one);

/* Add a column of n * per_item values.
 * @param from    the first one, copied; NULL: the caller fills the column
 * @param stride  bytes from one value to the next
 * @return its values */
void *result_add(result_t *r, const char *name, value_t type, int64_t n, int64_t per_item,
                 const void *from, size_t stride);

/* Add CIGARs, of which the result takes over both arrays. */
void result_add_runs(result_t *r, const char *name, int64_t n, uint32_t *runs,
                     int64_t *start);

const result_column_t *result_find(const result_t *r, const char *name);

void result_free(result_t *r);

/* End the program, with the place, if a condition does not hold. */
#define MUST(condition) comparison_must(condition, __FILE__, __LINE__, #condition)
void comparison_must(bool good, const char *file, int line, const char *what);

/* Each kind and its cases, in a file compare_KIND.c. */
extern const comparison_kind_t compare_aligners, compare_edits, compare_classifiers,
    compare_graphs, compare_parasail, compare_parts, compare_networks;
void compare_aligners_cases(comparison_t *c);
void compare_edits_cases(comparison_t *c);
void compare_classifiers_cases(comparison_t *c);
void compare_graphs_cases(comparison_t *c);
void compare_parasail_cases(comparison_t *c); /* where it is installed */
void compare_parts_cases(comparison_t *c);
void compare_networks_cases(comparison_t *c);
