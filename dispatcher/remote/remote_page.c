/*
 * remote_page.c - a page of memory between a server and a process that serves a client.
 */
#include "dispatcher/remote/remote_page.h"

#include "dispatcher/remote/remote_control.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static remote_page_t *map(int fd)
{
    void *at =
        mmap(NULL, sizeof(remote_page_t), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

    return at != MAP_FAILED ? at : NULL;
}

/* Sealed: a process that cut it would end the server by SIGBUS. */
remote_page_t *remote_page_create(int *fd)
{
    remote_page_t *page = NULL;

    *fd = memfd_create("ribogrid page", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (*fd >= 0 && ftruncate(*fd, sizeof(*page)) == 0 &&
        fcntl(*fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0)
        page = map(*fd);
    if (page != NULL)
        page->device = -1;
    else if (*fd >= 0)
        close(*fd);
    return page;
}

remote_page_t *remote_page_take(int fd)
{
    remote_page_t *page = fd >= 0 ? map(fd) : NULL;

    if (fd >= 0)
        close(fd);
    return page;
}

void remote_page_free(remote_page_t *page)
{
    if (page != NULL)
        munmap(page, sizeof(*page));
}

static bool is_locked(const remote_page_t *page)
{
    return page_devices_have(page->locked, page->device);
}

static lent_order_t look(lent_t *base, const lent_progress_t *now, int *to)
{
    remote_lent_t *l = (remote_lent_t *)base;
    remote_page_t *page = l->page;
    const int32_t n_moves = page->n_moves;

    page->n_tasks = now->n_tasks;
    page->is_busy = now->is_busy;
    page->left_ms = (int64_t)(now->left_s * 1000);
    *to = page->to;
    if (is_locked(page))
        return LENT_LEAVE;
    if (n_moves == l->n_moves)
        return LENT_STAY;
    l->n_moves = n_moves;
    return LENT_YIELD;
}

/* ---- turns ---- */

/* How long one call waits for a turn. */
enum { WAIT_NS = 20000000 };

static remote_lent_t *lent_of(turns_t *t)
{
    return (remote_lent_t *)(void *)((char *)t - offsetof(remote_lent_t, turns));
}

/* @return whether it was sent: there is room, and a server */
static bool tell(const remote_lent_t *l, control_kind_t kind)
{
    const control_t m = {.kind = kind};

    return control_send(l->control, &m, -1);
}

static bool take(turns_t *t)
{
    const struct timespec wait = {.tv_nsec = WAIT_NS};
    remote_lent_t *l = lent_of(t);

    if (l->has_it || (!l->has_asked && l->page->is_shared == 0))
        return true;
    if (!l->has_asked) {
        l->n_turns = l->page->n_turns;
        l->has_asked = tell(l, CONTROL_TURN);
    }
    (void)syscall(SYS_futex, &l->page->n_turns, FUTEX_WAIT, l->n_turns, &wait, NULL, 0);
    if (l->page->n_turns == l->n_turns)
        return false;
    l->has_asked = false;
    l->has_it = true;
    return true;
}

static bool is_over(turns_t *t)
{
    const remote_lent_t *l = lent_of(t);

    return l->has_it ? l->page->is_over != 0 : !l->has_asked && l->page->is_shared != 0;
}

static bool is_shared(turns_t *t)
{
    return lent_of(t)->page->is_shared != 0;
}

static void end(turns_t *t)
{
    remote_lent_t *l = lent_of(t);

    if (l->has_it || l->has_asked)
        (void)tell(l, CONTROL_TURN_END); /* the next one that is asked for ends it, too */
    l->has_it = l->has_asked = false;
}

/* ---- its begin ---- */

/* @return how many other runs compute on the device */
static int ask_others(int control, const remote_page_t *page)
{
    control_t m = {.kind = CONTROL_LOAD};
    int fd = -1;

    if (!control_send(control, &m, -1) || control_receive(control, true, &m, &fd) != 1)
        return 0;
    return page->n_others;
}

bool remote_lent_begin(remote_lent_t *l, remote_page_t *page, int control,
                       const char *job, const hello_request_t *r)
{
    *l = (remote_lent_t){.base = {.look = look, .turns = &l->turns},
                         .page = page,
                         .n_moves = page->n_moves,
                         .turns = {take, is_over, is_shared, end},
                         .control = control};
    snprintf(page->job, sizeof(page->job), "%s", job);
    page->rank = r->rank;
    page->run = r->run;
    page->device = r->index; /* from now on the server counts it */
    l->base.n_others = ask_others(control, page);
    return !is_locked(page);
}
