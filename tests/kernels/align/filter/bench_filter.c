/*
 * bench_filter.c - which pairs of a file the filters rule out, and how fast.
 *
 * usage: bench_filter FILE STRIDE IDENTITY free|count [cpu|cuda] [TILE] [truth]
 *
 * Every STRIDE-th record is taken; IDENTITY is in thousandths.  Rectangles are the tiles
 * of TILE x TILE pairs (256) on and above the diagonal, in batches of 4096.  Prints one
 * line: what, device, sequences, k, pairs per second; the fractions of all pairs that
 * were ruled out by lengths, by k-mers of whole sequences and by k-mers of ends, and that
 * passed; the fraction that the edit filter passes of these, and its cells per second;
 * with "truth" also the fraction that reaches IDENTITY.
 */
#include "io/base/clock.h"
#include "io/base/logmsg.h"
#include "io/seq/fasta.h"
#include "kernels/align/edits/edit_filter.h"
#include "kernels/align/engine/aligner.h"
#include "kernels/align/filter/pair_filter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH = 4096, THOUSAND = 1000, TRUTH_BATCH = 20000 };

static seqset_t *read_some(const char *path, int64_t stride)
{
    const fasta_opts_t opts = {.skip_bad = true, .degap = true};
    seqset_builder_t builder = {0};
    seqset_t *all, *some = NULL;

    if (fasta_read(path, &opts, NULL, &all) != ST_OK)
        return NULL;
    for (int64_t i = 0; i < all->n; i += stride)
        if (seqset_builder_add(&builder, "", 0, seqset_letters(all, i),
                               (size_t)seqset_len(all, i)) != ST_OK)
            return NULL;
    seqset_destroy(all);
    return seqset_builder_finish(&builder, &some) == ST_OK ? some : NULL;
}

static int64_t cut_tiles(int64_t n, int64_t side, filter_rect_t **out)
{
    int64_t bands = (n + side - 1) / side, k = 0;
    filter_rect_t *r = malloc((size_t)(bands * (bands + 1) / 2) * sizeof(*r));

    for (int64_t i = 0; r != NULL && i < bands; i++)
        for (int64_t j = i; j < bands; j++)
            r[k++] = (filter_rect_t){i * side, i * side + side < n ? i * side + side : n,
                                     j * side, j * side + side < n ? j * side + side : n};
    *out = r;
    return k;
}

/* What the edit filter and the aligner find of the pairs that the filter passes. */
typedef struct {
    const seqset_t *set;
    edit_filter_t *edits;
    aligner_t *truth; /* may be NULL */
    fraction_t identity;
    pair_t *pairs; /* those that the edit filter passes */
    int64_t n_few_edits, n_true;
    double cells, seconds;
} after_t;

/* @return how many of the pairs reach the identity */
static int64_t count_true(aligner_t *a, fraction_t identity, const pair_t *pairs,
                          int64_t n)
{
    int64_t n_true = 0;

    for (int64_t first = 0; first < n; first += TRUTH_BATCH) {
        pair_batch_t batch = {pairs + first,
                              n - first < TRUTH_BATCH ? n - first : TRUTH_BATCH};
        pair_results_t got;

        if (aligner_submit(a, &batch) != ST_OK || aligner_wait(a, &got) != ST_OK)
            return -1;
        for (int64_t i = 0; i < batch.n; i++)
            n_true += got.columns[i] > 0 && got.matches[i] * identity.denominator >=
                                                got.columns[i] * identity.numerator;
    }
    return n_true;
}

/* @return whether that succeeded */
static bool test_edits(after_t *r, const pair_t *pairs, int64_t n)
{
    uint8_t *keep = malloc((size_t)n + 1);
    pair_t *left = realloc(r->pairs, (size_t)(n + 1) * sizeof(*left));
    double begin = clock_now_s();
    int64_t n_few_edits = 0;

    if (left != NULL)
        r->pairs = left;
    if (keep == NULL || left == NULL ||
        edit_filter_run(r->edits, &(pair_batch_t){pairs, n}, keep) != ST_OK) {
        free(keep);
        return false;
    }
    r->seconds += clock_now_s() - begin;
    for (int64_t i = 0; i < n; i++) {
        r->cells += (double)seqset_len(r->set, pairs[i].query) *
                    (double)seqset_len(r->set, pairs[i].target);
        if (keep[i])
            left[n_few_edits++] = pairs[i];
    }
    free(keep);
    r->n_few_edits += n_few_edits;
    if (r->truth != NULL)
        r->n_true += count_true(r->truth, r->identity, left, n_few_edits);
    return true;
}

