/*
 * class_result.c - writes and reads results of `classify`.
 */
#include "io/modelfile/class_result.h"

#include "io/base/logmsg.h"
#include "io/hdf5/h5check.h"
#include "io/hdf5/h5data.h"
#include "io/hdf5/h5stream.h"
#include "io/hdf5/h5text.h"
#include "io/hdf5/h5util.h"
#include "io/hdf5/h5whole.h"
#include "io/modelfile/class_h5.h"

#include <stdlib.h>

enum { CHUNK = 1 << 16 };

const char *const class_method_name[CLASS_N_METHODS] = {"nbc", "align", "joint", "cnn"};

status_t class_calls_create(int64_t n, int n_ranks, class_calls_t *out)
{
    class_calls_t c = {.n = n, .n_ranks = n_ranks};
    size_t size = (size_t)n + 1;

    c.taxon = calloc(size, sizeof(*c.taxon));
    c.named = calloc(size, sizeof(*c.named));
    c.reversed = calloc(size, sizeof(*c.reversed));
    c.method = calloc(size, sizeof(*c.method));
    c.support = calloc(size * (size_t)(n_ranks + 1), sizeof(*c.support));
    if (c.taxon == NULL || c.named == NULL || c.reversed == NULL || c.method == NULL ||
        c.support == NULL) {
        class_calls_free(&c);
        return log_nomem("the results of the reads");
    }
    *out = c;
    return ST_OK;
}

void class_calls_free(class_calls_t *c)
{
    free(c->taxon);
    free(c->named);
    free(c->reversed);
    free(c->method);
    free(c->support);
    *c = (class_calls_t){.n = 0};
}

void class_result_free(class_result_t *r)
{
    class_calls_free(&r->calls);
    class_taxa_free(&r->taxa);
    free(r->names);
    free(r->name_offset);
    class_run_free(&r->run);
    r->names = NULL;
    r->name_offset = NULL;
}

/* ---- writing ---- */

static const char *name_at(const void *result, int64_t i)
{
    return class_result_name(result, i);
}

static bool put_bytes(hid_t group, const char *name, const uint8_t *values, int64_t n,
                      pool_t *pool)
{
    return h5stream_put(group, name, H5T_STD_U8LE, CHUNK, values, n, DEFLATE_NUMBERS,
                        pool);
}

static bool put_support(hid_t group, const class_calls_t *c)
{
    const hsize_t n = (hsize_t)c->n, columns = (hsize_t)c->n_ranks;
    h5util_shape_t shape = {.rank = 2, .size = {n, columns}, .shuffles = true};
    hid_t data;
    bool good;

    shape.chunk[0] = n > 0 && columns > 0 ? (n < CHUNK ? n : CHUNK) : 0;
    shape.chunk[1] = columns;
    data = h5util_create(group, "support", H5T_STD_U16LE, &shape);
    good = data >= 0 && (n == 0 || columns == 0 ||
                         H5Dwrite(data, H5T_NATIVE_UINT16, H5S_ALL, H5S_ALL, H5P_DEFAULT,
                                  c->support) >= 0);
    return data >= 0 && H5Dclose(data) >= 0 && good;
}

static bool put_reads(hid_t file, const class_result_t *r, pool_t *pool)
{
    const class_calls_t *c = &r->calls;
    hid_t group = h5util_create_group(file, "reads");
    bool good = group >= 0 && h5text_put_each(group, "name", c->n, name_at, r) &&
                h5stream_put(group, "taxon", H5T_STD_I32LE, CHUNK, c->taxon, c->n,
                             DEFLATE_NUMBERS, pool) &&
                put_bytes(group, "named", c->named, c->n, pool) &&
                put_bytes(group, "reversed", c->reversed, c->n, pool) &&
                put_bytes(group, "method", c->method, c->n, pool) &&
                put_support(group, c);

    return group >= 0 && H5Gclose(group) >= 0 && good;
}

