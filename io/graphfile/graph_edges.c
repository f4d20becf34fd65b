/*
 * graph_edges.c - memory of a list of edges.
 */
#include "io/graphfile/graph_edges.h"

#include "io/base/logmsg.h"
#include "io/base/memory_limit.h"
#include "io/base/texts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MIN_CAPACITY = 1024 };

/* Memory of a node: its id, here and in the graph, and csr_t.first. */
enum { NODE_BYTES = 24 };

/* Resize an array that exists. @return whether there was memory */
static bool resize(void *array_pointer, int64_t n, size_t bytes)
{
    void **array = array_pointer;
    void *new;

    if ((uint64_t)n > SIZE_MAX / bytes ||
        (new = realloc(*array, (size_t)n * bytes)) == NULL)
        return false;
    *array = new;
    return true;
}

status_t graph_edges_check_memory(int64_t n_nodes, int64_t n_edges, size_t edge_bytes)
{
    const char *remedy = "correct their number, or use a larger machine";
    double bytes = (double)n_nodes * NODE_BYTES + (double)n_edges * (double)edge_bytes;

    if (n_nodes == 0) /* or not known yet */
        return memory_limit_check(bytes, remedy, "a graph of %" PRId64 " edges", n_edges);
    return memory_limit_check(bytes, remedy,
                              "a graph of %" PRId64 " nodes and %" PRId64 " edges",
                              n_nodes, n_edges);
}

size_t graph_edges_bytes(bool has_weight, bool has_value)
{
    const graph_edges_t *e = NULL;

    return sizeof(*e->source) + sizeof(*e->target) +
           (has_weight ? sizeof(*e->weight) : 0) + (has_value ? sizeof(*e->value) : 0);
}

static status_t set_capacity(graph_edges_t *e, int64_t capacity, bool has_weight,
                             bool has_value)
{
    if (!resize(&e->source, capacity, sizeof(*e->source)) ||
        !resize(&e->target, capacity, sizeof(*e->target)) ||
        (has_weight && !resize(&e->weight, capacity, sizeof(*e->weight))) ||
        (has_value && !resize(&e->value, capacity, sizeof(*e->value))))
        return log_nomem("the edges of a graph");
    e->capacity = capacity;
    return ST_OK;
}

status_t graph_edges_create(int64_t capacity, bool has_weight, bool has_value,
                            graph_edges_t *out)
{
    status_t st = graph_edges_check_memory(0, capacity,
                                           graph_edges_bytes(has_weight, has_value) +
                                               GRAPH_EDGES_BUILD_BYTES);

    *out = (graph_edges_t){.n_declared = -1};
    if (st == ST_OK)
        st = set_capacity(out, capacity > MIN_CAPACITY ? capacity : MIN_CAPACITY,
                          has_weight, has_value);
    if (st != ST_OK)
        graph_edges_free(out);
    return st;
}

status_t graph_edges_grow(graph_edges_t *e)
{
    const int64_t capacity = e->capacity + e->capacity / 2;
    status_t st =
        graph_edges_check_memory(0, capacity,
                                 graph_edges_bytes(e->weight != NULL, e->value != NULL));

    return st == ST_OK ? set_capacity(e, capacity, e->weight != NULL, e->value != NULL)
                       : st;
}

status_t graph_edges_use_values(graph_edges_t *e)
{
    if ((e->value = malloc((size_t)e->capacity * sizeof(*e->value))) == NULL)
        return log_nomem("the edges of a graph");
    for (int64_t i = 0; i < e->n; i++)
        e->value[i] = e->weight != NULL ? e->weight[i] : 1;
    free(e->weight);
    e->weight = NULL;
    return ST_OK;
}

status_t graph_edges_add_number(graph_edges_t *e, int64_t source, int64_t target,
                                graph_number_t number)
{
    status_t st;

    if (e->weight != NULL && !number.is_weight &&
        (st = graph_edges_use_values(e)) != ST_OK)
        return st;
    if ((st = graph_edges_add(e, source, target)) != ST_OK)
        return st;
    if (e->weight != NULL)
        e->weight[e->n - 1] = (int32_t)number.value;
    if (e->value != NULL)
        e->value[e->n - 1] = number.value;
    return ST_OK;
}

typedef struct {
    const char *name;
    int64_t number;
} numbered_t;

static int by_name(const void *a, const void *b)
{
    return strcmp(((const numbered_t *)a)->name, ((const numbered_t *)b)->name);
}

/* @return the texts of sorted names in one block; NULL: no memory */
static char *join_names(const numbered_t *sorted, const name_table_t *names)
{
    char *block = malloc(names->text.len), *to = block;

    for (int64_t i = 0; block != NULL && i < names->n; i++)
        to = stpcpy(to, sorted[i].name) + 1;
    return block;
}

status_t graph_edges_name(graph_edges_t *e, const name_table_t *names)
{
    const size_t n = (size_t)names->n;
    numbered_t *sorted = malloc(n * sizeof(*sorted));
    int64_t *id = malloc(n * sizeof(*id));
    status_t st = ST_OK;

    if (sorted == NULL || id == NULL) {
        st = log_nomem("the names of nodes");
        goto done;
    }
    for (int64_t i = 0; i < names->n; i++)
        sorted[i] = (numbered_t){name_table_at(names, i), i};
    qsort(sorted, n, sizeof(*sorted), by_name);
    if ((st = texts_take(join_names(sorted, names), names->n, &e->name)) != ST_OK)
        goto done;
    for (int64_t i = 0; i < names->n; i++)
        id[sorted[i].number] = i + 1;
    for (int64_t k = 0; k < e->n; k++) {
        e->source[k] = id[e->source[k]];
        e->target[k] = id[e->target[k]];
    }
    e->first_id = 1;
    e->n_declared = names->n;
done:
    free(sorted);
    free(id);
    return st;
}

void graph_edges_free(graph_edges_t *e)
{
    texts_free(e->name);
    free(e->id);
    free(e->source);
    free(e->target);
    free(e->weight);
    free(e->value);
    *e = (graph_edges_t){0};
}
