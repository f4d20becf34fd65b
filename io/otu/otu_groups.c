/*
 * otu_groups.c - the tables of PREFIX.groups.h5, and writing it.
 */
#include "io/otu/otu_groups.h"

#include "io/base/logmsg.h"
#include "io/hdf5/h5util.h"
#include "io/result/result_table.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SEQUENCES = OTU_GROUPS_SEQUENCES, OTUS, MEMBERS };

static const result_dim_t dims[RESULT_DIMS_MAX] = {
    [SEQUENCES] = {"n", "a sequence", "sequences", INT32_MAX},
    [OTUS] = {"k", "an OTU", "OTUs", 0},
    [MEMBERS] = {"m", "a member", "members", 0},
};

#define AT(member) offsetof(otu_groups_t, member)
#define COUNT                                  \
    {                                          \
        RESULT_WITHIN, 0, (double)INT64_MAX, 0 \
    }

const result_field_t otu_groups_fields[] = {
    {.name = "@program",
     .type = RESULT_TEXT,
     .at = AT(head.program),
     .meaning = "the program that wrote the file"},
    {.name = "@input",
     .type = RESULT_TEXT,
     .at = AT(head.input),
     .meaning = "the file of pairs"},
    {.name = "@method",
     .type = RESULT_TEXT,
     .at = AT(head.method),
     .meaning = "`opti`, `single`, `average`, `complete` or `centroid`"},
    {.name = "@order",
     .type = RESULT_TEXT,
     .at = AT(head.order),
     .is_optional = true,
     .meaning = "only of `centroid`: `size` or `length`"},
    {.name = "@id",
     .type = RESULT_FRACTION,
     .at = AT(head.id),
     .meaning = "the identity, such as `97/100`"},
    {.name = "@seed",
     .type = RESULT_INT,
     .at = AT(head.seed),
     .is_optional = true,
     .check = COUNT,
     .meaning = "only of `opti`"},
    {.name = "@starts",
     .type = RESULT_INT,
     .at = AT(head.starts),
     .is_optional = true,
     .check = COUNT,
     .meaning = "only of `opti`, since version 1.1: number of random orders"},
    {.name = "@min_size",
     .type = RESULT_INT,
     .at = AT(head.min_size),
     .check = COUNT,
     .meaning = "OTUs of lower abundance are left out"},
    {.name = "@digest",
     .type = RESULT_INT,
     .at = AT(head.digest),
     .is_optional = true,
     .check = COUNT,
     .meaning = "since version 1.3: 63 bits that distinguish the sequences, by names and "
                "bases"},
    {.name = "@previous",
     .type = RESULT_TEXT,
     .at = AT(head.previous),
     .is_optional = true,
     .meaning = "since version 1.3: only of `cluster --previous`: that file"},
    {.name = "@mcc",
     .type = RESULT_REAL,
     .at = AT(head.mcc),
     .is_optional = true,
     .check = {RESULT_WITHIN, -1, 1, 0},
     .meaning =
         "Matthews correlation coefficient of pairs that are close and pairs in "
         "one OTU; since version 1.2, these numbers are absent if the file of pairs "
         "has only hits with centroids"},
    {.name = "@tp",
     .type = RESULT_INT,
     .at = AT(head.tp),
     .is_optional = true,
     .check = COUNT,
     .meaning = "pairs that are close, in one OTU"},
    {.name = "@tn",
     .type = RESULT_INT,
     .at = AT(head.tn),
     .is_optional = true,
     .check = COUNT,
     .meaning = "pairs that are not close, in two OTUs"},
    {.name = "@fp",
     .type = RESULT_INT,
     .at = AT(head.fp),
     .is_optional = true,
     .check = COUNT,
     .meaning = "pairs that are not close, in one OTU"},
    {.name = "@fn",
     .type = RESULT_INT,
     .at = AT(head.fn),
     .is_optional = true,
     .check = COUNT,
     .meaning = "pairs that are close, in two OTUs"},
    {.name = "/sequences/names",
     .type = RESULT_TEXTS,
     .at = AT(names),
     .shape = {SEQUENCES},
     .meaning = "names, in the order of the input"},
    {.name = "/otus/names",
     .type = RESULT_TEXTS,
     .at = AT(otu_names),
     .shape = {OTUS},
     .meaning = "`Otu01` and so on, in descending order of abundance; names that "
                "`--previous` has kept are in another order"},
    {.name = NULL},
};

