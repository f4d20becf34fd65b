#include "dispatcher/run.h"

#include "dispatcher/dispatcher.h"
#include "dispatcher/progress.h"
#include "dispatcher/protocol.h"
#include "io/base/logmsg.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t signalled;

/* What each rank tells of itself at the start. */
typedef struct {
    char host[BIND_HOST_BYTES];
    char device[DEVICE_NAME_BYTES];
    char kernel[32];
    int n_threads;
    double guess;
} card_t;

typedef struct {
    const job_ops_t *ops;
    void *job;
    transport_t *t;
    const binding_t *binding;
    job_plan_t plan;
    pool_t *pool;
    worker_t *worker;
    dispatcher_t *dispatcher; /* rank 0's */
    card_t *cards;            /* [n_ranks] */
    bool asked;               /* a signal was passed on */
    bool failed;              /* a failure was passed on */
    bool stuck;               /* the worker's thread did not end */
    bool over;
    status_t result;
} run_t;

static void on_signal(int number)
{
    (void)number;
    signalled = 1;
}

static void catch_signals(void)
{
    struct sigaction action = {.sa_handler = on_signal};

    sigemptyset(&action.sa_mask);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGUSR1, &action, NULL);
    signal(SIGPIPE, SIG_IGN);
}

static bool same_setup(const card_t *a, const card_t *b)
{
    return strcmp(a->host, b->host) == 0 && strcmp(a->device, b->device) == 0 &&
           strcmp(a->kernel, b->kernel) == 0 && a->n_threads == b->n_threads;
}

/* One line for all ranks of a host that are alike. */
static void announce(const run_t *r)
{
    int n = r->t->exchange.n_ranks;

    for (int i = 0; i < n; i++) {
        int alike = 0, first = i;

        for (int k = 0; k < n; k++)
            if (same_setup(&r->cards[k], &r->cards[i])) {
                first = k < first ? k : first;
                alike++;
            }
        if (first == i)
            log_info("%s: %d %s, %s, %d %s each, kernel %s", r->cards[i].host, alike,
                     alike == 1 ? "rank" : "ranks", r->cards[i].device,
                     r->cards[i].n_threads,
                     r->cards[i].n_threads == 1 ? "thread" : "threads",
                     r->cards[i].kernel);
    }
}

static status_t tell_cards(run_t *r, const char *kernel, double guess)
{
    card_t mine = {.n_threads = r->binding->n_threads, .guess = guess};
    status_t st;

    memcpy(mine.host, r->binding->host, sizeof(mine.host));
    memcpy(mine.device, r->binding->device.name, sizeof(mine.device));
    snprintf(mine.kernel, sizeof(mine.kernel), "%s", kernel);
    st = r->t->exchange.gather(&r->t->exchange, &mine, sizeof(mine), r->cards);
    if (st == ST_OK && r->t->exchange.rank == 0)
        announce(r);
    return st;
}

static status_t make_dispatcher(run_t *r)
{
    int n = r->t->exchange.n_ranks;
    double *guess = calloc((size_t)n, sizeof(*guess));
    status_t st;

    if (guess == NULL)
        return log_nomem("the dispatcher");
    for (int i = 0; i < n; i++)
        guess[i] = r->cards[i].guess;
    st = dispatcher_create(r->ops, r->job, &r->plan, r->t, guess, &r->dispatcher);
    free(guess);
    return st;
}

/* Everything before the first grant, in step with the other ranks. */
static status_t start(run_t *r)
{
    exchange_t *x = &r->t->exchange;
    const char *kernel = "";
    double guess = 1;
    status_t st;

    if ((st = r->ops->begin(r->job, x, &r->plan)) != ST_OK)
        return st;
    if ((st = exchange_agree(x, x->rank == 0 ? r->ops->open(r->job) : ST_OK)) != ST_OK)
        return st;
    if ((st = pool_create(r->binding->n_threads, &r->pool)) == ST_OK)
        st = r->ops->prepare(r->job, &r->binding->device, r->pool, &kernel, &guess);
    if (st == ST_OK)
        st = worker_create(r->ops, r->job, r->pool, guess, sizeof(result_head_t),
                           &r->worker);
    if (st == ST_OK && (r->cards = calloc((size_t)x->n_ranks, sizeof(*r->cards))) == NULL)
        st = log_nomem("the ranks' cards");
    if ((st = exchange_agree(x, st)) != ST_OK)
        return st;
    if ((st = tell_cards(r, kernel, guess)) != ST_OK)
        return st;
    catch_signals();
    return exchange_agree(x, x->rank == 0 ? make_dispatcher(r) : ST_OK);
}

