/*
 * swap_program.c - the table of policies, and how much of the arena they may plan with.
 *
 * A policy counts bytes; where tensors lie is planned when it is known which leave, and
 * leaves some memory idle between them.  So a policy plans with the whole arena first,
 * and with less until the tensors have their places.
 */
#include "cnn/memory/swap_program.h"

#include "cnn/memory/swap_gaps.h"
#include "cnn/memory/swap_time.h"
#include "io/base/logmsg.h"

#include <stdint.h>
#include <stdlib.h>

const char *const swap_policy_name[SWAP_N_POLICIES] = {"plan", "demand"};

/* What is computed again in slices has at least MIN_SLICED slices of an update. */
enum { N_POWERS = 3, MIN_SLICED = 4 };

/* Fetching early makes a plan no faster than by this factor, about. */
static const double MAX_SLOWER = 1.15;

static status_t take_ahead(swap_gaps_t *g, size_t arena_bytes, int variant)
{
    static const double powers[N_POWERS] = {1, 1.5, 2};

    swap_ahead_take(g, arena_bytes, powers[variant]);
    return ST_OK;
}

static status_t take_demand(swap_gaps_t *g, size_t arena_bytes, int variant)
{
    (void)variant;
    return swap_demand_take(g, arena_bytes);
}

static const struct {
    status_t (*take)(swap_gaps_t *g, size_t arena_bytes, int variant);
    int n_variants;   /* of which the one that moves the fewest bytes is taken */
    bool follows;     /* updates follow their gradients */
    int n_divides;    /* ways to divide them */
    bool copies_wait; /* for the step before, and steps for them */
} policies[SWAP_N_POLICIES] = {
    [SWAP_PLAN] = {take_ahead, N_POWERS, true, SWAP_N_DIVIDES, false},
    [SWAP_DEMAND] = {take_demand, 1, false, 1, true},
};

static void take_all(swap_gaps_t *g)
{
    swap_gaps_reset(g);
    for (int i = 0; i < g->n_gaps; i++)
        swap_gaps_take(g, i, true);
}

/* @param best  in and out: the smallest arena so far, and the swap area for it */
static status_t find_smallest(const cnn_program_t *program, const swap_opts_t *opts,
                              swap_divide_t divide, swap_need_t *best)
{
    const swap_policy_t policy = opts->policy;
    cnn_program_t *smallest;
    swap_gaps_t g;
    status_t st = swap_gaps_find(program, opts, policies[policy].follows, divide, &g);

    if (st != ST_OK)
        return st;
    take_all(&g);
    if ((st = swap_emit(&g, policies[policy].copies_wait, &smallest)) == ST_OK) {
        if (smallest->arena_bytes < best->arena_bytes)
            *best = (swap_need_t){smallest->arena_bytes, smallest->swap_bytes};
        cnn_program_destroy(smallest);
    }
    swap_gaps_free(&g);
    return st;
}

/* @return the end of the ways to divide that a policy has */
static int n_divides(const swap_opts_t *opts, int end)
{
    return end < policies[opts->policy].n_divides ? end
                                                  : policies[opts->policy].n_divides;
}

/* The same for each way to divide steps from one on. */
static status_t find_divided(const cnn_program_t *program, const swap_opts_t *opts,
                             int first, swap_need_t *best)
{
    status_t st = ST_OK;

    for (int i = first; st == ST_OK && i < n_divides(opts, SWAP_N_DIVIDES); i++)
        st = find_smallest(program, opts, (swap_divide_t)i, best);
    return st;
}

/* @return how many ways there are to divide sums of batch norms, too */
static int n_levels(const swap_opts_t *opts)
{
    return policies[opts->policy].n_divides > 1 ? SWAP_PARTS_LEVELS : 0;
}

