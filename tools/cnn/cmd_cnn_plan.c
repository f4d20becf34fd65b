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
#include "tools/options/options.h"
#include "worker/cnn/cnn_opts.h"
#include "worker/cnn/place_choice.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <unistd.h>

typedef struct {
    job_opts_t common;
    const char *net;
    int64_t batch, classes; /* 0: those of the network */
    cnn_plan_types_t types;
    bool inference, tsv;
    const char *svg;
    option_sizes_t limits; /* of a device's memory */
    bool on_cpu;           /* or a GPU's */
    const char *rates;     /* a table; NULL: those that were kept */
    swap_policy_t policy;
    swap_rematerialize_t rematerialize;
    cnn_place_t place;
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
    {.kind = OPTION_SIZES,
     .word = WORD_DEVICE_MEMORY,
     AT(limits),
     .value = "SIZE,...",
     .help = ": print what is moved, and how fast training is, within these limits "
             "instead of the steps"},
    {.word = WORD_SWAP, AT(policy), .help = " ({})"},
    {.word = WORD_REMATERIALIZE, AT(rematerialize), .help = ", with --swap plan ({})"},
    {.word = WORD_PLACE, AT(place), .help = " ({})"},
    {OPTION_FLAG, "cpu", 0, AT(on_cpu), NULL,
     "the limits are those of this machine's CPU (of a GPU, of any size)"},
    {.word = WORD_THREADS,
     AT(common.n_threads),
     .help = " of a CPU, whose kernels take memory for each (those of the rates, or all "
             "cores)"},
    {OPTION_INPUT, "rates", 0, AT(rates), "FILE",
     "predict from this table of `cnn time --kinds`, which may be another machine's "
     "(what `cnn time` has measured on this one)"},
    {.kind = OPTION_TABLE, .table = option_input},

    {.kind = OPTION_GROUP, .name = "Output"},
    {.word = WORD_OUTPUT, AT(common.output), .help = " (stdout)"},
    {.word = WORD_TSV, AT(tsv), .help = ", without totals"},
    {.word = WORD_SVG,
     AT(svg),
     .help = " the memory over the steps; of limits also what is out, and "
             "images per second"},
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

    fprintf(to, "%5d  %-20s  %-27s  %-18s  %-18s  %10.3f  %9s  %9s%s\n", s,
            p->layers[step->layer], cnn_op_name(step->op),
            size_text(&p->tensors[step->reads[0]], in),
            size_text(&p->tensors[step->writes[0]], out), step->flops / 1e9,
            mib_text(step->bytes, moved), mib_text((double)plan_arena_live(p, s), live),
            step->on_host ? "  cpu" : "");
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
                {"all", s->arena_bytes},
                {"on the CPU", s->host_bytes}};
    const size_t n = sizeof(rows) / sizeof(rows[0]) - (s->host_bytes == 0);
    char count[SVG_NUMBER_BYTES], text[BYTE_SIZE_TEXT_BYTES];

    fprintf(to, "\n%s parameters\nmemory\n", svg_draw_count(s->n_parameters, count));
    for (size_t i = 0; i < n; i++)
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

/* Print a step's tensors: NAME:ROLE:BYTES, separated by commas. */
static void print_tensors(FILE *to, const cnn_program_t *p, const int *tensors, int n)
{
    static const char *const roles[] = {
        [CNN_INPUT] = "input",         [CNN_LABELS] = "labels",
        [CNN_PARAMETER] = "parameter", [CNN_STATE] = "state",
        [CNN_OUTPUT] = "output",       [CNN_ACTIVATION] = "activation",
        [CNN_GRADIENT] = "gradient",
    };

    for (int i = 0; i < n; i++) {
        const cnn_tensor_t *t = &p->tensors[tensors[i]];

        fprintf(to, "%c%s:%s:%zu", i > 0 ? ',' : '\t', t->name, roles[t->role],
                cnn_tensor_bytes(t));
    }
}

/* Print one line per step: step, part, layer, operation, kind, input, output, flops,
 * bytes, live_bytes, the tensors that it reads and writes, where it runs. */
