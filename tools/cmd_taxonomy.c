/*
 * cmd_taxonomy.c - `ribogrid taxonomy`: prints the lineage on which each query's hits
 * agree.
 */
#include "graph/summary/composition.h"
#include "io/base/logmsg.h"
#include "io/file/whole_file.h"
#include "io/pairs/pairs_file.h"
#include "io/pairs/pairs_scan.h"
#include "tools/options/commands.h"
#include "tools/options/option_tables.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

typedef enum { FORMAT_TSV, FORMAT_MOTHUR, FORMAT_QIIME2 } format_t;

enum { NOT_SEEN = -2 };

typedef struct {
    job_opts_t common;
    const char *path;
    fraction_t min_consensus;
    const char *taxonomy;
    int format;
    bool allow_missing;
} args_t;

#define AT(member) OPTION_AT(args_t, member)

static const option_t words[] = {{OPTION_INPUT, "HITS.h5", 0, OPTION_AT(args_t, path)},
                                 {.kind = OPTION_END}};

static const option_t options[] = {
    {.kind = OPTION_GROUP, .name = "Input and output"},
    {.word = WORD_TAXONOMY,
     AT(taxonomy),
     .help = " of the references: a table, or FASTA with lineages in its headers"},
    {.kind = OPTION_TABLE, .table = option_input},
    {.word = WORD_FORMAT, AT(format), .value = "tsv|mothur|qiime2", .help = " ({})"},
    {.word = WORD_OUTPUT, AT(common.output), .help = " (stdout)"},
    {.kind = OPTION_TABLE, .table = option_force},
    {.kind = OPTION_GROUP, .name = "What to compute"},
    {OPTION_FRACTION, "min-consensus", 0, AT(min_consensus), "FRACTION",
     "fraction of the hits that must share a taxon, above 0.5 ({})"},
    {.word = WORD_ALLOW_MISSING,
     AT(allow_missing),
     .help = ": hits with such references support no taxon"},
    {.kind = OPTION_END}};

typedef struct {
    const args_t *args;
    const pairs_file_t *file;
    taxonomy_t *taxonomy;
    int32_t *taxon_of; /* [references] of those that have hits; NOT_SEEN: the others */
    FILE *to;
    buf_t hits; /* int32_t: taxa of the current query's hits */
    buf_t text;
    bool blanks_replaced;
} consensus_run_t;

/* mothur takes a blank as the end of a name or of a lineage. */
static void replace_blanks(consensus_run_t *g)
{
    for (size_t i = 0; i < g->text.len; i++)
        if (g->text.data[i] == ' ') {
            g->text.data[i] = '_';
            if (!g->blanks_replaced)
                log_warn("names contain blanks, which mothur does not accept; "
                         "they are written as '_'");
            g->blanks_replaced = true;
        }
}

/* Append the lineage, each taxon with its support in percent, rounded down. */
static status_t append_supports(consensus_run_t *g, const int32_t *taxa, int64_t n,
                                int32_t taxon)
{
    status_t st = ST_OK;

    for (int rank = 1; st == ST_OK && rank <= taxonomy_rank(g->taxonomy, taxon); rank++) {
        int32_t upper = taxonomy_ancestor(g->taxonomy, taxon, rank);
        int64_t count = consensus_count(g->taxonomy, taxa, n, upper);

        st = buf_printf(&g->text, "%s(%" PRId64 ");", taxonomy_name(g->taxonomy, upper),
                        100 * count / n);
    }
    return st;
}

