/*
 * rg_emit_cuda.c - the kernels of a graph program as CUDA C++.
 *
 * A kernel's name is its number.  Of an aggregate a block computes the value of a piece
 * of the range, which the host adds up; a foreach is shared by the threads of all blocks,
 * or by blocks, whose threads then share the loops and aggregates inside.
 */
#include "graph/program/rg_emitter.h"

/* ---- what begins and ends all kernels ---- */

/* Variables of outside that a kernel reads. */
static void emit_variables(rg_emitter_t *e)
{
    for (const rg_symbol_t *s = e->program->symbols; s != NULL; s = s->next)
        if (s->kind != SYMBOL_ATTRIBUTE && s->kind != SYMBOL_SET && s->loop == NULL &&
            e->kernel->value[s->slot] != 0) {
            emit_text(e, "const %s ", emit_type(s->type));
            emit_name(e, s);
            emit_text(e, " = rg->variable[%d].%s;\n", s->slot,
                      s->type == RG_REAL ? "r" : "i");
        }
}

static void emit_kernel_begin(rg_emitter_t *e, rg_at_t at, int number)
{
    emit_text(e, "\n/* line %d */\nKERNEL kernel%d(void)\n{\n", at.line, number);
    emit_begin(e);
    emit_variables(e);
    emit_text(e, "int64_t bad = 0, place = 0;\n");
}

/* The positions of a block. */
static void emit_piece(rg_emitter_t *e)
{
    emit_text(e, "const int64_t begin = rg->begin + blockIdx.x * rg->piece;\n"
                 "const int64_t end = begin + rg->piece < rg->end ? begin + rg->piece : "
                 "rg->end;\n");
}

/* ---- kernels ---- */

static void emit_foreach(rg_emitter_t *e, const rg_kernel_t *k)
{
    const rg_stmt_t *s = k->loop;
    const rg_walk_t walk = {s->range, k->is_nested ? "rg->begin" : "begin",
                            k->is_nested ? "rg->end" : "end", false,
                            k->is_nested ? WALK_BLOCKS : WALK_SHARED};
    int n;

    if (k->is_nested)
        emit_text(e, "int64_t position = 0;\n");
    else
        emit_piece(e);
    e->loop = s;
    e->inner = k->is_nested ? NULL : s;
    emit_copies(e, s, false);
    n = emit_walk(e, &walk);
    emit_statements(e, s->body);
    emit_walk_end(e, &walk, n);
    emit_copies(e, s, true);
    emit_text(e, "note(%s, bad);\n", k->is_nested ? "position" : "place");
    emit_end(e);
    e->loop = e->inner = NULL;
}

/* The host decides which block has the first element that counts. */
static void emit_event(rg_emitter_t *e, const rg_expr_t *a)
{
    emit_text(e, "const uint8_t v = ");
    emit_aggregate_of(e, a, "begin", "end");
    emit_text(e, ";\nvisited = total(visited);\nif (threadIdx.x == 0) {\n"
                 "rg_gpu_event_t *part = (rg_gpu_event_t *)rg->part + blockIdx.x;\n"
                 "part->position = place;\npart->error = bad;\n"
                 "part->n_visited = visited;\n}\n(void)v;\n}\n");
}

static void emit_part(rg_emitter_t *e, const rg_expr_t *a)
{
    emit_text(e, "const %s v = ", emit_type(a->type));
    emit_aggregate_of(e, a, "begin", "end");
    emit_text(e,
              ";\nif (threadIdx.x == 0) ((rg_value_t *)rg->part)[blockIdx.x].%s = v;\n"
              "note(place, bad);\n",
              a->type == RG_REAL ? "r" : "i");
    emit_end(e);
}

static void emit_kernel(rg_emitter_t *e, const rg_kernel_t *k, int number)
{
    const rg_expr_t *a = k->aggregate;

    e->kernel = k;
    e->is_uniform = true;
    emit_kernel_begin(e, a != NULL ? a->at : k->loop->at, number);
    if (a == NULL) {
        emit_foreach(e, k);
        return;
    }
    emit_piece(e);
    if (a->kind == EXPR_ANY_OF || a->kind == EXPR_ALL_OF)
        emit_event(e, a);
    else
        emit_part(e, a);
}

status_t rg_emit_cuda(const rg_program_t *program, buf_t *out)
{
    buf_t kernels = {0};
    rg_emitter_t e = {.program = program,
                      .to = out,
                      .is_parallel = true,
                      .is_cuda = true};
    int number = 0;

    emit_shipped(&e, "rg_abi", "#include");
    emit_shipped(&e, "rg_gpu_abi", "/* What kernels find out.");
    emit_shipped(&e, "tree_sum", "#include");
    emit_text(&e, "enum { N_ATTRIBUTES = %d, N_SETS = %d, N_VALUES = %d };\n\n",
              program->n_attributes, program->n_sets, program->n_values);
    emit_shipped(&e, "runtime_cuda", "#include");
    emit_shipped(&e, "runtime", "/* ---- numbers");
    emit_shipped(&e, "runtime_blocks", "/* ---- ");
    emit_text(&e, "\n/* ---- the program ---- */\n");
    e.to = &kernels;
    for (const rg_kernel_t *k = program->kernels; k != NULL; k = k->next)
        emit_kernel(&e, k, ++number);
    if (e.st == ST_OK)
        e.st = emit_indented(&kernels, out);
    buf_free(&kernels);
    return e.st;
}
