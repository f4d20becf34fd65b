/*
 * otu_table.c - ranking clusters by abundance, and summing counts over their members.
 */
#include "io/otu/otu_table.h"

#include "io/base/logmsg.h"
#include "io/base/name_table.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const all_samples[] = {"all"};

/* A cluster before it is ranked. */
typedef struct {
    int64_t size;
    int32_t representative, label;
} cluster_t;

/* By decreasing abundance; ties go to the representative that comes first. */
static int compare_clusters(const void *a, const void *b)
{
    const cluster_t *x = a, *y = b;

    if (x->size != y->size)
        return x->size > y->size ? -1 : 1;
    return (x->representative > y->representative) -
           (x->representative < y->representative);
}

static const char *prefix_of(const otu_table_t *t)
{
    return t->prefix != NULL ? t->prefix : "Otu";
}

static int64_t size_of(const int64_t *sizes, int64_t i)
{
    return sizes != NULL ? sizes[i] : 1;
}

/* List the clusters in order of abundance.
 * @param at  [n] scratch @return the number of clusters */
static int64_t list_clusters(int64_t n, const int32_t *label, const int64_t *sizes,
                             int32_t *at, cluster_t *clusters)
{
    int64_t n_clusters = 0;

    memset(at, 0xff, (size_t)n * sizeof(*at));
    for (int64_t i = 0; i < n; i++) {
        cluster_t *c;

        if (label[i] < 0)
            continue;
        if (at[label[i]] < 0) {
            at[label[i]] = (int32_t)n_clusters;
            clusters[n_clusters++] = (cluster_t){0, (int32_t)i, label[i]};
        }
        c = &clusters[at[label[i]]];
        c->size += size_of(sizes, i);
        if (size_of(sizes, i) > size_of(sizes, c->representative))
            c->representative = (int32_t)i;
    }
    qsort(clusters, (size_t)n_clusters, sizeof(*clusters), compare_clusters);
    return n_clusters;
}

/* Number the clusters. */
static void fill_members(otu_table_t *t, const int32_t *label, const cluster_t *clusters,
                         int32_t *at)
{
    memset(at, 0xff, (size_t)t->n * sizeof(*at));
    for (int64_t k = 0; k < t->n_otus; k++) {
        at[clusters[k].label] = (int32_t)k;
        t->size[k] = clusters[k].size;
        t->representative[k] = clusters[k].representative;
    }
    for (int64_t i = 0; i < t->n; i++) {
        t->otu[i] = label[i] >= 0 ? at[label[i]] : -1;
        t->n_left_out += t->otu[i] < 0;
    }
    otu_table_list_members(t);
}

void otu_table_list_members(otu_table_t *t)
{
    for (int64_t i = 0; i < t->n; i++)
        if (t->otu[i] >= 0)
            t->member_start[t->otu[i] + 1]++;
    for (int64_t k = 0; k < t->n_otus; k++)
        t->member_start[k + 1] += t->member_start[k];
    for (int64_t i = t->n - 1; i >= 0; i--) /* from the end, so that members ascend */
        if (t->otu[i] >= 0)
            t->member[--t->member_start[t->otu[i] + 1]] = (int32_t)i;
    for (int64_t k = 0; k < t->n_otus; k++)
        t->member_start[k] = t->member_start[k + 1];
    t->member_start[t->n_otus] = t->n - t->n_left_out;
}

/*
 * Sum the counts of an OTU's members.
 *
 * @param sum    [n_samples] scratch, zero before and after
 * @param write  false: only return the number of samples that have a count
 */
static int64_t sum_counts(otu_table_t *t, int64_t otu, const pairs_samples_t *s,
                          int64_t *sum, bool write)
{
    int64_t n_counts = 0;

    for (int64_t m = t->member_start[otu]; m < t->member_start[otu + 1]; m++)
        for (int64_t k = s->row_start[t->member[m]]; k < s->row_start[t->member[m] + 1];
             k++)
            sum[s->sample[k]] += s->count[k];
    for (int64_t j = 0; j < t->n_samples; j++) {
        if (sum[j] > 0) {
            if (write) {
                t->sample[t->row_start[otu] + n_counts] = (int32_t)j;
                t->count[t->row_start[otu] + n_counts] = sum[j];
            }
            n_counts++;
        }
        sum[j] = 0;
    }
    return n_counts;
}

