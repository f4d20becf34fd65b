/*
 * refine_choose.c - which candidates of a round go first: the lexicographically first
 * maximal independent set, by marks on triangles.
 *
 * In each pass those that are undecided write their rank on their triangles if it is the
 * lowest there; who has all of them wins, and takes them; who finds one that is taken
 * loses.  The result does not depend on the order within a pass.
 */
#include "kernels/mesh/refine/refine_state.h"

static const uint64_t taken = 0;

static inline uint64_t look(const uint64_t *mark)
{
    return __atomic_load_n(mark, __ATOMIC_RELAXED);
}

static inline void put(uint64_t *mark, uint64_t rank)
{
    __atomic_store_n(mark, rank, __ATOMIC_RELAXED);
}

static inline void lower(uint64_t *mark, uint64_t rank)
{
    uint64_t old = look(mark);

    while (rank < old && !__atomic_compare_exchange_n(mark, &old, rank, true,
                                                      __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

/* @return the mark of a candidate's i-th triangle or of its neighbour there; NULL: the
 * neighbour does not exist */
static inline uint64_t *mark_at(const refine_t *r, const int32_t *inside,
                                const refine_border_t *border,
                                const refine_candidate_t *c, int32_t i)
{
    const int32_t outside = i < c->n_inside ? 0 : border[i - c->n_inside].outside;

    return i < c->n_inside        ? &r->mark[inside[i]]
           : outside == MESH_NONE ? NULL
                                  : &r->mark[mesh_tri_of(outside)];
}

/* A pass of a loop over undecided candidates. */
typedef enum { LOWER, CLAIM, CLEAR } pass_t;

typedef struct {
    refine_t *r;
    pass_t pass;
    int32_t n_left[REFINE_CHUNKS]; /* undecided ones */
} choice_t;

static void lower_marks(const refine_t *r, int64_t k)
{
    const refine_candidate_t *c = &r->candidate[k];
    const int32_t *inside = refine_inside(r, k);
    const refine_border_t *border = refine_borders(r, k);

    for (int32_t i = 0; i < c->n_inside + c->n_borders; i++) {
        uint64_t *mark = mark_at(r, inside, border, c, i);

        if (mark != NULL)
            lower(mark, c->rank);
    }
}

void refine_set_marks(const refine_t *r, int64_t k, uint64_t value)
{
    const refine_candidate_t *c = &r->candidate[k];
    const int32_t *inside = refine_inside(r, k);
    const refine_border_t *border = refine_borders(r, k);

    for (int32_t i = 0; i < c->n_inside + c->n_borders; i++) {
        uint64_t *mark = mark_at(r, inside, border, c, i);

        if (mark != NULL)
            put(mark, value);
    }
}

/* Win, if all marks are its own, and take them. */
static void claim(refine_t *r, int64_t k)
{
    refine_candidate_t *c = &r->candidate[k];
    const int32_t *inside = refine_inside(r, k);
    const refine_border_t *border = refine_borders(r, k);

    for (int32_t i = 0; i < c->n_inside + c->n_borders; i++) {
        const uint64_t *mark = mark_at(r, inside, border, c, i);

        if (mark != NULL && look(mark) != c->rank)
            return;
    }
    c->fate = REFINE_WINS;
    refine_set_marks(r, k, taken);
}

/* Free marks that are not taken, and lose if any is, or if this was the only pass. */
static void clear(refine_t *r, int64_t k)
{
    refine_candidate_t *c = &r->candidate[k];
    const int32_t *inside = refine_inside(r, k);
    const refine_border_t *border = refine_borders(r, k);

    if (r->spec->variant == MESH_BASE)
        c->fate = REFINE_LOSES;
    for (int32_t i = 0; i < c->n_inside + c->n_borders; i++) {
        uint64_t *mark = mark_at(r, inside, border, c, i);

        if (mark == NULL)
            continue;
        if (look(mark) == taken)
            c->fate = REFINE_LOSES;
        else
            put(mark, REFINE_NOBODY);
    }
}

static void run_chunk(void *ctx, int64_t number, int thread)
{
    choice_t *choice = ctx;
    refine_t *r = choice->r;
    const int64_t first = number * REFINE_CHUNK;

    (void)thread;
    for (int64_t k = first; k < first + REFINE_CHUNK && k < r->n; k++) {
        const refine_candidate_t *c = &r->candidate[k];

        if (c->fate == REFINE_WAITS && choice->pass == LOWER)
            lower_marks(r, k);
        else if (c->fate == REFINE_WAITS && choice->pass == CLAIM)
            claim(r, k);
        else if (c->fate == REFINE_WAITS && choice->pass == CLEAR)
            clear(r, k);
    }
    choice->n_left[number] = 0;
    for (int64_t k = first; k < first + REFINE_CHUNK && k < r->n; k++)
        choice->n_left[number] += r->candidate[k].fate == REFINE_WAITS;
}

/* Below, a pass takes less time than to wake threads for it. */
enum { ALONE = 512 };

/* @param n_left  undecided ones @return those behind the pass */
static int64_t run_pass(choice_t *choice, pass_t pass, int64_t n_left)
{
    const int n_chunks = refine_n_chunks(choice->r);

    choice->pass = pass;
    pool_run(n_left < ALONE ? NULL : choice->r->pool, n_chunks, run_chunk, choice);
    n_left = 0;
    for (int k = 0; k < n_chunks; k++)
        n_left += choice->n_left[k];
    return n_left;
}

void refine_choose(refine_t *r)
{
    choice_t choice = {.r = r};
    int64_t n_left = r->n;

    while ((n_left = run_pass(&choice, LOWER, n_left)) > 0 &&
           (n_left = run_pass(&choice, CLAIM, n_left)) > 0 &&
           (n_left = run_pass(&choice, CLEAR, n_left)) > 0)
        ;
}
