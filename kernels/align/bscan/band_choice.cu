/*
 * band_choice.cu - chooses bands by shared k-mers or scores: one thread per pair.
 */
#include "kernels/align/bscan/band_choice.cuh"

#include "kernels/align/cuda/cuda_sketch.cuh"
#include "kernels/device/cuda_put.cuh"

#include <cstdlib>

namespace
{

enum { BLOCK = 256, OUTCOMES = BAND_CHOICE_CLASSES * BAND_CHOICE_WIDTHS };
enum { TRIED_MIN = 64 }; /* bands counted before the choice depends on them */

/* What a row costs, in cells of a result: a guarded band as many as w, since its words
 * have two pairs, and these for its bounds; then a band of half of w if it was proved;
 * and else this fraction of the shorter sequence. */
constexpr int BOUND_COST = 50, WHOLE_COST = 2, WHOLE_DIVISOR = 3;

struct choice_t {
    cuda_set_t set;
    const pair_t *pairs;
    int n, w; /* pairs; of the narrowest bands */
    band_choice_by_t by;
    const int *score;
    cuda_sketch_t sketch;
    const band_outcome_t *outcomes; /* [OUTCOMES] */
    unsigned char *banded;
    unsigned long long *n_banded;
};

/* @return 0 .. BAND_CHOICE_CLASSES - 1: the fraction of k-mers that two sequences share
 */
__device__ inline int similarity_of(const cuda_sketch_t &s, const pair_t &pair)
{
    const size_t words = KMER_SKETCH_WORDS;
    const unsigned long long *a = s.words + words * static_cast<size_t>(pair.query),
                             *b = s.words + words * static_cast<size_t>(pair.target);
    const int fewer = max(min(s.n_kmers[pair.query], s.n_kmers[pair.target]), 1);
    int shared = 0;

    for (int k = 0; k < KMER_SKETCH_WORDS; k++)
        shared += __popcll(a[k] & b[k]);
    return min(shared * BAND_CHOICE_CLASSES / fewer, BAND_CHOICE_CLASSES - 1);
}

/* @return the same by a score, from that of mismatches alone or worse to the maximum */
__device__ inline int class_of(int score, int match, int shorter)
{
    constexpr int HALF = BAND_CHOICE_CLASSES / 2;
    const long long part = static_cast<long long>(score) * HALF /
                           max(static_cast<long long>(match) * shorter, 1LL);

    return static_cast<int>(min(max(part, -1LL * HALF), HALF - 1LL)) + HALF;
}

/* @return whether the band -w <= j - i <= (n - m) + w, m <= n, leaves out enough of the
 *         matrix.  Its bound costs about 0.15 of the matrix, so 0.2 of it should be left
 *         out; and it costs more per cell for short sequences. */
__device__ inline bool spares_enough(int a, int b, int w)
{
    const long long left = min(a, b) - w;

    return left >= 2 * w && 5 * left * left >= 1LL * a * b;
}

/* @return what a band costs about. @param o  what came of such bands */
__device__ inline long long cost_of(int w, int shorter, band_outcome_t o)
{
    const long long n = static_cast<long long>(o.n_tried),
                    n_proved = static_cast<long long>(o.n_proved);

    return w + BOUND_COST +
           (n_proved * w / 2 + (n - n_proved) * shorter * WHOLE_COST / WHOLE_DIVISOR) /
               max(n, 1LL);
}

/* @return the width that costs least, or BAND_CHOICE_WIDTHS for none
 * @param outcomes  of the pair's class, BAND_CHOICE_CLASSES apart */
__device__ inline int cheapest_of(const choice_t &c, int a, int b,
                                  const band_outcome_t *outcomes)
{
    const int shorter = min(a, b);
    long long least = static_cast<long long>(shorter) * WHOLE_COST / WHOLE_DIVISOR;
    int out = BAND_CHOICE_WIDTHS;

    for (int k = 0; k < BAND_CHOICE_WIDTHS; k++) {
        const band_outcome_t o = outcomes[k * BAND_CHOICE_CLASSES];
        const int w = c.w * band_choice_times(k);
        const long long cost = cost_of(w, shorter, o);

        if (o.n_tried < TRIED_MIN && k == 0)
            return 0;
        if (o.n_tried < TRIED_MIN || !spares_enough(a, b, w) || cost >= least)
            continue;
        least = cost;
        out = k;
    }
    return out;
}

/* @return whether sequences of both have codes, and such pairs have no guarded bands */
__device__ inline bool lacks_guard(const choice_t &c, const pair_t &pair)
{
    return !c.by.has_codes && c.set.has_ambiguity[pair.query] != 0 &&
           c.set.has_ambiguity[pair.target] != 0;
}

/* @return `banded` by the bound of a pair's score */
__device__ inline unsigned char choose_by_score(const choice_t &c, int at,
                                                const pair_t &pair)
{
    const int a = c.set.len[pair.query], b = c.set.len[pair.target];
    const int similarity = class_of(c.score[at], c.by.match, min(a, b));
    int width = static_cast<int>(band_choice_tried(at));

    if (width >= BAND_CHOICE_WIDTHS ||
        !spares_enough(a, b, c.w * band_choice_times(width)))
        width = cheapest_of(c, a, b, c.outcomes + similarity);
    if (width >= BAND_CHOICE_WIDTHS || (width > 0 && lacks_guard(c, pair)))
        return 0;
    return static_cast<unsigned char>(1 + similarity + BAND_CHOICE_CLASSES * width);
}

/* @return the same by shared k-mers */
__device__ inline unsigned char choose_by_kmers(const choice_t &c, int at,
                                                const pair_t &pair)
{
    const int similarity = similarity_of(c.sketch, pair);
    const band_outcome_t o = c.outcomes[similarity];

    return o.n_tried < TRIED_MIN || 2 * o.n_proved >= o.n_tried ||
                   band_choice_tried(at) == 0
               ? static_cast<unsigned char>(1 + similarity)
               : 0;
}

__global__ void __launch_bounds__(BLOCK) choose_bands(const choice_t c)
{
    const int at = static_cast<int>(blockIdx.x) * BLOCK + static_cast<int>(threadIdx.x);
    unsigned char banded = 0;

    if (at < c.n) {
        const pair_t pair = c.pairs[at];

        if (spares_enough(c.set.len[pair.query], c.set.len[pair.target], c.w))
            banded = c.by.match > 0 ? choose_by_score(c, at, pair)
                                    : choose_by_kmers(c, at, pair);
        c.banded[at] = banded;
    }
    const unsigned all = __ballot_sync(0xffffffffu, banded != 0);

    if (threadIdx.x % 32 == 0 && all != 0 && c.n_banded != nullptr)
        atomicAdd(c.n_banded, static_cast<unsigned long long>(__popc(all)));
}

} // namespace

