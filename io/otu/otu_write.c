/*
 * otu_write.c - OTUs as text: names are escaped as each format requires.
 */
#include "io/otu/otu_write.h"

#include "io/base/logmsg.h"
#include "io/base/name_table.h"
#include "io/seq/fasta.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Digits after the point; a fraction_t has at most nine. */
enum { LABEL_DIGITS = 9, LABEL_DIGITS_MIN = 2, LABEL_BYTES = 24 };

/* @return whether a character had to be replaced */
static bool put_name(FILE *file, const char *name, const char *forbidden)
{
    bool replaced = false;

    for (; *name != '\0'; name++) {
        bool bad = strchr(forbidden, *name) != NULL;

        putc(bad ? '_' : *name, file);
        replaced |= bad;
    }
    return replaced;
}

/* Write the counts of an OTU; samples without one get a zero. */
static void put_counts(FILE *file, const otu_table_t *t, int64_t otu)
{
    int64_t k = t->row_start[otu];

    for (int64_t j = 0; j < t->n_samples; j++)
        if (k < t->row_start[otu + 1] && t->sample[k] == j)
            fprintf(file, "\t%" PRId64, t->count[k++]);
        else
            fputs("\t0", file);
}

static void put_lineage(FILE *file, const otu_taxa_t *taxa, int64_t otu)
{
    const char *name;

    for (int rank = 1; (name = otu_taxa_name(taxa, otu, rank)) != NULL; rank++)
        fprintf(file, "%s%s", rank > 1 ? "; " : "\t", name);
}

void otu_write_tsv(FILE *file, const otu_table_t *t, const otu_taxa_t *taxa)
{
    char text[OTU_NAME_BYTES];
    int64_t n_replaced = 0;

    fputs("#OTU ID", file);
    for (int64_t j = 0; j < t->n_samples; j++) {
        putc('\t', file);
        n_replaced += put_name(file, t->sample_name[j], "\t\r\n");
    }
    fputs(taxa != NULL ? "\ttaxonomy\n" : "\n", file);
    for (int64_t k = 0; k < t->n_otus; k++) {
        fputs(otu_table_name(t, k, text), file);
        put_counts(file, t, k);
        if (taxa != NULL)
            put_lineage(file, taxa, k);
        putc('\n', file);
    }
    if (n_replaced > 0)
        log_warn("%" PRId64
                 " sample names contain a tab or a line end, which becomes '_' in "
                 "the table",
                 n_replaced);
}

void otu_write_fasta(FILE *file, const otu_table_t *t, const seqset_t *set,
                     bool has_sizes)
{
    char text[OTU_NAME_BYTES];
    bool is_good = true; /* else ferror reports it */

    for (int64_t k = 0; is_good && k < t->n_otus; k++)
        is_good = fasta_write_sequence(file, otu_table_name(t, k, text),
                                       has_sizes ? t->size[k] : 0,
                                       seqset_name(set, t->representative[k]), set,
                                       t->representative[k]);
}

/* 1 - id as a decimal of at least two digits: "0.03". */
static void label_of(const fraction_t *id, char label[LABEL_BYTES])
{
    int64_t billion = 1000000000;
    int64_t billionths = (id->denominator - id->numerator) * (billion / id->denominator);
    int end = snprintf(label, LABEL_BYTES, "%" PRId64 ".%0*" PRId64, billionths / billion,
                       LABEL_DIGITS, billionths % billion);

    for (int n = LABEL_DIGITS; n > LABEL_DIGITS_MIN && label[end - 1] == '0'; n--)
        label[--end] = '\0';
}

void otu_write_map(FILE *file, const otu_table_t *t, const pairs_members_t *m)
{
    char text[OTU_NAME_BYTES];
    int64_t n_replaced = 0;

    for (int64_t r = 0; r < m->n; r++) {
        int32_t otu = t->otu[m->sequence[r]];

        if (otu < 0)
            continue;
        n_replaced += put_name(file, m->name[r], "\t\r\n");
        fprintf(file, "\t%s\n", otu_table_name(t, otu, text));
    }
    if (n_replaced > 0)
        log_warn("%" PRId64 " names contain a tab or a line end, which becomes '_'",
                 n_replaced);
}

void otu_write_constaxonomy(FILE *file, const otu_table_t *t, const otu_taxa_t *taxa)
{
    char name[OTU_NAME_BYTES];
    const char *taxon;

    fputs("OTU\tSize\tTaxonomy\n", file);
    for (int64_t k = 0; k < t->n_otus; k++) {
        otu_table_name(t, k, name);
        fprintf(file, "%s\t%" PRId64 "\t", name, t->size[k]);
        for (int rank = 1; (taxon = otu_taxa_name(taxa, k, rank)) != NULL; rank++) {
            put_name(file, taxon, " ");
            putc(';', file);
        }
        putc('\n', file);
    }
}

/* Headings of mothur's files: the given ones, then the names of all OTUs. */
static void put_headings(FILE *file, const otu_table_t *t, const char *first)
{
    char text[OTU_NAME_BYTES];

    fputs(first, file);
    for (int64_t k = 0; k < t->n_otus; k++) {
        fprintf(file, "\t%s", otu_table_name(t, k, text));
    }
    putc('\n', file);
}

