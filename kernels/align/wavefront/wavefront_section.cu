/*
 * wavefront_section.cu - the sections of a pair: from two passes over scores to its
 * numbers (wavefront_layout.cuh).
 */
#include "kernels/align/wavefront/wavefront_entry.cuh"

namespace
{

constexpr int BLOCK = 256;

/* H at a line, and f of the row behind it. */
struct crossing_t {
    int h, f;
};

__device__ inline crossing_t read(const wavefront_sections_t &s, int pass, long long at)
{
    const entry_t<int> entry = static_cast<tagged_t<int> *>(s.lines[pass])[at].entry();
    const unsigned pair = static_cast<unsigned>(entry.h);

    return {entry.f + static_cast<int>(pair & 0xffff),
            entry.f + static_cast<int>(pair >> 16)};
}

/* Find the best score of paths that cross the line where the sweeps of both ends meet: a
 * thread has a column. */
__global__ void __launch_bounds__(BLOCK)
    meet_kernel(const __grid_constant__ wavefront_launch_t p, int n)
{
    const int column = blockIdx.x * BLOCK + threadIdx.x;

    if (column > n - 2)
        return;
    const crossing_t a = read(p.sections, 0, column);
    const crossing_t b = read(p.sections, 1, n - 2 - column);
    const int gap = a.f + b.f + p.costs.open - p.costs.extend;

    atomicMax(&p.results[0].value, static_cast<long long>(max(a.h + b.h, gap)));
}

/* Find the best score, and the strips with ends and starts.  One block. */
__global__ void __launch_bounds__(BLOCK)
    head_kernel(const __grid_constant__ wavefront_launch_t p)
{
    __shared__ int best[2], n[2], strips[2];
    const wavefront_sections_t &s = p.sections;

    if (threadIdx.x < 2)
        best[threadIdx.x] = n[threadIdx.x] = 0;
    __syncthreads();
    for (int pass = 0; pass < 2; pass++)
        for (int k = threadIdx.x; k < p.n_tasks; k += BLOCK)
            atomicMax(&best[pass], static_cast<int>(s.results[pass][k].value));
    __syncthreads();
    for (int pass = 0; pass < 2; pass++)
        for (int k = threadIdx.x; k < p.n_tasks; k += BLOCK)
            if (s.results[pass][k].value == best[pass]) {
                atomicAdd(&n[pass], 1);
                strips[pass] = k;
            }
    __syncthreads();
    if (threadIdx.x != 0)
        return;
    const int first = p.n_tasks - 1 - strips[1];

    *s.head = {best[0], first, strips[0],
               best[0] > 0 && best[0] == best[1] && n[0] == 1 && n[1] == 1 &&
                   first < strips[0]};
}

/* Find where best paths cross the lines between strips: a thread has a column. */
__global__ void __launch_bounds__(BLOCK)
    crossing_kernel(const __grid_constant__ wavefront_launch_t p, int n)
{
    const wavefront_sections_t &s = p.sections;
    const wavefront_head_t head = *s.head;
    const int line = blockIdx.y, column = blockIdx.x * BLOCK + threadIdx.x;
    const int open = p.costs.open - p.costs.extend;

    if (!head.holds || line < head.first || line >= head.last || column > n - 2)
        return;
    const crossing_t a = read(s, 0, static_cast<long long>(line) * n + column);
    const crossing_t b =
        read(s, 1, static_cast<long long>(p.n_tasks - 2 - line) * n + (n - 2 - column));
    wavefront_crossing_t *crossing = &s.crossings[line];

    if (a.h > 0 && b.h > 0 && a.h + b.h == head.score) {
        atomicAdd(&crossing->n, 1);
        crossing->column = column + 1;
        crossing->score = a.h;
    }
    if (open != 0 && a.f + b.f + open == head.score)
        atomicAdd(&crossing->n_gaps, 1);
}

/* @return whether all best paths go through one point of a line */
__device__ inline bool is_joint(const wavefront_crossing_t &c)
{
    return c.n == 1 && c.n_gaps == 0;
}

/* Find the section of a strip. @return whether it has one */
__device__ bool find_section(const wavefront_sections_t &s, const wavefront_out_t &out,
                             const wavefront_head_t &head, int strip, int n,
                             wavefront_section_t *to)
{
    int top = strip, bottom = strip;

    while (top > head.first && !is_joint(s.crossings[top - 1]))
        top--;
    while (bottom < head.last && !is_joint(s.crossings[bottom]))
        bottom++;
    const bool begins = top == head.first, ends = bottom == head.last;
    const long long rows = static_cast<long long>(bottom - top + 1) * WAVEFRONT_STRIP;
    const long long span = wavefront_span(rows, out.max_column, out.gap, 0);
    const int from = begins ? 0 : s.crossings[top - 1].column;
    const int end = ends ? static_cast<int>(min(static_cast<long long>(n), from + span))
                         : s.crossings[bottom].column;
    const int begin =
        begins ? static_cast<int>(max(0LL, static_cast<long long>(end) - span)) : from;

    *to = {top, bottom, begin, end, begins ? 0 : s.crossings[top - 1].score};
    return !(begins && ends) && end > begin && end - begin <= WAVEFRONT_SECTION_MAX;
}

/* Divide the strips into sections.  One block. */
__global__ void __launch_bounds__(BLOCK)
    divide_kernel(const __grid_constant__ wavefront_launch_t p,
                  const __grid_constant__ wavefront_out_t out, int n)
{
    const wavefront_sections_t &s = p.sections;
    const wavefront_head_t head = *s.head;
    bool fails = !head.holds;

    for (int k = threadIdx.x; k < p.n_tasks && !fails; k += BLOCK) {
        wavefront_section_t section = {};

        if (k >= head.first && k <= head.last)
            fails = !find_section(s, out, head, k, n, &section) ||
                    (k < head.last && s.crossings[k].n + s.crossings[k].n_gaps == 0);
        s.of_strip[k] = section;
    }
    if (__syncthreads_or(fails) && threadIdx.x == 0)
        s.head->holds = 0;
}

/* Add up the keys of all sections.  One block.  A section's key is that of its last cell,
 * less the score where it begins; of the last one it is the best of all. */
template <typename V>
__global__ void __launch_bounds__(BLOCK)
    sum_kernel(const __grid_constant__ wavefront_launch_t p,
               const __grid_constant__ wavefront_out_t out)
{
    __shared__ unsigned long long sum;
    const wavefront_sections_t &s = p.sections;
    const wavefront_head_t head = *s.head;
    wavefront_pair_t *pair = &p.pairs[p.tasks[0].pair];

    if (!head.holds)
        return;
    if (threadIdx.x == 0)
        sum = 0;
    __syncthreads();
    for (int k = head.first + threadIdx.x; k <= head.last; k += BLOCK) {
        const wavefront_section_t section = s.of_strip[k];
        long long value = 0;

        if (section.bottom != k)
            continue;
        if (k < head.last) {
            value = static_cast<long long>(
                static_cast<const tagged_t<V> *>(p.lines)[section.end - 1].entry().h);
        } else {
            for (int strip = section.top; strip <= k; strip++) {
                const wavefront_result_t r = p.results[strip];

                if (r.value < value || r.value == 0)
                    continue;
                value = r.value;
                pair->i = r.row + 1;
                pair->j = section.begin + r.last + 1;
            }
        }
        value -= static_cast<long long>(section.score) << p.key.score_shift;
        atomicAdd(&sum, static_cast<unsigned long long>(value));
    }
    __syncthreads();
    if (threadIdx.x != 0)
        return;
    int64_t score = 0, matches = 0, columns = 0;

    nw_key_split(p.key, static_cast<int64_t>(sum), &score, &matches, &columns);
    out.score[pair->index] = static_cast<int>(score);
    out.matches[pair->index] = static_cast<int>(matches);
    out.columns[pair->index] = static_cast<int>(columns);
    s.head->has_path =
        out.trace_start != nullptr &&
        cuda_cigar_exists(true, out.min_overlap, columns, pair->m, pair->n);
}

} // namespace

