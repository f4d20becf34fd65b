/*
 * dpc_launch.c - writes consolidated children: their items, and how these are added and
 * launched.
 */
#include "tools/dpc/dpc_write.h"

#include "io/base/logmsg.h"

#include <stdio.h>

static void find_names(const dpc_write_t *w, const dpc_kernel_t *k, dpc_names_t *out)
{
    const status_t st = dpc_names(w->m, k, out);

    if (w->to->st == ST_OK)
        w->to->st = st;
}

/* ---- parameters ---- */

void dpc_parameters(const dpc_write_t *w, const dpc_kernel_t *k, bool with_types,
                    const char *before)
{
    const dpc_node_t *p;

    for (int i = 0; (p = dpc_parameter(dpc_function_of(w->m, k), i)) != NULL; i++) {
        dpc_say(w->to, "%s", i > 0 ? ", " : before);
        if (with_types)
            dpc_render_variable(w->to, p->type, "", p->name, false);
        else
            dpc_say(w->to, "%s", p->name);
    }
}

/* ---- items ---- */

/* Declare, as members, the values that all items share, or those of each. */
static void write_members(const dpc_write_t *w, const dpc_kernel_t *k, bool is_uniform)
{
    const dpc_node_t *p;

    if (k->is_uniform_grid == is_uniform)
        dpc_say(w->to, "    dim3 dp_grid;\n");
    if (k->is_uniform_block == is_uniform)
        dpc_say(w->to, "    dim3 dp_block;\n");
    for (int i = 0; (p = dpc_parameter(dpc_function_of(w->m, k), i)) != NULL; i++) {
        if (k->is_uniform[i] != is_uniform)
            continue;
        dpc_say(w->to, "    ");
        dpc_render_variable(w->to, p->type, "v_", p->name, false);
        dpc_say(w->to, ";\n");
    }
}

/* Set the members of a set, or of an item. */
static void write_stores(const dpc_write_t *w, const dpc_kernel_t *k, bool is_uniform)
{
    const char *to = is_uniform ? "dp_items->common." : "dp_item->";
    const dpc_node_t *p;

    if (k->is_uniform_grid == is_uniform)
        dpc_say(w->to, "    %sdp_grid = dp_grid;\n", to);
    if (k->is_uniform_block == is_uniform)
        dpc_say(w->to, "    %sdp_block = dp_block;\n", to);
    for (int i = 0; (p = dpc_parameter(dpc_function_of(w->m, k), i)) != NULL; i++)
        if (k->is_uniform[i] == is_uniform)
            dpc_say(w->to, "    dp_copy(%sv_%s, %s);\n", to, p->name, p->name);
}

static void write_items(const dpc_write_t *w, const dpc_kernel_t *k, const dpc_names_t *n)
{
    dpc_say(w->to,
            "\n/* One launch of %s. */\n%sstruct %s_item {\n"
            "    unsigned long long start; /* its first unit */\n",
            dpc_function_of(w->m, k)->name, n->head, n->id);
    write_members(w, k, false);
    dpc_say(w->to, "};\n\n/* What all of them have in common. */\n%sstruct %s_common {\n",
            n->head, n->id);
    write_members(w, k, true);
    dpc_say(w->to,
            "};\n\n%sstruct %s_set : dp_set {\n    %s_common%s common;\n"
            "    %s_item%s item[1]; /* capacity of them */\n};\n",
            n->head, n->id, n->id, n->arguments, n->id, n->arguments);
}

