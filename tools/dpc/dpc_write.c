/*
 * dpc_write.c - writes the translated file: what is not translated as it is, and for each
 * kernel its parts.
 */
#include "tools/dpc/dpc_write.h"

#include "io/base/logmsg.h"

#include <stdlib.h>
#include <string.h>

/* @return whether a kernel gets parts */
static bool has_parts(const dpc_kernel_t *k)
{
    return k->n_waits > 0 || k->n_sites > 0 || k->is_child;
}

/* @return whether it does something else in its own place: launches its parts, or runs
 * the only one it has */
static bool is_replaced(const dpc_kernel_t *k)
{
    return k->n_waits > 0 || k->n_sites > 0;
}

/* @return whether threads of a block may end before others that wait at barriers */
static bool leaves_early(const dpc_kernel_t *k)
{
    return k->needs_block && !k->loops;
}

/* ---- parts as kernels ---- */

/* @return a token of a function's head, or the number of all tokens */
static size_t in_head(const dpc_write_t *w, const dpc_function_t *f, const char *token)
{
    const lex_t *lex = &w->m->unit.lex;

    for (size_t i = lex_at(lex, f->head_begin);
         i < lex->n && lex->all[i].begin < f->body_begin; i++)
        if (lex_is(lex, i, token))
            return i;
    return lex->n;
}

/* @return whether it runs its only part: nothing has to be saved, and its head shows
 * where bounds go */
static bool is_whole(const dpc_write_t *w, const dpc_kernel_t *k)
{
    return k->n_waits == 0 && k->n_sites > 0 && !k->is_child &&
           in_head(w, dpc_function_of(w->m, k), "__global__") < w->m->unit.lex.n;
}

/* The threads of a block at most: those of the kernel's own bounds, if it has any. */
static void say_bounds(const dpc_write_t *w, const dpc_kernel_t *k)
{
    const lex_t *lex = &w->m->unit.lex;
    const size_t own = in_head(w, dpc_function_of(w->m, k), "__launch_bounds__");
    const size_t close = own < lex->n ? lex_close(lex, own + 1) : lex->n;
    int64_t threads = k->is_child && !k->needs_block ? DPC_THREADS : 1024;

    if (close < lex->n && (!k->is_child || k->needs_block)) {
        dpc_say(w->to, "%.*s", (int)(lex->all[close].end - lex->all[own].begin),
                lex->text + lex->all[own].begin);
        return;
    }
    for (size_t p = 0; p < w->m->n_kernels && k->is_child; p++)
        for (size_t i = 0; i < w->m->kernels[p].n_launches; i++) {
            const dpc_launch_t *l = &w->m->kernels[p].launches[i];

            if (l->is_consolidated && l->child == k->function &&
                l->clauses.threads > threads)
                threads = l->clauses.threads;
        }
    dpc_say(w->to, "__launch_bounds__(%lld)", (long long)threads);
}

static void say_self(const dpc_write_t *w, const dpc_kernel_t *k, const dpc_names_t *n)
{
    if (k->is_child) {
        dpc_say(w->to,
                "%s_set%s *dp_self, unsigned long long dp_total, %s_common%s dp_common",
                n->id, n->arguments, n->id, n->arguments);
    } else {
        dpc_parameters(w, k, true, "");
        dpc_say(w->to, "%sdp_set *dp_self",
                dpc_parameter(dpc_function_of(w->m, k), 0) != NULL ? ", " : "");
    }
}

/* The head of a function with a part's code. */
static void say_function(const dpc_write_t *w, const dpc_kernel_t *k,
                         const dpc_names_t *n, int i)
{
    const char *comma = "";

    dpc_say(w->to, "\n%sstatic __device__ __forceinline__ void %s_part_%d(", n->head,
            n->id, i);
    if (k->is_child) {
        dpc_say(w->to, "const dp_place &dp");
        comma = ", ";
    }
    if (k->n_sites > 0) {
        dpc_say(w->to, "%sconst dp_outs &dp_out", comma);
        comma = ", ";
    }
    if (k->n_waits > 0) {
        dpc_say(w->to, "%s%s_state%s *dp_state", comma, n->id, n->arguments);
        comma = ", ";
    }
    if (dpc_keeps_shared(w->m, k))
        dpc_say(w->to, "%s%s_shared%s &dp_shared", comma, n->id, n->arguments);
    dpc_parameters(w, k, true, comma);
    dpc_say(w->to, ")");
}

