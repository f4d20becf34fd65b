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

/* @return images of a step, or rows of the gradient of weights; and of all of them */
int64_t n_of(const cnn_gpu_t *g, const cnn_step_t *s, int64_t *all)
{
    const bool is_rows = s->op == CNN_LINEAR_BACKWARD_WEIGHTS;

    *all =
        is_rows ? cnn_gpu_tensor(g, s->reads[1])->size[1] : cnn_gpu_tensor(g, 0)->size[0];
    return cnn_gpu_tensor(g, is_rows ? s->writes[0] : s->reads[0])->size[0];
}

} // namespace

bool cudnn_is_part(const cnn_gpu_t *g, int step)
{
    int64_t all;

    return n_of(g, cnn_gpu_step(g, step), &all) != all;
}

int cudnn_choice_key(const cnn_gpu_t *g, int step, const char *what, char *out,
                     size_t size)
{
    const cnn_step_t *s = cnn_gpu_step(g, step);
    char part[32] = "";
    int64_t all;

    if (cudnn_is_part(g, step))
        snprintf(part, sizeof(part), "@%lld", static_cast<long long>(n_of(g, s, &all)));
    return snprintf(out, size, "%d\t%s\t%s\t%s%s\t", s->layer,
                    g->program->layers[s->layer], cnn_op_name(s->op), what, part);
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
