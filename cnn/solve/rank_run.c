/*
 * rank_run.c - steps between the points at which ranks exchange what they have.
 */
#include "cnn/solve/cnn_trainer.h"

#include "io/base/logmsg.h"
#include "kernels/gang/gang.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>

/* The last one is added up when nothing is left to compute beside it. */
enum { DEFAULT_BUCKET_BYTES = 1 << 21 };

struct rank_run {
    rank_run_opts_t opts;
    const cnn_program_t *program;
    const cnn_backend_t *backend;
    const cnn_side_t *side; /* NULL: tensors are the host's */
    void *state;
    gang_t *gang;
    bool on_device; /* the gang's memory */
    gradient_buckets_t buckets;
    int n_read;            /* buckets of this iteration whose copies are begun */
    int n_begun;           /* and those that the gang adds up */
    int n_updated;         /* and those whose updates are begun */
    float *host;           /* [buckets.n_values] of a gang in host memory, or the first
                            * two, which are the score */
    float *late;           /* likewise: the last gradients of a rank that is late */
    bool has_late;         /* they are not sent yet */
    float own[2];          /* score of this rank's part */
    collective_t *sums;    /* [program->n_tensors] scratch */
    collective_t *gathers; /* [n_gathers] of the program's CNN_GATHER steps, in order */
    int n_gathers;
    int64_t *lens; /* of the gathers: [n_gathers][2][n_ranks], then zeros [n_ranks] */
    bool adds_up;  /* the program's CNN_SUM steps do; there are no buckets */
    int score[2];  /* tensors: loss, right answers */
    float
        *gathered; /* of a gang in host memory: the largest own tensor, and all ranks' */
};

static float *host_at(const rank_run_t *r, int bucket)
{
    return r->host + r->buckets.buckets[bucket].at;
}

static bool is_late(const rank_run_t *r)
{
    return r->opts.is_late && r->gang->rank > 0;
}

static status_t allocate(const rank_run_t *r, size_t bytes, float **out)
{
    void *memory = NULL;
    status_t st = ST_OK;

    if (r->side != NULL)
        st = r->side->host_alloc(r->state, bytes, &memory);
    else if ((memory = malloc(bytes)) == NULL)
        st = log_nomem("gradients");
    *out = memory;
    return st;
}

/* @return elements of the largest tensor that a CNN_SUM adds up */
static int64_t largest_sum(const rank_run_t *r)
{
    const cnn_program_t *p = r->program;
    int64_t most = 2;

    for (int s = 0; s < p->n_steps; s++)
        if (p->steps[s].op == CNN_SUM) {
            const int64_t n = cnn_tensor_n(&p->tensors[p->steps[s].reads[0]]);

            most = n > most ? n : most;
        }
    return most;
}

static status_t allocate_host(rank_run_t *r)
{
    const int64_t n = r->on_device ? 2
                      : r->adds_up ? largest_sum(r)
                                   : r->buckets.n_values;
    const size_t bytes = (size_t)n * sizeof(*r->host);
    const status_t st = allocate(r, bytes, &r->host);

    return st == ST_OK && is_late(r) ? allocate(r, bytes, &r->late) : st;
}

/* A gather is an exchange in which a rank sends the same to all. */
static void describe_gather(rank_run_t *r, const cnn_step_t *step)
{
    const int n = r->gang->n_ranks;
    const size_t bytes = cnn_tensor_bytes(&r->program->tensors[step->reads[0]]);
    int64_t *len = r->lens + 2 * (int64_t)n * r->n_gathers, *at = len + n;
    collective_t *c = &r->gathers[r->n_gathers++];

    for (int k = 0; k < n; k++) {
        len[k] = (int64_t)bytes;
        at[k] = k * (int64_t)bytes;
    }
    *c = (collective_t){.kind = COLLECTIVE_ALLTOALLV,
                        .in = r->gathered,
                        .out = (char *)r->gathered + bytes,
                        .send_len = len,
                        .recv_len = len,
                        .recv_at = at};
    if (r->on_device) {
        c->in = r->side->address(r->state, step->reads[0]);
        c->out = r->side->address(r->state, step->writes[0]);
    }
}

