/*
 * cmd_view.c - `ribogrid view`: prints the pairs, or what another kind of file holds, as
 * TSV.
 */
#include "io/base/logmsg.h"
#include "io/modelfile/class_names.h"
#include "io/pairs/pairs_file.h"
#include "io/pairs/pairs_scan.h"
#include "io/seq/cigar.h"
#include "tools/options/commands.h"
#include "tools/options/option_tables.h"
#include "tools/print/file_printers.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    job_opts_t common;
    const char *path;
    fraction_t id;
    const char *region;
    int sort; /* if it is given */
    bool no_header;
} args_t;

static const option_t words[] = {{OPTION_INPUT, "FILE.h5 | NAMES.tsv", 0,
                                  OPTION_AT(args_t, path)},
                                 {.kind = OPTION_END}};

static const option_t options[] = {
    {.word = WORD_ID, OPTION_AT(args_t, id), .help = " of the pairs to print"},
    {OPTION_TEXT, "region", 0, OPTION_AT(args_t, region), "A-B[,C-D]",
     "only rows A to B (and columns C to D), numbered from 1 in input order"},
    {.word = WORD_SORT, OPTION_AT(args_t, sort)},
    {OPTION_FLAG, "no-header", 0, OPTION_AT(args_t, no_header), NULL,
     "leave out the line of column names"},
    {.kind = OPTION_TABLE, .table = option_input},
    {.kind = OPTION_END}};

/* Parse a range "A-B" or "A": numbered from 1, both ends included. */
static bool parse_range(const char **text, int64_t n, int64_t *begin, int64_t *end)
{
    char *rest;

    *begin = strtoll(*text, &rest, 10);
    if (rest == *text || *begin < 1)
        return false;
    *end = (*begin)--;
    if (*rest == '-') {
        *text = rest + 1;
        *end = strtoll(*text, &rest, 10);
        if (rest == *text)
            return false;
    }
    *text = rest;
    return *begin < *end && *end <= n;
}

static status_t parse_region(const char *text, int64_t n, int64_t m, pairs_region_t *out)
{
    const char *at = text;

    *out = (pairs_region_t){0, n, 0, m};
    if (text == NULL)
        return ST_OK;
    if (parse_range(&at, n, &out->row0, &out->row1) &&
        (*at == '\0' || (*at++ == ',' && parse_range(&at, m, &out->col0, &out->col1))) &&
        *at == '\0')
        return ST_OK;
    if (n != m)
        return options_misuse(&cmd_view,
                              "--region %s: give A-B or A-B,C-D, rows within 1-%" PRId64
                              ", columns within 1-%" PRId64,
                              text, n, m);
    return options_misuse(&cmd_view, "--region %s: give A-B or A-B,C-D within 1-%" PRId64,
                          text, n);
}

static void print_pair(const pairs_file_t *f, const pairs_hit_t *hit)
{
    char score[HALVES_TEXT_BYTES];

    printf("%s\t%s\t%s", f->rows.names[hit->row], f->cols.names[hit->col],
           pairs_score_text(f, hit->score, score));
    if (f->n_datasets == PAIRS_N_SCORE)
        return;
    printf("\t%" PRId32 "\t%" PRId32, hit->matches, hit->columns);
    if (hit->columns > 0)
        printf("\t%.6f", (double)hit->matches / hit->columns);
    else
        printf("\tNA");
    if (f->has_strand)
        printf("\t%c", hit->strand > 0 ? '+' : '-');
}

/* Positions of a local alignment are known if there are CIGARs. */
static bool has_positions(const pairs_file_t *f)
{
    return f->ends_local && f->n_datasets == PAIRS_N_CIGAR;
}

/* Print the first and the last base of hit k in both sequences, from 1. */
static status_t print_positions(const pairs_file_t *f, pairs_scan_t *scan,
                                const pairs_hit_t *hit, int64_t k)
{
    const uint32_t *runs;
    cigar_margins_t m;
    int64_t n;
    status_t st = pairs_scan_runs(scan, k, &runs, &n);

    if (st != ST_OK)
        return st;
    if (n == 0) {
        printf("\tNA\tNA\tNA\tNA");
        return ST_OK;
    }
    m = cigar_margins(runs, n);
    printf("\t%" PRId64 "\t%" PRId64 "\t%" PRId64 "\t%" PRId64, m.query_left + 1,
           pairs_len(f, hit->row) - m.query_right, m.target_left + 1,
           pairs_col_len(f, hit->col) - m.target_right);
    return ST_OK;
}

