/*
 * clades_print.c - results of `clades`: the table of taxa, two taxa, charts of ranks,
 * lines per sequence, and a page.
 */
#include "tools/print/clades_print.h"

#include "io/base/logmsg.h"
#include "io/report/svg_draw.h"
#include "tools/print/file_printers.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void clades_print_note(const clades_t *c, const char *path)
{
    char ratio[FRACTION_RATIO_BYTES];

    if (c->min_identity.denominator > 0)
        log_info(
            "%s: it is of a file of hits: pairs below an identity of %s are unknown, "
            "and count as pairs without one",
            path, fraction_to_ratio(&c->min_identity, ratio));
}

/* @param bin  -1: none; its lower border is printed */
static void print_bin(const clades_t *c, int64_t bin, FILE *to)
{
    if (bin < 0)
        fputs("\t-", to);
    else
        fprintf(to, "\t%.6g", (double)bin / (double)(c->n_bins - 1));
}

/* ---- two taxa ---- */

static void print_set(const clades_t *c, const char *set, int64_t n_all,
                      const int64_t *count, FILE *to)
{
    static const int percent[] = {5, 25, 50, 75, 95};
    const int64_t n = clades_sum(c, count);

    fprintf(to, "%s\t%" PRId64 "\t%" PRId64, set, n_all, n_all - n);
    print_bin(c, clades_kth(c, count, 1), to);
    for (size_t k = 0; k < sizeof(percent) / sizeof(*percent); k++)
        print_bin(c, clades_kth(c, count, (n * percent[k] + 99) / 100), to);
    print_bin(c, clades_kth(c, count, n), to);
    putc('\n', to);
}

void clades_print_answer(const clades_t *c, int32_t a, int32_t b, const int64_t *count,
                         FILE *to)
{
    const int64_t n_a = c->end[a] - c->begin[a], n_b = c->end[b] - c->begin[b];
    const int64_t *within_b = count + c->n_bins, *between = within_b + c->n_bins;

    fputs("set\tpairs\twithout_identity\tminimum\tq05\tq25\tmedian\tq75\tq95\tmaximum\n",
          to);
    print_set(c, "within_a", n_a * (n_a - 1) / 2, count, to);
    print_set(c, "within_b", n_b * (n_b - 1) / 2, within_b, to);
    print_set(c, "between", n_a * n_b, between, to);
    fputs("\nidentity\twithin_a\twithin_b\tbetween\n", to);
    for (int64_t k = 0; k < c->n_bins; k++)
        if (count[k] > 0 || within_b[k] > 0 || between[k] > 0)
            fprintf(to, "%.6g\t%" PRId64 "\t%" PRId64 "\t%" PRId64 "\n",
                    (double)k / (double)(c->n_bins - 1), count[k], within_b[k],
                    between[k]);
}

/* ---- all taxa ---- */

/* @return the gap of a taxon, in bins: positive if all its pairs are more similar than
 *         any pair with its nearest sibling */
static int64_t gap_of(const clades_row_t *r)
{
    return r->min - r->max_nearest;
}

static bool has_gap(const clades_row_t *r)
{
    return r->min >= 0 && r->nearest >= 0;
}

static status_t print_row(const clades_t *c, const clades_row_t *r, FILE *to)
{
    const int64_t n = c->end[r->taxon] - c->begin[r->taxon];
    buf_t lineage = {0};
    status_t st = clades_lineage(c, r->taxon, &lineage);

    if (st != ST_OK)
        return st;
    fprintf(to, "%d\t%.*s\t%" PRId64 "\t%" PRId64, clades_rank(c, r->taxon),
            (int)lineage.len, (const char *)lineage.data, n, r->n_pairs);
    print_bin(c, r->min, to);
    print_bin(c, r->median, to);
    fprintf(to, "\t%s", r->nearest >= 0 ? c->taxon_name[r->nearest] : "-");
    print_bin(c, r->max_nearest, to);
    if (has_gap(r))
        fprintf(to, "\t%.6g", (double)gap_of(r) / (double)(c->n_bins - 1));
    else
        fputs("\t-", to);
    fprintf(to, "\t%" PRId64 "\n", r->n_misfits);
    buf_free(&lineage);
    return ST_OK;
}

