/*
 * export_lines.h - formats with one line per pair: blast6, uc, column, paf.
 *
 * docs/exports.md describes them.
 */
#ifndef RIBOGRID_IO_EXPORT_EXPORT_LINES_H
#define RIBOGRID_IO_EXPORT_EXPORT_LINES_H

#include "io/export/export_hit.h"
#include "io/export/export_names.h"

/* Digits after the point of a distance. */
enum { EXPORT_DISTANCE_DIGITS = 8 };

/* The state of the writers below, which are of type export_hit_fn_t. */
typedef struct {
    const pairs_file_t *file;
    const export_names_t *names;
    int64_t next_row; /* uc: the first row that is not written yet */
} export_lines_t;

status_t export_lines_blast6(void *lines, const export_hit_t *hit, export_out_t *out);
status_t export_lines_uc(void *lines, const export_hit_t *hit, export_out_t *out);
status_t export_lines_column(void *lines, const export_hit_t *hit, export_out_t *out);
status_t export_lines_paf(void *lines, const export_hit_t *hit, export_out_t *out);

/* uc: write the rows after the last hit. */
void export_lines_uc_end(export_lines_t *lines, export_out_t *out);

/* Write an alignment as vsearch's CIGAR: D is a base of the query against a gap, I one of
 * the target, and a run of one column has no number. */
void export_lines_caln(const export_hit_t *hit, export_out_t *out);

/* @return vsearch's letter for a run */
char export_lines_letter(uint32_t run);

#endif
