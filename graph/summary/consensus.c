/*
 * consensus.c - a majority vote at each rank.
 */
#include "graph/summary/composition.h"

#include <assert.h>

/*
 * @return the only taxon of this rank that more than half of the hits can share: the
 *         majority vote of Boyer and Moore (1991)
 */
static int32_t candidate(const taxonomy_t *t, const int32_t *taxa, int64_t n, int rank)
{
    int32_t leader = -1;
    int64_t lead = 0;

    for (int64_t i = 0; i < n; i++) {
        int32_t taxon = taxonomy_ancestor(t, taxa[i], rank);

        if (lead == 0)
            leader = taxon;
        lead += taxon == leader ? 1 : -1;
    }
    return leader;
}

int64_t consensus_count(const taxonomy_t *t, const int32_t *taxa, int64_t n,
                        int32_t taxon)
{
    int rank = taxonomy_rank(t, taxon);
    int64_t count = 0;

    for (int64_t i = 0; i < n; i++)
        count += taxonomy_ancestor(t, taxa[i], rank) == taxon;
    return count;
}

int32_t consensus_of(const taxonomy_t *t, const fraction_t *min, const int32_t *taxa,
                     int64_t n)
{
    int32_t found = TAXONOMY_ROOT;

    assert(2 * min->numerator > min->denominator);
    for (int rank = 1; n > 0; rank++) {
        int32_t taxon = candidate(t, taxa, n, rank);

        if (taxon < 0 || !fraction_reached(min, consensus_count(t, taxa, n, taxon), n))
            break;
        found = taxon;
    }
    return found;
}
