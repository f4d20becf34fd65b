/*
 * report_charts.h - histograms of identities and the rank-abundance plot of OTUs, as SVG.
 */
#ifndef RIBOGRID_IO_REPORT_REPORT_CHARTS_H
#define RIBOGRID_IO_REPORT_REPORT_CHARTS_H

#include "io/report/report_data.h"

#include <stdio.h>

/* Draw one bar of 1 % for each percentage that occurs, the last one from 99 to 100 %;
 * data-pairs holds its count (of pairs or whatever is counted). */
void report_charts_histogram(FILE *to, const report_histogram_t *histogram);

/* Draw abundance over rank on two logarithmic axes; the largest OTUs are points. */
void report_charts_otus(FILE *to, const report_otus_t *otus);

#endif
