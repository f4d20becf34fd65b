/*
 * swap_gaps.h - when tensors of a program may be out of the arena: between two uses.
 *
 * Such a time is a gap.  A policy takes some gaps; all else follows from these.  Tensors
 * that last have one more gap, from their last use over the end of the program to their
 * first one when it runs again; images do not, because they are written there.
 */
#pragma once

#include "cnn/memory/swap_program.h"

/* What passes through the arena in slices while large tensors are used. */
typedef enum {
    SWAP_DIVIDE_NOTHING,
    SWAP_DIVIDE_STATES, /* at updates those of the solver */
    SWAP_DIVIDE_ALL,    /* the parameter, too */
    SWAP_DIVIDE_POOLS,  /* and what pooling has read, at its gradient */
    SWAP_DIVIDE_LAYERS, /* and all images, at layers' steps that take more than half of
                         * what the largest one does; of each later value half as much */
    SWAP_N_DIVIDES = SWAP_DIVIDE_LAYERS + 6
} swap_divide_t;

typedef struct {
    int tensor;
    int from, to; /* places of the uses before and after it; from >= to: over the end */
    size_t bytes; /* of the tensor in the arena */
    int version;  /* gaps of one value of the tensor have the same one; the first of these
                   * that is taken costs a copy to the swap area.  -1: the swap area
                   * always has it */
    int fetch;    /* the place before which it comes back: to, or earlier */
    int last_pass;  /* the last place at which it passes in slices meanwhile; or from */
    bool is_forced; /* always taken, because it passes; of 0 bytes: it never comes back */
    bool is_taken;
    double repeat_s; /* seconds to compute the tensor again; 0: that is not possible, or
                      * takes longer than a copy */
    double value;    /* a policy's, to choose by */
} swap_gap_t;

typedef struct {
    const cnn_program_t *program;
    bool follows; /* updates follow their gradients */
    swap_divide_t divide;
    size_t keep_bytes;  /* tensors of fewer bytes stay */
    int64_t slice;      /* elements of a slice of an update */
    size_t whole_bytes; /* layers' steps of no more images are whole */
    bool any_divided;   /* there are steps in slices */
    bool gathers;       /* parts of batch norm are those of ranks */
    bool repeats; /* swap_ahead_take counts for a gap what computing its tensor again
                   * takes, where that is possible */
    int *order;   /* [n_places] the first step at each place, in the order that they
                   * run in; a ReLU that writes over what the step before has written
                   * is at its place: kernels compute both at once */
    int n_places;
    swap_gap_t *gaps; /* [n_gaps], those of a tensor one behind the other */
    int n_gaps;
    int *n_taken; /* [n_versions] gaps of each version that are taken */
    int n_versions;
    size_t *live; /* [n_places] bytes in the arena at each place, with what is taken */
} swap_gaps_t;

/*
 * Find all gaps; only forced ones are taken.
 *
 * @param follows  each update is moved directly behind the last step before it that uses
 *                 what it reads or writes
 * @param divide   what is not in the arena as a whole at updates
 * @return ST_OK or ST_ENOMEM
 */
status_t swap_gaps_find(const cnn_program_t *program, const swap_opts_t *opts,
                        bool follows, swap_divide_t divide, swap_gaps_t *out) MUST_CHECK;

/* swap_slices.c: steps that are divided. */

/* Find how large slices are, and which layers' steps are divided. */
void swap_slices_find(swap_gaps_t *g, const swap_opts_t *opts);

/* @return rows of a slice of a step, 0: it is whole; all of its rows; elements of a row
 * of a tensor of it */
int64_t swap_slices_rows(const swap_gaps_t *g, const cnn_step_t *step);
int64_t swap_slices_n_rows(const swap_gaps_t *g, const cnn_step_t *step);
int64_t swap_slices_row(const swap_gaps_t *g, const cnn_step_t *step, int tensor);

/* @return whether a tensor of a divided step, its reads counted before its writes, has
 * such rows: else every slice uses all of it */
bool swap_slices_has_rows(const cnn_step_t *step, int i);

/* @return the least number of rows of a slice; 0: the step cannot be divided
 * @param passes  slices of images that may leave are tensors of their own, which always
 *                begin aligned */
int64_t swap_slices_unit(const swap_gaps_t *g, const cnn_step_t *step, bool passes);

/* @return the first element of a tensor's slice from a row on */
int64_t swap_slices_element(const swap_gaps_t *g, const cnn_step_t *step, int tensor,
                            int64_t row);

/* @return whether a step writes what it has to read before: an update */
bool swap_slices_changes(const cnn_step_t *step);

/* @return whether a tensor may leave the arena */
bool swap_slices_may_leave(const swap_gaps_t *g, int tensor);

/* @return whether a tensor passes in slices at a step; whether it does at any; whether
 * it does at the first step that uses it, and is in the swap area first */