static void write_function(const dpc_write_t *w, const dpc_kernel_t *k,
                           const dpc_names_t *n, const dpc_part_t *part, int i)
{
    dpc_write_t code = *w;

    say_function(w, k, n, i);
    dpc_say(w->to, "\n");
    code.is_item = k->is_child;
    dpc_render_part(&code, k, part);
}

static bool has_level(const dpc_kernel_t *k, dp_level_t level)
{
    for (size_t i = 0; i < k->n_launches; i++)
        if (k->launches[i].is_consolidated && dpc_level_of(k, &k->launches[i]) == level)
            return true;
    return false;
}

/* The slots of a block, and where its launches' items go. */
static void write_begin(const dpc_write_t *w, const dpc_kernel_t *k, const dpc_names_t *n,
                        int part)
{
    const bool has_slots = has_level(k, DP_WARP) || has_level(k, DP_BLOCK);
    const char *slot = has_level(k, DP_WARP) ? "dp_me / 32" : "0";

    dpc_say(w->to, "    const unsigned dp_me = dp_thread();\n");
    if (dpc_keeps_shared(w->m, k))
        dpc_say(w->to,
                "    __shared__ %s_shared%s dp_shared;\n"
                "    char *dp_kept = dp_self->state + dp_kept_at(sizeof(%s_state%s), "
                "sizeof(dp_shared));\n",
                n->id, n->arguments, n->id, n->arguments);
    if (dpc_keeps_shared(w->m, k) && part > 0)
        dpc_say(w->to,
                "    for (unsigned i = dp_me; i < sizeof(dp_shared); i += "
                "dp_real_threads())\n        ((char *)&dp_shared)[i] = dp_kept[i];\n");
    if (k->n_sites > 0)
        dpc_say(w->to, "    dp_outs dp_out;\n");
    if (has_slots)
        dpc_say(w->to,
                "    __shared__ dp_set *dp_slot[32];\n"
                "    __shared__ bool dp_may[32];\n\n"
                "    if (dp_me%s == 0) {\n        dp_slot[%s] = nullptr;\n"
                "        dp_may[%s] = dp_enter();\n    }\n",
                has_level(k, DP_WARP) ? " % 32" : "", slot, slot);
    if (leaves_early(k))
        dpc_say(w->to, "    __shared__ unsigned dp_left, dp_left_of_warp[32];\n"
                       "    if (dp_me == 0)\n        dp_left = dp_real_threads();\n"
                       "    if (dp_me %% 32 == 0)\n        dp_left_of_warp[dp_me / 32] = "
                       "min(32, dp_real_threads() - dp_me);\n");
    if (leaves_early(k) || has_slots)
        dpc_say(w->to, "    __syncthreads();\n");
    for (int site = 0; site < k->n_sites; site++)
        if (has_slots)
            dpc_say(w->to,
                    "    dp_out.is_grid = !dp_may[%s];\n"
                    "    dp_out.to[0] = dp_out.is_grid ? &dp_self->out[0] : "
                    "&dp_slot[%s];\n",
                    slot, slot);
        else
            dpc_say(w->to, "    dp_out.to[%d] = &dp_self->out[%d];\n", site, site);
}

