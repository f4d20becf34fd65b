/*
 * scan_nfa.c - the backend `nfa`: patterns as bits, of which only those are stepped that
 * have begun.
 *
 * A filter finds where a pattern may start.  A pattern that comes to a loop over nearly
 * all bytes, as .* is, waits there without being stepped: the same filter finds where it
 * may go on, and a count per byte says whether that byte ends the loop of any pattern.
 */
#include "kernels/automata/scan_nfa.h"

#include "io/base/logmsg.h"
#include "kernels/automata/scan_tables.h"

#include <stdlib.h>
#include <string.h>

/* A loop that a pattern waits in. */
typedef struct {
    int32_t pattern, position;
} wait_t;

/* What a thread's patterns are in. Arrays of words have n_state_words, for all patterns.
 */
typedef struct {
    uint64_t *state;    /* live positions but for those of loops */
    uint64_t *waiting;  /* loops that are live */
    uint64_t *entering; /* positions that may consume the next byte, besides those that
                         * follow the state */
    uint64_t *scratch;  /* [NFA_MAX_POSITIONS / 64] */
    uint8_t *is_active; /* [n_patterns] */
    int32_t *active;    /* [n_active] patterns with words above that are not 0 */
    wait_t *waits;      /* [n_waits] all loops that are live */
    int64_t n_active, n_waits;
    int64_t n_ending[256]; /* of them, those that a byte ends */
} thread_t;

typedef struct {
    scan_tables_t tables;
    thread_t *threads;
    int n_threads;
} engine_t;

/* A scan of a piece. */
typedef struct {
    const engine_t *e;
    thread_t *t;
    const scan_piece_t *piece;
    bool has_starts; /* else only what began before the piece goes on */
    buf_t *hits;
} scan_t;

/* ---- waiting ---- */

/* Count the bytes that end a loop, one more or less often. */
static void count_ending(const engine_t *e, thread_t *t, int32_t position, int by)
{
    const byte_set_t *set = &e->tables.bits.nfa->set[position];

    for (int k = 0; k < 32; k++)
        for (unsigned ends = (uint8_t)~set->bits[k]; ends != 0; ends &= ends - 1)
            t->n_ending[k * 8 + __builtin_ctz(ends)] += by;
}

static void wait_at(const engine_t *e, thread_t *t, int32_t position)
{
    const int64_t bit = scan_tables_bit(&e->tables, position);

    if (nfa_bits_has(t->waiting, bit))
        return;
    nfa_bits_set(t->waiting, bit);
    t->waits[t->n_waits++] = (wait_t){e->tables.pattern_of[position], position};
    count_ending(e, t, position, 1);
}

static void stop_waiting(const engine_t *e, thread_t *t, int64_t k)
{
    const int32_t position = t->waits[k].position;
    const int64_t bit = scan_tables_bit(&e->tables, position);

    t->waiting[bit / 64] &= ~((uint64_t)1 << bit % 64);
    count_ending(e, t, position, -1);
    t->waits[k] = t->waits[--t->n_waits];
}

/* End the loops that do not consume a byte. */
static void end_loops(const engine_t *e, thread_t *t, uint8_t byte)
{
    if (t->n_ending[byte] == 0)
        return;
    for (int64_t k = t->n_waits - 1; k >= 0; k--)
        if (!byte_set_has(&e->tables.bits.nfa->set[t->waits[k].position], byte))
            stop_waiting(e, t, k);
}

/* ---- steps ---- */

static void activate(thread_t *t, int32_t pattern)
{
    if (!t->is_active[pattern]) {
        t->is_active[pattern] = 1;
        t->active[t->n_active++] = pattern;
    }
}

/* Let positions of a pattern consume the next byte. @param mask  [n_words] */
static void enter(const scan_t *s, int32_t pattern, const uint64_t *mask)
{
    const nfa_bits_pattern_t *p = &s->e->tables.bits.pattern[pattern];

    for (int32_t w = 0; w < p->n_words; w++)
        s->t->entering[p->state + w] |= mask[w];
    activate(s->t, pattern);
}

/* @return whether a pattern may start at a place, or waits in the loop */
static bool is_on(const scan_t *s, const start_point_t *point, int64_t at)
{
    if (point->loop >= 0)
        return nfa_bits_has(s->t->waiting, scan_tables_bit(&s->e->tables, point->loop));
    return s->has_starts &&
           (point->loop == START_POINT_ANYWHERE || at == s->piece->record_begin);
}

/* Let the points of a key go on that the bytes at a place allow. */
static void enter_slot(const scan_t *s, const start_slot_t *slot, int64_t at)
{
    const start_filter_t *f = &s->e->tables.filter;

    for (int32_t k = slot->first; k < slot->first + slot->n; k++) {
        const start_point_t *point = &f->points[f->listed[k]];

        if (is_on(s, point, at) &&
            start_point_passes(point, s->piece->data + at, s->piece->record_end - at))
            enter(s, point->pattern,
                  s->e->tables.exits + s->e->tables.exit[f->listed[k]]);
    }
}

