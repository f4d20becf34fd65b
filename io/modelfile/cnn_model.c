/*
 * cnn_model.c - writes and reads trained networks.
 */
#include "io/modelfile/cnn_model.h"

#include "io/base/logmsg.h"
#include "io/base/texts.h"
#include "io/hdf5/h5check.h"
#include "io/hdf5/h5data.h"
#include "io/hdf5/h5text.h"
#include "io/hdf5/h5util.h"
#include "io/hdf5/h5whole.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { NAME_BYTES = 128, CHUNK = 1 << 16, N_TEXTS = 5 };

_Static_assert((int)CNN_MODEL_TEXT_BYTES == (int)H5TEXT_ATTRIBUTE_BYTES,
               "a longer text would be cut");

static const char parameters[] = "parameters", states[] = "state";

/* ---- writing ---- */

static bool put_attributes(hid_t file, const cnn_model_info_t *info)
{
    return h5text_put_format(file, CNN_MODEL_FORMAT, CNN_MODEL_VERSION_MAJOR,
                             CNN_MODEL_VERSION_MINOR) &&
           h5text_put(file, "net", info->net) && h5text_put(file, "job", info->job) &&
           h5text_put(file, "choices", info->choices) &&
           h5util_put_int(file, "n_classes", info->n_classes);
}

/* What differs between two runs of the same job. */
static bool put_run(hid_t file, const cnn_model_info_t *info)
{
    hid_t run = h5util_create_group(file, "run");
    bool good = run >= 0 && h5text_put(run, "command_line", info->command_line) &&
                h5text_put(run, "program", info->version) &&
                h5util_put_real(run, "seconds", info->seconds);

    return run >= 0 && H5Gclose(run) >= 0 && good;
}

static bool put_reals(hid_t at, const char *name, const double *values, int64_t n)
{
    return values == NULL || h5util_put_array(at, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE,
                                              values, (hsize_t)n, CHUNK);
}

static bool put_curve(hid_t file, const char *name, const cnn_curve_t *curve)
{
    hid_t group = h5util_create_group(file, name);
    bool good = group >= 0;

    if (good && curve->iteration != NULL)
        good = h5util_put_int64s(group, "iteration", curve->iteration, curve->n, CHUNK);
    good = good && put_reals(group, "loss", curve->loss, curve->n) &&
           put_reals(group, "accuracy", curve->accuracy, curve->n) &&
           put_reals(group, "rate", curve->rate, curve->n);
    return group >= 0 && H5Gclose(group) >= 0 && good;
}

static bool put_array(hid_t at, const cnn_model_array_t *a)
{
    const h5util_shape_t shape = {.rank = 2,
                                  .size = {(hsize_t)a->rows, (hsize_t)a->columns}};
    hid_t data = h5util_create(at, a->name, H5T_IEEE_F32LE, &shape);
    bool good = data >= 0 && H5Dwrite(data, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL,
                                      H5P_DEFAULT, a->values) >= 0;

    return data >= 0 && H5Dclose(data) >= 0 && good;
}

static bool put_arrays(hid_t file, const char *name, bool is_parameter,
                       const cnn_model_array_t *arrays, int n)
{
    hid_t group = h5util_create_group(file, name);
    bool good = group >= 0;

    for (int i = 0; good && i < n; i++)
        if (arrays[i].is_parameter == is_parameter)
            good = put_array(group, &arrays[i]);
    return group >= 0 && H5Gclose(group) >= 0 && good;
}

static bool put_all(hid_t file, const cnn_model_info_t *info,
                    const cnn_model_array_t *arrays, int n_arrays)
{
    return put_attributes(file, info) && put_run(file, info) &&
           put_curve(file, "curve", &info->curve) &&
           put_curve(file, "tests", &info->tests) &&
           put_arrays(file, parameters, true, arrays, n_arrays) &&
           put_arrays(file, states, false, arrays, n_arrays) &&
           (info->classes == NULL ||
            h5text_put_array(file, "classes", (const char *const *)info->classes,
                             info->n_classes));
}

status_t cnn_model_write(const char *path, bool force, const cnn_model_info_t *info,
                         const cnn_model_array_t *arrays, int n_arrays)
{
    h5whole_t to;
    status_t st = h5whole_open(path, force, &to);

    if (st != ST_OK)
        return st;
    st = h5whole_check(&to, put_all(to.file, info, arrays, n_arrays));
    return h5whole_close(&to, st);
}

/* ---- reading ---- */

struct cnn_model {
    const char *path;
    hid_t file;
    cnn_model_info_t info;
    char *texts[N_TEXTS]; /* of the info */
    char **classes;
};

static status_t refuse(const cnn_model_t *m, const char *what)
{
    log_error("%s: %s; give a model that `ribogrid cnn train` wrote", m->path, what);
    return ST_EINPUT;
}

