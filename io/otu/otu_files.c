/*
 * otu_files.c - writing the files of a clustering under temporary names, then renaming
 * all.
 */
#include "io/otu/otu_files.h"

#include "io/base/logmsg.h"
#include "io/file/whole_file.h"
#include "io/otu/biom_write.h"
#include "io/otu/otu_write.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { OTU_TSV, OTU_BIOM, OTU_FASTA, OTU_LIST, OTU_GROUPS, N_FILES };

static const char *const suffix[N_FILES] = {".otus.tsv", ".biom", ".reps.fasta", ".list",
                                            ".groups.h5"};

static const whole_file_kind_t kind[N_FILES] = {
    [OTU_BIOM] = WHOLE_FILE_HDF5, [OTU_GROUPS] = WHOLE_FILE_HDF5};

static void free_paths(char *const path[N_FILES])
{
    for (int i = 0; i < N_FILES; i++)
        free(path[i]);
}

static status_t make_paths(const char *prefix, char *path[N_FILES])
{
    for (int i = 0; i < N_FILES; i++)
        if (asprintf(&path[i], "%s%s", prefix, suffix[i]) < 0) {
            path[i] = NULL; /* asprintf leaves it undefined */
            return log_nomem("a path");
        }
    return ST_OK;
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

status_t otu_files_check(const char *prefix, bool force)
{
    char *path[N_FILES] = {NULL};
    status_t st = check_prefix(prefix);

    if (st == ST_OK)
        st = make_paths(prefix, path);
    for (int i = 0; st == ST_OK && i < N_FILES; i++)
        st = whole_file_check(path[i], kind[i], force);
    free_paths(path);
    return st;
}

static status_t write_one(whole_file_t *to, int which, const otu_files_t *f)
{
    switch (which) {
    case OTU_TSV:
        otu_write_tsv(whole_file_stream(to), f->table);
        return ST_OK;
    case OTU_FASTA:
        otu_write_fasta(whole_file_stream(to), f->table, f->set);
        return ST_OK;
    case OTU_LIST:
        return otu_write_list(whole_file_stream(to), f->table, &f->head.id, f->members);
    case OTU_BIOM:
        return biom_write(whole_file_tmp(to), f->table, f->head.program);
    default:
        return otu_groups_write(whole_file_tmp(to), &f->head, f->table, f->set);
    }
}

status_t otu_files_write(const char *prefix, bool force, const otu_files_t *f)
{
    whole_file_t *file[N_FILES] = {NULL};
    char *path[N_FILES] = {NULL};
    status_t st = make_paths(prefix, path);

    for (int i = 0; st == ST_OK && i < N_FILES; i++)
        st = whole_file_open(path[i], kind[i], force, &file[i]);
    for (int i = 0; st == ST_OK && i < N_FILES; i++)
        if ((st = write_one(file[i], i, f)) == ST_OK)
            st = whole_file_finish(file[i]);
    for (int i = 0; st == ST_OK && i < N_FILES; i++)
        st = whole_file_publish(file[i]);
    for (int i = 0; i < N_FILES; i++)
        st = whole_file_close(file[i], st);
    free_paths(path);
    return st;
}
