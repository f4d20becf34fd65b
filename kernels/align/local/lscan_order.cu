/*
 * lscan_order.cu - orders the pairs of a batch by sorting one key per pair.
 *
 * key_kernel: one thread per pair.  From its highest bits a key holds the kind, whether
 * the pair is one of twins, the number of rows, the sequences of the rows, and the
 * columns, so that the pairs of a warp have the same rows if they can, and differ little
 * in length.
 *
 * Twins are found by an order of its own, in which they are neighbours: by the places of
 * the queries without their last bit, the target, and the last bit.  Sorting by key keeps
 * them neighbours, because both have the same key.
 */
#include "kernels/align/local/lscan_order.cuh"

#include "kernels/device/cuda_put.cuh"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace
{

/* Sequences that are placed among each other: as many as the rows of a tile of a large
 * set, so that a batch has the pairs of all of them with the same targets. */
constexpr int64_t PLACE_BLOCK = 64;

constexpr int KEY_BLOCK = 256, STEP = 16, KIND_BITS = 3, TWIN_BITS = 1, ROW_BITS = 11,
              SEQUENCE_BITS = 25, COLUMN_BITS = 15, TARGET_BITS = 29;
static_assert(LSCAN_KINDS < 1 << KIND_BITS, "a field holds all kinds");
static_assert(KIND_BITS + TWIN_BITS + ROW_BITS + SEQUENCE_BITS + COLUMN_BITS <=
                  PAIR_ORDER_BITS,
              "keys are sorted by all of their bits");
static_assert(SEQUENCE_BITS + TARGET_BITS + TWIN_BITS <= PAIR_ORDER_BITS,
              "keys of twins, too");
static_assert(LSCAN_LEN_MAX / STEP < 1 << ROW_BITS, "a field holds all rows");
static_assert(LSCAN_LEN_MAX < 1 << COLUMN_BITS, "a field holds all columns");

__device__ inline int kind_of(const lscan_order_args_t &a, const pair_t &pair)
{
    const int q = a.set.len[pair.query], t = a.set.len[pair.target];
    const int shorter = min(q, t);

    if (max(q, t) <= a.max_len32)
        return LSCAN_KEYS32;
    if (a.has_traced)
        return LSCAN_TRACED32;
    if (shorter * a.max_column > a.max_score)
        return LSCAN_KEYS;
    if (a.has_bases &&
        (a.set.has_ambiguity[pair.query] == 0 || a.set.has_ambiguity[pair.target] == 0))
        return LSCAN_BASES;
    return a.has_profile ? LSCAN_PROFILE : LSCAN_KEYS;
}

/* @return the key of a pair. @param twin  that with the other query; NULL: none */
__device__ inline pair_order_key_t key_of(const lscan_order_args_t &a, const pair_t &pair,
                                          int kind, const pair_t *twin)
{
    const int q = a.set.len[pair.query], t = a.set.len[pair.target];
    const bool q_codes = a.set.has_ambiguity[pair.query] != 0,
               t_codes = a.set.has_ambiguity[pair.target] != 0;
    const bool mirrored = kind == LSCAN_BASES && q_codes && !t_codes;
    int rows = mirrored ? t : q;
    pair_order_key_t key = static_cast<pair_order_key_t>(LSCAN_KINDS - kind);
    unsigned sequence = 0;

    if (twin != nullptr) {
        rows = max(rows, a.set.len[twin->query]);
        sequence = static_cast<unsigned>(a.place[pair.query]) >> 1;
    } else if (kind != LSCAN_KEYS) {
        sequence = static_cast<unsigned>(mirrored ? pair.target : pair.query) << 1 |
                   static_cast<unsigned>(!q_codes && !t_codes);
    }
    key = key << TWIN_BITS | static_cast<unsigned>(twin != nullptr);
    key = key << ROW_BITS |
          static_cast<unsigned>(min((rows + STEP - 1) / STEP, (1 << ROW_BITS) - 1));
    key = key << SEQUENCE_BITS | (sequence & ((1u << SEQUENCE_BITS) - 1));
    return key << COLUMN_BITS |
           static_cast<unsigned>(min(mirrored ? q : t, (1 << COLUMN_BITS) - 1));
}

/* Give every pair its number and the key by which twins become neighbours. */
__global__ void __launch_bounds__(KEY_BLOCK)
    twin_kernel(lscan_order_args_t a, long long n, pair_order_key_t *keys,
                unsigned *values)
{
    const long long i = static_cast<long long>(blockIdx.x) * KEY_BLOCK + threadIdx.x;

    if (i >= n)
        return;
    const pair_t pair = a.pairs[i];
    const unsigned place = static_cast<unsigned>(a.place[pair.query]);
    pair_order_key_t key = place >> 1 & ((1u << SEQUENCE_BITS) - 1);

    key = key << TARGET_BITS |
          (static_cast<unsigned>(pair.target) & ((1u << TARGET_BITS) - 1));
    keys[i] = key << TWIN_BITS | (place & 1);
    values[i] = static_cast<unsigned>(i);
}

/* @return whether two pairs, in this order, are the two of a word */
__device__ inline bool are_twins(const lscan_order_args_t &a, const pair_t &first,
                                 const pair_t &second)
{
    const int place = a.place[second.query];

    return first.target == second.target && place % 2 == 0 &&
           a.place[first.query] == place + 1;
}

/* Find the twin of the pair at k in the order of twins. @return whether there is one */
__device__ inline bool find_twin(const lscan_order_args_t &a, const unsigned *values,
                                 long long n, long long k, pair_t *twin)
{
    const pair_t pair = a.pairs[values[k]];

    if (k > 0) {
        *twin = a.pairs[values[k - 1]];
        if (are_twins(a, *twin, pair))
            return true;
    }
    if (k + 1 < n) {
        *twin = a.pairs[values[k + 1]];
        return are_twins(a, pair, *twin);
    }
    return false;
}

/* Give the pairs at `values` their keys. @param has_values  else fill them in */
__global__ void __launch_bounds__(KEY_BLOCK)
    key_kernel(lscan_order_args_t a, long long n, int *n_of_kind, bool has_values,
               pair_order_key_t *keys, unsigned *values)
{
    const long long k = static_cast<long long>(blockIdx.x) * KEY_BLOCK + threadIdx.x;
    int kind = LSCAN_KINDS;

    if (k < n) {
        const pair_t pair = a.pairs[has_values ? values[k] : k];
        pair_t twin;

        kind = kind_of(a, pair);
        const bool has_twin = has_values && kind == LSCAN_PROFILE &&
                              find_twin(a, values, n, k, &twin) &&
                              kind_of(a, twin) == LSCAN_PROFILE;

        keys[k] = key_of(a, pair, kind, has_twin ? &twin : nullptr);
        if (!has_values)
            values[k] = static_cast<unsigned>(k);
    }
    pair_order_count<LSCAN_KINDS>(n_of_kind, kind);
}

/* @return how often a thread sweeps its rows if they are a sequence */
int64_t strips_of(const seqset_t *set, int64_t i)
{
    constexpr int64_t ROWS = lscan_tuning_t<LSCAN_TWIN_PROFILE>::ROWS;

    return (seqset_len(set, i) + ROWS - 1) / ROWS;
}

} // namespace

