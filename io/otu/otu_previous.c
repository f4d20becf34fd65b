/*
 * otu_previous.c - reads an earlier clustering, and hands its names on.
 */
#include "io/otu/otu_previous.h"

#include "io/base/logmsg.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static bool are_equal(const char *a, const char *b)
{
    return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

/* Check that both clusterings do the same. */
static status_t check_method(const otu_previous_t *p, const otu_groups_head_t *now)
{
    const otu_groups_head_t *old = &p->groups.head;
    const bool has_order = old->order != NULL;

    if (are_equal(old->method, now->method) && are_equal(old->order, now->order) &&
        old->id.numerator * now->id.denominator ==
            now->id.numerator * old->id.denominator)
        return ST_OK;
    return log_refusal(p->path, "give the same --method, --order and --id",
                       "its OTUs are by %s%s%s at %.9g", old->method,
                       has_order ? ", in the order of " : "", has_order ? old->order : "",
                       fraction_value(&old->id));
}

static status_t check_bases(const otu_previous_t *p, const pairs_file_t *file,
                            const seqset_t *set)
{
    if (p->groups.head.digest < 0)
        return log_refusal(
            p->path, "cluster its pairs again",
            "it has no digest of its sequences, as files before version 1.3");
    if (p->groups.head.digest == otu_groups_digest(set, p->groups.table->n))
        return ST_OK;
    return log_refusal(p->path, "give the groups of the file that this one extends",
                       "its sequences have the names of those in %s, but other bases",
                       file->path);
}

status_t otu_previous_read(const char *path, const pairs_file_t *file,
                           const seqset_t *set, const otu_groups_head_t *head,
                           otu_previous_t *out)
{
    status_t st;

    *out = (otu_previous_t){.path = path};
    if ((st = otu_groups_read(path, &out->groups)) == ST_OK &&
        (st = check_method(out, head)) == ST_OK &&
        (st = otu_groups_check_names(&out->groups, path, file, true)) == ST_OK)
        st = check_bases(out, file, set);
    return st;
}

/* @return the OTU that has most of an earlier one's sequences, or -1 */
static int32_t find_heir(const otu_table_t *old, int64_t otu, const otu_table_t *now,
                         int32_t *n_shared)
{
    const int64_t begin = old->member_start[otu], end = old->member_start[otu + 1];
    int32_t heir = -1, max = 0;

    for (int64_t m = begin; m < end; m++) {
        const int32_t there = now->otu[old->member[m]];

        if (there < 0)
            continue;
        n_shared[there]++;
        if (n_shared[there] > max || (n_shared[there] == max && there < heir)) {
            max = n_shared[there];
            heir = there;
        }
    }
    for (int64_t m = begin; m < end; m++)
        if (now->otu[old->member[m]] >= 0)
            n_shared[now->otu[old->member[m]]] = 0;
    return heir;
}

status_t otu_previous_name(otu_previous_t *p, otu_table_t *now)
{
    const otu_table_t *old = p->groups.table;
    const size_t n_old = (size_t)old->n_otus, n = (size_t)now->n_otus;

    p->now = now;
    p->heir = malloc(n_old * sizeof(*p->heir) + 1);
    p->origin = malloc(n * sizeof(*p->origin) + 1);
    p->n_shared = calloc((n > n_old ? n : n_old) + 1, sizeof(*p->n_shared));
    if (p->heir == NULL || p->origin == NULL || p->n_shared == NULL)
        return log_nomem("the names of OTUs");
    memset(p->origin, 0xff, n * sizeof(*p->origin));
    for (int64_t k = 0; k < old->n_otus; k++) {
        p->heir[k] = find_heir(old, k, now, p->n_shared);
        if (p->heir[k] >= 0 && p->origin[p->heir[k]] < 0)
            p->origin[p->heir[k]] = (int32_t)k;
    }
    now->digits = old->digits;
    now->last_number = old->last_number;
    for (int64_t k = 0; k < now->n_otus; k++)
        now->number[k] =
            p->origin[k] >= 0 ? old->number[p->origin[k]] : ++now->last_number;
    return ST_OK;
}

void otu_previous_free(otu_previous_t *p)
{
    otu_groups_free(&p->groups);
    free(p->heir);
    free(p->origin);
    free(p->n_shared);
    *p = (otu_previous_t){.path = NULL};
}
