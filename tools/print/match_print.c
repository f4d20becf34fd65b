/*
 * match_print.c - prints matches of patterns: a line per match, counts, and a page.
 */
#include "io/automata/match_file.h"
#include "io/base/logmsg.h"
#include "tools/print/file_printers.h"

#include <inttypes.h>
#include <stdlib.h>

/* Count the matches of each pattern. @return [n_patterns] or NULL (logged) */
static int64_t *count_hits(const match_file_t *m, int64_t *n_found)
{
    int64_t *n = calloc((size_t)m->n_patterns + 1, sizeof(*n));

    *n_found = 0;
    if (n == NULL)
        (void)log_nomem("patterns");
    for (int64_t k = 0; n != NULL && k < m->n_hits; k++)
        *n_found += n[m->hit[k]]++ == 0;
    return n;
}

static status_t describe(const char *path, FILE *to)
{
    int64_t n_found, *n;
    match_file_t m;
    status_t st = match_file_read(path, &m);

    if (st != ST_OK)
        return st;
    n = count_hits(&m, &n_found);
    fprintf(to,
            "file\tpatterns\t%" PRId64 "\nfile\tpatterns_found\t%" PRId64
            "\nfile\tmatches\t%" PRId64 "\n",
            m.n_patterns, n_found, m.n_hits);
    run_info_print_job(m.job, to);
    free(n);
    match_file_free(&m);
    return n != NULL ? ST_OK : ST_ENOMEM;
}

static status_t print_hits(const char *path, bool has_header, FILE *to)
{
    match_file_t m;
    status_t st = match_file_read(path, &m);

    if (st != ST_OK)
        return st;
    if (has_header)
        fprintf(to, "%send\tnumber\tpattern\n", m.record != NULL ? "line\t" : "");
    for (int64_t k = 0; k < m.n_hits && !ferror(to); k++) {
        if (m.record != NULL)
            fprintf(to, "%" PRId64 "\t", m.record[k] + 1);
        fprintf(to, "%" PRId64 "\t%" PRId32 "\t%s\n", m.end[k], m.hit[k] + 1,
                m.pattern[m.hit[k]]);
    }
    match_file_free(&m);
    return ST_OK;
}

static status_t draw(const file_report_t *how)
{
    file_page_t page = {.title = "Matches of patterns"};
    report_bars_t *bars =
        file_page_chart(&page, "matches", "Patterns by matches", "pattern", "patterns");
    report_bins_t bins;
    int64_t n_found, max = 1, *n;
    match_file_t m;
    status_t st = match_file_read(how->input, &m);

    if (st != ST_OK)
        return st;
    if ((n = count_hits(&m, &n_found)) == NULL) {
        match_file_free(&m);
        return ST_ENOMEM;
    }
    for (int64_t k = 0; k < m.n_patterns; k++)
        max = n[k] > max ? n[k] : max;
    bins = report_bins(0, (double)max, true);
    report_bins_label(&bins, bars);
    for (int64_t k = 0; k < m.n_patterns; k++)
        bars->bars[report_bins_of(&bins, (double)n[k])].count++;
    file_page_card(&page, "n-patterns", m.n_patterns, "patterns");
    file_page_card(&page, "n-found", n_found, "patterns found");
    file_page_card(&page, "n-matches", m.n_hits, "matches");
    free(n);
    match_file_free(&m);
    return file_page_write(&page, how, &match_file_printer);
}

const file_printer_t match_file_printer = {"automata match", describe, print_hits, draw};
