/*
 * class_lines.c - prints lineages with their supports.
 */
#include "io/modelfile/class_result.h"

#include "io/base/buf.h"
#include "io/base/logmsg.h"

#include <inttypes.h>
#include <string.h>

const char *const class_format_name[CLASS_N_FORMATS] = {"tsv", "mothur", "qiime2",
                                                        "sintax", "hdf5"};

/* What a line is made of. */
typedef struct {
    const class_result_t *result;
    class_format_t format;
    int32_t taxon[CLASS_RANKS_MAX]; /* [n_ranks] the current read's lineage */
    int n_ranks;                    /* of all that lineage, */
    int n_named;                    /* of what is named */
    const uint16_t *support;
    bool blanks_replaced;
} lines_out_t;

static double support_of(const lines_out_t *o, int rank)
{
    return (double)o->support[rank - 1] / CLASS_SUPPORT_ONE;
}

static const char *taxon_name(const lines_out_t *o, int rank)
{
    return class_taxa_name(&o->result->taxa, o->taxon[rank - 1]);
}

/* mothur takes a blank as the end of a name or of a lineage. */
static void replace_blanks(lines_out_t *o, char *text, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (text[i] == ' ') {
            text[i] = '_';
            if (!o->blanks_replaced)
                log_warn("names contain blanks, which mothur does not accept; they are "
                         "written as '_'");
            o->blanks_replaced = true;
        }
}

/* The letters of sintax: those of names such as "g__Bacillus", or by the rank. */
static char rank_letter(const lines_out_t *o, int rank)
{
    static const char letters[] = "dkpcofgst", by_rank[] = "dpcofgs";
    const char *name = taxon_name(o, rank);

    if (*name != '\0' && strchr(letters, *name) != NULL &&
        strncmp(name + 1, "__", 2) == 0)
        return *name == 'k' ? 'd' : *name;
    return rank < (int)sizeof(by_rank) ? by_rank[rank - 1] : 't';
}

static const char *without_letter(const char *name)
{
    return *name != '\0' && strncmp(name + 1, "__", 2) == 0 ? name + 3 : name;
}

static status_t add_tsv(const lines_out_t *o, int64_t i, buf_t *line)
{
    const class_calls_t *c = &o->result->calls;
    status_t st = buf_printf(line, "\t%c\t", c->reversed[i] ? '-' : '+');

    if (st == ST_OK && o->n_named == 0)
        st = buf_printf(line, "unclassified\tNA");
    for (int r = 1; st == ST_OK && r <= o->n_named; r++)
        st = buf_printf(line, "%s%s", r > 1 ? ";" : "", taxon_name(o, r));
    for (int r = 1; st == ST_OK && r <= o->n_named; r++)
        st = buf_printf(line, "%s%.4f", r > 1 ? ";" : "\t", support_of(o, r));
    return st == ST_OK ? buf_printf(line, "\t%s", class_method_name[c->method[i]]) : st;
}

static status_t add_mothur(lines_out_t *o, buf_t *line)
{
    size_t start = line->len;
    status_t st = buf_printf(line, "\t");

    if (st == ST_OK && o->n_named == 0)
        st = buf_printf(line, "unknown(0);");
    for (int r = 1; st == ST_OK && r <= o->n_named; r++)
        st = buf_printf(line, "%s(%d);", taxon_name(o, r),
                        o->support[r - 1] / (CLASS_SUPPORT_ONE / 100));
    if (st == ST_OK)
        replace_blanks(o, (char *)line->data + start, line->len - start);
    return st;
}

static status_t add_qiime2(const lines_out_t *o, buf_t *line)
{
    status_t st = buf_printf(line, "\t%s", o->n_named == 0 ? "Unassigned" : "");

    for (int r = 1; st == ST_OK && r <= o->n_named; r++)
        st = buf_printf(line, "%s%s", r > 1 ? "; " : "", taxon_name(o, r));
    return st == ST_OK ? buf_printf(line, "\t%.4f",
                                    o->n_named > 0 ? support_of(o, o->n_named) : 0.)
                       : st;
}

/* All ranks with their support, the strand, the ranks that are named. */
static status_t add_sintax(const lines_out_t *o, int64_t i, buf_t *line)
{
    status_t st = buf_printf(line, "\t");

    for (int r = 1; st == ST_OK && r <= o->n_ranks; r++)
        st = buf_printf(line, "%s%c:%s(%.2f)", r > 1 ? "," : "", rank_letter(o, r),
                        without_letter(taxon_name(o, r)), support_of(o, r));
    if (st == ST_OK)
        st = buf_printf(line, "\t%c\t", o->result->calls.reversed[i] ? '-' : '+');
    for (int r = 1; st == ST_OK && r <= o->n_named; r++)
        st = buf_printf(line, "%s%c:%s", r > 1 ? "," : "", rank_letter(o, r),
                        without_letter(taxon_name(o, r)));
    return st;
}

static void find_lineage(lines_out_t *o, int64_t i)
{
    const class_calls_t *c = &o->result->calls;
    const class_taxa_t *t = &o->result->taxa;

    o->n_ranks = c->taxon[i] < 0 ? 0 : class_taxa_rank(t, c->taxon[i]);
    o->n_named = c->named[i];
    o->support = c->support + i * c->n_ranks;
    for (int32_t r = o->n_ranks, taxon = c->taxon[i]; r > 0; taxon = t->parent[taxon])
        o->taxon[--r] = taxon;
}

static status_t add_line(lines_out_t *o, int64_t i, buf_t *line)
{
    status_t st = buf_printf(line, "%s", class_result_name(o->result, i));

    if (st != ST_OK)
        return st;
    find_lineage(o, i);
    switch (o->format) {
    case CLASS_FORMAT_MOTHUR:
        replace_blanks(o, (char *)line->data, line->len);
        st = add_mothur(o, line);
        break;
    case CLASS_FORMAT_QIIME2:
        st = add_qiime2(o, line);
        break;
    case CLASS_FORMAT_SINTAX:
        st = add_sintax(o, i, line);
        break;
    default:
        st = add_tsv(o, i, line);
    }
    return st == ST_OK ? buf_append(line, "\n", 1) : st;
}

status_t class_lines_print(const class_result_t *result, class_format_t format,
                           bool has_header, FILE *to)
{
    lines_out_t o = {.result = result, .format = format};
    buf_t line = {0};
    status_t st = ST_OK;

    if (has_header && format == CLASS_FORMAT_TSV)
        fputs("name\tstrand\tlineage\tsupport\tmethod\n", to);
    if (has_header && format == CLASS_FORMAT_QIIME2)
        fputs("Feature ID\tTaxon\tConfidence\n", to);
    for (int64_t i = 0; st == ST_OK && i < result->calls.n && !ferror(to); i++) {
        line.len = 0;
        if ((st = add_line(&o, i, &line)) == ST_OK)
            fwrite(line.data, 1, line.len, to);
    }
    buf_free(&line);
    return st;
}
