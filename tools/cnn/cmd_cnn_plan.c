/*
 * cmd_cnn_plan.c - `ribogrid cnn plan`: prints the steps of a network.
 */
#include "cnn/net/cnn_net.h"
#include "cnn/plan/cnn_plan.h"
#include "cnn/plan/plan_summary.h"
#include "io/base/byte_size.h"
#include "io/file/whole_file.h"
#include "io/report/svg_draw.h"
#include "kernels/cnn/common/cnn_program.h"
#include "tools/cnn/cnn_pages.h"
#include "tools/options/commands.h"
#include "tools/options/option_tables.h"
#include "worker/cnn/cnn_opts.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

typedef struct {
    job_opts_t common;
    const char *net;
    int64_t batch, classes; /* 0: those of the network */
    cnn_plan_types_t types;
    bool inference, tsv;
    const char *svg;
} args_t;

#define AT(member) OPTION_AT(args_t, member)

static const option_t words[] = {{OPTION_INPUT, "NET", 0, OPTION_AT(args_t, net)},
                                 {.kind = OPTION_END}};

static const option_t options[] = {
    {.kind = OPTION_GROUP, .name = "What to plan"},
    {.word = WORD_BATCH,
     AT(batch),
     .max = CNN_PLAN_MAX_IMAGES,
     .help = " (the network's)"},
    {.kind = OPTION_TABLE, AT(types), .table = option_number},
    {OPTION_FLAG, "inference", 0, AT(inference), NULL,
     "plan the computation of classes instead of training"},
    {OPTION_INT, "classes", 0, AT(classes), "N", "number of classes (the network's)", 1,
     CNN_NET_MAX_CLASSES},
    {.kind = OPTION_TABLE, .table = option_input},

    {.kind = OPTION_GROUP, .name = "Output"},
    {.word = WORD_OUTPUT, AT(common.output), .help = " (stdout)"},
    {.word = WORD_TSV, AT(tsv), .help = ", steps only"},
    {.word = WORD_SVG, AT(svg), .help = " the memory over the steps"},
    {.kind = OPTION_TABLE, .table = option_force},
    {.kind = OPTION_END}};

/* ---- tables ---- */

enum { SIZE_TEXT_BYTES = 96 };

/* Format sizes as "128x3x224x224", without ones at the end. @return text */
static const char *size_text(const cnn_tensor_t *t, char text[SIZE_TEXT_BYTES])
{
    int n = 4, len = 0;

    while (n > 1 && t->size[n - 1] == 1)
        n--;
    for (int i = 0; i < n; i++)
        len += snprintf(text + len, (size_t)(SIZE_TEXT_BYTES - len), "%s%" PRId64,
                        i > 0 ? "x" : "", t->size[i]);
    return text;
}

static const char *mib_text(double bytes, char text[BYTE_SIZE_TEXT_BYTES])
{
    snprintf(text, BYTE_SIZE_TEXT_BYTES, "%.1f", bytes / 1048576);
    return text;
}

static void print_step(FILE *to, const cnn_program_t *p, int s)
{
    const cnn_step_t *step = &p->steps[s];
    char in[SIZE_TEXT_BYTES], out[SIZE_TEXT_BYTES], moved[BYTE_SIZE_TEXT_BYTES],
        live[BYTE_SIZE_TEXT_BYTES];

    fprintf(to, "%5d  %-20s  %-27s  %-18s  %-18s  %10.3f  %9s  %9s\n", s,
            p->layers[step->layer], cnn_op_name(step->op),
            size_text(&p->tensors[step->reads[0]], in),
            size_text(&p->tensors[step->writes[0]], out), step->flops / 1e9,
            mib_text(step->bytes, moved), mib_text((double)plan_arena_live(p, s), live));
}

static void print_cost(FILE *to, const char *name, const plan_cost_t *cost,
                       const plan_cost_t *all)
{
    char moved[BYTE_SIZE_TEXT_BYTES];

    if (cost->n_steps > 0)
        fprintf(to, "  %-16s  %5d steps  %12.3f GFLOP  %6.2f %%  %12s MiB\n", name,
                cost->n_steps, cost->flops / 1e9,
                100 * cost->flops / (all->flops > 0 ? all->flops : 1),
                mib_text(cost->bytes, moved));
}

static void print_memory(FILE *to, const plan_summary_t *s)
{
    const struct {
        const char *name;
        size_t bytes;
    } rows[] = {{"parameters", s->parameter_bytes},
                {"states", s->state_bytes},
                {"images, outputs", s->batch_bytes},
                {"shared", s->shared_bytes},
                {"all", s->arena_bytes}};
    char count[SVG_NUMBER_BYTES], text[BYTE_SIZE_TEXT_BYTES];

    fprintf(to, "\n%s parameters\nmemory\n", svg_draw_count(s->n_parameters, count));
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        fprintf(to, "  %-16s  %12s\n", rows[i].name,
                byte_size_text((double)rows[i].bytes, text));
}

