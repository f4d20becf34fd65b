/*
 * tri_mesh.h - triangles that know their neighbours, and the segments among their edges.
 *
 * A triangle turns left.  Its edge e is opposite its vertex e: from v[e + 1] to v[e + 2],
 * modulo 3.  An edge of a triangle is one number, MESH_EDGE(t, e), MESH_NONE where
 * nothing is on the other side.
 *
 * Segments of the input are cut into parts where they go through vertices of the input;
 * a part is cut into subsegments while the mesh is refined.  Each edge of a triangle that
 * is a subsegment has its number.
 */
#pragma once

#include "io/base/status.h"
#include "kernels/mesh/exact/mesh_fn.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MESH_NONE = -1 };

/* Of a triangle outside the hull, while a triangulation is made: the third vertex. */
enum { MESH_GHOST = -1 };

/* What a vertex is; from 0 on: a new one on that part. */
enum { MESH_GIVEN = -1, MESH_FREE = -2 };

enum { MESH_MAX_TRIANGLES = 1 << 29 };

#define MESH_EDGE(t, e) (4 * (t) + (e))

MESH_STATIC inline int32_t mesh_tri_of(int32_t edge)
{
    return edge >> 2;
}

MESH_STATIC inline int mesh_corner_of(int32_t edge)
{
    return edge & 3;
}

MESH_STATIC inline int mesh_next(int e)
{
    return e == 2 ? 0 : e + 1;
}

MESH_STATIC inline int mesh_before(int e)
{
    return e == 0 ? 2 : e - 1;
}

typedef struct {
    int32_t v[3];     /* vertices */
    int32_t n[3];     /* the edge on the other side of each, or MESH_NONE */
    int32_t s[3];     /* the subsegment of each, or MESH_NONE */
    int32_t region;   /* 0: none */
    uint32_t key;     /* 0: good enough; else its shortest edge, an order of lengths */
    uint32_t version; /* changes with the triangle */
} mesh_tri_t;

typedef struct {
    int32_t a, b; /* vertices, in the direction of the part */
    int32_t part;
    int32_t edge;   /* that is this one; that of the other side is its neighbour */
    bool is_queued; /* to be cut */
    bool is_final;  /* doubles have no point between its ends */
} mesh_sub_t;

typedef struct {
    int32_t a, b;
    int32_t segment; /* of the input, or MESH_NONE: an edge of the hull */
} mesh_part_t;

typedef struct {
    double attribute, max_area; /* max_area: 0: no limit */
} mesh_region_t;

typedef struct {
    double (*p)[2];       /* [n_points] */
    int32_t *on;          /* [n_points] MESH_GIVEN, MESH_FREE or a part */
    int32_t (*parent)[3]; /* [n_points] or NULL: of new points the vertices between which
                           * they were put: three, or two and MESH_NONE */
    mesh_tri_t *t;
    mesh_sub_t *s;
    mesh_part_t *part;
    mesh_region_t *region; /* [n_regions]; the first is none */
    int64_t n_points, n_given, n_triangles, n_subs, n_parts, n_regions;
    int64_t points_capacity, triangles_capacity, subs_capacity, parts_capacity;
} tri_mesh_t;

/* @return ST_OK, or ST_EINPUT (logged): n triangles are more than a mesh may have */
status_t tri_mesh_check_triangles(int64_t n) MUST_CHECK;

/* Make place for `more` of a kind. @return ST_OK, ST_ENOMEM, or of triangles ST_EINPUT
 * (logged) */
status_t tri_mesh_reserve_points(tri_mesh_t *m, int64_t more) MUST_CHECK;
status_t tri_mesh_reserve_triangles(tri_mesh_t *m, int64_t more) MUST_CHECK;
status_t tri_mesh_reserve_subs(tri_mesh_t *m, int64_t more) MUST_CHECK;

/* Keep parents of points from now on. @return ST_OK or ST_ENOMEM (logged) */
status_t tri_mesh_keep_parents(tri_mesh_t *m) MUST_CHECK;

/* Append a part. @return ST_OK or ST_ENOMEM (logged) */
status_t tri_mesh_add_part(tri_mesh_t *m, int32_t a, int32_t b, int32_t segment,
                           int32_t *part) MUST_CHECK;

/* Have two edges be the two sides of one. */
static inline void tri_mesh_join(tri_mesh_t *m, int32_t edge, int32_t other)
{
    m->t[mesh_tri_of(edge)].n[mesh_corner_of(edge)] = other;
    if (other != MESH_NONE)
        m->t[mesh_tri_of(other)].n[mesh_corner_of(other)] = edge;
}

/* Takes a zeroed one, too. */
void tri_mesh_free(tri_mesh_t *m);