/* The arguments of a part's function behind the place. */
static void say_arguments(const dpc_write_t *w, const dpc_kernel_t *k,
                          const dpc_names_t *n, const char *state)
{
    const char *comma = k->is_child ? ", " : "";
    const dpc_node_t *p;

    if (k->n_sites > 0) {
        dpc_say(w->to, "%sdp_out", comma);
        comma = ", ";
    }
    if (k->n_waits > 0) {
        dpc_say(w->to, "%s(%s_state%s *)dp_self->state + %s", comma, n->id, n->arguments,
                state);
        comma = ", ";
    }
    if (dpc_keeps_shared(w->m, k))
        dpc_say(w->to, "%sdp_shared", comma);
    if (!k->is_child) {
        dpc_parameters(w, k, false, comma);
        return;
    }
    for (int i = 0; (p = dpc_parameter(dpc_function_of(w->m, k), i)) != NULL; i++)
        dpc_say(w->to, ", %sv_%s", k->is_uniform[i] ? "dp_common." : "item.", p->name);
}

/* Run the item of a block, of a kernel that ends with it. */
static void write_item(const dpc_write_t *w, const dpc_kernel_t *k, const dpc_names_t *n,
                       int part, const char *grid, const char *block)
{
    dpc_say(w->to,
            "    const unsigned long long dp_unit = blockIdx.x;\n"
            "    const unsigned dp_at_item = %s;\n"
            "    const %s_item%s &item = dp_self->item[dp_at_item];\n"
            "    if (dp_me < dp_size(%s))\n"
            "        %s_part_%d%s(dp_at(%s, %s, %s, dp_me)",
            k->is_uniform_grid ? "dp_divide(dp_unit, dp_size(dp_common.dp_grid))"
                               : "dp_find(dp_self->item, dp_count(dp_self), dp_unit)",
            n->id, n->arguments, block, n->id, part, n->arguments, grid, block,
            k->is_uniform_grid ? "dp_unit - dp_at_item * dp_size(dp_common.dp_grid)"
                               : "dp_unit - item.start");
    say_arguments(w, k, n, "(dp_unit * blockDim.x + dp_me)");
    dpc_say(w->to, ");\n");
}

/* Run the items of a set. */
static void write_items(const dpc_write_t *w, const dpc_kernel_t *k, const dpc_names_t *n,
                        int part)
{
    const char *grid = k->is_uniform_grid ? "dp_common.dp_grid" : "item.dp_grid";
    const char *block = k->is_uniform_block ? "dp_common.dp_block" : "item.dp_block";
    const bool are_equal = dpc_are_equal(k);

    if (leaves_early(k)) {
        write_item(w, k, n, part, grid, block);
        return;
    }
    dpc_say(w->to, "    const dp_units dp_mine = %s(dp_total);\n",
            k->loops ? "dp_share_of_block" : "dp_share_of_thread");
    if (are_equal)
        dpc_say(
            w->to,
            "    const unsigned long long dp_each = dp_size(dp_common.dp_grid)%s;\n\n",
            k->needs_block ? "" : " * dp_size(dp_common.dp_block)");
    else
        dpc_say(w->to, "    const unsigned dp_n = dp_count(dp_self);\n"
                       "    unsigned dp_at_item = dp_find_first(dp_self->item, dp_n, "
                       "dp_mine);\n\n");
    dpc_say(
        w->to,
        "    for (unsigned long long dp_unit = dp_mine.first; dp_unit < dp_mine.end;\n"
        "         dp_unit += dp_mine.step) {\n"
        "        %sdp_at_item = %s;\n"
        "        const %s_item%s &item = dp_self->item[dp_at_item];\n"
        "        %s_part_%d%s(%s(%s, %s, dp_unit - %s%s)",
        are_equal ? "const unsigned " : "",
        are_equal ? "dp_divide(dp_unit, dp_each)"
                  : "dp_find_next(dp_self->item, dp_n, dp_at_item, dp_unit)",
        n->id, n->arguments, n->id, part, n->arguments, k->loops ? "dp_at" : "dp_at_unit",
        grid, block, are_equal ? "dp_at_item * dp_each" : "item.start",
        k->loops ? ", dp_me" : "");
    say_arguments(w, k, n, "dp_unit");
    dpc_say(w->to, ");\n%s    }\n", k->loops ? "        __syncthreads();\n" : "");
}

/* Launch what a warp or a block has gathered. */
static void write_flush(const dpc_write_t *w, const dpc_names_t *n, const char *slot)
{
    dpc_say(w->to, "    %s_flush%s(dp_self, dp_slot[%s], dp_may[%s]);\n", n->id,
            n->arguments, slot, slot);
}

