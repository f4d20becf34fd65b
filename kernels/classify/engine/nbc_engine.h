/*
 * nbc_engine.h - the naive Bayes backends of this build.
 */
#ifndef RIBOGRID_KERNELS_CLASSIFY_ENGINE_NBC_ENGINE_H
#define RIBOGRID_KERNELS_CLASSIFY_ENGINE_NBC_ENGINE_H

#include "kernels/classify/nbc_backend.h"
#include "kernels/device/kernel_list.h"

/* @return all backends of this build, the preferred ones first, then NULL */
const nbc_backend_t *const *nbc_engine_backends(void);

/* @return their names */
kernel_list_t nbc_kernels(void);

/*
 * Choose a backend of the context's device.
 *
 * @param name  the only one to use, or NULL for the first that takes the model
 * @return ST_OK, or ST_EUSAGE (logged) if no such backend exists or takes it
 */
status_t nbc_engine_choose(const nbc_context_t *context, const char *name,
                           const nbc_backend_t **out) MUST_CHECK;

#endif
