/*
 * cnn_model.h - a trained network as an HDF5 file: docs/cnn.md describes it.
 *
 *   /parameters/NAME   [rows][columns] 32-bit floats: weights with one row per output
 *   /state/NAME        the same: running averages, and what the solver keeps
 *   /curve/loss, /curve/accuracy, /curve/rate   [iterations] of training, per batch
 *   /tests/iteration, /tests/loss, /tests/accuracy   [tests] of the test images
 *   /classes           [classes] names, if they are known
 * and attributes: the network as text, the number of classes (since version 1.1), the
 * job, the choices of algorithms; of /run: the command line, the program, seconds.
 */
#ifndef RIBOGRID_IO_MODELFILE_CNN_MODEL_H
#define RIBOGRID_IO_MODELFILE_CNN_MODEL_H

#include "io/base/status.h"

#include <stdbool.h>
#include <stdint.h>

#define CNN_MODEL_FORMAT "ribogrid-cnn"

enum { CNN_MODEL_VERSION_MAJOR = 1, CNN_MODEL_VERSION_MINOR = 1 };

/* A network's text is shorter. */
enum { CNN_MODEL_TEXT_BYTES = 60000 };

typedef struct {
    const char *name; /* unique, without '/' */
    bool is_parameter;
    int64_t rows, columns;
    const float *values;
} cnn_model_array_t;

/* What is known of each batch of training, or of each test. */
typedef struct {
    int64_t n;
    int64_t *iteration; /* [n] of tests: iterations before it; of training: NULL */
    double *loss;       /* [n] mean over the images */
    double *accuracy;   /* [n] part of the images whose class was right */
    double *rate;       /* [n] of learning; of tests: NULL */
} cnn_curve_t;

typedef struct {
    const char *net;     /* the network as INI text */
    const char *job;     /* everything the result depends on (worker/cnn) */
    const char *choices; /* of algorithms: text; may be empty */
    const char *command_line, *version;
    double seconds;       /* of all training */
    char *const *classes; /* [n_classes] or NULL */
    int n_classes;        /* that the network was read for; 0: that of its text */
    cnn_curve_t curve, tests;
} cnn_model_info_t;

/*
 * Write a file, which appears complete or not at all.
 *
 * @param arrays  [n_arrays]
 * @param force   replace an existing file
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT (logged)
 */
status_t cnn_model_write(const char *path, bool force, const cnn_model_info_t *info,
                         const cnn_model_array_t *arrays, int n_arrays) MUST_CHECK;

typedef struct cnn_model cnn_model_t;

/* Open a file and read all but its arrays. @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT
 * (logged: damaged, or no model) */
status_t cnn_model_open(const char *path, cnn_model_t **out) MUST_CHECK;

/* @return what it is made of, the file's */
const cnn_model_info_t *cnn_model_info(const cnn_model_t *model);

/*
 * Read an array.
 *
 * @param array  name, is_parameter, rows and columns that it must have
 * @param out    [rows * columns]
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT (logged)
 */
status_t cnn_model_read(cnn_model_t *model, const cnn_model_array_t *array,
                        float *out) MUST_CHECK;

/* Takes NULL. */
void cnn_model_close(cnn_model_t *model);

/* Free the arrays of a curve. */
void cnn_curve_free(cnn_curve_t *curve);

#endif
