/*
 * denoise_rule.h - UNOISE's rule: which of the more abundant reads may have given rise to
 * a read by errors, and what follows from that for all reads.
 *
 * Reads are numbered by falling abundance.  A read of abundance a is absorbed by a
 * centroid of abundance c before it if their alignment has d mismatches, and
 *
 *     a / c <= beta(d) = 1 / 2^(alpha d + 1),   or d = 0.
 *
 * Gaps do not count, as in vsearch, but of the columns without end gaps at least 90 %
 * have to match.  Of several centroids the read joins the one with the highest share of
 * matches, then the first.  A read that no centroid absorbs is a centroid: an ASV.
 */
#pragma once

#include "io/base/fraction.h"
#include "io/base/status.h"

#include <stdbool.h>
#include <stdint.h>

/* Of the columns without end gaps, those that match. */
static const fraction_t DENOISE_MIN_IDENTITY = {9, 10};

/* @return whether a read of abundance `size` is absorbed by a centroid with this many
 *         mismatches; if not, then neither with more of them */
bool denoise_accepts(double alpha, int64_t size, int64_t centroid_size,
                     int64_t mismatches);

enum { DENOISE_MISMATCHES_MAX = INT32_MAX };

/* @return the maximum number of mismatches that are accepted, DENOISE_MISMATCHES_MAX at
 *         most */
int64_t denoise_max_mismatches(double alpha, int64_t size, int64_t centroid_size);

/* A read, and one that absorbs it if it is a centroid. */
typedef struct {
    int32_t read, centroid;
    int32_t matches, mismatches; /* of their alignment */
    int32_t columns;             /* without end gaps */
} denoise_edge_t;

/*
 * Decide about all reads.
 *
 * @param n           reads
 * @param edges       [n_edges] all that the rule accepts, each pair once
 * @param centroid    [n] out: of each read; its own number: it is one
 * @param mismatches  [n] out: with that
 * @return ST_OK or ST_ENOMEM (logged)
 */
status_t denoise_decide(int64_t n, const denoise_edge_t *edges, int64_t n_edges,
                        int32_t *centroid, int32_t *mismatches) MUST_CHECK;
