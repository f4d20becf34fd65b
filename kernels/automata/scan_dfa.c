/*
 * scan_dfa.c - the backends `dfa`: the automaton of each group, a look-up per byte, and
 * `adfa`: compressed automata, with defaults; patterns without a group are run as bits.
 *
 * Groups are independent, so that several are stepped side by side: their look-ups, which
 * wait for memory, overlap.
 */
#include "kernels/automata/scan_backend.h"

#include "io/base/logmsg.h"

#include <stdlib.h>

enum { LANES = 4 };

typedef struct {
    const dfa_set_t *dfas;
    int64_t *first_cell; /* [n_groups] of whole rows; adfa: 0 */
    void *bits;          /* of scan_nfa_backend: patterns without a group */
} engine_t;

/* The automaton of a group, stepping. */
typedef struct {
    const uint8_t *class_of;
    const int32_t *next;       /* the group's cells; adfa: those of all groups */
    const int32_t *output;     /* of its states, as the next two */
    const int32_t *fallback;   /* adfa */
    const int64_t *first_cell; /* adfa */
    int32_t n_classes, state;
    int64_t group;
} lane_t;

/* Append what is found when a state is entered. */
static status_t append_hits(const dfa_set_t *d, const scan_piece_t *piece, int64_t end,
                            int32_t output, buf_t *hits)
{
    const bool is_end = scan_is_end(piece, end);
    status_t st = ST_OK;

    for (int64_t k = d->first_listed[output];
         st == ST_OK && k < d->first_listed[output + 1]; k++)
        if (is_end || !dfa_listed_at_end(d->listed[k]))
            st = buf_append(hits, &(scan_hit_t){end, dfa_listed_pattern(d->listed[k])},
                            sizeof(scan_hit_t));
    return st;
}

static inline int32_t step_whole(lane_t *lane, uint8_t byte)
{
    lane->state =
        lane->next[(int64_t)lane->state * lane->n_classes + lane->class_of[byte]];
    return lane->output[lane->state];
}

/* Look up a byte in a state, or in the nearest default that has it. */
static inline int32_t step_compressed(lane_t *lane, const uint8_t *cell_class,
                                      uint8_t byte)
{
    const uint8_t wanted = lane->class_of[byte];
    int32_t s = lane->state;

    for (; lane->fallback[s] >= 0; s = lane->fallback[s]) {
        const int64_t end = lane->first_cell[s + 1];
        int64_t at = lane->first_cell[s];

        while (at < end && cell_class[at] < wanted)
            at++;
        if (at < end && cell_class[at] == wanted) {
            lane->state = lane->next[at];
            return lane->output[lane->state];
        }
    }
    lane->state = lane->next[lane->first_cell[s] + wanted]; /* of a whole row */
    return lane->output[lane->state];
}

/* @param n              at most LANES, of which LANES is a constant to the compiler
 * @param is_compressed  a constant, too */
static inline status_t step_lanes(const dfa_set_t *d, lane_t *lanes, int n,
                                  bool is_compressed, const scan_piece_t *piece,
                                  buf_t *hits)
{
    status_t st = ST_OK;

    for (int64_t at = piece->begin; st == ST_OK && at < piece->end; at++) {
        int32_t output[LANES], any = 0;

        for (int k = 0; k < n; k++)
            any |= output[k] =
                is_compressed ? step_compressed(&lanes[k], d->cell_class, piece->data[at])
                              : step_whole(&lanes[k], piece->data[at]);
        for (int k = 0; any != 0 && st == ST_OK && k < n; k++)
            if (output[k] != 0)
                st = append_hits(d, piece, at + 1, output[k], hits);
    }
    return st;
}

/* @return whether anything can begin in the piece */
static bool begin_lane(const engine_t *e, const scan_piece_t *piece, int64_t g,
                       lane_t *lane)
{
    const dfa_set_t *d = e->dfas;

    *lane = (lane_t){.class_of = d->class_of + g * 256,
                     .next = d->next + e->first_cell[g],
                     .output = d->output + d->first_state[g],
                     .n_classes = d->n_classes[g],
                     .state = piece->begin == piece->record_begin ? 0 : d->middle[g],
                     .group = g};
    if (dfa_set_is_compressed(d)) {
        lane->fallback = d->fallback + d->first_state[g];
        lane->first_cell = d->first_cell + d->first_state[g];
    }
    return lane->state >= 0;
}

