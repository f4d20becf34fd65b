/*
 * class_pairs.c - has a child check and read a file of pairs; they pass through a file in
 * memory, since there may be hundreds of megabytes.
 */
#include "bench/classify/class_bench.h"

#include "io/base/child.h"
#include "io/base/child_reader.h"
#include "io/base/logmsg.h"
#include "io/file/memfd_stream.h"
#include "io/pairs/pairs_file.h"
#include "io/pairs/pairs_scan.h"
#include "kernels/device/device.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const char what[] = "pairs";

/* What the child is asked for: the digest of the sequences, or the pairs of a minimum
 * identity in percent. */
enum { ASK_DIGEST = 0 };

struct class_pairs {
    const char *path;
    child_reader_t *reader;
    int stream;        /* file in memory, or -1 */
    pairs_hit_t *hits; /* [n] mapped; NULL without pairs */
    int64_t n;
};

/* ---- the child ---- */

static status_t send_digest(const pairs_file_t *file, buf_t *out)
{
    const char *digest = pairs_job_value(file, "input_digest");
    const size_t len = digest != NULL ? strcspn(digest, "\n") : 0;

    return buf_append(out, digest, len);
}

static status_t check_identity(const class_pairs_t *p, const pairs_file_t *file,
                               const fraction_t *wanted)
{
    const fraction_t min = pairs_min_identity(file);
    char text[FRACTION_RATIO_BYTES];

    if (min.denominator == 0 ||
        fraction_reached(&min, wanted->numerator, wanted->denominator))
        return ST_OK;
    log_error("%s lacks pairs below an identity of %s; align with --id %g or less",
              p->path, fraction_to_ratio(&min, text), fraction_value(wanted));
    return ST_EINPUT;
}

static status_t send_hits(const class_pairs_t *p, const pairs_file_t *file,
                          int min_percent, buf_t *out)
{
    const fraction_t id = {min_percent, 100};
    const pairs_hit_t *hits;
    pairs_scan_t *scan = NULL;
    memfd_stream_t to;
    int64_t n = 0, n_all = 0;
    status_t st = check_identity(p, file, &id);

    if (st != ST_OK || (st = pairs_scan_open(file, &id, &scan)) != ST_OK)
        return st;
    to = memfd_stream_write(p->stream, what);
    while (st == ST_OK && (st = pairs_scan_next(scan, &hits, &n)) == ST_OK && n > 0) {
        n_all += n;
        st = memfd_stream_put(&to, hits, (size_t)n * sizeof(*hits));
    }
    st = memfd_stream_end(&to, st);
    pairs_scan_close(scan);
    return st == ST_OK ? buf_append(out, &n_all, sizeof(n_all)) : st;
}

static status_t answer(const void *arg, int question, buf_t *out)
{
    const class_pairs_t *p = arg;
    pairs_file_t *file;
    status_t st = pairs_open(p->path, &file);

    if (st != ST_OK)
        return st;
    if ((st = pairs_scan_check_one_set(file)) == ST_OK)
        st = question == ASK_DIGEST ? send_digest(file, out)
                                    : send_hits(p, file, question, out);
    pairs_close(file);
    return st;
}

/* ---- the bench ---- */

status_t class_pairs_create(const char *path, class_pairs_t **out)
{
    char *files[] = {(char *)(uintptr_t)path};
    const child_limits_t limits = child_limits(1, files, device_cpu().memory_bytes);
    class_pairs_t *p = calloc(1, sizeof(*p));
    status_t st;

    if (p == NULL)
        return log_nomem(what);
    p->path = path;
    if ((st = memfd_stream_create(what, &p->stream)) == ST_OK)
        st = child_reader_start(&limits, answer, p, &p->reader);
    if (st != ST_OK) {
        class_pairs_destroy(p);
        return st;
    }
    *out = p;
    return ST_OK;
}