static status_t send_to_0(run_t *r, tag_t tag, const void *data, size_t len)
{
    buf_t message = {0};
    status_t st = buf_append(&message, data, len);

    if (st != ST_OK) {
        buf_free(&message);
        return st;
    }
    return r->t->send(r->t, 0, tag, &message);
}

/* Send what the worker has finished. @param busy  out: true if there was anything */
static status_t send_results(run_t *r, bool *busy)
{
    double rate = worker_stats(r->worker).rate;
    worker_result_t result;
    buf_t message = {0};
    status_t st = ST_OK;

    while (st == ST_OK && worker_take(r->worker, &result)) {
        buf_t *data = &result.data;
        result_head_t head = {.task = result.task,
                              .rate = rate,
                              .len = data->len - sizeof(head)};

        memcpy(data->data, &head, sizeof(head));
        *busy = true;
        if (message.len + data->len <= RESULTS_BYTES && message.len > 0) {
            st = buf_append(&message, data->data, data->len);
            buf_free(data);
            continue;
        }
        if (message.len > 0)
            st = r->t->send(r->t, 0, TAG_RESULT, &message);
        message = *data;
    }
    if (st == ST_OK && message.len > 0)
        return r->t->send(r->t, 0, TAG_RESULT, &message);
    buf_free(&message);
    return st;
}

/* The worker's last words: its results, then what it did. */
static status_t say_bye(run_t *r)
{
    worker_stats_t stats;
    bool busy;
    status_t st;

    r->stuck = !worker_stop(r->worker, RUN_STOP_SECONDS);
    stats = worker_stats(r->worker);
    st = send_results(r, &busy);
    return st == ST_OK ? send_to_0(r, TAG_BYE, &stats, sizeof(stats)) : st;
}

static bool is_for_dispatcher(int tag)
{
    return tag == TAG_RESULT || tag == TAG_FAILED || tag == TAG_ASKED || tag == TAG_BYE;
}

static status_t on_message(run_t *r, message_t *m)
{
    int32_t status;
    status_t st = ST_OK;

    if (is_for_dispatcher(m->tag))
        return dispatcher_receive(r->dispatcher, m);
    switch ((tag_t)m->tag) {
    case TAG_GRANT:
        st = worker_give(r->worker, (const int64_t *)m->data.data,
                         (int)(m->data.len / sizeof(int64_t)));
        break;
    case TAG_STOP:
        st = say_bye(r);
        break;
    case TAG_EXIT:
        memcpy(&status, m->data.data, sizeof(status));
        r->result = (status_t)status;
        r->over = true;
        break;
    default:
        break;
    }
    buf_free(&m->data);
    return st;
}

/* Pass on what the worker has finished, and that it or the user wants to stop. */
static status_t worker_step(run_t *r, bool *busy)
{
    int32_t state = worker_state(r->worker);
    status_t st = send_results(r, busy);

    if (st == ST_OK && state != ST_OK && !r->failed) {
        r->failed = true;
        st = send_to_0(r, TAG_FAILED, &state, sizeof(state));
    }
    if (st == ST_OK && signalled && !r->asked) {
        r->asked = true;
        st = send_to_0(r, TAG_ASKED, NULL, 0);
    }
    return st;
}

/* What a rank did, for the result file. */
static char *rank_line(const run_t *r, int rank)
{
    worker_stats_t s = dispatcher_worker_stats(r->dispatcher, rank);
    const card_t *c = &r->cards[rank];
    char *line;

    if (asprintf(&line,
                 "rank=%d host=%s device=\"%s\" kernel=%s threads=%d %s=%lld %s=%.6g "
                 "busy_seconds=%.3f",
                 rank, c->host, c->device, c->kernel, c->n_threads, r->plan.task_word,
                 (long long)s.n_tasks, r->plan.cost_word, s.cost, s.busy_s) < 0)
        return NULL;
    log_verbose("%s", line);
    return line;
}

