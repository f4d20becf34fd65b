/*
 * edge_list.c - comments, a header, edges of two or three columns, and a first line with
 * sizes.
 *
 * The first edge decides what separates columns, and whether nodes are ids or names.
 * Often only the second line shows that the first one is a header: until then it is an
 * edge.
 */
#include "io/base/logmsg.h"
#include "io/base/name_table.h"
#include "io/graphfile/read/graph_formats.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { SOURCE, TARGET, WEIGHT, N_COLUMNS };

typedef struct {
    graph_text_t *t;
    const graph_read_options_t *options;
    graph_edges_t *edges;
    char separator;             /* ',', '\t', or ' ': blanks and tabs */
    bool is_split;              /* lines are taken apart before columns are read */
    bool has_quotes;            /* the first line has some */
    char *field[N_COLUMNS + 1]; /* [n_fields] of a line that is; the last: one too many */
    int n_fields;
    bool has_names;
    name_table_t names;
    bool has_weights;   /* that are read */
    int64_t n_weighted; /* edges with a third column */
    int64_t announced;  /* edges, by a comment; -1: not known */

    /* the first edge */
    int64_t first_line;    /* its number; 0: none yet */
    bool first_has_weight; /* a third column */
    bool may_be_header;    /* it has no number, and no line before it is a header */
    bool is_odd;           /* so it is, and it has a third column */
} edge_list_t;

/* "# Undirected graph: x.txt", "# Nodes: 7115 Edges: 103689" */
static void read_comment(edge_list_t *l)
{
    const char *text = l->t->at + strspn(l->t->at, "#% \t");
    int64_t nodes, edges;

    if (strncasecmp(text, "undirected", strlen("undirected")) == 0)
        l->edges->is_directed = false;
    if (sscanf(text, "Nodes: %" SCNd64 " Edges: %" SCNd64, &nodes, &edges) == 2)
        l->announced = edges;
}

/* ---- fields ---- */

/* @return whether a line begins with two words that are meant as ids */
static bool begins_with_ids(const char *line)
{
    for (int k = 0; k < 2; k++) {
        const size_t len = strspn(line += strspn(line, " \t"), "0123456789+-.eE");

        if (strcspn(line, " \t") != len || strcspn(line, "0123456789") >= len)
            return false;
        line += len;
    }
    return true;
}

/* @return what separates fields: blanks and tabs behind ids; commas, if the line has no
 *         other blanks than behind them; tabs, if there is one; or blanks */
static char separator_of(const char *line)
{
    bool is_quoted = false, has_comma = false, has_blank = false, has_tab = false;
    char before = ',';

    if (begins_with_ids(line))
        return ' ';
    for (; *line != '\0'; line++) {
        const bool is_blank = *line == ' ' || *line == '\t';

        is_quoted ^= *line == '"';
        if (is_quoted)
            continue;
        has_comma |= *line == ',';
        has_tab |= *line == '\t';
        has_blank |= is_blank && before != ',';
        before = is_blank ? before : *line;
    }
    if (has_comma && !has_blank)
        return ',';
    return has_tab ? '\t' : ' ';
}

static char *skip_blanks(const edge_list_t *l, char *at)
{
    return at + strspn(at, l->separator == '\t' ? " " : " \t");
}

static bool is_end(const edge_list_t *l, char c)
{
    return c == '\0' || c == l->separator || (c == '\t' && l->separator == ' ');
}

/* Copy a field, without the blanks behind it.
 * @param from  moved behind it @return the copy's end, without a NUL */
static char *copy_plain(const edge_list_t *l, char **from, char *to)
{
    char *end = to;

    for (; !is_end(l, **from); (*from)++) {
        *to++ = **from;
        if (**from != ' ' && **from != '\t')
            end = to;
    }
    return end;
}

/* Copy a field in quotes; inside, two quotes are one.
 * @param from  at the first quote; moved behind the last one
 * @return the copy's end, without a NUL; NULL: the last quote is missing */
static char *copy_quoted(char **from, char *to)
{
    for (++*from; **from != '"' || (*from)[1] == '"'; ++*from) {
        *from += **from == '"';
        if (**from == '\0')
            return NULL;
        *to++ = **from;
    }
    ++*from;
    return to;
}