/* A sample's counts are next in all OTUs that have it, since samples ascend there. */
status_t otu_write_shared(FILE *file, const otu_table_t *t, const fraction_t *id)
{
    int64_t *next = malloc(((size_t)t->n_otus + 1) * sizeof(*next)), n_replaced = 0;
    char label[LABEL_BYTES];

    if (next == NULL)
        return log_nomem("the counts of samples");
    memcpy(next, t->row_start, ((size_t)t->n_otus + 1) * sizeof(*next));
    label_of(id, label);
    put_headings(file, t, "label\tGroup\tnumOtus");
    for (int64_t j = 0; j < t->n_samples; j++) {
        fprintf(file, "%s\t", label);
        n_replaced += put_name(file, t->sample_name[j], " \t\r\n");
        fprintf(file, "\t%" PRId64, t->n_otus);
        for (int64_t k = 0; k < t->n_otus; k++) {
            bool has = next[k] < t->row_start[k + 1] && t->sample[next[k]] == j;

            fprintf(file, "\t%" PRId64, has ? t->count[next[k]++] : 0);
        }
        putc('\n', file);
    }
    if (n_replaced > 0)
        log_warn("%" PRId64 " sample names contain blanks, which become '_'", n_replaced);
    free(next);
    return ST_OK;
}

/* mothur identifies records by name: warn if several have the same one. */
static status_t warn_of_repeated_names(const pairs_members_t *m)
{
    name_table_t names = {0};
    const char *repeated = NULL;
    int64_t n = 0, number;
    status_t st = ST_OK;

    for (int64_t r = 0; st == ST_OK && r < m->n; r++) {
        bool is_new = true;

        st = name_table_add(&names, m->name[r], strlen(m->name[r]), &number, &is_new);
        if (!is_new && n++ == 0)
            repeated = m->name[r];
    }
    if (n > 0)
        log_warn("%" PRId64 " records have the same name as an earlier one (for example "
                 "%s); mothur cannot tell them apart in the .list",
                 n, repeated);
    name_table_free(&names);
    return st;
}

/* start[i] .. start[i + 1] - 1 of record[] are the records of sequence i. */
static void sort_records(const pairs_members_t *m, int64_t n, int64_t *start,
                         int32_t *record)
{
    memset(start, 0, ((size_t)n + 2) * sizeof(*start));
    for (int64_t r = 0; r < m->n; r++)
        start[m->sequence[r] + 2]++;
    for (int64_t i = 0; i < n; i++)
        start[i + 2] += start[i + 1];
    for (int64_t r = 0; r < m->n; r++)
        record[start[m->sequence[r] + 1]++] = (int32_t)r;
}

/* Write the records of an OTU. @return the number of names that had to be changed */
static int64_t put_otu(FILE *file, const otu_table_t *t, int64_t otu,
                       const int64_t *start, const int32_t *record,
                       const pairs_members_t *m)
{
    int64_t n_replaced = 0;
    char separator = '\t';

    for (int64_t k = t->member_start[otu]; k < t->member_start[otu + 1]; k++)
        for (int64_t r = start[t->member[k]]; r < start[t->member[k] + 1]; r++) {
            putc(separator, file);
            n_replaced += put_name(file, m->name[record[r]], ", \t\r\n");
            separator = ',';
        }
    return n_replaced;
}

status_t otu_write_list(FILE *file, const otu_list_row_t *rows, int n,
                        const pairs_members_t *m)
{
    int64_t n_sequences = rows->table->n, n_replaced = 0;
    int64_t *start = malloc(((size_t)n_sequences + 2) * sizeof(*start));
    int32_t *record = malloc((size_t)m->n * sizeof(*record) + 1);
    const otu_table_t *largest = rows->table;
    char label[LABEL_BYTES];
    status_t st;

    if (start == NULL || record == NULL) {
        st = log_nomem("the list of OTUs");
        goto done;
    }
    sort_records(m, n_sequences, start, record);
    for (int r = 1; r < n; r++)
        if (rows[r].table->n_otus > largest->n_otus)
            largest = rows[r].table;
    put_headings(file, largest, "label\tnumOtus");
    for (int r = 0; r < n; r++) {
        const otu_table_t *t = rows[r].table;
        int64_t n_of_row = 0; /* in all lines the same, but for OTUs left out */

        label_of(&rows[r].id, label);
        fprintf(file, "%s\t%" PRId64, label, t->n_otus);
        for (int64_t k = 0; k < t->n_otus; k++)
            n_of_row += put_otu(file, t, k, start, record, m);
        putc('\n', file);
        n_replaced = n_of_row > n_replaced ? n_of_row : n_replaced;
    }
    if (n_replaced > 0)
        log_warn("%" PRId64 " names contain a comma or a blank, which becomes '_' in the "
                 ".list",
                 n_replaced);
    st = warn_of_repeated_names(m);
done:
    free(record);
    free(start);
    return st;
}