bool swap_slices_pass(const swap_gaps_t *g, const cnn_step_t *step, int tensor);
bool swap_slices_any(const swap_gaps_t *g, int tensor);
bool swap_slices_first(const swap_gaps_t *g, int tensor);

/* @return a tensor like the slice from a row on; bytes of the slices that a step takes */
cnn_tensor_t swap_slices_like(const swap_gaps_t *g, const cnn_step_t *step, int tensor,
                              int64_t first);
size_t swap_slices_room(const swap_gaps_t *g, const cnn_step_t *step);

void swap_gaps_free(swap_gaps_t *g);

/*
 * swap_parts.c: make a program in which batch norms are in parts that take more than
 * 1 / 2^(level + 1) of what the largest one does.
 *
 * @param out  to be divided by swap_emit alone; NULL: there are none
 * @return ST_OK or ST_ENOMEM
 */
enum { SWAP_PARTS_LEVELS = 5 };

status_t swap_parts_make(const cnn_program_t *program, int level,
                         cnn_program_t **out) MUST_CHECK;

/*
 * swap_tiles.c: make a program that applies gradients of large fully connected weights
 * tile by tile, of slices.
 *
 * @param how  below SWAP_N_TILINGS: of which of these, ranked by size, what the solver
 *             keeps is in the swap area, and whether tiles are spread over the steps
 * @param out  NULL: there are none, or another `how` is the same
 * @return ST_OK or ST_ENOMEM
 */
enum { SWAP_N_TILINGS = 32 };

status_t swap_tiles_make(const cnn_program_t *program, const swap_opts_t *opts, int how,
                         cnn_program_t **out) MUST_CHECK;

/* Take a gap, or give it back, and update `live`, up to the gap's fetch. */
void swap_gaps_take(swap_gaps_t *g, int gap, bool is_taken);

/* Give all gaps back but those that are forced. */
void swap_gaps_reset(swap_gaps_t *g);

/* @return the end of the steps at a place */
static inline int swap_gaps_end(const swap_gaps_t *g, int place)
{
    const cnn_program_t *p = g->program;
    const int next = g->order[place] + 1;
    const cnn_step_t *s = &p->steps[next];

    return next < p->n_steps && s->op == CNN_RELU && s->reads[0] == s->writes[0] &&
                   s->reads[0] == s[-1].writes[0]
               ? next + 1
               : next;
}

/* @return the first place at which a tensor is out, and the next one in this gap: -1
 * after the last; the gap's fetch counts as the tensor's return */
static inline int swap_gap_first(const swap_gaps_t *g, const swap_gap_t *gap)
{
    const int first = gap->from + 1 < g->n_places ? gap->from + 1 : 0;

    return first == gap->fetch ? -1 : first;
}

static inline int swap_gap_next(const swap_gaps_t *g, const swap_gap_t *gap, int place)
{
    const int next = place + 1 < g->n_places ? place + 1 : 0;

    return next == gap->fetch ? -1 : next;
}

/* swap_emit.c: the program of the gaps that are taken. @return ST_OK or ST_ENOMEM */
status_t swap_emit(const swap_gaps_t *g, bool copies_wait,
                   cnn_program_t **out) MUST_CHECK;

/*
 * swap_again.c: tensors that are computed again in the backward pass, wherever cheap
 * steps can, instead of being copied.
 */

/* Find `repeat_s` of all gaps. @return whether there is any */
bool swap_again_find(swap_gaps_t *g);

/*
 * Make a program in which what leaves in gaps that are taken is computed again, where
 * they have a `repeat_s`.
 *
 * @param sliced_bytes  what has as many is computed again in slices of some images, where
 *                      all steps that use it divide; SIZE_MAX: nothing
 * @param out           has all parameters and states under their numbers; NULL: no such
 *                      gap is taken
 * @return ST_OK or ST_ENOMEM
 */
status_t swap_again_make(const swap_gaps_t *g, size_t sliced_bytes,
                         cnn_program_t **out) MUST_CHECK;

/* Policies: take gaps until no more than `arena_bytes` live at any place. */

/* swap_ahead.c: those that move the fewest bytes, about. @param power  of what a gap
 * saves: a higher one prefers fewer gaps that save more */
void swap_ahead_take(swap_gaps_t *g, size_t arena_bytes, double power);

/* @return seconds of a step, and of copying bytes, about, on a large GPU of 2022 or
 * later: for how early a fetch begins, and what is computed again; no result depends on
 * it */
double swap_ahead_step_s(const cnn_program_t *program, const cnn_step_t *step);
double swap_ahead_copy_s(double bytes);

/* Move the fetches of the gaps that are taken forward, where no more than `bytes` live
 * then. */
void swap_ahead_fetch(swap_gaps_t *g, size_t bytes);

/* swap_demand.c: those in which the least recently used tensor leaves. @return ST_OK or
 * ST_ENOMEM */
status_t swap_demand_take(swap_gaps_t *g, size_t arena_bytes) MUST_CHECK;
