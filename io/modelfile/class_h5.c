/*
 * class_h5.c - writes and reads what models and results have in common.
 */
#include "io/modelfile/class_h5.h"

#include "io/base/logmsg.h"
#include "io/base/texts.h"
#include "io/hdf5/h5check.h"
#include "io/hdf5/h5data.h"
#include "io/hdf5/h5text.h"
#include "io/hdf5/h5util.h"

#include <stdlib.h>
#include <string.h>

enum { CHUNK = 1 << 16 };

/* ---- runs ---- */

void class_run_texts(const class_run_t *run, class_run_text_t *out)
{
    const class_run_text_t texts[CLASS_RUN_TEXTS] = {
        {"program", run->program}, {"job", run->job},         {"command", run->command},
        {"input", run->input},     {"started", run->started}, {"finished", run->finished},
        {"devices", run->devices},
    };

    memcpy(out, texts, sizeof(texts));
}

void class_run_free(class_run_t *run)
{
    class_run_text_t texts[CLASS_RUN_TEXTS];

    class_run_texts(run, texts);
    for (int i = 0; i < CLASS_RUN_TEXTS; i++)
        free((void *)(uintptr_t)texts[i].text);
    *run = (class_run_t){.ranks = 0};
}

bool class_h5_put_run(hid_t file, const class_run_t *run)
{
    class_run_text_t texts[CLASS_RUN_TEXTS];
    hid_t group = h5util_create_group(file, "run");
    bool good = group >= 0;

    class_run_texts(run, texts);
    for (int i = 0; good && i < CLASS_RUN_TEXTS; i++)
        good = h5text_put(group, texts[i].name, texts[i].text);
    good = good && h5util_put_real(group, "seconds", run->seconds) &&
           h5util_put_int(group, "ranks", run->ranks);
    return group >= 0 && H5Gclose(group) >= 0 && good;
}

status_t class_h5_get_run(hid_t file, const char *path, class_run_t *out)
{
    hid_t group = h5check_open_group(file, "/run");
    class_run_t run = {.ranks = 0};
    bool good;

    if (group < 0)
        return ST_EINPUT;
    run.program = h5text_get(group, "program");
    run.job = h5text_get(group, "job");
    run.command = h5text_get(group, "command");
    run.input = h5text_get(group, "input");
    run.started = h5text_get(group, "started");
    run.finished = h5text_get(group, "finished");
    run.devices = h5text_get(group, "devices");
    good = run.program != NULL && run.job != NULL && run.command != NULL &&
           run.input != NULL && run.started != NULL && run.finished != NULL &&
           run.devices != NULL && h5util_get_real(group, "seconds", &run.seconds) &&
           h5util_get_int(group, "ranks", &run.ranks);
    H5Gclose(group);
    if (!good) {
        class_run_free(&run);
        return class_h5_refuse(path, "an attribute of /run is missing or invalid");
    }
    *out = run;
    return ST_OK;
}

/* ---- formats ---- */

status_t class_h5_refuse(const char *path, const char *what)
{
    log_error("%s: %s; give a file that `ribogrid classify` wrote", path, what);
    return ST_EINPUT;
}

status_t class_h5_check_format(hid_t file, const char *path, const char *format,
                               int version, const char *what)
{
    int64_t found;

    if (h5text_get_format(file, format, &found))
        return h5text_check_version(path, found, version);
    log_error("%s: an HDF5 file, but not %s", path, what);
    return ST_EINPUT;
}

/* ---- taxa ---- */

static const char *name_at(const void *taxa, int64_t i)
{
    return class_taxa_name(taxa, (int32_t)i);
}

bool class_h5_put_taxa(hid_t file, const class_taxa_t *taxa)
{
    hid_t group = h5util_create_group(file, "taxa");
    bool good = group >= 0 &&
                h5util_put_int32s(group, "parent", taxa->parent, taxa->n, CHUNK) &&
                h5text_put_each(group, "name", taxa->n, name_at, taxa);

    return group >= 0 && H5Gclose(group) >= 0 && good;
}

status_t class_h5_get_names(hid_t file, const char *name, int64_t n, char **names,
                            int64_t **offset)
{
    char **texts = h5text_get_array(file, name, n, &n), *at;
    int64_t *first = NULL, bytes = 0;

    if (texts == NULL)
        return ST_EINPUT;
    for (int64_t i = 0; i < n; i++)
        bytes += (int64_t)strlen(texts[i]) + 1;
    at = malloc((size_t)bytes + 1);
    first = malloc(((size_t)n + 1) * sizeof(*first));
    if (at == NULL || first == NULL) {
        free(at);
        free(first);
        texts_free(texts);
        return log_nomem("names");
    }
    first[0] = 0;
    for (int64_t i = 0; i < n; i++) {
        size_t size = strlen(texts[i]) + 1;

        memcpy(at + first[i], texts[i], size);
        first[i + 1] = first[i] + (int64_t)size;
    }
    texts_free(texts);
    *names = at;
    *offset = first;
    return ST_OK;
}

bool class_h5_is_within(const int32_t *values, int64_t n, int32_t low, int32_t high)
{
    for (int64_t i = 0; i < n; i++)
        if (values[i] < low || values[i] > high)
            return false;
    return true;
}

static bool is_tree(const class_taxa_t *t)
{
    if (t->n < 1 || t->parent[0] != -1 || *class_taxa_name(t, 0) != '\0')
        return false;
    for (int32_t i = 1; i < t->n; i++)
        if (t->parent[i] < 0 || t->parent[i] >= i || *class_taxa_name(t, i) == '\0')
            return false;
    return true;
}

status_t class_h5_get_taxa(hid_t file, const char *path, class_taxa_t *out)
{
    class_taxa_t t = {.n = 0};
    int64_t n;
    status_t st;

    t.parent = h5data_get(file, "/taxa/parent", H5T_NATIVE_INT32, -1, &n);
    if (t.parent == NULL)
        return ST_EINPUT;
    st = n <= INT32_MAX
             ? class_h5_get_names(file, "/taxa/name", n, &t.names, &t.name_offset)
             : class_h5_refuse(path, "it has too many taxa");
    if (st == ST_OK) {
        t.n = (int32_t)n;
        if (!is_tree(&t))
            st = class_h5_refuse(path, "its taxa are not a tree with names");
    }
    if (st != ST_OK) {
        class_taxa_free(&t);
        return st;
    }
    *out = t;
    return ST_OK;
}
