/*
 * otu_print.c - prints the groups of `cluster`.
 */
#include "tools/print/file_printers.h"

#include "io/otu/otu_groups.h"
#include "io/result/run_info.h"

#include <inttypes.h>

static void describe_method(const otu_groups_head_t *h, FILE *to)
{
    char id[FRACTION_RATIO_BYTES];

    run_info_print_line("otus", "method", h->method, to);
    run_info_print_line("otus", "id", fraction_to_ratio(&h->id, id), to);
    if (h->order != NULL)
        run_info_print_line("otus", "order", h->order, to);
    if (h->seed >= 0)
        fprintf(to, "otus\tseed\t%" PRId64 "\n", h->seed);
    if (h->starts >= 0)
        fprintf(to, "otus\tstarts\t%" PRId64 "\n", h->starts);
    fprintf(to, "otus\tmin_size\t%" PRId64 "\n", h->min_size);
    if (h->previous != NULL)
        run_info_print_line("otus", "previous", h->previous, to);
    if (h->tp < 0) /* not known */
        return;
    fprintf(to,
            "otus\tmcc\t%.6f\notus\ttp\t%" PRId64 "\notus\ttn\t%" PRId64
            "\notus\tfp\t%" PRId64 "\notus\tfn\t%" PRId64 "\n",
            h->mcc, h->tp, h->tn, h->fp, h->fn);
}

static status_t describe(const char *path, FILE *to)
{
    otu_groups_t groups;
    const otu_table_t *t;
    status_t st = otu_groups_read(path, &groups);

    if (st != ST_OK)
        return st;
    t = groups.table;
    fprintf(to,
            "file\tsequences\t%" PRId64 "\nfile\totus\t%" PRId64
            "\nfile\totus_of_one\t%" PRId64 "\nfile\tlargest\t%" PRId64
            "\nfile\tsequences_left_out\t%" PRId64 "\nfile\tlast_number\t%" PRId64 "\n",
            t->n, t->n_otus, otu_table_n_single(t), t->n_otus > 0 ? t->size[0] : 0,
            t->n_left_out, t->last_number);
    describe_method(&groups.head, to);
    otu_groups_free(&groups);
    return ST_OK;
}

/* Print lines: sequence, OTU (NA: left out), whether it represents that. */
static status_t print_sequences(const char *path, bool has_header, FILE *to)
{
    otu_groups_t groups;
    const otu_table_t *t;
    status_t st = otu_groups_read(path, &groups);

    if (st != ST_OK)
        return st;
    t = groups.table;
    if (has_header)
        fputs("sequence\totu\trepresentative\n", to);
    for (int64_t i = 0; i < t->n && !ferror(to); i++)
        fprintf(to, "%s\t%s\t%d\n", groups.names[i],
                t->otu[i] >= 0 ? groups.otu_names[t->otu[i]] : "NA",
                t->otu[i] >= 0 && t->representative[t->otu[i]] == i);
    otu_groups_free(&groups);
    return ST_OK;
}

void file_page_otus(const otu_table_t *t, report_bars_t *sizes, report_bars_t *largest)
{
    const report_bins_t bins =
        report_bins(0, t->n_otus > 0 ? (double)t->size[0] : 1, true);

    report_bins_label(&bins, sizes);
    for (int64_t k = 0; k < t->n_otus; k++) {
        char name[OTU_NAME_BYTES];

        sizes->bars[report_bins_of(&bins, (double)t->size[k])].count++;
        if (k < REPORT_BARS_MAX / 2) {
            snprintf(largest->bars[k].label, REPORT_BAR_BYTES, "%s",
                     otu_table_name(t, k, name));
            largest->bars[k].count = t->size[k];
            largest->n = (int)k + 1;
        }
    }
}

static status_t draw(const file_report_t *how)
{
    file_page_t page = {.title = "OTUs"};
    report_bars_t *largest =
        file_page_chart(&page, "largest-otus", "Largest OTUs by abundance", "sequence",
                        "sequences");
    report_bars_t *sizes =
        file_page_chart(&page, "sizes", "OTUs by abundance", "OTU", "OTUs");
    otu_groups_t groups;
    status_t st = otu_groups_read(how->input, &groups);

    if (st != ST_OK)
        return st;
    file_page_card(&page, "n-sequences", groups.table->n, "sequences");
    file_page_card(&page, "n-otus", groups.table->n_otus, "OTUs");
    file_page_card(&page, "n-single", otu_table_n_single(groups.table),
                   "OTUs of one sequence");
    file_page_card(&page, "n-left-out", groups.table->n_left_out, "sequences left out");
    file_page_otus(groups.table, sizes, largest);
    otu_groups_free(&groups);
    return file_page_write(&page, how, &otu_groups_printer);
}

const file_printer_t otu_groups_printer = {"cluster", describe, print_sequences, draw};
