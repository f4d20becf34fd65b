/*
 * cnn_net.h - a network as a list of layers: docs/cnn.md describes its text.
 */
#pragma once

#include "io/base/buf.h"
#include "io/base/status.h"
#include "io/file/shipped_text.h"
#include "kernels/cnn/common/cnn_op.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* net_key.c: keys of a network's text: what values they take, and where these go. */

/* The text, for messages. */
typedef struct {
    const char *name; /* of the file, or of a shipped net */
    int line;         /* being read, from 1; 0: the whole text */
} net_source_t;

/* Log an error as "NAME:LINE: ...". @return ST_EINPUT */
status_t net_refuse(const net_source_t *source, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* How the weights of a layer are drawn; fan_in is the number of products per output. */
typedef enum {
    CNN_INIT_DEFAULT,  /* that of the net */
    CNN_INIT_XAVIER,   /* uniform within +-sqrt(3 / fan_in), as Caffe's */
    CNN_INIT_HE,       /* normal, of variance 2 / fan_in */
    CNN_INIT_GAUSSIAN, /* normal, of standard deviation `value` */
    CNN_INIT_CONSTANT  /* all `value` */
} cnn_init_kind_t;

typedef struct {
    cnn_init_kind_t kind;
    double value;
} cnn_init_t;

typedef enum {
    NET_INT,    /* int from min to max */
    NET_REAL,   /* double from min to max */
    NET_PAIR,   /* int[2], height and width: "3", or "3x5" */
    NET_BOOL,   /* bool: "yes" or "no" */
    NET_CHOICE, /* an enum: the index of the word among `words`, "sgd|adam" */
    NET_INIT,   /* cnn_init_t: "xavier", "he", "gaussian:0.01" or "constant:0" */
    NET_IMAGE   /* int64_t[3]: "3x224x224" */
} net_value_t;

typedef struct {
    const char *name; /* NULL: the end of a table */
    net_value_t kind;
    size_t at;       /* offset in the structure that is written */
    double min, max; /* of numbers, both included */
    const char *words;
} net_key_t;

/* @return the index of a key in a table, -1: there is none of this name */
int net_key_find(const net_key_t *keys, const char *name);

/*
 * Write a value to its place in a structure.
 *
 * @param given  bit i is set for key i, which must not have been given before
 * @return ST_OK or ST_EINPUT (logged)
 */
status_t net_key_set(const net_source_t *source, const net_key_t *keys, int key,
                     const char *value, void *to, uint64_t *given) MUST_CHECK;

/* cnn_solver.c: how a network is trained: the section [solver] of its text.
 *
 * Rates change with the time t, which counts epochs with their fractions, so that a
 * policy means the same for every batch size and number of images:
 *
 *   fixed    rate                              poly     rate (1 - t / epochs)^power
 *   step     rate gamma^floor(t / step)        inv      rate (1 + gamma t)^-power
 *   exp      rate gamma^t                      cosine   rate (1 + cos(pi t / epochs)) / 2
 */

typedef enum { CNN_SOLVER_SGD, CNN_SOLVER_ADAM } cnn_solver_type_t;

typedef enum {
    CNN_RATE_FIXED,
    CNN_RATE_STEP,
    CNN_RATE_EXP,
    CNN_RATE_INV,
    CNN_RATE_POLY,
    CNN_RATE_COSINE
} cnn_rate_policy_t;

typedef struct {
    cnn_solver_type_t type;
    double rate, bias_rate; /* bias_rate: of biases, times the rate */
    double momentum, decay;
    double beta1, beta2, epsilon; /* CNN_SOLVER_ADAM */
    cnn_rate_policy_t policy;
    double gamma, power, step; /* step in epochs */
    double epochs;             /* length of the training; may end within an epoch */
    int batch;                 /* images per iteration, on all ranks */
} cnn_solver_t;

/* SGD with rate 0.01, momentum 0.9, no decay; 10 epochs, batches of 64. */
/* Of the rate of learning. */
enum { CNN_RATE_MAX = 1000000 };

extern const cnn_solver_t cnn_solver_defaults;

/* The keys of [solver], at their places in cnn_solver_t; the last has no name. */
extern const net_key_t cnn_solver_keys[];

/*
 * Refuse parameters that the solver or its policy does not have, and a policy without
 * those that it needs.
 *
 * @param given  bit i: key i of cnn_solver_keys was given
 * @return ST_OK or ST_EINPUT (logged)
 */
status_t cnn_solver_check(const net_source_t *source, const cnn_solver_t *solver,
                          uint64_t given) MUST_CHECK;

/* @param t  epochs before this iteration, from 0 to epochs
 * @return the rate of learning */
double cnn_solver_rate(const cnn_solver_t *solver, double t);

typedef enum {
    CNN_LAYER_INPUT, /* layer 0, and no other */
    CNN_LAYER_CONVOLUTION,
    CNN_LAYER_LINEAR,
    CNN_LAYER_POOL,
    CNN_LAYER_LRN,
    CNN_LAYER_RELU,
    CNN_LAYER_DROPOUT,
    CNN_LAYER_BATCH_NORM,
    CNN_LAYER_CONCAT,
    CNN_LAYER_SOFTMAX /* the last layer, and no other */
} cnn_layer_kind_t;

/* Where a layer's steps run: the word `place` of its line. */
typedef enum { CNN_LAYER_ON_DEVICE, CNN_LAYER_ON_CPU } cnn_layer_place_t;

/* Author's names are shorter: layers that follow on the same line are "conv1.relu". */
enum { CNN_LAYER_NAME_BYTES = 32, CNN_NET_MAX_CLASSES = 1 << 20 };

typedef struct {
    char name[CNN_LAYER_NAME_BYTES]; /* unique */
    cnn_layer_kind_t kind;
    int line;                            /* of the text */
    int n_inputs, inputs[CNN_MAX_READS]; /* layers in front of this one */
    cnn_params_t params;
    cnn_layer_place_t place;
    int n_out;       /* CONVOLUTION, LINEAR: channels of the output */
    bool has_bias;   /* of these */
    cnn_init_t init; /* of their weights; never CNN_INIT_DEFAULT */
    int64_t size[3]; /* of an image's output: channels, height, width */
} cnn_layer_t;

typedef struct {
    char *name; /* that of a shipped net, or a path */
    char *text; /* its text */
    cnn_layer_t *layers;
    int n_layers;
    int n_classes; /* channels of the softmax */
    cnn_solver_t solver;
} cnn_net_t;

/*
 * Read a network.
 *
 * @param name       a shipped net, or the path of an INI file
 * @param n_classes  what the word `classes` of its layers means; 0: what the net says
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT (logged with line and remedy)
 */
status_t cnn_net_read(const char *name, int n_classes, cnn_net_t **out) MUST_CHECK;

/* Read only the text, with its final NUL: of a pipe, too, which can be read once.
 * @param out  empty */
status_t cnn_net_load(const char *name, buf_t *out) MUST_CHECK;

/* As cnn_net_read, of a text, which is copied. @param name  for messages */
status_t cnn_net_parse(const char *name, const char *text, int n_classes,
                       cnn_net_t **out) MUST_CHECK;

/* net_shape.c: @return whether a layer may be placed on the CPU beside another device: it
 * is fully connected, or computes each pixel by itself where there is one; so the order
 * in which a device keeps pixels and channels matters to neither */
bool cnn_net_may_place(const cnn_layer_t *layers, int layer);

/* Takes NULL. */
void cnn_net_destroy(cnn_net_t *net);

/* The networks that are part of the program: cnn/net/shipped/NAME.ini, from which CMake
 * makes this list, in the order of docs/cnn.md; the last has no name. */
extern const shipped_text_t net_shipped[];
