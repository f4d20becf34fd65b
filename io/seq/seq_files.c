/*
 * seq_files.c - lists of files, from a command line or a table.
 */
#include "io/seq/seq_files.h"

#include "io/base/logmsg.h"
#include "io/base/name_table.h"
#include "io/base/texts.h"
#include "io/base/utf8.h"
#include "io/file/lines.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A list while it grows: texts, each with its NUL. */
typedef struct {
    int64_t n;
    buf_t paths, samples;
} list_t;

static status_t add_text(buf_t *to, const char *text)
{
    return buf_append(to, text, strlen(text) + 1);
}

static const char *shown(const char *path)
{
    return strcmp(path, "-") == 0 ? "stdin" : path;
}

static status_t set_label(seq_files_t *f)
{
    int len;

    if (f->n == 1)
        len = asprintf(&f->label, "%s", shown(f->paths[0]));
    else
        len = asprintf(&f->label, "%s and %" PRId64 " other file%s", shown(f->paths[0]),
                       f->n - 1, f->n > 2 ? "s" : "");
    if (len >= 0)
        return ST_OK;
    f->label = NULL; /* asprintf leaves it undefined */
    return log_nomem("the names of files");
}

/* Make a list of what was added. @param has_samples  else the samples are dropped
 * @param l  empty afterwards */
static status_t finish(list_t *l, bool has_samples, status_t st, seq_files_t *out)
{
    seq_files_t files = {.n = l->n};

    if (st == ST_OK) {
        st = texts_take((char *)l->paths.data, l->n, &files.paths);
        l->paths = (buf_t){0};
    }
    if (st == ST_OK && has_samples) {
        st = texts_take((char *)l->samples.data, l->n, &files.samples);
        l->samples = (buf_t){0};
    }
    if (st == ST_OK)
        st = set_label(&files);
    buf_free(&l->paths);
    buf_free(&l->samples);
    if (st == ST_OK)
        *out = files;
    else
        seq_files_free(&files);
    return st;
}

/* Drop the last extension if it is one of a list. */
static size_t without(const char *name, size_t len, const char *const *extensions)
{
    for (; *extensions != NULL; extensions++) {
        const size_t n = strlen(*extensions);

        if (len > n && strncmp(name + len - n, *extensions, n) == 0)
            return len - n;
    }
    return len;
}

/* Add the sample that a file is named after. */
static status_t add_sample(buf_t *to, const char *path)
{
    static const char *const packed[] = {".gz", ".bz2", ".xz", ".zst", NULL};
    static const char *const kinds[] = {".fastq", ".fasta", ".fq",  ".fa",
                                        ".fna",   ".faa",   ".fas", NULL};
    const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path;
    size_t len = strcmp(path, "-") == 0 ? 0 : strlen(name);
    status_t st;

    len = without(name, without(name, len, packed), kinds);
    st = len > 0 ? utf8_escape(name, len, UTF8_NONE, to) : buf_printf(to, "stdin");
    return st == ST_OK ? buf_append(to, "", 1) : st;
}

char *seq_files_sample(const char *path)
{
    buf_t name = {0};

    if (add_sample(&name, strcmp(path, "stdin") == 0 ? "-" : path) == ST_OK)
        return (char *)name.data;
    buf_free(&name);
    return NULL;
}

/* Log that two files have one name. @return ST_EINPUT */
static status_t refuse_sample(const seq_files_t *f, int64_t first, int64_t second)
{
    if (strcmp(f->paths[first], f->paths[second]) == 0)
        log_error("%s is given twice; give each file once", shown(f->paths[first]));
    else
        log_error("%s and %s would both be the sample '%.80s'; name samples in a table "
                  "of samples and files: --manifest",
                  f->paths[first], f->paths[second], f->samples[first]);
    return ST_EINPUT;
}

