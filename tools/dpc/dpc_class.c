/*
 * dpc_class.c - what consolidated children are like: whether one thread may do the work
 * of any of theirs, and which values all items have in common.
 */
#include "tools/dpc/dpc_live.h"

#include <stdlib.h>
#include <string.h>

/* Threads of a kernel with one of these depend on each other. */
static const char *const block_words[] = {"__shared__",
                                          "__syncthreads",
                                          "__syncthreads_or",
                                          "__syncthreads_and",
                                          "__syncthreads_count",
                                          "__syncwarp",
                                          "__activemask",
                                          "warpSize",
                                          "asm",
                                          "__asm__",
                                          "__nanosleep"};
static const char *const block_prefixes[] = {"__shfl",  "__ballot",  "__any",    "__all",
                                             "__match", "__reduce_", "__barrier"};

/* Cooperative groups: their threads depend on each other, and they see the real launch,
 * whose blocks are those of the items if all of these have one size. */
static const char *const group_words[] = {"this_thread_block", "tiled_partition",
                                          "coalesced_threads"};
static const char *const index_words[] = {"group_index", "thread_index", "group_dim",
                                          "dim_threads", "dim_blocks",   "block_index"};
static const char *const grid_words[] = {"this_grid", "this_cluster", "this_multi_grid",
                                         "grid_group", "cluster_group"};
static const char *const place_words[] = {"threadIdx", "blockIdx", "blockDim", "gridDim"};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

typedef struct {
    const dpc_model_t *m;
    dpc_kernel_t *kernel;
    bool *seen; /* functions */
    status_t st;
} look_t;

static const char *find_word(const lex_t *lex, size_t i, const char *const *words,
                             size_t n)
{
    for (size_t k = 0; k < n; k++)
        if (lex_is(lex, i, words[k]))
            return words[k];
    return NULL;
}

static const char *find_prefix(const lex_t *lex, size_t i)
{
    const lex_token_t *t = &lex->all[i];

    for (size_t k = 0; k < COUNT(block_prefixes); k++)
        if (t->end - t->begin >= strlen(block_prefixes[k]) &&
            memcmp(lex->text + t->begin, block_prefixes[k], strlen(block_prefixes[k])) ==
                0)
            return block_prefixes[k];
    return NULL;
}

static void look_at_function(look_t *to, size_t function);

/* A function of a child that reads threadIdx and the like is written again, with the
 * place of the item's thread. */
static void need_copy(look_t *to, dpc_function_t *g, bool is_in_macro)
{
    const dpc_model_t *m = to->m;
    const dpc_function_t *f = dpc_function_of(m, to->kernel);
    const char *why = is_in_macro    ? "from a macro"
                      : g->is_method ? "a method"
                      : !g->is_here  ? "of another file"
                      : g->outer_begin < g->head_begin && g->outer_begin != f->outer_begin
                          ? "of another namespace"
                          : NULL;

    if (why != NULL)
        to->st = dpc_refuse(m, dpc_line_at(m, f->begin),
                            "'%s', a consolidated child, calls '%s', %s, which reads "
                            "threadIdx or the like; pass these as arguments",
                            f->name, g->name, why);
    g->is_copied = true;
}

static status_t refuse_groups(const dpc_model_t *m, const dpc_function_t *f,
                              const char *word)
{
    return dpc_refuse(
        m, dpc_line_at(m, f->begin),
        "'%s', a consolidated child, uses cooperative groups (%s), which see "
        "the consolidated launch",
        f->name, word);
}

/* Look at one word, and at the functions of that name. */
static void look_at_word(look_t *to, const lex_t *lex, size_t i, bool is_in_macro)
{
    const dpc_model_t *m = to->m;
    const dpc_function_t *f = dpc_function_of(m, to->kernel);
    const char *word = find_word(lex, i, grid_words, COUNT(grid_words));

    if (word == NULL && to->kernel->uses_groups)
        word = find_word(lex, i, index_words, COUNT(index_words));
    if (word != NULL && to->kernel->is_child)
        to->st = refuse_groups(m, f, word);
    if ((word = find_word(lex, i, group_words, COUNT(group_words))) != NULL) {
        to->kernel->uses_groups = true;
        to->kernel->needs_block = true;
        to->kernel->why = word;
    }
    if ((word = find_word(lex, i, block_words, COUNT(block_words))) == NULL)
        word = find_prefix(lex, i);
    if (word != NULL && !to->kernel->needs_block) {
        to->kernel->needs_block = true;
        to->kernel->why = word;
    }
    for (size_t k = 0; k < m->unit.n_functions && to->st == ST_OK; k++) {
        dpc_function_t *g = &m->unit.functions[k];

        if (g->is_global || !g->is_defined || !lex_is(lex, i, g->name))
            continue;
        if (g->reads_place && to->kernel->is_child)
            need_copy(to, g, is_in_macro);
        if (!to->seen[k] && to->st == ST_OK)
            look_at_function(to, k);
    }
}

