/*
 * asv_lines.c - results of `denoise` as lines of text, and ASVs as FASTA.
 */
#include "io/amplicon/asv_result.h"

#include "io/seq/fasta.h"

#include <inttypes.h>

void asv_lines_print(const asv_result_t *r, bool has_header, FILE *to)
{
    const otu_table_t *t = r->table;

    if (has_header)
        fputs("read\tsize\tasv\tmismatches\n", to);
    for (int64_t i = 0; i < t->n && !ferror(to); i++) {
        fprintf(to, "%s\t%" PRId64, r->names[i], r->size[i]);
        if (t->otu[i] < 0)
            fputs("\tNA\tNA\n", to);
        else
            fprintf(to, "\t%s\t%" PRId32 "\n", seqset_name(r->asvs, t->otu[i]),
                    r->mismatches[i]);
    }
}

void asv_fasta_print(const asv_result_t *r, bool has_sizes, FILE *to)
{
    const otu_table_t *t = r->table;
    bool is_good = true; /* else ferror reports it */

    for (int64_t k = 0; is_good && k < t->n_otus; k++)
        is_good =
            fasta_write_sequence(to, seqset_name(r->asvs, k), has_sizes ? t->size[k] : 0,
                                 r->names[t->representative[k]], r->asvs, k);
}