static status_t append_live(const dfa_set_t *d, const lane_t *lane, buf_t *live)
{
    const int64_t s = d->first_state[lane->group] + lane->state;

    return buf_append(live, d->live + d->first_live[s],
                      (size_t)(d->first_live[s + 1] - d->first_live[s]) *
                          sizeof(*d->live));
}

static status_t scan_groups(const engine_t *e, const scan_piece_t *piece, buf_t *hits,
                            buf_t *live)
{
    const dfa_set_t *d = e->dfas;
    status_t st = ST_OK;

    for (int64_t g = 0; st == ST_OK && g < d->n_groups;) {
        lane_t lanes[LANES];
        int n = 0;

        for (; n < LANES && g < d->n_groups; g++)
            n += begin_lane(e, piece, g, &lanes[n]);
        if (dfa_set_is_compressed(d))
            st = step_lanes(d, lanes, n, true, piece, hits);
        else
            st = n == LANES ? step_lanes(d, lanes, LANES, false, piece, hits)
                            : step_lanes(d, lanes, n, false, piece, hits);
        for (int k = 0; st == ST_OK && piece->end < piece->record_end && k < n; k++)
            st = append_live(d, &lanes[k], live);
    }
    return st;
}

static status_t scan(void *state, const scan_piece_t *piece, int thread, buf_t *hits,
                     buf_t *live)
{
    const engine_t *e = state;
    const status_t st = scan_groups(e, piece, hits, live);

    return st == ST_OK && e->bits != NULL
               ? scan_nfa_backend.scan(e->bits, piece, thread, hits, live)
               : st;
}

/* ---- the backend ---- */

static void destroy(void *state)
{
    engine_t *e = state;

    if (e == NULL)
        return;
    scan_nfa_backend.destroy(e->bits);
    free(e->first_cell);
    free(e);
}

static bool has_rest(const dfa_set_t *d)
{
    for (int64_t k = 0; k < d->n_patterns; k++)
        if (d->group[k] < 0)
            return true;
    return false;
}

static bool takes_whole(const scan_context_t *context)
{
    return !dfa_set_is_compressed(context->dfas);
}

static bool takes_compressed(const scan_context_t *context)
{
    return dfa_set_is_compressed(context->dfas);
}

static status_t create(const scan_context_t *context, void **state)
{
    const dfa_set_t *d = context->dfas;
    scan_context_t rest = *context;
    engine_t *e = calloc(1, sizeof(*e));
    int64_t cell = 0;
    status_t st = ST_OK;

    if (e == NULL ||
        (e->first_cell = malloc(((size_t)d->n_groups + 1) * sizeof(cell))) == NULL) {
        free(e);
        return log_nomem("automata");
    }
    e->dfas = d;
    for (int64_t g = 0; g < d->n_groups; g++) {
        e->first_cell[g] = cell;
        if (!dfa_set_is_compressed(d))
            cell += (d->first_state[g + 1] - d->first_state[g]) * d->n_classes[g];
    }
    rest.group = d->group;
    if (has_rest(d))
        st = scan_nfa_backend.create(&rest, &e->bits);
    if (st == ST_OK)
        *state = e;
    else
        destroy(e);
    return st;
}

const scan_backend_t scan_dfa_backend = {.base = {.name = "dfa",
                                                  .kind = DEVICE_CPU,
                                                  .rate = 3e9},
                                         .takes = takes_whole,
                                         .create = create,
                                         .scan = scan,
                                         .destroy = destroy};

const scan_backend_t scan_adfa_backend = {.base = {.name = "adfa",
                                                   .kind = DEVICE_CPU,
                                                   .rate = 1.5e9},
                                          .takes = takes_compressed,
                                          .create = create,
                                          .scan = scan,
                                          .destroy = destroy};
