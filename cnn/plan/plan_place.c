/*
 * plan_place.c - steps of some layers run on the CPU, beside the device: HybNet.
 *
 * A tensor lies on the side of the first step that uses it.  If steps of the other side
 * use it, too, it has a copy there, which is brought up to date in front of a step that
 * reads it: by CNN_EVICT for the CPU, by CNN_FETCH for the device.
 */
#include "cnn/plan/plan_builder.h"
#include "cnn/plan/plan_remake.h"

#include "io/base/logmsg.h"

#include <stdio.h>
#include <stdlib.h>

enum { DEVICE, HOST, N_SIDES };

/* A tensor on both sides. */
typedef struct {
    int number[N_SIDES]; /* -1: not yet */
    bool is_current[N_SIDES];
    int home; /* the side of the first step that uses it */
} sides_t;

typedef struct {
    plan_remake_t made;
    const cnn_program_t *from;
    const bool *on_cpu; /* [n_layers] */
    sides_t *tensors;   /* [n_tensors] */
} placing_t;

/* ---- which layers ---- */

/* @return the first fully connected layer of those at the end; n_layers: none */
static int first_at_end(const cnn_net_t *net)
{
    int first = net->n_layers;

    for (int i = net->n_layers - 1; i > 0 && cnn_net_may_place(net->layers, i); i--)
        if (net->layers[i].kind == CNN_LAYER_LINEAR)
            first = i;
    return first;
}

bool cnn_plan_has_hybnet(const cnn_net_t *net)
{
    return first_at_end(net) < net->n_layers;
}

static bool choose_layers(const cnn_net_t *net, cnn_place_t place, bool *on_cpu)
{
    const int first = first_at_end(net);
    bool any = false;

    for (int i = 0; i < net->n_layers; i++) {
        on_cpu[i] =
            place == CNN_PLACE_HYBNET
                ? i >= first
                : place == CNN_PLACE_NET && net->layers[i].place == CNN_LAYER_ON_CPU;
        any = any || on_cpu[i];
    }
    return any;
}

static status_t check(const cnn_net_t *net, const cnn_plan_options_t *options, bool any)
{
    if (options->place == CNN_PLACE_HYBNET && !any) {
        log_error("%s: --place hybnet: no fully connected layers are at its end; leave "
                  "out --place",
                  net->name);
        return ST_EINPUT;
    }
    if (any && options->types == CNN_PLAN_BF16) {
        log_error("%s: layers on the CPU compute with fp32; give --type fp32 or tf32, or "
                  "--place device",
                  net->name);
        return ST_EINPUT;
    }
    return ST_OK;
}

/* ---- the new program ---- */

static int side_of(const placing_t *p, const cnn_step_t *step)
{
    return p->on_cpu[step->layer] ? HOST : DEVICE;
}

static int add_copy(placing_t *p, int of, int side)
{
    cnn_tensor_t t = p->from->tensors[of];

    snprintf(t.name, sizeof(t.name), "%.38s.%s", p->from->tensors[of].name,
             side == HOST ? "cpu" : "device");
    t.on_host = side == HOST;
    if (cnn_tensor_lasts(&t))
        t.role = CNN_ACTIVATION;
    return plan_remake_tensor(&p->made, &t);
}

static int number_on(placing_t *p, int tensor, int side)
{
    sides_t *t = &p->tensors[tensor];

    if (t->number[side] < 0)
        t->number[side] = add_copy(p, tensor, side);
    return t->number[side];
}

/* Copy a tensor if its value is on the other side alone. @return its number on this one
 */
static int bring(placing_t *p, int layer, int tensor, int side)
{
    sides_t *t = &p->tensors[tensor];
    const int number = number_on(p, tensor, side);

    if (!t->is_current[side] && t->is_current[!side])
        plan_remake_copy(&p->made, side == HOST ? CNN_EVICT : CNN_FETCH, layer,
                         t->number[!side], number);
    t->is_current[side] = true;
    return number;
}

/* What lasts is there before the first step; updates read what they write. */
static void add_step(placing_t *p, cnn_step_t step)
{
    const int side = side_of(p, &step);

    for (int i = 0; i < step.n_reads; i++)
        step.reads[i] = bring(p, step.layer, step.reads[i], side);
    for (int i = 0; i < step.n_writes; i++) {
        sides_t *t = &p->tensors[step.writes[i]];

        if (cnn_tensor_lasts(&p->from->tensors[step.writes[i]]))
            bring(p, step.layer, step.writes[i], side);
        step.writes[i] = number_on(p, step.writes[i], side);
        t->is_current[side] = true;
        t->is_current[!side] = false;
    }
    step.on_host = side == HOST;
    plan_remake_step(&p->made, &step);
}

/* From the last step to the first one, whose side remains. */
static void find_homes(placing_t *p)
{
    for (int s = p->from->n_steps - 1; s >= 0; s--) {
        const cnn_step_t *step = &p->from->steps[s];

        for (int i = 0; i < step->n_reads + step->n_writes; i++)
            p->tensors[cnn_step_tensor(step, i)].home = side_of(p, step);
    }
}

static void add_tensors(placing_t *p)
{
    find_homes(p);
    for (int i = 0; i < p->from->n_tensors; i++) {
        const int home = p->tensors[i].home;
        cnn_tensor_t t = p->from->tensors[i];

        t.on_host = home == HOST;
        p->tensors[i].number[home] = plan_remake_tensor(&p->made, &t);
        p->tensors[i].number[!home] = -1;
        p->tensors[i].is_current[home] = cnn_tensor_lasts(&t);
    }
}

static void add_steps(placing_t *p)
{
    const cnn_program_t *from = p->from;
    const int first_update = from->n_forward + from->n_backward;
    int n_gradients = 0;

    for (int s = 0; s <= from->n_steps; s++) {
        if (s == from->n_forward)
            p->made.n_forward = p->made.n_steps;
        if (s == first_update)
            n_gradients = p->made.n_steps;
        if (s < from->n_steps)
            add_step(p, from->steps[s]);
    }
    p->made.n_backward = n_gradients - p->made.n_forward;
}

static status_t make(const cnn_program_t *from, const bool *on_cpu, cnn_program_t **out)
{
    placing_t p = {.made = {.from = from},
                   .from = from,
                   .on_cpu = on_cpu,
                   .tensors = calloc((size_t)from->n_tensors + 1, sizeof(*p.tensors))};
    status_t st = ST_OK;

    if (p.tensors == NULL) {
        st = log_nomem("the plan of a network");
    } else {
        add_tensors(&p);
        add_steps(&p);
        st = plan_remake_end(&p.made, out);
    }
    free(p.tensors);
    return st;
}

status_t plan_place(const cnn_net_t *net, const cnn_plan_options_t *options,
                    cnn_program_t **program)
{
    bool *on_cpu = calloc((size_t)net->n_layers + 1, sizeof(*on_cpu));
    cnn_program_t *made;
    status_t st = ST_OK;

    if (on_cpu == NULL)
        return log_nomem("the plan of a network");
    if (choose_layers(net, options->place, on_cpu)) {
        if ((st = check(net, options, true)) == ST_OK &&
            (st = make(*program, on_cpu, &made)) == ST_OK) {
            cnn_program_destroy(*program);
            *program = made;
        }
    } else {
        st = check(net, options, false);
    }
    free(on_cpu);
    return st;
}
