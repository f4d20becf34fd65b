/*
 * cmd_report.c - `ribogrid report`: draws a result file as one HTML page: the pairs of
 * one set, those with references and the names of `classify` (report_parts.h), or
 * another kind of file (file_printers.h).
 */
#include "graph/summary/spanning_forest.h"
#include "io/base/logmsg.h"
#include "io/otu/otu_taxa.h"
#include "io/pairs/pairs_file.h"
#include "io/report/report_figures.h"
#include "io/report/svg_draw.h"
#include "tools/options/cluster_args.h"
#include "tools/options/commands.h"
#include "tools/options/option_tables.h"
#include "tools/print/file_printers.h"
#include "tools/print/report_parts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Nodes and arcs that searches for bridges visit: seconds on one core. */
static const int64_t bridge_visits = INT64_C(2000000000);

typedef struct {
    cluster_args_t how;
    const char *path;
    const char *taxonomy, *groups, *title;
    const char *rank, *samples, *count_table; /* of names */
    int64_t n_bridges;
    abundance_labels_t labels; /* of names */
} args_t;

#define AT(member) OPTION_AT(args_t, member)

static const option_t words[] = {{OPTION_INPUT, "FILE.h5 | NAMES.tsv", 0,
                                  OPTION_AT(args_t, path)},
                                 {.kind = OPTION_END}};

static const option_t options[] = {
    {.kind = OPTION_GROUP, .name = "Input and output"},
    {.word = WORD_TAXONOMY,
     AT(taxonomy),
     .help = " of the sequences, of the representatives of --groups, or of references: a "
             "table, or FASTA with lineages in its headers"},
    {.word = WORD_GROUPS, AT(groups), .help = ", to show instead of clustering"},
    {.kind = OPTION_TABLE, .table = option_input},
    {.word = WORD_OUTPUT,
     AT(how.common.output),
     .value = "REPORT.html",
     .help = " (stdout)"},
    {.kind = OPTION_TABLE, .table = option_force},
    {.kind = OPTION_GROUP, .name = "OTUs, as in `ribogrid cluster`"},
    {.word = WORD_ID,
     AT(how.id),
     .help = " of sequences that are close (0.97, or that of the file's hits if higher)"},
    {.word = WORD_METHOD, AT(how.method), .value = CLUSTER_METHODS, .help = " ({})"},
    {.kind = OPTION_TABLE, AT(how), .table = cluster_args_options},
    {.kind = OPTION_GROUP, .name = "Taxa of reads"},
    {OPTION_TEXT, "rank", 0, AT(rank), "RANK",
     "also of references with --taxonomy: draw taxa of this rank: domain, phylum, class, "
     "order, family, genus, species, or "
     "its number from 1 (genus)"},
    {.kind = OPTION_TABLE, AT(labels), .table = option_labels},
    {.word = WORD_COUNT_TABLE, AT(count_table)},
    {.word = WORD_SAMPLES, AT(samples)},
    {.kind = OPTION_GROUP, .name = "Page"},
    {OPTION_INT, "bridges", 0, AT(n_bridges), "N",
     "list N sequences that chain OTUs together ({}); 0: do not look for them", 0, 1000},
    {.word = WORD_TITLE, AT(title)},
    {.kind = OPTION_END}};

/* Everything that goes into the page. */
typedef struct {
    const args_t *args;
    const char *path;
    pairs_file_t *file;
    otu_source_t source;
    otu_largest_t largest;
    taxonomy_t *taxonomy; /* NULL: single-linkage order */
    int32_t *taxa;        /* [n] -1: none */
    pairs_summary_t summary;
    report_map_t map;
    bridges_t bridges;
    report_bridge_t *shown; /* [bridges.n] */
    char *title;
} content_t;

static status_t check_file(const content_t *c)
{
    int64_t n = c->file->rows.n;

    if (n >= 2)
        return pairs_scan_check_one_set(c->file);
    log_error("%s: too few sequences (%" PRId64 "); a report needs at least two", c->path,
              n);
    return ST_EINPUT;
}

/* @return the taxon of a sequence; of OTUs from a file, where it has none, that of its
 * OTU's representative; or -1 */
