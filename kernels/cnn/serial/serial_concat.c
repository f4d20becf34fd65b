/*
 * serial_concat.c - channels of several tensors one after the other.
 */
#include "kernels/cnn/serial/serial_step.h"

#include <string.h>

/* Copy the channels of `part` to or from those of `whole` that begin with `first`. */
static void copy_channels(const serial_tensor_t *whole, int64_t first,
                          const serial_tensor_t *part, bool to_whole)
{
    size_t bytes =
        (size_t)(part->size[1] * part->size[2] * part->size[3]) * sizeof(double);

    for (int64_t n = 0; n < part->size[0]; n++) {
        double *a = serial_at(whole, n, first, 0, 0), *b = serial_at(part, n, 0, 0, 0);

        memcpy(to_whole ? a : b, to_whole ? b : a, bytes);
    }
}

void serial_concat(const serial_step_t *s)
{
    int64_t first = 0;

    for (int i = 0; i < s->n_in; i++) {
        copy_channels(&s->out[0], first, &s->in[i], true);
        first += s->in[i].size[1];
    }
}

void serial_concat_backward(const serial_step_t *s)
{
    copy_channels(&s->in[0], s->params->concat.from_channel, &s->out[0], false);
}