static status_t check_digest(const class_pairs_t *p, const class_data_t *d)
{
    buf_t there = {0};
    char here[32];
    status_t st = child_fetch(p->reader, ASK_DIGEST, &there);

    if (st == ST_OK && (st = buf_append(&there, "", 1)) == ST_OK) {
        snprintf(here, sizeof(here), "%016" PRIx64, d->digest);
        if (strcmp((const char *)there.data, here) != 0) {
            log_error("%s has pairs of other sequences than the %" PRId64 " genes%s; "
                      "align these, all against all, or leave out --pairs",
                      p->path, d->n_records,
                      d->is_region ? " as they are cut by --region" : "");
            st = ST_EINPUT;
        }
    }
    buf_free(&there);
    return st;
}

static status_t map_hits(class_pairs_t *p)
{
    const size_t bytes = (size_t)p->n * sizeof(*p->hits);

    if (p->n == 0)
        return ST_OK;
    p->hits = mmap(NULL, bytes, PROT_READ, MAP_SHARED, p->stream, 0);
    if (p->hits != MAP_FAILED)
        return ST_OK;
    p->hits = NULL;
    log_error("cannot map the pairs of %s: %s", p->path, strerror(errno));
    return ST_ENOMEM;
}

status_t class_pairs_read(class_pairs_t *p, const class_data_t *d, int min_percent)
{
    buf_t n = {0};
    status_t st = check_digest(p, d);

    if (st == ST_OK)
        st = child_fetch(p->reader, min_percent, &n);
    child_reader_stop(p->reader);
    if (st == ST_OK) {
        memcpy(&p->n, n.data, sizeof(p->n));
        st = map_hits(p);
    }
    buf_free(&n);
    return st;
}

static int by_query(const void *a, const void *b)
{
    const class_identity_t *x = a, *y = b;

    return x->query != y->query ? (x->query > y->query) - (x->query < y->query)
                                : (x->gene > y->gene) - (x->gene < y->gene);
}

/* Append the pair of a gene that is a query. @param query_of, gene_of  [records] */
static status_t append(const pairs_hit_t *hit, int32_t query, int32_t other,
                       const int32_t *query_of, const int32_t *gene_of, buf_t *out)
{
    const class_identity_t pair = {query_of[query], gene_of[other], hit->matches,
                                   hit->columns};

    return pair.query >= 0 && pair.gene >= 0 ? buf_append(out, &pair, sizeof(pair))
                                             : ST_OK;
}

status_t class_pairs_list(const class_pairs_t *p, const class_data_t *d,
                          const int32_t *queries, int64_t n, class_identity_t **out,
                          int64_t *n_pairs)
{
    const size_t bytes = (size_t)d->n_records * sizeof(int32_t);
    int32_t *query_of = malloc(bytes + 1), *gene_of = malloc(bytes + 1);
    buf_t pairs = {0};
    status_t st = query_of != NULL && gene_of != NULL ? ST_OK : log_nomem(what);

    if (st == ST_OK) {
        memset(query_of, -1, bytes);
        memset(gene_of, -1, bytes);
        for (int64_t i = 0; i < d->genes->n; i++)
            gene_of[d->record[i]] = (int32_t)i;
        for (int64_t q = 0; q < n; q++)
            query_of[d->record[queries[q]]] = (int32_t)q;
    }
    for (int64_t k = 0; st == ST_OK && k < p->n; k++) {
        const pairs_hit_t *hit = &p->hits[k];

        if ((st = append(hit, hit->row, hit->col, query_of, gene_of, &pairs)) == ST_OK)
            st = append(hit, hit->col, hit->row, query_of, gene_of, &pairs);
    }
    free(query_of);
    free(gene_of);
    if (st != ST_OK) {
        buf_free(&pairs);
        return st;
    }
    *n_pairs = (int64_t)(pairs.len / sizeof(class_identity_t));
    if (*n_pairs > 0)
        qsort(pairs.data, (size_t)*n_pairs, sizeof(class_identity_t), by_query);
    *out = (class_identity_t *)(void *)pairs.data;
    return ST_OK;
}

void class_pairs_destroy(class_pairs_t *p)
{
    if (p == NULL)
        return;
    child_reader_destroy(p->reader);
    if (p->hits != NULL)
        munmap(p->hits, (size_t)p->n * sizeof(*p->hits));
    if (p->stream >= 0)
        close(p->stream);
    free(p);
}
