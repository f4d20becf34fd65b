/*
 * otu_only.c - looks the names of records up among those of OTUs.
 */
#include "io/otu/otu_only.h"

#include "io/base/logmsg.h"
#include "io/base/name_table.h"
#include "io/prepare/abundance.h"
#include "io/seq/fasta.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Number OTUs by their names, and by those of their representatives.
 * @param otu  int32_t by number in the table */
static status_t list_names(const otu_table_t *t, char *const *names, name_table_t *table,
                           buf_t *otu)
{
    status_t st = ST_OK;

    for (int64_t at = 0; st == ST_OK && at < 2 * t->n_otus; at++) {
        const int32_t k = (int32_t)(at / 2);
        char text[OTU_NAME_BYTES];
        const char *name =
            at % 2 == 0 ? otu_table_name(t, k, text) : names[t->representative[k]];
        int64_t number;
        bool is_new;

        st = name_table_add(table, name, strlen(name), &number, &is_new);
        if (st == ST_OK && is_new)
            st = buf_append(otu, &k, sizeof(k));
    }
    return st;
}

static status_t read_records(const char *path, seq_files_t *files, seqset_t **out)
{
    const seq_inputs_t inputs = {.paths = &path, .n = 1};
    const fasta_opts_t opts = {.alphabet = ALPHABET_DNA, .is_dna_only = true};
    abundance_t sizes = {.size = NULL};
    status_t st = seq_files_list(&inputs, files);

    if (st == ST_OK && (st = fasta_read_files(files, &opts, NULL, NULL, out)) == ST_OK &&
        (*out)->n > 0 && abundance_labels(seqset_name(*out, 0)).sizes)
        st = abundance_from_names(files, (abundance_labels_t){.sizes = true}, *out,
                                  &sizes);
    abundance_free(&sizes);
    return st;
}

/* @param keep  [n_otus] all false before */
static status_t find_records(const seqset_t *records, const char *path,
                             const name_table_t *table, const int32_t *otu, bool *keep)
{
    for (int64_t i = 0; i < records->n; i++) {
        const char *name = seqset_name(records, i);
        const int64_t number = name_table_find(table, name, strlen(name));

        if (number < 0) {
            log_error("%s: record %" PRId64 " '%s' is none of the OTUs or ASVs; give a "
                      "file of their representatives",
                      path, i + 1, name);
            return ST_EINPUT;
        }
        keep[otu[number]] = true;
    }
    return ST_OK;
}

status_t otu_only_keep(const char *path, char *const *names, otu_table_t *table)
{
    const int64_t n = table->n_otus;
    seq_files_t files = {.paths = NULL};
    seqset_t *records = NULL;
    name_table_t numbers = {0};
    buf_t otu = {0};
    bool *keep = calloc((size_t)n + 1, sizeof(*keep));
    status_t st = keep != NULL ? ST_OK : log_nomem("the OTU table");

    if (st == ST_OK && (st = list_names(table, names, &numbers, &otu)) == ST_OK &&
        (st = read_records(path, &files, &records)) == ST_OK &&
        (st = find_records(records, files.label, &numbers,
                           (const int32_t *)(const void *)otu.data, keep)) == ST_OK &&
        (st = otu_table_keep(table, keep)) == ST_OK)
        log_info("%s: %" PRId64 " of %" PRId64 " are kept", files.label, table->n_otus,
                 n);
    seqset_destroy(records);
    seq_files_free(&files);
    name_table_free(&numbers);
    buf_free(&otu);
    free(keep);
    return st;
}