static status_t prepare_gathers(rank_run_t *r)
{
    const cnn_program_t *p = r->program;
    const size_t n_ranks = (size_t)r->gang->n_ranks;
    size_t n = 0, largest = 0;

    for (int s = 0; s < p->n_steps; s++)
        if (p->steps[s].op == CNN_GATHER) {
            const size_t bytes = cnn_tensor_bytes(&p->tensors[p->steps[s].reads[0]]);

            largest = bytes > largest ? bytes : largest;
            n++;
        }
    r->gathers = calloc(n + 1, sizeof(*r->gathers));
    r->lens = calloc((2 * n + 1) * n_ranks, sizeof(*r->lens));
    r->gathered = malloc(largest * (n_ranks + 1) + 1);
    if (r->gathers == NULL || r->lens == NULL || r->gathered == NULL)
        return log_nomem("moments of batch norms");
    for (int s = 0; s < p->n_steps; s++)
        if (p->steps[s].op == CNN_GATHER)
            describe_gather(r, &p->steps[s]);
    for (size_t k = 0; k < n; k++)
        r->gathers[k].send_at = r->lens + 2 * n * n_ranks; /* zeros */
    return ST_OK;
}

/* Refuse what only ranks that exchange in the host's memory do. */
static status_t check(const rank_run_t *r)
{
    bool gathers = false;

    for (int i = 0; i < r->program->n_steps; i++)
        gathers |= r->program->steps[i].op == CNN_GATHER;
    assert(!r->opts.is_late || !gathers);
    if (!r->on_device || (!r->opts.is_late && (!gathers || r->opts.parts == NULL)))
        return ST_OK;
    log_error(
        "ranks that exchange through NCCL take equal parts of a batch where there "
        "is batch norm, and merge gradients of one iteration; leave out --split and "
        "--merge");
    return ST_EUSAGE;
}

static void find_sums(rank_run_t *r)
{
    for (int s = 0; s < r->program->n_steps; s++) {
        const cnn_step_t *step = &r->program->steps[s];

        r->adds_up |= step->op == CNN_SUM;
        for (int i = 0; step->op == CNN_SOFTMAX_LOSS && i < 2; i++)
            r->score[i] = step->writes[1 + i];
    }
    assert(!r->adds_up || !r->opts.is_late);
}

static status_t prepare(rank_run_t *r)
{
    const size_t bytes = r->opts.bucket_bytes;
    status_t st = check(r);

    find_sums(r);
    if (st == ST_OK && !r->adds_up)
        st = gradient_buckets_make(r->program, bytes > 0 ? bytes : DEFAULT_BUCKET_BYTES,
                                   &r->buckets);
    if (st == ST_OK)
        st = allocate_host(r);
    r->sums = calloc((size_t)r->program->n_tensors, sizeof(*r->sums));
    if (st == ST_OK && r->sums == NULL)
        st = log_nomem("gradients");
    return st == ST_OK ? prepare_gathers(r) : st;
}

status_t rank_run_create(const rank_run_opts_t *opts, rank_run_t **out)
{
    rank_run_t *r = calloc(1, sizeof(*r));
    status_t st;

    if (r == NULL)
        return log_nomem("gradients");
    r->opts = *opts;
    r->program = opts->program;
    r->backend = opts->backend;
    r->side = opts->backend->side;
    r->state = opts->state;
    r->gang = opts->gang;
    r->on_device = opts->gang->memory == GANG_DEVICE;
    assert(!r->on_device || r->side != NULL);
    if ((st = prepare(r)) != ST_OK) {
        rank_run_destroy(r);
        return st;
    }
    *out = r;
    return ST_OK;
}

void rank_run_destroy(rank_run_t *r)
{
    if (r == NULL)
        return;
    if (r->side == NULL) {
        free(r->host);
        free(r->late);
    }
    gradient_buckets_free(&r->buckets);
    free(r->sums);
    free(r->gathers);
    free(r->lens);
    free(r->gathered);
    free(r);
}

/* ---- on a device ---- */

/* Add up a bucket's tensors where they lie, behind the steps so far, and copy the score,
 * which the first one has. */
