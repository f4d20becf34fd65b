/*
 * pairs_format.h - what a result file holds: names of datasets, fill values, records.
 *
 * docs/file-format.md describes the file for its readers.
 */
#pragma once

#include <stdint.h>

#define PAIRS_FORMAT "ribogrid-pairs"

enum { PAIRS_VERSION_MAJOR = 1, PAIRS_VERSION_MINOR = 6 };

/* The line of the job that names the order of centroids, where a file of hits has only
 * those with centroids. */
#define PAIRS_JOB_CENTROIDS "centroids"

/* The lines of the job of a search: the maximum E-value of its hits, and the residues
 * that E-values are for, if these are not those of the references. */
#define PAIRS_JOB_EVALUE  "evalue"
#define PAIRS_JOB_DB_SIZE "db_size"

/* The text of /run that says how records became sequences, as lines of the job. */
#define PAIRS_RUN_PREPARATION "preparation"

/* The maximum of the job's scores and costs, in halves. */
enum { PAIRS_JOB_SCORE_MAX = 2 * 1000000 };

/* The n x n datasets, in the order of a packed tile's chunks. */
typedef enum {
    PAIRS_SCORE,
    PAIRS_MATCHES,
    PAIRS_COLUMNS,
    PAIRS_CIGAR_LENGTH, /* bytes of the pair's text in /cigar */
    PAIRS_DATASETS_MAX
} pairs_dataset_t;

extern const char *const pairs_dataset_name[PAIRS_DATASETS_MAX];
/* The value of a pair that was not computed. */
extern const int32_t pairs_fill[PAIRS_DATASETS_MAX];

/* The number of datasets of a file: scores only, with identities, with CIGARs too. */
enum { PAIRS_N_SCORE = 1, PAIRS_N_IDENTITY = 3, PAIRS_N_CIGAR = 4 };

/* The datasets of /hits; PAIRS_HIT_STRAND only where both strands were aligned. */
typedef enum {
    PAIRS_HIT_ROW,
    PAIRS_HIT_COL,
    PAIRS_HIT_SCORE,
    PAIRS_HIT_MATCHES,
    PAIRS_HIT_COLUMNS,
    PAIRS_HIT_STRAND,
    PAIRS_HIT_DATASETS
} pairs_hit_dataset_t;

extern const char *const pairs_hit_name[PAIRS_HIT_DATASETS];

/* The maximum sum of all abundances, and of all counts of samples. */
#define PAIRS_TOTAL_MAX (INT64_C(1) << 62)

/* The maximum number of stages of a filter whose rejected pairs are counted. */
enum { PAIRS_STAGES_MAX = 4 };

/* A pair; matches = columns = 0 in a file of scores only. */
typedef struct {
    int32_t row, col, score, matches, columns;
    int32_t strand; /* 1, or -1: the row's reverse complement was aligned */
} pairs_hit_t;

/* Every input record, and the sequence that stands for it after dereplication. */
typedef struct {
    int64_t n;         /* records */
    char **name;       /* [n] */
    int32_t *sequence; /* [n] */
} pairs_members_t;

/* How often each sequence was seen in each sample: a sparse matrix in CSR form. */
typedef struct {
    int64_t n;          /* samples */
    char **name;        /* [n] */
    int64_t *row_start; /* [sequences + 1] */
    int32_t *sample;    /* [row_start[sequences]] ascending within a sequence */
    int64_t *count;     /* likewise */
} pairs_samples_t;
