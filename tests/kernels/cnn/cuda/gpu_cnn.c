/*
 * gpu_cnn.c - every GPU backend of neural networks against `serial`, on every operation.
 *
 * Errors are relative to a tensor's largest value.  Strict: sums of 32-bit floats in
 * another order, and transformed convolutions.  TF32 and bf16: factors of 11 and 8 bits.
 * Then each layer runs several times from the same values, the later times as a CUDA
 * graph, and gives the same bytes.
 *
 * usage: gpu_cnn [--share K/N] [BACKEND]
 *        --share: part K of N of the cases, so that N processes share the work
 */
#include "kernels/registry/backends.h"
#include "tests/support/gpu_case.h"
#include "tests/support/layer_case.h"

#include "kernels/cnn/common/cnn_program.h"

#include <string.h>

typedef struct {
    const char *name;
    cnn_type_t type;
    cnn_math_t math;
    double tolerance;
} precision_t;

static const precision_t precisions[] = {
    {"strict", CNN_F32, CNN_STRICT, 1e-4},
    {"TF32", CNN_F32, CNN_TF32, 4e-3},
    {"bf16", CNN_BF16, CNN_STRICT, 2e-2},
};

enum { N_RUNS = 4 };

/* A program on a backend, with the bytes that all tensors have at first. */
typedef struct {
    const cnn_program_t *program;
    const cnn_backend_t *backend;
    void *state;
    void *before[ONE_STEP_TENSORS], *first[ONE_STEP_TENSORS], *now;
} repeat_t;

static status_t run_once(repeat_t *r)
{
    status_t st = ST_OK;

    for (int t = 0; st == ST_OK && t < r->program->n_tensors; t++)
        st = r->backend->write(r->state, t, r->before[t]);
    if (st == ST_OK)
        st = r->backend->run(r->state, 0, r->program->n_steps, &layer_iteration);
    return st == ST_OK ? r->backend->wait(r->state) : st;
}

static bool repeats(repeat_t *r, const char *name)
{
    for (int run = 0; run < N_RUNS; run++) {
        if (run_once(r) != ST_OK)
            return false;
        for (int t = 0; t < r->program->n_tensors; t++) {
            void *to = run == 0 ? r->first[t] : r->now;
            size_t bytes = cnn_tensor_bytes(&r->program->tensors[t]);

            if (r->backend->read(r->state, t, to) != ST_OK)
                return false;
            if (memcmp(to, r->first[t], bytes) != 0) {
                fprintf(stderr, "%s: run %d differs from the first in %s\n", name, run,
                        r->program->tensors[t].name);
                return false;
            }
        }
    }
    return true;
}

/* Bytes come back as floats, from every tensor of these. */
static bool takes_bytes(repeat_t *r, const char *name)
{
    for (int t = 0; t < r->program->n_tensors; t++) {
        const cnn_tensor_t *tensor = &r->program->tensors[t];
        const int64_t n = cnn_tensor_n(tensor);
        const uint8_t *bytes = r->before[t];
        const float *values = r->now;

        if (tensor->type != CNN_F32)
            continue;
        if (r->backend->side->write_bytes(r->state, t, bytes) != ST_OK ||
            r->backend->read(r->state, t, r->now) != ST_OK)
            return false;
        for (int64_t i = 0; i < n; i++)
            if (values[i] != (float)bytes[i] / 256) {
                fprintf(stderr, "%s: byte %d of %s became %g\n", name, bytes[i],
                        tensor->name, (double)values[i]);
                return false;
            }
    }
    return true;
}

/* Create the state again. @return whether its choices are those of the first one */
static bool chooses(repeat_t *r, const cnn_context_t *context, const char *expected)
{
    buf_t text = {0};
    bool same;

    r->backend->destroy(r->state);
    r->state = NULL;
    same = r->backend->create(context, &r->state) == ST_OK &&
           r->backend->choices(r->state, &text) == ST_OK &&
           buf_append(&text, "", 1) == ST_OK &&
           (expected == NULL || strcmp(expected, (const char *)text.data) == 0);
    if (!same)
        fprintf(stderr, "choices:\n%sbecame\n%s", expected, (const char *)text.data);
    buf_free(&text);
    return same;
}

/* Choices of one state, given to another, give the same choices and the same bytes; as
 * hints as well, and hints that no library understands are measured. */
static bool same_choices(repeat_t *r, const cnn_context_t *context)
{
    cnn_context_t told = *context, hinted = *context;
    buf_t chosen = {0};
    char *text, *tag;
    bool same = r->backend->choices(r->state, &chosen) == ST_OK &&
                buf_append(&chosen, "", 1) == ST_OK;
    char *broken = same ? strdup((const char *)chosen.data) : NULL;

    told.choices = hinted.hints = text = (char *)chosen.data;
    same = same && chooses(r, &hinted, text);
    hinted.hints = broken;
    for (char *line = broken; same && (tag = strstr(line, "plan\t")) != NULL;)
        *(line = tag + strlen("plan\t")) = 'x';
    same = same && chooses(r, &hinted, NULL) && chooses(r, &told, text);
    free(broken);
    buf_free(&chosen);
    return same;
}

