/*
 * dfa_compress.c - finds defaults, and drops the cells that they make superfluous.
 */
#include "kernels/automata/dfa_compress.h"

#include "io/base/logmsg.h"

#include <stdlib.h>
#include <string.h>

const char *const dfa_rule_name[DFA_N_RULES] = {"skip", "within"};

/* A group that is being compressed. */
typedef struct {
    const dfa_compress_t *how;
    const int32_t *next; /* [n][n_classes] */
    int64_t n;
    int32_t n_classes;
    const int32_t *level; /* [n] -1: no byte leads there */
    int32_t *fallback;    /* [n] */
    int64_t *n_cells;     /* [n] */
} group_t;

/* ---- levels ---- */

/* Put a state into the queue unless it is there. @param n  states in it */
static void enter(int32_t state, int32_t level, int32_t *levels, int32_t *queue,
                  int64_t *n)
{
    if (levels[state] < 0) {
        levels[state] = level;
        queue[(*n)++] = state;
    }
}

/* Find the level of each state, breadth first.
 * @param middle  as of a dfa_set_t @param queue  [n] scratch */
static void find_levels(const group_t *g, int32_t middle, int32_t *levels, int32_t *queue)
{
    int64_t n = 0;

    memset(levels, -1, (size_t)g->n * sizeof(*levels));
    enter(0, 0, levels, queue, &n);
    if (middle >= 0)
        enter(middle, 0, levels, queue, &n);
    for (int64_t k = 0; k < n; k++)
        for (int32_t c = 0; c < g->n_classes; c++)
            enter(g->next[(int64_t)queue[k] * g->n_classes + c], levels[queue[k]] + 1,
                  levels, queue, &n);
}

/* ---- defaults ---- */

static bool is_allowed(const dfa_compress_t *how, int64_t levels)
{
    return levels >= 1 &&
           (how->rule == DFA_RULE_SKIP ? levels >= how->d : levels <= how->d);
}

static int32_t count_equal(const int32_t *a, const int32_t *b, int32_t n)
{
    int32_t count = 0;

    for (int32_t c = 0; c < n; c++)
        count += a[c] == b[c];
    return count;
}

/* Find the default of a state, and count the cells that are left. */
static void find_default(void *ctx, int64_t s, int thread)
{
    const group_t *g = ctx;
    int32_t best = 1;

    (void)thread;
    g->fallback[s] = -1;
    for (int64_t t = 0; t < s && g->level[s] > 0; t++)
        if (g->level[t] >= 0 && is_allowed(g->how, g->level[s] - g->level[t])) {
            const int32_t n = count_equal(g->next + s * g->n_classes,
                                          g->next + t * g->n_classes, g->n_classes);

            if (n > best) {
                best = n;
                g->fallback[s] = (int32_t)t;
            }
        }
    g->n_cells[s] = g->n_classes - (g->fallback[s] >= 0 ? best : 0);
}

/* Fill in the cells of a state in which it differs from its default. */
static void fill_cells(const group_t *g, int64_t s, int32_t *next, uint8_t *cell_class)
{
    const int32_t *row = g->next + s * g->n_classes;
    const int32_t *base = g->next + (int64_t)g->fallback[s] * g->n_classes;

    for (int32_t c = 0; c < g->n_classes; c++)
        if (g->fallback[s] < 0 || row[c] != base[c]) {
            *next++ = row[c];
            *cell_class++ = (uint8_t)c;
        }
}

/* ---- all groups ---- */

/* Set what a group has in common; its rows begin where those of the last one end. */
static void go_to_group(const dfa_set_t *d, int64_t k, group_t *g)
{
    const int64_t first = d->first_state[k];

    g->next = k == 0 ? d->next : g->next + g->n * g->n_classes;
    g->n = d->first_state[k + 1] - first;
    g->n_classes = d->n_classes[k];
    g->fallback = d->fallback + first;
    g->n_cells = d->first_cell + first + 1;
}

static void find_defaults(const dfa_set_t *d, const dfa_compress_t *how, pool_t *pool,
                          int32_t *scratch)
{
    group_t g = {.how = how, .level = scratch};

    d->first_cell[0] = 0;
    for (int64_t k = 0; k < d->n_groups; k++) {
        go_to_group(d, k, &g);
        find_levels(&g, d->middle[k], scratch, scratch + d->n_states);
        pool_run(pool, g.n, find_default, &g);
    }
    for (int64_t s = 0; s < d->n_states; s++)
        d->first_cell[s + 1] += d->first_cell[s];
}

/* Replace all cells by those that are left. */
static status_t drop_cells(dfa_set_t *d)
{
    const size_t n = (size_t)d->first_cell[d->n_states];
    int32_t *next = malloc((n + 1) * sizeof(*next));
    group_t g = {.how = NULL};

    d->cell_class = malloc(n + 1);
    if (next == NULL || d->cell_class == NULL) {
        free(next);
        return log_nomem("compressed automata");
    }
    for (int64_t k = 0; k < d->n_groups; k++) {
        go_to_group(d, k, &g);
        for (int64_t s = 0; s < g.n; s++) {
            const int64_t at = d->first_cell[d->first_state[k] + s];

            fill_cells(&g, s, next + at, d->cell_class + at);
        }
    }
    free(d->next);
    d->next = next;
    d->n_cells = (int64_t)n;
    return ST_OK;
}

status_t dfa_compress(dfa_set_t *d, const dfa_compress_t *how, pool_t *pool)
{
    const size_t n = (size_t)d->n_states + 1;
    int32_t *scratch = malloc(2 * n * sizeof(*scratch));
    dfa_set_t c = *d;
    status_t st = ST_OK;

    c.fallback = malloc(n * sizeof(*c.fallback));
    c.first_cell = malloc(n * sizeof(*c.first_cell));
    if (scratch == NULL || c.fallback == NULL || c.first_cell == NULL) {
        st = log_nomem("compressed automata");
    } else {
        find_defaults(&c, how, pool, scratch);
        st = drop_cells(&c);
    }
    free(scratch);
    if (st == ST_OK) {
        *d = c;
    } else {
        free(c.fallback);
        free(c.first_cell);
        free(c.cell_class);
    }
    return st;
}
