/*
 * protocol_check.c - checks messages of ranks that are not trusted.
 */
#include "dispatcher/protocol.h"

#include <math.h>
#include <string.h>

static bool is_task(const job_t *job, int64_t task)
{
    return task >= 0 && task < job->plan.n_tasks;
}

static bool is_gang(const job_t *job)
{
    return job->plan.kind == JOB_GANG;
}

static bool is_how(int64_t how)
{
    return how >= JOB_DEFAULT && how <= JOB_REFERENCE;
}

/* Of a gang's checkpoint: steps done. */
static bool is_version(const job_t *job, int64_t version)
{
    return is_gang(job) ? version >= 0 : is_how(version);
}

static bool is_rate(double rate)
{
    return isfinite(rate) && rate >= 0;
}

/* Heads, each followed by as many bytes as it says. */
static bool are_results(const job_t *job, const buf_t *data)
{
    result_head_t head;

    for (size_t at = 0; at < data->len; at += sizeof(head) + (size_t)head.len) {
        if (data->len - at < sizeof(head))
            return false;
        memcpy(&head, data->data + at, sizeof(head));
        if (!is_task(job, head.task) || !is_version(job, head.version) ||
            !is_rate(head.rate) || head.len > data->len - at - sizeof(head))
            return false;
    }
    return true;
}

static bool is_number(const buf_t *data)
{
    double rate;

    if (data->len != sizeof(rate))
        return false;
    memcpy(&rate, data->data, sizeof(rate));
    return is_rate(rate);
}

static bool is_failure(const buf_t *data)
{
    int32_t why;

    if (data->len != sizeof(why))
        return false;
    memcpy(&why, data->data, sizeof(why));
    return why >= ST_ELOST && why < ST_OK;
}

static bool is_end_of_worker(const buf_t *data)
{
    stopped_t s;

    if (data->len != sizeof(s))
        return false;
    memcpy(&s, data->data, sizeof(s));
    return s.log_bytes == 0 && s.in_collective == 0 && s.stats.n_tasks >= 0 &&
           isfinite(s.stats.cost) && isfinite(s.stats.busy_s) && is_rate(s.stats.rate);
}

/* @return whether it is a number of 8 bytes, of at least `min` */
static bool is_count(const buf_t *data, int64_t min)
{
    int64_t n;

    if (data->len != sizeof(n))
        return false;
    memcpy(&n, data->data, sizeof(n));
    return n >= min;
}

static bool is_finish(const buf_t *data)
{
    int64_t n_steps;

    if (data->len != sizeof(worker_finish_t) ||
        data->data[offsetof(worker_finish_t, is_over)] > 1)
        return false;
    memcpy(&n_steps, data->data + offsetof(worker_finish_t, n_steps), sizeof(n_steps));
    return n_steps >= 0;
}

static bool is_state(const job_t *job, const buf_t *data)
{
    gang_state_t head;

    if (data->len < sizeof(head))
        return false;
    memcpy(&head, data->data, sizeof(head));
    return is_task(job, head.task) && head.version >= 0;
}

static bool is_bit(int64_t n)
{
    return n == 0 || n == 1;
}

static bool is_order(const buf_t *data)
{
    retreat_order_t o;

    if (data->len != sizeof(o))
        return false;
    memcpy(&o, data->data, sizeof(o));
    return o.order >= 0 && o.order < LENT_N_ORDERS && o.to >= 0;
}

static bool are_orders(const buf_t *data)
{
    gang_orders_t o;

    if (data->len != sizeof(o))
        return false;
    memcpy(&o, data->data, sizeof(o));
    return is_bit(o.stop) && is_bit(o.checkpoint) && o.kept >= -1;
}

static bool are_tasks(const job_t *job, const buf_t *data)
{
    int64_t task;

    for (size_t at = 0; at < data->len; at += sizeof(task)) {
        if (data->len - at < sizeof(task))
            return false;
        memcpy(&task, data->data + at, sizeof(task));
        if (!is_task(job, task))
            return false;
    }
    return true;
}

static bool are_checks(const job_t *job, const buf_t *data)
{
    worker_check_t check;

    for (size_t at = 0; at < data->len; at += sizeof(check)) {
        if (data->len - at < sizeof(check))
            return false;
        memcpy(&check, data->data + at, sizeof(check));
        if (!is_task(job, check.task) || !is_how(check.how))
            return false;
    }
    return true;
}

static const char *refuse_to_client(const job_t *job, const message_t *m)
{
    const buf_t *data = &m->data;

    switch (m->tag) {
    case TAG_RESULT:
        return are_results(job, data) ? NULL : "sent results that no device makes";
    case TAG_LOST:
        return is_number(data) && !is_gang(job) ? NULL : "sent a rate that is no number";
    case TAG_STEPS:
        return is_count(data, 0) && is_gang(job) ? NULL : "sent steps that are no number";
    case TAG_FINISHED:
        return is_finish(data) && is_gang(job) ? NULL : "sent an end that is none";
    case TAG_RETREAT:
        return is_order(data) ? NULL : "sent an order that does not exist";
    case TAG_FAILED:
        return is_failure(data) ? NULL : "sent an error that does not exist";
    case TAG_STOPPED:
        return is_end_of_worker(data) ? NULL : "sent impossible numbers of its work";
    case TAG_STOPPING:
    case TAG_LEAVING:
        return data->len == 0 ? NULL : "sent an answer with data";
    case TRANSPORT_GONE:
        return NULL;
    default:
        return "sent a message that no device sends";
    }
}

/* What only one kind of job has. */
static const char *refuse_work(const job_t *job, const message_t *m)
{
    const buf_t *data = &m->data;
    const bool is_free = !is_gang(job);

    switch (m->tag) {
    case TAG_GRANT:
        return is_free && are_tasks(job, data) ? NULL : "sent tasks that do not exist";
    case TAG_CHECK:
        return is_free && are_checks(job, data)
                   ? NULL
                   : "sent checks of tasks that do not exist";
    case TAG_HANGS:
        return is_free && data->len == 0 ? NULL : "sent an order with data";
    case TAG_STATE:
        return !is_free && is_state(job, data) ? NULL : "sent a state that is none";
    case TAG_BEGIN:
        return !is_free && is_count(data, -1) ? NULL : "sent a begin that is none";
    default:
        return !is_free && are_orders(data) ? NULL : "sent orders that are none";
    }
}

static const char *refuse_to_device(const job_t *job, const message_t *m)
{
    const buf_t *data = &m->data;

    switch (m->tag) {
    case TAG_GRANT:
    case TAG_CHECK:
    case TAG_HANGS:
    case TAG_STATE:
    case TAG_BEGIN:
    case TAG_ORDERS:
        return refuse_work(job, m);
    case TAG_EXIT:
        return data->len == sizeof(exit_t) ? NULL : "sent an end of another length";
    case TAG_STOP:
    case TAG_LEAVE:
        return data->len == 0 ? NULL : "sent an order with data";
    default:
        return "sent a message that no client sends";
    }
}

const char *message_refusal(const job_t *job, const message_t *m, bool to_client)
{
    return to_client ? refuse_to_client(job, m) : refuse_to_device(job, m);
}
