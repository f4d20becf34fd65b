#include "kernels/align/filter/pair_filter.h"

#include "io/base/logmsg.h"
#include "kernels/align/filter/filter_backend.h"

#include <assert.h>
#include <stdlib.h>

/* A set's vectors take no more of a device's memory, nor of a host's, which is that of
 * many ranks. */
enum { MEMORY_SHARE = 4 };
static const int64_t host_bytes_max = INT64_C(4) << 30;

struct pair_filter {
    filter_plan_t plan;
    const filter_backend_t *row;
    void *state;
};

static const filter_backend_t *row_of(device_kind_t kind)
{
    static const filter_backend_t *const rows[] = {
#ifdef RIBOGRID_HAVE_CUDA
        &filter_cuda_backend,
#endif
        &filter_cpu_backend};

    for (size_t k = 0; k < sizeof(rows) / sizeof(rows[0]); k++)
        if (rows[k]->kind == kind)
            return rows[k];
    return NULL;
}

/* Fill in how vectors are made, but for k. */
static status_t plan_filter(const align_spec_t *spec, fraction_t part,
                            filter_plan_t *plan)
{
    int64_t share = plan->device->memory_bytes / MEMORY_SHARE;
    bool is_host = plan->device->kind == DEVICE_CPU;
    filter_params_t *params = &plan->params;

    if (!filter_goal_set(spec, part, &params->goal)) {
        log_error("filter: the identity %lld/%lld is not between 0 and 1",
                  (long long)part.numerator, (long long)part.denominator);
        return ST_EUSAGE;
    }
    if (plan->shape.per_row_identity &&
        (plan->shape.n_rows == 0 || spec->ends == ENDS_FREE)) {
        log_error("filter: rows that are columns, too, or of free ends, ask alike");
        return ST_EUSAGE;
    }
    params->per_row_identity = plan->shape.per_row_identity;
    params->log_bits =
        filter_kmers_log_bits(plan->set, plan->shape.n_rows, params->goal.ends,
                              share <= 0 || (is_host && share > host_bytes_max)
                                  ? host_bytes_max
                                  : share);
    for (int a = 1; a < ALPHABET_SIZE; a++) /* under a matrix a letter matches itself */
        params->set_of[a] =
            spec->scoring.two_valued ? spec->scoring.set_of[a] : (uint8_t)a;
    return ST_OK;
}

static status_t choose_k(filter_plan_t *plan)
{
    filter_params_t *params = &plan->params;
    filter_tuned_t tuned;
    status_t st = filter_tune_k(plan, &tuned);

    if (st != ST_OK || tuned.k == 0)
        return st;
    log_verbose("filter: windows of %d letters, 2^%d bits a sequence", tuned.k,
                params->log_bits);
    return filter_bound_create(&params->goal, tuned.k, seqset_max_len(plan->set),
                               &params->bound);
}

static filter_plan_t plan_in(const align_context_t *context, filter_shape_t shape)
{
    return (filter_plan_t){.device = context->device,
                           .pool = context->pool,
                           .set = context->set,
                           .shape = shape,
                           .cancel = context->run.cancel};
}

status_t pair_filter_create(const align_context_t *context, fraction_t part,
                            filter_shape_t shape, pair_filter_t **out)
{
    pair_filter_t *f = calloc(1, sizeof(*f));
    status_t st;

    if (f == NULL)
        return log_nomem("a filter");
    f->plan = plan_in(context, shape);
    f->row = row_of(context->device->kind);
    if (f->row == NULL) {
        log_error("filter: this build has none for %s", context->device->name);
        st = ST_EDEVICE;
    } else if ((st = plan_filter(context->spec, part, &f->plan)) == ST_OK &&
               (st = choose_k(&f->plan)) == ST_OK) {
        st = f->row->create(&f->plan, &f->state);
    }
    if (st != ST_OK) {
        pair_filter_destroy(f);
        return st;
    }
    *out = f;
    return ST_OK;
}

status_t pair_filter_reach(const align_context_t *context, filter_shape_t shape,
                           const fraction_t *parts, int n_parts, fraction_t most,
                           int *out)
{
    int n = 0;

    for (; n < n_parts; n++) {
        filter_plan_t plan = plan_in(context, shape);
        filter_tuned_t tuned;
        status_t st = plan_filter(context->spec, parts[n], &plan);

        if (st != ST_OK || (st = filter_tune_k(&plan, &tuned)) != ST_OK)
            return st;
        if (tuned.k == 0 ||
            tuned.n_passed * most.denominator > tuned.n_pairs * most.numerator)
            break;
    }
    *out = n;
    return ST_OK;
}

static filter_demand_t demand_of(const filter_plan_t *plan, int64_t row, fraction_t part)
{
    filter_goal_t goal = plan->params.goal;

    if (part.denominator == 0)
        return (filter_demand_t){INT32_MAX, INT32_MIN, INT32_MAX};
    goal.identity = part;
    return filter_goal_demand(&goal, plan->params.bound.k, seqset_len(plan->set, row));
}

status_t pair_filter_set_identities(pair_filter_t *filter, const fraction_t *parts)
{
    const filter_plan_t *plan = &filter->plan;
    filter_demand_t *demands = malloc((size_t)plan->shape.n_rows * sizeof(*demands));
    status_t st;

    assert(plan->params.per_row_identity);
    if (demands == NULL)
        return log_nomem("a filter's rows");
    for (int64_t row = 0; row < plan->shape.n_rows; row++)
        demands[row] = demand_of(plan, row, parts[row]);
    st = filter->row->set_demands(filter->state, demands);
    free(demands);
    return st;
}

status_t pair_filter_submit(pair_filter_t *filter, const filter_rect_t *rects,
                            int64_t n_rects)
{
    return filter->row->submit(filter->state, rects, n_rects);
}

status_t pair_filter_wait(pair_filter_t *filter, const pair_t **pairs,
                          const int64_t **rect_start, filter_counts_t *counts)
{
    filter_result_t result;
    status_t st = filter->row->wait(filter->state, &result);

    if (st != ST_OK)
        return st;
    *pairs = result.pairs;
    *rect_start = result.rect_start;
    if (counts != NULL)
        *counts = result.counts;
    return ST_OK;
}

int pair_filter_k(const pair_filter_t *filter)
{
    return filter->plan.params.bound.k;
}

void pair_filter_destroy(pair_filter_t *filter)
{
    if (filter == NULL)
        return;
    if (filter->row != NULL)
        filter->row->destroy(filter->state);
    filter_bound_free(&filter->plan.params.bound);
    free(filter);
}
