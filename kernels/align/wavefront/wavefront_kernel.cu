/*
 * wavefront_kernel.cu - the kernels of local alignments of long pairs: strips of a
 * matrix, one warp each (wavefront_layout.cuh).
 *
 * In step t of a strip lane l is in column t - l.  Its H and f of the column, and those
 * of the line above in front of lane 0, go to the lane behind.  Columns that do not exist
 * have the letter 0, whose cells are less than others: they need no care.
 *
 * Scores of rows that are single bases are packed (wavefront_packed.cuh): lane l is in
 * columns t - 3 l and t - 3 l - 1.  An entry of the line below then has `below` of the
 * last lane as its H, and the base of both halves as its f.
 */
#include "kernels/align/cuda/cuda_occupancy.cuh"
#include "kernels/align/wavefront/wavefront_cell.cuh"
#include "kernels/align/wavefront/wavefront_entry.cuh"
#include "kernels/align/wavefront/wavefront_packed.cuh"
#include "kernels/sync/sync_flag.cuh"

namespace
{

constexpr int WARP = WAVEFRONT_LANES, BLOCK = 128, CHUNK = WAVEFRONT_CHUNK;
constexpr unsigned ALL = 0xffffffffu;

/* Of a warp, in shared memory: the line above, and letters of columns. */
template <typename V> struct ring_t {
    entry_t<V> in[CHUNK];
    unsigned letters[2 * WARP];
};

/* The same of packed scores.  `words` holds the scores of the last PACKED_COLUMNS columns
 * with the four bases, each twice, so that a lane reads a chunk without a wrap. */
constexpr int PACKED_COLUMNS = 4 * CHUNK;
static_assert(PACKED_COLUMNS >= CHUNK + WAVEFRONT_PACKED_LAG, "columns of all lanes");

struct packed_ring_t {
    unsigned in[CHUNK];
    unsigned words[2 * PACKED_COLUMNS];
};

template <typename V> union shared_t {
    ring_t<V> ring;
    packed_ring_t packed;
};

/* A strip. */
template <typename V> struct strip_t {
    const unsigned char *rows, *columns; /* their letters */
    int direction;                       /* of the letters in memory: 1 or -1 */
    int first_row, m;                    /* rows that exist: first_row .. m - 1 */
    int n;                               /* columns */
    int first;                           /* column that counts */
    int row;                             /* first one */
    V corner;                            /* H where the section begins, or 0 */
    int rows_behind_corner;              /* in front of this strip */
    const tagged_t<V> *above;            /* NULL: zeros */
    int *begun;                          /* of the strip ... */
    const int *begun_above;              /* ... and of the one above */
    unsigned above_tag, tag;             /* of the line above; 0: all of it is there */
    tagged_t<V> *below, *kept;           /* where the last row goes; kept: or NULL */
    uint32_t *back;                      /* NULL: none */
};

template <typename V> struct best_t {
    V value; /* the least that counts, if there is none yet */
    int row, first, last;
};

/* @return the columns of a job that are swept: in the third pass those in front of the
 *         way back */
__device__ inline int end_of(const wavefront_launch_t &p, const wavefront_job_t &job,
                             const wavefront_pair_t &pair)
{
    return p.pass == WAVEFRONT_THIRD ? pair.j : job.end;
}

/* Rows and columns in reverse: the rows that do not exist are the first ones. */
template <typename V>
__device__ void reverse(const wavefront_pair_t &pair, int n_strips, strip_t<V> *out)
{
    const int missing = n_strips * WAVEFRONT_STRIP - pair.m;

    out->rows += missing + pair.m - 1 - 2 * out->row;
    out->columns += out->n - 1;
    out->direction = -1;
    out->first_row = max(0, missing - out->row);
    out->m = WAVEFRONT_STRIP;
}

/* A strip's part of its section. */
template <typename V>
__device__ void take_section(const wavefront_launch_t &p, int strip, strip_t<V> *out)
{
    const wavefront_section_t section = p.sections.of_strip[strip];

    out->n = section.end - section.begin;
    out->columns += section.begin;
    out->below += section.begin;
    out->above = strip > section.top ? out->below : nullptr;
    out->above_tag = strip > section.top ? tag_of(strip - 1) : 0;
    out->corner =
        static_cast<V>(static_cast<long long>(section.score) << p.key.score_shift);
    out->rows_behind_corner = (strip - section.top) * WAVEFRONT_STRIP;
    out->back = p.sections.back + strip * WAVEFRONT_SECTION_PITCH * WARP;
}

/* @return whether a pass has nothing to do with a pair: it has sections, and the pass is
 *         for others, or the other way round */
__device__ inline bool is_done(const wavefront_launch_t &p, const wavefront_pair_t &pair)
{
    if (p.pass == WAVEFRONT_FORWARD || p.pass == WAVEFRONT_BACKWARD)
        return p.set.has_ambiguity[pair.rows] != 0;
    return p.sections.head != nullptr &&
           (p.sections.head->holds != 0) != (p.pass == WAVEFRONT_SECTIONS);
}

/* Describe a task. @return whether there is anything to sweep */
template <typename V>
__device__ bool take(const wavefront_launch_t &p, int at, bool stores, strip_t<V> *out)
{
    const wavefront_task_t task = p.tasks[at];
    const wavefront_pair_t &pair = p.pairs[task.pair];
    const bool is_third = p.pass == WAVEFRONT_THIRD;
    const int number = is_third ? pair.job : task.job;
    tagged_t<V> *const lines = static_cast<tagged_t<V> *>(p.lines);
    tagged_t<V> *const kept = static_cast<tagged_t<V> *>(p.kept);

    if (number < 0 || is_done(p, pair))
        return false;
    const wavefront_job_t &job = p.jobs[number];
    const bool meets = p.pass == WAVEFRONT_MEETING;
    const int strip = meets ? task.strip / 2 : task.strip; /* odd ones go backward */
    const bool is_backward =
        p.pass == WAVEFRONT_BACKWARD || (meets && task.strip % 2 == 1);
    const int band = strip / p.band, in_band = strip % p.band;

    out->row = strip * WAVEFRONT_STRIP;
    out->n = end_of(p, job, pair) - job.begin;
    if (out->n <= 0 || out->row >= (is_third ? pair.i : pair.m))
        return false;
    out->rows = p.set.letters + p.set.start[pair.rows] + out->row;
    out->columns = p.set.letters + p.set.start[pair.columns] + job.begin;
    out->direction = 1;
    out->first_row = 0;
    out->m = pair.m - out->row;
    out->first = job.first - job.begin;
    out->corner = 0;
    out->rows_behind_corner = 0;
    out->below = lines + job.line + strip * p.line_pitch;
    if (meets && is_backward)
        out->below += out->n;
    out->tag = tag_of(strip);
    out->begun = &p.begun[at];
    out->begun_above = out->begun - (meets ? 2 : 1);
    out->above = strip > 0 ? out->below - p.line_pitch : nullptr;
    out->above_tag = strip > 0 ? tag_of(strip - 1) : 0;
    if (is_third && in_band == 0 && band > 0) {
        out->above = kept + (band - 1) * p.kept_pitch + job.line;
        out->above_tag = 0;
    }
    out->kept = p.pass == WAVEFRONT_WHOLE && kept != nullptr && in_band == p.band - 1
                    ? kept + band * p.kept_pitch + job.line
                    : nullptr;
    if (out->kept != nullptr &&
        (strip + 1) * WAVEFRONT_STRIP >= pair.m) /* the last one */
        out->kept = nullptr;
    out->back = stores ? p.back + pair.back + in_band * pair.back_pitch * WARP : nullptr;
    if (is_backward)
        reverse(pair, p.n_tasks, out);
    if (p.pass == WAVEFRONT_SECTIONS)
        take_section(p, strip, out);
    return out->n > 0;
}

template <int SCORED, typename V>
__device__ inline void start_lane(const strip_t<V> &s, int lane, wavefront_lane_t<V> *out)
{
    out->above = out->f = 0;
    CUDA_UNROLL
    for (int r = 0; r < WAVEFRONT_ROWS; r++) {
        const int row = lane * WAVEFRONT_ROWS + r;

        out->h[r] = out->e[r] = 0;
        out->rows[r] = wavefront_row<SCORED>(row < s.m ? s.rows[row] : 0u);
    }
}

/* Set what a lane has in front of the first column: a gap from the corner downwards. */
template <typename V>
__device__ inline void start_column(const strip_t<V> &s,
                                    const wavefront_steps_t<V> &steps, int lane,
                                    wavefront_lane_t<V> *out)
{
    const int rows = s.rows_behind_corner + lane * WAVEFRONT_ROWS;
    V gap = s.corner + steps.open + static_cast<V>(rows - 1) * steps.extend;

    out->above = rows == 0 ? s.corner : wavefront_max<V>(gap, 0);
    CUDA_UNROLL
    for (int r = 0; r < WAVEFRONT_ROWS; r++) {
        gap += steps.extend;
        out->h[r] = wavefront_max<V>(gap, 0);
        out->e[r] = 0;
    }
}

/* A lane's part of a chunk, on its way from memory. */
template <typename V> struct coming_t {
    tagged_t<V> entry;
    unsigned char letter;
};

template <typename V> __device__ inline tagged_t<V> read_entry(const tagged_t<V> *at)
{
    tagged_t<V> x;

    if constexpr (sizeof(V) == 4)
        asm volatile("ld.relaxed.gpu.global.v2.u32 {%0, %1}, [%2];"
                     : "=r"(x.h), "=r"(x.f)
                     : "l"(at)
                     : "memory");
    else
        asm volatile("{\n\t.reg .b128 both;\n\t"
                     "ld.relaxed.gpu.global.b128 both, [%2];\n\t"
                     "mov.b128 {%0, %1}, both;\n\t}"
                     : "=l"(x.h), "=l"(x.f)
                     : "l"(at)
                     : "memory");
    return x;
}

template <typename V>
__device__ inline void write_entry(tagged_t<V> *at, const tagged_t<V> &x)
{
    if constexpr (sizeof(V) == 4)
        asm volatile("st.relaxed.gpu.global.v2.u32 [%0], {%1, %2};" ::"l"(at), "r"(x.h),
                     "r"(x.f)
                     : "memory");
    else
        asm volatile("{\n\t.reg .b128 both;\n\t"
                     "mov.b128 both, {%1, %2};\n\t"
                     "st.relaxed.gpu.global.b128 [%0], both;\n\t}" ::"l"(at),
                     "l"(x.h), "l"(x.f)
                     : "memory");
}

/* Begin to load a chunk of columns and of the line above. */
template <typename V>
__device__ inline void begin_chunk(const strip_t<V> &s, int chunk, int lane,
                                   coming_t<V> *out)
{
    const int column = chunk * CHUNK + lane;

    out->letter = 0;
    if (lane >= CHUNK || column >= s.n)
        return;
    out->letter = s.columns[s.direction * column];
    if (s.above != nullptr)
        out->entry = read_entry(&s.above[column]);
}

/* Wait until the chunk is there; all lanes take part. */
template <typename V>
__device__ inline void wait_chunk(const strip_t<V> &s, int chunk, int lane,
                                  coming_t<V> *in)
{
    const int column = chunk * CHUNK + lane;
    const bool waits = lane < CHUNK && column < s.n && s.above_tag != 0;

    while (waits && in->entry.tag() != s.above_tag)
        in->entry = read_entry(&s.above[column]);
    __syncwarp();
}

/* Wait for the chunk, and put it into the ring; all lanes take part. */
template <typename V>
__device__ inline void end_chunk(const strip_t<V> &s, int chunk, int lane,
                                 coming_t<V> *in, ring_t<V> *ring)
{
    const int column = chunk * CHUNK + lane;

    wait_chunk(s, chunk, lane, in);
    if (lane < CHUNK) {
        ring->letters[column % (2 * WARP)] = in->letter;
        ring->in[lane] =
            s.above != nullptr && column < s.n ? in->entry.entry() : entry_t<V>{0, 0};
    }
    __syncwarp();
}

/* Note the cells of a lane's column that are better than all before.
 * @param greatest  of them, which is at least best->value */
template <bool OF_SCORES, typename V>
__device__ inline void note(const wavefront_lane_t<V> &s, V greatest, int row, int column,
                            best_t<V> *best)
{
    const bool is_better = best->last < 0 || greatest > best->value;

    if (OF_SCORES) {
        if (is_better)
            best->first = column;
        best->last = column;
    } else {
        int last = 0;

        CUDA_UNROLL
        for (int r = 0; r < WAVEFRONT_ROWS; r++)
            last = s.h[r] == greatest ? r : last;
        if (is_better || row + last >= best->row) {
            best->row = row + last;
            best->last = column;
        }
    }
    best->value = greatest;
}

/* @return whether b comes behind a, where both are as good, or is better */
template <bool OF_SCORES, typename V>
__device__ inline void join(const best_t<V> &b, best_t<V> *a)
{
    if (b.last < 0)
        return;
    if (a->last < 0 || b.value > a->value) {
        *a = b;
    } else if (b.value == a->value) {
        if (OF_SCORES) {
            a->first = min(a->first, b.first);
            a->last = max(a->last, b.last);
        } else if (b.row > a->row || (b.row == a->row && b.last > a->last)) {
            *a = b;
        }
    }
}

/* Store the best cell of a strip; all lanes take part. */
template <bool OF_SCORES, typename V>
__device__ void store_best(best_t<V> best, int lane, wavefront_result_t *out)
{
    for (int k = 1; k < WARP; k *= 2) {
        const best_t<V> other = {__shfl_xor_sync(ALL, best.value, k),
                                 __shfl_xor_sync(ALL, best.row, k),
                                 __shfl_xor_sync(ALL, best.first, k),
                                 __shfl_xor_sync(ALL, best.last, k)};

        join<OF_SCORES>(other, &best);
    }
    if (lane == 0 && best.last >= 0)
        *out = {static_cast<long long>(best.value), best.row, best.first, best.last};
}

/* Wait until a strip may begin, and begin to load its first chunk. */
template <typename V>
__device__ inline void begin_strip(const strip_t<V> &s, int lane, coming_t<V> *out)
{
    if (lane == 0 && s.above_tag != 0)
        sync_flag_wait(s.begun_above, 1);
    __syncwarp();
    begin_chunk(s, 0, lane, out);
}

template <int KIND, int SCORED, bool STORES>
__device__ void sweep(const strip_t<wavefront_value<KIND>> &s,
                      const wavefront_steps_t<wavefront_value<KIND>> &steps, int lane,
                      ring_t<wavefront_value<KIND>> *ring, wavefront_result_t *out)
{
    using V = wavefront_value<KIND>;
    constexpr bool OF_SCORES = KIND == WAVEFRONT_SCORES;
    const int n_steps = s.n + WARP - 1, row = s.row + lane * WAVEFRONT_ROWS;
    wavefront_lane_t<V> cells;
    best_t<V> best = {1, -1, -1, -1};
    coming_t<V> coming;

    start_lane<SCORED>(s, lane, &cells);
    ring->letters[WARP + lane] = 0;
    begin_strip(s, lane, &coming);
    for (int chunk = 0; chunk * CHUNK < n_steps; chunk++) {
        end_chunk(s, chunk, lane, &coming, ring);
        if (chunk == 0 && lane == 0)
            sync_flag_raise(s.begun, 1);
        begin_chunk(s, chunk + 1, lane, &coming);
#pragma unroll 4
        for (int k = 0; k < CHUNK; k++) {
            const int step = chunk * CHUNK + k, column = step - lane;
            const unsigned letter = ring->letters[column & (2 * WARP - 1)];
            V h = __shfl_up_sync(ALL, cells.h[WAVEFRONT_ROWS - 1], 1);
            V f = __shfl_up_sync(ALL, cells.f, 1);
            V greatest;

            if (lane == 0) {
                h = ring->in[k].h;
                f = ring->in[k].f;
            }
            if (!OF_SCORES && column == 0)
                start_column(s, steps, lane, &cells);
            const unsigned back =
                wavefront_column<SCORED, STORES>(steps, letter, h, f, &cells, &greatest);

            if (STORES)
                s.back[static_cast<long long>(step) * WARP + lane] = back;
            if (lane == WARP - 1 && column >= 0 && column < s.n) {
                const entry_t<V> last = {cells.h[WAVEFRONT_ROWS - 1], cells.f};
                tagged_t<V> entry;

                entry.set(last, s.tag);
                write_entry(&s.below[column], entry);
                if (s.kept != nullptr)
                    write_entry(&s.kept[column], entry);
            }
            if (greatest >= best.value && column >= s.first && column < s.n)
                note<OF_SCORES>(cells, greatest, row, column, &best);
        }
        __syncwarp();
    }
    store_best<OF_SCORES>(best, lane, out);
}

/* Start the cells of a lane, and the ring: columns in front of the first one. */
__device__ inline void start_packed(const strip_t<int> &s, int lane, unsigned word,
                                    wavefront_packed_t *out, packed_ring_t *ring)
{
    constexpr int ROWS = WAVEFRONT_PACKED_ROWS;
    const auto letter = [&](int row) {
        return row >= s.first_row && row < s.m ? s.rows[s.direction * row] : 0u;
    };

    *out = {};
    CUDA_UNROLL
    for (int r = 0; r < ROWS; r++) {
        const int row = WAVEFRONT_PARTS * lane * ROWS + r;

        out->rows[r] = wavefront_packed_rows(letter(row), letter(row + ROWS));
    }
    for (int k = lane; k < 2 * PACKED_COLUMNS; k += WARP)
        ring->words[k] = word;
}

/* End_chunk of packed scores. @param base  that lane 0 counts from */
__device__ inline void end_packed_chunk(const strip_t<int> &s, int chunk, int lane,
                                        int base, const unsigned *words,
                                        coming_t<int> *in, packed_ring_t *ring)
{
    const int column = chunk * CHUNK + lane;

    wait_chunk(s, chunk, lane, in);
    if (lane < CHUNK) {
        const unsigned word = words[in->letter];
        const entry_t<int> above =
            s.above != nullptr && column < s.n ? in->entry.entry() : entry_t<int>{0, 0};

        ring->words[column % PACKED_COLUMNS] = word;
        ring->words[column % PACKED_COLUMNS + PACKED_COLUMNS] = word;
        ring->in[lane] =
            wavefront_packed_move(static_cast<unsigned>(above.h), above.f, base);
    }
    __syncwarp();
}

/* Note what a lane found in a chunk: some of the columns that it may be in, of which all
 * lanes of a strip have been in since the last chunk. */
__device__ inline void note_packed(const strip_t<int> &s, int greatest, int chunk,
                                   best_t<int> *best)
{
    const int end = min((chunk + 1) * CHUNK, s.n);
    const int first = max(chunk * CHUNK + 1 - WAVEFRONT_PACKED_LAG, s.first);

    if (greatest < best->value || first >= end)
        return;
    if (best->last < 0 || greatest > best->value)
        best->first = first;
    best->last = end - 1;
    best->value = greatest;
}

/* Choose new bases for all lanes of a warp. @return that of lane 0 */
__device__ inline int rebase_packed(const wavefront_packed_steps_t &steps, int lane,
                                    wavefront_packed_t *cells)
{
    wavefront_packed_rebase(steps, cells);
    const int above = __shfl_up_sync(ALL, cells->base[1], 1);

    wavefront_packed_meet(lane > 0 ? above : cells->base[0], cells);
    return __shfl_sync(ALL, cells->base[0], 0);
}

__device__ void sweep_packed(const strip_t<int> &s, const wavefront_packed_steps_t &steps,
                             int lane, const unsigned *words, packed_ring_t *ring,
                             wavefront_result_t *out)
{
    const unsigned n_below = lane == WARP - 1 ? static_cast<unsigned>(s.n) : 0;
    wavefront_packed_t cells;
    best_t<int> best = {1, -1, -1, -1};
    coming_t<int> coming;
    unsigned before = words[0];

    start_packed(s, lane, before, &cells, ring);
    begin_strip(s, lane, &coming);
    for (int chunk = 0; chunk * CHUNK < s.n + WAVEFRONT_PACKED_LAG; chunk++) {
        const int base = rebase_packed(steps, lane, &cells);
        const unsigned *next =
            &ring->words[chunk * CHUNK % PACKED_COLUMNS + PACKED_COLUMNS -
                         WAVEFRONT_PACKED_SKEW * lane];

        end_packed_chunk(s, chunk, lane, base, words, &coming, ring);
        if (chunk == 0 && lane == 0)
            sync_flag_raise(s.begun, 1);
        begin_chunk(s, chunk + 1, lane, &coming);
#pragma unroll 8
        for (int k = 0; k < CHUNK; k++) {
            const int column = chunk * CHUNK + k - WAVEFRONT_PACKED_LAG;
            const unsigned below = cells.below, word = next[k];
            unsigned in = __shfl_up_sync(ALL, below, 1);

            if (lane == 0)
                in = ring->in[k];
            if (static_cast<unsigned>(column) < n_below) {
                tagged_t<int> entry;

                entry.set({static_cast<int>(below), cells.base[1]}, s.tag);
                write_entry(&s.below[column], entry);
            }
            wavefront_packed_step(steps, word, before, in, &cells);
            before = word;
        }
        note_packed(s, wavefront_packed_best(cells), chunk, &best);
        __syncwarp();
    }
    store_best<true>(best, lane, out);
}

/* Sweep a strip: packed where that can be, else scored by a table of steps, or by sets.
 */
template <int KIND, bool BY_TABLE, bool STORES>
__device__ void sweep_scored(const wavefront_launch_t &p, int task,
                             const wavefront_steps_t<wavefront_value<KIND>> &steps,
                             int lane, const unsigned *words,
                             shared_t<wavefront_value<KIND>> *shared)
{
    constexpr int SCORED = BY_TABLE ? WAVEFRONT_TABLE_STEPS : WAVEFRONT_SETS;
    strip_t<wavefront_value<KIND>> strip;

    if (!take(p, task, STORES, &strip))
        return;
    if constexpr (KIND == WAVEFRONT_SCORES) {
        if (p.costs.packs && p.set.has_ambiguity[p.pairs[p.tasks[task].pair].rows] == 0) {
            sweep_packed(strip, wavefront_packed_steps(p.costs.open, p.costs.extend),
                         lane, words, &shared->packed, &p.results[task]);
            return;
        }
    }
    sweep<KIND, SCORED, STORES>(strip, steps, lane, &shared->ring, &p.results[task]);
}

/* @return the scores of the four bases with a letter, one byte each */
__device__ inline unsigned score_word(const wavefront_launch_t &p, int letter)
{
    unsigned word = 0;

    for (int base = 0; base < 4; base++)
        word |= (static_cast<unsigned>(
                     p.costs.table->scores[(1 << base) * ALPHABET_SIZE + letter]) &
                 0xff)
                << (8 * base);
    return word;
}

template <int KIND, bool BY_TABLE, bool STORES>
__global__ void __launch_bounds__(BLOCK)
    wavefront_kernel(const __grid_constant__ wavefront_launch_t p)
{
    using V = wavefront_value<KIND>;
    __shared__ shared_t<V> shared[BLOCK / WARP];
    __shared__ V table[BY_TABLE ? WAVEFRONT_TABLE : 1];
    __shared__ unsigned words[ALPHABET_SIZE];
    const nw_key_t key = KIND == WAVEFRONT_SCORES ? nw_key_t{0, 0} : p.key;
    const wavefront_steps_t<V> steps = {
        static_cast<V>(nw_key_step(key, p.costs.match, 1)),
        static_cast<V>(nw_key_step(key, p.costs.mismatch, 0)),
        static_cast<V>(nw_key_step(key, p.costs.open, 0)),
        static_cast<V>(nw_key_step(key, p.costs.extend, 0)), table};
    const int lane = threadIdx.x % WARP;

    if (BY_TABLE)
        for (int k = threadIdx.x; k < WAVEFRONT_TABLE; k += BLOCK)
            table[k] = static_cast<V>(
                nw_key_step(key, p.costs.table->scores[k], p.costs.table->is_match[k]));
    if (KIND == WAVEFRONT_SCORES && threadIdx.x < ALPHABET_SIZE)
        words[threadIdx.x] = score_word(p, threadIdx.x);
    __syncthreads();
    for (;;) {
        int task = lane == 0 ? atomicAdd(p.next, 1) : 0;

        task = __shfl_sync(ALL, task, 0);
        if (task >= p.n_tasks)
            return;
        sweep_scored<KIND, BY_TABLE, STORES>(p, task, steps, lane, words,
                                             &shared[threadIdx.x / WARP]);
        __syncwarp();
    }
}

using kernel_t = void (*)(const wavefront_launch_t);

template <int KIND, bool BY_TABLE> kernel_t kernel_of(bool stores)
{
    if constexpr (KIND == WAVEFRONT_SCORES)
        return wavefront_kernel<KIND, BY_TABLE, false>;
    else
        return stores ? wavefront_kernel<KIND, BY_TABLE, true>
                      : wavefront_kernel<KIND, BY_TABLE, false>;
}

template <bool BY_TABLE> kernel_t kernel_of(int kind, bool stores)
{
    switch (kind) {
    case WAVEFRONT_SCORES:
        return kernel_of<WAVEFRONT_SCORES, BY_TABLE>(false);
    case WAVEFRONT_KEYS:
        return kernel_of<WAVEFRONT_KEYS, BY_TABLE>(stores);
    default:
        return kernel_of<WAVEFRONT_LONG_KEYS, BY_TABLE>(stores);
    }
}

kernel_t kernel_of(int kind, bool by_table, bool stores)
{
    return by_table ? kernel_of<true>(kind, stores) : kernel_of<false>(kind, stores);
}

} // namespace

status_t wavefront_blocks(int kind, bool by_table, bool stores, const device_t *device,
                          int *out)
{
    return cuda_occupancy_blocks(kernel_of(kind, by_table, stores), BLOCK, device, out);
}

status_t wavefront_run(int kind, bool by_table, bool stores, int n_blocks,
                       const wavefront_launch_t &launch, cudaStream_t stream)
{
    const int needed = (launch.n_tasks + BLOCK / WARP - 1) / (BLOCK / WARP);

    kernel_of(kind, by_table,
              stores)<<<min(needed, n_blocks), BLOCK, 0, stream>>>(launch);
    return CUDA_TRY(cudaGetLastError());
}