/* Take the line apart in place: copies are no longer than what they are of.
 * @return ST_OK or ST_EINPUT (logged) */
static status_t split(edge_list_t *l)
{
    char *from = l->t->line, *to = from;

    l->n_fields = 0;
    for (;;) {
        const bool is_quoted = *(from = skip_blanks(l, from)) == '"';
        bool is_last;

        l->field[l->n_fields++] = to;
        if ((to = is_quoted ? copy_quoted(&from, to) : copy_plain(l, &from, to)) == NULL)
            return lines_refuse(l->t->lines, "a quote has no end; add it");
        if (!is_end(l, *from) && !is_end(l, *(from = skip_blanks(l, from))))
            return lines_refuse(l->t->lines, "text behind a quote; quote all of a name, "
                                             "and write quotes in it twice");
        if (l->separator == ' ')
            from = skip_blanks(l, from);
        is_last = *from == '\0';
        from += !is_last && l->separator != ' ';
        *to++ = '\0';
        if (is_last || l->n_fields > N_COLUMNS)
            return ST_OK;
    }
}

/* @return whether a field is meant as a number, also one that is refused, such as nan */
static bool is_number(const char *field)
{
    char *end;

    strtod(field, &end);
    return end > field && *end == '\0';
}

/* @return whether a field is meant as an id: names may look like nan or 0x1f */
static bool is_id(const char *field)
{
    return is_number(field) && strspn(field, "0123456789+-.eE") == strlen(field);
}

/* ---- the first lines ---- */

static bool has_ids(const edge_list_t *l)
{
    return !l->options->has_names && is_id(l->field[SOURCE]) && is_id(l->field[TARGET]);
}

static bool has_number(const edge_list_t *l)
{
    return l->n_fields > WEIGHT && is_number(l->field[WEIGHT]);
}

/* @return whether the line has the words with which headers begin */
static bool has_header_words(const edge_list_t *l)
{
    static const char *const words[][2] = {{"source", "target"},
                                           {"from", "to"},
                                           {"src", "dst"},
                                           {"node1", "node2"}};

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (strcasecmp(l->field[SOURCE], words[i][0]) == 0 &&
            strcasecmp(l->field[TARGET], words[i][1]) == 0)
            return !has_number(l);
    return false;
}

/* Note what the first edge is like, or that it is a header. */
static void begin(edge_list_t *l)
{
    const bool is_first = l->first_line == 0; /* no header was before it */

    l->has_names = !has_ids(l);
    l->first_line = lines_number(l->t->lines);
    l->may_be_header = is_first && !is_id(l->field[SOURCE]) && !is_id(l->field[TARGET]) &&
                       !has_number(l);
    l->is_odd = l->may_be_header && l->n_fields > WEIGHT;
}

static void drop_first(graph_edges_t *e)
{
    size_t n = (size_t)--e->n;

    memmove(e->source, e->source + 1, n * sizeof(*e->source));
    memmove(e->target, e->target + 1, n * sizeof(*e->target));
    if (e->weight != NULL)
        memmove(e->weight, e->weight + 1, n * sizeof(*e->weight));
    if (e->value != NULL)
        memmove(e->value, e->value + 1, n * sizeof(*e->value));
}

static status_t refuse_odd(const edge_list_t *l)
{
    log_error("%s:%" PRId64 ": the weight is not a finite number; correct or remove the "
              "line",
              lines_name(l->t->lines), l->first_line);
    return ST_EINPUT;
}

/* At the second line: decide whether the first one is a header. */
static status_t settle_header(edge_list_t *l)
{
    if (!has_ids(l) && !(l->is_odd && has_number(l)))
        return l->is_odd && l->has_weights ? refuse_odd(l) : ST_OK;
    log_info("%s:%" PRId64 ": taken for a header, not for an edge",
             lines_name(l->t->lines), l->first_line);
    drop_first(l->edges);
    name_table_free(&l->names);
    l->n_weighted = 0;
    begin(l);
    return ST_OK;
}

/* Look at the line before the second edge; later ones need it no more, and are split only
 * if they have to be. */
