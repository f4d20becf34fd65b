/*
 * cnn_trainer.c - the order of images, batches and scores.
 */
#include "cnn/solve/cnn_trainer.h"

#include "cnn/plan/cnn_plan.h"
#include "cnn/solve/cnn_runner.h"
#include "io/base/logmsg.h"
#include "io/base/rng.h"

#include <stdlib.h>

/* ---- orders of images: shuffles by Fisher and Yates (Durstenfeld 1964) ---- */

status_t image_order_create(int64_t n, uint64_t seed, image_order_t *out)
{
    image_order_t o = {.n = n, .seed = seed, .epoch = -1};

    if ((o.order = malloc((size_t)n * sizeof(*o.order))) == NULL)
        return log_nomem("the order of images");
    *out = o;
    return ST_OK;
}

static void shuffle(image_order_t *o, int64_t epoch)
{
    uint64_t mixed = o->seed;
    rng_t rng = rng_seed(rng_splitmix(&mixed) + (uint64_t)epoch);

    for (int64_t i = 0; i < o->n; i++) {
        const int64_t k = (int64_t)rng_below(&rng, (uint64_t)i + 1);

        o->order[i] = o->order[k];
        o->order[k] = i;
    }
    o->epoch = epoch;
}

int64_t image_order_at(image_order_t *o, int64_t position)
{
    if (o->epoch != position / o->n)
        shuffle(o, position / o->n);
    return o->order[position % o->n];
}

void image_order_free(image_order_t *o)
{
    free(o->order);
    *o = (image_order_t){.n = 0};
}

struct cnn_trainer {
    cnn_trainer_opts_t opts;
    cnn_runner_t train, test;
    int *kept;   /* [n_kept] tensors of the training program */
    int *tested; /* [n_kept] the same of the test program, or -1 */
    int n_kept;
    image_order_t order;
    int loss, right; /* tensors of the training program */
    bool is_current; /* the test program has the parameters */
    int64_t first;   /* of this rank's images in a batch */
    int64_t sent;    /* the iteration whose images are on the device, or -1 */
    float *score;    /* [2] of the last iteration: loss and right answers, of the host */
    int64_t *which;  /* [batch of this rank] scratch */
    buf_t scratch;

