/*
 * dpc_render.c - writes the code of a kernel's parts: up to a wait, and behind it.
 */
#include "tools/dpc/dpc_write.h"

#include "io/base/logmsg.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* As many lines as the code that is left out. */
static void say_lines(const dpc_write_t *w, size_t begin, size_t end)
{
    for (size_t i = begin; i < end; i++)
        if (w->m->unit.lex.text[i] == '\n')
            dpc_say(w->to, "\n");
}

/* ---- saved variables ---- */

/* The name of a saved variable: that of its declaration where the name is no other's. */
static const char *field_name(const dpc_function_t *f, int node, char out[DPC_ID_BYTES])
{
    snprintf(out, DPC_ID_BYTES, "%s", f->nodes[node].name);
    for (int n = 0; n < node; n++)
        if (f->nodes[n].name != NULL &&
            strcmp(f->nodes[n].name, f->nodes[node].name) == 0)
            snprintf(out, DPC_ID_BYTES, "%.200s_%d", f->nodes[node].name, node);
    return out;
}

static bool is_array(const dpc_node_t *v)
{
    return strchr(v->type, '[') != NULL && v->kind == CLANG_VARIABLE;
}

/* Save what a level of a wait needs. */
static void say_save(const dpc_write_t *w, const dpc_kernel_t *k, const dpc_wait_t *wait,
                     int level)
{
    const dpc_function_t *f = dpc_function_of(w->m, k);
    char field[DPC_ID_BYTES];
    dpc_live_t live[DPC_LIVE_MAX];
    const int n = dpc_live_at(w->m, k, wait, level, live);

    for (int i = 0; i < n; i++) {
        const dpc_node_t *v = &f->nodes[live[i].node];

        if (live[i].fate != DPC_SAVED)
            continue;
        field_name(f, live[i].node, field);
        dpc_say(w->to, "dp_copy(dp_state->v_%s, %s); ", field, v->name);
    }
}

/* Shared memory that is kept is a member of a structure. */
static void say_kept(const dpc_write_t *w, const dpc_node_t *v)
{
    const char *array = strchr(v->type, '[');

    if (array != NULL)
        dpc_say(w->to, "%.*s (&%s)%s = dp_shared.v_%s", (int)(array - v->type), v->type,
                v->name, array, v->name);
    else
        dpc_say(w->to, "%s &%s = dp_shared.v_%s", v->type, v->name, v->name);
}

/* Declare something again: its type, and what is written from the name on. */
static void say_again(const dpc_write_t *w, const dpc_node_t *v)
{
    const lex_t *lex = &w->m->unit.lex;
    size_t i = lex_at(lex, v->begin);
    bool is_constexpr = false;
    char type[DPC_TYPE_BYTES];

    if (v->kind != CLANG_VARIABLE) {
        dpc_render_source(w, v->begin, v->end);
        dpc_say(w->to, ";\n");
        return;
    }
    for (; !lex_is(lex, i, v->name); i++)
        is_constexpr = is_constexpr || lex_is(lex, i, "constexpr");
    dpc_plain_type(v->type, type, sizeof(type));
    dpc_say(w->to, "%s%s%s%.*s ", v->is_extern ? "extern " : "",
            v->is_shared ? "__shared__ " : "",
            is_constexpr  ? "constexpr "
            : v->is_const ? "const "
                          : "",
            (int)strcspn(type, "["), type);
    dpc_render_source(w, lex->all[i].begin, v->end);
    dpc_say(w->to, ";\n");
}

/* Declare what a level of a wait needs, with its saved values. */
static void say_restore(const dpc_write_t *w, const dpc_kernel_t *k,
                        const dpc_wait_t *wait, int level)
{
    const dpc_function_t *f = dpc_function_of(w->m, k);
    char field[DPC_ID_BYTES];
    dpc_live_t live[DPC_LIVE_MAX];
    const int n = dpc_live_at(w->m, k, wait, level, live);

    for (int i = 0; i < n; i++) {
        const dpc_node_t *v = &f->nodes[live[i].node];

        dpc_say(w->to, "    ");
        if (live[i].fate == DPC_KEPT) {
            say_kept(w, v);
            dpc_say(w->to, ";\n");
        } else if (live[i].fate == DPC_REPEATED) {
            say_again(w, v);
        } else if (v->kind == CLANG_PARAMETER) {
            dpc_say(w->to, "%s = dp_state->v_%s;\n", v->name,
                    field_name(f, live[i].node, field));
        } else {
            dpc_render_variable(w->to, v->type, "", v->name, !is_array(v));
            field_name(f, live[i].node, field);
            if (is_array(v))
                dpc_say(w->to, "; dp_copy(%s, dp_state->v_%s);\n", v->name, field);
            else
                dpc_say(w->to, " = dp_state->v_%s;\n", field);
        }
    }
}

