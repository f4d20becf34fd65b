/*
 * refine_state.h - a round of refinement, as its files share it.
 *
 * Candidates are divided into chunks; a thread works on a chunk at a time, whose lists
 * are its own.  Lists of chunks in their order are the same with any number of threads.
 */
#pragma once

#include "io/base/buf.h"
#include "kernels/mesh/refine/mesh_refine.h"
#include "kernels/mesh/refine/refine_queue.h"
#include "kernels/mesh/refine/refine_rule.h"

#define REFINE_NOBODY UINT64_MAX /* a mark */

/* A bit of keys that those of lengths do not have: they are positive. */
#define REFINE_LAST (1U << 31)

/* Passes in which those candidates of a round are chosen that win. */
enum { REFINE_PASS_BITS = 6, REFINE_PASSES = 1 << REFINE_PASS_BITS };

/* An odd number: times it, numbers modulo MESH_ROUND are permuted. */
#define REFINE_MIX 54321U

/* Rounds that marks tell apart. */
enum { REFINE_ROUNDS = (1 << 24) - 1 };

enum { REFINE_CHUNK = 128, REFINE_CHUNKS = MESH_ROUND / REFINE_CHUNK };

/* What became of a candidate. */
typedef enum {
    REFINE_WAITS,   /* has a cavity, or subsegments to be cut first */
    REFINE_WINS,    /* the same, and no other in its way */
    REFINE_LOSES,   /* another one is in its way */
    REFINE_IS_OLD,  /* the triangle is gone */
    REFINE_IS_STUCK /* doubles have no better point */
} refine_fate_t;

/* An edge of the outline of a cavity, to the left of which it lies. */
typedef struct {
    int32_t from;    /* vertex */
    int32_t outside; /* the edge on the other side, or MESH_NONE */
    int32_t sub;     /* the subsegment that it is, or MESH_NONE */
    int32_t region;  /* of the triangle inside */
} refine_border_t;

typedef struct {
    double p[2];      /* the new vertex */
    uint32_t rank;    /* the lowest goes first; all are different */
    bool is_sub;      /* a subsegment, else a triangle */
    int32_t what;     /* its number */
    uint32_t version; /* of the triangle */
    int32_t at;       /* in the chunk's list: triangles, borders, then subsegments hit */
    int32_t n_inside, n_borders;
    int32_t n_hit; /* subsegments that have to be cut first */
    int32_t turn;  /* of a subsegment: borders before it are of its first side */
    int32_t new_point, new_tri, new_sub; /* numbers */
    refine_fate_t fate;
} refine_candidate_t;

typedef struct {
    buf_t cavities;  /* int32_t */
    buf_t stack;     /* int32_t: edges to cross */
    buf_t bad;       /* refine_entry_t and key, found while filling */
    buf_t cut;       /* int32_t: subsegments to be cut */
    bool has_failed; /* out of memory */
} refine_chunk_t;

/* A triangle that was found to be bad. */
typedef struct {
    refine_entry_t entry;
    uint32_t key;
} refine_bad_t;

/* What the functions of a candidate see of a round. */
typedef struct {
    tri_mesh_t *m;
    refine_rule_t rule;
} refine_view_t;

typedef struct {
    refine_view_t view;
    const mesh_refine_spec_t *spec;
    mesh_refine_report_t *report;
    pool_t *pool;
    refine_queue_t queue;
    buf_t cut; /* int32_t: subsegments to be cut, first in, first out */

    uint64_t *mark; /* [marks_capacity] of triangles: refine_mark, or REFINE_NOBODY */
    int64_t marks_capacity;

    int64_t n;     /* candidates */
    int64_t n_sub; /* that are subsegments: the first ones */
    refine_candidate_t candidate[MESH_ROUND];
    refine_chunk_t chunk[REFINE_CHUNKS];
} refine_t;

static inline int refine_n_chunks(const refine_t *r)
{
    return (int)((r->n + REFINE_CHUNK - 1) / REFINE_CHUNK);
}

/* @return the lists of a candidate */
static inline int32_t *refine_inside(const refine_t *r, int64_t k)
{
    return (int32_t *)(void *)r->chunk[k / REFINE_CHUNK].cavities.data +
           r->candidate[k].at;
}

static inline refine_border_t *refine_borders(const refine_t *r, int64_t k)
{
    return (refine_border_t *)(void *)(refine_inside(r, k) + r->candidate[k].n_inside);
}

static inline const int32_t *refine_hit(const refine_t *r, int64_t k)
{
    return (const int32_t *)(const void *)(refine_borders(r, k) +
                                           r->candidate[k].n_borders);
}

/* @return the mark of a triangle that a winner of a round has */
MESH_STATIC inline uint64_t refine_taken(int64_t round)
{
    return (uint64_t)(REFINE_ROUNDS - round % REFINE_ROUNDS) << (REFINE_PASS_BITS + 33);
}

/* @return the mark by which a candidate asks for a triangle in a pass.  It is lower than
 * all of passes and rounds before, which need not be cleared, and not as low as that of a
 * winner of its round. */
MESH_STATIC inline uint64_t refine_mark(int64_t round, int pass, uint32_t rank)
{
    return refine_taken(round) | (uint64_t)(2 * REFINE_PASSES - 1 - pass) << 32 | rank;
}

/* Append a number; lists of a GPU do not grow. @return ST_OK or ST_ENOMEM */
MESH_STATIC inline status_t refine_push(buf_t *to, int32_t value)
{
#ifdef __CUDACC__
    if (to->capacity - to->len < sizeof(value))
        return ST_ENOMEM;
#else
    if (to->capacity - to->len < sizeof(value) &&
        buf_reserve(to, 4096 + to->len) != ST_OK)
        return ST_ENOMEM;
#endif
    *(int32_t *)(void *)(to->data + to->len) = value;
    to->len += sizeof(value);
    return ST_OK;
}

/* pool_fn_t, of a refine_t: find the vertices and cavities of a chunk (refine_cavity.c);
 * fill those that win, or check a part of all triangles (refine_fill.c). */
void refine_find_chunk(void *ctx, int64_t chunk, int thread);
void refine_fill_chunk(void *ctx, int64_t chunk, int thread);
void refine_check_chunk(void *ctx, int64_t chunk, int thread);

/* Decide which candidates win (refine_choose.c). */
void refine_choose(refine_t *r);
