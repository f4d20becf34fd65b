/*
 * class_run.h - how a file of `classify` was made.
 */
#ifndef RIBOGRID_IO_MODELFILE_CLASS_RUN_H
#define RIBOGRID_IO_MODELFILE_CLASS_RUN_H

#include <stdint.h>

enum { CLASS_RUN_TEXTS = 7 };

/* Texts that were read belong to the struct: class_run_free. */
typedef struct {
    const char *program; /* name and version */
    const char *job;     /* lines "name=value": all that the content depends on */
    const char *command;
    const char *input;
    const char *started, *finished; /* UTC */
    const char *devices;            /* a line per rank */
    double seconds;
    int64_t ranks;
} class_run_t;

/* A text of a run. */
typedef struct {
    const char *name;
    const char *text;
} class_run_text_t;

/* @return the texts with their names: [CLASS_RUN_TEXTS] in out */
void class_run_texts(const class_run_t *run, class_run_text_t *out);

/* Free the texts of a run that was read. */
void class_run_free(class_run_t *run);

#endif
