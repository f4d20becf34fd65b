/*
 * asv_print.c - results of `denoise`: lines per read, counts, and a page.
 */
#include "tools/print/file_printers.h"

#include "io/amplicon/asv_result.h"

#include <inttypes.h>

static status_t print_reads(const char *path, bool has_header, FILE *to)
{
    asv_result_t r;
    status_t st = asv_result_read(path, &r);

    if (st != ST_OK)
        return st;
    asv_lines_print(&r, has_header, to);
    asv_result_free(&r);
    return ST_OK;
}

/* @return the abundance of all reads in ASVs */
static int64_t total(const otu_table_t *t)
{
    int64_t sum = 0;

    for (int64_t k = 0; k < t->n_otus; k++)
        sum += t->size[k];
    return sum;
}

static status_t describe(const char *path, FILE *to)
{
    asv_result_t r;
    status_t st = asv_result_read(path, &r);

    if (st != ST_OK)
        return st;
    fprintf(to,
            "file\treads\t%" PRId64 "\nfile\tasvs\t%" PRId64 "\nfile\tabundance\t%" PRId64
            "\nfile\treads_left_out\t%" PRId64 "\nfile\tsamples\t%" PRId64 "\n",
            r.table->n, r.table->n_otus, total(r.table), r.table->n_left_out,
            r.table->n_samples);
    run_info_print_job(r.job, to);
    asv_result_free(&r);
    return ST_OK;
}

/* Reads by their mismatches; those with more than fit are in the last bar. */
static void count_mismatches(const asv_result_t *r, report_bars_t *bars)
{
    enum { MOST = 10 };

    bars->n = MOST + 1;
    for (int k = 0; k <= MOST; k++)
        snprintf(bars->bars[k].label, REPORT_BAR_BYTES, k < MOST ? "%d" : "%d or more",
                 k);
    for (int64_t i = 0; i < r->table->n; i++)
        if (r->mismatches[i] >= 0)
            bars->bars[r->mismatches[i] < MOST ? r->mismatches[i] : MOST].count++;
}

static status_t draw(const file_report_t *how)
{
    file_page_t page = {.title = "ASVs"};
    report_bars_t *largest =
        file_page_chart(&page, "largest-asvs", "Largest ASVs by abundance", "read",
                        "reads");
    report_bars_t *sizes =
        file_page_chart(&page, "sizes", "ASVs by abundance", "ASV", "ASVs");
    report_bars_t *mismatches =
        file_page_chart(&page, "mismatches",
                        "Different reads by mismatches with their ASV", "read", "reads");
    asv_result_t r;
    status_t st = asv_result_read(how->input, &r);

    if (st != ST_OK)
        return st;
    file_page_card(&page, "n-reads", r.table->n, "different reads");
    file_page_card(&page, "n-asvs", r.table->n_otus, "ASVs");
    file_page_card(&page, "abundance", total(r.table), "abundance of ASVs");
    file_page_card(&page, "n-left-out", r.table->n_left_out, "different reads left out");
    file_page_otus(r.table, sizes, largest);
    count_mismatches(&r, mismatches);
    asv_result_free(&r);
    return file_page_write(&page, how, &asv_result_printer);
}

const file_printer_t asv_result_printer = {"denoise", describe, print_reads, draw};