#undef AT
#define AT(member) offsetof(otu_table_t, member)

const result_field_t otu_groups_table_fields[] = {
    {.name = "/sequences/otu",
     .type = RESULT_INT32,
     .at = AT(otu),
     .shape = {SEQUENCES},
     .check = {RESULT_INDEX, -1, 0, OTUS},
     .meaning = "the OTU of each sequence"},
    {.name = "/otus/size",
     .type = RESULT_INT64,
     .at = AT(size),
     .shape = {OTUS},
     .meaning = "abundance: the sum of those of the members"},
    {.name = "/otus/representative",
     .type = RESULT_INT32,
     .at = AT(representative),
     .shape = {OTUS},
     .meaning = "a sequence of each"},
    {.name = "/otus/member_start",
     .type = RESULT_INT64,
     .at = AT(member_start),
     .shape = {OTUS},
     .plus = 1,
     .check = {RESULT_DIVIDES, 0, 0, MEMBERS},
     .meaning = "OTU k has the members `member[member_start[k]:member_start[k + 1]]`"},
    {.name = "/otus/member",
     .type = RESULT_INT32,
     .at = AT(member),
     .shape = {MEMBERS},
     .meaning = "sequences, ascending within an OTU"},
    {.name = "@last_number",
     .type = RESULT_INT,
     .at = AT(last_number),
     .is_optional = true,
     .check = {RESULT_WITHIN, 0, 9e15, 0},
     .meaning = "since version 1.3: the highest number that a name of an OTU has had, "
                "here or in earlier clusterings; absent: k"},
    {.name = NULL},
};

const result_kind_t otu_groups_kind = {
    .title = "OTUs",
    .maker = "ribogrid cluster",
    .format = "ribogrid-groups",
    .major = 1,
    .minor = 3,
    .what = "the groups of a clustering",
    .dims = dims,
    .tables = {otu_groups_fields, otu_groups_table_fields},
};

int64_t otu_groups_digest(const seqset_t *set, int64_t n)
{
    seqset_t first = *set;

    first.n = n;
    return (int64_t)(seqset_digest(&first) >> 1);
}

status_t otu_groups_write(const whole_file_t *to, const otu_groups_head_t *head,
                          const otu_table_t *t, const seqset_t *set)
{
    const int64_t n[RESULT_DIMS_MAX] = {
        [SEQUENCES] = t->n, [OTUS] = t->n_otus, [MEMBERS] = t->member_start[t->n_otus]};
    char(*text)[OTU_NAME_BYTES] = malloc((size_t)t->n_otus * sizeof(*text) + 1);
    const char **names = malloc((size_t)t->n * sizeof(*names) + 1);
    const char **otus = malloc((size_t)t->n_otus * sizeof(*otus) + 1);
    otu_groups_t groups = {.head = *head,
                           .names = (char **)names,
                           .otu_names = (char **)otus};
    bool good = text != NULL && names != NULL && otus != NULL;
    h5file_t *image;
    hid_t file;

    groups.head.digest = otu_groups_digest(set, t->n);
    h5util_init();
    good = (file = h5file_create(whole_file_fd(to), &image)) >= 0 && good;
    for (int64_t i = 0; good && i < t->n; i++)
        names[i] = seqset_name(set, i);
    for (int64_t k = 0; good && k < t->n_otus; k++)
        otus[k] = otu_table_name(t, k, text[k]);
    good = good && result_write_format(file, &otu_groups_kind) &&
           result_write(file, otu_groups_fields, &groups, n, NULL) &&
           result_write(file, otu_groups_table_fields, t, n, NULL) &&
           (head->run == NULL || run_info_write(file, head->run));
    good = h5file_end(image, good);
    free(text);
    free(names);
    free(otus);
    return good ? ST_OK
                : h5util_cannot_write(whole_file_path(to), file < 0 ? "create" : "write");
}