/* Print the line of one query. */
static status_t print_query(consensus_run_t *g, int64_t row)
{
    static const char *const between[] = {";", "", "; "};
    const int32_t *taxa = (const int32_t *)(const void *)g->hits.data;
    const char *name = g->file->rows.names[row];
    int64_t n = (int64_t)(g->hits.len / sizeof(*taxa)), count = 0;
    int32_t taxon = consensus_of(g->taxonomy, &g->args->min_consensus, taxa, n);
    bool is_named = taxon != TAXONOMY_ROOT, is_mothur = g->args->format == FORMAT_MOTHUR;
    status_t st;

    g->text.len = 0;
    if ((st = buf_printf(&g->text, "%s\t", name)) != ST_OK)
        return st;
    if (!is_named)
        st = buf_printf(&g->text, "%s", is_mothur ? "unknown(0);" : "Unassigned");
    else if (is_mothur)
        st = append_supports(g, taxa, n, taxon);
    else
        st = taxonomy_append(g->taxonomy, taxon, between[g->args->format], &g->text);
    if (st != ST_OK)
        return st;
    if (is_named)
        count = consensus_count(g->taxonomy, taxa, n, taxon);
    if (is_mothur)
        replace_blanks(g);
    fprintf(g->to, "%.*s", (int)g->text.len, (const char *)g->text.data);
    if (!is_mothur)
        fprintf(g->to, "\t%.6f", is_named ? (double)count / (double)n : 0.0);
    if (g->args->format == FORMAT_TSV)
        fprintf(g->to, "\t%" PRId64 "\t%" PRId64, count, n);
    putc('\n', g->to);
    g->hits.len = 0;
    return ST_OK;
}

static status_t add_hit(consensus_run_t *g, const pairs_hit_t *hit)
{
    return buf_append(&g->hits, &g->taxon_of[hit->col], sizeof(*g->taxon_of));
}

/* Hits on references without a lineage: their numbers, and the first reference. */
typedef struct {
    int64_t n_hits, n_references;
    const char *first;
} missing_t;

/* Find the lineages of all references that have hits; the root for those without one. */
static status_t find_lineages(consensus_run_t *g, missing_t *missing)
{
    pairs_scan_t *scan;
    const pairs_hit_t *hits;
    int64_t n = 0;
    status_t st = pairs_scan_open(g->file, NULL, &scan);

    if (st != ST_OK)
        return st;
    while ((st = pairs_scan_next(scan, &hits, &n)) == ST_OK && n > 0)
        for (int64_t k = 0; k < n; k++) {
            int32_t *taxon = &g->taxon_of[hits[k].col];
            bool is_new = *taxon == NOT_SEEN;

            if (is_new)
                *taxon = taxonomy_find(g->taxonomy, g->file->cols.names[hits[k].col]);
            if (*taxon > TAXONOMY_ROOT)
                continue;
            *taxon = TAXONOMY_ROOT;
            missing->n_hits++;
            missing->n_references += is_new;
            if (missing->first == NULL)
                missing->first = g->file->cols.names[hits[k].col];
        }
    pairs_scan_close(scan);
    return st;
}

/* Read all hits before the first line is printed, so that one of them that cannot be used
 * leaves no half output. */
static status_t prepare(consensus_run_t *g)
{
    int64_t n = g->file->cols.n;
    missing_t missing = {.n_hits = 0};
    status_t st;

    if ((g->taxon_of = malloc(((size_t)n + 1) * sizeof(*g->taxon_of))) == NULL)
        return log_nomem("the lineages of the references");
    for (int64_t j = 0; j < n; j++)
        g->taxon_of[j] = NOT_SEEN;
    if ((st = find_lineages(g, &missing)) != ST_OK || missing.n_hits == 0)
        return st;
    if (g->args->allow_missing) {
        log_warn("%s has no lineage for %" PRId64
                 " of the references that have hits, the "
                 "first is '%s'; their %" PRId64 " hits support no taxon",
                 g->args->taxonomy, missing.n_references, missing.first, missing.n_hits);
        return ST_OK;
    }
    log_error("%s has no lineage for %" PRId64 " of the references that have hits, the "
              "first is '%s'; give the lineages of all references that were aligned, or "
              "--allow-missing",
              g->args->taxonomy, missing.n_references, missing.first);
    return ST_EINPUT;
}

