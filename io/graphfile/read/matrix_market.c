/*
 * matrix_market.c - banner, size line and entries.
 */
#include "io/graphfile/read/graph_formats.h"

#include <inttypes.h>
#include <string.h>
#include <strings.h>

enum { BANNER_WORDS = 5, WORD_BYTES = 32 };

typedef struct {
    graph_text_t *t;
    graph_edges_t *edges;
    bool is_pattern, is_integer, is_complex, is_symmetric, is_skew;
    int64_t n_nodes, n_entries;
    int64_t size_line; /* number of the line with both */
} matrix_t;

static status_t refuse_banner(const matrix_t *m, const char *what)
{
    return lines_refuse(m->t->lines,
                        "%s; give a Matrix Market file that starts with "
                        "'%%%%MatrixMarket matrix coordinate'",
                        what);
}

/* Read "%%MatrixMarket matrix coordinate FIELD SYMMETRY", in any case. */
static status_t read_banner(matrix_t *m)
{
    char word[BANNER_WORDS][WORD_BYTES] = {{0}};
    status_t st = graph_text_next(m->t);

    if (st != ST_OK)
        return st;
    if (m->t->line == NULL)
        return refuse_banner(m, "the file is empty");
    for (int w = 0; w < BANNER_WORDS && !graph_text_at_end(m->t); w++) {
        size_t len = graph_text_field(m->t);

        if (len < WORD_BYTES)
            memcpy(word[w], m->t->at, len);
        m->t->at += len;
    }
    if (strcasecmp(word[0], "%%MatrixMarket") != 0)
        return refuse_banner(m, "the banner is missing");
    if (strcasecmp(word[1], "matrix") != 0 || strcasecmp(word[2], "coordinate") != 0)
        return refuse_banner(m, "this is no matrix in coordinate form");
    m->is_pattern = strcasecmp(word[3], "pattern") == 0;
    m->is_integer = strcasecmp(word[3], "integer") == 0;
    m->is_complex = strcasecmp(word[3], "complex") == 0;
    m->is_symmetric = strcasecmp(word[4], "symmetric") == 0;
    m->is_skew = strcasecmp(word[4], "skew-symmetric") == 0;
    if (!m->is_pattern && !m->is_integer && strcasecmp(word[3], "real") != 0 &&
        (!m->is_complex || m->t->weights != GRAPH_WEIGHTS_UNREAD))
        return lines_refuse(m->t->lines,
                            "values of type '%s' are no weights; give a real, "
                            "integer or pattern matrix",
                            word[3]);
    if (!m->is_symmetric && !m->is_skew && strcasecmp(word[4], "general") != 0)
        return lines_refuse(m->t->lines,
                            "the symmetry '%s' is unknown; give a general, "
                            "symmetric or skew-symmetric matrix",
                            word[4]);
    if (m->is_skew && m->is_pattern)
        return lines_refuse(m->t->lines,
                            "a skew-symmetric matrix has values, a pattern has "
                            "none; give a real or integer matrix");
    return graph_text_end(m->t);
}

static status_t read_size(matrix_t *m)
{
    const char *remedy =
        "give 'ROWS COLUMNS ENTRIES' in the first line that is no comment";
    int64_t n_columns;
    status_t st = graph_text_next_data(m->t, "%");

    if (st != ST_OK)
        return st;
    if (m->t->line == NULL)
        return lines_refuse(m->t->lines, "the file ends before its size; %s", remedy);
    if ((st = graph_text_int(m->t, "number of rows", 0, INT32_MAX, remedy,
                             &m->n_nodes)) != ST_OK ||
        (st = graph_text_int(m->t, "number of columns", 0, INT32_MAX, remedy,
                             &n_columns)) != ST_OK ||
        (st = graph_text_int(m->t, "number of entries", 0, INT64_MAX, remedy,
                             &m->n_entries)) != ST_OK ||
        (st = graph_text_end(m->t)) != ST_OK)
        return st;
    if (m->n_nodes != n_columns)
        return lines_refuse(m->t->lines,
                            "the matrix has %" PRId64 " rows and %" PRId64
                            " columns; give a square matrix, with a row and a column for "
                            "each node",
                            m->n_nodes, n_columns);
    m->size_line = lines_number(m->t->lines);
    return ST_OK;
}