/* Make the program that applies gradients tile by tile. @param out  NULL: none */
static status_t make_tiles(const cnn_program_t *program, const swap_opts_t *opts, int how,
                           cnn_program_t **out)
{
    *out = NULL;
    return opts->policy == SWAP_PLAN ? swap_tiles_make(program, opts, how, out) : ST_OK;
}

/* Only with small tiles, which need the least. */
static status_t find_tiled(const cnn_program_t *program, const swap_opts_t *opts,
                           swap_need_t *best)
{
    status_t st = ST_OK;

    for (int i = SWAP_N_TILINGS / 2; st == ST_OK && i < SWAP_N_TILINGS; i++) {
        cnn_program_t *tiles;

        if ((st = make_tiles(program, opts, i, &tiles)) != ST_OK || tiles == NULL)
            continue;
        st = find_divided(tiles, opts, 0, best);
        cnn_program_destroy(tiles);
    }
    return st;
}

status_t swap_program_need(const cnn_program_t *program, const swap_opts_t *opts,
                           swap_need_t *out)
{
    swap_need_t best = {program->arena_bytes, program->swap_bytes};
    status_t st = find_divided(program, opts, 0, &best);

    if (st == ST_OK)
        st = find_tiled(program, opts, &best);
    for (int i = 0; st == ST_OK && i < n_levels(opts); i++) {
        cnn_program_t *parts;

        if ((st = swap_parts_make(program, i, &parts)) != ST_OK || parts == NULL)
            break;
        st = find_divided(parts, opts, SWAP_DIVIDE_LAYERS, &best);
        cnn_program_destroy(parts);
    }
    if (st == ST_OK)
        *out = best;
    return st;
}

/* What a policy chose, and how. */
typedef struct {
    cnn_program_t *program; /* NULL: none yet */
    int variant;            /* -1: all gaps are taken */
    size_t bytes;           /* that it planned with */
    double seconds;         /* that a batch takes, about */
} choice_t;

/* Make the program of what is taken. @param out  NULL: the tensors do not fit */
static status_t emit(const swap_gaps_t *g, swap_policy_t policy, size_t arena_bytes,
                     cnn_program_t **out)
{
    const status_t st = swap_emit(g, policies[policy].copies_wait, out);

    if (st == ST_OK && (*out)->arena_bytes > arena_bytes) {
        cnn_program_destroy(*out);
        *out = NULL;
    }
    return st;
}

/* Take the gaps of a choice again. */
static status_t take_again(swap_gaps_t *g, swap_policy_t policy, const choice_t *how)
{
    swap_gaps_reset(g);
    if (how->variant >= 0)
        return policies[policy].take(g, how->bytes, how->variant);
    take_all(g);
    return ST_OK;
}

static double step_s(const cnn_program_t *p, const cnn_step_t *s, double copy_factor)
{
    return cnn_op_kind(s->op) == CNN_KIND_COPY
               ? swap_ahead_copy_s(s->bytes / 2) * copy_factor
               : swap_ahead_step_s(p, s);
}

/* Find about what a program takes on a GPU: the mean of some, whose links differ; copies
 * that nothing waits for take a little, too. */
static status_t find_seconds(choice_t *c)
{
    static const double copy_factors[] = {0.8, 1, 1.25}, beside = 0.05;
    enum { N = sizeof(copy_factors) / sizeof(*copy_factors) };
    const cnn_program_t *p = c->program;
    double *seconds, one = 0;
    status_t st = ST_OK;

    if (p == NULL)
        return ST_OK;
    if ((seconds = malloc(((size_t)p->n_steps + 1) * sizeof(*seconds))) == NULL)
        return log_nomem("the plan of a network");
    c->seconds = 0;
    for (int s = 0; s < p->n_steps; s++)
        if (cnn_op_kind(p->steps[s].op) == CNN_KIND_COPY)
            c->seconds += step_s(p, &p->steps[s], beside);
    for (int i = 0; st == ST_OK && i < N; i++) {
        for (int s = 0; s < p->n_steps; s++)
            seconds[s] = step_s(p, &p->steps[s], copy_factors[i]);
        if ((st = swap_time_run(p, seconds, false, &one)) == ST_OK)
            c->seconds += one / N;
    }
    free(seconds);
    return st;
}