/* Launch what the whole grid has gathered, or could not launch before. */
static void write_grid_flush(const dpc_write_t *w, const dpc_kernel_t *k,
                             const dpc_names_t *n)
{
    if (k->n_sites == 0)
        return;
    dpc_say(w->to,
            "    unsigned dp_tries = 0;\n"
            "    for (int i = 0; i < %d; i++) {\n"
            "        for (dp_set *set = dp_self->out[i], *older; set != nullptr; set = "
            "older) {\n"
            "            older = set->older;\n"
            "            while (!%s_go%s(set, i, true))\n"
            "                dp_pause(&dp_tries, %d);\n"
            "        }\n"
            "        dp_self->out[i] = nullptr;\n"
            "    }\n",
            k->n_sites, n->id, n->arguments,
            dpc_line_at(w->m, dpc_function_of(w->m, k)->begin));
}

/* The ends of the warp, the block and the grid. */
static void write_end(const dpc_write_t *w, const dpc_kernel_t *k, const dpc_names_t *n,
                      int part, int n_parts)
{
    const int line = dpc_line_at(w->m, dpc_function_of(w->m, k)->begin);
    const bool shows = k->n_sites > 0 || part + 1 < n_parts; /* others what it wrote */

    if (has_level(k, DP_WARP)) {
        dpc_say(w->to, leaves_early(k)
                           ? "    if (dp_leave(&dp_left_of_warp[dp_me / 32])) {\n"
                           : "    __syncwarp();\n    if (dp_me %% 32 == 0) {\n"
                             "        __threadfence();\n");
        write_flush(w, n, "dp_me / 32");
        dpc_say(w->to, "    }\n");
    }
    dpc_say(w->to, leaves_early(k) ? "    if (!dp_leave(&dp_left))\n        return;\n"
                   : shows         ? "    __syncthreads();\n    if (dp_me != 0)\n"
                                     "        return;\n    __threadfence();\n"
                                   : "    __syncthreads();\n    if (dp_me != 0)\n"
                                     "        return;\n");
    if (has_level(k, DP_BLOCK))
        write_flush(w, n, "0");
    if (dpc_keeps_shared(w->m, k) && part + 1 < n_parts)
        dpc_say(w->to, "    for (unsigned i = 0; i < sizeof(dp_shared); i++)\n"
                       "        dp_kept[i] = ((char *)&dp_shared)[i];\n");
    dpc_say(w->to, "    if (!dp_leave_grid(dp_self))\n        return;\n");
    write_grid_flush(w, k, n);
    if (part + 1 == n_parts) {
        dpc_say(w->to, "%s    %s(dp_self);\n}\n",
                k->is_child ? "    atomicSub(&dp_n_pending, 1u);\n" : "",
                is_whole(w, k)   ? "dp_run_end"
                : k->n_waits > 0 ? "dp_release"
                                 : "dp_free");
        return;
    }
    dpc_say(w->to,
            "    for (unsigned dp_tries = 0;; dp_pause(&dp_tries, %d)) {\n"
            "        %s_%d%s<<<gridDim, blockDim, dp_dynamic(), "
            "cudaStreamTailLaunch>>>(",
            line, n->id, part + 1, n->arguments);
    if (!k->is_child)
        dpc_parameters(w, k, false, "");
    dpc_say(w->to,
            "%sdp_self%s);\n        if (cudaGetLastError() == cudaSuccess)\n"
            "            return;\n    }\n}\n",
            !k->is_child && dpc_parameter(dpc_function_of(w->m, k), 0) != NULL ? ", "
                                                                               : "",
            k->is_child ? ", dp_total, dp_common" : "");
}

static void say_prototype(const dpc_write_t *w, const dpc_kernel_t *k,
                          const dpc_names_t *n, int part)
{
    dpc_say(w->to, "\n%s%s__global__ void ", n->head,
            n->head[0] != '\0' ? "" : "static ");
    say_bounds(w, k);
    dpc_say(w->to, " %s_%d(", n->id, part);
    say_self(w, k, n);
    dpc_say(w->to, ")");
}