/* Let patterns consume the byte at a place that may start there. */
static void enter_all(const scan_t *s, const buf_t *patterns, nfa_bits_mask_t mask)
{
    const int32_t *pattern = (const void *)patterns->data;

    for (size_t k = 0; k < patterns->len / sizeof(*pattern); k++)
        enter(s, pattern[k],
              nfa_bits_mask(&s->e->tables.bits, &s->e->tables.bits.pattern[pattern[k]],
                            mask));
}

static uint32_t word_at(const scan_t *s, int64_t at)
{
    return start_filter_word(s->piece->data + at, s->piece->record_end - at);
}

static void enter_starts(const scan_t *s, int64_t at)
{
    const start_filter_t *f = &s->e->tables.filter;
    const uint32_t word = word_at(s, at);

    for (unsigned masks = start_filter_masks(f, word); masks != 0; masks &= masks - 1) {
        const start_slot_t *slot =
            start_filter_slot(f, word, f->masks[__builtin_ctz(masks)]);

        if (slot != NULL)
            enter_slot(s, slot, at);
    }
    if (s->has_starts)
        enter_all(s, &f->anywhere, NFA_BITS_STARTS);
    if (s->has_starts && at == s->piece->record_begin)
        enter_all(s, &f->at_begin, NFA_BITS_BEGINS);
}

/* Consume a byte. @return whether any position is live, loops aside */
static bool step(const scan_t *s, int32_t pattern, int64_t at, bool *is_hit)
{
    const nfa_bits_t *b = &s->e->tables.bits;
    const nfa_bits_pattern_t *p = &b->pattern[pattern];
    const uint64_t *consume = nfa_bits_of_byte(b, p, s->piece->data[at]);
    const uint64_t *loops = s->e->tables.loops + p->state;
    const uint64_t *accepts =
        nfa_bits_mask(b, p,
                      scan_is_end(s->piece, at + 1) ? NFA_BITS_ENDS : NFA_BITS_ACCEPTS);
    uint64_t *state = s->t->state + p->state, *entering = s->t->entering + p->state;
    uint64_t any = 0, hit = 0;

    nfa_bits_follow(b, p, state, s->t->scratch);
    for (int32_t w = 0; w < p->n_words; w++) {
        uint64_t next = (s->t->scratch[w] | entering[w]) & consume[w];

        for (uint64_t bits = next & loops[w]; bits != 0; bits &= bits - 1)
            wait_at(s->e, s->t,
                    (int32_t)b->nfa->first[pattern] + w * 64 + __builtin_ctzll(bits));
        next &= ~loops[w];
        hit |= next & accepts[w];
        any |= state[w] = next;
        entering[w] = 0;
    }
    *is_hit = hit != 0;
    return any != 0;
}

/* Consume a byte with all active patterns; those with no live position become idle. */
static status_t step_active(const scan_t *s, int64_t at)
{
    thread_t *t = s->t;
    status_t st = ST_OK;

    for (int64_t k = 0; st == ST_OK && k < t->n_active;) {
        const int32_t pattern = t->active[k];
        bool is_hit;
        const bool is_live = step(s, pattern, at, &is_hit);

        if (is_hit)
            st = buf_append(s->hits, &(scan_hit_t){at + 1, pattern}, sizeof(scan_hit_t));
        if (is_live) {
            k++;
        } else {
            t->is_active[pattern] = 0;
            t->active[k] = t->active[--t->n_active];
        }
    }
    return st;
}

/* @return the next place where something may happen, while no pattern is active */
static int64_t skip(const scan_t *s, int64_t at)
{
    const scan_piece_t *p = s->piece;
    const start_filter_t *f = &s->e->tables.filter;
    const int64_t *n_ending = s->t->n_ending;
    const int64_t last = p->record_end - START_FILTER_DEPTH + 1;
    const int64_t end = p->end < last ? p->end : last;

    if (!s->has_starts && s->t->n_waits == 0)
        return p->end;
    if (s->has_starts && (f->anywhere.len > 0 || at == p->record_begin))
        return at;
    while (at < end &&
           !((n_ending[p->data[at]] != 0) |
             start_filter_passes(f, start_filter_word(p->data + at, START_FILTER_DEPTH))))
        at++;
    return at;
}

static status_t scan_bytes(const scan_t *s)
{
    status_t st = ST_OK;

    for (int64_t at = s->piece->begin; st == ST_OK && at < s->piece->end; at++) {
        if (s->t->n_active == 0 && (at = skip(s, at)) >= s->piece->end)
            break;
        enter_starts(s, at);
        end_loops(s->e, s->t, s->piece->data[at]);
        st = step_active(s, at);
    }
    return st;
}

/* ---- pieces ---- */

/* Make live what is when the piece begins. */
static void begin(const scan_t *s, const int32_t *before, int64_t n_before)
{
    for (int64_t k = 0; k < n_before; k++) {
        const int64_t bit = scan_tables_bit(&s->e->tables, before[k]);

        if (nfa_bits_has(s->e->tables.loops, bit)) {
            wait_at(s->e, s->t, before[k]);
        } else {
            nfa_bits_set(s->t->state, bit);
            activate(s->t, s->e->tables.pattern_of[before[k]]);
        }
    }
}

