/*
 * cnn_trainer.c - batches, gradients of all ranks, scores.
 */
#include "cnn/solve/cnn_trainer.h"

#include "cnn/plan/cnn_plan.h"
#include "cnn/solve/cnn_runner.h"
#include "cnn/solve/image_order.h"
#include "io/base/logmsg.h"

#include <stdlib.h>

struct cnn_trainer {
    cnn_trainer_opts_t opts;
    cnn_runner_t train, test;
    int *kept;   /* [n_kept] tensors of the training program */
    int *tested; /* [n_kept] the same of the test program, or -1 */
    int n_kept;
    image_order_t order;
    int loss, right; /* tensors of the training program */
    bool is_current; /* the test program has the parameters */
    buf_t scratch;
};

/* ---- creation ---- */

static bool is_kept(const cnn_tensor_t *t)
{
    return t->role == CNN_PARAMETER || t->role == CNN_STATE;
}

static status_t find_tensors(cnn_trainer_t *t)
{
    const cnn_program_t *p = t->opts.program;

    t->kept = malloc((size_t)p->n_tensors * sizeof(*t->kept));
    t->tested = malloc((size_t)p->n_tensors * sizeof(*t->tested));
    if (t->kept == NULL || t->tested == NULL)
        return log_nomem("a network");
    for (int i = 0; i < p->n_tensors; i++)
        if (is_kept(&p->tensors[i])) {
            t->kept[t->n_kept] = i;
            t->tested[t->n_kept++] =
                t->opts.test != NULL ? cnn_plan_tensor(t->opts.test, p->tensors[i].name)
                                     : -1;
        }
    t->loss = cnn_plan_tensor(p, "loss");
    t->right = cnn_plan_tensor(p, "right");
    return ST_OK;
}

static status_t create_parts(cnn_trainer_t *t)
{
    const cnn_trainer_opts_t *o = &t->opts;
    const cnn_context_t context = {.device = o->device,
                                   .pool = o->pool,
                                   .program = o->program};
    cnn_context_t test = context;
    status_t st = find_tensors(t);

    if (st == ST_OK)
        st = image_order_create(o->images->n, o->seed, &t->order);
    if (st == ST_OK)
        st = cnn_runner_create(&context, o->kernel, &t->train);
    test.program = o->test;
    test.choices = NULL;
    if (st == ST_OK && o->test != NULL)
        st = cnn_runner_create(&test, o->kernel, &t->test);
    return st;
}

status_t cnn_trainer_create(const cnn_trainer_opts_t *opts, cnn_trainer_t **out)
{
    cnn_trainer_t *t = calloc(1, sizeof(*t));
    status_t st;

    if (t == NULL)
        return log_nomem("a network");
    t->opts = *opts;
    if ((st = create_parts(t)) != ST_OK) {
        cnn_trainer_destroy(t);
        return st;
    }
    *out = t;
    return ST_OK;
}

void cnn_trainer_destroy(cnn_trainer_t *t)
{
    if (t == NULL)
        return;
    cnn_runner_destroy(&t->train);
    cnn_runner_destroy(&t->test);
    image_order_free(&t->order);
    free(t->kept);
    free(t->tested);
    buf_free(&t->scratch);
    free(t);
}

const char *cnn_trainer_kernel(const cnn_trainer_t *t)
{
    return t->train.backend->name;
}

status_t cnn_trainer_choices(cnn_trainer_t *t, buf_t *out)
{
    return t->train.backend->choices(t->train.state, out);
}

/* ---- parameters ---- */

int cnn_trainer_n_kept(const cnn_trainer_t *t)
{
    return t->n_kept;
}

cnn_model_array_t cnn_trainer_kept(const cnn_trainer_t *t, int k)
{
    const cnn_tensor_t *x = &t->opts.program->tensors[t->kept[k]];

    return (cnn_model_array_t){.name = x->name,
                               .is_parameter = x->role == CNN_PARAMETER,
                               .rows = x->size[0],
                               .columns = cnn_tensor_n(x) / x->size[0]};
}

status_t cnn_trainer_put(cnn_trainer_t *t, int k, const float *values)
{
    t->is_current = false;
    return t->train.backend->write(t->train.state, t->kept[k], values);
}

