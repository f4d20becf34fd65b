/*
 * rank_run.c - steps between the points at which ranks exchange what they have.
 */
#include "cnn/solve/rank_run.h"

#include "cnn/solve/gradient_buckets.h"
#include "io/base/logmsg.h"
#include "kernels/gang/collective.h"

#include <assert.h>
#include <stdlib.h>

enum { DEFAULT_BUCKET_BYTES = 1 << 22 };

struct rank_run {
    const cnn_program_t *program;
    const cnn_backend_t *backend;
    const cnn_side_t *side; /* NULL: tensors are the host's */
    void *state;
    gang_t *gang;
    bool on_device; /* the gang's memory */
    gradient_buckets_t buckets;
    int n_read;         /* buckets of this iteration whose copies are begun */
    int n_begun;        /* and those that the gang adds up */
    float *host;        /* [buckets.n_values] of a gang in host memory */
    collective_t *sums; /* [program->n_tensors] scratch */
};

static float *host_at(const rank_run_t *r, int bucket)
{
    return r->host + r->buckets.buckets[bucket].at;
}

static status_t allocate_host(rank_run_t *r)
{
    const size_t bytes = (size_t)r->buckets.n_values * sizeof(*r->host);
    void *memory = NULL;

    if (r->side != NULL) {
        status_t st = r->side->host_alloc(r->state, bytes, &memory);

        r->host = memory;
        return st;
    }
    return (r->host = malloc(bytes)) != NULL ? ST_OK : log_nomem("gradients");
}

status_t rank_run_create(const cnn_program_t *program, const cnn_backend_t *backend,
                         void *state, gang_t *gang, size_t bucket_bytes, rank_run_t **out)
{
    rank_run_t *r = calloc(1, sizeof(*r));
    status_t st;

    if (r == NULL)
        return log_nomem("gradients");
    r->program = program;
    r->backend = backend;
    r->side = backend->side;
    r->state = state;
    r->gang = gang;
    r->on_device = gang->memory == GANG_DEVICE;
    assert(!r->on_device || r->side != NULL);
    st = gradient_buckets_make(program,
                               bucket_bytes > 0 ? bucket_bytes : DEFAULT_BUCKET_BYTES,
                               &r->buckets);
    if (st == ST_OK && !r->on_device)
        st = allocate_host(r);
    r->sums = calloc((size_t)program->n_tensors, sizeof(*r->sums));
    if (st == ST_OK && r->sums == NULL)
        st = log_nomem("gradients");
    if (st != ST_OK) {
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
    if (r->side == NULL)
        free(r->host);
    gradient_buckets_free(&r->buckets);
    free(r->sums);
    free(r);
}

/* ---- on a device ---- */

/* Add up a bucket's tensors where they lie, behind the steps so far. */
static status_t add_up_there(rank_run_t *r, const gradient_bucket_t *b)
{
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
    st = r->side->fork(r->state, &stream);
    return st == ST_OK ? r->gang->begin(r->gang, r->sums, b->n, stream) : st;
}

/* ---- on the host ---- */

/* Copy a bucket to the host; from a GPU beside the steps to come. */
static status_t read_bucket(rank_run_t *r, int bucket)
{
    const gradient_bucket_t *b = &r->buckets.buckets[bucket];
    float *to = host_at(r, bucket);
    status_t st = ST_OK;

    if (r->side != NULL)
        return r->side->read_begin(r->state, bucket, b->tensors, b->n, to);
    for (int i = 0; st == ST_OK && i < b->n; i++) {
        st = r->backend->read(r->state, b->tensors[i], to);
        to += cnn_tensor_n(&r->program->tensors[b->tensors[i]]);
    }
    return st;
}

/* Begin to add up the buckets that were read, in their order. */
static status_t add_up_read(rank_run_t *r)
{
    status_t st = ST_OK;

    for (; st == ST_OK && r->n_begun < r->n_read; r->n_begun++) {
        float *at = host_at(r, r->n_begun);
        const collective_t sum = {.kind = COLLECTIVE_ALLREDUCE,
                                  .in = at,
                                  .out = at,
                                  .n = r->buckets.buckets[r->n_begun].n_values,
                                  .type = GANG_FLOAT,
                                  .op = GANG_SUM};

        if (r->side != NULL)
            st = r->side->read_end(r->state, r->n_begun);
        if (st == ST_OK)
            st = r->gang->begin(r->gang, &sum, 1, NULL);
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

    if (r->on_device)
        return add_up_there(r, &r->buckets.buckets[bucket]);
    if ((st = read_bucket(r, bucket)) != ST_OK)
        return st;
    r->n_read++;
    /* a GPU's copies are awaited when all steps are enqueued */
    return r->side == NULL ? add_up_read(r) : ST_OK;
}

/* Make later steps read the sums. */
static status_t end_buckets(rank_run_t *r)
{
    status_t st;

    if (r->on_device)
        return r->side->join(r->state);
    if ((st = add_up_read(r)) != ST_OK || (st = r->gang->wait(r->gang)) != ST_OK)
        return st;
    for (int k = 0; st == ST_OK && k < r->buckets.n; k++)
        st = write_bucket(r, k);
    return st;
}

static status_t run_all(rank_run_t *r, const cnn_iteration_t *now)
{
    int step = 0;
    status_t st = ST_OK;

    r->n_read = r->n_begun = 0;
    for (int k = 0; st == ST_OK && k < r->buckets.n; k++) {
        const int end = r->buckets.buckets[k].end;

        if ((st = r->backend->run(r->state, step, end, now)) == ST_OK)
            st = begin_bucket(r, k);
        step = end;
    }
    if (st == ST_OK)
        st = end_buckets(r);
    return st == ST_OK ? r->backend->run(r->state, step, r->program->n_steps, now) : st;
}

status_t rank_run_iterate(rank_run_t *r, const cnn_iteration_t *now)
{
    const status_t st = run_all(r, now);
    const status_t ended = r->gang->wait(r->gang); /* also what precedes an error */

    return st != ST_OK ? st : ended;
}
