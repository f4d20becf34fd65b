/*
 * gpu_swap.c - networks on a GPU learn the same bytes within any limit, with the same
 * algorithms; iterations are enough for steps to run as CUDA graphs, copies beside them.
 * With fully connected layers on the CPU they learn the same up to rounding.
 *
 * usage: gpu_swap [BACKEND]
 */
#include "cnn/memory/swap_program.h"
#include "cnn/plan/cnn_plan.h"
#include "io/base/rng.h"
#include "kernels/registry/backends.h"
#include "tests/support/gpu_case.h"

#include <math.h>
#include <string.h>

enum { N_ITERATIONS = 6, N_LIMITS = 2, N_IMAGES = 6, FEW_BYTES = 256 };

static const char layers[] = "[net]\ninput = 3x20x20\nclasses = 5\n[layers]\n"
                             "a = convolution 8 kernel=3 pad=1 batch-norm relu\n"
                             "b = max 3 stride=2 ceil=yes\n"
                             "b1 = convolution 8 kernel=1 relu from=b\n"
                             "b2 = convolution 16 kernel=3 pad=1 groups=2 relu from=b\n"
                             "b3 = max 3 stride=1 pad=1 from=b\n"
                             "c = concat from=b1,b2,b3,b\n"
                             "d = lrn\n"
                             "e = average 5 stride=5\n"
                             "f = linear 320 relu dropout\n"
                             "g = linear classes\n"
                             "h = softmax\n"
                             "[solver]\nmomentum = 0.9\ndecay = 0.001\n";

/* A program on a backend. */
typedef struct {
    cnn_context_t context;
    const cnn_backend_t *backend;
    void *state;
} net_t;

/* Write random numbers, the same for the same number of a tensor. */
static status_t write_tensor(const net_t *n, int t, uint64_t seed)
{
    const cnn_tensor_t *to = &n->context.program->tensors[t];
    rng_t rng = rng_seed(seed + (uint64_t)t);
    float *values = malloc(cnn_tensor_bytes(to));
    status_t st = values != NULL ? ST_OK : ST_ENOMEM;

    for (int64_t i = 0; st == ST_OK && i < cnn_tensor_n(to); i++) {
        const float x = (float)(rng_next(&rng) >> 40) * 0x1p-24f - 0.5f;

        if (to->role == CNN_LABELS)
            ((int32_t *)(void *)values)[i] = (int32_t)(i % 5);
        else
            values[i] = x / 4;
    }
    if (st == ST_OK)
        st = n->backend->write(n->state, t, values);
    free(values);
    return st;
}

static status_t write_roles(const net_t *n, cnn_role_t first, cnn_role_t last,
                            uint64_t seed)
{
    const cnn_program_t *p = n->context.program;
    status_t st = ST_OK;

    for (int t = 0; st == ST_OK && t < p->n_tensors; t++)
        if (p->tensors[t].role >= first && p->tensors[t].role <= last)
            st = write_tensor(n, t, seed);
    return st;
}

/* Train. @param choices  of algorithms, or NULL */
static status_t train(net_t *n, const char *choices)
{
    const cnn_program_t *p = n->context.program;
    status_t st;

    n->context.choices = choices;
    if ((st = n->backend->create(&n->context, &n->state)) == ST_OK)
        st = write_roles(n, CNN_PARAMETER, CNN_PARAMETER, 1);
    for (int i = 0; st == ST_OK && i < N_ITERATIONS; i++) {
        const cnn_iteration_t it = {.iteration = i,
                                    .seed = 5,
                                    .rate = 0.1,
                                    .n_images = N_IMAGES};

        if ((st = write_roles(n, CNN_INPUT, CNN_LABELS, 1000 * (uint64_t)i)) == ST_OK)
            st = n->backend->run(n->state, 0, p->n_steps, &it);
    }
    return st == ST_OK ? n->backend->wait(n->state) : st;
}

/* @return whether n floats differ by no more than a part of their size */
static bool are_close(const float *x, const float *y, int64_t n, double tolerance)
{
    for (int64_t i = 0; i < n; i++)
        if (!(fabs((double)x[i] - (double)y[i]) <= tolerance * (1 + fabs((double)x[i]))))
            return false;
    return true;
}

