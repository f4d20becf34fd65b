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

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace
{

/* Larger batches are scanned by the CPU: places have 32 bits. */
constexpr int64_t MAX_BATCH_BYTES = 1ll << 30;

/* A batch is copied in parts, each in slices, one per thread at a time. */
constexpr int64_t MIN_PART_BYTES = 8 << 20, SLICE_BYTES = 1 << 18;
constexpr int MAX_PARTS = 16;

/* Room of lists at first, in bytes of the batch per item; it grows up to one, and to
 * MAX_CAPACITY, unless the batch is one piece. */
constexpr uint64_t BYTES_PER_ITEM = 16, MIN_CAPACITY = 1 << 16, MAX_CAPACITY = 1 << 24;

/* Steps of long runs per byte of a batch, above which the CPU scans it. */
constexpr unsigned long long LONG_STEPS_PER_BYTE = 64;

/* The layout of a batch. */
struct layout_t {
    scan_span_t *spans; /* [n] */
    uint32_t *span_of;  /* [n_chunks] */
    int64_t n_chunks;
};

/* Events around kernels. */
struct timer_t {
    cudaEvent_t begun, ended;
};

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
    void *scratch; /* of CUB */
    size_t scratch_bytes;
    uint64_t *hits, *live;               /* [capacity] sorted, each once */
    cudaStream_t stream, copies;         /* of kernels, and of the input */
    cuda_stage_t stage;                  /* of the input */
    cuda_pinned_t host_layout, host_out; /* hits, then live positions */
    cuda_pinned_t host_counts;           /* [SCAN_N_COUNTS] */
    timer_t timers[MAX_PARTS + 1];       /* [n_timers] of the last scan */
    int n_timers;
    double kernel_s;
};

/* ---- batches ---- */

