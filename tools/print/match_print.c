/*
 * match_print.c - prints matches of patterns: a line per match, counts, and a page.
 */
#include "io/automata/match_file.h"
#include "io/base/logmsg.h"
#include "tools/print/file_printers.h"

#include <inttypes.h>
#include <stdlib.h>

/* Count the matches of each pattern. @param n  [n_patterns] out, freed by the caller, too
 * after an error */
static status_t count_hits(match_reader_t *r, int64_t n_patterns, int64_t **n,
                           int64_t *n_found)
{
    const match_file_t *block = NULL;
    status_t st = ST_OK;

    *n_found = 0;
    if ((*n = calloc((size_t)n_patterns + 1, sizeof(**n))) == NULL)
        return log_nomem("patterns");
    do {
        st = match_reader_next(r, &block);
        for (int64_t k = 0; st == ST_OK && k < block->n_hits; k++)
            *n_found += (*n)[block->hit[k]]++ == 0;
    } while (st == ST_OK && block->n_hits > 0);
    return st;
}

static status_t describe(const char *path, FILE *to)
{
    const match_file_t *m = NULL;
    match_reader_t *r = NULL;
    int64_t n_found, *n = NULL;
    status_t st = match_reader_open(path, &r, &m);

    if (st == ST_OK && (st = count_hits(r, m->n_patterns, &n, &n_found)) == ST_OK) {
        fprintf(to,
                "file\tpatterns\t%" PRId64 "\nfile\tpatterns_found\t%" PRId64
                "\nfile\tmatches\t%" PRId64 "\n",
                m->n_patterns, n_found, m->n_hits);
        run_info_print_job(m->job, to);
    }
    free(n);
    match_reader_close(r);
    return st;
}

static void print_block(const match_file_t *m, char *const *pattern, FILE *to)
{
    for (int64_t k = 0; k < m->n_hits && !ferror(to); k++) {
        if (m->record != NULL)
            fprintf(to, "%" PRId64 "\t", m->record[k] + 1);
        fprintf(to, "%" PRId64 "\t%" PRId32 "\t%s\n", m->end[k], m->hit[k] + 1,
                pattern[m->hit[k]]);
    }
}

static status_t print_hits(const char *path, bool has_header, FILE *to)
{
    const match_file_t *m = NULL, *block = NULL;
    match_reader_t *r = NULL;
    status_t st = match_reader_open(path, &r, &m);

    if (st == ST_OK)
        st = match_reader_next(r, &block);
    if (st == ST_OK && has_header)
        fprintf(to, "%send\tnumber\tpattern\n", block->record != NULL ? "line\t" : "");
    while (st == ST_OK && block->n_hits > 0 && !ferror(to)) {
        print_block(block, m->pattern, to);
        st = match_reader_next(r, &block);
    }
    match_reader_close(r);
    return st;
}

/* @param n  [n_patterns] matches of each */
static void fill_page(const match_file_t *m, const int64_t *n, int64_t n_found,
                      file_page_t *page)
{
    report_bars_t *bars =
        file_page_chart(page, "matches", "Patterns by matches", "pattern", "patterns");
    report_bins_t bins;
    int64_t max = 1;

    for (int64_t k = 0; k < m->n_patterns; k++)
        max = n[k] > max ? n[k] : max;
    bins = report_bins(0, (double)max, true);
    report_bins_label(&bins, bars);
    for (int64_t k = 0; k < m->n_patterns; k++)
        bars->bars[report_bins_of(&bins, (double)n[k])].count++;
    file_page_card(page, "n-patterns", m->n_patterns, "patterns");
    file_page_card(page, "n-found", n_found, "patterns found");
    file_page_card(page, "n-matches", m->n_hits, "matches");
}

static status_t draw(const file_report_t *how)
{
    file_page_t page = {.title = "Matches of patterns"};
    const match_file_t *m = NULL;
    match_reader_t *r = NULL;
    int64_t n_found, *n = NULL;
    status_t st = match_reader_open(how->input, &r, &m);

    if (st == ST_OK && (st = count_hits(r, m->n_patterns, &n, &n_found)) == ST_OK)
        fill_page(m, n, n_found, &page);
    free(n);
    match_reader_close(r);
    return st == ST_OK ? file_page_write(&page, how, &match_file_printer) : st;
}

const file_printer_t match_file_printer = {"automata match", describe, print_hits, draw};
