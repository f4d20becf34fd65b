/*
 * otu_files.c - writing the files of a clustering under temporary names, then renaming
 * all.
 */
#include "io/otu/otu_files.h"

#include "io/base/logmsg.h"
#include "io/file/whole_file.h"
#include "io/otu/biom_write.h"
#include "io/otu/otu_write.h"

#include <errno.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { OTU_TSV, OTU_BIOM, OTU_FASTA, OTU_LIST, OTU_GROUPS, N_FILES };

static const char *const suffix[N_FILES] = {".otus.tsv", ".biom", ".reps.fasta", ".list",
                                            ".groups.h5"};

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

status_t otu_files_check(const char *prefix, bool force)
{
    char *path[N_FILES] = {NULL}, *folder;
    status_t st = make_paths(prefix, path);

    for (int i = 0; st == ST_OK && i < N_FILES; i++)
        st = whole_file_check(path[i], force);
    if (st == ST_OK && (folder = strdup(path[0])) == NULL)
        st = log_nomem("a path");
    if (st == ST_OK) {
        if (access(dirname(folder), W_OK) != 0) {
            log_error("%s: cannot write to this directory: %s; choose another -o",
                      path[0], strerror(errno));
            st = ST_EIO;
        }
        free(folder);
    }
    free_paths(path);
    return st;
}

static status_t write_one(whole_file_t *to, int kind, const otu_files_t *f)
{
    switch (kind) {
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

/* Rename all files; if one fails, remove those that were renamed before it. */
static status_t close_all(whole_file_t *const file[N_FILES], char *const path[N_FILES],
                          status_t st)
{
    int n_renamed = 0;

    for (int i = 0; i < N_FILES; i++) {
        st = whole_file_close(file[i], st);
        n_renamed += st == ST_OK;
    }
    for (int i = 0; st != ST_OK && i < n_renamed; i++)
        unlink(path[i]);
    return st;
}

status_t otu_files_write(const char *prefix, const otu_files_t *f)
{
    whole_file_t *file[N_FILES] = {NULL};
    char *path[N_FILES] = {NULL};
    status_t st = make_paths(prefix, path);

    for (int i = 0; st == ST_OK && i < N_FILES; i++)
        st = whole_file_open(path[i], true, &file[i]);
    for (int i = 0; st == ST_OK && i < N_FILES; i++)
        if ((st = write_one(file[i], i, f)) == ST_OK)
            st = whole_file_finish(file[i]);
    st = close_all(file, path, st);
    free_paths(path);
    return st;
}
