/*
 * program_params.c - the values of a program's params.
 */
#include "worker/program/program_opts.h"

#include "io/base/logmsg.h"
#include "io/base/near_word.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const program_opts_t *opts;
    const rg_program_t *program;
    const csr_t *graph; /* or NULL */
    char *const *names;
    char *why;
    program_params_t *out;
} take_t;

static status_t refuse_value(const take_t *t, const rg_symbol_t *s, const char *value,
                             const char *remedy)
{
    return job_opts_misuse(t->why, "--set %s=%s: the param has the type %s; give %s",
                           s->name, value, rg_type_name[s->type], remedy);
}

static status_t find_node(const take_t *t, const char *value, rg_value_t *out)
{
    graph_sources_t how = {.n = 1};
    int32_t *nodes;
    int64_t n;
    status_t st;

    if (t->graph == NULL)
        return ST_OK;
    graph_opts_parse_source(value, &how);
    st = graph_sources_choose(&how, t->graph, t->names, t->opts->graph.input, &nodes, &n);
    if (st != ST_OK)
        return st;
    out->i = n > 0 ? nodes[0] : -1;
    free(nodes);
    return ST_OK;
}

static status_t parse_value(const take_t *t, const rg_symbol_t *s, const char *value,
                            rg_value_t *out)
{
    char *end;

    errno = 0;
    switch (s->type) {
    case RG_INT:
        out->i = strtoll(value, &end, 10);
        if (end == value || *end != '\0' || errno != 0)
            return refuse_value(t, s, value, "a whole number");
        return ST_OK;
    case RG_REAL:
        out->r = strtod(value, &end);
        if (end == value || *end != '\0' || !isfinite(out->r))
            return refuse_value(t, s, value, "a number");
        return ST_OK;
    case RG_BOOL:
        out->i = strcmp(value, "true") == 0;
        if (out->i == 0 && strcmp(value, "false") != 0)
            return refuse_value(t, s, value, "true or false");
        return ST_OK;
    default:
        return find_node(t, value, out);
    }
}

static status_t find_param(const take_t *t, const char *name, const rg_symbol_t **out)
{
    near_word_t near = near_word_begin(name, strlen(name));
    char guess[NEAR_WORD_BYTES];

    for (const rg_symbol_t *s = t->program->symbols; s != NULL; s = s->next) {
        if (s->kind != SYMBOL_PARAM)
            continue;
        if (strcmp(s->name, name) == 0) {
            *out = s;
            return ST_OK;
        }
        near_word_try(&near, s->name);
    }
    return job_opts_misuse(t->why, "--set %s=...: %s has no such param%s", name,
                           t->program->path, near_word_text(&near, "", guess));
}

/* Take "NAME=VALUE", modified. */
static status_t take_one(const take_t *t, char *entry)
{
    char *value = strchr(entry, '=');
    const rg_symbol_t *s = NULL;
    rg_value_t *to;
    status_t st;

    if (value == NULL)
        return job_opts_misuse(t->why, "--set %s: give NAME=VALUE", entry);
    *value++ = '\0';
    if ((st = find_param(t, entry, &s)) != ST_OK)
        return st;
    if (t->out->is_given[s->slot])
        return job_opts_misuse(t->why, "--set %s=...: given twice; give one value",
                               entry);
    to = &t->out->value[s->slot];
    if ((st = parse_value(t, s, value, to)) != ST_OK)
        return st;
    t->out->is_given[s->slot] = true;
    if (s->type == RG_NODE && t->graph != NULL && to->i >= 0)
        return buf_printf(&t->out->text, "%s=%" PRId64 "\n", s->name,
                          t->graph->id[to->i]);
    return buf_printf(&t->out->text, "%s=%s\n", s->name, value);
}

status_t program_params_take(const program_opts_t *opts, const rg_program_t *program,
                             const csr_t *graph, char *const *names,
                             char why[JOB_OPTS_WHY_BYTES], program_params_t *out)
{
    const take_t take = {opts, program, graph, names, why, out};
    const size_t n = (size_t)program->n_values + 1;
    char *copy, *rest, *entry;
    status_t st = ST_OK;

    out->value = calloc(n, sizeof(*out->value));
    out->is_given = calloc(n, sizeof(*out->is_given));
    if (out->value == NULL || out->is_given == NULL)
        return log_nomem("a graph program");
    if (opts->params == NULL)
        return ST_OK;
    if ((copy = strdup(opts->params)) == NULL)
        return log_nomem("a graph program");
    rest = copy;
    while (st == ST_OK && (entry = strsep(&rest, ",")) != NULL)
        st = take_one(&take, entry);
    free(copy);
    return st;
}

void program_params_free(program_params_t *p)
{
    free(p->value);
    free(p->is_given);
    buf_free(&p->text);
    *p = (program_params_t){0};
}