status_t clades_print_table(clades_file_t *f, const clades_t *c, const char *path,
                            FILE *to)
{
    clades_row_t *rows = NULL;
    int64_t n = 0;
    status_t st = clades_table(f, c, &rows, &n);

    if (st != ST_OK)
        return st;
    fputs("rank\ttaxon\tsequences\tpairs\tminimum\tmedian\tnearest\tnearest_maximum\tgap"
          "\tfit_elsewhere\n",
          to);
    for (int64_t k = 0; st == ST_OK && k < n; k++)
        st = print_row(c, &rows[k], to);
    free(rows);
    if (n < c->n_taxa - 1)
        log_info("%s: taxa whose borders are no cuts are left out: %" PRId64 "; make it "
                 "with --cuts of a lower rank",
                 path, c->n_taxa - 1 - n);
    return st;
}

/* ---- charts ---- */

/* The two lines of a rank. */
typedef struct {
    report_series_t series[2];
    char id[32], label[64], title[96];
    double *y[2]; /* [n_bins] */
} rank_chart_t;

/* @return a rank in words: its usual name, if there is one */
static const char *rank_name(const clades_t *c, int rank)
{
    static const char *const names[] = {"domain", "phylum", "class",  "order",
                                        "family", "genus",  "species"};
    const bool has_root = c->n_taxa > 1 && strcmp(c->taxon_name[1], "Root") == 0;
    const int k = rank - 1 - has_root;

    return k < 0 ? "root" : k < 7 ? names[k] : "rank";
}

/* Find percentages of the pairs within, and of those between taxa of a rank.
 * @param first  the first bin that is drawn */
static void fill_chart(const clades_t *c, int rank, const double *x, int64_t first,
                       rank_chart_t *out)
{
    static const char *const names[] = {"within", "between"};

    for (int set = 0; set < 2; set++) {
        int64_t n = 0;

        for (int64_t level = 0; level < c->n_levels; level++) {
            const int64_t *count = c->level_count + level * c->n_bins;

            if (set == 0 ? level < 2 * rank : level >= 2 * rank || level % 2 == 1)
                continue;
            n += clades_sum(c, count);
            for (int64_t k = 0; k < c->n_bins; k++)
                out->y[set][k] += (double)count[k];
        }
        for (int64_t k = 0; n > 0 && k < c->n_bins; k++)
            out->y[set][k] *= 100 / (double)n;
        out->series[set] =
            (report_series_t){names[set], n > 0 ? (int)(c->n_bins - first) : 0,
                              x + first,  out->y[set] + first,
                              true,       false};
    }
    snprintf(out->id, sizeof(out->id), "rank-%d", rank);
    snprintf(out->label, sizeof(out->label), "Identities by %s", rank_name(c, rank));
    snprintf(out->title, sizeof(out->title), "identity in %%, by %s (rank %d)",
             rank_name(c, rank), rank);
}

/* The charts of all ranks. */
typedef struct {
    rank_chart_t of[CLADES_MAX_RANKS];
    report_lines_t lines[CLADES_MAX_RANKS];
    double *values;
    int n;
} charts_t;

/* @return the first bin that is drawn: a tenth of the axis, at or below all pairs */
static int64_t first_bin(const clades_t *c)
{
    int64_t first = (c->n_bins - 1) * 9 / 10;

    for (int64_t level = 0; level < c->n_levels; level++) {
        const int64_t bin = clades_kth(c, c->level_count + level * c->n_bins, 1);

        first = bin >= 0 && bin < first ? bin : first;
    }
    return first * 10 / (c->n_bins - 1) * (c->n_bins - 1) / 10;
}

static status_t make_charts(const clades_t *c, charts_t **out)
{
    charts_t *all = calloc(1, sizeof(*all));
    const int64_t first = first_bin(c);
    double *x;

    if (all == NULL || (all->values = calloc((size_t)(c->n_bins * (2 * c->n_ranks + 1)),
                                             sizeof(*all->values))) == NULL) {
        free(all);
        return log_nomem("charts");
    }
    x = all->values;
    for (int64_t k = 0; k < c->n_bins; k++)
        x[k] = 100 * (double)k / (double)(c->n_bins - 1);
    for (all->n = 0; all->n < c->n_ranks; all->n++) {
        rank_chart_t *chart = &all->of[all->n];

        chart->y[0] = x + (2 * all->n + 1) * c->n_bins;
        chart->y[1] = chart->y[0] + c->n_bins;
        fill_chart(c, all->n + 1, x, first, chart);
        all->lines[all->n] = (report_lines_t){.id = chart->id,
                                              .label = chart->label,
                                              .x_title = chart->title,
                                              .y_title = "pairs",
                                              .y_unit = "%",
                                              .x_min = x[first],
                                              .series = chart->series,
                                              .n_series = 2};
    }
    *out = all;
    return ST_OK;
}

