/*
 * run_gang.c - a gang on one rank: how it communicates, and how it continues from a
 * checkpoint.
 */
#include "dispatcher/run_state.h"
#include "io/base/clock.h"
#include "io/base/logmsg.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

/* Tests of a collective per call, so that short ones complete within one. */
enum { TESTS_PER_POLL = 16 };

typedef struct {
    char text[DEVICE_UUID_BYTES]; /* of a GPU; empty for a CPU */
} uuid_t;

/* NCCL is for several ranks, each with a GPU of its own. @param gpus  [n] */
static bool takes_nccl(const uuid_t *gpus, int n)
{
    for (int i = 0; i < n; i++) {
        if (gpus[i].text[0] == '\0')
            return false;
        for (int k = 0; k < i; k++)
            if (strcmp(gpus[i].text, gpus[k].text) == 0)
                return false;
    }
    return true;
}

status_t run_gang_meet(run_t *r)
{
    exchange_t *x = &r->t->exchange;
    uuid_t mine, *gpus;
    status_t st;

    r->gang.has_met = true;
    if (x->n_ranks == 1 || !gang_nccl_is_built())
        return ST_OK;
    memcpy(mine.text, r->binding->device.uuid, sizeof(mine.text));
    gpus = malloc((size_t)x->n_ranks * sizeof(*gpus));
    st = exchange_agree(x, gpus != NULL ? ST_OK : log_nomem("the ranks' devices"));
    if (st == ST_OK && (st = x->allgather(x, &mine, sizeof(mine), gpus)) == ST_OK)
        r->gang.takes_nccl = takes_nccl(gpus, x->n_ranks);
    free(gpus);
    if (st != ST_OK || !r->gang.takes_nccl)
        return st;
    st = exchange_agree(x, x->rank == 0 ? gang_nccl_make_id(&r->gang.id) : ST_OK);
    return st == ST_OK ? x->broadcast(x, &r->gang.id, sizeof(r->gang.id)) : st;
}

void run_gang_join(run_t *r)
{
    const exchange_t *x = &r->t->exchange;

    if (r->gang.takes_nccl && r->gang.nccl == NULL && r->gang.joined == ST_OK)
        r->gang.joined = gang_nccl_create(&r->binding->device, x->rank, x->n_ranks,
                                          &r->gang.id, &r->gang.nccl);
}

status_t run_gang_begin(run_t *r)
{
    exchange_t *x = &r->t->exchange;
    status_t st;

    if (x->n_ranks == 1 || r->gang.is_relayed) {
        st = gang_one_create(&r->gang.control);
    } else {
        st = gang_port_create(x->rank, x->n_ranks, &r->notifier, &r->gang.port);
        if (st == ST_OK)
            r->gang.control = gang_port_gang(r->gang.port);
    }
    if ((st = exchange_agree(x, st)) != ST_OK || r->gang.is_relayed ||
        (!r->gang.has_met && (st = run_gang_meet(r)) != ST_OK))
        return st;
    run_gang_join(r);
    st = exchange_agree(x, r->gang.joined);
    if (st == ST_OK && x->rank == 0)
        log_verbose("the ranks communicate through %s",
                    r->gang.nccl != NULL ? r->gang.nccl->name : r->gang.control->name);
    return st;
}

/* One task's state, from rank 0's log to every rank. */
static status_t restore_task(run_t *r, int64_t task, int64_t version, buf_t *data)
{
    exchange_t *x = &r->t->exchange;
    int64_t len = -1; /* rank 0 cannot read it */
    status_t st = ST_OK, sent;

    data->len = 0;
    if (x->rank == 0 && (st = job_load(r->job, task, data)) == ST_OK)
        len = (int64_t)data->len;
    if ((sent = x->broadcast(x, &len, sizeof(len))) != ST_OK)
        return sent;
    if (len < 0)
        return st != ST_OK ? st : ST_EPEER;
    st = exchange_agree(x, buf_reserve(data, (size_t)len + 1));
    if (st != ST_OK || (st = x->broadcast(x, data->data, (size_t)len)) != ST_OK)
        return st;
    return exchange_agree(x, r->job->ops->restore(r->job, task, version, data->data,
                                                  (size_t)len));
}

status_t run_gang_restore(run_t *r)
{
    exchange_t *x = &r->t->exchange;
    buf_t data = {0};
    status_t st = ST_OK;

    r->gang.saved = -1;
    if (x->rank == 0)
        st = job_checkpoint(r->job, &r->gang.saved);
    if ((st = exchange_agree(x, st)) != ST_OK || r->gang.is_relayed)
        return st;
    st = x->broadcast(x, &r->gang.saved, sizeof(r->gang.saved));
    if (r->gang.saved >= 0)
        for (int64_t task = 0; st == ST_OK && task < r->job->plan.n_tasks; task++)
            st = restore_task(r, task, r->gang.saved, &data);
    buf_free(&data);
    return st;
}

/* Test the open collective. @return what its caller gets, if *done */
static status_t test(run_t *r, bool *done)
{
    status_t st = ST_OK;

    *done = false;
    for (int i = 0; st == ST_OK && !*done && i < TESTS_PER_POLL; i++) {
        if (i > 0)
            sched_yield();
        st = r->t->collective_test(r->t, done);
    }
    *done = *done || st != ST_OK;
    return st;
}

status_t run_gang_poll(run_t *r, bool *busy)
{
    const collective_t *c;
    double now;
    bool done;
    status_t st = ST_OK;

    if (r->gang.port == NULL)
        return ST_OK;
    now = clock_now_s();
    if (!r->gang.is_open && gang_port_take(r->gang.port, &c)) {
        r->gang.is_open = true;
        if ((st = r->t->collective_begin(r->t, c)) != ST_OK) {
            gang_port_complete(r->gang.port, st);
            r->gang.is_open = false;
            return ST_OK; /* the worker fails, and rank 0 ends the run */
        }
    }
    if (r->gang.is_open) {
        st = test(r, &done);
        if (done) {
            r->gang.is_open = false;
            r->gang.active_s = now;
            gang_port_complete(r->gang.port, st);
        }
    }
    /* MPI makes progress only here; and the next request often follows at once */
    *busy = *busy || r->gang.is_open || now - r->gang.active_s < 1e-6 * GANG_PORT_SPIN_US;
    return ST_OK;
}

void run_gang_end(run_t *r)
{
    if (r->gang.nccl != NULL)
        r->gang.nccl->destroy(r->gang.nccl);
    if (r->gang.control != NULL)
        r->gang.control->destroy(r->gang.control);
    gang_port_destroy(r->gang.port);
}
