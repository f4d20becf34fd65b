/*
 * time_table.h - the table that `ribogrid cnn time` prints, tab-separated values, and
 * `ribogrid cnn report` reads.
 */
#ifndef RIBOGRID_TOOLS_CNN_TIME_TABLE_H
#define RIBOGRID_TOOLS_CNN_TIME_TABLE_H

#include "io/base/buf.h"
#include "tools/cnn/time_run.h"

#include <stdbool.h>

/* Columns, from left to right: words up to TIME_LAYERS, and numbers from TIME_BATCH on.
 */
typedef enum {
    TIME_NET,
    TIME_KERNEL,
    TIME_TYPE,
    TIME_BATCH,
    TIME_LAYERS, /* "all", or a kind of layer */
    TIME_MIN_S,
    TIME_MEDIAN_S,
    TIME_MAX_S,
    TIME_IMAGES_PER_S,
    TIME_GFLOPS,
    TIME_GPU_MJ, /* per image */
    TIME_GPU_MJ_ABOVE_IDLE,
    TIME_GPU_W,
    TIME_GPU_SPREAD,
    TIME_CPU_MJ,
    TIME_CPU_IDLE,
    TIME_LOCKED_MHZ,
    TIME_GPU_MHZ,
    TIME_N_COLUMNS,
    TIME_N_WORDS = TIME_LAYERS + 1
} time_column_t;

/* Their names, as in the table. */
extern const char *const time_column_name[TIME_N_COLUMNS];

typedef struct {
    char *word[TIME_N_WORDS];
    double value[TIME_N_COLUMNS]; /* of numbers; NAN: not measured */
} time_row_t;

/* A zeroed one is empty. */
typedef struct {
    int n;
    time_row_t *rows;
    buf_t
        notes; /* lines: "run", TAB, the file, TAB, what a line that begins with # says */
} time_table_t;

/*
 * Append the rows and notes of a file.
 *
 * @param is_table  out: whether the file begins as a table; nothing is read if not
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT (logged)
 */
status_t time_table_read(const char *path, time_table_t *table,
                         bool *is_table) MUST_CHECK;

void time_table_free(time_table_t *table);

/* What the columns on the left say about a measurement. */
typedef struct {
    const char *net, *kernel, *type;
    int64_t batch;
    double locked_mhz; /* clock of the GPU's cores; NAN: not locked */
} time_print_case_t;

/* Print the names of the columns. */
void time_print_header(void);

/* Print a line. @param idle_w  what the GPU takes without work; NAN: unknown */
void time_print_line(const time_print_case_t *c, const time_run_t *t, int n_windows,
                     double idle_w);

#endif
