/*
 * cnn_print.c - prints trained networks.
 */
#include "tools/cnn/cnn_print.h"

#include "io/modelfile/cnn_model.h"
#include "worker/cnn/curve_files.h"

#include <inttypes.h>

status_t cnn_print_info(const char *path, FILE *to)
{
    cnn_model_t *model;
    const cnn_model_info_t *info;
    status_t st = cnn_model_open(path, &model);

    if (st != ST_OK)
        return st;
    info = cnn_model_info(model);
    fprintf(to, "file\tformat\t%s %d.%d\nfile\tbatches\t%" PRId64 "\n",
            cnn_model_kind.format, cnn_model_kind.major, cnn_model_kind.minor,
            info->curve.n);
    if (info->classes != NULL)
        fprintf(to, "file\tclasses\t%" PRId64 "\n", info->n_classes);
    if (info->curve.n > 0)
        fprintf(to, "file\tloss\t%.6g\n", info->curve.loss[info->curve.n - 1]);
    if (info->tests.n > 0)
        fprintf(to, "file\ttest_loss\t%.6g\nfile\ttest_accuracy\t%.6g\n",
                info->tests.loss[info->tests.n - 1],
                info->tests.accuracy[info->tests.n - 1]);
    run_info_print_job(info->job, to);
    cnn_model_close(model);
    return ST_OK;
}

status_t cnn_print_curve(const char *path, bool has_header, FILE *to)
{
    cnn_model_t *model;
    status_t st = cnn_model_open(path, &model);

    if (st != ST_OK)
        return st;
    curve_files_print(&cnn_model_info(model)->curve, &cnn_model_info(model)->tests, '\t',
                      has_header, to);
    cnn_model_close(model);
    return ST_OK;
}
