/*
 * graph_pairs.c - edges and names from the pairs of a result file.
 */
#include "io/graphfile/read/graph_formats.h"

#include "io/base/logmsg.h"
#include "io/base/texts.h"
#include "io/pairs/pairs_file.h"
#include "io/pairs/pairs_scan.h"

#include <stdlib.h>
#include <string.h>

static status_t add_pairs(const pairs_hit_t *hits, int64_t n, graph_edges_t *e)
{
    for (int64_t k = 0; k < n; k++) {
        const pairs_hit_t *h = &hits[k];
        status_t st;

        if (h->columns <= 0)
            continue;
        if ((st = graph_edges_add(e, h->row + INT64_C(1), h->col + INT64_C(1))) != ST_OK)
            return st;
        e->value[e->n - 1] = (double)(h->columns - h->matches) / h->columns;
    }
    return ST_OK;
}

static status_t scan_pairs(const pairs_file_t *file, const fraction_t *id,
                           graph_edges_t *e)
{
    const pairs_hit_t *hits;
    pairs_scan_t *scan;
    int64_t n = 1;
    status_t st = pairs_scan_open(file, id, &scan);

    if (st != ST_OK)
        return st;
    while (st == ST_OK && n > 0)
        if ((st = pairs_scan_next(scan, &hits, &n)) == ST_OK)
            st = add_pairs(hits, n, e);
    pairs_scan_close(scan);
    return st;
}

status_t graph_pairs_read(const char *path, const fraction_t *id, graph_edges_t *out)
{
    pairs_file_t *file = NULL;
    status_t st = pairs_open(path, &file);

    if (st == ST_OK)
        st = pairs_scan_check_one_set(file);
    if (st == ST_OK)
        st = graph_edges_create(0, false, true, out);
    if (st == ST_OK) {
        out->n_declared = file->rows.n;
        out->first_id = 1;
        out->are_sequences = true;
        st = texts_copy(file->rows.names[0], file->rows.n, &out->name);
    }
    if (st == ST_OK)
        st = scan_pairs(file, id, out);
    pairs_close(file);
    return st;
}
