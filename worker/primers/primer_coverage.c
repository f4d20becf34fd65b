/*
 * primer_coverage.c - counts of genes by taxon, pair of primers and mismatches; a table
 * and a chart of them.
 */
#include "io/base/logmsg.h"
#include "io/file/whole_file.h"
#include "io/report/report_figures.h"
#include "worker/primers/job_primers_state.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static int64_t *counts_of(const job_primers_t *j, const primer_coverage_t *c, int pair,
                          int32_t taxon)
{
    return c->counts +
           ((int64_t)pair * taxonomy_n_taxa(j->taxonomy) + taxon) * c->n_levels;
}

/* ---- counts ---- */

static status_t find_taxon(const job_primers_t *j, int64_t i, buf_t *name, int32_t *out)
{
    const reads_t *r = &j->reads[0];
    status_t st;

    name->len = 0;
    st = buf_append(name, reads_text(r, r->at[i].header), (size_t)reads_name_len(r, i));
    if (st == ST_OK && (st = buf_append(name, "", 1)) == ST_OK)
        *out = taxonomy_find(j->taxonomy, (const char *)name->data);
    return st;
}

/* Add a gene to the counts of its taxon and of those above. */
static void count_up(const job_primers_t *j, int64_t *counts, int64_t step, int32_t taxon)
{
    for (int rank = taxonomy_rank(j->taxonomy, taxon); rank >= 0; rank--)
        counts[taxonomy_ancestor(j->taxonomy, taxon, rank) * step]++;
}

status_t primer_coverage_begin(const job_primers_t *j, primer_coverage_t *out)
{
    const int64_t n = j->reads[0].n;
    const size_t n_taxa = (size_t)taxonomy_n_taxa(j->taxonomy);
    int64_t n_missing = 0;
    buf_t name = {0};
    status_t st = ST_OK;

    out->n_levels = primer_trim_mismatches(&j->opts->primers) + (int)j->opts->gaps + 1;
    out->genes = calloc(n_taxa, sizeof(*out->genes));
    out->counts =
        calloc((size_t)j->n_pairs * n_taxa * (size_t)out->n_levels, sizeof(*out->counts));
    out->taxon = malloc(((size_t)n + 1) * sizeof(*out->taxon));
    if (out->genes == NULL || out->counts == NULL || out->taxon == NULL)
        return log_nomem("the coverage of taxa");
    for (int64_t i = 0; st == ST_OK && i < n; i++) {
        if ((st = find_taxon(j, i, &name, &out->taxon[i])) != ST_OK)
            break;
        n_missing += out->taxon[i] < 0;
        if (out->taxon[i] >= 0)
            count_up(j, out->genes, 1, out->taxon[i]);
    }
    buf_free(&name);
    if (st != ST_OK || n_missing == 0)
        return st;
    if (n_missing < n) {
        log_warn("%" PRId64 " of %" PRId64
                 " genes have no lineage in %s, and do not count "
                 "in the coverage",
                 n_missing, n, j->opts->taxonomy);
        return ST_OK;
    }
    log_error("%s has no lineage of a gene in %s; give the lineages of these genes",
              j->opts->taxonomy, j->reads[0].name);
    return ST_EINPUT;
}

void primer_coverage_add(const job_primers_t *j, primer_coverage_t *c, int64_t read,
                         const primer_region_t *r)
{
    const int forward = r->mismatches[0] + r->gaps[0];
    const int reverse = r->mismatches[1] + r->gaps[1];
    const int level = forward > reverse ? forward : reverse;

    if (c->taxon[read] >= 0)
        count_up(j, counts_of(j, c, r->pair, TAXONOMY_ROOT) + level, c->n_levels,
                 c->taxon[read]);
}

void primer_coverage_free(primer_coverage_t *c)
{
    free(c->genes);
    free(c->counts);
    free(c->taxon);
    *c = (primer_coverage_t){.n_levels = 0};
}

/* ---- the table ---- */

static status_t write_row(const job_primers_t *j, const primer_coverage_t *c, int pair,
                          int32_t taxon, FILE *to)
{
    const int64_t *counts = counts_of(j, c, pair, taxon);
    buf_t lineage = {0};
    int64_t n = 0;
    status_t st = taxonomy_append(j->taxonomy, taxon, ";", &lineage);

    if (st == ST_OK) {
        fprintf(to, "%s\t%d\t%.*s\t%" PRId64, j->panel.names[pair],
                taxonomy_rank(j->taxonomy, taxon), (int)lineage.len,
                (const char *)lineage.data, c->genes[taxon]);
        for (int level = 0; level < c->n_levels; level++) {
            n += counts[level];
            fprintf(to, "\t%.4f", (double)n / (double)c->genes[taxon]);
        }
        fputc('\n', to);
    }
    buf_free(&lineage);
    return st;
}

static status_t write_table(const job_primers_t *j, const primer_coverage_t *c, FILE *to)
{
    status_t st = ST_OK;

    fputs("pair\trank\ttaxon\tgenes", to);
    for (int level = 0; level < c->n_levels; level++)
        fprintf(to, "\t%d", level);
    fputc('\n', to);
    for (int q = 0; q < j->n_pairs; q++)
        for (int32_t t = 0; st == ST_OK && t < taxonomy_n_taxa(j->taxonomy); t++)
            if (c->genes[t] > 0)
                st = write_row(j, c, q, t, to);
    return st;
}

