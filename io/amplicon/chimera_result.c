/*
 * chimera_result.c - writes and reads results of `chimeras`.
 */
#include "io/amplicon/chimera_result.h"

#include "io/base/logmsg.h"
#include "io/hdf5/h5util.h"
#include "io/result/result_table.h"

#include <stdlib.h>

enum { READS = 1, PARENTS, PAIR, MATCHES, VOTES };

static const result_dim_t dims[RESULT_DIMS_MAX] = {
    [READS] = {"n", "a read", "reads", INT32_MAX},
    [PARENTS] = {"p", "a parent", "parents", INT32_MAX},
    [PAIR] = {"2", "a parent of a read", "parents of a read", 2},
    [MATCHES] = {"4", "a number of matches", "numbers of matches",
                 CHIMERA_RESULT_MATCHES},
    [VOTES] = {"6", "a number of votes", "numbers of votes", CHIMERA_RESULT_VOTES},
};

#define AT(member) offsetof(chimera_result_t, member)

static const result_field_t fields[] = {
    {.name = "/reads/name",
     .type = RESULT_NAMES,
     .at = AT(names),
     .at_offset = AT(name_offset),
     .shape = {READS},
     .meaning = "names, in the order of the input"},
    {.name = "/reads/size",
     .type = RESULT_INT64,
     .at = AT(size),
     .shape = {READS},
     .is_optional = true,
     .check = {RESULT_WITHIN, 1, 9e15, 0},
     .meaning = "abundances, if there are any"},
    {.name = "/reads/call",
     .type = RESULT_UINT8,
     .at = AT(call),
     .shape = {READS},
     .check = {RESULT_WITHIN, 0, CHIMERA_RESULT_CALLS - 1, 0},
     .meaning = "0: no chimera, 1: borderline, 2: a chimera"},
    {.name = "/reads/score",
     .type = RESULT_FLOAT64,
     .at = AT(score),
     .shape = {READS},
     .check = {RESULT_WITHIN, 0, 1e300, 0},
     .meaning = "UCHIME's score h; 0 without parents"},
    {.name = "/reads/parent",
     .type = RESULT_INT32,
     .at = AT(parent),
     .shape = {READS, PAIR},
     .check = {RESULT_INDEX, -1, 0, PARENTS},
     .meaning = "the parents A, of the left part, and B; -1: there are none"},
    {.name = "/reads/columns",
     .type = RESULT_INT32,
     .at = AT(columns),
     .shape = {READS},
     .check = {RESULT_WITHIN, 0, INT32_MAX, 0},
     .unit = "bases",
     .meaning = "of the read that count; 0 without parents"},
    {.name = "/reads/matches",
     .type = RESULT_INT32,
     .at = AT(matches),
     .shape = {READS, MATCHES},
     .check = {RESULT_WITHIN, 0, INT32_MAX, 0},
     .unit = "bases",
     .meaning = "of these, equal in read and model, read and A, read and B, A and B"},
    {.name = "/reads/votes",
     .type = RESULT_INT32,
     .at = AT(votes),
     .shape = {READS, VOTES},
     .check = {RESULT_WITHIN, 0, INT32_MAX, 0},
     .meaning = "yes, no and abstain on the left of the breakpoint, then on the right"},
    {.name = "/parents/name",
     .type = RESULT_NAMES,
     .at = AT(parent_names),
     .at_offset = AT(parent_name_offset),
     .shape = {PARENTS},
     .meaning =
         "sequences that are a parent of a read, with `;size=N` if they are reads"},
    {.name = "/run@job",
     .type = RESULT_TEXT,
     .at = AT(job),
     .meaning = "everything that the content depends on, as lines `name=value`"},
    {.name = NULL},
};

const result_kind_t chimera_result_kind = {
    .title = "Chimeras",
    .maker = "ribogrid chimeras",
    .format = "ribogrid-chimeras",
    .major = 1,
    .minor = 0,
    .what = "a result of `ribogrid chimeras`",
    .dims = dims,
    .tables = {fields},
};

