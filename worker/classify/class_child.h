/*
 * class_child.h - reads the HDF5 files of the job "classify" in the child of the run
 * (io/base/child_reader.h), because a damaged file may crash HDF5.
 *
 * The arrays of the model pass through a file in memory, which the child inherits.
 */
#ifndef RIBOGRID_WORKER_CLASSIFY_CLASS_CHILD_H
#define RIBOGRID_WORKER_CLASSIFY_CLASS_CHILD_H

#include "io/modelfile/class_model.h"
#include "worker/classify/class_opts.h"
#include "worker/cnn/predict/predict_model.h"
#include "worker/job_output.h"

/* What a child_fetch of the job asks for. */
enum {
    CLASS_CHILD_FINISHED = JOB_OUTPUT_FINISHED,
    CLASS_CHILD_MODEL, /* also the question of predict_model_read */
    CLASS_CHILD_KIND   /* whether the model is a network: a bool */
};

/*
 * Before the child is forked: open the file that the model passes through, and set
 * o->stream to it; training needs none.
 *
 * @return ST_OK or ST_ENOMEM
 */
status_t class_child_prepare(class_opts_t *o) MUST_CHECK;

/* In the child: answer.  @param opts  const class_opts_t *, settled */
status_t class_child_answer(const void *opts, int what, buf_t *out) MUST_CHECK;

/*
 * Read the model, in the child if the job has a reader; a network only there.
 *
 * @param o    settled
 * @param out  unless the model is a network; freed by the caller
 * @param net  if it is; freed by the caller
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT (logged)
 */
status_t class_child_read_model(const class_opts_t *o, class_model_t *out,
                                predict_model_t *net) MUST_CHECK;

#endif
