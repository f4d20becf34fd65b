/*
 * best_reference.c - one scan of the pairs, which come by query, then by reference.
 */
#include "graph/cluster/cluster_methods.h"

#include "io/base/logmsg.h"
#include "io/pairs/pairs_order.h"
#include "io/pairs/pairs_scan.h"

status_t best_reference_check(const pairs_file_t *file, const fraction_t *id)
{
    if (!file->is_against) {
        log_error("%s: its pairs are of one set; --method closed needs queries against "
                  "references (`align --against`)",
                  file->path);
        return ST_EINPUT;
    }
    return pairs_scan_check(file, id);
}

static otu_hit_t hit_of(const pairs_hit_t *p)
{
    return (otu_hit_t){p->col, p->matches, p->columns, p->strand};
}

status_t best_reference_find(const pairs_file_t *file, const fraction_t *id,
                             otu_hit_t *hits)
{
    const pairs_order_t by_score = file->ends_local ? PAIRS_BY_SCORE : PAIRS_BY_IDENTITY;
    const pairs_hit_t *pairs;
    pairs_hit_t best = {.row = -1};
    pairs_scan_t *s;
    int64_t n = 0;
    status_t st = pairs_scan_open(file, id, &s);

    if (st != ST_OK)
        return st;
    for (int64_t i = 0; i < file->rows.n; i++)
        hits[i] = (otu_hit_t){.reference = -1};
    while ((st = pairs_scan_next(s, &pairs, &n)) == ST_OK && n > 0)
        for (int64_t k = 0; k < n; k++) {
            const pairs_hit_t *p = &pairs[k];

            if (p->columns == 0 ||
                (p->row == best.row && pairs_order_compare(by_score, p, &best) <= 0))
                continue;
            best = *p;
            hits[p->row] = hit_of(p);
        }
    pairs_scan_close(s);
    return st;
}
