/*
 * class_names.c - reads lines of name, strand, lineage, support and method, or HDF5.
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

static const char header[] = "name\tstrand\tlineage\tsupport\tmethod";
static const char unclassified[] = "unclassified";
static const uint8_t placeholder = CODE_N;

bool class_names_are_text(const char *path)
{
    char text[sizeof(header) - 1];
    struct stat about;
    const bool is_file = stat(path, &about) == 0 && S_ISREG(about.st_mode);
    FILE *file = is_file ? fopen(path, "rb") : NULL;
    const size_t n = file != NULL ? fread(text, 1, sizeof(text), file) : 0;

    if (file != NULL)
        fclose(file);
    return (n == sizeof(text) && memcmp(text, header, n) == 0) ||
           unpack_find((const unsigned char *)text, n) != NULL;
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

static bool has_empty_rank(const char *lineage)
{
    return *lineage == ';' || strstr(lineage, ";;") != NULL ||
           lineage[strlen(lineage) - 1] == ';';
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

static status_t read_line(reader_t *r, char *line)
{
    char *at = line, *name = strsep(&at, "\t"), *strand = strsep(&at, "\t");
    char *lineage = strsep(&at, "\t"), *support = strsep(&at, "\t");
    int64_t number = -1;
    status_t st = ST_OK;

    if (at == NULL || strchr(at, '\t') != NULL || *name == '\0' || *lineage == '\0' ||
        has_empty_rank(lineage) || strand == NULL || support == NULL)
        return lines_refuse(r->lines, "expected name, strand, lineage, support and "
                                      "method, separated by tabs; give a file that "
                                      "`ribogrid classify` wrote");
    if (strcmp(lineage, unclassified) != 0)
        st = name_table_add(&r->names.lineages, lineage, strlen(lineage), &number, NULL);
    return st == ST_OK ? add_read(r, name, (int32_t)number,
                                  number >= 0 ? last_number(support) : NAN)
                       : st;
}

static status_t read_lines(reader_t *r)
{
    char *line;
    status_t st = lines_next(r->lines, &line);

    if (st == ST_OK && (line == NULL || strcmp(line, header) != 0))
        return lines_refuse(r->lines,
                            "the first line is not that of names; give a file that "
                            "`ribogrid classify` wrote");
    while (st == ST_OK && (st = lines_next(r->lines, &line)) == ST_OK && line != NULL)
        if (*line != '\0')
            st = read_line(r, line);
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

static status_t read_result(reader_t *r, const char *path)
{
    class_result_t from;
    buf_t lineage = {0};
    status_t st = class_result_read(path, &from);

    if (st != ST_OK)
        return st;
    for (int64_t i = 0; st == ST_OK && i < from.calls.n; i++)
        st = take_read(r, &from, i, &lineage);
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

void class_names_free(class_names_t *n)
{
    seqset_destroy(n->reads);
    name_table_free(&n->lineages);
    free(n->lineage_of);
    free(n->support);
    *n = (class_names_t){0};
}
