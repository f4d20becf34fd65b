/*
 * cmd_cnn_train.c - `ribogrid cnn train`: trains a network on images.
 */
#include "dispatcher/run.h"
#include "dispatcher/transport/transport.h"
#include "io/base/logmsg.h"
#include "io/file/input_guard.h"
#include "tools/options/commands.h"
#include "tools/options/job_run.h"
#include "version.h"
#include "worker/bind.h"
#include "worker/cnn/cnn_child.h"
#include "worker/cnn/job_cnn.h"

typedef struct {
    cnn_opts_t job;
    bool quiet, verbose;
} args_t;

#define AT(member)  offsetof(args_t, member)
#define JOB(member) AT(job.member)

static const option_t options[] = {
    {.kind = OPTION_GROUP, .name = "Images"},
    {OPTION_INPUT, "labels", 0, JOB(images.what.labels), "FILE",
     "idx: labels of the images (found by the images' name)", 0, 0},
    {OPTION_INPUT, "taxonomy", 0, JOB(images.what.taxonomy), "FILE",
     "FASTA: lineages, whose lowest taxa are the classes", 0, 0},
    {OPTION_TEXT, "test", 0, JOB(test.what.path), "IMAGES",
     "test the network on these images after every epoch", 0, 0},
    {OPTION_INPUT, "test-labels", 0, JOB(test.what.labels), "FILE",
     "idx: labels of the test images", 0, 0},
    OPTIONS_MAX_INPUT,

    {.kind = OPTION_GROUP, .name = "Training (defaults are the network's)"},
    {OPTION_INT, "epochs", 0, JOB(epochs), "N", "take every image N times", 1, INT32_MAX},
    {OPTION_INT, "batch", 0, JOB(batch), "N", "images per batch, of all ranks together",
     1, INT32_MAX},
    {OPTION_TEXT, "rate", 0, JOB(rate_text), "X", "rate of learning at the beginning", 0,
     0},
    {OPTION_INT, "seed", 0, JOB(seed), "N",
     "seed of first parameters, the order of images and dropout (1)", 0, INT64_MAX},
    {OPTION_CHOICE, "type", 0, JOB(number), "fp32|tf32|bf16",
     "numbers to compute with: 32 bits (fp32), GPU: 19 bits in products, or 16 bits", 0,
     0},

    {.kind = OPTION_GROUP, .name = "Output"},
    {OPTION_OUTPUT, "output", 'o', JOB(common.output), "MODEL.h5", "the trained network",
     0, 0},
    {OPTION_OUTPUT, "csv", 0, JOB(csv), "FILE", "also write the learning curves as CSV",
     0, 0},
    {OPTION_OUTPUT, "svg", 0, JOB(svg), "FILE", "also draw the learning curves", 0, 0},

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
    cnn_opts_t *o = &a->job;
    status_t st = options_parse(&cmd_cnn_train, argc, argv, a, words);

    if (st != ST_OK)
        return st;
    log_set_level(a->quiet ? LOG_QUIET : a->verbose ? LOG_VERBOSE : LOG_NORMAL);
    o->net = words[0];
    o->images.what.path = words[1];
    o->test.what.taxonomy = o->images.what.taxonomy;
    if ((st = input_guard_add(o->net)) != ST_OK ||
        (st = input_guard_add(o->images.what.path)) != ST_OK ||
        (o->test.what.path != NULL && (st = input_guard_add(o->test.what.path)) != ST_OK))
        return st;
    return cnn_opts_settle(o, why) == ST_OK ? ST_OK
                                            : options_misuse(&cmd_cnn_train, "%s", why);
}

static status_t run_on(void *args, const job_launch_t *launch)
{
    cnn_opts_t *opts = &((args_t *)args)->job;
    exchange_t *x = &launch->transport->exchange;
    binding_t binding;
    void *job;
    status_t st;

    opts->common.reader = launch->reader;
    opts->common.command_line = launch->command_line;
    opts->common.version = "ribogrid " VERSION_LONG;
    st = bind_choose(x, opts->common.device, (int)opts->common.n_threads, &binding);
    log_phase("devices");
    if (st != ST_OK)
        return st;
    opts->common.n_threads = binding.n_threads;
    if ((st = exchange_agree(x, job_cnn_create(opts, &job))) != ST_OK)
        return st;
    return run_job(&job_cnn_ops, job, launch->transport, &binding);
}

static int run(int argc, char **argv)
{
    args_t a = {.job = cnn_opts_defaults()};
    cnn_opts_t *o = &a.job;
    status_t st = parse(argc, argv, &a);

    if (st == ST_OK)
        st = cnn_child_prepare(o);
    if (st != ST_OK)
        return status_exit_code(st);
    return job_run(&(job_run_t){.command = &cmd_cnn_train,
                                .has_reader = o->common.resume || o->images.stream >= 0 ||
                                              o->test.stream >= 0,
                                .read = cnn_child_answer,
                                .read_arg = o,
                                .files = {o->images.what.path, o->common.output},
                                .run = run_on},
                   argc, argv, &a);
}

const command_t cmd_cnn_train = {
    .name = "cnn train",
    .summary = "train a network on images",
    .usage = "NET IMAGES -o MODEL.h5 [options]",
    .options = options,
    .notes =
        "NET: the name of a shipped network (`ribogrid cnn plan --help` lists them) or "
        "a\n"
        "file that describes one. IMAGES: MNIST's idx format (also compressed), HDF5, "
        "FASTA "
        "with\n"
        "--taxonomy (sequences become images of their 6-mers), or synthetic[:N].\n"
        "docs/cnn.md describes these files. Several ranks train one network together:\n"
        "each computes its part of every batch.\n" JOB_NOTES("MODEL.h5.part"),
    .example = "ribogrid cnn train lenet train-images-idx3-ubyte.gz "
               "--test t10k-images-idx3-ubyte.gz -o lenet.h5 --svg curves.svg",
    .n_words_min = 2,
    .n_words_max = 2,
    .on_all_ranks = true,
    .run = run,
};
