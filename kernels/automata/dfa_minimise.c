/*
 * dfa_minimise.c - Hopcroft's partition refinement: O(k n log n) for n states and k
 * classes of bytes.
 *
 * Blocks of states that may be equivalent are ranges of one list.  A block that is taken
 * off the work list splits every block of which some states, but not all, lead to it.
 */
#include "kernels/automata/dfa_build.h"

#include "io/base/logmsg.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    const dfa_t *d;
    int32_t *list;        /* [n] states by block */
    int32_t *place;       /* [n] of each state in the list */
    int32_t *block;       /* [n] of each state */
    int32_t *begin, *end; /* [n] of each block in the list */
    int32_t *n_marked;    /* [n] of each block: its first ones */
    int32_t n_blocks;
    int32_t *work, *touched, *states; /* [n] lists */
    int32_t n_work, n_touched;
    int64_t *first_source; /* [k n + 1] of a class and a state */
    int32_t *source;       /* [k n] states that lead to it with that class */
} partition_t;

static status_t partition_create(const dfa_t *d, partition_t *p)
{
    const size_t n = (size_t)d->n_states, cells = n * (size_t)d->n_classes;

    *p = (partition_t){.d = d,
                       .list = malloc(10 * n * sizeof(int32_t)),
                       .first_source = calloc(cells + 2, sizeof(int64_t)),
                       .source = malloc(cells * sizeof(int32_t))};
    if (p->list == NULL || p->first_source == NULL || p->source == NULL)
        return log_nomem("minimising an automaton");
    p->place = p->list + n;
    p->block = p->place + n;
    p->begin = p->block + n;
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

    for (int32_t s = 0; s < n; s++)
        for (int64_t c = 0; c < k; c++)
            first[c * n + dfa_next(p->d, s)[c] + 1]++;
    for (int64_t at = 0; at < k * n; at++)
        first[at + 1] += first[at];
    for (int32_t s = 0; s < n; s++)
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

static void refine(partition_t *p)
{
    const int64_t n = p->d->n_states;

    while (p->n_work > 0) {
        const int32_t b = p->work[--p->n_work], size = p->end[b] - p->begin[b];

        memcpy(p->states, p->list + p->begin[b], (size_t)size * sizeof(*p->states));
        for (int64_t c = 0; c < p->d->n_classes; c++) {
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

/* ---- the smaller automaton ---- */

/* Number blocks in the order in which bytes first lead to them.
 * @param number    [n_blocks] out
 * @param of_block  [n_blocks] out: the first state found of each, by number */
static void number_blocks(const partition_t *p, int32_t *number, int32_t *of_block)
{
    const dfa_t *d = p->d;
    int32_t n = 1;

    memset(number, -1, (size_t)p->n_blocks * sizeof(*number));
    number[p->block[0]] = 0;
    of_block[0] = 0;
    if (d->middle >= 0 && number[p->block[d->middle]] < 0) {
        number[p->block[d->middle]] = n;
        of_block[n++] = d->middle;
    }
    for (int32_t k = 0; k < n; k++)
        for (int32_t c = 0; c < d->n_classes; c++) {
            const int32_t next = dfa_next(d, of_block[k])[c];

            if (number[p->block[next]] < 0) {
                number[p->block[next]] = n;
                of_block[n++] = next;
            }
        }
}

/* Merge classes whose columns are equal; the columns of a class are compared with those
 * of classes of the same digest only. @param merged  [n_classes] out: its new number
 * @return how many there are */
static int32_t merge_classes(const dfa_t *d, int32_t merged[256])
{
    uint64_t digest[256] = {0};
    int32_t first[256], n = 0;

    for (int32_t s = 0; s < d->n_states; s++)
        for (int32_t c = 0; c < d->n_classes; c++)
            digest[c] = (digest[c] ^ (uint64_t)dfa_next(d, s)[c]) * 0xff51afd7ed558ccd +
                        (digest[c] >> 29);
    for (int32_t c = 0; c < d->n_classes; c++) {
        int32_t k = 0;

        for (; k < n; k++) {
            bool is_equal = digest[first[k]] == digest[c];

            for (int32_t s = 0; is_equal && s < d->n_states; s++)
                is_equal = dfa_next(d, s)[first[k]] == dfa_next(d, s)[c];
            if (is_equal)
                break;
        }
        if (k == n)
            first[n++] = c;
        merged[c] = k;
    }
    return n;
}

static void drop_classes(dfa_t *d)
{
    int32_t merged[256], first[256];
    const int32_t n = merge_classes(d, merged);
    int32_t *to = dfa_next(d, 0);

    for (int32_t c = d->n_classes - 1; c >= 0; c--)
        first[merged[c]] = c;
    for (int32_t s = 0; s < d->n_states; s++) {
        const int32_t *row = dfa_next(d, s);

        for (int32_t k = 0; k < n; k++)
            *to++ = row[first[k]];
    }
    for (int c = 0; c < 256; c++)
        d->class_of[c] = (uint8_t)merged[d->class_of[c]];
    d->n_classes = n;
    d->next.len = (size_t)d->n_states * (size_t)n * sizeof(int32_t);
}

/* Copy the states that stand for their blocks. @param out  its states are filled in */
static status_t copy_states(const partition_t *p, const int32_t *number,
                            const int32_t *of_block, dfa_t *out)
{
    const dfa_t *d = p->d;
    const int64_t *first = (const void *)d->first_live.data;
    const int32_t *live = (const void *)d->live.data;
    int64_t n = 0;
    status_t st = buf_append(&out->first_live, &n, sizeof(n));

    for (int32_t k = 0; st == ST_OK && k < p->n_blocks; k++) {
        const int32_t s = of_block[k], output = dfa_output(d, s);

        for (int32_t c = 0; st == ST_OK && c < d->n_classes; c++)
            st = buf_append(&out->next, &number[p->block[dfa_next(d, s)[c]]],
                            sizeof(*number));
        n += first[s + 1] - first[s];
        if (st != ST_OK ||
            (st = buf_append(&out->output, &output, sizeof(output))) != ST_OK ||
            (st = buf_append(&out->live, live + first[s],
                             (size_t)(first[s + 1] - first[s]) * sizeof(*live))) != ST_OK)
            break;
        st = buf_append(&out->first_live, &n, sizeof(n));
    }
    return st;
}

static status_t make_smaller(const partition_t *p, dfa_t *d)
{
    int32_t *number = malloc((size_t)p->n_blocks * 2 * sizeof(*number));
    dfa_t small = {.n_states = p->n_blocks, .n_classes = d->n_classes};
    status_t st = number != NULL ? ST_OK : log_nomem("minimising an automaton");

    if (st == ST_OK) {
        number_blocks(p, number, number + p->n_blocks);
        st = copy_states(p, number, number + p->n_blocks, &small);
    }
    if (st == ST_OK && d->middle >= 0)
        d->middle = number[p->block[d->middle]];
    free(number);
    if (st != ST_OK) {
        dfa_free(&small);
        return st;
    }
    buf_free(&d->next);
    buf_free(&d->output);
    buf_free(&d->first_live);
    buf_free(&d->live);
    d->next = small.next;
    d->output = small.output;
    d->first_live = small.first_live;
    d->live = small.live;
    d->n_states = small.n_states;
    drop_classes(d);
    return ST_OK;
}

status_t dfa_minimise(dfa_t *d)
{
    partition_t p;
    status_t st = partition_create(d, &p);

    if (st == ST_OK) {
        list_sources(&p);
        begin_blocks(&p);
        refine(&p);
        st = make_smaller(&p, d);
    }
    partition_free(&p);
    return st;
}
