/*
 * dfa_minimise.c - the minimal automaton: of each block of equivalent states the one that
 * bytes reach first, and of equal columns one.
 */
#include "kernels/automata/dfa_refine.h"

#include "io/base/logmsg.h"

#include <stdlib.h>
#include <string.h>

/* Equivalent states, and an automaton in the making. */
typedef struct {
    dfa_t *d;
    int32_t *block;    /* [n_states] */
    int32_t *number;   /* [n_blocks] of each block in the smaller automaton */
    int32_t *of_block; /* [n_blocks] a state of each, by that number */
    int32_t n_blocks;
    dfa_t small;
} shrink_t;

/* Number blocks in the order in which bytes first lead to them. */
static void number_blocks(shrink_t *k)
{
    const dfa_t *d = k->d;
    int32_t n = 1;

    memset(k->number, -1, (size_t)k->n_blocks * sizeof(*k->number));
    k->number[k->block[0]] = 0;
    k->of_block[0] = 0;
    if (d->middle >= 0 && k->number[k->block[d->middle]] < 0) {
        k->number[k->block[d->middle]] = n;
        k->of_block[n++] = d->middle;
    }
    for (int32_t at = 0; at < n; at++)
        for (int32_t c = 0; c < d->n_classes; c++) {
            const int32_t next = dfa_next(d, k->of_block[at])[c];

            if (k->number[k->block[next]] < 0) {
                k->number[k->block[next]] = n;
                k->of_block[n++] = next;
            }
        }
}

/* ---- columns ---- */

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

    if (n == d->n_classes)
        return;
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

/* ---- states ---- */

static int64_t *first_live(const dfa_t *d)
{
    return (int64_t *)(void *)d->first_live.data;
}

/* Have memory for all states; positions are those of the automaton at most. */
static status_t reserve_states(shrink_t *k)
{
    const size_t n = (size_t)k->n_blocks;
    dfa_t *s = &k->small;
    status_t st;

    s->n_states = k->n_blocks;
    s->n_classes = k->d->n_classes;
    s->next.len = n * (size_t)s->n_classes * sizeof(int32_t);
    s->output.len = n * sizeof(int32_t);
    s->first_live.len = (n + 1) * sizeof(int64_t);
    if ((st = buf_reserve(&s->next, s->next.len)) != ST_OK ||
        (st = buf_reserve(&s->output, s->output.len)) != ST_OK ||
        (st = buf_reserve(&s->first_live, s->first_live.len)) != ST_OK)
        return st;
    first_live(s)[0] = 0;
    for (int32_t b = 0; b < k->n_blocks; b++) {
        const int64_t *first = first_live(k->d) + k->of_block[b];

        first_live(s)[b + 1] = first_live(s)[b] + first[1] - first[0];
    }
    s->live.len = (size_t)first_live(s)[n] * sizeof(int32_t);
    return buf_reserve(&s->live, s->live.len);
}

/* Copy the states that stand for their blocks. */
static void copy_states(const shrink_t *k)
{
    const dfa_t *d = k->d, *s = &k->small;
    const int32_t *live = (const void *)d->live.data;
    int32_t *output = (void *)s->output.data, *to = (void *)s->live.data;

    for (int32_t b = 0; b < k->n_blocks; b++) {
        const int32_t state = k->of_block[b];
        const int32_t *next = dfa_next(d, state);
        const int64_t *first = first_live(d) + state;
        int32_t *row = dfa_next(s, b);

        for (int32_t c = 0; c < d->n_classes; c++)
            row[c] = k->number[k->block[next[c]]];
        output[b] = dfa_output(d, state);
        for (int64_t at = first[0]; at < first[1]; at++)
            *to++ = live[at];
    }
}

/* Replace the states by those of the smaller automaton. */
static void take_states(shrink_t *k)
{
    dfa_t *d = k->d;

    if (d->middle >= 0)
        d->middle = k->number[k->block[d->middle]];
    buf_free(&d->next);
    buf_free(&d->output);
    buf_free(&d->first_live);
    buf_free(&d->live);
    d->next = k->small.next;
    d->output = k->small.output;
    d->first_live = k->small.first_live;
    d->live = k->small.live;
    d->n_states = k->small.n_states;
}

status_t dfa_minimise(const dfa_builder_t *b, dfa_t *d)
{
    const size_t n = (size_t)d->n_states;
    shrink_t k = {.d = d, .block = malloc(3 * n * sizeof(*k.block))};
    status_t st = k.block != NULL ? ST_OK : log_nomem("minimising an automaton");

    if (st == ST_OK) {
        k.number = k.block + n;
        k.of_block = k.number + n;
        if (b->backend->refine == NULL) {
            st = dfa_refine(d, b->cancel, k.block, &k.n_blocks);
        } else {
            memcpy(k.block, d->output.data, n * sizeof(*k.block));
            st = b->backend->refine(b->state, (const void *)d->next.data, d->n_states,
                                    d->n_classes, b->cancel, k.block, &k.n_blocks);
        }
    }
    if (st == ST_OK) {
        number_blocks(&k);
        st = reserve_states(&k);
    }
    if (st == ST_OK) {
        copy_states(&k);
        take_states(&k);
        drop_classes(d);
    } else {
        dfa_free(&k.small);
    }
    free(k.block);
    return st;
}