/* Read attributes that are texts. @return whether there are all */
static bool read_texts(cnn_model_t *m, hid_t at, const char *const *names, int first,
                       int n)
{
    for (int i = first; i < first + n; i++)
        if ((m->texts[i] = h5text_get(at, names[i])) == NULL)
            return false;
    return true;
}

static status_t read_attributes(cnn_model_t *m)
{
    static const char *const names[N_TEXTS] = {"net", "job", "choices", "command_line",
                                               "program"};
    hid_t run;
    int64_t version;
    bool good;
    status_t st;

    if (!h5text_get_format(m->file, CNN_MODEL_FORMAT, &version))
        return refuse(m, "an HDF5 file, but not a trained network");
    if ((st = h5text_check_version(m->path, version, CNN_MODEL_VERSION_MAJOR)) != ST_OK)
        return st;
    if ((run = h5check_open_group(m->file, "run")) < 0)
        return ST_EINPUT;
    good = read_texts(m, m->file, names, 0, 3) && read_texts(m, run, names, 3, 2) &&
           h5util_get_real(run, "seconds", &m->info.seconds);
    H5Gclose(run);
    m->info.net = m->texts[0];
    m->info.job = m->texts[1];
    m->info.choices = m->texts[2];
    m->info.command_line = m->texts[3];
    m->info.version = m->texts[4];
    return good ? ST_OK : refuse(m, "an attribute is missing");
}

/* @param n  -1: any number, which is set */
static status_t read_reals(const cnn_model_t *m, const char *group, const char *name,
                           int64_t *n, double **out)
{
    char path[NAME_BYTES];

    snprintf(path, sizeof(path), "/%s/%s", group, name);
    *out = h5data_get(m->file, path, H5T_NATIVE_DOUBLE, *n, *n < 0 ? n : NULL);
    return *out != NULL ? ST_OK : ST_EINPUT;
}

static status_t read_curve(const cnn_model_t *m, const char *group, bool is_test,
                           cnn_curve_t *c)
{
    status_t st;

    c->n = -1;
    if ((st = read_reals(m, group, "loss", &c->n, &c->loss)) != ST_OK ||
        (st = read_reals(m, group, "accuracy", &c->n, &c->accuracy)) != ST_OK)
        return st;
    if (!is_test)
        return read_reals(m, group, "rate", &c->n, &c->rate);
    c->iteration = h5data_get(m->file, "/tests/iteration", H5T_NATIVE_INT64, c->n, NULL);
    return c->iteration != NULL ? ST_OK : ST_EINPUT;
}

static status_t read_classes(cnn_model_t *m)
{
    int64_t n = 0;

    /* version 1.0 has no number */
    if (H5Aexists(m->file, "n_classes") > 0 &&
        (!h5util_get_int(m->file, "n_classes", &n) || n < 0 || n > INT32_MAX))
        return refuse(m, "its number of classes is invalid");
    m->info.n_classes = (int)n;
    if (!h5check_exists(m->file, "/classes"))
        return ST_OK;
    if ((m->classes = h5text_get_array(m->file, "/classes", -1, &n)) == NULL)
        return ST_EINPUT;
    if (n > INT32_MAX)
        return refuse(m, "it has too many classes");
    if (m->info.n_classes != 0 && m->info.n_classes != n)
        return refuse(m, "it has another number of names than of classes");
    m->info.classes = m->classes;
    m->info.n_classes = (int)n;
    return ST_OK;
}

status_t cnn_model_open(const char *path, cnn_model_t **out)
{
    cnn_model_t *m = calloc(1, sizeof(*m));
    status_t st = ST_EINPUT;

    if (m == NULL)
        return log_nomem("a trained network");
    m->path = path;
    h5util_init();
    if ((m->file = h5check_open_file(path)) >= 0 && (st = read_attributes(m)) == ST_OK &&
        (st = read_curve(m, "curve", false, &m->info.curve)) == ST_OK &&
        (st = read_curve(m, "tests", true, &m->info.tests)) == ST_OK)
        st = read_classes(m);
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
    if ((data = h5data_open(model->file, path, &want)) == NULL)
        return ST_EINPUT;
    if (h5data_rows(data) != array->rows || h5data_columns(data) != array->columns) {
        log_error("%s: %s is %" PRId64 " x %" PRId64 ", but the network has %" PRId64
                  " x %" PRId64 "; give a model that `ribogrid cnn train` wrote",
                  model->path, path, h5data_rows(data), h5data_columns(data), array->rows,
                  array->columns);
        st = ST_EINPUT;
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
    for (int i = 0; i < N_TEXTS; i++)
        free(model->texts[i]);
    cnn_curve_free(&model->info.curve);
    cnn_curve_free(&model->info.tests);
    texts_free(model->classes);
    if (model->file > 0)
        H5Fclose(model->file);
    free(model);
}
