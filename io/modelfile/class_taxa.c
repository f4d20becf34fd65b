/*
 * class_taxa.c - makes the tree of taxa, and walks it.
 */
#include "io/modelfile/class_taxa.h"

#include "io/base/logmsg.h"
#include "io/base/name_table.h"

#include <stdlib.h>
#include <string.h>

status_t class_taxa_create(int32_t n, int64_t names_bytes, class_taxa_t *out)
{
    class_taxa_t t = {.n = n};

    t.parent = malloc((size_t)n * sizeof(*t.parent) + 1);
    t.names = malloc((size_t)names_bytes + 1);
    t.name_offset = malloc(((size_t)n + 1) * sizeof(*t.name_offset));
    *out = t;
    if (t.parent != NULL && t.names != NULL && t.name_offset != NULL)
        return ST_OK;
    class_taxa_free(out);
    return log_nomem("taxa");
}

/* Number the taxa of a lineage: each is the beginning of the lineage that ends with it.
 * @param parents  int32_t of each entry of the table, also an entry's number */
static status_t add_lineage(name_table_t *table, const char *lineage, buf_t *parents,
                            int32_t *lowest)
{
    int64_t above = -1, number;
    bool is_new;
    status_t st = ST_OK;

    for (const char *end = lineage; st == ST_OK && end != NULL;) {
        end = strchr(end, ';');
        st = name_table_add(table, lineage,
                            end != NULL ? (size_t)(end - lineage) : strlen(lineage),
                            &number, &is_new);
        if (st == ST_OK && is_new)
            st = buf_append(parents, &(int32_t){(int32_t)above}, sizeof(int32_t));
        above = number;
        end = end != NULL ? end + 1 : NULL;
    }
    if (st == ST_OK)
        *lowest = (int32_t)above;
    return st;
}

/* The last name of a lineage. */
static const char *last_name(const char *lineage)
{
    const char *cut = strrchr(lineage, ';');

    return cut != NULL ? cut + 1 : lineage;
}

/* Fill a tree; the root comes before the entries of the table. */
static status_t fill_taxa(const name_table_t *table, const buf_t *parents,
                          class_taxa_t *out)
{
    const int32_t *parent = (const int32_t *)(const void *)parents->data;
    int64_t bytes = 1;
    status_t st;

    for (int64_t k = 0; k < table->n; k++)
        bytes += (int64_t)strlen(last_name(name_table_at(table, k))) + 1;
    if ((st = class_taxa_create((int32_t)table->n + 1, bytes, out)) != ST_OK)
        return st;
    out->parent[0] = -1;
    out->name_offset[0] = 0;
    out->name_offset[1] = 1;
    out->names[0] = '\0';
    for (int64_t k = 0; k < table->n; k++) {
        const char *name = last_name(name_table_at(table, k));
        const size_t size = strlen(name) + 1;

        out->parent[k + 1] = parent[k] + 1;
        out->name_offset[k + 2] = out->name_offset[k + 1] + (int64_t)size;
        memcpy(out->names + out->name_offset[k + 1], name, size);
    }
    return ST_OK;
}

status_t class_taxa_of_lineages(const char *const *lineages, int64_t n, class_taxa_t *out,
                                int32_t *taxon_of)
{
    name_table_t table = {0};
    buf_t parents = {0};
    status_t st = ST_OK;

    for (int64_t i = 0; st == ST_OK && i < n; i++)
        if ((st = add_lineage(&table, lineages[i], &parents, &taxon_of[i])) == ST_OK)
            taxon_of[i]++; /* the root is 0 */
    if (st == ST_OK)
        st = fill_taxa(&table, &parents, out);
    name_table_free(&table);
    buf_free(&parents);
    return st;
}

/* @return whether a taxon, whose ancestors come before it, is that deep at most */
static bool is_shallow(const class_taxa_t *t, int32_t taxon)
{
    int rank = 0;

    while (taxon > 0 && rank <= CLASS_RANKS_MAX) {
        taxon = t->parent[taxon];
        rank++;
    }
    return rank <= CLASS_RANKS_MAX;
}

bool class_taxa_are_tree(const class_taxa_t *t)
{
    if (t->n < 1 || t->parent[0] != -1)
        return false;
    for (int32_t i = 1; i < t->n; i++)
        if (t->parent[i] < 0 || t->parent[i] >= i || !is_shallow(t, i))
            return false;
    return true;
}

static bool is_tree(const void *object)
{
    return class_taxa_are_tree(object);
}

static bool offsets_divide(const void *object)
{
    const class_taxa_t *t = object;

    return arrays_divide(t->name_offset, t->n, t->name_offset[t->n]);
}

static bool names_end(const void *object)
{
    const class_taxa_t *t = object;

    for (int32_t i = 0; i < t->n; i++)
        if (t->name_offset[i] == t->name_offset[i + 1] ||
            t->names[t->name_offset[i + 1] - 1] != '\0')
            return false;
    return true;
}

ARRAY_COUNT(n_taxa, class_taxa_t, o->n)
ARRAY_COUNT(n_offsets, class_taxa_t, o->n + INT64_C(1))
ARRAY_COUNT(names_bytes, class_taxa_t, o->name_offset[o->n])

static bool is_valid(const void *t)
{
    return ((const class_taxa_t *)t)->n >= 0;
}

static const array_t rows[] = {
    ARRAY_VALUE(class_taxa_t, n, ARRAY_INT32, .has_no_digest = true),
    ARRAY_OF(class_taxa_t, parent, ARRAY_INT32, n_taxa, .has_sense = is_tree),
    ARRAY_OF(class_taxa_t, name_offset, ARRAY_INT64, n_offsets,
             .has_sense = offsets_divide),
    ARRAY_OF(class_taxa_t, names, ARRAY_BYTES, names_bytes, .has_sense = names_end),
    ARRAYS_END};

const arrays_t class_taxa_arrays = {"a tree of taxa", sizeof(class_taxa_t), rows,
                                    is_valid};

void class_taxa_free(class_taxa_t *t)
{
    arrays_free(&class_taxa_arrays, t);
}

int class_taxa_rank(const class_taxa_t *t, int32_t taxon)
{
    int rank = 0;

    for (; taxon > 0; taxon = t->parent[taxon])
        rank++;
    return rank;
}

int class_taxa_n_ranks(const class_taxa_t *t)
{
    int n = 0;

    for (int32_t i = 1; i < t->n; i++) {
        int rank = class_taxa_rank(t, i);

        n = rank > n ? rank : n;
    }
    return n;
}

int32_t class_taxa_at(const class_taxa_t *t, int32_t taxon, int rank)
{
    for (int above = class_taxa_rank(t, taxon) - rank; above > 0; above--)
        taxon = t->parent[taxon];
    return taxon;
}
