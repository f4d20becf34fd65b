/*
 * scan_cuda.cuh - what the files of the backend `nfa` of GPUs share.
 *
 * What a set of positions leads to is the union of what each of them leads to, so each
 * place where a pattern starts is followed by itself.  The filter lists these places, and
 * those where a pattern would go on if it waited in a loop; a thread
 * per start then steps the pattern until no position is live.  That it enters a loop is
 * an entry, of the loop and the byte there.  It waits in the loop from there on up to a
 * byte that the loop lacks; so, of a place where it may go on, the last entry before is
 * found by bisection of the sorted entries, and the bytes in between decide.  A pattern
 * that went on may enter further loops: this is repeated until there are no new entries.
 */
#pragma once

#include "kernels/align/cuda/cuda_stage.cuh"
#include "kernels/device/cuda_put.cuh"

extern "C" {
#include "kernels/automata/scan_tables.h"
}

/* A span of a batch is a piece.  Spans begin with chunks, and have SCAN_BEHIND bytes of
 * room behind them. */
enum { SCAN_CHUNK = 4096, SCAN_BEHIND = START_POINT_DEPTH, SCAN_MAX_WORDS = 8 };

struct scan_span_t {
    uint32_t begin, end; /* in the batch */
    uint32_t record_end; /* that of its record, at most end + SCAN_BEHIND */
    bool begins;         /* with its record */
};

/* The tables of scan_tables_t, on the device. */
struct scan_device_t {
    uint32_t masks[START_FILTER_MASKS];
    int n_masks, log2_bits, log2_slots;
    const uint16_t *pairs;
    const uint32_t *bits;
    const start_slot_t *slots;
    const int32_t *listed;
    const start_point_t *points;
    const int64_t *exit;
    const uint64_t *exits, *loops;
    const nfa_bits_pattern_t *patterns;
    const uint64_t *words;
    const uint8_t *class_of;
    const int64_t *first;      /* [n_patterns] positions */
    const byte_set_t *sets;    /* of positions */
    uint32_t breaks[256 / 32]; /* bytes that some loop lacks */
};

/* Lists that kernels append to; each item is two numbers of 32 bits, high and low. */
enum scan_list_t {
    SCAN_STARTS,  /* place, point */
    SCAN_EXITS,   /* likewise, of loops */
    SCAN_ENTRIES, /* position of a loop, place of the byte that it has consumed */
    SCAN_HITS,    /* end, pattern */
    SCAN_LIVE,    /* number of the span, position */
    SCAN_N_LISTS
};

struct scan_batch_t {
    scan_device_t tables;
    const uint8_t *bytes;
    const scan_span_t *spans;
    const uint32_t *span_of; /* [chunks] */
    bool has_lines;
    uint32_t *present; /* [chunks][256 / 32] those of `breaks` that a chunk has */
    uint64_t *lists[SCAN_N_LISTS]; /* [capacity] */
    uint64_t capacity;
    uint64_t *sorted;           /* [capacity] entries */
    uint8_t *has_left;          /* [capacity] exits that have been taken */
    unsigned long long *counts; /* [SCAN_N_COUNTS] */
    unsigned long long max_long_runs;
};

/* Behind the wanted lengths of the lists: the long runs, in units of SCAN_LONG_RUN steps,
 * and how many hits and live positions there are, each once. */
enum { SCAN_LONG_RUNS = SCAN_N_LISTS, SCAN_UNIQUE_HITS, SCAN_UNIQUE_LIVE, SCAN_N_COUNTS };
enum { SCAN_LONG_RUN = 4096 };

__device__ inline void scan_push(const scan_batch_t &b, scan_list_t list, uint32_t high,
                                 uint32_t low)
{
    const unsigned long long k = atomicAdd(&b.counts[list], 1ull);

    if (k < b.capacity)
        b.lists[list][k] = static_cast<uint64_t>(high) << 32 | low;
}

__device__ inline bool scan_set_has(const byte_set_t &set, uint8_t byte)
{
    return (set.bits[byte / 8] >> byte % 8 & 1) != 0;
}

/* Copy the tables to the device. @param out  freed by scan_device_free, also on failure
 */
status_t scan_device_create(const scan_tables_t *tables, scan_device_t *out);
void scan_device_free(scan_device_t *d);

/* List the starts, exits and breaks of chunks; it reads SCAN_BEHIND bytes behind them. */
status_t scan_filter_launch(const scan_batch_t &b, uint32_t first, uint32_t end,
                            cudaStream_t stream);

/* Step what starts. */
status_t scan_run_starts(const scan_batch_t &b, cudaStream_t stream);

/* Step what leaves a loop and has not yet. @param n  sorted entries */
status_t scan_run_exits(const scan_batch_t &b, uint64_t n, cudaStream_t stream);

/* List the loops that are live behind their spans. */
status_t scan_list_loops(const scan_batch_t &b, uint64_t n, cudaStream_t stream);
