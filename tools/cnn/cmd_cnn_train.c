/*
 * cmd_cnn_train.c - `ribogrid cnn train`: trains a network on images.
 */
#include "tools/options/commands.h"
#include "tools/options/job_run.h"
#include "tools/options/option_tables.h"
#include "worker/cnn/cnn_opts.h"

#define JOB(member) OPTION_AT(cnn_opts_t, member)

static const option_t words[] = {{OPTION_INPUT, "NET", 0, JOB(net)},
                                 {OPTION_INPUT, "IMAGES", 0, JOB(images.what.path),
                                  .files = option_image_files},
                                 {.kind = OPTION_END}};

static const option_t options[] = {
    {.kind = OPTION_GROUP, .name = "Images"},
    {.kind = OPTION_TABLE, JOB(images.what), .table = option_images},
    {OPTION_INPUT, "test", 0, JOB(test.what.path), "IMAGES",
     "test the network on these images after every epoch", .files = option_image_files},
    {OPTION_INPUT, "test-labels", 0, JOB(test.what.labels), "FILE",
     "idx: labels of the test images"},
    {.kind = OPTION_TABLE, .table = option_input},

    {.kind = OPTION_GROUP, .name = "Training (defaults are the network's)"},
    {.word = WORD_EPOCHS, JOB(epochs)},
    {.word = WORD_BATCH, JOB(batch), .help = ", of all ranks together"},
    {OPTION_TEXT, "rate", 0, JOB(rate_text), "X", "rate of learning at the beginning"},
    {.kind = OPTION_TABLE, JOB(seed), .table = option_seed},
    {.kind = OPTION_TABLE, JOB(number), .table = option_number},
    {.word = WORD_SPLIT,
     JOB(split),
     .value = "auto|A:B...",
     .help = " batches among the ranks by these weights, or by speeds that are "
             "measured, if that gains 2 % (equal parts)"},
    {OPTION_CHOICE, "merge", 0, JOB(merge), "sync|async",
     "when gradients of ranks other than 0 count: at once, or an iteration later, so "
     "that rank 0 does not wait for them ({})"},

    {.kind = OPTION_GROUP, .name = "Output"},
    {.word = WORD_OUTPUT,
     JOB(common.output),
     .value = "MODEL.h5",
     .files = option_job_files,
     .help = ": the trained network"},
    {OPTION_OUTPUT, "csv", 0, JOB(csv), "FILE", "also write the learning curves as CSV"},
    {.word = WORD_SVG, JOB(svg), .help = " the learning curves"},

    {.kind = OPTION_TABLE, .table = option_any_device},
    {.kind = OPTION_TABLE, JOB(limit), .table = option_training_limit},
    {.word = WORD_PLACE, JOB(place), .help = " ({})"},

    {.kind = OPTION_TABLE, .table = option_run},
    {.kind = OPTION_END}};

static status_t take(job_opts_t *opts)
{
    cnn_opts_t *o = (cnn_opts_t *)opts;

    o->test.what.taxonomy = o->images.what.taxonomy;
    o->test.what.allow_missing = o->images.what.allow_missing;
    return ST_OK;
}

static const job_command_t job = {.ops = &job_cnn_ops,
                                  .takes_remote = true,
                                  .take = take};

static void defaults(void *args)
{
    *(cnn_opts_t *)args = cnn_opts_defaults();
}

const command_t cmd_cnn_train = {
    .name = "cnn train",
    .summary = "train a network on images",
    .words = words,
    .usage = "-o MODEL.h5 [options]",
    .options = options,
    .args_bytes = sizeof(cnn_opts_t),
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
    .defaults = defaults,
    .job = &job,
};
