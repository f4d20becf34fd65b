/*
 * rg_model.h - models of classifiers, which names share with the caller.
 */
#pragma once

#include "library/ribogrid.h"
#include "worker/classify/class_run.h"

#include <stdatomic.h>

struct rg_model {
    atomic_int n_owners;
    class_loaded_t *loaded;
};

/* Keep a model, until rg_model_destroy is called once more. */
rg_model_t *rg_model_share(const rg_model_t *model);
