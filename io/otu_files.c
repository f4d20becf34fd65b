#include "io/otu_files.h"

#include "io/biom_write.h"
#include "io/logmsg.h"
#include "io/otu_write.h"

#include <errno.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { OTU_TSV, OTU_BIOM, OTU_FASTA, OTU_LIST, OTU_GROUPS, N_FILES };

static const char *const suffix[N_FILES] = {".otus.tsv", ".biom", ".reps.fasta", ".list",
                                            ".groups.h5"};

typedef struct {
    char *path[N_FILES], *tmp[N_FILES];
} paths_t;

static void free_paths(paths_t *p)
{
    for (int i = 0; i < N_FILES; i++) {
        free(p->path[i]);
        free(p->tmp[i]);
    }
}

static status_t make_paths(const char *prefix, paths_t *p)
{
    for (int i = 0; i < N_FILES; i++)
        if (asprintf(&p->path[i], "%s%s", prefix, suffix[i]) < 0) {
            p->path[i] = NULL; /* asprintf leaves it undefined */
            return log_nomem("a path");
        } else if (asprintf(&p->tmp[i], "%s.tmp", p->path[i]) < 0) {
            p->tmp[i] = NULL;
            return log_nomem("a path");
        }
    return ST_OK;
}

status_t otu_files_check(const char *prefix, bool force)
{
    paths_t p = {{NULL}, {NULL}};
    status_t st = make_paths(prefix, &p);

    for (int i = 0; st == ST_OK && !force && i < N_FILES; i++)
        if (access(p.path[i], F_OK) == 0) {
            log_error("%s exists; give --force to replace it", p.path[i]);
            st = ST_EINPUT;
        }
    /* dirname cuts the path at hand */
    if (st == ST_OK && access(dirname(p.tmp[0]), W_OK) != 0) {
        log_error("%s: cannot write there: %s; choose another -o", p.path[0],
                  strerror(errno));
        st = ST_EIO;
    }
    free_paths(&p);
    return st;
}

static status_t write_text(const char *path, int kind, const otu_files_t *f)
{
    FILE *file = fopen(path, "w");
    status_t st = ST_OK;
    bool good;

    if (file == NULL) {
        log_error("%s: cannot open: %s; choose another -o", path, strerror(errno));
        return ST_EIO;
    }
    if (kind == OTU_TSV)
        otu_write_tsv(file, f->table);
    else if (kind == OTU_FASTA)
        otu_write_fasta(file, f->table, f->set);
    else
        st = otu_write_list(file, f->table, &f->head.id, f->members);
    good = fflush(file) == 0 && ferror(file) == 0;
    if (!good)
        log_error("%s: cannot write: %s", path, strerror(errno));
    if (fclose(file) != 0 && good) {
        log_error("%s: cannot write: %s", path, strerror(errno));
        good = false;
    }
    return st == ST_OK && !good ? ST_EIO : st;
}

static status_t write_one(const char *path, int kind, const otu_files_t *f)
{
    if (kind == OTU_BIOM)
        return biom_write(path, f->table, f->head.program);
    if (kind == OTU_GROUPS)
        return otu_groups_write(path, &f->head, f->table, f->set);
    return write_text(path, kind, f);
}

/* One that cannot be renamed takes those before it along. */
static status_t rename_all(const paths_t *p)
{
    for (int i = 0; i < N_FILES; i++)
        if (rename(p->tmp[i], p->path[i]) != 0) {
            log_error("%s: cannot rename to %s: %s", p->tmp[i], p->path[i],
                      strerror(errno));
            while (--i >= 0)
                unlink(p->path[i]);
            return ST_EIO;
        }
    return ST_OK;
}

status_t otu_files_write(const char *prefix, const otu_files_t *f)
{
    paths_t p = {{NULL}, {NULL}};
    status_t st = make_paths(prefix, &p);

    for (int i = 0; st == ST_OK && i < N_FILES; i++)
        st = write_one(p.tmp[i], i, f);
    if (st == ST_OK)
        st = rename_all(&p);
    for (int i = 0; st != ST_OK && i < N_FILES; i++)
        if (p.tmp[i] != NULL)
            unlink(p.tmp[i]);
    free_paths(&p);
    return st;
}