static status_t add_up_there(rank_run_t *r, int bucket)
{
    const gradient_bucket_t *b = &r->buckets.buckets[bucket];
    void *stream;
    status_t st;

    for (int i = 0; i < b->n; i++) {
        void *at = r->side->address(r->state, b->tensors[i]);

        r->sums[i] = (collective_t){
            .kind = COLLECTIVE_ALLREDUCE,
            .in = at,
            .out = at,
            .n = cnn_tensor_n(&r->program->tensors[b->tensors[i]]),
            .type = GANG_FLOAT,
            .op = GANG_SUM,
        };
    }
    if ((st = r->side->fork(r->state, &stream)) != ST_OK ||
        (st = r->gang->begin(r->gang, r->sums, b->n, stream)) != ST_OK)
        return st;
    return bucket > 0 ? ST_OK : r->side->read_begin(r->state, 0, b->tensors, 2, r->host);
}

/* Begin the updates of buckets up to one, behind their sums, where no step to come reads
 * what they write. */
static status_t update_there(rank_run_t *r, int bucket)
{
    const gradient_bucket_t *b = r->buckets.buckets;
    status_t st = ST_OK;

    while (st == ST_OK && r->n_updated <= bucket &&
           b[r->n_updated].unread <= b[bucket].end) {
        const gradient_bucket_t *next = &b[r->n_updated++];

        st = r->side->update(r->state, next->update, next->end_update);
    }
    return st;
}

/* ---- on the host ---- */

/* Copy a bucket to the host; from a GPU beside the steps to come. @param all  buckets */
static status_t read_bucket(rank_run_t *r, int bucket, float *all)
{
    const gradient_bucket_t *b = &r->buckets.buckets[bucket];
    float *to = all + b->at;
    status_t st = ST_OK;

    if (r->side != NULL)
        return r->side->read_begin(r->state, bucket, b->tensors, b->n, to);
    for (int i = 0; st == ST_OK && i < b->n; i++) {
        st = r->backend->read(r->state, b->tensors[i], to);
        to += cnn_tensor_n(&r->program->tensors[b->tensors[i]]);
    }
    return st;
}

static status_t begin_sum(rank_run_t *r, int bucket)
{
    float *at = host_at(r, bucket);
    const collective_t sum = {.kind = COLLECTIVE_ALLREDUCE,
                              .in = at,
                              .out = at,
                              .n = r->buckets.buckets[bucket].n_values,
                              .type = GANG_FLOAT,
                              .op = GANG_SUM};

    return r->gang->begin(r->gang, &sum, 1, NULL);
}

static void note_score(rank_run_t *r, const float *all)
{
    r->own[0] = all[0];
    r->own[1] = all[1];
}

/* Begin to add up the buckets that were read, in their order. */
static status_t add_up_read(rank_run_t *r)
{
    status_t st = ST_OK;

    for (; st == ST_OK && r->n_begun < r->n_read; r->n_begun++) {
        if (r->side != NULL)
            st = r->side->read_end(r->state, r->n_begun);
        if (r->n_begun == 0)
            note_score(r, r->host);
        if (st == ST_OK)
            st = begin_sum(r, r->n_begun);
    }
    return st;
}

static status_t write_bucket(rank_run_t *r, int bucket)
{
    const gradient_bucket_t *b = &r->buckets.buckets[bucket];
    const float *from = host_at(r, bucket);
    status_t st = ST_OK;

    for (int i = 0; st == ST_OK && i < b->n; i++) {
        st = r->backend->write(r->state, b->tensors[i], from);
        from += cnn_tensor_n(&r->program->tensors[b->tensors[i]]);
    }
    return st;
}

/* ---- both ---- */

static status_t begin_bucket(rank_run_t *r, int bucket)
{
    status_t st;

    if (r->on_device) {
        st = add_up_there(r, bucket);
        return st == ST_OK ? update_there(r, bucket) : st;
    }
    if ((st = read_bucket(r, bucket, r->host)) != ST_OK)
        return st;
    r->n_read++;
    /* a GPU's copies are awaited when all steps are enqueued */
    return r->side == NULL ? add_up_read(r) : ST_OK;
}

/* Wait for the sums, and update the parameters. */
static status_t update_here(rank_run_t *r, const cnn_iteration_t *now)
{
    const cnn_program_t *p = r->program;
    const int n_gradients = p->n_forward + p->n_backward;
    status_t st = r->gang->wait(r->gang);

    for (int k = 0; st == ST_OK && k < r->buckets.n; k++)
        st = write_bucket(r, k);
    return st == ST_OK ? r->backend->run(r->state, n_gradients, p->n_steps, now) : st;
}

