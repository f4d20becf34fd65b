/*
 * rank_train.c - a network, its images, and trainers on threads.
 */
#include "tests/support/rank_train.h"

#include "cnn/memory/swap_program.h"
#include "cnn/plan/cnn_plan.h"
#include "cnn/solve/cnn_trainer.h"
#include "cnn/solve/initial_values.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { N_IMAGES = 40, N_TESTS = 17 };

/* What the ranks share. */
typedef struct {
    const rank_train_t *how;
    cnn_net_t *net;
    cnn_program_t *training[THREAD_GANG_RANKS_MAX], *inference;
    image_set_t images, tests;
    rank_trained_t *out;
} shared_t;

static double rate(const void *arg, int64_t iteration)
{
    (void)arg;
    return 0.05 / (double)(1 + iteration);
}

static status_t create_trainer(const shared_t *s, int rank, cnn_trainer_t **out)
{
    const cnn_trainer_opts_t opts = {.program = s->training[rank],
                                     .test = s->inference,
                                     .images = &s->images,
                                     .test_images = &s->tests,
                                     .device = &s->how->devices[rank],
                                     .kernel = s->how->kernel,
                                     .choices = s->how->choices,
                                     .batch = RANK_TRAIN_BATCH,
                                     .parts = s->how->parts,
                                     .late_steps = s->how->late_steps,
                                     .n_iterations = s->how->n_iterations,
                                     .seed = 11,
                                     .rate = rate,
                                     .rank = rank,
                                     .n_ranks = s->how->n_ranks,
                                     .bucket_bytes = s->how->bucket_bytes};

    return cnn_trainer_create(&opts, out);
}

/* All kept tensors, behind each other. @param put  copy to the device */
static status_t copy_kept(cnn_trainer_t *t, float *values, bool put)
{
    status_t st = ST_OK;

    for (int k = 0; st == ST_OK && k < cnn_trainer_n_kept(t); k++) {
        const cnn_model_array_t a = cnn_trainer_kept(t, k);

        st = put ? cnn_trainer_put(t, k, values) : cnn_trainer_get(t, k, values);
        values += a.rows * a.columns;
    }
    return st;
}

static void draw(const shared_t *s, float *values)
{
    const cnn_program_t *p = s->training[0];

    for (int t = 0; t < p->n_tensors; t++)
        if (p->tensors[t].role == CNN_PARAMETER || p->tensors[t].role == CNN_STATE) {
            initial_values_draw(s->net, p, t, 11, NULL, values);
            values += cnn_tensor_n(&p->tensors[t]);
        }
}

static status_t train(void *ctx, gang_t *gang)
{
    const shared_t *s = ctx;
    const int rank = gang->rank;
    float *values = calloc((size_t)s->out->n, sizeof(*values));
    cnn_score_t score = {0, 0}, test = {0, 0};
    cnn_trainer_t *t = NULL;
    status_t st;

    if (values == NULL)
        abort();
    if (s->how->gang_of != NULL)
        gang = s->how->gang_of(s->how->arg, gang);
    draw(s, values);
    if ((st = create_trainer(s, rank, &t)) == ST_OK)
        st = copy_kept(t, values, true);
    for (int i = 0; st == ST_OK && i < s->how->n_iterations; i++)
        st = cnn_trainer_iterate(t, gang, i, &score);
    if (st == ST_OK)
        st = cnn_trainer_test(t, gang, &test);
    if (st == ST_OK)
        st = copy_kept(t, values, false);
    if (st == ST_OK && rank == 0 &&
        (st = cnn_trainer_choices(t, &s->out->choices)) == ST_OK)
        st = buf_append(&s->out->choices, "", 1);
    cnn_trainer_destroy(t);
    s->out->values[rank] = values;
    s->out->loss[rank] = score.loss;
    s->out->accuracy[rank] = score.accuracy;
    s->out->test_loss[rank] = test.loss;
    return st;
}

/* Make the program of the smallest arena. */
static void limit(cnn_program_t **program)
{
    const swap_opts_t opts = {SWAP_PLAN, 1, SWAP_REMATERIALIZE_AUTO, 512};
    cnn_program_t *made;
    swap_need_t need;

    if (swap_program_need(*program, &opts, &need) != ST_OK ||
        swap_program_make(*program, &opts, need.arena_bytes, &made) != ST_OK ||
        !cnn_program_check(made, NULL) || swap_program_traffic(made).n_fetches == 0)
        abort();
    cnn_program_destroy(*program);
    *program = made;
}

static void compile(shared_t *s)
{
    static const int size[3] = {2, 8, 8};
    cnn_plan_options_t options = {RANK_TRAIN_BATCH / s->how->n_ranks,
                                  s->how->is_tf32 ? CNN_PLAN_TF32 : CNN_PLAN_FP32,
                                  CNN_PLAN_TRAINING, CNN_PLACE_NET, s->how->is_limited};
    char text[2048];

    snprintf(text, sizeof(text), "[net]\ninput = 2x8x8\nclasses = 3\n[layers]\n%s",
             s->how->layers);
    if (cnn_net_parse("x.ini", text, 0, &s->net) != ST_OK)
        abort();
    for (int r = 0; r < s->how->n_ranks; r++) {
        if (s->how->parts != NULL)
            options.n_images = s->how->parts[r];
        if (cnn_plan_compile_part(s->net, &options, s->how->n_ranks,
                                  s->how->parts != NULL ? RANK_TRAIN_BATCH : 0,
                                  &s->training[r]) != ST_OK)
            abort();
        if (s->how->is_limited)
            limit(&s->training[r]);
    }
    options.adds_up = false;
    options.n_images = RANK_TRAIN_BATCH / s->how->n_ranks;
    options.purpose = CNN_PLAN_INFERENCE;
    if (cnn_plan_compile(s->net, &options, &s->inference) != ST_OK ||
        image_set_make(N_IMAGES, size, 3, 5, &s->images) != ST_OK ||
        image_set_make(N_TESTS, size, 3, 6, &s->tests) != ST_OK)
        abort();
    for (int t = 0; t < s->training[0]->n_tensors; t++)
        if (s->training[0]->tensors[t].role == CNN_PARAMETER ||
            s->training[0]->tensors[t].role == CNN_STATE)
            s->out->n += cnn_tensor_n(&s->training[0]->tensors[t]);
}

status_t rank_train(const rank_train_t *how, rank_trained_t *out)
{
    shared_t s = {.how = how, .out = out};
    status_t st;

    *out = (rank_trained_t){.n = 0};
    compile(&s);
    st = thread_gang_run(how->n_ranks, train, &s);
    for (int r = 0; r < how->n_ranks; r++)
        cnn_program_destroy(s.training[r]);
    cnn_program_destroy(s.inference);
    cnn_net_destroy(s.net);
    image_set_free(&s.images);
    image_set_free(&s.tests);
    return st;
}

void rank_trained_free(rank_trained_t *t)
{
    for (int r = 0; r < THREAD_GANG_RANKS_MAX; r++)
        free(t->values[r]);
    buf_free(&t->choices);
}

double rank_trained_difference(const rank_trained_t *a, const rank_trained_t *b)
{
    double largest = 0, difference = 0;

    for (int64_t i = 0; i < a->n; i++) {
        const double x = (double)a->values[0][i], y = (double)b->values[0][i];

        largest = fmax(largest, fabs(x));
        difference = isfinite(x - y) ? fmax(difference, fabs(x - y)) : INFINITY;
    }
    return difference / largest;
}