static void free_charts(charts_t *all)
{
    free(all->values);
    free(all);
}

status_t clades_print_svg(const clades_t *c, FILE *to)
{
    charts_t *all;
    status_t st = make_charts(c, &all);

    if (st != ST_OK)
        return st;
    report_lines_picture(to, "Identities within and between taxa", all->lines, all->n);
    free_charts(all);
    return ST_OK;
}

/* ---- any file ---- */

static status_t describe(const char *path, FILE *to)
{
    const clades_t *c = NULL;
    clades_file_t *f = NULL;
    char ratio[FRACTION_RATIO_BYTES];
    status_t st = clades_file_open(path, &f, &c);

    if (st == ST_OK) {
        fprintf(to,
                "file\tsequences\t%" PRId64 "\nfile\ttaxa\t%" PRId64
                "\nfile\tranks\t%" PRId64 "\nfile\tblocks\t%" PRId64
                "\nfile\tbins\t%" PRId64 "\n",
                c->n, c->n_taxa - 1, c->n_ranks, c->n_cuts, c->n_bins);
        if (c->min_identity.denominator > 0)
            fprintf(to, "file\tmin_identity\t%s\n",
                    fraction_to_ratio(&c->min_identity, ratio));
        run_info_print_job(c->job, to);
    }
    clades_file_close(f);
    return st;
}

/* Print the highest identity to a sequence of the own taxon of a rank, and to one of
 * another. */
static void print_best(const clades_t *c, int64_t position, int64_t level, FILE *to)
{
    const int64_t at = position * c->n_levels + level;

    if (c->best_columns[at] == 0)
        fputs("\t-", to);
    else
        fprintf(to, "\t%.6f", (double)c->best_matches[at] / c->best_columns[at]);
}

/* A line per sequence: its lineage, and the highest identity by level. */
static status_t view(const char *path, bool has_header, FILE *to)
{
    const clades_t *c = NULL;
    clades_file_t *f = NULL;
    status_t st = clades_file_open(path, &f, &c);
    int32_t taxon = 0;

    for (int64_t r = 0; st == ST_OK && has_header && r <= c->n_ranks; r++) {
        if (r == 0)
            fputs("name\tlineage", to);
        fprintf(to, "\tbest_at_%" PRId64 "\tbest_ends_%" PRId64 "%s", r, r,
                r == c->n_ranks ? "\n" : "");
    }
    for (int64_t p = 0; st == ST_OK && p < c->n && !ferror(to); p++) {
        buf_t lineage = {0};

        while (taxon > 0 && c->end[taxon] <= p)
            taxon = c->parent[taxon];
        for (int32_t t = taxon + 1; t < c->n_taxa && c->begin[t] <= p; t++)
            taxon = c->end[t] > p ? t : taxon;
        if (taxon > 0)
            st = clades_lineage(c, taxon, &lineage);
        fprintf(to, "%s\t%.*s", c->name[p], (int)lineage.len,
                lineage.len > 0 ? (const char *)lineage.data : "");
        for (int64_t level = 0; level < c->n_levels; level++)
            print_best(c, p, level, to);
        putc('\n', to);
        buf_free(&lineage);
    }
    clades_file_close(f);
    return st;
}

/* ---- the page ---- */

enum { MAX_ROWS = 200 }; /* of the table */

typedef struct {
    const char *path;
    const clades_t *c;
    charts_t *charts;
    clades_row_t *rows; /* [n_rows] the smallest gap first */
    int64_t n_rows;
} page_t;

