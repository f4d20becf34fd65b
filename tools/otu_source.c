/*
 * otu_source.c - OTUs by clustering, and their description.
 */
#include "tools/otu_source.h"

#include "io/base/logmsg.h"

#include <inttypes.h>
#include <stdlib.h>

static void show_table(otu_source_t *s)
{
    const otu_table_t *t = s->table;

    s->otus = (report_otus_t){.method = s->head.method,
                              .id = s->head.id,
                              .n_otus = t->n_otus,
                              .size = t->size,
                              .min_size = s->head.min_size,
                              .n_left_out = t->n_left_out};
    for (int64_t k = 0; k < t->n_otus; k++)
        s->otus.n_single += t->member_start[k + 1] - t->member_start[k] == 1;
}

status_t otu_source_cluster(const cluster_args_t *args, const pairs_file_t *file,
                            otu_source_t *out)
{
    static const pairs_samples_t no_samples;
    int64_t n = pairs_n_rows(file);
    int32_t *label = malloc((size_t)n * sizeof(*label) + 1);
    otu_source_t s = {.table = NULL};
    status_t st = label != NULL ? cluster_args_check(args, file) : log_nomem("labels");

    if (st == ST_OK)
        st = cluster_args_run(args, file, label, &s.head);
    if (st == ST_OK)
        st = otu_table_create(n, label, pairs_sizes(file), &no_samples, 1, &s.table);
    free(label);
    if (st != ST_OK)
        return st;
    show_table(&s);
    *out = s;
    return ST_OK;
}

void otu_source_describe(const otu_source_t *s, FILE *to)
{
    const otu_groups_head_t *h = &s->head;
    char id[FRACTION_RATIO_BYTES];

    fprintf(to, "report\tOTU method\t%s\nreport\tOTU identity\t%s\n", h->method,
            fraction_to_ratio(&h->id, id));
    if (h->order != NULL)
        fprintf(to, "report\tOTU order\t%s\n", h->order);
    if (h->seed >= 0)
        fprintf(to, "report\tOTU seed\t%" PRId64 "\n", h->seed);
    if (h->starts >= 0)
        fprintf(to, "report\tOTU starts\t%" PRId64 "\n", h->starts);
    fprintf(to, "report\tOTU MCC\t%.4f\n", h->mcc);
}

void otu_source_free(otu_source_t *s)
{
    otu_table_destroy(s->table);
    *s = (otu_source_t){.table = NULL};
}
