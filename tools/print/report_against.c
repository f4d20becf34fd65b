/*
 * report_against.c - maps queries to their best references, and writes the page.
 */
#include "tools/print/report_parts.h"

#include "graph/cluster/cluster_methods.h"
#include "io/base/logmsg.h"
#include "io/otu/otu_closed.h"
#include "io/pairs/evalue.h"
#include "io/pairs/pairs_file.h"
#include "io/pairs/pairs_read.h"
#include "io/pairs/pairs_scan.h"
#include "io/report/report_figures.h"
#include "io/seq/taxonomy.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const report_against_t *how;
    const pairs_file_t *file;
    fraction_t id;
    int64_t histogram[REPORT_BARS], n_with_hit, n_reached;
    otu_hit_t *hits;    /* [queries] at or above id */
    report_bars_t bars; /* queries by the number of their hits */
    bool has_evalues;
    evalue_t law;
    report_bars_t evalues; /* hits by their E-value */
    pairs_samples_t samples;
    otu_table_t *table;
    otu_largest_t largest;
    report_otus_t otus;
    taxonomy_t *taxonomy; /* NULL: not given */
    int32_t *taxa;        /* [queries] of the reference; -1: none */
    const char *rank_text;
    composition_rank_t rank;
    class_names_t names; /* of the queries: lineages of their references */
    abundance_t reads;
    composition_t composition;
} content_t;

/* Find the best hits of any identity, then those of the OTUs, which may be others: of
 * local alignments, a higher score may go with a lower identity. */
static status_t find_hits(content_t *c)
{
    const fraction_t any = {0, 0};
    const int64_t n = c->file->rows.n;
    status_t st = best_reference_check(c->file, &c->id);

    if (st != ST_OK)
        return st;
    if ((c->hits = malloc((size_t)n * sizeof(*c->hits) + 1)) == NULL)
        return log_nomem("best hits");
    if ((st = best_reference_find(c->file, &any, c->hits)) != ST_OK)
        return st;
    for (int64_t i = 0; i < n; i++)
        if (c->hits[i].reference >= 0) {
            c->histogram[(int64_t)c->hits[i].matches * (REPORT_BARS - 1) /
                         c->hits[i].columns]++;
            c->n_with_hit++;
        }
    st = best_reference_find(c->file, &c->id, c->hits);
    for (int64_t i = 0; st == ST_OK && i < n; i++)
        c->n_reached += c->hits[i].reference >= 0;
    return st;
}

/* Bars of hits by E-value: those above 1, then two decades each, and the rest. */
enum { EVALUE_BARS = 12, EVALUE_DECADES = 2 };

static void begin_evalues(content_t *c)
{
    report_bars_t *b = &c->evalues;

    c->has_evalues = evalue_begin(c->file, &c->law);
    *b = (report_bars_t){.id = "evalues",
                         .title = "Hits by E-value",
                         .one = "hit",
                         .many = "hits"};
    if (!c->has_evalues)
        return;
    b->n = EVALUE_BARS;
    strcpy(b->bars[0].label, "above 1");
    for (int k = 1; k < b->n; k++) {
        const double high = pow(10, -EVALUE_DECADES * (k - 1));

        snprintf(b->bars[k].label, sizeof(b->bars[k].label),
                 k == b->n - 1 ? "%g and less" : "%g to %g", high,
                 high / pow(10, EVALUE_DECADES));
    }
}

static void count_evalue(content_t *c, const pairs_hit_t *hit)
{
    const double e = evalue_of(&c->law, hit->score, pairs_len(c->file, hit->row),
                               pairs_col_len(c->file, hit->col));
    const double at = e > 1 ? 0 : e > 0 ? 1 - log10(e) / EVALUE_DECADES : EVALUE_BARS;

    c->evalues.bars[at < EVALUE_BARS - 1 ? (int)at : EVALUE_BARS - 1].count++;
}

/* @param n  [queries] set */
static status_t count_hits(content_t *c, int64_t *n)
{
    const pairs_hit_t *hits;
    pairs_scan_t *scan;
    int64_t n_hits = 0;
    status_t st = pairs_scan_open(c->file, NULL, &scan);

    if (st != ST_OK)
        return st;
    begin_evalues(c);
    while ((st = pairs_scan_next(scan, &hits, &n_hits)) == ST_OK && n_hits > 0)
        for (int64_t k = 0; k < n_hits; k++) {
            n[hits[k].row] += hits[k].columns > 0;
            if (c->has_evalues)
                count_evalue(c, &hits[k]);
        }
    pairs_scan_close(scan);
    return st;
}