/* @param tolerance  0: all parameters, states and outputs are the same bytes
 * @param first      role of those that are compared, up to CNN_OUTPUT */
static bool is_equal(const net_t *a, const net_t *b, double tolerance, cnn_role_t first,
                     const char *what)
{
    const cnn_program_t *p = a->context.program;
    bool equal = true;

    for (int t = 0; equal && t < p->n_tensors; t++) {
        const size_t bytes = cnn_tensor_bytes(&p->tensors[t]);
        void *x, *y;

        if (p->tensors[t].role < first || p->tensors[t].role > CNN_OUTPUT)
            continue;
        x = malloc(bytes);
        y = malloc(bytes);
        equal = x != NULL && y != NULL && a->backend->read(a->state, t, x) == ST_OK &&
                b->backend->read(b->state, t, y) == ST_OK &&
                (tolerance > 0 ? are_close(x, y, cnn_tensor_n(&p->tensors[t]), tolerance)
                               : memcmp(x, y, bytes) == 0);
        if (!equal)
            printf("FAILED: %s: %s differs\n", what, p->tensors[t].name);
        free(x);
        free(y);
    }
    return equal;
}

static int n_tiled; /* of all programs: those with tiles of gradients */

static bool is_tiled(const cnn_program_t *p)
{
    for (int s = 0; s < p->n_steps; s++)
        if (p->steps[s].params.linear.first > 0 &&
            p->steps[s].op == CNN_LINEAR_BACKWARD_WEIGHTS)
            return true;
    return false;
}

/* @return whether products are divided, for whose parts a library may have other
 * algorithms */
static bool is_divided(const cnn_program_t *p)
{
    for (int s = 0; s < p->n_steps; s++) {
        const cnn_kind_t kind = cnn_op_kind(p->steps[s].op);
        const char *name = p->tensors[p->steps[s].writes[0]].name;
        const bool reads_part = p->tensors[p->steps[s].reads[0]].part_of > 0;

        if ((kind == CNN_KIND_CONVOLUTION || kind == CNN_KIND_LINEAR) &&
            (reads_part || strstr(name, ".part") != NULL ||
             strstr(name, ".tile") != NULL))
            return true;
    }
    return false;
}

/* Compare those learned by steps that may round differently. */
static bool is_near(const net_t *a, const net_t *b, bool is_strict, const char *what)
{
    return is_equal(a, b, is_strict ? 1e-4 : 5e-2, is_strict ? CNN_PARAMETER : CNN_OUTPUT,
                    what);
}

/* @param slice_bytes  of slices and tiles @return how many limits gave something else */
static int try_policy(const net_t *whole, const char *choices, swap_policy_t policy,
                      size_t slice_bytes, const char *what)
{
    const cnn_program_t *program = whole->context.program;
    const bool is_strict =
        program->math == CNN_STRICT && program->tensors[0].type == CNN_F32;
    const swap_opts_t opts = {policy, 1, SWAP_REMATERIALIZE_AUTO, slice_bytes};
    swap_need_t need;
    int failed = swap_program_need(program, &opts, &need) != ST_OK;

    for (size_t i = 0; failed == 0 && i <= N_LIMITS; i++) {
        const size_t bytes =
            need.arena_bytes + (program->arena_bytes - need.arena_bytes) * i / N_LIMITS;
        cnn_program_t *made;
        net_t n = *whole;
        char name[96];

        if (swap_program_make(program, &opts, bytes, &made) != ST_OK)
            return 1;
        n_tiled += is_tiled(made);
        snprintf(name, sizeof(name), "%s, %s, %zu of %zu bytes", what,
                 swap_policy_name[policy], bytes, program->arena_bytes);
        n.context.program = made;
        if (choices != NULL || program->math == CNN_TF32) /* strict ones follow from it */
            n.context.workspace_bytes =
                FEW_BYTES; /* more is in the arena, where it fits */
        n.state = NULL;
        failed += train(&n, choices) != ST_OK ||
                  !(choices != NULL && is_divided(made)
                        ? is_near(whole, &n, is_strict, name)
                        : is_equal(whole, &n, 0, CNN_PARAMETER, name));
        n.backend->destroy(n.state);
        cnn_program_destroy(made);
    }
    return failed;
}

