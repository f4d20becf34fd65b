/*
 * class_bench.h - the parts of `ribogrid-bench classify`: genes, methods, peers, trials
 * and tables.
 */
#pragma once

#include "bench/classify/class_score.h"
#include "io/base/buf.h"
#include "io/base/rng.h"
#include "io/prepare/prepare.h"
#include "io/seq/taxonomy.h"
#include "kernels/classify/class_train.h"

#include <stdio.h>

/* class_data.c: the genes of `ribogrid-bench classify` with their classes, and models
 * of some of them. */

typedef struct {
    const char *path; /* borrowed */
    seqset_t *genes;  /* those with a lineage */
    taxonomy_t *taxonomy;
    int32_t *class_of; /* [genes->n] */
    nbc_classes_t classes;
    int64_t n_left_out; /* genes without lineage or primers */
    int64_t n_records;  /* sequences of the file, or what was cut out of them */
    uint64_t digest;    /* of these */
    int32_t *record;    /* [genes->n] the number of each gene among these */
    bool is_cut;        /* between primers */
    device_t device;
    pool_t *pool;
    nbc_options_t options;
} class_data_t;

/* @param primers  keep what lies between them; without text: whole genes
 * @param out     the caller's, also after an error; freed by class_data_free
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT */
status_t class_data_read(const char *genes, const char *taxonomy,
                         const primer_trim_t *primers, int n_threads,
                         class_data_t *out) MUST_CHECK;

void class_data_free(class_data_t *d);

/* A model of some of the genes. */
typedef struct {
    int32_t *class_of; /* -1: left out */
    nbc_model_t *model;
    class_statistics_t known;
    nbc_context_t nbc;
} class_subset_t;

/* @param left_out  [genes->n] or NULL: none
 * @param out       the caller's, also after an error; freed by class_subset_free */
status_t class_subset_create(const class_data_t *d, const bool *left_out,
                             class_subset_t *out) MUST_CHECK;

void class_subset_free(class_subset_t *s);

/* class_methods.c: the methods of `classify` in `ribogrid-bench classify`: they learn
 * rules, and classify cases by models without some genes. */

enum { CLASS_BENCH_METHODS = 4, CLASS_BENCH_JOINT = 2 /* with equal taxa */ };
extern const class_method_t class_bench_method[CLASS_BENCH_METHODS];
extern const class_prior_t class_bench_prior[CLASS_BENCH_METHODS];
extern const char *const class_bench_name[CLASS_BENCH_METHODS];

/* What a method has learned and says. */
typedef struct {
    bool is_run;
    class_rule_t *rules;       /* [n_ranks] */
    class_outcome_t *outcomes; /* [n] of the lowest rank; NULL: not classified */
    class_depth_t *depths;     /* [n] */
} class_judged_t;

/*
 * Learn the rules of all methods that are run, as `classify train` does.
 *
 * @param runs  [CLASS_BENCH_METHODS] out: rules, freed by class_methods_free
 * @return ST_OK, ST_ENOMEM, ST_EDEVICE or ST_EINPUT (logged: too few genes)
 */
status_t class_methods_learn(const class_data_t *d, const class_subset_t *s,
                             int64_t n_samples, uint64_t seed,
                             class_judged_t *runs) MUST_CHECK;

/*
 * Classify.
 *
 * @param novelty_rate  of CLASS_AT_RATE, as class_rule_threshold's
 * @param cases         [n]
 * @param runs          [CLASS_BENCH_METHODS] out: outcomes and depths
 * @return ST_OK, ST_ENOMEM or ST_EDEVICE
 */
status_t class_methods_run(const class_data_t *d, const class_subset_t *model,
                           double novelty_rate, const class_case_t *cases, int64_t n,
                           class_judged_t *runs) MUST_CHECK;

/* @param runs  [n] */
void class_methods_free(class_judged_t *runs, int n);

/* class_pairs.c: aligned pairs, as pairs_hit_t one after the other: of a file that
 * `ribogrid align` has made of the genes of `ribogrid-bench classify`, or of queries. */

/*
 * Append the pairs of a file.
 *
 * @param d            the genes, all against all; NULL: the file is of queries and genes
 * @param min_percent  minimum identity of the pairs that are wanted of `d`
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT (logged: the file has pairs of other
 *         sequences, or not all of these)
 */
status_t class_pairs_read(const char *path, const class_data_t *d, int min_percent,
                          buf_t *out) MUST_CHECK;

/* The same of all genes, of a user's file, which a child reads; before threads begin.
 * @param out  empty */
status_t class_pairs_fetch(const char *path, const class_data_t *d, int min_percent,
                           buf_t *out) MUST_CHECK;

/*
 * Append the pairs of queries, which are rows, with all genes, sorted by both.
 *
 * @param pairs    of all genes
 * @param queries  [n] genes, all different
 * @return ST_OK or ST_ENOMEM
 */
status_t class_pairs_list(const buf_t *pairs, const class_data_t *d,
                          const int32_t *queries, int64_t n, buf_t *out) MUST_CHECK;

/* class_tools.c: programs that `ribogrid-bench classify` runs, in a temporary folder:
 * our own `align`, and as peers `vsearch --sintax`, mothur's classify.seqs and our own
 * `cnn train` with `classify --method cnn`. */

