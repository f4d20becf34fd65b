/*
 * band_choice.cu - chooses bands by shared k-mers: one thread per pair.
 */
#include "kernels/align/bscan/band_choice.cuh"

#include "kernels/align/cuda/cuda_sketch.cuh"
#include "kernels/device/cuda_put.cuh"

#include <cstdlib>

namespace
{

enum { BLOCK = 256, SIMILARITIES = 64 };
enum { TRIED_MIN = 64 }; /* bands counted before the choice depends on them */
enum { EXPLORE = 64 };   /* one pair in EXPLORE gets a band in any case */

struct choice_t {
    cuda_set_t set;
    const pair_t *pairs;
    int n, w; /* pairs; of the bands */
    cuda_sketch_t sketch;
    const band_outcome_t *outcomes; /* [SIMILARITIES] */
    unsigned char *banded;
    unsigned long long *n_banded;
};

/* @return 0 .. SIMILARITIES - 1: the fraction of k-mers that two sequences share */
__device__ inline int similarity_of(const cuda_sketch_t &s, const pair_t &pair)
{
    const size_t words = KMER_SKETCH_WORDS;
    const unsigned long long *a = s.words + words * static_cast<size_t>(pair.query),
                             *b = s.words + words * static_cast<size_t>(pair.target);
    const int fewer = max(min(s.n_kmers[pair.query], s.n_kmers[pair.target]), 1);
    int shared = 0;

    for (int k = 0; k < KMER_SKETCH_WORDS; k++)
        shared += __popcll(a[k] & b[k]);
    return min(shared * SIMILARITIES / fewer, SIMILARITIES - 1);
}

/* @return whether the band -w <= j - i <= (n - m) + w, m <= n, leaves out enough of the
 *         matrix.  Its bound costs about 0.15 of the matrix, so 0.2 of it should be left
 *         out; and it costs more per cell for short sequences. */
__device__ inline bool spares_enough(int a, int b, int w)
{
    const long long left = min(a, b) - w;

    return left >= 2 * w && 5 * left * left >= 1LL * a * b;
}

__global__ void __launch_bounds__(BLOCK) choose_bands(const choice_t c)
{
    const int at = static_cast<int>(blockIdx.x) * BLOCK + static_cast<int>(threadIdx.x);
    unsigned char banded = 0;

    if (at < c.n) {
        const pair_t pair = c.pairs[at];

        if (spares_enough(c.set.len[pair.query], c.set.len[pair.target], c.w)) {
            const int similarity = similarity_of(c.sketch, pair);
            const band_outcome_t o = c.outcomes[similarity];

            if (o.n_tried < TRIED_MIN || 2 * o.n_proved >= o.n_tried ||
                at / BAND_CHOICE_SAMPLE % EXPLORE == 0)
                banded = static_cast<unsigned char>(1 + similarity);
        }
        c.banded[at] = banded;
    }
    const unsigned all = __ballot_sync(0xffffffffu, banded != 0);

    if (threadIdx.x % 32 == 0 && all != 0 && c.n_banded != nullptr)
        atomicAdd(c.n_banded, static_cast<unsigned long long>(__popc(all)));
}

} // namespace

struct band_choice_t {
    cuda_set_t set;
    cuda_sketch_t sketch;
    band_outcome_t *outcomes; /* [SIMILARITIES], on the device */
};

status_t band_choice_create(const align_context_t *context, const cuda_batch_t *batch,
                            band_choice_t **out)
{
    band_choice_t *c = static_cast<band_choice_t *>(calloc(1, sizeof(*c)));
    status_t st;

    if (c == nullptr)
        return log_nomem("the choice of bands");
    c->set = *cuda_batch_set(batch);
    if ((st = cuda_sketch_create(context->pool, context->set, &c->sketch)) != ST_OK ||
        (st = cuda_put_zeros(&c->outcomes, SIMILARITIES)) != ST_OK) {
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
    const choice_t args = {c->set,    work->pairs, n,      w,
                           c->sketch, c->outcomes, banded, n_banded};

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
