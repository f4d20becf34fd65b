/*
 * class_names.c - reads tables of names, lineages and supports, or HDF5.
 */
#include "io/modelfile/class_names.h"

#include "io/base/logmsg.h"
#include "io/file/lines.h"
#include "io/file/unpack.h"
#include "io/modelfile/class_result.h"
#include "io/modelfile/file_kind.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const uint8_t placeholder = CODE_N;

enum { COLUMNS_MAX = 5 };

/* A table that names reads, by its first line. */
typedef struct {
    const char *header;
    int n_columns, lineage, support; /* columns, counted from 0 */
    const char *unnamed;             /* instead of a lineage */
} form_t;

static const form_t forms[] = {
    {"name\tstrand\tlineage\tsupport\tmethod", 5, 2, 3, "unclassified"},
    {"query\tlineage\tconsensus\tagreeing\thits", 5, 1, 2, "Unassigned"},
    {"Feature ID\tTaxon\tConfidence", 3, 1, 2, "Unassigned"},
    {"Feature ID\tTaxon\tConsensus", 3, 1, 2, "Unassigned"},
};

enum { N_FORMS = sizeof(forms) / sizeof(forms[0]), HEADER_BYTES = 64 };

bool class_names_are_text(const char *path)
{
    char text[HEADER_BYTES];
    struct stat about;
    const bool is_file = stat(path, &about) == 0 && S_ISREG(about.st_mode);
    FILE *file = is_file ? fopen(path, "rb") : NULL;
    const size_t n = file != NULL ? fread(text, 1, sizeof(text), file) : 0;
    bool is_text = unpack_find((const unsigned char *)text, n) != NULL;

    if (file != NULL)
        fclose(file);
    for (int k = 0; k < N_FORMS; k++) {
        const size_t len = strlen(forms[k].header);

        is_text = is_text || (n >= len && memcmp(text, forms[k].header, len) == 0);
    }
    return is_text;
}

status_t class_names_probe(const char *path, bool *are_in)
{
    file_kind_t kind = FILE_CLASS_RESULT;
    const status_t st = class_names_are_text(path) ? ST_OK : file_kind_read(path, &kind);

    *are_in = kind == FILE_CLASS_RESULT;
    return st;
}

typedef struct {
    class_names_t names;
    seqset_builder_t builder;
    buf_t lineage_of; /* int32_t */
    buf_t support;    /* double */
    lines_t *lines;
} reader_t;

/* @return whether a rank has no name, or only blanks */
static bool has_empty_rank(const char *lineage)
{
    bool is_empty = true;

    for (; *lineage != '\0'; lineage++) {
        if (*lineage == ';' && is_empty)
            return true;
        is_empty = *lineage == ';' || (is_empty && *lineage == ' ');
    }
    return is_empty;
}

/* @return the last one of numbers that ';' separates, or NAN */
static double last_number(const char *text)
{
    const char *last = strrchr(text, ';') != NULL ? strrchr(text, ';') + 1 : text;
    char *end;
    const double value = strtod(last, &end);

    return end != last && *end == '\0' ? value : NAN;
}

static status_t add_read(reader_t *r, const char *name, int32_t lineage, double support)
{
    status_t st;

    if ((st = buf_append(&r->lineage_of, &lineage, sizeof(lineage))) != ST_OK ||
        (st = buf_append(&r->support, &support, sizeof(support))) != ST_OK)
        return st;
    return seqset_builder_add(&r->builder, name, strlen(name), &placeholder, 1);
}

/* Find the form of a table by its first line. */
static status_t read_header(lines_t *in, const form_t **out)
{
    char *line;
    status_t st = lines_next(in, &line);

    for (int k = 0; st == ST_OK && line != NULL && k < N_FORMS; k++)
        if (strcmp(line, forms[k].header) == 0) {
            *out = &forms[k];
            return ST_OK;
        }
    return st != ST_OK ? st
                       : lines_refuse(in, "the first line is not that of names; give tsv "
                                          "or qiime2 of `ribogrid classify` or "
                                          "`ribogrid taxonomy`");
}

