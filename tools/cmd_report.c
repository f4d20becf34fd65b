/*
 * cmd_report.c - `ribogrid report`: a result file as one HTML page with pictures.
 */
#include "graph/summary/heat_map.h"
#include "graph/summary/pairs_summary.h"
#include "graph/summary/taxon_order.h"
#include "graph/summary/taxon_strips.h"
#include "io/base/logmsg.h"
#include "io/base/whole_file.h"
#include "io/pairs/pairs_describe.h"
#include "io/pairs/pairs_open.h"
#include "io/report/report_page.h"
#include "io/report/svg_draw.h"
#include "tools/commands.h"
#include "version.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Cells of the heat map, a side, at most. */
enum { SIDE_MAX = 800 };

typedef struct {
    fraction_t id;
    const char *output, *taxonomy, *title;
    bool force;
} args_t;

#define AT(member) offsetof(args_t, member)

static const option_t options[] = {
    {OPTION_TEXT, "output", 'o', AT(output), "REPORT.html", "where to (stdout)", 0, 0},
    {OPTION_TEXT, "taxonomy", 0, AT(taxonomy), "FILE",
     "lineages (name TAB lineage, mothur or QIIME 2): taxonomic order", 0, 0},
    {OPTION_FRACTION, "id", 0, AT(id), "PART", "the identity of OTUs (0.97)", 0, 0},
    {OPTION_TEXT, "title", 0, AT(title), "TEXT", "the page's heading", 0, 0},
    {OPTION_FLAG, "force", 0, AT(force), NULL, "replace REPORT.html", 0, 0},
    {OPTION_END, NULL, 0, 0, NULL, NULL, 0, 0}};

/* All that a page is made of. */
typedef struct {
    const args_t *args;
    const char *path;
    pairs_file_t *file;
    taxonomy_t *taxonomy; /* NULL: cluster order */
    int32_t *taxa;        /* [n] -1: none */
    pairs_summary_t summary;
    heat_map_t heat_map;
    taxon_strips_t strips;
    const char **names; /* [n] in order */
    char *about, *title;
} made_t;

static status_t check_file(const made_t *m)
{
    int64_t n = pairs_n_rows(m->file);

    if (n >= 2)
        return pairs_scan_check_one_set(m->file);
    log_error("%s: too few sequences (%" PRId64 "); a report wants two or more", m->path,
              n);
    return ST_EINPUT;
}

static status_t find_taxa(made_t *m)
{
    int64_t n = pairs_n_rows(m->file), n_missing = 0, first = 0;
    status_t st = taxonomy_read(m->args->taxonomy, &m->taxonomy);

    if (st != ST_OK)
        return st;
    if ((m->taxa = malloc((size_t)n * sizeof(*m->taxa))) == NULL)
        return log_nomem("lineages");
    for (int64_t i = 0; i < n; i++) {
        m->taxa[i] = taxonomy_find(m->taxonomy, pairs_name(m->file, i));
        if (m->taxa[i] < 0 && n_missing++ == 0)
            first = i;
    }
    if (n_missing == n) {
        log_error("%s names none of the %" PRId64 " sequences, the first is '%s'; give "
                  "the lineages of these sequences",
                  m->args->taxonomy, n, pairs_name(m->file, 0));
        return ST_EINPUT;
    }
    if (n_missing > 0)
        log_warn("%s: %" PRId64 " of %" PRId64 " sequences have no lineage, the first is "
                 "'%s'; they stand last",
                 m->args->taxonomy, n_missing, n, pairs_name(m->file, first));
    return ST_OK;
}

static status_t name_all(made_t *m)
{
    m->names = malloc((size_t)m->summary.n * sizeof(*m->names));
    if (m->names == NULL)
        return log_nomem("names");
    for (int64_t k = 0; k < m->summary.n; k++)
        m->names[k] = pairs_name(m->file, m->summary.order[k]);
    return ST_OK;
}

/* The file's own words, and this command's. */
static status_t describe(made_t *m)
{
    char id[FRACTION_RATIO_BYTES];
    size_t len = 0;
    FILE *to = open_memstream(&m->about, &len);
    status_t st;

    if (to == NULL)
        return log_nomem("a description");
    st = pairs_describe(m->file, to);
    fprintf(to, "report\tfile\t%s\nreport\tOTU identity\t%s\n", m->path,
            fraction_to_ratio(&m->args->id, id));
    if (m->args->taxonomy != NULL)
        fprintf(to, "report\ttaxonomy\t%s\n", m->args->taxonomy);
    fprintf(to, "report\tcells\t%d x %d\nreport\tversion\t%s (%s)\n", m->heat_map.side,
            m->heat_map.side, VERSION_TEXT, VERSION_COMMIT);
    return fclose(to) == 0 ? st : log_nomem("a description");
}