static status_t alloc_counts(otu_table_t *t, int64_t n_counts)
{
    t->sample = malloc((size_t)n_counts * sizeof(*t->sample) + 1);
    t->count = malloc((size_t)n_counts * sizeof(*t->count) + 1);
    return t->sample != NULL && t->count != NULL ? ST_OK : log_nomem("the OTU table");
}

static status_t fill_one_sample(otu_table_t *t)
{
    status_t st = alloc_counts(t, t->n_otus);

    t->n_samples = 1;
    t->sample_name = all_samples;
    for (int64_t k = 0; st == ST_OK && k < t->n_otus; k++) {
        t->row_start[k] = k;
        t->sample[k] = 0;
        t->count[k] = t->size[k];
    }
    t->row_start[t->n_otus] = t->n_otus;
    return st;
}

static status_t fill_counts(otu_table_t *t, const pairs_samples_t *samples)
{
    int64_t *sum;
    status_t st;

    if (samples->n == 0)
        return fill_one_sample(t);
    t->n_samples = samples->n;
    t->sample_name = (const char *const *)samples->name;
    if ((sum = calloc((size_t)samples->n, sizeof(*sum))) == NULL)
        return log_nomem("the OTU table");
    for (int64_t k = 0; k < t->n_otus; k++)
        t->row_start[k + 1] = t->row_start[k] + sum_counts(t, k, samples, sum, false);
    st = alloc_counts(t, t->row_start[t->n_otus]);
    for (int64_t k = 0; st == ST_OK && k < t->n_otus; k++)
        sum_counts(t, k, samples, sum, true);
    free(sum);
    return st;
}

static bool alloc_arrays(otu_table_t *t)
{
    t->otu = malloc((size_t)t->n * sizeof(*t->otu) + 1);
    t->member = malloc((size_t)t->n * sizeof(*t->member) + 1);
    t->member_start = calloc((size_t)t->n_otus + 1, sizeof(*t->member_start));
    t->row_start = calloc((size_t)t->n_otus + 1, sizeof(*t->row_start));
    t->representative = malloc((size_t)t->n_otus * sizeof(*t->representative) + 1);
    t->size = malloc((size_t)t->n_otus * sizeof(*t->size) + 1);
    return t->otu != NULL && t->member != NULL && t->member_start != NULL &&
           t->row_start != NULL && t->representative != NULL && t->size != NULL;
}

status_t otu_table_number(otu_table_t *t)
{
    t->number = malloc((size_t)t->n_otus * sizeof(*t->number) + 1);
    if (t->number == NULL)
        return log_nomem("the OTU table");
    for (int64_t k = 0; k < t->n_otus; k++)
        t->number[k] = k + 1;
    t->last_number = t->n_named = t->n_otus;
    t->digits = snprintf(NULL, 0, "%" PRId64, t->n_otus);
    return ST_OK;
}

status_t otu_table_create(int64_t n, const int32_t *label, const int64_t *sizes,
                          const pairs_samples_t *samples, int64_t min_size,
                          otu_table_t **out)
{
    otu_table_t *t = calloc(1, sizeof(*t));
    int32_t *at = malloc((size_t)n * sizeof(*at) + 1);
    cluster_t *clusters = malloc((size_t)n * sizeof(*clusters) + 1);
    int64_t n_clusters;
    status_t st = ST_ENOMEM;

    if (t == NULL || at == NULL || clusters == NULL)
        goto no_memory;
    t->n = n;
    n_clusters = list_clusters(n, label, sizes, at, clusters);
    while (t->n_otus < n_clusters && clusters[t->n_otus].size >= min_size)
        t->n_otus++;
    t->n_otus_left_out = n_clusters - t->n_otus;
    if (!alloc_arrays(t))
        goto no_memory;
    fill_members(t, label, clusters, at);
    if ((st = fill_counts(t, samples)) != ST_OK || (st = otu_table_number(t)) != ST_OK)
        goto fail;
    free(clusters);
    free(at);
    *out = t;
    return ST_OK;
no_memory:
    st = log_nomem("the OTU table");
fail:
    free(clusters);
    free(at);
    otu_table_destroy(t);
    return st;
}

