/*
 * page_models.h - the part of a page on networks that shows their training and memory.
 */
#ifndef RIBOGRID_TOOLS_CNN_PAGE_MODELS_H
#define RIBOGRID_TOOLS_CNN_PAGE_MODELS_H

#include "cnn/net/cnn_net.h"
#include "io/modelfile/cnn_model.h"
#include "kernels/cnn/common/cnn_program.h"

#include <stdio.h>

/* A zeroed one is none. */
typedef struct {
    const char *path;   /* or the name of a shipped network */
    cnn_model_t *model; /* NULL: a network that is not trained */
    cnn_net_t *net;
    cnn_program_t *program; /* of training, on one rank */
    char type[8];           /* of its numbers */
} page_model_t;

/* Open what `cnn train` wrote, or a network.  A network is planned for its own batch and
 * fp32.
 * @param is_trained  the path is HDF5
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT (logged) */
status_t page_model_open(const char *path, bool is_trained, page_model_t *out) MUST_CHECK;

/* Write learning curves with a table, then the memory of each plan. */
void page_models_write(FILE *to, const page_model_t *models, int n);

void page_model_close(page_model_t *m);

#endif
