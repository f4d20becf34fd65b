/*
 * taxonomy.c - makes a tree of taxa from tables of lineages and from FASTA headers.
 */
#include "io/seq/taxonomy.h"

#include "io/base/logmsg.h"
#include "io/base/name_table.h"
#include "io/file/lines.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    int32_t parent, rank;
} taxon_t;

enum { FLAT_BYTES = 80 };

/* A taxon is numbered by its key "PARENT;NAME"; the key of the root is ";". */
struct taxonomy {
    name_table_t keys, names;
    buf_t taxa;    /* taxon_t of each key */
    buf_t lineage; /* int32_t lowest taxon of each name */
    buf_t key;     /* scratch for one key */
    int phylum_rank;
    bool is_fasta;

    /* lines of a table whose lineage is one name, without ';' */
    int64_t n_lines, n_flat;
    char flat[FLAT_BYTES]; /* the first of these */
    bool is_separated;     /* one of these has another character that separates names */
};

static const taxon_t *taxa(const taxonomy_t *t)
{
    return (const taxon_t *)(const void *)t->taxa.data;
}

static int32_t lowest_of(const taxonomy_t *t, int64_t name)
{
    return ((const int32_t *)(const void *)t->lineage.data)[name];
}

int64_t taxonomy_n(const taxonomy_t *t)
{
    return t->names.n;
}

int32_t taxonomy_n_taxa(const taxonomy_t *t)
{
    return (int32_t)t->keys.n;
}

static status_t add_root(taxonomy_t *t)
{
    taxon_t root = {.parent = -1};
    int64_t number;
    status_t st = name_table_add(&t->keys, ";", 1, &number, NULL);

    return st == ST_OK ? buf_append(&t->taxa, &root, sizeof(root)) : st;
}

/* Find the child with this name, or add it. */
static status_t child_of(taxonomy_t *t, int32_t parent, const char *name, size_t len,
                         int32_t *out)
{
    taxon_t made = {.parent = parent, .rank = taxa(t)[parent].rank + 1};
    int64_t number;
    bool is_new;
    status_t st;

    t->key.len = 0;
    if ((st = buf_printf(&t->key, "%" PRId32 ";", parent)) != ST_OK ||
        (st = buf_append(&t->key, name, len)) != ST_OK ||
        (st = name_table_add(&t->keys, (const char *)t->key.data, t->key.len, &number,
                             &is_new)) != ST_OK)
        return st;
    *out = (int32_t)number;
    return is_new ? buf_append(&t->taxa, &made, sizeof(made)) : ST_OK;
}

int32_t taxonomy_find(const taxonomy_t *t, const char *name)
{
    int64_t i = name_table_find(&t->names, name, strlen(name));

    if (i < 0)
        i = name_table_find(&t->names, name, lineage_name_len(name));
    return i < 0 ? -1 : lowest_of(t, i);
}

/* Refuse the last line read. */
static status_t refuse(const taxonomy_t *t, const lines_t *in, const char *cause)
{
    return lines_refuse(in,
                        t->is_fasta ? "%s; give a table of lineages, or headers such as "
                                      "\">AJ000684 Bacteria;Actinobacteria\""
                                    : "%s; give name TAB lineage, such as "
                                      "\"AJ000684<TAB>Bacteria;Actinobacteria\"",
                        cause);
}

static status_t add_entry(taxonomy_t *t, const lines_t *in, const char *name,
                          int32_t taxon)
{
    int64_t number;
    bool is_new;
    status_t st = name_table_add(&t->names, name, strlen(name), &number, &is_new);

    if (st != ST_OK)
        return st;
    if (is_new)
        return buf_append(&t->lineage, &taxon, sizeof(taxon));
    return lowest_of(t, number) == taxon
               ? ST_OK
               : lines_refuse(in, "the name has another lineage above; leave out one of "
                                  "the two");
}

/* Add the taxa of a lineage. @param out  the lowest one */
static status_t add_lineage(taxonomy_t *t, const lines_t *in, lineage_t *lineage,
                            int32_t *out)
{
    int32_t taxon = TAXONOMY_ROOT;
    const char *name;
    size_t len;

    while (lineage_next(lineage, &name, &len)) {
        status_t st = len > 0 ? child_of(t, taxon, name, len, &taxon)
                              : refuse(t, in, "a rank has no name");

        if (st != ST_OK)
            return st;
    }
    if (taxon == TAXONOMY_ROOT)
        return refuse(t, in, "the lineage has no names");
    *out = taxon;
    return ST_OK;
}

/* Tables with a header: of QIIME 2, `ribogrid taxonomy` and `ribogrid classify`.
 * @return the column of lineages, counted from 0, or 0: the line is no header */
static int column_of_header(const char *line)
{
    static const struct {
        const char *start;
        int column;
    } headers[] = {{"Feature ID\tTaxon", 1},
                   {"query\tlineage\tconsensus", 1},
                   {"name\tstrand\tlineage\tsupport", 2}};

    for (size_t i = 0; i < sizeof(headers) / sizeof(headers[0]); i++)
        if (strncmp(line, headers[i].start, strlen(headers[i].start)) == 0)
            return headers[i].column;
    return 0;
}

/* Note a lineage that is one name. */
static void note_flat(taxonomy_t *t, const char *lineage)
{
    t->n_lines++;
    if (strchr(lineage, ';') != NULL)
        return;
    if (t->n_flat++ == 0)
        snprintf(t->flat, sizeof(t->flat), "%s", lineage);
    t->is_separated = t->is_separated || strpbrk(lineage, ",|") != NULL;
}