/* Times are about: what is tried first is kept where another one saves next to nothing,
 * unless that moves nothing. */
static bool is_better(const choice_t *a, const choice_t *b)
{
    if (a->program == NULL || b->program == NULL)
        return a->program != NULL;
    return a->seconds <
           b->seconds * (a->program->swap_bytes == 0 && b->program->swap_bytes > 0
                             ? 1.001
                             : 0.999);
}

/* Keep the better one of two choices. */
static void keep_better(choice_t *best, choice_t *other)
{
    const choice_t worse = is_better(other, best) ? *best : *other;

    if (is_better(other, best))
        *best = *other;
    cnn_program_destroy(worse.program);
}

/* Make the program of what is taken, with fetches as early as the tensors still find
 * places. @param made  in: how; out: no program where none fits */
static status_t fetch_early(swap_gaps_t *g, swap_policy_t policy, size_t arena_bytes,
                            choice_t *made)
{
    enum { N_TRIES = 25 };
    status_t st = ST_OK;

    for (size_t i = 0; st == ST_OK && made->program == NULL && i < N_TRIES; i++) {
        swap_ahead_fetch(g, arena_bytes - arena_bytes / 50 * i);
        st = emit(g, policy, arena_bytes, &made->program);
    }
    return st == ST_OK ? find_seconds(made) : st;
}

/* Plan with less and less, which moves more and earlier: what is idle then may be
 * fetched to. */
static status_t leave_room(swap_gaps_t *g, swap_policy_t policy, size_t arena_bytes,
                           choice_t *best)
{
    static const double parts[] = {1, 0.98, 0.96, 0.93, 0.9, 0.85};
    const size_t bytes = best->bytes;
    status_t st = ST_OK;

    for (size_t i = 0; st == ST_OK && i < sizeof(parts) / sizeof(*parts); i++) {
        choice_t made = {.variant = best->variant,
                         .bytes = (size_t)((double)bytes * parts[i])};

        if ((st = take_again(g, policy, &made)) == ST_OK)
            st = fetch_early(g, policy, arena_bytes, &made);
        keep_better(best, &made);
    }
    return st;
}

/* @param best  in and out: what takes the least time so far */
static status_t try_variant(swap_gaps_t *g, swap_policy_t policy, int variant,
                            size_t arena_bytes, choice_t *best)
{
    enum { N_TRIES = 25 };
    choice_t made = {.variant = variant};
    status_t st = ST_OK;

    for (size_t i = 0; st == ST_OK && made.program == NULL && i < N_TRIES; i++) {
        made.bytes = arena_bytes - arena_bytes / 100 * i;
        if ((st = take_again(g, policy, &made)) == ST_OK)
            st = emit(g, policy, arena_bytes, &made.program);
    }
    if (st == ST_OK)
        st = find_seconds(&made);
    keep_better(best, &made);
    return st;
}

/* A program that does not fit, its gaps, and those that a policy takes. */
typedef struct {
    const cnn_program_t *program;
    cnn_program_t *again; /* the same, if it computes something again, or is in tiles or
                           * parts; else NULL */
    swap_gaps_t gaps;
    choice_t best;       /* of a zeroed one there is none: no program fits */
    bool is_last_resort; /* steps of layers are divided */
} attempt_t;

static void attempt_free(attempt_t *a)
{
    cnn_program_destroy(a->best.program);
    swap_gaps_free(&a->gaps);
    cnn_program_destroy(a->again);
    *a = (attempt_t){.program = NULL};
}

/* Choose gaps of an attempt's program.
 * @param divide  as of swap_gaps_find; nothing is chosen where it changes nothing */
