/*
 * report_page.h - one HTML page that stands alone: pictures of a result file as inline
 * SVG, its parameters and where it came from.  No scripts, no other files.
 *
 * Equal input gives equal bytes.
 */
#ifndef RIBOGRID_IO_REPORT_REPORT_PAGE_H
#define RIBOGRID_IO_REPORT_REPORT_PAGE_H

#include "io/base/fraction.h"
#include "io/base/status.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Neighbours in the order that belong together. */
typedef struct {
    const char *name;
    int64_t begin, end; /* places in the order */
} report_strip_t;

/* The heat map. */
typedef struct {
    int side;
    const double *mean;       /* [side x side] NAN: none */
    const double *share;      /* [side x side] part of the cell's pairs that have one */
    const char *order;        /* "taxonomic order" */
    const char *kind, *kinds; /* what strips are: "Phylum", "phyla" */
    const report_strip_t *strips; /* [n_strips] in order, without gaps */
    int n_strips;
    int n_kinds; /* of these, those that are a kind; others are what has none */
    const char *const *names; /* [n] in order; looked at where there are few */
} report_heat_t;

/* Bars of whole percent, [k, k + 1); the last is of identity 1 alone. */
enum { REPORT_BARS = 101 };

typedef struct {
    const char *title;
    const char *file;              /* the result file */
    int64_t n;                     /* sequences */
    int64_t n_identities, n_close; /* pairs with an identity; at or above the cutoff */
    fraction_t id;                 /* the cutoff */
    fraction_t min_identity;       /* below it the file has no pairs; 0/0: it has all */
    const int64_t *histogram;      /* [REPORT_BARS] */
    const int64_t *otus;           /* [n_otus] abundances, descending */
    int64_t n_otus;
    const report_heat_t *heat;
    const char *about; /* lines: kind TAB name TAB value */
} report_page_t;

/* Write the page. @return ST_OK or ST_ENOMEM; errors of writing stay with the stream */
status_t report_page_write(FILE *to, const report_page_t *page) MUST_CHECK;

/* "97 %" @return out */
enum { REPORT_PERCENT_BYTES = 32 };
const char *report_page_percent(const fraction_t *part, char out[REPORT_PERCENT_BYTES]);

#endif