status_t cnn_trainer_get(cnn_trainer_t *t, int k, float *values)
{
    return t->train.backend->read(t->train.state, t->kept[k], values);
}

/* Copy what the test program has of the training program's tensors. */
static status_t update_test(cnn_trainer_t *t)
{
    const cnn_program_t *p = t->opts.program;
    status_t st = ST_OK;

    for (int k = 0; st == ST_OK && !t->is_current && k < t->n_kept; k++) {
        const size_t bytes = cnn_tensor_bytes(&p->tensors[t->kept[k]]);

        if (t->tested[k] < 0)
            continue;
        t->scratch.len = 0;
        if ((st = buf_reserve(&t->scratch, bytes)) == ST_OK &&
            (st = t->train.backend->read(t->train.state, t->kept[k], t->scratch.data)) ==
                ST_OK)
            st = t->test.backend->write(t->test.state, t->tested[k], t->scratch.data);
    }
    t->is_current = st == ST_OK;
    return st;
}

/* ---- training ---- */

/* Add up a tensor over all ranks. */
static status_t add_up(cnn_trainer_t *t, gang_t *gang, int tensor)
{
    const int64_t n = cnn_tensor_n(&t->opts.program->tensors[tensor]);
    const size_t bytes = (size_t)n * sizeof(float);
    float *values;
    void *shared = NULL;
    status_t st;

    t->scratch.len = 0;
    if ((st = buf_reserve(&t->scratch, bytes)) != ST_OK ||
        (st = gang->alloc(gang, bytes, &shared)) != ST_OK)
        return st;
    values = (float *)(void *)t->scratch.data;
    if ((st = t->train.backend->read(t->train.state, tensor, values)) == ST_OK &&
        (st = gang->put(gang, shared, values, bytes)) == ST_OK &&
        (st = gang->allreduce(gang, shared, shared, n, GANG_FLOAT, GANG_SUM)) == ST_OK &&
        (st = gang->get(gang, values, shared, bytes)) == ST_OK)
        st = t->train.backend->write(t->train.state, tensor, values);
    gang->free(gang, shared);
    return st;
}

/* The gradients are what the updates read. */
static status_t add_up_gradients(cnn_trainer_t *t, gang_t *gang)
{
    const cnn_program_t *p = t->opts.program;
    status_t st = ST_OK;

    for (int s = p->n_forward + p->n_backward; st == ST_OK && s < p->n_steps; s++)
        st = add_up(t, gang, p->steps[s].reads[0]);
    return st;
}

/* Gather values of all ranks. @param out  [n_ranks][n] */
static status_t gather(gang_t *gang, const double *values, int n, double *out)
{
    const int64_t bytes = n * (int64_t)sizeof(*values);
    int64_t *len = malloc((size_t)gang->n_ranks * 2 * sizeof(*len)), *at;
    void *all = NULL;
    status_t st;

    if (len == NULL)
        return log_nomem("scores");
    at = len + gang->n_ranks;
    for (int r = 0; r < gang->n_ranks; r++) {
        len[r] = bytes;
        at[r] = r * bytes;
    }
    if ((st = gang->alloc(gang, (size_t)(bytes * gang->n_ranks), &all)) == ST_OK) {
        void *mine = (char *)all + at[gang->rank];

        if ((st = gang->put(gang, mine, values, (size_t)bytes)) == ST_OK &&
            (st = gang->allgatherv(gang, mine, len, all, at)) == ST_OK)
            st = gang->get(gang, out, all, (size_t)(bytes * gang->n_ranks));
        gang->free(gang, all);
    }
    free(len);
    return st;
}

/* Add up scores of all ranks in the order of the ranks. */
static status_t add_up_scores(gang_t *gang, cnn_score_t *sums)
{
    const double mine[2] = {sums->loss, sums->accuracy};
    double *all;
    status_t st;

    if (gang->n_ranks == 1)
        return ST_OK;
    if ((all = malloc((size_t)gang->n_ranks * sizeof(mine))) == NULL)
        return log_nomem("scores");
    if ((st = gather(gang, mine, 2, all)) == ST_OK) {
        *sums = (cnn_score_t){0, 0};
        for (int r = 0; r < gang->n_ranks; r++) {
            sums->loss += all[2 * r];
            sums->accuracy += all[2 * r + 1];
        }
    }
    free(all);
    return st;
}