static status_t choose_gaps(const swap_opts_t *opts, size_t arena_bytes,
                            swap_divide_t divide, attempt_t *a)
{
    const swap_policy_t policy = opts->policy;
    choice_t smallest = {.variant = -1};
    status_t st =
        swap_gaps_find(a->program, opts, policies[policy].follows, divide, &a->gaps);

    if (st == ST_OK && divide != SWAP_DIVIDE_NOTHING && !a->gaps.any_divided)
        return ST_OK;
    for (int i = 0; st == ST_OK && i < policies[policy].n_variants; i++)
        st = try_variant(&a->gaps, policy, i, arena_bytes, &a->best);
    if (st != ST_OK || a->best.program != NULL)
        return st;
    a->best = smallest;
    if ((st = take_again(&a->gaps, policy, &smallest)) == ST_OK)
        st = emit(&a->gaps, policy, arena_bytes, &a->best.program);
    return st == ST_OK ? find_seconds(&a->best) : st;
}

/* Put another attempt for the same program in the place of one. */
static void replace(attempt_t *a, attempt_t *other)
{
    other->again = a->again;
    a->again = NULL;
    attempt_free(a);
    *a = *other;
}

/* The same for each way to divide updates, of which the best one stays. */
static status_t attempt(const swap_opts_t *opts, size_t arena_bytes, attempt_t *a)
{
    status_t st = choose_gaps(opts, arena_bytes, SWAP_DIVIDE_NOTHING, a);

    for (int i = 1; st == ST_OK && i < n_divides(opts, SWAP_DIVIDE_LAYERS); i++) {
        attempt_t other = {.program = a->program};

        st = choose_gaps(opts, arena_bytes, (swap_divide_t)i, &other);
        if (st == ST_OK && is_better(&other.best, &a->best))
            replace(a, &other);
        else
            attempt_free(&other);
    }
    return st;
}

/* Divide steps of layers, the fewest that it takes. */
static status_t attempt_layers(const swap_opts_t *opts, size_t arena_bytes, attempt_t *a)
{
    status_t st = ST_OK;

    for (int i = SWAP_DIVIDE_LAYERS;
         st == ST_OK && a->best.program == NULL && i < n_divides(opts, SWAP_N_DIVIDES);
         i++) {
        const swap_divide_t divide = (swap_divide_t)i;
        attempt_t other = {.program = a->program, .is_last_resort = true};
        swap_need_t need = {SIZE_MAX, 0};

        st = find_smallest(a->program, opts, divide, &need);
        if (st == ST_OK && need.arena_bytes <= arena_bytes)
            st = choose_gaps(opts, arena_bytes, divide, &other);
        replace(a, &other);
    }
    return st;
}

/* Where nothing fits, divide steps of layers, and then batch norms, too, whose sums are
 * over images. */
static status_t attempt_divided(const swap_opts_t *opts, size_t arena_bytes, attempt_t *a)
{
    const cnn_program_t *program = a->program;
    status_t st = attempt_layers(opts, arena_bytes, a);

    for (int i = 0;
         st == ST_OK && a->again == NULL && a->best.program == NULL && i < n_levels(opts);
         i++) {
        cnn_program_t *parts;

        if ((st = swap_parts_make(program, i, &parts)) != ST_OK || parts == NULL)
            break;
        attempt_free(a);
        a->program = a->again = parts;
        st = attempt_layers(opts, arena_bytes, a);
        if (a->best.program == NULL) {
            attempt_free(a);
            a->program = program;
        }
    }
    return st;
}

/* Make the program that computes again what is cheap to compute, of what a policy takes
 * if that counts. @param out  NULL: nothing */
static status_t repeat_some(attempt_t *a, swap_policy_t policy, size_t sliced_bytes,
                            cnn_program_t **out)
{
    status_t st;

    *out = NULL;
    if (!swap_again_find(&a->gaps))
        return ST_OK;
    a->gaps.repeats = true;
    if ((st = take_again(&a->gaps, policy, &a->best)) == ST_OK)
        st = swap_again_make(&a->gaps, sliced_bytes, out);
    a->gaps.repeats = false;
    return st;
}

