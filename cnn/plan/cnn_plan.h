/*
 * cnn_plan.h - compiles a network to a program (kernels/cnn/common/cnn_program.h).
 *
 * The program's layers are the network's.  Training programs end with one update per
 * parameter; dropout is no step of inference programs.  ReLU writes over its input where
 * no other step needs that, and its gradient over the gradient it reads.  Gradients of a
 * tensor that several layers read are added up from the last reader to the first.
 *
 * With CNN_PLAN_BF16, activations and their gradients are CNN_BF16, and so are copies of
 * the weights made in every iteration; images, parameters, their gradients, statistics,
 * states and outputs are CNN_F32.
 *
 * Tensors have these names, where LAYER is a layer's name:
 *
 *   input, labels                         CNN_INPUT, CNN_LABELS
 *   loss, right, probabilities            CNN_OUTPUT; of inference: probabilities alone
 *   LAYER.weight, LAYER.bias              CNN_PARAMETER of convolutions, linear layers
 *   LAYER.scale, LAYER.shift              CNN_PARAMETER of batch norms
 *   LAYER.mean, LAYER.variance            CNN_STATE: their running averages
 *   PARAMETER.v, PARAMETER.m              CNN_STATE of the solver; m: Adam alone
 *   d.LAYER, d.PARAMETER                  CNN_GRADIENT
 */
#pragma once

#include "cnn/net/cnn_net.h"
#include "kernels/cnn/common/cnn_program.h"

typedef enum {
    CNN_PLAN_FP32,
    CNN_PLAN_TF32,
    CNN_PLAN_BF16,
    CNN_PLAN_FP64 /* for tests */
} cnn_plan_types_t;

typedef enum { CNN_PLAN_TRAINING, CNN_PLAN_INFERENCE } cnn_plan_purpose_t;

/* Which layers run on the CPU, beside the device (HybNet); rows of the word --place. */
typedef enum {
    CNN_PLACE_NET,    /* those that the network's text places there */
    CNN_PLACE_DEVICE, /* none */
    CNN_PLACE_HYBNET, /* all fully connected layers at the end, and what is behind them */
    CNN_PLACE_AUTO,   /* as HYBNET or DEVICE, by times; before anything is compiled */
    CNN_N_PLACES
} cnn_place_t;

enum { CNN_PLAN_MAX_IMAGES = 1 << 20 };

typedef struct {
    int64_t n_images; /* of a batch, on this rank; 1 to CNN_PLAN_MAX_IMAGES */
    cnn_plan_types_t types;
    cnn_plan_purpose_t purpose;
    cnn_place_t place; /* but CNN_PLACE_AUTO */
    bool adds_up; /* of a part: CNN_SUM steps add up gradients, loss and right answers
                   * over all ranks, in front of the updates */
} cnn_plan_options_t;

/*
 * Compile a network.
 *
 * Steps of layers that are placed on the CPU are on_host, and so are their tensors; what
 * crosses is copied by CNN_EVICT and CNN_FETCH (plan_place.c).
 *
 * @param out  for cnn_program_destroy; does not refer to the network
 * @return ST_OK, ST_ENOMEM or ST_EINPUT (logged: more memory than any machine has, or
 *         what cannot be placed so)
 */
status_t cnn_plan_compile(const cnn_net_t *net, const cnn_plan_options_t *options,
                          cnn_program_t **out) MUST_CHECK;

/*
 * Compile a network for one of several parts of a batch, which ranks train on together.
 *
 * Batch norms of training then take the moments of all parts, which CNN_GATHER steps
 * bring; with one part it is cnn_plan_compile.
 *
 * @param options  of the part
 * @param n_whole  images of the whole batch, if parts have different sizes: their moments
 *                 then come merged; 0: parts have equal sizes
 */
status_t cnn_plan_compile_part(const cnn_net_t *net, const cnn_plan_options_t *options,
                               int n_parts, int64_t n_whole,
                               cnn_program_t **out) MUST_CHECK;

/* @return whether CNN_PLACE_HYBNET places anything of a network */
bool cnn_plan_has_hybnet(const cnn_net_t *net);

/* @return the tensor of this name that lives as long as the program; -1: none */
int cnn_plan_tensor(const cnn_program_t *program, const char *name);

/* What the elements of a parameter or state are before the first iteration. */
typedef enum {
    CNN_START_CONSTANT, /* all `value` */
    CNN_START_UNIFORM,  /* from -value to value */
    CNN_START_NORMAL    /* of mean 0 and standard deviation `value` */
} cnn_plan_start_kind_t;

typedef struct {
    cnn_plan_start_kind_t kind;
    double value;
} cnn_plan_start_t;

/* @param tensor  a CNN_PARAMETER or CNN_STATE of the network's program */
cnn_plan_start_t cnn_plan_start(const cnn_net_t *net, const cnn_program_t *program,
                                int tensor);
