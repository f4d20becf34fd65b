/*
 * tiled_sweep.cuh - a warp sweeps a strip of rows over all columns.
 *
 * Lane l holds TILED_ROWS rows.  It is one block of TILED_COLUMNS columns behind lane
 * l-1, from which it gets the cells above.  In a step, every lane computes a block.
 * TILED_CHUNK_STEPS steps are a chunk.  During a chunk the warp also moves data: it reads
 * column codes and the last row of the strip above for later chunks, and writes its own
 * last row.  A multiprocessor may have only one such warp, which has to hide its own
 * latencies, so loads are issued up to three chunks ahead.
 *
 * The last row of a strip, the line, is in global memory.  The word of a column holds the
 * number of the strip that wrote it, its tag.  So the reader of a word knows whether it
 * is the one that it waits for, and no fence is needed.  There is one line per sweep: the
 * next strip reads a word before it overwrites it.
 */
#pragma once

#include "kernels/align/tiled/tiled_cell.cuh"

namespace
{

/* The steps of a chunk in which data is moved. */
enum {
    TILED_FLUSH_STEP = 0,
    TILED_CODES_STEP = 1,
    TILED_FETCH_STEP = 2,
    TILED_TOP_STEP = 6
};

/* The ring of column codes, in blocks: those that the lanes are at, and three chunks. The
 * first TILED_RING_MIRROR blocks are repeated behind the last, so that the reads of a
 * chunk need not wrap around. */
enum { TILED_RING = 64, TILED_RING_MIRROR = 2 * TILED_CHUNK_STEPS };

/* The shared memory of a warp. */
template <typename CELL> struct alignas(16) tiled_shared_t {
    /* double buffers, one half per chunk: */
    typename CELL::word top[2][TILED_CHUNK]; /* cells of the strip above, for lane 0 */
    typename CELL::word
        zeros[2][TILED_CHUNK]; /* the same for other lanes, which ignore it */
    typename CELL::word stage[2][TILED_CHUNK]; /* the last row, from lane 31 */
    typename CELL::ring_t ring[TILED_RING + TILED_RING_MIRROR];
    typename CELL::table_t table;
};

template <typename CELL> struct tiled_sweep_t {
    using word = typename CELL::word;

    /* the strip */
    tiled_shared_t<CELL> *shared;
    const tiled_pair_t *pair;
    const unsigned short *codes; /* column codes, from this lane's column of chunk 0 on */
    unsigned long long *line;    /* likewise */
    int lane, side, strip, n_strips, n, n_padded;

    /* the lane */
    word left[TILED_ROWS], diagonal, above[TILED_COLUMNS];
    word top[TILED_COLUMNS], rise; /* for the next step; for the next chunk */
    typename CELL::origin_t origin, origin_before; /* of this chunk; of the one before */
    typename CELL::rows_t rows;
    typename CELL::column_t next[TILED_COLUMNS];
    typename CELL::ring_t ring;            /* for the step after the next */
    unsigned code;                         /* for the third chunk from here */
    unsigned long long words[CELL::WORDS]; /* of the line, for the next chunk */
};

__device__ inline void read_four(const unsigned *at, unsigned *out)
{
    const uint4 v = *reinterpret_cast<const uint4 *>(at);

    out[0] = v.x, out[1] = v.y, out[2] = v.z, out[3] = v.w;
}

__device__ inline void read_four(const unsigned long long *at, unsigned long long *out)
{
    const ulonglong2 v = reinterpret_cast<const ulonglong2 *>(at)[0];
    const ulonglong2 w = reinterpret_cast<const ulonglong2 *>(at)[1];

    out[0] = v.x, out[1] = v.y, out[2] = w.x, out[3] = w.y;
}

__device__ inline void write_four(unsigned *at, const unsigned *from)
{
    *reinterpret_cast<uint4 *>(at) = make_uint4(from[0], from[1], from[2], from[3]);
}

__device__ inline void write_four(unsigned long long *at, const unsigned long long *from)
{
    reinterpret_cast<ulonglong2 *>(at)[0] = make_ulonglong2(from[0], from[1]);
    reinterpret_cast<ulonglong2 *>(at)[1] = make_ulonglong2(from[2], from[3]);
}

/* @return the e-th side that a word holds: a constant with SCORE2, which has both */
template <typename CELL>
__device__ __forceinline__ int side_of(const tiled_sweep_t<CELL> &s, int e)
{
    return CELL::SIDES == 2 ? e : s.side;
}

/* @return the rows of a side's sweep in front of a lane's first, without pads; negative
 * if that is a pad */
template <typename CELL>
__device__ __forceinline__ int rows_before(const tiled_sweep_t<CELL> &s, int side,
                                           int lane)
{
    return (s.strip - s.n_strips) * TILED_STRIP + lane * TILED_ROWS +
           s.pair->n_rows[side];
}

template <typename CELL>
__device__ __forceinline__ void fetch_codes(tiled_sweep_t<CELL> &s, int chunk)
{
    s.code = s.codes[chunk * TILED_CHUNK];
}

template <typename CELL>
__device__ __forceinline__ void put_codes(const tiled_sweep_t<CELL> &s, int chunk)
{
    const int block = chunk * TILED_CHUNK_STEPS % TILED_RING + s.lane / TILED_COLUMNS;

    CELL::set_code(&s.shared->ring[block], s.lane % TILED_COLUMNS, s.code);
    if (block < TILED_RING_MIRROR)
        CELL::set_code(&s.shared->ring[TILED_RING + block], s.lane % TILED_COLUMNS,
                       s.code);
}

/* Behind the last column the last chunk is read again.  Its cells are no greater than
 * valid ones, so they do no harm there. */
template <typename CELL>
__device__ __forceinline__ void fetch_line(tiled_sweep_t<CELL> &s, int chunk)
{
    const int column = min(chunk * TILED_CHUNK, s.n_padded - TILED_CHUNK);

#pragma unroll
    for (int k = 0; k < CELL::WORDS; k++)
        s.words[k] = lane_load(s.line + static_cast<long long>(column) * CELL::WORDS + k);
}

/* Wait until the strip above has written the columns of a chunk.  Chunks behind the last
 * column need none, and this strip may have overwritten the line there. */
template <typename CELL>
__device__ __forceinline__ void await_line(tiled_sweep_t<CELL> &s, int chunk)
{
    const bool is_needed = chunk * TILED_CHUNK < s.n_padded + TILED_BEHIND;
    const unsigned tag = is_needed ? static_cast<unsigned>(s.strip) : 0;

    for (bool retried = false;; retried = true) {
        bool is_there = true;

#pragma unroll
        for (int k = 0; k < CELL::WORDS; k++)
            is_there = is_there && static_cast<unsigned>(s.words[k] >> 32) >= tag;
        if (lane_all(is_there))
            return;
        if (retried)
            lane_pause();
        fetch_line(s, chunk);
    }
}

/* Write the columns to the line that lane 31 computed in the chunk before. */
template <typename CELL>
__device__ __forceinline__ void flush(const tiled_launch_t &p,
                                      const tiled_sweep_t<CELL> &s, int chunk)
{
    constexpr int BEHIND = (TILED_CHUNK_STEPS + TILED_WARP - 1) * TILED_COLUMNS;
    const int column = chunk * TILED_CHUNK - BEHIND;
    unsigned long long *at = s.line + static_cast<long long>(column) * CELL::WORDS;
    unsigned long long out[CELL::WORDS];

    CELL::to_line(p, s.shared->stage[(chunk + 1) % 2][s.lane], s.origin_before,
                  static_cast<unsigned>(s.strip + 1), s.strip == s.n_strips - 1, out);
    if (static_cast<unsigned>(column + s.lane) >= static_cast<unsigned>(s.n_padded))
        return;
#pragma unroll
    for (int k = 0; k < CELL::WORDS; k++)
        lane_store(at + k, out[k]);
}

/* Prepare the cells above a chunk, relative to the origin that the chunk will have.  The
 * first of them sets that origin, as no cell of the warp is far from it. */
template <typename CELL>
__device__ __forceinline__ void prepare_top(const tiled_launch_t &p,
                                            tiled_sweep_t<CELL> &s, int chunk)
{
    await_line(s, chunk);

    const typename CELL::word top = CELL::from_line(p, s.words, s.origin);

    s.rise = CELL::rise(p, lane_read(top, 0));
    s.shared->top[chunk % 2][s.lane] = top - s.rise;
}

template <typename CELL>
__device__ __forceinline__ void move_origin(const tiled_launch_t &p,
                                            tiled_sweep_t<CELL> &s)
{
    s.origin_before = s.origin;
    CELL::raise(p, &s.origin, s.rise);
    s.diagonal -= s.rise;
#pragma unroll
    for (int r = 0; r < TILED_ROWS; r++)
        s.left[r] -= s.rise;
#pragma unroll
    for (int j = 0; j < TILED_COLUMNS; j++)
        s.above[j] -= s.rise;
}

/* Compute one block per lane. @return its directions, if TRACED */
template <typename CELL, bool TRACED>
__device__ __forceinline__ unsigned step(const tiled_launch_t &p, tiled_sweep_t<CELL> &s,
                                         const typename CELL::column_t *columns,
                                         const typename CELL::word *top, unsigned keep,
                                         typename CELL::word *bottom)
{
    unsigned directions = 0;

#pragma unroll
    for (int j = 0; j < TILED_COLUMNS; j++) {
        typename CELL::word above = CELL::merge(s.above[j], top[j], keep);
        typename CELL::word from = s.diagonal;

        s.diagonal = above;
#pragma unroll
        for (int r = 0; r < TILED_ROWS; r++) {
            const typename CELL::word diagonal =
                CELL::diagonal(p, s.rows, columns[j], r, from);
            const typename CELL::word cell = CELL::best(diagonal, s.left[r], above);

            if (TRACED)
                directions |= (cell == diagonal ? 2 | CELL::is_match(columns[j], r)
                               : cell == above  ? 1u
                                                : 0u)
                              << (2 * (j * TILED_ROWS + r));
            from = s.left[r];
            s.left[r] = cell;
            above = cell;
        }
        bottom[j] = above;
        s.above[j] = lane_above(above);
    }
    return directions;
}

/* Move data for later chunks, in step k of a chunk. */
template <typename CELL>
__device__ __forceinline__ void look_ahead(const tiled_launch_t &p,
                                           tiled_sweep_t<CELL> &s, int chunk, int k)
{
    if (k == TILED_FLUSH_STEP)
        flush(p, s, chunk);
    if (k == TILED_CODES_STEP) {
        put_codes(s, chunk + 2);
        fetch_codes(s, chunk + 3);
    }
    if (k == TILED_FETCH_STEP)
        fetch_line(s, chunk + 1);
    if (k == TILED_TOP_STEP) {
        prepare_top(p, s, chunk + 1);
        lane_sync();
    }
}

/* Read from shared memory what the next step needs. */
template <typename CELL>
__device__ __forceinline__ void read_next(tiled_sweep_t<CELL> &s, int chunk, int k)
{
    const auto *tops = s.lane == 0 ? s.shared->top : s.shared->zeros;
    const unsigned ring =
        static_cast<unsigned>(chunk * TILED_CHUNK_STEPS - s.lane) % TILED_RING;

    CELL::load(&s.shared->table, s.ring, s.lane, s.next);
    s.ring = s.shared->ring[ring + static_cast<unsigned>(k) + 2];
    read_four(&tops[(chunk + (k + 1) / TILED_CHUNK_STEPS) % 2]
                   [(k + 1) % TILED_CHUNK_STEPS * TILED_COLUMNS],
              s.top);
}

template <typename CELL, bool TRACED>
__device__ __forceinline__ void run_chunk(const tiled_launch_t &p, tiled_sweep_t<CELL> &s,
                                          int chunk, unsigned *directions)
{
    const unsigned keep = s.lane == 0 ? 0 : 1;

#pragma unroll CELL::UNROLL
    for (int k = 0; k < TILED_CHUNK_STEPS; k++) {
        typename CELL::column_t columns[TILED_COLUMNS];
        typename CELL::word top[TILED_COLUMNS], bottom[TILED_COLUMNS];

#pragma unroll
        for (int j = 0; j < TILED_COLUMNS; j++) {
            columns[j] = s.next[j];
            top[j] = s.top[j];
        }
        look_ahead(p, s, chunk, k);
        read_next(s, chunk, k);

        const unsigned blocks = step<CELL, TRACED>(p, s, columns, top, keep, bottom);

        if (TRACED)
            directions[static_cast<long long>(chunk * TILED_CHUNK_STEPS + k) *
                           TILED_WARP +
                       s.lane] = blocks;
        if (s.lane == TILED_WARP - 1)
            write_four(&s.shared->stage[chunk % 2][k * TILED_COLUMNS], bottom);
    }
}

/* Start with the cells of the left border. */
template <typename CELL>
__device__ __forceinline__ void set_borders(const tiled_launch_t &p,
                                            tiled_sweep_t<CELL> &s)
{
    const int first = side_of(s, 0), second = side_of(s, 1);
    int k[2] = {max(rows_before(s, first, 0), 0), max(rows_before(s, second, 0), 0)};

    s.origin = CELL::origin_of(p, k);
#pragma unroll
    for (int r = -1; r < TILED_ROWS; r++) {
        k[0] = max(rows_before(s, first, s.lane) + r + 1, 0);
        k[1] = max(rows_before(s, second, s.lane) + r + 1, 0);
        const typename CELL::word cell = CELL::border(p, k, s.origin);

        if (r < 0)
            s.diagonal = cell;
        else
            s.left[r] = cell;
    }
#pragma unroll
    for (int j = 0; j < TILED_COLUMNS; j++)
        s.above[j] = s.diagonal;
}

/* Load the bases of the rows, and the column codes of the first chunks. */
template <typename CELL>
__device__ __forceinline__ void set_letters(const tiled_launch_t &p,
                                            tiled_sweep_t<CELL> &s)
{
    const unsigned char *row_letters = p.set.letters + p.set.start[s.pair->row_sequence];
    int row_bases[2][TILED_ROWS];

#pragma unroll
    for (int e = 0; e < CELL::SIDES; e++) {
        const int side = side_of(s, e), before = rows_before(s, side, s.lane);

#pragma unroll
        for (int r = 0; r < TILED_ROWS; r++) {
            const int i = before + r;

            row_bases[e][r] = i < 0 ? static_cast<int>(TILED_NO_ROW)
                                    : row_letters[side == 0 ? i : s.pair->m - 1 - i];
        }
    }
    CELL::set_rows(p, &s.shared->table, s.lane, row_bases, &s.rows);
    s.code = CELL::CODE_PAD;
    for (int chunk = TILED_RING / TILED_CHUNK_STEPS - 1; chunk >= 0; chunk--) {
        if (chunk < 2)
            fetch_codes(s, chunk);
        put_codes(s, chunk);
    }
    fetch_codes(s, 2);
    for (int k = 0; k < 2; k++)
        s.shared->zeros[k][s.lane] = 0;
    lane_sync();
    CELL::load(&s.shared->table,
               s.shared->ring[static_cast<unsigned>(-s.lane) % TILED_RING], s.lane,
               s.next);
    s.ring = s.shared->ring[static_cast<unsigned>(1 - s.lane) % TILED_RING];
}

/* Store the keys of ends at the last column: the rows below are a free gap. */
template <typename CELL>
__device__ __forceinline__ void keep_edge(const tiled_launch_t &p,
                                          const tiled_sweep_t<CELL> &s)
{
#pragma unroll
    for (int e = 0; e < CELL::SIDES; e++) {
        const int side = side_of(s, e), before = rows_before(s, side, s.lane);

#pragma unroll
        for (int r = 0; r < TILED_ROWS; r++) {
            const int i = before + r + 1, left_over = s.pair->m - i;

            if (i > 0)
                p.words[s.pair->edge + (side == 0 ? i - 1 : left_over)] =
                    CELL::absolute(p, s.left[r], s.origin, side) +
                    tiled_border(p.layout, left_over);
        }
    }
}

template <typename CELL, bool TRACED>
__device__ __forceinline__ void sweep_strip(const tiled_launch_t &p,
                                            const tiled_job_t &job, int strip,
                                            tiled_shared_t<CELL> *shared, int lane)
{
    tiled_sweep_t<CELL> s;

    s.shared = shared;
    s.pair = &p.pairs[job.pair];
    s.codes =
        reinterpret_cast<unsigned short *>(p.words + s.pair->codes[job.side]) + lane;
    s.line = p.words + s.pair->line[job.side] + lane * CELL::WORDS;
    s.lane = lane;
    s.side = job.side;
    s.strip = strip;
    s.n_strips = job.n_strips;
    s.n = s.pair->n;
    s.n_padded = tiled_padded(s.n);

    const int n_chunks = tiled_steps(s.n) / TILED_CHUNK_STEPS;
    unsigned *directions =
        TRACED ? p.directions + s.pair->directions +
                     static_cast<long long>(strip) * tiled_steps(s.n) * TILED_WARP
               : nullptr;

    set_borders(p, s);
    set_letters(p, s);
    fetch_line(s, 0);
    prepare_top(p, s, 0);
    lane_sync();
    read_four(lane == 0 ? shared->top[0] : shared->zeros[0], s.top);
    for (int chunk = 0; chunk < n_chunks; chunk++) {
        move_origin(p, s);
        run_chunk<CELL, TRACED>(p, s, chunk, directions);
        lane_sync();
    }
    s.origin_before = s.origin;
    flush(p, s, n_chunks);
    if (p.layout.ends_free)
        keep_edge(p, s);
    lane_sync();
}

} // namespace
