/*
 * remote_turns.c - turns of the runs that share a device of a server.
 */
#include "dispatcher/remote/remote_turns.h"

#include <limits.h>
#include <linux/futex.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- what users have had ---- */

/* @return the user's time on the run's device; a new one's takes the place of any other's
 * when there is no room */
static turn_usage_t *usage_of(remote_turns_t *t, const turn_run_t *run)
{
    const int device = page_device(run->page);
    turn_usage_t *u;

    for (int i = 0; i < t->n; i++)
        if (t->at[i].device == device && strcmp(t->at[i].user, run->user) == 0)
            return &t->at[i];
    u = &t->at[t->n < TURN_USERS_MAX ? t->n++ : 0];
    *u = (turn_usage_t){.device = device};
    snprintf(u->user, sizeof(u->user), "%s", run->user);
    return u;
}

/* @return what its user will have had if its turn ends now */
static double used_now(remote_turns_t *t, const turn_run_t *run, double now)
{
    const double held_s = run->turn->state >= TURN_HAS ? now - run->turn->since_s : 0;

    return usage_of(t, run)->used_s + held_s / run->weight;
}

static bool is_on(const turn_run_t *run, int device)
{
    return page_device(run->page) == device;
}

void remote_turns_ask(remote_turns_t *t, const turn_run_t *run, const turn_run_t *all,
                      int n, double now)
{
    turn_usage_t *mine = usage_of(t, run);
    double least = INFINITY;

    if (run->turn->state != TURN_NONE)
        return;
    for (int i = 0; i < n; i++)
        if (all[i].turn->state != TURN_NONE && is_on(&all[i], mine->device))
            least = fmin(least, usage_of(t, &all[i])->used_s);
    if (least < INFINITY && mine->used_s < least)
        mine->used_s = least;
    *run->turn = (turn_t){.state = TURN_WAITS, .since_s = now};
}

void remote_turns_end(remote_turns_t *t, const turn_run_t *run, double now)
{
    usage_of(t, run)->used_s = used_now(t, run, now);
    *run->turn = (turn_t){.state = TURN_NONE};
}

/* ---- whose turn it is ---- */

static void give(const turn_run_t *run, double now)
{
    remote_page_t *page = run->page;

    *run->turn = (turn_t){.state = TURN_HAS, .since_s = now};
    page->is_over = 0;
    page->n_turns++;
    (void)syscall(SYS_futex, &page->n_turns, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

/* @return whether a run's turn is before another's: its user is further behind, or, of
 * one user, it has waited for longer */
static bool is_before(remote_turns_t *t, const turn_run_t *a, const turn_run_t *b)
{
    const double used_a = usage_of(t, a)->used_s, used_b = usage_of(t, b)->used_s;

    return used_a < used_b || (used_a <= used_b && a->turn->since_s < b->turn->since_s);
}

/* @return the run that is next on a device, or NULL: none waits */
static const turn_run_t *find_next(remote_turns_t *t, const turn_run_t *all, int n,
                                   int device)
{
    const turn_run_t *next = NULL;

    for (int i = 0; i < n; i++)
        if (all[i].turn->state == TURN_WAITS && is_on(&all[i], device) &&
            (next == NULL || is_before(t, &all[i], next)))
            next = &all[i];
    return next;
}

/* Have a turn end when it is time. @return whether it still keeps others waiting */
static bool holds(remote_turns_t *t, const turn_run_t *run, const turn_run_t *next,
                  double now)
{
    turn_t *turn = run->turn;

    if (turn->over_s <= 0 && now - turn->since_s >= TURN_S &&
        used_now(t, run, now) > usage_of(t, next)->used_s) {
        turn->over_s = now;
        run->page->is_over = 1;
    }
    if (turn->over_s > 0 && now - turn->over_s > TURN_LATE_S)
        turn->state = TURN_LATE;
    return turn->state == TURN_HAS;
}

static void look_at(remote_turns_t *t, const turn_run_t *all, int n, int device,
                    double now)
{
    const turn_run_t *next = find_next(t, all, n, device);
    bool is_held = false;

    for (int i = 0; next != NULL && i < n; i++)
        if (all[i].turn->state == TURN_HAS && is_on(&all[i], device))
            is_held = holds(t, &all[i], next, now) || is_held;
    if (next != NULL && !is_held)
        give(next, now);
}

void remote_turns_look(remote_turns_t *t, const turn_run_t *all, int n, double now)
{
    int n_busy[PAGE_DEVICES_MAX] = {0};

    /* processes may write to their pages at any time: each word is read once */
    for (int i = 0; i < n; i++) {
        const int device = page_device(all[i].page);

        if (device >= 0 && all[i].page->is_busy != 0)
            n_busy[device]++;
    }
    for (int i = 0; i < n; i++) {
        const int device = page_device(all[i].page);

        if (device >= 0)
            all[i].page->is_shared = n_busy[device] > 1;
    }
    for (int d = 0; d < PAGE_DEVICES_MAX; d++)
        look_at(t, all, n, d, now);
}
