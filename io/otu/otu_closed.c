/*
 * otu_closed.c - the table, the map and the unmatched queries of a mapping.
 */
#include "io/otu/otu_closed.h"

#include "io/base/logmsg.h"
#include "io/seq/fasta.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Name the cluster of each query by the first query that has its reference.
 * @param first  [columns] scratch */
static void label_queries(const otu_closed_t *c, int32_t *first, int32_t *label)
{
    memset(first, 0xff, (size_t)c->file->cols.n * sizeof(*first));
    for (int64_t i = 0; i < c->file->rows.n; i++) {
        const int32_t reference = c->hits[i].reference;

        if (reference >= 0 && first[reference] < 0)
            first[reference] = (int32_t)i;
        label[i] = reference >= 0 ? first[reference] : -1;
    }
}

static status_t name_otus(const otu_closed_t *c, otu_table_t *t)
{
    const char **name = malloc((size_t)t->n_otus * sizeof(*name) + 1);

    if (name == NULL)
        return log_nomem("the OTU table");
    for (int64_t k = 0; k < t->n_otus; k++)
        name[k] = c->file->cols.names[c->hits[t->representative[k]].reference];
    t->name = name;
    return ST_OK;
}

status_t otu_closed_table(const otu_closed_t *c, const pairs_samples_t *samples,
                          int64_t min_size, otu_table_t **out)
{
    const int64_t n = c->file->rows.n;
    int32_t *first = malloc((size_t)c->file->cols.n * sizeof(*first) + 1);
    int32_t *label = malloc((size_t)n * sizeof(*label) + 1);
    otu_table_t *t = NULL;
    status_t st = ST_ENOMEM;

    if (first == NULL || label == NULL) {
        log_nomem("the OTU table");
        goto done;
    }
    label_queries(c, first, label);
    st = otu_table_create(n, label, c->file->sizes, samples, min_size, &t);
    if (st != ST_OK || (st = name_otus(c, t)) != ST_OK)
        goto done;
    *out = t;
    t = NULL;
done:
    otu_table_destroy(t);
    free(label);
    free(first);
    return st;
}

void otu_closed_write_map(FILE *to, const otu_closed_t *c, const pairs_members_t *m)
{
    fputs("record\treference\tmatches\tcolumns\tidentity\tstrand\n", to);
    for (int64_t r = 0; r < m->n; r++) {
        const otu_hit_t *hit = &c->hits[m->sequence[r]];

        if (hit->reference >= 0)
            fprintf(to, "%s\t%s\t%d\t%d\t%.6f\t%c\n", m->name[r],
                    c->file->cols.names[hit->reference], hit->matches, hit->columns,
                    (double)hit->matches / hit->columns, hit->strand < 0 ? '-' : '+');
    }
}

void otu_closed_write_unmatched(FILE *to, const otu_closed_t *c, const seqset_t *queries,
                                bool has_sizes)
{
    bool is_good = true;

    for (int64_t i = 0; is_good && i < queries->n; i++)
        if (c->hits[i].reference < 0)
            is_good = fasta_write_sequence(to, seqset_name(queries, i),
                                           has_sizes ? pairs_size(c->file, i) : 0, NULL,
                                           queries, i);
}
