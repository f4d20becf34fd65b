/*
 * file_page.c - a page on a result file: key figures, bars, and how it was made.
 */
#include "tools/print/file_printers.h"

#include "io/base/logmsg.h"
#include "io/file/whole_file.h"
#include "io/report/report_figures.h"
#include "io/result/run_info.h"
#include "version.h"

#include <stdlib.h>

status_t file_page_about(status_t (*describe)(const void *ctx, FILE *to), const void *ctx,
                         char **out)
{
    char *text = NULL;
    size_t len = 0;
    FILE *to = open_memstream(&text, &len);
    status_t st;

    if (to == NULL)
        return log_nomem("a description");
    if ((st = describe(ctx, to)) == ST_OK)
        fprintf(to, "report\tversion\t%s\n", VERSION_LONG);
    if (fclose(to) != 0 && st == ST_OK)
        st = log_nomem("a description");
    if (st == ST_OK)
        *out = text;
    else
        free(text);
    return st;
}

void file_page_card(file_page_t *page, const char *id, int64_t value, const char *label)
{
    if (page->n_cards == FILE_PAGE_CARDS)
        return;
    page->card[page->n_cards].id = id;
    page->card[page->n_cards].label = label;
    page->card[page->n_cards++].value = value;
}

report_bars_t *file_page_chart(file_page_t *page, const char *id, const char *title,
                               const char *one, const char *many)
{
    report_bars_t *b =
        &page->chart[page->n_charts < FILE_PAGE_CHARTS ? page->n_charts++
                                                       : FILE_PAGE_CHARTS - 1];

    *b = (report_bars_t){.id = id, .title = title, .one = one, .many = many};
    return b;
}

static void write_body(FILE *to, const file_page_t *page)
{
    fputs("<div class=\"cards\">\n", to);
    for (int i = 0; i < page->n_cards; i++)
        report_frame_card(to, page->card[i].id, page->card[i].value, "%s",
                          page->card[i].label);
    fputs("</div>\n", to);
    fputs("<div class=\"pair\">\n", to);
    for (int i = 0; i < page->n_charts; i++)
        report_bars_draw(to, &page->chart[i]);
    fputs("</div>\n", to);
}

status_t file_printer_describe(const file_printer_t *printer, const char *path, FILE *to)
{
    status_t st = run_info_print_format(path, to);

    if (st == ST_OK)
        st = printer->describe(path, to);
    return st == ST_OK ? run_info_print(path, to) : st;
}

typedef struct {
    const char *path;
    const file_printer_t *printer;
} described_t;

static status_t describe(const void *ctx, FILE *to)
{
    const described_t *d = ctx;
    status_t st = file_printer_describe(d->printer, d->path, to);

    fprintf(to, "report\tfile\t%s\n", d->path);
    return st;
}

status_t file_page_write(const file_page_t *page, const file_report_t *how,
                         const file_printer_t *printer)
{
    const described_t described = {how->input, printer};
    char *about = NULL;
    whole_file_t *file;
    FILE *to;
    status_t st = file_page_about(describe, &described, &about);

    if (st == ST_OK && (st = whole_file_open(how->output, WHOLE_FILE_TEXT, how->force,
                                             &file)) == ST_OK) {
        to = whole_file_stream(file);
        report_frame_begin(to, how->title != NULL ? how->title : page->title, how->input);
        write_body(to, page);
        report_frame_end(to, about);
        st = whole_file_close(file, ST_OK);
    }
    free(about);
    return st;
}
