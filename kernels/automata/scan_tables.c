/*
 * scan_tables.c - makes the tables of the backends `nfa`.
 */
#include "kernels/automata/scan_tables.h"

#include "io/base/logmsg.h"

#include <stdlib.h>
#include <string.h>

/* Set the words of what follows a point, and mark it if it is a loop. */
static void fill_exit(scan_tables_t *t, const start_point_t *point, uint64_t *exit)
{
    const nfa_t *nfa = t->bits.nfa;
    const nfa_bits_pattern_t *p = &t->bits.pattern[point->pattern];
    const int64_t first = nfa->first[point->pattern];

    if (point->loop < 0) {
        memcpy(exit,
               nfa_bits_mask(&t->bits, p,
                             point->loop == START_POINT_BEGIN ? NFA_BITS_BEGINS
                                                              : NFA_BITS_STARTS),
               (size_t)p->n_words * sizeof(*exit));
        return;
    }
    for (int64_t k = nfa->first_edge[point->loop]; k < nfa->first_edge[point->loop + 1];
         k++)
        if (nfa->next[k] != point->loop)
            nfa_bits_set(exit, nfa->next[k] - first);
    nfa_bits_set(t->loops, scan_tables_bit(t, point->loop));
    t->n_loops++;
}

static status_t fill_exits(scan_tables_t *t)
{
    const int64_t n = t->filter.n_points;

    if ((t->exit = malloc(((size_t)n + 1) * sizeof(*t->exit))) == NULL)
        return log_nomem("patterns");
    for (int32_t k = 0; k < n; k++) {
        t->exit[k] = t->n_exit_words;
        t->n_exit_words += t->bits.pattern[t->filter.points[k].pattern].n_words;
    }
    t->loops = calloc((size_t)t->bits.n_state_words + 1, sizeof(*t->loops));
    t->exits = calloc((size_t)t->n_exit_words + 1, sizeof(*t->exits));
    if (t->loops == NULL || t->exits == NULL)
        return log_nomem("patterns");
    for (int32_t k = 0; k < n; k++)
        fill_exit(t, &t->filter.points[k], t->exits + t->exit[k]);
    return ST_OK;
}

status_t scan_tables_create(const nfa_t *nfa, const int32_t *group, scan_tables_t *out)
{
    scan_tables_t t = {.n_loops = 0};
    status_t st;

    if ((st = nfa_bits_create(nfa, &t.bits)) == ST_OK &&
        (st = start_filter_create(nfa, group, &t.filter)) == ST_OK &&
        (st = nfa_list_patterns(nfa, &t.pattern_of)) == ST_OK)
        st = fill_exits(&t);
    if (st == ST_OK)
        *out = t;
    else
        scan_tables_free(&t);
    return st;
}

void scan_tables_free(scan_tables_t *t)
{
    free(t->loops);
    free(t->exits);
    free(t->exit);
    free(t->pattern_of);
    start_filter_free(&t->filter);
    nfa_bits_free(&t->bits);
    *t = (scan_tables_t){.n_loops = 0};
}
