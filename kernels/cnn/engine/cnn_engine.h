/*
 * cnn_engine.h - the CNN backends of this build.
 */
#ifndef RIBOGRID_KERNELS_CNN_ENGINE_CNN_ENGINE_H
#define RIBOGRID_KERNELS_CNN_ENGINE_CNN_ENGINE_H

#include "kernels/cnn/common/cnn_backend.h"
#include "kernels/device/kernel_list.h"

/* @return all backends, the preferred ones first, then NULL */
const cnn_backend_t *const *cnn_backends(void);

/* @return their names */
kernel_list_t cnn_kernels(void);

/*
 * Choose the backend of a name or, if that is NULL, the first of the device's kind that
 * runs the program.
 *
 * @return ST_OK, or ST_EUSAGE (logged) if there is no such backend, or none runs it
 */
status_t cnn_engine_choose(const cnn_context_t *context, const char *name,
                           const cnn_backend_t **out) MUST_CHECK;

#endif