static int32_t taxon_of(const content_t *c, int64_t i)
{
    const otu_table_t *t = otu_source_table(&c->source);
    const int32_t taxon = taxonomy_find(c->taxonomy, c->file->rows.names[i]);

    return taxon >= 0 || c->args->groups == NULL || t->otu[i] < 0
               ? taxon
               : otu_taxa_of(c->taxonomy, c->file->rows.names, t, t->otu[i]);
}

/* After the OTUs are known. */
static status_t find_taxa(content_t *c)
{
    int64_t n = c->file->rows.n, n_missing = 0, first = 0;
    status_t st = taxonomy_read(c->args->taxonomy, &c->taxonomy);

    if (st != ST_OK)
        return st;
    if ((c->taxa = malloc((size_t)n * sizeof(*c->taxa))) == NULL)
        return log_nomem("lineages");
    for (int64_t i = 0; i < n; i++) {
        c->taxa[i] = taxon_of(c, i);
        if (c->taxa[i] < 0 && n_missing++ == 0)
            first = i;
    }
    if (n_missing == n) {
        log_error(
            "%s has no lineage for any of the %" PRId64
            " sequences (the first is '%s'); give the lineages of these sequences%s",
            c->args->taxonomy, n, c->file->rows.names[0],
            c->args->groups != NULL
                ? ""
                : ", or --groups and those of the representatives of OTUs");
        return ST_EINPUT;
    }
    if (n_missing > 0)
        log_warn("%s: %" PRId64 " of %" PRId64
                 " sequences have no lineage (the first is '%s'); "
                 "they come last",
                 c->args->taxonomy, n_missing, n, c->file->rows.names[first]);
    return ST_OK;
}

static status_t find_otus(content_t *c)
{
    const args_t *a = c->args;
    cluster_args_t how = a->how;

    if (a->groups != NULL)
        return otu_source_read(a->groups, c->file, &c->source);
    if (how.id.denominator == 0)
        how.id = otu_source_default_id(c->file);
    return otu_source_cluster(&how, c->file, &c->source);
}

static status_t find_bridges(content_t *c)
{
    const otu_table_t *t = otu_source_table(&c->source);
    pool_t *pool = NULL;
    status_t st = job_opts_pool(&c->args->how.common, &pool);

    if (st == ST_OK) {
        const bridges_otus_t otus = {t->otu, t->n, t->n_otus};
        const bridges_opts_t opts = {c->args->n_bridges, bridge_visits, pool};

        st = bridges_find(c->file, &c->source.head.id, &otus, &opts, &c->bridges);
    }
    pool_destroy(pool);
    c->shown = malloc((size_t)(c->bridges.n + 1) * sizeof(*c->shown));
    if (st == ST_OK && c->shown == NULL)
        st = log_nomem("bridges");
    for (int64_t k = 0; st == ST_OK && k < c->bridges.n; k++) {
        const bridge_t *b = &c->bridges.all[k];

        c->shown[k] =
            (report_bridge_t){c->file->rows.names[b->sequence], t->otu[b->sequence],
                              b->betweenness, b->n_neighbors, b->n_otus};
    }
    return st;
}

/* Describe how the file and this report were made. */
static status_t describe(const void *content, FILE *to)
{
    const content_t *c = content;
    status_t st = pairs_describe(c->file, to);

    fprintf(to, "report\tfile\t%s\n", c->path);
    otu_source_describe(&c->source, to);
    if (c->args->taxonomy != NULL)
        fprintf(to, "report\ttaxonomy\t%s\n", c->args->taxonomy);
    fprintf(to, "report\tcells\t%d x %d\n", c->map.shown.side, c->map.shown.side);
    return st;
}

static status_t make(content_t *c)
{
    char count[SVG_NUMBER_BYTES];
    status_t st = pairs_summary_make(c->file, &c->source.head.id, &c->summary);

    if (st == ST_OK)
        st = report_map_make(c->file, c->summary.order, otu_source_table(&c->source),
                             c->taxonomy, c->taxa, &c->map);
    if (st == ST_OK && c->args->n_bridges > 0)
        st = find_bridges(c);
    if (st == ST_OK)
        st = otu_largest_find(otu_source_table(&c->source), c->file, c->taxonomy, c->taxa,
                              &c->source.otus, &c->largest);
    if (st == ST_OK && asprintf(&c->title, "Identities of %s sequences",
                                svg_draw_count(c->summary.n, count)) < 0) {
        c->title = NULL; /* asprintf leaves it undefined */
        st = log_nomem("a title");
    }
    return st;
}

