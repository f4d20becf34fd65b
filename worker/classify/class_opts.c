/*
 * class_opts.c - defaults of the options of the job "classify", and which of them go
 * together.
 */
#include "worker/classify/class_opts.h"

#include "kernels/registry/backends.h"

#include <string.h>

const char *const class_strands_name[2] = {"plus", "both"};
const char *const class_prior_name[] = {"equal", "references"};

class_opts_t class_opts_defaults(bool is_training)
{
    return (class_opts_t){.is_training = is_training,
                          .fasta = {.alphabet = ALPHABET_DNA, .is_dna_only = true},
                          .prior = CLASS_PRIOR_EQUAL,
                          .strands = CLASS_STRANDS_BOTH,
                          .n_resamples = 100,
                          .n_samples = 1000,
                          .seed = 1,
                          .primers = primer_trim_defaults(),
                          .stream = -1,
                          .common = {.device = is_training ? "cpu" : "auto",
                                     .kernel = "auto"}};
}

/* @param text  NULL: empty */
static bool ends_with(const char *text, const char *end)
{
    const size_t len = text != NULL ? strlen(text) : 0, end_len = strlen(end);

    return len >= end_len && strcmp(text + len - end_len, end) == 0;
}

static status_t check_files(const class_opts_t *o, char *why)
{
    const char *inputs = seq_inputs_misuse(&o->inputs);

    if (inputs != NULL)
        return job_opts_misuse(why, "%s", inputs);
    if (o->is_training && o->taxonomy == NULL && strcmp(o->inputs.paths[0], "-") == 0)
        return job_opts_misuse(why, "stdin is read only once, so the lineages in its "
                                    "headers cannot be used; give --taxonomy FILE");
    if (!o->is_training && o->model == NULL)
        return job_opts_misuse(why, "no model; give --model MODEL.h5, which `ribogrid "
                                    "classify train` makes");
    return job_opts_check_output(&o->common,
                                 o->is_training ? "MODEL.h5" : "NAMES.tsv or NAMES.h5",
                                 o->is_training || o->format == CLASS_FORMAT_HDF5, why);
}

static status_t check_prior(const class_opts_t *o, char *why)
{
    if (IS_GIVEN(o, prior) && o->method != CLASS_CHOICE_AUTO &&
        o->method != CLASS_CHOICE_JOINT)
        return job_opts_misuse(why,
                               "--prior is for --method joint; leave it out, or give "
                               "that method");
    return ST_OK;
}

status_t class_opts_settle_job(class_opts_t *o, char why[JOB_OPTS_WHY_BYTES])
{
    status_t st;

    o->has_word_options =
        IS_GIVEN(o, n_resamples) || IS_GIVEN(o, seed) ||
        (o->method != CLASS_CHOICE_CNN && strcmp(o->common.kernel, "auto") != 0);
    if ((st = check_prior(o, why)) != ST_OK)
        return st;
    if (o->novelty_rate.denominator != 0 && o->min_support.denominator != 0)
        return job_opts_misuse(why, "give --novelty-rate or --min-support, not both");
    return job_opts_settle_device(&o->common.device, o->common.kernel,
                                  o->method == CLASS_CHOICE_CNN ? &cnn_table : &nbc_table,
                                  why);
}

status_t class_opts_settle(job_opts_t *opts, char why[JOB_OPTS_WHY_BYTES])
{
    class_opts_t *o = (class_opts_t *)opts;
    const char *primers = primer_trim_misuse(&o->primers);
    bool is_hdf5;
    status_t st = check_files(o, why);

    if (st != ST_OK)
        return st;
    if (primers != NULL)
        return job_opts_misuse(why, "%s", primers);
    is_hdf5 = o->is_training || ends_with(o->common.output, ".h5") ||
              ends_with(o->common.output, ".hdf5");
    if (!IS_GIVEN(o, format))
        o->format = is_hdf5 ? CLASS_FORMAT_HDF5 : CLASS_FORMAT_TSV;
    if (o->is_training && o->taxonomy == NULL)
        o->taxonomy = o->inputs.paths[0];
    return class_opts_settle_job(o, why);
}
