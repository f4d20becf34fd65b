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

/* @return whose time can be forgotten: it is the least above that of the device */
static turn_usage_t *least_ahead(remote_turns_t *t)
{
    turn_usage_t *least = &t->at[0];

    for (turn_usage_t *u = t->at; u < t->at + t->n; u++)
        if (u->used_s - t->begun_s[u->device] < least->used_s - t->begun_s[least->device])
            least = u;
    return least;
}

/* @return the user's time on the run's device, which is >= 0; a new one's is that of the
 * device */
static turn_usage_t *usage_of(remote_turns_t *t, const turn_run_t *run)
{
    turn_usage_t *u;

    for (u = t->at; u < t->at + t->n; u++)
        if (u->device == run->device && strcmp(u->user, run->user) == 0)
            return u;
    u = t->n < TURN_USERS_MAX ? &t->at[t->n++] : least_ahead(t);
    *u = (turn_usage_t){.device = run->device, .used_s = t->begun_s[run->device]};
    snprintf(u->user, sizeof(u->user), "%s", run->user);
    return u;
}

/* @return what its user will have had if its turn ends now */
static double used_now(remote_turns_t *t, const turn_run_t *run, double now)
{
    const double held_s = run->turn->state >= TURN_HAS ? now - run->turn->since_s : 0;

    return usage_of(t, run)->used_s + held_s / run->weight;
}

void remote_turns_ask(remote_turns_t *t, const turn_run_t *run, double now)
{
    turn_usage_t *mine;

    if (run->turn->state == TURN_WAITS || run->device < 0)
        return;
    remote_turns_end(t, run, now); /* which may not have arrived */
    mine = usage_of(t, run);
    mine->used_s = fmax(mine->used_s, t->begun_s[run->device]);
    *run->turn = (turn_t){.state = TURN_WAITS, .since_s = now};
}

void remote_turns_end(remote_turns_t *t, const turn_run_t *run, double now)
{
    if (run->turn->state != TURN_NONE && run->device >= 0) {
        const double used_s = used_now(t, run, now);

        usage_of(t, run)->used_s = used_s;
    }
    *run->turn = (turn_t){.state = TURN_NONE};
}

/* ---- whose turn it is ---- */

static void give(remote_turns_t *t, const turn_run_t *run, double now)
{
    remote_page_t *page = run->page;

    t->begun_s[run->device] = fmax(t->begun_s[run->device], usage_of(t, run)->used_s);
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
        if (all[i].turn->state == TURN_WAITS && all[i].device == device &&
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
        if (all[i].turn->state == TURN_HAS && all[i].device == device)
            is_held = holds(t, &all[i], next, now) || is_held;
    if (next != NULL && !is_held)
        give(t, next, now);
}

/* Nobody is ahead of others on a device that nobody has or waits for. */
static void forget(remote_turns_t *t, const bool *is_wanted)
{
    for (const turn_usage_t *u = t->at; u < t->at + t->n; u++)
        if (!is_wanted[u->device])
            t->begun_s[u->device] = fmax(t->begun_s[u->device], u->used_s);
}

void remote_turns_look(remote_turns_t *t, const turn_run_t *all, int n, double now)
{
    bool is_wanted[PAGE_DEVICES_MAX] = {false};
    int n_busy[PAGE_DEVICES_MAX] = {0};

    for (const turn_run_t *run = all; run < all + n; run++)
        if (run->device >= 0) {
            n_busy[run->device] += run->page->is_busy != 0;
            is_wanted[run->device] |= run->turn->state != TURN_NONE;
        }
    for (const turn_run_t *run = all; run < all + n; run++)
        if (run->device >= 0)
            run->page->is_shared = n_busy[run->device] > 1;
    forget(t, is_wanted);
    for (int d = 0; d < PAGE_DEVICES_MAX; d++)
        look_at(t, all, n, d, now);
}