/* Print the steps, totals by part and kind of layer, and memory. */
static void plan_print_table(FILE *to, const cnn_program_t *p)
{
    plan_summary_t s = plan_summary_of(p);
    plan_cost_t all = {0, 0, 0};

    fprintf(to, "%5s  %-20s  %-27s  %-18s  %-18s  %10s  %9s  %9s\n", "step", "layer",
            "operation", "input", "output", "GFLOP", "MiB moved", "MiB live");
    for (int i = 0; i < p->n_steps; i++)
        print_step(to, p, i);
    for (int i = 0; i < PLAN_N_PARTS; i++) {
        all.flops += s.parts[i].flops;
        all.bytes += s.parts[i].bytes;
        all.n_steps += s.parts[i].n_steps;
    }
    fprintf(to, "\nparts of a batch\n");
    for (int i = 0; i < PLAN_N_PARTS; i++)
        print_cost(to, plan_summary_part_name((plan_part_t)i), &s.parts[i], &all);
    print_cost(to, "all", &all, &all);
    fprintf(to, "\nkinds of layers\n");
    for (int i = 0; i < CNN_N_KINDS; i++)
        print_cost(to, cnn_kind_name((cnn_kind_t)i), &s.kinds[i], &all);
    print_memory(to, &s);
}

/* Print one line per step: step, part, layer, operation, kind, input, output, flops,
 * bytes, live_bytes. */
static void plan_print_tsv(FILE *to, const cnn_program_t *p)
{
    fprintf(to, "step\tpart\tlayer\toperation\tkind\tinput\toutput\tflops\tbytes\t"
                "live_bytes\n");
    for (int s = 0; s < p->n_steps; s++) {
        const cnn_step_t *step = &p->steps[s];
        char in[SIZE_TEXT_BYTES], out[SIZE_TEXT_BYTES];

        fprintf(to, "%d\t%s\t%s\t%s\t%s\t%s\t%s\t%.0f\t%.0f\t%zu\n", s,
                plan_summary_part_name(plan_summary_part(p, s)), p->layers[step->layer],
                cnn_op_name(step->op), cnn_kind_name(cnn_op_kind(step->op)),
                size_text(&p->tensors[step->reads[0]], in),
                size_text(&p->tensors[step->writes[0]], out), step->flops, step->bytes,
                plan_arena_live(p, s));
    }
}

/* ---- the command ---- */

static status_t write_table(const args_t *a, const cnn_program_t *program)
{
    whole_file_t *to;
    status_t st =
        whole_file_open(a->common.output, WHOLE_FILE_TEXT, a->common.force, &to);

    if (st != ST_OK)
        return st;
    if (a->tsv)
        plan_print_tsv(whole_file_stream(to), program);
    else
        plan_print_table(whole_file_stream(to), program);
    return whole_file_close(to, ST_OK);
}

static status_t write_chart(const args_t *a, const cnn_net_t *net,
                            const cnn_program_t *program)
{
    char title[512];
    whole_file_t *to;
    status_t st;

    if (a->svg == NULL)
        return ST_OK;
    if ((st = whole_file_open(a->svg, WHOLE_FILE_TEXT, a->common.force, &to)) != ST_OK)
        return st;
    snprintf(title, sizeof(title), "%s: %s, batches of %" PRId64 ", %s", net->name,
             a->inference ? "inference" : "training", a->batch,
             cnn_number_name[a->types]);
    plan_chart_draw(whole_file_stream(to), title, program);
    return whole_file_close(to, ST_OK);
}

static status_t plan(args_t *a, const char *name)
{
    cnn_program_t *program = NULL;
    cnn_net_t *net = NULL;
    status_t st = cnn_net_read(name, (int)a->classes, &net);

    if (st == ST_OK) {
        if (a->batch == 0)
            a->batch = net->solver.batch;
        st = cnn_plan_compile(net,
                              &(cnn_plan_options_t){a->batch, a->types,
                                                    a->inference ? CNN_PLAN_INFERENCE
                                                                 : CNN_PLAN_TRAINING},
                              &program);
    }
    if (st == ST_OK && (st = write_chart(a, net, program)) == ST_OK)
        st = write_table(a, program);
    cnn_program_destroy(program);
    cnn_net_destroy(net);
    return st;
}

static status_t run(void *args)
{
    args_t *a = args;

    return plan(a, a->net);
}

static void print_nets(FILE *to)
{
    fprintf(to, "\nShipped networks:");
    for (int i = 0; net_shipped[i].name != NULL; i++)
        fprintf(to, " %s", net_shipped[i].name);
    fprintf(to, "\n");
}

const command_t cmd_cnn_plan = {
    .name = "cnn plan",
    .summary = "print the steps of a network, with operations, bytes and memory",
    .words = words,
    .usage = "[options]",
    .options = options,
    .args_bytes = sizeof(args_t),
    .notes = "NET is a shipped network or an INI file (docs/cnn.md). MiB moved are read "
             "and\n"
             "written by a step, each tensor once; MiB live are the activations and "
             "gradients\n"
             "that are in memory during the step. The arena holds all of these.\n",
    .example = "ribogrid cnn plan alexnet --batch 128 --type tf32 --svg memory.svg",
    .print_more = print_nets,
    .run = run,
};
