/*
 * class_net.c - images of reads through a network, and sums of its probabilities.
 */
#include "worker/classify/class_net.h"

#include "io/base/logmsg.h"
#include "io/images/image_read.h"
#include "io/modelfile/class_result.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N_VALUES = KMER_IMAGES_SIDE * KMER_IMAGES_SIDE };

static const char remedy[] = "`ribogrid cnn train kmer-lenet REF.fa --taxonomy FILE`";

predict_opts_t class_net_opts(const class_opts_t *o)
{
    predict_opts_t p = predict_opts_defaults();

    p.model = o->model;
    p.batch = CLASS_NET_BATCH;
    p.common.reader = o->common.reader;
    p.stream = o->stream;
    return p;
}

/* ---- the model ---- */

static status_t check_net(const class_opts_t *o, const predict_model_t *net)
{
    const int64_t *size = net->net->layers[0].size;

    if (size[0] != 1 || size[1] != KMER_IMAGES_SIDE || size[2] != KMER_IMAGES_SIDE)
        log_error("%s takes images of %" PRId64 " x %" PRId64 " x %" PRId64
                  ", but those of sequences have 1 x %d x %d; make a model with %s",
                  o->model, size[0], size[1], size[2], KMER_IMAGES_SIDE, KMER_IMAGES_SIDE,
                  remedy);
    else if (net->stored.n_named != net->net->n_classes)
        log_error("%s: its classes have no lineages as names; make a model with %s",
                  o->model, remedy);
    else
        return ST_OK;
    return ST_EINPUT;
}

status_t class_net_taxa(const class_opts_t *o, const predict_model_t *net,
                        class_model_t *out)
{
    const int64_t n = net->stored.n_named;
    status_t st = check_net(o, net);

    if (st != ST_OK || (st = seqset_create(n, 0, n, &out->refs)) != ST_OK)
        return st;
    memset(out->refs->offset, 0, ((size_t)n + 1) * sizeof(*out->refs->offset));
    for (int64_t i = 0; i <= n; i++)
        out->refs->name_offset[i] = i;
    memset(out->refs->names, 0, (size_t)n);
    out->taxon_of = malloc((size_t)n * sizeof(*out->taxon_of) + 1);
    if (out->taxon_of == NULL)
        return log_nomem("lineages");
    if ((st = class_taxa_of_lineages((const char *const *)net->stored.names, n,
                                     &out->taxa, out->taxon_of)) == ST_OK &&
        class_taxa_n_ranks(&out->taxa) > CLASS_RANKS_MAX) {
        log_error("%s: a lineage has more than %d ranks", o->model, CLASS_RANKS_MAX);
        st = ST_EINPUT;
    }
    return st;
}

status_t class_net_check_sent(const class_opts_t *o, const predict_model_t *net,
                              const class_model_t *m)
{
    status_t st = check_net(o, net);

    if (st != ST_OK || m->refs->n == net->net->n_classes)
        return st;
    log_error("the client sent a network of %d classes with the names of %" PRId64,
              net->net->n_classes, m->refs->n);
    return ST_EINPUT;
}

/* ---- a batch ---- */

status_t class_net_prepare(class_net_t *n, const class_opts_t *o, device_t *device,
                           pool_t *pool)
{
    const size_t n_values = (size_t)CLASS_NET_BATCH * N_VALUES;

    n->path = o->model;
    n->images = (image_set_t){.n = CLASS_NET_BATCH,
                              .size = {1, KMER_IMAGES_SIDE, KMER_IMAGES_SIDE}};
    n->images.values = malloc(n_values * sizeof(*n->images.values));
    if (n->images.values == NULL)
        return log_nomem("images of reads");
    return predict_model_runner(&n->model, &o->common, device, pool, &n->runner);
}

void class_net_release(class_net_t *n)
{
    cnn_runner_destroy(&n->runner);
    image_set_free(&n->images);
    buf_free(&n->letters);
}

/* Draw one orientation of a read. */
static status_t draw(class_net_t *n, const seqset_t *reads, int64_t read, bool reversed,
                     float *out)
{
    const uint8_t *letters = seqset_letters(reads, read);
    const int64_t len = seqset_len(reads, read);
    status_t st;

    n->letters.len = 0;
    for (int64_t i = len; reversed && i > 0; i--) {
        const uint8_t code = alphabet_complement(letters[i - 1]);

        if ((st = buf_append(&n->letters, &code, 1)) != ST_OK)
            return st;
    }
    kmer_images_draw(reversed ? n->letters.data : letters, len, out);
    return ST_OK;
}

