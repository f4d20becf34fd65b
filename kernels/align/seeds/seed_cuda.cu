/*
 * seed_cuda.cu - pairs that share seeds, by a GPU: the classes of letters, and how rows
 * are divided among launches.
 */
#include "kernels/align/cuda/cuda_buffer.cuh"
#include "kernels/align/seeds/seed_layout.cuh"
#include "kernels/device/cuda_put.cuh"

#include <algorithm>
#include <cstdlib>
#include <cstring>

struct seed_gpu {
    const seqset_t *set;
    seed_classes_t classes;
    cuda_set_t letters;
    cudaStream_t stream;
    int device;
    signed char *scores;    /* on the device, as the next two */
    unsigned short *places; /* [n_blocks][max_places] */
    int *next;
    int n_blocks, max_bytes, max_places;
    cuda_buffer_t rows, results;
    cuda_pinned_t host_rows, host_results;
};

namespace
{

/* Find the letters whose scores are equal. */
void set_classes(const align_scoring_t *s, seed_classes_t *out, signed char *scores)
{
    int first[ALPHABET_SIZE] = {0};

    *out = {};
    out->n = 1;
    for (int a = 1; a < PROTEIN_SIZE; a++) {
        int k = 1;

        while (k < out->n && !std::equal(s->score[a] + 1, s->score[a] + PROTEIN_SIZE,
                                         s->score[first[k]] + 1))
            k++;
        out->of[a] = static_cast<unsigned char>(k);
        if (k == out->n)
            first[out->n++] = a;
    }
    for (int x = 0; x < ALPHABET_SIZE; x++)
        for (int y = 0; y < ALPHABET_SIZE; y++)
            scores[x * ALPHABET_SIZE + y] = static_cast<signed char>(
                x > 0 && y > 0 && x < out->n && y < out->n ? s->score[first[x]][first[y]]
                                                           : 0);
}

status_t create_set(seed_gpu_t *g, pool_t *pool, const align_scoring_t *scoring)
{
    signed char scores[ALPHABET_SIZE * ALPHABET_SIZE];
    align_scoring_t by_class = *scoring;
    const status_t st = (set_classes(scoring, &g->classes, scores),
                         cuda_put_new(&g->scores, scores, sizeof(scores)));

    for (int a = 0; a < ALPHABET_SIZE; a++)
        by_class.set_of[a] = g->classes.of[a];
    return st == ST_OK ? cuda_set_create(pool, g->set, &by_class, &g->letters) : st;
}

/* @return whether a block has room for a query of m residues and one warp */
bool fits(const seed_gpu_t *g, int m)
{
    return seed_table_bytes(g->classes.n, m) +
               static_cast<size_t>(seed_ring_places(m)) * sizeof(short) <=
           static_cast<size_t>(g->max_bytes);
}

status_t create_places(seed_gpu_t *g)
{
    const int longest =
        static_cast<int>(std::min<int64_t>(seqset_max_len(g->set), SEED_QUERY_MAX));

    g->max_places = longest * SEED_RESIDUE_PLACES;
    return CUDA_TRY(
        cudaMalloc(&g->places, sizeof(*g->places) * static_cast<size_t>(g->n_blocks) *
                                   static_cast<size_t>(g->max_places)));
}

/* Enqueue rows whose queries have at most m residues, for which `fits`. */
status_t launch_rows(seed_gpu_t *g, const seed_row_t *rows, int n, int m)
{
    const size_t table = seed_table_bytes(g->classes.n, m);
    const int ring = seed_ring_places(m);
    const size_t left = static_cast<size_t>(g->max_bytes) - table,
                 ring_bytes = static_cast<size_t>(ring) * sizeof(short);
    const int n_warps = static_cast<int>(
        std::min<size_t>(left / ring_bytes, static_cast<size_t>(SEED_WARPS_MAX)));
    const size_t rest = left - static_cast<size_t>(n_warps) * ring_bytes;
    seed_launch_t p = {};
    status_t st;

    p.set = g->letters;
    p.rows = rows;
    p.n_rows = n;
    p.next = g->next;
    p.scores = g->scores;
    p.n_classes = g->classes.n;
    p.ring_size = ring;
    p.near_places = static_cast<int>(rest / sizeof(short)) / 8 * 8;
    p.max_places = g->max_places;
    p.places = g->places;
    p.out = static_cast<unsigned char *>(g->results.at);
    if ((st = CUDA_TRY(cudaMemsetAsync(g->next, 0, sizeof(*g->next), g->stream))) !=
        ST_OK)
        return st;
    return seed_kernel_run(p, g->n_blocks, n_warps, static_cast<size_t>(g->max_bytes),
                           g->stream);
}

/* Enqueue all rows, those together for which a ring of one size is used. */
status_t launch_all(seed_gpu_t *g, const seed_row_t *host, int64_t n_rows)
{
    const seed_row_t *rows = static_cast<const seed_row_t *>(g->rows.at);
    status_t st = ST_OK;

    for (int64_t k = 0, end; st == ST_OK && k < n_rows; k = end) {
        const int m = static_cast<int>(seqset_len(g->set, host[k].query));
        const int ring = seed_ring_places(m);

        for (end = k + 1; end < n_rows; end++)
            if (seed_ring_places(static_cast<int>(seqset_len(g->set, host[end].query))) !=
                ring)
                break;
        st = launch_rows(g, rows + k, static_cast<int>(end - k), m);
    }
    return st;
}

/* @return rows of at most SEED_ROW_CELLS, of queries that are not too long
 * @param out  NULL: count them */
int64_t cut_rows(const seed_gpu_t *g, const seed_row_t *rows, int64_t n, seed_row_t *out)
{
    int64_t n_out = 0;

    for (int64_t k = 0; k < n; k++) {
        seed_row_t row = rows[k];
        const int64_t m = seqset_len(g->set, row.query);

        if (m > SEED_QUERY_MAX || !fits(g, static_cast<int>(m)))
            continue;
        for (int32_t left = row.n; left > 0; left -= row.n) {
            double cells = 0;

            row.n = 0;
            while (row.n < left && (row.n == 0 || cells < SEED_ROW_CELLS))
                cells += static_cast<double>(m) *
                         static_cast<double>(seqset_len(g->set, row.target + row.n++));
            if (out != nullptr)
                out[n_out] = row;
            n_out++;
            row.target += row.n;
            row.first += row.n;
        }
    }
    return n_out;
}

} // namespace

