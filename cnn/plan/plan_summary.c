/*
 * plan_summary.c - adds up steps and tensors.
 */
#include "cnn/plan/plan_summary.h"

plan_part_t plan_summary_part(const cnn_program_t *p, int step)
{
    if (step < p->n_forward)
        return PLAN_FORWARD;
    return step < p->n_forward + p->n_backward ? PLAN_BACKWARD : PLAN_UPDATE;
}

const char *plan_summary_part_name(plan_part_t part)
{
    static const char *const names[PLAN_N_PARTS] = {"forward", "backward", "update"};

    return names[part];
}

static void add_cost(plan_cost_t *to, const cnn_step_t *step)
{
    to->flops += step->flops;
    to->bytes += step->bytes;
    to->n_steps++;
}

plan_summary_t plan_summary_of(const cnn_program_t *p)
{
    plan_summary_t s = {.arena_bytes = p->arena_bytes,
                        .shared_bytes = p->arena_bytes,
                        .host_bytes = p->swap_bytes};

    for (int i = 0; i < p->n_tensors; i++) {
        const cnn_tensor_t *t = &p->tensors[i];
        const size_t bytes = t->on_host ? 0 : cnn_tensor_bytes(t);

        if (cnn_tensor_lasts(t) && !t->on_host && t->first_step <= t->last_step)
            s.shared_bytes -= cnn_tensor_room(t);
        switch (t->role) {
        case CNN_INPUT:
        case CNN_LABELS:
        case CNN_OUTPUT:
            s.batch_bytes += bytes;
            break;
        case CNN_PARAMETER:
            s.n_parameters += cnn_tensor_n(t);
            s.parameter_bytes += bytes;
            break;
        case CNN_STATE:
            s.state_bytes += bytes;
            break;
        case CNN_ACTIVATION:
        case CNN_GRADIENT:
            break;
        }
    }
    for (int i = 0; i < p->n_steps; i++) {
        add_cost(&s.parts[plan_summary_part(p, i)], &p->steps[i]);
        add_cost(&s.kinds[cnn_op_kind(p->steps[i].op)], &p->steps[i]);
    }
    return s;
}