void dpc_render_state(const dpc_write_t *w, const dpc_kernel_t *k, const dpc_names_t *n)
{
    const dpc_function_t *f = dpc_function_of(w->m, k);
    char field[DPC_ID_BYTES];
    bool *is_done = calloc(f->n_nodes + 1, sizeof(bool));

    if (is_done == NULL) {
        w->to->st = log_nomem("the output");
        return;
    }
    dpc_say(w->to,
            "/* What a thread of %s saves while it waits. */\n%sstruct %s_state {\n"
            "    int dp_resume; /* the wait, from 1; -1: another thread's; 0: "
            "none */\n",
            f->name, n->head, n->id);
    for (size_t i = 0; i < k->n_waits; i++)
        for (int level = 0; level < k->waits[i].n_levels; level++) {
            dpc_live_t live[DPC_LIVE_MAX];
            const int n_live = dpc_live_at(w->m, k, &k->waits[i], level, live);

            for (int v = 0; v < n_live; v++) {
                const int node = live[v].node;

                if (live[v].fate != DPC_SAVED || is_done[node])
                    continue;
                is_done[node] = true;
                dpc_say(w->to, "    ");
                dpc_render_variable(w->to, f->nodes[node].type, "v_",
                                    field_name(f, node, field), false);
                dpc_say(w->to, ";\n");
            }
        }
    dpc_say(w->to, "};\n");
    free(is_done);
    if (!dpc_keeps_shared(w->m, k))
        return;
    dpc_say(w->to, "\n/* What a block of it saves. */\n%sstruct %s_shared {\n", n->head,
            n->id);
    for (size_t v = 0; v < f->n_nodes; v++)
        if (f->nodes[v].is_kept) {
            dpc_say(w->to, "    ");
            dpc_render_variable(w->to, f->nodes[v].type, "v_", f->nodes[v].name, false);
            dpc_say(w->to, ";\n");
        }
    dpc_say(w->to, "};\n");
}

/* ---- code ---- */

/* What replaces a part of the code. */
typedef struct {
    size_t begin, end;
    const dpc_wait_t *wait;
    const dpc_launch_t *launch;
    const dpc_node_t *kept;
} event_t;

static void keep_first(event_t *best, event_t e, size_t from, size_t to)
{
    if (e.begin >= from && e.begin < to && e.begin < best->begin)
        *best = e;
}

/* The next part of the code that is replaced. */
static event_t next_event(const dpc_write_t *write, const dpc_kernel_t *k, size_t from,
                          size_t to, const dpc_wait_t *resumed)
{
    const dpc_function_t *f = dpc_function_of(write->m, k);
    event_t best = {.begin = to, .end = to};

    for (size_t i = 0; i < k->n_waits; i++) {
        const dpc_wait_t *w = &k->waits[i];

        keep_first(&best,
                   w == resumed
                       ? (event_t){w->call.begin, w->call.end, w, NULL, NULL}
                       : (event_t){w->statement.begin, w->cut_end, w, NULL, NULL},
                   from, to);
    }
    for (size_t i = 0; i < k->n_launches; i++) {
        const dpc_launch_t *l = &k->launches[i];

        keep_first(&best, (event_t){l->all.begin, l->all.end, NULL, l, NULL}, from, to);
        if (l->is_consolidated)
            keep_first(&best, (event_t){l->pragma.begin, l->pragma.end, NULL, NULL, NULL},
                       from, to);
    }
    for (size_t n = 0; n < f->n_nodes; n++)
        if (f->nodes[n].is_kept)
            keep_first(&best,
                       (event_t){f->nodes[n].begin, f->nodes[n].end, NULL, NULL,
                                 &f->nodes[n]},
                       from, to);
    return best;
}

/* A launch that stays: children of today's GPUs may find no room, and then do not run. */
static size_t say_launch(const dpc_write_t *w, const dpc_kernel_t *k,
                         const dpc_launch_t *l)
{
    const lex_t *lex = &w->m->unit.lex;
    const size_t next = lex_at(lex, l->all.end);

    if (l->is_consolidated) {
        dpc_write_add(w, k, l);
        return l->all.end;
    }
    if (k->checks_errors || !lex_is(lex, next, ";")) {
        dpc_render_source(w, l->all.begin, l->all.end);
        return l->all.end;
    }
    dpc_say(w->to, "{ ");
    dpc_render_source(w, l->all.begin, l->all.end);
    dpc_say(w->to, "; dp_check(%d); }", l->line);
    return lex->all[next].end;
}