status_t class_result_write(const char *path, bool force, const class_result_t *r,
                            pool_t *pool)
{
    h5whole_t to;
    status_t st = h5whole_open(path, force, &to);

    if (st != ST_OK)
        return st;
    st = h5whole_check(&to, h5text_put_format(to.file, CLASS_RESULT_FORMAT,
                                              CLASS_RESULT_VERSION_MAJOR,
                                              CLASS_RESULT_VERSION_MINOR) &&
                                class_h5_put_taxa(to.file, &r->taxa) &&
                                put_reads(to.file, r, pool) &&
                                class_h5_put_run(to.file, &r->run));
    return h5whole_close(&to, st);
}

/* ---- reading ---- */

static status_t read_support(hid_t file, const char *path, class_calls_t *c)
{
    const h5data_want_t want = {.rank = 2, .memory_type = H5T_NATIVE_UINT16};
    h5data_t *data = h5data_open(file, "/reads/support", &want);
    int64_t columns;
    status_t st;

    if (data == NULL)
        return ST_EINPUT;
    columns = h5data_columns(data);
    if (h5data_rows(data) != c->n || columns > CLASS_RANKS_MAX) {
        st = class_h5_refuse(path, "/reads/support has another size than /reads/taxon");
    } else {
        c->n_ranks = (int)columns;
        c->support = malloc((size_t)(c->n * columns) * sizeof(*c->support) + 1);
        st = c->support == NULL   ? log_nomem("the results of the reads")
             : c->n * columns > 0 ? h5data_read(data, 0, c->n, 0, columns, c->support)
                                  : ST_OK;
    }
    h5data_close(data);
    return st;
}

bool class_calls_fit(const class_calls_t *c, const class_taxa_t *taxa)
{
    if (!class_h5_is_within(c->taxon, c->n, -1, taxa->n - 1) ||
        class_taxa_n_ranks(taxa) > CLASS_RANKS_MAX)
        return false;
    for (int64_t i = 0; i < c->n * c->n_ranks; i++)
        if (c->support[i] > CLASS_SUPPORT_ONE)
            return false;
    for (int64_t i = 0; i < c->n; i++) {
        int rank = c->taxon[i] < 0 ? 0 : class_taxa_rank(taxa, c->taxon[i]);

        if (rank > c->n_ranks || c->named[i] > rank || c->reversed[i] > 1 ||
            c->method[i] >= CLASS_N_METHODS)
            return false;
    }
    return true;
}

static status_t read_reads(hid_t file, const char *path, class_result_t *r)
{
    class_calls_t *c = &r->calls;
    status_t st;

    if ((c->taxon = h5data_get(file, "/reads/taxon", H5T_NATIVE_INT32, -1, &c->n)) ==
            NULL ||
        (c->named = h5data_get(file, "/reads/named", H5T_NATIVE_UINT8, c->n, NULL)) ==
            NULL ||
        (c->reversed =
             h5data_get(file, "/reads/reversed", H5T_NATIVE_UINT8, c->n, NULL)) == NULL ||
        (c->method = h5data_get(file, "/reads/method", H5T_NATIVE_UINT8, c->n, NULL)) ==
            NULL)
        return ST_EINPUT;
    if ((st = read_support(file, path, c)) != ST_OK ||
        (st = class_h5_get_names(file, "/reads/name", c->n, &r->names,
                                 &r->name_offset)) != ST_OK)
        return st;
    return class_calls_fit(c, &r->taxa)
               ? ST_OK
               : class_h5_refuse(path, "the values of /reads do not fit its taxa");
}

status_t class_result_read(const char *path, class_result_t *out)
{
    class_result_t r = {.names = NULL};
    hid_t file;
    status_t st;

    h5util_init();
    if ((file = h5check_open_file(path)) < 0)
        return ST_EINPUT;
    if ((st = class_h5_check_format(file, path, CLASS_RESULT_FORMAT,
                                    CLASS_RESULT_VERSION_MAJOR,
                                    "a result of `ribogrid classify`")) == ST_OK &&
        (st = class_h5_get_taxa(file, path, &r.taxa)) == ST_OK &&
        (st = read_reads(file, path, &r)) == ST_OK)
        st = class_h5_get_run(file, path, &r.run);
    H5Fclose(file);
    if (st != ST_OK) {
        class_result_free(&r);
        return st;
    }
    *out = r;
    return ST_OK;
}