static bool is_empty(const float *image)
{
    for (int k = 0; k < N_VALUES; k++)
        if (image[k] > 0)
            return false;
    return true;
}

double class_net_support(const class_net_query_t *q, const float *probabilities,
                         int64_t n_outputs, int32_t found, uint16_t *out)
{
    const nbc_classes_t *c = q->classes;
    int total = 0, n_taxa = 0;

    for (int rank = 1; rank <= c->n_ranks; rank++) {
        const int32_t taxon = nbc_classes_at(c, found, rank);
        double sum = 0;

        for (int64_t i = 0; taxon >= 0 && i < n_outputs; i++)
            if (nbc_classes_at(c, q->class_of[i], rank) == taxon)
                sum += probabilities[i];
        out[rank - 1] = (uint16_t)lround(fmin(sum, 1) * CLASS_SUPPORT_ONE);
        total += out[rank - 1];
        n_taxa += taxon >= 0;
    }
    return (double)total / n_taxa;
}

/* Classify one orientation of a batch, where it is better than what was found.
 * @param best  [n_reads] in and out: the largest mean support so far, at first -1 */
static status_t run_strand(class_net_t *n, const class_net_query_t *q,
                           const seqset_t *reads, int64_t first, int64_t n_reads,
                           bool reversed, double *best, nbc_results_t *out, int64_t at)
{
    const int n_ranks = q->classes->n_ranks;
    uint16_t support[CLASS_RANKS_MAX];
    status_t st = ST_OK;

    for (int64_t i = 0; st == ST_OK && i < n_reads; i++)
        st = draw(n, reads, first + i, reversed, n->images.values + i * N_VALUES);
    if (st == ST_OK)
        st = cnn_runner_classify(&n->runner, &n->images, 0, n_reads);
    for (int64_t i = 0; st == ST_OK && i < n_reads; i++) {
        const float *p = n->runner.probabilities + i * n->runner.n_classes;
        const int32_t output = cnn_runner_best(&n->runner, i);
        double mean;

        if (is_empty(n->images.values + i * N_VALUES))
            continue;
        if (!isfinite(p[output])) {
            log_error("read %" PRId64 ": its probabilities are no numbers; %s has "
                      "parameters that are too large, train it again with a smaller "
                      "--rate",
                      first + i + 1, n->path);
            st = ST_EINPUT;
            continue;
        }
        mean = class_net_support(q, p, n->runner.n_classes, q->class_of[output], support);
        if (mean > best[i]) {
            best[i] = mean;
            out->best[at + i] =
                (nbc_best_t){.class_number = q->class_of[output], .reversed = reversed};
            memcpy(out->support + (at + i) * n_ranks, support,
                   (size_t)n_ranks * sizeof(*support));
        }
    }
    return st;
}

status_t class_net_run(class_net_t *n, const class_net_query_t *q, const seqset_t *reads,
                       int64_t first, int64_t n_reads, nbc_results_t *out)
{
    const int n_ranks = q->classes->n_ranks;
    double best[CLASS_NET_BATCH];
    status_t st = ST_OK;

    for (int64_t at = 0; st == ST_OK && at < n_reads; at += CLASS_NET_BATCH) {
        const int64_t left = n_reads - at;
        const int64_t size = left < CLASS_NET_BATCH ? left : CLASS_NET_BATCH;

        if (__atomic_load_n(q->cancel, __ATOMIC_RELAXED) != 0)
            return ST_OK; /* no result of a cancelled run is used */
        for (int64_t i = 0; i < size; i++) {
            best[i] = -1;
            out->best[at + i] = (nbc_best_t){.class_number = -1};
        }
        memset(out->support + at * n_ranks, 0,
               (size_t)(size * n_ranks) * sizeof(*out->support));
        st = run_strand(n, q, reads, first + at, size, false, best, out, at);
        if (st == ST_OK && q->both_strands)
            st = run_strand(n, q, reads, first + at, size, true, best, out, at);
    }
    return st;
}

double class_net_flops(const class_net_t *n, bool both_strands)
{
    const cnn_program_t *p = n->model.program;
    double flops = 0;

    for (int s = 0; s < p->n_forward; s++)
        flops += p->steps[s].flops;
    return (both_strands ? 2 : 1) * flops / CLASS_NET_BATCH;
}