/* End the thread's part at a wait, and close the blocks that end in what is cut. */
static void say_wait(const dpc_write_t *w, const dpc_kernel_t *k, const dpc_wait_t *wait,
                     size_t from, size_t end)
{
    const dpc_function_t *f = dpc_function_of(w->m, k);

    dpc_say(w->to, "{ ");
    for (int level = 0; level < wait->n_levels; level++)
        say_save(w, k, wait, level);
    dpc_say(w->to, "dp_state->dp_resume = %d; return; }", (int)(wait - k->waits) + 1);
    for (size_t n = 0; n < f->n_nodes; n++) {
        const dpc_node_t *c = &f->nodes[n];

        if (c->kind == CLANG_COMPOUND && c->begin >= from &&
            c->begin < wait->statement.begin && c->end > wait->statement.begin &&
            c->end <= end)
            dpc_say(w->to, " }");
    }
    say_lines(w, wait->statement.begin, end);
}

static bool is_condition(const lex_t *lex, size_t i)
{
    static const char *const words[] = {"if", "ifdef", "ifndef", "elif", "else", "endif"};

    for (size_t k = 0; lex->all[i].is_first && k < sizeof(words) / sizeof(words[0]); k++)
        if (lex_is(lex, i + 1, words[k]))
            return true;
    return false;
}

/* Count the conditions of the preprocessor that begin in a piece of code, less those that
 * end. @return the lowest count on the way, or more than it is below 0 */
static int count_conditions(const lex_t *lex, size_t begin, size_t end, int *depth)
{
    int lowest = *depth;

    for (size_t i = lex_at(lex, begin); i < lex->n && lex->all[i].begin < end; i++) {
        if (!is_condition(lex, i))
            continue;
        *depth += lex_is(lex, i + 1, "if") || lex_is(lex, i + 1, "ifdef") ||
                  lex_is(lex, i + 1, "ifndef");
        *depth -= lex_is(lex, i + 1, "endif");
        if (*depth < lowest)
            lowest = *depth;
        if (*depth == 0 && (lex_is(lex, i + 1, "else") || lex_is(lex, i + 1, "elif")))
            lowest = -1;
    }
    return lowest;
}

/* Write a piece of code.
 *
 * @param is_chosen  without conditions of the preprocessor, and what they leave out */
static void say_piece(const dpc_write_t *w, size_t begin, size_t end, bool is_chosen)
{
    const lex_t *lex = &w->m->unit.lex;
    size_t at = begin;

    for (size_t i = lex_at(lex, begin);
         is_chosen && i < lex->n && lex->all[i].begin < end;) {
        size_t next = i + 1;

        if (is_condition(lex, i))
            next = lex_directive_end(lex, i);
        else if (!lex->all[i].is_left_out) {
            i++;
            continue;
        }
        dpc_render_source(w, at, lex->all[i].begin);
        at = lex->all[next - 1].end < end ? lex->all[next - 1].end : end;
        say_lines(w, lex->all[i].begin, at);
        i = next;
    }
    dpc_render_source(w, at, end);
}

/* Write code, or only find whether conditions of the preprocessor begin and end in it. */
static bool walk_code(const dpc_write_t *w, const dpc_kernel_t *k, dpc_span_t code,
                      const dpc_wait_t *resumed, bool is_written, bool is_chosen)
{
    int depth = 0, lowest = 0;

    for (size_t at = code.begin; at < code.end && w->to->st == ST_OK;) {
        event_t e = next_event(w, k, at, code.end, resumed);
        const int low = count_conditions(&w->m->unit.lex, at, e.begin, &depth);

        lowest = low < lowest ? low : lowest;
        if (is_written)
            say_piece(w, at, e.begin, is_chosen);
        at = e.end < code.end ? e.end : code.end;
        if (!is_written)
            continue;
        if (e.wait != NULL && e.wait == resumed)
            dpc_say(w->to, "cudaSuccess");
        else if (e.wait != NULL)
            say_wait(w, k, e.wait, code.begin, at);
        else if (e.launch != NULL)
            at = say_launch(w, k, e.launch);
        else if (e.kept != NULL)
            say_kept(w, e.kept);
    }
    return depth == 0 && lowest == 0;
}

/* Code with half of a condition is written as the preprocessor chooses it. */
static void say_code(const dpc_write_t *w, const dpc_kernel_t *k, size_t begin,
                     size_t end, const dpc_wait_t *resumed)
{
    const dpc_span_t code = {begin, end};

    dpc_say(w->to, "\n");
    dpc_render_line(w, begin);
    (void)walk_code(w, k, code, resumed, true,
                    !walk_code(w, k, code, resumed, false, false));
    dpc_say(w->to, "\n");
}

/* ---- parts ---- */

static bool is_within(const dpc_wait_t *a, dpc_span_t s)
{
    return a->statement.begin >= s.begin && a->statement.begin < s.end;
}

/* @return how many waits may follow each other from this one to the end of its statement
 * of the body, itself included */
