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

static status_t list_about(const page_kind_t *kind, const void *content, char **out)
{
    char *text = NULL;
    size_t len = 0;
    FILE *to = open_memstream(&text, &len);
    status_t st;

    if (to == NULL)
        return log_nomem("a description");
    if ((st = kind->describe(content, to)) == ST_OK)
        fprintf(to, "report\tversion\t%s\n", VERSION_LONG);
    if (fclose(to) != 0 && st == ST_OK)
        st = log_nomem("a description");
    if (st == ST_OK)
        *out = text;
    else
        free(text);
    return st;
}

status_t page_draw(const page_kind_t *kind, const file_report_t *how, const void *content)
{
    char *about = NULL;
    whole_file_t *to;
    status_t st = list_about(kind, content, &about);

    if (st == ST_OK &&
        (st = whole_file_open(how->output, WHOLE_FILE_TEXT, how->force, &to)) == ST_OK)
        st = whole_file_close(to, kind->write(content, how->title, about,
                                              whole_file_stream(to)));
    free(about);
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
    const file_page_t *page;
    const char *path;
    const file_printer_t *printer;
} described_t;

static status_t describe(const void *content, FILE *to)
{
    const described_t *d = content;
    status_t st = file_printer_describe(d->printer, d->path, to);

    fprintf(to, "report\tfile\t%s\n", d->path);
    return st;
}

static status_t write_page(const void *content, const char *title, const char *about,
                           FILE *to)
{
    const described_t *d = content;

    report_frame_begin(to, title != NULL ? title : d->page->title, d->path);
    write_body(to, d->page);
    report_frame_end(to, about);
    return ST_OK;
}

status_t file_page_write(const file_page_t *page, const file_report_t *how,
                         const file_printer_t *printer)
{
    static const page_kind_t kind = {describe, write_page};

    return page_draw(&kind, how, &(described_t){page, how->input, printer});
}