static void look_at_function(look_t *to, size_t function)
{
    const dpc_function_t *g = &to->m->unit.functions[function];
    lex_t lex;

    to->seen[function] = true;
    if ((to->st = lex_scan(g->text + g->begin, g->end - g->begin, &lex)) != ST_OK)
        return;
    for (size_t i = 0; i < lex.n && to->st == ST_OK; i++)
        if (lex.all[i].kind == LEX_NAME)
            look_at_word(to, &lex, i, false);
    lex_free(&lex);
}

static bool look_at_macro_word(const dpc_model_t *m, size_t token, void *data)
{
    look_t *to = data;

    if (m->unit.lex.all[token].kind == LEX_NAME && to->st == ST_OK)
        look_at_word(to, &m->unit.lex, token, true);
    return false;
}

/* @return whether a function has one of the words, or calls another that has */
static status_t reads_place(const dpc_model_t *m, const dpc_function_t *g, bool *out)
{
    lex_t lex;
    const status_t st = lex_scan(g->text + g->begin, g->end - g->begin, &lex);

    *out = false;
    if (st != ST_OK)
        return st;
    for (size_t i = 0; i < lex.n && !*out; i++) {
        *out = find_word(&lex, i, place_words, COUNT(place_words)) != NULL;
        for (size_t k = 0; k < m->unit.n_functions && !*out; k++)
            *out = m->unit.functions[k].reads_place &&
                   lex_is(&lex, i, m->unit.functions[k].name);
    }
    lex_free(&lex);
    return ST_OK;
}

static status_t find_readers(dpc_model_t *m)
{
    bool is_new = true;

    while (is_new) {
        is_new = false;
        for (size_t i = 0; i < m->unit.n_functions; i++) {
            dpc_function_t *g = &m->unit.functions[i];
            bool reads;

            if (g->is_global || !g->is_defined || g->reads_place)
                continue;
            if (reads_place(m, g, &reads) != ST_OK)
                return ST_ENOMEM;
            is_new = is_new || reads;
            g->reads_place = reads;
        }
    }
    return ST_OK;
}

/* Find whether a child needs whole blocks. */
static status_t find_needs(const dpc_model_t *m, dpc_kernel_t *k)
{
    const lex_t *lex = &m->unit.lex;
    const dpc_function_t *f = dpc_function_of(m, k);
    look_t to = {.m = m, .kernel = k, .st = ST_ENOMEM};

    if ((to.seen = calloc(m->unit.n_functions, sizeof(bool))) == NULL)
        return ST_ENOMEM;
    to.st = ST_OK;
    for (size_t i = lex_at(lex, f->body_begin);
         i < lex->n && lex->all[i].begin < f->body_end && to.st == ST_OK; i++)
        if (lex->all[i].kind == LEX_NAME && !lex->all[i].in_directive) {
            look_at_word(&to, lex, i, false);
            (void)dpc_macro_any(m, i, look_at_macro_word, &to);
        }
    free(to.seen);
    return to.st;
}

static bool is_no_number(const dpc_model_t *m, size_t token, void *to)
{
    (void)to;
    for (size_t k = 0; k < m->n_macros; k++)
        if (lex_equal(&m->unit.lex, m->macros[k].name, token))
            return false;
    return m->unit.lex.all[token].kind == LEX_NAME;
}

/* @return whether a name is a macro of numbers */
static bool is_number(const dpc_model_t *m, size_t token)
{
    return !is_no_number(m, token, NULL) && !dpc_macro_any(m, token, is_no_number, NULL);
}

/* @return whether a name is a parameter of a kernel's template */
static bool is_of_template(const dpc_model_t *m, const dpc_function_t *f, size_t name)
{
    const lex_t *lex = &m->unit.lex;

    for (size_t i = lex_at(lex, f->head_begin);
         f->is_template && i < lex->n && !lex_is(lex, i, f->name); i++)
        if (lex_equal(lex, i, name))
            return true;
    return false;
}

