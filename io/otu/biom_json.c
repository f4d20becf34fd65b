/*
 * biom_json.c - an OTU table as BIOM 1.0: rows are OTUs, columns are samples.
 */
#include "io/otu/biom_json.h"

#include "io/otu/biom_write.h"

#include <inttypes.h>

static void put_string(FILE *file, const char *text)
{
    putc('"', file);
    for (; *text != '\0'; text++) {
        unsigned char c = (unsigned char)*text;

        if (c < ' ' || c == '"' || c == '\\')
            fprintf(file, "\\u%04x", c);
        else
            putc(c, file);
    }
    putc('"', file);
}

static void put_lineage(FILE *file, const otu_taxa_t *taxa, int64_t otu)
{
    const char *name;

    fputs("{\"taxonomy\": [", file);
    for (int rank = 1; (name = otu_taxa_name(taxa, otu, rank)) != NULL; rank++) {
        fputs(rank > 1 ? ", " : "", file);
        put_string(file, name);
    }
    fputs("]}", file);
}

static void put_rows(FILE *file, const otu_table_t *t, const otu_taxa_t *taxa)
{
    char text[OTU_NAME_BYTES];

    for (int64_t k = 0; k < t->n_otus; k++) {
        fprintf(file, "%s\n{\"id\": ", k > 0 ? "," : "");
        put_string(file, otu_table_name(t, k, text));
        fputs(", \"metadata\": ", file);
        if (taxa != NULL)
            put_lineage(file, taxa, k);
        else
            fputs("null", file);
        putc('}', file);
    }
}

static void put_columns(FILE *file, const otu_table_t *t)
{
    for (int64_t j = 0; j < t->n_samples; j++) {
        fprintf(file, "%s\n{\"id\": ", j > 0 ? "," : "");
        put_string(file, t->sample_name[j]);
        fputs(", \"metadata\": null}", file);
    }
}

void biom_json_write(FILE *file, const otu_table_t *t, const otu_taxa_t *taxa,
                     const char *program)
{
    char date[BIOM_DATE_BYTES];

    biom_date(date);
    fputs("{\"id\": null,\n\"format\": \"Biological Observation Matrix 1.0.0\",\n"
          "\"format_url\": \"http://biom-format.org\",\n\"type\": \"OTU table\",\n"
          "\"generated_by\": ",
          file);
    put_string(file, program);
    fprintf(file,
            ",\n\"date\": \"%s\",\n\"matrix_type\": \"sparse\",\n"
            "\"matrix_element_type\": \"int\",\n\"shape\": [%" PRId64 ", %" PRId64
            "],\n\"rows\": [",
            date, t->n_otus, t->n_samples);
    put_rows(file, t, taxa);
    fputs("],\n\"columns\": [", file);
    put_columns(file, t);
    fputs("],\n\"data\": [", file);
    for (int64_t k = 0; k < t->n_otus; k++)
        for (int64_t c = t->row_start[k]; c < t->row_start[k + 1]; c++)
            fprintf(file, "%s\n[%" PRId64 ", %" PRId32 ", %" PRId64 "]", c > 0 ? "," : "",
                    k, t->sample[c], t->count[c]);
    fputs("]}\n", file);
}
