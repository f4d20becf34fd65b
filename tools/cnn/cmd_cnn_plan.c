/*
 * cmd_cnn_plan.c - `ribogrid cnn plan`: prints the steps of a network.
 */
#include "cnn/net/cnn_net.h"
#include "cnn/plan/cnn_plan.h"
#include "io/file/input_guard.h"
#include "io/file/whole_file.h"
#include "tools/cnn/plan_chart.h"
#include "tools/cnn/plan_print.h"
#include "tools/options/commands.h"
#include "tools/options/option_tables.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

typedef struct {
    job_opts_t common;
    int64_t batch, classes; /* 0: those of the network */
    cnn_plan_types_t types;
    bool inference, tsv;
    const char *svg;
} args_t;

#define AT(member) OPTION_AT(args_t, member)

static const option_t options[] = {
    {.kind = OPTION_GROUP, .name = "What to plan"},
    {OPTION_INT, "batch", 0, AT(batch), "N", "images per batch (the network's)", 1,
     CNN_PLAN_MAX_IMAGES},
    {.kind = OPTION_TABLE, AT(types), .table = option_number},
    {OPTION_FLAG, "inference", 0, AT(inference), NULL,
     "plan the computation of classes instead of training"},
    {OPTION_INT, "classes", 0, AT(classes), "N", "number of classes (the network's)", 1,
     CNN_NET_MAX_CLASSES},
    {.kind = OPTION_TABLE, .table = option_input},

    {.kind = OPTION_GROUP, .name = "Output"},
    {OPTION_OUTPUT, "output", 'o', AT(common.output), "FILE",
     "write the table to FILE instead of stdout"},
    {OPTION_FLAG, "tsv", 0, AT(tsv), NULL, "print tab-separated values, steps only"},
    {OPTION_OUTPUT, "svg", 0, AT(svg), "FILE", "also draw the memory over the steps"},
    {.kind = OPTION_TABLE, .table = option_force},
    {.kind = OPTION_END}};

_Static_assert(sizeof(cnn_plan_types_t) == sizeof(int), "OPTION_CHOICE writes an int");

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
    static const char *const types[] = {"fp32", "tf32", "bf16", "fp64"};
    char title[512];
    whole_file_t *to;
    status_t st;

    if (a->svg == NULL)
        return ST_OK;
    if ((st = whole_file_open(a->svg, WHOLE_FILE_TEXT, a->common.force, &to)) != ST_OK)
        return st;
    snprintf(title, sizeof(title), "%s: %s, batches of %" PRId64 ", %s", net->name,
             a->inference ? "inference" : "training", a->batch, types[a->types]);
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

static int run(int argc, char **argv)
{
    const char *words[OPTIONS_WORDS_MAX] = {NULL};
    args_t a = {.common = job_opts_defaults(), .types = CNN_PLAN_FP32};
    status_t st = options_parse(&cmd_cnn_plan, argc, argv, &a, words);

    if (st == ST_OK && access(words[0], F_OK) == 0)
        st = input_guard_add(words[0]);
    return status_exit_code(st != ST_OK ? st : plan(&a, words[0]));
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
    .usage = "NET [options]",
    .options = options,
    .args_bytes = sizeof(args_t),
    .notes = "NET is a shipped network or an INI file (docs/cnn.md). MiB moved are read "
             "and\n"
             "written by a step, each tensor once; MiB live are the activations and "
             "gradients\n"
             "that are in memory during the step. The arena holds all of these.\n",
    .example = "ribogrid cnn plan alexnet --batch 128 --type tf32 --svg memory.svg",
    .n_words_min = 1,
    .n_words_max = 1,
    .print_more = print_nets,
    .run = run,
};
