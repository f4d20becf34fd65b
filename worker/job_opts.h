/*
 * job_opts.h - what the options of all jobs share: values that were not given, messages
 * about those that do not go together, and the device that follows from a kernel.
 */
#ifndef RIBOGRID_WORKER_JOB_OPTS_H
#define RIBOGRID_WORKER_JOB_OPTS_H

#include "kernels/device/kernel_list.h"

#include <stdbool.h>
#include <stdint.h>

enum { JOB_OPTS_NOT_GIVEN = INT32_MIN, JOB_OPTS_WHY_BYTES = 256 };

static inline bool job_opts_is_given(int64_t value)
{
    return value != JOB_OPTS_NOT_GIVEN;
}

/* Word what is wrong, as options_misuse prints it. @return ST_EUSAGE */
status_t job_opts_misuse(char why[JOB_OPTS_WHY_BYTES], const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/*
 * Check --device, and set it from --kernel unless both kinds of device have one of that
 * name.
 *
 * @param device  "auto", "cpu", "cuda" or "cuda:I"; changed only if it is "auto"
 * @param kernel  "auto", or a name
 * @param kernels  of this build
 * @return ST_OK, or ST_EUSAGE
 */
status_t job_opts_settle_device(const char **device, const char *kernel,
                                const kernel_list_t *kernels,
                                char why[JOB_OPTS_WHY_BYTES]) MUST_CHECK;

#endif
