/*
 * plan_print.c - prints a program.
 */
#include "tools/cnn/plan_print.h"

#include "cnn/plan/plan_summary.h"
#include "io/base/byte_size.h"
#include "io/report/svg_draw.h"

#include <inttypes.h>

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
                {"arena", s->arena_bytes},
                {"all", plan_summary_bytes(s)}};
    char count[SVG_NUMBER_BYTES], text[BYTE_SIZE_TEXT_BYTES];

    fprintf(to, "\n%s parameters\nmemory\n", svg_draw_count(s->n_parameters, count));
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        fprintf(to, "  %-16s  %12s\n", rows[i].name,
                byte_size_text((double)rows[i].bytes, text));
}

void plan_print_table(FILE *to, const cnn_program_t *p)
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

void plan_print_tsv(FILE *to, const cnn_program_t *p)
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