/* The function that sums up the units of a set. */
static void write_total(const dpc_write_t *w, const dpc_kernel_t *k, const dpc_names_t *n)
{
    dpc_say(w->to,
            "\n%sstatic __device__ __forceinline__ unsigned long long\n"
            "%s_total(const %s_set%s *set)\n{\n"
            "    if (set->fill >> 38 <= set->capacity)\n"
            "        return set->fill & ((1ull << 38) - 1);\n"
            "    const %s_item%s &last = set->item[dp_count(set) - 1];\n\n"
            "    return last.start + dp_size(%s.dp_grid)",
            n->head, n->id, n->id, n->arguments, n->id, n->arguments,
            k->is_uniform_grid ? "set->common" : "last");
    if (!k->needs_block)
        dpc_say(w->to, " * dp_size(%s.dp_block)",
                k->is_uniform_block ? "set->common" : "last");
    dpc_say(w->to, ";\n}\n");
}

static void say_put(const dpc_write_t *w, const dpc_kernel_t *k, const dpc_names_t *n)
{
    dpc_say(w->to,
            "\n%sstatic __device__ bool %s_put(dp_set **dp_slot, unsigned long long "
            "dp_capacity, "
            "bool dp_pool_first,\n    dim3 dp_grid, dim3 dp_block, unsigned dp_bytes",
            n->head, n->id);
    dpc_parameters(w, k, true, ", ");
    dpc_say(w->to, ")");
}

/* The function that adds an item; false: there is no memory. */
static void write_put(const dpc_write_t *w, const dpc_kernel_t *k, const dpc_names_t *n)
{
    say_put(w, k, n);
    dpc_say(w->to,
            "\n{\n    unsigned long long dp_number, dp_start;\n"
            "    %s_set%s *dp_items = (%s_set%s *)dp_put(dp_slot, %s, %s, dp_capacity,\n"
            "        sizeof(*dp_items), sizeof(dp_items->item[0]), dp_pool_first, "
            "&dp_number, &dp_start);\n\n"
            "    if (dp_items == nullptr)\n        return false;\n",
            n->id, n->arguments, n->id, n->arguments,
            k->needs_block ? "dp_size(dp_grid)" : "dp_size(dp_grid) * dp_size(dp_block)",
            dpc_are_equal(k) ? "true" : "false");
    if (k->needs_block)
        dpc_say(w->to, "%s    dp_raise(&dp_items->dynamic, dp_bytes);\n",
                k->is_uniform_block
                    ? ""
                    : "    dp_raise(&dp_items->block, (unsigned)dp_size(dp_block));\n");
    dpc_say(w->to,
            "    %s_item%s *dp_item = &dp_items->item[dp_number];\n"
            "    dp_item->start = dp_start;\n",
            n->id, n->arguments);
    write_stores(w, k, false);
    dpc_say(w->to, "    if (dp_number != 0)\n        return true;\n");
    if (k->needs_block && k->is_uniform_block)
        dpc_say(w->to, "    dp_items->block = (unsigned)dp_size(dp_block);\n");
    write_stores(w, k, true);
    dpc_say(w->to, "    return true;\n}\n");
}

/* One thread does the work of all threads of a launch. */
static void write_inline(const dpc_write_t *w, const dpc_kernel_t *k,
                         const dpc_names_t *n)
{
    dpc_say(w->to,
            "        for (unsigned long long dp_b = 0; dp_b < dp_size(dp_grid); dp_b++)\n"
            "            for (unsigned dp_t = 0; dp_t < dp_size(dp_block); dp_t++)\n"
            "                %s_part_0%s(dp_at(dp_grid, dp_block, dp_b, dp_t)",
            n->id, n->arguments);
    dpc_parameters(w, k, false, ", ");
    dpc_say(w->to, ");\n        return;\n    }\n");
}

static void say_adder(const dpc_write_t *w, const dpc_kernel_t *k, const dpc_names_t *n)
{
    dpc_say(w->to,
            "\n%sstatic __device__ void %s_add(dp_set **dp_slot, unsigned long long "
            "dp_capacity, bool dp_pool_first,\n    bool dp_is_ordered, unsigned long "
            "long dp_threshold, "
            "int dp_line, dim3 "
            "dp_grid, dim3 dp_block, size_t dp_bytes",
            n->head, n->id);
    dpc_parameters(w, k, true, ", ");
    dpc_say(w->to, ")");
}