/* @return whether a name is of constants outside of functions, and of nothing else */
static bool is_constant(const dpc_model_t *m, size_t name)
{
    bool is_const = false;

    if (find_word(&m->unit.lex, name, place_words, COUNT(place_words)) != NULL)
        return false;
    for (size_t i = 0; i < m->unit.n_globals; i++)
        if (lex_is(&m->unit.lex, name, m->unit.globals[i].name)) {
            if (!m->unit.globals[i].is_const)
                return false;
            is_const = true;
        }
    return is_const;
}

static bool is_uniform(const dpc_model_t *m, const dpc_kernel_t *parent, dpc_span_t code);

/* @return whether a variable keeps the value that it is declared with, a uniform one */
static bool is_uniform_local(const dpc_model_t *m, const dpc_kernel_t *k, int v)
{
    const lex_t *lex = &m->unit.lex;
    const dpc_function_t *f = dpc_function_of(m, k);
    const dpc_node_t *node = &f->nodes[v];
    size_t i = lex_at(lex, node->begin);

    while (i < lex->n && lex->all[i].begin < node->end && !lex_is(lex, i, node->name))
        i++;
    if (node->is_reference || i + 1 >= lex->n || lex->all[i + 1].begin >= node->end ||
        dpc_is_written(m, f, v))
        return false;
    return is_uniform(m, k, (dpc_span_t){lex->all[i + 1].begin, node->end});
}

/* @return whether a name has the same value in all threads of a kernel's launch:
 * constants, and variables with nothing else; where it runs as itself, also the sizes and
 * parameters that stay as they are */
static bool is_uniform_name(const dpc_model_t *m, const dpc_kernel_t *k, size_t i)
{
    static const char *const constants[] = {"dim3", "nullptr", "true", "false", "sizeof"};
    static const char *const sizes[] = {"gridDim", "blockDim"};
    const lex_t *lex = &m->unit.lex;
    const dpc_function_t *f = dpc_function_of(m, k);
    const int v = dpc_variable_at(m, f, i);

    if (v >= 0 && f->nodes[v].kind == CLANG_VARIABLE)
        return is_uniform_local(m, k, v);
    if (v >= 0)
        return !k->is_child && f->nodes[v].parent < 0 && !dpc_is_written(m, f, v);
    return lex_is(lex, i - 1, ".") || lex_is(lex, i + 1, "::") || is_constant(m, i) ||
           find_word(lex, i, constants, COUNT(constants)) != NULL || is_number(m, i) ||
           is_of_template(m, f, i) ||
           (!k->is_child && find_word(lex, i, sizes, COUNT(sizes)) != NULL);
}

/* @return whether the code reads memory through a pointer: `*p` without a left side */
static bool reads_memory(const dpc_model_t *m, dpc_span_t code)
{
    const lex_t *lex = &m->unit.lex;

    for (size_t i = lex_at(lex, code.begin); i < lex->n && lex->all[i].begin < code.end;
         i++)
        if (lex_is(lex, i, "->") || lex_is(lex, i, "[") ||
            (lex_is(lex, i, "*") &&
             (lex->all[i].begin == code.begin ||
              (lex->all[i - 1].kind == LEX_MARK && !lex_is(lex, i - 1, ")") &&
               !lex_is(lex, i - 1, "]")))))
            return true;
    return false;
}

static bool is_uniform(const dpc_model_t *m, const dpc_kernel_t *parent, dpc_span_t code)
{
    const lex_t *lex = &m->unit.lex;

    for (size_t i = lex_at(lex, code.begin); i < lex->n && lex->all[i].begin < code.end;
         i++)
        if (lex->all[i].kind == LEX_NAME && !is_uniform_name(m, parent, i))
            return false;
    return !reads_memory(m, code);
}

static void find_uniform(const dpc_model_t *m, const dpc_kernel_t *parent,
                         const dpc_launch_t *l, dpc_kernel_t *child)
{
    for (int i = 0; i < l->n_arguments; i++)
        child->is_uniform[i] =
            child->is_uniform[i] && is_uniform(m, parent, l->arguments[i]);
    child->is_uniform_grid =
        child->is_uniform_grid && is_uniform(m, parent, l->config[0]);
    child->is_uniform_block =
        child->is_uniform_block && is_uniform(m, parent, l->config[1]);
}

