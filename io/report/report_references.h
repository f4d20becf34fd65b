/*
 * report_references.h - a page on queries against references: identities of best hits,
 * the references and taxa found.
 */
#ifndef RIBOGRID_IO_REPORT_REPORT_REFERENCES_H
#define RIBOGRID_IO_REPORT_REPORT_REFERENCES_H

#include "io/report/report_composition.h"
#include "io/report/report_data.h"

typedef struct {
    const char *title;
    const char *file; /* the result file */
    int64_t n_queries, n_references;
    int64_t n_with_hit;               /* queries with an identity to any reference */
    report_histogram_t histogram;     /* queries by the identity of their best hit */
    bool is_by_score;                 /* the best hit is that of the highest score */
    const report_otus_t *otus;        /* closed-reference OTUs at the cutoff */
    const report_composition_t *taxa; /* of the best references; NULL: not known */
    const char *about;                /* as for report_frame_end */
} report_references_t;

/* Write the page; write errors are left in the stream's state. */
void report_references_write(FILE *to, const report_references_t *r);

#endif
