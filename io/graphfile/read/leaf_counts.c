/*
 * leaf_counts.c - looks up the leaf of each line, and sorts the counts by sample.
 */
#include "io/graphfile/read/leaf_counts.h"

#include "io/base/logmsg.h"
#include "io/base/texts.h"
#include "io/prepare/abundance.h"
#include "io/prepare/count_columns.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const csr_t *g;
    char *const *names;
    const char *tree_path;
    lines_t *lines;
    name_table_t leaves;  /* by name */
    int32_t *node;        /* [leaves.n] of each */
    bool *has_line;       /* [n_nodes] */
    name_table_t samples; /* empty: no line was read */
    int64_t *total;       /* [samples.n] */
    bool has_taxonomy;
    buf_t counts; /* abundance_count_t, rows are nodes */
} reader_t;

/* ---- leaves ---- */

static status_t index_leaves(reader_t *r)
{
    const csr_t *g = r->g;

    for (int32_t u = 0; r->names != NULL && u < g->n_nodes; u++) {
        int64_t number;
        bool is_new;
        status_t st;

        if (csr_degree(g, u) > 0 || r->names[u][0] == '\0')
            continue;
        st = name_table_add(&r->leaves, r->names[u], strlen(r->names[u]), &number,
                            &is_new);
        if (st != ST_OK)
            return st;
        if (!is_new) {
            log_error("%s: nodes %" PRId64 " and %" PRId64 " are leaves named '%.80s', "
                      "but %s identifies leaves by name; rename one",
                      r->tree_path, g->id[r->node[number]], g->id[u], r->names[u],
                      lines_name(r->lines));
            return ST_EINPUT;
        }
        r->node[number] = u;
    }
    return ST_OK;
}

/* @return the leaf of this name or id; -1: there is none */
static int32_t find_leaf(const reader_t *r, const char *name)
{
    int64_t id = 0, number;
    int32_t u;

    if (r->names != NULL) {
        number = name_table_find(&r->leaves, name, strlen(name));
        return number >= 0 ? r->node[number] : -1;
    }
    if (name[0] == '\0' || strspn(name, "0123456789") != strlen(name) ||
        strlen(name) > 18)
        return -1;
    id = strtoll(name, NULL, 10);
    u = csr_find(r->g, id);
    return u >= 0 && csr_degree(r->g, u) == 0 ? u : -1;
}

/* ---- lines ---- */

static bool is_number(const char *text)
{
    char *end;

    strtod(text, &end);
    return end != text && *end == '\0';
}

/* Begin with the first line. @param is_row  out: it is no header */
static status_t begin(reader_t *r, const char *line, bool *is_row)
{
    static const char taxonomy[] = "\ttaxonomy";
    const char *tab = strchr(line, '\t'), *second = tab + 1;
    const size_t len = strlen(line);
    char *copy = strdup(line), *fields;
    status_t st;

    if (copy == NULL)
        return log_nomem("a table of counts");
    copy[tab - line] = '\0';
    *is_row = line[0] != '#' && (find_leaf(r, copy) >= 0 ||
                                 (strchr(second, '\t') == NULL && is_number(second)));
    r->has_taxonomy = !*is_row && len >= sizeof(taxonomy) &&
                      strcmp(line + len - (sizeof(taxonomy) - 1), taxonomy) == 0;
    if (r->has_taxonomy)
        copy[len - (sizeof(taxonomy) - 1)] = '\0';
    fields = copy + (second - line);
    if (*is_row && strchr(second, '\t') != NULL)
        st = lines_refuse(r->lines,
                          "leaf '%.80s' has several counts, but no line before "
                          "it names their samples; add a header",
                          copy);
    else if (*is_row)
        st = name_table_add(&r->samples, "all", strlen("all"), &(int64_t){0}, NULL);
    else
        st = count_columns_name(r->lines, fields, &r->samples);
    free(copy);
    if (st == ST_OK &&
        (r->total = calloc((size_t)r->samples.n + 1, sizeof(*r->total))) == NULL)
        st = log_nomem("a table of counts");
    return st;
}

