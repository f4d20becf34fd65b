/*
 * csr_changes.h - what `graph update` has changed: from which graph a graph was made, and
 * which rows differ.  Results on the earlier graph are a start for results on this one.
 */
#pragma once

#include <stdint.h>

typedef struct {
    char *from; /* digest of the earlier graph without weights (graph_digest.h), or NULL:
                 * nothing is known */
    int64_t n_lost, n_gained;
    int32_t *lost;   /* [n_lost] nodes from which arcs were removed, ascending */
    int32_t *gained; /* [n_gained] nodes from which arcs were added, ascending */
} csr_changes_t;

/* Free the arrays and set all members to 0. */
void csr_changes_free(csr_changes_t *c);
