/*
 * rank_choices.h - one choice of algorithms for all ranks whose devices are equal.
 */
#ifndef RIBOGRID_CNN_SOLVE_RANK_CHOICES_H
#define RIBOGRID_CNN_SOLVE_RANK_CHOICES_H

#include "io/base/buf.h"
#include "kernels/gang/gang.h"

/*
 * Pass rank 0's choices to every rank; every rank calls it.
 *
 * @param kernel, device  names: ranks that have rank 0's take its choices, others keep
 *                        their own
 * @param mine            this rank's choices
 * @param out             gets the choices that it has to take, NUL-terminated
 * @return ST_OK, ST_ENOMEM, or an error of the gang
 */
status_t rank_choices_agree(gang_t *gang, const char *kernel, const char *device,
                            const char *mine, buf_t *out) MUST_CHECK;

#endif