/* Compute more and more again, as long as that takes less time, but for single rounds.
 * @param best  in and out: the best attempt so far */
static status_t repeat_steps(const swap_opts_t *opts, size_t arena_bytes,
                             size_t sliced_bytes, attempt_t *best)
{
    enum { MAX_ROUNDS = 10, MAX_WORSE = 2 };
    attempt_t last = {.program = NULL}; /* if it is not the best */
    status_t st = ST_OK;
    int n_worse = 0;

    for (int i = 0; st == ST_OK && n_worse <= MAX_WORSE && i < MAX_ROUNDS; i++) {
        attempt_t next = {.program = NULL};

        st = repeat_some(n_worse > 0 ? &last : best, opts->policy, sliced_bytes,
                         &next.again);
        next.program = next.again;
        if (st == ST_OK && next.again != NULL)
            st = attempt(opts, arena_bytes, &next);
        attempt_free(&last);
        if (st != ST_OK || next.best.program == NULL) {
            attempt_free(&next);
            break;
        }
        if (is_better(&next.best, &best->best)) {
            attempt_free(best);
            *best = next;
            n_worse = 0;
        } else {
            last = next;
            n_worse++;
        }
    }
    attempt_free(&last);
    return st;
}

static bool can_repeat(const swap_opts_t *opts)
{
    return opts->policy == SWAP_PLAN && opts->rematerialize == SWAP_REMATERIALIZE_AUTO;
}

/* @return bytes of what is computed again in slices; SIZE_MAX: nothing is, or it would be
 * the same */
static size_t sliced_bytes(const cnn_program_t *p, const swap_opts_t *opts)
{
    const size_t slice = opts->slice_bytes > 0 ? opts->slice_bytes : SWAP_SLICE_BYTES;

    for (int t = 0; can_repeat(opts) && t < p->n_tensors; t++)
        if (p->tensors[t].role == CNN_ACTIVATION &&
            cnn_tensor_bytes(&p->tensors[t]) >= MIN_SLICED * slice)
            return MIN_SLICED * slice;
    return SIZE_MAX;
}

/* Attempt a program, which stays where it is better than the best one so far.
 * @param tiles  NULL, or the program, if it is in tiles; consumed */
static status_t try_program(const cnn_program_t *program, cnn_program_t *tiles,
                            const swap_opts_t *opts, size_t arena_bytes, size_t sliced,
                            attempt_t *best)
{
    const bool is_first = best->best.program == NULL;
    attempt_t other = {.program = program, .again = tiles};
    status_t st = attempt(opts, arena_bytes, &other);

    if (st == ST_OK && is_first && other.best.program == NULL)
        st = attempt_divided(opts, arena_bytes, &other);
    if (st == ST_OK && can_repeat(opts) && other.best.program != NULL &&
        !other.is_last_resort)
        st = repeat_steps(opts, arena_bytes, sliced, &other);
    if (st == ST_OK && !policies[opts->policy].copies_wait && other.best.variant >= 0 &&
        other.best.program != NULL &&
        (is_first || other.best.seconds < MAX_SLOWER * best->best.seconds))
        st = leave_room(&other.gaps, opts->policy, arena_bytes, &other.best);
    if (st == ST_OK && is_better(&other.best, &best->best)) {
        attempt_free(best);
        *best = other;
    } else {
        attempt_free(&other);
    }
    return st;
}

/* Attempt a program and the same in tiles; what is computed again is so as a whole, or in
 * slices. */