    /* of several ranks, from the first call with their gang on */
    gang_t *gang;
    rank_run_t *run;
    double *scores;    /* [n_ranks][2] */
    void *gathered;    /* the same in the gang's memory */
    int64_t *len, *at; /* [n_ranks] bytes of each rank's scores, and where they are */
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

/* The side's memory is what a GPU copies to beside the steps. */
static status_t allocate_score(cnn_trainer_t *t)
{
    const size_t bytes = 2 * sizeof(*t->score);
    const cnn_side_t *side = t->train.backend->side;
    void *memory = NULL;
    status_t st = ST_OK;

    if (side != NULL)
        st = side->host_alloc(t->train.state, bytes, &memory);
    else if ((memory = malloc(bytes)) == NULL)
        st = log_nomem("a score");
    t->score = memory;
    return st;
}

static status_t create_parts(cnn_trainer_t *t)
{
    const cnn_trainer_opts_t *o = &t->opts;
    const cnn_context_t context = {.device = o->device,
                                   .pool = o->pool,
                                   .program = o->program,
                                   .memory_bytes = o->memory_bytes,
                                   .hints = o->choices};
    cnn_context_t test = context;
    status_t st = find_tensors(t);

    if (st == ST_OK)
        st = image_order_create(o->images->n, o->seed, &t->order);
    if (st == ST_OK)
        st = cnn_runner_create(&context, o->kernel, NULL, &t->train);
    if (st == ST_OK)
        st = allocate_score(t);
    if (st == ST_OK &&
        (t->which = malloc((size_t)t->train.batch * sizeof(*t->which))) == NULL)
        st = log_nomem("a batch of images");
    test.program = o->test;
    test.hints = NULL;
    if (st == ST_OK && o->test != NULL)
        st = cnn_runner_create(&test, o->kernel, NULL, &t->test);
    return st;
}

status_t cnn_trainer_create(const cnn_trainer_opts_t *opts, cnn_trainer_t **out)
{
    cnn_trainer_t *t = calloc(1, sizeof(*t));
    status_t st;

    if (t == NULL)
        return log_nomem("a network");
    t->opts = *opts;
    t->sent = -1;
    for (int r = 0; r < opts->rank && opts->parts != NULL; r++)
        t->first += opts->parts[r];
    if (opts->parts == NULL)
        t->first = opts->rank * opts->program->tensors[0].size[0];
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
    rank_run_destroy(t->run);
    if (t->gang != NULL)
        t->gang->free(t->gang, t->gathered);
    free(t->scores);
    free(t->len);
    if (t->train.backend != NULL && t->train.backend->side == NULL)
        free(t->score);
    cnn_runner_destroy(&t->train);
    cnn_runner_destroy(&t->test);
    image_order_free(&t->order);
    free(t->which);
    free(t->kept);
    free(t->tested);
    buf_free(&t->scratch);
    free(t);
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

/* ---- other ranks ---- */

/* Allocate once what all exchanges need. */
static status_t join_gang(cnn_trainer_t *t, gang_t *gang)
{
    const size_t n = (size_t)gang->n_ranks, bytes = 2 * sizeof(*t->scores);
    status_t st;

    if (t->gang != NULL || gang->n_ranks == 1)
        return ST_OK;
    t->gang = gang;
    t->scores = malloc(n * bytes);
    t->len = malloc(2 * n * sizeof(*t->len));
    if (t->scores == NULL || t->len == NULL)
        return log_nomem("scores");
    t->at = t->len + n;
    for (size_t r = 0; r < n; r++) {
        t->len[r] = (int64_t)bytes;
        t->at[r] = (int64_t)(r * bytes);
    }
    if ((st = gang->alloc(gang, n * bytes, &t->gathered)) != ST_OK)
        return st;
    return rank_run_create(&(rank_run_opts_t){.program = t->opts.program,
                                              .backend = t->train.backend,
                                              .state = t->train.state,
                                              .gang = gang,
                                              .bucket_bytes = t->opts.bucket_bytes,
                                              .parts = t->opts.parts,
                                              .is_late = t->opts.late_steps > 0},
                           &t->run);
}

/* Add scores of all ranks to sums, in the order of the ranks. */
static status_t add_scores(cnn_trainer_t *t, const double mine[2], cnn_score_t *sums)
{
    gang_t *g = t->gang;
    const size_t bytes = 2 * sizeof(*mine);
    status_t st;
    void *at;

    if (g == NULL) {
        sums->loss += mine[0];
        sums->accuracy += mine[1];
        return ST_OK;
    }
    at = (char *)t->gathered + t->at[g->rank];
    if ((st = g->put(g, at, mine, bytes)) != ST_OK ||
        (st = g->allgatherv(g, at, t->len, t->gathered, t->at)) != ST_OK ||
        (st = g->get(g, t->scores, t->gathered, bytes * (size_t)g->n_ranks)) != ST_OK)
        return st;
    for (int r = 0; r < g->n_ranks; r++) {
        sums->loss += t->scores[2 * r];
        sums->accuracy += t->scores[2 * r + 1];
    }
    return ST_OK;
}

/* ---- training ---- */

/* Copy the score to the host; a GPU does so beside what follows. */
static status_t read_score(cnn_trainer_t *t)
{
    const cnn_runner_t *r = &t->train;
    const cnn_side_t *side = r->backend->side;
    const int tensors[2] = {t->loss, t->right};
    status_t st = ST_OK;

    if (side != NULL)
        return side->read_begin(r->state, r->program->n_steps - 1, tensors, 2, t->score);
    for (int i = 0; st == ST_OK && i < 2; i++)
        st = r->backend->read(r->state, tensors[i], &t->score[i]);
    return st;
}

/* Send this rank's images of an iteration, unless they were sent beside the last one. */
static status_t send_images(cnn_trainer_t *t, int64_t iteration)
{
    const cnn_trainer_opts_t *o = &t->opts;
    const int64_t part = t->train.batch, first = iteration * o->batch + t->first;
    status_t st;

    if (t->sent == iteration)
        return ST_OK;
    for (int64_t i = 0; i < part; i++)
        t->which[i] = image_order_at(&t->order, first + i);
    st = cnn_runner_send_images(&t->train, o->images, t->which, part);
    t->sent = st == ST_OK ? iteration : -1;
    return st;
}

/* While a device computes, the next images are prepared and sent.  The score is there
 * before the parameters are updated, so that the host begins the next iteration
 * meanwhile. */
static status_t run_alone(cnn_trainer_t *t, const cnn_iteration_t *now)
{
    const cnn_runner_t *r = &t->train;
    const cnn_side_t *side = r->backend->side;
    const int update = r->program->n_forward + r->program->n_backward;
    status_t st = r->backend->run(r->state, 0, update, now);

    if (st == ST_OK && (st = read_score(t)) == ST_OK &&
        (st = r->backend->run(r->state, update, r->program->n_steps, now)) == ST_OK)
        st = send_images(t, now->iteration + 1);
    return st == ST_OK && side != NULL ? side->read_end(r->state, r->program->n_steps - 1)
                                       : st;
}

static status_t run_together(cnn_trainer_t *t, const cnn_iteration_t *now)
{
    const cnn_trainer_opts_t *o = &t->opts;
    const int64_t next = now->iteration + 1;
    const bool catches_up =
        o->late_steps > 0 && (next % o->late_steps == 0 || next == o->n_iterations);
    status_t ended, st = rank_run_begin(t->run, now, catches_up);

    if (st == ST_OK)
        st = send_images(t, next);
    ended = rank_run_end(t->run, t->score);
    return st != ST_OK ? st : ended;
}

/* The loss is a sum, divided by the images of the whole batch. */
static cnn_score_t score_of(const cnn_trainer_t *t)
{
    const double batch = (double)t->opts.batch;
    const double n = t->opts.late_steps > 0 ? (double)t->train.batch : batch;

    return (cnn_score_t){n < batch ? (double)t->score[0] * batch / n : t->score[0],
                         t->score[1] / n};
}

status_t cnn_trainer_iterate(cnn_trainer_t *t, gang_t *gang, int64_t iteration,
                             cnn_score_t *out)
{
    const cnn_trainer_opts_t *o = &t->opts;
    const cnn_iteration_t now = {.iteration = iteration,
                                 .seed = o->seed,
                                 .rate = o->rate(o->rate_arg, iteration),
                                 .first_image = t->first,
                                 .n_images = o->batch};
    status_t st = join_gang(t, gang);

    t->is_current = false;
    if (st == ST_OK && (st = send_images(t, iteration)) == ST_OK)
        st = t->run != NULL ? run_together(t, &now) : run_alone(t, &now);
    if (st == ST_OK)
        *out = score_of(t);
    return st;
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
    cnn_score_t sums = {0, 0};
    status_t st = join_gang(t, gang);

    if (st == ST_OK)
        st = update_test(t);
    for (int64_t b = 0; st == ST_OK && b < n_batches; b += gang->n_ranks) {
        double mine[2] = {0, 0};

        if (b + gang->rank < n_batches)
            st = test_batch(t, b + gang->rank, mine);
        if (st == ST_OK)
            st = add_scores(t, mine, &sums);
    }
    if (st == ST_OK)
        *out = (cnn_score_t){sums.loss / (double)n, sums.accuracy / (double)n};
    return st;
}
