/*
 * start_filter.c - makes the tables of the filter.
 */
#include "kernels/automata/start_filter.h"

#include "io/base/logmsg.h"

#include <stdlib.h>
#include <string.h>

/* A start whose keys random bytes have with a probability above this is not filtered;
 * patterns do not wait in a loop that is left as often. */
static const double max_density = 1.0 / 64;

/* Keys of a point. */
enum { MAX_KEYS = 1024 };

/* A byte of more values does not take part in keys. */
enum { MAX_NARROW = 128 };

/* Sizes of the tables. */
enum { BITS_PER_KEY = 32, MIN_LOG2 = 10, MAX_LOG2_BITS = 24, MAX_LOG2_SLOTS = 31 };

/* Loops over fewer bytes soon end. */
enum { MIN_LOOP_BYTES = 192 };

/* ---- the bytes that come next ---- */

typedef struct {
    uint8_t is_in[NFA_MAX_POSITIONS], scratch[NFA_MAX_POSITIONS]; /* of a pattern */
} scratch_t;

/* Go on from the positions of a depth to those that follow them. */
static void follow(const nfa_t *nfa, int64_t k, scratch_t *s)
{
    const int64_t first = nfa->first[k], n = nfa->first[k + 1] - first;

    memset(s->scratch, 0, (size_t)n);
    for (int64_t i = 0; i < n; i++)
        for (int64_t e = nfa->first_edge[first + i];
             s->is_in[i] && e < nfa->first_edge[first + i + 1]; e++)
            s->scratch[nfa->next[e] - first] = 1;
    memcpy(s->is_in, s->scratch, (size_t)n);
}

/* Set the bytes of each depth; behind an end, all are possible.
 * @param s  its positions are those of the first byte */
static void find_sets(const nfa_t *nfa, scratch_t *s, start_point_t *point)
{
    const int64_t first = nfa->first[point->pattern];
    const int64_t n = nfa->first[point->pattern + 1] - first;
    bool has_ended = false;

    for (int d = 0; d < START_POINT_DEPTH; d++) {
        byte_set_t *set = &point->sets[d];
        bool may_end = false;

        *set = (byte_set_t){.bits = {0}};
        if (has_ended)
            byte_set_add_range(set, 0, 255);
        for (int64_t i = 0; i < n; i++)
            if (s->is_in[i]) {
                byte_set_unite(set, &nfa->set[first + i]);
                may_end =
                    may_end || (nfa->role[first + i] & (NFA_ACCEPTS | NFA_FINISHES)) != 0;
            }
        has_ended = has_ended || may_end;
        follow(nfa, point->pattern, s);
    }
}

/* Choose the bytes that take part in the keys of a point, those of few values first.
 * @return the mask, or 0: there would be too many keys, or too many places have one */
static uint32_t mask_of(const start_point_t *point)
{
    uint32_t mask = 0;
    int64_t n_keys = 1;
    double density = 1;

    for (;;) {
        int best = -1, n_best = MAX_KEYS + 1;

        for (int d = 0; d < START_FILTER_DEPTH; d++) {
            const int n = byte_set_count(&point->sets[d]);

            if ((mask >> 8 * d & 0xff) == 0 && n < n_best) {
                best = d;
                n_best = n;
            }
        }
        if (best < 0 || n_best > MAX_NARROW || n_keys * n_best > MAX_KEYS)
            break;
        mask |= (uint32_t)0xff << 8 * best;
        n_keys *= n_best;
        density *= n_best / 256.0;
    }
    return density > max_density ? 0 : mask;
}

/* ---- points ---- */

/* A filter in the making. */
typedef struct {
    const nfa_t *nfa;
    scratch_t scratch;
    buf_t points; /* start_point_t */
    buf_t masks;  /* uint32_t, of the points */
    buf_t keys;   /* keyed_t */
} maker_t;

/* Add a point, unless it is at too many places.
 * @param m  its scratch has the positions of the first byte */
static status_t add_point(maker_t *m, int32_t pattern, int32_t loop, bool *is_added)
{
    start_point_t point = {.pattern = pattern, .loop = loop};
    uint32_t mask;
    status_t st;

    find_sets(m->nfa, &m->scratch, &point);
    mask = mask_of(&point);
    *is_added = mask != 0;
    if (mask == 0)
        return ST_OK;
    st = buf_append(&m->masks, &mask, sizeof(mask));
    return st == ST_OK ? buf_append(&m->points, &point, sizeof(point)) : st;
}

