/*
 * run_lost.c - what signals a rank has received, and whether the launcher sent SIGTERM
 * because another rank was lost: it ends a run so, and kills this rank about a second
 * later.
 *
 * A process of this host that existed at the start and is gone is lost.  Ranks of other
 * hosts answer a request to stop at once; one that does not answer is lost.  Rank 0
 * says so, or rank 1 if it is rank 0 that was lost.
 */
#include "dispatcher/run_state.h"
#include "io/base/clock.h"
#include "io/base/logmsg.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* How long ranks of other hosts may take to answer.  Open MPI kills after 1 s. */
static const double answer_s = 0.3;

static volatile sig_atomic_t n_signals, n_terms;
static volatile sig_atomic_t is_watched; /* the main thread looks at these numbers */

/* While the result is written, the main thread cannot look for lost ranks: the signal's
 * handler writes this line then.  len 0: not now. */
static char last_words[4096]; /* written at once */
static volatile sig_atomic_t last_words_len;

static void on_signal(int number)
{
    int before = errno;

    if (n_signals > 0 && !is_watched) { /* a second one, while the run still starts */
        signal(number, SIG_DFL);
        raise(number);
    }
    n_terms = n_terms + (number == SIGTERM);
    n_signals = n_signals + 1; /* last: the main thread looks at this one first */
    if (number == SIGTERM && last_words_len > 0) {
        size_t len = (size_t)last_words_len;

        last_words_len = 0;
        if (write(STDERR_FILENO, last_words, len) < 0)
            errno = 0; /* stderr is gone: there is nowhere to report it */
    }
    errno = before;
}

void run_lost_catch_signals(void)
{
    struct sigaction action = {.sa_handler = on_signal};

    sigemptyset(&action.sa_mask);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGUSR1, &action, NULL);
    signal(SIGPIPE, SIG_IGN);
}

int run_lost_signals(void)
{
    is_watched = 1;
    return n_signals;
}

enum { KEPT_BYTES = 3500 };

/* "finished work stays in PAIRS.h5.part: run again with --resume" */
static const char *kept(const run_t *r, char out[KEPT_BYTES])
{
    const char *in = r->job->plan.kept_in;

    if (in != NULL && *in == '\0')
        return "nothing is kept of a run with -o -: run again";
    snprintf(out, KEPT_BYTES, "finished work %s%.3400s: run again with --resume",
             in != NULL ? "stays in " : "is kept", in != NULL ? in : "");
    return out;
}

void run_lost_begin_output(const run_t *r)
{
    char where[KEPT_BYTES];

    if (r->t->exchange.n_ranks == 1)
        return;
    last_words_len = snprintf(last_words, sizeof(last_words),
                              "ribogrid[%d]: SIGTERM while the result is written; if the "
                              "launcher ends this run "
                              "because a rank was lost, %s\n",
                              r->t->exchange.rank, kept(r, where));
}

void run_lost_end_output(void)
{
    last_words_len = 0;
}

void run_lost_find_processes(run_t *r)
{
    const char *host = r->binding->host;

    for (int i = 0; i < r->t->exchange.n_ranks; i++)
        r->ranks[i].is_visible =
            strcmp(r->ranks[i].host, host) == 0 && kill(r->ranks[i].pid, 0) == 0;
}

static bool is_lost(const run_t *r, int rank, double now)
{
    const rank_info_t *info = &r->ranks[rank];

    if (info->is_visible)
        return kill(info->pid, 0) != 0 && errno == ESRCH;
    if (rank != 0 && r->dispatcher == NULL)
        return false; /* only rank 0 asks */
    return r->asked_s > 0 && now - r->asked_s > answer_s && !info->has_answered;
}

void run_lost_note_answer(run_t *r, const message_t *m)
{
    bool answers = r->dispatcher != NULL ? m->tag == TAG_STOPPING || m->tag == TAG_STOPPED
                                         : m->tag == TAG_STOP || m->tag == TAG_EXIT;

    if (answers)
        r->ranks[m->source].has_answered = true;
}

/* Rank 0 asks when it begins to stop the others; others ask rank 0 by their request to
 * stop, which a gang may answer only after its step. */
static void note_asked(run_t *r)
{
    if (r->asked_s > 0)
        return;
    if (r->dispatcher != NULL) {
        double since;

        if (dispatcher_is_stopping(r->dispatcher, &since))
            r->asked_s = since;
    } else if (r->job->plan.kind == JOB_FREE) {
        r->asked_s = clock_now_s();
    }
}

void run_lost_look(run_t *r)
{
    int me = r->t->exchange.rank, n = r->t->exchange.n_ranks;
    double now = clock_now_s();
    char where[KEPT_BYTES];

    if (n_terms == 0 || r->has_lost || r->t->drop != NULL)
        return; /* a remote device may go: no launcher ends this run */
    note_asked(r);
    for (int i = 0; i < n && !r->has_lost; i++) {
        if (i == me || !is_lost(r, i, now))
            continue;
        r->has_lost = true;
        if (me == (i == 0 ? 1 : 0))
            log_error("rank %d on %s was lost, and the launcher ends this run; %s", i,
                      r->ranks[i].host, kept(r, where));
    }
}