static status_t look_at(edge_list_t *l, bool *is_header)
{
    const graph_format_t format = l->options->format;
    status_t st;

    l->has_quotes = l->has_quotes || strchr(l->t->line, '"') != NULL;
    if (format == GRAPH_FORMAT_CSV || format == GRAPH_FORMAT_TSV)
        l->separator = format == GRAPH_FORMAT_CSV ? ',' : '\t';
    else if (l->edges->n == 0)
        l->separator = separator_of(l->t->line);
    else if (l->separator == '\t' && begins_with_ids(l->t->line))
        l->separator = ' '; /* behind a header */
    if ((st = split(l)) != ST_OK)
        return st;
    if (l->n_fields <= TARGET || *l->field[TARGET] == '\0')
        return lines_refuse(l->t->lines,
                            "the target is missing; write SOURCE, TARGET and perhaps "
                            "WEIGHT, separated by %s, or name the format",
                            l->separator == ','    ? "commas"
                            : l->separator == '\t' ? "tabs"
                                                   : "blanks");
    if (l->edges->n == 0 && l->first_line == 0 && has_header_words(l)) {
        l->first_line = lines_number(l->t->lines);
        *is_header = true;
        return ST_OK;
    }
    if (l->edges->n == 0)
        begin(l);
    else if (l->may_be_header && (st = settle_header(l)) != ST_OK)
        return st;
    l->is_split = l->has_names || l->has_quotes || l->separator == ',' ||
                  format == GRAPH_FORMAT_TSV;
    if (!l->is_split)
        l->separator = ' ';
    return ST_OK;
}

/* ---- edges ---- */

static status_t refuse_columns(const edge_list_t *l)
{
    return lines_refuse(l->t->lines,
                        "%s weight, unlike the lines before; give every edge a "
                        "weight or none",
                        l->has_weights ? "no" : "a");
}

/* The second edge decides whether edges have weights: the first may be sizes. */
static status_t expect_weights(edge_list_t *l)
{
    graph_edges_t *e = l->edges;

    if ((e->weight = calloc((size_t)e->capacity, sizeof(*e->weight))) == NULL)
        return log_nomem("the edges of a graph");
    l->has_weights = true;
    return ST_OK;
}

static status_t take_name(edge_list_t *l, const char *name, const char *what,
                          int64_t *out)
{
    if (*name == '\0')
        return lines_refuse(l->t->lines, "the %s is missing; add it", what);
    if (strchr(name, '\t') != NULL)
        return lines_refuse(l->t->lines, "the name of the %s has a tab; remove it", what);
    return name_table_add(&l->names, name, strlen(name), out, NULL);
}

/* Take a column as a node: its id, or the number of its name. */
static status_t take_node(edge_list_t *l, int column, const char *what, bool is_split,
                          int64_t *out)
{
    const char *remedy = l->options->ids_only
                             ? "write 'SOURCE TARGET' or 'SOURCE TARGET WEIGHT'"
                             : "write 'SOURCE TARGET' or 'SOURCE TARGET WEIGHT', name "
                               "the format, or give --names";
    graph_text_t *t = l->t;
    status_t st;

    if (is_split)
        t->at = l->field[column];
    if (l->has_names)
        return take_name(l, t->at, what, out);
    st = graph_text_int(t, what, 0, INT64_MAX, remedy, out);
    return st == ST_OK && is_split ? graph_text_end(t) : st;
}

/* Go to the third column. @return whether there is one */
static bool go_to_weight(edge_list_t *l, bool is_split)
{
    if (is_split)
        l->t->at = l->n_fields > WEIGHT ? l->field[WEIGHT]
                                        : l->field[TARGET] + strlen(l->field[TARGET]);
    return !graph_text_at_end(l->t);
}

/* Read the third column, and refuse a fourth. */
static status_t take_weight(edge_list_t *l, bool is_split, graph_number_t *out)
{
    graph_text_t *t = l->t;
    status_t st = ST_OK;

    if (t->weights != GRAPH_WEIGHTS_UNREAD && !(l->is_odd && l->edges->n == 0))
        st = graph_text_weight(t, "weight", out);
    else if (is_split)
        t->at += strlen(t->at);
    else
        graph_text_skip(t);
    if (st != ST_OK || (st = graph_text_end(t)) != ST_OK || !is_split ||
        l->n_fields <= N_COLUMNS)
        return st;
    return lines_refuse(t->lines, "unexpected '%.40s' behind the weight; remove it",
                        l->field[N_COLUMNS]);
}