status_t lscan_place_create(const seqset_t *set, int **out)
{
    const size_t n = static_cast<size_t>(set->n);
    int64_t block[PLACE_BLOCK];
    int *place = static_cast<int *>(malloc((n + 1) * sizeof(*place)));
    status_t st = ST_OK;

    if (place == nullptr)
        st = log_nomem("the order of the sequences");
    for (int64_t first = 0; st == ST_OK && first < set->n; first += PLACE_BLOCK) {
        const int64_t size = std::min(PLACE_BLOCK, set->n - first);

        for (int64_t k = 0; k < size; k++)
            block[k] = first + k;
        std::stable_sort(block, block + size, [set](int64_t x, int64_t y) {
            return strips_of(set, x) < strips_of(set, y);
        });
        for (int64_t k = 0; k < size; k++)
            place[block[k]] = static_cast<int>(first + k);
    }
    if (st == ST_OK)
        st = cuda_put_new(out, place, n);
    free(place);
    return st;
}

status_t lscan_order(const lscan_order_args_t &args, int64_t n, const pair_order_t &plan,
                     int *n_of_kind, cudaStream_t stream, const unsigned **order)
{
    const unsigned n_blocks = static_cast<unsigned>((n + KEY_BLOCK - 1) / KEY_BLOCK);
    const bool has_twins = args.place != nullptr;
    pair_order_t by_key = plan;
    status_t st;

    if (has_twins) {
        twin_kernel<<<n_blocks, KEY_BLOCK, 0, stream>>>(args, n, plan.keys[0],
                                                        plan.values[0]);
        if ((st = CUDA_TRY(cudaGetLastError())) != ST_OK ||
            (st = pair_order_sort(plan, n, stream, order)) != ST_OK)
            return st;
        if (*order != by_key.values[0])
            std::swap(by_key.values[0], by_key.values[1]);
    }
    key_kernel<<<n_blocks, KEY_BLOCK, 0, stream>>>(args, n, n_of_kind, has_twins,
                                                   by_key.keys[0], by_key.values[0]);
    st = CUDA_TRY(cudaGetLastError());
    return st == ST_OK ? pair_order_sort(by_key, n, stream, order) : st;
}