/* Rank 0, after all have said BYE: make the output, then let everybody go. */
static status_t end_run(run_t *r)
{
    int n = r->t->exchange.n_ranks;
    char **lines = calloc((size_t)n, sizeof(*lines));
    int32_t status = lines != NULL ? ST_OK : log_nomem("the report");
    status_t st = ST_OK;

    for (int i = 0; status == ST_OK && i < n; i++)
        if ((lines[i] = rank_line(r, i)) == NULL)
            status = log_nomem("the report");
    if (status == ST_OK)
        status = dispatcher_finish(r->dispatcher, lines);
    for (int i = 0; lines != NULL && i < n; i++)
        free(lines[i]);
    free(lines);
    for (int i = 0; st == ST_OK && i < n; i++) {
        buf_t message = {0};

        if ((st = buf_append(&message, &status, sizeof(status))) == ST_OK)
            st = r->t->send(r->t, i, TAG_EXIT, &message);
    }
    return st;
}

/* Rank 0's share of a turn. An error here ends the run: the others are told. */
static status_t dispatcher_turn(run_t *r)
{
    status_t st = dispatcher_step(r->dispatcher);
    double since;

    if (st != ST_OK)
        dispatcher_stop(r->dispatcher, st);
    if (dispatcher_is_over(r->dispatcher))
        return end_run(r);
    if (dispatcher_is_stopping(r->dispatcher, &since) &&
        progress_now_s() - since > 2 * RUN_STOP_SECONDS) {
        /* A rank does not answer: keep what there is and have the launcher end the rest.
         */
        status_t kept = dispatcher_finish(r->dispatcher, NULL);

        log_error("a rank does not stop; ending without it");
        r->t->abandon(r->t, status_exit_code(kept));
    }
    return ST_OK;
}

static status_t loop(run_t *r)
{
    useconds_t nap = RUN_SLEEP_MIN_US;
    bool leads = r->dispatcher != NULL, ended = false;
    status_t st = ST_OK;
    double since;

    while (st == ST_OK && !r->over) {
        bool busy = false, got = false;
        message_t m;

        st = worker_step(r, &busy);
        if (st == ST_OK && !(leads && dispatcher_is_full(r->dispatcher)))
            st = r->t->receive(r->t, &m, &got);
        if (st == ST_OK && got)
            st = on_message(r, &m);
        if (st == ST_OK && leads && !ended) {
            st = dispatcher_turn(r);
            ended = dispatcher_is_over(r->dispatcher);
        }
        if (st != ST_OK && leads && !dispatcher_is_stopping(r->dispatcher, &since)) {
            dispatcher_stop(r->dispatcher, st); /* the others end in order */
            st = ST_OK;
        }
        busy = busy || got;
        nap = busy                         ? RUN_SLEEP_MIN_US
              : nap * 2 < RUN_SLEEP_MAX_US ? nap * 2
                                           : RUN_SLEEP_MAX_US;
        if (!busy)
            usleep(nap);
    }
    return st == ST_OK ? r->result : st;
}

status_t run_job(const job_ops_t *ops, void *job, transport_t *t,
                 const binding_t *binding)
{
    run_t r = {.ops = ops, .job = job, .t = t, .binding = binding};
    status_t st = start(&r);

    if (st == ST_OK) {
        st = loop(&r);
        if (!r.over) { /* this rank alone is in trouble: the others would wait for ever */
            if (r.dispatcher != NULL && dispatcher_finish(r.dispatcher, NULL) != st)
                log_verbose("the log was closed after the failure above");
            t->abandon(t, status_exit_code(st));
        }
    } else if (r.worker != NULL && !worker_stop(r.worker, RUN_STOP_SECONDS)) {
        r.stuck = true;
    }
    dispatcher_destroy(r.dispatcher);
    free(r.cards);
    if (r.stuck) { /* its thread still uses the job: the process must end without it */
        t->abandon(t, status_exit_code(st));
        return st;
    }
    worker_destroy(r.worker);
    ops->destroy(job);
    pool_destroy(r.pool);
    return st;
}
