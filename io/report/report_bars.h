/*
 * report_bars.h - counts as labelled bars, and the bars of a histogram, for pages.
 */
#ifndef RIBOGRID_IO_REPORT_REPORT_BARS_H
#define RIBOGRID_IO_REPORT_REPORT_BARS_H

#include <stdint.h>
#include <stdio.h>

enum { REPORT_BARS_MAX = 24, REPORT_BAR_BYTES = 64 };

typedef struct {
    char label[REPORT_BAR_BYTES];
    int64_t count;
} report_bar_t;

typedef struct {
    const char *id;         /* of the element */
    const char *title;      /* a heading above */
    const char *one, *many; /* what is counted: "node", "nodes" */
    int n;
    report_bar_t bars[REPORT_BARS_MAX];
} report_bars_t;

/* Draw bars, on a logarithmic scale if they differ much; nothing without bars. */
void report_bars_draw(FILE *to, const report_bars_t *b);

/* Bins of values between two limits: one per whole number where there are few of these,
 * of powers of two where all are whole numbers from 0 on, else of equal width. */
typedef struct {
    double min, max;
    int n;
    double step;
    enum { REPORT_BINS_EACH, REPORT_BINS_DOUBLING, REPORT_BINS_EQUAL } kind;
} report_bins_t;

report_bins_t report_bins(double min, double max, int are_whole);

/* @return the bin of a value, 0 .. n - 1 */
int report_bins_of(const report_bins_t *bins, double value);

/* Set the number of bars and their labels; counts are 0. */
void report_bins_label(const report_bins_t *bins, report_bars_t *out);

#endif
