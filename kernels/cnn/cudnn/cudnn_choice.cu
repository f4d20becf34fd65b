/*
 * cudnn_choice.cu - what an earlier run chose, and which steps a plan may join.
 */
#include "kernels/cnn/cudnn/cudnn_state.cuh"

#include <cstdio>
#include <cstring>

bool cudnn_is_relu_of(const cnn_gpu_t *g, int step, int relu)
{
    const int y = cnn_gpu_step(g, step)->writes[0];

    return relu < g->program->n_steps && cnn_gpu_step(g, relu)->op == CNN_RELU &&
           cnn_gpu_step(g, relu)->reads[0] == y && cnn_gpu_step(g, relu)->writes[0] == y;
}

namespace
{

/* A step's number, whatever is copied from and to a swap area or computed again, and
 * wherever the updates are: the same for any limit of memory. */
int number_of(const cnn_gpu_t *g, int step)
{
    int n = 0;

    for (int k = 0; k < step; k++) {
        const cnn_kind_t kind = cnn_op_kind(cnn_gpu_step(g, k)->op);

        n += kind != CNN_KIND_COPY && kind != CNN_KIND_UPDATE &&
             !cnn_program_repeats(g->program, k);
    }
    return n;
}

} // namespace

int cudnn_choice_key(const cnn_gpu_t *g, int step, const char *what, char *out,
                     size_t size)
{
    const cnn_step_t *s = cnn_gpu_step(g, step);

    return snprintf(out, size, "%d\t%s\t%s\t%s\t", number_of(g, step),
                    g->program->layers[s->layer], cnn_op_name(s->op), what);
}

int cudnn_choice_head(char *out, size_t size)
{
    return snprintf(out, size, "cuDNN\t%zu\n", cudnnGetVersion());
}

bool cudnn_is_hinted(const cnn_gpu_t *g)
{
    char head[64];
    const int len = cudnn_choice_head(head, sizeof(head));

    return g->context.choices == nullptr && g->context.hints != nullptr &&
           strncmp(g->context.hints, head, size_t(len)) == 0;
}

bool cudnn_find_choice(const cnn_gpu_t *g, int step, const char *what, char *tag)
{
    char key[256];
    const int len = cudnn_choice_key(g, step, what, key, sizeof(key));
    const char *line = cudnn_is_hinted(g) ? g->context.hints : g->context.choices;

    while (line != nullptr && *line != '\0') {
        const size_t length = strcspn(line, "\n");

        if (strncmp(line, key, size_t(len)) == 0) {
            snprintf(tag, CUDNN_TAG_BYTES, "%.*s", int(length) - len, line + len);
            return true;
        }
        line += length + (line[length] == '\n' ? 1 : 0);
    }
    return false;
}