/* Make later steps read the sums and the updated parameters. */
static status_t end_buckets(rank_run_t *r, const cnn_iteration_t *now)
{
    status_t st;

    if (r->on_device)
        return r->side->join(r->state);
    st = add_up_read(r);
    return st == ST_OK ? update_here(r, now) : st;
}

/* ---- ranks that are late ---- */

/* Copy all gradients of this iteration to the host. */
static status_t read_late(rank_run_t *r)
{
    status_t st = ST_OK;

    for (int k = 0; st == ST_OK && k < r->buckets.n; k++)
        st = read_bucket(r, k, r->late);
    for (int k = 0; st == ST_OK && r->side != NULL && k < r->buckets.n; k++)
        st = r->side->read_end(r->state, k);
    if (st == ST_OK)
        note_score(r, r->late);
    return st;
}

static status_t begin_sums(rank_run_t *r)
{
    status_t st = ST_OK;

    for (int k = 0; st == ST_OK && k < r->buckets.n; k++)
        st = begin_sum(r, k);
    return st;
}

static status_t begin_late(rank_run_t *r, const cnn_iteration_t *now, bool catches_up)
{
    const cnn_program_t *p = r->program;
    const int64_t n = r->buckets.n_values;
    status_t st = ST_OK;

    for (int64_t i = 0; i < n; i++)
        r->host[i] = r->has_late ? r->late[i] : 0;
    if (!catches_up)
        st = begin_sums(r);
    if (st != ST_OK ||
        (st = r->backend->run(r->state, 0, p->n_forward + p->n_backward, now)) != ST_OK ||
        (st = read_late(r)) != ST_OK)
        return st;
    for (int64_t i = 0; catches_up && i < n; i++)
        r->host[i] += r->late[i];
    if (catches_up && (st = begin_sums(r)) != ST_OK)
        return st;
    r->has_late = !catches_up;
    return update_here(r, now);
}

/* ---- gathers ---- */

/* Merge what the ranks say of a channel, in the order of the ranks: means and squares of
 * deviations of their parts, or sums. @param in  [n_ranks][2][n_channels] */
static void merge_channel(const rank_run_t *r, const cnn_step_t *reader, const float *in,
                          int64_t n_channels, float *out)
{
    const cnn_tensor_t *x = &r->program->tensors[reader->reads[0]];
    const double plane = (double)(x->size[2] * x->size[3]);
    const bool are_moments = reader->op == CNN_BATCH_NORM_WHOLE;
    double n = 0, first = 0, second = 0;

    for (int k = 0; k < r->gang->n_ranks; k++) {
        const double n_k = are_moments ? (double)r->opts.parts[k] * plane : 1;

        n += n_k;
        first += n_k * (double)in[2 * k * n_channels];
    }
    if (are_moments)
        first /= n;
    for (int k = 0; k < r->gang->n_ranks; k++) {
        const double d = (double)in[2 * k * n_channels] - first;

        second += (double)in[(2 * k + 1) * n_channels];
        if (are_moments)
            second += (double)r->opts.parts[k] * plane * d * d;
    }
    out[0] = (float)first;
    out[n_channels] = (float)second;
}

/* @return the step that reads what a gather writes */
static const cnn_step_t *reader_of(const rank_run_t *r, const cnn_step_t *gathers)
{
    const cnn_step_t *end = r->program->steps + r->program->n_steps;

    for (const cnn_step_t *s = gathers + 1; s < end; s++)
        for (int i = 0; i < s->n_reads; i++)
            if (s->reads[i] == gathers->writes[0])
                return s;
    assert(false);
    return gathers;
}

/* @return what a gather writes, of what all ranks have sent, `all` */
static const float *merged(rank_run_t *r, const cnn_step_t *step, float *all)
{
    const cnn_tensor_t *from = &r->program->tensors[step->reads[0]];
    const int64_t n_channels = cnn_tensor_n(from) / 2;

    if (cnn_tensor_n(&r->program->tensors[step->writes[0]]) != cnn_tensor_n(from))
        return all;
    for (int64_t c = 0; c < n_channels; c++) /* over what this rank has sent */
        merge_channel(r, reader_of(r, step), all + c, n_channels, r->gathered + c);
    return r->gathered;
}

