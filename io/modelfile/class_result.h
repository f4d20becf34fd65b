/*
 * class_result.h - the result of `classify` as an HDF5 file: docs/file-format.md
 * describes it.
 */
#pragma once

#include "io/base/pool.h"
#include "io/modelfile/class_taxa.h"
#include "io/result/result_kind.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

extern const result_kind_t class_result_kind;

enum { CLASS_SUPPORT_ONE = 10000 };

/* What a support comes from. */
typedef enum {
    CLASS_BY_NBC,
    CLASS_BY_ALIGN,
    CLASS_BY_JOINT,
    CLASS_BY_CNN,
    CLASS_N_METHODS
} class_named_by_t;

extern const char *const class_method_name[CLASS_N_METHODS];

/* Reads, in the order of their file. */
typedef struct {
    int64_t n;
    int n_ranks;       /* of the longest lineage */
    int32_t *taxon;    /* [n] or -1 */
    uint8_t *named;    /* [n] at most the rank of the taxon */
    uint8_t *reversed; /* [n] 0 or 1 */
    uint8_t *method;   /* [n] class_named_by_t */
    uint16_t *support; /* [n][n_ranks] 0 below the lineage */
} class_calls_t;

/* Allocate. @return ST_OK or ST_ENOMEM (logged); the caller frees it */
status_t class_calls_create(int64_t n, int n_ranks, class_calls_t *out) MUST_CHECK;

void class_calls_free(class_calls_t *c);

/* @return whether every value means something */
bool class_calls_fit(const class_calls_t *c, const class_taxa_t *taxa);

/* The sample of each read.  Zeroed: none are known. */
typedef struct {
    int64_t n;
    char *names;          /* each with its final NUL */
    int64_t *name_offset; /* [n + 1] */
    int32_t *of;          /* [reads] */
} class_samples_t;

static inline const char *class_samples_name(const class_samples_t *s, int64_t k)
{
    return s->names + s->name_offset[k];
}

/* Takes a zeroed one, too. */
void class_samples_free(class_samples_t *s);

/* A file in memory; what was read is freed by class_result_free. */
typedef struct {
    class_calls_t calls;
    class_taxa_t taxa;
    char *names; /* of the reads, each with its final NUL */
    int64_t *name_offset;
    int64_t *sizes; /* [reads] abundances; NULL: all are 1 */
    class_samples_t samples;
    class_run_t run;
} class_result_t;

static inline const char *class_result_name(const class_result_t *r, int64_t read)
{
    return r->names + r->name_offset[read];
}

/*
 * Write a file, which appears complete or not at all.
 *
 * @param force  replace an existing file
 * @param pool   threads that compress, or NULL
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT (logged)
 */
status_t class_result_write(const char *path, bool force, const class_result_t *result,
                            pool_t *pool) MUST_CHECK;

/* Read and check a file. @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT (logged) */
status_t class_result_read(const char *path, class_result_t *out) MUST_CHECK;

void class_result_free(class_result_t *r);

/* Results of `classify` as lines of text, in the formats of other
 * programs. */

typedef enum {
    CLASS_FORMAT_TSV,    /* name, strand, lineage, support, method; with a header */
    CLASS_FORMAT_MOTHUR, /* .taxonomy: name, taxa with their support in percent */
    CLASS_FORMAT_QIIME2, /* taxonomy.tsv: Feature ID, Taxon, Confidence */
    CLASS_FORMAT_SINTAX, /* --tabbedout of vsearch --sintax */
    CLASS_FORMAT_HDF5,   /* class_result.h; no lines */
    CLASS_N_FORMATS
} class_format_t;

extern const char *const class_format_name[CLASS_N_FORMATS];

/*
 * Print the line of each read.
 *
 * @param result      calls, taxa and names are used
 * @param has_header  whether to print the line of column names, if the format has one
 * @param to          the caller checks it for errors
 * @return ST_OK or ST_ENOMEM (logged)
 */
status_t class_lines_print(const class_result_t *result, class_format_t format,
                           bool has_header, FILE *to) MUST_CHECK;
