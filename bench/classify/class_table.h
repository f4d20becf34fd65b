/*
 * class_table.h - the results of `ribogrid-bench classify`: rows of percentages over
 * seeds, and coverage curves.  class_table_print.h prints and draws them.
 */
#ifndef RIBOGRID_BENCH_CLASSIFY_CLASS_TABLE_H
#define RIBOGRID_BENCH_CLASSIFY_CLASS_TABLE_H

#include "bench/classify/class_trial.h"

enum {
    CLASS_TABLE_SEEDS = 32,
    CLASS_TABLE_ROWS = 160,
    CLASS_TABLE_RANKS = 4, /* above the lowest, at most */
    CLASS_TABLE_COLUMNS = 9,
    CLASS_TABLE_NAME = 80,
    CLASS_TABLE_RATES = 21 /* points of a curve: 0, 5, .. 100 % of absent classes named */
};

typedef enum { CLASS_BY_IDENTITY, CLASS_SPLIT, CLASS_PROTOCOLS } class_protocol_t;

typedef struct {
    class_protocol_t protocol;
    int rank; /* of the taxa; 0: the lowest of each lineage */
    char name[CLASS_TABLE_NAME];
    double value[CLASS_TABLE_COLUMNS][CLASS_TABLE_SEEDS];
    int n; /* seeds */
} class_row_t;

typedef struct {
    class_row_t rows[CLASS_TABLE_ROWS];
    int n_rows;
    /* by identity: mean accuracy; split: known named right */
    double curve[CLASS_PROTOCOLS][CLASS_TRIAL_METHODS][CLASS_TABLE_RATES];
    int n_trials[CLASS_PROTOCOLS][CLASS_TRIAL_METHODS];
    int n_ranks;
    bool has_root; /* rank 1 is the root of all lineages */
} class_table_t;

/* A table without rows. */
void class_table_begin(class_table_t *t, const class_data_t *d);

/* @return as reports print it */
const char *class_table_method(int method);

/* Add a trial's rows and curves. */
void class_table_add(class_table_t *t, class_protocol_t protocol,
                     const class_trial_t *trial);

#endif
