/*
 * otu_groups_read.c - attributes, sequences and OTUs, which must fit each other.
 */
#include "io/otu/otu_groups_read.h"

#include "io/base/logmsg.h"
#include "io/base/texts.h"
#include "io/hdf5/h5check.h"
#include "io/hdf5/h5data.h"
#include "io/hdf5/h5text.h"
#include "io/hdf5/h5util.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *path;
    hid_t file;
    otu_groups_t *out;
} reader_t;

static const char remedy[] = "give a file that `ribogrid cluster` wrote";

static status_t check_format(const reader_t *r)
{
    otu_groups_t *g = r->out;

    if (!h5text_get_format(r->file, OTU_GROUPS_FORMAT, &g->version))
        return log_refusal(r->path, remedy,
                           "an HDF5 file, but not the groups of a clustering");
    h5util_get_int(r->file, "format_version_minor", &g->version_minor);
    return h5text_check_version(r->path, g->version, OTU_GROUPS_VERSION_MAJOR);
}

/* Read a count that is at least 0, or absent. */
static status_t read_count(const reader_t *r, const char *name, bool is_needed,
                           int64_t *out)
{
    int64_t value = -1;

    if (!is_needed && H5Aexists(r->file, name) == 0)
        return ST_OK;
    if (!h5util_get_int(r->file, name, &value) || value < 0)
        return log_refusal(r->path, remedy, "its attribute %s is missing or invalid",
                           name);
    *out = value;
    return ST_OK;
}

static status_t read_text(const reader_t *r, const char *name, bool is_needed,
                          const char **out)
{
    if (!is_needed && H5Aexists(r->file, name) == 0)
        return ST_OK;
    *out = h5text_get(r->file, name);
    return *out != NULL ? ST_OK
                        : log_refusal(r->path, remedy,
                                      "its attribute %s is missing or invalid", name);
}

static void free_text(const char *text)
{
    free((void *)(uintptr_t)text);
}

static status_t read_id(const reader_t *r)
{
    const char *text = NULL;
    status_t st = read_text(r, "id", true, &text);

    if (st == ST_OK && !fraction_from_ratio(text, &r->out->head.id))
        st = log_refusal(r->path, remedy, "its attribute id is no fraction");
    free_text(text);
    return st;
}

static status_t read_head(const reader_t *r)
{
    otu_groups_head_t *h = &r->out->head;
    status_t st;

    h->seed = h->starts = -1;
    if ((st = read_text(r, "program", true, &h->program)) != ST_OK ||
        (st = read_text(r, "input", true, &h->input)) != ST_OK ||
        (st = read_text(r, "method", true, &h->method)) != ST_OK ||
        (st = read_text(r, "order", false, &h->order)) != ST_OK ||
        (st = read_id(r)) != ST_OK ||
        (st = read_count(r, "seed", false, &h->seed)) != ST_OK ||
        (st = read_count(r, "starts", false, &h->starts)) != ST_OK ||
        (st = read_count(r, "min_size", true, &h->min_size)) != ST_OK ||
        (st = read_count(r, "tp", true, &h->tp)) != ST_OK ||
        (st = read_count(r, "tn", true, &h->tn)) != ST_OK ||
        (st = read_count(r, "fp", true, &h->fp)) != ST_OK ||
        (st = read_count(r, "fn", true, &h->fn)) != ST_OK)
        return st;
    if (!h5util_get_real(r->file, "mcc", &h->mcc) || !(fabs(h->mcc) <= 1))
        return log_refusal(r->path, remedy,
                           "its attribute mcc is missing or not within -1 and 1");
    return ST_OK;
}

static status_t read_arrays(const reader_t *r)
{
    otu_groups_t *g = r->out;
    otu_table_t *t = g->table;
    int64_t n_members = 0;

    g->names = h5text_get_array(r->file, "/sequences/names", -1, &t->n);
    if (g->names == NULL)
        return ST_EINPUT;
    t->otu = h5data_get(r->file, "/sequences/otu", H5T_NATIVE_INT32, t->n, NULL);
    if (t->otu == NULL)
        return ST_EINPUT;
    g->otu_names = h5text_get_array(r->file, "/otus/names", -1, &t->n_otus);
    if (g->otu_names == NULL)
        return ST_EINPUT;
    t->size = h5data_get(r->file, "/otus/size", H5T_NATIVE_INT64, t->n_otus, NULL);
    if (t->size == NULL)
        return ST_EINPUT;
    t->representative =
        h5data_get(r->file, "/otus/representative", H5T_NATIVE_INT32, t->n_otus, NULL);
    if (t->representative == NULL)
        return ST_EINPUT;
    t->member_start =
        h5data_get(r->file, "/otus/member_start", H5T_NATIVE_INT64, t->n_otus + 1, NULL);
    if (t->member_start == NULL)
        return ST_EINPUT;
    t->member = h5data_get(r->file, "/otus/member", H5T_NATIVE_INT32, -1, &n_members);
    if (t->member == NULL)
        return ST_EINPUT;
    if (t->n > INT32_MAX || t->member_start[0] != 0 ||
        t->member_start[t->n_otus] != n_members)
        return log_refusal(
            r->path, remedy,
            "/otus/member_start does not go from 0 to the number of members");
    return ST_OK;
}

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

static status_t check_table(const reader_t *r)
{
    otu_table_t *t = r->out->table;
    int64_t total = 0;

    for (int64_t k = 0; k < t->n_otus; k++) {
        const char *wrong = check_otu(t, k, &total);

        if (wrong != NULL)
            return log_refusal(r->path, remedy, "OTU %" PRId64 " %s", k + 1, wrong);
    }
    for (int64_t i = 0; i < t->n; i++) {
        if (t->otu[i] < -1 || t->otu[i] >= t->n_otus)
            return log_refusal(r->path, remedy,
                               "/sequences/otu: sequence %" PRId64
                               " is in an OTU that does not exist",
                               i + 1);
        t->n_left_out += t->otu[i] < 0;
    }
    /* every member has its OTU, so each sequence is listed if the numbers agree */
    if (t->n - t->n_left_out != t->member_start[t->n_otus])
        return log_refusal(r->path, remedy, "its OTUs do not list all their sequences");
    return ST_OK;
}

status_t otu_groups_read(const char *path, otu_groups_t *out)
{
    otu_groups_t g = {.version = 0};
    reader_t r = {.path = path, .out = &g};
    status_t st;

    h5util_init();
    if ((g.table = calloc(1, sizeof(*g.table))) == NULL)
        return log_nomem("OTUs");
    r.file = h5check_open_file(path);
    st = r.file >= 0 ? check_format(&r) : ST_EINPUT;
    if (st == ST_OK)
        st = read_head(&r);
    if (st == ST_OK)
        st = read_arrays(&r);
    if (st == ST_OK)
        st = check_table(&r);
    if (r.file >= 0)
        H5Fclose(r.file);
    if (st == ST_OK)
        *out = g;
    else
        otu_groups_free(&g);
    return st;
}

void otu_groups_free(otu_groups_t *g)
{
    free_text(g->head.program);
    free_text(g->head.input);
    free_text(g->head.method);
    free_text(g->head.order);
    texts_free(g->names);
    texts_free(g->otu_names);
    otu_table_destroy(g->table);
    *g = (otu_groups_t){.version = 0};
}
