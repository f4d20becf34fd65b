/*
 * cnn_child.h - what the child of the run (io/base/child_reader.h) reads for the job
 * "cnn": images in HDF5, and an old output.
 */
#ifndef RIBOGRID_WORKER_CNN_CNN_CHILD_H
#define RIBOGRID_WORKER_CNN_CNN_CHILD_H

#include "worker/cnn/cnn_opts.h"
#include "worker/job_output.h"

/* What a child_fetch of the job asks for. */
enum {
    CNN_CHILD_FINISHED = JOB_OUTPUT_FINISHED,
    CNN_CHILD_IMAGES,
    CNN_CHILD_TEST_IMAGES
};

/* Before the child is forked. @return ST_OK or ST_ENOMEM */
status_t cnn_child_prepare(cnn_opts_t *opts) MUST_CHECK;

/* In the child: answer. @param opts  const cnn_opts_t *, settled */
status_t cnn_child_answer(const void *opts, int what, buf_t *out) MUST_CHECK;

#endif