static status_t try_all(const cnn_program_t *program, const swap_opts_t *opts,
                        size_t arena_bytes, size_t sliced, attempt_t *best)
{
    status_t st = try_program(program, NULL, opts, arena_bytes, sliced, best);

    for (int i = 0; st == ST_OK && i < SWAP_N_TILINGS; i++) {
        cnn_program_t *tiles;

        if ((st = make_tiles(program, opts, i, &tiles)) == ST_OK && tiles != NULL)
            st = try_program(tiles, tiles, opts, arena_bytes, sliced, best);
    }
    return st;
}

/* @return whether it exchanges with other ranks in front of updates */
static bool adds_up(const cnn_program_t *p)
{
    for (int s = 0; s < p->n_steps; s++)
        if (p->steps[s].op == CNN_SUM)
            return true;
    return false;
}

/* Ranks exchange in the same order, whether their programs fit or not. */
static status_t make_whole(const cnn_program_t *program, const swap_opts_t *opts,
                           cnn_program_t **out)
{
    const bool follows = adds_up(program) && policies[opts->policy].follows;
    swap_gaps_t g;
    status_t st = swap_gaps_find(program, opts, follows, SWAP_DIVIDE_NOTHING, &g);

    if (st == ST_OK) {
        st = swap_emit(&g, false, out);
        swap_gaps_free(&g);
    }
    return st;
}

status_t swap_program_make(const cnn_program_t *program, const swap_opts_t *opts,
                           size_t arena_bytes, cnn_program_t **out)
{
    const size_t sliced = sliced_bytes(program, opts);
    attempt_t a = {.program = NULL};
    status_t st;

    if (program->arena_bytes <= arena_bytes) {
        if ((st = make_whole(program, opts, out)) != ST_OK ||
            (*out)->arena_bytes <= arena_bytes)
            return st;
        cnn_program_destroy(*out); /* updates are at other places */
    }
    st = try_all(program, opts, arena_bytes, SIZE_MAX, &a);
    if (st == ST_OK && sliced < SIZE_MAX)
        st = try_all(program, opts, arena_bytes, sliced, &a);
    if (st == ST_OK) {
        *out = a.best.program;
        a.best.program = NULL;
    }
    attempt_free(&a);
    return st;
}

/* @return whether a step computes a part of what one of the network's does: some of the
 * images, or a tile of a gradient behind its first one
 * @param n  images */
static bool is_part(const cnn_program_t *p, const cnn_step_t *s, int64_t n)
{
    if (s->op == CNN_CONVOLUTION || s->op == CNN_CONVOLUTION_BACKWARD_DATA)
        return p->tensors[s->writes[0]].size[0] < n;
    return s->op == CNN_LINEAR_BACKWARD_WEIGHTS && s->params.linear.first > 0;
}

static int64_t n_images(const cnn_program_t *p)
{
    for (int t = 0; t < p->n_tensors; t++)
        if (p->tensors[t].role == CNN_INPUT)
            return p->tensors[t].size[0];
    return 0;
}

swap_traffic_t swap_program_traffic(const cnn_program_t *p)
{
    const int64_t n = n_images(p);
    swap_traffic_t t = {.n_fetches = 0};

    for (int s = 0; s < p->n_steps; s++) {
        const cnn_step_t *step = &p->steps[s];

        t.has_parts = t.has_parts || is_part(p, step, n);
        if (step->op == CNN_FETCH) {
            t.in_bytes += step->bytes / 2;
            t.n_fetches++;
        } else if (step->op == CNN_EVICT) {
            t.out_bytes += step->bytes / 2;
            t.n_evicts++;
        } else if (step->op == CNN_BATCH_NORM_PART ||
                   step->op == CNN_BATCH_NORM_BACKWARD_PART) {
            const cnn_tensor_t *part = &p->tensors[step->writes[0]];

            t.n_split_sums += part->part_of > 0 && part->part_first == 0;
        } else if (cnn_program_repeats(p, s)) {
            t.n_repeats++;
            t.repeats_flops += step->flops;
            t.repeats_bytes += step->bytes;
        }
    }
    return t;
}
