/*
 * otu_groups_read.c - attributes, sequences and OTUs, which must fit each other.
 */
#include "io/otu/otu_groups_read.h"

#include "io/result/result_table.h"

#include <inttypes.h>
#include <stdlib.h>

/* @return NULL or what is wrong with the members of an OTU */
static const char *check_members(const otu_table_t *t, int64_t k)
{
    int64_t begin = t->member_start[k], end = t->member_start[k + 1];
    int64_t n_members = t->member_start[t->n_otus];

    if (begin >= end || end > n_members)
        return "has no members";
    for (int64_t m = begin; m < end; m++) {
        if (t->member[m] < 0 || t->member[m] >= t->n)
            return "has a member that does not exist";
        if (m > begin && t->member[m] <= t->member[m - 1])
            return "has members that do not ascend";
        if (t->otu[t->member[m]] != k)
            return "has a member that /sequences/otu has elsewhere";
    }
    return NULL;
}

/* @return NULL or what is wrong with an OTU; *total: abundance of those before it */
static const char *check_otu(const otu_table_t *t, int64_t k, int64_t *total)
{
    int32_t representative = t->representative[k];
    const char *wrong = check_members(t, k);

    if (wrong != NULL)
        return wrong;
    if (representative < 0 || representative >= t->n || t->otu[representative] != k)
        return "has a representative that is no member";
    if (t->size[k] < t->member_start[k + 1] - t->member_start[k] ||
        t->size[k] > PAIRS_TOTAL_MAX - *total)
        return "has an abundance that is too small or too large";
    if (k > 0 && t->size[k] > t->size[k - 1])
        return "is more abundant than the one before it";
    *total += t->size[k];
    return NULL;
}

static status_t check_table(const result_reader_t *r, otu_table_t *t)
{
    int64_t total = 0;

    for (int64_t k = 0; k < t->n_otus; k++) {
        const char *wrong = check_otu(t, k, &total);

        if (wrong != NULL)
            return result_refuse(r, "OTU %" PRId64 " %s", k + 1, wrong);
    }
    for (int64_t i = 0; i < t->n; i++)
        t->n_left_out += t->otu[i] < 0;
    /* every member has its OTU, so each sequence is listed if the numbers agree */
    if (t->n - t->n_left_out != t->member_start[t->n_otus])
        return result_refuse(r, "its OTUs do not list all their sequences");
    return ST_OK;
}

static status_t read_all(result_reader_t *r, otu_groups_t *g)
{
    status_t st;

    if ((g->table = calloc(1, sizeof(*g->table))) == NULL)
        return log_nomem("OTUs");
    g->version = r->version;
    g->version_minor = r->version_minor;
    if ((st = result_read(r, otu_groups_fields, g)) != ST_OK ||
        (st = result_read(r, otu_groups_table_fields, g->table)) != ST_OK)
        return st;
    g->table->n = r->n[OTU_GROUPS_SEQUENCES];
    g->table->n_otus = r->n[OTU_GROUPS_OTUS];
    return check_table(r, g->table);
}

status_t otu_groups_read(const char *path, otu_groups_t *out)
{
    otu_groups_t g = {.version = 0};
    result_reader_t r;
    status_t st = result_read_open(path, &otu_groups_kind, &r);

    if (st != ST_OK)
        return st;
    st = read_all(&r, &g);
    result_read_close(&r);
    if (st == ST_OK)
        *out = g;
    else
        otu_groups_free(&g);
    return st;
}

void otu_groups_free(otu_groups_t *g)
{
    result_free(otu_groups_fields, g);
    otu_table_destroy(g->table);
    *g = (otu_groups_t){.version = 0};
}