static status_t check_samples(const seq_files_t *f)
{
    int64_t *first = malloc((size_t)f->n * sizeof(*first)), number;
    name_table_t names = {0};
    status_t st = first != NULL ? ST_OK : log_nomem("the names of samples");
    bool is_new;

    for (int64_t i = 0; st == ST_OK && i < f->n; i++) {
        st = name_table_add(&names, f->samples[i], strlen(f->samples[i]), &number,
                            &is_new);
        if (st == ST_OK && is_new)
            first[number] = i;
        else if (st == ST_OK)
            st = refuse_sample(f, first[number], i);
    }
    name_table_free(&names);
    free(first);
    return st;
}

static status_t list_paths(const seq_inputs_t *in, seq_files_t *out)
{
    list_t l = {.n = in->n};
    seq_files_t files;
    status_t st = ST_OK;

    for (int64_t i = 0; st == ST_OK && i < in->n; i++)
        if ((st = add_text(&l.paths, in->paths[i])) == ST_OK)
            st = add_sample(&l.samples, in->paths[i]);
    if ((st = finish(&l, in->n > 1 || in->follow, st, &files)) != ST_OK)
        return st;
    if (in->n > 1 && (st = check_samples(&files)) != ST_OK) {
        seq_files_free(&files);
        return st;
    }
    *out = files;
    return ST_OK;
}

/* ---- a table ---- */

static status_t read_line(lines_t *in, char *line, name_table_t *seen, list_t *l)
{
    char *at = line, *sample = strsep(&at, "\t"), *path = strsep(&at, "\t");
    int64_t number;
    bool is_new;
    status_t st;

    if (path != NULL && strstr(path, "ward-absolute-filepath") != NULL)
        return lines_refuse(in, "the files are pairs of reads; merge them first, for "
                                "example by vsearch --fastq_mergepairs");
    if (path == NULL || *sample == '\0' || *path == '\0' || at != NULL)
        return lines_refuse(in, "expected a sample and a file, separated by a tab ('#' "
                                "starts a comment)");
    if (l->n == 0 && strcmp(path, "absolute-filepath") == 0)
        return ST_OK;
    if ((st = name_table_add(seen, path, strlen(path), &number, &is_new)) != ST_OK)
        return st;
    if (!is_new)
        return lines_refuse(in, "%.200s is listed twice; leave out one of the lines",
                            path);
    l->n++;
    st = add_text(&l->paths, path);
    return st == ST_OK ? add_text(&l->samples, sample) : st;
}

static status_t read_manifest(const char *path, seq_files_t *out)
{
    name_table_t seen = {0};
    list_t l = {.n = 0};
    lines_t *in;
    char *line;
    status_t st = lines_open(path, &in);

    if (st != ST_OK)
        return st;
    while ((st = lines_next_entry(in, &line)) == ST_OK && line != NULL)
        if ((st = read_line(in, line, &seen, &l)) != ST_OK)
            break;
    lines_close(in);
    name_table_free(&seen);
    if (st == ST_OK && l.n == 0) {
        log_error("%s: no file is listed; give lines of sample TAB file", path);
        st = ST_EINPUT;
    }
    return finish(&l, true, st, out);
}

/* ---- all ---- */

const char *seq_inputs_misuse(const seq_inputs_t *in)
{
    if (in->manifest != NULL && in->n > 0)
        return "--manifest lists the files of sequences; give it or files, not both";
    return in->manifest == NULL && in->n == 0
               ? "no sequences; give files, or --manifest with a table of them"
               : NULL;
}

status_t seq_files_list(const seq_inputs_t *inputs, seq_files_t *out)
{
    return inputs->manifest != NULL ? read_manifest(inputs->manifest, out)
                                    : list_paths(inputs, out);
}

const char *seq_files_find(const seq_files_t *f, int64_t i, int64_t *in_file)
{
    int64_t k = 0;

    *in_file = i;
    if (f->n <= 1)
        return f->label;
    while (i >= f->first[k + 1])
        k++;
    *in_file = i - f->first[k];
    return shown(f->paths[k]);
}

void seq_files_free(seq_files_t *f)
{
    texts_free(f->paths);
    texts_free(f->samples);
    free(f->label);
    free(f->first);
    *f = (seq_files_t){.n = 0};
}
