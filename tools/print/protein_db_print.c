/*
 * protein_db_print.c - prints databases of proteins: a line per protein, counts, and a
 * page.
 */
#include "io/prepare/protein_db.h"
#include "tools/print/file_printers.h"

#include <inttypes.h>

static status_t describe(const char *path, FILE *to)
{
    protein_db_t db;
    status_t st = protein_db_read(path, &db);

    if (st != ST_OK)
        return st;
    fprintf(to,
            "file\tproteins\t%" PRId64 "\nfile\tresidues\t%" PRId64
            "\nfile\tlongest\t%" PRId64 "\nfile\tmask\t%s\nfile\tx_residues\t%" PRId64
            "\n",
            db.set->n, db.set->offset[db.set->n], seqset_max_len(db.set),
            mask_name[db.mask], db.n_x);
    protein_db_free(&db);
    return ST_OK;
}

static status_t print_proteins(const char *path, bool has_header, FILE *to)
{
    protein_db_t db;
    status_t st = protein_db_read(path, &db);

    if (st != ST_OK)
        return st;
    if (has_header)
        fputs("name\tresidues\n", to);
    for (int64_t i = 0; i < db.set->n && !ferror(to); i++)
        fprintf(to, "%s\t%" PRId64 "\n", seqset_name(db.set, i), seqset_len(db.set, i));
    protein_db_free(&db);
    return ST_OK;
}

static status_t draw(const file_report_t *how)
{
    file_page_t page = {.title = "Database of proteins"};
    report_bars_t *bars =
        file_page_chart(&page, "length", "Proteins by length", "protein", "proteins");
    report_bins_t bins;
    protein_db_t db;
    status_t st = protein_db_read(how->input, &db);

    if (st != ST_OK)
        return st;
    bins = report_bins(0, (double)seqset_max_len(db.set), true);
    report_bins_label(&bins, bars);
    for (int64_t i = 0; i < db.set->n; i++)
        bars->bars[report_bins_of(&bins, (double)seqset_len(db.set, i))].count++;
    file_page_card(&page, "n-proteins", db.set->n, "proteins");
    file_page_card(&page, "n-residues", db.set->offset[db.set->n], "residues");
    file_page_card(&page, "n-x", db.n_x, "residues X");
    protein_db_free(&db);
    return file_page_write(&page, how, &protein_db_printer);
}

const file_printer_t protein_db_printer = {"search build", describe, print_proteins,
                                           draw};
