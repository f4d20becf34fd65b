/*
 * class_run.h - how a file of `classify` was made.
 */
#ifndef RIBOGRID_IO_MODELFILE_CLASS_RUN_H
#define RIBOGRID_IO_MODELFILE_CLASS_RUN_H

#include "io/result/run_info.h"

/* Texts that were read belong to the struct: class_run_free. */
typedef struct {
    run_info_t info;
    const char *job; /* lines "name=value": all that the content depends on */
} class_run_t;

/* Free the texts of a run that was read. */
void class_run_free(class_run_t *run);

#endif
