/*
 * cmd_ihist.c - `ribogrid ihist`: integral histograms of images.
 */
#include "tools/options/commands.h"
#include "tools/options/job_run.h"
#include "tools/options/option_tables.h"

#include "kernels/ihist/ihist_backend.h"
#include "worker/ihist/ihist_opts.h"

#define JOB(member) OPTION_AT(ihist_opts_t, member)

static const option_t words[] = {{OPTION_INPUT, "IMAGES...", 0, JOB(files),
                                  .max = IHIST_FILES_MAX},
                                 {.kind = OPTION_END}};

static const option_t options[] = {
    {.kind = OPTION_GROUP, .name = "Histograms"},
    {.word = WORD_BINS,
     JOB(n_bins),
     .max = IHIST_BINS_MAX,
     .help = " of the values 0 to 255 ({})"},
    {OPTION_INT, "tile-side", 0, JOB(side), "N",
     "compute and store squares of N x N pixels, a multiple of 32 ({})", IHIST_SIDE_STEP,
     IHIST_SIDE_MAX},
    {.kind = OPTION_TABLE, .table = option_input},

    {.kind = OPTION_GROUP, .name = "Output"},
    {.word = WORD_OUTPUT,
     JOB(common.output),
     .value = "H.h5",
     .files = option_job_files,
     .help = ": the integral histograms"},

    {.kind = OPTION_TABLE, .table = option_job_tasks},
    {.kind = OPTION_END}};

static void defaults(void *args)
{
    *(ihist_opts_t *)args = ihist_opts_defaults();
}

static const job_command_t job = {.ops = &job_ihist_ops};

const command_t cmd_ihist = {
    .name = "ihist",
    .summary = "integral histograms of images",
    .words = words,
    .usage = "-o H.h5 [options]",
    .options = options,
    .args_bytes = sizeof(ihist_opts_t),
    .notes =
        "For each pixel of an image, how many pixels above and left of it have a value\n"
        "in each bin. Then the histogram of any rectangle is a sum of four of these:\n"
        "`ribogrid ihist query`. IMAGES are gray, of 8 bits and one size: PGM, PNG, or\n"
        "many in one file as `cnn` reads them (idx, HDF5).\n"
        "More: docs/ihist.md.\n" JOB_NOTES("H.h5.part"),
    .example = "ribogrid ihist photo.png -o photo.h5 && "
               "ribogrid ihist query photo.h5 --rect 100,50,300,200",
    .defaults = defaults,
    .job = &job,
};
