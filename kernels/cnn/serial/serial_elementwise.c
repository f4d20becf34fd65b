/*
 * serial_elementwise.c - operations on each element for itself.
 */
#include "kernels/cnn/common/cnn_draw.h"
#include "kernels/cnn/serial/serial_step.h"

void serial_relu(const serial_step_t *s)
{
    for (int64_t i = 0; i < s->out[0].n; i++) {
        double x = s->in[0].value[i];

        s->out[0].value[i] = x > 0 ? x : 0;
    }
}

void serial_relu_backward(const serial_step_t *s)
{
    for (int64_t i = 0; i < s->out[0].n; i++)
        s->out[0].value[i] = s->in[0].value[i] > 0 ? s->in[1].value[i] : 0;
}

void serial_dropout(const serial_step_t *s)
{
    const cnn_dropout_t *p = &s->params->dropout;
    const cnn_iteration_t *it = s->iteration;
    const serial_tensor_t *y = &s->out[0];
    int64_t first = it->first_image * (y->n / y->size[0]);
    uint32_t limit = cnn_draw_limit(p->p);

    for (int64_t i = 0; i < y->n; i++) {
        uint32_t bits =
            cnn_draw(it->seed, (uint32_t)p->layer, it->iteration, (uint64_t)(first + i));

        y->value[i] = bits < limit ? 0 : s->in[0].value[i] / (1 - p->p);
    }
}

void serial_add(const serial_step_t *s)
{
    for (int64_t i = 0; i < s->out[0].n; i++)
        s->out[0].value[i] = s->in[0].value[i] + s->in[1].value[i];
}

void serial_cast(const serial_step_t *s)
{
    for (int64_t i = 0; i < s->out[0].n; i++)
        s->out[0].value[i] = s->in[0].value[i];
}