static status_t write_page(const void *content, const char *title, const char *about,
                           FILE *to)
{
    const content_t *c = content;
    report_bridges_t bridges = {c->shown, c->bridges.n, c->bridges.n_clusters,
                                c->bridges.n_sequences, c->bridges.n_sources};
    bool has_bridges = c->args->n_bridges > 0 && !c->bridges.is_left_out;
    report_data_t data = {.title = title != NULL ? title : c->title,
                          .file = c->path,
                          .n = c->summary.n,
                          .n_identities = c->summary.n_identities,
                          .n_close = c->summary.n_close,
                          .min_identity = c->file->min_identity,
                          .histogram = c->summary.histogram,
                          .has_overlap = !c->file->ends_count,
                          .otus = &c->source.otus,
                          .bridges = has_bridges ? &bridges : NULL,
                          .heat_map = &c->map.shown,
                          .about = about};

    return report_page_write(to, &data);
}

static file_report_t page_of(const args_t *a, const char *path)
{
    return (file_report_t){.input = path,
                           .output = a->how.common.output,
                           .title = a->title,
                           .force = a->how.common.force};
}

static status_t report(const args_t *a, pairs_file_t *file)
{
    static const page_kind_t kind = {describe, write_page};
    const file_report_t how = page_of(a, file->path);
    content_t c = {.args = a, .path = file->path, .file = file};
    status_t st = check_file(&c);

    if (st == ST_OK)
        st = find_otus(&c);
    if (st == ST_OK && a->taxonomy != NULL)
        st = find_taxa(&c);
    if (st == ST_OK)
        st = make(&c);
    if (st == ST_OK)
        st = page_draw(&kind, &how, &c);
    otu_largest_free(&c.largest);
    otu_source_free(&c.source);
    pairs_summary_free(&c.summary);
    report_map_free(&c.map);
    taxonomy_destroy(c.taxonomy);
    free(c.taxa);
    bridges_free(&c.bridges);
    free(c.shown);
    free(c.title);
    return st;
}

static bool has_abundances(const args_t *a)
{
    return a->labels.sizes || a->labels.samples || a->count_table != NULL ||
           a->samples != NULL;
}

static bool has_options_of_names(const args_t *a)
{
    return a->rank != NULL || has_abundances(a);
}

static bool has_options_of_pairs(const args_t *a)
{
    return a->taxonomy != NULL || a->groups != NULL || IS_GIVEN(a, n_bridges) ||
           cluster_args_given(&a->how) || IS_GIVEN(a, how.id);
}

static status_t report_on_names(const args_t *a, const char *path)
{
    const report_names_t how = {.page = page_of(a, path),
                                .rank = a->rank,
                                .samples = a->samples,
                                .count_table = a->count_table,
                                .labels = a->labels};
    const char *misuse = abundance_misuse(a->labels, a->count_table, a->samples);

    if (has_options_of_pairs(a))
        return options_misuse(&cmd_report,
                              "%s has names of reads; leave out --taxonomy, "
                              "--groups, --bridges and options for OTUs",
                              path);
    if (misuse != NULL)
        return options_misuse(&cmd_report, "%s", misuse);
    return report_names(&how);
}

static status_t report_on_references(const args_t *a, const pairs_file_t *file)
{
    if (a->groups != NULL || IS_GIVEN(a, n_bridges) || cluster_args_given(&a->how))
        return options_misuse(&cmd_report,
                              "%s has queries against references; leave out --groups, "
                              "--bridges and options for OTUs besides --id",
                              file->path);
    if (has_abundances(a))
        return options_misuse(&cmd_report,
                              "%s has the abundances that `align` read; leave out "
                              "--sizein, --samplein, --count-table and --samples",
                              file->path);
    if (a->rank != NULL && a->taxonomy == NULL)
        return options_misuse(&cmd_report, "--rank needs the taxonomy of the references; "
                                           "give --taxonomy");
    if (a->how.id.denominator != 0 && a->how.id.numerator == 0)
        return options_misuse(&cmd_report, "give --id above 0 and at most 1");
    return report_against(&(report_against_t){.page = page_of(a, file->path),
                                              .taxonomy = a->taxonomy,
                                              .rank = a->rank,
                                              .id = a->how.id},
                          file);
}