static status_t make(made_t *m)
{
    char count[SVG_NUMBER_BYTES];
    status_t st = pairs_summary_make(m->file, &m->args->id, &m->summary);

    if (st == ST_OK && m->taxonomy != NULL)
        st = taxon_order_sort(m->taxonomy, m->taxa, m->summary.n, m->summary.order);
    if (st == ST_OK && m->taxonomy != NULL)
        st = taxon_strips_make(m->taxonomy, m->taxa, m->summary.order, m->summary.n,
                               &m->strips);
    if (st == ST_OK)
        st = name_all(m);
    if (st == ST_OK)
        st = heat_map_make(m->file, m->summary.order,
                           m->summary.n < SIDE_MAX ? (int)m->summary.n : SIDE_MAX,
                           &m->heat_map);
    if (st == ST_OK)
        st = describe(m);
    if (st == ST_OK && asprintf(&m->title, "Identities of %s sequences",
                                svg_draw_count(m->summary.n, count)) < 0) {
        m->title = NULL; /* is undefined now */
        st = log_nomem("a title");
    }
    return st;
}

static status_t write_page(const made_t *m)
{
    report_heat_map_t heat_map = {.side = m->heat_map.side,
                                  .mean = m->heat_map.mean,
                                  .coverage = m->heat_map.coverage,
                                  .order = m->taxonomy != NULL ? "taxonomic order"
                                                               : "cluster order",
                                  .strips = m->strips.strips,
                                  .n_strips = m->strips.n_strips,
                                  .n_phyla = m->strips.n_phyla,
                                  .names = m->names};
    report_data_t data = {.title = m->args->title != NULL ? m->args->title : m->title,
                          .file = m->path,
                          .n = m->summary.n,
                          .n_identities = m->summary.n_identities,
                          .n_close = m->summary.n_close,
                          .id = m->args->id,
                          .min_identity = pairs_min_identity(m->file),
                          .histogram = m->summary.histogram,
                          .otus = m->summary.otus,
                          .n_otus = m->summary.n_otus,
                          .heat_map = &heat_map,
                          .about = m->about};
    whole_file_t *to;
    status_t st = whole_file_open(m->args->output, m->args->force, &to);

    if (st == ST_OK)
        st = whole_file_close(to, report_page_write(whole_file_stream(to), &data));
    return st;
}

static status_t report(const args_t *a, const char *path)
{
    made_t m = {.args = a, .path = path};
    status_t st = pairs_open(path, &m.file);

    if (st == ST_OK)
        st = check_file(&m);
    if (st == ST_OK && a->taxonomy != NULL)
        st = find_taxa(&m);
    if (st == ST_OK)
        st = make(&m);
    if (st == ST_OK)
        st = write_page(&m);
    pairs_summary_free(&m.summary);
    heat_map_free(&m.heat_map);
    taxonomy_destroy(m.taxonomy);
    free(m.taxa);
    taxon_strips_free(&m.strips);
    free(m.names);
    free(m.about);
    free(m.title);
    pairs_close(m.file);
    return st;
}

static int run(int argc, char **argv)
{
    const char *words[OPTIONS_WORDS_MAX] = {NULL};
    args_t a = {.id = {97, 100}};
    status_t st = options_parse(&cmd_report, argc, argv, &a, words);

    return status_exit_code(st != ST_OK ? st : report(&a, words[0]));
}

const command_t cmd_report = {
    .name = "report",
    .summary = "draw a result file: one HTML page with heat map, histogram and OTUs",
    .usage = "PAIRS.h5 -o REPORT.html [--taxonomy FILE] [options]",
    .options = options,
    .notes =
        "The heat map is in taxonomic order: at each rank the largest taxon first. "
        "Without\n--taxonomy it is in cluster order: the leaves of the single-linkage "
        "dendrogram, that\nis of a maximum spanning forest of the identities, larger "
        "groups first. Up to 800\nsequences have a row each; of more a cell is the mean "
        "of several. The page needs no\nother file and runs no script.\n",
    .example = "ribogrid report pairs.h5 --taxonomy reads.tax.tsv.gz -o report.html",
    .n_words_min = 1,
    .n_words_max = 1,
    .run = run,
};