static void plan_print_tsv(FILE *to, const cnn_program_t *p)
{
    fprintf(to, "step\tpart\tlayer\toperation\tkind\tinput\toutput\tflops\tbytes\t"
                "live_bytes\treads\twrites\tplace\n");
    for (int s = 0; s < p->n_steps; s++) {
        const cnn_step_t *step = &p->steps[s];
        char in[SIZE_TEXT_BYTES], out[SIZE_TEXT_BYTES];

        fprintf(to, "%d\t%s\t%s\t%s\t%s\t%s\t%s\t%.0f\t%.0f\t%zu", s,
                plan_summary_part_name(plan_summary_part(p, s)), p->layers[step->layer],
                cnn_op_name(step->op), cnn_kind_name(cnn_op_kind(step->op)),
                size_text(&p->tensors[step->reads[0]], in),
                size_text(&p->tensors[step->writes[0]], out), step->flops, step->bytes,
                plan_arena_live(p, s));
        print_tensors(to, p, step->reads, step->n_reads);
        print_tensors(to, p, step->writes, step->n_writes);
        fprintf(to, "\t%s\n", step->on_host ? "cpu" : "device");
    }
}

/* ---- the command ---- */

static status_t write_table(const args_t *a, const plan_limits_t *l,
                            const cnn_program_t *program)
{
    whole_file_t *to;
    status_t st =
        whole_file_open(a->common.output, WHOLE_FILE_TEXT, a->common.force, &to);

    if (st != ST_OK)
        return st;
    if (l->n > 0)
        plan_limits_print(whole_file_stream(to), l, a->tsv);
    else if (a->tsv)
        plan_print_tsv(whole_file_stream(to), program);
    else
        plan_print_table(whole_file_stream(to), program);
    return whole_file_close(to, ST_OK);
}

static status_t write_chart(const args_t *a, const char *net, const plan_limits_t *l,
                            const cnn_program_t *program)
{
    const plan_panel_t all = {.program = program, .images_per_s = NAN};
    plan_panel_t panels[OPTION_SIZES_MAX];
    char title[512];
    whole_file_t *to;
    status_t st;

    if (a->svg == NULL)
        return ST_OK;
    if ((st = whole_file_open(a->svg, WHOLE_FILE_TEXT, a->common.force, &to)) != ST_OK)
        return st;
    snprintf(title, sizeof(title), "%s: %s, batches of %" PRId64 ", %s", net,
             a->inference ? "inference" : "training", a->batch,
             cnn_number_name[a->types]);
    for (int i = 0; i < l->n; i++)
        panels[i] = plan_limits_panel(l, i);
    plan_chart_draw(whole_file_stream(to), title, l->n > 0 ? panels : &all,
                    l->n > 0 ? l->n : 1);
    return whole_file_close(to, ST_OK);
}

/* Find the rates of --rates, or those that `cnn time` has kept. */
static status_t find_rates(const args_t *a, plan_limits_t *l)
{
    const device_kind_t kind = l->device != NULL ? l->device->kind : DEVICE_CUDA;
    status_t st = place_choice_cpu_rates(l->net, l->how, &l->on_cpu, &l->has_on_cpu);

    if (st == ST_OK && a->rates == NULL && !a->inference)
        st = cnn_rates_find(l->whole, kind, &l->rates, &l->has_rates);
    if (st != ST_OK || a->rates == NULL)
        return st;
    st =
        time_rates_read(a->rates, a->net, cnn_number_name[a->types], l->whole, &l->rates);
    l->has_rates = st == ST_OK;
    l->device = l->has_rates && !device_kind_is_gpu(l->rates.device) ? l->cpu : NULL;
    return st;
}