/* Run all batches, two at a time. @return whether that succeeded */
static bool run(pair_filter_t *f, const filter_rect_t *rects, int64_t n, after_t *after,
                filter_counts_t *sum)
{
    for (int64_t first = 0, ahead = 0; first < n; first += BATCH) {
        const pair_t *pairs;
        const int64_t *start;
        filter_counts_t c;

        for (; ahead < n && ahead <= first + BATCH; ahead += BATCH)
            if (pair_filter_submit(f, rects + ahead,
                                   n - ahead < BATCH ? n - ahead : BATCH) != ST_OK)
                return false;
        if (pair_filter_wait(f, &pairs, &start, &c) != ST_OK ||
            !test_edits(after, pairs, c.n_passed))
            return false;
        sum->n_pairs += c.n_pairs;
        sum->n_by_length += c.n_by_length;
        sum->n_by_kmers += c.n_by_kmers;
        sum->n_by_overlap += c.n_by_overlap;
        sum->n_passed += c.n_passed;
    }
    return true;
}

static void print_fractions(const filter_counts_t *sum, const after_t *after)
{
    double n = (double)sum->n_pairs;

    printf("\tlength %.4f\tk-mers %.4f\toverlap %.4f\tpassed %.5f",
           (double)sum->n_by_length / n, (double)sum->n_by_kmers / n,
           (double)sum->n_by_overlap / n, (double)sum->n_passed / n);
    printf("\tfew edits %.5f\t%.3g cells/s", (double)after->n_few_edits / n,
           after->cells / after->seconds);
    if (after->truth != NULL)
        printf("\ttrue %.5f", (double)after->n_true / n);
    printf("\n");
}

int main(int argc, char **argv)
{
    device_t device = device_cpu(), gpus[DEVICES_MAX];
    align_spec_t spec = {.emit = EMIT_IDENTITY, .min_overlap = {1, 2}};
    bool on_gpu = argc > 5 && strcmp(argv[5], "cuda") == 0;
    fraction_t identity = {argc > 3 ? atoll(argv[3]) : 0, THOUSAND};
    seqset_t *set = argc > 4 ? read_some(argv[1], atoll(argv[2])) : NULL;
    filter_counts_t sum = {0};
    filter_rect_t *rects;
    pair_filter_t *f;
    after_t after = {.set = set, .identity = identity};
    pool_t *pool;
    int64_t n;
    double begin, made, end;

    if (set == NULL) {
        fprintf(stderr,
                "usage: bench_filter FILE STRIDE IDENTITY free|count [cpu|cuda] [TILE] "
                "[truth]\n");
        return 2;
    }
    if (on_gpu && device_list_cuda(gpus) == 0)
        return 77;
    device = on_gpu ? gpus[0] : device;
    spec.ends = strcmp(argv[4], "free") == 0 ? ENDS_FREE : ENDS_COUNT;
    align_scoring_set(&spec.scoring, AMBIGUITY_N_MISMATCH, 4, -5, -7);
    n = cut_tiles(set->n, argc > 6 ? atoll(argv[6]) : 256, &rects);
    begin = clock_now_s();
    if (rects == NULL || pool_create(device_cpu().n_cores, &pool) != ST_OK ||
        pair_filter_create(&(align_context_t){&device, pool, set, &spec, {0}}, identity,
                           (filter_shape_t){.triangle = true}, &f) != ST_OK ||
        edit_filter_create(&(align_context_t){&device, pool, set, &spec, {0}}, identity,
                           &after.edits) != ST_OK)
        return 1;
    made = clock_now_s();
    if (argc > 7 &&
        aligner_create(&(align_context_t){&device, pool, set, &spec, {.band = true}},
                       &(aligner_options_t){.kernel = "auto"}, &after.truth) != ST_OK)
        return 1;
    if (!run(f, rects, n, &after, &sum))
        return 1;
    end = clock_now_s();
    printf("filter\t%s\t%s\t0.%03d\t%lld\t%.2f s to make\t%.3g pairs/s", device.name,
           argv[4], (int)identity.numerator, (long long)set->n, made - begin,
           (double)sum.n_pairs / (end - made - after.seconds));
    print_fractions(&sum, &after);
    pair_filter_destroy(f);
    edit_filter_destroy(after.edits);
    aligner_destroy(after.truth);
    free(after.pairs);
    pool_destroy(pool);
    seqset_destroy(set);
    free(rects);
    return 0;
}
