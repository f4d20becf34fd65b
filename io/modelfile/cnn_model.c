/*
 * cnn_model.c - writes and reads trained networks.
 */
#include "io/modelfile/cnn_model.h"

#include "io/hdf5/h5data.h"
#include "io/hdf5/h5text.h"
#include "io/hdf5/h5util.h"
#include "io/result/result_table.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { NAME_BYTES = 128 };

_Static_assert((int)CNN_MODEL_TEXT_BYTES == (int)H5TEXT_ATTRIBUTE_BYTES,
               "a longer text would be cut");

enum { BATCHES = 1, TESTS, CLASSES };

static const result_dim_t dims[RESULT_DIMS_MAX] = {
    [BATCHES] = {"n", "a batch", "batches", 0},
    [TESTS] = {"t", "a test", "tests", 0},
    [CLASSES] = {"c", "a class", "classes", INT32_MAX},
};

#define AT(member) offsetof(cnn_model_info_t, member)

static const result_field_t fields[] = {
    {.name = "@net",
     .type = RESULT_TEXT,
     .at = AT(net),
     .meaning = "the network, as the text of an INI file"},
    {.name = "@job",
     .type = RESULT_TEXT,
     .at = AT(job),
     .meaning = "everything that the parameters depend on, as lines `name=value`"},
    {.name = "@choices",
     .type = RESULT_TEXT,
     .at = AT(choices),
     .meaning = "of algorithms; may be empty"},
    {.name = "@n_classes",
     .type = RESULT_INT,
     .at = AT(n_classes),
     .is_optional = true,
     .check = {RESULT_WITHIN, 0, INT32_MAX, 0},
     .meaning = "for which the network was read; 0: that of its text; since version 1.1"},
    {.name = "/curve/loss",
     .type = RESULT_FLOAT64,
     .at = AT(curve.loss),
     .shape = {BATCHES},
     .meaning = "of training: mean over the images of each batch"},
    {.name = "/curve/accuracy",
     .type = RESULT_FLOAT64,
     .at = AT(curve.accuracy),
     .shape = {BATCHES},
     .check = {RESULT_WITHIN, 0, 1, 0},
     .meaning = "fraction of them whose class was right"},
    {.name = "/curve/rate",
     .type = RESULT_FLOAT64,
     .at = AT(curve.rate),
     .shape = {BATCHES},
     .meaning = "of learning"},
    {.name = "/tests/iteration",
     .type = RESULT_INT64,
     .at = AT(tests.iteration),
     .shape = {TESTS},
     .meaning = "batches before each test"},
    {.name = "/tests/loss",
     .type = RESULT_FLOAT64,
     .at = AT(tests.loss),
     .shape = {TESTS},
     .meaning = "mean over the test images"},
    {.name = "/tests/accuracy",
     .type = RESULT_FLOAT64,
     .at = AT(tests.accuracy),
     .shape = {TESTS},
     .check = {RESULT_WITHIN, 0, 1, 0},
     .meaning = "fraction of them whose class was right"},
    {.name = "/classes",
     .type = RESULT_TEXTS,
     .at = AT(classes),
     .shape = {CLASSES},
     .is_optional = true,
     .meaning = "names, if they are known"},
    {.name = NULL},
};

const result_kind_t cnn_model_kind = {
    .title = "Trained networks",
    .maker = "ribogrid cnn train",
    .format = "ribogrid-cnn",
    .major = 1,
    .minor = 1,
    .what = "a trained network",
    .dims = dims,
    .tables = {fields},
    .more = "The parameters are datasets `/parameters/LAYER.weight` and the like, "
            "rows x columns, float32, with one row per output; `/state` has running "
            "averages and what the solver keeps. `seconds_training` of `/run` counts all "
            "runs of a training that was resumed. Within `--device-memory` there are "
            "`seconds_batch`, of a batch of the last run on average, and "
            "`seconds_batch_predicted`, where rates had been measured before.",
};

/* ---- writing ---- */

static const char parameters[] = "parameters", states[] = "state";

typedef struct {
    const cnn_model_array_t *arrays; /* [n] */
    int n;
    cnn_model_get_fn get; /* or NULL */
    void *ctx;
    status_t st; /* of get */
} source_t;