/* Add the starts of a pattern. @param roles  where they are */
static status_t add_start(maker_t *m, int32_t k, int roles, int32_t kind, buf_t *others)
{
    const int64_t first = m->nfa->first[k];
    bool is_added = true, has_starts = false;
    status_t st = ST_OK;

    for (int64_t p = first; p < m->nfa->first[k + 1]; p++) {
        m->scratch.is_in[p - first] = (m->nfa->role[p] & roles) != 0;
        has_starts = has_starts || m->scratch.is_in[p - first];
    }
    if (has_starts)
        st = add_point(m, k, kind, &is_added);
    return st == ST_OK && !is_added ? buf_append(others, &k, sizeof(k)) : st;
}

/* @return whether a pattern waits at a position until what follows comes; the position
 * itself is no end */
static bool is_loop(const nfa_t *nfa, int64_t p)
{
    if (byte_set_count(&nfa->set[p]) < MIN_LOOP_BYTES ||
        (nfa->role[p] & (NFA_ACCEPTS | NFA_FINISHES)) != 0)
        return false;
    for (int64_t e = nfa->first_edge[p]; e < nfa->first_edge[p + 1]; e++)
        if (nfa->next[e] == p)
            return true;
    return false;
}

static status_t add_loops(maker_t *m, int32_t k)
{
    const nfa_t *nfa = m->nfa;
    const int64_t first = nfa->first[k], end = nfa->first[k + 1];
    status_t st = ST_OK;

    for (int64_t p = first; st == ST_OK && p < end; p++) {
        bool is_added;

        if (!is_loop(nfa, p))
            continue;
        memset(m->scratch.is_in, 0, (size_t)(end - first));
        for (int64_t e = nfa->first_edge[p]; e < nfa->first_edge[p + 1]; e++)
            m->scratch.is_in[nfa->next[e] - first] = nfa->next[e] != p;
        st = add_point(m, k, (int32_t)p, &is_added);
    }
    return st;
}

static status_t add_points(maker_t *m, const int32_t *group, start_filter_t *f)
{
    status_t st = ST_OK;

    for (int32_t k = 0; st == ST_OK && k < m->nfa->n_patterns; k++)
        if ((group == NULL || group[k] < 0) &&
            (st = add_start(m, k, NFA_STARTS, START_POINT_ANYWHERE, &f->anywhere)) ==
                ST_OK &&
            (st = add_start(m, k, NFA_BEGINS, START_POINT_BEGIN, &f->at_begin)) == ST_OK)
            st = add_loops(m, k);
    f->n_points = (int64_t)(m->points.len / sizeof(*f->points));
    f->points = (start_point_t *)(void *)m->points.data;
    m->points = (buf_t){.len = 0};
    return st;
}

/* ---- keys ---- */

typedef struct {
    uint32_t mask, key;
    int32_t point;
} keyed_t;

static int compare_keyed(const void *a, const void *b)
{
    const keyed_t *x = a, *y = b;

    if (x->mask != y->mask)
        return x->mask < y->mask ? -1 : 1;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return (x->point > y->point) - (x->point < y->point);
}

/* Add the keys of a point that begin with some bytes. @param depth  their number */
static status_t add_keys(maker_t *m, const start_point_t *point, int depth, keyed_t keyed)
{
    const byte_set_t *set = &point->sets[depth < START_FILTER_DEPTH ? depth : 0];
    const uint32_t prefix = keyed.key;
    status_t st = ST_OK;

    if (depth == START_FILTER_DEPTH)
        return buf_append(&m->keys, &keyed, sizeof(keyed));
    if ((keyed.mask >> 8 * depth & 0xff) == 0)
        return add_keys(m, point, depth + 1, keyed);
    for (unsigned c = 0; st == ST_OK && c < 256; c++)
        if (byte_set_has(set, (int)c)) {
            keyed.key = prefix | c << 8 * depth;
            st = add_keys(m, point, depth + 1, keyed);
        }
    return st;
}

static int64_t count_keys(const keyed_t *keys, int64_t n)
{
    int64_t n_keys = n > 0;

    for (int64_t k = 1; k < n; k++)
        n_keys += keys[k].mask != keys[k - 1].mask || keys[k].key != keys[k - 1].key;
    return n_keys;
}

/* List the masks of sorted keys, that of the most keys first. */
static void list_masks(start_filter_t *f, const keyed_t *keys, int64_t n)
{
    int64_t n_most = 0;

    for (int64_t k = 0, end; k < n; k = end) {
        end = k;
        while (end < n && keys[end].mask == keys[k].mask)
            end++;
        f->masks[f->n_masks++] = keys[k].mask;
        if (end - k > n_most) {
            f->masks[f->n_masks - 1] = f->masks[0];
            f->masks[0] = keys[k].mask;
            n_most = end - k;
        }
    }
}

