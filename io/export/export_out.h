/*
 * export_out.h - numbers and names as exports have them; export_out_flush logs a write
 * that has failed.
 */
#pragma once

#include "io/base/status.h"
#include "io/pairs/pairs_file.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

void export_out_int(FILE *out, int64_t value);

/* Write a tab, then the number. */
void export_out_tab_int(FILE *out, int64_t value);

/* Write a score, which is in halves or a whole number. */
void export_out_score(FILE *out, int64_t score, bool in_halves);

/* Write 100 x numerator / denominator with one digit after the point, as vsearch does:
 * computed in doubles, so that halves are rounded alike; 0.0 if the denominator is 0. */
void export_out_percent(FILE *out, int64_t numerator, int64_t denominator);

/* Write numerator / denominator with `digits` (at most 9) after the point, rounded to
 * nearest, halves up.  0 <= numerator <= 2^31, 0 < denominator. */
void export_out_fraction(FILE *out, int64_t numerator, int64_t denominator, int digits);

/* Write an E-value, -1 where it is not known, and a bit score, as blastp does. */
void export_out_evalue(FILE *out, double evalue);
void export_out_bits(FILE *out, double bits);

/* @return ST_OK, or ST_EIO (logged) if any write so far has failed */
status_t export_out_flush(FILE *out) MUST_CHECK;

/* Names of sequences, escaped as a format requires.
 *
 * Control characters, and blanks if they end a field, become '_', with one warning. */

typedef struct {
    const char *format; /* its name, for messages */
    bool blanks;        /* blanks end a field */
    bool unique;        /* its readers identify sequences by name */
    bool escape;        /* some name must be escaped; set by export_names_check */
} export_names_t;

/*
 * Check all names of a file.
 *
 * @return ST_OK, ST_ENOMEM, or ST_EINPUT: a name is empty or two are equal, and the
 * format does not allow that
 */
status_t export_names_check(export_names_t *names, const pairs_file_t *file) MUST_CHECK;

/* Write a name, escaped if necessary. */
void export_names_put(const export_names_t *names, const char *name, FILE *out);