/* A kernel's body that runs a part's function in all threads, or for all items. */
static void write_part(const dpc_write_t *w, const dpc_kernel_t *k, const dpc_names_t *n,
                       int part, int n_parts)
{
    write_begin(w, k, n, part);
    if (k->is_child) {
        write_items(w, k, n, part);
    } else {
        dpc_say(w->to, "    %s_part_%d%s(", n->id, part, n->arguments);
        say_arguments(w, k, n, "dp_thread_of_grid()");
        dpc_say(w->to, ");\n");
    }
    write_end(w, k, n, part, n_parts);
}

/* ---- kernels ---- */

/* The kernel's own head, with names for all parameters.  A kernel that needs more
 * registers than it did before must not need too many for the blocks it is launched with.
 */
static void say_head(const dpc_write_t *w, const dpc_kernel_t *k)
{
    const dpc_function_t *f = dpc_function_of(w->m, k);
    const lex_t *lex = &w->m->unit.lex;
    const char *text = lex->text;
    const size_t global = in_head(w, f, "__global__");
    size_t at = f->head_begin;
    const dpc_node_t *p;

    if (is_whole(w, k) && global < lex->n &&
        in_head(w, f, "__launch_bounds__") == lex->n) {
        dpc_say(w->to, "%.*s ", (int)(lex->all[global].end - at), text + at);
        say_bounds(w, k);
        at = lex->all[global].end;
    }

    for (int i = 0; (p = dpc_parameter(f, i)) != NULL; i++) {
        if (!p->is_unnamed)
            continue;
        const char *array = memchr(text + p->begin, '[', p->end - p->begin);
        const size_t end = array != NULL ? (size_t)(array - text) : p->end;

        dpc_say(w->to, "%.*s %s", (int)(end - at), text + at, p->name);
        at = end;
    }
    dpc_say(w->to, "%.*s", (int)(f->body_begin - at), text + at);
}

/* What the kernel itself does: it runs its only part, or its first thread launches the
 * first one. */
static void write_entry(const dpc_write_t *w, const dpc_kernel_t *k, const dpc_names_t *n)
{
    const dpc_function_t *f = dpc_function_of(w->m, k);
    const int line = dpc_line_at(w->m, f->begin);
    char shared[DPC_SHARED_BYTES];

    say_head(w, k);
    if (is_whole(w, k)) {
        dpc_say(w->to, "{\n    dp_set *const dp_self = dp_run_begin();\n");
        write_part(w, k, n, 0, 1);
        return;
    }
    dpc_say(w->to, "{\n    if (dp_thread_of_grid() != 0)\n        return;\n");
    if (k->is_child) {
        dpc_say(w->to,
                "    __shared__ dp_set *dp_items; /* atomics need it not to be local */\n"
                "    dp_items = nullptr;\n"
                "    if (!%s_put%s(&dp_items, 1, true, gridDim, blockDim, dp_dynamic()",
                n->id, n->arguments);
        dpc_parameters(w, k, false, ", ");
        dpc_say(
            w->to,
            ") ||\n        !%s_launch%s(dp_items, %d, 0, 1, 1, "
            "cudaStreamFireAndForget, true))\n        dp_fail(%d, \"no memory, or no "
            "launch is "
            "possible; raise --pool-size, or \"\n                \"cudaLimitDevRuntime"
            "PendingLaunchCount\");\n}",
            n->id, n->arguments, DPC_THREADS, line);
        return;
    }
    dpc_say(w->to, "    dp_set *dp_self = dp_new(sizeof(dp_set), 0, true);\n");
    if (k->n_waits > 0)
        dpc_say(
            w->to,
            "    if (dp_self != nullptr)\n"
            "        dp_self->state = (char *)dp_alloc(dp_saved_bytes(dp_size(gridDim), "
            "dp_size(blockDim),\n            sizeof(%s_state%s), %s), true);\n",
            n->id, n->arguments, dpc_shared_bytes(w, k, n, shared));
    dpc_say(w->to,
            "    if (dp_self == nullptr%s)\n"
            "        dp_fail(%d, \"no memory is left; raise --pool-size\");\n"
            "    %s_0%s<<<gridDim, blockDim, dp_dynamic(), "
            "cudaStreamFireAndForget>>>(",
            k->n_waits > 0 ? " || dp_self->state == nullptr" : "", line, n->id,
            n->arguments);
    dpc_parameters(w, k, false, "");
    dpc_say(w->to, "%sdp_self);\n    dp_check(%d);\n}",
            dpc_parameter(dpc_function_of(w->m, k), 0) != NULL ? ", " : "", line);
}