/* The function that takes the place of the launch. */
static void write_adder(const dpc_write_t *w, const dpc_kernel_t *k, const dpc_names_t *n)
{
    const bool is_simple = !k->needs_block && k->n_waits == 0 && k->n_sites == 0;

    say_adder(w, k, n);
    dpc_say(w->to, "\n{\n    if (dp_size(dp_grid) * dp_size(dp_block) == 0)\n"
                   "        return;\n");
    if (is_simple) {
        dpc_say(w->to,
                "    if (dp_size(dp_grid) * dp_size(dp_block) < dp_threshold) {\n");
        write_inline(w, k, n);
    }
    dpc_say(w->to,
            "    if (%s_put%s(dp_slot, dp_capacity, dp_pool_first, dp_grid, "
            "dp_block, (unsigned)dp_bytes",
            n->id, n->arguments);
    dpc_parameters(w, k, false, ", ");
    dpc_say(
        w->to,
        "))\n        return;\n    if (dp_is_ordered)\n        dp_fail(dp_line, \"no "
        "memory "
        "is left; raise --pool-size\");\n    /* no memory: a launch of its own */\n    "
        "%s%s<<<dp_grid, dp_block, dp_bytes, cudaStreamFireAndForget>>>(",
        dpc_function_of(w->m, k)->name, n->arguments);
    dpc_parameters(w, k, false, "");
    if (is_simple) {
        dpc_say(w->to, ");\n    if (cudaGetLastError() != cudaSuccess) {\n");
        write_inline(w, k, n);
        dpc_say(w->to, "}\n");
    } else {
        dpc_say(w->to, ");\n    dp_check(dp_line);\n}\n");
    }
}

static void say_launcher(const dpc_write_t *w, const dpc_names_t *n)
{
    dpc_say(w->to,
            "\n%sstatic __device__ bool %s_launch(dp_set *dp_items, unsigned threads, "
            "unsigned blocks,\n    unsigned x, unsigned coarsen, cudaStream_t stream, "
            "bool must)",
            n->head, n->id);
}

const char *dpc_shared_bytes(const dpc_write_t *w, const dpc_kernel_t *k,
                             const dpc_names_t *n, char out[DPC_SHARED_BYTES])
{
    if (!dpc_keeps_shared(w->m, k))
        return "0";
    snprintf(out, DPC_SHARED_BYTES, "sizeof(%s_shared%s)", n->id, n->arguments);
    return out;
}

/* The function that launches a set, as dp_enter allowed it, or as it must; false: there
 * is no room. */
static void write_launch(const dpc_write_t *w, const dpc_kernel_t *k,
                         const dpc_names_t *n)
{
    char shared[DPC_SHARED_BYTES];

    say_launcher(w, n);
    dpc_say(w->to,
            "\n{\n    %s_set%s *set = (%s_set%s *)dp_items;\n"
            "    const unsigned long long total = %s_total(set);\n\n"
            "    if (must)\n        atomicAdd(&dp_n_pending, 1u);\n",
            n->id, n->arguments, n->id, n->arguments, n->id);
    if (!k->needs_block)
        dpc_say(w->to, "    if (blocks == 0)\n"
                       "        blocks = dp_blocks(threads, must ? 1 : x);\n");
    if (k->n_waits > 0)
        dpc_say(w->to,
                "    set->state = (char *)dp_alloc(dp_saved_bytes(total, %s,\n"
                "        sizeof(%s_state%s), %s), true);\n"
                "    if (set->state != nullptr)\n    ",
                k->needs_block ? "set->block" : "1", n->id, n->arguments,
                dpc_shared_bytes(w, k, n, shared));
    if (k->needs_block)
        dpc_say(w->to,
                "    %s_0%s<<<%s, set->block, set->dynamic, stream>>>(set, total, "
                "set->common);\n",
                n->id, n->arguments,
                k->loops ? "dp_need_blocks(total, set->block)" : "(unsigned)total");
    else
        dpc_say(w->to,
                "    %s_0%s<<<dp_need(total, threads, blocks, coarsen), threads, 0, "
                "stream>>>(set, total, set->common);\n",
                n->id, n->arguments);
    dpc_say(w->to, "    if (%scudaGetLastError() == cudaSuccess)\n        return true;\n",
            k->n_waits > 0 ? "set->state != nullptr && " : "");
    if (k->n_waits > 0)
        dpc_say(w->to, "    dp_free(set->state);\n    set->state = nullptr;\n");
    dpc_say(w->to, "    atomicSub(&dp_n_pending, 1u);\n    return false;\n}\n");
}