static status_t add_count(reader_t *r, int32_t node, int64_t sample, int64_t count)
{
    const abundance_count_t entry = {node, (int32_t)sample, count};

    if (count > INT64_MAX - r->total[sample])
        return lines_refuse(r->lines,
                            "the counts of '%.80s' add up to more than %" PRId64
                            ", the largest sum; divide them",
                            name_table_at(&r->samples, sample), INT64_MAX);
    r->total[sample] += count;
    return count > 0 ? buf_append(&r->counts, &entry, sizeof(entry)) : ST_OK;
}

static status_t read_row(reader_t *r, char *line)
{
    char *fields = line, *name = strsep(&fields, "\t");
    const int32_t node = find_leaf(r, name);
    count_columns_t c = {r->lines, r->samples.n, INT64_MAX, false, fields, 0};
    int64_t sample, count;
    status_t st;

    if (node < 0)
        return lines_refuse(r->lines, "'%.80s' is no leaf of %s; correct the line", name,
                            r->tree_path);
    if (r->has_line[node])
        return lines_refuse(r->lines, "'%.80s' has another line above; remove one", name);
    r->has_line[node] = true;
    if (r->has_taxonomy && fields != NULL && strrchr(fields, '\t') != NULL)
        *strrchr(fields, '\t') = '\0';
    while ((st = count_columns_next(&c, &sample, &count)) == ST_OK && sample >= 0)
        if ((st = add_count(r, node, sample, count)) != ST_OK)
            return st;
    return st;
}

static status_t read_lines(reader_t *r)
{
    char *line;
    status_t st;

    while ((st = lines_next(r->lines, &line)) == ST_OK && line != NULL) {
        const bool has_tab = strchr(line, '\t') != NULL, is_first = r->total == NULL;
        bool is_row = true;

        if (line[0] == '\0' || (line[0] == '#' && is_first && !has_tab))
            continue;
        if (!has_tab)
            return lines_refuse(r->lines, "expected a leaf and its counts, separated by "
                                          "tabs");
        if (is_first && (st = begin(r, line, &is_row)) != ST_OK)
            return st;
        if (is_row && (st = read_row(r, line)) != ST_OK)
            return st;
    }
    if (st == ST_OK && r->total == NULL)
        return lines_refuse(r->lines, "the file has no counts; give lines of a leaf and "
                                      "its counts, separated by tabs");
    return st;
}

/* ---- the result ---- */

static void report_missing(const reader_t *r)
{
    int64_t n_leaves = 0, n_missing = 0;
    int32_t first = 0;

    for (int32_t u = (int32_t)r->g->n_nodes - 1; u >= 0; u--) {
        const bool is_leaf = csr_degree(r->g, u) == 0;

        n_leaves += is_leaf;
        n_missing += is_leaf && !r->has_line[u];
        first = is_leaf && !r->has_line[u] ? u : first;
    }
    if (n_missing > 0)
        log_info("%s: %" PRId64 " of %" PRId64 " leaves of %s have no line and count 0, "
                 "the first is node %" PRId64 "%s%.80s",
                 lines_name(r->lines), n_missing, n_leaves, r->tree_path, r->g->id[first],
                 r->names != NULL ? ", " : "", r->names != NULL ? r->names[first] : "");
}