/* Let the first two bytes of a key's places pass. */
static void add_pairs(start_filter_t *f, const keyed_t *k)
{
    const uint32_t fixed = k->mask & 0xffff;
    int m = 0;

    while (f->masks[m] != k->mask)
        m++;
    if (m == 0)
        return;
    for (uint32_t pair = 0; pair <= 0xffff; pair++)
        if ((pair & fixed) == (k->key & fixed))
            f->pairs[start_filter_pair(pair)] |= (uint16_t)(1U << m);
}

/* @return the slot of a key, new or in use */
static start_slot_t *find_slot(start_filter_t *f, const keyed_t *k)
{
    const uint32_t last = ((uint32_t)1 << f->log2_slots) - 1;
    uint32_t s = start_filter_hash(k->key, k->mask) >> (32 - f->log2_slots);

    while (f->slots[s].mask != 0 &&
           (f->slots[s].key != k->key || f->slots[s].mask != k->mask))
        s = (s + 1) & last;
    return &f->slots[s];
}

/* @return the logarithm of a table's size that is at least n, up to a limit */
static int log2_of(int64_t n, int max)
{
    int log2 = MIN_LOG2;

    while (log2 < max && ((int64_t)1 << log2) < n)
        log2++;
    return log2;
}

/* Fill the tables from sorted keys. */
static status_t fill_tables(start_filter_t *f, const keyed_t *keys, int64_t n)
{
    const int64_t n_keys = count_keys(keys, n);

    f->log2_bits = log2_of(BITS_PER_KEY * n_keys, MAX_LOG2_BITS);
    f->log2_slots = log2_of(2 * n_keys, MAX_LOG2_SLOTS);
    f->n_listed = n;
    f->bits = calloc((size_t)1 << (f->log2_bits - 5), sizeof(*f->bits));
    f->slots = calloc((size_t)1 << f->log2_slots, sizeof(*f->slots));
    f->listed = malloc(((size_t)n + 1) * sizeof(*f->listed));
    if (f->bits == NULL || f->slots == NULL || f->listed == NULL)
        return log_nomem("a filter of patterns");
    list_masks(f, keys, n);
    for (int32_t k = 0; k < n; k++) {
        const uint32_t h =
            start_filter_hash(keys[k].key, keys[k].mask) >> (32 - f->log2_bits);
        start_slot_t *slot = find_slot(f, &keys[k]);

        if (slot->mask == 0) {
            *slot = (start_slot_t){keys[k].key, keys[k].mask, k, 0};
            f->bits[h / 32] |= (uint32_t)1 << h % 32;
            add_pairs(f, &keys[k]);
        }
        f->listed[slot->first + slot->n++] = keys[k].point;
    }
    return ST_OK;
}

static status_t add_tables(maker_t *m, start_filter_t *f)
{
    const uint32_t *masks = (const void *)m->masks.data;
    int64_t n;
    status_t st = ST_OK;

    for (int32_t k = 0; st == ST_OK && k < f->n_points; k++)
        st = add_keys(m, &f->points[k], 0, (keyed_t){masks[k], 0, k});
    n = (int64_t)(m->keys.len / sizeof(keyed_t));
    if (st == ST_OK && n > 1)
        qsort(m->keys.data, (size_t)n, sizeof(keyed_t), compare_keyed);
    return st == ST_OK ? fill_tables(f, (const void *)m->keys.data, n) : st;
}

status_t start_filter_create(const nfa_t *nfa, const int32_t *group, start_filter_t *out)
{
    maker_t *m = calloc(1, sizeof(*m));
    start_filter_t f = {.n_points = 0};
    status_t st;

    if (m == NULL)
        return log_nomem("a filter of patterns");
    m->nfa = nfa;
    if ((st = add_points(m, group, &f)) == ST_OK)
        st = add_tables(m, &f);
    buf_free(&m->points);
    buf_free(&m->masks);
    buf_free(&m->keys);
    free(m);
    if (st == ST_OK)
        *out = f;
    else
        start_filter_free(&f);
    return st;
}

void start_filter_free(start_filter_t *f)
{
    free(f->points);
    free(f->bits);
    free(f->slots);
    free(f->listed);
    buf_free(&f->anywhere);
    buf_free(&f->at_begin);
    *f = (start_filter_t){.n_points = 0};
}