/* Print all queries.  Hits are ordered by row; rows without hits get a line as well. */
static status_t print_all(consensus_run_t *g)
{
    pairs_scan_t *scan;
    const pairs_hit_t *hits;
    int64_t n = 0, row = 0;
    status_t st = pairs_scan_open(g->file, NULL, &scan);

    if (st != ST_OK)
        return st;
    if (g->args->format == FORMAT_TSV)
        fprintf(g->to, "query\tlineage\tconsensus\tagreeing\thits\n");
    if (g->args->format == FORMAT_QIIME2)
        fprintf(g->to, "Feature ID\tTaxon\tConsensus\n");
    while (st == ST_OK && (st = pairs_scan_next(scan, &hits, &n)) == ST_OK && n > 0)
        for (int64_t k = 0; st == ST_OK && k < n; k++) {
            while (st == ST_OK && row < hits[k].row)
                st = print_query(g, row++);
            if (st == ST_OK)
                st = add_hit(g, &hits[k]);
        }
    while (st == ST_OK && row < g->file->rows.n)
        st = print_query(g, row++);
    pairs_scan_close(scan);
    return st;
}

/* Require queries and references: all-against-all files store each pair only once, so a
 * row does not hold all pairs of a sequence. */
static status_t check_file(const char *path, const pairs_file_t *file)
{
    if (file->is_against)
        return ST_OK;
    log_error("%s holds all pairs of one set; give a file of queries "
              "against references (`align --against`)",
              path);
    return ST_EINPUT;
}

static status_t classify(const args_t *a, const char *path)
{
    consensus_run_t g = {.args = a};
    pairs_file_t *file = NULL;
    whole_file_t *to;
    status_t st = pairs_open(path, &file);

    g.file = file;
    if (st == ST_OK)
        st = check_file(path, file);
    if (st == ST_OK)
        st = taxonomy_read(a->taxonomy, &g.taxonomy);
    if (st == ST_OK)
        st = prepare(&g);
    if (st == ST_OK && (st = whole_file_open(a->common.output, WHOLE_FILE_TEXT,
                                             a->common.force, &to)) == ST_OK) {
        g.to = whole_file_stream(to);
        st = whole_file_close(to, print_all(&g));
    }
    taxonomy_destroy(g.taxonomy);
    free(g.taxon_of);
    buf_free(&g.hits);
    buf_free(&g.text);
    pairs_close(file);
    return st;
}

static void defaults(void *args)
{
    ((args_t *)args)->min_consensus = (fraction_t){51, 100};
}

static status_t run(void *args)
{
    const args_t *a = args;

    if (a->taxonomy == NULL)
        return options_misuse(&cmd_taxonomy, "give --taxonomy FILE");
    if (2 * a->min_consensus.numerator <= a->min_consensus.denominator)
        return options_misuse(
            &cmd_taxonomy, "--min-consensus: give a decimal above 0.5 and at most 1, so "
                           "that at most one taxon reaches it");
    return classify(a, a->path);
}

const command_t cmd_taxonomy = {
    .name = "taxonomy",
    .summary = "classify queries: the lineage on which their hits among references agree",
    .words = words,
    .usage = "--taxonomy FILE [options]",
    .options = options,
    .args_bytes = sizeof(args_t),
    .notes = "From the highest rank down, a query gets the taxon that the required "
             "fraction of\n"
             "its hits share; the lineage ends at the rank without one. This is the "
             "method of\n"
             "QIIME 2's consensus classifiers (Bokulich et al. 2018). A query without "
             "hits or\n"
             "consensus is Unassigned (mothur: unknown). The columns of tsv are query,\n"
             "lineage, consensus (agreeing / hits), agreeing, hits.\n"
             "A reference that has hits but no lineage is an error, as in QIIME 2 and "
             "mothur.\n"
             "With --allow-missing its hits count among the hits of a query, but support "
             "no\n"
             "taxon.\n",
    .example =
        "ribogrid taxonomy hits.h5 --taxonomy references.tax.tsv.gz --format qiime2 "
        "-o taxonomy.tsv",
    .reads_results = true,
    .defaults = defaults,
    .run = run,
};
