/*
 * cmd_cnn_predict.c - `ribogrid cnn predict`: classifies images by a trained network.
 */
#include "cnn/plan/cnn_plan.h"
#include "tools/options/commands.h"
#include "tools/options/job_run.h"
#include "worker/cnn/predict/job_predict.h"

#define JOB(member) offsetof(predict_opts_t, member)

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

_Static_assert(sizeof(cnn_plan_types_t) == sizeof(int), "OPTION_CHOICE writes an int");

static status_t take(job_opts_t *opts, const char *const *words)
{
    predict_opts_t *o = (predict_opts_t *)opts;

    o->model = words[0];
    o->images.what.path = words[1];
    return ST_OK;
}

const job_command_t cnn_predict_command = {.command = &cmd_cnn_predict,
                                           .ops = &job_predict_ops,
                                           .take = take};

static int run(int argc, char **argv)
{
    predict_opts_t opts = predict_opts_defaults();

    return job_run(&cnn_predict_command, argc, argv, &opts.common);
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
