/*
 * result_kind.h - what an HDF5 file holds, as a table: each attribute and dataset with
 * its name, type, shape, unit, meaning and check, and its member of a struct.
 *
 * One table is written and read with all its checks (result_table.h), and printed as
 * documentation.  Whatever a reader believes of a file stands in the
 * table.
 */
#pragma once

#include "io/base/arrays.h"
#include "io/base/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { RESULT_RANK_MAX = 2, RESULT_DIMS_MAX = 12, RESULT_TABLES_MAX = 4 };

/* What the member is, and what the file has. */
typedef enum {
    RESULT_OF_ARRAYS, /* an array: what the object's description (arrays.h) says */
    /* attributes */
    RESULT_TEXT,     /* char * */
    RESULT_INT,      /* int64_t; optional: -1 if it is absent */
    RESULT_REAL,     /* double; optional: NAN if it is absent */
    RESULT_FRACTION, /* fraction_t; a text such as "97/100" */
    /* datasets: pointers to arrays */
    RESULT_UINT8,
    RESULT_UINT16,
    RESULT_INT32,
    RESULT_INT64,
    RESULT_FLOAT64,
    RESULT_BASES,    /* uint8_t, codes of DNA; letters in the file */
    RESULT_RESIDUES, /* likewise of proteins */
    RESULT_TEXTS,    /* char **, freed by texts_free */
    RESULT_NAMES,    /* char *, each name with its final NUL, and where each starts */
    RESULT_LINES,    /* char *, lines of text; strings in the file */
    RESULT_N_TYPES
} result_type_t;

/* Real numbers are finite besides (h5data.c). */
typedef enum {
    RESULT_ANY,
    RESULT_WITHIN,  /* low .. high */
    RESULT_INDEX,   /* low .. the size of dimension `of`, less one */
    RESULT_ASCENDS, /* from 0 on, each above the one before it */
    RESULT_DIVIDES, /* starts of rows: from 0 to the size of `of`, never descending */
} result_check_kind_t;

typedef struct {
    result_check_kind_t kind;
    double low, high;
    int of; /* number of a dimension */
} result_check_t;

typedef struct {
    const char *name; /* "/reads/taxon"; an attribute: "@job", "/run@seconds" */
    result_type_t type;
    size_t at;                  /* offset of the member */
    const arrays_t *arrays;     /* RESULT_OF_ARRAYS: describes the member */
    int shape[RESULT_RANK_MAX]; /* numbers of dimensions; 0: no more */
    int plus;                   /* values beyond the first dimension's size */
    bool is_optional;           /* a pointer is NULL if it is absent */
    result_check_t check;
    const char *unit;    /* or NULL */
    const char *meaning; /* for readers of the documentation */
    const char
        *old_names;   /* in files of earlier versions, separated by blanks; or NULL */
    size_t at_offset; /* RESULT_NAMES: int64_t *, [n + 1] */
} result_field_t;

/* A dimension: dimension 0 stands for none. */
typedef struct {
    const char *symbol;     /* "n" */
    const char *one, *many; /* "an arc", "arcs" */
    int64_t max;            /* 0: no limit */
} result_dim_t;

/* A kind of file. */
typedef struct {
    const char *title; /* "Graphs" */
    const char *maker; /* "ribogrid graph make" */
    const char *format;
    int major, minor;
    int oldest;               /* major version that is read */
    const char *what;         /* "a graph": what other files are not */
    const result_dim_t *dims; /* [RESULT_DIMS_MAX] */
    const result_field_t
        *tables[RESULT_TABLES_MAX]; /* each ends with a field without a name */
    const char *more;               /* what no table says, or NULL */
} result_kind_t;

/*
 * Append the text of the job that made a file, of a kind that has it (an attribute
 * "job"). Nothing else of the file is read.
 *
 * @return ST_OK, ST_ENOMEM or ST_EINPUT (logged)
 */
status_t result_read_job(const char *path, const result_kind_t *kind,
                         buf_t *out) MUST_CHECK;

/* Prints what a kind of file holds as Markdown, from its tables. */

/* Print a section on /run, which all kinds have. */
void result_doc_print_run(FILE *to);

/* Print a section. */
void result_doc_print(const result_kind_t *kind, FILE *to);