/* Warnings of code that stands in several parts are of no use. */
static void write_quiet(const dpc_write_t *w, bool begin)
{
    dpc_say(w->to, begin ? "#pragma nv_diagnostic push\n"
                           "#pragma nv_diag_suppress 111, 177, 549, 550\n"
                         : "#pragma nv_diagnostic pop\n");
}

static void write_children(const dpc_write_t *w, const dpc_kernel_t *k, bool *is_written)
{
    for (size_t c = 0; c < w->m->n_kernels; c++) {
        bool is_needed = w->m->kernels[c].is_child && &w->m->kernels[c] == k;

        for (size_t i = 0; i < k->n_launches; i++)
            is_needed = is_needed || (k->launches[i].is_consolidated &&
                                      k->launches[i].child == w->m->kernels[c].function);
        if (!is_needed || is_written[c])
            continue;
        is_written[c] = true;
        if (w->m->kernels[c].n_waits > 0) {
            dpc_names_t n;

            if (dpc_names(w->m, &w->m->kernels[c], &n) == ST_OK)
                dpc_render_state(w, &w->m->kernels[c], &n);
        }
        dpc_declare_child(w, &w->m->kernels[c]);
    }
}

/* Write copies of functions, before the first child that may call them. */
static void write_copies(const dpc_write_t *w, size_t before, bool *is_copied)
{
    dpc_write_t code = *w;

    code.is_item = true;
    for (size_t i = 0; i < w->m->unit.n_functions; i++) {
        const dpc_function_t *f = &w->m->unit.functions[i];

        if (!f->is_copied || is_copied[i] || f->head_begin > before)
            continue;
        is_copied[i] = true;
        dpc_render_copy(&code, f);
    }
}

static void write_kernel(const dpc_write_t *w, const dpc_kernel_t *k, bool *is_written,
                         bool *is_copied)
{
    const dpc_function_t *f = dpc_function_of(w->m, k);
    dpc_part_t parts[DPC_PARTS_MAX];
    const int n_parts = dpc_parts(w->m, k, parts);
    dpc_names_t n;

    if (n_parts == 0 || dpc_names(w->m, k, &n) != ST_OK) {
        w->to->st = ST_EINPUT;
        return;
    }
    write_quiet(w, true);
    write_children(w, k, is_written);
    if (k->n_waits > 0 && !k->is_child)
        dpc_render_state(w, k, &n);
    if (is_replaced(k) && k->is_child)
        dpc_declare_put(w, k);
    if (is_whole(w, k)) {
        say_function(w, k, &n, 0);
        dpc_say(w->to, ";\n");
        dpc_declare_go(w, k);
    } else if (is_replaced(k) && !k->is_child) {
        say_prototype(w, k, &n, 0);
        dpc_say(w->to, ";\n");
    }
    if (!is_whole(w, k))
        write_quiet(w, false);
    dpc_render_line(w, f->head_begin);
    if (is_replaced(k))
        write_entry(w, k, &n);
    else
        dpc_say(w->to, "%.*s", (int)(f->body_end - f->head_begin),
                w->m->unit.lex.text + f->head_begin);
    dpc_say(w->to, "\n");
    if (!is_whole(w, k))
        write_quiet(w, true);
    for (int i = k->is_child ? 0 : 1; i < n_parts; i++) {
        say_prototype(w, k, &n, i);
        dpc_say(w->to, ";\n");
    }
    if (k->is_child)
        write_copies(w, f->head_begin, is_copied);
    if (k->n_sites > 0)
        dpc_write_go(w, k);
    for (int i = 0; i < n_parts; i++) {
        write_function(w, k, &n, &parts[i], i);
        if (i == 0 && k->is_child)
            dpc_write_child(w, k);
        if (is_whole(w, k))
            continue;
        say_prototype(w, k, &n, i);
        dpc_say(w->to, "\n{\n");
        write_part(w, k, &n, i, n_parts);
    }
    write_quiet(w, false);
    dpc_render_line(w, f->body_end);
}