/* Train without a limit, then within limits by some policies, with the same algorithms.
 * @return how many limits gave something else */
static int try_program(net_t *n, int n_policies, const char *what)
{
    static const size_t slices[] = {1024, 52 << 10}; /* of pooling; of gradients */
    buf_t choices = {0};
    int failed = train(n, NULL) != ST_OK ||
                 n->backend->choices(n->state, &choices) != ST_OK ||
                 buf_append(&choices, "", 1) != ST_OK;

    for (int policy = 0; failed == 0 && policy < n_policies; policy++)
        for (int k = 0; failed == 0 && k < (policy == SWAP_PLAN ? 2 : 1); k++)
            failed += try_policy(n, choices.len > 1 ? (const char *)choices.data : NULL,
                                 (swap_policy_t)policy, slices[k], what);
    buf_free(&choices);
    return failed;
}

/* The CPU computes strictly where a GPU rounds factors to TF32: then only loss, right
 * answers and probabilities are compared, which do not add up rounding as gradients do.
 */
static int try_hybnet(const cnn_net_t *net, const net_t *whole, cnn_plan_types_t types,
                      const char *what)
{
    const bool is_strict = types == CNN_PLAN_FP32;
    cnn_program_t *program;
    char name[96];
    net_t n = *whole;
    int failed;

    if (cnn_plan_compile(net,
                         &(cnn_plan_options_t){N_IMAGES, types, CNN_PLAN_TRAINING,
                                               CNN_PLACE_HYBNET, false},
                         &program) != ST_OK)
        return 1;
    snprintf(name, sizeof(name), "%s, HybNet", what);
    n.context.program = program;
    n.state = NULL;
    failed = try_program(&n, SWAP_DEMAND, name) +
             (n.state == NULL || !is_near(whole, &n, is_strict, name));
    n.backend->destroy(n.state);
    cnn_program_destroy(program);
    return failed;
}

static int try_type(const cnn_net_t *net, const cnn_backend_t *backend, device_t *gpu,
                    pool_t *pool, cnn_plan_types_t types)
{
    static const char *const names[] = {"fp32", "TF32", "bf16"};
    cnn_program_t *program;
    char what[64];
    net_t n = {.backend = backend};
    int failed;

    if (cnn_plan_compile(net,
                         &(cnn_plan_options_t){N_IMAGES, types, CNN_PLAN_TRAINING,
                                               CNN_PLACE_NET, false},
                         &program) != ST_OK)
        return 1;
    snprintf(what, sizeof(what), "%s, %s", backend->base.name, names[types]);
    n.context = (cnn_context_t){.device = gpu, .pool = pool, .program = program};
    failed = try_program(&n, SWAP_N_POLICIES, what);
    if (types != CNN_PLAN_BF16)
        failed += try_hybnet(net, &n, types, what);
    backend->destroy(n.state);
    cnn_program_destroy(program);
    return failed;
}

int main(int argc, char **argv)
{
    device_t cpu, gpu;
    pool_t *pool = NULL;
    cnn_net_t *net;
    int failed = 0, tried = 0, code;

    if ((code = gpu_case_begin(0, &cpu, &gpu, &pool)) != EXIT_SUCCESS)
        return code;
    if (cnn_net_parse("swap.ini", layers, 0, &net) != ST_OK)
        return EXIT_FAILURE;
    for (const backend_t *const *row = cnn_table.rows; *row != NULL; row++) {
        if ((*row)->kind != DEVICE_CUDA ||
            (argc > 1 && strcmp(argv[1], (*row)->name) != 0))
            continue;
        for (int types = 0; types < 3; types++, tried++)
            failed += try_type(net, (const cnn_backend_t *)*row, &gpu, pool,
                               (cnn_plan_types_t)types);
    }
    cnn_net_destroy(net);
    pool_destroy(pool);
    printf("%d networks, %d programs with tiles, %d failed\n", tried, n_tiled, failed);
    return failed == 0 && tried > 0 && n_tiled > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
