/*
 * job_cnn_model.c - reads the records of the last checkpoint and writes the model.
 */
#include "worker/cnn/job_cnn_state.h"

#include "io/base/logmsg.h"
#include "worker/cnn/curve_files.h"
#include "worker/job_output.h"

#include <stdlib.h>
#include <string.h>

/* Spread points into the arrays of a curve. */
static status_t spread_points(const job_cnn_t *j, cnn_curve_t *out)
{
    const job_cnn_point_t *points = (const job_cnn_point_t *)(const void *)j->points.data;
    const size_t n = j->points.len / sizeof(*points), bytes = (n + 1) * sizeof(double);

    *out = (cnn_curve_t){.n = (int64_t)n,
                         .loss = malloc(bytes),
                         .accuracy = malloc(bytes),
                         .rate = malloc(bytes)};
    if (out->loss == NULL || out->accuracy == NULL || out->rate == NULL)
        return log_nomem("curves");
    for (size_t i = 0; i < n; i++) {
        out->loss[i] = points[i].loss;
        out->accuracy[i] = points[i].accuracy;
        out->rate[i] = points[i].rate;
    }
    return ST_OK;
}

static status_t spread_tests(const job_cnn_t *j, cnn_curve_t *out)
{
    const job_cnn_test_t *tests = (const job_cnn_test_t *)(const void *)j->tests.data;
    const size_t n = j->tests.len / sizeof(*tests), bytes = (n + 1) * sizeof(double);

    *out = (cnn_curve_t){.n = (int64_t)n,
                         .iteration = malloc(bytes),
                         .loss = malloc(bytes),
                         .accuracy = malloc(bytes)};
    if (out->iteration == NULL || out->loss == NULL || out->accuracy == NULL)
        return log_nomem("curves");
    for (size_t i = 0; i < n; i++) {
        out->iteration[i] = tests[i].iteration;
        out->loss[i] = tests[i].loss;
        out->accuracy[i] = tests[i].accuracy;
    }
    return ST_OK;
}

/* Read the values of all tensors from the log. @param data  [n_kept] */
static status_t read_arrays(const job_cnn_t *j, buf_t *data, cnn_model_array_t *arrays)
{
    status_t st = ST_OK;

    for (int k = 0; st == ST_OK && k < j->n_kept; k++) {
        const cnn_tensor_t *t = &j->training->tensors[j->kept[k]];

        st = reslog_read(j->base.log, k + 1, &data[k]);
        arrays[k] = (cnn_model_array_t){
            .name = t->name,
            .is_parameter = t->role == CNN_PARAMETER,
            .rows = t->size[0],
            .columns = cnn_tensor_n(t) / t->size[0],
            .values = (const float *)(const void *)data[k].data,
        };
    }
    return st;
}

/* The curves are those of the last checkpoint. */
static status_t read_curves(job_cnn_t *j, buf_t *data, cnn_model_info_t *info)
{
    status_t st = reslog_read(j->base.log, 0, data);

    if (st == ST_OK)
        st = job_cnn_restore_curves(j, data->data, data->len, &info->choices);
    run_info_add(&info->run, "training", j->seconds);
    if (st == ST_OK)
        st = spread_points(j, &info->curve);
    return st == ST_OK ? spread_tests(j, &info->tests) : st;
}

static status_t write_files(const job_cnn_t *j, const cnn_model_info_t *info,
                            const cnn_model_array_t *arrays)
{
    const cnn_opts_t *o = j->opts;
    const bool force = o->common.force || o->common.resume;
    status_t st = ST_OK;

    if (o->csv != NULL)
        st = curve_files_csv(o->csv, force, &info->curve, &info->tests);
    if (st == ST_OK && o->svg != NULL)
        st = curve_files_svg(o->svg, force, &info->curve, &info->tests);
    return st == ST_OK ? cnn_model_write(o->common.output, force, info, arrays, j->n_kept)
                       : st;
}

status_t job_cnn_write_result(job_t *job, const job_report_t *report)
{
    job_cnn_t *j = (job_cnn_t *)job;
    cnn_model_array_t *arrays = calloc((size_t)j->n_kept + 1, sizeof(*arrays));
    buf_t *data = calloc((size_t)j->n_kept + 1, sizeof(*data)), head = {0};
    cnn_model_info_t info = {
        .net = j->net->text,
        .job = (const char *)j->base.text.data,
        .classes = j->images.classes,
        .n_classes = j->images.n_classes,
    };
    job_output_run_t run;
    status_t st = job_output_run(job, j->opts->images.what.path, report, &run);

    info.run = run.info;
    if (st == ST_OK)
        st = arrays != NULL && data != NULL ? read_arrays(j, data, arrays)
                                            : log_nomem("a model");
    if (st == ST_OK && (st = read_curves(j, &head, &info)) == ST_OK)
        st = write_files(j, &info, arrays);
    buf_free(&head);
    job_output_run_free(&run);
    cnn_curve_free(&info.curve);
    cnn_curve_free(&info.tests);
    for (int k = 0; data != NULL && k < j->n_kept; k++)
        buf_free(&data[k]);
    free(data);
    free(arrays);
    return st;
}
