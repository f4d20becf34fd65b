/*
 * file_printers.h - how each kind of file is printed and drawn: `info`, `view` and
 * `report` of all but files of pairs, and pages of key figures, bars, and how a file was
 * made.
 */
#pragma once

#include "io/base/status.h"
#include "io/modelfile/file_kind.h"
#include "io/otu/otu_table.h"
#include "io/report/report_figures.h"

#include <stdbool.h>
#include <stdio.h>

/* What is asked for of a page. */
typedef struct {
    const char *input, *output; /* output NULL: stdout */
    const char *title;          /* NULL: that of the page */
    bool force;
} file_report_t;

/* Prints lines "section TAB name TAB value" on a file, but for its format and /run; the
 * section is "file", "job" or "otus". */
typedef status_t file_describe_t(const char *path, FILE *to);

/* A kind of file.  All return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT (logged); who gives a
 * stream checks it for errors. */
typedef struct {
    const char *command; /* that writes such files: "graph" */
    file_describe_t *describe;
    status_t (*view)(const char *path, bool has_header, FILE *to); /* as TSV */
    status_t (*report)(const file_report_t *how); /* NULL: names of reads, which have
                                                     options of their own */
} file_printer_t;

#define FILE_PRINTER_DECLARE(kind, name) extern const file_printer_t name##_printer;
FILE_KINDS(FILE_PRINTER_DECLARE)

/*
 * Find the printer of a file.
 *
 * @param out  NULL: a file of pairs, a log, or a foreign file
 * @return ST_OK, or ST_EINPUT (logged: it cannot be opened, or is no HDF5 file)
 */
status_t file_printers_find(const char *path, const file_printer_t **out) MUST_CHECK;

/* Print the lines on a file: its format, what its printer says, and /run.
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT */
status_t file_printer_describe(const file_printer_t *printer, const char *path,
                               FILE *to) MUST_CHECK;

/* ---- pages ---- */

/* What is drawn. */
typedef struct {
    /* Print lines "section TAB name TAB value": how the files and the page were made. The
     * version of ribogrid is added. */
    status_t (*describe)(const void *content, FILE *to);
    /* Write the page. @param about  these lines @param title  as asked for, or NULL */
    status_t (*write)(const void *content, const char *title, const char *about,
                      FILE *to);
} page_kind_t;

/* Write a page to its file. @return ST_OK, ST_ENOMEM, ST_EIO, ST_EINPUT or an error of
 * the functions */
status_t page_draw(const page_kind_t *kind, const file_report_t *how,
                   const void *content) MUST_CHECK;

enum { FILE_PAGE_CARDS = 6, FILE_PAGE_CHARTS = 8 };

typedef struct {
    const char *title;
    int n_cards;
    struct {
        const char *id, *label;
        int64_t value;
    } card[FILE_PAGE_CARDS];
    int n_charts;
    report_bars_t chart[FILE_PAGE_CHARTS];
} file_page_t;

/* Add a key figure. @param label  borrowed */
void file_page_card(file_page_t *page, const char *id, int64_t value, const char *label);

/* Add a chart. @return it, without bars; its texts are borrowed */
report_bars_t *file_page_chart(file_page_t *page, const char *id, const char *title,
                               const char *one, const char *many);

/* Fill in bars of OTUs: how many have which abundance, and the largest ones. */
void file_page_otus(const otu_table_t *t, report_bars_t *sizes, report_bars_t *largest);

/* Write the page, with the lines of the input's printer.
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT */
status_t file_page_write(const file_page_t *page, const file_report_t *how,
                         const file_printer_t *printer) MUST_CHECK;
