/*
 * abundance.c - sizes and samples in record names, samples of files, and merging of
 * counts.
 */
#include "io/prepare/abundance.h"

#include "io/base/logmsg.h"
#include "io/base/plural.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Samples listed in a message. */
enum { NAMES_SHOWN = 3 };

typedef struct {
    const char *mark;
    bool is_number;
} label_kind_t;

static const label_kind_t size_label = {"size=", true}, sample_label = {"sample=", false};

/* Where a label is. */
typedef struct {
    size_t begin, end; /* the bytes to cut out, so that a single ';' remains between the
                        * text before and after */
    const char *value; /* [len] */
    size_t len;
} label_t;

/* Find a label such as ";size=N", or "size=N" at the start of a name, followed by ';', a
 * blank or the end. */
static bool find_label(const char *name, const label_kind_t *kind, label_t *out)
{
    for (const char *at = name; (at = strstr(at, kind->mark)) != NULL; at++) {
        const char *value = at + strlen(kind->mark), *stop;
        const size_t len = strcspn(value, "; ");

        if ((at > name && at[-1] != ';') || len == 0 ||
            (kind->is_number && strspn(value, "0123456789") != len))
            continue;
        stop = value + len;
        *out = (label_t){(size_t)(at - name) - (at > name), (size_t)(stop - name), value,
                         len};
        if (*stop == ';' && (stop[1] == '\0' || stop[1] == ' ' || at == name))
            out->end++;
        while (at == name && name[out->end] == ' ') /* a whole header has blanks */
            out->end++;
        return true;
    }
    return false;
}

abundance_labels_t abundance_labels(const char *name)
{
    label_t label;

    return (abundance_labels_t){.sizes = find_label(name, &size_label, &label),
                                .samples = find_label(name, &sample_label, &label)};
}

/* A record while its labels are read. */
typedef struct {
    const seq_files_t *files;
    int64_t index;
    char *name;
} record_t;

/* Log what is wrong with a record. @return ST_EINPUT */
static status_t refuse(const record_t *r, const char *fmt, ...) PRINTF_LIKE(2, 3);

static status_t refuse(const record_t *r, const char *fmt, ...)
{
    char why[128];
    int64_t in_file;
    const char *file = seq_files_find(r->files, r->index, &in_file);
    va_list args;

    va_start(args, fmt);
    vsnprintf(why, sizeof(why), fmt, args);
    va_end(args);
    log_error("%s: record %" PRId64 " '%.80s'%s", file, in_file + 1, r->name, why);
    return ST_EINPUT;
}

static status_t cut_label(const record_t *r, const label_t *label)
{
    if (label->begin == 0 && r->name[label->end] == '\0')
        return refuse(r, " has a label but no name; give it a name");
    memmove(r->name + label->begin, r->name + label->end,
            strlen(r->name + label->end) + 1);
    return ST_OK;
}

/* Parse the size in a name, 1 if there is none, and cut it out. */
static status_t take_size(const record_t *r, int64_t *out)
{
    label_t label;
    int64_t size = 0;

    *out = 1;
    if (!find_label(r->name, &size_label, &label))
        return ST_OK;
    for (size_t k = 0; k < label.len && size <= ABUNDANCE_MAX; k++)
        size = 10 * size + (label.value[k] - '0');
    if (size < 1 || size > ABUNDANCE_MAX)
        return refuse(r,
                      ": the size must be a whole number from 1 to %" PRId64
                      "; correct it",
                      ABUNDANCE_MAX);
    *out = size;
    return cut_label(r, &label);
}

/* Add the sample in a name, which is cut out. */
static status_t take_sample(const record_t *r, name_table_t *samples, int64_t *number)
{
    label_t label;
    status_t st;

    if (!find_label(r->name, &sample_label, &label))
        return refuse(r, " has no ';sample=NAME'; label all records, or leave out "
                         "--samplein");
    st = name_table_add(samples, label.value, label.len, number, NULL);
    return st == ST_OK ? cut_label(r, &label) : st;
}

static status_t add_file_samples(const seq_files_t *files, abundance_t *to)
{
    int64_t number;
    status_t st = ST_OK;

    for (int64_t k = 0; st == ST_OK && k < files->n; k++)
        st = name_table_add(&to->samples, files->samples[k], strlen(files->samples[k]),
                            &number, NULL);
    return st;
}

/* Count a record in the sample of its file. @param file  in: that of the record before */
static int64_t sample_of_file(const seq_files_t *files, int64_t i, int64_t *file,
                              const name_table_t *samples)
{
    while (i >= files->first[*file + 1])
        ++*file;
    return name_table_find(samples, files->samples[*file], strlen(files->samples[*file]));
}