/* Take the live positions of a pattern. */
static status_t take_state(const engine_t *e, const thread_t *t, int32_t pattern,
                           buf_t *live)
{
    const nfa_bits_pattern_t *p = &e->tables.bits.pattern[pattern];
    status_t st = ST_OK;

    for (int32_t w = 0; w < p->n_words; w++)
        for (uint64_t bits = t->state[p->state + w]; st == ST_OK && bits != 0;
             bits &= bits - 1) {
            const int32_t position = (int32_t)e->tables.bits.nfa->first[pattern] +
                                     w * 64 + __builtin_ctzll(bits);

            st = buf_append(live, &position, sizeof(position));
        }
    return st;
}

/* Take what is live, if the record goes on, and make all patterns idle. */
static status_t finish(const scan_t *s, buf_t *live)
{
    const bool goes_on = s->piece->end < s->piece->record_end;
    thread_t *t = s->t;
    status_t st = ST_OK;

    for (int64_t k = 0; k < t->n_active; k++) {
        const nfa_bits_pattern_t *p = &s->e->tables.bits.pattern[t->active[k]];

        if (st == ST_OK && goes_on)
            st = take_state(s->e, t, t->active[k], live);
        memset(t->state + p->state, 0, (size_t)p->n_words * sizeof(*t->state));
        memset(t->entering + p->state, 0, (size_t)p->n_words * sizeof(*t->entering));
        t->is_active[t->active[k]] = 0;
    }
    t->n_active = 0;
    while (t->n_waits > 0) {
        if (st == ST_OK && goes_on)
            st = buf_append(live, &t->waits[t->n_waits - 1].position, sizeof(int32_t));
        stop_waiting(s->e, t, t->n_waits - 1);
    }
    return st;
}

static status_t run(const scan_t *s, const int32_t *before, int64_t n_before, buf_t *live)
{
    status_t st, finished;

    begin(s, before, n_before);
    st = scan_bytes(s);
    finished = finish(s, live);
    return st != ST_OK ? st : finished;
}

static status_t scan(void *state, const scan_piece_t *piece, int thread, buf_t *hits,
                     buf_t *live)
{
    const engine_t *e = state;

    return run(&(scan_t){e, &e->threads[thread], piece, true, hits}, NULL, 0, live);
}

status_t scan_carry(void *state, const scan_piece_t *piece, int thread,
                    const int32_t *before, int64_t n_before, buf_t *hits, buf_t *live)
{
    const engine_t *e = state;

    return run(&(scan_t){e, &e->threads[thread], piece, false, hits}, before, n_before,
               live);
}

/* ---- the backend ---- */

static void destroy(void *state)
{
    engine_t *e = state;

    if (e == NULL)
        return;
    for (int k = 0; e->threads != NULL && k < e->n_threads; k++) {
        thread_t *t = &e->threads[k];

        free(t->state);
        free(t->waiting);
        free(t->entering);
        free(t->scratch);
        free(t->is_active);
        free(t->active);
        free(t->waits);
    }
    free(e->threads);
    scan_tables_free(&e->tables);
    free(e);
}

static status_t create_thread(const engine_t *e, thread_t *t)
{
    const size_t n = (size_t)e->tables.bits.nfa->n_patterns + 1;
    const size_t n_words = (size_t)e->tables.bits.n_state_words + 1;

    t->state = calloc(n_words, sizeof(*t->state));
    t->waiting = calloc(n_words, sizeof(*t->waiting));
    t->entering = calloc(n_words, sizeof(*t->entering));
    t->scratch = malloc(NFA_MAX_POSITIONS / 64 * sizeof(*t->scratch));
    t->is_active = calloc(n, 1);
    t->active = malloc(n * sizeof(*t->active));
    t->waits = malloc(((size_t)e->tables.n_loops + 1) * sizeof(*t->waits));
    return t->state != NULL && t->waiting != NULL && t->entering != NULL &&
                   t->scratch != NULL && t->is_active != NULL && t->active != NULL &&
                   t->waits != NULL
               ? ST_OK
               : log_nomem("patterns");
}

static status_t create(const scan_context_t *context, void **state)
{
    engine_t *e = calloc(1, sizeof(*e));
    status_t st;

    if (e == NULL)
        return log_nomem("patterns");
    if ((st = scan_tables_create(context->nfa, context->group, &e->tables)) == ST_OK &&
        (e->threads = calloc((size_t)context->n_threads, sizeof(*e->threads))) == NULL)
        st = log_nomem("patterns");
    for (; st == ST_OK && e->n_threads < context->n_threads; e->n_threads++)
        st = create_thread(e, &e->threads[e->n_threads]);
    if (st == ST_OK)
        *state = e;
    else
        destroy(e);
    return st;
}

const scan_backend_t scan_nfa_backend = {.base = {.name = "nfa",
                                                  .kind = DEVICE_CPU,
                                                  .rate = 2e10},
                                         .create = create,
                                         .scan = scan,
                                         .destroy = destroy};