/* Single ranks may be meant; that all are, or that they contain separators, is odd. */
static void warn_of_flat(const taxonomy_t *t, const lines_t *in)
{
    if (t->n_flat > 0 && (t->is_separated || t->n_flat == t->n_lines))
        log_warn("%s: %" PRId64 " of %" PRId64
                 " lineages have no ';', the first is '%s': "
                 "each is taken as one taxon without higher ranks; separate ranks by ';'",
                 lines_name(in), t->n_flat, t->n_lines, t->flat);
}

/* @param column  of the lineage, and further columns may follow; 0: of two columns the
 *                second */
static status_t add_line(taxonomy_t *t, const lines_t *in, char *line, int column)
{
    char *tab = strchr(line, '\t'), *end = tab, *next;
    int32_t taxon = TAXONOMY_ROOT;
    lineage_t lineage;
    status_t st;

    for (int k = 1; tab != NULL && k < column; k++)
        tab = strchr(tab + 1, '\t');
    if (tab == NULL)
        return refuse(t, in, "no tab and lineage");
    *end = '\0';
    tab++;
    if ((next = strchr(tab, '\t')) != NULL && column == 0)
        return refuse(t, in, "more than two columns");
    if (next != NULL)
        *next = '\0';
    if (*line == '\0')
        return refuse(t, in, "no name");
    if (*tab == '\0')
        return refuse(t, in, "no lineage");
    note_flat(t, tab);
    lineage = lineage_of_table(tab);
    if ((st = add_lineage(t, in, &lineage, &taxon)) != ST_OK)
        return st;
    return add_entry(t, in, line, taxon);
}

/* @param header  without '>' */
static status_t add_header(taxonomy_t *t, const lines_t *in, char *header)
{
    int32_t taxon = TAXONOMY_ROOT;
    lineage_t lineage;
    status_t st;

    header += strspn(header, " \t");
    if (!lineage_of_header(header, &lineage))
        return refuse(t, in, "the header has no lineage");
    if (*header == '\0')
        return refuse(t, in, "no name");
    if ((st = add_lineage(t, in, &lineage, &taxon)) != ST_OK)
        return st;
    return add_entry(t, in, header, taxon);
}

static status_t read_lines(taxonomy_t *t, lines_t *in)
{
    int column = 0;
    char *text;
    status_t st;

    while ((st = lines_next(in, &text)) == ST_OK && text != NULL) {
        if (*text == '\0')
            continue;
        if (taxonomy_n(t) == 0 && *text == '>')
            t->is_fasta = true;
        if (t->is_fasta)
            st = *text == '>' ? add_header(t, in, text + 1) : ST_OK;
        else if (taxonomy_n(t) == 0 && column_of_header(text) > 0)
            column = column_of_header(text);
        else if (!(column > 0 && strncmp(text, "#q2:types", 9) == 0))
            st = add_line(t, in, text, column);
        if (st != ST_OK)
            return st;
    }
    if (st == ST_OK && taxonomy_n(t) == 0) {
        log_error("%s: the file has no lineages; give lines of name TAB lineage",
                  lines_name(in));
        st = ST_EINPUT;
    }
    if (st == ST_OK)
        warn_of_flat(t, in);
    return st;
}

/* Some tables include the root; then all taxa are one rank lower. */
static int find_phylum_rank(const taxonomy_t *t)
{
    for (int32_t i = 1; i < taxonomy_n_taxa(t); i++)
        if (taxa(t)[i].rank == 1 && strcmp(taxonomy_name(t, i), "Root") != 0)
            return 2;
    return 3;
}

status_t taxonomy_read(const char *path, taxonomy_t **out)
{
    lines_t *in = NULL;
    taxonomy_t *t = calloc(1, sizeof(*t));
    status_t st = t != NULL ? add_root(t) : log_nomem("a taxonomy");

    if (st == ST_OK)
        st = lines_open(path, &in);
    if (st == ST_OK)
        st = read_lines(t, in);
    lines_close(in);
    if (st != ST_OK) {
        taxonomy_destroy(t);
        return st;
    }
    t->phylum_rank = find_phylum_rank(t);
    *out = t;
    return ST_OK;
}

void taxonomy_destroy(taxonomy_t *t)
{
    if (t == NULL)
        return;
    name_table_free(&t->keys);
    name_table_free(&t->names);
    buf_free(&t->taxa);
    buf_free(&t->lineage);
    buf_free(&t->key);
    free(t);
}

const char *taxonomy_name(const taxonomy_t *t, int32_t taxon)
{
    return strchr(name_table_at(&t->keys, taxon), ';') + 1;
}

int taxonomy_rank(const taxonomy_t *t, int32_t taxon)
{
    return taxa(t)[taxon].rank;
}

int32_t taxonomy_ancestor(const taxonomy_t *t, int32_t taxon, int rank)
{
    if (taxa(t)[taxon].rank < rank)
        return -1;
    while (taxa(t)[taxon].rank > rank)
        taxon = taxa(t)[taxon].parent;
    return taxon;
}

int taxonomy_phylum_rank(const taxonomy_t *t)
{
    return t->phylum_rank;
}

status_t taxonomy_append(const taxonomy_t *t, int32_t taxon, const char *separator,
                         buf_t *out)
{
    status_t st = ST_OK;

    for (int rank = 1; st == ST_OK && rank <= taxonomy_rank(t, taxon); rank++)
        st = buf_printf(out, "%s%s", rank > 1 ? separator : "",
                        taxonomy_name(t, taxonomy_ancestor(t, taxon, rank)));
    return st;
}