/* Clauses that a child does not allow. */
static status_t check_child(const dpc_model_t *m, const dpc_launch_t *l,
                            const dpc_kernel_t *child)
{
    const char *name = m->unit.functions[child->function].name;

    if (l->clauses.threshold > 0 && child->needs_block)
        return dpc_refuse(
            m, l->line,
            "threshold: one thread cannot run '%s', whose threads depend on "
            "each other (%s)",
            name, child->why);
    if (l->clauses.threshold > 0 && (child->n_waits > 0 || child->n_sites > 0))
        return dpc_refuse(m, l->line, "threshold: '%s' itself launches or waits", name);
    if (l->clauses.coarsen > 0 && child->needs_block)
        return dpc_refuse(m, l->line,
                          "coarsen: a block cannot run several of '%s', whose threads "
                          "depend on each other (%s)",
                          name, child->why);
    if (l->clauses.threads > 0 && child->needs_block)
        return dpc_refuse(m, l->line,
                          "threads: the blocks of '%s' keep their size, as its threads "
                          "depend on each other (%s)",
                          name, child->why);
    if (l->clauses.blocks > 0 && child->needs_block)
        return dpc_refuse(m, l->line,
                          "blocks: '%s' keeps its blocks, as its threads depend on each "
                          "other (%s)",
                          name, child->why);
    return ST_OK;
}

/* @return whether two kernels stand in the same namespace, as far as texts show */
static status_t check_place(const dpc_model_t *m, const dpc_launch_t *l,
                            const dpc_kernel_t *parent, const dpc_kernel_t *child)
{
    const dpc_function_t *p = dpc_function_of(m, parent);
    const dpc_function_t *c = dpc_function_of(m, child);
    const bool p_inside =
        p->outer_begin < p->head_begin && m->unit.lex.text[p->outer_begin] == 'n';
    const bool c_inside =
        c->outer_begin < c->head_begin && m->unit.lex.text[c->outer_begin] == 'n';

    if (p_inside != c_inside || (p_inside && p->outer_begin != c->outer_begin))
        return dpc_refuse(m, l->line, "'%s' and '%s' stand in different namespaces",
                          p->name, c->name);
    return ST_OK;
}

static bool is_return(const dpc_model_t *m, size_t token, void *to)
{
    (void)to;
    return lex_is(&m->unit.lex, token, "return");
}

/* @return whether all threads of a block reach the kernel's end together, so that the
 * block may go on with another item: none returns, and all items have blocks of one size
 */
static bool can_loop(const dpc_model_t *m, const dpc_kernel_t *k)
{
    const lex_t *lex = &m->unit.lex;
    const dpc_function_t *f = dpc_function_of(m, k);

    for (size_t i = lex_at(lex, f->body_begin);
         i < lex->n && lex->all[i].begin < f->body_end; i++)
        if (is_return(m, i, NULL) || dpc_macro_any(m, i, is_return, NULL))
            return false;
    return k->needs_block && k->is_uniform_block && k->n_waits == 0;
}

status_t dpc_classify(dpc_model_t *m)
{
    status_t st = find_readers(m);

    for (size_t k = 0; k < m->n_kernels && st == ST_OK; k++) {
        dpc_kernel_t *child = &m->kernels[k];

        memset(child->is_uniform, child->is_child, sizeof(child->is_uniform));
        child->is_uniform_grid = child->is_uniform_block = child->is_child;
        st = find_needs(m, child);
    }
    for (size_t k = 0; k < m->n_kernels && st == ST_OK; k++)
        for (size_t i = 0; i < m->kernels[k].n_launches && st == ST_OK; i++) {
            const dpc_launch_t *l = &m->kernels[k].launches[i];
            dpc_kernel_t *child = l->is_consolidated ? dpc_kernel_of(m, l->child) : NULL;

            if (child == NULL)
                continue;
            find_uniform(m, &m->kernels[k], l, child);
            if ((st = check_child(m, l, child)) == ST_OK)
                st = check_place(m, l, &m->kernels[k], child);
        }
    for (size_t k = 0; k < m->n_kernels && st == ST_OK; k++) {
        dpc_kernel_t *child = &m->kernels[k];

        child->loops = can_loop(m, child);
        if (child->is_child && child->uses_groups && !child->is_uniform_block)
            st = dpc_refuse(
                m, dpc_line_at(m, m->unit.functions[child->function].begin),
                "'%s', a consolidated child, uses cooperative groups (%s); all "
                "its launches need blocks of one size, a number or a parameter",
                m->unit.functions[child->function].name, child->why);
    }
    return st;
}