static int by_gap(const void *a, const void *b)
{
    const clades_row_t *x = a, *y = b;

    if (has_gap(x) != has_gap(y))
        return has_gap(x) ? -1 : 1;
    if (has_gap(x) && gap_of(x) != gap_of(y))
        return gap_of(x) < gap_of(y) ? -1 : 1;
    return (x->taxon > y->taxon) - (x->taxon < y->taxon);
}

static void write_cell(const clades_t *c, int64_t bins, bool is_there, FILE *to)
{
    if (is_there)
        fprintf(to, "<td>%.4g</td>", 100 * (double)bins / (double)(c->n_bins - 1));
    else
        fputs("<td></td>", to);
}

static void write_table(const page_t *p, FILE *to)
{
    const clades_t *c = p->c;

    fprintf(to,
            "<section>\n<h2>Taxa</h2>\n<p>Up to %d taxa, those with the smallest gap "
            "first: the minimum within a taxon less the maximum to its nearest sibling, "
            "in %%. Some sequences are more similar to one of another taxon than to any "
            "of their own.</p>\n<div class=\"wide\">\n<table id=\"taxa\" "
            "class=\"numbers\">\n<tr><th>taxon</th><th>rank</th><th>sequences</th>"
            "<th>minimum</th><th>median</th><th>nearest</th><th>maximum</th><th>gap</th>"
            "<th>fit elsewhere</th></tr>\n",
            MAX_ROWS);
    for (int64_t k = 0; k < p->n_rows && k < MAX_ROWS; k++) {
        const clades_row_t *r = &p->rows[k];

        fputs("<tr><td>", to);
        svg_draw_text(to, c->taxon_name[r->taxon]);
        fprintf(to, "</td><td>%d</td><td>%d</td>", clades_rank(c, r->taxon),
                c->end[r->taxon] - c->begin[r->taxon]);
        write_cell(c, r->min, r->min >= 0, to);
        write_cell(c, r->median, r->median >= 0, to);
        fputs("<td>", to);
        svg_draw_text(to, r->nearest >= 0 ? c->taxon_name[r->nearest] : "");
        fputs("</td>", to);
        write_cell(c, r->max_nearest, r->max_nearest >= 0, to);
        write_cell(c, gap_of(r), has_gap(r), to);
        fprintf(to, "<td>%" PRId64 "</td></tr>\n", r->n_misfits);
    }
    fputs("</table>\n</div>\n</section>\n", to);
}

static status_t describe_page(const void *content, FILE *to)
{
    const page_t *p = content;
    status_t st = file_printer_describe(&clades_file_printer, p->path, to);

    fprintf(to, "report\tfile\t%s\n", p->path);
    return st;
}

static status_t write_page(const void *content, const char *title, const char *about,
                           FILE *to)
{
    const page_t *p = content;

    report_frame_begin(to, title != NULL ? title : "Identities within and between taxa",
                       p->path);
    fputs("<div class=\"cards\">\n", to);
    report_frame_card(to, "n-sequences", p->c->n, "sequences");
    report_frame_card(to, "n-taxa", p->c->n_taxa - 1, "taxa");
    report_frame_card(to, "n-blocks", p->c->n_cuts, "blocks");
    fputs("</div>\n<div class=\"pair\">\n", to);
    for (int k = 0; k < p->charts->n; k++) {
        fputs("<section>\n", to);
        (void)report_lines_draw(to, &p->charts->lines[k]);
        fputs("</section>\n", to);
    }
    fputs("</div>\n", to);
    write_table(p, to);
    report_frame_end(to, about);
    return ST_OK;
}

static status_t draw(const file_report_t *how)
{
    static const page_kind_t kind = {describe_page, write_page};
    clades_file_t *f = NULL;
    page_t p = {.path = how->input};
    status_t st = clades_file_open(how->input, &f, &p.c);

    if (st == ST_OK)
        st = clades_table(f, p.c, &p.rows, &p.n_rows);
    if (st == ST_OK && (st = make_charts(p.c, &p.charts)) == ST_OK) {
        qsort(p.rows, (size_t)p.n_rows, sizeof(*p.rows), by_gap);
        st = page_draw(&kind, how, &p);
        free_charts(p.charts);
    }
    free(p.rows);
    clades_file_close(f);
    return st;
}

const file_printer_t clades_file_printer = {"clades", describe, view, draw};