struct band_choice_t {
    cuda_set_t set;
    band_choice_by_t by;
    cuda_sketch_t sketch;
    band_outcome_t *outcomes; /* [OUTCOMES], on the device */
};

status_t band_choice_create(const align_context_t *context, const cuda_batch_t *batch,
                            band_choice_by_t by, band_choice_t **out)
{
    band_choice_t *c = static_cast<band_choice_t *>(calloc(1, sizeof(*c)));
    status_t st;

    if (c == nullptr)
        return log_nomem("the choice of bands");
    c->set = *cuda_batch_set(batch);
    c->by = by;
    st = by.match > 0 ? ST_OK
                      : cuda_sketch_create(context->pool, context->set, &c->sketch);
    if (st != ST_OK || (st = cuda_put_zeros(&c->outcomes, OUTCOMES)) != ST_OK) {
        band_choice_destroy(c);
        return st;
    }
    *out = c;
    return ST_OK;
}

band_outcome_t *band_choice_outcomes(const band_choice_t *c)
{
    return c->outcomes;
}

status_t band_choice_run(const band_choice_t *c, const cuda_work_t *work, int w,
                         unsigned char *banded, unsigned long long *n_banded)
{
    const int n = static_cast<int>(work->n);
    const choice_t args = {c->set,      work->pairs, n,           w,      c->by,
                           work->score, c->sketch,   c->outcomes, banded, n_banded};

    choose_bands<<<(n + BLOCK - 1) / BLOCK, BLOCK, 0, work->stream>>>(args);
    return CUDA_TRY(cudaGetLastError());
}

void band_choice_destroy(band_choice_t *c)
{
    if (c == nullptr)
        return;
    cuda_sketch_free(&c->sketch);
    cudaFree(c->outcomes);
    free(c);
}