enum {
    CLASS_TOOLS_PATH = 4000,
    CLASS_PEERS = 3,
    CLASS_PEER_RANKS = 16 /* of longer lineages the first ones and the last */
};

extern const char *const class_peer_name[CLASS_PEERS]; /* as reports print it */

typedef struct {
    char path[CLASS_TOOLS_PATH];
} class_folder_t;

/* Create a folder under TMPDIR or /tmp. @return ST_OK or ST_EIO (logged) */
status_t class_folder_create(class_folder_t *out) MUST_CHECK;

/* Remove the folder and its files. */
void class_folder_remove(const class_folder_t *f);

/*
 * Align queries with all genes, as `ribogrid align --id 0.895` does.
 *
 * @param queries  [n] genes
 * @param out      as of class_pairs_list
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT
 */
status_t class_tools_align(const class_folder_t *f, const class_data_t *d,
                           const int32_t *queries, int64_t n, buf_t *out) MUST_CHECK;

/* Which peers are run, and how. */
typedef struct {
    bool installed;  /* vsearch and mothur, if they are */
    const char *net; /* of cnn: a network as `cnn train` takes it; NULL: it is not run */
    int64_t epochs;  /* of cnn; 0: the network's */
    uint64_t seed;   /* of cnn */
} class_peers_t;

/* @return whether a peer is run */
bool class_peer_runs(const class_peers_t *peers, int peer);

/* What a peer says about a query, from the highest rank down. */
typedef struct {
    int n_ranks; /* 0: nothing */
    int32_t taxon[CLASS_PEER_RANKS];
    double support[CLASS_PEER_RANKS]; /* 0 .. 1 */
} class_peer_lineage_t;

/*
 * Classify queries by a peer, with the other genes that the model has as references.
 *
 * @param queries  [n] genes
 * @param found    [n]
 * @param seconds  of the whole run
 * @return ST_OK, ST_ENOMEM or ST_EIO
 */
status_t class_peer_run(const class_peers_t *peers, int peer, const class_folder_t *f,
                        const class_data_t *d, const class_subset_t *model,
                        const int32_t *queries, int64_t n, class_peer_lineage_t *found,
                        double *seconds) MUST_CHECK;

/* class_trial.c: one trial of a protocol of `ribogrid-bench classify`, with one seed.
 *
 * By identity (Edgar 2018): queries are classified by all genes without themselves and
 * without all whose identity exceeds 100, 99, 97, 95 and 90 %, then without their class.
 * Split: one gene of each class with three or more is held out as a query of a known
 * class, and other classes are left out whole.
 * Rules are learned from the remaining genes alone. */

enum {
    CLASS_TRIAL_METHODS = CLASS_BENCH_METHODS + CLASS_PEERS,
    CLASS_TRIAL_DISTANCES = 5,                    /* groups by identity */
    CLASS_TRIAL_LEFT_OUT = CLASS_TRIAL_DISTANCES, /* group without the class */
    CLASS_TRIAL_GROUPS = CLASS_TRIAL_LEFT_OUT + 1 /* of the protocol by identity */
};

/* percent; the first is never exceeded */
extern const int class_trial_identity[CLASS_TRIAL_DISTANCES];

typedef struct {
    int64_t n_queries, n_samples;
    uint64_t seed;
    double novelty_rate;
    bool runs[CLASS_BENCH_METHODS];
    class_peers_t peers;
    const buf_t *pairs; /* of all genes; NULL: they are aligned */
} class_trial_options_t;

typedef struct {
    int64_t n;
    class_judged_t of[CLASS_TRIAL_METHODS];
    int64_t n_queries;
    double novelty_rate;         /* of the options */
    double seconds[CLASS_PEERS]; /* that a peer took */
} class_trial_t;

/* Begin a trial of the methods that are run; freed by class_trial_free. */
void class_trial_begin(const class_trial_options_t *o, class_trial_t *out);

/* @param trial  begun
 * @return ST_OK, ST_ENOMEM, ST_EIO, ST_EDEVICE or ST_EINPUT (too few genes, logged) */
status_t class_trial_by_identity(const class_data_t *d, const class_folder_t *f,
                                 const class_trial_options_t *o,
                                 class_trial_t *trial) MUST_CHECK;

/* The same of the protocol "split", beside other programs; all outcomes have group 0. */
status_t class_split_run(const class_data_t *d, const class_folder_t *f,
                         const class_trial_options_t *o, class_trial_t *trial) MUST_CHECK;

void class_trial_free(class_trial_t *t);

/* class_table.c: the results of `ribogrid-bench classify`: rows of percentages over
 * seeds, and coverage curves. */

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

/* Add a trial's rows and curves. */
void class_table_add(class_table_t *t, class_protocol_t protocol,
                     const class_trial_t *trial);

/* Print rows as a table of means and 95 % intervals. */
void class_table_print(const class_table_t *t);

/* Print rows and curves, one tab-separated line per number. */
void class_table_tsv(const class_table_t *t);

/* Draw the curves of both protocols as SVG. */
void class_table_draw(FILE *to, const class_table_t *t);