/* Print the CIGAR of hit k, or '*' if there is none, as in SAM files. */
static status_t print_cigar(pairs_scan_t *scan, int64_t k)
{
    const char *text;
    int64_t len;
    status_t st = pairs_scan_cigar(scan, k, &text, &len);

    if (st == ST_OK && len > 0)
        printf("\t%.*s", (int)len, text);
    else if (st == ST_OK)
        printf("\t*");
    return st;
}

static void print_header(const pairs_file_t *f)
{
    printf("query\ttarget\tscore%s%s%s%s\n",
           f->n_datasets != PAIRS_N_SCORE ? "\tmatches\tcolumns\tidentity" : "",
           f->has_strand ? "\tstrand" : "",
           has_positions(f) ? "\tquery_first\tquery_last\ttarget_first\ttarget_last" : "",
           f->n_datasets == PAIRS_N_CIGAR ? "\tcigar" : "");
}

static status_t print_all(const pairs_file_t *f, const pairs_region_t *region,
                          const args_t *a)
{
    pairs_order_t order =
        IS_GIVEN(a, sort) ? (pairs_order_t)a->sort : pairs_order_default(f);
    const pairs_hit_t *hits;
    pairs_scan_t *scan;
    int64_t n = 1;
    status_t st = pairs_scan_open_sorted(f, &a->id, region, order, &scan);

    if (st != ST_OK)
        return st;
    if (!a->no_header)
        print_header(f);
    while (st == ST_OK && n > 0 && (st = pairs_scan_next(scan, &hits, &n)) == ST_OK) {
        for (int64_t k = 0; st == ST_OK && k < n; k++) {
            print_pair(f, &hits[k]);
            if (has_positions(f))
                st = print_positions(f, scan, &hits[k], k);
            if (st == ST_OK && f->n_datasets == PAIRS_N_CIGAR)
                st = print_cigar(scan, k);
            putchar('\n');
        }
        if (ferror(stdout))
            break; /* main reports it */
    }
    pairs_scan_close(scan);
    return st;
}

static status_t view_pairs(const args_t *a)
{
    const char *path = a->path;
    pairs_file_t *f;
    pairs_region_t region;
    status_t st = pairs_open(path, &f);

    if (st != ST_OK)
        return st;
    if (IS_GIVEN(a, id) && f->n_datasets == PAIRS_N_SCORE)
        st = options_misuse(&cmd_view, "--id: %s holds only scores", path);
    if (st == ST_OK)
        st = parse_region(a->region, f->rows.n, f->cols.n, &region);
    if (st == ST_OK)
        st = print_all(f, &region, a);
    pairs_close(f);
    return st;
}

static status_t run(void *args)
{
    const args_t *a = args;
    const file_printer_t *printer = &class_result_printer;
    status_t st = ST_OK;

    if (!class_names_are_text(a->path))
        st = file_printers_find(a->path, &printer);

    if (st != ST_OK || printer == NULL)
        return st == ST_OK ? view_pairs(a) : st;
    if (IS_GIVEN(a, id) || a->region != NULL || IS_GIVEN(a, sort))
        return options_misuse(&cmd_view,
                              "--id, --region and --sort are for pairs; %s holds results "
                              "of `ribogrid %s`",
                              a->path, printer->command);
    return printer->view(a->path, !a->no_header, stdout);
}

const command_t cmd_view = {
    .name = "view",
    .summary = "print what a file of ribogrid holds as TSV: pairs, nodes, names, ...",
    .words = words,
    .usage = "[options]",
    .options = options,
    .args_bytes = sizeof(args_t),
    .notes =
        "Columns of pairs: query, target, score, matches, columns, identity (matches /\n"
        "columns; NA if the sequences overlap too little), strand (if both were\n"
        "compared), first and last base in query and target (local alignments with\n"
        "CIGARs; from 1, on the strand that was aligned), cigar (* if there is none).\n"
        "Columns of nodes: source (if there are several), id, name (of sequences), and\n"
        "the results of the algorithm. `graph mst` has edges: source, target, their\n"
        "names and weight.\n"
        "Columns of names: as in `ribogrid classify --help`; tables of `classify` and\n"
        "`taxonomy`, also compressed, are printed as they are. Of OTUs: sequence, otu "
        "(NA "
        "if\n"
        "left out), representative (1). Of a graph: source, target, weight. Of a model "
        "of\n"
        "`classify train`: name, bases, lineage. Of a trained network: iteration, loss,\n"
        "accuracy, rate, test_loss, test_accuracy.\n",
    .example = "ribogrid view pairs.h5 --id 0.97 --region 1-100 > close.tsv",
    .reads_results = true,
    .run = run,
};