static bool is_repeatable(const layer_case_t *c, const cnn_backend_t *backend,
                          const device_t *device, const precision_t *precision)
{
    layer_program_t p;
    one_step_values_t values;
    cnn_context_t context = {.device = device, .program = &p.one.program};
    repeat_t r = {.program = &p.one.program, .backend = backend};
    size_t largest = 0;
    bool ok = false;

    layer_case_program(c, precision->type, precision->math, &p);
    layer_case_values(c, &p, &values);
    for (int t = 0; t < p.one.program.n_tensors; t++) {
        const cnn_tensor_t *tensor = &p.one.tensors[t];
        size_t bytes = cnn_tensor_bytes(tensor);

        largest = bytes > largest ? bytes : largest;
        r.before[t] = malloc(bytes);
        r.first[t] = malloc(bytes);
        cnn_value_store(tensor->type, cnn_tensor_n(tensor), values.of[t], r.before[t]);
    }
    r.now = malloc(largest);
    if (backend->create(&context, &r.state) == ST_OK) {
        ok = repeats(&r, c->name) && same_choices(&r, &context) && repeats(&r, c->name) &&
             takes_bytes(&r, c->name);
        backend->destroy(r.state);
    }
    for (int t = 0; t < p.one.program.n_tensors; t++) {
        free(r.before[t]);
        free(r.first[t]);
    }
    free(r.now);
    one_step_values_free(&values);
    return ok;
}

/* The choices of a case in strict arithmetic; the caller frees them. */
static status_t strict_choices(const layer_case_t *c, const cnn_backend_t *backend,
                               const device_t *device, buf_t *out)
{
    layer_program_t p;
    const cnn_context_t context = {.device = device, .program = &p.one.program};
    void *state = NULL;
    status_t st;

    layer_case_program(c, CNN_F32, CNN_STRICT, &p);
    st = backend->create(&context, &state);
    if (st == ST_OK)
        st = backend->choices(state, out);
    backend->destroy(state);
    return st == ST_OK ? buf_append(out, "", 1) : st;
}

/* Whether the backend runs a case with some choices */
static bool runs(const layer_case_t *c, const cnn_backend_t *backend,
                 const device_t *device, const char *choices)
{
    layer_program_t p;
    const cnn_context_t context = {.device = device,
                                   .program = &p.one.program,
                                   .choices = choices};
    void *state = NULL;
    status_t st;

    layer_case_program(c, CNN_F32, CNN_STRICT, &p);
    st = backend->create(&context, &state);
    if (st == ST_OK)
        st = backend->run(state, 0, p.one.program.n_steps, &layer_iteration);
    if (st == ST_OK)
        st = backend->wait(state);
    backend->destroy(state);
    return st == ST_OK;
}

/* Not the fastest algorithm alone: every one that another GPU or batch may choose. */
static int try_algorithms(const layer_case_t *c, const cnn_backend_t *backend,
                          const device_t *device)
{
    buf_t choices = {0};
    int failed = strict_choices(c, backend, device, &choices) != ST_OK;
    char *at = (char *)choices.data;

    while (failed == 0 && (at = strstr(at, "\talgo")) != NULL) {
        char *digit = at += strlen("\talgo");
        const char chosen = *digit;

        for (*digit = '0'; *digit < '8'; ++*digit) {
            const cnn_context_t where = {.device = device,
                                         .choices = (const char *)choices.data};

            if (!runs(c, backend, device, where.choices) ||
                layer_case_compare(c, backend, &where, CNN_F32, CNN_STRICT,
                                   precisions[0].tolerance))
                continue;
            printf("FAILED: %s, %s with these algorithms:\n%s", backend->base.name,
                   c->name, where.choices);
            failed++;
        }
        *digit = chosen;
    }
    buf_free(&choices);
    return failed;
}

/* Convolutions of many images take several passes then. */
static int try_little_memory(const layer_case_t *c, const cnn_backend_t *backend,
                             const device_t *device)
{
    const cnn_context_t where = {.device = device, .workspace_bytes = 5 << 20};

    if (layer_case_compare(c, backend, &where, CNN_F32, CNN_STRICT,
                           precisions[0].tolerance))
        return 0;
    printf("FAILED: %s, %s with little memory\n", backend->base.name, c->name);
    return 1;
}

static int try_case(const layer_case_t *c, const cnn_backend_t *backend,
                    const device_t *device)
{
    const cnn_context_t where = {.device = device};
    int failed = 0;

    if (c->op == CNN_CONVOLUTION && strcmp(backend->base.name, "cudnn") == 0)
        failed += try_algorithms(c, backend, device);
    if (c->op == CNN_CONVOLUTION && strcmp(backend->base.name, "native") == 0)
        failed += try_little_memory(c, backend, device);
    for (size_t k = 0; k < sizeof(precisions) / sizeof(*precisions); k++) {
        const precision_t *p = &precisions[k];

        if (layer_case_compare(c, backend, &where, p->type, p->math, p->tolerance) &&
            is_repeatable(c, backend, device, p))
            continue;
        printf("FAILED: %s, %s: %s, %s\n", backend->base.name, p->name,
               cnn_op_name(c->op), c->name);
        failed++;
    }
    return failed;
}

int main(int argc, char **argv)
{
    device_t cpu, gpu;
    pool_t *pool = NULL;
    const char *only = NULL;
    int share = 1, n_shares = 1, failed = 0, tried = 0, code;

    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--share") == 0 && i + 1 < argc &&
            sscanf(argv[i + 1], "%d/%d", &share, &n_shares) == 2)
            i++;
        else
            only = argv[i];
    }
    if ((code = gpu_case_begin(share - 1, &cpu, &gpu, &pool)) != EXIT_SUCCESS)
        return code;
    for (const backend_t *const *row = cnn_table.rows; *row != NULL; row++) {
        const cnn_backend_t *backend = (const cnn_backend_t *)*row;

        if (backend->base.kind != DEVICE_CUDA ||
            (only != NULL && strcmp(only, backend->base.name) != 0))
            continue;
        for (int k = share - 1; k < n_layer_cases; k += n_shares, tried++)
            failed += try_case(&layer_cases[k], backend, &gpu);
    }
    pool_destroy(pool);
    printf("%d cases, %d failed\n", tried, failed);
    return failed == 0 && tried > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
