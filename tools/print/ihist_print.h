/*
 * ihist_print.h - prints histograms of images.
 */
#pragma once

#include "io/ihist/ihist_file.h"

#include <stdio.h>

/* Print a histogram: the lowest and the highest value of each bin, and its pixels. */
void ihist_print_counts(const ihist_head_t *head, const int64_t *count, FILE *to);
