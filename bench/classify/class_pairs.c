/*
 * class_pairs.c - checks and reads a file of pairs, and finds those of some queries.
 */
#include "bench/classify/class_bench.h"

#include "io/base/logmsg.h"
#include "io/file/memfd_stream.h"
#include "io/pairs/pairs_file.h"
#include "io/pairs/pairs_scan.h"
#include "kernels/device/device.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static status_t check_identity(const pairs_file_t *file, const fraction_t *wanted)
{
    const fraction_t min = file->min_identity;
    char text[FRACTION_RATIO_BYTES];

    if (min.denominator == 0 ||
        fraction_reached(&min, wanted->numerator, wanted->denominator))
        return ST_OK;
    log_error("%s lacks pairs below an identity of %s; align with --id %g or less",
              file->path, fraction_to_ratio(&min, text), fraction_value(wanted));
    return ST_EINPUT;
}

static status_t check_digest(const pairs_file_t *file, const class_data_t *d)
{
    const char *there = pairs_job_value(file, "input_digest");
    char here[32];
    const int len = snprintf(here, sizeof(here), "%016" PRIx64, d->digest);

    if (there != NULL && (int)strcspn(there, "\n") == len &&
        strncmp(there, here, (size_t)len) == 0)
        return ST_OK;
    log_error("%s has pairs of other sequences than the %" PRId64
              " genes%s; align these, "
              "all against all, or leave out --identities",
              file->path, d->n_records, d->is_cut ? " as they are cut by --primers" : "");
    return ST_EINPUT;
}

static status_t check(const pairs_file_t *file, const class_data_t *d,
                      const fraction_t *id)
{
    status_t st = pairs_scan_check_one_set(file);

    if (st == ST_OK)
        st = check_digest(file, d);
    return st == ST_OK ? check_identity(file, id) : st;
}

status_t class_pairs_read(const char *path, const class_data_t *d, int min_percent,
                          buf_t *out)
{
    const fraction_t id = {min_percent, 100};
    const pairs_hit_t *hits;
    pairs_scan_t *scan = NULL;
    pairs_file_t *file;
    int64_t n = 1;
    status_t st = pairs_open(path, &file);

    if (st != ST_OK)
        return st;
    if ((d == NULL || (st = check(file, d, &id)) == ST_OK) &&
        (st = pairs_scan_open(file, d != NULL ? &id : NULL, &scan)) == ST_OK) {
        while (st == ST_OK && n > 0 && (st = pairs_scan_next(scan, &hits, &n)) == ST_OK)
            st = buf_append(out, hits, (size_t)n * sizeof(*hits));
        pairs_scan_close(scan);
    }
    pairs_close(file);
    return st;
}

/* ---- a user's file, in a child ---- */

ARRAY_COUNT(n_bytes, buf_t, (int64_t)o->len)
static const array_t rows[] = {ARRAY_VALUE(buf_t, len, ARRAY_INT64),
                               ARRAY_OF(buf_t, data, ARRAY_BYTES, n_bytes), ARRAYS_END};
static const arrays_t pairs_arrays = {"the pairs of a file", sizeof(buf_t), rows, NULL};

typedef struct {
    const char *path;
    const class_data_t *d;
    int min_percent, stream;
} request_t;

/* The child ends soon, and so frees the pairs. */
static status_t send_pairs(const void *request, int question, buf_t *out)
{
    const request_t *r = request;
    buf_t pairs = {0};
    status_t st = class_pairs_read(r->path, r->d, r->min_percent, &pairs);

    (void)question;
    (void)out;
    return st == ST_OK ? memfd_stream_put_object(r->stream, &pairs_arrays, &pairs) : st;
}

status_t class_pairs_fetch(const char *path, const class_data_t *d, int min_percent,
                           buf_t *out)
{
    char *files[] = {(char *)(uintptr_t)path};
    const child_limits_t limits = child_limits(1, files, device_cpu().memory_bytes);
    request_t r = {path, d, min_percent, -1};
    child_reader_t *reader = NULL;
    status_t st = memfd_stream_create(pairs_arrays.what, &r.stream);

    if (st == ST_OK)
        st = child_reader_start(&limits, send_pairs, &r, &reader);
    if (st == ST_OK)
        st = memfd_stream_fetch(reader, 0, r.stream, &pairs_arrays, out);
    child_reader_destroy(reader);
    if (r.stream >= 0)
        close(r.stream);
    return st;
}

static int by_query(const void *a, const void *b)
{
    const pairs_hit_t *x = a, *y = b;

    return x->row != y->row ? (x->row > y->row) - (x->row < y->row)
                            : (x->col > y->col) - (x->col < y->col);
}

/* Append the pair of a gene that is a query. @param query_of, gene_of  [records] */
static status_t append(pairs_hit_t hit, int32_t query, int32_t other,
                       const int32_t *query_of, const int32_t *gene_of, buf_t *out)
{
    hit.row = query_of[query];
    hit.col = gene_of[other];
    return hit.row >= 0 && hit.col >= 0 ? buf_append(out, &hit, sizeof(hit)) : ST_OK;
}

status_t class_pairs_list(const buf_t *pairs, const class_data_t *d,
                          const int32_t *queries, int64_t n, buf_t *out)
{
    const size_t bytes = (size_t)d->n_records * sizeof(int32_t);
    const pairs_hit_t *hits = (const pairs_hit_t *)(const void *)pairs->data;
    int32_t *query_of = malloc(bytes + 1), *gene_of = malloc(bytes + 1);
    status_t st = query_of != NULL && gene_of != NULL ? ST_OK : log_nomem("pairs");

    if (st == ST_OK) {
        memset(query_of, -1, bytes);
        memset(gene_of, -1, bytes);
        for (int64_t i = 0; i < d->genes->n; i++)
            gene_of[d->record[i]] = (int32_t)i;
        for (int64_t q = 0; q < n; q++)
            query_of[d->record[queries[q]]] = (int32_t)q;
    }
    for (size_t k = 0; st == ST_OK && k < pairs->len / sizeof(*hits); k++)
        if ((st = append(hits[k], hits[k].row, hits[k].col, query_of, gene_of, out)) ==
            ST_OK)
            st = append(hits[k], hits[k].col, hits[k].row, query_of, gene_of, out);
    free(query_of);
    free(gene_of);
    if (out->len > 0)
        qsort(out->data, out->len / sizeof(*hits), sizeof(*hits), by_query);
    return st;
}
