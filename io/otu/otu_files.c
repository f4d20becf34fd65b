/*
 * otu_files.c - writing the files of clusterings, then naming all.
 */

#include "io/base/logmsg.h"
#include "io/file/whole_file.h"
#include "io/otu/biom_write.h"
#include "io/otu/otu_write.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The list is last: several clusterings share it. */
enum { OTU_TSV, OTU_BIOM, OTU_FASTA, OTU_GROUPS, OTU_MAP, OTU_UNMATCHED, OTU_LIST };
enum { N_FILES = OTU_LIST + 1, N_OWN = 4, OUTPUTS_MAX = FRACTION_LIST_MAX * N_OWN + 1 };

static const char *const suffix[N_FILES] = {".otus.tsv",  ".biom",    ".reps.fasta",
                                            ".groups.h5", ".map.tsv", ".unmatched.fasta",
                                            ".list"};

/* The files of each clustering, by whether its OTUs are references. */
static const int own[2][N_OWN] = {{OTU_TSV, OTU_BIOM, OTU_FASTA, OTU_GROUPS},
                                  {OTU_TSV, OTU_BIOM, OTU_MAP, OTU_UNMATCHED}};

static const whole_file_kind_t kind[N_FILES] = {
    [OTU_BIOM] = WHOLE_FILE_HDF5, [OTU_GROUPS] = WHOLE_FILE_HDF5};

/* An output: one of the files of a clustering, or the list. */
typedef struct {
    int which, clustering;
    char *path;
    whole_file_t *file;
} output_t;

typedef struct {
    int n;
    output_t at[OUTPUTS_MAX];
} outputs_t;

static void free_outputs(outputs_t *o)
{
    for (int i = 0; i < o->n; i++)
        free(o->at[i].path);
}

/* @param id  NULL: its identity is not part of the name */
static status_t add_output(outputs_t *o, const char *prefix, const fraction_t *id,
                           int which, int clustering)
{
    output_t *to = &o->at[o->n];
    int len;

    *to = (output_t){.which = which, .clustering = clustering};
    if (id != NULL)
        len = asprintf(&to->path, "%s.%.9g%s", prefix, fraction_value(id), suffix[which]);
    else
        len = asprintf(&to->path, "%s%s", prefix, suffix[which]);
    if (len < 0)
        return log_nomem("a path");
    o->n++;
    return ST_OK;
}

/* List the outputs of clusterings. @param o  release with free_outputs, whatever returns
 */
static status_t list_outputs(const char *prefix, bool is_closed,
                             const fraction_list_t *ids, outputs_t *o)
{
    status_t st = ST_OK;

    o->n = 0;
    for (int k = 0; st == ST_OK && k < ids->n; k++)
        for (int i = 0; st == ST_OK && i < N_OWN; i++)
            st = add_output(o, prefix, ids->n > 1 ? &ids->at[k] : NULL, own[is_closed][i],
                            k);
    return st == ST_OK && !is_closed ? add_output(o, prefix, NULL, OTU_LIST, 0) : st;
}

/* Files of a prefix that ends in a slash would be hidden ones. */
static status_t check_prefix(const char *prefix)
{
    size_t len = strlen(prefix);
    struct stat info;

    if (len > 0 && prefix[len - 1] != '/' &&
        (stat(prefix, &info) != 0 || !S_ISDIR(info.st_mode)))
        return ST_OK;
    log_error("'%s' is %s; give a prefix of file names, such as %s%sotus", prefix,
              len > 0 ? "a directory" : "empty", prefix,
              len > 0 && prefix[len - 1] != '/' ? "/" : "");
    return ST_EINPUT;
}

status_t otu_files_check(const char *prefix, bool force, bool is_closed,
                         const fraction_list_t *ids)
{
    outputs_t o = {.n = 0};
    status_t st = check_prefix(prefix);

    if (st == ST_OK)
        st = list_outputs(prefix, is_closed, ids, &o);
    for (int i = 0; st == ST_OK && i < o.n; i++)
        st = whole_file_check(o.at[i].path, kind[o.at[i].which], force);
    free_outputs(&o);
    return st;
}

status_t otu_files_each(const char *prefix, bool is_closed, const fraction_list_t *ids,
                        status_t (*fn)(void *ctx, const char *path), void *ctx)
{
    outputs_t o = {.n = 0};
    status_t st = list_outputs(prefix, is_closed, ids, &o);

    for (int i = 0; st == ST_OK && i < o.n; i++)
        st = fn(ctx, o.at[i].path);
    free_outputs(&o);
    return st;
}

static status_t write_list(FILE *to, const otu_files_t *f, int n)
{
    otu_list_row_t rows[FRACTION_LIST_MAX];

    for (int k = 0; k < n; k++)
        rows[k] = (otu_list_row_t){f[k].table, f[k].head.id};
    return otu_write_list(to, rows, n, f->members);
}

static status_t write_one(const output_t *o, const otu_files_t *all, int n)
{
    const otu_files_t *f = &all[o->clustering];

    switch (o->which) {
    case OTU_TSV:
        otu_write_tsv(whole_file_stream(o->file), f->table, f->taxa);
        return ST_OK;
    case OTU_FASTA:
        otu_write_fasta(whole_file_stream(o->file), f->table, f->set, f->has_sizes);
        return ST_OK;
    case OTU_MAP:
        otu_closed_write_map(whole_file_stream(o->file), f->closed, f->members);
        return ST_OK;
    case OTU_UNMATCHED:
        otu_closed_write_unmatched(whole_file_stream(o->file), f->closed, f->set,
                                   f->has_sizes);
        return ST_OK;
    case OTU_LIST:
        return write_list(whole_file_stream(o->file), all, n);
    case OTU_BIOM:
        return biom_write(o->file, f->table, f->taxa, f->head.program);
    default:
        return otu_groups_write(o->file, &f->head, f->table, f->set);
    }
}

status_t otu_files_write(const char *prefix, bool force, const otu_files_t *f, int n)
{
    fraction_list_t ids = {.n = n};
    outputs_t o = {.n = 0};
    status_t st;

    for (int k = 0; k < n; k++)
        ids.at[k] = f[k].head.id;
    st = list_outputs(prefix, f->closed != NULL, &ids, &o);
    for (int i = 0; st == ST_OK && i < o.n; i++)
        st = whole_file_open(o.at[i].path, kind[o.at[i].which], force, &o.at[i].file);
    for (int i = 0; st == ST_OK && i < o.n; i++)
        if ((st = write_one(&o.at[i], f, n)) == ST_OK)
            st = whole_file_finish(o.at[i].file);
    for (int i = 0; st == ST_OK && i < o.n; i++)
        st = whole_file_publish(o.at[i].file);
    for (int i = 0; i < o.n; i++)
        st = whole_file_close(o.at[i].file, st);
    free_outputs(&o);
    return st;
}