static status_t refuse_count(const matrix_t *m, const char *what)
{
    return lines_refuse(m->t->lines,
                        "%s, but line %" PRId64 " announces %" PRId64
                        " entries; complete the file or correct that line",
                        what, m->size_line, m->n_entries);
}

/* Add an entry, and the reverse of one of a skew-symmetric matrix. */
static status_t add_entry(matrix_t *m, int64_t row, int64_t column, graph_number_t number)
{
    status_t st = graph_edges_add_number(m->edges, row, column, number);

    if (st != ST_OK || !m->is_skew)
        return st;
    if (m->t->weights == GRAPH_WEIGHTS_LENGTHS && number.value > 0)
        return lines_refuse(m->t->lines,
                            "the reverse of this entry of a skew-symmetric matrix is "
                            "negative, and lengths of paths need at least 0; give "
                            "another matrix, or --weights unit");
    number.value = 0 - number.value;
    return graph_edges_add_number(m->edges, column, row, number);
}

static status_t read_entry(matrix_t *m)
{
    const char *remedy = "rows and columns count from 1 up to the size of the matrix";
    graph_text_t *t = m->t;
    graph_number_t number = {0};
    int64_t row, column;
    status_t st;

    if ((st = graph_text_int(t, "row", 1, m->n_nodes, remedy, &row)) != ST_OK ||
        (st = graph_text_int(t, "column", 1, m->n_nodes, remedy, &column)) != ST_OK)
        return st;
    if (m->is_skew && row == column)
        return lines_refuse(t->lines, "a skew-symmetric matrix has no entries on its "
                                      "diagonal; remove the line");
    if (m->is_integer && t->weights != GRAPH_WEIGHTS_UNREAD && !graph_text_at_end(t) &&
        strspn(t->at, "-+0123456789") < graph_text_field(t))
        return lines_refuse(t->lines,
                            "the value '%.*s' is not an integer; correct it, or "
                            "write 'real' in the first line",
                            (int)graph_text_field(t), t->at);
    if (!m->is_pattern && (st = graph_text_weight(t, "value", &number)) != ST_OK)
        return st;
    if (m->is_complex)
        graph_text_skip(t);
    if ((st = graph_text_end(t)) != ST_OK)
        return st;
    return add_entry(m, row, column, number);
}

static status_t read_entries(matrix_t *m)
{
    status_t st;

    for (int64_t k = 0;; k++) {
        if ((st = graph_text_next_data(m->t, "%")) != ST_OK)
            return st;
        if (m->t->line == NULL && k < m->n_entries)
            return refuse_count(m, "the file ends too early");
        if (m->t->line == NULL)
            return ST_OK;
        if (k == m->n_entries)
            return refuse_count(m, "one entry too many");
        if ((st = read_entry(m)) != ST_OK)
            return st;
    }
}

status_t matrix_market_read(graph_text_t *t, graph_edges_t *out)
{
    matrix_t m = {.t = t, .edges = out};
    const bool are_read = t->weights != GRAPH_WEIGHTS_UNREAD;
    bool has_value;
    status_t st;

    if ((st = read_banner(&m)) != ST_OK || (st = read_size(&m)) != ST_OK)
        return st;
    has_value = are_read && (m.is_skew || (!m.is_pattern && !m.is_integer));
    st = graph_edges_create(0, are_read && m.is_integer && !has_value, has_value, out);
    out->first_id = 1;
    out->n_declared = m.n_nodes;
    out->is_directed = !m.is_symmetric;
    return st == ST_OK ? read_entries(&m) : st;
}