/* Log what a line has to hold. @return ST_EINPUT */
static status_t refuse_line(const lines_t *in, const form_t *form)
{
    char columns[2 * HEADER_BYTES];
    size_t n = 0;

    for (const char *at = form->header; *at != '\0'; at++)
        n += (size_t)snprintf(columns + n, sizeof(columns) - n, "%.*s",
                              *at == '\t' ? 2 : 1, *at == '\t' ? ", " : at);
    return lines_refuse(
        in,
        "expected %s, separated by tabs, without empty ranks; give a file "
        "that `ribogrid classify` or `ribogrid taxonomy` wrote",
        columns);
}

/* Cut a line into its columns, and check them. */
static status_t cut_line(const lines_t *in, const form_t *form, char *line,
                         char *column[COLUMNS_MAX])
{
    char *at = line;
    int n = 0;

    while (n < form->n_columns && at != NULL)
        column[n++] = strsep(&at, "\t");
    return n < form->n_columns || at != NULL || *column[0] == '\0' ||
                   has_empty_rank(column[form->lineage])
               ? refuse_line(in, form)
               : ST_OK;
}

/* Drop the blanks after semicolons, which QIIME 2 has. */
static void join_ranks(char *lineage)
{
    char *to = lineage;

    for (const char *at = lineage; *at != '\0'; at++)
        if (*at != ' ' || at == lineage || at[-1] != ';')
            *to++ = *at;
    *to = '\0';
}

static status_t read_line(reader_t *r, const form_t *form, char *line)
{
    char *column[COLUMNS_MAX], *lineage;
    int64_t number = -1;
    status_t st = cut_line(r->lines, form, line, column);

    if (st != ST_OK)
        return st;
    lineage = column[form->lineage];
    join_ranks(lineage);
    if (strcmp(lineage, form->unnamed) != 0)
        st = name_table_add(&r->names.lineages, lineage, strlen(lineage), &number, NULL);
    return st == ST_OK ? add_read(r, column[0], (int32_t)number,
                                  number >= 0 ? last_number(column[form->support]) : NAN)
                       : st;
}

static status_t read_lines(reader_t *r)
{
    const form_t *form = NULL;
    char *line;
    status_t st = read_header(r->lines, &form);

    while (st == ST_OK && (st = lines_next(r->lines, &line)) == ST_OK && line != NULL)
        if (*line != '\0')
            st = read_line(r, form, line);
    return st;
}

/* Append the lineage of a taxon. */
static status_t add_lineage(const class_taxa_t *taxa, int32_t taxon, buf_t *out)
{
    const int n_ranks = class_taxa_rank(taxa, taxon);
    status_t st = ST_OK;

    for (int rank = 1; st == ST_OK && rank <= n_ranks; rank++)
        st = buf_printf(out, "%s%s", rank > 1 ? ";" : "",
                        class_taxa_name(taxa, class_taxa_at(taxa, taxon, rank)));
    return st;
}

static status_t take_read(reader_t *r, const class_result_t *from, int64_t i,
                          buf_t *lineage)
{
    const class_calls_t *calls = &from->calls;
    const char *name = class_result_name(from, i);
    double support = NAN;
    int64_t number = -1;
    status_t st = ST_OK;

    lineage->len = 0;
    if (calls->named[i] > 0)
        support = (double)calls->support[i * calls->n_ranks + calls->named[i] - 1] /
                  CLASS_SUPPORT_ONE;
    if (calls->named[i] > 0)
        st = add_lineage(&from->taxa,
                         class_taxa_at(&from->taxa, calls->taxon[i], calls->named[i]),
                         lineage);
    if (st == ST_OK && lineage->len > 0)
        st = name_table_add(&r->names.lineages, (const char *)lineage->data, lineage->len,
                            &number, NULL);
    return st == ST_OK ? add_read(r, name, (int32_t)number, support) : st;
}

