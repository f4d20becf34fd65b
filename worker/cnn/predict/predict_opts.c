/*
 * predict_opts.c - defaults of the options of the job "cnn predict", and which of them go
 * together.
 */
#include "worker/cnn/predict/predict_opts.h"

#include "kernels/registry/backends.h"

predict_opts_t predict_opts_defaults(void)
{
    return (predict_opts_t){.images = {.stream = -1},
                            .top = 1,
                            .seed = 1,
                            .stream = -1,
                            .common = job_opts_defaults()};
}

status_t predict_opts_settle(predict_opts_t *o, char why[JOB_OPTS_WHY_BYTES])
{
    status_t st = job_opts_check_output(&o->common, "FILE", false, why);

    return st == ST_OK ? job_opts_settle_device(&o->common.device, o->common.kernel,
                                                &cnn_table, why)
                       : st;
}