int64_t min_of(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

int64_t chunks_of(const scan_piece_t *piece)
{
    return (piece->end - piece->begin + SCAN_BEHIND + SCAN_CHUNK - 1) / SCAN_CHUNK;
}

int64_t bytes_of(const scan_piece_t *pieces, int n)
{
    int64_t n_chunks = 0;

    for (int k = 0; k < n; k++)
        n_chunks += chunks_of(&pieces[k]);
    return n_chunks * SCAN_CHUNK;
}

/* @return the bytes of a piece and behind it that are known */
int64_t known_bytes(const scan_piece_t *p)
{
    return (p->has_lines ? p->end : min_of(p->record_end, p->end + SCAN_BEHIND)) -
           p->begin;
}

status_t lay_out(state_t *s, const scan_piece_t *pieces, int n, layout_t *out)
{
    const int64_t n_chunks = bytes_of(pieces, n) / SCAN_CHUNK;
    const size_t spans_bytes = static_cast<size_t>(n) * sizeof(*out->spans);
    int64_t chunk = 0;
    const status_t st =
        cuda_pinned_reserve(&s->host_layout, spans_bytes + static_cast<size_t>(n_chunks) *
                                                               sizeof(*out->span_of));

    if (st != ST_OK)
        return st;
    out->spans = static_cast<scan_span_t *>(s->host_layout.at);
    out->span_of = reinterpret_cast<uint32_t *>(out->spans + n);
    out->n_chunks = n_chunks;
    for (int k = 0; k < n; k++) {
        const scan_piece_t *p = &pieces[k];
        const int64_t at = chunk * SCAN_CHUNK;

        out->spans[k] = {static_cast<uint32_t>(at),
                         static_cast<uint32_t>(at + p->end - p->begin),
                         static_cast<uint32_t>(at + known_bytes(p)),
                         p->has_lines || p->begin == p->record_begin};
        for (const int64_t end = chunk + chunks_of(p); chunk < end; chunk++)
            out->span_of[chunk] = static_cast<uint32_t>(k);
    }
    return ST_OK;
}

/* Have memory for a batch, and put its layout there. */
status_t put_layout(state_t *s, const scan_piece_t *pieces, int n, const layout_t *l)
{
    cuda_scratch_t arrays = {};
    uint8_t *bytes;
    scan_span_t *spans;
    uint32_t *span_of;
    status_t st;

    cuda_scratch_add(&arrays, &bytes, (l->n_chunks + 1) * SCAN_CHUNK);
    cuda_scratch_add(&arrays, &spans, n);
    cuda_scratch_add(&arrays, &span_of, l->n_chunks);
    cuda_scratch_add(&arrays, &s->batch.present, l->n_chunks * (256 / 32));
    if ((st = cuda_scratch_reserve(&arrays, &s->input)) != ST_OK)
        return st;
    s->batch.bytes = bytes;
    s->batch.spans = spans;
    s->batch.span_of = span_of;
    s->batch.has_lines = pieces[0].has_lines;
    s->batch.max_long_runs = LONG_STEPS_PER_BYTE *
                             static_cast<unsigned long long>(l->n_chunks) * SCAN_CHUNK /
                             SCAN_LONG_RUN;
    st =
        CUDA_TRY(cudaMemcpyAsync(spans, l->spans, static_cast<size_t>(n) * sizeof(*spans),
                                 cudaMemcpyHostToDevice, s->stream));
    return st == ST_OK ? CUDA_TRY(cudaMemcpyAsync(span_of, l->span_of,
                                                  static_cast<size_t>(l->n_chunks) *
                                                      sizeof(*span_of),
                                                  cudaMemcpyHostToDevice, s->stream))
                       : st;
}

/* A part of the input on its way. */
struct part_t {
    const scan_piece_t *pieces;
    const layout_t *layout;
    int64_t begin, end; /* bytes of the layout */
    uint8_t *to;        /* pinned */
};

/* Fill a slice; between pieces it has gaps. */
void fill_slice(void *ctx, int64_t slice, int)
{
    const part_t *p = static_cast<const part_t *>(ctx);
    const int64_t begin = p->begin + slice * SLICE_BYTES,
                  end = min_of(begin + SLICE_BYTES, p->end);

    for (int64_t at = begin; at < end;) {
        const uint32_t k = p->layout->span_of[at / SCAN_CHUNK];
        const int64_t span = p->layout->spans[k].begin,
                      known = span + known_bytes(&p->pieces[k]),
                      next = span + chunks_of(&p->pieces[k]) * SCAN_CHUNK;

        if (at < known)
            memcpy(p->to + (at - p->begin),
                   p->pieces[k].data + p->pieces[k].begin + (at - span),
                   static_cast<size_t>(min_of(known, end) - at));
        at = next;
    }
}

status_t upload(state_t *s, part_t *part)
{
    const size_t n_bytes = static_cast<size_t>(part->end - part->begin);
    void *to;
    const status_t st = cuda_stage_next(&s->stage, n_bytes, &to);

    if (st != ST_OK)
        return st;
    part->to = static_cast<uint8_t *>(to);
    pool_run(s->context.pool, (part->end - part->begin + SLICE_BYTES - 1) / SLICE_BYTES,
             fill_slice, part);
    return cuda_stage_copy(&s->stage, const_cast<uint8_t *>(s->batch.bytes) + part->begin,
                           n_bytes);
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
    cuda_scratch_add(&arrays, &s->hits, n);
    cuda_scratch_add(&arrays, &s->live, n);
    cuda_scratch_add(&arrays, &s->batch.has_left, n);
    cuda_scratch_add(&arrays, &s->batch.counts, SCAN_N_COUNTS);
    s->scratch_bytes = sort_bytes > unique_bytes ? sort_bytes : unique_bytes;
    cuda_scratch_add(&arrays, reinterpret_cast<uint8_t **>(&s->scratch),
                     static_cast<int64_t>(s->scratch_bytes));
    s->batch.capacity = s->capacity;
    return cuda_scratch_reserve(&arrays, &s->lists);
}

/* ---- kernels ---- */

status_t begin_kernels(state_t *s)
{
    return CUDA_TRY(cudaEventRecord(s->timers[s->n_timers].begun, s->stream));
}

status_t end_kernels(state_t *s)
{
    return CUDA_TRY(cudaEventRecord(s->timers[s->n_timers++].ended, s->stream));
}

/* Add up what the kernels took; they have ended. */
status_t measure_kernels(state_t *s)
{
    status_t st = ST_OK;

    s->kernel_s = 0;
    for (int k = 0; st == ST_OK && k < s->n_timers; k++) {
        float milliseconds = 0;

        st = CUDA_TRY(
            cudaEventElapsedTime(&milliseconds, s->timers[k].begun, s->timers[k].ended));
        s->kernel_s += static_cast<double>(milliseconds) / 1000;
    }
    return st;
}

/* Get the counts. @param out  [SCAN_N_COUNTS], valid until the next call */
status_t get_counts(const state_t *s, const unsigned long long **out)
{
    const status_t st = CUDA_TRY(cudaMemcpyAsync(s->host_counts.at, s->batch.counts,
                                                 SCAN_N_COUNTS * sizeof(*s->batch.counts),
                                                 cudaMemcpyDeviceToHost, s->stream));

    *out = static_cast<const unsigned long long *>(s->host_counts.at);
    return st == ST_OK ? CUDA_TRY(cudaStreamSynchronize(s->stream)) : st;
}

/* @return whether lists are complete */
bool are_complete(const state_t *s, const unsigned long long *counts)
{
    for (int k = 0; k < SCAN_N_LISTS; k++)
        if (counts[k] > s->capacity)
            return false;
    return counts[SCAN_LONG_RUNS] <= s->batch.max_long_runs;
}

status_t sort(state_t *s, scan_list_t list, unsigned long long n)
{
    return CUDA_TRY(cub::DeviceRadixSort::SortKeys(
        s->scratch, s->scratch_bytes, static_cast<const uint64_t *>(s->batch.lists[list]),
        s->batch.sorted, static_cast<int64_t>(n), 0, 64, s->stream));
}

/* Sort a list, and leave out what is found again. @param count  where the length goes */
status_t sort_unique(state_t *s, scan_list_t list, unsigned long long n, uint64_t *out,
                     int count)
{
    const status_t st = n > 0 ? sort(s, list, n) : ST_OK;

    return st == ST_OK && n > 0
               ? CUDA_TRY(cub::DeviceSelect::Unique(s->scratch, s->scratch_bytes,
                                                    static_cast<const uint64_t *>(
                                                        s->batch.sorted),
                                                    out, s->batch.counts + count,
                                                    static_cast<int64_t>(n), s->stream))
               : st;
}

/* List starts and exits, of each part as soon as it is there.
 * @param is_there  the whole input is on the device */
status_t filter_parts(state_t *s, const scan_piece_t *pieces, const layout_t *l,
                      bool is_there)
{
    const int64_t n_bytes = l->n_chunks * SCAN_CHUNK;
    const int64_t at_least = (l->n_chunks + MAX_PARTS - 1) / MAX_PARTS * SCAN_CHUNK;
    const int64_t part_bytes = at_least > MIN_PART_BYTES ? at_least : MIN_PART_BYTES;
    part_t part = {pieces, l, 0, 0, nullptr};
    int64_t filtered = 0; /* chunks; the last one of a part needs what is behind it */
    status_t st = ST_OK;

    for (; st == ST_OK && part.begin < n_bytes; part.begin = part.end) {
        part.end = min_of(part.begin + part_bytes, n_bytes);
        const int64_t end = part.end / SCAN_CHUNK - (part.end < n_bytes);

        if ((!is_there && ((st = upload(s, &part)) != ST_OK ||
                           (st = cuda_stage_join(&s->stage, s->stream)) != ST_OK)) ||
            (st = begin_kernels(s)) != ST_OK ||
            (st = scan_filter_launch(s->batch, static_cast<uint32_t>(filtered),
                                     static_cast<uint32_t>(end), s->stream)) != ST_OK)
            return st;
        filtered = end;
        st = end_kernels(s);
    }
    return st;
}

/* Let patterns leave loops until none enters a loop any more. */
status_t run_loops(state_t *s, const unsigned long long *counts)
{
    unsigned long long n = 0;
    status_t st = ST_OK;

    while (st == ST_OK && are_complete(s, counts) && counts[SCAN_ENTRIES] > n) {
        n = counts[SCAN_ENTRIES];
        if ((st = sort(s, SCAN_ENTRIES, n)) == ST_OK &&
            (st = scan_run_exits(s->batch, n, s->stream)) == ST_OK)
            st = get_counts(s, &counts);
    }
    return st == ST_OK && are_complete(s, counts) && n > 0
               ? scan_list_loops(s->batch, n, s->stream)
               : st;
}

/* Scan a batch. @param counts  out; lists may be incomplete */
status_t scan_batch(state_t *s, const scan_piece_t *pieces, const layout_t *l,
                    bool is_there, const unsigned long long **counts)
{
    status_t st;

    s->n_timers = 0;
    if ((st = CUDA_TRY(cudaMemsetAsync(s->batch.counts, 0,
                                       SCAN_N_COUNTS * sizeof(*s->batch.counts),
                                       s->stream))) != ST_OK ||
        (st = CUDA_TRY(cudaMemsetAsync(s->batch.has_left, 0, s->capacity, s->stream))) !=
            ST_OK ||
        (st = filter_parts(s, pieces, l, is_there)) != ST_OK ||
        (st = begin_kernels(s)) != ST_OK ||
        (st = scan_run_starts(s->batch, s->stream)) != ST_OK ||
        (st = get_counts(s, counts)) != ST_OK || (st = run_loops(s, *counts)) != ST_OK ||
        (st = get_counts(s, counts)) != ST_OK)
        return st;
    if (are_complete(s, *counts) &&
        ((st = sort_unique(s, SCAN_HITS, (*counts)[SCAN_HITS], s->hits,
                           SCAN_UNIQUE_HITS)) != ST_OK ||
         (st = sort_unique(s, SCAN_LIVE, (*counts)[SCAN_LIVE], s->live,
                           SCAN_UNIQUE_LIVE)) != ST_OK))
        return st;
    if ((st = end_kernels(s)) != ST_OK || (st = get_counts(s, counts)) != ST_OK)
        return st;
    return measure_kernels(s);
}

/* ---- results ---- */

/* What a scan has found, on the host; sorted. */
struct results_t {
    const scan_piece_t *pieces;
    const layout_t *layout;
    const uint64_t *hits, *live; /* [n_hits] and [n_live] */
    int64_t n_hits, n_live;
    scan_found_t *found;
    int failed; /* a status_t; any of those that failed */
};

/* @return the number of sorted items that are less than a key */
int64_t count_below(const uint64_t *sorted, int64_t n, uint64_t key)
{
    return std::lower_bound(sorted, sorted + n, key) - sorted;
}

status_t take_hits(const results_t *r, int64_t k)
{
    const scan_span_t span = r->layout->spans[k];
    const int64_t first = count_below(r->hits, r->n_hits,
                                      (static_cast<uint64_t>(span.begin) + 1) << 32),
                  n = count_below(r->hits, r->n_hits,
                                  (static_cast<uint64_t>(span.end) + 1) << 32) -
                      first;
    buf_t *to = &r->found[k].hits;
    const status_t st = buf_reserve(to, static_cast<size_t>(n) * sizeof(scan_hit_t));

    if (st != ST_OK)
        return st;
    scan_hit_t *hits = reinterpret_cast<scan_hit_t *>(to->data);

    for (int64_t i = 0; i < n; i++)
        hits[i] = {r->pieces[k].begin - span.begin +
                       static_cast<int64_t>(r->hits[first + i] >> 32),
                   static_cast<int64_t>(static_cast<uint32_t>(r->hits[first + i]))};
    to->len = static_cast<size_t>(n) * sizeof(*hits);
    return ST_OK;
}

status_t take_live(const results_t *r, int64_t k)
{
    const uint64_t key = static_cast<uint64_t>(k) << 32;
    const int64_t first = count_below(r->live, r->n_live, key),
                  n = count_below(r->live, r->n_live, key + (1ull << 32)) - first;
    buf_t *to = &r->found[k].live;
    const status_t st = buf_reserve(to, static_cast<size_t>(n) * sizeof(int32_t));

    if (st != ST_OK)
        return st;
    int32_t *live = reinterpret_cast<int32_t *>(to->data);

    for (int64_t i = 0; i < n; i++)
        live[i] = static_cast<int32_t>(r->live[first + i] & 0xffffffff);
    to->len = static_cast<size_t>(n) * sizeof(*live);
    return ST_OK;
}

void take_piece(void *ctx, int64_t k, int)
{
    results_t *r = static_cast<results_t *>(ctx);
    status_t st = take_hits(r, k);

    if (st == ST_OK)
        st = take_live(r, k);
    if (st != ST_OK)
        __atomic_store_n(&r->failed, static_cast<int>(st), __ATOMIC_RELAXED);
}

status_t take_all(state_t *s, const scan_piece_t *pieces, int n, const layout_t *l,
                  const unsigned long long *counts, scan_found_t *found)
{
    const size_t n_hits = counts[SCAN_UNIQUE_HITS], n_live = counts[SCAN_UNIQUE_LIVE];
    status_t st =
        cuda_pinned_reserve(&s->host_out, (n_hits + n_live + 1) * sizeof(*s->hits));
    uint64_t *hits = static_cast<uint64_t *>(s->host_out.at), *live = hits + n_hits;

    if (st == ST_OK)
        st = CUDA_TRY(cudaMemcpyAsync(hits, s->hits, n_hits * sizeof(*hits),
                                      cudaMemcpyDeviceToHost, s->stream));
    if (st == ST_OK)
        st = CUDA_TRY(cudaMemcpyAsync(live, s->live, n_live * sizeof(*live),
                                      cudaMemcpyDeviceToHost, s->stream));
    if (st == ST_OK)
        st = CUDA_TRY(cudaStreamSynchronize(s->stream));
    if (st != ST_OK)
        return st;
    results_t r = {pieces,
                   l,
                   hits,
                   live,
                   static_cast<int64_t>(n_hits),
                   static_cast<int64_t>(n_live),
                   found,
                   ST_OK};

    pool_run(s->context.pool, n, take_piece, &r);
    return static_cast<status_t>(r.failed);
}

/* What comes of a batch: the GPU has scanned it; it has to be smaller; the CPU has to
 * scan it. */
enum outcome_t { SCANNED, TOO_LARGE, LEFT_TO_CPU };

/* Scan a batch with the GPU. */
status_t scan_on_gpu(state_t *s, const scan_piece_t *pieces, int n, scan_found_t *found,
                     outcome_t *outcome)
{
    const uint64_t n_bytes = static_cast<uint64_t>(bytes_of(pieces, n));
    const unsigned long long *counts = nullptr;
    layout_t l;
    status_t st = lay_out(s, pieces, n, &l);

    if (st == ST_OK)
        st = put_layout(s, pieces, n, &l);
    if (s->capacity < n_bytes / BYTES_PER_ITEM)
        s->capacity = n_bytes / BYTES_PER_ITEM;
    for (bool is_there = false; st == ST_OK; is_there = true) {
        if ((st = reserve_lists(s)) != ST_OK ||
            (st = scan_batch(s, pieces, &l, is_there, &counts)) != ST_OK)
            return st;
        *outcome = SCANNED;
        if (are_complete(s, counts))
            return take_all(s, pieces, n, &l, counts, found);
        const uint64_t wanted = *std::max_element(counts, counts + SCAN_N_LISTS);

        *outcome = LEFT_TO_CPU;
        if (counts[SCAN_LONG_RUNS] > s->batch.max_long_runs ||
            wanted > n_bytes + MIN_CAPACITY)
            return ST_OK;
        *outcome = TOO_LARGE;
        if (n > 1 && wanted > MAX_CAPACITY)
            return ST_OK;
        s->capacity = wanted;
    }
    return st;
}

/* Scan all patterns on the CPU. */
status_t scan_all_on_cpu(state_t *s, const scan_piece_t *pieces, int n,
                         scan_found_t *found, int *n_done)
{
    scan_context_t context = s->context;
    status_t st = ST_OK;

    context.group = nullptr;
    s->kernel_s = 0;
    if (s->all == nullptr)
        st = scan_nfa_backend.create(&context, &s->all);
    return st == ST_OK ? scan_pieces(&scan_nfa_backend, s->all, &context, pieces, n,
                                     found, n_done)
                       : st;
}

/* Add what the patterns that are left to the CPU have. */
status_t add_rest(state_t *s, const scan_piece_t *pieces, int n, scan_found_t *found,
                  int *n_done)
{
    const status_t st =
        scan_pieces(&scan_nfa_backend, s->rest, &s->context, pieces, n, found, n_done);

    for (int k = 0; k < *n_done; k++) {
        scan_sort_hits(&found[k].hits, 0);
        scan_sort_live(&found[k].live, 0);
    }
    return st;
}

status_t scan_all(void *state, const scan_piece_t *pieces, int n, scan_found_t *found,
                  int *n_done)
{
    state_t *s = static_cast<state_t *>(state);
    outcome_t outcome = LEFT_TO_CPU;
    status_t st = CUDA_TRY(cudaSetDevice(s->context.device->index));

    *n_done = n;
    while (st == ST_OK && bytes_of(pieces, *n_done) <= MAX_BATCH_BYTES &&
           (st = scan_on_gpu(s, pieces, *n_done, found, &outcome)) == ST_OK &&
           outcome == TOO_LARGE)
        *n_done /= 2;
    if (st == ST_OK && outcome != SCANNED)
        return scan_all_on_cpu(s, pieces, n, found, n_done);
    return st == ST_OK && s->rest != nullptr ? add_rest(s, pieces, *n_done, found, n_done)
                                             : st;
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
    for (cudaStream_t stream : {s->copies, s->stream})
        if (stream != nullptr) {
            cudaStreamSynchronize(stream);
            cudaStreamDestroy(stream);
        }
    scan_device_free(&s->device);
    cuda_buffer_free(&s->input);
    cuda_buffer_free(&s->lists);
    cuda_stage_free(&s->stage);
    for (cuda_pinned_t *p : {&s->host_layout, &s->host_out, &s->host_counts})
        cuda_pinned_free(p);
    for (const timer_t &t : s->timers)
        for (cudaEvent_t event : {t.begun, t.ended})
            if (event != nullptr)
                cudaEventDestroy(event);
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

status_t create_timers(state_t *s)
{
    status_t st = ST_OK;

    for (timer_t &t : s->timers)
        if (st == ST_OK && (st = CUDA_TRY(cudaEventCreate(&t.begun))) == ST_OK)
            st = CUDA_TRY(cudaEventCreate(&t.ended));
    return st;
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
        (st = CUDA_TRY(cudaStreamCreateWithFlags(&s->copies, cudaStreamNonBlocking))) ==
            ST_OK &&
        (st = cuda_pinned_reserve(&s->host_counts,
                                  SCAN_N_COUNTS * sizeof(*s->batch.counts))) == ST_OK)
        st = create_timers(s);
    s->batch.tables = s->device;
    s->stage.stream = s->copies;
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