/* Read the labels of all records. @param a  with room for the sizes */
static status_t read_labels(const seq_files_t *files, abundance_labels_t labels,
                            seqset_t *set, abundance_t *a)
{
    const bool are_of_files = !labels.samples && files->samples != NULL;
    int64_t start = 0, file = 0, n_sized = 0;
    status_t st = are_of_files ? add_file_samples(files, a) : ST_OK;

    for (int64_t i = 0; st == ST_OK && i < set->n; i++) {
        const record_t r = {files, i, set->names + set->name_offset[i]};
        int64_t sample = -1;
        size_t bytes;

        a->size[i] = 1;
        n_sized += labels.sizes && abundance_labels(r.name).sizes;
        if (labels.sizes && (st = take_size(&r, &a->size[i])) != ST_OK)
            return st;
        if (labels.samples && (st = take_sample(&r, &a->samples, &sample)) != ST_OK)
            return st;
        if (are_of_files)
            sample = sample_of_file(files, i, &file, &a->samples);
        if (sample >= 0)
            st = buf_append(&a->counts,
                            &(abundance_count_t){(int32_t)i, (int32_t)sample, a->size[i]},
                            sizeof(abundance_count_t));
        /* keep the names contiguous */
        bytes = strlen(r.name) + 1;
        memmove(set->names + start, r.name, bytes);
        set->name_offset[i] = start;
        start += (int64_t)bytes;
    }
    set->name_offset[set->n] = start;
    if (st == ST_OK && labels.sizes && !labels.may_lack_sizes && n_sized == 0 &&
        set->n > 0)
        log_warn("%s: no name has ';size=N': every record counts 1", files->label);
    return st;
}

/* Log samples, which nobody has listed. */
static status_t log_samples(const seq_files_t *files, int64_t n, const name_table_t *t)
{
    const int64_t n_shown = t->n < NAMES_SHOWN ? t->n : NAMES_SHOWN;
    buf_t names = {0};
    status_t st = ST_OK;

    for (int64_t k = 0; st == ST_OK && k < n_shown; k++)
        st = buf_printf(&names, "%s%.80s", k > 0 ? ", " : "", name_table_at(t, k));
    if (st == ST_OK && t->n > n_shown)
        st = buf_printf(&names, " and %" PRId64 " more", t->n - n_shown);
    if (st == ST_OK && t->n > 0)
        log_info("%s: %" PRId64 " record%s of %" PRId64 " sample%s: %.*s", files->label,
                 n, plural(n), t->n, plural(t->n), (int)names.len,
                 (const char *)names.data);
    buf_free(&names);
    return st;
}

const char *abundance_misuse(abundance_labels_t labels, const char *count_table,
                             const char *samples)
{
    if (labels.sizes + (count_table != NULL) + (samples != NULL) > 1)
        return "--sizein, --count-table and --samples exclude each other; give one of "
               "them";
    return labels.samples && (count_table != NULL || samples != NULL)
               ? "--samplein reads samples from the names, and --count-table and "
                 "--samples from a table; give one of them"
               : NULL;
}

status_t abundance_from_names(const seq_files_t *files, abundance_labels_t labels,
                              seqset_t *set, abundance_t *out)
{
    abundance_t a = {.size = malloc(((size_t)set->n + 1) * sizeof(*a.size))};
    status_t st =
        a.size != NULL ? read_labels(files, labels, set, &a) : log_nomem("the sizes");

    if (st == ST_OK)
        st = log_samples(files, set->n, &a.samples);
    if (st == ST_OK)
        *out = a;
    else
        abundance_free(&a);
    return st;
}

static int by_row_and_sample(const void *a, const void *b)
{
    const abundance_count_t *p = a, *q = b;

    if (p->row != q->row)
        return p->row < q->row ? -1 : 1;
    return (p->sample > q->sample) - (p->sample < q->sample);
}

void abundance_merge(buf_t *counts)
{
    abundance_count_t *c = (abundance_count_t *)counts->data;
    size_t n = counts->len / sizeof(*c), n_kept = 0;

    if (n == 0)
        return;
    qsort(c, n, sizeof(*c), by_row_and_sample);
    for (size_t i = 1; i < n; i++)
        if (by_row_and_sample(&c[n_kept], &c[i]) == 0)
            c[n_kept].count += c[i].count;
        else
            c[++n_kept] = c[i];
    counts->len = (n_kept + 1) * sizeof(*c);
}

void abundance_free(abundance_t *a)
{
    free(a->size);
    name_table_free(&a->samples);
    buf_free(&a->counts);
    *a = (abundance_t){0};
}