static status_t read_edge(edge_list_t *l)
{
    const bool is_early = l->edges->n < 2, is_split = is_early || l->is_split;
    const bool are_read = l->t->weights != GRAPH_WEIGHTS_UNREAD;
    graph_number_t number = {.is_weight = true};
    int64_t source, target;
    bool has_weight, is_header = false;
    status_t st = is_early ? look_at(l, &is_header) : is_split ? split(l) : ST_OK;

    if (st != ST_OK || is_header ||
        (st = take_node(l, SOURCE, "source", is_split, &source)) != ST_OK)
        return st;
    if (is_split && l->n_fields <= TARGET)
        return lines_refuse(l->t->lines, "the target is missing; add it");
    if ((st = take_node(l, TARGET, "target", is_split, &target)) != ST_OK)
        return st;
    has_weight = go_to_weight(l, is_split);
    if (are_read && has_weight != l->has_weights) {
        if (!has_weight || l->edges->n > 1)
            return refuse_columns(l);
        if ((st = expect_weights(l)) != ST_OK)
            return st;
    }
    if (l->edges->n == 0)
        l->first_has_weight = has_weight;
    l->n_weighted += has_weight;
    if (has_weight && (st = take_weight(l, is_split, &number)) != ST_OK)
        return st;
    return graph_edges_add_number(l->edges, source, target, number);
}

/* ---- the whole file ---- */

/* @return whether the first edge is the numbers of nodes and edges: the other edges have
 *         that number, and their ids are as small.  Where all lines have two columns,
 *         there must be more edges than nodes, or the first edge of a path would be taken
 *         for sizes */
static bool first_is_sizes(const edge_list_t *l, bool is_short)
{
    const graph_edges_t *e = l->edges;

    if (l->has_names || e->n < 2 || e->target[0] != e->n - 1 ||
        (!is_short && e->target[0] <= e->source[0]))
        return false;
    for (int64_t i = 1; i < e->n; i++)
        if (e->source[i] > e->source[0] || e->target[i] > e->source[0])
            return false;
    return true;
}

static status_t check_sizes(edge_list_t *l)
{
    const char *name = lines_name(l->t->lines);
    graph_edges_t *e = l->edges;
    const bool is_short = /* it has two columns, the others three */
        !l->first_has_weight && l->n_weighted > 0 && l->n_weighted == e->n - 1;

    if (first_is_sizes(l, is_short)) {
        log_warn("%s:%" PRId64
                 ": taken for the numbers of nodes and edges, not for an edge",
                 name, l->first_line);
        drop_first(e);
    } else if (is_short && l->has_weights) {
        log_error("%s:%" PRId64 ": no weight, unlike the lines after it, and not the "
                  "numbers of nodes and edges; correct or remove the line",
                  name, l->first_line);
        return ST_EINPUT;
    }
    if (l->announced >= 0 && l->announced != e->n)
        log_warn("%s: a comment announces %" PRId64 " edges, but there are %" PRId64
                 "; check that the file is complete",
                 name, l->announced, e->n);
    return ST_OK;
}

static status_t read_lines(edge_list_t *l)
{
    graph_text_t *t = l->t;
    status_t st;

    while ((st = graph_text_next_data(t, "")) == ST_OK && t->line != NULL) {
        if (*t->at == '#' || *t->at == '%')
            read_comment(l);
        else if ((st = read_edge(l)) != ST_OK)
            return st;
    }
    if (st != ST_OK)
        return st;
    if (l->is_odd && l->has_weights && l->edges->n == 1)
        return refuse_odd(l);
    if ((st = check_sizes(l)) == ST_OK && l->names.n > 0)
        st = graph_edges_name(l->edges, &l->names);
    return st;
}

status_t edge_list_read(graph_text_t *t, const graph_read_options_t *options,
                        graph_edges_t *out)
{
    edge_list_t l = {.t = t, .options = options, .edges = out, .announced = -1};
    status_t st = graph_edges_create(0, false, false, out);

    out->is_directed = true;
    if (st == ST_OK)
        st = read_lines(&l);
    out->is_directed = out->is_directed || options->is_directed;
    name_table_free(&l.names);
    return st;
}