static int chain_of(const dpc_kernel_t *k, const dpc_wait_t *w)
{
    int longest = 0;

    for (size_t i = 0; i < k->n_waits; i++)
        for (int level = 0; level < w->n_levels - 1; level++)
            if (&k->waits[i] != w && is_within(&k->waits[i], w->rest[level])) {
                const int n = chain_of(k, &k->waits[i]);

                longest = n > longest ? n : longest;
            }
    return longest + 1;
}

/* The first wait of the statement of the body that comes next from an offset on. */
static int next_group(const dpc_kernel_t *k, size_t from)
{
    int first = -1;

    for (size_t i = 0; i < k->n_waits; i++)
        if (k->waits[i].top.begin >= from &&
            (first < 0 || k->waits[i].top.begin < k->waits[first].top.begin))
            first = (int)i;
    return first;
}

int dpc_parts(const dpc_model_t *m, const dpc_kernel_t *k, dpc_part_t out[DPC_PARTS_MAX])
{
    int n = 1;

    out[0] = (dpc_part_t){.group = -1, .is_last = true};
    for (int g = next_group(k, 0); g >= 0; g = next_group(k, k->waits[g].top.end)) {
        int longest = 0;

        for (size_t i = 0; i < k->n_waits; i++)
            if (k->waits[i].top.begin == k->waits[g].top.begin) {
                const int chain = chain_of(k, &k->waits[i]);

                longest = chain > longest ? chain : longest;
            }
        if (n + longest > DPC_PARTS_MAX) {
            (void)dpc_refuse(m, k->waits[g].line, "more than %d waits in a kernel",
                             DPC_PARTS_MAX - 1);
            return 0;
        }
        for (int i = 1; i <= longest; i++)
            out[n++] = (dpc_part_t){.group = g, .is_last = i == longest};
    }
    return n;
}

/* Stop where other threads wait. */
static void say_stop(const dpc_write_t *w, const dpc_kernel_t *k, const dpc_wait_t *wait)
{
    dpc_say(w->to, "    ");
    say_save(w, k, wait, wait->n_levels - 1);
    dpc_say(w->to, "dp_state->dp_resume = -1;\n");
}

/* The rest of the blocks around a wait, but for the body, from the outside in. */
static void say_inner(const dpc_write_t *w, const dpc_kernel_t *k, const dpc_wait_t *wait)
{
    dpc_say(w->to, "    if (dp_resume == %d) {\n", (int)(wait - k->waits) + 1);
    for (int level = wait->n_levels - 2; level >= 0; level--) {
        dpc_say(w->to, "    {\n");
        say_restore(w, k, wait, level);
    }
    for (int level = 0; level <= wait->n_levels - 2; level++) {
        say_code(w, k, wait->rest[level].begin, wait->rest[level].end, wait);
        dpc_say(w->to, "    }\n");
    }
    dpc_say(w->to, "    }\n");
}

/* The body's code from an offset on, up to the next waits. */
static void say_body(const dpc_write_t *w, const dpc_kernel_t *k, size_t from,
                     const dpc_wait_t *resumed)
{
    const dpc_function_t *f = dpc_function_of(w->m, k);
    const size_t body = f->body_end - 1;
    const int next = next_group(k, resumed != NULL ? resumed->top.end : from);
    const size_t end = next >= 0 ? k->waits[next].top.end : body;

    if (next >= 0 && k->waits[next].cut_end >= body) { /* all threads wait there */
        say_code(w, k, from, body, resumed);
        return;
    }
    say_code(w, k, from, end, resumed);
    if (next >= 0)
        say_stop(w, k, &k->waits[next]);
}

void dpc_render_part(const dpc_write_t *w, const dpc_kernel_t *k, const dpc_part_t *part)
{
    const dpc_function_t *f = dpc_function_of(w->m, k);

    dpc_say(w->to, "{\n");
    if (k->is_child)
        dpc_say(w->to, DPC_PLACE);
    if (part->group < 0) {
        if (k->n_waits > 0)
            dpc_say(w->to, "    dp_state->dp_resume = 0;\n");
        say_body(w, k, f->body_begin + 1, NULL);
        dpc_say(w->to, "}\n");
        return;
    }
    const dpc_wait_t *first = &k->waits[part->group];

    dpc_say(w->to, "    const int dp_resume = dp_state->dp_resume;\n\n"
                   "    if (dp_resume == 0)\n        return;\n"
                   "    dp_state->dp_resume = 0;\n");
    say_restore(w, k, first, first->n_levels - 1);
    for (size_t i = 0; i < k->n_waits; i++)
        if (k->waits[i].top.begin == first->top.begin && k->waits[i].n_levels > 1 &&
            (!part->is_last || chain_of(k, &k->waits[i]) == 1))
            say_inner(w, k, &k->waits[i]);
    if (part->is_last)
        say_body(w, k, first->rest[first->n_levels - 1].begin, first);
    else
        say_stop(w, k, first);
    dpc_say(w->to, "}\n");
}