/* Draw how many queries have how many hits. */
static status_t find_numbers(content_t *c)
{
    const int64_t n_queries = c->file->rows.n;
    int64_t *n = calloc((size_t)n_queries + 1, sizeof(*n)), max = 1;
    report_bins_t bins;
    status_t st = n != NULL ? count_hits(c, n) : log_nomem("numbers of hits");

    for (int64_t i = 0; st == ST_OK && i < n_queries; i++)
        max = n[i] > max ? n[i] : max;
    c->bars = (report_bars_t){.id = "hits",
                              .title = "Queries by number of hits",
                              .one = "query",
                              .many = "queries"};
    bins = report_bins(0, (double)max, true);
    report_bins_label(&bins, &c->bars);
    for (int64_t i = 0; st == ST_OK && i < n_queries; i++)
        c->bars.bars[report_bins_of(&bins, (double)n[i])].count++;
    free(n);
    return st;
}

static status_t find_otus(content_t *c)
{
    const otu_closed_t closed = {c->file, c->hits};
    status_t st = pairs_read_samples(c->file, &c->samples);

    if (st == ST_OK)
        st = otu_closed_table(&closed, &c->samples, 1, &c->table);
    if (st == ST_OK)
        c->otus = (report_otus_t){.method = "closed",
                                  .id = c->id,
                                  .n_otus = c->table->n_otus,
                                  .n_single = otu_table_n_single(c->table),
                                  .size = c->table->size,
                                  .min_size = 1};
    return st;
}

/* Find the taxon of each query's reference. */
static status_t find_taxa(content_t *c)
{
    const int64_t n = c->file->rows.n;
    const char *first = NULL;
    int64_t n_missing = 0;
    status_t st = taxonomy_read(c->how->taxonomy, &c->taxonomy);

    if (st != ST_OK)
        return st;
    if ((c->taxa = malloc((size_t)n * sizeof(*c->taxa) + 1)) == NULL)
        return log_nomem("lineages");
    memset(c->taxa, 0xff, (size_t)n * sizeof(*c->taxa));
    for (int64_t k = 0; k < c->table->n_otus; k++) {
        const int32_t taxon = taxonomy_find(c->taxonomy, c->table->name[k]);

        if (taxon < 0 && n_missing++ == 0)
            first = c->table->name[k];
        for (int64_t m = c->table->member_start[k]; m < c->table->member_start[k + 1];
             m++)
            c->taxa[c->table->member[m]] = taxon;
    }
    if (n_missing > 0 && n_missing == c->table->n_otus) {
        log_error("%s has no lineage for any of the %" PRId64 " references found (the "
                  "first is '%s'); give the lineages of these references",
                  c->how->taxonomy, n_missing, first);
        return ST_EINPUT;
    }
    if (n_missing > 0)
        log_warn("%s: %" PRId64 " of %" PRId64 " references found have no lineage (the "
                 "first is '%s'); their queries are unclassified",
                 c->how->taxonomy, n_missing, c->table->n_otus, first);
    return ST_OK;
}

/* Give each query the lineage of its reference. */
static status_t name_queries(content_t *c)
{
    const int64_t n = c->file->rows.n;
    class_names_t *names = &c->names;
    buf_t text = {0};
    status_t st = pairs_read_sequences(c->file, &names->reads);

    names->lineage_of = malloc((size_t)n * sizeof(*names->lineage_of) + 1);
    if (st == ST_OK && names->lineage_of == NULL)
        st = log_nomem("lineages");
    for (int64_t i = 0; st == ST_OK && i < n; i++) {
        int64_t number;

        names->lineage_of[i] = -1;
        if (c->taxa[i] < 0 || taxonomy_rank(c->taxonomy, c->taxa[i]) == 0)
            continue;
        text.len = 0;
        if ((st = taxonomy_append(c->taxonomy, c->taxa[i], ";", &text)) == ST_OK)
            st = name_table_add(&names->lineages, (const char *)text.data, text.len,
                                &number, NULL);
        if (st == ST_OK)
            names->lineage_of[i] = (int32_t)number;
    }
    buf_free(&text);
    return st;
}

static status_t add_sample(content_t *c, const char *name, int64_t k)
{
    int64_t number;
    status_t st = name_table_add(&c->reads.samples, name, strlen(name), &number, NULL);

    if (st != ST_OK || number == k)
        return st;
    log_error("%s: damaged: sample '%.100s' is listed twice", c->file->path, name);
    return ST_EINPUT;
}