void dpc_declare_child(const dpc_write_t *w, const dpc_kernel_t *k)
{
    dpc_names_t n;

    find_names(w, k, &n);
    write_items(w, k, &n);
    write_total(w, k, &n);
    say_adder(w, k, &n);
    dpc_say(w->to, ";\n");
    say_launcher(w, &n);
    dpc_say(w->to, ";\n");
}

void dpc_declare_put(const dpc_write_t *w, const dpc_kernel_t *k)
{
    dpc_names_t n;

    find_names(w, k, &n);
    say_put(w, k, &n);
    dpc_say(w->to, ";\n");
}

void dpc_write_child(const dpc_write_t *w, const dpc_kernel_t *k)
{
    dpc_names_t n;

    find_names(w, k, &n);
    write_put(w, k, &n);
    write_adder(w, k, &n);
    write_launch(w, k, &n);
}

/* ---- launches of a parent ---- */

static int site_of(const dpc_kernel_t *k, const dpc_launch_t *l)
{
    int site = 0;

    for (const dpc_launch_t *other = k->launches; other < l; other++)
        site += other->is_consolidated;
    return site;
}

static void say_span(const dpc_write_t *w, dpc_span_t s)
{
    dpc_render_source(w, s.begin, s.end);
}

/* The template arguments of a child. */
static void say_template(const dpc_write_t *w, const dpc_kernel_t *k,
                         const dpc_launch_t *l)
{
    char arguments[DPC_TEMPLATE_BYTES];
    const status_t st = dpc_template_arguments(w->m, k, l, arguments);

    if (w->to->st == ST_OK)
        w->to->st = st;
    dpc_say(w->to, "%s", arguments);
}

void dpc_write_add(const dpc_write_t *w, const dpc_kernel_t *k, const dpc_launch_t *l)
{
    const dpc_kernel_t *child = dpc_kernel_of(w->m, l->child);
    const dp_pragma_t *c = &l->clauses;
    dpc_names_t n;

    find_names(w, child, &n);
    dpc_say(w->to, "%s_add", n.id);
    say_template(w, k, l);
    dpc_say(w->to, "(dp_out.to[%d], ", site_of(k, l));
    if (dpc_level_of(k, l) == DP_GRID)
        dpc_say(w->to, "dp_grid_room()");
    else if (c->per_buffer.len > 0)
        dpc_say(w->to, "dp_room(dp_out, %.*s)", (int)c->per_buffer.len, c->per_buffer.at);
    else
        dpc_say(w->to, "dp_room(dp_out, %s)",
                dpc_level_of(k, l) == DP_WARP ? "32" : "dp_real_threads()");
    dpc_say(w->to, ", %s, %s, %lld, %d",
            c->is_custom                    ? "true"
            : dpc_level_of(k, l) == DP_GRID ? "false"
                                            : "dp_out.is_grid",
            k->n_sites > 1 ? "true" : "false", (long long)c->threshold, l->line);
    for (int i = 0; i < 3; i++) {
        dpc_say(w->to, ", ");
        if (i < l->n_config)
            say_span(w, l->config[i]);
        else
            dpc_say(w->to, "0");
    }
    for (int i = 0; i < l->n_arguments; i++) {
        dpc_say(w->to, ", ");
        say_span(w, l->arguments[i]);
    }
    dpc_say(w->to, ")");
}