/* ---- attributes, sequences and OTUs, which must fit each other ---- */

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

/* Before version 1.3 numbers were those of the order. */
static status_t read_names(const result_reader_t *r, char *const *names, otu_table_t *t)
{
    const int64_t last = t->last_number;
    int64_t bad;
    status_t st = otu_table_number(t);

    if (st == ST_OK && last >= 0)
        t->last_number = last;
    if (st != ST_OK || (st = otu_table_take_names(t, names, &bad)) != ST_OK ||
        bad == t->n_otus)
        return st;
    return result_refuse(r,
                         "the name of OTU %" PRId64 " is that of another, or is not Otu "
                         "and a number up to %" PRId64,
                         bad + 1, t->last_number);
}

/* All numbers of the agreement are there, or none. */
static status_t check_agreement(const result_reader_t *r, const otu_groups_head_t *h)
{
    const bool is_known = !isnan(h->mcc);

    return (h->tp >= 0) == is_known && (h->tn >= 0) == is_known &&
                   (h->fp >= 0) == is_known && (h->fn >= 0) == is_known
               ? ST_OK
               : result_refuse(
                     r, "only some of its attributes mcc, tp, tn, fp, fn are there");
}

static status_t read_all(result_reader_t *r, otu_groups_t *g)
{
    status_t st;

    if ((g->table = calloc(1, sizeof(*g->table))) == NULL)
        return log_nomem("OTUs");
    if ((st = result_read(r, otu_groups_fields, g)) != ST_OK ||
        (st = check_agreement(r, &g->head)) != ST_OK ||
        (st = result_read(r, otu_groups_table_fields, g->table)) != ST_OK)
        return st;
    g->table->n = r->n[OTU_GROUPS_SEQUENCES];
    g->table->n_otus = r->n[OTU_GROUPS_OTUS];
    st = check_table(r, g->table);
    return st == ST_OK ? read_names(r, g->otu_names, g->table) : st;
}

status_t otu_groups_read(const char *path, otu_groups_t *out)
{
    result_reader_t r;
    status_t st = result_read_open(path, &otu_groups_kind, &r);

    *out = (otu_groups_t){.names = NULL};
    if (st != ST_OK)
        return st;
    st = read_all(&r, out);
    result_read_close(&r);
    if (st != ST_OK)
        otu_groups_free(out);
    return st;
}

status_t otu_groups_check_names(const otu_groups_t *g, const char *path,
                                const pairs_file_t *file, bool has_more)
{
    const char *remedy = has_more
                             ? "make that file by `align --extend` of the pairs of these"
                             : "give the groups file of a clustering of that file";
    const int64_t n = g->table->n, n_of_file = file->rows.n;

    if (has_more ? n > n_of_file : n != n_of_file)
        return log_refusal(path, remedy,
                           "these are OTUs of %" PRId64 " sequences, but %s has %" PRId64,
                           n, file->path, n_of_file);
    for (int64_t i = 0; i < n; i++)
        if (strcmp(g->names[i], file->rows.names[i]) != 0)
            return log_refusal(path, remedy,
                               "sequence %" PRId64 " is '%.100s', but in %s '%.100s'",
                               i + 1, g->names[i], file->path, file->rows.names[i]);
    return ST_OK;
}

void otu_groups_free(otu_groups_t *g)
{
    result_free(otu_groups_fields, g);
    otu_table_destroy(g->table);
    *g = (otu_groups_t){.names = NULL};
}
