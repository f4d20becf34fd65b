/*
 * mesh_print.c - prints meshes.
 */
#include "io/mesh/mesh_file.h"
#include "kernels/mesh/mesh_check.h"
#include "tools/print/file_printers.h"

#include <inttypes.h>

static status_t describe(const char *path, FILE *to)
{
    mesh_data_t d = {0};
    mesh_file_run_t run = {.job = NULL};
    status_t st = mesh_file_read(path, &d, &run);

    if (st == ST_OK) {
        fprintf(to,
                "file\tpoints\t%" PRId64 "\nfile\tsegments\t%" PRId64
                "\nfile\ttriangles\t%" PRId64 "\n",
                d.n_points, d.n_segments, d.n_triangles);
        run_info_print_job(run.job, to);
    }
    mesh_data_free(&d);
    mesh_file_run_free(&run);
    return st;
}

static void print_triangle(const mesh_data_t *d, int64_t k, FILE *to)
{
    double max;

    fprintf(to, "%" PRId64, k + d->first_id);
    for (int e = 0; e < 3; e++)
        fprintf(to, "\t%" PRId32, d->triangle[k][e] + d->first_id);
    for (int e = 0; e < 3; e++) {
        const double *p = d->p[d->triangle[k][e]];

        fprintf(to, "\t%.17g\t%.17g", p[0], p[1]);
    }
    fprintf(to, "\t%.6f", mesh_check_angles(d, k, &max));
    for (int64_t i = 0; i < d->n_triangle_attributes; i++)
        fprintf(to, "\t%.17g", d->triangle_attribute[k * d->n_triangle_attributes + i]);
    putc('\n', to);
}

static status_t view(const char *path, bool has_header, FILE *to)
{
    mesh_data_t d = {0};
    status_t st = mesh_file_read(path, &d, NULL);

    if (st == ST_OK && has_header) {
        fputs("triangle\ta\tb\tc\tax\tay\tbx\tby\tcx\tcy\tsmallest_angle", to);
        for (int64_t i = 0; i < d.n_triangle_attributes; i++)
            fprintf(to, "\tattribute_%" PRId64, i + 1);
        putc('\n', to);
    }
    for (int64_t k = 0; st == ST_OK && k < d.n_triangles && !ferror(to); k++)
        print_triangle(&d, k, to);
    mesh_data_free(&d);
    return st;
}

/* ---- the page ---- */

enum { N_BARS = 12, DEGREES = 5 };

static void fill_page(const mesh_data_t *d, file_page_t *page)
{
    report_bars_t *bars =
        file_page_chart(page, "angles", "Triangles by smallest angle, in degrees",
                        "triangle", "triangles");
    double max;

    file_page_card(page, "n-points", d->n_points, "points");
    file_page_card(page, "n-segments", d->n_segments, "segments");
    file_page_card(page, "n-triangles", d->n_triangles, "triangles");
    bars->n = N_BARS;
    for (int k = 0; k < N_BARS; k++)
        snprintf(bars->bars[k].label, sizeof(bars->bars[k].label), "%d-%d", DEGREES * k,
                 DEGREES * (k + 1));
    for (int64_t k = 0; k < d->n_triangles; k++) {
        const int bar = (int)(mesh_check_angles(d, k, &max) / DEGREES);

        bars->bars[bar < N_BARS ? bar : N_BARS - 1].count++;
    }
}

static status_t draw(const file_report_t *how)
{
    file_page_t page = {.title = "A mesh"};
    mesh_data_t d = {0};
    status_t st = mesh_file_read(how->input, &d, NULL);

    if (st == ST_OK) {
        fill_page(&d, &page);
        st = file_page_write(&page, how, &mesh_file_printer);
    }
    mesh_data_free(&d);
    return st;
}

const file_printer_t mesh_file_printer = {"mesh refine", describe, view, draw};