status_t seed_gpu_create(const device_t *device, pool_t *pool, const seqset_t *set,
                         const align_scoring_t *scoring, seed_gpu_t **out)
{
    seed_gpu_t *g = static_cast<seed_gpu_t *>(calloc(1, sizeof(*g)));
    status_t st;

    if (g == nullptr)
        return log_nomem("a filter of seeds");
    g->set = set;
    g->device = device->index;
    g->n_blocks = device->n_cores;
    g->host_rows.pool = g->host_results.pool = pool;
    if ((st = CUDA_TRY(cudaSetDevice(g->device))) != ST_OK ||
        (st = seed_kernel_prepare(device, &g->max_bytes)) != ST_OK ||
        (st = create_set(g, pool, scoring)) != ST_OK ||
        (st = create_places(g)) != ST_OK ||
        (st = CUDA_TRY(cudaMalloc(&g->next, sizeof(*g->next)))) != ST_OK ||
        (st = CUDA_TRY(cudaStreamCreateWithFlags(&g->stream, cudaStreamNonBlocking))) !=
            ST_OK) {
        seed_gpu_destroy(g);
        return st;
    }
    *out = g;
    return ST_OK;
}

status_t seed_gpu_run(seed_gpu_t *g, const seed_row_t *rows, int64_t n_rows,
                      int64_t n_pairs, uint8_t *out)
{
    const int64_t n = cut_rows(g, rows, n_rows, nullptr);
    const size_t row_bytes = static_cast<size_t>(n + 1) * sizeof(*rows),
                 result_bytes = static_cast<size_t>(n_pairs) + 1;
    status_t st;

    if ((st = CUDA_TRY(cudaSetDevice(g->device))) != ST_OK ||
        (st = cuda_pinned_reserve(&g->host_rows, row_bytes)) != ST_OK ||
        (st = cuda_pinned_reserve(&g->host_results, result_bytes)) != ST_OK ||
        (st = cuda_buffer_reserve(&g->rows, row_bytes)) != ST_OK ||
        (st = cuda_buffer_reserve(&g->results, result_bytes)) != ST_OK)
        return st;
    cut_rows(g, rows, n_rows, static_cast<seed_row_t *>(g->host_rows.at));
    if ((st = CUDA_TRY(cudaMemsetAsync(g->results.at, SEED_UNKNOWN, result_bytes,
                                       g->stream))) != ST_OK ||
        (st = CUDA_TRY(cudaMemcpyAsync(g->rows.at, g->host_rows.at, row_bytes,
                                       cudaMemcpyHostToDevice, g->stream))) != ST_OK ||
        (st = launch_all(g, static_cast<const seed_row_t *>(g->host_rows.at), n)) !=
            ST_OK ||
        (st = CUDA_TRY(cudaMemcpyAsync(g->host_results.at, g->results.at, result_bytes,
                                       cudaMemcpyDeviceToHost, g->stream))) != ST_OK ||
        (st = CUDA_TRY(cudaStreamSynchronize(g->stream))) != ST_OK)
        return st;
    memcpy(out, g->host_results.at, static_cast<size_t>(n_pairs));
    return ST_OK;
}

void seed_gpu_destroy(seed_gpu_t *g)
{
    if (g == nullptr)
        return;
    cudaSetDevice(g->device);
    if (g->stream != nullptr) {
        cudaStreamSynchronize(g->stream);
        cudaStreamDestroy(g->stream);
    }
    cuda_set_free(&g->letters);
    cudaFree(g->scores);
    cudaFree(g->places);
    cudaFree(g->next);
    cuda_buffer_free(&g->rows);
    cuda_buffer_free(&g->results);
    cuda_pinned_free(&g->host_rows);
    cuda_pinned_free(&g->host_results);
    free(g);
}
