/*
 * cmd_cnn_predict.c - `ribogrid cnn predict`: classifies images by a trained network.
 */
#include "cnn/plan/cnn_plan.h"
#include "tools/options/commands.h"
#include "tools/options/job_run.h"
#include "tools/options/option_tables.h"
#include "worker/cnn/predict/predict_opts.h"

#define JOB(member) OPTION_AT(predict_opts_t, member)

static const option_t words[] = {{OPTION_INPUT, "MODEL.h5", 0, JOB(model)},
                                 {OPTION_INPUT, "IMAGES", 0, JOB(images.what.path),
                                  .files = option_image_files},
                                 {.kind = OPTION_END}};

static const option_t options[] = {
    {.kind = OPTION_GROUP, .name = "Images"},
    {.kind = OPTION_TABLE, JOB(images.what), .table = option_images},
    {.kind = OPTION_TABLE, JOB(seed), .table = option_seed},
    {.kind = OPTION_TABLE, .table = option_input},

    {.kind = OPTION_GROUP, .name = "What to compute"},
    {.word = WORD_TOP,
     JOB(top),
     .max = CNN_NET_MAX_CLASSES,
     .help = " classes of each image, the most probable first ({})"},
    {.word = WORD_BATCH,
     JOB(batch),
     .max = CNN_PLAN_MAX_IMAGES,
     .help = " (the network's)"},
    {.kind = OPTION_TABLE, JOB(number), .table = option_number},

    {.kind = OPTION_GROUP, .name = "Output"},
    {.word = WORD_OUTPUT,
     JOB(common.output),
     .files = option_job_files,
     .help = ": the classes; -: stdout"},

    {.kind = OPTION_TABLE, .table = option_any_device},
    {.kind = OPTION_TABLE, JOB(limit), .table = option_limit},

    {.kind = OPTION_TABLE, .table = option_run_tasks},
    {.kind = OPTION_END}};

static void defaults(void *args)
{
    *(predict_opts_t *)args = predict_opts_defaults();
}

static const job_command_t job = {.ops = &job_predict_ops, .takes_remote = true};

const command_t cmd_cnn_predict = {
    .name = "cnn predict",
    .summary = "classify images by a trained network",
    .words = words,
    .usage = "-o FILE [options]",
    .options = options,
    .args_bytes = sizeof(predict_opts_t),
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
    .defaults = defaults,
    .job = &job,
};