static status_t report_on_one_set(args_t *a, pairs_file_t *file)
{
    status_t st;

    if (has_options_of_names(a))
        return options_misuse(
            &cmd_report, "--rank, --sizein, --samplein, --count-table and --samples "
                         "need the names of reads as `ribogrid classify` writes them");
    if (a->groups != NULL && (cluster_args_given(&a->how) || IS_GIVEN(a, how.id)))
        return options_misuse(&cmd_report, "--groups names OTUs that were found before; "
                                           "leave out --id, --method and their options");
    st = cluster_args_check_options(&cmd_report, &a->how);
    return st == ST_OK ? report(a, file) : st;
}

static status_t report_on_pairs(args_t *a, const char *path)
{
    pairs_file_t *file = NULL;
    status_t st = pairs_open(path, &file);

    if (st == ST_OK)
        st =
            file->is_against ? report_on_references(a, file) : report_on_one_set(a, file);
    pairs_close(file);
    return st;
}

static status_t report_on_file(const args_t *a, const char *path,
                               const file_printer_t *printer)
{
    const file_report_t page = page_of(a, path);

    if (has_options_of_pairs(a) || has_options_of_names(a))
        return options_misuse(&cmd_report,
                              "%s holds results of `ribogrid %s`; leave out the options "
                              "for OTUs and for taxa of reads",
                              path, printer->command);
    return printer->report(&page);
}

/* Names may also be text. */
static status_t run(void *args)
{
    args_t *a = args;
    const char *path = a->path;
    const file_printer_t *printer = NULL;
    bool has_names;
    status_t st = report_names_probe(path, &has_names);

    if (st != ST_OK || has_names)
        return st == ST_OK ? report_on_names(a, path) : st;
    if ((st = file_printers_find(path, &printer)) != ST_OK)
        return st;
    return printer != NULL ? report_on_file(a, path, printer) : report_on_pairs(a, path);
}

static void defaults(void *args)
{
    args_t *a = args;

    a->how = cluster_args_defaults();
    a->n_bridges = 10;
}

const command_t cmd_report = {
    .name = "report",
    .summary = "draw a result file as one HTML page: identities, OTUs, references, or "
               "names of reads",
    .words = words,
    .usage = "-o REPORT.html [options]",
    .options = options,
    .renamed = cluster_args_renamed,
    .args_bytes = sizeof(args_t),
    .notes =
        "Of a result of `align` the page shows identities and OTUs; of the names that\n"
        "`classify` has given to reads, the composition of samples as bars, with the "
        "ten\n"
        "largest taxa of a rank in colours of their own, and their support. Without "
        "--samples and\n"
        "--count-table all reads are one sample. Of a result of `align --against` it\n"
        "shows how similar each query is to its best reference, as `cluster --method\n"
        "closed` finds it, and with --taxonomy which taxa the queries have.\n"
        "With --taxonomy the heat map is in taxonomic order: at each rank the largest "
        "taxon\n"
        "comes first. Otherwise it is in single-linkage order: the order of the leaves "
        "of\n"
        "the single-linkage dendrogram (a maximum spanning forest of the identities), "
        "larger\n"
        "groups first, whatever --method is. Up to 800 sequences get one row each; with\n"
        "more, a cell is a mean over several sequences. If a file of hits has less than\n"
        "a tenth of all pairs, the map shows the sequences of its largest OTUs, one OTU\n"
        "after the other; up to 32 sequences are all shown. The page loads no other "
        "file; its scripts show the pair of the\n"
        "cell at the pointer and save pictures as SVG files.\n"
        "Of a graph the page shows degrees; of a result of `graph` how its values are\n"
        "distributed, or the sizes of its groups; of OTUs (`cluster`) their sizes; of a\n"
        "model of `classify train` its taxa; of a trained network its curves and "
        "memory.\n",
    .example = "ribogrid report pairs.h5 --taxonomy reads.tax.tsv.gz -o report.html",
    .reads_results = true,
    .defaults = defaults,
    .run = run,
};
