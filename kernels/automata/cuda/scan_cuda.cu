/*
 * scan_cuda.cu - the backend `nfa` of GPUs: batches of pieces, and what the CPU scans
 * instead.
 *
 * The CPU scans patterns that may start nearly anywhere, and those of too many positions;
 * and, of all patterns, batches with more than one find per byte, or with too many long
 * runs.
 */
#include "kernels/automata/cuda/scan_cuda.cuh"

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_select.cuh>

extern "C" {
#include "kernels/automata/scan_backend.h"
}

#include <cstdlib>
#include <cstring>

namespace
{

/* Larger batches are scanned by the CPU: places have 32 bits. */
constexpr int64_t MAX_BATCH_BYTES = 1ll << 30;

/* Room of lists at first, in bytes of the batch per item; it grows up to one. */
constexpr uint64_t BYTES_PER_ITEM = 16, MIN_CAPACITY = 1 << 16;

/* Steps of long runs per byte of a batch, above which the CPU scans it. */
constexpr unsigned long long LONG_STEPS_PER_BYTE = 64;

struct state_t {
    scan_context_t context;
    scan_tables_t tables;
    scan_device_t device;
    int32_t *group; /* [n_patterns] -1: of `rest` */
    void *rest;     /* of scan_nfa_backend: patterns that are left to the CPU, or NULL */
    void *all;      /* likewise: all patterns; created when it is first used */
    uint64_t capacity;
    cuda_buffer_t input, lists;
    scan_batch_t batch;
    unsigned long long *n_unique; /* on the device */
    void *scratch;                /* of CUB */
    size_t scratch_bytes;
    uint64_t *unique; /* [capacity] sorted hits, each once */
    cudaStream_t stream;
    cudaEvent_t begun, ended; /* of the kernels */
    double kernel_s;
};

/* The layout of a batch on the host. */
struct layout_t {
    scan_span_t *spans;
    uint32_t *span_of;
    int64_t n_bytes; /* of chunks */
};

/* ---- the CPU ---- */

struct cpu_scan_t {
    void *state;
    const scan_piece_t *pieces;
    scan_found_t *found;
    int failed; /* a status_t; any of those that failed */
};

void scan_on_cpu(void *ctx, int64_t k, int thread)
{
    cpu_scan_t *c = static_cast<cpu_scan_t *>(ctx);
    const status_t st =
        scan_piece(&scan_nfa_backend, c->state, &c->pieces[k], thread, &c->found[k]);

    if (st != ST_OK)
        __atomic_store_n(&c->failed, static_cast<int>(st), __ATOMIC_RELAXED);
}

status_t scan_all_on_cpu(const state_t *s, void *engine, const scan_piece_t *pieces,
                         int n, scan_found_t *found)
{
    cpu_scan_t c = {engine, pieces, found, ST_OK};

    pool_run(s->context.pool, n, scan_on_cpu, &c);
    return static_cast<status_t>(c.failed);
}

/* ---- batches ---- */

int64_t chunk_bytes(const scan_piece_t *piece)
{
    const int64_t n = piece->end - piece->begin + SCAN_BEHIND;

    return (n + SCAN_CHUNK - 1) / SCAN_CHUNK * SCAN_CHUNK;
}

int64_t min_of(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* @return the bytes of a piece and behind it that are known */
int64_t known_bytes(const scan_piece_t *p)
{
    return (p->has_lines ? p->end : min_of(p->record_end, p->end + SCAN_BEHIND)) -
           p->begin;
}

/* @param out  freed by layout_free, also on failure */
status_t lay_out(const scan_piece_t *pieces, int n, layout_t *out)
{
    int64_t at = 0;

    for (int k = 0; k < n; k++)
        at += chunk_bytes(&pieces[k]);
    *out = {static_cast<scan_span_t *>(
                malloc(sizeof(scan_span_t) * static_cast<size_t>(n))),
            static_cast<uint32_t *>(
                malloc(sizeof(uint32_t) * static_cast<size_t>(at / SCAN_CHUNK))),
            at};
    if (out->spans == nullptr || out->span_of == nullptr)
        return log_nomem("a batch");
    at = 0;
    for (int k = 0; k < n; k++) {
        const scan_piece_t *p = &pieces[k];
        const int64_t end = at + p->end - p->begin;

        out->spans[k] = {static_cast<uint32_t>(at), static_cast<uint32_t>(end),
                         static_cast<uint32_t>(at + known_bytes(p)),
                         p->has_lines || p->begin == p->record_begin};
        for (int64_t chunk = 0; chunk < chunk_bytes(p) / SCAN_CHUNK; chunk++)
            out->span_of[at / SCAN_CHUNK + chunk] = static_cast<uint32_t>(k);
        at += chunk_bytes(p);
    }
    return ST_OK;
}

void layout_free(layout_t *l)
{
    free(l->spans);
    free(l->span_of);
}

/* Copy a batch to the device. */
status_t put_batch(state_t *s, const scan_piece_t *pieces, int n, const layout_t *l)
{
    const int64_t n_chunks = l->n_bytes / SCAN_CHUNK;
    cuda_scratch_t arrays = {};
    uint8_t *bytes;
    scan_span_t *spans;
    uint32_t *span_of;
    status_t st;

    cuda_scratch_add(&arrays, &bytes, l->n_bytes + SCAN_CHUNK);
    cuda_scratch_add(&arrays, &spans, n);
    cuda_scratch_add(&arrays, &span_of, n_chunks);
    cuda_scratch_add(&arrays, &s->batch.present, n_chunks * (256 / 32));
    if ((st = cuda_scratch_reserve(&arrays, &s->input)) != ST_OK)
        return st;
    s->batch.bytes = bytes;
    s->batch.spans = spans;
    s->batch.span_of = span_of;
    s->batch.n_chunks = static_cast<uint32_t>(n_chunks);
    s->batch.has_lines = pieces[0].has_lines;
    s->batch.max_long_runs =
        LONG_STEPS_PER_BYTE * static_cast<unsigned long long>(l->n_bytes) / SCAN_LONG_RUN;
    for (int k = 0; st == ST_OK && k < n; k++)
        st = CUDA_TRY(cudaMemcpyAsync(bytes + l->spans[k].begin,
                                      pieces[k].data + pieces[k].begin,
                                      static_cast<size_t>(known_bytes(&pieces[k])),
                                      cudaMemcpyHostToDevice, s->stream));
    if (st == ST_OK)
        st = CUDA_TRY(cudaMemcpyAsync(spans, l->spans,
                                      static_cast<size_t>(n) * sizeof(*spans),
                                      cudaMemcpyHostToDevice, s->stream));
    return st == ST_OK ? CUDA_TRY(cudaMemcpyAsync(span_of, l->span_of,
                                                  static_cast<size_t>(n_chunks) *
                                                      sizeof(*span_of),
                                                  cudaMemcpyHostToDevice, s->stream))
                       : st;
}

/* Reserve the lists of a batch. */
status_t reserve_lists(state_t *s)
{
    const int64_t n = static_cast<int64_t>(s->capacity);
    const uint64_t *keys = nullptr;
    uint64_t *sorted = nullptr;
    unsigned long long *count = nullptr;
    size_t sort_bytes = 0, unique_bytes = 0;
    cuda_scratch_t arrays = {};
    status_t st =
        CUDA_TRY(cub::DeviceRadixSort::SortKeys(nullptr, sort_bytes, keys, sorted, n));

    if (st == ST_OK)
        st = CUDA_TRY(
            cub::DeviceSelect::Unique(nullptr, unique_bytes, keys, sorted, count, n));
    if (st != ST_OK)
        return st;
    for (uint64_t *&list : s->batch.lists)
        cuda_scratch_add(&arrays, &list, n);
    cuda_scratch_add(&arrays, &s->batch.sorted, n);
    cuda_scratch_add(&arrays, &s->unique, n);
    cuda_scratch_add(&arrays, &s->batch.has_left, n);
    cuda_scratch_add(&arrays, &s->batch.counts, SCAN_N_COUNTS);
    cuda_scratch_add(&arrays, &s->n_unique, 1);
    s->scratch_bytes = sort_bytes > unique_bytes ? sort_bytes : unique_bytes;
    cuda_scratch_add(&arrays, reinterpret_cast<uint8_t **>(&s->scratch),
                     static_cast<int64_t>(s->scratch_bytes));
    s->batch.capacity = s->capacity;
    return cuda_scratch_reserve(&arrays, &s->lists);
}

/* ---- kernels ---- */

status_t get_counts(const state_t *s, unsigned long long (&counts)[SCAN_N_COUNTS])
{
    const status_t st = CUDA_TRY(cudaMemcpyAsync(counts, s->batch.counts, sizeof(counts),
                                                 cudaMemcpyDeviceToHost, s->stream));

    return st == ST_OK ? CUDA_TRY(cudaStreamSynchronize(s->stream)) : st;
}

/* @return whether lists are complete */
bool are_complete(const state_t *s, const unsigned long long (&counts)[SCAN_N_COUNTS])
{
    for (int k = 0; k < SCAN_N_LISTS; k++)
        if (counts[k] > s->capacity)
            return false;
    return counts[SCAN_N_LISTS] <= s->batch.max_long_runs;
}

status_t sort(state_t *s, scan_list_t list, unsigned long long n)
{
    return CUDA_TRY(cub::DeviceRadixSort::SortKeys(
        s->scratch, s->scratch_bytes, static_cast<const uint64_t *>(s->batch.lists[list]),
        s->batch.sorted, static_cast<int64_t>(n), 0, 64, s->stream));
}

/* Let patterns leave loops until none enters a loop any more. */
status_t run_loops(state_t *s, unsigned long long (&counts)[SCAN_N_COUNTS])
{
    unsigned long long n = 0;
    status_t st = ST_OK;

    while (st == ST_OK && are_complete(s, counts) && counts[SCAN_ENTRIES] > n) {
        n = counts[SCAN_ENTRIES];
        if ((st = sort(s, SCAN_ENTRIES, n)) == ST_OK &&
            (st = scan_run_exits(s->batch, n, s->stream)) == ST_OK)
            st = get_counts(s, counts);
    }
    return st == ST_OK && are_complete(s, counts) && n > 0
               ? scan_list_loops(s->batch, n, s->stream)
               : st;
}

/* Sort the hits, and leave out those that are found again. */
status_t sort_hits(state_t *s, unsigned long long n)
{
    const status_t st = sort(s, SCAN_HITS, n);

    if (st != ST_OK)
        return st;
    if (n == 0)
        return CUDA_TRY(cudaMemsetAsync(s->n_unique, 0, sizeof(*s->n_unique), s->stream));
    return CUDA_TRY(cub::DeviceSelect::Unique(
        s->scratch, s->scratch_bytes, static_cast<const uint64_t *>(s->batch.sorted),
        s->unique, s->n_unique, static_cast<int64_t>(n), s->stream));
}

/* Scan a batch. @param counts  out; lists may be incomplete */
status_t scan_batch(state_t *s, unsigned long long (&counts)[SCAN_N_COUNTS])
{
    float milliseconds = 0;
    status_t st;

    if ((st = CUDA_TRY(cudaEventRecord(s->begun, s->stream))) != ST_OK ||
        (st = CUDA_TRY(cudaMemsetAsync(s->batch.counts, 0, sizeof(counts), s->stream))) !=
            ST_OK ||
        (st = CUDA_TRY(cudaMemsetAsync(s->batch.has_left, 0, s->capacity, s->stream))) !=
            ST_OK ||
        (st = scan_filter_launch(s->batch, s->stream)) != ST_OK ||
        (st = scan_run_starts(s->batch, s->stream)) != ST_OK ||
        (st = get_counts(s, counts)) != ST_OK || (st = run_loops(s, counts)) != ST_OK ||
        (st = get_counts(s, counts)) != ST_OK)
        return st;
    if (are_complete(s, counts) && (st = sort_hits(s, counts[SCAN_HITS])) != ST_OK)
        return st;
    if ((st = CUDA_TRY(cudaEventRecord(s->ended, s->stream))) != ST_OK ||
        (st = CUDA_TRY(cudaEventSynchronize(s->ended))) != ST_OK ||
        (st = CUDA_TRY(cudaEventElapsedTime(&milliseconds, s->begun, s->ended))) != ST_OK)
        return st;
    s->kernel_s = static_cast<double>(milliseconds) / 1000;
    return ST_OK;
}

/* ---- results ---- */

status_t get(const state_t *s, const uint64_t *from, uint64_t n, uint64_t **out)
{
    *out = static_cast<uint64_t *>(malloc((n + 1) * sizeof(**out)));
    if (*out == nullptr)
        return log_nomem("matches");
    const status_t st = CUDA_TRY(cudaMemcpyAsync(*out, from, n * sizeof(**out),
                                                 cudaMemcpyDeviceToHost, s->stream));

    return st == ST_OK ? CUDA_TRY(cudaStreamSynchronize(s->stream)) : st;
}

status_t take_hits(const state_t *s, const scan_piece_t *pieces, const layout_t *l,
                   scan_found_t *found)
{
    unsigned long long n = 0;
    uint64_t *hits = nullptr;
    status_t st = CUDA_TRY(
        cudaMemcpyAsync(&n, s->n_unique, sizeof(n), cudaMemcpyDeviceToHost, s->stream));

    if (st == ST_OK && (st = CUDA_TRY(cudaStreamSynchronize(s->stream))) == ST_OK)
        st = get(s, s->unique, n, &hits);
    for (unsigned long long k = 0; st == ST_OK && k < n; k++) {
        const uint32_t end = static_cast<uint32_t>(hits[k] >> 32);
        const uint32_t number = l->span_of[(end - 1) / SCAN_CHUNK];
        const scan_hit_t hit = {pieces[number].begin + end - l->spans[number].begin,
                                static_cast<int64_t>(static_cast<uint32_t>(hits[k]))};

        st = buf_append(&found[number].hits, &hit, sizeof(hit));
    }
    free(hits);
    return st;
}

status_t take_live(const state_t *s, uint64_t n, scan_found_t *found)
{
    uint64_t *live = nullptr;
    status_t st = get(s, s->batch.lists[SCAN_LIVE], n, &live);

    for (uint64_t k = 0; st == ST_OK && k < n; k++) {
        const int32_t position = static_cast<int32_t>(live[k] & 0xffffffff);

        st = buf_append(&found[live[k] >> 32].live, &position, sizeof(position));
    }
    free(live);
    return st;
}

/* Scan a batch with the GPU. @param is_done  out: else the CPU has to scan it */
status_t scan_on_gpu(state_t *s, const scan_piece_t *pieces, int n, const layout_t *l,
                     scan_found_t *found, bool *is_done)
{
    const uint64_t most = static_cast<uint64_t>(l->n_bytes);
    unsigned long long counts[SCAN_N_COUNTS];
    status_t st = put_batch(s, pieces, n, l);

    if (s->capacity < most / BYTES_PER_ITEM)
        s->capacity = most / BYTES_PER_ITEM;
    for (*is_done = false; st == ST_OK && !*is_done;) {
        if ((st = reserve_lists(s)) != ST_OK || (st = scan_batch(s, counts)) != ST_OK)
            return st;
        if (counts[SCAN_N_LISTS] > s->batch.max_long_runs)
            return ST_OK;
        *is_done = are_complete(s, counts);
        for (int k = 0; k < SCAN_N_LISTS; k++)
            if (counts[k] > s->capacity)
                s->capacity = counts[k];
        if (!*is_done && s->capacity > most + MIN_CAPACITY) {
            s->capacity = most + MIN_CAPACITY;
            return ST_OK;
        }
    }
    if (st == ST_OK && (st = take_hits(s, pieces, l, found)) == ST_OK)
        st = take_live(s, counts[SCAN_LIVE], found);
    return st;
}

status_t scan_batch_or_cpu(state_t *s, const scan_piece_t *pieces, int n,
                           scan_found_t *found)
{
    scan_context_t context = s->context;
    layout_t l = {};
    int64_t n_bytes = 0;
    bool is_done = false;
    status_t st = ST_OK;

    for (int k = 0; k < n; k++)
        n_bytes += chunk_bytes(&pieces[k]);
    if (n_bytes <= MAX_BATCH_BYTES && (st = lay_out(pieces, n, &l)) == ST_OK)
        st = scan_on_gpu(s, pieces, n, &l, found, &is_done);
    layout_free(&l);
    if (st != ST_OK || is_done)
        return st;
    context.group = nullptr;
    s->kernel_s = 0;
    if (s->all == nullptr)
        st = scan_nfa_backend.create(&context, &s->all);
    return st == ST_OK ? scan_all_on_cpu(s, s->all, pieces, n, found) : st;
}

status_t scan_all(void *state, const scan_piece_t *pieces, int n, scan_found_t *found)
{
    state_t *s = static_cast<state_t *>(state);
    status_t st = CUDA_TRY(cudaSetDevice(s->context.device->index));

    if (st == ST_OK && n > 0)
        st = scan_batch_or_cpu(s, pieces, n, found);
    if (st == ST_OK && s->rest != nullptr)
        st = scan_all_on_cpu(s, s->rest, pieces, n, found);
    for (int k = 0; k < n; k++) {
        if (s->rest != nullptr)
            scan_sort_hits(&found[k].hits, 0);
        scan_sort_live(&found[k].live, 0);
    }
    return st;
}

double kernel_s(const void *state)
{
    return static_cast<const state_t *>(state)->kernel_s;
}

/* ---- the backend ---- */

void destroy(void *state)
{
    state_t *s = static_cast<state_t *>(state);

    if (s == nullptr)
        return;
    cudaSetDevice(s->context.device->index);
    scan_nfa_backend.destroy(s->rest);
    scan_nfa_backend.destroy(s->all);
    scan_tables_free(&s->tables);
    scan_device_free(&s->device);
    cuda_buffer_free(&s->input);
    cuda_buffer_free(&s->lists);
    if (s->begun != nullptr)
        cudaEventDestroy(s->begun);
    if (s->ended != nullptr)
        cudaEventDestroy(s->ended);
    if (s->stream != nullptr)
        cudaStreamDestroy(s->stream);
    free(s->group);
    free(s);
}

void leave_to_cpu(state_t *s, const buf_t *patterns, bool *has_rest)
{
    const int32_t *pattern = reinterpret_cast<const int32_t *>(patterns->data);

    for (size_t k = 0; k < patterns->len / sizeof(*pattern); k++) {
        s->group[pattern[k]] = -1;
        *has_rest = true;
    }
}

/* Create the scan of the patterns that are left to the CPU. */
status_t create_rest(state_t *s)
{
    const int64_t n = s->context.nfa->n_patterns;
    scan_context_t context = s->context;
    bool has_rest = false;

    s->group =
        static_cast<int32_t *>(calloc(static_cast<size_t>(n) + 1, sizeof(int32_t)));
    if (s->group == nullptr)
        return log_nomem("patterns");
    leave_to_cpu(s, &s->tables.filter.anywhere, &has_rest);
    leave_to_cpu(s, &s->tables.filter.at_begin, &has_rest);
    for (int64_t k = 0; k < n; k++)
        if (s->tables.bits.pattern[k].n_words > SCAN_MAX_WORDS) {
            s->group[k] = -1;
            has_rest = true;
        }
    context.group = s->group;
    return has_rest ? scan_nfa_backend.create(&context, &s->rest) : ST_OK;
}

status_t create(const scan_context_t *context, void **state)
{
    state_t *s = static_cast<state_t *>(calloc(1, sizeof(*s)));
    status_t st;

    if (s == nullptr)
        return log_nomem("patterns");
    s->context = *context;
    s->capacity = MIN_CAPACITY;
    if ((st = CUDA_TRY(cudaSetDevice(context->device->index))) == ST_OK &&
        (st = scan_tables_create(context->nfa, nullptr, &s->tables)) == ST_OK &&
        (st = scan_device_create(&s->tables, &s->device)) == ST_OK &&
        (st = create_rest(s)) == ST_OK &&
        (st = CUDA_TRY(cudaStreamCreateWithFlags(&s->stream, cudaStreamNonBlocking))) ==
            ST_OK &&
        (st = CUDA_TRY(cudaEventCreate(&s->begun))) == ST_OK)
        st = CUDA_TRY(cudaEventCreate(&s->ended));
    s->batch.tables = s->device;
    if (st != ST_OK) {
        destroy(s);
        return st;
    }
    *state = s;
    return ST_OK;
}

} // namespace

/* The rate is in bytes times patterns. */
extern "C" const scan_backend_t scan_cuda_backend = {
    /* .base = */ {"nfa", DEVICE_CUDA, 5e13},
    /* .takes = */ nullptr,
    /* .create = */ create,
    /* .scan = */ nullptr,
    /* .scan_all = */ scan_all,
    /* .kernel_s = */ kernel_s,
    /* .destroy = */ destroy,
};
