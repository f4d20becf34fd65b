/*
 * rscan_trace.cuh - CIGARs of a batch of pairs whose score, matches and columns are
 * known.
 */
#pragma once

#include "kernels/align/rscan/rscan_trace_launch.cuh"

struct rscan_trace_t;

/* @return whether pairs of at most len bases can be traced */
bool rscan_trace_holds(const align_spec_t *spec, int64_t len);

/*
 * Prepare to trace.  The set, the spec and the batch are borrowed until destroy.
 *
 * @param batch    the backend's
 * @param max_len  bases of the longest sequence that may come
 */
status_t rscan_trace_create(const align_context_t *context, const cuda_batch_t *batch,
                            int max_len, rscan_trace_t **out);

/* Enqueue: trace a batch whose results have been computed.
 * @param scan  the launch that computed them */
status_t rscan_trace_run(rscan_trace_t *t, const cuda_work_t *work,
                         const rscan_launch_t &scan);

/* Takes NULL; nothing may be in flight. */
void rscan_trace_destroy(rscan_trace_t *t);
