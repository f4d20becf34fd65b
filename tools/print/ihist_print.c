/*
 * ihist_print.c - prints integral histograms of images.
 */
#include "tools/print/ihist_print.h"

#include "io/base/logmsg.h"
#include "tools/print/file_printers.h"

#include <inttypes.h>
#include <stdlib.h>

/* @return the lowest value of a bin */
static int64_t first_value(const ihist_head_t *h, int64_t bin)
{
    return (bin * 256 + h->n_bins - 1) / h->n_bins;
}

static void print_bin(const ihist_head_t *h, int64_t bin, int64_t count, FILE *to)
{
    fprintf(to, "%" PRId64 "\t%" PRId64 "\t%" PRId64 "\n", first_value(h, bin),
            first_value(h, bin + 1) - 1, count);
}

void ihist_print_counts(const ihist_head_t *h, const int64_t *count, FILE *to)
{
    fputs("from\tto\tpixels\n", to);
    for (int64_t bin = 0; bin < h->n_bins; bin++)
        print_bin(h, bin, count[bin], to);
}

static status_t describe(const char *path, FILE *to)
{
    const ihist_head_t *h = NULL;
    ihist_file_t *f = NULL;
    status_t st = ihist_file_open(path, &f, &h);

    if (st == ST_OK) {
        fprintf(to,
                "file\tframes\t%" PRId64 "\nfile\theight\t%" PRId64
                "\nfile\twidth\t%" PRId64 "\nfile\tbins\t%" PRId64
                "\nfile\ttile_side\t%" PRId64 "\n",
                h->n_frames, h->height, h->width, h->n_bins, h->side);
        run_info_print_job(h->job, to);
    }
    ihist_file_close(f);
    return st;
}

/* What each frame is passed to. */
typedef void take_t(void *ctx, const ihist_head_t *h, int64_t frame,
                    const int64_t *count);

/* Pass on the histograms of whole frames. @param to  ends it after an error; or NULL */
static status_t each_frame(const char *path, take_t *take, void *ctx, FILE *to)
{
    const ihist_head_t *h = NULL;
    ihist_file_t *f = NULL;
    int64_t *count = NULL;
    status_t st = ihist_file_open(path, &f, &h);

    if (st == ST_OK && (count = malloc((size_t)h->n_bins * sizeof(*count))) == NULL)
        st = log_nomem("a histogram");
    for (int64_t k = 0; st == ST_OK && k < h->n_frames && (to == NULL || !ferror(to));
         k++) {
        const int64_t x[] = {0, h->width}, y[] = {0, h->height};

        if ((st = ihist_file_count(f, k, x, y, count)) == ST_OK)
            take(ctx, h, k, count);
    }
    free(count);
    ihist_file_close(f);
    return st;
}

static void print_frame(void *ctx, const ihist_head_t *h, int64_t frame,
                        const int64_t *count)
{
    for (int64_t bin = 0; bin < h->n_bins; bin++)
        if (count[bin] > 0) {
            fprintf(ctx, "%" PRId64 "\t", frame + 1);
            print_bin(h, bin, count[bin], ctx);
        }
}

static status_t view(const char *path, bool has_header, FILE *to)
{
    if (has_header)
        fputs("frame\tfrom\tto\tpixels\n", to);
    return each_frame(path, print_frame, to, to);
}

/* ---- the page ---- */

typedef struct {
    file_page_t page;
    report_bars_t *bars;
} drawing_t;

static void add_frame(void *ctx, const ihist_head_t *h, int64_t frame,
                      const int64_t *count)
{
    drawing_t *d = ctx;
    const int n_bars = h->n_bins < REPORT_BARS_MAX ? (int)h->n_bins : REPORT_BARS_MAX;

    if (frame == 0) {
        file_page_card(&d->page, "n-frames", h->n_frames, "images");
        file_page_card(&d->page, "width", h->width, "columns");
        file_page_card(&d->page, "height", h->height, "rows");
        file_page_card(&d->page, "n-bins", h->n_bins, "bins");
        d->bars->n = n_bars;
    }
    for (int64_t bin = 0; bin < h->n_bins; bin++)
        d->bars->bars[bin * n_bars / h->n_bins].count += count[bin];
    for (int k = 0; frame == 0 && k < n_bars; k++) {
        const int64_t bin = (k * h->n_bins + n_bars - 1) / n_bars;
        const int64_t end = ((k + 1) * h->n_bins + n_bars - 1) / n_bars;

        snprintf(d->bars->bars[k].label, sizeof(d->bars->bars[k].label),
                 "%" PRId64 "-%" PRId64, first_value(h, bin), first_value(h, end) - 1);
    }
}

static status_t draw(const file_report_t *how)
{
    drawing_t d = {.page = {.title = "Integral histograms of images"}};
    status_t st;

    d.bars = file_page_chart(&d.page, "values", "Pixels by value", "pixel", "pixels");
    st = each_frame(how->input, add_frame, &d, NULL);
    return st == ST_OK ? file_page_write(&d.page, how, &ihist_file_printer) : st;
}

const file_printer_t ihist_file_printer = {"ihist", describe, view, draw};