status_t chimera_result_create(int64_t n, chimera_result_t *out)
{
    const size_t size = (size_t)n + 1;
    chimera_result_t r = {.n = n};

    r.call = calloc(size, sizeof(*r.call));
    r.score = calloc(size, sizeof(*r.score));
    r.parent = calloc(size, 2 * sizeof(*r.parent));
    r.columns = calloc(size, sizeof(*r.columns));
    r.matches = calloc(size, CHIMERA_RESULT_MATCHES * sizeof(*r.matches));
    r.votes = calloc(size, CHIMERA_RESULT_VOTES * sizeof(*r.votes));
    if (r.call == NULL || r.score == NULL || r.parent == NULL || r.columns == NULL ||
        r.matches == NULL || r.votes == NULL) {
        chimera_result_destroy(&r);
        return log_nomem("the chimeras");
    }
    *out = r;
    return ST_OK;
}

void chimera_result_destroy(chimera_result_t *r)
{
    free(r->call);
    free(r->score);
    free(r->parent);
    free(r->columns);
    free(r->matches);
    free(r->votes);
    *r = (chimera_result_t){.n = 0};
}

void chimera_result_free(chimera_result_t *r)
{
    run_info_free(&r->info);
    result_free(fields, r);
}

chimera_counts_t chimera_result_count(const chimera_result_t *r)
{
    chimera_counts_t c = {{0}, {0}};

    for (int64_t i = 0; i < r->n; i++) {
        c.n[r->call[i]]++;
        c.sizes[r->call[i]] += r->size != NULL ? r->size[i] : 1;
    }
    return c;
}

status_t chimera_result_write(const char *path, bool force, const chimera_result_t *r,
                              pool_t *pool)
{
    const int64_t n[RESULT_DIMS_MAX] = {[READS] = r->n,
                                        [PARENTS] = r->n_parents,
                                        [PAIR] = 2,
                                        [MATCHES] = CHIMERA_RESULT_MATCHES,
                                        [VOTES] = CHIMERA_RESULT_VOTES};
    h5whole_t to;
    status_t st = h5whole_open(path, force, &to);

    if (st != ST_OK)
        return st;
    st = h5whole_check(&to, result_write_format(to.file, &chimera_result_kind) &&
                                run_info_write(to.file, &r->info) &&
                                result_write(to.file, fields, r, n, pool));
    return h5whole_close(&to, st);
}

/* @return NULL, or why no run gives these values */
static const char *check(const chimera_result_t *r)
{
    for (int64_t i = 0; i < r->n; i++) {
        const int32_t *parent = r->parent + 2 * i;
        const int32_t *matches = r->matches + CHIMERA_RESULT_MATCHES * i;

        if ((parent[0] < 0) != (parent[1] < 0) || (parent[0] < 0) != (r->columns[i] == 0))
            return "a read has one parent, or none and columns that count";
        for (int k = 0; k < CHIMERA_RESULT_MATCHES; k++)
            if (matches[k] > r->columns[i])
                return "a read has more matches than columns";
    }
    return NULL;
}

static status_t read_all(result_reader_t *from, chimera_result_t *out)
{
    const char *why;
    status_t st = run_info_read(from, &out->info);

    if (st != ST_OK || (st = result_read(from, fields, out)) != ST_OK)
        return st;
    out->n = from->n[READS];
    out->n_parents = from->n[PARENTS];
    if (out->n > 0 && (from->n[PAIR] != 2 || from->n[MATCHES] != CHIMERA_RESULT_MATCHES ||
                       from->n[VOTES] != CHIMERA_RESULT_VOTES))
        return result_refuse(from, "its datasets have other numbers of columns");
    why = check(out);
    return why == NULL ? ST_OK : result_refuse(from, "%s", why);
}

status_t chimera_result_read(const char *path, chimera_result_t *out)
{
    result_reader_t from;
    status_t st = result_read_open(path, &chimera_result_kind, &from);

    *out = (chimera_result_t){.n = 0};
    if (st != ST_OK)
        return st;
    st = read_all(&from, out);
    result_read_close(&from);
    if (st != ST_OK)
        chimera_result_free(out);
    return st;
}
