/*
 * chimera_print.c - results of `chimeras`: lines per read, counts, and a page.
 */
#include "tools/print/file_printers.h"

#include "io/amplicon/chimera_result.h"

#include <inttypes.h>

static status_t print_reads(const char *path, bool has_header, FILE *to)
{
    chimera_result_t r;
    status_t st = chimera_result_read(path, &r);

    if (st != ST_OK)
        return st;
    chimera_lines_print(&r, has_header, to);
    chimera_result_free(&r);
    return ST_OK;
}

static status_t describe(const char *path, FILE *to)
{
    chimera_result_t r;
    status_t st = chimera_result_read(path, &r);
    chimera_counts_t c;

    if (st != ST_OK)
        return st;
    c = chimera_result_count(&r);
    fprintf(to,
            "file\treads\t%" PRId64 "\nfile\tchimeras\t%" PRId64
            "\nfile\tborderline\t%" PRId64 "\nfile\tparents\t%" PRId64 "\n",
            r.n, c.n[2], c.n[1], r.n_parents);
    run_info_print_job(r.job, to);
    chimera_result_free(&r);
    return ST_OK;
}

static status_t draw(const file_report_t *how)
{
    static const char *const call[CHIMERA_RESULT_CALLS] = {"no chimera", "borderline",
                                                           "chimera"};
    file_page_t page = {.title = "Chimeras"};
    report_bars_t *reads =
        file_page_chart(&page, "reads", "Reads by call", "read", "reads");
    chimera_result_t r;
    status_t st = chimera_result_read(how->input, &r);
    chimera_counts_t c;

    if (st != ST_OK)
        return st;
    c = chimera_result_count(&r);
    file_page_card(&page, "n-reads", r.n, "reads");
    file_page_card(&page, "n-chimeras", c.n[2], "chimeras");
    file_page_card(&page, "chimeras-size", c.sizes[2], "abundance of chimeras");
    file_page_card(&page, "n-parents", r.n_parents, "parents");
    reads->n = CHIMERA_RESULT_CALLS;
    for (int k = 0; k < reads->n; k++) {
        snprintf(reads->bars[k].label, REPORT_BAR_BYTES, "%s", call[k]);
        reads->bars[k].count = c.n[k];
    }
    chimera_result_free(&r);
    return file_page_write(&page, how, &chimera_result_printer);
}

const file_printer_t chimera_result_printer = {"chimeras", describe, print_reads, draw};
