/*
 * class_net.h - a trained network as a classifier: `classify --method cnn`.
 *
 * The network computes the probability of each of its classes from the image of a read's
 * 6-mers (image_read.h).  The support of a taxon is the sum of the
 * probabilities of all classes that are the taxon or below it.  A read is classified in
 * the orientation whose most probable class has the larger mean support over its lineage;
 * forward in a tie.  (Of images unlike those of training, a network may be sure of a
 * class, but hardly of all taxa above.)
 *
 * The names of the classes are lineages.  In a class_model_t a network's classes stand in
 * the place of references, without letters and names.
 */
#pragma once

#include "io/modelfile/class_model.h"
#include "kernels/classify/nbc_backend.h"
#include "kernels/classify/nbc_model.h"
#include "worker/classify/class_opts.h"
#include "worker/cnn/predict/predict_model.h"

/* Images of a batch; reads are classified in blocks that begin at multiples of this. */
enum { CLASS_NET_BATCH = 128 };

/* A zeroed one is none. */
typedef struct {
    predict_model_t model;
    const char *path; /* of the model; borrowed */
    cnn_runner_t runner;
    image_set_t images; /* of a batch */
    buf_t letters;      /* scratch: a read's reverse complement */
} class_net_t;

static inline bool class_net_exists(const class_net_t *n)
{
    return n->model.net != NULL;
}

/* @return what reading and sending the network need */
predict_opts_t class_net_opts(const class_opts_t *opts);

/*
 * Check that a network takes images of 6-mers and names its classes, and make the model
 * of these classes.
 *
 * @param out  freed by the caller
 * @return ST_OK, ST_ENOMEM or ST_EINPUT (logged)
 */
status_t class_net_taxa(const class_opts_t *opts, const predict_model_t *net,
                        class_model_t *out) MUST_CHECK;

/*
 * Check what reading makes sure of, of a network and the model of its classes that a
 * client has sent.
 *
 * @return ST_OK or ST_EINPUT (logged)
 */
status_t class_net_check_sent(const class_opts_t *opts, const predict_model_t *net,
                              const class_model_t *m) MUST_CHECK;

/* Allocate what classifying needs. @param device, @return as predict_model_runner */
status_t class_net_prepare(class_net_t *n, const class_opts_t *opts, device_t *device,
                           pool_t *pool) MUST_CHECK;

/* The inverse of class_net_prepare. */
void class_net_release(class_net_t *n);

/* What the outputs of the network mean; borrowed. */
typedef struct {
    const nbc_classes_t *classes;
    const int32_t *class_of; /* [outputs] */
    bool both_strands;
    const int *cancel; /* not 0: return early */
} class_net_query_t;

/*
 * Add up, for each taxon of a class's lineage, the probabilities of all classes that are
 * the taxon or below it.
 *
 * @param probabilities  [n_outputs]
 * @param found          the class
 * @param out            [n_ranks] in units of 1 / CLASS_SUPPORT_ONE; 0 below the class
 * @return the mean support of the taxa of the lineage
 */
double class_net_support(const class_net_query_t *query, const float *probabilities,
                         int64_t n_outputs, int32_t found, uint16_t *out);

/*
 * Classify reads first .. first + n_reads - 1.
 *
 * @param out  of at least n_reads: best class (-1: a read without a 6-mer), strand, and
 *             support in units of 1 / CLASS_SUPPORT_ONE; rivals and costs are not set
 * @return ST_OK, ST_EINPUT (logged: a probability is no number), ST_ENOMEM or ST_ELOST
 */
status_t class_net_run(class_net_t *n, const class_net_query_t *query,
                       const seqset_t *reads, int64_t first, int64_t n_reads,
                       nbc_results_t *out) MUST_CHECK;

/* @return operations per read */
double class_net_flops(const class_net_t *n, bool both_strands);