/* Gather number k, behind the steps so far. */
static status_t gather(rank_run_t *r, int k, const cnn_step_t *step)
{
    const collective_t *c = &r->gathers[k];
    void *stream;
    status_t st;

    if (r->on_device) {
        if ((st = r->side->fork(r->state, &stream)) != ST_OK ||
            (st = r->gang->begin(r->gang, c, 1, stream)) != ST_OK)
            return st;
        return r->side->join(r->state);
    }
    /* sums that other ranks began before this step come first here, too */
    if ((st = add_up_read(r)) != ST_OK ||
        (st = r->backend->read(r->state, step->reads[0], r->gathered)) != ST_OK ||
        (st = r->gang->begin(r->gang, c, 1, NULL)) != ST_OK ||
        (st = r->gang->wait(r->gang)) != ST_OK)
        return st;
    return r->backend->write(r->state, step->writes[0], merged(r, step, c->out));
}

/* ---- sums that are steps ---- */

/* Add up a tensor over all ranks, behind the steps so far; later ones wait for it. */
static status_t sum(rank_run_t *r, const cnn_step_t *step)
{
    const int t = step->reads[0];
    collective_t c = {.kind = COLLECTIVE_ALLREDUCE,
                      .in = r->host,
                      .out = r->host,
                      .n = cnn_tensor_n(&r->program->tensors[t]),
                      .type = GANG_FLOAT,
                      .op = GANG_SUM};
    void *stream;
    status_t st;

    if (r->on_device) {
        c.in = c.out = r->side->address(r->state, t);
        if ((st = r->side->fork(r->state, &stream)) != ST_OK ||
            (st = r->gang->begin(r->gang, &c, 1, stream)) != ST_OK)
            return st;
        return r->side->join(r->state);
    }
    if ((st = r->backend->read(r->state, t, r->host)) != ST_OK ||
        (st = r->gang->begin(r->gang, &c, 1, NULL)) != ST_OK ||
        (st = r->gang->wait(r->gang)) != ST_OK)
        return st;
    return r->backend->write(r->state, t, r->host);
}

static status_t read_score(rank_run_t *r)
{
    status_t st = ST_OK;

    for (int i = 0; st == ST_OK && i < 2; i++)
        st = r->backend->read(r->state, r->score[i], &r->host[i]);
    return st;
}

/* Run steps [first, last), with what ranks exchange. @param n_gathered  gathers so far */
static status_t run_steps(rank_run_t *r, int first, int last, const cnn_iteration_t *now,
                          int *n_gathered)
{
    status_t st = ST_OK;

    for (int s = first; st == ST_OK && s < last; s++) {
        const cnn_step_t *step = &r->program->steps[s];

        if (!cnn_op_exchanges(step->op))
            continue;
        if ((st = r->backend->run(r->state, first, s, now)) == ST_OK)
            st = step->op == CNN_SUM ? sum(r, step) : gather(r, (*n_gathered)++, step);
        first = s + 1;
    }
    return st == ST_OK ? r->backend->run(r->state, first, last, now) : st;
}

status_t rank_run_begin(rank_run_t *r, const cnn_iteration_t *now, bool catches_up)
{
    int step = 0, n_gathered = 0;
    status_t st = ST_OK;

    if (is_late(r))
        return begin_late(r, now, catches_up);
    r->n_read = r->n_begun = r->n_updated = 0;
    for (int k = 0; st == ST_OK && k < r->buckets.n; k++) {
        const int end = r->buckets.buckets[k].end;

        if ((st = run_steps(r, step, end, now, &n_gathered)) == ST_OK)
            st = begin_bucket(r, k);
        step = end;
    }
    if (!r->adds_up)
        return st == ST_OK ? end_buckets(r, now) : st;
    st = run_steps(r, 0, r->program->n_steps, now, &n_gathered);
    return st == ST_OK ? read_score(r) : st;
}

status_t rank_run_end(rank_run_t *r, float score[2])
{
    status_t st = r->gang->wait(r->gang);

    if (st == ST_OK && r->on_device && !r->adds_up)
        st = r->side->read_end(r->state, 0);
    score[0] = r->opts.is_late ? r->own[0] : r->host[0];
    score[1] = r->opts.is_late ? r->own[1] : r->host[1];
    return st;
}
