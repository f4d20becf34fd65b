/*
 * refine_choose.c - which candidates of a round go first: the lexicographically first
 * maximal independent set, by marks on triangles.
 *
 * In each pass those that are undecided lose if one of their triangles is taken, and else
 * leave their marks, of which the lowest stay; who has all of its own then wins, and
 * takes them.  The result does not depend on the order within a pass.
 */
#include "kernels/mesh/refine/refine_state.h"

static inline uint64_t look(const uint64_t *mark)
{
    return __atomic_load_n(mark, __ATOMIC_RELAXED);
}

static inline void put(uint64_t *mark, uint64_t value)
{
    __atomic_store_n(mark, value, __ATOMIC_RELAXED);
}

static inline void lower(uint64_t *mark, uint64_t value)
{
    uint64_t old = look(mark);

    while (value < old &&
           !__atomic_compare_exchange_n(mark, &old, value, true, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED))
        ;
}

/* The marks of a candidate: of its triangles, and of those beside them. */
typedef struct {
    uint64_t *mark;
    const int32_t *inside;
    const refine_border_t *border;
    int32_t n_inside, n;
} marks_t;

static marks_t marks_of(const refine_t *r, int64_t k)
{
    const refine_candidate_t *c = &r->candidate[k];

    return (marks_t){r->mark, refine_inside(r, k), refine_borders(r, k), c->n_inside,
                     c->n_inside + c->n_borders};
}

/* @return a mark; NULL: the neighbour does not exist */
static inline uint64_t *mark_at(const marks_t *m, int32_t i)
{
    const int32_t outside = i < m->n_inside ? 0 : m->border[i - m->n_inside].outside;

    return i < m->n_inside        ? &m->mark[m->inside[i]]
           : outside == MESH_NONE ? NULL
                                  : &m->mark[mesh_tri_of(outside)];
}

/* A half of a pass. */
typedef enum { ASK, CLAIM } step_t;

typedef struct {
    refine_t *r;
    step_t step;
    int pass, n_passes;
    uint64_t taken;
    int32_t n_left[REFINE_CHUNKS]; /* undecided ones */
} choice_t;

/* Lose, or leave marks. */
static void ask(const choice_t *choice, int64_t k)
{
    refine_candidate_t *c = &choice->r->candidate[k];
    const marks_t m = marks_of(choice->r, k);
    const uint64_t own = refine_mark(choice->r->report->n_rounds, choice->pass, c->rank);

    if (choice->pass == choice->n_passes) {
        c->fate = REFINE_LOSES;
        return;
    }
    for (int32_t i = 0; i < m.n; i++) {
        uint64_t *mark = mark_at(&m, i);

        if (mark != NULL && look(mark) == choice->taken) {
            c->fate = REFINE_LOSES;
            return;
        }
        if (mark != NULL)
            lower(mark, own);
    }
}

/* Win, if all marks are its own, and take them. */
static void claim(const choice_t *choice, int64_t k)
{
    refine_candidate_t *c = &choice->r->candidate[k];
    const marks_t m = marks_of(choice->r, k);
    const uint64_t own = refine_mark(choice->r->report->n_rounds, choice->pass, c->rank);

    for (int32_t i = 0; i < m.n; i++) {
        const uint64_t *mark = mark_at(&m, i);

        if (mark != NULL && look(mark) != own)
            return;
    }
    c->fate = REFINE_WINS;
    for (int32_t i = 0; i < m.n; i++) {
        uint64_t *mark = mark_at(&m, i);

        if (mark != NULL)
            put(mark, choice->taken);
    }
}

static void run_chunk(void *ctx, int64_t number, int thread)
{
    choice_t *choice = ctx;
    refine_t *r = choice->r;
    const int64_t first = number * REFINE_CHUNK;
    int32_t n_left = 0;

    (void)thread;
    for (int64_t k = first; k < first + REFINE_CHUNK && k < r->n; k++) {
        if (r->candidate[k].fate == REFINE_WAITS && choice->step == ASK)
            ask(choice, k);
        else if (r->candidate[k].fate == REFINE_WAITS)
            claim(choice, k);
        n_left += r->candidate[k].fate == REFINE_WAITS;
    }
    choice->n_left[number] = n_left;
}

/* Below, a step takes less time than to wake threads for it. */
enum { ALONE = 512 };

/* @param n_left  undecided ones @return those behind the step */
static int64_t run_step(choice_t *choice, step_t step, int64_t n_left)
{
    const int n_chunks = refine_n_chunks(choice->r);

    choice->step = step;
    pool_run(n_left < ALONE ? NULL : choice->r->pool, n_chunks, run_chunk, choice);
    n_left = 0;
    for (int k = 0; k < n_chunks; k++)
        n_left += choice->n_left[k];
    return n_left;
}

void refine_choose(refine_t *r)
{
    choice_t choice = {.r = r,
                       .n_passes = r->spec->variant == MESH_BASE ? 1 : REFINE_PASSES,
                       .taken = refine_taken(r->report->n_rounds)};
    int64_t n_left = r->n;

    while ((n_left = run_step(&choice, ASK, n_left)) > 0 &&
           (n_left = run_step(&choice, CLAIM, n_left)) > 0)
        choice.pass++;
}
