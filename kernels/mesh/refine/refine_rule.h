/*
 * refine_rule.h - which triangles and segments are to be refined, and by which points.
 *
 * Ruppert's rule (1995) as Shewchuk has it: a subsegment is cut where a vertex sees it
 * under an angle that is too large (within its diametral lens), else a triangle with an
 * angle that is too small gets a vertex at the centre of its circle, or nearer: at an
 * off-centre (Ungor 2004), where the shortest edge has just the angle.  At a corner of
 * two segments, subsegments are cut at distances of powers of two from it, so that those
 * of both are as long; a triangle across such a corner stays as it is.
 *
 * All of it is plain arithmetic of doubles, in one order: the same on every device.
 */
#pragma once

#include "kernels/mesh/tri_mesh.h"

typedef struct {
    double min_angle; /* degrees; 0: any */
    double max_area;  /* 0: any */
    bool off_center;
    /* set by refine_rule_make */
    double cos2;   /* squared cosine of the angle */
    double lens;   /* squared cosine of the angle under which a subsegment is seen from
                    * its lens, which is obtuse */
    double offset; /* of an off-centre from an edge, in lengths of it */
} refine_rule_t;

/* Fill in a rule of the first three members. */
refine_rule_t refine_rule_make(double min_angle, double max_area, bool off_center);

#ifndef __CUDACC__ /* which has the definitions: refine_rule_body.h */

/* @return 0: the triangle is good enough; else its key, the smaller the shorter its
 * shortest edge */
uint32_t refine_rule_key(const refine_rule_t *r, const tri_mesh_t *m,
                                 const mesh_tri_t *t);

/* @return the key of an edge */
uint32_t refine_rule_length_key(const double a[2], const double b[2]);

/* Find the point that refines a triangle. */
void refine_rule_center(const refine_rule_t *r, const tri_mesh_t *m,
                                const mesh_tri_t *t, double p[2]);

/* @return whether a point requires that a subsegment from a to b is cut */
bool refine_rule_encroaches(const refine_rule_t *r, const double a[2],
                                    const double b[2], const double p[2]);

/* Find the point that cuts a subsegment.  @return whether it lies between its ends: if
 * not, doubles have none */
bool refine_rule_cut(const tri_mesh_t *m, const mesh_sub_t *s, double p[2]);

#endif
