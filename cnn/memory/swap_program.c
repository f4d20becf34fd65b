/*
 * swap_program.c - the table of policies, and how much of the arena they may plan with.
 *
 * A policy counts bytes; where tensors lie is planned when it is known which leave, and
 * leaves some memory idle between them.  So a policy plans with the whole arena first,
 * and with less until the tensors have their places.
 */
#include "cnn/memory/swap_program.h"

#include "cnn/memory/swap_gaps.h"

const char *const swap_policy_name[SWAP_N_POLICIES] = {"plan", "demand"};

enum { N_POWERS = 3 };

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
    bool copies_wait; /* for the step before, and steps for them */
} policies[SWAP_N_POLICIES] = {
    [SWAP_PLAN] = {take_ahead, N_POWERS, true, false},
    [SWAP_DEMAND] = {take_demand, 1, false, true},
};

/* Make the program of which as little as possible is in the arena at any step. */
static status_t make_smallest(swap_gaps_t *g, swap_policy_t policy, cnn_program_t **out)
{
    swap_gaps_reset(g);
    for (int i = 0; i < g->n_gaps; i++)
        swap_gaps_take(g, i, true);
    return swap_emit(g, policies[policy].copies_wait, out);
}

status_t swap_program_need(const cnn_program_t *program, const swap_opts_t *opts,
                           swap_need_t *out)
{
    cnn_program_t *smallest;
    swap_gaps_t g;
    status_t st = swap_gaps_find(program, opts, policies[opts->policy].follows, &g);

    if (st != ST_OK)
        return st;
    if ((st = make_smallest(&g, opts->policy, &smallest)) == ST_OK) {
        *out = (swap_need_t){smallest->arena_bytes, smallest->swap_bytes};
        if (program->arena_bytes < smallest->arena_bytes)
            *out = (swap_need_t){program->arena_bytes, 0};
        cnn_program_destroy(smallest);
    }
    swap_gaps_free(&g);
    return st;
}

/* What a policy chose, and how. */
typedef struct {
    cnn_program_t *program; /* NULL: none yet */
    int variant;
    size_t bytes; /* that it planned with */
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

static double moved_by(const cnn_program_t *p)
{
    const swap_traffic_t t = swap_program_traffic(p);

    return t.in_bytes + t.out_bytes;
}

/* @param best  in and out: what moved the fewest bytes so far */
static status_t try_variant(swap_gaps_t *g, swap_policy_t policy, int variant,
                            size_t arena_bytes, choice_t *best)
{
    enum { N_TRIES = 25 };
    choice_t made = {.variant = variant};
    status_t st = ST_OK;

    for (size_t i = 0; st == ST_OK && made.program == NULL && i < N_TRIES; i++) {
        made.bytes = arena_bytes - arena_bytes / 100 * i;
        swap_gaps_reset(g);
        if ((st = policies[policy].take(g, made.bytes, variant)) == ST_OK)
            st = emit(g, policy, arena_bytes, &made.program);
    }
    if (made.program != NULL &&
        (best->program == NULL || moved_by(made.program) < moved_by(best->program))) {
        cnn_program_destroy(best->program);
        *best = made;
    } else {
        cnn_program_destroy(made.program);
    }
    return st;
}

/* Fetch as early as the tensors still find places. */
static status_t fetch_early(swap_gaps_t *g, swap_policy_t policy, size_t arena_bytes,
                            choice_t *best)
{
    enum { N_TRIES = 25 };
    cnn_program_t *made = NULL;
    status_t st;

    swap_gaps_reset(g);
    st = policies[policy].take(g, best->bytes, best->variant);
    for (size_t i = 0; st == ST_OK && made == NULL && i < N_TRIES; i++) {
        swap_ahead_fetch(g, arena_bytes - arena_bytes / 50 * i);
        st = emit(g, policy, arena_bytes, &made);
    }
    if (made != NULL) {
        cnn_program_destroy(best->program);
        best->program = made;
    }
    return st;
}

status_t swap_program_make(const cnn_program_t *program, const swap_opts_t *opts,
                           size_t arena_bytes, cnn_program_t **out)
{
    const swap_policy_t policy = opts->policy;
    const bool fits = program->arena_bytes <= arena_bytes;
    choice_t best = {.program = NULL};
    swap_gaps_t g;
    status_t st = swap_gaps_find(program, opts, !fits && policies[policy].follows, &g);

    if (st != ST_OK)
        return st;
    if (fits)
        st = swap_emit(&g, false, &best.program);
    for (int i = 0; st == ST_OK && !fits && i < policies[policy].n_variants; i++)
        st = try_variant(&g, policy, i, arena_bytes, &best);
    if (st == ST_OK && best.program == NULL)
        st = make_smallest(&g, policy, &best.program);
    else if (st == ST_OK && !fits && !policies[policy].copies_wait)
        st = fetch_early(&g, policy, arena_bytes, &best);
    swap_gaps_free(&g);
    if (st == ST_OK)
        *out = best.program;
    else
        cnn_program_destroy(best.program);
    return st;
}

swap_traffic_t swap_program_traffic(const cnn_program_t *p)
{
    swap_traffic_t t = {0, 0, 0, 0};

    for (int s = 0; s < p->n_steps; s++) {
        const cnn_step_t *step = &p->steps[s];

        if (step->op == CNN_FETCH) {
            t.in_bytes += step->bytes / 2;
            t.n_fetches++;
        } else if (step->op == CNN_EVICT) {
            t.out_bytes += step->bytes / 2;
            t.n_evicts++;
        }
    }
    return t;
}