/* The launch whose items warps or blocks gather, or NULL. */
static const dpc_launch_t *gathered(const dpc_kernel_t *k)
{
    for (size_t i = 0; i < k->n_launches; i++)
        if (k->launches[i].is_consolidated && dpc_level_of(k, &k->launches[i]) != DP_GRID)
            return &k->launches[i];
    return NULL;
}

static void say_go(const dpc_write_t *w, const dpc_names_t *n)
{
    dpc_say(w->to, "%sstatic __device__ bool %s_go(dp_set *set, int site, bool must)",
            n->head, n->id);
}

static void say_flush(const dpc_write_t *w, const dpc_names_t *n)
{
    dpc_say(w->to,
            "%sstatic __device__ void %s_flush(dp_set *self, dp_set *set, bool may)",
            n->head, n->id);
}

void dpc_declare_go(const dpc_write_t *w, const dpc_kernel_t *k)
{
    dpc_names_t n;

    find_names(w, k, &n);
    say_go(w, &n);
    dpc_say(w->to, ";\n");
    if (gathered(k) == NULL)
        return;
    say_flush(w, &n);
    dpc_say(w->to, ";\n");
}

/* The function that launches what a warp or a block has gathered, or leaves it to the
 * grid. */
static void write_flush(const dpc_write_t *w, const dpc_kernel_t *k,
                        const dpc_launch_t *l, const dpc_names_t *n,
                        const dpc_names_t *child)
{
    dpc_say(w->to, "\n");
    say_flush(w, n);
    dpc_say(w->to,
            "\n{\n"
            "    for (dp_set *older; set != nullptr; set = older, may = "
            "dp_enter()) {\n"
            "        %s_set",
            child->id);
    say_template(w, k, l);
    dpc_say(w->to, " *items = (%s_set", child->id);
    say_template(w, k, l);
    dpc_say(w->to,
            " *)set;\n        older = set->older;\n"
            "        if (!may || !%s_go%s(set, 0, false))\n"
            "            dp_merge(&self->out[0], items, %s_total(items));\n"
            "    }\n"
            "    if (may)\n        atomicSub(&dp_n_pending, 1u);\n}\n",
            n->id, n->arguments, child->id);
}

void dpc_write_go(const dpc_write_t *w, const dpc_kernel_t *k)
{
    static const int x_of_level[] = {32, 16, 1}; /* KC_X */
    dpc_names_t n, child;
    int site = 0;

    find_names(w, k, &n);
    dpc_say(w->to, "\n/* Launch the items of one of the pragmas of %s. */\n",
            dpc_function_of(w->m, k)->name);
    say_go(w, &n);
    dpc_say(w->to, "\n{\n    switch (site) {\n");
    for (size_t i = 0; i < k->n_launches; i++) {
        const dpc_launch_t *l = &k->launches[i];
        const dp_pragma_t *c = &l->clauses;
        const int threads = c->threads > 0 ? (int)c->threads : DPC_THREADS;

        if (!l->is_consolidated)
            continue;
        find_names(w, dpc_kernel_of(w->m, l->child), &child);
        dpc_say(w->to, "    case %d:\n        return %s_launch", site++, child.id);
        say_template(w, k, l);
        dpc_say(w->to, "(set, %d, %lld, %d, %lld, %s, must);\n", threads,
                (long long)c->blocks, x_of_level[dpc_level_of(k, l)],
                (long long)(c->coarsen > 0 ? c->coarsen : 1),
                k->n_sites > 1 ? "0" : "cudaStreamFireAndForget");
    }
    dpc_say(w->to, "    }\n    return true;\n}\n");
    if (gathered(k) != NULL)
        write_flush(w, k, gathered(k), &n, &child);
}