status_t wavefront_meet(const wavefront_launch_t &launch, int n, cudaStream_t stream)
{
    meet_kernel<<<(n + BLOCK - 1) / BLOCK, BLOCK, 0, stream>>>(launch, n);
    return CUDA_TRY(cudaGetLastError());
}

status_t wavefront_divide(const wavefront_launch_t &launch, const wavefront_out_t &out,
                          int n, cudaStream_t stream)
{
    const dim3 grid(static_cast<unsigned>((n + BLOCK - 1) / BLOCK),
                    static_cast<unsigned>(launch.n_tasks - 1));
    status_t st;

    head_kernel<<<1, BLOCK, 0, stream>>>(launch);
    if ((st = CUDA_TRY(cudaGetLastError())) != ST_OK)
        return st;
    crossing_kernel<<<grid, BLOCK, 0, stream>>>(launch, n);
    if ((st = CUDA_TRY(cudaGetLastError())) != ST_OK)
        return st;
    divide_kernel<<<1, BLOCK, 0, stream>>>(launch, out, n);
    return CUDA_TRY(cudaGetLastError());
}

status_t wavefront_sum(int kind, const wavefront_launch_t &launch,
                       const wavefront_out_t &out, cudaStream_t stream)
{
    if (kind == WAVEFRONT_KEYS)
        sum_kernel<wavefront_value<WAVEFRONT_KEYS>><<<1, BLOCK, 0, stream>>>(launch, out);
    else
        sum_kernel<wavefront_value<WAVEFRONT_LONG_KEYS>>
            <<<1, BLOCK, 0, stream>>>(launch, out);
    return CUDA_TRY(cudaGetLastError());
}
