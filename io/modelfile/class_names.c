/*
 * class_names.c - reads lines of name, strand, lineage, support and method.
 */
#include "io/modelfile/class_names.h"

#include "io/base/logmsg.h"
#include "io/file/lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char header[] = "name\tstrand\tlineage\tsupport\tmethod";
static const char unclassified[] = "unclassified";

bool class_names_are_in(const char *path)
{
    static const char gzip[] = "\x1f\x8b";
    char text[sizeof(header) - 1];
    struct stat about;
    const bool is_file = stat(path, &about) == 0 && S_ISREG(about.st_mode);
    FILE *file = is_file ? fopen(path, "rb") : NULL;
    const size_t n = file != NULL ? fread(text, 1, sizeof(text), file) : 0;

    if (file != NULL)
        fclose(file);
    return (n == sizeof(text) && memcmp(text, header, n) == 0) ||
           (n > 2 && memcmp(text, gzip, 2) == 0);
}

typedef struct {
    class_names_t names;
    seqset_builder_t builder;
    buf_t lineage_of; /* int32_t */
    lines_t *lines;
} reader_t;

static bool has_empty_rank(const char *lineage)
{
    return *lineage == ';' || strstr(lineage, ";;") != NULL ||
           lineage[strlen(lineage) - 1] == ';';
}

static status_t read_line(reader_t *r, char *line)
{
    static const uint8_t placeholder = CODE_N;
    char *at = line, *name = strsep(&at, "\t"), *strand = strsep(&at, "\t");
    char *lineage = strsep(&at, "\t"), *support = strsep(&at, "\t");
    int64_t number = -1;
    int32_t lineage_of;
    status_t st = ST_OK;

    if (at == NULL || strchr(at, '\t') != NULL || *name == '\0' || *lineage == '\0' ||
        has_empty_rank(lineage) || strand == NULL || support == NULL)
        return lines_refuse(r->lines, "expected name, strand, lineage, support and "
                                      "method, separated by tabs; give a file that "
                                      "`ribogrid classify` wrote");
    if (strcmp(lineage, unclassified) != 0)
        st = name_table_add(&r->names.lineages, lineage, strlen(lineage), &number, NULL);
    lineage_of = (int32_t)number;
    if (st == ST_OK)
        st = buf_append(&r->lineage_of, &lineage_of, sizeof(lineage_of));
    return st == ST_OK
               ? seqset_builder_add(&r->builder, name, strlen(name), &placeholder, 1)
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
    if (st == ST_OK && r->builder.n == 0) {
        log_error("%s: the file has no reads", lines_name(r->lines));
        st = ST_EINPUT;
    }
    return st;
}

status_t class_names_read(const char *path, class_names_t *out)
{
    reader_t r = {.lines = NULL};
    status_t st = lines_open(path, &r.lines);

    if (st == ST_OK)
        st = read_lines(&r);
    lines_close(r.lines);
    if (st == ST_OK)
        st = seqset_builder_finish(&r.builder, &r.names.reads);
    seqset_builder_free(&r.builder);
    r.names.lineage_of = (int32_t *)(void *)r.lineage_of.data;
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
    *n = (class_names_t){0};
}
