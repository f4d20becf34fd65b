/*
 * rg_classify.c - names of sequences by a model: options are checked here, their
 * combinations by the job "classify".
 */
#include "io/base/logmsg.h"
#include "kernels/classify/nbc_spec.h"
#include "library/rg_context.h"
#include "library/rg_file.h"
#include "library/rg_names.h"
#include "library/rg_words.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static const char *const choice_name[] = {"auto", "nbc", "align", "joint", "cnn"};

void rg_classify_options_init(rg_classify_options_t *options, size_t size)
{
    const class_opts_t job = class_opts_defaults(false);
    const rg_classify_options_t defaults = {.size = size,
                                            .resamples = (int32_t)job.n_resamples,
                                            .seed = (uint64_t)job.seed,
                                            .novelty_rate = NAN,
                                            .min_support = NAN};

    if (options != NULL)
        memcpy(options, &defaults, size < sizeof(defaults) ? size : sizeof(defaults));
}

static status_t take_words(const rg_classify_options_t *g, class_opts_t *o)
{
    int method = CLASS_CHOICE_AUTO, prior = (int)o->prior, strand = (int)o->strands;
    status_t st = ST_OK;

    if (g->method != NULL)
        st =
            rg_word_find("method", g->method, choice_name, CLASS_CHOICE_CNN + 1, &method);
    if (st == ST_OK && g->prior != NULL)
        st = rg_word_find("prior", g->prior, class_prior_name, CLASS_PRIORS, &prior);
    if (st == ST_OK && g->strand != NULL)
        st = rg_word_find("strand", g->strand, class_strands_name, 2, &strand);
    o->method = (class_choice_t)method;
    o->strands = (class_strands_t)strand;
    if (g->prior != NULL)
        GIVE(o, prior, (class_prior_t)prior);
    return st;
}

static status_t take_numbers(const rg_classify_options_t *g, class_opts_t *o)
{
    status_t st = ST_OK;

    if (g->resamples < 1 || g->resamples > NBC_RESAMPLES_MAX) {
        log_error("resamples of %" PRId32 ": give 1 to %d", g->resamples,
                  NBC_RESAMPLES_MAX);
        return ST_EUSAGE;
    }
    if (g->seed > INT64_MAX) {
        log_error("seed of %" PRIu64 ": give one below 2^63", g->seed);
        return ST_EUSAGE;
    }
    if (g->resamples != o->n_resamples)
        GIVE(o, n_resamples, g->resamples);
    if ((int64_t)g->seed != o->seed)
        GIVE(o, seed, (int64_t)g->seed);
    if (!isnan(g->novelty_rate))
        st = rg_fraction_take("novelty_rate", g->novelty_rate, &o->novelty_rate);
    return st == ST_OK && !isnan(g->min_support)
               ? rg_fraction_take("min_support", g->min_support, &o->min_support)
               : st;
}

static status_t take_options(const rg_context_t *context,
                             const rg_classify_options_t *given, class_opts_t *out)
{
    class_opts_t o = class_opts_defaults(false);
    char why[JOB_OPTS_WHY_BYTES];
    rg_classify_options_t g;
    status_t st;

    rg_classify_options_init(&g, sizeof(g));
    if ((st = rg_options_take(given, &g, sizeof(g))) != ST_OK ||
        (st = take_words(&g, &o)) != ST_OK || (st = take_numbers(&g, &o)) != ST_OK)
        return st;
    o.common.kernel = g.kernel != NULL ? g.kernel : "auto";
    o.common.device =
        context->may_fall_back ? "auto" : device_kind_name[context->binding.device.kind];
    o.common.binding = &context->binding;
    if ((st = class_opts_settle_job(&o, why)) != ST_OK) {
        log_error("%s", why);
        return st;
    }
    *out = o;
    return ST_OK;
}

static status_t report(void *context, double done)
{
    return rg_context_progress(context, done);
}

/* What is the set's and the model's stays there. */
static status_t run(rg_context_t *context, class_opts_t *o, rg_names_t *n)
{
    const seqset_t *set = n->set->sequences;
    const class_run_input_t input = {.opts = o,
                                     .device = &context->binding.device,
                                     .pool = context->pool,
                                     .reads = n->set->sequences,
                                     .progress = report,
                                     .ctx = context};
    buf_t job = {0};
    status_t st = class_run(n->model->loaded, &input, &n->result.calls, &job);

    n->result.taxa = *class_loaded_taxa(n->model->loaded);
    n->result.names = set->names;
    n->result.name_offset = set->name_offset;
    n->result.run.job = (const char *)job.data; /* its memory is the result's */
    return st == ST_OK ? rg_names_fill(n) : st;
}

static status_t classify(rg_context_t *context, const rg_model_t *model,
                         const rg_set_t *set, const rg_classify_options_t *given,
                         rg_names_t **out)
{
    class_opts_t o;
    rg_names_t *n;
    status_t st = take_options(context, given, &o);

    if (st != ST_OK || (st = rg_set_check_letters(set)) != ST_OK)
        return st;
    if (set->sequences->alphabet != ALPHABET_DNA) {
        log_error("the sequences are proteins; classifiers are for DNA: give it as "
                  "alphabet if they are");
        return ST_EINPUT;
    }
    if ((n = rg_names_new(&context->memory)) == NULL)
        return ST_ENOMEM;
    n->set = rg_set_share(set);
    n->model = rg_model_share(model);
    if ((st = run(context, &o, n)) == ST_OK)
        *out = n;
    else
        rg_names_destroy(n);
    return st;
}

rg_status_t rg_classify(rg_context_t *context, const rg_model_t *model,
                        const rg_set_t *set, const rg_classify_options_t *options,
                        rg_names_t **out)
{
    log_sink_t *before;
    rg_status_t status = rg_context_enter(context, &before);
    status_t st = ST_EUSAGE;

    if (status != RG_OK)
        return status;
    if (model != NULL && set != NULL && out != NULL)
        st = classify(context, model, set, options, out);
    return rg_context_leave(context, before, st);
}
