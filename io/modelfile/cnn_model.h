/*
 * cnn_model.h - a trained network as an HDF5 file: docs/file-format.md
 * describes it.
 */
#pragma once

#include "io/base/status.h"
#include "io/result/result_kind.h"
#include "io/result/run_info.h"

#include <stdbool.h>
#include <stdint.h>

extern const result_kind_t cnn_model_kind;

/* A network's text is shorter. */
enum { CNN_MODEL_TEXT_BYTES = 60000 };

/* Stages of /run: training, of all runs; of a run within a limit of memory a batch, and
 * what was predicted for it. */
#define CNN_MODEL_STAGE_TRAINING  "training"
#define CNN_MODEL_STAGE_BATCH     "batch"
#define CNN_MODEL_STAGE_PREDICTED "batch_predicted"

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
    char **classes;      /* [n_classes] or NULL */
    int64_t n_classes;   /* that the network was read for; 0: that of its text */
    cnn_curve_t curve, tests;
    run_info_t run;
} cnn_model_info_t;

/* Get the values of array k, which are used until the next call. @return ST_OK or an
 * error that it has logged */
typedef status_t (*cnn_model_get_fn)(void *ctx, int k, const float **values);

/*
 * Write a file, which appears complete or not at all.
 *
 * @param arrays  [n_arrays]
 * @param get     called once for each array, when it is written; NULL: they have values
 * @param force   replace an existing file
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT (logged), or an error of `get`
 */
status_t cnn_model_write(const char *path, bool force, const cnn_model_info_t *info,
                         const cnn_model_array_t *arrays, int n_arrays,
                         cnn_model_get_fn get, void *ctx) MUST_CHECK;

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