/* ---- the chart ---- */

/* Bars of a pair: all genes, then the largest taxa of the rank of phyla. */
enum { N_LEVELS_MAX = PRIMER_MISMATCHES_MAX + PRIMER_GAPS_MAX + 1 };
enum { TAXA_SHOWN = 12, BARS_MAX = 60, NAME_BYTES = 128, PART_BYTES = 32 };

typedef struct {
    int n_bars, n_parts;
    char names[BARS_MAX][NAME_BYTES];
    char parts[N_LEVELS_MAX + 1][PART_BYTES];
    double *values; /* [BARS_MAX][n_parts] */
} chart_t;

/* List the taxa with most genes at a rank, and before them the root. @return how many */
static int list_taxa(const job_primers_t *j, const primer_coverage_t *c, int32_t *out)
{
    const int rank = taxonomy_phylum_rank(j->taxonomy);
    int n = 0;

    for (int32_t t = 1; t < taxonomy_n_taxa(j->taxonomy); t++) {
        int at = n;

        if (taxonomy_rank(j->taxonomy, t) != rank || c->genes[t] == 0 ||
            (n == TAXA_SHOWN && c->genes[out[n]] >= c->genes[t]))
            continue;
        n += n < TAXA_SHOWN;
        at = n;
        for (; at > 1 && c->genes[out[at - 1]] < c->genes[t]; at--)
            out[at] = out[at - 1];
        out[at] = t;
    }
    out[0] = TAXONOMY_ROOT;
    return n + 1;
}

static void add_bar(const job_primers_t *j, const primer_coverage_t *c, int pair,
                    int32_t taxon, chart_t *chart)
{
    const int64_t *counts = counts_of(j, c, pair, taxon);
    const char *name = taxon == TAXONOMY_ROOT ? "all" : taxonomy_name(j->taxonomy, taxon);
    double *values = chart->values + chart->n_bars * chart->n_parts;
    const double genes = (double)c->genes[taxon];

    snprintf(chart->names[chart->n_bars++], NAME_BYTES, "%.40s: %.80s",
             j->panel.names[pair], name);
    values[c->n_levels] = 100;
    for (int level = 0; level < c->n_levels; level++) {
        values[level] = genes > 0 ? 100 * (double)counts[level] / genes : 0;
        values[c->n_levels] -= values[level];
    }
}

static void fill_chart(const job_primers_t *j, const primer_coverage_t *c, chart_t *chart)
{
    int32_t taxa[TAXA_SHOWN + 1];
    const int n = list_taxa(j, c, taxa);

    for (int level = 0; level < c->n_levels; level++)
        snprintf(chart->parts[level], PART_BYTES, "%d mismatch%s", level,
                 level == 1 ? "" : "es");
    snprintf(chart->parts[c->n_levels], PART_BYTES, "none found");
    for (int q = 0; q < j->n_pairs; q++)
        for (int k = 0; k < n && chart->n_bars < BARS_MAX; k++)
            add_bar(j, c, q, taxa[k], chart);
}

static status_t write_chart(const job_primers_t *j, const primer_coverage_t *c, FILE *to)
{
    chart_t *chart = calloc(1, sizeof(*chart));
    const char *names[BARS_MAX], *parts[N_LEVELS_MAX + 1];

    if (chart != NULL) {
        chart->n_parts = c->n_levels + 1;
        chart->values = calloc((size_t)BARS_MAX * (size_t)chart->n_parts, sizeof(double));
    }
    if (chart == NULL || chart->values == NULL) {
        free(chart);
        return log_nomem("the coverage of taxa");
    }
    fill_chart(j, c, chart);
    for (int b = 0; b < chart->n_bars; b++)
        names[b] = chart->names[b];
    for (int p = 0; p < chart->n_parts; p++)
        parts[p] = chart->parts[p];
    report_shares_picture(to, "Genes that primers amplify",
                          &(report_shares_t){.id = "coverage",
                                             .label =
                                                 "genes by the mismatches of primers",
                                             .title = "genes",
                                             .unit = "%",
                                             .bars = names,
                                             .parts = parts,
                                             .values = chart->values,
                                             .n_bars = chart->n_bars,
                                             .n_parts = chart->n_parts});
    free(chart->values);
    free(chart);
    return ST_OK;
}

/* ---- files ---- */

typedef status_t (*write_fn_t)(const job_primers_t *j, const primer_coverage_t *c,
                               FILE *to);

static status_t write_file(const job_primers_t *j, const primer_coverage_t *c,
                           const char *path, write_fn_t write)
{
    whole_file_t *to;
    status_t st = job_output_open(&j->base, path, &to);

    if (st != ST_OK || to == NULL)
        return st;
    return whole_file_close(to, write(j, c, whole_file_stream(to)));
}

status_t primer_coverage_write(const job_primers_t *j, const primer_coverage_t *c)
{
    status_t st = write_file(j, c, j->opts->table, write_table);

    return st == ST_OK ? write_file(j, c, j->opts->svg, write_chart) : st;
}
