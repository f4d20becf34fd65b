/*
 * gpu_band_bound.cu - bounds on the scores of paths that leave a band are true, and tight
 * enough to prove most bands.
 *
 * A plain program, as gpu_align.c is: exit 1 if a bound is wrong, 77 without a GPU.
 */
#include "kernels/align/bscan/band_bound.cuh"

extern "C" {
#include "io/seq/simulate.h"
#include "tests/support/gpu_case.h"
#include "tests/support/random_set.h"
}

#include <algorithm>
#include <climits>
#include <vector>

namespace
{

/* Sets of N sequences; the first N_QUERIES of them are aligned with all. */
enum { N = 40, N_QUERIES = 3, N_PAIRS = N_QUERIES * N };
constexpr int SCORE_NONE = INT_MIN / 2;

/* The best score of the paths that stay in a band, and of those that leave it. */
struct best_t {
    int stay, leave;
};

/* What a batch is launched with, and its bounds. */
struct run_t {
    band_bound_t *bounds;
    unsigned char *banded;
    int *guarded;
    int w;
    std::vector<int> result;
};

void raise_to(best_t &best, const best_t &from, int score, bool leaves)
{
    best.leave = std::max(best.leave,
                          std::max(from.leave, leaves ? from.stay : SCORE_NONE) + score);
    if (!leaves)
        best.stay = std::max(best.stay, from.stay + score);
}

/* @return the best scores with free ends and the band -low <= j - i <= high */
best_t best_of(const align_scoring_t &s, const uint8_t *a, int m, const uint8_t *b, int n,
               int w)
{
    const int low = w + std::max(m - n, 0), high = w + std::max(n - m, 0);
    std::vector<best_t> row(static_cast<size_t>(n) + 1), above;
    best_t best = {SCORE_NONE, SCORE_NONE};

    for (int i = 0; i <= m; i++) {
        above = row;
        for (int j = 0; j <= n; j++) {
            const bool outside = j - i < -low || j - i > high;
            best_t cell = {SCORE_NONE, SCORE_NONE};

            if (i == 0 || j == 0)
                raise_to(cell, {0, SCORE_NONE}, 0, outside);
            if (i > 0)
                raise_to(cell, above[j], s.gap, outside);
            if (j > 0)
                raise_to(cell, row[j - 1], s.gap, outside);
            if (i > 0 && j > 0)
                raise_to(cell, above[j - 1],
                         s.set_of[a[i - 1]] & s.set_of[b[j - 1]] ? s.match : s.mismatch,
                         outside);
            row[j] = cell;
            if (i == m || j == n) {
                best.stay = std::max(best.stay, cell.stay);
                best.leave = std::max(best.leave, cell.leave);
            }
        }
    }
    return best;
}

status_t launch(void *state, const cuda_work_t *work)
{
    run_t *run = static_cast<run_t *>(state);
    status_t st;

    run->result.resize(static_cast<size_t>(work->n));
    if ((st = CUDA_TRY(cudaMemsetAsync(run->banded, 1, static_cast<size_t>(work->n),
                                       work->stream))) != ST_OK ||
        (st = band_bound_run(run->bounds, work, run->w, run->banded, run->guarded)) !=
            ST_OK ||
        (st = CUDA_TRY(cudaMemcpyAsync(run->result.data(), run->guarded,
                                       run->result.size() * sizeof(int),
                                       cudaMemcpyDefault, work->stream))) != ST_OK)
        return st;
    return CUDA_TRY(cudaStreamSynchronize(work->stream));
}

/* @return the pairs that have a band of w and cells outside of it */
std::vector<pair_t> pairs_of(const seqset_t *set, int w)
{
    std::vector<pair_t> pairs;

    for (int k = 0; k < N_PAIRS; k++)
        if (std::min(seqset_len(set, k / N), seqset_len(set, k % N)) >= 2 * w)
            pairs.push_back({k / N, k % N});
    return pairs;
}

/* Bound all pairs of a set. @return whether the bounds could be computed */
bool bound(const align_context_t &context, const std::vector<pair_t> &pairs, run_t *run)
{
    const pair_batch_t batch = {pairs.data(), static_cast<int64_t>(pairs.size())};
    cuda_batch_t *cuda = nullptr;
    pair_results_t unused;
    bool ok = cuda_batch_create(&context, &cuda) == ST_OK &&
              cudaMalloc(&run->banded, N_PAIRS) == cudaSuccess &&
              cudaMalloc(&run->guarded, N_PAIRS * sizeof(int)) == cudaSuccess &&
              band_bound_create(context.device, context.set, context.spec, cuda,
                                &run->bounds) == ST_OK &&
              cuda_batch_submit(cuda, &batch, launch, run) == ST_OK &&
              cuda_batch_wait(cuda, &unused) == ST_OK;

    band_bound_destroy(run->bounds);
    cudaFree(run->banded);
    cudaFree(run->guarded);
    cuda_batch_destroy(cuda);
    return ok;
}

/* @return whether the bounds of a set's pairs are true and not too high */
bool check(const align_context_t &context, const char *what, int w)
{
    const std::vector<pair_t> pairs = pairs_of(context.set, w);
    run_t run = {};
    int n_wrong = 0, n_provable = 0, n_proved = 0;

    run.w = w;
    if (pairs.empty() || !bound(context, pairs, &run))
        return false;
    for (size_t k = 0; k < pairs.size(); k++) {
        const pair_t p = pairs[k];
        const best_t best =
            best_of(context.spec->scoring, seqset_letters(context.set, p.query),
                    static_cast<int>(seqset_len(context.set, p.query)),
                    seqset_letters(context.set, p.target),
                    static_cast<int>(seqset_len(context.set, p.target)), w);

        n_wrong += run.result[k] <= best.leave;
        n_provable += best.stay > best.leave;
        n_proved += best.stay >= run.result[k];
    }
    const bool ok = n_wrong == 0 && 2 * n_proved >= n_provable;

    printf("%s  %s, band %d: %zu pairs, %d bounds too low, %d of %d bands proved\n",
           ok ? "ok    " : "FAILED", what, w, pairs.size(), n_wrong, n_proved,
           n_provable);
    return ok;
}

/* @return a set of simulated genes; NULL: none */
seqset_t *simulated(int length, int divergence, int trim)
{
    simulate_opts_t opts = simulate_defaults();
    seqset_t *set = nullptr;

    opts.n = N;
    opts.length = length;
    opts.divergence_percent = divergence;
    opts.trim_percent = trim;
    return simulate_make(&opts, &set) == ST_OK ? set : nullptr;
}

/* @return a set of random families, of any length; NULL: none */
seqset_t *families()
{
    const random_set_opts_t opts = {N, 100, 900, 30};
    rng_t rng = rng_seed(7);
    seqset_t *set = nullptr;

    return random_set_create(&rng, &opts, &set) == ST_OK ? set : nullptr;
}

} // namespace

int main()
{
    static const int widths[] = {32, 48, 64};
    align_context_t context = {};
    device_t cpu, gpu;
    align_spec_t spec = random_set_spec(0);
    int failed = 0;

    const int status = gpu_case_begin(0, &cpu, &gpu, &context.pool);
    if (status != EXIT_SUCCESS)
        return status;
    spec.emit = EMIT_IDENTITY;
    spec.ends = ENDS_FREE;
    align_scoring_set(&spec.scoring, AMBIGUITY_MATCH, 4, -5, -7);
    context.device = &gpu;
    context.spec = &spec;
    for (int k = 0; k < 5; k++) {
        seqset_t *set =
            k == 4 ? families() : simulated(400 + 250 * k, 20 + 10 * k, 12 * k);

        context.set = set;
        for (int w : widths)
            failed += set == nullptr ||
                      !check(context, k == 4 ? "families" : "simulated genes", w);
        seqset_destroy(set);
    }
    pool_destroy(context.pool);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
