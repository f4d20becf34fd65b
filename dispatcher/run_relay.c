/*
 * run_relay.c - a rank that runs a gang alone: it takes the last checkpoint over, begins
 * when rank 0 has it begin, and reports its steps.
 */
#include "dispatcher/run_state.h"
#include "io/base/clock.h"
#include "io/base/logmsg.h"

#include <inttypes.h>
#include <string.h>

static const double report_s = 0.2; /* between two reports */

worker_stats_t run_relay_stats(const run_t *r)
{
    worker_stats_t s = r->before;

    if (r->worker != NULL) {
        const worker_stats_t now = worker_stats(r->worker);

        s.n_tasks += now.n_tasks;
        s.cost += now.cost;
        s.busy_s += now.busy_s;
        s.rate = now.rate;
        s.n_lost_devices += now.n_lost_devices;
    }
    return s;
}

/* @return ST_EPEER (logged) */
static status_t refuse(const char *why)
{
    log_error("the client sent %s", why);
    return ST_EPEER;
}

/* A worker that has passed the gang on makes room for the next one. */
static status_t renew(run_t *r)
{
    const char *kernel;

    if (r->worker == NULL || !r->finish_sent)
        return ST_OK;
    r->before = run_relay_stats(r);
    worker_destroy(r->worker); /* its thread has ended, or is about to */
    r->worker = NULL;
    r->finish_sent = false;
    r->gang.n_states = 0;
    r->gang.n_steps = 0;
    return job_prepare(r->job, &r->binding->device, r->pool, &kernel, &r->guess);
}

/* Its tasks come in their order, before the begin. */
static status_t take_state(run_t *r, const message_t *m)
{
    run_gang_t *g = &r->gang;
    gang_state_t head;
    buf_t record = m->data; /* borrowed */
    const char *why;
    status_t st = renew(r);

    memcpy(&head, m->data.data, sizeof(head));
    if (st != ST_OK)
        return st;
    if (r->worker != NULL || r->binding->is_idle || head.task != g->n_states ||
        (g->n_states > 0 && head.version != g->saved))
        return refuse("a checkpoint that is out of order");
    record.data += sizeof(head);
    record.len -= sizeof(head);
    why = r->job->ops->check_record(r->job, head.task, head.version, &record);
    if (why != NULL) {
        log_error("the client's record of task %" PRId64 " %s", head.task, why);
        return ST_EPEER;
    }
    g->saved = head.version;
    g->n_states++;
    return r->job->ops->restore(r->job, head.task, head.version, record.data, record.len);
}

static status_t begin(run_t *r, const message_t *m)
{
    run_gang_t *g = &r->gang;
    int64_t version;

    memcpy(&version, m->data.data, sizeof(version));
    if (r->worker != NULL || r->binding->is_idle ||
        g->n_states != (version < 0 ? 0 : r->job->plan.n_tasks) ||
        (version >= 0 && version != g->saved))
        return refuse("a begin that does not follow a checkpoint");
    g->saved = version;
    g->n_steps = version > 0 ? version : 0; /* which rank 0 knows */
    return run_start_worker(r);
}

static status_t take(run_t *r, const message_t *m)
{
    gang_orders_t o;

    if (m->tag != TAG_ORDERS)
        return m->tag == TAG_STATE ? take_state(r, m) : begin(r, m);
    memcpy(&o, m->data.data, sizeof(o));
    if (r->worker == NULL)
        return r->failure_sent ? ST_OK : refuse("orders before the begin");
    worker_order(r->worker, &(worker_orders_t){.stop = o.stop != 0,
                                               .checkpoint = o.checkpoint != 0,
                                               .kept = o.kept});
    return ST_OK;
}

/* What goes wrong here is this device's: rank 0 has another one go on. */
status_t run_relay_receive(run_t *r, const message_t *m)
{
    const status_t st = take(r, m);
    const int32_t why = (int32_t)st;

    if (st == ST_OK || r->failure_sent)
        return ST_OK;
    r->failure_sent = true;
    return message_send(r->t, 0, TAG_FAILED, &why, sizeof(why));
}

status_t run_relay_report(run_t *r)
{
    run_gang_t *g = &r->gang;
    const double now = clock_now_s();
    int64_t n_steps;

    /* another rank may run it when this one has ended or failed */
    if (r->finish_sent || r->failure_sent || now - g->sent_s < report_s)
        return ST_OK;
    n_steps = (g->saved > 0 ? g->saved : 0) + worker_stats(r->worker).n_tasks;
    if (n_steps == g->n_steps)
        return ST_OK;
    g->n_steps = n_steps;
    g->sent_s = now;
    return message_send(r->t, 0, TAG_STEPS, &n_steps, sizeof(n_steps));
}
