/*
 * report_names.c - reads names and abundances, and writes the page.
 */
#include "tools/print/report_parts.h"

#include "io/base/logmsg.h"
#include "io/base/near_word.h"
#include "io/report/report_figures.h"
#include "io/store/reslog.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const report_names_t *how;
    const char *rank_text;
    composition_rank_t rank;
    class_names_t names;
    abundance_t reads;
    composition_t composition;
    const char **samples; /* [composition.n_samples] */
} content_t;

status_t report_names_probe(const char *path, bool *are_in)
{
    *are_in = false;
    return reslog_is_log(path) ? ST_OK : class_names_probe(path, are_in);
}

status_t report_names_rank(const char *text, composition_rank_t *out)
{
    near_word_t near = near_word_begin(text, strlen(text));
    char guess[NEAR_WORD_BYTES];

    if (composition_rank_parse(text, out))
        return ST_OK;
    near_word_try_all(&near, "domain|phylum|class|order|family|genus|species");
    log_error("--rank %.80s: no such rank; give domain, phylum, class, order, family, "
              "genus, species or a number from 1%s",
              text, near_word_text(&near, "", guess));
    return ST_EUSAGE;
}

/* Without options abundances are those of the file, else every read counts once. */
static status_t read_abundances(content_t *c)
{
    const report_names_t *how = c->how;
    const seq_files_t from = seq_files_named(how->page.input);
    seqset_t *set = c->names.reads;

    if (how->samples != NULL)
        return abundance_from_samples(how->samples, &from, set, &c->reads);
    if (how->count_table != NULL)
        return abundance_from_count_table(how->count_table, &from, set, &c->reads);
    if (abundance_is_given(how->labels, &from))
        return abundance_from_names(&from, how->labels, set, &c->reads);
    if (c->names.abundance.size != NULL) {
        c->reads = c->names.abundance;
        c->names.abundance = (abundance_t){.size = NULL};
        return ST_OK;
    }
    c->reads.size = malloc(((size_t)set->n + 1) * sizeof(*c->reads.size));
    if (c->reads.size == NULL)
        return log_nomem("abundances");
    for (int64_t i = 0; i < set->n; i++)
        c->reads.size[i] = 1;
    return ST_OK;
}

static status_t list_samples(content_t *c)
{
    const int64_t n = c->composition.n_samples;

    c->samples = malloc((size_t)n * sizeof(*c->samples));
    if (c->samples == NULL)
        return log_nomem("samples");
    for (int64_t i = 0; i < n; i++)
        c->samples[i] =
            c->reads.samples.n > 0 ? name_table_at(&c->reads.samples, i) : "all";
    return ST_OK;
}

static status_t describe(const void *content, FILE *to)
{
    const content_t *c = content;
    const report_names_t *how = c->how;
    const char *path = how->page.input;
    status_t st = ST_OK;

    if (!class_names_are_text(path))
        st = file_printer_describe(&class_result_printer, path, to);
    fprintf(to, "report\tfile\t%s\nreport\trank\t%s\n", path, c->rank_text);
    if (how->samples != NULL)
        fprintf(to, "report\tsamples\t%s\n", how->samples);
    if (how->count_table != NULL)
        fprintf(to, "report\tcount table\t%s\n", how->count_table);
    if (how->labels.sizes)
        fputs("report\tabundances\tsizes in the names\n", to);
    if (how->labels.samples)
        fputs("report\tsamples\tlabels in the names\n", to);
    return st;
}

/* Count reads by their lowest rank that is named, and by its support. */
static void count_support(const content_t *c, report_bars_t *ranks,
                          report_bars_t *support)
{
    const class_names_t *names = &c->names;
    const report_bins_t bins = {.max = 1,
                                .n = 10,
                                .step = 0.1,
                                .kind = REPORT_BINS_EQUAL};

    *ranks = (report_bars_t){.id = "ranks",
                             .title = "Reads by their lowest rank that is named",
                             .one = "read",
                             .many = "reads",
                             .n = 1,
                             .bars = {{.label = "none", .count = 0}}};
    *support = (report_bars_t){.id = "support",
                               .title = "Classified reads by the support of that rank",
                               .one = "read",
                               .many = "reads"};
    report_bins_label(&bins, support);
    for (int64_t i = 0; i < names->reads->n; i++) {
        const int32_t lineage = names->lineage_of[i];
        int rank = 0;

        if (lineage >= 0)
            for (const char *at = name_table_at(&names->lineages, lineage); at != NULL;
                 at = strchr(at + 1, ';'))
                rank++;
        rank = rank < REPORT_BARS_MAX ? rank : REPORT_BARS_MAX - 1;
        for (; ranks->n <= rank; ranks->n++)
            snprintf(ranks->bars[ranks->n].label, REPORT_BAR_BYTES, "rank %d", ranks->n);
        ranks->bars[rank].count++;
        if (isfinite(names->support[i]))
            support->bars[report_bins_of(&bins, names->support[i])].count++;
    }
}

static status_t write_page(const void *content, const char *title, const char *about,
                           FILE *to)
{
    const content_t *c = content;
    report_bars_t charts[2];
    const composition_t *found = &c->composition;
    const report_composition_t page = {.title = title != NULL ? title
                                                              : "Composition of samples",
                                       .file = c->how->page.input,
                                       .rank = c->rank_text,
                                       .n_taxa = found->n_taxa,
                                       .n_shown = found->n_shown,
                                       .taxa = (const char *const *)found->taxa,
                                       .n_samples = found->n_samples,
                                       .samples = c->samples,
                                       .counts = found->counts,
                                       .charts = charts,
                                       .n_charts = 2,
                                       .about = about};

    count_support(c, &charts[0], &charts[1]);
    report_composition_write(to, &page);
    return ST_OK;
}

status_t report_names(const report_names_t *how)
{
    static const page_kind_t kind = {describe, write_page};
    content_t c = {.how = how, .rank_text = how->rank != NULL ? how->rank : "genus"};
    status_t st;

    if ((st = report_names_rank(c.rank_text, &c.rank)) != ST_OK)
        return st;
    st = class_names_read(how->page.input, &c.names);
    if (st == ST_OK)
        st = read_abundances(&c);
    if (st == ST_OK)
        st =
            composition_make(&c.names, &c.reads, c.rank, REPORT_TAXA_MAX, &c.composition);
    if (st == ST_OK)
        st = list_samples(&c);
    if (st == ST_OK)
        st = page_draw(&kind, &how->page, &c);
    composition_free(&c.composition);
    abundance_free(&c.reads);
    class_names_free(&c.names);
    free(c.samples);
    return st;
}
