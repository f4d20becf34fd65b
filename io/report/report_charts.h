/*
 * report_charts.h - a report's histogram of identities and its OTUs by rank.
 */
#ifndef RIBOGRID_IO_REPORT_REPORT_CHARTS_H
#define RIBOGRID_IO_REPORT_REPORT_CHARTS_H

#include "io/report/report_page.h"

/* A bar a percent that occurs, each with its count as data-pairs. */
void report_charts_histogram(FILE *to, const report_page_t *page);

/* Abundance by rank, both in logarithms; the largest OTUs as points. */
void report_charts_otus(FILE *to, const report_page_t *page);

#endif
