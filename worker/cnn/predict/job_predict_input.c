/*
 * job_predict_input.c - rank 0 reads model and images, gives labels the model's numbers,
 * and sends all of it to the other ranks.
 */
#include "worker/cnn/predict/job_predict_state.h"

#include "io/base/logmsg.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- labels ---- */

typedef struct {
    const char *name;
    int32_t number;
} class_t;

static int by_name(const void *a, const void *b)
{
    return strcmp(((const class_t *)a)->name, ((const class_t *)b)->name);
}

/* List the model's classes in the order of their names. */
static class_t *sort_classes(const predict_stored_t *m)
{
    class_t *classes = malloc((size_t)m->n_named * sizeof(*classes));

    for (int c = 0; classes != NULL && c < m->n_named; c++)
        classes[c] = (class_t){m->names[c], c};
    if (classes != NULL)
        qsort(classes, (size_t)m->n_named, sizeof(*classes), by_name);
    return classes;
}

static void warn_missing(const job_predict_t *j, int64_t n, int32_t first)
{
    if (n > 0)
        log_warn("%" PRId64 " of %" PRId64 " images have a class that %s was not trained "
                 "on, the first is '%s'; no answer is right for them",
                 n, j->images.n, j->opts->model, j->images.classes[first]);
}

/* Both name their classes: equal names are the same class. */
static status_t match_names(job_predict_t *j)
{
    image_set_t *set = &j->images;
    class_t *classes = sort_classes(&j->model.stored);
    int32_t *number = malloc((size_t)set->n_classes * sizeof(*number) + 1);
    int32_t first = 0;
    int64_t n_missing = 0;
    status_t st = classes != NULL && number != NULL ? ST_OK : log_nomem("classes");

    for (int c = 0; st == ST_OK && c < set->n_classes; c++) {
        const class_t key = {set->classes[c], 0};
        const class_t *found = bsearch(&key, classes, (size_t)j->model.stored.n_named,
                                       sizeof(*classes), by_name);

        number[c] = found != NULL ? found->number : -1;
    }
    for (int64_t i = 0; st == ST_OK && i < set->n; i++) {
        const int32_t label = set->labels[i];

        set->labels[i] = number[label];
        if (number[label] < 0 && n_missing++ == 0)
            first = label;
    }
    if (st == ST_OK)
        warn_missing(j, n_missing, first);
    free(classes);
    free(number);
    return st;
}

static status_t number_labels(job_predict_t *j)
{
    const int n_classes = j->model.net->n_classes;

    if (j->images.labels == NULL)
        return ST_OK;
    if (j->images.classes != NULL && j->model.stored.n_named > 0)
        return match_names(j);
    if (j->images.n_classes <= n_classes)
        return ST_OK;
    log_error("%s has labels up to %d, but those of %s end at %d; give images of its "
              "classes, or leave out their labels",
              j->opts->images.what.path, j->images.n_classes - 1, j->opts->model,
              n_classes - 1);
    return ST_EINPUT;
}

/* ---- rank 0 ---- */

static status_t check_images(const job_predict_t *j)
{
    const int64_t *size = j->model.net->layers[0].size;
    const image_set_t *images = &j->images;
    const char *path = j->opts->images.what.path;

    if (images->n == 0) {
        log_error("%s has no images; give images to classify", path);
        return ST_EINPUT;
    }
    if (size[0] == images->size[0] && size[1] == images->size[1] &&
        size[2] == images->size[2])
        return ST_OK;
    log_error("%s takes images of %" PRId64 " x %" PRId64 " x %" PRId64
              ", but %s has images of %d x %d x %d; give images as in training",
              j->opts->model, size[0], size[1], size[2], path, images->size[0],
              images->size[1], images->size[2]);
    return ST_EINPUT;
}

static status_t read_all(job_predict_t *j)
{
    const predict_opts_t *o = j->opts;
    image_source_t source = o->images;
    status_t st = predict_model_read(o, &j->model);

    if (st != ST_OK)
        return st;
    for (int d = 0; d < 3; d++) /* of synthetic images */
        source.what.size[d] = (int)j->model.net->layers[0].size[d];
    source.what.n_classes = j->model.net->n_classes;
    source.what.seed = (uint64_t)o->seed;
    st = image_exchange_read(&source, o->common.reader, PREDICT_CHILD_IMAGES, &j->images);
    child_reader_stop(o->common.reader);
    if (st != ST_OK || (st = check_images(j)) != ST_OK)
        return st;
    return number_labels(j);
}

/* ---- all ranks ---- */

static const array_t shared_rows[] = {
    ARRAY_MEMBER(job_predict_t, model.stored, &predict_stored_arrays),
    ARRAY_MEMBER(job_predict_t, images, &image_set_arrays), ARRAYS_END};

static const arrays_t shared = {"images and their network", sizeof(job_predict_t),
                                shared_rows, NULL};

status_t job_predict_read(job_predict_t *j, exchange_t *x)
{
    status_t st = exchange_agree(x, x->rank == 0 ? read_all(j) : ST_OK);

    if (st != ST_OK || (st = exchange_object(x, &shared, j)) != ST_OK ||
        (st = exchange_agree(x, predict_model_compile(j->opts, &j->model))) != ST_OK)
        return st;
    j->top = j->opts->top < j->model.net->n_classes ? (int)j->opts->top
                                                    : j->model.net->n_classes;
    return ST_OK;
}