/* Take the abundances of the file. */
static status_t count_reads(content_t *c)
{
    const pairs_samples_t *s = &c->samples;
    const int64_t n = c->file->rows.n;
    status_t st = ST_OK;

    c->reads.size = malloc((size_t)n * sizeof(*c->reads.size) + 1);
    if (c->reads.size == NULL)
        return log_nomem("abundances");
    for (int64_t i = 0; i < n; i++)
        c->reads.size[i] = pairs_size(c->file, i);
    for (int64_t k = 0; st == ST_OK && k < s->n; k++)
        st = add_sample(c, s->name[k], k);
    for (int64_t i = 0; s->n > 0 && i < n; i++)
        for (int64_t k = s->row_start[i]; st == ST_OK && k < s->row_start[i + 1]; k++) {
            const abundance_count_t count = {(int32_t)i, s->sample[k], s->count[k]};

            st = buf_append(&c->reads.counts, &count, sizeof(count));
        }
    return st;
}

static status_t compose(content_t *c)
{
    status_t st = find_taxa(c);

    if (st == ST_OK)
        st = name_queries(c);
    if (st == ST_OK)
        st = count_reads(c);
    return st == ST_OK ? composition_make(&c->names, &c->reads, c->rank, REPORT_TAXA_MAX,
                                          &c->composition)
                       : st;
}

static status_t describe(const void *content, FILE *to)
{
    const content_t *c = content;
    char id[FRACTION_RATIO_BYTES];
    status_t st = pairs_describe(c->file, to);

    fprintf(to,
            "report\tfile\t%s\nreport\tOTU method\tclosed\nreport\tOTU identity\t%s\n",
            c->file->path, fraction_to_ratio(&c->id, id));
    if (c->taxonomy != NULL)
        fprintf(to, "report\ttaxonomy\t%s\nreport\trank\t%s\n", c->how->taxonomy,
                c->rank_text);
    return st;
}

static status_t write_page(const void *content, const char *title, const char *about,
                           FILE *to)
{
    const content_t *c = content;
    static const char *const all = "all";
    const composition_t *found = &c->composition;
    const report_composition_t taxa = {
        .rank = c->rank_text,
        .n_taxa = found->n_taxa,
        .n_shown = found->n_shown,
        .taxa = (const char *const *)found->taxa,
        .n_samples = found->n_samples,
        .samples = c->samples.n > 0 ? (const char *const *)c->samples.name : &all,
        .counts = found->counts};
    const report_references_t page = {
        .title = title != NULL ? title : "Best references of queries",
        .file = c->file->path,
        .n_queries = c->file->rows.n,
        .n_references = c->file->cols.n,
        .n_with_hit = c->n_with_hit,
        .histogram = {c->histogram, c->file->min_identity, c->id, c->n_reached, "query",
                      "queries"},
        .is_by_score = c->file->ends_local,
        .hits = &c->bars,
        .evalues = &c->evalues,
        .otus = &c->otus,
        .taxa = c->taxonomy != NULL ? &taxa : NULL,
        .about = about};

    report_references_write(to, &page);
    return ST_OK;
}

status_t report_against(const report_against_t *how, const pairs_file_t *file)
{
    static const page_kind_t kind = {describe, write_page};
    content_t c = {.how = how,
                   .file = file,
                   .id = how->id,
                   .rank_text = how->rank != NULL ? how->rank : "genus"};
    status_t st = report_names_rank(c.rank_text, &c.rank);

    if (c.id.denominator == 0)
        c.id = otu_source_default_id(file);
    if (st == ST_OK)
        st = find_hits(&c);
    if (st == ST_OK)
        st = find_numbers(&c);
    if (st == ST_OK)
        st = find_otus(&c);
    if (st == ST_OK && how->taxonomy != NULL)
        st = compose(&c);
    if (st == ST_OK)
        st = otu_largest_find(c.table, file, c.taxonomy, c.taxa, &c.otus, &c.largest);
    if (st == ST_OK)
        st = page_draw(&kind, &how->page, &c);
    composition_free(&c.composition);
    abundance_free(&c.reads);
    class_names_free(&c.names);
    otu_largest_free(&c.largest);
    otu_table_destroy(c.table);
    pairs_samples_free(&c.samples);
    taxonomy_destroy(c.taxonomy);
    free(c.taxa);
    free(c.hits);
    return st;
}
