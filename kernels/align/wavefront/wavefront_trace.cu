/*
 * wavefront_trace.cu - what follows the passes: the best cell of a pair, the columns that
 * the next pass sweeps, and the way back through a band.
 *
 * A block follows a path.  All threads load the bits of PATCH_LANES lanes and PATCH_STEPS
 * steps, and the letters of these cells; one thread goes back through them.
 */
#include "kernels/align/wavefront/wavefront_layout.cuh"

namespace
{

constexpr int WARP = WAVEFRONT_LANES, SETTLE_BLOCK = 128;
constexpr int FOLLOW_BLOCK = 128, PATCH_LANES = 16, PATCH_STEPS = 128;
constexpr int PATCH_ROWS = PATCH_LANES * WAVEFRONT_ROWS;

/* @return the best result of a block's threads, in all of them
 * @param best  of this one: a result that is not better than the others' may be any */
__device__ wavefront_result_t best_of_block(wavefront_result_t best)
{
    __shared__ wavefront_result_t all[SETTLE_BLOCK];

    all[threadIdx.x] = best;
    __syncthreads();
    for (int k = 0; k < SETTLE_BLOCK; k++) {
        const wavefront_result_t &r = all[k];

        if (r.value > best.value ||
            (r.value == best.value &&
             (r.row > best.row || (r.row == best.row && r.last > best.last))))
            best = r;
    }
    __syncthreads();
    return best;
}

/* @return the best cell of a pair's tasks */
__device__ wavefront_result_t best_of_pair(const wavefront_launch_t &p,
                                           const wavefront_pair_t &pair)
{
    wavefront_result_t best = {0, -1, -1, -1};

    for (int k = threadIdx.x; k < pair.n_tasks; k += SETTLE_BLOCK) {
        const wavefront_result_t r = p.results[pair.first_task + k];

        if (r.value > best.value ||
            (r.value == best.value && r.value > 0 &&
             (r.row > best.row || (r.row == best.row && r.last > best.last))))
            best = r;
    }
    return best_of_block(best);
}

/* A block has a pair. */
__global__ void __launch_bounds__(SETTLE_BLOCK)
    settle_scores_kernel(const __grid_constant__ wavefront_launch_t p,
                         const __grid_constant__ wavefront_out_t out, int first_pair)
{
    const wavefront_pair_t pair = p.pairs[first_pair + blockIdx.x];
    const wavefront_result_t best = best_of_pair(p, pair);
    const long long span = wavefront_span(pair.m, out.max_column, out.gap, best.value);
    const int n_strips = pair.n_tasks / pair.n_jobs;

    if (threadIdx.x == 0 && out.matches == nullptr)
        out.score[pair.index] = static_cast<int>(best.value);
    if (out.matches == nullptr)
        return;
    for (int k = threadIdx.x; k < pair.n_jobs; k += SETTLE_BLOCK) {
        wavefront_job_t *job = &p.jobs[pair.first_job + k];
        int first = INT_MAX, last = -1;

        for (int strip = 0; strip < n_strips; strip++) {
            const wavefront_result_t r =
                p.results[pair.first_task + k * n_strips + strip];

            if (r.value != best.value || r.value == 0)
                continue;
            first = min(first, r.first);
            last = max(last, r.last);
        }
        if (last < 0) {
            job->end = job->begin;
            continue;
        }
        /* columns of results are those of the job */
        const int begin = job->begin;

        job->first = begin + first;
        job->end = begin + last + 1;
        job->begin = static_cast<int>(max(static_cast<long long>(begin),
                                          static_cast<long long>(begin) + first - span));
    }
}

/* Begin the way back of a pair: what lies behind its alignment. */
__device__ void begin_path(const wavefront_out_t &out, wavefront_pair_t *pair)
{
    cuda_path_t path = {pair->i, pair->j, 0, 0};
    const unsigned ops = cuda_path_ops(out.column_ops, pair->mirrored);
    uint32_t *runs = out.runs + out.trace_start[pair->index];

    cuda_path_put(&path, runs, ops, CUDA_LEFT, pair->n - pair->j);
    cuda_path_put(&path, runs, ops, CUDA_UP, pair->m - pair->i);
    pair->run = path.run;
    pair->n_runs = path.n_runs;
    pair->value = 0;
}

__global__ void __launch_bounds__(SETTLE_BLOCK)
    settle_keys_kernel(const __grid_constant__ wavefront_launch_t p,
                       const __grid_constant__ wavefront_out_t out, int first_pair)
{
    wavefront_pair_t *pair = &p.pairs[first_pair + blockIdx.x];
    wavefront_result_t best = {0, -1, -1, -1};
    int64_t score = 0, matches = 0, columns = 0;

    if (p.sections.head != nullptr && p.sections.head->holds)
        return; /* they had it */
    /* columns of the pair; those of results are the job's */
    for (int k = threadIdx.x; k < pair->n_tasks; k += SETTLE_BLOCK) {
        wavefront_result_t r = p.results[pair->first_task + k];
        const int job = p.tasks[pair->first_task + k].job;

        if (r.value == 0)
            continue;
        r.last += p.jobs[job].begin;
        r.first = job;
        if (r.value > best.value ||
            (r.value == best.value &&
             (r.row > best.row || (r.row == best.row && r.last > best.last))))
            best = r;
    }
    best = best_of_block(best);
    if (threadIdx.x != 0)
        return;
    if (best.value > 0)
        nw_key_split(p.key, best.value, &score, &matches, &columns);
    if (score <= 0)
        score = matches = columns = 0;
    out.score[pair->index] = static_cast<int>(score);
    out.matches[pair->index] = static_cast<int>(matches);
    out.columns[pair->index] = static_cast<int>(columns);
    pair->job = -1;
    if (out.trace_start == nullptr ||
        !cuda_cigar_exists(true, out.min_overlap, columns, pair->m, pair->n))
        return;
    pair->job = best.first;
    pair->i = best.row + 1;
    pair->j = best.last + 1;
    begin_path(out, pair);
}

/* A part of a band in shared memory: cells of lanes lane .. lane + PATCH_LANES - 1 in
 * steps step .. step + PATCH_STEPS - 1 of a strip. */
struct patch_t {
    uint32_t back[PATCH_STEPS * PATCH_LANES];
    unsigned char rows[PATCH_ROWS], columns[PATCH_STEPS + PATCH_LANES];
    int row, lane, step, column; /* the first of each, from 0; column: of the job */
};

/* Where the bits of a pair's strip are. */
struct band_t {
    const uint32_t *back; /* of the first strip */
    long long pitch;
    int first_row, begin; /* of the band, and of the job */
    const unsigned char *rows, *columns;
};

/* Load the patch that ends with a cell; all threads of the block take part. */
__device__ void load_patch(const band_t &b, int i, int j, int thread, patch_t *out)
{
    const int row = i - 1 - b.first_row, strip = row / WAVEFRONT_STRIP;
    const int last_lane = row % WAVEFRONT_STRIP / WAVEFRONT_ROWS;
    const int last_step = j - 1 - b.begin + last_lane;
    const int first_lane = max(0, last_lane - PATCH_LANES + 1);
    const int first_step = max(0, last_step - PATCH_STEPS + 1);
    const uint32_t *back = b.back + strip * b.pitch * WARP;
    const int first_row =
        b.first_row + strip * WAVEFRONT_STRIP + first_lane * WAVEFRONT_ROWS;
    const int first_column = max(0, first_step - last_lane);

#pragma unroll
    for (int k = thread; k < PATCH_STEPS * PATCH_LANES; k += FOLLOW_BLOCK) {
        const int at_lane = first_lane + k % PATCH_LANES;
        const int at_step = first_step + k / PATCH_LANES;

        out->back[k] = at_lane <= last_lane && at_step <= last_step
                           ? back[static_cast<long long>(at_step) * WARP + at_lane]
                           : 0u;
    }
    for (int k = thread; k < PATCH_ROWS; k += FOLLOW_BLOCK)
        out->rows[k] = first_row + k < i ? b.rows[first_row + k] : 0;
    for (int k = thread; k < PATCH_STEPS + PATCH_LANES; k += FOLLOW_BLOCK)
        out->columns[k] =
            b.begin + first_column + k < j ? b.columns[b.begin + first_column + k] : 0;
    if (thread == 0) {
        out->row = first_row;
        out->lane = first_lane;
        out->step = first_step;
        out->column = b.begin + first_column;
    }
    __syncthreads();
}

/* The value of a cell that a path is followed back from. */
enum { IN_H, IN_E, IN_F };

/* Go back through a patch; called by one lane. @param value  in and out
 * @return whether the path goes on */
__device__ bool follow_patch(const unsigned char *is_match, const patch_t &patch,
                             int begin, unsigned ops, uint32_t *runs, cuda_path_t *path,
                             int *value)
{
    while (path->i > patch.row && path->j > begin) {
        const int row = path->i - 1 - patch.row;
        const int lane = row / WAVEFRONT_ROWS;
        const int step = path->j - 1 - begin + patch.lane + lane - patch.step;

        if (step < 0)
            return true;
        const unsigned bits = patch.back[step * PATCH_LANES + lane] >>
                              (WAVEFRONT_BITS * (row % WAVEFRONT_ROWS));
        const unsigned way = bits & WAVEFRONT_WAY;

        if (*value == IN_H) {
            if (way == WAVEFRONT_STOP)
                return false;
            if (way == WAVEFRONT_DIAGONAL) {
                const unsigned a = patch.rows[row];
                const unsigned b = patch.columns[path->j - 1 - patch.column];
                const bool matches = is_match[a * ALPHABET_SIZE + b] != 0;

                cuda_path_step(path, runs, ops,
                               matches ? CUDA_DIAGONAL_MATCH : CUDA_DIAGONAL_MISMATCH);
                continue;
            }
            *value = way == WAVEFRONT_UP ? IN_F : IN_E;
        }
        if (*value == IN_F) {
            *value = (bits & WAVEFRONT_F_OPENS) != 0 ? IN_H : IN_F;
            cuda_path_step(path, runs, ops, CUDA_UP);
        } else {
            *value = (bits & WAVEFRONT_E_OPENS) != 0 ? IN_H : IN_E;
            cuda_path_step(path, runs, ops, CUDA_LEFT);
        }
    }
    return path->i > 0 && path->j > begin;
}

/* End the way back: what lies in front of the alignment. */
__device__ void end_path(const wavefront_out_t &out, wavefront_pair_t *pair, unsigned ops,
                         uint32_t *runs, cuda_path_t *path)
{
    cuda_path_put(path, runs, ops, CUDA_LEFT, path->j);
    cuda_path_put(path, runs, ops, CUDA_UP, path->i);
    if (path->run != 0)
        runs[path->n_runs++] = path->run;
    out.n_runs[pair->index] = path->n_runs;
    pair->job = -1;
}

/* Of a block that follows a path. */
struct follower_t {
    patch_t patch;
    cuda_path_t path;
    bool goes_on;
    unsigned char is_match[WAVEFRONT_TABLE];
};

/* Follow a path to the begin of a band, in f->path; all threads of the block take part.
 * @param value  in and out, of thread 0. @return whether the path goes on, to all */
__device__ bool follow_band(const band_t &b, const wavefront_table_t *table, unsigned ops,
                            uint32_t *runs, cuda_path_t path, int *value, follower_t *f)
{
    const int thread = threadIdx.x;

    for (int k = thread; k < WAVEFRONT_TABLE; k += FOLLOW_BLOCK)
        f->is_match[k] = table->is_match[k];
    if (thread == 0) {
        f->path = path;
        f->goes_on = true;
    }
    __syncthreads();
    while (f->goes_on && f->path.i > b.first_row) {
        load_patch(b, f->path.i, f->path.j, thread, &f->patch);
        if (thread == 0) {
            cuda_path_t at = f->path;

            f->goes_on =
                follow_patch(f->is_match, f->patch, b.begin, ops, runs, &at, value);
            f->path = at;
        }
        __syncthreads();
    }
    return f->goes_on;
}

/* A block has a pair. */
__global__ void __launch_bounds__(FOLLOW_BLOCK)
    follow_kernel(const __grid_constant__ wavefront_launch_t p,
                  const __grid_constant__ wavefront_out_t out, int band, int first_pair)
{
    __shared__ follower_t f;
    wavefront_pair_t *pair = &p.pairs[first_pair + blockIdx.x];
    const wavefront_pair_t was = *pair;
    const unsigned ops = cuda_path_ops(out.column_ops, was.mirrored);
    int value = was.value;

    if (was.job < 0)
        return;
    uint32_t *runs = out.runs + out.trace_start[was.index];
    const band_t b = {p.back + was.back,
                      was.back_pitch,
                      band * p.band * WAVEFRONT_STRIP,
                      p.jobs[was.job].begin,
                      p.set.letters + p.set.start[was.rows],
                      p.set.letters + p.set.start[was.columns]};
    const bool goes_on = follow_band(b, p.costs.table, ops, runs,
                                     {was.i, was.j, was.run, was.n_runs}, &value, &f);

    if (threadIdx.x != 0)
        return;
    if (!goes_on) {
        end_path(out, pair, ops, runs, &f.path);
        return;
    }
    pair->i = f.path.i;
    pair->j = f.path.j;
    pair->run = f.path.run;
    pair->n_runs = f.path.n_runs;
    pair->value = value;
}

/* @return where the runs of a section are; there are not more than rows and columns in
 *         front of its end */
__device__ inline uint32_t *runs_of(const wavefront_sections_t &s,
                                    const wavefront_section_t &section)
{
    return s.runs + (section.top == s.head->first
                         ? 0
                         : section.top * WAVEFRONT_STRIP + section.begin);
}

/* A block has the section that ends with its strip. */
__global__ void __launch_bounds__(FOLLOW_BLOCK)
    follow_section_kernel(const __grid_constant__ wavefront_launch_t p,
                          const __grid_constant__ wavefront_out_t out)
{
    __shared__ follower_t f;
    const wavefront_sections_t &s = p.sections;
    const wavefront_head_t head = *s.head;
    const int strip = head.first + static_cast<int>(blockIdx.x);

    if (!head.holds || !head.has_path || strip > head.last)
        return;
    const wavefront_section_t section = s.of_strip[strip];

    if (section.bottom != strip)
        return;
    const wavefront_pair_t pair = p.pairs[p.tasks[0].pair];
    const unsigned ops = cuda_path_ops(out.column_ops, pair.mirrored);
    uint32_t *runs = runs_of(s, section);
    const bool ends = strip == head.last;
    const band_t b = {s.back + static_cast<long long>(section.top) *
                                   WAVEFRONT_SECTION_PITCH * WARP,
                      WAVEFRONT_SECTION_PITCH,
                      section.top * WAVEFRONT_STRIP,
                      section.begin,
                      p.set.letters + p.set.start[pair.rows],
                      p.set.letters + p.set.start[pair.columns]};
    int value = IN_H;

    follow_band(b, p.costs.table, ops, runs,
                {ends ? pair.i : (strip + 1) * WAVEFRONT_STRIP,
                 ends ? pair.j : section.end, 0, 0},
                &value, &f);
    if (threadIdx.x != 0)
        return;
    if (section.top > head.first) /* a gap from the corner downwards */
        cuda_path_put(&f.path, runs, ops, CUDA_UP, f.path.i - b.first_row);
    if (f.path.run != 0)
        runs[f.path.n_runs++] = f.path.run;
    s.paths[strip] = {f.path.i, f.path.j, f.path.n_runs};
}

/* Join the runs of all sections, the last one first.  One block: all threads load runs,
 * and one puts them together. */
__global__ void __launch_bounds__(FOLLOW_BLOCK)
    join_kernel(const __grid_constant__ wavefront_launch_t p,
                const __grid_constant__ wavefront_out_t out)
{
    __shared__ uint32_t some[FOLLOW_BLOCK];
    const wavefront_sections_t &s = p.sections;
    const wavefront_head_t head = *s.head;
    const int thread = threadIdx.x;
    wavefront_pair_t *pair = &p.pairs[p.tasks[0].pair];
    cuda_path_t path = {};
    wavefront_section_t section;

    if (!head.holds || !head.has_path)
        return;
    uint32_t *runs = out.runs + out.trace_start[pair->index];

    if (thread == 0) {
        begin_path(out, pair);
        path.run = pair->run;
        path.n_runs = pair->n_runs;
    }
    for (int strip = head.last; strip >= head.first; strip = section.top - 1) {
        const wavefront_path_t from = s.paths[strip];

        section = s.of_strip[strip];
        for (int k = 0; k < from.n_runs; k += FOLLOW_BLOCK) {
            const int n = min(FOLLOW_BLOCK, from.n_runs - k);

            if (thread < n)
                some[thread] = runs_of(s, section)[k + thread];
            __syncthreads();
            for (int i = 0; thread == 0 && i < n; i++)
                cuda_path_put(&path, runs, some[i] & 15, 0, some[i] >> 4);
            __syncthreads();
        }
        path.i = from.i;
        path.j = from.j;
    }
    if (thread == 0)
        end_path(out, pair, cuda_path_ops(out.column_ops, pair->mirrored), runs, &path);
}

} // namespace

