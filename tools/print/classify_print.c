/*
 * classify_print.c - the files of `classify`: names of reads, and models.
 */
#include "tools/print/file_printers.h"

#include "io/modelfile/class_model.h"
#include "io/modelfile/class_names.h"
#include "io/modelfile/class_result.h"

#include <inttypes.h>

/* Print one line per read of a result, as `classify` writes tsv; a table as it is. */
static status_t print_names(const char *path, bool has_header, FILE *to)
{
    class_result_t r;
    status_t st;

    if (class_names_are_text(path))
        return class_names_print(path, has_header, to);
    if ((st = class_result_read(path, &r)) != ST_OK)
        return st;
    st = class_lines_print(&r, CLASS_FORMAT_TSV, has_header, to);
    class_result_free(&r);
    return st;
}

static status_t describe_model(const char *path, FILE *to)
{
    class_model_t m;
    class_run_t run = {.job = NULL};
    status_t st = class_model_read(path, &m, &run);

    if (st != ST_OK)
        return st;
    fprintf(to,
            "file\treferences\t%" PRId64 "\nfile\tbases\t%" PRId64
            "\nfile\ttaxa\t%" PRId32 "\nfile\tranks\t%d\nfile\trules\t%" PRId64 "\n",
            m.refs->n, m.refs->offset[m.refs->n], m.taxa.n - 1,
            class_taxa_n_ranks(&m.taxa), m.n_rules);
    if (m.primers != NULL)
        fprintf(to, "file\tprimers\t%s\n", m.primers);
    run_info_print_job(run.job, to);
    class_model_free(&m);
    class_run_free(&run);
    return ST_OK;
}

static status_t describe_result(const char *path, FILE *to)
{
    int64_t n_named = 0, abundance = 0;
    class_result_t r;
    status_t st = class_result_read(path, &r);

    if (st != ST_OK)
        return st;
    for (int64_t i = 0; i < r.calls.n; i++) {
        n_named += r.calls.named[i] > 0;
        abundance += r.sizes != NULL ? r.sizes[i] : 0;
    }
    fprintf(to,
            "file\treads\t%" PRId64 "\nfile\tclassified\t%" PRId64
            "\nfile\ttaxa\t%" PRId32 "\n",
            r.calls.n, n_named, r.taxa.n - 1);
    if (r.sizes != NULL)
        fprintf(to, "file\tabundance\t%" PRId64 "\n", abundance);
    if (r.samples.n > 0)
        fprintf(to, "file\tsamples\t%" PRId64 "\n", r.samples.n);
    run_info_print_job(r.run.job, to);
    class_result_free(&r);
    return ST_OK;
}

/* Print one line per reference of a model: name, bases, lineage. */
static status_t print_references(const char *path, bool has_header, FILE *to)
{
    class_model_t m;
    status_t st = class_model_read(path, &m, NULL);

    if (st != ST_OK)
        return st;
    if (has_header)
        fputs("name\tbases\tlineage\n", to);
    for (int64_t i = 0; i < m.refs->n && !ferror(to); i++) {
        const int n_ranks = class_taxa_rank(&m.taxa, m.taxon_of[i]);

        fprintf(to, "%s\t%" PRId64 "\t", seqset_name(m.refs, i), seqset_len(m.refs, i));
        for (int rank = 1; rank <= n_ranks; rank++)
            fprintf(to, "%s%s", rank > 1 ? ";" : "",
                    class_taxa_name(&m.taxa,
                                    class_taxa_at(&m.taxa, m.taxon_of[i], rank)));
        putc('\n', to);
    }
    class_model_free(&m);
    return ST_OK;
}

/* Count taxa by rank, and references by the rank of their lowest taxon. */
static void count_ranks(const class_model_t *m, report_bars_t *taxa, report_bars_t *refs)
{
    const int n_ranks = class_taxa_n_ranks(&m->taxa);

    taxa->n = refs->n = n_ranks < REPORT_BARS_MAX ? n_ranks : REPORT_BARS_MAX;
    for (int k = 0; k < taxa->n; k++) {
        snprintf(taxa->bars[k].label, REPORT_BAR_BYTES, "rank %d", k + 1);
        snprintf(refs->bars[k].label, REPORT_BAR_BYTES, "rank %d", k + 1);
    }
    for (int32_t t = 1; t < m->taxa.n; t++)
        if (class_taxa_rank(&m->taxa, t) <= taxa->n)
            taxa->bars[class_taxa_rank(&m->taxa, t) - 1].count++;
    for (int64_t i = 0; i < m->refs->n; i++)
        if (class_taxa_rank(&m->taxa, m->taxon_of[i]) <= refs->n)
            refs->bars[class_taxa_rank(&m->taxa, m->taxon_of[i]) - 1].count++;
}

static status_t draw_model(const file_report_t *how)
{
    file_page_t page = {.title = "Model of a classifier"};
    report_bars_t *taxa =
        file_page_chart(&page, "taxa", "Taxa by rank, from the highest", "taxon", "taxa");
    report_bars_t *refs = file_page_chart(&page, "references",
                                          "References by the rank of their lowest taxon",
                                          "reference", "references");
    class_model_t m;
    status_t st = class_model_read(how->input, &m, NULL);

    if (st != ST_OK)
        return st;
    file_page_card(&page, "n-references", m.refs->n, "references");
    file_page_card(&page, "n-bases", m.refs->offset[m.refs->n], "bases");
    file_page_card(&page, "n-taxa", m.taxa.n - 1, "taxa");
    file_page_card(&page, "n-rules", m.n_rules, "rules that were learned");
    count_ranks(&m, taxa, refs);
    class_model_free(&m);
    return file_page_write(&page, how, &class_model_printer);
}

const file_printer_t class_model_printer = {"classify train", describe_model,
                                            print_references, draw_model};
const file_printer_t class_result_printer = {"classify", describe_result, print_names,
                                             NULL};