static bool put_array(hid_t at, source_t *from, int k)
{
    const cnn_model_array_t *a = &from->arrays[k];
    const h5util_shape_t shape = {.rank = 2,
                                  .size = {(hsize_t)a->rows, (hsize_t)a->columns}};
    const float *values = a->values;
    hid_t data;
    bool good;

    if (from->get != NULL && (from->st = from->get(from->ctx, k, &values)) != ST_OK)
        return false;
    data = h5util_create(at, a->name, H5T_IEEE_F32LE, &shape);
    good = data >= 0 &&
           H5Dwrite(data, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0;
    return h5util_close(data, good);
}

static bool put_arrays(hid_t file, const char *name, bool is_parameter, source_t *from)
{
    hid_t group = h5util_create_group(file, name);
    bool good = group >= 0;

    for (int k = 0; good && k < from->n; k++)
        if (from->arrays[k].is_parameter == is_parameter)
            good = put_array(group, from, k);
    return h5util_close(group, good);
}

static bool put_all(hid_t file, const cnn_model_info_t *info, source_t *from)
{
    const int64_t n[RESULT_DIMS_MAX] = {
        [BATCHES] = info->curve.n, [TESTS] = info->tests.n, [CLASSES] = info->n_classes};

    return result_write_format(file, &cnn_model_kind) &&
           result_write(file, fields, info, n, NULL) &&
           run_info_write(file, &info->run) && put_arrays(file, parameters, true, from) &&
           put_arrays(file, states, false, from);
}

status_t cnn_model_write(const char *path, bool force, const cnn_model_info_t *info,
                         const cnn_model_array_t *arrays, int n_arrays,
                         cnn_model_get_fn get, void *ctx)
{
    source_t from = {arrays, n_arrays, get, ctx, ST_OK};
    h5whole_t to;
    status_t st = h5whole_open(path, force, &to);
    bool good;

    if (st != ST_OK)
        return st;
    good = put_all(to.file, info, &from);
    st = from.st != ST_OK ? from.st : h5whole_check(&to, good);
    return h5whole_close(&to, st);
}

/* ---- reading ---- */

struct cnn_model {
    result_reader_t reader;
    cnn_model_info_t info;
};

static status_t read_info(result_reader_t *r, cnn_model_info_t *info)
{
    status_t st;

    if ((st = result_read(r, fields, info)) != ST_OK ||
        (st = run_info_read(r, &info->run)) != ST_OK)
        return st;
    if (run_info_stage(&info->run, CNN_MODEL_STAGE_TRAINING) <
        0) /* once, all seconds were those */
        run_info_add(&info->run, CNN_MODEL_STAGE_TRAINING, info->run.seconds);
    info->curve.n = r->n[BATCHES];
    info->tests.n = r->n[TESTS];
    if (info->classes != NULL && info->n_classes > 0 && info->n_classes != r->n[CLASSES])
        return result_refuse(r, "it has another number of names than of classes");
    if (info->classes != NULL)
        info->n_classes = r->n[CLASSES];
    else if (info->n_classes < 0) /* version 1.0 */
        info->n_classes = 0;
    return ST_OK;
}

status_t cnn_model_open(const char *path, cnn_model_t **out)
{
    cnn_model_t *m = calloc(1, sizeof(*m));
    status_t st;

    if (m == NULL)
        return log_nomem("a trained network");
    if ((st = result_read_open(path, &cnn_model_kind, &m->reader)) == ST_OK)
        st = read_info(&m->reader, &m->info);
    if (st == ST_OK)
        *out = m;
    else
        cnn_model_close(m);
    return st;
}

const cnn_model_info_t *cnn_model_info(const cnn_model_t *model)
{
    return &model->info;
}

status_t cnn_model_read(cnn_model_t *model, const cnn_model_array_t *array, float *out)
{
    const h5data_want_t want = {.rank = 2, .memory_type = H5T_NATIVE_FLOAT};
    char path[NAME_BYTES];
    h5data_t *data;
    status_t st;

    snprintf(path, sizeof(path), "/%s/%s", array->is_parameter ? parameters : states,
             array->name);
    if ((data = h5data_open(model->reader.file, path, &want)) == NULL)
        return ST_EINPUT;
    if (data->rows != array->rows || data->columns != array->columns) {
        st = result_refuse(&model->reader,
                           "%s is %" PRId64 " x %" PRId64 ", but the network has %" PRId64
                           " x %" PRId64,
                           path, data->rows, data->columns, array->rows, array->columns);
    } else {
        st = h5data_read(data, 0, array->rows, 0, array->columns, out);
    }
    h5data_close(data);
    return st;
}

void cnn_curve_free(cnn_curve_t *curve)
{
    free(curve->iteration);
    free(curve->loss);
    free(curve->accuracy);
    free(curve->rate);
    *curve = (cnn_curve_t){.n = 0};
}

void cnn_model_close(cnn_model_t *model)
{
    if (model == NULL)
        return;
    result_free(fields, &model->info);
    run_info_free(&model->info.run);
    result_read_close(&model->reader);
    free(model);
}