status_t wavefront_settle_scores(const wavefront_launch_t &launch,
                                 const wavefront_out_t &out, int first_pair, int n_pairs,
                                 cudaStream_t stream)
{
    settle_scores_kernel<<<n_pairs, SETTLE_BLOCK, 0, stream>>>(launch, out, first_pair);
    return CUDA_TRY(cudaGetLastError());
}

status_t wavefront_settle_keys(const wavefront_launch_t &launch,
                               const wavefront_out_t &out, int first_pair, int n_pairs,
                               cudaStream_t stream)
{
    settle_keys_kernel<<<n_pairs, SETTLE_BLOCK, 0, stream>>>(launch, out, first_pair);
    return CUDA_TRY(cudaGetLastError());
}

status_t wavefront_follow(const wavefront_launch_t &launch, const wavefront_out_t &out,
                          int band, int first_pair, int n_pairs, cudaStream_t stream)
{
    follow_kernel<<<n_pairs, FOLLOW_BLOCK, 0, stream>>>(launch, out, band, first_pair);
    return CUDA_TRY(cudaGetLastError());
}

status_t wavefront_follow_sections(const wavefront_launch_t &launch,
                                   const wavefront_out_t &out, cudaStream_t stream)
{
    status_t st;

    follow_section_kernel<<<launch.n_tasks, FOLLOW_BLOCK, 0, stream>>>(launch, out);
    if ((st = CUDA_TRY(cudaGetLastError())) != ST_OK)
        return st;
    join_kernel<<<1, FOLLOW_BLOCK, 0, stream>>>(launch, out);
    return CUDA_TRY(cudaGetLastError());
}