/* Move OTU k to the place of OTU `to`, which is not behind it. */
static void move_otu(otu_table_t *t, int64_t k, int64_t to)
{
    const int64_t first = t->row_start[k], n = t->row_start[k + 1] - first;
    const int64_t at = t->row_start[to];

    t->representative[to] = t->representative[k];
    t->size[to] = t->size[k];
    t->number[to] = t->number[k];
    if (t->name != NULL)
        t->name[to] = t->name[k];
    memmove(t->sample + at, t->sample + first, (size_t)n * sizeof(*t->sample));
    memmove(t->count + at, t->count + first, (size_t)n * sizeof(*t->count));
    t->row_start[to + 1] = at + n;
}

status_t otu_table_keep(otu_table_t *t, const bool *keep)
{
    int32_t *place = malloc((size_t)t->n_otus * sizeof(*place) + 1);
    int32_t n_kept = 0;

    if (place == NULL)
        return log_nomem("the OTU table");
    for (int64_t k = 0; k < t->n_otus; k++) {
        place[k] = keep[k] ? n_kept : -1;
        if (keep[k])
            move_otu(t, k, n_kept++);
    }
    for (int64_t i = 0; i < t->n; i++)
        if (t->otu[i] >= 0 && (t->otu[i] = place[t->otu[i]]) < 0)
            t->n_left_out++;
    free(place);
    t->n_otus = n_kept;
    memset(t->member_start, 0, ((size_t)n_kept + 1) * sizeof(*t->member_start));
    otu_table_list_members(t);
    return ST_OK;
}

int64_t otu_table_n_single(const otu_table_t *t)
{
    int64_t n = 0;

    for (int64_t k = 0; k < t->n_otus; k++)
        n += t->member_start[k + 1] - t->member_start[k] == 1;
    return n;
}

const char *otu_table_name(const otu_table_t *t, int64_t otu, char text[OTU_NAME_BYTES])
{
    if (t->name != NULL)
        return t->name[otu];
    snprintf(text, OTU_NAME_BYTES, "%s%0*" PRId64, prefix_of(t), t->digits,
             t->number[otu]);
    return text;
}

/* @return the number in a name; 0: it has none */
static int64_t number_of(const otu_table_t *t, const char *name)
{
    const size_t len = strlen(prefix_of(t));

    return strncmp(name, prefix_of(t), len) == 0 ? strtoll(name + len, NULL, 10) : 0;
}

/* Numbers above those of the first clustering are no shorter than these, so the shortest
 * name tells how many digits a name has at least. */
status_t otu_table_take_names(otu_table_t *t, char *const *names, int64_t *bad)
{
    const int prefix_len = (int)strlen(prefix_of(t));
    name_table_t all = {0};
    status_t st = ST_OK;
    int64_t k, place;
    bool is_good = true;

    for (k = 0; k < t->n_otus; k++) {
        const int digits = (int)strlen(names[k]) - prefix_len;

        t->digits = k == 0 || digits < t->digits ? digits : t->digits;
    }
    for (k = 0; st == ST_OK && k < t->n_otus; k++) {
        char text[OTU_NAME_BYTES];

        t->number[k] = number_of(t, names[k]);
        st = name_table_add(&all, names[k], strlen(names[k]), &place, &is_good);
        if (!is_good || t->number[k] < 1 || t->number[k] > t->last_number ||
            strcmp(otu_table_name(t, k, text), names[k]) != 0)
            break;
    }
    name_table_free(&all);
    *bad = k;
    return st;
}

void otu_table_destroy(otu_table_t *t)
{
    if (t == NULL)
        return;
    free(t->otu);
    free(t->member_start);
    free(t->member);
    free(t->representative);
    free(t->size);
    free(t->row_start);
    free(t->sample);
    free(t->count);
    free(t->name);
    free(t->number);
    free(t);
}