static status_t plan_program(const args_t *a, const cnn_net_t *net,
                             const cnn_plan_options_t *how, const cnn_program_t *program)
{
    const device_t cpu = device_cpu();
    cnn_plan_options_t on_device = *how;
    cnn_program_t *whole = NULL;
    plan_limits_t l = {.net = net,
                       .name = a->net,
                       .how = how,
                       .policy = a->policy,
                       .rematerialize = a->rematerialize,
                       .cpu = &cpu,
                       .device = a->on_cpu ? &cpu : NULL,
                       .n_threads = (int)a->common.n_threads};
    status_t st;

    on_device.place = CNN_PLACE_DEVICE;
    st = cnn_plan_compile(net, &on_device, &whole);
    l.whole = whole;
    if (st == ST_OK && a->limits.n > 0 && (st = find_rates(a, &l)) == ST_OK)
        st = plan_limits_make(&l, &a->limits);
    if (st == ST_OK && (st = write_chart(a, net->name, &l, program)) == ST_OK)
        st = write_table(a, &l, program);
    plan_limits_free(&l);
    cnn_program_destroy(whole);
    return st;
}

static status_t plan(args_t *a, const char *name)
{
    cnn_plan_options_t how = {.types = a->types,
                              .purpose =
                                  a->inference ? CNN_PLAN_INFERENCE : CNN_PLAN_TRAINING,
                              .place = a->place};
    cnn_plan_options_t steps; /* of the table or chart without limits */
    cnn_program_t *program = NULL;
    cnn_net_t *net = NULL;
    status_t st = cnn_net_read(name, (int)a->classes, &net);

    if (st == ST_OK) {
        if (a->batch == 0)
            a->batch = net->solver.batch;
        how.n_images = a->batch;
        steps = how;
        if (how.place == CNN_PLACE_AUTO)
            steps.place = CNN_PLACE_DEVICE;
        st = cnn_plan_compile(net, &steps, &program);
    }
    if (st == ST_OK)
        st = plan_program(a, net, &how, program);
    cnn_program_destroy(program);
    cnn_net_destroy(net);
    return st;
}

/* @return ST_OK or ST_EUSAGE */
static status_t check_limits(const args_t *a)
{
    for (int i = 0; i < a->limits.n; i++)
        if (a->limits.at[i] == 0)
            return options_misuse(&cmd_cnn_plan,
                                  "--device-memory 0: give bytes, such as 512M");
    if (a->limits.n == 0 &&
        (IS_GIVEN(a, policy) || a->rates != NULL || IS_GIVEN(a, common.device)))
        return options_misuse(&cmd_cnn_plan, "--%s needs --device-memory",
                              IS_GIVEN(a, policy) ? "swap"
                              : a->rates != NULL  ? "rates"
                                                  : "device");
    if (a->place == CNN_PLACE_AUTO && (a->limits.n == 0 || a->inference))
        return options_misuse(&cmd_cnn_plan,
                              "--place auto needs --device-memory, and training");
    if (a->rates != NULL && a->on_cpu)
        return options_misuse(&cmd_cnn_plan,
                              "--rates FILE is of a device; leave out --cpu");
    if (IS_GIVEN(a, rematerialize) &&
        (a->limits.n == 0 || a->policy != SWAP_PLAN || a->inference))
        return options_misuse(&cmd_cnn_plan,
                              "--rematerialize needs --device-memory with --swap plan, "
                              "and training");
    return a->rates != NULL && a->inference
               ? options_misuse(&cmd_cnn_plan, "--rates are those of training; leave out "
                                               "--inference")
               : ST_OK;
}

static status_t run(void *args)
{
    args_t *a = args;
    const status_t st = check_limits(a);

    return st == ST_OK ? plan(a, a->net) : st;
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
             "that are in memory during the step; the shared memory holds all of these.\n"
             "With --device-memory one line per limit: what a batch moves in and out; "
             "peak: the\n"
             "arena and scratch memory; the host's memory that is pinned; operations "
             "that are done\n"
             "again; and, where rates are known, images per second, also in % of those "
             "without a\n"
             "limit. Rates are kept when `ribogrid cnn time NET --kinds` measures the "
             "same batch\n"
             "and type (docs/cnn.md).\n",
    .example = "ribogrid cnn plan alexnet --batch 128 --type tf32 --svg memory.svg",
    .print_more = print_nets,
    .run = run,
};
