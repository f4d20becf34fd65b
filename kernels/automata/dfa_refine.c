/*
 * dfa_refine.c - Hopcroft's partition refinement: O(k n log n) for n states and k
 * classes of bytes.
 *
 * Blocks of states that may be equivalent are ranges of one list.  A block that is taken
 * off the work list splits every block of which some states, but not all, lead to it.
 */
#include "kernels/automata/dfa_refine.h"

#include "io/base/logmsg.h"
#include "kernels/align/common/align_run.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    const dfa_t *d;
    const int *cancel;    /* then what follows is left out */
    int32_t *list;        /* [n] states by block */
    int32_t *place;       /* [n] of each state in the list */
    int32_t *block;       /* [n] of each state; the caller's */
    int32_t *begin, *end; /* [n] of each block in the list */
    int32_t *n_marked;    /* [n] of each block: its first ones */
    int32_t n_blocks;
    int32_t *work, *touched, *states; /* [n] lists */
    int32_t n_work, n_touched;
    int64_t *first_source; /* [k n + 1] of a class and a state */
    int32_t *source;       /* [k n] states that lead to it with that class */
} partition_t;

static status_t partition_create(const dfa_t *d, const int *cancel, int32_t *block,
                                 partition_t *p)
{
    const size_t n = (size_t)d->n_states, cells = n * (size_t)d->n_classes;

    *p = (partition_t){.d = d,
                       .cancel = cancel,
                       .block = block,
                       .list = malloc(9 * n * sizeof(int32_t)),
                       .first_source = calloc(cells + 2, sizeof(int64_t)),
                       .source = malloc(cells * sizeof(int32_t))};
    if (p->list == NULL || p->first_source == NULL || p->source == NULL)
        return log_nomem("minimising an automaton");
    p->place = p->list + n;
    p->begin = p->place + n;
    p->end = p->begin + n;
    p->n_marked = p->end + n;
    p->work = p->n_marked + n;
    p->touched = p->work + n;
    p->states = p->touched + n;
    memset(p->n_marked, 0, n * sizeof(*p->n_marked));
    return ST_OK;
}

static void partition_free(partition_t *p)
{
    free(p->list);
    free(p->first_source);
    free(p->source);
}

/* List what leads to each state, by class. */
static void list_sources(partition_t *p)
{
    const int64_t n = p->d->n_states, k = p->d->n_classes;
    int64_t *first = p->first_source + 1; /* moved up by one while it is filled */

    for (int32_t s = 0; s < n && !align_cancelled(p->cancel); s++)
        for (int64_t c = 0; c < k; c++)
            first[c * n + dfa_next(p->d, s)[c] + 1]++;
    for (int64_t at = 0; at < k * n; at++)
        first[at + 1] += first[at];
    for (int32_t s = 0; s < n && !align_cancelled(p->cancel); s++)
        for (int64_t c = 0; c < k; c++)
            p->source[first[c * n + dfa_next(p->d, s)[c]]++] = s;
}

/* States with the same output form a block at first. */
static void begin_blocks(partition_t *p)
{
    const int32_t n = p->d->n_states, n_outputs = p->d->n_outputs;
    int32_t at = 0;

    for (int32_t output = 0; output < n_outputs; output++)
        p->states[output] = 0; /* outputs are of states: there are no more of them */
    for (int32_t s = 0; s < n; s++)
        p->states[dfa_output(p->d, s)]++;
    for (int32_t output = 0; output < n_outputs; output++) {
        const int32_t size = p->states[output];

        p->states[output] = p->n_blocks;
        if (size == 0)
            continue;
        p->begin[p->n_blocks] = p->end[p->n_blocks] = at;
        p->work[p->n_work++] = p->n_blocks++;
        at += size;
    }
    for (int32_t s = 0; s < n; s++) {
        const int32_t b = p->states[dfa_output(p->d, s)];

        p->block[s] = b;
        p->place[s] = p->end[b];
        p->list[p->end[b]++] = s;
    }
}

/* Move a state to the marked ones of its block. */
static void mark(partition_t *p, int32_t s)
{
    const int32_t b = p->block[s], to = p->begin[b] + p->n_marked[b], from = p->place[s];

    if (from < to)
        return; /* already */
    if (p->n_marked[b]++ == 0)
        p->touched[p->n_touched++] = b;
    p->list[from] = p->list[to];
    p->place[p->list[from]] = from;
    p->list[to] = s;
    p->place[s] = to;
}

/* Make the smaller one of the marked and the other states of a block a new block, whose
 * sources are to be split; those of the rest are, or will be, or need not be. */
static void split(partition_t *p, int32_t b)
{
    const int32_t n_marked = p->n_marked[b], size = p->end[b] - p->begin[b];
    const int32_t new = p->n_blocks, middle = p->begin[b] + n_marked;

    p->n_marked[b] = 0;
    if (n_marked == size)
        return;
    p->n_blocks++;
    if (2 * n_marked <= size) {
        p->begin[new] = p->begin[b];
        p->end[new] = p->begin[b] = middle;
    } else {
        p->end[new] = p->end[b];
        p->begin[new] = p->end[b] = middle;
    }
    for (int32_t k = p->begin[new]; k < p->end[new]; k++)
        p->block[p->list[k]] = new;
    p->work[p->n_work++] = new;
}

static void split_all(partition_t *p)
{
    const int64_t n = p->d->n_states;

    while (p->n_work > 0) {
        const int32_t b = p->work[--p->n_work], size = p->end[b] - p->begin[b];

        memcpy(p->states, p->list + p->begin[b], (size_t)size * sizeof(*p->states));
        for (int64_t c = 0; c < p->d->n_classes; c++) {
            if (align_cancelled(p->cancel))
                return;
            p->n_touched = 0;
            for (int32_t k = 0; k < size; k++)
                for (int64_t at = p->first_source[c * n + p->states[k]];
                     at < p->first_source[c * n + p->states[k] + 1]; at++)
                    mark(p, p->source[at]);
            for (int32_t k = 0; k < p->n_touched; k++)
                split(p, p->touched[k]);
        }
    }
}

status_t dfa_refine(const dfa_t *d, const int *cancel, int32_t *block, int32_t *n_blocks)
{
    partition_t p;
    status_t st = partition_create(d, cancel, block, &p);

    if (st == ST_OK) {
        list_sources(&p);
        begin_blocks(&p);
        split_all(&p);
        *n_blocks = p.n_blocks;
    }
    partition_free(&p);
    return st == ST_OK && align_cancelled(cancel) ? ST_ESTOPPED : st;
}