/* Take the abundances and the samples of a result, if it has any. */
static status_t take_abundance(const char *path, abundance_t *to,
                               const class_result_t *from)
{
    const class_samples_t *s = &from->samples;
    int64_t number = 0;
    status_t st = ST_OK;

    if (from->sizes == NULL && s->of == NULL)
        return ST_OK;
    to->size = malloc((size_t)from->calls.n * sizeof(*to->size) + 1);
    if (to->size == NULL)
        return log_nomem("abundances");
    for (int64_t k = 0; st == ST_OK && k < s->n; k++) {
        const char *name = class_samples_name(s, k);

        st = name_table_add(&to->samples, name, strlen(name), &number, NULL);
        if (st == ST_OK && number != k) {
            log_error("%s: damaged: sample '%.80s' is listed twice", path, name);
            st = ST_EINPUT;
        }
    }
    for (int64_t i = 0; st == ST_OK && i < from->calls.n; i++) {
        to->size[i] = from->sizes != NULL ? from->sizes[i] : 1;
        if (s->of != NULL)
            st = buf_append(&to->counts,
                            &(abundance_count_t){(int32_t)i, s->of[i], to->size[i]},
                            sizeof(abundance_count_t));
    }
    return st;
}

static status_t read_result(reader_t *r, const char *path)
{
    class_result_t from;
    buf_t lineage = {0};
    status_t st = class_result_read(path, &from);

    if (st != ST_OK)
        return st;
    for (int64_t i = 0; st == ST_OK && i < from.calls.n; i++)
        st = take_read(r, &from, i, &lineage);
    if (st == ST_OK)
        st = take_abundance(path, &r->names.abundance, &from);
    buf_free(&lineage);
    class_result_free(&from);
    return st;
}

static status_t read_text(reader_t *r, const char *path)
{
    status_t st = lines_open(path, &r->lines);

    if (st == ST_OK)
        st = read_lines(r);
    lines_close(r->lines);
    return st;
}

status_t class_names_read(const char *path, class_names_t *out)
{
    reader_t r = {.lines = NULL};
    status_t st =
        class_names_are_text(path) ? read_text(&r, path) : read_result(&r, path);

    if (st == ST_OK && r.builder.n == 0) {
        log_error("%s: the file has no reads", path);
        st = ST_EINPUT;
    }
    if (st == ST_OK)
        st = seqset_builder_finish(&r.builder, &r.names.reads);
    seqset_builder_free(&r.builder);
    r.names.lineage_of = (int32_t *)(void *)r.lineage_of.data;
    r.names.support = (double *)(void *)r.support.data;
    if (st != ST_OK) {
        class_names_free(&r.names);
        return st;
    }
    *out = r.names;
    return ST_OK;
}

/* Print the lines of an open table. */
static status_t print_lines(lines_t *in, bool has_header, FILE *to)
{
    const form_t *form = NULL;
    char *line, *column[COLUMNS_MAX];
    status_t st = read_header(in, &form);

    if (st == ST_OK && has_header)
        fprintf(to, "%s\n", form->header);
    while (st == ST_OK && (st = lines_next(in, &line)) == ST_OK && line != NULL &&
           !ferror(to)) {
        if (*line == '\0' || (st = cut_line(in, form, line, column)) != ST_OK)
            continue;
        for (int k = 0; k < form->n_columns; k++)
            fprintf(to, "%s%s", k > 0 ? "\t" : "", column[k]);
        putc('\n', to);
    }
    return st;
}

status_t class_names_print(const char *path, bool has_header, FILE *to)
{
    lines_t *in = NULL;
    status_t st = lines_open(path, &in);

    if (st == ST_OK)
        st = print_lines(in, has_header, to);
    lines_close(in);
    return st;
}

void class_names_free(class_names_t *n)
{
    seqset_destroy(n->reads);
    name_table_free(&n->lineages);
    free(n->lineage_of);
    free(n->support);
    abundance_free(&n->abundance);
    *n = (class_names_t){0};
}