static status_t read_score(cnn_trainer_t *t, cnn_score_t *out)
{
    float loss, right;
    status_t st;

    if ((st = t->train.backend->read(t->train.state, t->loss, &loss)) != ST_OK ||
        (st = t->train.backend->read(t->train.state, t->right, &right)) != ST_OK)
        return st;
    *out = (cnn_score_t){loss, right / (double)t->opts.batch};
    return ST_OK;
}

status_t cnn_trainer_iterate(cnn_trainer_t *t, gang_t *gang, int64_t iteration,
                             cnn_score_t *out)
{
    const cnn_trainer_opts_t *o = &t->opts;
    const cnn_program_t *p = o->program;
    const int64_t part = t->train.batch, first = o->rank * part;
    const cnn_iteration_t now = {.iteration = iteration,
                                 .seed = o->seed,
                                 .rate = o->rate(o->rate_arg, iteration),
                                 .first_image = first,
                                 .n_images = o->batch};
    const int n_gradients = p->n_forward + p->n_backward;
    cnn_score_t score;
    status_t st;

    for (int64_t i = 0; i < part; i++)
        cnn_runner_set_image(&t->train, i, o->images,
                             image_order_at(&t->order, iteration * o->batch + first + i));
    t->is_current = false;
    if ((st = cnn_runner_send_images(&t->train)) != ST_OK ||
        (st = t->train.backend->run(t->train.state, 0, n_gradients, &now)) != ST_OK)
        return st;
    if (gang->n_ranks > 1 && (st = add_up_gradients(t, gang)) != ST_OK)
        return st;
    if ((st = t->train.backend->run(t->train.state, n_gradients, p->n_steps, &now)) !=
            ST_OK ||
        (st = read_score(t, &score)) != ST_OK ||
        (st = add_up_scores(gang, &score)) != ST_OK)
        return st;
    *out = score;
    return ST_OK;
}

/* ---- tests ---- */

static status_t test_batch(cnn_trainer_t *t, int64_t batch, double *sums)
{
    const image_set_t *images = t->opts.test_images;
    const int64_t size = t->test.batch, first = batch * size;
    const int64_t n = images->n - first < size ? images->n - first : size;
    cnn_score_t score = {0, 0};
    status_t st = cnn_runner_classify(&t->test, images, first, n);

    for (int64_t i = 0; st == ST_OK && i < n; i++) {
        const int32_t label = images->labels[first + i];

        score.loss += cnn_runner_loss(&t->test, i, label);
        score.accuracy += cnn_runner_best(&t->test, i) == label;
    }
    sums[0] = score.loss;
    sums[1] = score.accuracy;
    return st;
}

/* Every rank takes some batches; their sums are added up in the order of the batches, so
 * that the score does not depend on the number of ranks. */
status_t cnn_trainer_test(cnn_trainer_t *t, gang_t *gang, cnn_score_t *out)
{
    const int64_t n = t->opts.test_images->n, size = t->test.batch;
    const int64_t n_batches = (n + size - 1) / size;
    double *all = malloc((size_t)gang->n_ranks * 2 * sizeof(*all));
    cnn_score_t sums = {0, 0};
    status_t st = all != NULL ? update_test(t) : log_nomem("scores");

    for (int64_t b = 0; st == ST_OK && b < n_batches; b += gang->n_ranks) {
        double mine[2] = {0, 0};

        if (b + gang->rank < n_batches)
            st = test_batch(t, b + gang->rank, mine);
        if (st == ST_OK)
            st = gather(gang, mine, 2, all);
        for (int r = 0; st == ST_OK && r < gang->n_ranks; r++) {
            sums.loss += all[2 * r];
            sums.accuracy += all[2 * r + 1];
        }
    }
    free(all);
    if (st == ST_OK)
        *out = (cnn_score_t){sums.loss / (double)n, sums.accuracy / (double)n};
    return st;
}
