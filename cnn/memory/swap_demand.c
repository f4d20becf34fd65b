/*
 * swap_demand.c - the policy "demand", of virtualized memory for networks: tensors come
 * when a step needs them, and the least recently used ones leave for them.
 *
 * The tensors of a step are the working set, which stays; all others in the arena are the
 * candidate pool.  What the runs before have left in the arena counts; where it differs
 * from run to run, every run begins with an empty arena instead.
 */
#include "cnn/memory/swap_gaps.h"

#include "io/base/logmsg.h"

#include <stdlib.h>
#include <string.h>

enum { N_RUNS = 4 };

typedef struct {
    int first_gap, n_gaps;
    int first, last; /* places of its uses */
    bool is_in;      /* the arena */
    int last_used;   /* counts the places of all runs */
} tensor_t;

typedef struct {
    swap_gaps_t *g;
    tensor_t *tensors; /* [n_tensors] */
    size_t *others;    /* [n_places] bytes of those without gaps */
    bool *misses;      /* [n_gaps] of this run */
    size_t in, limit;  /* bytes of those with gaps that are in; of the arena */
    int now;
} cache_t;

static const cnn_tensor_t *tensor_of(const cache_t *c, int tensor)
{
    return &c->g->program->tensors[tensor];
}

static void enter(cache_t *c, int tensor, bool is_in)
{
    tensor_t *t = &c->tensors[tensor];

    if (t->is_in == is_in)
        return;
    t->is_in = is_in;
    c->in += is_in ? cnn_tensor_room(tensor_of(c, tensor))
                   : -cnn_tensor_room(tensor_of(c, tensor));
}

/* Images stay from their last use to their first one of the next run. */
static bool may_leave(const cache_t *c, int tensor, int place)
{
    const tensor_t *t = &c->tensors[tensor];

    return t->is_in && t->last_used < c->now &&
           (tensor_of(c, tensor)->role != CNN_INPUT ||
            (t->first < place && place < t->last));
}

/* @return the least recently used tensor outside the working set, or -1 */
static int find_oldest(const cache_t *c, int place)
{
    int oldest = -1;

    for (int t = 0; t < c->g->program->n_tensors; t++)
        if (may_leave(c, t, place) &&
            (oldest < 0 || c->tensors[t].last_used < c->tensors[oldest].last_used))
            oldest = t;
    return oldest;
}

static void use(cache_t *c, int tensor, int place)
{
    tensor_t *t = &c->tensors[tensor];

    for (int i = t->first_gap; !t->is_in && i < t->first_gap + t->n_gaps; i++)
        if (c->g->gaps[i].to == place)
            c->misses[i] = true;
    if (t->n_gaps > 0)
        enter(c, tensor, true);
    t->last_used = c->now;
}

static void run_place(cache_t *c, int place)
{
    const cnn_program_t *p = c->g->program;
    int oldest;

    c->now++;
    for (int k = c->g->order[place]; k < swap_gaps_end(c->g, place); k++) {
        const cnn_step_t *s = &p->steps[k];

        for (int i = 0; i < s->n_reads; i++)
            use(c, s->reads[i], place);
        for (int i = 0; i < s->n_writes; i++)
            use(c, s->writes[i], place);
    }
    while (c->in + c->others[place] > c->limit && (oldest = find_oldest(c, place)) >= 0)
        enter(c, oldest, false);
    for (int t = 0; t < p->n_tensors; t++)
        if (c->tensors[t].last == place && !cnn_tensor_lasts(&p->tensors[t]))
            enter(c, t, false);
}

static void run(cache_t *c)
{
    memset(c->misses, 0, (size_t)c->g->n_gaps * sizeof(*c->misses));
    for (int place = 0; place < c->g->n_places; place++)
        run_place(c, place);
}

/* Begin with the images alone. */
static void clear(cache_t *c)
{
    for (int t = 0; t < c->g->program->n_tensors; t++)
        enter(c, t, c->tensors[t].n_gaps > 0 && tensor_of(c, t)->role == CNN_INPUT);
}

/* @return whether no more lives anywhere than fits */
static bool take_misses(cache_t *c)
{
    bool fits = true;

    for (int i = 0; i < c->g->n_gaps; i++)
        swap_gaps_take(c->g, i, c->misses[i]);
    for (int place = 0; place < c->g->n_places; place++)
        fits = fits && c->g->live[place] <= c->limit;
    return fits;
}

static void note_uses(cache_t *c, const cnn_step_t *s, int place)
{
    for (int i = 0; i < s->n_reads + s->n_writes; i++) {
        tensor_t *t = &c->tensors[cnn_step_tensor(s, i)];

        if (t->first < 0)
            t->first = place;
        t->last = place;
    }
}

static void prepare(cache_t *c)
{
    const cnn_program_t *p = c->g->program;

    for (int i = 0; i < c->g->n_gaps; i++) {
        tensor_t *t = &c->tensors[c->g->gaps[i].tensor];

        if (t->n_gaps++ == 0)
            t->first_gap = i;
    }
    for (int t = 0; t < p->n_tensors; t++)
        c->tensors[t].first = c->tensors[t].last = -1;
    for (int place = 0; place < c->g->n_places; place++)
        for (int k = c->g->order[place]; k < swap_gaps_end(c->g, place); k++)
            note_uses(c, &p->steps[k], place);
    for (int place = 0; place < c->g->n_places; place++) {
        c->others[place] = c->g->live[place];
        for (int t = 0; t < p->n_tensors; t++)
            if (c->tensors[t].n_gaps > 0 &&
                (cnn_tensor_lasts(&p->tensors[t]) ||
                 (c->tensors[t].first <= place && place <= c->tensors[t].last)))
                c->others[place] -= cnn_tensor_room(&p->tensors[t]);
    }
}

status_t swap_demand_take(swap_gaps_t *g, size_t arena_bytes)
{
    const cnn_program_t *p = g->program;
    cache_t c = {.g = g,
                 .tensors = calloc((size_t)p->n_tensors + 1, sizeof(*c.tensors)),
                 .others = calloc((size_t)g->n_places + 1, sizeof(*c.others)),
                 .misses = calloc((size_t)g->n_gaps + 1, sizeof(*c.misses)),
                 .limit = arena_bytes};
    status_t st = ST_OK;

    if (c.tensors == NULL || c.others == NULL || c.misses == NULL) {
        st = log_nomem("the plan of a network");
    } else {
        prepare(&c);
        clear(&c);
        for (int i = 0; i < N_RUNS; i++)
            run(&c);
        if (!take_misses(&c)) {
            clear(&c);
            run(&c);
            (void)take_misses(&c);
        }
    }
    free(c.tensors);
    free(c.others);
    free(c.misses);
    return st;
}
