/*
 * cmd_cnn_predict.c - `ribogrid cnn predict`: classifies images by a trained network.
 */
#include "cnn/plan/cnn_plan.h"
#include "dispatcher/run.h"
#include "io/base/logmsg.h"
#include "tools/options/commands.h"
#include "tools/options/job_run.h"
#include "worker/bind.h"
#include "worker/cnn/predict/job_predict.h"
#include "worker/cnn/predict/predict_model.h"

typedef struct {
    predict_opts_t job;
    bool quiet, verbose;
} args_t;

#define AT(member)  offsetof(args_t, member)
#define JOB(member) AT(job.member)

static const option_t options[] = {
    {.kind = OPTION_GROUP, .name = "Images"},
    {OPTION_INPUT, "labels", 0, JOB(images.what.labels), "FILE",
     "idx: labels of the images (found by the images' name)", 0, 0},
    {OPTION_INPUT, "taxonomy", 0, JOB(images.what.taxonomy), "FILE",
     "FASTA: lineages, whose lowest taxa are the right classes", 0, 0},
    {OPTION_INT, "seed", 0, JOB(seed), "N", "seed of synthetic images (1)", 0, INT64_MAX},
    OPTIONS_MAX_INPUT,

    {.kind = OPTION_GROUP, .name = "What to compute"},
    {OPTION_INT, "top", 0, JOB(top), "N", "print the N most probable classes (1)", 1,
     CNN_NET_MAX_CLASSES},
    {OPTION_INT, "batch", 0, JOB(batch), "N", "images per batch (the network's)", 1,
     CNN_PLAN_MAX_IMAGES},
    {OPTION_CHOICE, "type", 0, JOB(number), "fp32|tf32|bf16",
     "numbers to compute with: 32 bits (fp32), GPU: 19 bits in products, or 16 bits", 0,
     0},

    {.kind = OPTION_GROUP, .name = "Output"},
    {OPTION_OUTPUT, "output", 'o', JOB(common.output), "FILE", "the classes", 0, 0},

    {.kind = OPTION_GROUP, .name = "Device"},
    JOB_OPTIONS_DEVICE,

    {.kind = OPTION_GROUP, .name = "Run"},
    JOB_OPTIONS_RUN,
    {OPTION_END, NULL, 0, 0, NULL, NULL, 0, 0}};

_Static_assert(sizeof(cnn_number_t) == sizeof(int), "OPTION_CHOICE writes an int");

static status_t parse(int argc, char **argv, args_t *a)
{
    const char *words[OPTIONS_WORDS_MAX] = {NULL};
    char why[JOB_OPTS_WHY_BYTES];
    predict_opts_t *o = &a->job;
    status_t st = options_parse(&cmd_cnn_predict, argc, argv, a, words);

    if (st != ST_OK)
        return st;
    log_set_level(a->quiet ? LOG_QUIET : a->verbose ? LOG_VERBOSE : LOG_NORMAL);
    o->model = words[0];
    o->images.what.path = words[1];
    return predict_opts_settle(o, why) == ST_OK
               ? ST_OK
               : options_misuse(&cmd_cnn_predict, "%s", why);
}

static status_t run_on(void *args, const job_launch_t *launch)
{
    predict_opts_t *opts = &((args_t *)args)->job;
    exchange_t *x = &launch->transport->exchange;
    binding_t binding;
    void *job;
    status_t st;

    opts->common.reader = launch->reader;
    st = bind_choose(x, opts->common.device, (int)opts->common.n_threads, &binding);
    log_phase("devices");
    if (st != ST_OK || (st = exchange_agree(x, job_predict_create(opts, &job))) != ST_OK)
        return st;
    return run_job(&job_predict_ops, job, launch->transport, &binding);
}

static int run(int argc, char **argv)
{
    args_t a = {.job = predict_opts_defaults()};
    status_t st = parse(argc, argv, &a);

    if (st == ST_OK)
        st = predict_child_prepare(&a.job);
    if (st != ST_OK)
        return status_exit_code(st);
    return job_run(&(job_run_t){.command = &cmd_cnn_predict,
                                .has_reader = true,
                                .read = predict_child_answer,
                                .read_arg = &a.job,
                                .files = {a.job.model, a.job.images.what.path},
                                .run = run_on},
                   argc, argv, &a);
}

const command_t cmd_cnn_predict = {
    .name = "cnn predict",
    .summary = "classify images by a trained network",
    .usage = "MODEL.h5 IMAGES -o FILE [options]",
    .options = options,
    .notes =
        "MODEL.h5: what `ribogrid cnn train` made. IMAGES: as `cnn train` takes them, "
        "with or\n"
        "without labels. Columns of FILE, separated by tabs: the image (its number from "
        "1, or\n"
        "the name of the sequence), its class (the name, or the number from 0) and the\n"
        "probability; with --top N, N lines per image, the most probable class first. "
        "How many\n"
        "images are right is printed where labels are known.\n" JOB_NOTES("FILE.part"),
    .example = "ribogrid cnn predict lenet.h5 t10k-images-idx3-ubyte.gz -o digits.tsv",
    .n_words_min = 2,
    .n_words_max = 2,
    .words_are_inputs = true,
    .on_all_ranks = true,
    .run = run,
};