/* ---- the file ---- */

/* The kernel with parts that comes next from an offset on. */
static const dpc_kernel_t *next_kernel(const dpc_model_t *m, size_t from)
{
    const dpc_kernel_t *best = NULL;

    for (size_t i = 0; i < m->n_kernels; i++) {
        const dpc_kernel_t *k = &m->kernels[i];
        const size_t at = m->unit.functions[k->function].head_begin;

        if (has_parts(k) && at >= from &&
            (best == NULL || at < m->unit.functions[best->function].head_begin))
            best = k;
    }
    return best;
}

static void write_runtime(const dpc_write_t *w, size_t at)
{
    int n_sites = 1;

    for (size_t i = 0; i < w->m->n_kernels; i++)
        if (w->m->kernels[i].n_sites > n_sites)
            n_sites = w->m->kernels[i].n_sites;
    dpc_say(w->to, "/* ---- ribogrid dpc ---- */\n#include <stdio.h>\n");
    write_quiet(w, true);
    dpc_say(w->to, "enum { DP_SITES = %d };\n#define DP_POOL_BYTES %lldull\n%s", n_sites,
            (long long)w->pool_bytes, dpc_texts[DPC_RUNTIME].text);
    write_quiet(w, false);
    dpc_render_line(w, at);
}

/* Find all names and template arguments once, so that what is refused is refused once. */
static status_t check_names(const dpc_model_t *m)
{
    char arguments[DPC_TEMPLATE_BYTES];
    dpc_names_t names;
    status_t st = ST_OK;

    for (size_t k = 0; k < m->n_kernels && st == ST_OK; k++) {
        const dpc_kernel_t *kernel = &m->kernels[k];

        if (has_parts(kernel))
            st = dpc_names(m, kernel, &names);
        for (size_t i = 0; i < kernel->n_launches && st == ST_OK; i++)
            if (kernel->launches[i].is_consolidated)
                st = dpc_template_arguments(m, kernel, &kernel->launches[i], arguments);
    }
    return st;
}

status_t dpc_write(const dpc_model_t *m, int64_t pool_bytes, buf_t *out)
{
    dpc_text_t text = {.st = ST_OK};
    const dpc_write_t w = {.m = m, .pool_bytes = pool_bytes, .to = &text};
    const dpc_kernel_t *k = next_kernel(m, 0);
    bool *is_written = calloc(m->n_kernels + m->unit.n_functions + 1, sizeof(bool));
    size_t at = 0;

    if (is_written == NULL)
        return log_nomem("the output");
    text.st = check_names(m);
    if (k != NULL && text.st == ST_OK) {
        const dpc_function_t *f = dpc_function_of(m, k);

        at = f->outer_begin < f->head_begin ? f->outer_begin : f->head_begin;
        dpc_say(&text, "%.*s", (int)at, m->unit.lex.text);
        write_runtime(&w, at);
    }
    for (; k != NULL && text.st == ST_OK; k = next_kernel(m, at)) {
        const dpc_function_t *f = dpc_function_of(m, k);

        dpc_say(&text, "%.*s", (int)(f->head_begin - at), m->unit.lex.text + at);
        write_kernel(&w, k, is_written, is_written + m->n_kernels);
        at = f->body_end;
    }
    if (text.st == ST_OK)
        text.st = buf_append(&text.buf, m->unit.lex.text + at, m->unit.lex.len - at);
    free(is_written);
    *out = text.buf;
    return text.st;
}