/* Move the counts, sorted by node, into samples. */
static status_t sort_counts(reader_t *r, leaf_counts_t *out)
{
    const abundance_count_t *c;
    const int64_t n = (int64_t)(r->counts.len / sizeof(*c));

    abundance_merge(&r->counts);
    c = (const abundance_count_t *)r->counts.data;
    out->n_samples = r->samples.n;
    out->n = n;
    out->first = calloc((size_t)r->samples.n + 2, sizeof(*out->first));
    out->node = malloc((size_t)n * sizeof(*out->node) + 1);
    out->count = malloc((size_t)n * sizeof(*out->count) + 1);
    if (out->first == NULL || out->node == NULL || out->count == NULL)
        return log_nomem("a table of counts");
    for (int64_t k = 0; k < n; k++)
        out->first[c[k].sample + 2]++;
    for (int64_t s = 1; s <= r->samples.n; s++)
        out->first[s + 1] += out->first[s];
    for (int64_t k = 0; k < n; k++) {
        const int64_t at = out->first[c[k].sample + 1]++;

        out->node[at] = c[k].row;
        out->count[at] = c[k].count;
    }
    return texts_copy((const char *)r->samples.text.data, r->samples.n, &out->sample);
}

status_t leaf_counts_read(const char *path, const csr_t *g, char *const *names,
                          const char *tree_path, leaf_counts_t *out)
{
    const size_t n = (size_t)g->n_nodes + 1;
    reader_t r = {.g = g,
                  .names = names,
                  .tree_path = tree_path,
                  .node = malloc(n * sizeof(*r.node)),
                  .has_line = calloc(n, sizeof(*r.has_line))};
    leaf_counts_t c = {0};
    status_t st = r.node == NULL || r.has_line == NULL ? log_nomem("a table of counts")
                                                       : lines_open(path, &r.lines);

    if (st == ST_OK && (st = index_leaves(&r)) == ST_OK && (st = read_lines(&r)) == ST_OK)
        st = sort_counts(&r, &c);
    if (st == ST_OK) {
        report_missing(&r);
        *out = c;
    } else
        arrays_free(&leaf_counts_arrays, &c);
    lines_close(r.lines);
    name_table_free(&r.leaves);
    name_table_free(&r.samples);
    buf_free(&r.counts);
    free(r.node);
    free(r.has_line);
    free(r.total);
    return st;
}

void leaf_counts_spread(const leaf_counts_t *c, int64_t sample, int64_t n_nodes,
                        int64_t *out)
{
    memset(out, 0, (size_t)n_nodes * sizeof(*out));
    for (int64_t k = c->first[sample]; k < c->first[sample + 1]; k++)
        out[c->node[k]] = c->count[k];
}

ARRAY_COUNT(n_samples, leaf_counts_t, o->n_samples)
ARRAY_COUNT(n_firsts, leaf_counts_t, o->n_samples > 0 ? o->n_samples + 1 : 0)
ARRAY_COUNT(n_counts, leaf_counts_t, o->n)

static bool is_valid(const void *object)
{
    const leaf_counts_t *c = object;

    return c->n_samples >= 0 && c->n_samples < INT32_MAX && c->n >= 0;
}

static bool firsts_divide(const void *object)
{
    const leaf_counts_t *c = object;

    return c->n_samples == 0 || arrays_divide(c->first, c->n_samples, c->n);
}

static const array_t rows[] = {ARRAY_VALUE(leaf_counts_t, n_samples, ARRAY_INT64),
                               ARRAY_VALUE(leaf_counts_t, n, ARRAY_INT64),
                               ARRAY_OF(leaf_counts_t, sample, ARRAY_TEXTS, n_samples,
                                        .is_optional = true, .stays = true),
                               ARRAY_OF(leaf_counts_t, first, ARRAY_INT64, n_firsts,
                                        .is_optional = true, .has_sense = firsts_divide),
                               ARRAY_OF(leaf_counts_t, node, ARRAY_INT32, n_counts,
                                        .is_optional = true),
                               ARRAY_OF(leaf_counts_t, count, ARRAY_INT64, n_counts,
                                        .is_optional = true),
                               ARRAYS_END};

const arrays_t leaf_counts_arrays = {"counts of leaves", sizeof(leaf_counts_t), rows,
                                     is_valid};
