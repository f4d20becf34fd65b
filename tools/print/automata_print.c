/*
 * automata_print.c - prints automata: a line per pattern, counts, and a page.
 */
#include "io/automata/automata_file.h"
#include "tools/print/file_printers.h"

#include <inttypes.h>

static int64_t count_alone(const automata_t *a)
{
    int64_t n = 0;

    for (int64_t k = 0; k < a->nfa.n_patterns; k++)
        n += a->dfas.group[k] < 0;
    return n;
}

static status_t describe(const char *path, FILE *to)
{
    automata_t a;
    status_t st = automata_file_read(path, &a);

    if (st != ST_OK)
        return st;
    fprintf(to,
            "file\tpatterns\t%" PRId64 "\nfile\tpositions\t%" PRId64
            "\nfile\tedges\t%" PRId64 "\nfile\tgroups\t%" PRId64
            "\nfile\tstates\t%" PRId64 "\nfile\ttransitions\t%" PRId64
            "\nfile\ttransition_bytes\t%" PRId64 "\nfile\tcompressed\t%s"
            "\nfile\tpatterns_without_group\t%" PRId64 "\n",
            a.nfa.n_patterns, a.nfa.n_positions, a.nfa.n_edges, a.dfas.n_groups,
            a.dfas.n_states, a.dfas.n_cells, dfa_set_bytes(&a.dfas),
            dfa_set_is_compressed(&a.dfas) ? "yes" : "no", count_alone(&a));
    run_info_print_job(a.job, to);
    automata_free(&a);
    return ST_OK;
}

static status_t print_patterns(const char *path, bool has_header, FILE *to)
{
    automata_t a;
    status_t st = automata_file_read(path, &a);

    if (st != ST_OK)
        return st;
    if (has_header)
        fputs("number\tpositions\tgroup\tpattern\n", to);
    for (int64_t k = 0; k < a.nfa.n_patterns; k++) {
        fprintf(to, "%" PRId64 "\t%" PRId64 "\t", k + 1,
                a.nfa.first[k + 1] - a.nfa.first[k]);
        if (a.dfas.group[k] < 0)
            fputs("NA", to);
        else
            fprintf(to, "%" PRId32, a.dfas.group[k] + 1);
        fprintf(to, "\t%s\n", a.nfa.name[k]);
    }
    automata_free(&a);
    return ST_OK;
}

static status_t draw(const file_report_t *how)
{
    file_page_t page = {.title = "Patterns and automata"};
    report_bars_t *bars = file_page_chart(&page, "positions", "Patterns by positions",
                                          "pattern", "patterns");
    report_bins_t bins;
    int64_t max = 1;
    automata_t a;
    status_t st = automata_file_read(how->input, &a);

    if (st != ST_OK)
        return st;
    for (int64_t k = 0; k < a.nfa.n_patterns; k++)
        if (a.nfa.first[k + 1] - a.nfa.first[k] > max)
            max = a.nfa.first[k + 1] - a.nfa.first[k];
    bins = report_bins(0, (double)max, true);
    report_bins_label(&bins, bars);
    for (int64_t k = 0; k < a.nfa.n_patterns; k++)
        bars->bars[report_bins_of(&bins, (double)(a.nfa.first[k + 1] - a.nfa.first[k]))]
            .count++;
    file_page_card(&page, "n-patterns", a.nfa.n_patterns, "patterns");
    file_page_card(&page, "n-groups", a.dfas.n_groups, "groups");
    file_page_card(&page, "n-states", a.dfas.n_states, "states of their automata");
    file_page_card(&page, "n-alone", count_alone(&a), "patterns without a group");
    automata_free(&a);
    return file_page_write(&page, how, &automata_file_printer);
}

const file_printer_t automata_file_printer = {"automata build", describe, print_patterns,
                                              draw};
