/*
 * class_split.h - the protocol "split" of `ribogrid-bench classify`: held-out genes of
 * known classes, and genes of classes that are left out, beside other programs.
 */
#ifndef RIBOGRID_BENCH_CLASSIFY_CLASS_SPLIT_H
#define RIBOGRID_BENCH_CLASSIFY_CLASS_SPLIT_H

#include "bench/classify/class_trial.h"

/* As class_trial_by_identity; all outcomes have group 0. */
status_t class_split_run(const class_data_t *d, const class_folder_t *f,
                         const class_trial_options_t *o, class_trial_t *trial) MUST_CHECK;

#endif
