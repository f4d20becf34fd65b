/*
 * tri_mesh.c - memory of a mesh.
 */
#include "kernels/mesh/tri_mesh.h"

#include "io/base/logmsg.h"

#include <stdlib.h>
#include <string.h>

/* Have an array hold n + more elements. */
static status_t reserve(void *array, int64_t n, int64_t more, size_t size,
                        int64_t *capacity)
{
    void **at = array, *larger;
    int64_t wanted = *capacity + *capacity / 2 + 1024;

    if (n + more <= *capacity)
        return ST_OK;
    if (wanted < n + more)
        wanted = n + more;
    if ((larger = realloc(*at, (size_t)wanted * size)) == NULL)
        return log_nomem("a mesh");
    *at = larger;
    *capacity = wanted;
    return ST_OK;
}

status_t tri_mesh_reserve_points(tri_mesh_t *m, int64_t more)
{
    int64_t capacity = m->points_capacity, of_parents = capacity;
    status_t st = reserve(&m->p, m->n_points, more, sizeof(*m->p), &capacity);

    if (st == ST_OK && m->parent != NULL)
        st = reserve(&m->parent, m->n_points, more, sizeof(*m->parent), &of_parents);
    if (st == ST_OK)
        st = reserve(&m->on, m->n_points, more, sizeof(*m->on), &m->points_capacity);
    return st;
}

status_t tri_mesh_keep_parents(tri_mesh_t *m)
{
    m->parent = malloc((size_t)m->points_capacity * sizeof(*m->parent) + 1);
    return m->parent != NULL ? ST_OK : log_nomem("a mesh");
}

status_t tri_mesh_check_triangles(int64_t n)
{
    if (n <= MESH_MAX_TRIANGLES)
        return ST_OK;
    log_error("the mesh gets more than %d triangles; give a larger --max-area, a smaller "
              "--angle, or --max-points",
              MESH_MAX_TRIANGLES);
    return ST_EINPUT;
}

status_t tri_mesh_reserve_triangles(tri_mesh_t *m, int64_t more)
{
    const status_t st = tri_mesh_check_triangles(m->n_triangles + more);

    return st != ST_OK ? st
                       : reserve(&m->t, m->n_triangles, more, sizeof(*m->t),
                                 &m->triangles_capacity);
}

status_t tri_mesh_reserve_subs(tri_mesh_t *m, int64_t more)
{
    return reserve(&m->s, m->n_subs, more, sizeof(*m->s), &m->subs_capacity);
}

status_t tri_mesh_add_part(tri_mesh_t *m, int32_t a, int32_t b, int32_t segment,
                           int32_t *part)
{
    status_t st = reserve(&m->part, m->n_parts, 1, sizeof(*m->part), &m->parts_capacity);

    if (st != ST_OK)
        return st;
    m->part[m->n_parts] = (mesh_part_t){a, b, segment};
    *part = (int32_t)m->n_parts++;
    return ST_OK;
}

void tri_mesh_free(tri_mesh_t *m)
{
    free(m->p);
    free(m->on);
    free(m->parent);
    free(m->t);
    free(m->s);
    free(m->part);
    free(m->region);
    memset(m, 0, sizeof(*m));
}
