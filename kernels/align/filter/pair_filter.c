/*
 * pair_filter.c - settles the filter's parameters, then leaves the work to the backend of
 * the device.
 */
#include "kernels/align/filter/pair_filter.h"

#include "io/base/logmsg.h"
#include "kernels/align/filter/filter_backend.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* The vectors of a set take at most one part in MEMORY_PARTS of the device's memory, and
 * on a host, whose memory many ranks may share, at most max_host_bytes. */
enum { MEMORY_PARTS = 4 };
static const int64_t max_host_bytes = INT64_C(4) << 30;

struct pair_filter {
    filter_plan_t plan;
    const filter_backend_t *backend;
    void *state;
};

static const backend_t *const rows[] = {
#ifdef RIBOGRID_HAVE_CUDA
    &filter_cuda_backend.base,
#endif
    &filter_cpu_backend.base,
    NULL,
};

static const backend_table_t table = {.name = "filter", .rows = rows};

static int64_t max_vector_bytes(const device_t *device)
{
    int64_t bytes = device->memory_bytes / MEMORY_PARTS;

    return bytes <= 0 || (!device_is_gpu(device) && bytes > max_host_bytes)
               ? max_host_bytes
               : bytes;
}

/* Fill in the parameters, except k. */
static status_t set_params(const align_spec_t *spec, fraction_t identity,
                           filter_plan_t *plan)
{
    filter_params_t *params = &plan->params;
    status_t st = filter_goal_set(spec, identity, &params->goal);

    if (st != ST_OK)
        return st;
    if (plan->shape.per_row_identity &&
        (plan->shape.n_rows == 0 || params->goal.ends == ENDS_FREE)) {
        log_error("filter: rows can have minimum identities of their own only if they "
                  "are not columns, too, and ends are not free");
        return ST_EUSAGE;
    }
    params->per_row_identity = plan->shape.per_row_identity;
    params->log_bits =
        filter_kmers_log_bits(plan->set, plan->shape.n_rows, params->goal.ends,
                              max_vector_bytes(plan->device));
    memcpy(params->set_of, spec->scoring.set_of, sizeof(params->set_of));
    return ST_OK;
}

static status_t choose_k(filter_plan_t *plan)
{
    filter_params_t *params = &plan->params;
    filter_tuned_t tuned;
    status_t st = filter_tune_k(plan, &tuned);

    if (st != ST_OK || tuned.k == 0)
        return st;
    log_verbose("filter: k-mers of %d bases, 2^%d bits per sequence", tuned.k,
                params->log_bits);
    return filter_bound_create(&params->goal, tuned.k, seqset_max_len(plan->set),
                               &params->bound);
}

static filter_plan_t plan_in(const align_context_t *context, filter_shape_t shape)
{
    return (filter_plan_t){.device = context->device,
                           .pool = context->pool,
                           .set = context->set,
                           .scoring = &context->spec->scoring,
                           .shape = shape,
                           .cancel = context->run.cancel};
}

status_t pair_filter_create(const align_context_t *context, fraction_t identity,
                            filter_shape_t shape, pair_filter_t **out)
{
    pair_filter_t *f = calloc(1, sizeof(*f));
    status_t st;

    if (f == NULL)
        return log_nomem("the filter");
    f->plan = plan_in(context, shape);
    f->backend =
        (const filter_backend_t *)backend_find(&table, NULL, context->device->kind);
    if (f->backend == NULL) {
        log_error("filter: this build has no code for %s; build it with CUDA",
                  context->device->name);
        st = ST_EDEVICE;
    } else if ((st = set_params(context->spec, identity, &f->plan)) == ST_OK &&
               (st = choose_k(&f->plan)) == ST_OK) {
        st = f->backend->create(&f->plan, &f->state);
    }
    if (st != ST_OK) {
        pair_filter_destroy(f);
        return st;
    }
    *out = f;
    return ST_OK;
}

status_t pair_filter_reach(const align_context_t *context, filter_shape_t shape,
                           const fraction_t *identities, int n, fraction_t max_passed,
                           int *out)
{
    int n_useful = 0;

    for (; n_useful < n; n_useful++) {
        filter_plan_t plan = plan_in(context, shape);
        filter_tuned_t tuned;
        status_t st = set_params(context->spec, identities[n_useful], &plan);

        if (st != ST_OK || (st = filter_tune_k(&plan, &tuned)) != ST_OK)
            return st;
        if (tuned.k == 0 || tuned.n_passed * max_passed.denominator >
                                tuned.n_pairs * max_passed.numerator)
            break;
    }
    *out = n_useful;
    return ST_OK;
}

static filter_demand_t demand_of(const filter_plan_t *plan, int64_t row,
                                 fraction_t identity)
{
    filter_goal_t goal = plan->params.goal;

    if (identity.denominator == 0) /* pair_filter_every */
        return (filter_demand_t){INT32_MAX, INT32_MIN, INT32_MAX};
    goal.identity = identity;
    return filter_goal_demand(&goal, plan->params.bound.k, seqset_len(plan->set, row));
}

status_t pair_filter_set_identities(pair_filter_t *filter, const fraction_t *identities)
{
    const filter_plan_t *plan = &filter->plan;
    filter_demand_t *demands = malloc((size_t)plan->shape.n_rows * sizeof(*demands));
    status_t st;

    assert(plan->params.per_row_identity);
    if (demands == NULL)
        return log_nomem("the filter's rows");
    for (int64_t row = 0; row < plan->shape.n_rows; row++)
        demands[row] = demand_of(plan, row, identities[row]);
    st = filter->backend->set_demands(filter->state, demands);
    free(demands);
    return st;
}

status_t pair_filter_submit(pair_filter_t *filter, const filter_rect_t *rects,
                            int64_t n_rects)
{
    return filter->backend->submit(filter->state, rects, n_rects);
}

status_t pair_filter_wait(pair_filter_t *filter, const pair_t **pairs,
                          const int64_t **rect_start, filter_counts_t *counts)
{
    filter_result_t result;
    status_t st = filter->backend->wait(filter->state, &result);

    if (st != ST_OK)
        return st;
    *pairs = result.pairs;
    *rect_start = result.rect_start;
    if (counts != NULL)
        *counts = result.counts;
    return ST_OK;
}

void pair_filter_destroy(pair_filter_t *filter)
{
    if (filter == NULL)
        return;
    if (filter->backend != NULL)
        filter->backend->destroy(filter->state);
    filter_bound_free(&filter->plan.params.bound);
    free(filter);
}
